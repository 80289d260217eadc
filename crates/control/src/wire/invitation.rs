//! Master to an inactive slave: join (paper 003 §3.4.5).

use super::field::message;
use super::header::NodeId;
use units::Duration;

message! {
    /// An invitation. The answer shall leave so long after the invitation was heard that it meets the core in slots
    /// that are kept free for it, whatever the length of the fibre; "immediately", as in the paper, would hit another
    /// node's slot.
    pub struct Invitation {
        /// the node that is invited: behind a splitter, others hear it too
        pub node: NodeId,
        /// the master's term
        pub term: u64,
        /// the frame whose slots are kept free for the answer
        pub frame: u64,
        /// how long after the arrival of the invitation the answer leaves, in the core's time
        pub answer_after: Duration,
    }
}
