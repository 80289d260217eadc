//! Optical circuit switches (OCS) that a policy sets for work that depends on work: SWOT (arXiv 2510.19322), PCCL
//! (arXiv 2509.15450), TopoOpt (Wang et al., NSDI 2023), Opus (arXiv 2602.12521).
//!
//! | file or folder | holds |
//! |---|---|
//! | `keys`, `check` | `[switching]` with `kind = "ocs"`, and the plan that comes of it |
//! | `frontier` | how far the work has come: the step under way, and what is ready |
//! | `policy` | what sets the switches |
//! | `matching` | pairs of nodes as matchings of ports |
//! | `controller` | hears of the work, asks the policy, and tells the nodes |
//! | `members` | to which port a packet goes, and its way over a circuit |
//! | `node` | the agent of a node with ports: a queue for each other node |
//! | `detours` | ways over other nodes |
//! | `told` | senders that are told of the circuits of their pair |
//! | `round_trips` | how long a packet and its ACK take on empty ways |
//!
//! A node is a host with ports, or a rack whose hosts are behind it. Light passes a switch without a stop. A circuit
//! that is idle costs no event; a turn costs a message to each node whose circuit changes.
//!
//! Left out: clocks that differ, and the way of the controller's messages: what it knows is as old as `control_delay`.

mod check;
mod controller;
mod detours;
mod frontier;
mod keys;
mod matching;
mod members;
mod node;
mod policy;
mod round_trips;
mod told;

pub(super) use check::check;
pub use keys::OcsSwitching as Keys;

use super::chooser::ChooserMaker;
use super::kind::{self, Kind, Wording};
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::{KeyedSums, SumKey};
use crate::engine::node::workload::Steward;
use crate::engine::packet::admission::Interceptor;
use crate::model::{Arrivals, Buffer, Flow, Light, LinkId, Network, NodeId, PortRule, Protocol, Scenario, Traffic};
use crate::results::Figure;
use check::Chosen;
use controller::{Controller, Deciding, TurnRules};
use frontier::Frontier;
use keys::{Acks, Rest};
use members::Members;
use node::Node;
use round_trips::round_trips;
use std::collections::BTreeMap;
use std::sync::Arc;
use told::{Capacities, Tellers};
use units::Rate;

pub(super) const KIND: Kind = Kind { own_ways: true, tables: controller::TABLES, ..Kind::new() };

/// The resolved keys.
#[derive(Clone, Debug)]
pub struct Ocs {
    switches: Vec<NodeId>,
    /// In the order of their nodes.
    ports: Vec<Ports>,
    /// The node with ports of each host behind one, and of itself.
    numbers: BTreeMap<NodeId, u32>,
    /// Names of the nodes with ports, and of the switches.
    names: [Vec<String>; 2],
    rules: Rules,
    turns: TurnRules,
    chosen: Chosen,
}

/// A node and its links.
#[derive(Clone, Debug)]
struct Ports {
    node: NodeId,
    /// To each switch.
    up: Vec<LinkId>,
    /// From each switch.
    down: Vec<LinkId>,
    /// To and from the packet switch, if there is one.
    packet: Option<[LinkId; 2]>,
}

/// What nodes go by.
#[derive(Clone, Copy, Debug)]
struct Rules {
    /// Room for packets to each other node.
    buffer: Buffer,
    /// ECN marks from so many waiting packets on.
    mark_from: Option<u32>,
    rest: Rest,
    acks: Acks,
}

/// What the controller tells a node.
#[derive(Clone, Debug)]
enum Notice {
    Turn(Turn),
    /// By node: the port of the next circuit on the way there.
    Detours(Vec<u8>),
}

/// A port gets another circuit.
#[derive(Clone, Copy, Debug)]
struct Turn {
    switch: u32,
    /// When light passes.
    lit: u64,
    to: Option<u32>,
}

/// Bytes that nodes sum up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sum {
    /// By a circuit to their last node.
    Circuit,
    /// By a circuit to another one.
    Detour,
    /// By the packet switch.
    Packets,
}

impl SumKey for Sum {
    fn place(self) -> usize {
        self as usize
    }
}

impl Ocs {
    fn is_switch(&self, node: NodeId) -> bool {
        self.switches.contains(&node)
    }

    /// The work of this traffic before it begins.
    fn frontier(&self, traffic: &[Traffic]) -> Frontier {
        Frontier::new(traffic, &|node| self.numbers.get(&node).copied())
    }
}

impl kind::Plan for Ocs {
    fn port(&self, network: &Network, id: LinkId) -> PortRule {
        let link = &network.links[id.index()];
        let light = match (self.is_switch(link.to), self.is_switch(link.from)) {
            (true, _) => Light::FirstBit,
            (_, true) => Light::LastBit,
            _ => Light::None,
        };
        PortRule { light, ..PortRule::of(link) }
    }

    fn install_agents(&self, build: &mut BuildContext) -> AgentSetup {
        let members = Arc::new(Members::new(&self.ports, build));
        let mut agent_setup = AgentSetup::default();
        for (own, agent) in self.ports.iter().zip(0..) {
            let taken = own.up.iter().chain(own.packet.iter().map(|[to, _]| to));
            for (link, place) in taken.zip(0..) {
                agent_setup.interceptors.insert(*link, Interceptor { agent, place });
            }
            agent_setup.unbounded.extend(own.up.iter().chain(&own.down).chain(own.packet.iter().map(|[to, _]| to)));
            let by_packets = own.packet.filter(|_| self.rules.rest == Rest::Packets);
            let arrivals = own.down.iter().copied().chain(by_packets.map(|[_, from]| from));
            agent_setup.arrivals.insert(own.node, arrivals.collect());
            agent_setup.agents.push((own.node, Box::new(Node::new(self, agent, &members, build))));
        }
        agent_setup
    }

    fn steward(&self, scenario: &Scenario, flows: &[Flow]) -> Option<Box<dyn Steward>> {
        let frontier = self.frontier(&scenario.traffic);
        let policy = self.chosen.policy(&frontier, &self.names);
        let capacity = |link: LinkId| scenario.network.links[link.index()].capacity;
        let by_packets = self.ports[0].packet.filter(|_| self.rules.rest == Rest::Packets);
        let without = by_packets.map_or(Rate::from_bps(0), |[to, _]| capacity(to));
        let capacities = Capacities { circuit: capacity(self.ports[0].up[0]), without };
        let round_trips = |flow: &Flow| round_trips(self, scenario, flow);
        let tellers = Tellers::new(&scenario.news, flows, &self.numbers, capacities, &round_trips);
        let deciding = Deciding { policy, frontier };
        Some(Box::new(Controller::new(self.turns, deciding, tellers, self.names.clone())))
    }

    fn told_nodes(&self) -> Vec<NodeId> {
        self.ports.iter().map(|own| own.node).collect()
    }

    fn code(&self) -> Option<&str> {
        if let Chosen::Class(class, _) = &self.chosen { Some(class) } else { None }
    }

    fn with_chooser(&self, maker: Arc<dyn ChooserMaker>) -> Option<Arc<dyn kind::Plan>> {
        let class = self.code()?.to_owned();
        Some(Arc::new(Ocs { chosen: Chosen::Class(class, Some(maker)), ..self.clone() }))
    }

    fn echoes(&self) -> Option<&'static str> {
        self.rules.mark_from.map(|_| "switching.mark_from")
    }

    fn keeps(&self, network: &Network, id: LinkId, name: &str) -> Option<String> {
        let link = &network.links[id.index()];
        let is_planned = self.is_switch(link.from) || self.is_switch(link.to);
        is_planned.then(|| format!("circuits lead over {name}, which keeps its capacity and delay"))
    }

    fn notes(&self, scenario: &Scenario) -> Vec<String> {
        let answers = scenario.traffic.iter().find(|traffic| {
            matches!(traffic.arrivals, Arrivals::Work(_))
                && scenario.transports[traffic.transport.index()].kind.protocol() != Protocol::Udp
        });
        let waits = self.rules.acks == Acks::AsData && self.rules.rest == Rest::Wait;
        let note = |traffic: &Traffic| {
            format!(
                "ACKs of the traffic {:?} wait for circuits, and where none leads back, for ever: a packet switch \
                 (packet_capacity in [topology]) or rest = \"detour\" carries them",
                traffic.name
            )
        };
        answers.filter(|_| waits).map(note).into_iter().collect()
    }

    fn wording(&self) -> Wording {
        Wording { unit: "unit", causes: &["waiting for a circuit"] }
    }

    fn figures(&self, before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
        let of = |(name, sum)| Figure { name, value: (after.of(sum) - before.of(sum)) as f64, unit: "B" };
        let all = [("circuit_bytes", Sum::Circuit), ("detour_bytes", Sum::Detour), ("packet_bytes", Sum::Packets)];
        all.map(of).to_vec()
    }
}
