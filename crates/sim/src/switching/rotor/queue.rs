//! What waits at a rack for other racks.

use crate::engine::link::ring::Ring;
use crate::engine::packet::{Class, Packet};
use crate::model::Buffer;

/// A queue that has become empty keeps memory for so many packets.
const KEPT_PLACES: usize = 1024;

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

/// Queues for each rack: one, or one for each host or pair of hosts.
#[derive(Debug)]
pub(super) struct Queues {
    all: Vec<Queue>,
    /// By rack: how many are not empty.
    filled: Vec<u32>,
    /// The same of all racks.
    any: usize,
    /// Queues for each rack.
    parts: usize,
    /// Which of them is looked at first.
    turn: usize,
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
        if self.packets.is_empty() && self.packets.places() > KEPT_PLACES {
            self.packets = Ring::new();
        }
        Some(waiting)
    }

    /// Bytes of the first one.
    pub fn first(&self) -> Option<u16> {
        self.packets.front().map(|waiting| waiting.packet.size)
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
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

impl Queues {
    /// Empty ones for so many racks.
    pub fn new(racks: usize, parts: usize) -> Queues {
        let all = (0..racks * parts).map(|_| Queue::default()).collect();
        Queues { all, filled: vec![0; racks], any: 0, parts, turn: 0 }
    }

    /// A packet comes to a queue for a rack.
    pub fn push(&mut self, rack: u32, part: usize, waiting: Waiting) {
        let queue = &mut self.all[rack as usize * self.parts + part % self.parts];
        if queue.is_empty() {
            self.filled[rack as usize] += 1;
            self.any += 1;
        }
        queue.push(waiting);
    }

    /// The first packet of a queue leaves.
    pub fn pop(&mut self, number: usize) -> Option<Waiting> {
        self.turn = number % self.parts + 1;
        let waiting = self.all[number].pop()?;
        if self.all[number].is_empty() {
            self.filled[number / self.parts] -= 1;
            self.any -= 1;
        }
        Some(waiting)
    }

    /// Whether something waits for a rack.
    #[inline]
    pub fn has(&self, rack: u32) -> bool {
        self.filled[rack as usize] > 0
    }

    /// Whether something waits for any.
    #[inline]
    pub fn has_any(&self) -> bool {
        self.any > 0
    }

    /// One queue for a rack that has a packet for which its part has so many bytes left, and the packet's size.
    #[inline]
    pub fn pick(&self, rack: u32, left: &[u64]) -> Option<(usize, u16)> {
        if !self.has(rack) {
            return None;
        }
        let turns = (self.turn..self.parts).chain(0..self.turn.min(self.parts));
        let mut found = turns.filter_map(|part| {
            let number = rack as usize * self.parts + part;
            let size = self.all[number].first()?;
            (left[part] >= u64::from(size)).then_some((number, size))
        });
        found.next()
    }

    /// The queue of this number.
    pub fn at(&self, number: usize) -> &Queue {
        &self.all[number]
    }

    /// Those for a rack, by part.
    pub fn of(&self, rack: u32) -> &[Queue] {
        &self.all[rack as usize * self.parts..][..self.parts]
    }

    /// All, by rack and part.
    pub fn all(&self) -> &[Queue] {
        &self.all
    }

    /// Queues for each rack.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// What waits for a rack.
    pub fn taken(&self, rack: u32) -> Room {
        self.of(rack).iter().map(Queue::taken).fold(Room::default(), Room::plus)
    }

    /// Shows every packet.
    pub fn for_each_mut(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        self.all.iter_mut().for_each(|queue| queue.for_each_mut(change));
    }
}

impl Room {
    fn plus(self, other: Room) -> Room {
        Room { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }

    /// How many bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

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
