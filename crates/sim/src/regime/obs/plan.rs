//! An optical burst-switched network.

use crate::model::{LinkId, NodeId};
use control::assembly::Assembly;
use control::reservation::FibreConfig;
use options::words;
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
    /// Sources of bursts beside the flows.
    pub sources: Vec<BurstSource>,
}

/// The channel beside the wavelengths of each fibre, on which headers and messages travel.
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
    /// Which packets share a burst, beside having the same way through the network.
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
}

/// When an ingress node tells the senders that ask for it that their segments were lost by contention, not by congestion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notification {
    /// The time over which the burst dropping rate of a path is measured.
    pub window: Duration,
    /// Below this rate senders are told, above it not.
    pub threshold: f64,
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
    /// Beside the offset that all bursts have.
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
