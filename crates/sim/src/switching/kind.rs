//! What a kind of switching answers, and what it is asked with.
//!
//! A kind of switching is a folder with its keys, their check, the plan that comes out of it, its agents, its figures
//! and its explanation. Others know it by [`Kind`] and [`Plan`] only.

use super::chooser::ChooserMaker;
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::{Group, KeyedSums};
use crate::engine::node::workload::Steward;
use crate::language::keys::{Form, Written};
use crate::language::{At, Fault, Place};
use crate::model::{Flow, LinkId, Network, NodeId, PathPart, PortRule, Scenario, Traffic};
use crate::results::{Column, Figure};
use crate::topology::Draft;
use control::scheduler::circuits::CircuitSchedule;
use options::words;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use units::Duration;

/// What is known of a kind of switching without a scenario.
#[derive(Debug)]
pub struct Kind {
    /// Whether its links may lead through a node that switches their light without a stop (`via`).
    pub(crate) leads: bool,
    /// Whether its flows may take any of several equally short paths (`routing`).
    pub(crate) equal_paths: bool,
    /// Whether its agents carry packets over other links between switches than the paths of flows say.
    pub(crate) own_ways: bool,
    /// Whether its queues measure what leaves, for laws that read that.
    pub(crate) measures: bool,
    /// Tables that it adds to the results of a run: the columns of each, and what they say.
    pub(crate) tables: &'static [(&'static str, &'static [(&'static str, &'static str)])],
    /// Columns that it adds to the table of flows of every run.
    pub(crate) flow_columns: fn(&[FlowFacts]) -> Vec<(&'static str, Column)>,
}

impl Kind {
    /// One that has only ordinary links and no columns.
    pub(crate) const fn new() -> Kind {
        let tables = &[];
        Kind {
            leads: false,
            equal_paths: false,
            own_ways: false,
            measures: false,
            tables,
            flow_columns: |_| Vec::new(),
        }
    }
}

/// What a kind of switching may ask of a flow at the end of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowFacts {
    /// Segments sent.
    pub segments: u64,
    /// The mean round trip in seconds, NaN without one.
    pub mean_rtt_s: f64,
    /// How long it lasted, in seconds.
    pub lifetime_s: f64,
    /// How its packets lay in what agents switch.
    pub group: Option<Group>,
}

/// The network that a kind's keys are checked against.
pub(crate) struct Site<'a> {
    /// `[switching]`, for faults about all of it.
    pub at: At<()>,
    /// Resolved; a kind of switching may add lanes to its links.
    pub network: &'a mut Network,
    /// The same with names, and with the places where it was written.
    pub draft: &'a mut Draft,
    /// The size of the largest packet.
    pub largest_packet: u32,
    /// How long the run lasts.
    pub duration: Duration,
    /// Where the first `[[event]]` names its links, if there is one.
    pub first_event: Option<Place>,
}

/// What comes out of a check.
pub(crate) struct Checked {
    /// The resolved keys.
    pub plan: Arc<dyn Plan>,
    /// What can be checked when the traffic is known.
    pub later: Option<Later>,
    /// Memory that the run is sure to take for it.
    pub demands: Vec<Demand>,
    /// What counts for keys that are not given and have no default of their own, by their names.
    pub derived: Vec<(&'static str, Written)>,
}

/// Something that takes memory, and who asks for it.
pub(crate) struct Demand {
    /// In words, with its number.
    pub what: String,
    /// How much.
    pub bytes: f64,
    /// Where it is asked for.
    pub place: Place,
}

/// A check of the traffic.
pub(crate) type Later = Box<dyn FnOnce(&Network, &[Traffic]) -> Result<(), Fault>>;

impl Checked {
    /// With nothing left to check.
    pub fn plan(plan: impl Plan) -> Checked {
        Checked { plan: Arc::new(plan), later: None, demands: Vec::new(), derived: Vec::new() }
    }

    /// What counts for a key that is not given, for the explanation.
    pub fn derive(&mut self, key: &'static str, value: impl Form) {
        self.derived.push((key, value.form()));
    }
}

/// The resolved keys of a kind: they answer for the network's ports, agents, figures and explanation.
pub(crate) trait Plan: Any + Debug + Send + Sync {
    /// The rules of a link's port.
    fn port(&self, network: &Network, id: LinkId) -> PortRule {
        PortRule::of(&network.links[id.index()])
    }

    /// Whether the network has agents.
    fn has_agents(&self) -> bool {
        true
    }

    /// The agents of the network.
    fn install_agents(&self, build: &mut BuildContext) -> AgentSetup {
        let _ = build;
        AgentSetup::default()
    }

    /// Who hears of the work of a scenario and tells agents and senders, if anybody does.
    fn steward(&self, scenario: &Scenario, flows: &[Flow]) -> Option<Box<dyn Steward>> {
        let _ = (scenario, flows);
        None
    }

    /// The nodes between which circuits come as the work goes on, and of which that steward tells senders.
    fn told_nodes(&self) -> Vec<NodeId> {
        Vec::new()
    }

    /// The class outside of this crate that sets its circuits, if one does.
    fn code(&self) -> Option<&str> {
        None
    }

    /// The plan with what makes that.
    fn with_chooser(&self, maker: Arc<dyn ChooserMaker>) -> Option<Arc<dyn Plan>> {
        let _ = maker;
        None
    }

    /// The key, with its value, by which agents tell senders of congestion with ECN though no queue marks, if they do.
    fn echoes(&self) -> Option<&'static str> {
        None
    }

    /// The nodes that circuits join at times.
    fn racks(&self) -> Vec<NodeId> {
        Vec::new()
    }

    /// The circuit from one of them to another.
    fn circuit(&self, network: &Network, ends: [NodeId; 2]) -> Option<PathPart> {
        let _ = (network, ends);
        None
    }

    /// The switches that make these circuits, and when: a port of the schedule for each of the nodes.
    fn schedule(&self) -> Option<(Vec<NodeId>, CircuitSchedule)> {
        None
    }

    /// Whether packets that leave by such a circuit can be marked, as news of it.
    fn marks_circuits(&self) -> bool {
        false
    }

    /// So long before a circuit comes its queue grows; `None` if no queue does.
    fn resizes_ahead(&self) -> Option<Duration> {
        None
    }

    /// Why a link, whose quoted name this is, keeps all but its state during a run; `None` if it need not.
    fn keeps(&self, network: &Network, id: LinkId, name: &str) -> Option<String> {
        let _ = (network, id, name);
        None
    }

    /// What a user should know who has not asked, a sentence each.
    fn notes(&self, scenario: &Scenario) -> Vec<String> {
        let _ = scenario;
        Vec::new()
    }

    /// How tables call what agents switch, and the reasons for which they drop it.
    fn wording(&self) -> Wording {
        Wording { unit: "unit", causes: &[] }
    }

    /// The figures of what agents have counted between two readings.
    fn figures(&self, before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
        let _ = (before, after);
        Vec::new()
    }
}

/// Words of a kind of switching in tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wording {
    /// The class of what its agents switch.
    pub unit: &'static str,
    /// Reasons of [`Cause::Agent`](crate::engine::packet::admission::Cause::Agent), by number.
    pub causes: &'static [&'static str],
}

words! {
    /// To which wavelengths a node can convert.
    pub enum ConversionRule {
        /// To none.
        None = "none",
        /// To near ones.
        Limited = "limited",
        /// To all.
        Full = "full",
    }
}
