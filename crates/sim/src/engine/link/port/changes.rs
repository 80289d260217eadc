//! What events of the scenario do to a port: another capacity or delay, a link that goes down or comes up.

use super::{LinkDownLosses, Port, PortKind};
use crate::engine::link::ring::Ring;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::Count;
use units::{ByteTime, Duration, Rate};

impl Port {
    /// The capacity changes: what waits, and the rest of the packet in transmission, goes on at the new rate. (What has
    /// a place behind a gate keeps it.) `in_flight` is on the fibre behind this port; the arrivals of packets that have
    /// not left yet move.
    pub fn change_capacity(&mut self, now: u64, capacity: Rate, in_flight: &mut Ring<Packet>) {
        let Some(new) = ByteTime::at(capacity) else { return };
        if self.controller_follows() {
            self.tell_capacity(now, capacity);
        }
        self.sweep(now);
        let old = std::mem::replace(&mut self.byte_time, new);
        self.is_plain = self.is_plain_now();
        match &mut self.kind {
            PortKind::Gated(gate) => gate.try_again(),
            _ => self.backlog.stretch(now, |left| stretch(left, old, new)),
        }
        self.retime(in_flight);
    }

    /// The delay changes for packets whose last bit has not left yet.
    pub fn change_delay(&mut self, now: u64, delay: Duration, in_flight: &mut Ring<Packet>) {
        self.sweep(now);
        self.delay = delay.ps();
        self.retime(in_flight);
    }

    /// Sets the arrival times of the packets that have not left yet: a delay after they leave, and as far apart as they
    /// leave, behind those on the fibre, which come over the old delay.
    fn retime(&mut self, in_flight: &mut Ring<Packet>) {
        if self.gate().is_none() {
            let first = in_flight.len() - self.unsent();
            let before = if first > 0 { Some(in_flight.nth_mut(first - 1).at) } else { None };
            let (mut arrival, mut last_end) = (before.unwrap_or(0), None);
            for (i, packet) in self.backlog.iter().filter(|packet| !packet.is_lost).enumerate() {
                let place = in_flight.nth_mut(first + i);
                let apart = match (last_end, before) {
                    (Some(end), _) => packet.end - end,
                    // When the one in transmission began is not known: it was as far from the one before, or farther.
                    (None, Some(before)) => (place.at - before).min(self.lasts(packet.size)),
                    (None, None) => 0,
                };
                arrival = (arrival + apart).max(packet.end + self.delay);
                place.at = arrival;
                last_end = Some(packet.end);
            }
        }
        self.follow(in_flight);
    }

    /// What comes next arrives behind what is on the fibre. What is not there any more has arrived.
    fn follow(&mut self, in_flight: &Ring<Packet>) {
        self.last_arrival = in_flight.newest().map_or(0, |packet| packet.at);
    }

    /// The link goes down: what has not left completely is taken back from the fibre, counted as dropped, and returned,
    /// and what has no time to leave is dropped too.
    pub fn take_down(&mut self, now: u64, in_flight: &mut Ring<Packet>) -> LinkDownLosses {
        self.serve_controller(now);
        self.sweep(now);
        (self.is_up, self.is_plain) = (false, false);
        let from_fibre = (0..self.unsent()).filter_map(|_| in_flight.pop_newest()).collect();
        for packet in self.backlog.iter() {
            let cut = Count { packets: 1, bytes: u64::from(packet.size) };
            // A packet that would have been lost behind the port is counted as dropped already.
            if !packet.is_lost {
                self.dropped = self.dropped.plus(cut);
            }
            self.refused = self.refused.plus(cut);
        }
        self.backlog.stop(now, self.busy(now), self.waited_inside(now));
        let held = match &mut self.kind {
            PortKind::DropTail | PortKind::Optical(_) => Vec::new(),
            PortKind::Gated(gate) => gate.clear(),
            PortKind::Disciplined(line) => {
                let held = line.clear();
                self.kept_mut().set(now, 0, 0);
                held
            }
        };
        for packet in &held {
            self.dropped.add(packet.size);
            self.refused.add(packet.size);
        }
        self.follow(in_flight);
        LinkDownLosses { from_fibre, held }
    }

    /// Whether the link is up.
    pub fn is_up(&self) -> bool {
        self.is_up
    }

    /// The link comes up.
    pub fn bring_up(&mut self) {
        self.is_up = true;
        self.is_plain = self.is_plain_now();
    }
}

/// What `left` picoseconds at the old rate become at the new, to the nearest picosecond.
fn stretch(left: u64, old: ByteTime, new: ByteTime) -> u64 {
    let (old, new) = (u128::from(old.fixed_point()), u128::from(new.fixed_point()));
    u64::try_from((u128::from(left) * new + old / 2) / old).unwrap_or(u64::MAX / 4)
}
