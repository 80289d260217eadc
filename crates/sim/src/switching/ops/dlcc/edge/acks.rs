//! What an edge node does with ACKs: it makes artificial ones, discards some of the receiver's, and paces them.

use super::super::figures::DUPLICATE;
use super::super::notification::{LostSegment, Notification};
use super::super::ops_acks::{Book, Forged, Heard, Real, Verdict};
use super::super::rules::{AckConfig, Discard};
use super::super::sources::EnteringFlow;
use super::{DlccEdge, drop_here};
use crate::engine::node::node_context::NodeContext;
use crate::engine::packet::{Class, Flags, HostPayload, NO_PAYLOAD, Packet};
use std::collections::BTreeMap;
use transport::tcp::SackList;

impl DlccEdge {
    /// Whether an ACK of a receiver does not go on now.
    pub(super) fn keeps_back(&mut self, now: u64, packet: &mut Packet, context: &mut NodeContext) -> bool {
        let Some(source) = self.sources.get_mut(packet.flow) else { return false };
        if let (Some(book), Some(config)) = (&mut source.book, &self.rules.acks) {
            let (sack, window) = said(config, packet, context);
            let marks = packet.flags.is_echo() || packet.flags.ace().is_some();
            let real = Real { ack: packet.seq, sack: sack.as_slice(), window, marks };
            if book.handle_ack(now, &real) == Verdict::Discard {
                self.counts.discarded += 1;
                self.counts.first_discard.note(now);
                drop_here(now, DUPLICATE, packet, context);
                return true;
            }
            ask_later(&mut self.polls, packet.flow, book);
        }
        let Some(gate) = &mut self.outflows[source.outflow].gate else { return false };
        let waits = !gate.handle_ack(now, packet);
        self.counts.paced += u64::from(waits);
        waits
    }

    pub(super) fn handle_notification(&mut self, now: u64, notification: Notification, context: &mut NodeContext) {
        let Notification { flow, loss, segment } = notification;
        if let (Some(loss), Some(place)) = (loss, self.place(flow))
            && self.outflows[place].handle_loss(now, loss)
        {
            self.counts.first_cut.note(now);
        }
        let Some(LostSegment { flow, seq }) = segment else { return };
        let Some(book) = self.sources.get_mut(flow).and_then(|source| source.book.as_mut()) else { return };
        match book.handle_loss(now, seq, &mut self.forged) {
            Heard::New => {}
            Heard::Unknown => self.counts.unknown += 1,
            Heard::Repeated => self.counts.repeated += 1,
        }
        ask_later(&mut self.polls, flow, book);
        self.tell(now, flow, context);
    }

    /// Books that have waited may have something to tell.
    pub(super) fn poll(&mut self, now: u64, context: &mut NodeContext) {
        let due: Vec<u32> = self.polls.iter().filter(|(_, at)| **at <= now).map(|(flow, _)| *flow).collect();
        for flow in due {
            self.polls.remove(&flow);
            let Some(book) = self.sources.get_mut(flow).and_then(|source| source.book.as_mut()) else { continue };
            book.poll(now, &mut self.forged);
            ask_later(&mut self.polls, flow, book);
            self.tell(now, flow, context);
        }
    }

    /// Sends the artificial ACKs of a flow.
    fn tell(&mut self, now: u64, flow: u32, context: &mut NodeContext) {
        let Some(source) = self.sources.get(flow) else { return };
        for forged in self.forged.drain(..) {
            self.counts.forged += 1;
            self.counts.first_forged.note(now);
            let ack = artificial(flow, source, &forged);
            let ack = context.load(&ack, &HostPayload { sack: forged.sack, ..HostPayload::default() });
            context.emit_past(now, &ack);
        }
    }

    /// ACKs leave that were paced.
    pub(super) fn open_gates(&mut self, now: u64, context: &mut NodeContext) {
        let gates = self.outflows.iter_mut().filter_map(|outflow| outflow.gate.as_mut());
        for gate in gates {
            while let Some(ack) = gate.release(now) {
                context.send_past(now, &ack);
            }
        }
    }

    /// The receiver here acknowledges something once more.
    pub(super) fn note_duplicate(&mut self, now: u64, packet: &Packet) {
        if self.rules.acks.is_some() && packet.class == Class::Ack && !self.counts.first_duplicate.is_noted() {
            let last = self.last_acks.insert(packet.flow, packet.seq);
            if last == Some(packet.seq) {
                self.counts.first_duplicate.note(now);
                self.last_acks.clear();
            }
        }
    }
}

/// The SACK blocks of an ACK and the window in its options, where somebody wants to know them. The packet keeps them.
fn said(config: &AckConfig, packet: &mut Packet, context: &mut NodeContext) -> (SackList, Option<u64>) {
    if config.discard != Discard::Safe || packet.payload == NO_PAYLOAD {
        return (SackList::EMPTY, None);
    }
    let carried = context.unload(packet);
    *packet = context.load(packet, &carried);
    (carried.sack, carried.options.and_then(|(options, _)| options.window))
}

/// When a book wants to be asked.
pub(super) fn ask_later(polls: &mut BTreeMap<u32, u64>, flow: u32, book: &Book) {
    match book.next_timeout() {
        u64::MAX => drop(polls.remove(&flow)),
        at => drop(polls.insert(flow, at)),
    }
}

/// An ACK as the receiver would send it.
fn artificial(flow: u32, source: &EnteringFlow, forged: &Forged) -> Packet {
    let (hop, size) = (source.way.hop(), source.ack_size);
    let flags = if forged.echo { Flags::ECHO } else { Flags::NONE };
    Packet { at: 0, seq: forged.ack, flow, hop, payload: NO_PAYLOAD, size, class: Class::Ack, flags }
}
