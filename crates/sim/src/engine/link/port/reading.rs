//! What a port has counted, as totals since the start of the run.

use super::{Port, PortKind};
use crate::engine::link::backlog::Transmission;
use crate::engine::link::disciplined_queue::DisciplinedQueue;
use crate::engine::link::gated::GatedTransmitter;
use crate::engine::link::ring::Ring;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::Count;
use crate::engine::packet::event::Leaving;
use units::Duration;

/// Totals of a port from the start of the run up to an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Offered to the port.
    pub offered: Count,
    /// Transmitted completely, those lost on the fibre included.
    pub carried: Count,
    /// Bytes that have left of packets whose last bit has not.
    pub begun_bytes: u64,
    /// Dropped at the port or lost on the fibre.
    pub dropped: Count,
    /// Time spent transmitting, in picoseconds.
    pub busy: u64,
    /// Integral of the number of waiting packets, in packet-picoseconds.
    pub waited: u128,
    /// Packets waiting now, the one in transmission not counted.
    pub waiting: u64,
    /// Packets marked here.
    pub marked: u64,
}

impl Port {
    /// When what has its time leaves, oldest first; `in_flight` is on the fibre behind this port. Nothing of a port
    /// with a gate, whose times stand whatever happens to its link.
    pub fn leaving(&self, in_flight: &Ring<Packet>) -> Vec<Leaving> {
        if self.gate().is_some() {
            return Vec::new();
        }
        let unsent = self.unsent();
        let mut arrivals = in_flight.iter().skip(in_flight.len() - unsent);
        let mut flight = |packet: Transmission| match if packet.is_lost { None } else { arrivals.next() } {
            Some(on_fibre) => self.last_bit_at(on_fibre.at, on_fibre.size).saturating_sub(packet.end),
            None => self.delay,
        };
        self.backlog.iter().map(|packet| Leaving { end: packet.end, flight: flight(packet) }).collect()
    }

    /// How many of the packets that were put on the fibre have not left.
    pub(super) fn unsent(&self) -> usize {
        self.backlog.iter().filter(|packet| !packet.is_lost).count()
    }

    /// Goes past what has left.
    pub fn sweep(&mut self, now: u64) {
        self.backlog.sweep(now);
    }

    /// When a packet that arrives at `at` has arrived with its last bit.
    pub fn last_bit_at(&self, at: u64, size: u16) -> u64 {
        if self.tells_first_bit() { at + self.lasts(size) } else { at }
    }

    /// Totals up to `now`.
    pub fn reading(&mut self, now: u64) -> Reading {
        // Its controller's timers that were due are served first, with the queue as it was then.
        self.serve_controller(now);
        self.sweep(now);
        let unsent = self.backlog.inside().plus(self.unscheduled());
        let cut = Count { packets: 0, bytes: self.line().map_or(0, DisciplinedQueue::cut) };
        Reading {
            offered: self.offered,
            carried: self.offered.since(self.refused).since(unsent).since(cut),
            begun_bytes: self.begun_bytes(now),
            dropped: self.dropped,
            busy: self.busy(now),
            waited: self.waited(now),
            waiting: self.waiting(now).plus(self.kept().count()).packets,
            marked: self.marked,
        }
    }

    /// Time spent transmitting up to `now`, in picoseconds.
    pub fn busy(&self, now: u64) -> u64 {
        // A packet that stands still has been taken off.
        let to_come = if self.is_halted() { 0 } else { self.work_to_come(now) };
        self.backlog.busy() - to_come
    }

    /// How long the packets that have their time transmit from `now` on, in picoseconds.
    fn work_to_come(&self, now: u64) -> u64 {
        match (self.gate(), self.halted()) {
            (Some(gate), _) => gate.future_work(now, &self.backlog),
            (None, Some(left)) => left,
            (None, None) => self.busy_until().saturating_sub(now),
        }
    }

    /// Bytes that have left of packets whose last bit has not, to the nearest one. A packet that finishes as it began
    /// counts as if the rest of it left at the present capacity.
    fn begun_bytes(&self, now: u64) -> u64 {
        let bytes_in = |work: u64| self.byte_time.bytes_in(Duration::from_ps(work)).count();
        let placed = self.gate().map_or(0, GatedTransmitter::work_begun);
        (self.backlog.inside().bytes + bytes_in(placed)).saturating_sub(bytes_in(self.work_to_come(now)))
    }

    /// Packet-picoseconds that packets have waited up to `now`.
    fn waited(&self, now: u64) -> u128 {
        self.waited_inside(now) + self.kept().waited(now) + self.line().map_or(0, |line| line.kept.waited(now))
    }

    /// The same without those that wait with an agent or in a discipline.
    pub(super) fn waited_inside(&self, now: u64) -> u128 {
        let scheduled = self.backlog.waited(now);
        self.gate().map_or(scheduled, |gate| scheduled + gate.waited(now) - u128::from(gate.wait_to_come(now)))
    }

    /// Most packets that waited at once since the start or the last restart.
    pub fn maximum(&mut self, now: u64) -> u64 {
        self.serve_controller(now);
        self.sweep(now);
        let kept = match &self.kind {
            PortKind::Gated(_) => 0,
            PortKind::DropTail | PortKind::Optical(_) => self.kept().maximum(),
            PortKind::Disciplined(line) => self.kept().maximum().max(line.kept.maximum()),
        };
        kept.max(self.backlog.most_waiting())
    }

    /// The same; counting restarts with those that wait now.
    pub fn restart_maximum(&mut self, now: u64) -> u64 {
        self.serve_controller(now);
        self.sweep(now);
        let waiting = match self.kind {
            PortKind::Gated(_) => return self.backlog.restart_maximum(self.waiting(now).packets),
            PortKind::DropTail => self.waiting(now).packets,
            PortKind::Optical(_) | PortKind::Disciplined(_) => 0,
        };
        let of_agent = self.kept.as_mut().map_or(0, |kept| kept.restart_maximum());
        let of_line = self.line_mut().map_or(0, |line| line.kept.restart_maximum());
        of_agent.max(of_line).max(self.backlog.restart_maximum(waiting))
    }

    /// Packets and bytes offered since the start.
    pub fn offered_bytes(&self) -> u64 {
        self.offered.bytes
    }

    /// Packets that were dropped here, or lost on the fibre.
    pub fn dropped(&self) -> u64 {
        self.dropped.packets
    }

    /// Packets marked since the start.
    pub fn marked(&self) -> u64 {
        self.marked
    }

    /// Packets that have been given to the fibre: all that were offered but those dropped, taken back, lost or held.
    pub fn given_to_fibre(&self) -> u64 {
        self.offered.packets - self.dropped.packets - self.held()
    }
}
