//! What waits at a rack for one other rack.

use crate::engine::link::ring::Ring;
use crate::engine::packet::{Class, Packet};
use crate::model::Buffer;

/// Packets in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Queue {
    packets: Ring<Waiting>,
    bytes: u64,
}

/// A packet that waits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waiting {
    /// It.
    pub packet: Packet,
    /// When it came to this rack.
    pub arrived: u64,
    /// The rack that it goes to.
    pub to: u32,
}

/// A number of packets and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Room {
    packets: u64,
    bytes: u64,
}

impl Queue {
    /// One more.
    pub fn push(&mut self, waiting: Waiting) {
        self.bytes += u64::from(waiting.packet.size);
        self.packets.push(waiting);
    }

    /// The first one leaves.
    pub fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.packets.pop()?;
        self.bytes -= u64::from(waiting.packet.size);
        Some(waiting)
    }

    /// Bytes of the first one.
    pub fn first(&self) -> Option<u16> {
        self.packets.front().map(|waiting| waiting.packet.size)
    }

    /// Whether the first one may take a detour: a message may not, since only its ends know where it goes.
    pub fn may_detour(&self) -> bool {
        self.packets.front().is_some_and(|waiting| waiting.packet.class != Class::Control)
    }

    /// Bytes of all.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What it takes up.
    pub fn taken(&self) -> Room {
        Room { packets: self.packets.len() as u64, bytes: self.bytes }
    }

    /// Shows every packet.
    pub fn for_each_mut(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.packets.for_each_mut(|waiting| change(&mut waiting.packet));
    }
}

impl Room {
    /// One more packet.
    pub fn add(&mut self, size: u16) {
        (self.packets, self.bytes) = (self.packets + 1, self.bytes + u64::from(size));
    }

    /// One less.
    pub fn remove(&mut self, size: u16) {
        (self.packets, self.bytes) = (self.packets - 1, self.bytes - u64::from(size));
    }

    /// How many packets.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Whether a buffer that is taken up so far has no room for one more.
    pub fn is_full(&self, buffer: Buffer, size: u16) -> bool {
        match buffer {
            Buffer::Packets(places) => self.packets >= places,
            Buffer::Bytes(room) => self.bytes + u64::from(size) > room.count(),
            Buffer::Unlimited => false,
        }
    }
}
