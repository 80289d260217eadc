//! What is sent: rules that yield flows, and flows.

use super::{FlowSizes, NodeId, SimTime, TransportId, Work};
use options::words;
use units::{Bytes, Duration, Rate};

/// One `[[traffic]]`: a rule that yields flows. The random parts are drawn for each run.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// For tables and random streams; unique.
    pub name: String,
    /// How its flows send.
    pub transport: TransportId,
    /// When flows start and between whom.
    pub arrivals: Arrivals,
    /// What each flow sends; where sizes are drawn a flow of their mean.
    pub load: Load,
    /// The law that the size of each flow is drawn from.
    pub sizes: Option<FlowSizes>,
    /// Sending stops then, if it has not stopped before; `None`: at the end of the run.
    pub stop: Option<SimTime>,
    /// The band of its packets, 0 the first, and of their ACKs.
    pub priority: u8,
    /// Segments of each flow that travel, and are lost, together.
    pub bursts: Option<BurstRule>,
}

/// Segments of one flow in a row are one burst, which is lost as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct BurstRule {
    /// Segments in a row; at least 1.
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
        /// The process ends after this many flows, if given; otherwise at `until`.
        at_most: Option<u32>,
    },
    /// Requests that many nodes answer at once.
    Incast(Incast),
    /// Exactly this list.
    List(Vec<Listed>),
    /// When other work is done.
    Work(Work),
}

/// Requests that many nodes answer at once: each of `senders` flows to one node. The requests themselves are not sent.
#[derive(Clone, Debug)]
pub struct Incast {
    /// Who asks; `None`: drawn for each request.
    pub to: Option<NodeId>,
    /// The nodes that are drawn from, at least `senders` beside the one that asks.
    pub among: Vec<NodeId>,
    /// How many answer a request. All others of `among` in their order, or so many drawn for each request.
    pub senders: u32,
    /// When requests come.
    pub requests: Requests,
    /// The first request, or the start of the process.
    pub start: SimTime,
    /// No request at or after this.
    pub until: SimTime,
    /// At most so many requests.
    pub at_most: u32,
    /// Each answer starts so much later at most, uniformly.
    pub spread: Duration,
}

/// When requests come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    /// In equal steps from the start on.
    Every(Duration),
    /// As a Poisson process with this mean gap.
    Poisson(Duration),
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
    /// The nodes of this set (at least two) by turns, each to its own partner of a permutation without fixed points
    /// that is drawn for the run.
    Permutation(Vec<NodeId>),
}

/// Between whom flows can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ends<'a> {
    /// Between these, source first.
    Pairs(Vec<(NodeId, NodeId)>),
    /// Between any two of these.
    Among(&'a [NodeId]),
}

impl Pairs {
    /// Between whom flows can run.
    pub fn ends(&self) -> Ends<'_> {
        match self {
            Pairs::Given(pairs) => Ends::Pairs(pairs.clone()),
            Pairs::UniformRandom(nodes) | Pairs::Permutation(nodes) => Ends::Among(nodes),
        }
    }
}

impl Arrivals {
    /// Between whom flows can run.
    pub fn ends(&self) -> Ends<'_> {
        match self {
            Arrivals::Fixed { pairs, .. } | Arrivals::Poisson { pairs, .. } => pairs.ends(),
            Arrivals::Incast(Incast { to: None, among, .. }) => Ends::Among(among),
            Arrivals::Incast(Incast { to: Some(to), among, .. }) => {
                Ends::Pairs(among.iter().filter(|from| *from != to).map(|from| (*from, *to)).collect())
            }
            Arrivals::Work(work) => {
                Ends::Pairs(work.carriers.list.iter().map(|(from, to, _)| (work.node(*from), work.node(*to))).collect())
            }
            Arrivals::List(list) => Ends::Pairs(list.iter().map(|flow| (flow.source, flow.destination)).collect()),
        }
    }
}

/// What one flow sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Always more (TCP).
    Greedy,
    /// Bytes of payload (TCP).
    Size(Bytes),
    /// What an application writes, by the number of the scenario's applications.
    Writes(u32),
    /// What work lets go, piece by piece (TCP).
    Released,
    /// The same as datagrams at a constant rate (UDP), measured on the wire.
    ReleasedAt(Rate),
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

words! {
    /// The law of datagram sizes.
    pub enum SizeLaw {
        /// All of the mean size.
        Fixed = "fixed",
        /// Exponential, to the nearest byte, at least 1 B and at most 65 535 B.
        Exponential = "exponential",
    }
}

/// The largest mean of exponential sizes.
pub const MAX_EXPONENTIAL_MEAN: u32 = 4_095;

/// The law of an on-time or off-time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sojourn {
    /// Always this.
    Constant(Duration),
    /// Exponential with this mean.
    Exponential(Duration),
    /// Uniform between two times, `least` below `most`.
    Uniform {
        /// The shortest.
        least: Duration,
        /// The longest.
        most: Duration,
    },
    /// Pareto with this mean and shape > 1. On-off sources with shape 1 < a < 2 superpose to traffic with the Hurst
    /// parameter H = (3 − a)/2 (Taqqu, Willinger, Sherman 1997).
    Pareto {
        /// Mean duration.
        mean: Duration,
        /// Shape a.
        shape: f64,
    },
}

/// One flow of a run: who, when, how and what, with nothing left to draw but the times inside an on-off source.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Where it starts.
    pub source: NodeId,
    /// Where it ends; never the source, and reachable in both directions at the start of the run.
    pub destination: NodeId,
    /// When it starts.
    pub start: SimTime,
    /// When it stops sending at the latest.
    pub stop: SimTime,
    /// How it sends.
    pub transport: TransportId,
    /// What it sends.
    pub load: Load,
    /// The traffic it came from (index), and its number within it.
    pub origin: (u32, u32),
    /// Whether work lets it go: its start is that of the work, and its own comes later.
    pub waits: bool,
}

/// The most flows of a run.
pub const MAX_FLOWS: u64 = 10_000_000;
