//! An output of an edge node: it sends at most one packet in a slot's time.

use crate::engine::bench::OwnPort;
use crate::engine::packet::Packet;
use crate::model::Buffer;
use std::collections::VecDeque;

/// An output.
#[derive(Debug)]
pub struct Line {
    /// Its port.
    pub port: OwnPort,
    /// For packets that wait at the edge node for it.
    pub room: Buffer,
    slot: u64,
    /// When the next slot may leave.
    free: u64,
    waiting: VecDeque<Packet>,
}

impl Line {
    /// An idle one.
    pub fn new(port: OwnPort, room: Buffer, slot: u64) -> Line {
        Line { port, room, slot, free: 0, waiting: VecDeque::new() }
    }

    /// Whether a packet would leave at once.
    pub fn is_free(&self, now: u64) -> bool {
        self.waiting.is_empty() && self.free <= now
    }

    /// A packet is to leave.
    pub fn push(&mut self, packet: Packet) {
        self.waiting.push_back(packet);
    }

    /// A packet leaves at once, where [`Line::is_free`] says so.
    pub fn pass(&mut self, now: u64) {
        self.free = now + self.slot;
    }

    /// The packet that leaves now, if one does.
    pub fn pop(&mut self, now: u64) -> Option<Packet> {
        if self.free > now {
            return None;
        }
        let packet = self.waiting.pop_front()?;
        self.free = now + self.slot;
        Some(packet)
    }

    /// When the next one leaves.
    pub fn next_timeout(&self) -> u64 {
        if self.waiting.is_empty() { u64::MAX } else { self.free }
    }

    /// What waits.
    pub fn waiting(&mut self) -> &mut VecDeque<Packet> {
        &mut self.waiting
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }
}
