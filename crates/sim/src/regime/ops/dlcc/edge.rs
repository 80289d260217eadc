//! The edge node: it cuts packets into slots, smooths them, reacts to notifications of losses, tells sources of them, and puts
//! packets together again.

use super::figures::{First, INCOMPLETE, Sum, TOO_FAR};
use super::layout::Layout;
use super::line::Line;
use super::ops_acks::{Book, Forged};
use super::outflow::Outflow;
use super::rate::SlotRate;
use super::rules::{DlccRules, Smoothing};
use super::segmentation::{Arrived, Assembler, FIRST_BEYOND, Piece};
use super::signal::{SIGNAL_SIZE, Signal, send};
use crate::engine::agent::{Agent, Message};
use crate::engine::bench::{Bench, Way};
use crate::engine::ledger::Ledger;
use crate::engine::offer::Cause;
use crate::engine::packet::{Class, Packet};
use crate::engine::trace::What;
use std::collections::BTreeMap;

/// An edge node.
#[derive(Debug)]
pub struct DlccEdge {
    pub(super) rules: DlccRules,
    layout: Layout,
    lines: Vec<Line>,
    pub(super) outflows: Vec<Outflow>,
    /// The place of each flow among `outflows`.
    pub(super) places: BTreeMap<u32, usize>,
    pub(super) sources: BTreeMap<u32, EnteringFlow>,
    assembler: Assembler,
    lost: Vec<Packet>,
    pub(super) forged: Vec<Forged>,
    /// Slots made of packets, less packets made of slots.
    extra: i64,
    /// When a book wants to be asked, by TCP flow.
    pub(super) polls: BTreeMap<u32, u64>,
    pub(super) last_acks: BTreeMap<u32, u64>,
    pub(super) counts: Counts,
    next: u64,
}

/// A TCP flow whose data enter the core here.
#[derive(Debug)]
pub struct EnteringFlow {
    /// Its edge-to-edge flow's place among those that begin here.
    pub outflow: usize,
    /// The way to its host.
    pub way: Way,
    /// Bytes of a segment that are not payload.
    pub header: u32,
    /// Bytes of an ACK.
    pub ack_size: u16,
    /// What is remembered of it.
    pub book: Option<Book>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) requests: u64,
    pub(super) unknown: u64,
    pub(super) repeated: u64,
    pub(super) forged: u64,
    pub(super) discarded: u64,
    pub(super) paced: u64,
    pub(super) incomplete: u64,
    pub(super) first_cut: First,
    pub(super) first_forged: First,
    pub(super) first_duplicate: First,
    pub(super) first_discard: First,
}

/// What an edge node is made of.
#[derive(Debug)]
pub struct EdgeParts {
    /// The rules.
    pub rules: DlccRules,
    /// Which packets belong to which flow.
    pub layout: Layout,
    /// Its outputs.
    pub lines: Vec<Line>,
    /// The flows that begin here.
    pub outflows: Vec<Outflow>,
    /// The TCP flows whose data enter the core here.
    pub sources: BTreeMap<u32, EnteringFlow>,
}

impl DlccEdge {
    /// An edge node to which nothing has come.
    pub fn new(parts: EdgeParts) -> DlccEdge {
        let EdgeParts { rules, layout, lines, outflows, sources } = parts;
        let places = outflows.iter().enumerate().map(|(place, outflow)| (outflow.number, place)).collect();
        let mut edge = DlccEdge {
            rules,
            layout,
            lines,
            outflows,
            places,
            sources,
            assembler: Assembler::new(rules.cut.header),
            lost: Vec::new(),
            forged: Vec::new(),
            extra: 0,
            polls: BTreeMap::new(),
            last_acks: BTreeMap::new(),
            counts: Counts::default(),
            next: 0,
        };
        edge.next = edge.earliest();
        edge
    }

    fn earliest(&self) -> u64 {
        let lines = self.lines.iter().map(Line::next_timeout);
        let outflows = self.outflows.iter().map(Outflow::next_timeout);
        lines.chain(outflows).chain(self.polls.values().copied()).min().unwrap_or(u64::MAX)
    }

    fn is_smoothed(&self, class: Class) -> bool {
        match class {
            Class::Data => true,
            Class::Datagram => self.rules.smoothing == Smoothing::All,
            Class::Ack | Class::Control | Class::Unit => false,
        }
    }

    /// A packet of a host enters the core.
    fn enter(&mut self, now: u64, place: usize, packet: &Packet, bench: &mut Bench) {
        let smoothed = self.is_smoothed(packet.class);
        let line = &mut self.lines[self.outflows[place].line as usize];
        let waits = !line.is_free(now) || (smoothed && !self.outflows[place].is_free(now));
        if waits && bench.port_mut(line.port).is_kept_full(line.room, packet.size) {
            return bench.refuse(now, Cause::Congestion, packet);
        }
        let slots = self.rules.cut.slots(packet.size);
        if slots > 1 && packet.seq >= FIRST_BEYOND {
            return bench.refuse(now, Cause::Agent(TOO_FAR), packet);
        }
        self.extra += i64::from(slots) - 1;
        for piece in self.rules.cut.pieces(*packet) {
            bench.port_mut(line.port).keep(now, piece.size);
            bench.note(now, What::Store, &piece);
            if smoothed { self.outflows[place].push(piece) } else { line.push(piece) }
        }
    }

    /// Slots leave whose time has come.
    fn release(&mut self, now: u64, bench: &mut Bench) {
        for place in 0..self.outflows.len() {
            let outflow = &mut self.outflows[place];
            let line = &mut self.lines[outflow.line as usize];
            while let Some(packet) = outflow.pop(now) {
                line.push(packet);
            }
        }
        for number in 0..self.lines.len() {
            while let Some(packet) = self.lines[number].pop(now) {
                bench.port_mut(self.lines[number].port).let_go(now, packet.size);
                self.remember(now, &packet);
                bench.send_past(now, &packet);
            }
        }
    }

    /// A slot of TCP enters the core.
    fn remember(&mut self, now: u64, packet: &Packet) {
        if packet.class != Class::Data || self.rules.acks.is_none() {
            return;
        }
        let piece = Piece::read(packet.seq);
        let Some(source) = self.sources.get_mut(&packet.flow).filter(|_| piece.is_last()) else { return };
        let (before, own) = ((piece.of - 1) * u32::from(self.rules.cut.payload), packet.size - self.rules.cut.header);
        let length = (before + u32::from(own)).saturating_sub(source.header);
        if let Some(book) = &mut source.book {
            book.handle_data(now, piece.number, piece.number + u64::from(length));
        }
    }

    /// A slot or a packet comes from the core, for a host here.
    fn leave(&mut self, now: u64, packet: &Packet, bench: &mut Bench) {
        let mut packet = *packet;
        let arrived = self.assembler.handle_slot(&mut packet, &mut self.lost);
        self.counts.incomplete += u64::from(!self.lost.is_empty());
        for piece in std::mem::take(&mut self.lost) {
            drop_here(now, INCOMPLETE, &piece, bench);
        }
        match arrived {
            Arrived::Waits => return,
            Arrived::Useless => return drop_here(now, INCOMPLETE, &packet, bench),
            Arrived::Whole => self.extra -= i64::from(self.rules.cut.slots(packet.size)) - 1,
        }
        if packet.class == Class::Ack && self.keeps_back(now, &mut packet, bench) {
            return;
        }
        bench.send_past(now, &packet);
    }

    fn ask(&mut self, now: u64, place: usize, rate: Option<SlotRate>, bench: &mut Bench) {
        let Outflow { number, ask, .. } = &self.outflows[place];
        if let (Some(rate), Some(onward)) = (rate, ask) {
            self.counts.requests += 1;
            send(now, *onward, Signal::Request { flow: *number, rate }, SIGNAL_SIZE, bench);
        }
    }

    fn handle_signal(&mut self, now: u64, signal: Signal, bench: &mut Bench) {
        match signal {
            Signal::Loss(notification) => self.handle_notification(now, notification, bench),
            Signal::Answer { flow, granted } => {
                let Some(place) = self.places.get(&flow).copied() else { return };
                let asks = self.outflows[place].handle_answer(granted);
                self.ask(now, place, asks, bench);
            }
            Signal::Busy { flow, arrivals, capacity } => {
                let Some(place) = self.places.get(&flow).copied() else { return };
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

    fn handle_timeout(&mut self, now: u64, bench: &mut Bench) {
        for place in 0..self.outflows.len() {
            let asks = self.outflows[place].decide(now);
            self.ask(now, place, asks, bench);
        }
        self.release(now, bench);
        self.open_gates(now, bench);
        self.poll(now, bench);
        self.next = self.earliest();
    }

    fn handle_message(&mut self, now: u64, message: Message, bench: &mut Bench) {
        // Nobody sends others here.
        if let Some(signal) = message.read() {
            self.handle_signal(now, *signal, bench);
            self.release(now, bench);
            self.next = self.earliest();
        }
    }

    fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, bench: &mut Bench) {
        if place as usize >= self.lines.len() {
            self.leave(now, packet, bench);
        } else {
            let flow = self.layout.at(packet.hop);
            match flow.and_then(|flow| self.places.get(&flow)).copied() {
                // It only passes.
                None => bench.send_past(now, packet),
                Some(outflow) => {
                    self.note_duplicate(now, packet);
                    self.enter(now, outflow, packet, bench);
                    self.release(now, bench);
                }
            }
        }
        self.next = self.earliest();
    }

    fn kept(&self) -> i64 {
        let outflows: usize = self.outflows.iter().map(Outflow::kept).sum();
        let lines: usize = self.lines.iter().map(Line::len).sum();
        (outflows + lines + self.assembler.len()) as i64 - self.extra
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.outflows.iter_mut().for_each(|outflow| outflow.for_each_kept(change));
        self.lines.iter_mut().flat_map(Line::waiting).for_each(&mut *change);
        self.assembler.for_each(change);
    }

    fn account(&self, ledger: &mut Ledger) {
        let (counts, tally) = (&self.counts, &mut ledger.tally);
        let books = || self.sources.values().filter_map(|source| source.book.as_ref());
        let sums = [
            (Sum::Requests, counts.requests),
            (Sum::UnknownNotifications, counts.unknown),
            (Sum::RepeatedNotifications, counts.repeated),
            (Sum::ArtificialAcks, counts.forged),
            (Sum::DiscardedAcks, counts.discarded),
            (Sum::PacedAcks, counts.paced),
            (Sum::IncompleteDatagrams, counts.incomplete),
            (Sum::Orphans, books().map(|book| book.orphans() as u64).sum()),
            (Sum::StuckFlows, books().filter(|book| book.is_stuck()).count() as u64),
        ];
        sums.iter().for_each(|(sum, count)| tally.add(*sum, u128::from(*count)));
        counts.first_cut.account(Sum::FirstCut, Sum::SawCut, tally);
        counts.first_forged.account(Sum::FirstArtificialAck, Sum::SawArtificialAck, tally);
        counts.first_duplicate.account(Sum::FirstDuplicate, Sum::SawDuplicate, tally);
        counts.first_discard.account(Sum::FirstDiscard, Sum::SawDiscard, tally);
    }
}

pub(super) fn drop_here(now: u64, why: u8, packet: &Packet, bench: &mut Bench) {
    let link = bench.link(bench.next_port(packet));
    bench.drop(now, link, Cause::Agent(why), packet);
}
