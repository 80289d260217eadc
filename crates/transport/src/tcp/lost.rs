//! Segments that are lost and wait to be sent again, in the order of the flow.
//!
//! Losses are found from the lowest up and repaired from the lowest up, so that nearly everything happens at an end of
//! the list. What is lost once more lies near the front, where to make room moves little. No question walks over
//! segments that are not lost, of which a large window in recovery has thousands.

use super::SackBlock;
use std::collections::VecDeque;

/// The lost segments of one flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Lost {
    blocks: VecDeque<SackBlock>,
    bytes: u64,
}

impl Lost {
    /// Their bytes.
    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The first of them.
    #[inline]
    pub(super) fn first(&self) -> Option<SackBlock> {
        self.blocks.front().copied()
    }

    /// A segment is lost that was not.
    pub(super) fn insert(&mut self, block: SackBlock) {
        self.bytes += block.len();
        self.blocks.insert(self.place(block), block);
    }

    /// A lost segment has left again, or has arrived after all.
    pub(super) fn remove(&mut self, block: SackBlock) {
        self.bytes -= block.len();
        self.blocks.remove(self.place(block));
    }

    /// The part below `una` of the first segment, which is lost, has arrived after all.
    pub(super) fn trim(&mut self, una: u64) {
        if let Some(first) = self.blocks.front_mut() {
            self.bytes -= una - first.start;
            first.start = una;
        }
    }

    /// Keeps no more memory than there are lost segments.
    pub(super) fn give_back_memory(&mut self) {
        self.blocks.shrink_to_fit();
    }

    /// Nothing is lost.
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.bytes = 0;
    }

    /// Where a segment belongs. The ends are tried first.
    fn place(&self, block: SackBlock) -> usize {
        match (self.blocks.front(), self.blocks.back()) {
            (Some(first), _) if block.end <= first.end => 0,
            (_, Some(last)) if last.end < block.end => self.blocks.len(),
            _ => self.blocks.partition_point(|one| one.end < block.end),
        }
    }

    /// Asserts that these are all lost segments.
    pub(super) fn check(&self, all: impl Iterator<Item = SackBlock>) {
        assert!(self.blocks.iter().copied().eq(all), "what is lost is listed in its order");
        assert_eq!(self.bytes, self.blocks.iter().map(|block| block.len()).sum::<u64>());
    }
}
