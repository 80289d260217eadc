//! The agents of an optical packet switch: which nodes get one, and what each is made on.

use super::arrivals::Arrivals;
use super::core::CoreNode;
use super::core_control::CoreControl;
use super::demands::Demands;
use super::lines::Lines;
use super::membership::Membership;
use super::path_selection::PathSelection;
use super::plan::{self, Arbitration, Conversion, Switches};
use super::ram::Ram;
use super::routes::WavelengthRoutes;
use super::slots::{Places, Queues};
use super::store::{Bank, Kind, Rams, Slotted, Store};
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::KeyedSums;
use crate::engine::node::node_context::{AgentPath, LocalPort};
use crate::engine::packet::admission::Interceptor;
use crate::model::{Link, LinkId, Network, NodeId, Role};
use crate::results::Figure;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;
use std::sync::Arc;
use units::ByteTime;

/// A control of the edge nodes: its part at every core node, and the agent of every edge node.
pub trait EdgeControl: Debug {
    /// Its part at a core node.
    fn at_core(&self, outputs: &NodeOutputs, builder: &Builder, build: &mut BuildContext) -> Box<dyn CoreControl>;

    /// The agent of an edge node. It stands before the first wavelength of each output, and these ports take
    /// everything: it minds their room.
    fn at_edge(&self, outputs: &NodeOutputs, builder: &Builder, build: &mut BuildContext) -> Box<dyn Agent>;

    /// Whether the agent of an edge node also stands before the links to hosts, where it sees which packets are marked.
    /// It calls these by the numbers after those of the outputs.
    fn sees_exits(&self, node: NodeId, builder: &Builder, build: &BuildContext) -> bool {
        let _ = (node, builder, build);
        false
    }

    /// Whether edge nodes cut packets that are longer than a slot.
    fn cuts_packets(&self) -> bool {
        false
    }

    /// What its agents have counted between two readings.
    fn figures(&self, before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
        let _ = (before, after);
        Vec::new()
    }

    /// The reasons for which its agents drop packets, by their numbers.
    fn causes(&self) -> &'static [&'static str] {
        &[]
    }
}

/// What all agents need.
pub struct Builder<'a> {
    /// The plan.
    pub ops: &'a Switches,
    /// The network.
    pub network: &'a Network,
    /// Who sends where.
    pub trips: Demands,
    /// Which packets belong to which macroflow.
    pub members: Arc<Membership>,
    ways: Arc<WavelengthRoutes>,
    edge_control: Option<&'a dyn EdgeControl>,
    /// The agent of each node that has one.
    agents: BTreeMap<NodeId, u32>,
}

/// A node with the wavelengths of its outputs, in order: an agent calls each by its place here.
pub struct NodeOutputs {
    /// The node.
    pub node: NodeId,
    /// The links.
    pub links: Vec<LinkId>,
    /// Their ports.
    pub ports: Vec<LocalPort>,
}

impl<'a> Builder<'a> {
    /// The trips of all flows are laid, and the agents have their numbers.
    pub fn new<'g: 'a>(
        ops: &'a Switches,
        edge_control: Option<&'a dyn EdgeControl>,
        build: &mut BuildContext<'g>,
    ) -> Builder<'a> {
        let network = build.network;
        let (trips, ways) = Demands::new(ops, build);
        let (members, ways) = (Arc::new(trips.members()), Arc::new(ways));
        let mut builder = Builder { ops, network, trips, members, ways, edge_control, agents: BTreeMap::new() };
        let nodes = (0..network.nodes.len() as u32).map(NodeId);
        let busy: Vec<NodeId> = nodes.filter(|node| builder.has_work(*node)).collect();
        builder.agents = busy.into_iter().zip(0..).collect();
        builder
    }

    /// The agents of the network's edge and core nodes, where they have something to do.
    pub fn agent_setup(&self, build: &mut BuildContext) -> AgentSetup {
        let mut agent_setup = AgentSetup::default();
        for (node, number) in &self.agents {
            debug_assert_eq!(agent_setup.agents.len() as u32, *number, "agents are made in the order of their nodes");
            match self.role(*node) {
                Role::Core => self.add_core(*node, &mut agent_setup, build),
                Role::Edge | Role::Host => self.add_edge(*node, &mut agent_setup, build),
            }
        }
        agent_setup
    }

    fn has_work(&self, node: NodeId) -> bool {
        let outputs = self.outputs(node).next().is_some();
        outputs
            && match self.role(node) {
                Role::Core => self.edge_control.is_some() || self.ops.needs_store(),
                Role::Edge => self.edge_control.is_some() || self.ops.wavelengths() > 1,
                Role::Host => false,
            }
    }

    /// What a node is.
    pub fn role(&self, node: NodeId) -> Role {
        self.network.nodes[node.index()].role
    }

    /// A link of the network.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.network.links[id.index()]
    }

    /// The agent of a node, if it has one.
    pub fn agent(&self, node: NodeId) -> Option<u32> {
        self.agents.get(&node).copied()
    }

    /// The fibre whose first wavelength this is.
    pub fn fibre(&self, first: LinkId) -> &plan::Fibre {
        let place = self.ops.fibres.binary_search_by_key(&first, |fibre| fibre.wavelengths[0]);
        &self.ops.fibres[place.expect("macroflows travel fibres")]
    }

    /// From a node over the control wavelengths beside these first wavelengths.
    pub fn control_way(&self, from: NodeId, links: &[LinkId], build: &mut BuildContext) -> AgentPath {
        let links: Vec<LinkId> = links.iter().filter_map(|link| self.fibre(*link).control).collect();
        build.agent_path(from, &links)
    }

    /// The fibres that leave a node, in order.
    fn outputs(&self, node: NodeId) -> impl Iterator<Item = &plan::Fibre> {
        self.ops.fibres.iter().filter(move |fibre| self.link(fibre.wavelengths[0]).from == node)
    }

    fn node_outputs(&self, node: NodeId, build: &mut BuildContext) -> NodeOutputs {
        let links: Vec<LinkId> = self.outputs(node).flat_map(|fibre| &fibre.wavelengths).copied().collect();
        let ports = links.iter().map(|link| build.port(node, *link)).collect();
        NodeOutputs { node, links, ports }
    }

    fn add_core(&self, node: NodeId, agent_setup: &mut AgentSetup, build: &mut BuildContext) {
        let outputs = self.node_outputs(node, build);
        let control = self.edge_control.map(|control| control.at_core(&outputs, self, build));
        let agent = agent_setup.agents.len() as u32;
        let store = self.ops.needs_store().then(|| {
            for (place, link) in (0..).zip(&outputs.links) {
                agent_setup.interceptors.insert(*link, Interceptor { agent, place });
                agent_setup.unbounded.insert(*link);
            }
            let (wavelengths, ways) = (self.ops.wavelengths(), Arc::clone(&self.ways));
            Store::new(wavelengths, outputs.ports, ways, self.kind(node, build)).congested_from(self.ops.congestion)
        });
        agent_setup.agents.push((node, Box::new(CoreNode::new(control, store))));
    }

    fn kind(&self, node: NodeId, build: &BuildContext) -> Kind {
        let byte_time = |link: LinkId| ByteTime::at(self.link(link).capacity).expect("a resolved link has a byte time");
        let (wavelengths, conversion) = (self.ops.wavelengths(), self.ops.conversion);
        match self.ops.store {
            plan::Store::Ram { shared } => {
                let together = shared || conversion != Conversion::None;
                let each = if together { wavelengths } else { 1 };
                let ram = |link: LinkId| Ram::new(self.link(link).buffer, conversion, each, byte_time(link));
                let first = self.outputs(node).flat_map(|fibre| fibre.wavelengths.iter().step_by(each as usize));
                Kind::Ram(Rams { list: first.map(|link| ram(*link)).collect(), each })
            }
            plan::Store::Slots(rules) => {
                let converts = conversion == Conversion::Full;
                let (queues_each, servers) = if converts { (1, wavelengths) } else { (wavelengths, 1) };
                let outputs = self.outputs(node).count();
                let shape = Queues { outputs, each: queues_each as usize, servers: servers as usize };
                let places = Places::new(rules, shape);
                let entity = || format!("core {}", self.network.nodes[node.index()].name);
                let arrivals = (rules.arbitration == Arbitration::Random)
                    .then(|| Arrivals::new(build.seed.stream(&entity(), "arbitration")));
                Kind::Slots(Slotted { slot: rules.slot.ps(), places, arrivals, converts, next: u64::MAX, sent: None })
            }
            plan::Store::Lines { .. } => {
                let bank = |link: LinkId| Bank {
                    lines: Lines::new(self.ops.store),
                    byte_time: byte_time(link),
                    inside: VecDeque::new(),
                };
                let links = self.outputs(node).flat_map(|fibre| &fibre.wavelengths);
                Kind::Lines(links.map(|link| bank(*link)).collect())
            }
        }
    }

    fn add_edge(&self, node: NodeId, agent_setup: &mut AgentSetup, build: &mut BuildContext) {
        let outputs = self.node_outputs(node, build);
        let agent = agent_setup.agents.len() as u32;
        // Flows know the first wavelengths only.
        for (place, link) in (0..).zip(&outputs.links).step_by(self.ops.wavelengths() as usize) {
            agent_setup.interceptors.insert(*link, Interceptor { agent, place });
        }
        let Some(control) = self.edge_control else {
            let entries = self.trips.list.iter().map(|trip| (trip.entry(), trip.first)).collect();
            let spread = PathSelection::new(self.ops, outputs.ports, entries, Arc::clone(&self.ways));
            return agent_setup.agents.push((node, Box::new(spread)));
        };
        agent_setup.unbounded.extend(outputs.links.iter().copied());
        if control.sees_exits(node, self, build) {
            let exits = self.exits(node).zip(outputs.links.len() as u32..);
            agent_setup.interceptors.extend(exits.map(|(link, place)| (link, Interceptor { agent, place })));
        }
        agent_setup.agents.push((node, control.at_edge(&outputs, self, build)));
    }

    /// The links from an edge node to hosts.
    fn exits(&self, node: NodeId) -> impl Iterator<Item = LinkId> {
        let links = (0..).map(LinkId).zip(&self.network.links);
        let is_exit = move |link: &Link| link.from == node && self.role(link.to) == Role::Host;
        links.filter(move |(_, link)| is_exit(link)).map(|(id, _)| id)
    }
}
