//! `[switching]` with `kind = "obs"`.

use super::plan::{
    Acks, BurstQueues, Choice, Comparison, CopyOrdering, Counting, LoadUnit, Ordering, Part, PathLoad, SharedLinks,
    Spread, ToldWhen,
};
use crate::language::keys::{When, Within, a_probability, a_rate, keys, more_than_zero, whole};
use crate::language::{At, ByteCount, Key, PairsSpec, Size, Speed, Time, Word};
use crate::model::Ties;
use crate::switching::kind::ConversionRule;
use control::reservation::{Algorithm, Signalling};
use options::words;
use units::{Bytes, Duration};

/// The most wavelengths of a fibre.
pub const MOST_WAVELENGTHS: u32 = 4096;
/// The most delay lines: a burst that finds no place tries them all.
const MOST_LINES: u32 = 1024;
/// The most finite sources of one pair.
const MOST_SOURCES: u32 = 1_000_000;
const NONE: Time = Time(Duration::ZERO);

const LIMITED: When<ObsSwitching> =
    When::new(|keys| keys.conversion.0 == ConversionRule::Limited, "goes with conversion = \"limited\"");
const WITHOUT_OFFSET: When<ObsSwitching> = When::new(|keys| keys.offset.is_none(), "does not go with \"offset\"");
const WAITING: When<ObsSwitching> =
    When::new(|keys| keys.ingress.0 == IngressSpec::Wait, "goes with ingress = \"wait\"");
const DEFLECTION: When<ObsSwitching> =
    When::new(|keys| keys.contention.0 == ContentionRule::Deflection, "goes with contention = \"deflection\"");
const SEGMENTATION: When<ObsSwitching> =
    When::new(|keys| keys.contention.0 == ContentionRule::Segmentation, "goes with contention = \"segmentation\"");
const ADAPTIVE: When<BalancingSpec> =
    When::new(|keys| keys.policy.0 == BalancingRule::Adaptive, "goes with policy = \"adaptive\"");
const FLOWLET: When<BalancingSpec> =
    When::new(|keys| keys.policy.0 == BalancingRule::Flowlet, "goes with policy = \"flowlet\"");
const POISSON: When<BurstSpec> = When::new(|keys| keys.sources.is_none(), "does not go with \"sources\"");
const FINITE: When<BurstSpec> = When::new(|keys| keys.sources.is_some(), "goes with \"sources\"");
const HYPER_EXPONENTIAL: When<BurstSpec> =
    When::new(|keys| keys.law.0 == LengthRule::HyperExponential, "goes with law = \"hyper-exponential\"");
const PARETO: When<BurstSpec> = When::new(|keys| keys.law.0 == LengthRule::Pareto, "goes with law = \"pareto\"");

/// Of a law of lengths.
fn above_one() -> Within<f64> {
    Within::new("more than 1", |number: &f64| *number > 1.0 && number.is_finite())
}

/// Of links and paths.
fn a_load() -> Within<f64> {
    Within::new("0 to 1000000", |load| (0.0..=1e6).contains(load))
}

fn a_header() -> Within<ByteCount> {
    Within::new("1 B to 65535 B", |size: &ByteCount| (1..=65_535).contains(&size.0))
}

keys! {
    /// Optical burst switching: paper 001. Every link between nodes that are no hosts has wavelengths of the link's
    /// capacity and a control channel. Packets that come to such a link are assembled into bursts, which nobody stores
    /// on their way; a link's loss is that of whole bursts.
    pub struct ObsSwitching {
        /// Wavelengths of each fibre, besides the control channel.
        pub wavelengths: At<u32>, in whole(1, MOST_WAVELENGTHS);
        /// Which wavelength a burst gets (`photocol list reservations`).
        pub reservation: Key<String> = Algorithm::LaucVf.name().to_owned();
        /// From when on a wavelength is reserved.
        pub signalling: Key<Word<Signalling>> = Word(Signalling::Jet);
        /// To which wavelengths a burst can change.
        pub conversion: Key<Word<ConversionRule>> = Word(ConversionRule::Full);
        /// A burst can change to this many wavelengths above and below its own.
        pub conversion_range: Option<At<u32>>, when LIMITED;
        /// How many fibre-delay lines an output has: delays of 0, B, 2B, … are tried.
        pub delay_lines: Key<u32> = 0, in Within::new(format!("at most {MOST_LINES}"), |count| *count <= MOST_LINES);
        /// B, the delay of the shortest line.
        pub delay_line: Option<At<Time>>, in more_than_zero();
        /// How long a switch takes to turn.
        pub switching_time: Key<Time> = NONE;
        /// What stays free behind a burst.
        pub guard: Key<Time> = NONE;
        /// How far ahead nodes can reserve. Default: as far as it takes.
        pub horizon: Option<At<Time>>;

        /// What the control channel carries. Default: as much as a wavelength.
        pub control_capacity: Option<At<Speed>>, in a_rate();
        /// Bytes of a header.
        pub header_size: Key<ByteCount> = ByteCount(64), in a_header();
        /// How long a node works on a header.
        pub processing: Key<Time> = Time(Duration::from_micros(1));
        /// How far a burst is behind its header when both leave the ingress node. Default: as much as its path needs.
        pub offset: Option<At<Time>>;
        /// Offsets are for this many hops more than the path has. Default 1, because headers wait for one another; with
        /// deflection 1 and twice `deflections`.
        pub spare_hops: Option<At<u32>>, in Within::new("at most 1000", |hops| *hops <= 1000), when WITHOUT_OFFSET;

        /// How bursts are made. Default: 1 ms or 50 kB, all packets to the same node together.
        pub assembly: Key<AssemblySpec> = AssemblySpec::unsaid();
        /// What becomes of a new burst for which the first fibre has no free wavelength.
        pub ingress: Key<Word<IngressSpec>> = Word(IngressSpec::Wait);
        /// Bursts that would wait longer are dropped.
        pub longest_wait: Key<Time> = Time(Duration::from_millis(10)), when WAITING;

        /// What becomes of a burst that gets no wavelength.
        pub contention: Key<Word<ContentionRule>> = Word(ContentionRule::Drop);
        /// A burst is deflected so often at most.
        pub deflections: Key<u8> = 1, when DEFLECTION;
        /// The part of a burst that is dropped.
        pub dropped_part: Key<Word<Part>> = Word(Part::Head), when SEGMENTATION;
        /// Ingress nodes keep copies of their bursts, hear of losses, and send lost bursts again. Default: they do not.
        pub retransmission: Option<At<RetransmissionSpec>>;
        /// How ingress nodes measure the burst dropping rate of their paths, below which they tell senders that ask for
        /// it (`algorithm = "tcp-eng"`) of lost bursts.
        pub notification: Key<NotificationSpec> = NotificationSpec::unsaid();

        /// How bursts are spread over two paths (paper 004). Default: they are not.
        pub balancing: Option<At<BalancingSpec>>;

        /// Sources of bursts besides the flows.
        pub burst: Vec<At<BurstSpec>>;
    }
}

words! {
    /// What a new burst does when there is no free wavelength.
    pub enum IngressSpec {
        /// It waits in electronic memory.
        Wait = "wait",
        /// It is dropped.
        Drop = "drop",
    }
}

words! {
    /// What a node does with a burst that gets no wavelength.
    pub enum ContentionRule {
        /// Drops it.
        Drop = "drop",
        /// Sends it another way.
        Deflection = "deflection",
        /// Drops the part that is in the way.
        Segmentation = "segmentation",
    }
}

keys! {
    /// How bursts are made.
    pub struct AssemblySpec {
        /// A burst is complete this long after its first packet. Default "1 ms", but none if only `length` is given.
        pub timer: Option<At<Time>>, in more_than_zero();
        /// A burst is complete with this many bytes. Default "50 kB", but none if only `timer` is given.
        pub length: Option<At<Size>>;
        /// Shorter bursts are padded to this.
        pub minimum: Key<Size> = Size(Bytes::ZERO);
        /// Which packets with the same way through the network share a burst.
        pub queues: Key<Word<BurstQueues>> = Word(BurstQueues::Egress);
        /// What becomes of pure acknowledgements.
        pub acks: Key<Word<Acks>> = Word(Acks::Assembled);
    }
}

keys! {
    /// How lost bursts are sent again.
    pub struct RetransmissionSpec {
        /// A burst is sent again so often at most.
        pub attempts: Key<u8> = 3;
        /// A burst is not sent again later than this after it was complete.
        pub extra_delay: Key<Time> = Time(Duration::from_millis(100));
        /// What an egress node does with bursts that land before one that is sent again. It goes neither with
        /// contention = "segmentation" nor with `balancing`.
        pub ordering: Key<Word<CopyOrdering>> = Word(CopyOrdering::Off);
    }
}

keys! {
    /// How bursts are spread over two paths between each two edge nodes, which share as few links as can be and have as
    /// few as can be then.
    pub struct BalancingSpec {
        /// What a burst's path depends on.
        pub policy: Key<Word<BalancingRule>> = Word(BalancingRule::Adaptive);
        /// τ: loads are measured over it and told to the ingress nodes, which may change the path after each.
        pub interval: Key<Time> = Time(Duration::from_millis(500)), in more_than_zero();
        /// ρ_max, the load from which a link is congested.
        pub threshold: Key<f64> = 0.05, in a_load();
        /// When the path changes.
        pub choice: Key<Word<Choice>> = Word(Choice::SwitchAbove), when ADAPTIVE;
        /// When a load exceeds the threshold.
        pub comparison: Key<Word<Comparison>> = Word(Comparison::Above), when ADAPTIVE;
        /// What the load of a path is.
        pub path_load: Key<Word<PathLoad>> = Word(PathLoad::Worst);
        /// When a burst counts for the load of a link.
        pub counting: Key<Word<Counting>> = Word(Counting::Arrival);
        /// What a load of 1 is.
        pub unit: Key<Word<LoadUnit>> = Word(LoadUnit::Channel);
        /// Whether links that both paths have count.
        pub shared_links: Key<Word<SharedLinks>> = Word(SharedLinks::Ignored);
        /// The path changes only if its load is higher than the other's by more than this. Default: whatever the
        /// other's is.
        pub hysteresis: Option<At<f64>>, in a_load(), when ADAPTIVE;
        /// How long after the end of a τ the ingress nodes choose. Default: when the news of the farthest node has
        /// come.
        pub choose_after: Option<At<Time>>, when ADAPTIVE;
        /// A path is drawn anew for a burst that comes so long after the one before.
        pub gap: Key<Time> = Time(Duration::from_millis(1)), when FLOWLET;
        /// Whether the ingress node keeps bursts from overtaking those that it sent before on a longer path.
        pub ordering: Key<Word<Ordering>> = Word(Ordering::Off);
        /// What is spread. Default: "tcp", or "all" with `pairs`.
        pub traffic: Option<At<Word<Spread>>>;
        /// Only the bursts between these nodes are spread, source first: a list of pairs, each direction for itself.
        /// Those between other nodes take the shortest path. Default: all are.
        pub pairs: Option<At<PairsSpec>>;
        /// Which pair of paths is taken of several that have as few links.
        pub ties: Key<Word<Ties>> = Word(Ties::Ids);
        /// Pairs of paths that are taken whatever the rule is, each path a list of nodes. They may share links.
        pub paths: Vec<At<PathsSpec>>;
    }
}

keys! {
    /// Two paths with the same ends.
    pub struct PathsSpec {
        /// The nodes of the path that is taken at first, in their order.
        pub primary: At<Vec<At<String>>>;
        /// The nodes of the other one.
        pub alternate: At<Vec<At<String>>>;
    }
}

words! {
    /// What a burst's path depends on.
    pub enum BalancingRule {
        /// The loads of the paths, reviewed every τ (paper 004).
        Adaptive = "adaptive",
        /// Bursts take turns (paper 004, §4).
        Alternate = "alternate",
        /// Each burst is drawn a path.
        Random = "random",
        /// After a gap a path is drawn for what follows.
        Flowlet = "flowlet",
        /// The loads of the paths as told last, and what the ingress node has sent since, at each burst.
        LeastLoaded = "least-loaded",
    }
}

keys! {
    /// How senders are told of losses.
    pub struct NotificationSpec {
        /// The burst dropping rate is measured over this time (Δt).
        pub window: Key<Time> = Time(Duration::from_millis(100)), in more_than_zero();
        /// Senders are told while the rate is below this.
        pub threshold: Key<f64> = 0.01, in a_probability();
        /// When senders are told of a burst that is sent again (`retransmission`).
        pub when: Key<Word<ToldWhen>> = Word(ToldWhen::Lost);
    }
}

keys! {
    /// A source of bursts between each of some pairs of nodes.
    pub struct BurstSpec {
        /// For random streams; unique. Default: "bursts-N" with its number from 0.
        pub name: Option<At<String>>;
        /// A list of pairs of nodes, or "all": every ordered pair of distinct edge nodes, or of all nodes if there are
        /// none.
        pub pairs: Option<At<PairsSpec>>;
        /// The source, with `to` instead of `pairs`.
        pub from: Option<At<String>>;
        /// The destination, with `from` instead of `pairs`.
        pub to: Option<At<String>>;
        /// Poisson bursts: mean number of bursts that last at once, for each pair (the load in erlang).
        pub load: Option<At<f64>>, when POISSON;
        /// Poisson bursts: the mean time between two, instead of `load`.
        pub mean_gap: Option<At<Time>>, in more_than_zero(), when POISSON;
        /// The number of finite sources, each idle for an exponential time between its bursts; with `idle` instead of
        /// `load`.
        pub sources: Option<At<u32>>, in whole(1, MOST_SOURCES);
        /// The mean idle time of a finite source.
        pub idle: Option<At<Time>>, in more_than_zero(), when FINITE;
        /// What a finite source does whose burst is refused.
        pub blocked: Key<Word<BlockedRule>> = Word(BlockedRule::Silent), when FINITE;
        /// The mean length of a burst.
        pub mean: At<Time>, in more_than_zero();
        /// The law of the lengths.
        pub law: Key<Word<LengthRule>> = Word(LengthRule::Exponential);
        /// The squared coefficient of variation.
        pub variation: Key<f64> = 4.0, in above_one(), when HYPER_EXPONENTIAL;
        /// The shape.
        pub shape: Key<f64> = 1.5, in above_one(), when PARETO;
        /// Besides the offset of all bursts: what a class has more reserves earlier and wins.
        pub extra_offset: Key<Time> = NONE;
        /// Headers announce bursts that never come.
        pub headers_only: Key<bool> = false;
    }
}

words! {
    /// What a finite source does whose burst is refused.
    pub enum BlockedRule {
        /// It is idle at once.
        Silent = "silent",
        /// It sends on into the void: it is idle when the burst would have ended.
        KeepsSending = "keeps-sending",
    }
}

words! {
    /// The law of burst lengths.
    pub enum LengthRule {
        /// All have the mean.
        Fixed = "fixed",
        /// Exponential.
        Exponential = "exponential",
        /// Uniform from zero to twice the mean.
        Uniform = "uniform",
        /// One of two exponential laws.
        HyperExponential = "hyper-exponential",
        /// Pareto.
        Pareto = "pareto",
    }
}
