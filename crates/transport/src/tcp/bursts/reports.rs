//! Bytes that were reported lost and are not acknowledged, and their effect on the pipe.

use super::super::SackBlock;
use super::super::scoreboard::{Scoreboard, Threshold};

/// Blocks kept at most; what is reported beyond them is left to RFC 6675.
const MOST_BLOCKS: usize = 1024;

/// Outstanding bytes that were reported lost: in order, disjoint, above SND.UNA.
#[derive(Clone, Debug, Default)]
pub(super) struct Reports {
    blocks: Vec<Reported>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reported {
    block: SackBlock,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// To be sent again.
    Missing,
    /// Sent again.
    SentAgain,
}

impl Reports {
    /// `block` is missing, whatever was known of it.
    pub(super) fn miss(&mut self, block: SackBlock) {
        if self.blocks.len() < MOST_BLOCKS {
            self.set(block, State::Missing);
        }
    }

    /// `block` has been sent again.
    pub(super) fn repair(&mut self, block: SackBlock) {
        self.set(block, State::SentAgain);
    }

    fn set(&mut self, block: SackBlock, state: State) {
        let mut blocks = Vec::with_capacity(self.blocks.len() + 2);
        for old in self.blocks.drain(..) {
            let left = SackBlock { end: old.block.end.min(block.start), ..old.block };
            let right = SackBlock { start: old.block.start.max(block.end), ..old.block };
            let parts = [left, right].into_iter().filter(|part| !part.is_empty());
            blocks.extend(parts.map(|block| Reported { block, ..old }));
        }
        blocks.push(Reported { block, state });
        blocks.sort_unstable_by_key(|reported| reported.block.start);
        blocks.dedup_by(|next, before| {
            let joins = before.state == next.state && before.block.end == next.block.start;
            if joins {
                before.block.end = next.block.end;
            }
            joins
        });
        self.blocks = blocks;
    }

    /// Everything below `una` is acknowledged.
    pub(super) fn advance(&mut self, una: u64) {
        self.blocks.retain(|reported| reported.block.end > una);
        if let Some(first) = self.blocks.first_mut() {
            first.block.start = first.block.start.max(una);
        }
    }

    pub(super) fn clear(&mut self) {
        self.blocks.clear();
    }

    /// The lowest missing bytes that the receiver does not hold.
    pub(super) fn first_missing(&self, board: &Scoreboard) -> Option<SackBlock> {
        let missing = self.blocks.iter().filter(|reported| reported.state == State::Missing);
        missing.into_iter().find_map(|reported| board.hole(reported.block.start, reported.block.end))
    }

    pub(super) fn hold(&self, seq: u64) -> bool {
        self.blocks.iter().any(|reported| (reported.block.start..reported.block.end).contains(&seq))
    }

    /// The part of `hole` above all that was reported.
    pub(super) fn beside(&self, hole: SackBlock) -> SackBlock {
        let mut rest = hole;
        for reported in &self.blocks {
            if reported.block.start > rest.start {
                rest.end = rest.end.min(reported.block.start);
                break;
            }
            rest.start = rest.start.max(reported.block.end);
        }
        rest
    }

    /// The pipe with what was reported: missing bytes are not in it, repaired ones once.
    pub(super) fn correct(&self, pipe: u64, board: &Scoreboard, threshold: Threshold) -> u64 {
        let (mut added, mut taken) = (0, 0);
        for reported in &self.blocks {
            let (unsacked, counted) = board.pipe_of(reported.block, threshold);
            taken += counted;
            added += if reported.state == State::SentAgain { unsacked } else { 0 };
        }
        (pipe + added).saturating_sub(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(start: u64, end: u64) -> SackBlock {
        SackBlock { start, end }
    }

    #[test]
    fn a_repair_splits_what_is_missing_and_a_second_loss_makes_it_missing_again() {
        let mut reports = Reports::default();
        reports.miss(block(10, 40));
        reports.repair(block(10, 20));
        let board = Scoreboard::default();
        assert_eq!(reports.first_missing(&board), Some(block(20, 40)));
        reports.miss(block(10, 20));
        assert_eq!(reports.blocks.len(), 1, "joined");
        assert_eq!(reports.first_missing(&board), Some(block(10, 40)));
        reports.advance(15);
        assert_eq!(reports.first_missing(&board), Some(block(15, 40)));
    }

    #[test]
    fn a_hole_is_cut_at_what_was_reported() {
        let mut reports = Reports::default();
        reports.miss(block(20, 30));
        assert_eq!(reports.beside(block(0, 50)), block(0, 20));
        assert_eq!(reports.beside(block(25, 50)), block(30, 50));
        assert!(reports.beside(block(20, 30)).is_empty());
    }

    #[test]
    fn what_is_missing_is_not_in_the_pipe_and_what_was_sent_again_is_once() {
        // 100 bytes outstanding, none SACKed: the pipe is 100. 30 are missing, of which 10 have been sent again.
        let (mut reports, board) = (Reports::default(), Scoreboard::default());
        let threshold = Threshold::new(3, 10);
        reports.miss(block(0, 30));
        assert_eq!(reports.correct(100, &board, threshold), 70);
        reports.repair(block(0, 10));
        assert_eq!(reports.correct(100, &board, threshold), 80);
    }
}
