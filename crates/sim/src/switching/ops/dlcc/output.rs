//! An output of an edge node: it sends at most one packet in a slot's time.

use crate::engine::link::ring::Ring;
use crate::engine::node::node_context::LocalPort;
use crate::engine::packet::Packet;
use crate::model::{Buffer, LinkId};

/// An output.
#[derive(Debug)]
pub struct EdgeOutput {
    /// Its link.
    pub link: LinkId,
    /// Its port.
    pub port: LocalPort,
    /// For packets that wait at the edge node for it.
    pub room: Buffer,
    slot: u64,
    /// When the next slot may leave.
    free: u64,
    waiting: Ring<Packet>,
}

impl EdgeOutput {
    /// An idle one.
    pub fn new(link: LinkId, port: LocalPort, room: Buffer, slot: u64) -> EdgeOutput {
        EdgeOutput { link, port, room, slot, free: 0, waiting: Ring::new() }
    }

    /// Whether a packet would leave at once.
    #[inline]
    pub fn is_free(&self, now: u64) -> bool {
        self.waiting.is_empty() && self.free <= now
    }

    /// A packet is to leave.
    pub fn push(&mut self, packet: Packet) {
        self.waiting.push(packet);
    }

    /// A packet leaves at once, where [`EdgeOutput::is_free`] says so.
    pub fn pass(&mut self, now: u64) {
        self.free = now + self.slot;
    }

    /// Whether a packet that waits leaves now.
    #[inline]
    pub fn is_due(&self, now: u64) -> bool {
        self.next_timeout() <= now
    }

    /// The packet that leaves now, where [`EdgeOutput::is_due`] says so.
    pub fn pop(&mut self, now: u64) -> Packet {
        let packet = *self.waiting.front().expect("a packet is due");
        self.waiting.advance();
        self.free = now + self.slot;
        packet
    }

    /// When the next one leaves.
    #[inline]
    pub fn next_timeout(&self) -> u64 {
        if self.waiting.is_empty() { u64::MAX } else { self.free }
    }

    /// Shows what waits.
    pub fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.waiting.for_each_mut(change);
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }
}
