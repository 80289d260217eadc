//! Blocks into datagrams, and datagrams into slots: for each destination one slot is open and takes blocks until it is
//! full or a frame begins.

use crate::config::SlotRoom;
use control::signalling::SlotPart;
use control::wire::{Block, Header};
use std::collections::BTreeMap;

/// Bytes of a block before its data: code, reserved, length.
pub(crate) const BLOCK: usize = 4;
/// What is left of a slot begins no datagram if it is less.
const SHORTEST: usize = 200;

/// A slot that is ready: the blocks of each of its datagrams.
pub(crate) type Datagrams = Vec<Vec<Block>>;

#[derive(Debug, Default)]
struct Open {
    /// Datagrams that take no more, and the bytes of them and of the header of the next one.
    full: Datagrams,
    used: usize,
    blocks: Vec<Block>,
    bytes: usize,
}

/// The open slots.
#[derive(Debug)]
pub(crate) struct Packer {
    room: SlotRoom,
    open: BTreeMap<u16, Open>,
    full: Vec<(u16, Datagrams)>,
}

impl Packer {
    pub(crate) fn new(room: SlotRoom) -> Packer {
        Packer { room, open: BTreeMap::new(), full: Vec::new() }
    }

    /// Bytes of the largest block that fits an empty datagram, its head included.
    pub(crate) fn largest(&self) -> usize {
        self.room.datagram.min(self.room.slot)
    }

    /// Bytes that the open datagram for `to` still takes.
    pub(crate) fn left(&self, to: u16) -> usize {
        let room = |open: &Open| self.room.datagram.min(self.room.slot - open.used) - open.bytes;
        self.open.get(&to).map_or(self.largest(), room)
    }

    /// How many datagrams a full slot has.
    pub(crate) fn datagrams(&self) -> usize {
        self.room.datagrams()
    }

    /// A block of so many bytes, its head included, which must fit a datagram.
    pub(crate) fn add(&mut self, to: u16, block: Block, bytes: usize) {
        if bytes > self.left(to) {
            self.close(to);
        }
        if bytes > self.left(to) {
            self.close_slot(to);
        }
        let open = self.open.entry(to).or_default();
        open.bytes += bytes;
        open.blocks.push(block);
    }

    /// The open datagram for `to` takes no more; nor does the slot, if too little is left of it.
    pub(crate) fn close(&mut self, to: u16) {
        let Some(open) = self.open.get_mut(&to).filter(|open| !open.blocks.is_empty()) else { return };
        open.full.push(std::mem::take(&mut open.blocks));
        open.used = (open.used + std::mem::take(&mut open.bytes) + Header::LENGTH).min(self.room.slot);
        let is_full = self.room.slot - open.used < SHORTEST || open.full.len() == usize::from(SlotPart::MOST);
        if is_full {
            self.close_slot(to);
        }
    }

    /// The open slot for `to` takes no more.
    fn close_slot(&mut self, to: u16) {
        if let Some(Open { mut full, blocks, .. }) = self.open.remove(&to) {
            full.extend(Some(blocks).filter(|blocks| !blocks.is_empty()));
            self.full.push((to, full));
        }
    }

    /// No open slot takes more.
    pub(crate) fn close_all(&mut self) {
        while let Some(to) = self.open.first_key_value().map(|(to, _)| *to) {
            self.close_slot(to);
        }
    }

    /// The slots that are ready.
    pub(crate) fn take(&mut self) -> Vec<(u16, Datagrams)> {
        std::mem::take(&mut self.full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use control::wire::Management;

    fn block(topic: u16, bytes: usize) -> Block {
        Management { topic, bytes: vec![0; bytes - 6] }.into()
    }

    /// How many blocks each datagram of each slot has.
    fn shape(packer: &mut Packer) -> Vec<(u16, Vec<usize>)> {
        packer.close_all();
        packer.take().into_iter().map(|(to, slot)| (to, slot.iter().map(Vec::len).collect())).collect()
    }

    #[test]
    fn blocks_fill_slots_in_order_and_none_is_too_full() {
        let mut packer = Packer::new(SlotRoom { slot: 100, datagram: 1000 });
        (0..5).for_each(|topic| packer.add(1, block(topic, 40), 40));
        packer.add(2, block(9, 6), 6);
        assert_eq!((packer.left(1), packer.left(2), packer.datagrams()), (60, 94, 1));
        assert_eq!(shape(&mut packer), [(1, vec![2]), (1, vec![2]), (1, vec![1]), (2, vec![1])]);
    }

    #[test]
    fn a_slot_has_as_many_datagrams_as_fit_with_their_headers() {
        // Three of 600 bytes and two more headers of 64: 1928.
        let mut packer = Packer::new(SlotRoom { slot: 1928, datagram: 600 });
        assert_eq!((packer.datagrams(), packer.largest()), (3, 600));
        (0..7).for_each(|topic| packer.add(1, block(topic, 300), 300));
        assert_eq!(shape(&mut packer), [(1, vec![2, 2, 2]), (1, vec![1])]);
        // One byte less, and the third datagram takes one block only.
        let mut packer = Packer::new(SlotRoom { slot: 1927, datagram: 600 });
        (0..7).for_each(|topic| packer.add(1, block(topic, 300), 300));
        assert_eq!(shape(&mut packer), [(1, vec![2, 2, 1]), (1, vec![2])]);
    }
}
