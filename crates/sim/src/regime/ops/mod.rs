//! Optical packet switching with a handful of packets of optical RAM, and paced XCP macroflows (Alparslan, Arakawa, Murata: paper
//! 002).
//!
//! | file | holds |
//! |---|---|
//! | `edge` | the edge node: macroflows, their pacing and probes |
//! | `members` | which packets belong to which macroflow |
//! | `queue` | what waits in a macroflow |
//! | `spread` | the edge node without macroflows where there are several wavelengths |
//! | `core`, `edge_control` | the core node, and its part in a control of the edge nodes |
//! | `control` | the control wavelength: controllers, and the ways of probes |
//! | `store`, `ram`, `slots`, `lines` | packets that meet at a core node |
//! | `trips` | who sends where, and on which wavelength |
//! | `ways` | the same way on each wavelength |
//!
//! A core output with one wavelength, or whose wavelengths share nothing, is an ordinary port: its buffer is the optical RAM.
//! Where core nodes cut through, the fibres to them tell when a packet's *first* bit arrives; the output may begin at once,
//! because it has the rate of the input.
//!
//! Left out: processing and set-up times of the switch, conversion in a network with macroflows (their controllers are those of
//! one wavelength each), changes of links during a run.

mod check;
mod control;
mod core;
mod edge;
mod edge_control;
mod keys;
mod lines;
mod members;
pub mod plan;
mod queue;
mod ram;
mod slots;
mod spread;
mod store;
mod trips;
mod ways;

pub(super) use check::check;
pub use keys::OpsSwitching as Keys;
pub use plan::Ops;

use self::core::CoreNode;
use self::lines::Lines;
use self::members::Members;
use self::plan::{Conversion, Count, MacroflowRules};
use self::ram::Ram;
use self::slots::{Places, Queues};
use self::spread::Spread;
use self::store::{Bank, Kind, Slotted, Store};
use self::trips::{Macroflow, Trips};
use self::ways::Ways;
use super::kind::{self, Entry, Regime};
use crate::engine::bench::{OwnPort, Way};
use crate::engine::equipment::{Equipment, Ground};
use crate::engine::offer::Intake;
use crate::model::{Lane, Light, Link, LinkId, Network, NodeId, PortRule, Role};
use control::{Control, ControlledOutput, Onward, QueueOf, Stop};
use edge::{EdgeConfig, EdgeNode, Local};
use edge_control::EdgeControl;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use transport::xcp::{MacroflowConfig, Macroflows, Probe, Wavelength, WavelengthConfig};
use units::{ByteTime, Instant, Rate};

pub(super) const REGIME: Regime = Regime::new(Entry {
    name: "ops",
    summary: "Packets of light: cut-through with a little RAM, slots or delay lines; edge nodes may pace XCP macroflows.",
    source: "paper 002 (XCP macroflows with optical RAM), §2.2 and §3.1; slots: Hluchyj and Karol 1988",
});

impl kind::Plan for Ops {
    /// Where packets of light travel, the far end waits for their last bit or for their first.
    fn port(&self, network: &Network, id: LinkId) -> PortRule {
        let link = &network.links[id.index()];
        let [from, to] = [link.from, link.to].map(|node| network.nodes[node.index()].role);
        let is_data = link.lane != Lane::Control && from != Role::Host && to != Role::Host;
        let light = match (is_data, self.cut_through && to == Role::Core) {
            (false, _) => Light::None,
            (true, false) => Light::LastBit,
            (true, true) => Light::FirstBit,
        };
        PortRule { light, ..PortRule::of(link) }
    }

    /// The agents of the network's edge and core nodes, where they have something to do.
    fn equip(&self, ground: &mut Ground) -> Equipment {
        let builder = Builder::new(self, ground);
        let mut equipment = Equipment::default();
        for (node, agent) in &builder.agents {
            let number = equipment.agents.len() as u32;
            debug_assert_eq!(number, *agent, "agents are hired in the order of their nodes");
            match builder.role(*node) {
                Role::Core => builder.hire_core(*node, number, &mut equipment, ground),
                Role::Edge | Role::Host => builder.hire_edge(*node, number, &mut equipment, ground),
            }
        }
        equipment
    }
}

/// What nodes tell one another.
#[derive(Clone, Copy, Debug)]
pub enum Notice {
    /// A probe of a macroflow is on its way from node to node.
    Probe {
        /// The macroflow.
        macroflow: u32,
        /// What it carries.
        probe: Probe,
    },
    /// A probe of a macroflow comes back.
    Feedback {
        /// The macroflow.
        macroflow: u32,
        /// What it carries.
        probe: Probe,
    },
}

/// What all agents need.
struct Builder<'a> {
    ops: &'a Ops,
    network: &'a Network,
    trips: Trips,
    ways: Arc<Ways>,
    members: Arc<Members>,
    /// The agent of each node that has one.
    agents: BTreeMap<NodeId, u32>,
}

impl<'a> Builder<'a> {
    fn new<'g: 'a>(ops: &'a Ops, ground: &mut Ground<'g>) -> Builder<'a> {
        let network = ground.network;
        let (trips, ways) = Trips::new(ops, ground);
        let mut builder = Builder {
            ops,
            network,
            members: Arc::new(trips.members()),
            trips,
            ways: Arc::new(ways),
            agents: BTreeMap::new(),
        };
        let nodes = (0..network.nodes.len() as u32).map(NodeId);
        let busy: Vec<NodeId> = nodes.filter(|node| builder.has_work(*node)).collect();
        builder.agents = busy.into_iter().zip(0..).collect();
        builder
    }

    fn has_work(&self, node: NodeId) -> bool {
        let outputs = self.outputs(node).next().is_some();
        outputs
            && match self.role(node) {
                Role::Core => self.ops.macroflows.is_some() || self.ops.needs_store(),
                Role::Edge => self.ops.macroflows.is_some() || self.ops.wavelengths() > 1,
                Role::Host => false,
            }
    }

    fn role(&self, node: NodeId) -> Role {
        self.network.nodes[node.index()].role
    }

    fn link(&self, id: LinkId) -> &Link {
        &self.network.links[id.index()]
    }

    /// The fibres that leave a node, in order.
    fn outputs(&self, node: NodeId) -> impl Iterator<Item = &plan::Fibre> {
        self.ops.fibres.iter().filter(move |fibre| self.link(fibre.wavelengths[0]).from == node)
    }

    /// All wavelengths of all outputs of a node, in order: their place in this list is what agents call them.
    fn places(&self, node: NodeId) -> Vec<LinkId> {
        self.outputs(node).flat_map(|fibre| &fibre.wavelengths).copied().collect()
    }

    /// Their ports.
    fn ports(&self, node: NodeId, ground: &mut Ground) -> Vec<OwnPort> {
        self.places(node).into_iter().map(|link| ground.port(node, link)).collect()
    }

    fn hire_core(&self, node: NodeId, number: u32, equipment: &mut Equipment, ground: &mut Ground) {
        let places = self.places(node);
        let ports = self.ports(node, ground);
        // Another edge control would be made here, and its edge nodes in `hire_edge`.
        let control = self
            .ops
            .macroflows
            .is_some()
            .then(|| Box::new(self.control(node, &places, &ports, ground)) as Box<dyn EdgeControl>);
        let store = self.ops.needs_store().then(|| {
            for (place, link) in (0..).zip(&places) {
                equipment.intakes.insert(*link, Intake { agent: number, place });
                equipment.boundless.insert(*link);
            }
            Store::new(self.ops.wavelengths(), ports, Arc::clone(&self.ways), self.kind(node))
        });
        equipment.agents.push((node, Box::new(CoreNode::new(control, store))));
    }

    fn kind(&self, node: NodeId) -> Kind {
        let byte_time = |link: LinkId| ByteTime::at(self.link(link).capacity).expect("a resolved link has a byte time");
        let (wavelengths, conversion) = (self.ops.wavelengths(), self.ops.conversion);
        match self.ops.store {
            plan::Store::Ram { .. } => {
                let ram = |fibre: &plan::Fibre| {
                    let first = fibre.wavelengths[0];
                    Ram::new(self.link(first).buffer, conversion, wavelengths, byte_time(first))
                };
                Kind::Ram(self.outputs(node).map(ram).collect())
            }
            plan::Store::Slots(rules) => {
                let converts = conversion == Conversion::Full;
                let (queues_each, servers) = if converts { (1, wavelengths) } else { (wavelengths, 1) };
                let outputs = self.outputs(node).count();
                let shape = Queues { outputs, each: queues_each as usize, servers: servers as usize };
                let places = Places::new(rules, shape);
                Kind::Slots(Slotted { slot: rules.slot.ps(), places, converts, next: u64::MAX, sent: None })
            }
            plan::Store::Lines { .. } => {
                let bank = |link: LinkId| Bank {
                    lines: Lines::new(self.ops.store),
                    byte_time: byte_time(link),
                    inside: VecDeque::new(),
                };
                Kind::Lines(self.places(node).into_iter().map(bank).collect())
            }
        }
    }

    fn hire_edge(&self, node: NodeId, number: u32, equipment: &mut Equipment, ground: &mut Ground) {
        let places = self.places(node);
        let ports = self.ports(node, ground);
        // Flows know the first wavelengths only.
        for (place, link) in (0..).zip(&places).step_by(self.ops.wavelengths() as usize) {
            equipment.intakes.insert(*link, Intake { agent: number, place });
        }
        let Some(rules) = &self.ops.macroflows else {
            let entries = self.trips.list.iter().map(|trip| (trip.entry(), trip.first)).collect();
            let spread = Spread::new(self.ops, ports, entries, Arc::clone(&self.ways));
            return equipment.agents.push((node, Box::new(spread)));
        };
        equipment.boundless.extend(places.iter().copied());
        let control = self.control(node, &places, &ports, ground);
        let rooms = places.iter().map(|link| self.link(*link).buffer).collect();
        let here: Vec<&Macroflow> = self.trips.macroflows.iter().filter(|one| one.ingress == node).collect();
        let locals = here.iter().map(|macroflow| self.local(macroflow, &places, rules)).collect();
        let stream = ground.seed.stream(&format!("edge {}", self.network.nodes[node.index()].name), "smoothing");
        let (members, smoothing) = (Arc::clone(&self.members), rules.smoothing);
        let agent = EdgeNode::new(EdgeConfig { control, rooms, macroflows: locals, members, smoothing, stream });
        equipment.agents.push((node, Box::new(agent)));
    }

    fn local(&self, macroflow: &Macroflow, places: &[LinkId], rules: &MacroflowRules) -> Local {
        let link = self.fibre(macroflow.links[0]).wavelengths[macroflow.wavelength as usize];
        let output = places.iter().position(|place| *place == link).unwrap_or(0) as u32;
        Local::new(macroflow.id, output, rules.macroflow(self.link(link).capacity), rules.smoothing)
    }

    fn fibre(&self, first: LinkId) -> &plan::Fibre {
        let place = self.ops.fibres.binary_search_by_key(&first, |fibre| fibre.wavelengths[0]);
        &self.ops.fibres[place.expect("macroflows travel fibres")]
    }

    /// The controllers of a node and its part in the ways of probes.
    fn control(&self, node: NodeId, places: &[LinkId], ports: &[OwnPort], ground: &mut Ground) -> Control {
        let mut passing = vec![0; places.len()];
        let mut stops = BTreeMap::new();
        for macroflow in self.trips.macroflows.iter().filter(|_| self.ops.macroflows.is_some()) {
            if macroflow.egress == node {
                stops.insert(macroflow.id, Stop::Turn(self.way_back(macroflow, ground)));
            }
            let Some(first) = macroflow.links.iter().find(|link| self.link(**link).from == node) else { continue };
            let fibre = self.fibre(*first);
            let link = fibre.wavelengths[macroflow.wavelength as usize];
            let Some(place) = places.iter().position(|place| *place == link) else { continue };
            let (Some(control), Some(agent)) = (fibre.control, self.agents.get(&self.link(link).to)) else { continue };
            passing[place] += 1;
            stops.insert(
                macroflow.id,
                Stop::Pass(place as u32, Onward { way: ground.way(node, &[control]), agent: *agent }),
            );
        }
        let output = |(place, link): (usize, &LinkId)| ControlledOutput {
            port: ports[place],
            controller: self.controller(node, self.link(*link).capacity, passing[place]),
        };
        let with_kept = self.role(node) == Role::Edge && self.ops.macroflows.is_some_and(|rules| rules.edge_queue_kept);
        let queue = if with_kept { QueueOf::LineAndKept } else { QueueOf::Line };
        Control::new(places.iter().enumerate().map(output).collect(), stops, queue)
    }

    fn controller(&self, node: NodeId, capacity: Rate, macroflows: u32) -> Option<Wavelength> {
        let rules = self.ops.macroflows.as_ref().filter(|_| macroflows > 0)?;
        Some(Wavelength::new(rules.controller(self.role(node), capacity, macroflows), Instant::ZERO))
    }

    /// From the egress to the ingress over control wavelengths.
    fn way_back(&self, macroflow: &Macroflow, ground: &mut Ground) -> Onward {
        let links: Vec<LinkId> = macroflow.back.iter().filter_map(|link| self.fibre(*link).control).collect();
        let way: Way = ground.way(macroflow.egress, &links);
        Onward { way, agent: self.agents.get(&macroflow.ingress).copied().unwrap_or_default() }
    }
}

impl Ops {
    /// Data wavelengths of a fibre.
    pub fn wavelengths(&self) -> u32 {
        self.fibres.first().map_or(1, |fibre| fibre.wavelengths.len() as u32)
    }

    /// Whether packets that meet need more than ports with buffers.
    pub fn needs_store(&self) -> bool {
        match self.store {
            plan::Store::Ram { shared } => self.wavelengths() > 1 && (shared || self.conversion != Conversion::None),
            plan::Store::Slots(_) | plan::Store::Lines { .. } => true,
        }
    }
}

impl MacroflowRules {
    fn macroflow(&self, wavelength: Rate) -> MacroflowConfig {
        let usual = MacroflowConfig::new(wavelength);
        let start = self.start.unwrap_or(usual.start).max(self.floor).min(usual.ceiling);
        MacroflowConfig {
            start,
            floor: self.floor,
            interval: self.period,
            tells: self.tells,
            changes: self.changes,
            ..usual
        }
    }

    fn controller(&self, role: Role, capacity: Rate, passing: u32) -> WavelengthConfig {
        let macroflows = match self.count {
            Count::Probes => Macroflows::Probing,
            Count::Active => Macroflows::Active,
            Count::Given => Macroflows::Given(passing),
        };
        let (target, gains) = match role {
            Role::Core => (self.target, self.gains),
            Role::Edge | Role::Host => (self.edge_target, self.edge_gains),
        };
        WavelengthConfig { capacity, target, gains, interval: self.period, macroflows }
    }
}
