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

mod build;
mod check;
mod core;
mod edge;
mod keys;
pub mod plan;
mod queue;
mod shares;
mod signalled;
mod tell;

pub(super) use check::check;
pub use keys::AapnSwitching as Keys;
pub use plan::Aapn;

use self::plan::SlotFrame;
use super::kind::{self, Kind};
use crate::engine::link::gated::{Row, Window};
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::KeyedSums;
use crate::model::{LinkId, Network, Opening, PortRule};
use crate::results::Figure;
use control::signalling::SlotPart;
use std::ops::Range;
use units::{Duration, Rate};

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
            _ => Vec::new(),
        }
    }

    fn notes(&self, network: &Network) -> Vec<String> {
        let follows = |link: &crate::model::Link| link.controller.is_some_and(|controller| controller.follows);
        match &self.plan {
            plan::Plan::Signalled(rules) if network.links.iter().any(|link| link.via.is_some() && follows(link)) => {
                vec![signalled::remedies(&rules.sharing)]
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
    },
    /// A core node grants slots to an edge node.
    Grant {
        /// The frame in which they are.
        frame: u64,
        /// In the order of time.
        runs: Vec<SlotRange>,
    },
}

/// Slots in a row, granted to one queue.
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

    /// The slots that carry data.
    pub fn data_slots(&self) -> u32 {
        self.slots - self.signalling_slots
    }

    /// How long the data of a slot last, in picoseconds.
    pub fn payload(&self) -> u64 {
        self.datagram() * u64::from(self.datagrams)
    }

    /// How long the data of one of its datagrams last, in picoseconds.
    pub fn datagram(&self) -> u64 {
        let light = Duration::from_ps(self.slot.ps() - self.guard.ps());
        let lasts = SlotPart::new(0, self.datagrams).unwrap_or(SlotPart::WHOLE).lasts(light);
        lasts.saturating_sub(self.header).ps()
    }

    /// What granted slots carry: (4.1).
    pub fn rate(&self, capacity: Rate, granted: SlotsGranted, counts: plan::Counts) -> Rate {
        let slot = match counts {
            plan::Counts::Payload => self.payload(),
            plan::Counts::Slot => self.slot.ps(),
        };
        let frames = u128::from(granted.frames.max(1));
        let share = u128::from(slot) * u128::from(granted.slots).min(frames * u128::from(self.slots));
        // At most the capacity, which has 64 bits.
        Rate::from_bps((u128::from(capacity.bps()).saturating_mul(share) / (frames * u128::from(self.length()))) as u64)
    }

    /// Bytes of a request.
    pub fn request_size(edges: usize) -> u64 {
        MESSAGE_HEADER + ENTRY * edges as u64
    }

    /// Bytes of a grant.
    pub fn grant_size(&self) -> u64 {
        MESSAGE_HEADER + ENTRY * u64::from(self.data_slots())
    }
}

/// A frame as an edge node sees it.
#[derive(Clone, Copy, Debug)]
pub struct Beat {
    pub(super) frame: SlotFrame,
    /// To the core node, in picoseconds.
    pub(super) delay: u64,
    /// Its clock may be so early, in picoseconds.
    pub(super) lead: u64,
}

impl Beat {
    /// The first frame that can begin in the run.
    pub fn first(&self) -> u64 {
        (self.delay + self.lead).div_ceil(self.frame.length())
    }

    /// When the edge node begins a frame, at the earliest that its clock may say so.
    pub fn begins(&self, frame: u64) -> u64 {
        frame.saturating_mul(self.frame.length()).saturating_sub(self.delay + self.lead)
    }

    /// When the data of the slots of a frame leave an edge node.
    pub fn windows(&self, frame: u64) -> FrameWindows {
        let half = self.frame.guard.ps() / 2;
        let first = self.begins(frame) + self.lead + half;
        FrameWindows { first, slot: self.frame.slot.ps(), payload: self.frame.payload(), half }
    }

    /// When the data of a slot leave an edge node whose clock is off by `shift`.
    pub fn window(&self, frame: u64, slot: u32, shift: i64) -> Window {
        self.windows(frame).of(slot, shift)
    }
}

/// When the data of the slots of a frame leave an edge node, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub struct FrameWindows {
    /// Of the first slot, if the clock is right.
    first: u64,
    slot: u64,
    payload: u64,
    /// The clock may be off by this much.
    half: u64,
}

impl FrameWindows {
    /// Those of slots in a row, where the clock is off by `shift` in all of them (and begins no frame before time 0).
    #[inline]
    pub fn of_run(&self, slots: Range<u32>, shift: i64) -> Row {
        Row { first: self.of(slots.start, shift), distance: self.slot, count: u64::from(slots.end - slots.start) }
    }

    /// Those of a slot, where the clock is off by `shift`.
    #[inline]
    pub fn of(&self, slot: u32, shift: i64) -> Window {
        let start = (self.first + self.slot * u64::from(slot)).saturating_add_signed(shift);
        Window { start, end: start + self.payload, passes: shift.unsigned_abs() <= self.half }
    }
}
