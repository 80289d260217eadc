//! What an edge node sends to another one: its buffer, its rate, and who decides it.

use super::super::control::Onward;
use super::ack_pacing::AckGate;
use super::extra_buffer::ExtraBuffer;
use super::negotiation::Negotiator;
use super::rate::SlotRate;
use super::reaction::Reaction;
use super::rules::{DlccRules, Silent, Smoothing};
use super::smoothing::Estimate;
use crate::engine::link::ring::Ring;
use crate::engine::packet::Packet;

/// An edge-to-edge flow at its ingress.
#[derive(Debug)]
pub struct Outflow {
    /// Its number.
    pub number: u32,
    /// The output by which it leaves.
    pub output: u32,
    /// The way of its requests, if they go anywhere.
    pub ask: Option<Onward>,
    queue: Ring<Packet>,
    /// Of what waits.
    bytes: u64,
    /// What has built up after notifications.
    pub extra: ExtraBuffer,
    estimate: Option<Estimate>,
    negotiator: Negotiator,
    reaction: Option<Reaction>,
    last: Option<u64>,
    /// Between two slots.
    interval: u64,
    /// When the next slot leaves; `u64::MAX` if none waits.
    release: u64,
    /// When the next unit ends or the next decision is due.
    duty: u64,
    /// ACKs of its segments, if they are paced.
    pub gate: Option<AckGate>,
    cap: SlotRate,
    /// What the core has granted where it lowered the last request for more, otherwise `cap`.
    available: SlotRate,
    /// What it asks for before something has come that is smoothed.
    silent: Silent,
    /// Something has.
    used: bool,
}

impl Outflow {
    /// One that has sent nothing.
    pub fn new(rules: &DlccRules, number: u32, output: u32, ask: Option<Onward>) -> Outflow {
        let smooths = rules.smoothing != Smoothing::Off;
        let first = if smooths { rules.first_rate } else { rules.line };
        let mut outflow = Outflow {
            number,
            output,
            ask,
            queue: Ring::new(),
            bytes: 0,
            extra: ExtraBuffer::default(),
            release: u64::MAX,
            estimate: smooths.then(|| Estimate::new(rules.estimate, first)),
            negotiator: Negotiator::new(rules.negotiation, first),
            reaction: rules.reaction.map(Reaction::new),
            last: None,
            interval: first.interval(),
            duty: 0,
            gate: rules.ack_pacing.map(AckGate::new),
            cap: rules.line,
            available: rules.line,
            silent: rules.silent,
            used: false,
        };
        outflow.tell_estimate();
        outflow.duty = outflow.next_duty();
        outflow
    }

    fn backlog(&self) -> u64 {
        self.queue.len() as u64
    }

    fn set_rate(&mut self) {
        let scheduled = self.negotiator.scheduled();
        let rate = self.reaction.as_ref().map_or(scheduled, |reaction| reaction.rate(scheduled));
        self.interval = rate.interval();
        self.plan();
    }

    fn tell_estimate(&mut self) {
        if let Some(estimate) = &mut self.estimate {
            estimate.set_service(self.negotiator.scheduled(), self.available);
        }
    }

    fn plan(&mut self) {
        self.release = if self.queue.is_empty() { u64::MAX } else { self.due() };
    }

    /// `R_schedule`.
    pub fn scheduled(&self) -> SlotRate {
        self.negotiator.scheduled()
    }

    /// When the next slot may leave.
    fn due(&self) -> u64 {
        self.last.map_or(0, |last| last.saturating_add(self.interval))
    }

    /// Whether a slot would leave at once.
    pub fn is_free(&self, now: u64) -> bool {
        self.queue.is_empty() && self.due() <= now
    }

    /// A slot comes into the buffer.
    pub fn push(&mut self, now: u64, packet: Packet) {
        self.note_arrival();
        self.bytes += u64::from(packet.size);
        self.extra.handle_change(now, self.bytes);
        self.queue.push(packet);
        self.plan();
    }

    /// A slot comes and leaves at once, where [`Outflow::is_free`] says so.
    pub fn pass(&mut self, now: u64) {
        self.note_arrival();
        self.last = Some(now);
    }

    fn note_arrival(&mut self) {
        self.used = true;
        if let Some(estimate) = &mut self.estimate {
            estimate.handle_arrival(1);
        }
    }

    /// Whether a slot that waits leaves now.
    #[inline]
    pub fn is_due(&self, now: u64) -> bool {
        self.release <= now
    }

    /// The slot that leaves now, where [`Outflow::is_due`] says so.
    pub fn pop(&mut self, now: u64) -> Packet {
        let packet = *self.queue.front().expect("a slot is due");
        self.queue.advance();
        self.bytes -= u64::from(packet.size);
        self.extra.handle_change(now, self.bytes);
        self.last = Some(now);
        self.plan();
        packet
    }

    /// When something is to be done.
    #[inline]
    pub fn next_timeout(&self) -> u64 {
        let gate = self.gate.as_ref().map_or(u64::MAX, AckGate::next_timeout);
        self.release.min(self.duty).min(gate)
    }

    fn next_duty(&self) -> u64 {
        let unit = self.estimate.as_ref().map_or(u64::MAX, Estimate::next_timeout);
        let decides = self.estimate.is_some() || self.reaction.is_some();
        unit.min(if decides { self.negotiator.next_timeout() } else { u64::MAX })
    }

    /// Whether a unit or an interval has ended.
    #[inline]
    pub fn is_on_duty(&self, now: u64) -> bool {
        self.duty <= now
    }

    /// Units and intervals that have ended: a rate to ask for.
    pub fn decide(&mut self, now: u64) -> Option<SlotRate> {
        let asks = self.attend(now);
        self.duty = self.next_duty();
        asks
    }

    fn attend(&mut self, now: u64) -> Option<SlotRate> {
        let backlog = self.backlog();
        if let Some(estimate) = &mut self.estimate {
            estimate.handle_timeout(now, backlog);
        }
        if self.negotiator.next_timeout() > now {
            return None;
        }
        let may = self.reaction.as_mut().is_none_or(|reaction| reaction.handle_decision(backlog));
        if may {
            self.extra.end(now);
        }
        let mean = self.estimate.as_mut().and_then(Estimate::take_mean);
        let asks = may && (self.used || self.silent == Silent::Asks);
        let asks = self.negotiator.handle_timeout(mean.filter(|_| asks).map(|rate| rate.min(self.cap)));
        self.set_rate();
        asks
    }

    /// The core has answered: what is asked for next.
    pub fn handle_answer(&mut self, rate: SlotRate) -> Option<SlotRate> {
        if let Some(asked) = self.negotiator.asked_for_more() {
            self.available = if rate < asked { rate } else { self.cap };
        }
        let asks = self.negotiator.handle_answer(rate);
        self.tell_estimate();
        self.set_rate();
        asks
    }

    /// The core has lost slots at this rate: whether the optical rate follows.
    pub fn handle_loss(&mut self, now: u64, loss: SlotRate) -> bool {
        let backlog = self.backlog();
        let Some(reaction) = self.reaction.as_mut().filter(|_| self.used) else { return false };
        reaction.handle_loss(loss, backlog);
        self.extra.begin(now, self.bytes);
        self.set_rate();
        true
    }

    /// Slots and ACKs that wait.
    pub fn kept(&self) -> usize {
        self.queue.len() + self.gate.as_ref().map_or(0, AckGate::len)
    }

    /// Shows each of them.
    pub fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.queue.for_each_mut(&mut *change);
        self.gate.iter_mut().flat_map(AckGate::waiting).for_each(change);
    }
}
