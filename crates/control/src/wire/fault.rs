//! Faults (paper 003 §3.6): a slave reports, the master broadcasts.

use super::field::{codes, message};
use super::header::NodeId;

codes! {
    /// What happened.
    pub enum FaultKind("fault") {
        /// the master leaves; a standby may take over at once
        MasterShutdown = 1,
        /// the node's power failed; it will fall silent
        PowerFailure = 2,
        /// a node heard no light
        NoSignal = 3,
        /// a node's slots do not meet the core in time
        Synchronization = 4,
        /// a slave was not heard and is inactive now
        Silent = 5,
    }
}

message! {
    /// A fault.
    pub struct Fault {
        /// what happened
        pub kind: FaultKind,
        /// to which node
        pub node: NodeId,
        /// in which frame it was noticed
        pub frame: u64,
    }
}
