//! Which bytes of a file are there.

use std::collections::BTreeMap;

/// Disjoint ranges of bytes, start to end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// These bytes have come.
    pub(super) fn insert(&mut self, mut start: u64, mut end: u64) {
        if start >= end {
            return;
        }
        while let Some((first, last)) = self.0.range(..=end).next_back().map(|(first, last)| (*first, *last)) {
            if last < start {
                break;
            }
            self.0.remove(&first);
            (start, end) = (start.min(first), end.max(last));
        }
        self.0.insert(start, end);
    }

    /// The first `most` gaps below `length`.
    pub(super) fn gaps(&self, length: u64, most: usize) -> Vec<(u64, u64)> {
        let (mut gaps, mut next) = (Vec::new(), 0);
        for (start, end) in &self.0 {
            if *start > next {
                gaps.push((next, *start));
            }
            next = next.max(*end);
        }
        if next < length {
            gaps.push((next, length));
        }
        gaps.truncate(most);
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_become_one() {
        let mut ranges = Ranges::default();
        for (start, end) in [(10, 20), (30, 40), (0, 5), (20, 30), (7, 7)] {
            ranges.insert(start, end);
        }
        assert_eq!(ranges.gaps(50, 9), [(5, 10), (40, 50)]);
        ranges.insert(3, 45);
        assert_eq!((ranges.count(), ranges.gaps(50, 9)), (1, vec![(45, 50)]));
        ranges.insert(45, 50);
        assert!(ranges.gaps(50, 9).is_empty());
        assert_eq!(Ranges::default().gaps(3, 1), [(0, 3)]);
    }
}
