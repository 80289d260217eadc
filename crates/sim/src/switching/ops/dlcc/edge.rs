//! The edge node: it cuts packets into slots, smooths them, reacts to notifications of losses, tells sources of them,
//! and puts packets together again.

mod acks;

use self::acks::ask_later;
use super::figures::{EdgeCounts, INCOMPLETE, Sum, TOO_FAR};
use super::layout::Layout;
use super::ops_acks::Forged;
use super::outflow::Outflow;
use super::output::EdgeOutput;
use super::rate::SlotRate;
use super::rules::{DlccRules, Smoothing};
use super::segmentation::{Arrived, Assembler, FIRST_BEYOND, Piece};
use super::signal::{SIGNAL_SIZE, Signal, send};
use super::sources::Sources;
use crate::engine::node::agent::Agent;
use crate::engine::node::counters::Counters;
use crate::engine::node::node_context::NodeContext;
use crate::engine::packet::admission::{Cause, Count};
use crate::engine::packet::event::What;
use crate::engine::packet::message::Message;
use crate::engine::packet::{Class, Packet};
use std::collections::BTreeMap;

/// An edge node.
#[derive(Debug)]
pub struct DlccEdge {
    pub(super) rules: DlccRules,
    outputs: Vec<EdgeOutput>,
    pub(super) outflows: Vec<Outflow>,
    /// By the place of a packet's way in the array of paths: the place of its flow among `outflows`, [`ELSEWHERE`] for
    /// those that only pass.
    entries: Vec<u32>,
    /// The place of each flow among `outflows`, [`ELSEWHERE`] for those that begin at other nodes.
    places: Vec<u32>,
    pub(super) sources: Sources,
    assembler: Assembler,
    lost: Vec<Packet>,
    pub(super) forged: Vec<Forged>,
    /// Slots made of packets beyond one of each, less those that are a packet again.
    cut: i64,
    /// When a book wants to be asked, by TCP flow.
    pub(super) polls: BTreeMap<u32, u64>,
    pub(super) last_acks: BTreeMap<u32, u64>,
    pub(super) counts: EdgeCounts,
    next: u64,
}

const ELSEWHERE: u32 = u32::MAX;

/// How a packet enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// It is not smoothed.
    Direct,
    /// It is, and its flow's buffer lets it go on at once.
    Due,
    /// It waits in its flow's buffer.
    Held,
}

/// What an edge node is made of.
#[derive(Debug)]
pub struct EdgeParts {
    /// The rules.
    pub rules: DlccRules,
    /// Which packets belong to which flow.
    pub layout: Layout,
    /// Its outputs.
    pub outputs: Vec<EdgeOutput>,
    /// The flows that begin here.
    pub outflows: Vec<Outflow>,
    /// The TCP flows whose data enter the core here.
    pub sources: Sources,
}

impl DlccEdge {
    /// An edge node to which nothing has come.
    pub fn new(parts: EdgeParts) -> DlccEdge {
        let EdgeParts { rules, layout, outputs, outflows, sources } = parts;
        let mut places = vec![ELSEWHERE; layout.flows.len()];
        for (place, outflow) in (0..).zip(&outflows) {
            places[outflow.number as usize] = place;
        }
        let entries = layout.by_hop(|flow| places[flow as usize], ELSEWHERE);
        let mut edge = DlccEdge {
            rules,
            outputs,
            outflows,
            entries,
            places,
            sources,
            assembler: Assembler::new(rules.cut.header),
            lost: Vec::new(),
            forged: Vec::new(),
            cut: 0,
            polls: BTreeMap::new(),
            last_acks: BTreeMap::new(),
            counts: EdgeCounts::default(),
            next: 0,
        };
        edge.next = edge.earliest();
        edge
    }

    fn earliest(&self) -> u64 {
        let outputs = self.outputs.iter().fold(u64::MAX, |next, output| next.min(output.next_timeout()));
        let all = self.outflows.iter().fold(outputs, |next, outflow| next.min(outflow.next_timeout()));
        self.polls.values().fold(all, |next, poll| next.min(*poll))
    }

    /// The place of an edge-to-edge flow that begins here.
    pub(super) fn place(&self, flow: u32) -> Option<usize> {
        let place = self.places.get(flow as usize).copied();
        place.filter(|place| *place != ELSEWHERE).map(|place| place as usize)
    }

    fn entry(&self, now: u64, place: usize, class: Class) -> Entry {
        let is_smoothed = match class {
            Class::Data => true,
            Class::Datagram => self.rules.smoothing == Smoothing::All,
            Class::Ack | Class::Control | Class::Unit => false,
        };
        match is_smoothed {
            false => Entry::Direct,
            true if self.outflows[place].is_free(now) => Entry::Due,
            true => Entry::Held,
        }
    }

    /// A packet of a host enters the core.
    fn enter(&mut self, now: u64, place: usize, packet: &Packet, context: &mut NodeContext) {
        let entry = self.entry(now, place, packet.class);
        let output = &self.outputs[self.outflows[place].output as usize];
        let waits = entry == Entry::Held || !output.is_free(now);
        let slots = self.rules.cut.slots(packet.size);
        if slots > 1 && packet.seq >= FIRST_BEYOND {
            return context.refuse(now, Cause::Agent(TOO_FAR), packet);
        }
        // If the first slot leaves at once, the others wait.
        let wait = self.rules.cut.pieces(*packet).skip(usize::from(!waits));
        let wait = wait.map(|piece| Count::of(piece.size)).reduce(Count::plus);
        if wait.is_some_and(|wait| context.port_mut(output.port).is_agent_backlog_full(output.room, wait)) {
            return context.refuse(now, Cause::Congestion, packet);
        }
        // Where something else is due at this instant too, its turn is found by going through all.
        if slots == 1 && self.next > now {
            let longer;
            let slot = match self.rules.cut.header {
                0 => packet,
                header => {
                    longer = Packet { size: packet.size + header, ..*packet };
                    &longer
                }
            };
            context.note(now, What::Store, slot);
            return match waits {
                true => self.keep(now, place, entry, slot, context),
                false => self.pass(now, place, entry, slot, context),
            };
        }
        self.cut += i64::from(slots) - 1;
        self.enter_in_slots(now, place, entry, packet, context);
    }

    /// A packet enters as slots, and what is due next is found again.
    fn enter_in_slots(&mut self, now: u64, place: usize, entry: Entry, packet: &Packet, context: &mut NodeContext) {
        let outflow = &mut self.outflows[place];
        let output = &mut self.outputs[outflow.output as usize];
        for piece in self.rules.cut.pieces(*packet) {
            context.port_mut(output.port).keep(now, piece.size);
            context.note(now, What::Store, &piece);
            if entry == Entry::Direct { output.push(piece) } else { outflow.push(now, piece) }
        }
        self.next = self.next.min(outflow.next_timeout()).min(output.next_timeout());
    }

    /// A slot has to wait, for its flow's rate or for the output, and nothing else is due.
    fn keep(&mut self, now: u64, place: usize, entry: Entry, slot: &Packet, context: &mut NodeContext) {
        let outflow = &mut self.outflows[place];
        let output = &mut self.outputs[outflow.output as usize];
        context.port_mut(output.port).keep(now, slot.size);
        let next = if entry == Entry::Held {
            outflow.push(now, *slot);
            outflow.next_timeout()
        } else {
            if entry == Entry::Due {
                outflow.pass(now);
            }
            output.push(*slot);
            output.next_timeout()
        };
        self.next = self.next.min(next);
    }

    /// A slot leaves at once, and nothing else is due.
    fn pass(&mut self, now: u64, place: usize, entry: Entry, slot: &Packet, context: &mut NodeContext) {
        let outflow = &mut self.outflows[place];
        if entry == Entry::Due {
            outflow.pass(now);
        }
        let output = &mut self.outputs[outflow.output as usize];
        output.pass(now);
        context.port_mut(output.port).pass_agent_backlog();
        self.remember(now, slot);
        context.send_past(now, slot);
    }

    /// Slots leave whose time has come.
    fn release(&mut self, now: u64, context: &mut NodeContext) {
        for place in 0..self.outflows.len() {
            while self.outflows[place].is_due(now) {
                let outflow = &mut self.outflows[place];
                let (number, packet) = (outflow.output as usize, outflow.pop(now));
                let output = &mut self.outputs[number];
                if output.is_free(now) {
                    output.pass(now);
                    self.send(now, number, &packet, context);
                } else {
                    output.push(packet);
                }
            }
        }
        for number in 0..self.outputs.len() {
            while self.outputs[number].is_due(now) {
                let packet = self.outputs[number].pop(now);
                self.send(now, number, &packet, context);
            }
        }
    }

    /// A slot leaves by an output.
    fn send(&mut self, now: u64, number: usize, packet: &Packet, context: &mut NodeContext) {
        context.port_mut(self.outputs[number].port).let_go(now, packet.size);
        self.remember(now, packet);
        context.send_past(now, packet);
    }

    /// A slot of TCP enters the core.
    fn remember(&mut self, now: u64, packet: &Packet) {
        if packet.class != Class::Data || self.rules.acks.is_none() {
            return;
        }
        let piece = Piece::read(packet.seq);
        let Some(source) = self.sources.get_mut(packet.flow).filter(|_| piece.is_last()) else { return };
        let (before, own) = ((piece.of - 1) * u32::from(self.rules.cut.payload), packet.size - self.rules.cut.header);
        let length = (before + u32::from(own)).saturating_sub(source.header);
        if let Some(book) = &mut source.book {
            book.handle_data(now, piece.number, piece.number + u64::from(length));
            if book.next_timeout() != u64::MAX {
                self.next = self.next.min(book.next_timeout());
                ask_later(&mut self.polls, packet.flow, book);
            }
        }
    }

    /// A slot or a packet comes from the core, for a host here.
    fn leave(&mut self, now: u64, packet: &Packet, context: &mut NodeContext) {
        let mut packet = *packet;
        let arrived = self.assembler.handle_slot(&mut packet, &mut self.lost);
        self.counts.incomplete += u64::from(!self.lost.is_empty());
        for piece in std::mem::take(&mut self.lost) {
            drop_here(now, INCOMPLETE, &piece, context);
        }
        match arrived {
            Arrived::Waits => return,
            Arrived::Useless => return drop_here(now, INCOMPLETE, &packet, context),
            Arrived::Whole => self.cut -= i64::from(self.rules.cut.slots(packet.size)) - 1,
        }
        if packet.class == Class::Ack {
            let waited = !self.polls.is_empty();
            let kept = self.keeps_back(now, &mut packet, context);
            if waited || !self.polls.is_empty() || self.rules.ack_pacing.is_some() {
                self.next = self.earliest();
            }
            if kept {
                return;
            }
        }
        context.send_past(now, &packet);
    }

    fn ask(&mut self, now: u64, place: usize, rate: Option<SlotRate>, context: &mut NodeContext) {
        let Outflow { number, ask, .. } = &self.outflows[place];
        if let (Some(rate), Some(onward)) = (rate, ask) {
            self.counts.requests += 1;
            send(now, *onward, Signal::Request { flow: *number, rate }, SIGNAL_SIZE, context);
        }
    }

    fn handle_signal(&mut self, now: u64, signal: Signal, context: &mut NodeContext) {
        match signal {
            Signal::Loss(notification) => self.handle_notification(now, notification, context),
            Signal::Answer { flow, rate } => {
                let Some(place) = self.place(flow) else { return };
                let asks = self.outflows[place].handle_answer(rate);
                self.ask(now, place, asks, context);
            }
            Signal::Busy { flow, arrivals, capacity } => {
                let Some(place) = self.place(flow) else { return };
                let (outflow, until) = (&mut self.outflows[place], now + 2 * self.rules.detection.window);
                let scheduled = outflow.scheduled();
                if let Some(gate) = &mut outflow.gate {
                    gate.handle_report(arrivals, capacity, scheduled, until);
                }
            }
            // An edge node promises nothing.
            Signal::Request { .. } => {}
        }
    }
}

impl Agent for DlccEdge {
    fn next_timeout(&self) -> u64 {
        self.next
    }

    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        for place in 0..self.outflows.len() {
            if self.outflows[place].is_on_duty(now) {
                let asks = self.outflows[place].decide(now);
                self.ask(now, place, asks, context);
            }
        }
        self.release(now, context);
        if self.rules.ack_pacing.is_some() {
            self.open_gates(now, context);
        }
        if !self.polls.is_empty() {
            self.poll(now, context);
        }
        self.next = self.earliest();
    }

    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        // Nobody sends others here.
        if let Some(signal) = message.read() {
            self.handle_signal(now, *signal, context);
            self.release(now, context);
            self.next = self.earliest();
        }
    }

    fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, context: &mut NodeContext) {
        if place as usize >= self.outputs.len() {
            self.leave(now, packet, context);
        } else {
            match self.entries.get(packet.hop as usize).copied() {
                // It only passes.
                None | Some(ELSEWHERE) => context.send_past(now, packet),
                Some(outflow) => {
                    self.note_duplicate(now, packet);
                    self.enter(now, outflow as usize, packet, context);
                    if self.next <= now {
                        self.release(now, context);
                        self.next = self.earliest();
                    }
                }
            }
        }
    }

    fn kept(&self) -> i64 {
        let outflows: usize = self.outflows.iter().map(Outflow::kept).sum();
        let outputs: usize = self.outputs.iter().map(EdgeOutput::len).sum();
        (outflows + outputs + self.assembler.len()) as i64
    }

    fn cut(&self) -> i64 {
        self.cut
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.outflows.iter_mut().for_each(|outflow| outflow.for_each_kept(change));
        self.outputs.iter_mut().for_each(|output| output.for_each_kept(change));
        self.assembler.for_each(change);
    }

    fn account(&self, counters: &mut Counters) {
        self.counts.account(&mut counters.sums);
        counters.sums.add(Sum::Orphans, self.sources.books().map(|book| book.orphans() as u128).sum());
        counters.sums.add(Sum::StuckFlows, self.sources.books().filter(|book| book.is_stuck()).count() as u128);
        for outflow in &self.outflows {
            let buildup = counters.buildups.entry(self.outputs[outflow.output as usize].link).or_default();
            buildup.add(&outflow.extra.so_far());
        }
    }
}

pub(super) fn drop_here(now: u64, why: u8, packet: &Packet, context: &mut NodeContext) {
    context.drop_at(now, context.next_port(packet), Cause::Agent(why), packet);
}
