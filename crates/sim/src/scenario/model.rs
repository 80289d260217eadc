//! A scenario after resolution: ids and integers, every default applied, nothing optional that must be there, nothing
//! invalid. The engine builds a world from this and never asks back.

mod aapn;
mod obs;
mod ops;

pub use aapn::{
    Aapn, Allocation, Channel, Computed, Counts, EdgeNode, Packing, Plan, Request, Signal, SlotFrame, Spare, Uplink,
};
pub use obs::*;
pub use ops::{Conversion, Count, Fibre, MacroflowRules, Ops, Scheme, Slots, Smoothing, Store};

use crate::SimTime;
use crate::ids::{LinkId, NodeId, TransportId};
use std::collections::BTreeSet;
use transport::tcp::{ReceiverConfig, SenderConfig};
use transport::xcp::RouterConfig;
use units::{Bytes, Duration, Rate};

/// A whole run, ready to be built.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// `[run]`.
    pub run: RunSpec,
    /// Nodes and directed links.
    pub network: Network,
    /// What the network switches.
    pub switching: Switching,
    /// Ways to send, sorted by name; flows refer to them by [`TransportId`].
    pub transports: Vec<Transport>,
    /// What is sent, before the random parts are drawn.
    pub traffic: Vec<Traffic>,
    /// Changes of links during the run, sorted by time (ties: order of the file).
    pub events: Vec<LinkEvent>,
    /// Segments that are dropped, delayed or duplicated by order.
    pub forced: Vec<Forced>,
    /// What is sampled.
    pub probe: Probe,
}

/// `[run]`: how long, from when on it counts, and the default seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSpec {
    /// A name for tables and plots.
    pub name: String,
    /// The run covers [0, duration).
    pub duration: Duration,
    /// Link statistics cover [warm_up, duration); less than `duration`.
    pub warm_up: Duration,
    /// The seed used when the command line gives none.
    pub seed: u64,
    /// Replications when the command line gives none, at least 1.
    pub runs: u32,
}

/// The graph.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// Nodes in the order of their ids.
    pub nodes: Vec<Node>,
    /// Directed links in the order of their ids.
    pub links: Vec<Link>,
    /// After a link goes down or comes up, routes are computed anew this long later; `None`: never.
    pub reroute_after: Option<Duration>,
}

impl Scenario {
    /// For a data link of an optical packet switch: whether its far end begins to send a packet when its first bit is there.
    pub fn first_bit(&self, link: LinkId) -> Option<bool> {
        let Switching::Ops(ops) = &self.switching else { return None };
        let Link { lane, from, to, .. } = self.network.links[link.index()];
        let role = |node: NodeId| self.network.nodes[node.index()].role;
        let is_data = lane != Lane::Control && role(from) != Role::Host && role(to) != Role::Host;
        is_data.then_some(ops.cut_through && role(to) == Role::Core)
    }
}

impl Network {
    /// Per link: whether it is a queue of an agile all-photonic network, or carries its requests and grants.
    pub fn slotted(&self) -> Vec<bool> {
        let cores = self.cores();
        let signalling = |link: &Link| cores.contains(&link.from) || cores.contains(&link.to);
        self.links.iter().map(|link| link.via.is_some() || signalling(link)).collect()
    }

    /// Per link: whether paths of flows are made of it. Nothing but requests and grants ends at a core node that switches
    /// slots, and other wavelengths than the first are the agents' choice.
    pub fn open_to_flows(&self) -> Vec<bool> {
        let cores = self.cores();
        let open = |link: &Link| !cores.contains(&link.from) && !cores.contains(&link.to) && link.lane == Lane::FIRST;
        self.links.iter().map(open).collect()
    }

    /// The core nodes that switch slots, in order.
    pub fn cores(&self) -> BTreeSet<NodeId> {
        self.links.iter().filter_map(|link| link.via).collect()
    }
}

/// A place where links meet and flows may start and end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Unique.
    pub name: String,
    /// Core nodes, edge nodes and hosts are counted apart in summaries.
    pub role: Role,
}

/// What a node is in the network, for statistics ("core outputs") and random choice of end points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Switches or routes; flows do not start here unless the scenario names it.
    Core,
    /// Where traffic enters the network; random pairs are drawn from edge nodes and hosts.
    Edge,
    /// An end system.
    Host,
}

/// One direction of a fibre with the output port that feeds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// `"a->b"`; parallel links get `"a->b#2"`.
    pub name: String,
    /// The node whose output port this is.
    pub from: NodeId,
    /// The far end.
    pub to: NodeId,
    /// Positive.
    pub capacity: Rate,
    /// Positive.
    pub delay: Duration,
    /// Waiting room, not counting the packet in transmission.
    pub buffer: Buffer,
    /// Random loss on the fibre.
    pub loss: Loss,
    /// XCP's controller at the port.
    pub controller: Option<PortController>,
    /// The core node through which its light passes: the link is a virtual output queue that sends in granted slots.
    pub via: Option<NodeId>,
    /// Weight for shortest paths (by default the delay in picoseconds).
    pub cost: u64,
    /// Which part of a fibre it is.
    pub lane: Lane,
}

/// A part of a fibre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// A data wavelength, from 0. Paths of flows are made of the first ones.
    Wavelength(u32),
    /// The control wavelength.
    Control,
}

impl Lane {
    /// That of links that are not parts of anything.
    pub const FIRST: Lane = Lane::Wavelength(0);
}

/// XCP's controller at an output port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortController {
    /// Its parameters; the capacity is the one it believes at the start.
    pub config: RouterConfig,
    /// Whether it is told when the capacity of the port changes.
    pub follows: bool,
}

/// Waiting room of an output port. The packet in transmission does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// So many packets of whatever size may wait.
    Packets(u64),
    /// So many bytes may wait.
    Bytes(Bytes),
    /// Anything may wait.
    Unlimited,
}

/// Loss that is nobody's congestion. Lost packets have been transmitted; they vanish on the fibre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// None.
    None,
    /// Each packet independently with this probability, in (0, 1].
    Bernoulli(f64),
    /// The n-th, 2n-th, … packet; n ≥ 1.
    EveryNth(u64),
}

/// `[switching]`: what the network switches.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Switching {
    /// Packets, each by itself.
    #[default]
    Packets,
    /// Slots of frames, in an agile all-photonic network.
    Aapn(Box<Aapn>),
    /// Packets of light.
    Ops(Box<Ops>),
    /// Bursts, announced by headers.
    Obs(Box<Obs>),
}

/// A named way to send: `[transport.NAME]`.
#[derive(Clone, Debug)]
pub struct Transport {
    /// The NAME.
    pub name: String,
    /// TCP or UDP.
    pub kind: TransportKind,
}

/// The protocol with its parameters.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one for each named transport, not for each flow")]
pub enum TransportKind {
    /// TCP; sizes on the wire are payload + `header`.
    Tcp {
        /// The sender's rules.
        sender: SenderConfig,
        /// The receiver's rules.
        receiver: ReceiverConfig,
        /// Bytes added to each data segment on the wire (40: IP and TCP without options).
        header: u32,
        /// Size of a pure ACK on the wire.
        ack_size: u32,
    },
    /// UDP datagrams of a fixed size on the wire.
    Udp {
        /// Size on the wire, headers included.
        packet_size: u32,
    },
}

/// One `[[traffic]]`: a rule that yields flows. [`crate::traffic::expand`] draws the random parts.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// For tables and random streams; unique.
    pub name: String,
    /// How its flows send.
    pub transport: TransportId,
    /// When flows start and between whom.
    pub arrivals: Arrivals,
    /// What each flow sends.
    pub load: Load,
    /// Sending stops then, if it has not stopped before; `None`: at the end of the run.
    pub stop: Option<SimTime>,
    /// Segments of each flow that travel, and are lost, together.
    pub bursts: Option<BurstRule>,
}

/// Segments of one flow in a row are one burst, which is lost as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct BurstRule {
    /// So many in a row; at least 1.
    pub segments: u32,
    /// Which bursts are lost.
    pub losses: BurstLosses,
    /// Whether senders that listen are told of a lost burst, a round trip after it.
    pub notify: bool,
}

/// Which bursts are lost.
#[derive(Clone, Debug, PartialEq)]
pub enum BurstLosses {
    /// Each independently with this probability.
    Random(f64),
    /// Those with these numbers in each flow, from 0, ascending.
    These(Vec<u64>),
}

/// When flows start, and between whom.
#[derive(Clone, Debug)]
pub enum Arrivals {
    /// `count` flows, each starting at `start` plus a uniform draw from [0, spread). A Poisson process given its number
    /// of starts is this.
    Fixed {
        /// Source and destination of the flows.
        pairs: Pairs,
        /// Number of flows in all; the pairs take turns (or are drawn, if random).
        count: u32,
        /// Earliest start.
        start: SimTime,
        /// Starts are uniform over this span; zero: all at once.
        spread: Duration,
    },
    /// A Poisson process of flow starts.
    Poisson {
        /// Source and destination of each flow.
        pairs: Pairs,
        /// Mean gap between starts.
        mean_gap: Duration,
        /// First possible start.
        start: SimTime,
        /// No start at or after this.
        until: SimTime,
        /// At most so many flows (the process ends), if given; otherwise until `until`.
        at_most: Option<u32>,
    },
    /// Exactly this list.
    List(Vec<Listed>),
}

/// One flow of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// When it starts.
    pub start: SimTime,
    /// Where.
    pub source: NodeId,
    /// To whom.
    pub destination: NodeId,
    /// Bytes to send, if the list says so; otherwise the traffic's load.
    pub size: Option<Bytes>,
}

/// Sources and destinations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// Taken in turn.
    Given(Vec<(NodeId, NodeId)>),
    /// Each drawn uniformly from all ordered pairs of distinct nodes of this set (at least two).
    UniformRandom(Vec<NodeId>),
}

/// What one flow sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Always more (TCP).
    Greedy,
    /// So many bytes of payload (TCP).
    Size(Bytes),
    /// Datagrams at a constant rate (UDP), measured on the wire.
    Constant(Rate),
    /// Datagrams as a Poisson process (UDP).
    Poisson {
        /// Mean rate on the wire.
        rate: Rate,
        /// Law of the sizes; their mean is the transport's packet size.
        sizes: SizeLaw,
    },
    /// On and off by turns (UDP): during on-times datagrams at `rate`, nothing in off-times.
    OnOff {
        /// Rate on the wire while on.
        rate: Rate,
        /// Law of the on-times.
        on: Sojourn,
        /// Law of the off-times.
        off: Sojourn,
    },
}

/// The law of datagram sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeLaw {
    /// All of the mean size.
    Fixed,
    /// Exponential, to the nearest byte, at least 1 B and at most 65 535 B.
    Exponential,
}

/// The law of an on-time or off-time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sojourn {
    /// Always this.
    Constant(Duration),
    /// Exponential with this mean.
    Exponential(Duration),
    /// Pareto with this mean and shape > 1. On-off sources with shape 1 < a < 2 superpose to traffic with the Hurst
    /// parameter H = (3 − a)/2 (Taqqu, Willinger, Sherman 1997).
    Pareto {
        /// Mean duration.
        mean: Duration,
        /// Shape a.
        shape: f64,
    },
}

/// A link changes at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkEvent {
    /// When.
    pub at: SimTime,
    /// Which directed links, in order.
    pub links: Vec<LinkId>,
    /// What.
    pub change: Change,
}

/// What happens to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Waiting packets and the rest of the one in transmission go on at this rate.
    Capacity(Rate),
    /// XCP's controller at the port believes this capacity from now on, whether it is true or not.
    Told(Rate),
    /// For packets whose last bit leaves from now on; a fibre never lets packets overtake.
    Delay(Duration),
    /// What waits and what comes is dropped (cause `unreachable`); what is on the fibre arrives.
    Down,
    /// Packets pass again.
    Up,
}

/// A named segment of a flow meets a fate when its source emits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forced {
    /// The flow's number in the order of flow ids.
    pub flow: u32,
    /// The segment: byte offset divided by the segment size, from 0 (UDP: the datagram's number).
    pub segment: u64,
    /// Which transmission of it, from 1.
    pub copy: u32,
    /// What happens.
    pub fate: Fate,
}

/// What becomes of a forced segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It vanishes (cause `forced`).
    Drop,
    /// It leaves the host so much later.
    Delay(Duration),
    /// It leaves twice.
    Duplicate,
}

/// `[probe]`: sampling of states at a fixed interval; sampling never changes a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// The interval; `None`: nothing is sampled.
    pub interval: Option<Duration>,
    /// Flows whose cwnd, ssthresh, srtt, rto, pipe … are sampled.
    pub flows: Selection,
    /// Links whose queue and utilization are sampled.
    pub links: Selection,
}

/// Which of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// None.
    #[default]
    None,
    /// All.
    All,
    /// These indices, ascending.
    Some(Vec<u32>),
}
