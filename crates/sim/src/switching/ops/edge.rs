//! The edge node of an optical packet switch with macroflows (paper 002, §2.2): it gathers the packets of its hosts for
//! each other edge node, spaces them at the rate that XCP's controllers allow, and keeps what has to wait in electronic
//! memory. Packets that have crossed the network need no agent: they go on by their own addresses.

use super::Notice;
use super::control::Control;
use super::membership::{Member, Membership};
use super::plan::Smoothing;
use super::queue::Queue;
use crate::engine::link::ring::Ring;
use crate::engine::node::agent::Agent;
use crate::engine::node::node_context::{LocalPort, NodeContext};
use crate::engine::node::tournament_tree::TournamentTree;
use crate::engine::packet::admission::{Cause, Count};
use crate::engine::packet::event::{Event, Spot, What};
use crate::engine::packet::message::Message;
use crate::engine::packet::{NEVER, Packet};
use crate::model::Buffer;
use crate::random::Stream;
use std::sync::Arc;
use transport::xcp::{Macroflow, MacroflowConfig, Probe, Smoother};
use units::Instant;

/// An edge node.
#[derive(Debug)]
pub struct EdgeNode {
    control: Control,
    macroflows: Vec<Local>,
    /// When the next packet of each leaves, if one waits.
    releases: TournamentTree,
    /// When the first of them leaves, and whose it is.
    soonest: u64,
    first: u32,
    /// Which packets belong to which macroflow, here and at other nodes.
    members: Arc<Membership>,
    smoothing: Smoothing,
    stream: Stream,
    /// The next probe or decision.
    duty: u64,
    kept: u64,
}

/// What an edge node is made of.
#[derive(Debug)]
pub struct EdgeConfig {
    /// The controllers of its outputs.
    pub control: Control,
    /// The macroflows that begin here, in the order of their ids.
    pub macroflows: Vec<Local>,
    /// Which packets belong to which macroflow, here and at other nodes.
    pub members: Arc<Membership>,
    /// How packets are spaced.
    pub smoothing: Smoothing,
    /// Where its choices come from.
    pub stream: Stream,
}

/// Where packets of a macroflow leave.
#[derive(Clone, Copy, Debug)]
pub struct Outlet {
    /// The output.
    pub port: LocalPort,
    /// Its room for packets that wait.
    pub room: Buffer,
}

/// A macroflow that begins here. What every packet touches comes first and fills a pair of cache lines.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct Local {
    queue: Queue,
    smoother: Smoother,
    outlet: Outlet,
    /// Bytes sent of which its machine has not heard.
    sent: u64,
    /// `None` before its first packet.
    machine: Option<Box<Macroflow>>,
    id: u32,
    config: MacroflowConfig,
}

impl Local {
    /// A macroflow that has had no packet yet.
    pub fn new(id: u32, outlet: Outlet, config: MacroflowConfig, smoothing: Smoothing) -> Local {
        let depth = match smoothing {
            Smoothing::TokenBucket { depth } => depth,
            Smoothing::LeakyBucket | Smoothing::RoundRobin => 0,
        };
        let queue = match smoothing {
            Smoothing::RoundRobin => Queue::InTurn(Box::default()),
            Smoothing::LeakyBucket | Smoothing::TokenBucket { .. } => Queue::InOrder(Ring::new()),
        };
        Local { queue, smoother: Smoother::new(config.start, depth), outlet, sent: 0, machine: None, id, config }
    }

    /// A packet leaves.
    fn send(&mut self, now: u64, packet: &Packet, context: &mut NodeContext) {
        self.smoother.handle_sent(Instant::from_ps(now), u32::from(packet.size));
        self.sent += u64::from(packet.size);
        context.send_past(now, packet);
    }

    /// The probe that is to leave now, if there is a machine.
    fn probe(&mut self, now: u64) -> Option<Probe> {
        let machine = self.machine.as_mut()?;
        machine.handle_sent(std::mem::take(&mut self.sent));
        Some(machine.handle_timeout(Instant::from_ps(now)))
    }
}

impl EdgeNode {
    /// An edge node before its first packet.
    pub fn new(config: EdgeConfig) -> EdgeNode {
        let EdgeConfig { control, macroflows, members, smoothing, stream } = config;
        let duty = control.next_timeout();
        let releases = TournamentTree::new(macroflows.len().max(1));
        let (soonest, first, kept) = (NEVER, 0, 0);
        EdgeNode { control, macroflows, releases, soonest, first, members, smoothing, stream, duty, kept }
    }

    /// The first packet of a macroflow makes it: "when there is traffic … a rate-based XCP macroflow is created"
    /// (§2.2). Its first probe leaves at once.
    #[cold]
    fn begin(&mut self, now: u64, number: usize, context: &mut NodeContext) {
        let local = &mut self.macroflows[number];
        local.machine = Some(Box::new(Macroflow::new(local.config, Instant::from_ps(now))));
        self.probe(now, number, context);
    }

    fn probe(&mut self, now: u64, number: usize, context: &mut NodeContext) {
        let local = &mut self.macroflows[number];
        let Some(probe) = local.probe(now) else { return };
        let next = local.machine.as_ref().map_or(NEVER, |machine| machine.next_timeout().ps());
        self.duty = self.duty.min(next);
        self.control.handle_probe(now, Message::new(Notice::Probe { macroflow: local.id, probe }), context);
    }

    /// Probes and decisions that are due, decisions first.
    fn attend(&mut self, now: u64, context: &mut NodeContext) {
        self.control.handle_timeout(now, context);
        self.duty = self.control.next_timeout();
        for number in 0..self.macroflows.len() {
            let Some(machine) = &self.macroflows[number].machine else { continue };
            let due = machine.next_timeout().ps();
            if due <= now {
                self.probe(now, number, context);
            } else {
                self.duty = self.duty.min(due);
            }
        }
    }

    /// The oldest packet of a macroflow leaves.
    fn release(&mut self, now: u64, number: usize, context: &mut NodeContext) {
        let local = &mut self.macroflows[number];
        // Copied from its place: an `Option` of a whole packet is copied in parts whose loads then stall.
        if let Some(packet) = local.queue.front() {
            let packet = *packet;
            local.queue.advance();
            self.kept -= 1;
            context.port_mut(local.outlet.port).let_go(now, packet.size);
            local.send(now, &packet, context);
        }
        self.plan(now, number);
    }

    fn plan(&mut self, now: u64, number: usize) {
        let local = &self.macroflows[number];
        let next = local.smoother.next_release().ps().max(now);
        self.releases.set(number as u32, if local.queue.is_empty() { NEVER } else { next });
        (self.soonest, self.first) = self.releases.earliest(now);
        self.macroflows[self.first as usize].queue.prefetch_front();
    }

    /// A packet has to wait.
    fn keep(&mut self, now: u64, number: usize, packet: &Packet, context: &mut NodeContext) {
        let local = &mut self.macroflows[number];
        let port = context.port_mut(local.outlet.port);
        if port.is_agent_backlog_full(local.outlet.room, Count::of(packet.size)) {
            return context.refuse(now, Cause::Congestion, packet);
        }
        port.keep(now, packet.size);
        context.note(now, What::Store, packet);
        let is_first = local.queue.is_empty();
        local.queue.push(*packet);
        self.kept += 1;
        if is_first {
            self.plan(now, number);
        }
    }

    fn answer(&mut self, now: u64, macroflow: u32, probe: Probe, context: &mut NodeContext) {
        let Ok(number) = self.macroflows.binary_search_by_key(&macroflow, |local| local.id) else { return };
        let local = &mut self.macroflows[number];
        let Some(machine) = &mut local.machine else { return };
        machine.handle_feedback(probe);
        local.smoother.set_rate(Instant::from_ps(now), machine.rate());
        if context.is_observed() {
            let event = Event::new(now, What::Rate, Spot::node(0));
            let value = machine.rate().bps();
            context.note_here(Event { unit: macroflow.into(), value, ..event }, std::iter::empty());
        }
        self.plan(now, number);
    }
}

impl Agent for EdgeNode {
    fn next_timeout(&self) -> u64 {
        self.soonest.min(self.duty)
    }

    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        if self.duty <= now {
            self.attend(now, context);
        }
        while self.soonest <= now {
            self.release(now, self.first as usize, context);
        }
    }

    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        match message.read() {
            Some(Notice::Probe { .. }) => self.control.handle_probe(now, message, context),
            Some(Notice::Feedback { macroflow, probe }) => self.answer(now, *macroflow, *probe, context),
            // Nobody sends others here.
            None => {}
        }
    }

    fn handle_packet(&mut self, now: u64, _: u32, packet: &Packet, context: &mut NodeContext) {
        let Some(Member { macroflow, way }) = self.members.find(packet) else {
            // It only passes.
            return context.send_past(now, packet);
        };
        let number = macroflow as usize;
        if self.macroflows[number].machine.is_none() {
            self.begin(now, number, context);
        }
        let local = &mut self.macroflows[number];
        let packet = &Packet { hop: way, ..*packet };
        if local.queue.is_empty() {
            if let Smoothing::TokenBucket { .. } = self.smoothing {
                let part = (self.stream.next_u64() >> 32) as u32;
                local.smoother.handle_start(Instant::from_ps(now), u32::from(packet.size), part);
            }
            if local.smoother.next_release().ps() <= now {
                return local.send(now, packet, context);
            }
        }
        self.keep(now, number, packet, context);
    }

    fn kept(&self) -> i64 {
        i64::try_from(self.kept).unwrap_or(i64::MAX)
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.macroflows.iter_mut().for_each(|local| local.queue.for_each(change));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_packet_touches_is_a_pair_of_cache_lines() {
        assert!(std::mem::offset_of!(Local, id) <= 128);
    }
}
