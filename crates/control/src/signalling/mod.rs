//! Signalling of an agile all-photonic network as machines: paper 003, chapters 2 and 3. `docs/protocol.md` is the
//! specification.
//!
//! Two machines, [`Node`] at the edge and [`Core`] at the switch, take bytes and the time of their own clock, and
//! answer with [`Action`]s. They meet only in bytes.
//!
//! | file | holds |
//! |---|---|
//! | `network` | what all must agree on, its check, and the instants that follow from it |
//! | `part` | slots of several datagrams |
//! | `post` | slots made and checked: tags, sessions, replays, counts |
//! | `clock` | the core's time as a node sees it; when light must leave |
//! | `asking` | what a node asks for besides what waits |
//! | `edge` | queues, what was asked for, data sent in granted slots and taken |
//! | `sharing` | what a master grants besides the letter of the requests |
//! | `planner` | requests -> connections of the switch and grants |
//! | `master`, `slave`, `standby` | the three parts a node plays; `station` is what they share |
//! | `node`, `turn` | the whole node; what it does in every frame |
//! | `peer` | what the master knows of a slave |
//! | `matrix` | requests and allocations of the last plan, to be looked at |
//! | `overlay` | several stars: through which core a node reaches each other one |
//! | `core` | the controller of the switch: the one place where it is decided who is master |

mod asking;
mod clock;
mod core;
mod edge;
mod master;
mod matrix;
mod network;
mod node;
mod overlay;
mod part;
mod peer;
mod planner;
mod post;
mod sharing;
mod slave;
mod standby;
mod station;
mod turn;

pub use asking::Prediction;
pub use core::Core;
pub use edge::{Full, Report, SlotNumber};
pub use matrix::{Matrices, PairSlots};
pub use network::{Member, Network, NetworkError};
pub use node::{Node, NodeConfig, Part};
pub use overlay::{Move, Overlay, StarPatience, TooShort};
pub use part::SlotPart;
pub use post::{Count, Tally};
pub use sharing::{Sharing, Spare};

use crate::wire::{Block, Fault, NodeId};
use units::Instant;

/// When bytes came. A machine may hear of them later than they were stamped: what it sends then leaves now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The present, by the clock of the machine.
    pub now: Instant,
    /// When the first bit arrived, by the same clock.
    pub stamp: Instant,
}

/// What a machine wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Light into the fibre to the core, whose first bit leaves at `at`.
    Light {
        /// When, by the node's clock. Too late is never: the host counts it.
        at: Instant,
        /// Which part of the slot's light it is.
        part: SlotPart,
        /// The slot.
        bytes: Vec<u8>,
    },
    /// A message out of band (not as light), now: to the controller of the core, or through it to other nodes.
    Beside {
        /// To whom; [`NodeId::ALL`] is every node.
        to: NodeId,
        /// The slot.
        bytes: Vec<u8>,
    },
    /// Payload for the layers above.
    Deliver {
        /// Who sent it.
        from: NodeId,
        /// The blocks of one slot, or of one of its datagrams.
        blocks: Vec<Block>,
    },
    /// Payload of another node that will not be delivered.
    Missing(Report),
    /// A fault was reported by, or happened to, a node.
    Fault(Fault),
}

/// What a call wants done, in order.
pub type Actions = Vec<Action>;
