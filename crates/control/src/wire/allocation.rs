//! Master to slave: which slots of a frame it may send in, and to whom (paper 003 §3.5.2).

use super::field::message;
use super::header::NodeId;

message! {
    /// Slots in a row to one node.
    pub struct Grant {
        /// the first slot
        pub slot: u32,
        /// how many
        pub slots: u32,
        /// to whom
        pub destination: NodeId,
    }
}

message! {
    /// A traffic allocation: a row of the schedule of one frame. It holds for that frame and for no other.
    pub struct Allocation {
        /// the master's term
        pub term: u64,
        /// the frame
        pub frame: u64,
        /// what is granted, by slots
        pub grants: Vec<Grant>,
    }
}
