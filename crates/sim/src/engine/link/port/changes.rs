//! What events of the scenario do to a port: another capacity or delay, a link that goes down or comes up.

use super::{LinkDownLosses, Port, PortKind};
use crate::engine::link::jitter::JitterProcess;
use crate::engine::link::ring::Ring;
use crate::engine::packet::Packet;
use crate::engine::packet::admission::Count;
use crate::model::{Buffer, MidPacket};
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
        let Some(new) = ByteTime::at(capacity) else { return self.pause(now, rest, in_flight) };
        let old = std::mem::replace(&mut self.byte_time, new);
        self.line_mut().into_iter().for_each(|line| line.set_byte_time(new));
        self.is_plain = self.is_plain_now();
        if let Some(pause) = self.line_mut().and_then(|line| line.pause.take()) {
            return self.resume(now, pause, [old, new], in_flight);
        }
        match &mut self.kind {
            PortKind::Gated(gate) => gate.try_again(),
            PortKind::Disciplined(_) if rest == MidPacket::Finish => return,
            _ => self.backlog.stretch(now, |left| stretch(left, old, new)),
        }
        self.retime(in_flight);
    }

    /// The delay changes for packets whose last bit has not left yet, but for one that finishes as it began.
    pub fn change_delay(&mut self, now: u64, delay: Duration, rest: MidPacket, in_flight: &mut Ring<Packet>) {
        self.sweep(now);
        self.delay = delay.ps();
        if rest != MidPacket::Finish {
            self.retime(in_flight);
        }
    }

    /// There is other room for packets that come; those that wait stay. Only of a port that decides each departure
    /// late.
    pub fn change_buffer(&mut self, buffer: Buffer) {
        self.line_mut().into_iter().for_each(|line| line.set_room(buffer));
    }

    /// Packets are lost with another probability.
    pub fn change_loss(&mut self, p: f64) {
        if let Some(features) = &mut self.features {
            features.loss.change(p);
        }
    }

    /// So much is added to the delay of packets that leave from now on.
    pub fn change_jitter(&mut self, scale: Duration) {
        if let Some(jitter) = self.features.as_mut().and_then(|features| features.jitter.as_mut()) {
            jitter.change(scale);
        }
    }

    /// Sets the arrival times of the packets that have not left yet: a delay after they leave, and as far apart as they
    /// leave, behind those on the fibre, which come over the old delay.
    pub(super) fn retime(&mut self, in_flight: &mut Ring<Packet>) {
        if self.gate().is_none() {
            // A port with jitter has at most one packet that has not left.
            let delay = self.delay + self.jitter().map_or(0, JitterProcess::last);
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
                arrival = (arrival + apart).max(packet.end + delay);
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
                self.kept_mut().set(now, 0, 0);
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
        let taken = (0..self.unsent()).filter_map(|_| in_flight.pop_newest()).collect();
        for packet in self.backlog.iter() {
            let cut = Count { packets: 1, bytes: u64::from(packet.size) };
            // A packet that would have been lost behind the port is counted as dropped already.
            if !packet.is_lost {
                self.dropped = self.dropped.plus(cut);
            }
            self.refused = self.refused.plus(cut);
        }
        self.backlog.stop(now, self.busy(now), self.waited_inside(now));
        if let Some(pause) = self.line_mut().and_then(|line| line.pause.as_mut()) {
            pause.left = None;
        }
        self.follow(in_flight);
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
