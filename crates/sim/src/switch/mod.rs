//! What optical switches do that routers do not: the agents of their control planes, one kind of switch a file.
//!
//! | file | holds |
//! |---|---|
//! | `aapn` | when frames begin at the nodes of an agile all-photonic network; from a scenario to its agents |
//! | `edge` | the edge node: opens granted slots, asks for slots, tells XCP's controllers |
//! | `core` | the core node: schedules frames |
//!
//! An agent is a machine at a node. It touches nothing but the ports of its node, and meets other agents in [`Notice`]s that
//! travel fibres as packets do.

mod aapn;
mod core;
mod edge;

pub use aapn::{SHORTEST_FRAME, agents};

use self::core::CoreNode;
use crate::engine::net::Net;
use edge::EdgeAgent;

/// An agent.
#[derive(Debug)]
pub enum Agent {
    /// Of an edge node, towards one core node.
    Edge(Box<EdgeAgent>),
    /// Of a core node.
    Core(Box<CoreNode>),
}

/// What agents tell one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// An edge node wants slots.
    Request {
        /// Its place among the edge nodes.
        edge: u32,
        /// The frame at whose beginning the core node wants to know.
        frame: u64,
        /// Slots wanted to each edge node.
        slots: Box<[u32]>,
    },
    /// A core node grants slots to an edge node.
    Grant {
        /// The frame in which they are.
        frame: u64,
        /// In the order of time.
        runs: Box<[Run]>,
    },
}

/// Slots in a row, granted to one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first slot of the frame.
    pub slot: u32,
    /// How many.
    pub slots: u32,
    /// The place of the destination among the edge nodes.
    pub to: u32,
}

impl Agent {
    /// When it wants to be called.
    pub fn next_timeout(&self) -> u64 {
        match self {
            Agent::Edge(edge) => edge.next_timeout(),
            Agent::Core(core) => core.next_timeout(),
        }
    }

    /// Its deadline has come. Gives the number of messages sent.
    pub fn handle_timeout(&mut self, now: u64, net: &mut Net) -> u64 {
        match self {
            Agent::Edge(edge) => edge.handle_timeout(now, net),
            Agent::Core(core) => core.handle_timeout(now, net),
        }
    }

    /// A message has arrived.
    pub fn handle_notice(&mut self, notice: &Notice) {
        match (self, notice) {
            (Agent::Edge(edge), Notice::Grant { frame, runs }) => edge.handle_grant(*frame, runs),
            (Agent::Core(core), Notice::Request { edge, frame, slots }) => core.handle_request(*edge, *frame, slots),
            // Nobody sends these.
            (Agent::Edge(_), Notice::Request { .. }) | (Agent::Core(_), Notice::Grant { .. }) => {}
        }
    }
}
