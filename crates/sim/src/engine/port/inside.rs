//! What is in a port: packets in transmission or waiting, and their bytes, which are counted when somebody asks.

use super::Port;
use crate::engine::ring::Ring;

/// A packet that has not left. Two plain numbers, so that it travels in registers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Inside {
    /// When its last bit leaves.
    pub(super) end: u64,
    /// Its size, plus [`LOST`] if it vanishes on the fibre.
    size_and_fate: u32,
}

const LOST: u32 = 1 << 31;

impl Inside {
    /// A packet that is not lost.
    #[inline]
    pub(super) fn new(end: u64, size: u16) -> Inside {
        Inside { end, size_and_fate: u32::from(size) }
    }

    /// Its size in bytes.
    #[inline]
    pub(super) fn size(self) -> u64 {
        u64::from(self.size_and_fate & !LOST)
    }

    /// Whether it vanishes on the fibre.
    pub(super) fn is_lost(self) -> bool {
        self.size_and_fate & LOST != 0
    }

    /// It will vanish on the fibre.
    pub(super) fn lose(&mut self) {
        self.size_and_fate |= LOST;
    }
}

/// The bytes of some of the packets that are inside: of the oldest, as many as have been counted. A port whose buffer is measured in
/// packets, and of which nobody asks for bytes, counts none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    /// The position behind the newest of them in the ring. If the oldest packet there is this one or a later one, all of them have left.
    tail: u64,
    bytes: u64,
}

impl Counted {
    /// Counts those that are new. All bytes inside.
    fn count(&mut self, inside: &Ring<Inside>) -> u64 {
        let head = inside.taken_out();
        if self.tail <= head {
            *self = Counted { tail: head, bytes: 0 };
        }
        for packet in inside.iter_from((self.tail - head) as usize) {
            self.bytes += packet.size();
        }
        self.tail = inside.put_in();
        self.bytes
    }

    /// The oldest packet, at `position`, is taken out.
    #[inline]
    fn forget(&mut self, position: u64, packet: Inside) {
        if position < self.tail {
            self.bytes -= packet.size();
        }
    }
}

impl Port {
    /// Takes out what is gone.
    #[inline]
    pub(super) fn sweep(&mut self, now: u64) {
        while let Some(first) = self.inside.first() {
            if first.end > now {
                break;
            }
            self.counted.forget(self.inside.taken_out(), first);
            self.inside.advance();
        }
    }

    /// Bytes inside, after a [`Port::sweep`].
    pub(super) fn inside_bytes(&mut self) -> u64 {
        self.counted.count(&self.inside)
    }

    /// Those of them that wait: all but the packet in transmission.
    pub(super) fn waiting_bytes(&mut self) -> u64 {
        self.inside_bytes() - self.inside.first().map_or(0, Inside::size)
    }
}
