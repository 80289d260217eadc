//! Queues at hosts: packets for other racks wait at their host until its rack has room for them.
//!
//! A host may have so many bytes at its rack for each other rack. It begins with all of that room; the rack gives room
//! back as packets leave, in parts of a half, beside the data. Packets on shortest paths within a slice do not wait.

use super::members::Members;
use super::queue::{Queues, Waiting};
use super::rack::rooms::Room;
use super::{HostLinks, Notice, Rotor, WAITING};
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::node::node_context::{LocalPort, NodeContext};
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::What;
use crate::engine::packet::message::Message;
use crate::engine::packet::{Class, NEVER, Packet};
use crate::model::Buffer;
use std::sync::Arc;

/// A host whose packets wait.
#[derive(Debug)]
pub(super) struct Host {
    rack: u32,
    members: Arc<Members>,
    port: LocalPort,
    /// The room of its link, for what waits here and what waits in the port.
    buffer: Buffer,
    /// By the rack that they go to.
    queues: Queues,
    /// By rack: bytes that its own rack has room for.
    room: Vec<u64>,
    waiting: u64,
}

impl Host {
    /// A host of this rack before its first packet.
    pub fn new(plan: &Rotor, rack: u32, links: HostLinks, members: &Arc<Members>, build: &mut BuildContext) -> Host {
        let racks = plan.racks.len();
        Host {
            rack,
            members: Arc::clone(members),
            port: build.port(links.node, links.up),
            buffer: build.network.links[links.up.index()].buffer,
            queues: Queues::new(racks, 1),
            room: vec![plan.rules.host_room.unwrap_or(u64::MAX); racks],
            waiting: 0,
        }
    }

    /// Whether its rack has room for a packet.
    fn has_room(&self, to: u32, size: u16) -> bool {
        self.room[to as usize] >= size.into()
    }

    /// A packet goes to its rack.
    fn send(&mut self, now: u64, to: Option<u32>, packet: &Packet, context: &mut NodeContext) {
        if let Some(to) = to {
            self.room[to as usize] -= u64::from(packet.size);
        }
        context.send_past(now, packet);
    }
}

impl Agent for Host {
    fn next_timeout(&self) -> u64 {
        NEVER
    }

    fn handle_timeout(&mut self, _: u64, _: &mut NodeContext) {}

    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        let Some(Notice::Room(Room { to, bytes })) = message.open() else { return };
        self.room[to as usize] += bytes;
        while let Some(size) = self.queues.at(to as usize).first()
            && self.has_room(to, size)
            && let Some(waiting) = self.queues.pop(to as usize)
        {
            self.waiting -= 1;
            context.port_mut(self.port).let_go(now, size);
            self.send(now, Some(to), &waiting.packet, context);
        }
    }

    fn handle_packet(&mut self, now: u64, _: u32, packet: &Packet, context: &mut NodeContext) {
        let goal = self.members.goal(packet, self.rack).filter(|goal| !goal.by_slice && packet.class != Class::Control);
        let to = goal.map(|goal| goal.to);
        let kept = to.filter(|to| self.queues.has(*to) || !self.has_room(*to, packet.size));
        let port = context.port_mut(self.port);
        if (kept.is_some() || port.busy_until() > now) && port.is_full(now, self.buffer, packet.size) {
            let cause = if kept.is_some() { Cause::Agent(WAITING) } else { Cause::Congestion };
            return context.refuse(now, cause, packet);
        }
        let Some(to) = kept else {
            self.send(now, to, packet, context);
            return context.port_mut(self.port).note_waiting_in_all(now);
        };
        port.keep(now, packet.size);
        port.note_waiting_in_all(now);
        context.note(now, What::Store, packet);
        self.waiting += 1;
        self.queues.push(to, 0, Waiting { packet: *packet, arrived: now, to });
    }

    fn kept(&self) -> i64 {
        i64::try_from(self.waiting).unwrap_or(i64::MAX)
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.queues.for_each_mut(change);
    }
}
