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
