//! A set of numbers as ranges: packets that have arrived, bytes that wait to be sent again.

use std::collections::VecDeque;

/// Disjoint ranges in ascending order, each from its first number to the one behind its last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(VecDeque<(u64, u64)>);

impl Ranges {
    /// The ranges in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + ExactSizeIterator {
        self.0.iter().copied()
    }

    /// How many ranges there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no number.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a number is one of the set.
    #[inline]
    pub fn contains(&self, number: u64) -> bool {
        self.0.back().is_some_and(|(_, last)| number < *last) && self.meets(number, number.saturating_add(1))
    }

    /// The range, if there is only one.
    #[inline]
    pub fn only(&self) -> Option<(u64, u64)> {
        if self.0.len() == 1 { self.0.front().copied() } else { None }
    }

    /// Whether one of the numbers from `start` to before `end` is.
    pub fn meets(&self, start: u64, end: u64) -> bool {
        let place = self.first_behind(start);
        start < end && self.0.get(place).is_some_and(|(first, _)| *first < end)
    }

    /// Adds the numbers from `start` to before `end`, and says how many of them are new.
    #[inline]
    pub fn add(&mut self, start: u64, end: u64) -> u64 {
        let is_behind = self.0.back().is_none_or(|(_, last)| *last <= start);
        let new = match is_behind {
            true => end.saturating_sub(start),
            false => self.missing(start, end).map(|(from, to)| to - from).sum(),
        };
        self.insert(start, end);
        new
    }

    /// Adds the numbers from `start` to before `end`.
    #[inline]
    pub fn insert(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        // Nearly always at the end.
        match self.0.back_mut() {
            Some((first, last)) if *first <= start && *last >= start => *last = end.max(*last),
            Some((_, last)) if *last >= start => self.insert_inside(start, end),
            _ => self.0.push_back((start, end)),
        }
    }

    #[inline(never)]
    fn insert_inside(&mut self, start: u64, end: u64) {
        let place = self.0.partition_point(|(_, last)| *last < start);
        let (mut joined, mut count) = ((start, end), 0);
        while let Some((first, last)) = self.0.get(place + count).copied().filter(|(first, _)| *first <= end) {
            joined = (joined.0.min(first), joined.1.max(last));
            count += 1;
        }
        match count {
            0 => self.0.insert(place, joined),
            _ => {
                self.0[place] = joined;
                self.0.drain(place + 1..place + count);
            }
        }
    }

    /// Takes the numbers from `start` to before `end` out.
    pub fn remove(&mut self, start: u64, end: u64) {
        let mut place = if start < end { self.first_behind(start) } else { self.0.len() };
        while let Some((first, last)) = self.0.get(place).copied().filter(|(first, _)| *first < end) {
            match (first < start, last > end) {
                (true, true) => {
                    self.0[place].1 = start;
                    return self.0.insert(place + 1, (end, last));
                }
                (true, false) => {
                    self.0[place].1 = start;
                    place += 1;
                }
                (false, true) => return self.0[place].0 = end,
                (false, false) => drop(self.0.remove(place)),
            }
        }
    }

    /// The parts of a range that are not in the set, in ascending order.
    pub fn missing(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, u64)> {
        let behind = self.first_behind(start);
        let inside = self.0.range(behind..).copied().take_while(move |(first, _)| *first < end);
        let mut from = start;
        inside.chain([(end, end)]).filter_map(move |(first, last)| {
            let gap = (from, first.min(end));
            from = from.max(last);
            (gap.0 < gap.1).then_some(gap)
        })
    }

    /// Takes the lowest numbers out, `most` of them at most, if they are in a row.
    pub fn take_first(&mut self, most: u64) -> Option<(u64, u64)> {
        let (start, end) = self.0.front().copied()?;
        let upto = end.min(start.saturating_add(most));
        self.remove(start, upto);
        Some((start, upto))
    }

    /// The first range.
    pub fn first(&self) -> Option<(u64, u64)> {
        self.0.front().copied()
    }

    /// The last range.
    pub fn last(&self) -> Option<(u64, u64)> {
        self.0.back().copied()
    }

    /// Takes the first range out.
    pub fn forget_first(&mut self) -> Option<(u64, u64)> {
        self.0.pop_front()
    }

    /// Place of the first range that ends behind a number.
    fn first_behind(&self, number: u64) -> usize {
        match self.0.back() {
            Some((_, last)) if *last <= number => self.0.len(),
            Some((first, _)) if *first <= number => self.0.len() - 1,
            _ => self.0.partition_point(|(_, last)| *last <= number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Each answer is that of a plain set of numbers.
        #[test]
        fn ranges_are_a_set_of_numbers(steps in prop::collection::vec((any::<bool>(), 0u64..60, 0u64..12), 1..60)) {
            let (mut ranges, mut plain) = (Ranges::default(), BTreeSet::new());
            for (adds, start, length) in steps {
                let end = start + length;
                let numbers = start..end;
                let missing: Vec<u64> = ranges.missing(start, end).flat_map(|(from, to)| from..to).collect();
                let new = missing.len() as u64;
                prop_assert_eq!(missing, numbers.clone().filter(|one| !plain.contains(one)).collect::<Vec<_>>());
                prop_assert_eq!(ranges.meets(start, end), numbers.clone().any(|one| plain.contains(&one)));
                match adds {
                    true => {
                        prop_assert_eq!(ranges.add(start, end), new);
                        plain.extend(numbers);
                    }
                    false => {
                        ranges.remove(start, end);
                        plain.retain(|one| !numbers.contains(one));
                    }
                }
                prop_assert!(ranges.iter().zip(ranges.iter().skip(1)).all(|(one, next)| one.1 < next.0));
                prop_assert_eq!(ranges.iter().flat_map(|(from, to)| from..to).collect::<BTreeSet<_>>(), plain.clone());
                prop_assert!((0..80).all(|one| ranges.contains(one) == plain.contains(&one)));
            }
            let lowest = ranges.first().map(|(start, end)| (start, end.min(start + 3)));
            prop_assert_eq!(ranges.take_first(3), lowest);
        }
    }
}
