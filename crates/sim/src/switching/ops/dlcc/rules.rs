//! Dual-layer congestion control, resolved.

use super::detection::DetectionConfig;
use super::notification::Carriage;
use super::rate::{Part, SlotRate};
use super::reaction::ReactionConfig;
use super::segmentation::Cut;
use super::smoothing::EstimateConfig;
use crate::model::NodeId;
use options::words;

/// What edge and core nodes do, and which edge nodes take part.
#[derive(Clone, Debug, PartialEq)]
pub struct DlccPlan {
    /// What they do.
    pub rules: DlccRules,
    /// The edge nodes that support it; `None`: all.
    pub edges: Option<Vec<NodeId>>,
}

impl DlccPlan {
    /// Whether an edge node supports it.
    pub fn is_at(&self, edge: NodeId) -> bool {
        self.edges.as_ref().is_none_or(|edges| edges.contains(&edge))
    }

    /// What an edge node does: without support, only cut packets into slots and put them together.
    pub fn at(&self, edge: NodeId) -> DlccRules {
        match self.is_at(edge) {
            true => self.rules,
            false => {
                DlccRules { smoothing: Smoothing::Off, reaction: None, acks: None, ack_pacing: None, ..self.rules }
            }
        }
    }
}

/// What edge and core nodes do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DlccRules {
    /// A slot, in picoseconds.
    pub slot: u64,
    /// How packets become slots.
    pub cut: Cut,
    /// Some packets take several slots.
    pub cuts: bool,
    /// What is smoothed.
    pub smoothing: Smoothing,
    /// Eq. (1).
    pub estimate: EstimateConfig,
    /// Between two decisions about the rate, in picoseconds.
    pub negotiation: u64,
    /// The rate of a flow at its beginning.
    pub first_rate: SlotRate,
    /// What a flow asks for before its first packet.
    pub silent: Silent,
    /// A wavelength's capacity.
    pub line: SlotRate,
    /// The part of an output's capacity that may be promised.
    pub admission: Part,
    /// What becomes of requests beyond it.
    pub beyond: Beyond,
    /// Congestion or contention.
    pub detection: DetectionConfig,
    /// Where arrivals are measured.
    pub descriptor: DescriptorOf,
    /// What the loss rate is about.
    pub loss_rate: LossRateOf,
    /// How notifications travel.
    pub carriage: Carriage,
    /// How long they wait for a packet to ride on, in picoseconds.
    pub patience: u64,
    /// What the optical rate does; `None`: nothing.
    pub reaction: Option<ReactionConfig>,
    /// Artificial ACKs; `None`: there are none. The time of reports is added for each flow.
    pub acks: Option<AckConfig>,
    /// ACKs are paced to this part of a busy output's capacity.
    pub ack_pacing: Option<Part>,
}

words! {
    /// What edge nodes smooth by eq. (1).
    pub enum Smoothing {
        /// Nothing: TCP's data are scheduled at the capacity of the wavelength.
        Off = "off",
        /// TCP's data; datagrams and ACKs leave at once.
        Tcp = "tcp",
        /// TCP's data and datagrams; ACKs leave at once.
        All = "all",
    }
}

words! {
    /// What an edge node asks for before the first packet that it smooths.
    pub enum Silent {
        /// The mean of eq. (1), which gets less and less.
        Asks = "asks",
        /// Nothing: it keeps the promise of its first rate until then.
        Keeps = "keeps",
    }
}

words! {
    /// What a core node does with a request for more than it has left to promise.
    pub enum Beyond {
        /// It promises what is left, or what the edge node has already, if that is more.
        Lowered = "lowered",
        /// It refuses, and the old rate stays: the paper's word.
        Refused = "refused",
    }
}

words! {
    /// Where the congestion descriptor is.
    pub enum DescriptorOf {
        /// At the output: all that is directed to it.
        Output = "output",
        /// At the input by which the lost packet came: the paper's word.
        Input = "input",
    }
}

words! {
    /// What the loss rate of a notification is about.
    pub enum LossRateOf {
        /// All losses at the output: "the optical packet loss rate in a congested core switch".
        Output = "output",
        /// Those of the flow that is notified.
        Flow = "flow",
    }
}

impl DlccRules {
    /// Core nodes send notifications.
    pub fn notifies(&self) -> bool {
        self.reaction.is_some() || self.acks.is_some()
    }

    /// Packets are not in the core what they are outside.
    pub fn changes_packets(&self) -> bool {
        self.cuts || self.cut.header > 0
    }

    /// Edge nodes want to see the ACKs of flows whose data enter there.
    pub fn listens(&self) -> bool {
        self.acks.is_some() || self.ack_pacing.is_some()
    }

    /// The key, with its value, by which edge nodes tell senders with ECN, if they do.
    pub fn echoes(&self) -> Option<&'static str> {
        self.acks.filter(|acks| acks.form == Form::Ece).map(|_| "switching.dlcc.ops_acks = \"dlcc-ece\"")
    }

    /// Edge nodes have something to do before the links to hosts.
    pub fn needs_exits(&self) -> bool {
        self.changes_packets() || self.listens()
    }
}

/// What artificial ACKs look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Without SACK blocks, as printed.
    Paper,
    /// With SACK blocks for data above the hole that arrived.
    Sack,
    /// One ACK that echoes a congestion mark and acknowledges nothing.
    Ece,
}

words! {
    /// Which duplicate ACKs of the receiver are discarded.
    pub enum Discard {
        /// All whose number an artificial ACK had, as printed.
        All = "all",
        /// Those of them that bring no new SACK block, after the edge has seen the retransmission.
        Safe = "safe",
        /// None.
        None = "none",
    }
}

words! {
    /// Which of a flow's lost segments artificial ACKs name.
    pub enum Named {
        /// Each: the paper's "immediately".
        Segment = "segment",
        /// One in a round trip: then none that left before the named segment came once more, nor any for `record` if it
        /// does not.
        RoundTrip = "round-trip",
    }
}

/// The parameters of artificial ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckConfig {
    /// What they look like.
    pub form: Form,
    /// Which of the receiver's are discarded.
    pub discard: Discard,
    /// No artificial ACK passes what may be missing.
    pub guarded: bool,
    /// Which lost segments they name.
    pub named: Named,
    /// How many for a lost segment.
    pub copies: u32,
    /// How long segments are remembered, in picoseconds: about a round trip.
    pub memory: u64,
    /// No report of a slot comes sooner than this number of picoseconds after it has left.
    pub soonest_report: u64,
    /// A slot that was not reported after this number of picoseconds has arrived.
    pub report_time: u64,
}
