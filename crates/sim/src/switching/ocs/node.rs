//! The agent of a node with ports: a queue for each other node, and the circuit of each port.

use super::detours::NONE;
use super::keys::{Acks, Rest};
use super::members::{Goal, Members};
use super::{Notice, Ocs, Rules, Sum, Turn};
use crate::engine::link::ring::Ring;
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::node::counters::Counters;
use crate::engine::node::node_context::{LocalPort, NodeContext};
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::What;
use crate::engine::packet::message::Message;
use crate::engine::packet::{Class, Flags, NEVER, Packet};
use crate::model::Buffer;
use std::collections::BTreeSet;
use std::sync::Arc;
use units::ByteTime;

/// The reason for a drop where no circuit leads to the packet's node.
const WAITING: u8 = 0;

/// A node. Times are in picoseconds.
#[derive(Debug)]
pub(super) struct Node {
    number: u32,
    rules: Rules,
    members: Arc<Members>,
    /// The port before which packets of this node's hosts are taken, which accounts for what waits.
    home: LocalPort,
    byte_time: ByteTime,
    /// By switch.
    ports: Vec<Port>,
    /// By the node that packets go to in the end.
    queues: Vec<Queue>,
    /// Those of them that are not empty.
    filled: BTreeSet<u32>,
    /// By node: the port of the next circuit on the way, where packets take detours.
    next: Vec<u8>,
    waiting: u64,
    wake: u64,
    sent: [u64; 3],
}

/// A port with its circuit.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    to: Option<u32>,
    /// When light passes.
    lit: u64,
    /// When it has sent what it was given.
    free: u64,
    /// The last queue from which a packet took a detour by it.
    turn: u32,
}

#[derive(Debug, Default)]
struct Queue {
    packets: Ring<Packet>,
    bytes: u64,
}

impl Node {
    /// A node before its first packet.
    pub fn new(plan: &Ocs, number: u32, members: &Arc<Members>, build: &mut BuildContext) -> Node {
        let own = &plan.ports[number as usize];
        let capacity = build.network.links[own.up[0].index()].capacity;
        let home = own.packet.map_or(own.up[0], |[to, _]| to);
        Node {
            number,
            rules: plan.rules,
            members: Arc::clone(members),
            home: build.port(own.node, home),
            byte_time: ByteTime::at(capacity).expect("a resolved link has a byte time"),
            ports: vec![Port::default(); own.up.len()],
            queues: plan.ports.iter().map(|_| Queue::default()).collect(),
            filled: BTreeSet::new(),
            next: vec![NONE; plan.ports.len()],
            waiting: 0,
            wake: NEVER,
            sent: [0; 3],
        }
    }

    /// Sends what can leave now, and sees when more can.
    fn serve(&mut self, now: u64, context: &mut NodeContext) {
        self.wake = NEVER;
        for port in 0..self.ports.len() {
            let Some(circuit) = self.ports[port].to else { continue };
            let at = |own: &Port| own.lit.max(own.free);
            while at(&self.ports[port]) <= now {
                let Some(to) = self.pick(port, circuit) else { break };
                self.send(now, port, circuit, to, context);
            }
            if at(&self.ports[port]) > now && self.pick(port, circuit).is_some() {
                self.wake = self.wake.min(at(&self.ports[port]));
            }
        }
    }

    /// The queue from which a port with a circuit sends next: that of the far end, then those whose way leads there.
    fn pick(&self, port: usize, circuit: u32) -> Option<u32> {
        if self.filled.contains(&circuit) {
            return Some(circuit);
        }
        if self.rules.rest != Rest::Detour {
            return None;
        }
        let (later, earlier) = (self.ports[port].turn + 1.., ..=self.ports[port].turn);
        let leads = |to: &&u32| usize::from(self.next[**to as usize]) == port && !self.has_circuit(**to);
        self.filled.range(later).chain(self.filled.range(earlier)).find(leads).copied()
    }

    /// Whether a port leads to a node, or turns to it.
    fn has_circuit(&self, to: u32) -> bool {
        self.ports.iter().any(|port| port.to == Some(to))
    }

    fn pop(&mut self, to: u32) -> Option<Packet> {
        let queue = &mut self.queues[to as usize];
        let packet = queue.packets.pop()?;
        queue.bytes -= u64::from(packet.size);
        if queue.packets.is_empty() {
            self.filled.remove(&to);
        }
        self.waiting -= 1;
        Some(packet)
    }

    fn send(&mut self, now: u64, port: usize, circuit: u32, to: u32, context: &mut NodeContext) {
        let packet = self.pop(to).expect("a queue that is picked has a packet");
        let sum = if circuit == to { Sum::Circuit } else { Sum::Detour };
        self.sent[sum as usize] += u64::from(packet.size);
        context.port_mut(self.home).let_go(now, packet.size);
        context.send_past(now, &Packet { hop: self.members.way(port, self.number, circuit), ..packet });
        let own = &mut self.ports[port];
        own.turn = to;
        own.free = now + self.byte_time.of_packet(packet.size).ps();
    }

    /// A packet goes by the packet switch, as its path says.
    fn send_by_packets(&mut self, now: u64, packet: &Packet, context: &mut NodeContext) {
        self.sent[Sum::Packets as usize] += u64::from(packet.size);
        context.send_past(now, packet);
    }

    /// A port has another circuit.
    fn turn(&mut self, now: u64, turn: Turn, context: &mut NodeContext) {
        let port = &mut self.ports[turn.switch as usize];
        (port.to, port.lit) = (turn.to, turn.lit);
        if self.rules.rest == Rest::Packets {
            self.flush(now, context);
        }
    }

    /// What no circuit carries now goes by the packet switch.
    fn flush(&mut self, now: u64, context: &mut NodeContext) {
        let dark: Vec<u32> = self.filled.iter().copied().filter(|to| !self.is_lit(now, *to)).collect();
        for to in dark {
            while let Some(packet) = self.pop(to) {
                context.port_mut(self.home).let_go(now, packet.size);
                self.send_by_packets(now, &packet, context);
            }
        }
    }

    /// Whether light leads to a node.
    fn is_lit(&self, now: u64, to: u32) -> bool {
        self.ports.iter().any(|port| port.to == Some(to) && port.lit <= now)
    }

    /// Whether a packet leaves at once.
    fn leaves_at_once(&self, now: u64, to: u32) -> bool {
        let is_free = |port: &Port| port.to == Some(to) && port.lit.max(port.free) <= now;
        !self.filled.contains(&to) && self.ports.iter().any(is_free)
    }

    fn is_full(&self, to: u32, size: u16) -> bool {
        let queue = &self.queues[to as usize];
        match self.rules.buffer {
            Buffer::Packets(places) => queue.packets.len() as u64 >= places,
            Buffer::Bytes(room) => queue.bytes + u64::from(size) > room.count(),
            Buffer::Unlimited => false,
        }
    }

    /// A packet that waits for a circuit, if it must.
    fn take(&mut self, now: u64, to: u32, packet: &Packet, context: &mut NodeContext) {
        let is_lit = self.is_lit(now, to);
        if self.rules.rest == Rest::Packets && !is_lit && !self.members.is_from_light(packet) {
            return self.send_by_packets(now, packet, context);
        }
        if self.is_full(to, packet.size) && !self.leaves_at_once(now, to) {
            let cause = if is_lit { Cause::Congestion } else { Cause::Agent(WAITING) };
            return context.refuse(now, cause, packet);
        }
        let waiting = self.queues[to as usize].packets.len() as u64;
        let marks = self.rules.mark_from.is_some_and(|from| waiting >= u64::from(from));
        let packet = match marks && packet.flags.has(Flags::CAPABLE) {
            true => context.mark(now, self.home, packet),
            false => *packet,
        };
        context.port_mut(self.home).keep(now, packet.size);
        context.note(now, What::Store, &packet);
        let queue = &mut self.queues[to as usize];
        queue.bytes += u64::from(packet.size);
        queue.packets.push(packet);
        self.filled.insert(to);
        self.waiting += 1;
    }
}

impl Agent for Node {
    fn next_timeout(&self) -> u64 {
        self.wake
    }

    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        self.serve(now, context);
    }

    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        match message.open() {
            Some(Notice::Turn(turn)) => self.turn(now, turn, context),
            Some(Notice::Detours(next)) => self.next = next,
            None => {}
        }
        self.serve(now, context);
    }

    fn handle_packet(&mut self, now: u64, _: u32, packet: &Packet, context: &mut NodeContext) {
        let Some(Goal { to, tail }) = self.members.goal(packet, self.number) else {
            // It goes to no other node.
            return context.send_past(now, packet);
        };
        if to == self.number {
            return context.hand(now, &Packet { hop: tail, ..*packet });
        }
        if self.rules.acks == Acks::Packets && packet.class == Class::Ack {
            return self.send_by_packets(now, packet, context);
        }
        self.take(now, to, packet, context);
        self.serve(now, context);
    }

    fn kept(&self) -> i64 {
        i64::try_from(self.waiting).unwrap_or(i64::MAX)
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.queues.iter_mut().for_each(|queue| queue.packets.for_each_mut(&mut *change));
    }

    fn account(&self, counters: &mut Counters) {
        for (sum, bytes) in [Sum::Circuit, Sum::Detour, Sum::Packets].into_iter().zip(self.sent) {
            counters.sums.add(sum, bytes.into());
        }
    }
}
