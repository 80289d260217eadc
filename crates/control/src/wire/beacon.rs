//! The controller of the core to all nodes, once a frame: the time, and who is master.

use super::field::message;
use super::header::NodeId;
use units::Instant;

message! {
    /// A beacon. The header says when it was sent: its arrival less that is the receiver's clock plus the delay from
    /// the core.
    pub struct Beacon {
        /// the present term
        pub term: u64,
        /// the master of that term, or `all` if there is none
        pub master: NodeId,
        /// the master's session
        pub session: u64,
        /// the frame that begins as the beacon leaves
        pub frame: u64,
        /// the first frame for which no plan is accepted
        pub unplanned: u64,
        /// when frame 0 began, by the clock of the core
        pub start: Instant,
    }
}
