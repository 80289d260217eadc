//! The agent of the packet switch: room for a few packets for each input and output, of which racks know by credits.

use super::members::Members;
use super::turns::Turns;
use super::{Circuits, Notice};
use crate::engine::link::ring::Ring;
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::node::node_context::{AgentPath, ControlPacket, LocalPort, NodeContext};
use crate::engine::node::tournament_tree::TournamentTree;
use crate::engine::packet::message::Message;
use crate::engine::packet::{NEVER, Packet};
use std::sync::Arc;
use units::ByteTime;

/// Bytes of a credit on the wire.
const CREDIT: u16 = 64;

/// The packet switch.
#[derive(Debug)]
pub(super) struct PacketSwitch {
    members: Arc<Members>,
    /// By rack.
    outputs: Vec<Output>,
    /// Ways of credits to racks, whose agents have the racks' numbers.
    credits: Vec<AgentPath>,
    /// When each output sends its next packet.
    next: TournamentTree,
    soonest: (u64, u32),
    waiting: u64,
}

/// The link to a rack and what waits for it.
#[derive(Debug)]
struct Output {
    port: LocalPort,
    byte_time: ByteTime,
    /// By the rack that packets come from.
    queues: Vec<Ring<Packet>>,
    turns: Turns,
    /// When it has sent what it was given.
    free: u64,
    sent: u64,
}

impl PacketSwitch {
    /// A switch before its first packet.
    pub fn new(plan: &Circuits, members: &Arc<Members>, build: &mut BuildContext) -> PacketSwitch {
        let racks = plan.racks.len();
        let mut outputs = Vec::new();
        let mut credits = Vec::new();
        for links in &plan.racks {
            let capacity = build.network.links[links.from_packet.index()].capacity;
            outputs.push(Output {
                port: build.port(plan.packet_switch, links.from_packet),
                byte_time: ByteTime::at(capacity).expect("a resolved link has a byte time"),
                queues: (0..racks).map(|_| Ring::new()).collect(),
                turns: Turns::new(racks),
                free: 0,
                sent: 0,
            });
            credits.push(build.agent_path(plan.packet_switch, &[links.credits]));
        }
        let next = TournamentTree::new(racks);
        PacketSwitch { members: Arc::clone(members), outputs, credits, next, soonest: (NEVER, 0), waiting: 0 }
    }

    /// Sends the next packet of an output if it can leave.
    fn serve(&mut self, now: u64, to: u32, context: &mut NodeContext) {
        let output = &mut self.outputs[to as usize];
        if output.free <= now
            && let Some(from) = output.turns.take(None)
        {
            let queue = &mut output.queues[from as usize];
            let packet = queue.pop().expect("a queue whose turn it is has a packet");
            output.turns.set(from, !queue.is_empty());
            context.port_mut(output.port).let_go(now, packet.size);
            context.send_past(now, &packet);
            output.free = now + output.byte_time.of_packet(packet.size).ps();
            output.sent += 1;
            self.waiting -= 1;
            let message = Message::new(Notice::Credit { to, size: packet.size, leaves: output.free });
            let way = self.credits[from as usize];
            context.send(now, ControlPacket { to: from, way, size: CREDIT, number: output.sent, message });
        }
        let output = &self.outputs[to as usize];
        self.next.set(to, if output.turns.any(None) { output.free } else { NEVER });
        self.soonest = self.next.earliest(now);
    }
}

impl Agent for PacketSwitch {
    fn next_timeout(&self) -> u64 {
        self.soonest.0
    }

    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        while self.soonest.0 <= now {
            self.serve(now, self.soonest.1, context);
        }
    }

    fn handle_packet(&mut self, now: u64, to: u32, packet: &Packet, context: &mut NodeContext) {
        let Some(member) = self.members.find(packet) else { return context.send_past(now, packet) };
        let output = &mut self.outputs[to as usize];
        context.port_mut(output.port).keep(now, packet.size);
        output.queues[member.from as usize].push(*packet);
        output.turns.set(member.from, true);
        self.waiting += 1;
        self.serve(now, to, context);
    }

    fn kept(&self) -> i64 {
        i64::try_from(self.waiting).unwrap_or(i64::MAX)
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        for queue in self.outputs.iter_mut().flat_map(|output| &mut output.queues) {
            queue.for_each_mut(&mut *change);
        }
    }
}
