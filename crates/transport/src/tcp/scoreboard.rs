//! The sender's picture of what the receiver holds: RFC 6675 §3 and §4.
//!
//! SACKed ranges are kept sorted and disjoint. `IsLost` is monotone (what lies lower has at least as much SACKed above
//! it), so one number, the *lost point*, answers it for every byte: it is found by walking down from the highest range,
//! at most DupThresh steps, and up from the lowest where that may be more than a few. The pipe then follows from three
//! byte counts and never walks the ranges.

use super::SackBlock;
use std::collections::VecDeque;

/// Ranges held beyond one per outstanding full-sized segment, for flows of short segments.
const SPARE_RANGES: u64 = 64;

/// How many of the highest ranges are tried before all are searched.
const RANGES_TRIED: usize = 4;

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

/// The rule by which bytes count as lost: RFC 6675 §4 IsLost.
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

    /// The lowest ranges; all of them, unless their ring wraps.
    pub(super) fn lowest(&self) -> &[SackBlock] {
        self.ranges.as_slices().0
    }

    #[inline]
    pub(super) fn high_rxt(&self) -> u64 {
        self.high_rxt
    }

    /// Keeps no more memory than there are ranges.
    pub(super) fn give_back_memory(&mut self) {
        self.ranges.shrink_to_fit();
    }

    /// Forgets every range; RFC 2018 §8.
    pub(super) fn clear(&mut self) {
        self.ranges.clear();
        self.sacked = 0;
        self.sacked_below_rxt = 0;
    }

    /// The cumulative ACK moves to `una`. A range that reaches down to `una` without being covered contradicts the ACK
    /// and goes too, so that the byte at `una` is never SACKed.
    pub(super) fn advance(&mut self, una: u64) {
        while let Some(first) = self.ranges.front().copied().filter(|first| first.start <= una) {
            self.sacked -= first.len();
            self.sacked_below_rxt -= below(first, self.high_rxt);
            self.ranges.pop_front();
        }
        if una > self.high_rxt {
            self.set_high_rxt(una);
        }
    }

    /// Update(): records a block that lies above SND.UNA within the `outstanding` bytes and returns the bytes that were
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

    /// True if all of `block` is known: most blocks of an ACK repeat what earlier ones said.
    pub(super) fn covers(&self, block: SackBlock) -> bool {
        let (low, high) = self.ranges.as_slices();
        // The range that holds the first byte is the highest that begins no later.
        for range in low.iter().chain(high).rev().take(RANGES_TRIED) {
            if range.start <= block.start {
                return range.contains(block);
            }
        }
        self.ranges.len() > RANGES_TRIED
            && self.ranges.get(self.first_reaching(block.start)).is_some_and(|range| range.contains(block))
    }

    /// Replaces the ranges `at..end` by `merged`.
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

    /// The index of the first range that ends at or above `seq`. Most blocks belong near the top, so the last ranges
    /// are tried one by one before all are searched.
    fn first_reaching(&self, seq: u64) -> usize {
        let len = self.ranges.len();
        for at in (len.saturating_sub(RANGES_TRIED)..len).rev() {
            if self.ranges[at].end < seq {
                return at + 1;
            }
        }
        if len <= RANGES_TRIED { 0 } else { self.ranges.partition_point(|range| range.end < seq) }
    }

    /// Moves HighRxt, in either direction.
    pub(super) fn set_high_rxt(&mut self, to: u64) {
        if self.ranges.is_empty() {
            self.high_rxt = to;
            return;
        }
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

    /// The lost point and the SACKed bytes above it: every unSACKed byte below is lost, none above is. `None` if
    /// nothing is.
    fn lost_point(&self, threshold: Threshold) -> Option<(u64, u64)> {
        if threshold.ranges as usize > RANGES_TRIED {
            return self.lost_point_from_both_ends(threshold);
        }
        let mut bytes = 0;
        for (count, range) in (1..).zip(self.ranges.iter().rev()) {
            bytes += range.len();
            if count >= threshold.ranges || bytes > threshold.bytes {
                return Some((range.start, bytes));
            }
        }
        None
    }

    /// The same where DupThresh is large, as RR-TCP's: in turn a step down from the highest range and one up from the
    /// lowest, for the lost point is near the lowest where one hole is lost and many are late.
    #[inline(never)]
    fn lost_point_from_both_ends(&self, threshold: Threshold) -> Option<(u64, u64)> {
        if self.sacked <= threshold.bytes && self.ranges.len() < threshold.ranges as usize {
            return None;
        }
        let (mut from_here, mut above) = (self.sacked, 0);
        let counted = self.ranges.iter().zip(self.ranges.iter().rev()).zip(1..);
        for ((low, high), count) in counted {
            above += high.len();
            if count >= threshold.ranges || above > threshold.bytes {
                return Some((high.start, above));
            }
            let next = from_here - low.len();
            let ranges_above = self.ranges.len() - count as usize;
            if next <= threshold.bytes && ranges_above < threshold.ranges as usize {
                return Some((low.start, from_here));
            }
            from_here = next;
        }
        None
    }

    /// Every unSACKed byte below this is lost; 0 if none is.
    pub(super) fn lost_below(&self, threshold: Threshold) -> u64 {
        self.lost_point(threshold).map_or(0, |(point, _)| point)
    }

    /// IsLost(`seq`) for an unSACKed `seq`.
    pub(super) fn is_lost(&self, seq: u64, threshold: Threshold) -> bool {
        self.lost_point(threshold).is_some_and(|(point, _)| seq < point)
    }

    /// The unSACKed bytes above `una` that are lost.
    pub(super) fn lost(&self, una: u64, threshold: Threshold) -> u64 {
        self.lost_point(threshold).map_or(0, |(point, above)| point - una - (self.sacked - above))
    }

    /// The SACKed bytes.
    pub(super) fn sacked(&self) -> u64 {
        self.sacked
    }

    /// The SACKed bytes from `from` on.
    pub(super) fn sacked_above(&self, from: u64) -> u64 {
        self.ranges.iter().map(|range| range.end.saturating_sub(range.start.max(from))).sum()
    }

    /// SetPipe(): unSACKed bytes not lost, plus unSACKed bytes at or below HighRxt.
    pub(super) fn pipe(&self, una: u64, nxt: u64, threshold: Threshold) -> u64 {
        let (point, sacked_above) = self.lost_point(threshold).unwrap_or((una, self.sacked));
        (nxt - point - sacked_above) + (self.high_rxt - una - self.sacked_below_rxt)
    }

    /// The unSACKed bytes of `block`, and how many [`pipe`](Scoreboard::pipe) counts for them.
    pub(super) fn pipe_of(&self, block: SackBlock, threshold: Threshold) -> (u64, u64) {
        let point = self.lost_point(threshold).map_or(0, |(point, _)| point);
        let (mut from, mut unsacked, mut counted) = (block.start, 0, 0);
        while let Some(hole) = self.hole(from, block.end) {
            unsacked += hole.len();
            counted += hole.end.saturating_sub(point.max(hole.start)) + below(hole, self.high_rxt);
            from = hole.end;
        }
        (unsacked, counted)
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
        let mut at = self.first_reaching(from.saturating_add(1));
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

    /// Where the highest SACKed range begins.
    pub(super) fn highest_start(&self) -> Option<u64> {
        self.ranges.back().map(|range| range.start)
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

    /// Asserts what must hold between calls.
    pub(super) fn check(&self, una: u64, nxt: u64, mss: u64) {
        let mut floor = una;
        for range in &self.ranges {
            assert!(range.start > floor && !range.is_empty(), "ranges are sorted and apart, above SND.UNA");
            floor = range.end;
        }
        assert!(floor <= nxt || self.ranges.is_empty(), "what is SACKed has been sent");
        assert_eq!(self.sacked, self.ranges.iter().map(|range| range.len()).sum::<u64>());
        let below_rxt = self.ranges.iter().map(|range| below(*range, self.high_rxt)).sum::<u64>();
        assert_eq!(self.sacked_below_rxt, below_rxt);
        assert!(self.ranges.len() as u64 <= 2 + SPARE_RANGES + nxt / mss, "the ranges are bounded");
    }
}

/// The bytes of `range` below `seq`.
fn below(range: SackBlock, seq: u64) -> u64 {
    seq.min(range.end).saturating_sub(range.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MSS: u32 = 10;

    /// RFC 6675 §4 for a flow of a few hundred bytes, one byte at a time.
    struct Bytewise {
        sacked: Vec<bool>,
        una: usize,
        high_rxt: usize,
    }

    impl Bytewise {
        fn is_lost(&self, seq: usize, dupthresh: u32) -> bool {
            let above = &self.sacked[seq + 1..];
            let bytes = above.iter().filter(|sacked| **sacked).count() as u64;
            let starts = |at: usize| above[at] && (at == 0 || !above[at - 1]);
            let ranges = (0..above.len()).filter(|at| starts(*at)).count() as u32;
            ranges >= dupthresh || bytes > u64::from(dupthresh - 1) * u64::from(MSS)
        }

        fn pipe(&self, dupthresh: u32) -> u64 {
            let unsacked = (self.una..self.sacked.len()).filter(|seq| !self.sacked[*seq]);
            unsacked.map(|seq| u64::from(!self.is_lost(seq, dupthresh)) + u64::from(seq < self.high_rxt)).sum()
        }

        fn next_hole(&self) -> Option<usize> {
            let top = self.sacked.iter().rposition(|sacked| *sacked)?;
            (self.una.max(self.high_rxt)..top).find(|seq| !self.sacked[*seq])
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Sack(usize, usize),
        Ack(usize),
        Retransmit(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            6 => (0usize..300, 1usize..40).prop_map(|(start, len)| Step::Sack(start, len)),
            1 => (0usize..40).prop_map(Step::Ack),
            2 => (0usize..40).prop_map(Step::Retransmit),
        ];
        prop::collection::vec(step, 1..60)
    }

    proptest! {
        #[test]
        fn the_counted_pipe_is_the_pipe_of_every_byte(steps in steps(), dupthresh in 1u32..12) {
            const END: usize = 300;
            let threshold = Threshold::new(dupthresh, MSS);
            let mut board = Scoreboard::default();
            let mut bytes = Bytewise { sacked: vec![false; END], una: 0, high_rxt: 0 };
            for step in steps {
                match step {
                    Step::Sack(start, len) if start > bytes.una => {
                        let end = (start + len).min(END);
                        let news = bytes.sacked[start..end].iter().filter(|sacked| !**sacked).count() as u64;
                        bytes.sacked[start..end].fill(true);
                        let block = SackBlock { start: start as u64, end: end as u64 };
                        prop_assert_eq!(board.insert(block, (END - bytes.una) as u64, MSS), news);
                    }
                    Step::Sack(..) => {}
                    Step::Ack(by) => {
                        bytes.una = (bytes.una + by).min(END - 1);
                        while bytes.una < END - 1 && bytes.sacked[bytes.una] {
                            bytes.una += 1;
                        }
                        if bytes.sacked[bytes.una] {
                            break;
                        }
                        bytes.sacked[..bytes.una].fill(false);
                        bytes.high_rxt = bytes.high_rxt.max(bytes.una);
                        board.advance(bytes.una as u64);
                    }
                    Step::Retransmit(by) => {
                        bytes.high_rxt = (bytes.una.max(bytes.high_rxt) + by).min(END);
                        board.set_high_rxt(bytes.high_rxt as u64);
                    }
                }
                board.check(bytes.una as u64, END as u64, u64::from(MSS));
                prop_assert_eq!(board.pipe(bytes.una as u64, END as u64, threshold), bytes.pipe(dupthresh));
                prop_assert_eq!(board.is_lost(bytes.una as u64, threshold), bytes.is_lost(bytes.una, dupthresh));
                let hole = board.next_hole(bytes.una as u64).map(|hole| hole.start as usize);
                prop_assert_eq!(hole, bytes.next_hole());
            }
        }
    }

    #[test]
    fn three_ranges_or_more_than_two_segments_above_make_a_byte_lost() {
        let threshold = Threshold::new(3, MSS);
        let mut board = Scoreboard::default();
        let mut sack = |start, end| {
            board.insert(SackBlock { start, end }, 1000, MSS);
            board.is_lost(0, threshold)
        };
        // RFC 6675 §4 IsLost: DupThresh discontiguous ranges, however short.
        assert!(!sack(10, 11));
        assert!(!sack(20, 21));
        assert!(sack(30, 31));
        // Or more than (DupThresh - 1) * SMSS = 20 bytes.
        let mut board = Scoreboard::default();
        board.insert(SackBlock { start: 10, end: 30 }, 1000, MSS);
        assert!(!board.is_lost(0, threshold));
        board.insert(SackBlock { start: 30, end: 31 }, 1000, MSS);
        assert!(board.is_lost(0, threshold));
    }

    #[test]
    fn hostile_blocks_do_not_make_more_ranges_than_segments() {
        let mut board = Scoreboard::default();
        for at in 0..100_000 {
            board.insert(SackBlock { start: 1 + 2 * at, end: 2 + 2 * at }, 1000, MSS);
        }
        // 64 spare ones, one per segment of the 1000 bytes outstanding, and one.
        assert_eq!(board.ranges.len(), 64 + 100 + 1);
    }
}
