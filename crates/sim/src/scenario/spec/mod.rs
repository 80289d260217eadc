//! The scenario as users write it: one type per table, each key declared once.

mod changes;
mod external;
mod link;
mod news;
pub(crate) mod properties;
pub(crate) mod queue;
mod sizes;
mod traffic;
mod transport;

pub use crate::language::Parameter;
pub use crate::probes::Keys as Probe;
pub use crate::switching::Switching;
pub(crate) use changes::LONGEST_DELAY;
pub use changes::{Event, LinkPhases, LinkTrace, Phase, State, TraceFormat};
pub use external::External;
pub use link::{ClassDefaults, Link, LinkDefaults, Node, XcpPort};
pub(crate) use link::{LinkKeys, Shared};
pub use news::{Begins, LinkNews};
pub use queue::QueueTable;
pub use sizes::{FlowSizeLaw, SizeCdf, SizeExponential, SizeLognormal, SizePareto, SizePublished, SizeWeibull};
pub use traffic::{ArrivalLaw, Bursts, Listed, LoadLaw, Traffic};
pub use transport::{Transport, Wire};
pub(crate) use transport::{clash, usual_sender};

use crate::language::keys::{When, Within, keys, more_than_zero};
use crate::language::{At, Choice, Key, Size, Time, Word};
use crate::model::Completion;
use crate::topology::Topology;
use options::words;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use units::{Bytes, Duration};

/// A photocol scenario. Quantities are texts with units ("1 Gbps", "0.1 ms", "9 kB", "20 packets"); unknown keys are
/// errors.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Another scenario below this one, relative to this file. Tables merge key by key; lists replace.
    pub extends: Option<String>,
    /// What is taken out of the scenario below before this one is laid over it: paths of its keys and of items of its
    /// lists, as "transport.sack", "traffic.0" or "traffic.1.stop".
    #[serde(default)]
    pub drop: Vec<String>,
    /// How long the run is, and how it is repeated.
    pub run: Run,
    /// The network. Without it, `[[link]]` alone makes one (kind "custom").
    pub topology: Option<At<Topology>>,
    /// What links have unless they say otherwise.
    #[serde(default)]
    pub link_defaults: LinkDefaults,
    /// Nodes besides those of the topology.
    #[serde(default)]
    pub node: Vec<Node>,
    /// Links besides those of the topology, or changes of those.
    #[serde(default)]
    pub link: Vec<At<Link>>,
    /// What the network switches. Default: packets.
    pub switching: Option<At<Switching>>,
    /// Named ways to send, `[transport.NAME]`. The name of a built-in algorithm needs no table.
    #[serde(default)]
    pub transport: BTreeMap<String, At<Transport>>,
    /// What is sent.
    #[serde(default)]
    pub traffic: Vec<At<Traffic>>,
    /// Changes of links during the run.
    #[serde(default)]
    pub event: Vec<At<Event>>,
    /// Phases of links that come again and again.
    #[serde(default)]
    pub link_phases: Vec<At<LinkPhases>>,
    /// Links that change as files say.
    #[serde(default)]
    pub link_trace: Vec<At<LinkTrace>>,
    /// What senders are told of such changes.
    #[serde(default)]
    pub news: Vec<At<LinkNews>>,
    /// Hosts outside of the simulator.
    pub external: Option<At<External>>,
    /// Fates of single segments, for tests and demonstrations.
    #[serde(default)]
    pub force: Vec<At<Force>>,
    /// What is sampled.
    #[serde(default)]
    pub probe: Probe,
    /// What is traced.
    #[serde(default)]
    pub trace: Option<At<Trace>>,
}

impl Spec {
    /// Whether packets may take any of several equally short paths: not where the kind of switching has its own.
    pub(crate) fn has_equal_paths(&self) -> bool {
        self.switching.as_ref().is_none_or(|kind| Switching::name(kind).entry().item.equal_paths)
    }

    /// Whether queues of the kind of switching measure what leaves.
    pub(crate) fn has_meters(&self) -> bool {
        self.switching.as_ref().is_none_or(|kind| Switching::name(kind).entry().item.measures)
    }
}

keys! {
    /// How long the run is, and how it is repeated.
    pub struct Run {
        /// A name for tables and plots. Default: the file's name without its ending.
        pub name: Option<At<String>>;
        /// The run covers the time from 0 to this.
        pub duration: At<Time>, in more_than_zero();
        /// Statistics of links begin here.
        pub warm_up: Key<Time> = NO_TIME;
        /// The seed of all random streams.
        pub seed: Key<u64> = 1;
        /// Replications, each with its own streams.
        pub runs: Key<u32> = 1, in from_one();
        /// What the run may take of the machine's memory, with the results of all replications. A scenario that is sure
        /// to need more is refused, and a run that takes more ends.
        pub memory: Key<Size> = Size(Bytes(8_000_000_000));
        /// When a flow with a size counts as complete: of completion times, slowdowns and times of requests.
        pub completion: Key<Word<Completion>> = Word(Completion::Delivered);
    }
}

const NO_TIME: Time = Time(Duration::ZERO);

fn from_one() -> Within<u32> {
    Within::new("at least 1", |number| *number >= 1)
}

keys! {
    /// The fate of one transmission of one segment.
    pub struct Force {
        /// The flow's number in the order of starts, from 0.
        pub flow: At<u32>;
        /// The segment's number within the flow, from 0.
        pub segment: At<u64>;
        /// Which transmission of it, from 1.
        pub copy: Key<u32> = 1, in Within::new("from 1, the first transmission", |copy| *copy >= 1);
        /// What happens to it.
        pub action: At<Word<ForceAction>>;
        /// It leaves the host this much later.
        pub delay: Option<At<Time>>, in more_than_zero(), when DELAYED;
    }
}

const DELAYED: When<Force> = When::new(|force| force.action.0 == ForceAction::Delay, "goes with action = \"delay\"");

words! {
    /// What happens to a forced segment.
    pub enum ForceAction {
        /// It vanishes.
        Drop = "drop",
        /// It leaves later.
        Delay = "delay",
        /// It leaves twice.
        Duplicate = "duplicate",
    }
}

/// A page shows as many at once.
const EVENTS: u64 = 1_000_000;

keys! {
    /// What happened, event by event (`trace.parquet`, docs/guide/traces.md); it never changes a run. The first
    /// replication is traced.
    pub struct Trace {
        /// Whether anything is traced.
        pub enabled: Key<bool> = true;
        /// "all" or a list of flow numbers: their packets, at the links of `links`.
        pub flows: Option<At<Choice<u32>>>;
        /// "all" or a list of links, written as those of `[probe]`: packets, bursts and slots there. What sending hosts
        /// do is traced unless links are given and flows are not.
        pub links: Option<At<Choice<String>>>;
        /// Nothing before this is traced. Default: the end of the warm-up, from which on the figures count as well, or
        /// the start of the run if `until` is not after that.
        pub from: Option<At<Time>>;
        /// Nothing from then on is. Default: the duration of the run.
        pub until: Option<At<Time>>, in more_than_zero();
        /// The most events; later ones are counted and left out.
        pub limit: Key<u64> = EVENTS, in Within::new("from 1 to 100000000", |limit| (1..=100_000_000).contains(limit));
    }
}
