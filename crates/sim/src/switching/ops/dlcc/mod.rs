//! Dual-layer congestion control over slotted packets (Z. Lu, D. K. Hunter, JOCN 1(A), 2009: paper 000).
//!
//! A packet of a host comes to its edge node (`edge`), which cuts it into slots and lets them leave at the rate of
//! their edge-to-edge flow (`outflow`). The core node on their way has few places; when it loses one, it says whether
//! this is congestion or contention (`core`, `detection`) and notifies the edge node that the slot came from. That
//! lowers the flow's rate (`reaction`), and tells the TCP source by ACKs of its own (`ops_acks`), so the source
//! repairs the loss a round trip of the core earlier.
//!
//! | file | holds |
//! |---|---|
//! | `keys`, `check`, `rules` | `[switching.dlcc]`, what is wrong with it, what it says |
//! | `layout` | edge-to-edge flows, and which packets belong to them |
//! | `edge`, `sources` | the edge node, with its `acks`; the TCP flows that enter there |
//! | `outflow`, `output` | what it sends to another one; an output, which takes a packet a slot |
//! | `extra_buffer` | what builds up after notifications (§VII) |
//! | `core` | the part of a core node |
//! | `signal`, `figures` | what nodes tell one another; what they count |
//! | `segmentation` | packets cut into slots |
//! | `smoothing`, `negotiation` | the rate that is asked for, eq. (1), and who grants it (§II) |
//! | `detection`, `window` | congestion or contention (§III.B) |
//! | `notification` | how notifications travel (§III.B) |
//! | `reaction` | what the optical rate does (§III.C) |
//! | `ops_acks`, `last_named`, `acks`, `by_seq` | what the source is told, and which ACKs are discarded (§III.C, §IV) |
//! | `ack_pacing` | a baseline: ACKs spaced while the core is busy |
//! | `rate` | rates in slots |
//!
//! The machines (from `segmentation` on) own no clock and are tested by themselves.
//!
//! Left out: another route for datagrams when there is congestion (§IV), which the paper leaves out as well.

mod ack_pacing;
mod acks;
mod by_seq;
pub(super) mod check;
mod core;
mod detection;
mod edge;
mod extra_buffer;
mod figures;
pub mod keys;
mod last_named;
mod layout;
pub mod negotiation;
mod notification;
pub mod ops_acks;
mod outflow;
mod output;
pub mod rate;
pub mod reaction;
pub mod rules;
mod segmentation;
mod signal;
pub mod smoothing;
mod sources;
mod window;

use self::core::{CoreOutput, Counts, DlccCore, Duties, Stop};
use self::detection::{Descriptor, LossMeter};
use self::edge::{DlccEdge, EdgeParts};
use self::layout::{EdgeFlow, Layout};
use self::negotiation::Reservations;
use self::notification::{Carriage, Outbox};
use self::ops_acks::Book;
use self::outflow::Outflow;
use self::output::EdgeOutput;
use self::rules::{AckConfig, DlccPlan, DlccRules, Form};
use self::sources::{EnteringFlow, Sources};
use super::builder::{Builder, EdgeControl, NodeOutputs};
use super::control::Onward;
use super::core_control::CoreControl;
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::node::counters::KeyedSums;
use crate::model::{LinkId, NodeId, Role, Routes};
use crate::results::Figure;
use std::collections::BTreeMap;

impl EdgeControl for DlccPlan {
    fn at_core(&self, outputs: &NodeOutputs, builder: &Builder, build: &mut BuildContext) -> Box<dyn CoreControl> {
        let layout = Layout::new(builder, build, self);
        let rules = &self.rules;
        let mut inputs = Vec::new();
        let mut site = CoreSite { rules, outputs, builder, inputs: &mut inputs };
        let stops: Vec<Option<Stop>> = layout.flows.iter().map(|flow| site.stop(flow, build)).collect();
        let descriptor = || Descriptor::new(rules.detection);
        let output = |number: u32| {
            let passes = |stop: &Stop| stop.output == number;
            let smoothed = (0..).zip(&layout.flows).zip(&stops);
            let passing = smoothed.filter(|((_, flow), stop)| flow.smoothed && stop.as_ref().is_some_and(passes));
            let begun = passing.map(|((number, _), _)| (number, rules.first_rate));
            CoreOutput {
                descriptor: descriptor(),
                losses: LossMeter::new(rules.detection.window),
                reservations: Reservations::new(rules.line.part(rules.admission), rules.beyond, begun),
                outbox: Outbox::new(rules.patience),
                capacity: rules.line,
                report_at: 0,
            }
        };
        let outputs = (0..outputs.links.len() as u32).map(output).collect();
        let inputs = inputs.iter().map(|_| descriptor()).collect();
        Box::new(DlccCore { duties: rules.duties(), layout, outputs, inputs, stops, counts: Counts::default() })
    }

    fn at_edge(&self, outputs: &NodeOutputs, builder: &Builder, build: &mut BuildContext) -> Box<dyn Agent> {
        let layout = Layout::new(builder, build, self);
        let rules = self.at(outputs.node);
        let output = |(link, port): (&LinkId, _)| EdgeOutput::new(*link, port, builder.link(*link).buffer, rules.slot);
        let edge_outputs = outputs.links.iter().zip(outputs.ports.iter().copied()).map(output).collect();
        let here = (0..).zip(&layout.flows).filter(|(_, flow)| flow.ingress == outputs.node);
        let outflow = |(number, flow): (u32, &EdgeFlow)| {
            let line = outputs.links.iter().position(|link| *link == flow.links[0]).unwrap_or(0) as u32;
            Outflow::new(&rules, number, line, ask(flow, builder, build))
        };
        let outflows = here.map(outflow).collect::<Vec<_>>();
        let sources = rules.sources(outputs.node, &layout, builder, build);
        let places: BTreeMap<u32, usize> =
            outflows.iter().enumerate().map(|(place, outflow)| (outflow.number, place)).collect();
        let sources = sources
            .into_iter()
            .map(|(flow, number, source)| (flow, EnteringFlow { outflow: places[&number], ..source }));
        let sources = Sources::new(sources);
        Box::new(DlccEdge::new(EdgeParts { rules, layout, outputs: edge_outputs, outflows, sources }))
    }

    fn sees_exits(&self, node: NodeId, builder: &Builder, build: &BuildContext) -> bool {
        let rules = self.at(node);
        let listens = || {
            let layout = Layout::new(builder, build, self);
            entering(node, &layout, build).next().is_some()
        };
        rules.changes_packets() || (rules.listens() && listens())
    }

    fn cuts_packets(&self) -> bool {
        true
    }

    fn figures(&self, before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
        figures::figures(before, after)
    }

    fn causes(&self) -> &'static [&'static str] {
        figures::CAUSES
    }
}

impl DlccRules {
    fn duties(&self) -> Duties {
        Duties {
            descriptor: self.descriptor,
            loss_rate: self.loss_rate,
            notifies: self.notifies(),
            tells_of_contention: self.acks.is_some_and(|acks| acks.guarded && acks.form != Form::Ece),
            piggybacks: self.notifies() && self.carriage == Carriage::Piggyback,
            reports: self.ack_pacing.map(|_| self.detection.window),
        }
    }

    /// The TCP flows whose data enter the core at a node, each with its edge-to-edge flow.
    fn sources(
        &self,
        node: NodeId,
        layout: &Layout,
        builder: &Builder,
        build: &mut BuildContext,
    ) -> Vec<(u32, u32, EnteringFlow)> {
        let mut routes = Routes::new(builder.network, &builder.network.open_to_flows());
        let mut ways = BTreeMap::new();
        let mut sources = Vec::new();
        if !self.listens() {
            return sources;
        }
        let entering: Vec<(u32, u32)> = entering(node, layout, build).collect();
        for (number, outflow) in entering {
            let flow = &build.flows[number as usize];
            let transport = &build.transports[flow.transport.index()].kind;
            let edge_flow = &layout.flows[outflow as usize];
            let (header, ack_size) = (transport.header(), transport.ack_size() as u16);
            let way = match ways.get(&flow.source) {
                Some(way) => *way,
                None => {
                    let links = routes.path(node, flow.source).unwrap_or_default();
                    let way = build.agent_path(node, &links);
                    ways.insert(flow.source, way);
                    way
                }
            };
            let (soonest_report, report_time) = self.report_times(edge_flow, builder);
            let book = self.acks.map(|config| Book::new(AckConfig { soonest_report, report_time, ..config }));
            sources.push((number, outflow, EnteringFlow { outflow: 0, way, header, ack_size, book }));
        }
        sources
    }

    /// Before and after these no report of a slot comes: there and back to the first core node, and to the last one
    /// with full stores on the way.
    fn report_times(&self, flow: &EdgeFlow, builder: &Builder) -> (u64, u64) {
        let places = match builder.ops.store {
            super::plan::Store::Slots(slots) => u64::from(slots.places),
            _ => 0,
        };
        let hops = flow.links.len() as u64;
        let delay = |links: &[LinkId]| 2 * links.iter().map(|link| builder.link(*link).delay.ps()).sum::<u64>();
        let latest = delay(&flow.links[..flow.links.len() - 1]) + hops * ((places + 4) * self.slot + self.patience);
        // A packet of several slots is remembered when the last of them leaves; the first may have been reported by
        // then.
        let soonest = if self.cuts { 0 } else { delay(&flow.links[..1]) };
        (soonest, latest)
    }
}

/// A core node while its part is made.
struct CoreSite<'a, 'b> {
    rules: &'a DlccRules,
    outputs: &'a NodeOutputs,
    builder: &'a Builder<'b>,
    inputs: &'a mut Vec<LinkId>,
}

impl CoreSite<'_, '_> {
    /// What the node does with a flow, if it passes here.
    fn stop(&mut self, flow: &EdgeFlow, build: &mut BuildContext) -> Option<Stop> {
        let NodeOutputs { node, links, .. } = self.outputs;
        let place = flow.links.iter().position(|link| self.builder.link(*link).from == *node)?;
        let output = links.iter().position(|link| *link == flow.links[place])? as u32;
        let input = self.input(flow.links[place.checked_sub(1)?]);
        let after = self.builder.link(flow.links[place]).to;
        let next = (self.builder.role(after) == Role::Core)
            .then(|| onward(*node, &flow.links[place..=place], self.builder, build));
        let mut routes = Routes::new(self.builder.network, &self.builder.network.open_to_flows());
        let back = routes.path(*node, flow.ingress)?;
        let first = links.iter().position(|link| *link == back[0])? as u32;
        Some(Stop {
            output,
            input,
            told: flow.supported,
            losses: LossMeter::new(self.rules.detection.window),
            onward: next,
            back: onward(*node, &back, self.builder, build),
            step_back: (first, onward(*node, &back[..1], self.builder, build)),
        })
    }

    fn input(&mut self, link: LinkId) -> u32 {
        let known = self.inputs.iter().position(|other| *other == link);
        known.unwrap_or_else(|| {
            self.inputs.push(link);
            self.inputs.len() - 1
        }) as u32
    }
}

/// Over the control wavelengths beside these links, to the agent where they end.
fn onward(from: NodeId, links: &[LinkId], builder: &Builder, build: &mut BuildContext) -> Onward {
    let end = links.last().map_or(from, |link| builder.link(*link).to);
    let agent = builder.agent(end).expect("an edge control has an agent at every edge and core node");
    Onward { way: builder.control_way(from, links, build), agent }
}

/// The TCP flows whose data enter the core at a node, each with its edge-to-edge flow.
fn entering<'a>(node: NodeId, layout: &'a Layout, build: &'a BuildContext) -> impl Iterator<Item = (u32, u32)> + 'a {
    let flows = (0..).zip(build.flows.iter().zip(build.paths));
    flows.filter_map(move |(number, (flow, (there, _)))| {
        let is_tcp = build.transports[flow.transport.index()].kind.receiver().is_some();
        let outflow = layout.of_path(*there, build).filter(|_| is_tcp)?;
        (layout.flows[outflow as usize].ingress == node).then_some((number, outflow))
    })
}

/// The way of a flow's requests, if it negotiates.
fn ask(flow: &EdgeFlow, builder: &Builder, build: &mut BuildContext) -> Option<Onward> {
    flow.smoothed.then(|| onward(flow.ingress, &flow.links[..1], builder, build))
}

#[cfg(test)]
mod lab;
#[cfg(test)]
mod linux_tests;
#[cfg(test)]
mod property_tests;
