//! ACK pacing (Xue and Yoo, OFC 2003, MF108), a baseline: while the core reports a high utilization, the edge node
//! releases the ACKs of a destination's flows one by one. A reconstruction: of the paper only the sentences of Lu and
//! Hunter are known.

use super::rate::{Part, SlotRate};
use crate::engine::packet::Packet;
use std::collections::VecDeque;

/// The ACKs of the flows to one other edge node.
#[derive(Debug)]
pub struct AckGate {
    target: Part,
    waiting: VecDeque<Packet>,
    /// Between two ACKs, while it paces.
    interval: u64,
    until: u64,
    next: u64,
}

impl AckGate {
    /// A gate that is open and aims at a part of an output's capacity.
    pub fn new(target: Part) -> AckGate {
        AckGate { target, waiting: VecDeque::new(), interval: 0, until: 0, next: 0 }
    }

    /// Packets arrive at a core output with a rate of `arrivals`, and its capacity is `capacity`; what this edge node
    /// sends there is scheduled at `scheduled`. The gate paces until `until`.
    pub fn handle_report(&mut self, arrivals: SlotRate, capacity: SlotRate, scheduled: SlotRate, until: u64) {
        let target = capacity.part(self.target);
        let share = u128::from(scheduled.count()) * u128::from(target.count()) / u128::from(arrivals.count().max(1));
        let rate = SlotRate::from_count(share as u64).min(scheduled);
        self.interval = rate.interval();
        self.until = until;
    }

    /// An ACK comes: whether it passes at once; otherwise it waits.
    pub fn handle_ack(&mut self, now: u64, packet: &Packet) -> bool {
        let paces = now < self.until;
        if self.waiting.is_empty() && (!paces || self.next <= now) {
            self.next = if paces { now.saturating_add(self.interval) } else { 0 };
            return true;
        }
        self.waiting.push_back(*packet);
        false
    }

    /// When the next ACK leaves.
    pub fn next_timeout(&self) -> u64 {
        if self.waiting.is_empty() { u64::MAX } else { self.next.min(self.until) }
    }

    /// The next ACK that leaves at `now`.
    pub fn release(&mut self, now: u64) -> Option<Packet> {
        if self.next_timeout() > now {
            return None;
        }
        let paces = now < self.until;
        self.next = if paces { now.saturating_add(self.interval) } else { now };
        self.waiting.pop_front()
    }

    /// ACKs that wait.
    pub fn waiting(&mut self) -> &mut VecDeque<Packet> {
        &mut self.waiting
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(seq: u64) -> Packet {
        Packet { seq, ..Packet::default() }
    }

    /// An output of 10 slots a second is offered 20: half of the scheduled 10 is left, an ACK every 200 ms.
    #[test]
    fn acks_are_spaced_while_the_core_is_busy_and_leave_together_after_that() {
        let second = 1_000_000_000_000;
        let mut gate = AckGate::new(Part::nearest(1.0));
        assert!(gate.handle_ack(0, &ack(1)));
        let rate = |slots| SlotRate::of(slots, second);
        gate.handle_report(rate(20), rate(10), rate(10), second);
        assert!(gate.handle_ack(10, &ack(2)));
        assert!(!gate.handle_ack(20, &ack(3)) && !gate.handle_ack(30, &ack(4)));
        assert_eq!((gate.release(30).is_none(), gate.next_timeout()), (true, second / 5 + 10));
        assert_eq!(gate.release(second / 5 + 10).map(|packet| packet.seq), Some(3));
        assert_eq!(gate.release(second).map(|packet| packet.seq), Some(4), "it is no longer told to pace");
        assert_eq!((gate.next_timeout(), gate.len()), (u64::MAX, 0));
    }
}
