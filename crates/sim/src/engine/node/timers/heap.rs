//! The heap of the timing wheel.

use super::entry::Entry;
use std::hint::select_unpredictable;

/// A four-ary heap. Entries that come after all others fill up the children of the last parent, so that each has four.
#[derive(Debug)]
pub(super) struct Heap {
    entries: Vec<Entry>,
    len: usize,
}

pub(super) const ARITY: usize = 4;

impl Heap {
    /// Nothing.
    pub(super) fn new() -> Heap {
        Heap { entries: Vec::new(), len: 0 }
    }

    #[inline]
    pub(super) fn first(&self) -> Option<Entry> {
        if self.len == 0 { None } else { self.entries.first().copied() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Takes all entries, in no particular order.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Entry> {
        let len = std::mem::take(&mut self.len);
        self.entries.drain(..).take(len)
    }

    /// These, instead of what was there.
    pub(super) fn fill(&mut self, entries: impl Iterator<Item = Entry>) {
        self.entries.clear();
        self.entries.extend(entries);
        self.len = self.entries.len();
        let parents = self.len.saturating_sub(1).div_ceil(ARITY);
        if parents > 0 {
            self.entries.resize(1 + ARITY * parents, Entry::LAST);
        }
        for parent in (0..parents).rev() {
            self.sink(parent, self.entries[parent]);
        }
    }

    pub(super) fn push(&mut self, entry: Entry) {
        if self.len == self.entries.len() {
            let more = if self.len == 0 { 1 } else { ARITY };
            self.entries.extend([Entry::LAST; ARITY].iter().take(more));
        }
        let mut i = self.len;
        self.len += 1;
        while i > 0 {
            let parent = (i - 1) / ARITY;
            if self.entries[parent] <= entry {
                break;
            }
            self.entries[i] = self.entries[parent];
            i = parent;
        }
        self.entries[i] = entry;
    }

    pub(super) fn pop(&mut self) {
        if self.len > 0 {
            self.len -= 1;
            let last = std::mem::replace(&mut self.entries[self.len], Entry::LAST);
            if self.len > 0 {
                self.sink(0, last);
            }
        }
    }

    /// Another entry takes the place of the first one.
    pub(super) fn replace_first(&mut self, entry: Entry) {
        self.sink(0, entry);
    }

    /// Replaces what lies at `i` by `entry` and lets it sink. All the way down, what lies there changing places with
    /// itself where `entry` has found its place: nothing predicts where that is, and the ways are short.
    fn sink(&mut self, mut i: usize, mut entry: Entry) {
        while let Some((child, least)) = self.first_child(i) {
            self.entries[i] = entry.min(least);
            entry = entry.max(least);
            i = child;
        }
        self.entries[i] = entry;
    }

    /// The earliest child and its place.
    #[inline]
    fn first_child(&self, parent: usize) -> Option<(usize, Entry)> {
        let first = ARITY * parent + 1;
        let [a, b, c, d] = *self.entries.get(first..)?.first_chunk()?;
        let (of_two, of_others) = (usize::from(b < a), 2 + usize::from(d < c));
        let (least, other) = (a.min(b), c.min(d));
        Some((first + select_unpredictable(other < least, of_others, of_two), least.min(other)))
    }
}
