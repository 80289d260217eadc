//! `[switching]` with `kind = "aapn"`, after resolution.

use super::protocol::Signalled;
use super::request::Request;
use crate::model::{LinkId, NodeId, Packing, SimTime};
use control::scheduler::{Algorithm, Requests};
pub use control::signalling::Spare;
use options::words;
use units::{Duration, Rate};

/// An agile all-photonic network: a star, or several on the same edge nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Aapn {
    /// Slots and frames.
    pub frame: SlotFrame,
    /// How packets are put into slots.
    pub packing: Packing,
    /// Who decides on the slots.
    pub plan: Plan,
    /// How computed schedules share what is too much: the weight of every pair of edge nodes. None: evenly.
    pub weights: Option<Requests>,
    /// How XCP's controllers are told what their queues are granted.
    pub signal: Signal,
    /// The edge nodes, with their clocks, in the order of the nodes: the rows and columns of the schedulers.
    pub edges: Vec<EdgeNode>,
    /// The core nodes, in the order of the nodes.
    pub cores: Vec<NodeId>,
    /// Edge by edge, and core by core within an edge.
    pub uplinks: Vec<Uplink>,
    /// Wavelengths that are dark for a time.
    pub dark: Vec<Dark>,
}

/// A wavelength of a core node that is dark for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dark {
    /// The place of the core node.
    pub core: u32,
    /// The wavelength.
    pub wavelength: u32,
    /// From here on, in picoseconds.
    pub from: u64,
    /// Until here.
    pub until: u64,
    /// The core node notices both so much later.
    pub notice: u64,
}

/// The division of time at a core node. Its frame f begins at f times the frame's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotFrame {
    /// Slots in a frame.
    pub slots: u32,
    /// How long a slot lasts.
    pub slot: Duration,
    /// The first slots of every frame carry no data.
    pub signalling_slots: u32,
    /// The part of a slot in which nothing is sent, half of it before the data and half behind; less than a slot.
    pub guard: Duration,
    /// How many datagrams share the light of a data slot.
    pub datagrams: u16,
    /// What of each the header takes; zero where headers are not simulated.
    pub header: Duration,
    /// Wavelengths of a fibre; the capacity of a queue is that of all of them.
    pub wavelengths: u32,
    /// On so many of them an edge node can send, and receive, at a time.
    pub transmitters: u32,
}

impl SlotFrame {
    /// The shortest: an edge node has something to do in each.
    pub const SHORTEST: Duration = Duration::from_ps(100_000);
}

/// Who decides on the slots.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// The scenario: everybody knows in advance.
    Fixed(Vec<Allocation>),
    /// The core nodes, for every frame, by what the edge nodes ask for.
    Computed(Computed),
    /// A master among the edge nodes, which the signalling protocol finds.
    Signalled(Box<Signalled>),
}

/// From a time on, the slots of a queue in every frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The first frame is the one that begins then or later.
    pub at: SimTime,
    /// The queue.
    pub link: LinkId,
    /// Slots of a frame.
    pub slots: u32,
}

/// How core nodes compute schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computed {
    /// The scheduler.
    pub algorithm: Algorithm,
    /// What edge nodes ask for.
    pub request: Request,
    /// How requests and grants travel.
    pub channel: Channel,
    /// How long a core node computes.
    pub scheduling_time: Duration,
    /// What happens to slots nobody asked for.
    pub spare: Spare,
}

words! {
    /// How requests and grants travel.
    pub enum Channel {
        /// In the signalling slots of the frames, one for each edge node.
        InBand = "in-band",
        /// Besides the data.
        OutOfBand = "out-of-band",
    }
}

/// How XCP's controllers are told what their queues are granted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// They are told this long after the beginning of the frame.
    pub age: Duration,
    /// They are told this long before it; one of the two is zero.
    pub ahead: Duration,
    /// Probability that an edge node does not tell its controllers about a frame.
    pub loss: f64,
    /// The capacity told is a whole multiple of this; zero: it is exact.
    pub quantum: Rate,
    /// What is told is the mean over this many frames; at least 1.
    pub frames: u32,
    /// What counts as a slot's capacity.
    pub counts: Counts,
}

words! {
    /// What counts as a slot's capacity.
    pub enum Counts {
        /// What it carries.
        Payload = "payload",
        /// All of it, the guard time too: (4.1) of paper 003 as it is printed.
        Slot = "slot",
    }
}

/// An edge node and its clock. What it sends arrives at the core node late by `offset` (negative: early).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeNode {
    /// The node.
    pub node: NodeId,
    /// In picoseconds; less than a slot.
    pub offset: i64,
    /// In each slot, up to this much more or less, uniformly; less than a slot.
    pub jitter: Duration,
}

/// What an edge node has towards a core node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uplink {
    /// Requests travel here.
    pub request: LinkId,
    /// Grants travel here.
    pub grant: LinkId,
    /// The queues, each with the place of its destination in [`Aapn::edges`], in that order.
    pub queues: Vec<(u32, LinkId)>,
}
