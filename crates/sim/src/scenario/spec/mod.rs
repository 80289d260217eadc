//! The scenario as users write it: one type per table, optional where a key may be left out. The doc comments are the
//! descriptions in the JSON Schema.

mod link;
mod traffic;
mod transport;

pub use crate::regime::Switching;
pub use link::{ClassDefaults, Link, LinkDefaults, Node, NodeRole, UnclaimedOffer, XcpPort};
pub use traffic::{
    ArrivalLaw, Bursts, Listed, LoadLaw, SizeLaw, Sojourn, SojournConstant, SojournExponential, SojournPareto, Traffic,
};
pub(crate) use transport::usual_sender;
pub use transport::{Parameter, Transport};

use crate::language::{At, Choice, Names, Size, Speed, Time};
use crate::topology::Topology;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A photocol scenario. Quantities are texts with units ("1 Gbps", "0.1 ms", "9 kB", "20 packets"); unknown keys are
/// errors.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Another scenario below this one, relative to this file. Tables merge key by key; lists replace.
    pub extends: Option<String>,
    /// How long the run is, and how it is repeated.
    pub run: Run,
    /// The network. Without it, `[[link]]` alone makes one (kind "custom").
    pub topology: Option<At<Topology>>,
    /// What links have unless they say otherwise.
    #[serde(default)]
    pub link_defaults: LinkDefaults,
    /// Nodes beside those of the topology.
    #[serde(default)]
    pub node: Vec<Node>,
    /// Links beside those of the topology, or changes of those.
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
    /// Fates of single segments, for tests and demonstrations.
    #[serde(default)]
    pub force: Vec<At<Force>>,
    /// What is sampled.
    #[serde(default)]
    pub probe: Probe,
}

/// How long the run is, and how it is repeated.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// A name for tables and plots. Default: the file's name without its ending.
    pub name: Option<String>,
    /// The run covers the time from 0 to this.
    pub duration: At<Time>,
    /// Statistics of links begin here. Default "0 s".
    pub warm_up: Option<At<Time>>,
    /// The seed of all random streams. Default 1.
    pub seed: Option<u64>,
    /// Replications, each with its own streams. Default 1.
    pub runs: Option<At<u32>>,
    /// What the run may take of the machine's memory, with the results of all replications. A scenario that is sure to need more
    /// is refused, and a run that takes more ends. Default "8 GB".
    pub memory: Option<At<Size>>,
}

/// A change of links at a time. What several events change at one instant they change in the order of the file; no two change
/// the same of one link.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When.
    pub at: At<Time>,
    /// "a->b" for one direction, "a-b" for both, or a list of such.
    pub link: At<Names>,
    /// The new capacity.
    pub capacity: Option<At<Speed>>,
    /// What XCP's controller at the port believes from now on, whether it is true or not.
    pub told_capacity: Option<At<Speed>>,
    /// The new propagation delay.
    pub delay: Option<At<Time>>,
    /// "down" (what waits and what comes is dropped) or "up".
    pub state: Option<At<State>>,
}

/// Whether a link passes packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It passes packets.
    Up,
    /// It does not.
    Down,
}

/// The fate of one transmission of one segment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Force {
    /// The flow's number in the order of starts, from 0.
    pub flow: At<u32>,
    /// The segment's number within the flow, from 0.
    pub segment: u64,
    /// Which transmission of it, from 1. Default 1.
    pub copy: Option<At<u32>>,
    /// What happens to it.
    pub action: ForceAction,
    /// For "delay": it leaves the host so much later.
    pub delay: Option<At<Time>>,
}

/// What happens to a forced segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ForceAction {
    /// It vanishes.
    Drop,
    /// It leaves later.
    Delay,
    /// It leaves twice.
    Duplicate,
}

/// Sampling of states at a fixed interval; it never changes a run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// The interval. Without it nothing is sampled.
    pub interval: Option<At<Time>>,
    /// "all" or a list of flow numbers. Default: all if `links` is not given either, else none.
    pub flows: Option<At<Choice<u32>>>,
    /// "all" or a list of links ("a->b", "a-b"; with optical packets also "a->b (wavelength 1)" and "a->b (control)"). Where bursts are
    /// switched, "a->b" gives its wavelengths, and "a->b (control)" beside it. Default: all if `flows` is not given either, else none.
    pub links: Option<At<Choice<String>>>,
}
