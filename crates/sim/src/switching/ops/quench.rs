//! A second control of the edge nodes besides macroflows, for tests: core nodes tell an edge node that a packet of its
//! found a congested store, and the edge node pauses.

use super::Ops;
use super::builder::{Builder, EdgeControl, NodeOutputs};
use super::core_control::{CoreControl, Meeting, Occupancy};
use super::edges::EdgeRules;
use super::plan::{Congestion, Switches};
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::node_context::{AgentPath, ControlPacket, LocalPort, NodeContext};
use crate::engine::packet::message::Message;
use crate::engine::packet::{Flags, Packet};
use crate::model::{LinkId, Network, NodeId, PortRule, Routes};
use crate::switching::kind::Plan;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// In picoseconds: what a packet of 1500 B lasts at 1 Gb/s, and how long an edge node pauses.
const PACKET: u64 = 12_000_000;
const PAUSE: u64 = 100_000_000;

/// A plan of optical packet switching without macroflows, but with this.
pub fn plan(ops: &Ops, congestion: Option<Congestion>, control: Option<Quench>) -> Arc<dyn Plan> {
    let switches = Switches { congestion, scheme: None, ..ops.switches.clone() };
    Arc::new(With { ops: Ops { switches, edge: EdgeRules::None }, control })
}

/// A plan with another control of the edge nodes.
#[derive(Debug)]
struct With {
    ops: Ops,
    control: Option<Quench>,
}

impl Plan for With {
    fn port(&self, network: &Network, id: LinkId) -> PortRule {
        self.ops.port(network, id)
    }

    fn install_agents(&self, build: &mut BuildContext) -> AgentSetup {
        self.ops.equip_with(self.control.as_ref().map(|control| control as &dyn EdgeControl), build)
    }
}

/// The control.
#[derive(Clone, Debug, Default)]
pub struct Quench {
    told: Arc<AtomicU64>,
    marks_seen: Arc<AtomicU64>,
}

impl Quench {
    /// How often edge nodes were told, and the marks that they have seen on packets that leave the optical network.
    pub fn counts(&self) -> [u64; 2] {
        [&self.told, &self.marks_seen].map(|count| count.load(Ordering::Relaxed))
    }
}

impl EdgeControl for Quench {
    fn at_core(&self, outputs: &NodeOutputs, builder: &Builder, build: &mut BuildContext) -> Box<dyn CoreControl> {
        let mut routes = Routes::new(builder.network, &builder.network.open_to_flows());
        let mut back = |ingress: NodeId| {
            let links = routes.path(outputs.node, ingress).expect("fibres lead both ways");
            (
                builder.agent(ingress).expect("an edge control has an agent at every edge node"),
                builder.control_way(outputs.node, &links, build),
            )
        };
        let trips = builder.trips.list.iter();
        let ingress = trips.map(|trip| (trip.entry(), back(trip.ends(builder.network).0))).collect();
        Box::new(QuenchCore { ingress })
    }

    fn at_edge(&self, outputs: &NodeOutputs, _: &Builder, _: &mut BuildContext) -> Box<dyn Agent> {
        let (outputs, control) = (outputs.ports.clone(), self.clone());
        Box::new(QuenchEdge { outputs, queue: VecDeque::new(), next: 0, control })
    }

    fn sees_exits(&self, _: NodeId, _: &Builder, _: &BuildContext) -> bool {
        true
    }
}

/// The agent at the ingress, and the way there, by where in the array of paths its packets enter.
#[derive(Debug)]
struct QuenchCore {
    ingress: BTreeMap<u32, (u32, AgentPath)>,
}

impl CoreControl for QuenchCore {
    fn next_timeout(&self) -> u64 {
        u64::MAX
    }

    fn handle_timeout(&mut self, _: u64, _: &mut NodeContext) {}

    fn handle_message(&mut self, _: u64, _: Message, _: &mut NodeContext) {}

    fn handle_meeting(&mut self, now: u64, meeting: Meeting, context: &mut NodeContext) {
        if meeting.store == Occupancy::Congested {
            let before = self.ingress.range(..=meeting.packet.hop).next_back();
            let (to, way) = *before.expect("packets come from trips").1;
            context.send(now, ControlPacket { to, way, size: 40, number: 0, message: Message::new(()) });
        }
    }
}

#[derive(Debug)]
struct QuenchEdge {
    outputs: Vec<LocalPort>,
    queue: VecDeque<Packet>,
    /// When it may send again.
    next: u64,
    control: Quench,
}

impl Agent for QuenchEdge {
    fn next_timeout(&self) -> u64 {
        if self.queue.is_empty() { u64::MAX } else { self.next }
    }

    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        while self.next <= now
            && let Some(packet) = self.queue.pop_front()
        {
            self.next = now + PACKET;
            context.send_past(now, &packet);
        }
    }

    fn handle_message(&mut self, now: u64, _: Message, _: &mut NodeContext) {
        self.control.told.fetch_add(1, Ordering::Relaxed);
        self.next = self.next.max(now + PAUSE);
    }

    fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, context: &mut NodeContext) {
        if place as usize >= self.outputs.len() {
            self.control.marks_seen.fetch_add(packet.flags.has(Flags::MARKED).into(), Ordering::Relaxed);
            return context.send_past(now, packet);
        }
        self.queue.push_back(*packet);
        self.handle_timeout(now, context);
    }

    fn kept(&self) -> i64 {
        self.queue.len() as i64
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.queue.iter_mut().for_each(change);
    }
}
