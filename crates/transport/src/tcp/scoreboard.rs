//! The sender's picture of what the receiver holds: RFC 6675 §3 and §4.
//!
//! SACKed ranges are kept sorted and disjoint. `IsLost` is monotone (what lies lower has at least as much SACKed above
//! it), so one number, the *lost point*, answers it for every byte: it is found by walking down from the highest range,
//! at most DupThresh steps. The pipe then follows from three byte counts and never walks the ranges.

use super::SackBlock;
use std::collections::VecDeque;

/// Ranges held beyond one per outstanding full-sized segment, for flows of short segments.
const SPARE_RANGES: u64 = 64;

/// The octets between HighACK and HighData of one flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Scoreboard {
    ranges: VecDeque<SackBlock>,
    /// Bytes in `ranges`.
    sacked: u64,
    /// HighRxt: the end of the highest retransmission in this loss recovery.
    high_rxt: u64,
    /// Bytes in `ranges` below `high_rxt`.
    sacked_below_rxt: u64,
}

/// What counts as lost: RFC 6675 §4 IsLost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threshold {
    pub(super) ranges: u32,
    pub(super) bytes: u64,
}

impl Threshold {
    #[inline]
    pub(super) fn new(dupthresh: u32, mss: u32) -> Threshold {
        Threshold { ranges: dupthresh, bytes: u64::from(dupthresh - 1) * u64::from(mss) }
    }
}

impl Scoreboard {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    #[inline]
    pub(super) fn high_rxt(&self) -> u64 {
        self.high_rxt
    }

    /// Forgets every range; RFC 2018 §8.
    pub(super) fn clear(&mut self) {
        self.ranges.clear();
        self.sacked = 0;
        self.sacked_below_rxt = 0;
    }

    /// The cumulative ACK moves to `una`.
    pub(super) fn advance(&mut self, una: u64) {
        while let Some(first) = self.ranges.front_mut() {
            let gone = una.min(first.end).saturating_sub(first.start);
            self.sacked -= gone;
            self.sacked_below_rxt -= gone.min(self.high_rxt.saturating_sub(first.start));
            first.start += gone;
            if !first.is_empty() {
                break;
            }
            self.ranges.pop_front();
        }
        if una > self.high_rxt {
            self.set_high_rxt(una);
        }
    }

    /// Update(): records a block that lies within the outstanding `outstanding` bytes and returns the bytes that were
    /// not known yet. A block that would make one range too many is ignored.
    pub(super) fn insert(&mut self, block: SackBlock, outstanding: u64, mss: u32) -> u64 {
        let at = self.first_reaching(block.start);
        let mut merged = block;
        let mut known = 0;
        let mut known_below_rxt = 0;
        let mut end = at;
        while let Some(range) = self.ranges.get(end).filter(|range| range.start <= block.end) {
            merged.start = merged.start.min(range.start);
            merged.end = merged.end.max(range.end);
            known += range.len();
            known_below_rxt += below(*range, self.high_rxt);
            end += 1;
        }
        if end == at && self.ranges.len() as u64 > SPARE_RANGES + outstanding / u64::from(mss) {
            return 0;
        }
        self.replace(at, end, merged);
        self.sacked += merged.len() - known;
        self.sacked_below_rxt += below(merged, self.high_rxt) - known_below_rxt;
        merged.len() - known
    }

    /// Puts `merged` in the place of the ranges `at..end`.
    fn replace(&mut self, at: usize, end: usize, merged: SackBlock) {
        match end - at {
            0 => self.ranges.insert(at, merged),
            1 => self.ranges[at] = merged,
            _ => {
                self.ranges[at] = merged;
                self.ranges.drain(at + 1..end);
            }
        }
    }

    /// The index of the first range that ends at or above `seq`. New blocks belong near the top, so that is tried first.
    fn first_reaching(&self, seq: u64) -> usize {
        match self.ranges.back() {
            Some(last) if last.end < seq => self.ranges.len(),
            _ => self.ranges.partition_point(|range| range.end < seq),
        }
    }

    /// Moves HighRxt, in either direction.
    pub(super) fn set_high_rxt(&mut self, to: u64) {
        let (low, high) = (self.high_rxt.min(to), self.high_rxt.max(to));
        let first = self.ranges.partition_point(|range| range.end <= low);
        let between = self.ranges.range(first..).take_while(|range| range.start < high);
        let bytes: u64 = between.map(|range| range.end.min(high) - range.start.max(low)).sum();
        if to > self.high_rxt {
            self.sacked_below_rxt += bytes;
        } else {
            self.sacked_below_rxt -= bytes;
        }
        self.high_rxt = to;
    }

    /// The lost point and the SACKed bytes above it: every unSACKed byte below is lost, none above is. `None` if nothing is.
    fn lost_point(&self, threshold: Threshold) -> Option<(u64, u64)> {
        let mut bytes = 0;
        for (count, range) in (1..).zip(self.ranges.iter().rev()) {
            bytes += range.len();
            if count >= threshold.ranges || bytes > threshold.bytes {
                return Some((range.start, bytes));
            }
        }
        None
    }

    /// IsLost(`seq`) for an unSACKed `seq`.
    pub(super) fn is_lost(&self, seq: u64, threshold: Threshold) -> bool {
        self.lost_point(threshold).is_some_and(|(point, _)| seq < point)
    }

    /// SetPipe(): unSACKed bytes not lost, plus unSACKed bytes at or below HighRxt.
    pub(super) fn pipe(&self, una: u64, nxt: u64, threshold: Threshold) -> u64 {
        let (point, sacked_above) = self.lost_point(threshold).unwrap_or((una, self.sacked));
        (nxt - point - sacked_above) + (self.high_rxt - una - self.sacked_below_rxt)
    }

    /// The pipe after a timeout, when everything below `recover` counts as lost until it is sent again.
    pub(super) fn pipe_after_timeout(&self, una: u64, nxt: u64, recover: u64) -> u64 {
        let repaired = self.high_rxt - una - self.sacked_below_rxt;
        if self.high_rxt < recover {
            return repaired;
        }
        nxt - una - self.sacked
    }

    /// The lowest unSACKed bytes at or above `from` and below `limit`.
    pub(super) fn hole(&self, from: u64, limit: u64) -> Option<SackBlock> {
        let mut start = from;
        let mut at = self.ranges.partition_point(|range| range.end <= from);
        if let Some(range) = self.ranges.get(at).filter(|range| range.start <= start) {
            start = range.end;
            at += 1;
        }
        let end = self.ranges.get(at).map_or(limit, |range| range.start.min(limit));
        (start < end).then_some(SackBlock { start, end })
    }

    /// The lowest unSACKed bytes above HighRxt and below the highest SACKed byte: NextSeg (1.a), (1.b).
    pub(super) fn next_hole(&self, una: u64) -> Option<SackBlock> {
        let top = self.ranges.back()?;
        self.hole(self.high_rxt.max(una), top.start)
    }

    /// The highest unSACKed bytes between `una` and `nxt`: what NextSeg (4) rescues.
    pub(super) fn highest_hole(&self, una: u64, nxt: u64) -> Option<SackBlock> {
        let mut end = nxt;
        let mut below = self.ranges.len();
        if let Some(last) = self.ranges.back().filter(|last| last.end >= nxt) {
            end = last.start;
            below -= 1;
        }
        let start = below.checked_sub(1).map_or(una, |at| self.ranges[at].end);
        (start < end).then_some(SackBlock { start, end })
    }
}

/// The bytes of `range` below `seq`.
fn below(range: SackBlock, seq: u64) -> u64 {
    seq.min(range.end).saturating_sub(range.start)
}
