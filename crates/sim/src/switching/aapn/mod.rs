//! An agile all-photonic network (paper 003, chapters 2 and 3): edge nodes around a core node that switches light slot
//! by slot and keeps nothing.
//!
//! # Time
//!
//! Frame f begins at the core node at f·T_f, and slot s of it s·T_s later. An edge node at distance d begins frame f so
//! much earlier that its light arrives in time. The data of a slot last T_s − g and begin g/2 after the slot, so the
//! switch has the guard time g between two slots, and an edge node whose clock is off may be late or early by g/2: the
//! data of a slot that is off by more meet the switch while it turns, and are lost.
//!
//! # Who knows what
//!
//! With a fixed plan everybody knows the schedule. Otherwise an edge node asks once a frame; the request for frame f is
//! at the core node at its beginning (out of band) or in its signalling slot (in band). The core node then schedules,
//! and its grants travel back. They hold for the first frame that no edge node has begun when its grant arrives; that
//! is always the same number of frames later, because delays are constant.
//!
//! So it is with `protocol = "known"`: edge nodes know their delays and one another, and messages do not suffer from
//! bad clocks. With `protocol = "simulated"` the signalling protocol finds all that out ([`signalled`]).

mod beat;
mod build;
mod check;
mod control_keys;
mod core;
mod edge;
mod keys;
pub mod plan;
mod protocol;
mod queue;
mod request;
mod shares;
mod signalled;
mod spare;
mod tell;
pub mod wavelengths;

pub(super) use check::check;
pub use keys::AapnSwitching as Keys;
pub use plan::Aapn;

use self::plan::SlotFrame;
use super::kind::{self, Kind};
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::KeyedSums;
use crate::model::{LinkId, Network, Opening, PortRule, Scenario};
use crate::results::Figure;
use beat::Beat;
use control::signalling::SlotPart;
use units::{Duration, Rate};
use wavelengths::Sum;

/// Bytes of a message besides its entries: the control field of paper 003 (§2.4.3).
const MESSAGE_HEADER: u64 = 20;
/// Bytes of an entry: a number of slots, or the destination of a slot.
const ENTRY: u64 = 2;

pub(super) const KIND: Kind = Kind { leads: true, ..Kind::new() };

impl kind::Plan for Aapn {
    fn port(&self, network: &Network, id: LinkId) -> PortRule {
        let link = &network.links[id.index()];
        let opening = if link.via.is_some() { Opening::InWindows(self.packing) } else { Opening::Always };
        PortRule { opening, ..PortRule::of(link) }
    }

    fn install_agents(&self, build: &mut BuildContext) -> AgentSetup {
        let agents = match &self.plan {
            plan::Plan::Signalled(rules) => signalled::agents(self, rules, build),
            _ => build::agents(self, build),
        };
        AgentSetup { agents, ..AgentSetup::default() }
    }

    fn figures(&self, before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
        match &self.plan {
            plan::Plan::Signalled(_) => signalled::figures(before, after),
            // Nothing to tell where none is ever dark.
            _ if self.dark.is_empty() => Vec::new(),
            _ => {
                let value = (after.of(Sum::Dark) - before.of(Sum::Dark)) as f64;
                vec![Figure { name: "slots_dark", value, unit: "slots" }]
            }
        }
    }

    fn notes(&self, scenario: &Scenario) -> Vec<String> {
        let network = &scenario.network;
        let follows = |link: &crate::model::Link| link.controller.is_some_and(|controller| controller.follows);
        match &self.plan {
            plan::Plan::Signalled(rules) if network.links.iter().any(|link| link.via.is_some() && follows(link)) => {
                vec![signalled::remedies(self, &rules.sharing, scenario)]
            }
            _ => Vec::new(),
        }
    }

    fn keeps(&self, network: &Network, id: LinkId, name: &str) -> Option<String> {
        let link = &network.links[id.index()];
        let signals = [link.from, link.to].iter().any(|node| self.cores.binary_search(node).is_ok());
        let what = format!("the frames depend on {name}, which keeps its capacity and delay");
        (link.via.is_some() || signals).then(|| format!("{what}; allowed: another switching.allocation"))
    }
}

/// What edge nodes and core nodes tell one another.
#[derive(Clone, Debug)]
pub enum Notice {
    /// An edge node wants slots.
    Request {
        /// Its place among the edge nodes.
        edge: u32,
        /// The frame at whose beginning the core node wants to know.
        frame: u64,
        /// Slots wanted to each edge node.
        slots: Box<[u32]>,
        /// Slots to each edge node that were granted and empty since the start; after 2^32 - 1 comes 0.
        unused: Box<[u32]>,
    },
    /// A core node grants slots to an edge node.
    Grant {
        /// The frame in which they are.
        frame: u64,
        /// In the order of time.
        runs: Vec<SlotRange>,
    },
}

/// Slots in a row, granted to one queue; with several wavelengths by their numbers ([`wavelengths`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotRange {
    /// The first slot of the frame.
    pub slot: u32,
    /// How many.
    pub slots: u32,
    /// The place of the destination among the edge nodes.
    pub to: u32,
}

/// Slots granted in several frames.
#[derive(Clone, Copy, Debug)]
pub struct SlotsGranted {
    /// In all of them together.
    pub slots: u64,
    /// How many frames.
    pub frames: u64,
}

impl SlotFrame {
    /// How long it lasts, in picoseconds.
    pub fn length(&self) -> u64 {
        self.slot.ps().saturating_mul(u64::from(self.slots))
    }

    /// The slots that carry data, on each wavelength.
    pub fn data_slots(&self) -> u32 {
        self.slots - self.signalling_slots
    }

    /// How long the data of a slot on a wavelength last at the rate of all wavelengths, in picoseconds.
    pub fn payload(&self) -> u64 {
        self.datagram() * u64::from(self.datagrams)
    }

    /// How long the data of one of its datagrams last, in picoseconds.
    pub fn datagram(&self) -> u64 {
        let light = Duration::from_ps((self.slot.ps() - self.guard.ps()) / u64::from(self.wavelengths));
        let lasts = SlotPart::new(0, self.datagrams).unwrap_or(SlotPart::WHOLE).lasts(light);
        lasts.saturating_sub(self.header).ps()
    }

    /// What granted slots carry of the capacity of all wavelengths: (4.1).
    pub fn rate(&self, capacity: Rate, granted: SlotsGranted, counts: plan::Counts) -> Rate {
        // Of the rate of all wavelengths a slot of one has its part of the time.
        let (slot, parts) = match counts {
            plan::Counts::Payload => (self.payload(), 1),
            plan::Counts::Slot => (self.slot.ps(), u128::from(self.wavelengths)),
        };
        let frames = u128::from(granted.frames.max(1));
        let most = frames * u128::from(self.slots) * u128::from(self.wavelengths);
        let share = u128::from(slot) * u128::from(granted.slots).min(most);
        // At most the capacity, which has 64 bits.
        let whole = frames * u128::from(self.length()) * parts;
        Rate::from_bps((u128::from(capacity.bps()).saturating_mul(share) / whole) as u64)
    }

    /// Bytes of a request.
    pub fn request_size(edges: usize) -> u64 {
        MESSAGE_HEADER + ENTRY * edges as u64
    }

    /// Bytes of a grant.
    pub fn grant_size(&self) -> u64 {
        MESSAGE_HEADER + ENTRY * u64::from(self.slots_of_a_node(self.wavelengths))
    }
}
