//! `[switching]` with `kind = "obs"`.

use crate::language::{At, ByteCount, PairsSpec, Size, Speed, Time};
use crate::regime::kind::ConversionRule;
use schemars::JsonSchema;
use serde::Deserialize;

/// Optical burst switching: paper 001. Every link between nodes that are no hosts has wavelengths of the link's capacity and
/// a control channel. Packets that come to such a link are assembled into bursts, which nobody stores on their way; a link's
/// loss is that of whole bursts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObsSwitching {
    /// Wavelengths of each fibre, beside the control channel.
    pub wavelengths: At<u32>,
    /// Which wavelength a burst gets (`photocol list reservations`). Default "lauc-vf".
    pub reservation: Option<At<String>>,
    /// A wavelength is reserved from the burst on ("jet", default), or from its header on ("jit").
    pub signalling: Option<At<ObsSignalling>>,
    /// A burst can change to all wavelengths ("full", default), to some ("limited") or to none.
    pub conversion: Option<At<ConversionRule>>,
    /// "limited": to so many wavelengths above and below its own.
    pub conversion_range: Option<At<u32>>,
    /// How many fibre-delay lines an output has: delays of 0, B, 2B, … are tried. Default 0.
    pub delay_lines: Option<At<u32>>,
    /// B, the delay of the shortest line.
    pub delay_line: Option<At<Time>>,
    /// How long a switch takes to turn. Default "0 s".
    pub switching_time: Option<At<Time>>,
    /// What stays free behind a burst. Default "0 s".
    pub guard: Option<At<Time>>,
    /// How far ahead nodes can reserve. Default: as far as it takes.
    pub horizon: Option<At<Time>>,

    /// What the control channel carries. Default: as much as a wavelength.
    pub control_capacity: Option<At<Speed>>,
    /// Bytes of a header. Default 64.
    pub header_size: Option<At<ByteCount>>,
    /// How long a node works on a header. Default "1 us".
    pub processing: Option<At<Time>>,
    /// How far a burst is behind its header when both leave the ingress node. Default: as much as its path needs.
    pub offset: Option<At<Time>>,
    /// Without `offset`: so many hops more than the path has. Default 1, because headers wait for one another; with deflection
    /// 1 and twice `deflections`.
    pub spare_hops: Option<At<u32>>,

    /// How bursts are made. Default: 1 ms or 50 kB, all packets to the same node together.
    pub assembly: Option<At<AssemblySpec>>,
    /// A new burst for which the first fibre has no free wavelength "wait"s for one (default), or is "drop"ped.
    pub ingress: Option<At<IngressSpec>>,
    /// "wait": bursts that would wait longer are dropped. Default "10 ms".
    pub longest_wait: Option<At<Time>>,

    /// A burst that gets no wavelength is "drop"ped (default), sent another way ("deflection"), or loses the part that is
    /// in the way ("segmentation").
    pub contention: Option<At<ContentionRule>>,
    /// "deflection": a burst is deflected so often at most. Default 1.
    pub deflections: Option<At<u8>>,
    /// "segmentation": the "head" or the "tail" of a burst is dropped. Default "head".
    pub dropped_part: Option<At<PartRule>>,
    /// Ingress nodes keep copies of their bursts, hear of losses, and send lost bursts again.
    pub retransmission: Option<At<RetransmissionSpec>>,
    /// How ingress nodes measure the burst dropping rate of their paths, below which they tell senders that ask for it
    /// (`algorithm = "tcp-eng"`) of lost bursts.
    pub notification: Option<At<NotificationSpec>>,

    /// Sources of bursts beside the flows.
    #[serde(default)]
    pub burst: Vec<At<BurstSpec>>,
}

/// From when on a wavelength is reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObsSignalling {
    /// Just enough time: from the burst on.
    Jet,
    /// Just in time: from the header on.
    Jit,
}

/// What a new burst does when there is no free wavelength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IngressSpec {
    /// It waits in electronic memory.
    Wait,
    /// It is dropped.
    Drop,
}

/// What a node does with a burst that gets no wavelength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContentionRule {
    /// Drops it.
    Drop,
    /// Sends it another way.
    Deflection,
    /// Drops the part that is in the way.
    Segmentation,
}

/// A part of a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartRule {
    /// Its beginning.
    Head,
    /// Its end.
    Tail,
}

/// How bursts are made.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssemblySpec {
    /// A burst is complete so long after its first packet. Default "1 ms", but none if only `length` is given.
    pub timer: Option<At<Time>>,
    /// A burst is complete with so many bytes. Default "50 kB", but none if only `timer` is given.
    pub length: Option<At<Size>>,
    /// Shorter bursts are padded to this. Default "0 B".
    pub minimum: Option<At<Size>>,
    /// Packets with the same way through the network share a burst if they have the same "egress" (default), the same
    /// "class" (data, acknowledgements, datagrams), or the same "flow".
    pub queues: Option<At<QueueRule>>,
    /// Pure acknowledgements are "assembled" as all packets (default), are bursts of their own ("alone"), or travel on the
    /// control channel ("beside").
    pub acks: Option<At<AckRule>>,
}

/// Which packets share a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueRule {
    /// All with the same way.
    Egress,
    /// Those of one class.
    Class,
    /// Those of one flow.
    Flow,
}

/// What becomes of pure acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckRule {
    /// They travel in bursts.
    Assembled,
    /// Each is a burst.
    Alone,
    /// They travel on the control channel.
    Beside,
}

/// How lost bursts are sent again.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetransmissionSpec {
    /// A burst is sent again so often at most. Default 3.
    pub attempts: Option<At<u8>>,
    /// A burst is not sent again later than this after it was complete. Default "100 ms".
    pub extra_delay: Option<At<Time>>,
}

/// How senders are told of losses.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationSpec {
    /// The burst dropping rate is measured over so long (Δt). Default "100 ms".
    pub window: Option<At<Time>>,
    /// Senders are told while the rate is below this. Default 0.01.
    pub threshold: Option<At<f64>>,
}

/// A source of bursts between each of some pairs of nodes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BurstSpec {
    /// For random streams; unique. Default: "bursts-N" with its number from 0.
    pub name: Option<At<String>>,
    /// A list of pairs of nodes, or "all": every ordered pair of distinct edge nodes, or of all nodes if there are none.
    pub pairs: Option<At<PairsSpec>>,
    /// The source, with `to` instead of `pairs`.
    pub from: Option<At<String>>,
    /// The destination, with `from` instead of `pairs`.
    pub to: Option<At<String>>,
    /// Poisson bursts: mean number of bursts that last at once, for each pair (the load in erlang).
    pub load: Option<At<f64>>,
    /// Poisson bursts: the mean time between two, instead of `load`.
    pub mean_gap: Option<At<Time>>,
    /// Finite sources: so many, each idle for an exponential time between its bursts; with `idle` instead of `load`.
    pub sources: Option<At<u32>>,
    /// Finite sources: the mean idle time.
    pub idle: Option<At<Time>>,
    /// Finite sources: one whose burst is refused is idle again at once ("silent", default) or when the burst would have
    /// ended ("keeps-sending").
    pub blocked: Option<At<BlockedRule>>,
    /// The mean length of a burst.
    pub mean: At<Time>,
    /// The law of the lengths: "exponential" (default), "fixed", "uniform" (from zero to twice the mean), "hyper-exponential"
    /// or "pareto".
    pub law: Option<At<LengthRule>>,
    /// "hyper-exponential": the squared coefficient of variation. Default 4.
    pub variation: Option<At<f64>>,
    /// "pareto": the shape. Default 1.5.
    pub shape: Option<At<f64>>,
    /// Beside the offset of all bursts: what a class has more reserves earlier and wins. Default "0 s".
    pub extra_offset: Option<At<Time>>,
    /// Headers announce bursts that never come. Default false.
    pub headers_only: Option<bool>,
}

/// What a finite source does whose burst is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BlockedRule {
    /// It is idle at once.
    Silent,
    /// It sends on into the void.
    KeepsSending,
}

/// The law of burst lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LengthRule {
    /// All have the mean.
    Fixed,
    /// Exponential.
    Exponential,
    /// Uniform from zero to twice the mean.
    Uniform,
    /// One of two exponential laws.
    HyperExponential,
    /// Pareto.
    Pareto,
}
