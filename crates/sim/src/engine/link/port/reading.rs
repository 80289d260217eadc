//! What a port has counted, as totals since the start of the run.

use super::Port;
use super::backlog::{Backlog, BacklogEntry, from};
use crate::engine::link::gated::GatedReading;
use crate::engine::link::ring::Ring;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::Count;
use crate::engine::packet::event::Leaving;
use crate::model::Light;

/// Totals of a port from the start of the run up to an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Offered to the port.
    pub offered: Count,
    /// Transmitted completely, those lost on the fibre included.
    pub carried: Count,
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
    /// When what is in the list of a port with one of its own leaves, oldest first; `fibre` is the one behind this
    /// port.
    pub fn leaving(&self, fibre: &Ring<Packet>) -> Vec<Leaving> {
        let unsent = self.own.iter().filter(|packet| !packet.is_lost()).count() as u64;
        let mut arrivals = (fibre.put_in() - unsent..fibre.put_in()).map(|position| fibre.get(position));
        let mut flight = |packet: BacklogEntry| match if packet.is_lost() { None } else { arrivals.next() } {
            Some(on_fibre) => self.last_bit_at(on_fibre.at, on_fibre.size).saturating_sub(packet.end),
            None => self.delay,
        };
        self.own.iter().map(|packet| Leaving { end: packet.end, flight: flight(packet) }).collect()
    }

    /// When a packet that arrives at `at` has arrived with its last bit.
    pub fn last_bit_at(&self, at: u64, size: u16) -> u64 {
        if self.tells_first_bit() { at + self.lasts(size) } else { at }
    }

    /// Totals up to `now`; `fibre` is the one behind this port.
    pub fn reading(&mut self, now: u64, fibre: &Ring<Packet>) -> Reading {
        // Its controller's timers that were due are served first, with the queue as it was then.
        self.control(now);
        let marked = self.features.as_ref().map_or(0, |features| features.marked);
        if let Some(gate) = self.gate_mut() {
            let GatedReading { inside: (packets, bytes), busy, waited, waiting } = gate.reading(now);
            let carried = self.offered().since(self.refused).since(Count { packets, bytes });
            return Reading { offered: self.offered(), carried, dropped: self.dropped, busy, waited, waiting, marked };
        }
        let (inside, future_wait) = self.with_list(fibre, |port, list| port.read_backlog(now, list));
        let held = self.in_discipline();
        Reading {
            offered: self.offered(),
            carried: self.offered().since(self.refused).since(inside).since(held),
            dropped: self.dropped,
            busy: self.busy - self.unsent(now),
            waited: self.waited() - future_wait + self.kept.waited(now),
            waiting: inside.packets.saturating_sub(1) + u64::from(self.kept.packets),
            marked,
        }
    }

    /// What is inside, and how long all of that has still to wait, in packet-picoseconds.
    fn read_backlog(&mut self, now: u64, list: &dyn Backlog) -> (Count, u128) {
        self.sweep(now, list);
        let (mut inside, mut start, mut future_wait) = (Count::default(), now, 0);
        for packet in from(list, self.first_inside) {
            inside = inside.plus(Count { packets: 1, bytes: packet.size() });
            future_wait += u128::from(start - now);
            start = packet.end;
        }
        (inside, future_wait)
    }

    /// Most packets that waited at once since the start or the last call; counting restarts with those that wait now.
    pub fn restart_maximum(&mut self, now: u64, fibre: &Ring<Packet>) -> u64 {
        if let Some(gate) = self.gate_mut() {
            return gate.restart_maximum(now);
        }
        if self.light != Light::None || self.line().is_some() {
            let kept = self.kept.restart_maximum();
            return kept.max(self.replace_maximum(0));
        }
        let waiting = self.reading(now, fibre).waiting;
        self.replace_maximum(waiting)
    }

    fn replace_maximum(&mut self, by: u64) -> u64 {
        let maximum = std::mem::replace(&mut self.max_waiting, by as u32);
        self.set_bounds();
        u64::from(maximum)
    }

    /// Packets that were dropped here, or lost on the fibre.
    pub fn dropped(&self) -> u64 {
        self.dropped.packets
    }

    /// Packets that have been given to the fibre: all that were offered but those dropped, taken back, lost or held.
    pub fn given_to_fibre(&self) -> u64 {
        self.offered - self.dropped.packets - self.held()
    }
}
