//! What events of the scenario do to a port: another capacity or delay, a link that goes down or comes up.

use super::{LinkDownLosses, Port, State};
use crate::engine::link::gated::GatedTransmitter;
use crate::engine::link::ring::Ring;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::Count;
use crate::model::{Buffer, MidPacket};
use units::{ByteTime, Duration, Rate};

impl Port {
    /// The capacity changes: what waits goes on at the new rate, and the rest of the packet in transmission too unless
    /// it finishes as it began. `in_flight` is the fibre behind this port; the arrivals of packets that have not left
    /// yet move. Without a capacity the transmitter pauses.
    pub fn change_capacity(&mut self, now: u64, capacity: Rate, rest: MidPacket, in_flight: &mut Ring<Packet>) {
        self.use_own_list(in_flight);
        if self.controller_follows() {
            self.tell_capacity(now, capacity);
        }
        self.sweep_own(now);
        let Some(new) = ByteTime::at(capacity) else { return self.pause(now, rest, in_flight) };
        let old = std::mem::replace(&mut self.byte_time, new);
        self.bound_by_count();
        self.gate_mut().into_iter().for_each(GatedTransmitter::try_again);
        if let Some(pause) = self.line_mut().and_then(|line| line.pause.take()) {
            return self.resume(now, pause, [old, new], in_flight);
        }
        if rest != MidPacket::Finish {
            self.restretch(now, [old, new]);
            self.retime(in_flight);
        }
    }

    /// What is inside goes on at the new rate.
    fn restretch(&mut self, now: u64, [old, new]: [ByteTime; 2]) {
        let (mut old_start, mut new_start, mut waited) = (now, now, self.waited());
        for i in 0..self.own.len() {
            let packet = self.own.nth_mut(i);
            let left = packet.end - old_start;
            let old_end = packet.end;
            packet.end = new_start + stretch(left, old, new);
            waited = waited + u128::from(new_start) - u128::from(old_start);
            (old_start, new_start) = (old_end, packet.end);
        }
        self.set_waited(waited);
        self.busy = self.busy + new_start - old_start;
        self.busy_until = self.busy_until + new_start - old_start;
        if !self.own.is_empty() {
            // What was rounded at the old rate has been stretched.
            self.is_stretched = true;
            self.set_bounds();
        }
    }

    /// The delay changes for packets whose last bit has not left yet, but for one that finishes as it began.
    pub fn change_delay(&mut self, now: u64, delay: Duration, rest: MidPacket, in_flight: &mut Ring<Packet>) {
        self.use_own_list(in_flight);
        self.delay = delay.ps();
        self.sweep_own(now);
        if rest != MidPacket::Finish {
            self.retime(in_flight);
        }
    }

    /// There is other room for packets that come; those that wait stay.
    pub fn change_buffer(&mut self, buffer: Buffer) {
        self.buffer = buffer;
        self.set_bounds();
    }

    /// Packets are lost with another probability.
    pub fn change_loss(&mut self, p: f64) {
        if let Some(features) = &mut self.features {
            features.loss.change(p);
        }
    }

    /// Sets the arrival times of the packets that have not left yet: a delay after they leave, and as far apart as they
    /// leave, behind those on the fibre, which come over the old delay.
    pub(super) fn retime(&mut self, in_flight: &mut Ring<Packet>) {
        let unsent = self.own.iter().filter(|packet| !packet.is_lost()).count();
        let first = in_flight.len() - unsent;
        let before = if first > 0 { Some(in_flight.nth_mut(first - 1).at) } else { None };
        let (mut arrival, mut last_end) = (before.unwrap_or(0), None);
        for (i, packet) in self.own.iter().filter(|packet| !packet.is_lost()).enumerate() {
            let place = in_flight.nth_mut(first + i);
            let apart = match (last_end, before) {
                (Some(end), _) => packet.end - end,
                // When the one in transmission began is not known: it was as far from the one before, or farther.
                (None, Some(before)) => (place.at - before).min(self.byte_time.of(packet.size() as u32).ps()),
                (None, None) => 0,
            };
            arrival = (arrival + apart).max(packet.end + self.delay);
            place.at = arrival;
            last_end = Some(packet.end);
        }
        self.follow(in_flight);
    }

    /// What comes next arrives behind what is on the fibre. What is not there any more has arrived.
    pub(super) fn follow(&mut self, in_flight: &Ring<Packet>) {
        self.last_arrival = in_flight.newest().map_or(0, |packet| packet.at);
    }

    /// The link goes down: what has not left completely is taken back from the fibre, counted as dropped, and returned,
    /// but for a packet in transmission that may finish.
    pub fn take_down(&mut self, now: u64, rest: MidPacket, in_flight: &mut Ring<Packet>) -> LinkDownLosses {
        self.use_own_list(in_flight);
        self.state = State::Down;
        self.bound_by_count();
        if self.gate().is_some() {
            return self.take_gate_down(now, in_flight);
        }
        self.sweep_own(now);
        let finishes = rest == MidPacket::Finish && self.line().is_some() && !self.is_halted();
        let from_fibre = if finishes { Vec::new() } else { self.take_back(now, in_flight) };
        LinkDownLosses { from_fibre, held: self.clear_discipline(now) }
    }

    /// What is in transmission is taken back from the fibre, counted as dropped, and returned.
    pub fn cut(&mut self, now: u64, in_flight: &mut Ring<Packet>) -> LinkDownLosses {
        self.use_own_list(in_flight);
        self.sweep_own(now);
        LinkDownLosses { from_fibre: self.take_back(now, in_flight), held: Vec::new() }
    }

    /// What has not left completely, taken back from the fibre, newest first, and counted as dropped.
    fn take_back(&mut self, now: u64, in_flight: &mut Ring<Packet>) -> Vec<Packet> {
        // Of a packet that stands still nothing is counted that it has not sent.
        let from = if self.is_halted() { self.busy_until } else { now };
        let (mut start, mut waited) = (from, self.waited());
        for packet in self.own.iter() {
            waited -= u128::from(start - from);
            self.busy -= packet.end - start;
            start = packet.end;
            let cut = Count { packets: 1, bytes: packet.size() };
            // A packet that would have been lost on the fibre is counted as dropped already.
            if !packet.is_lost() {
                self.dropped = self.dropped.plus(cut);
            }
            self.refused = self.refused.plus(cut);
        }
        self.set_waited(waited);
        let unsent = self.own.iter().filter(|packet| !packet.is_lost()).count();
        self.clear_own();
        self.busy_until = now;
        if let Some(pause) = self.line_mut().and_then(|line| line.pause.as_mut()) {
            pause.left = None;
        }
        let taken = (0..unsent).filter_map(|_| in_flight.pop_newest()).collect();
        self.follow(in_flight);
        taken
    }

    /// Whether the link is up.
    pub fn is_up(&self) -> bool {
        matches!(self.state, State::Up)
    }

    /// The link comes up.
    pub fn bring_up(&mut self) {
        self.state = State::Up;
        self.set_bounds();
    }
}

/// What `left` picoseconds at the old rate become at the new, to the nearest picosecond.
pub(super) fn stretch(left: u64, old: ByteTime, new: ByteTime) -> u64 {
    let (old, new) = (u128::from(old.fixed_point()), u128::from(new.fixed_point()));
    u64::try_from((u128::from(left) * new + old / 2) / old).unwrap_or(u64::MAX / 4)
}
