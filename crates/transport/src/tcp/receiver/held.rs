//! Held ranges, and which of them a SACK option reports: those that segments touched last (RFC 2018 §4).

use crate::tcp::SackBlock;
use std::collections::VecDeque;

/// A range of bytes above a hole.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    pub(super) range: SackBlock,
    /// Which touch of a held range was its last, by number.
    pub(super) touched: u64,
}

/// The held ranges that segments touched last, the most recent first. The length and the first ranges share a cache
/// line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Recent {
    touches: u64,
    pub(super) len: u8,
    ranges: [Held; Recent::DEPTH],
    pub(super) compressed: Compressed,
}

/// ACKs that wait for others which say more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Compressed {
    /// How many have waited since an ACK was sent.
    waiting: u32,
    /// ACKs that had been sent by then.
    sent: u64,
    /// How many ACKs with this number have left at once.
    at_once: u8,
    number: u64,
}

impl Compressed {
    /// So many ACKs with a number leave at once: those after which a sender repairs (RFC 5681 §3.2).
    const AT_ONCE: u8 = 3;

    /// Whether an ACK with this number waits, after so many that have been sent. At most so many do.
    pub(super) fn wait(&mut self, number: u64, sent: u64, most: u32) -> bool {
        if self.sent != sent {
            (self.sent, self.waiting) = (sent, 0);
        }
        if self.waiting >= most {
            return false;
        }
        if self.number != number {
            (self.number, self.at_once) = (number, 0);
        }
        if self.at_once < Compressed::AT_ONCE {
            self.at_once += 1;
            return false;
        }
        self.waiting += 1;
        true
    }
}

impl Recent {
    const DEPTH: usize = 8;

    pub(super) fn ranges(&self) -> impl Iterator<Item = SackBlock> + '_ {
        self.ranges[..usize::from(self.len)].iter().map(|held| held.range)
    }

    /// True if no segment has touched another range since this one.
    pub(super) fn is_newest(&self, held: &Held) -> bool {
        self.len > 0 && self.ranges[0].touched == held.touched
    }

    /// The newest range, and no other, has grown to `range`.
    pub(super) fn grow(&mut self, range: SackBlock) -> Held {
        self.touches += 1;
        self.ranges[0] = Held { range, touched: self.touches };
        self.ranges[0]
    }

    /// `range` comes to the front; what it has absorbed leaves.
    pub(super) fn touch(&mut self, range: SackBlock) -> Held {
        self.touches += 1;
        let newest = Held { range, touched: self.touches };
        let mut displaced = newest;
        let mut kept = 0;
        for at in 0..usize::from(self.len) {
            let old = self.ranges[at];
            if !range.contains(old.range) {
                self.ranges[kept] = std::mem::replace(&mut displaced, old);
                kept += 1;
            }
        }
        if let Some(last) = self.ranges.get_mut(kept) {
            *last = displaced;
            kept += 1;
        }
        self.len = kept as u8;
        newest
    }

    /// Ranges that have been delivered leave.
    pub(super) fn forget_below(&mut self, nxt: u64) {
        let mut kept = 0;
        for at in 0..usize::from(self.len) {
            if self.ranges[at].range.start > nxt {
                self.ranges[kept] = self.ranges[at];
                kept += 1;
            }
        }
        self.len = kept as u8;
    }

    /// Fills the free places with the most recent of the `held` ranges that are not here: all older than the last one
    /// here.
    pub(super) fn recall(&mut self, held: &VecDeque<Held>) {
        let first = usize::from(self.len);
        let older_than = first.checked_sub(1).map_or(u64::MAX, |last| self.ranges[last].touched);
        for &range in held.iter().filter(|held| held.touched < older_than) {
            let len = usize::from(self.len);
            let place = first + self.ranges[first..len].partition_point(|listed| listed.touched > range.touched);
            if place < Recent::DEPTH {
                let end = len.min(Recent::DEPTH - 1);
                self.ranges.copy_within(place..end, place + 1);
                self.ranges[place] = range;
                self.len = (end + 1) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_range_grows_as_if_it_had_been_touched() {
        let range = |start, end| SackBlock { start, end };
        let mut grown = Recent::default();
        for at in 0..9 {
            grown.touch(range(100 * at, 100 * at + 10));
        }
        let mut touched = grown;
        let newest = Held { range: range(800, 810), touched: 9 };
        assert!(grown.is_newest(&newest) && !grown.is_newest(&Held { touched: 8, ..newest }));
        let (one, other) = (grown.grow(range(800, 820)), touched.touch(range(800, 820)));
        assert_eq!((one.range, one.touched), (other.range, other.touched));
        assert!(grown.ranges().eq(touched.ranges()));
    }
}
