//! The edge node of an optical packet switch with macroflows (paper 002, §2.2): it gathers the packets of its hosts for each other
//! edge node, spaces them at the rate that XCP's controllers allow, and keeps what has to wait in electronic memory. Packets
//! that have crossed the network need no agent: they go on by their own addresses.

use super::Notice;
use super::control::Control;
use super::members::{Member, Members};
use super::plan::Smoothing;
use super::queue::{Queue, Turns};
use crate::engine::agent::{Agent, Message};
use crate::engine::bench::Bench;
use crate::engine::offer::Cause;
use crate::engine::packet::Packet;
use crate::engine::ring::Ring;
use crate::engine::tree::{NEVER, Tree};
use crate::model::Buffer;
use crate::random::Stream;
use std::sync::Arc;
use transport::xcp::{Macroflow, MacroflowConfig, Probe, Smoother};
use units::Instant;

/// An edge node.
#[derive(Debug)]
pub struct EdgeNode {
    control: Control,
    /// The room of each output for packets that wait.
    rooms: Vec<Buffer>,
    macroflows: Vec<Local>,
    /// When the next packet of each leaves, if one waits.
    releases: Tree,
    /// When the first of them leaves.
    soonest: u64,
    /// Which packets belong to which macroflow, here and at other nodes.
    members: Arc<Members>,
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
    /// The room of each of them for packets that wait.
    pub rooms: Vec<Buffer>,
    /// The macroflows that begin here, in the order of their ids.
    pub macroflows: Vec<Local>,
    /// Which packets belong to which macroflow, here and at other nodes.
    pub members: Arc<Members>,
    /// How packets are spaced.
    pub smoothing: Smoothing,
    /// Where its choices come from.
    pub stream: Stream,
}

/// A macroflow that begins here.
#[derive(Debug)]
pub struct Local {
    id: u32,
    output: u32,
    config: MacroflowConfig,
    smoother: Smoother,
    queue: Queue,
    /// `None` before its first packet.
    machine: Option<Macroflow>,
}

impl Local {
    /// A macroflow that leaves by this output, and has had no packet yet.
    pub fn new(id: u32, output: u32, config: MacroflowConfig, smoothing: Smoothing) -> Local {
        let depth = match smoothing {
            Smoothing::TokenBucket { depth } => depth,
            Smoothing::LeakyBucket | Smoothing::RoundRobin => 0,
        };
        let queue = match smoothing {
            Smoothing::RoundRobin => Queue::InTurn(Turns::default()),
            Smoothing::LeakyBucket | Smoothing::TokenBucket { .. } => Queue::InOrder(Ring::new()),
        };
        Local { id, output, config, smoother: Smoother::new(config.start, depth), queue, machine: None }
    }

    /// A packet leaves.
    fn send(&mut self, now: u64, packet: &Packet, bench: &mut Bench) {
        self.smoother.handle_sent(Instant::from_ps(now), u32::from(packet.size));
        if let Some(machine) = &mut self.machine {
            machine.handle_sent(u32::from(packet.size));
        }
        bench.send_past(now, packet);
    }
}

impl EdgeNode {
    /// An edge node before its first packet.
    pub fn new(config: EdgeConfig) -> EdgeNode {
        let EdgeConfig { control, rooms, macroflows, members, smoothing, stream } = config;
        let duty = control.next_timeout();
        let releases = Tree::new(macroflows.len().max(1));
        EdgeNode { control, rooms, macroflows, releases, soonest: NEVER, members, smoothing, stream, duty, kept: 0 }
    }

    /// The first packet of a macroflow makes it: "when there is traffic … a rate-based XCP macroflow is created" (§2.2). Its
    /// first probe leaves at once.
    fn begin(&mut self, now: u64, number: usize, bench: &mut Bench) {
        let local = &mut self.macroflows[number];
        if local.machine.is_some() {
            return;
        }
        local.machine = Some(Macroflow::new(local.config, Instant::from_ps(now)));
        self.probe(now, number, bench);
    }

    fn probe(&mut self, now: u64, number: usize, bench: &mut Bench) {
        let local = &mut self.macroflows[number];
        let Some(machine) = &mut local.machine else { return };
        let probe = machine.handle_timeout(Instant::from_ps(now));
        self.duty = self.duty.min(machine.next_timeout().ps());
        self.control.handle_probe(now, Message::new(Notice::Probe { macroflow: local.id, probe }), bench);
    }

    /// Probes and decisions that are due, decisions first.
    fn attend(&mut self, now: u64, bench: &mut Bench) {
        self.control.handle_timeout(now, bench);
        self.duty = self.control.next_timeout();
        for number in 0..self.macroflows.len() {
            let Some(machine) = &self.macroflows[number].machine else { continue };
            let due = machine.next_timeout().ps();
            if due <= now {
                self.probe(now, number, bench);
            } else {
                self.duty = self.duty.min(due);
            }
        }
    }

    /// The oldest packet of a macroflow leaves.
    fn release(&mut self, now: u64, number: usize, bench: &mut Bench) {
        let local = &mut self.macroflows[number];
        // Copied from its place: an `Option` of a whole packet is copied in parts whose loads then stall.
        if let Some(packet) = local.queue.front() {
            let packet = *packet;
            local.queue.advance();
            self.kept -= 1;
            bench.port_mut(self.control.port(local.output)).let_go(now, packet.size);
            local.send(now, &packet, bench);
        }
        self.plan(now, number);
    }

    fn plan(&mut self, now: u64, number: usize) {
        let local = &self.macroflows[number];
        let next = local.smoother.next_release().ps().max(now);
        self.releases.set(number as u32, if local.queue.is_empty() { NEVER } else { next });
        let (soonest, first) = self.releases.earliest(now);
        self.soonest = soonest;
        self.macroflows[first as usize].queue.expect_front();
    }

    /// A packet has to wait.
    fn keep(&mut self, now: u64, number: usize, packet: &Packet, bench: &mut Bench) {
        let local = &mut self.macroflows[number];
        let port = bench.port_mut(self.control.port(local.output));
        if port.is_kept_full(self.rooms[local.output as usize], packet.size) {
            return bench.refuse(Cause::Congestion, packet);
        }
        port.keep(now, packet.size);
        let is_first = local.queue.is_empty();
        local.queue.push(*packet);
        self.kept += 1;
        if is_first {
            self.plan(now, number);
        }
    }

    fn answer(&mut self, now: u64, macroflow: u32, probe: Probe) {
        let Ok(number) = self.macroflows.binary_search_by_key(&macroflow, |local| local.id) else { return };
        let local = &mut self.macroflows[number];
        let Some(machine) = &mut local.machine else { return };
        machine.handle_feedback(probe);
        local.smoother.set_rate(Instant::from_ps(now), machine.rate());
        self.plan(now, number);
    }
}

impl Agent for EdgeNode {
    fn next_timeout(&self) -> u64 {
        self.soonest.min(self.duty)
    }

    fn handle_timeout(&mut self, now: u64, bench: &mut Bench) {
        if self.duty <= now {
            self.attend(now, bench);
        }
        while self.soonest <= now {
            let (_, number) = self.releases.earliest(now);
            self.release(now, number as usize, bench);
        }
    }

    fn handle_message(&mut self, now: u64, message: Message, bench: &mut Bench) {
        match message.read() {
            Some(Notice::Probe { .. }) => self.control.handle_probe(now, message, bench),
            Some(Notice::Feedback { macroflow, probe }) => self.answer(now, *macroflow, *probe),
            // Nobody sends others here.
            None => {}
        }
    }

    fn handle_packet(&mut self, now: u64, _: u32, packet: &Packet, bench: &mut Bench) {
        let Some(Member { macroflow, way }) = self.members.find(packet) else {
            // It only passes.
            return bench.send_past(now, packet);
        };
        let number = macroflow as usize;
        self.begin(now, number, bench);
        let local = &mut self.macroflows[number];
        let packet = &Packet { hop: way, ..*packet };
        if local.queue.is_empty() {
            if let Smoothing::TokenBucket { .. } = self.smoothing {
                let part = (self.stream.next_u64() >> 32) as u32;
                local.smoother.handle_start(Instant::from_ps(now), u32::from(packet.size), part);
            }
            if local.smoother.next_release().ps() <= now {
                return local.send(now, packet, bench);
            }
        }
        self.keep(now, number, packet, bench);
    }

    fn kept(&self) -> i64 {
        i64::try_from(self.kept).unwrap_or(i64::MAX)
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.macroflows.iter_mut().for_each(|local| local.queue.for_each(change));
    }
}
