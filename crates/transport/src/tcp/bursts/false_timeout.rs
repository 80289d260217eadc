//! Timeouts that show the loss of one burst: the three detectors of BTCP ([`btcp`](crate::cc::btcp)).

use super::super::SackBlock;
use crate::cc::btcp::Detector;
use std::collections::VecDeque;

/// Bursts remembered at most, and blocks of one; the oldest go first.
const MOST_BURSTS: usize = 1024;
const MOST_BLOCKS: usize = 64;

/// The flow's bursts so far.
#[derive(Clone, Debug, Default)]
pub(super) struct FalseTimeouts {
    /// The longest run of lost bytes.
    longest: u64,
    /// The bursts not yet acknowledged, oldest first.
    assembled: VecDeque<Box<[SackBlock]>>,
}

impl FalseTimeouts {
    /// SACK showed a run of lost bytes of this length.
    pub(super) fn note_run(&mut self, bytes: u64) {
        self.longest = self.longest.max(bytes);
    }

    /// A burst holds these segments; everything below `una` is acknowledged.
    pub(super) fn note_assembled(&mut self, segments: &[SackBlock], una: u64) {
        while self.assembled.front().is_some_and(|burst| burst.iter().all(|block| block.end <= una)) {
            self.assembled.pop_front();
        }
        if self.assembled.len() == MOST_BURSTS {
            self.assembled.pop_front();
        }
        self.assembled.push_back(segments.iter().take(MOST_BLOCKS).copied().collect());
    }

    /// True if `detector` says that a timeout while these bytes are missing shows the loss of one burst.
    pub(super) fn detects(&self, detector: Detector, missing: &[SackBlock]) -> bool {
        match detector {
            Detector::Ble => missing.iter().map(|block| block.len()).sum::<u64>() <= self.longest,
            Detector::Back => self.assembled.iter().any(|burst| missing.iter().all(|block| is_within(*block, burst))),
            Detector::Bnak => false,
        }
    }
}

/// True if the segments of `burst`, in any order, hold all of `block`.
fn is_within(block: SackBlock, burst: &[SackBlock]) -> bool {
    let mut reached = block.start;
    while reached < block.end {
        let next = burst.iter().filter(|part| part.start <= reached).map(|part| part.end).max();
        match next.filter(|end| *end > reached) {
            Some(end) => reached = end,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(start: u64, end: u64) -> SackBlock {
        SackBlock { start, end }
    }

    #[test]
    fn ble_compares_what_is_missing_with_the_longest_run() {
        let mut books = FalseTimeouts::default();
        assert!(!books.detects(Detector::Ble, &[block(0, 1000)]), "nothing is known yet");
        books.note_run(5000);
        books.note_run(3000);
        assert!(books.detects(Detector::Ble, &[block(10_000, 15_000)]));
        assert!(!books.detects(Detector::Ble, &[block(10_000, 13_000), block(14_000, 17_000)]));
    }

    #[test]
    fn back_asks_whether_one_burst_held_all_that_is_missing() {
        let mut books = FalseTimeouts::default();
        books.note_assembled(&[block(0, 1000), block(1000, 2000), block(5000, 6000)], 0);
        books.note_assembled(&[block(2000, 4000)], 0);
        assert!(books.detects(Detector::Back, &[block(0, 2000), block(5000, 6000)]));
        assert!(!books.detects(Detector::Back, &[block(1000, 3000)]), "in two bursts");
        books.note_assembled(&[block(6000, 7000)], 6000);
        assert!(!books.detects(Detector::Back, &[block(2000, 4000)]), "acknowledged bursts are forgotten");
    }
}
