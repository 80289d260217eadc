//! An optical burst-switched network.

use crate::model::{LinkId, NodeId, Ties};
use control::assembly::Assembly;
use control::reservation::FibreConfig;
use options::words;
use std::collections::BTreeSet;
use units::{Duration, Rate};

/// An optical burst-switched network: all links between nodes that are no hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Obs {
    /// The links whose light is switched in bursts, in their order.
    pub links: Vec<LinkId>,
    /// What a wavelength carries.
    pub rate: Rate,
    /// The rules of every output fibre.
    pub fibre: FibreConfig,
    /// The control channels.
    pub control: ControlChannel,
    /// How far a burst is behind its header.
    pub offset: Offset,
    /// How bursts are made.
    pub assembly: BurstAssembly,
    /// What a new burst does when its first fibre has no free wavelength.
    pub ingress: IngressRule,
    /// What a node does with a burst that gets no wavelength.
    pub contention: Contention,
    /// Whether lost bursts are sent again.
    pub retransmission: Option<Retransmission>,
    /// What senders are told of lost bursts.
    pub notification: Notification,
    /// Whether bursts are spread over two paths.
    pub balancing: Option<Balancing>,
    /// Sources of bursts besides the flows.
    pub sources: Vec<BurstSource>,
}

/// How bursts are spread over two paths between each two edge nodes: paper 004, §1.
#[derive(Clone, Debug, PartialEq)]
pub struct Balancing {
    /// What a burst's path depends on.
    pub policy: Policy,
    /// τ: over it loads are measured, and after each the path may change.
    pub interval: Duration,
    /// ρ_max.
    pub threshold: f64,
    /// When a load exceeds the threshold.
    pub comparison: Comparison,
    /// What the load of a path is.
    pub path_load: PathLoad,
    /// When a burst counts for a load.
    pub counting: Counting,
    /// What a load of 1 is.
    pub unit: LoadUnit,
    /// Whether links that both paths have count.
    pub shared_links: SharedLinks,
    /// The path changes only if its load is higher than the other's by more than this.
    pub hysteresis: Option<f64>,
    /// How long after the end of a τ the ingress node chooses; `None`: when the news from the farthest node has come.
    pub choose_after: Option<Duration>,
    /// Whether bursts wait for those before them on a longer path.
    pub ordering: Ordering,
    /// What is spread.
    pub traffic: Spread,
    /// From where to where it is; `None`: between all nodes.
    pub pairs: Option<BTreeSet<(NodeId, NodeId)>>,
    /// Which pair of paths is taken of several as good.
    pub ties: Ties,
    /// Pairs of paths that the scenario names.
    pub paths: Vec<[Vec<LinkId>; 2]>,
}

impl Balancing {
    /// Paper 004's defaults.
    pub fn usual() -> Balancing {
        Balancing {
            policy: Policy::Adaptive(Choice::SwitchAbove),
            interval: Duration::from_millis(500),
            threshold: 0.05,
            comparison: Comparison::Above,
            path_load: PathLoad::Worst,
            counting: Counting::Arrival,
            unit: LoadUnit::Channel,
            shared_links: SharedLinks::Ignored,
            hysteresis: None,
            choose_after: None,
            ordering: Ordering::Off,
            traffic: Spread::Tcp,
            pairs: None,
            ties: Ties::Ids,
            paths: Vec::new(),
        }
    }

    /// Whether the choice needs the loads of links.
    pub fn needs_loads(&self) -> bool {
        matches!(self.policy, Policy::Adaptive(_) | Policy::LeastLoaded)
    }

    /// Whether bursts from one node to another are to have two paths.
    pub fn is_for(&self, from: NodeId, to: NodeId) -> bool {
        self.pairs.as_ref().is_none_or(|pairs| pairs.contains(&(from, to)))
    }
}

/// What a burst's path depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The loads of the paths, reviewed every τ.
    Adaptive(Choice),
    /// Bursts take turns.
    Alternate,
    /// Each burst is drawn a path.
    Random,
    /// After a gap of this number of picoseconds a path is drawn for what follows.
    Flowlet(u64),
    /// The loads of the paths, at each burst.
    LeastLoaded,
}

words! {
    /// When the path changes at the end of a τ.
    pub enum Choice {
        /// When its load exceeds the threshold: paper 004, §2 and §5.2.
        SwitchAbove = "switch-above",
        /// When fewer links of the other path exceed the threshold: paper 004, §1.
        LeastCongested = "least-congested",
    }
}

words! {
    /// When a load exceeds the threshold.
    pub enum Comparison {
        /// When it is greater: paper 004, §2 and §5.2.
        Above = "above",
        /// When it is as great: paper 004, §1.
        AtLeast = "at-least",
    }
}

words! {
    /// What the load of a path is.
    pub enum PathLoad {
        /// That of its most loaded link.
        Worst = "worst-link",
        /// That of all its links together.
        Sum = "sum",
    }
}

words! {
    /// When a burst counts for the load of a link.
    pub enum Counting {
        /// All of it when its header comes.
        Arrival = "arrival",
        /// What of it lies in each τ.
        Clipped = "clipped",
    }
}

words! {
    /// What a load of 1 is.
    pub enum LoadUnit {
        /// Bursts for the whole time on every channel. Paper 004's 0.13 for 1 Gb/s over 8 Gb/s fits only this.
        Channel = "channel",
        /// One burst at any time: the formula of paper 004, §1, as it stands.
        Link = "link",
    }
}

words! {
    /// Whether links that both paths have count in a path's load.
    pub enum SharedLinks {
        /// They do not: they are the same for both.
        Ignored = "ignored",
        /// They do.
        Counted = "counted",
    }
}

words! {
    /// Whether the ingress node keeps bursts from overtaking those that it sent before on a longer path.
    pub enum Ordering {
        /// It does not.
        Off = "off",
        /// It holds bursts until those on the other path would have landed.
        Drain = "drain",
        /// Once a longer path was used, it holds every burst on a shorter one by the difference in delay.
        Shift = "shift",
        /// It holds every burst on a shorter path by the difference in delay, whether a longer one was used or not.
        Always = "always",
    }
}

words! {
    /// What is spread over two paths; the rest takes the shortest way.
    pub enum Spread {
        /// Segments of TCP flows and their acknowledgements.
        Tcp = "tcp",
        /// Segments of TCP flows.
        Data = "data",
        /// Everything.
        All = "all",
    }
}

/// The channel besides the wavelengths of each fibre, on which headers and messages travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlChannel {
    /// Its capacity.
    pub rate: Rate,
    /// Bytes of a header or message.
    pub header_size: u16,
    /// The time that a node needs for each.
    pub processing: Duration,
}

/// How far a burst is behind its header when both leave the ingress node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// Always this.
    Fixed(Duration),
    /// What the headers need on the path, and on this many hops more.
    Needed {
        /// Hops beyond those of the path.
        spare_hops: u32,
    },
}

/// How bursts are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BurstAssembly {
    /// When a burst is complete.
    pub rules: Assembly,
    /// Which packets share a burst.
    pub queues: BurstQueues,
    /// What becomes of pure acknowledgements.
    pub acks: Acks,
}

words! {
    /// Which packets share a burst, besides having the same way through the network.
    pub enum BurstQueues {
        /// All.
        Egress = "egress",
        /// Those of one class: data, acknowledgements, datagrams.
        Class = "class",
        /// Those of one flow.
        Flow = "flow",
    }
}

words! {
    /// What becomes of pure acknowledgements.
    pub enum Acks {
        /// They travel in bursts as all packets do.
        Assembled = "assembled",
        /// Each is a burst of its own and does not wait.
        Alone = "alone",
        /// They travel on the control channel.
        Beside = "beside",
    }
}

/// What a new burst does when its first fibre has no free wavelength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IngressRule {
    /// It waits for one in electronic memory, at most this long.
    Wait(Duration),
    /// It is dropped.
    Drop,
}

/// What a node does with a burst that gets no wavelength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contention {
    /// Drops it.
    Drop,
    /// Sends it another way, each burst at most this often.
    Deflection {
        /// The most deflections of a burst.
        most: u8,
    },
    /// Drops only the part of it that is in the way.
    Segmentation(Part),
}

words! {
    /// The part of a burst that is dropped.
    pub enum Part {
        /// Its beginning.
        Head = "head",
        /// Its end.
        Tail = "tail",
    }
}

/// How lost bursts are sent again by the ingress node, which keeps a copy and hears of the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retransmission {
    /// At most this often.
    pub attempts: u8,
    /// A burst leaves for the last time no later than this after it left first.
    pub extra_delay: Duration,
    /// Whether the egress node waits for the copy.
    pub ordering: CopyOrdering,
}

words! {
    /// What an egress node does with bursts that land before one that is sent again.
    pub enum CopyOrdering {
        /// Their packets go on at once.
        Off = "off",
        /// It holds them until the bursts before them on the same route have landed, or cannot come any more.
        Egress = "egress",
    }
}

/// When an ingress node tells the senders that ask for it that their segments were lost by contention, not by
/// congestion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notification {
    /// The time over which the burst dropping rate of a path is measured.
    pub window: Duration,
    /// Below this rate senders are told, above it not.
    pub threshold: f64,
    /// Of a burst that is sent again.
    pub when: ToldWhen,
}

words! {
    /// When senders are told of a burst that is sent again.
    pub enum ToldWhen {
        /// Once it is lost for good: its last copy was dropped.
        Lost = "lost",
        /// Each time it is dropped: "once a burst dropping event occurs" (paper 001, §II).
        Drop = "drop",
    }
}

/// A source of bursts between each of some pairs of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct BurstSource {
    /// For random streams; unique.
    pub name: String,
    /// From where to where.
    pub pairs: Vec<(NodeId, NodeId)>,
    /// When bursts come.
    pub arrivals: BurstArrivals,
    /// How long they last.
    pub length: LengthLaw,
    /// The mean length.
    pub mean: Duration,
    /// Besides the offset that all bursts have.
    pub extra_offset: Duration,
    /// Headers announce bursts that never come.
    pub headers_only: bool,
}

/// When bursts come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BurstArrivals {
    /// As a Poisson process.
    Poisson {
        /// The mean time between two.
        mean_gap: Duration,
    },
    /// From this many sources, each of which is idle for an exponential time, sends a burst, and so on.
    Finite {
        /// Sources.
        sources: u32,
        /// The mean idle time.
        idle: Duration,
        /// A source whose burst is refused is idle at once, not at the burst's end.
        silent: bool,
    },
}

/// The law of burst lengths, given their mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LengthLaw {
    /// All have the mean.
    Fixed,
    /// Exponential.
    Exponential,
    /// Uniform between zero and twice the mean.
    Uniform,
    /// One of two exponential laws, each of which contributes half of the mean.
    HyperExponential {
        /// The squared coefficient of variation, greater than 1.
        variation: f64,
    },
    /// Pareto.
    Pareto {
        /// Shape, greater than 1.
        shape: f64,
    },
}
