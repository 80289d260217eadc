//! A table by sequence numbers that grow, mostly: a sorted queue. New segments join its end and acknowledged ones leave
//! its front, which costs the same however long it is; a retransmission that was forgotten is put in between.

use std::collections::VecDeque;
use std::collections::vec_deque::Iter;
use std::ops::Range;

/// Values by sequence number.
#[derive(Clone, Debug)]
pub struct BySeq<T> {
    entries: VecDeque<(u64, T)>,
}

impl<T> Default for BySeq<T> {
    fn default() -> BySeq<T> {
        BySeq { entries: VecDeque::new() }
    }
}

impl<T> BySeq<T> {
    /// The place of the first entry at `seq` or above.
    fn place(&self, seq: u64) -> usize {
        match self.entries.back() {
            Some((last, _)) if *last >= seq => self.entries.partition_point(|(other, _)| *other < seq),
            _ => self.entries.len(),
        }
    }

    /// Its place, if it is there.
    fn find(&self, seq: u64) -> Option<usize> {
        let place = self.place(seq);
        self.entries.get(place).is_some_and(|(found, _)| *found == seq).then_some(place)
    }

    /// Puts a value at `seq`, in place of one that is there.
    pub fn insert(&mut self, seq: u64, value: T) {
        let place = self.place(seq);
        match self.entries.get_mut(place) {
            Some((found, old)) if *found == seq => *old = value,
            None => self.entries.push_back((seq, value)),
            Some(_) => self.entries.insert(place, (seq, value)),
        }
    }

    /// The value at `seq`.
    pub fn get(&self, seq: u64) -> Option<&T> {
        self.find(seq).map(|place| &self.entries[place].1)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, seq: u64) -> Option<&mut T> {
        self.find(seq).map(|place| &mut self.entries[place].1)
    }

    /// Takes out the value at `seq`, if there is one.
    pub fn remove(&mut self, seq: u64) {
        if let Some(place) = self.find(seq) {
            self.entries.remove(place);
        }
    }

    /// Takes out the lowest.
    pub fn pop_first(&mut self) {
        self.entries.pop_front();
    }

    /// Takes out all below `seq`.
    pub fn remove_below(&mut self, seq: u64) {
        while self.entries.front().is_some_and(|(first, _)| *first < seq) {
            self.entries.pop_front();
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The lowest.
    pub fn first(&self) -> Option<(u64, &T)> {
        self.entries.front().map(|(seq, value)| (*seq, value))
    }

    /// All, in order.
    pub fn iter(&self) -> Iter<'_, (u64, T)> {
        self.entries.iter()
    }

    /// Those at `seq` and above, in order.
    pub fn from(&self, seq: u64) -> Iter<'_, (u64, T)> {
        self.entries.range(self.place(seq)..)
    }

    /// Those below `seq`, in order.
    pub fn below(&self, seq: u64) -> Iter<'_, (u64, T)> {
        self.entries.range(self.before(seq))
    }

    /// The same, to be changed.
    pub fn below_mut(&mut self, seq: u64) -> impl Iterator<Item = &mut T> {
        let before = self.before(seq);
        self.entries.range_mut(before).map(|(_, value)| value)
    }

    fn before(&self, seq: u64) -> Range<usize> {
        0..self.place(seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// The same as a tree, whatever is put in and taken out.
        #[test]
        fn it_is_a_map(steps in prop::collection::vec((0u64..40, 0u8..5, any::<u32>()), 1..200)) {
            let (mut table, mut tree) = (BySeq::default(), BTreeMap::new());
            for (seq, what, value) in steps {
                match what {
                    0 | 1 => {
                        table.insert(seq, value);
                        tree.insert(seq, value);
                    }
                    2 => {
                        table.remove(seq);
                        tree.remove(&seq);
                    }
                    3 => {
                        table.remove_below(seq);
                        tree = tree.split_off(&seq);
                    }
                    _ => {
                        table.below_mut(seq).for_each(|value| *value ^= 1);
                        tree.range_mut(..seq).for_each(|(_, value)| *value ^= 1);
                    }
                }
                prop_assert_eq!(table.get(seq), tree.get(&seq));
                prop_assert!(table.from(seq).copied().eq(tree.range(seq..).map(|(seq, value)| (*seq, *value))));
                prop_assert!(table.below(seq).copied().eq(tree.range(..seq).map(|(seq, value)| (*seq, *value))));
                prop_assert_eq!(table.first(), tree.first_key_value().map(|(seq, value)| (*seq, value)));
                prop_assert_eq!(table.len(), tree.len());
            }
        }
    }
}
