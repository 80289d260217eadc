//! Blocks into slots: for each destination one slot is open and takes blocks until it is full or a frame begins.

use control::wire::Block;
use std::collections::BTreeMap;

/// Bytes of a block before its data: code, reserved, length.
pub(crate) const BLOCK: usize = 4;

#[derive(Debug, Default)]
struct Open {
    blocks: Vec<Block>,
    bytes: usize,
}

/// The open slots.
#[derive(Debug)]
pub(crate) struct Packer {
    room: usize,
    open: BTreeMap<u16, Open>,
    full: Vec<(u16, Vec<Block>)>,
}

impl Packer {
    /// Slots that hold `room` bytes of blocks.
    pub(crate) fn new(room: usize) -> Packer {
        Packer { room, open: BTreeMap::new(), full: Vec::new() }
    }

    /// Bytes of blocks that a whole slot holds.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// Bytes that the open slot for `to` still takes.
    pub(crate) fn left(&self, to: u16) -> usize {
        self.room - self.open.get(&to).map_or(0, |open| open.bytes)
    }

    /// A block of so many bytes, its head included, which must fit a slot.
    pub(crate) fn add(&mut self, to: u16, block: Block, bytes: usize) {
        if bytes > self.left(to) {
            self.close(to);
        }
        let open = self.open.entry(to).or_default();
        open.bytes += bytes;
        open.blocks.push(block);
    }

    /// The open slot for `to` takes no more.
    pub(crate) fn close(&mut self, to: u16) {
        if let Some(open) = self.open.remove(&to) {
            self.full.push((to, open.blocks));
        }
    }

    /// No open slot takes more.
    pub(crate) fn close_all(&mut self) {
        while let Some((to, open)) = self.open.pop_first() {
            self.full.push((to, open.blocks));
        }
    }

    /// The slots that are ready.
    pub(crate) fn take(&mut self) -> Vec<(u16, Vec<Block>)> {
        std::mem::take(&mut self.full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use control::wire::Management;

    #[test]
    fn blocks_fill_slots_in_order_and_none_is_too_full() {
        let mut packer = Packer::new(100);
        for number in 0..5u16 {
            packer.add(1, Management { topic: number, bytes: vec![0; 34] }.into(), 40);
        }
        packer.add(2, Management { topic: 9, bytes: vec![] }.into(), 6);
        assert_eq!((packer.left(1), packer.left(2)), (60, 94));
        packer.close_all();
        let slots: Vec<_> = packer.take().into_iter().map(|(to, blocks)| (to, blocks.len())).collect();
        assert_eq!(slots, [(1, 2), (1, 2), (1, 1), (2, 1)]);
    }
}
