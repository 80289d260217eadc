//! A node to the controller of the core: it would be master, or is so no more.

use super::field::{codes, message};

codes! {
    /// What is wanted.
    pub enum ClaimKind("claim") {
        /// to be the master of a new term
        Take = 1,
        /// to be master no more
        Resign = 2,
    }
}

message! {
    /// A claim to a term.
    pub struct Claim {
        /// what is wanted
        pub kind: ClaimKind,
        /// the term: one more than the vacant one, or one's own
        pub term: u64,
        /// the frame of the last beacon that was heard
        pub heard: u64,
    }
}
