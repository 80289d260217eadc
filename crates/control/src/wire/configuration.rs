//! Master to a slave that has answered: what the network is (paper 003 §3.4.6).

use super::field::{codes, message};
use super::header::NodeId;
use units::{Duration, Instant};

codes! {
    /// How the signalling travels: paper 003 §3.1 and §3.2.
    pub enum Carriage("carriage") {
        /// in band, in slots of its own at the head of every frame (§3.1.1)
        Slots = 0,
        /// out of band, on a fibre or wavelength of its own, once a frame (§3.2)
        OutOfBand = 1,
        /// in the overhead of every slot (§3.1.2): a frame is one slot
        EverySlot = 2,
    }
}

codes! {
    /// Whether a node takes part.
    pub enum NodeStatus("status") {
        /// it has not answered, or is no longer heard
        Inactive = 0,
        /// it has answered and is being configured
        Joining = 1,
        /// it takes part
        Active = 2,
    }
}

message! {
    /// A node of the network.
    pub struct NodeState {
        /// the node
        pub node: NodeId,
        /// the port of the switch it stands at; several nodes at one port share a combiner and a splitter
        pub port: u16,
        /// whether it takes part
        pub status: NodeStatus,
    }
}

/// What all nodes must agree on, for the message and for [`Network`](crate::signalling::Network): `$declare!` is given
/// each field once.
macro_rules! agreed {
    ($declare:ident) => {
        $declare! {
            /// how the signalling travels
            carriage: Carriage,
            /// ports of the core switch
            switch_size: u16,
            /// slots of a frame
            frame_slots: u32,
            /// slots of a frame that are kept for signalling, at its head
            signalling_slots: u32,
            /// how long a slot lasts
            slot: Duration,
            /// how much of a slot is dark
            guard: Duration,
            /// how much of the guard time the core needs to switch
            switching: Duration,
            /// when frame 0 began, by the clock of the core
            start: Instant,
            /// the delay of the longest fibre between a node and the core
            longest: Duration,
            /// the delay of the shortest such fibre
            shortest: Duration,
            /// how long a node takes to act on what it has heard
            turnaround: Duration,
        }
    };
}
pub(crate) use agreed;

macro_rules! configuration {
    ($($(#[doc = $meaning:literal])+ $field:ident: $kind:ty,)+) => {
        message! {
            /// The configuration of the network.
            pub struct Configuration {
                /// the master's term
                pub term: u64,
                $($(#[doc = $meaning])+ pub $field: $kind,)+
                /// all nodes
                pub nodes: Vec<NodeState>,
            }
        }
    };
}

agreed!(configuration);
