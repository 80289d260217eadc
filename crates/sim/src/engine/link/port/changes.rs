//! What events of the scenario do to a port: another capacity or delay, a link that goes down or comes up.

use super::{LinkDownLosses, Port, PortKind};
use crate::engine::link::disciplined_queue::Turn;
use crate::engine::link::ring::Ring;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::Count;
use crate::model::{Buffer, MidPacket};
use options::Value;
use units::{ByteTime, Duration, Rate};

impl Port {
    /// The capacity changes: what waits goes on at the new rate, and the rest of the packet in transmission too unless
    /// it finishes as it began. (What has a place behind a gate keeps it.) `in_flight` is on the fibre behind this
    /// port; the arrivals of packets that have not left yet move. Without a capacity the transmitter pauses.
    pub fn change_capacity(&mut self, now: u64, capacity: Rate, rest: MidPacket, in_flight: &mut Ring<Packet>) {
        if self.controller_follows() {
            self.tell_capacity(now, capacity);
        }
        self.note_rate(now, capacity);
        self.sweep(now);
        let before = self.arrival_before(in_flight);
        let Some(new) = ByteTime::at(capacity) else { return self.pause(now, rest, before, in_flight) };
        let old = std::mem::replace(&mut self.byte_time, new);
        self.line_mut().into_iter().for_each(|line| line.set_byte_time(new));
        self.is_plain = self.is_plain_now();
        if let Some(pause) = self.line_mut().and_then(|line| line.pause.take()) {
            return self.resume(now, pause, [old, new], before, in_flight);
        }
        match &mut self.kind {
            PortKind::Gated(gate) => return gate.try_again(),
            PortKind::Disciplined(line) if rest == MidPacket::Finish || line.turn.is_some() => return,
            _ => self.backlog.stretch(now, |left| stretch(left, old, new)),
        }
        self.retime(before, in_flight);
    }

    /// The delay changes for packets whose last bit has not left yet, but for one that finishes as it began.
    pub fn change_delay(&mut self, now: u64, delay: Duration, rest: MidPacket, in_flight: &mut Ring<Packet>) {
        self.sweep(now);
        let before = self.arrival_before(in_flight);
        self.delay = delay.ps();
        if rest != MidPacket::Finish && self.gate().is_none() {
            self.retime(before, in_flight);
        }
    }

    /// There is other room for packets that come; those that wait stay. Only of a port that decides each departure
    /// late.
    pub fn change_buffer(&mut self, buffer: Buffer) {
        self.line_mut().into_iter().for_each(|line| line.set_room(buffer));
    }

    /// The key of a property has another value for packets that leave from now on.
    pub fn change_property(&mut self, key: &str, value: Value) {
        if let Some(features) = &mut self.features {
            features.fibre.change(key, value);
        }
    }

    /// When the last bit arrives of the packet before the first that has not left, as far as that is known: of one that
    /// is not on the fibre any more, if the next followed it without a break, as if its delay had been that of the
    /// next. To be asked before anything changes.
    pub(super) fn arrival_before(&self, in_flight: &Ring<Packet>) -> u64 {
        let mut placed = in_flight.iter().skip(in_flight.len().saturating_sub(self.unsent() + 1));
        let first = placed.next();
        match (first, self.backlog.iter().find(|packet| !packet.is_lost)) {
            (Some(first), _) if in_flight.len() > self.unsent() => self.last_bit_at(first.at, first.size),
            (Some(first), Some(unsent)) if in_flight.len() == self.unsent() && unsent.follows => {
                self.last_bit_at(first.at, first.size) - (unsent.end - unsent.start)
            }
            _ => 0,
        }
    }

    /// Sets the arrival times of the packets that have not left yet: a delay after they leave, and as far apart as they
    /// leave, behind the one `before` them, which comes over the old delay. Not of a port with a gate.
    pub(super) fn retime(&mut self, before: u64, in_flight: &mut Ring<Packet>) {
        // A port with properties that delay packets has at most one packet that has not left.
        let delay = self.delay + self.features.as_ref().map_or(0, |features| features.fibre.late);
        let (unsent, placed, keeps_distance) = (self.unsent(), in_flight.len(), self.keeps_distance());
        let (mut arrival, mut last_end) = (before, None);
        let mut law = self.features.as_mut().and_then(|features| features.law.take());
        for (i, packet) in self.backlog.iter().filter(|packet| !packet.is_lost).enumerate() {
            let distance = if keeps_distance { packet.end - last_end.unwrap_or(packet.start) } else { 0 };
            // What was admitted is under way, even if it leaves too late now.
            let late = law.as_mut().and_then(|law| law.late(packet.end)).unwrap_or(0);
            arrival = (arrival + distance).max(packet.end + delay + late);
            last_end = Some(packet.end);
            // One whose first bit has been told already is not there any more.
            if let Some(place) = (placed + i).checked_sub(unsent) {
                let ahead = if self.tells_first_bit() { self.lasts(packet.size) } else { 0 };
                in_flight.nth_mut(place).at = arrival - ahead;
            }
        }
        self.last_arrival = arrival;
        self.features.iter_mut().for_each(|features| features.law = law.take());
    }

    /// The link goes down: what has not left completely is taken back from the fibre, counted as dropped, and returned,
    /// but for a packet in transmission that may finish; and what has no time to leave is dropped too.
    pub fn take_down(&mut self, now: u64, rest: MidPacket, in_flight: &mut Ring<Packet>) -> LinkDownLosses {
        self.serve_controller(now);
        self.sweep(now);
        (self.is_up, self.is_plain) = (false, false);
        let finishes = rest == MidPacket::Finish && self.line().is_some() && !self.is_halted();
        let from_fibre = if finishes { Vec::new() } else { self.take_back(now, in_flight) };
        let is_sending = self.busy_until() > now;
        let held = match &mut self.kind {
            PortKind::DropTail | PortKind::Optical(_) => Vec::new(),
            PortKind::Gated(gate) => gate.clear(),
            PortKind::Disciplined(line) => {
                let held = line.clear();
                if is_sending {
                    line.await_transmitter();
                }
                line.kept.set(now, 0, 0);
                held
            }
        };
        for packet in &held {
            self.dropped.add(packet.size);
            self.refused.add(packet.size);
        }
        LinkDownLosses { from_fibre, held }
    }

    /// What is in transmission is taken back from the fibre, counted as dropped, and returned.
    pub fn cut(&mut self, now: u64, in_flight: &mut Ring<Packet>) -> LinkDownLosses {
        self.serve_controller(now);
        self.sweep(now);
        LinkDownLosses { from_fibre: self.take_back(now, in_flight), held: Vec::new() }
    }

    /// What has its time and has not left completely, taken back from the fibre, newest first, and counted as dropped.
    fn take_back(&mut self, now: u64, in_flight: &mut Ring<Packet>) -> Vec<Packet> {
        let before = if self.gate().is_none() { self.arrival_before(in_flight) } else { 0 };
        // One whose first bit has been told already goes on.
        let mut gone = self.unsent().saturating_sub(in_flight.len());
        let taken = (gone..self.unsent()).filter_map(|_| in_flight.pop_newest()).collect();
        for packet in self.backlog.iter() {
            let cut = Count { packets: 1, bytes: u64::from(packet.size) };
            // A packet that would have been lost behind the port is counted as dropped already.
            if !packet.is_lost && gone > 0 {
                gone -= 1;
                continue;
            }
            if !packet.is_lost {
                self.dropped = self.dropped.plus(cut);
            }
            self.refused = self.refused.plus(cut);
        }
        self.backlog.stop(now, self.busy(now), self.waited_inside(now));
        if let Some(line) = self.line_mut() {
            line.pause.iter_mut().for_each(|pause| pause.left = None);
            line.turn.iter_mut().for_each(|turn| *turn = Turn::default());
        }
        self.last_arrival = in_flight.newest().map_or(before, |packet| self.last_bit_at(packet.at, packet.size));
        taken
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
pub(super) fn stretch(left: u64, old: ByteTime, new: ByteTime) -> u64 {
    let (old, new) = (u128::from(old.fixed_point()), u128::from(new.fixed_point()));
    u64::try_from((u128::from(left) * new + old / 2) / old).unwrap_or(u64::MAX / 4)
}
