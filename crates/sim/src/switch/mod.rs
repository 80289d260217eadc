//! What optical switches do that routers do not: one regime a folder, each with the agents of its nodes.
//!
//! | folder | holds |
//! |---|---|
//! | `aapn` | an agile all-photonic network: edge nodes that send in granted slots, core nodes that schedule frames |
//! | `obs` | optical burst switching: packets are assembled into bursts, headers reserve wavelengths ahead of them |
//! | `ops` | optical packet switching: edge nodes that pace macroflows, core nodes with optical RAM, slots or delay lines |
//! | `list` | no folder: what `photocol list switches` says |
//!
//! An [`Agent`] is a machine at a node. It touches nothing but the ports of its node. It may take packets before a port
//! ([`Intake`]) and send them on or hand them to the hosts of its node later, and it meets other agents in [`Notice`]s that
//! travel fibres as packets do.

mod aapn;
mod list;
mod obs;
mod ops;

pub use list::{Entry, list};
pub use obs::{Header, Loss};

use crate::engine::net::Net;
use crate::engine::offer::{Count, Intake};
use crate::engine::packet::Packet;
use crate::model::{Flow, LinkId, NodeId, Scenario, Switching};
use crate::random::Seed;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;
use transport::tcp::{BurstReport, SackBlock};
use transport::xcp::Probe;

/// A machine at a node. What it sends goes into `net` at once; each verb gives the number of packets that it has made anew.
pub trait Agent: Debug + Send {
    /// When it wants to be called, `u64::MAX` for never. It may be asked at any time and may change with every call.
    fn next_timeout(&self) -> u64;

    /// Its deadline has come.
    fn handle_timeout(&mut self, now: u64, net: &mut Net) -> u64;

    /// A message has arrived.
    fn handle_notice(&mut self, now: u64, notice: Arc<Notice>, net: &mut Net) -> u64;

    /// A packet has come to a port before which the agent stands; `place` is the agent's name for that port. The packet is
    /// kept, dropped ([`Net::refuse`]), sent on ([`Net::send_past`]) or given to its node ([`Net::hand`]).
    fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, net: &mut Net) -> u64 {
        let _ = place;
        net.send_past(now, packet);
        0
    }

    /// Packets of hosts that it keeps. Where packets travel in something else, they are kept from the agent that took them
    /// to the one that gives them back, so that only the sum over all agents means something.
    fn kept(&self) -> i64 {
        0
    }

    /// Shows each of them, because what they carry moves.
    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        let _ = change;
    }

    /// What it has counted since the start.
    fn ledger(&self) -> Ledger {
        Ledger::default()
    }
}

/// What an agent has counted since the start.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// What came to its output fibres, by link.
    pub fibres: Vec<(LinkId, FibreAccount)>,
    /// Per flow: the segments that it put into bursts, and the bursts with any of them.
    pub shares: Vec<(u32, (u64, u64))>,
    /// Sums over all agents of these are figures of the run.
    pub sums: Vec<(&'static str, u128)>,
}

/// Bursts at an output fibre.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FibreAccount {
    /// That came.
    pub offered: Count,
    /// That got a wavelength; if only a part of one did, it counts as one, and the bytes are the part's.
    pub carried: Count,
    /// That did not.
    pub dropped: Count,
    /// Wavelengths times picoseconds for which they are reserved.
    pub busy: u128,
    /// Wavelengths.
    pub wavelengths: u32,
}

/// What agents tell one another.
#[derive(Clone, Debug)]
pub enum Notice {
    /// An edge node of an all-photonic network wants slots.
    Request {
        /// Its place among the edge nodes.
        edge: u32,
        /// The frame at whose beginning the core node wants to know.
        frame: u64,
        /// Slots wanted to each edge node.
        slots: Box<[u32]>,
    },
    /// A core node of an all-photonic network grants slots to an edge node.
    Grant {
        /// The frame in which they are.
        frame: u64,
        /// In the order of time.
        runs: Box<[Run]>,
    },
    /// A probe of a macroflow is on its way from node to node.
    Probe {
        /// The macroflow.
        macroflow: u32,
        /// What it carries.
        probe: Probe,
    },
    /// A probe of a macroflow comes back.
    Feedback {
        /// The macroflow.
        macroflow: u32,
        /// What it carries.
        probe: Probe,
    },
    /// A burst is on its way.
    Header(Header),
    /// A burst was lost.
    Loss(Box<Loss>),
    /// An edge node tells a sender about a burst with segments of its flow, which is the packet's.
    Burst {
        /// What about it.
        report: BurstReport,
        /// The segments.
        segments: Box<[SackBlock]>,
    },
    /// A burst that the scenario ordered was lost: the packet's flow, and the burst's number in the place of a sequence
    /// number.
    LostBurst(Leg),
}

/// A message's way to its flow's destination and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// To the destination, which sends it back.
    There,
    /// Back to the source.
    Back,
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

/// The agents of a network.
#[derive(Debug, Default)]
pub struct Staff {
    /// Each with its node.
    pub agents: Vec<(NodeId, Box<dyn Agent>)>,
    /// The ports before which agents stand.
    pub intakes: BTreeMap<LinkId, Intake>,
    /// The ports that take everything, because agents mind their room.
    pub boundless: BTreeSet<LinkId>,
}

/// What agents are made from.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The network and what it switches.
    pub scenario: &'a Scenario,
    /// All flows.
    pub flows: &'a [Flow],
    /// Where the array of paths has the way and the way back of each flow.
    pub paths: &'a [(u32, u32)],
    /// The array of paths as links; `None` ends a path.
    pub laid: &'a [Option<LinkId>],
    /// For streams of random numbers.
    pub seed: Seed,
}

/// Lays a path in the engine's array of paths and gives its position there.
pub type Route<'a> = &'a mut dyn FnMut(&[LinkId]) -> u32;

/// The agents that the scenario's switching needs.
pub fn staff(setting: Setting, route: Route) -> Staff {
    match &setting.scenario.switching {
        Switching::Packets => Staff::default(),
        Switching::Ops(ops) => ops::staff(ops, setting, route),
        Switching::Aapn(aapn) => {
            let agents = aapn::agents(aapn, &setting.scenario.network, setting.seed, route);
            Staff { agents, ..Staff::default() }
        }
        Switching::Obs(obs) => obs::staff(obs, setting, route),
    }
}
