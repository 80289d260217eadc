//! A port with a gate: it sends in windows only.

use super::{Port, PortKind};
use crate::engine::link::gated::{GatedTransmitter, Openings, Row};
use crate::engine::packet::Packet;
use crate::engine::packet::admission::Cause;
use crate::queue::Verdict;

impl Port {
    /// A packet comes to the gate and has its time at once, waits, or finds no room. One that is marked waits first.
    #[inline]
    pub(super) fn admit_to_gate(&mut self, now: u64, packet: &Packet, verdict: Verdict) -> Result<Option<u64>, Cause> {
        let at_most = self.backlog.inside().plus(self.unscheduled());
        let is_full = !self.has_room(at_most, packet.size) && {
            self.backlog.sweep(now);
            !self.has_room(self.waiting(now), packet.size)
        };
        let PortKind::Gated(gate) = &mut self.kind else { return Ok(None) };
        if is_full && gate.is_occupied(now, packet.size, self.byte_time, &self.backlog) {
            return Err(Cause::Congestion);
        }
        let end = match verdict {
            Verdict::Mark => gate.hold(now, &packet.marked()),
            _ => gate.admit(now, packet, self.byte_time, &mut self.backlog),
        };
        if end.is_some() || gate.is_stuck() {
            self.note_waiting(now);
        }
        Ok(end)
    }

    /// Notes how many wait at `now`, if they may be more than ever.
    #[inline]
    pub(super) fn note_waiting(&mut self, now: u64) {
        let at_most = self.backlog.inside().plus(self.unscheduled());
        if at_most.packets > self.backlog.most_waiting() {
            self.backlog.sweep(now);
            self.backlog.note_waiting(self.waiting(now).packets);
        }
    }

    /// A cycle begins in which the gate has so many `openings`.
    pub fn begin_cycle(&mut self, now: u64, openings: u32) {
        // The controller's timers that were due are served while the queue is as it was then.
        self.serve_controller(now);
        self.backlog.sweep(now);
        if let PortKind::Gated(gate) = &mut self.kind {
            gate.begin_cycle(now, openings);
        }
    }

    /// The queue behind the gate may send in this window, or these, later than those it has.
    pub fn open_windows(&mut self, windows: impl Into<Row>) {
        if let PortKind::Gated(gate) = &mut self.kind {
            gate.open(windows.into());
        }
    }

    /// The openings of its gate so far, if it has one.
    pub fn openings(&self) -> Option<Openings> {
        self.gate().map(GatedTransmitter::openings)
    }

    /// Bytes that have no time yet.
    pub fn held_bytes(&self) -> u64 {
        self.gate().map_or(0, |gate| gate.unplaced().bytes)
    }

    pub(super) fn gate(&self) -> Option<&GatedTransmitter> {
        match &self.kind {
            PortKind::Gated(gate) => Some(gate),
            _ => None,
        }
    }
}
