//! An invited slave to the master (paper 003 §3.4.5: "same structure as invitation message").

use super::field::message;
use super::header::NodeId;
use units::Instant;

message! {
    /// The answer to an invitation. When it was sent stands in the header of its slot.
    pub struct Answer {
        /// the node that answers
        pub node: NodeId,
        /// the term of the invitation
        pub term: u64,
        /// the frame of the invitation
        pub frame: u64,
        /// when the invitation arrived, by the slave's clock
        pub heard_at: Instant,
    }
}
