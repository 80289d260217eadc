//! A level of the timing wheel: one unsorted list of entries for each stretch of time.

use super::entry::Entry;

/// Lists for `LISTS` stretches of 2^`BITS` ps in a row, each found by the number of its stretch modulo `LISTS`.
#[derive(Debug)]
pub(super) struct Level<const BITS: u32, const LISTS: usize> {
    lists: Vec<Vec<Entry>>,
    /// One bit for each list: whether it has entries.
    occupied: Vec<u64>,
    /// Room of lists that have none. The last one used is the next to be used, because it is in the cache.
    spare: Vec<Vec<Entry>>,
}

impl<const BITS: u32, const LISTS: usize> Level<BITS, LISTS> {
    pub(super) fn new() -> Level<BITS, LISTS> {
        Level { lists: vec![Vec::new(); LISTS], occupied: vec![0; LISTS / 64], spare: Vec::new() }
    }

    fn index(number: u64) -> usize {
        (number % LISTS as u64) as usize
    }

    pub(super) fn push(&mut self, entry: Entry) {
        let index = Self::index(entry.time() >> BITS);
        let list = &mut self.lists[index];
        if list.is_empty() {
            self.occupied[index / 64] |= 1 << (index % 64);
            if list.capacity() == 0 {
                *list = self.spare.pop().unwrap_or_default();
            }
        }
        list.push(entry);
    }

    /// The entries of a stretch.
    pub(super) fn list(&self, number: u64) -> &[Entry] {
        &self.lists[Self::index(number)]
    }

    /// Takes the list of a stretch, to be [given back](Level::give_back) when it is empty.
    pub(super) fn take(&mut self, number: u64) -> Vec<Entry> {
        let index = Self::index(number);
        self.occupied[index / 64] &= !(1 << (index % 64));
        std::mem::take(&mut self.lists[index])
    }

    pub(super) fn give_back(&mut self, list: Vec<Entry>) {
        debug_assert!(list.is_empty());
        self.spare.push(list);
    }

    /// The first stretch from this one on that has entries; all that have any are among the next `LISTS`.
    pub(super) fn first_from(&self, number: u64) -> Option<u64> {
        let start = Self::index(number);
        let (word, words) = (start / 64, self.occupied.len());
        let bit = |word: usize, bits: u64| (bits != 0).then(|| 64 * word + bits.trailing_zeros() as usize);
        // The word of `start` comes first with its upper bits and last with its lower ones.
        let others = || (1..=words).map(|i| (word + i) % words).find_map(|word| bit(word, self.occupied[word]));
        let found = bit(word, self.occupied[word] & (u64::MAX << (start % 64))).or_else(others)?;
        Some(number + (LISTS + found - start) as u64 % LISTS as u64)
    }

    /// Takes the entries before `end`, none of which is in a stretch before this one.
    pub(super) fn take_before(&mut self, first: u64, end: u64, mut taken: impl FnMut(Entry)) {
        let mut from = first;
        while let Some(number) = self.first_from(from).filter(|number| number << BITS < end) {
            let mut list = self.take(number);
            let ends_within = (number + 1) << BITS > end;
            list.drain(..).for_each(|entry| match ends_within && entry.time() >= end {
                true => self.push(entry),
                false => taken(entry),
            });
            self.give_back(list);
            from = number + 1;
        }
    }

    /// All entries, in no particular order.
    pub(super) fn into_entries(self) -> impl Iterator<Item = Entry> {
        self.lists.into_iter().flatten()
    }
}
