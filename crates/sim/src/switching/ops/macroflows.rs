//! Macroflows as a control of the edge nodes (paper 002, §2.2): controllers at the outputs of all nodes, and edge nodes
//! that pace what they send.

use super::builder::EdgeControl;
use super::builder::{Builder, NodeOutputs};
use super::control::{Control, ControlledOutput, Onward, QueueOf, Stop};
use super::core_control::CoreControl;
use super::demands::Macroflow;
use super::edge::{EdgeConfig, EdgeNode, Local, Outlet};
use super::plan::{Count, MacroflowRules};
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::BuildContext;
use crate::model::{LinkId, Role};
use std::collections::BTreeMap;
use std::sync::Arc;
use transport::xcp::{MacroflowConfig, Macroflows, Wavelength, WavelengthConfig};
use units::{Instant, Rate};

impl EdgeControl for MacroflowRules {
    fn at_core(&self, outputs: &NodeOutputs, builder: &Builder, build: &mut BuildContext) -> Box<dyn CoreControl> {
        Box::new(self.control(outputs, builder, build))
    }

    fn at_edge(&self, outputs: &NodeOutputs, builder: &Builder, build: &mut BuildContext) -> Box<dyn Agent> {
        let node = &outputs.node;
        let control = self.control(outputs, builder, build);
        let here = builder.trips.macroflows.iter().filter(|one| one.ingress == *node);
        Box::new(EdgeNode::new(EdgeConfig {
            control,
            macroflows: here.map(|macroflow| self.local(macroflow, outputs, builder)).collect(),
            members: Arc::clone(&builder.members),
            smoothing: self.smoothing,
            stream: build.seed.stream(&format!("edge {}", builder.network.nodes[node.index()].name), "smoothing"),
        }))
    }
}

impl MacroflowRules {
    fn local(&self, macroflow: &Macroflow, outputs: &NodeOutputs, builder: &Builder) -> Local {
        let link = builder.fibre(macroflow.links[0]).wavelengths[macroflow.wavelength as usize];
        let output = outputs.links.iter().position(|other| *other == link).unwrap_or(0);
        let outlet = Outlet { port: outputs.ports[output], room: builder.link(link).buffer };
        Local::new(macroflow.id, outlet, self.macroflow(builder.link(link).capacity), self.smoothing)
    }

    /// The controllers of a node and its part in the ways of probes.
    fn control(&self, outputs: &NodeOutputs, builder: &Builder, build: &mut BuildContext) -> Control {
        let NodeOutputs { node, links, ports } = outputs;
        let mut passing = vec![0; links.len()];
        let mut stops = BTreeMap::new();
        for macroflow in &builder.trips.macroflows {
            if macroflow.egress == *node {
                stops.insert(macroflow.id, Stop::Turn(way_back(macroflow, builder, build)));
            }
            let Some(first) = macroflow.links.iter().find(|link| builder.link(**link).from == *node) else { continue };
            let link = builder.fibre(*first).wavelengths[macroflow.wavelength as usize];
            let Some(place) = links.iter().position(|other| *other == link) else { continue };
            let Some(agent) = builder.agent(builder.link(link).to) else { continue };
            passing[place] += 1;
            let way = builder.control_way(*node, &[*first], build);
            stops.insert(macroflow.id, Stop::Pass(place as u32, Onward { way, agent }));
        }
        let role = builder.role(*node);
        let controlled = |(place, link): (usize, &LinkId)| ControlledOutput {
            port: ports[place],
            controller: self.wavelength(role, builder.link(*link).capacity, passing[place]),
        };
        let with_kept = role == Role::Edge && self.edge_queue_kept;
        let queue = if with_kept { QueueOf::LineAndKept } else { QueueOf::Line };
        Control::new(links.iter().enumerate().map(controlled).collect(), stops, queue)
    }

    fn wavelength(&self, role: Role, capacity: Rate, macroflows: u32) -> Option<Wavelength> {
        (macroflows > 0).then(|| Wavelength::new(self.controller(role, capacity, macroflows), Instant::ZERO))
    }

    fn macroflow(&self, wavelength: Rate) -> MacroflowConfig {
        let usual = MacroflowConfig::new(wavelength);
        let start = self.start.unwrap_or(usual.start).max(self.floor).min(usual.ceiling);
        MacroflowConfig {
            start,
            floor: self.floor,
            interval: self.period,
            tells: self.tells,
            memory: self.memory,
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

/// From the egress to the ingress over control wavelengths.
fn way_back(macroflow: &Macroflow, builder: &Builder, build: &mut BuildContext) -> Onward {
    let way = builder.control_way(macroflow.egress, &macroflow.back, build);
    Onward { way, agent: builder.agent(macroflow.ingress).unwrap_or_default() }
}
