//! Slave to master: what it wants to send (paper 003 §3.5.1).

use super::field::message;
use super::header::NodeId;

message! {
    /// Slots wanted to one node.
    pub struct Wish {
        /// to whom
        pub destination: NodeId,
        /// how many slots
        pub slots: u32,
    }
}

message! {
    /// Slots to one node that were empty.
    pub struct Idle {
        /// to whom
        pub destination: NodeId,
        /// how many slots that were granted since the session began left empty; after 2^32 - 1 comes 0
        pub slots: u32,
    }
}

message! {
    /// What was granted and not used, so that the master can grant it to others: nodes for which it has grown.
    pub struct Unused {
        /// the term of the master that is told
        pub term: u64,
        /// the frame in which it is told
        pub frame: u64,
        /// what was empty
        pub idle: Vec<Idle>,
    }
}

message! {
    /// A traffic request: a row of the request matrix, without its zeros.
    pub struct Request {
        /// the term of the master that is asked
        pub term: u64,
        /// the frame in which it is asked
        pub frame: u64,
        /// what is wanted
        pub wishes: Vec<Wish>,
    }
}
