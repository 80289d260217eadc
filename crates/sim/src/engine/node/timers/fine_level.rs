//! The timers of the running bucket of time.
//!
//! Few entries stand in a heap. Where there are many, because sources of datagrams or paced senders wait for their next
//! packets, the bucket is divided into steps of 2^20 ps: only the entries of the step that runs are in the heap, those
//! of later steps lie unsorted in one list per step. An entry then costs the same however many there are, where a heap
//! of all of them would be gone through from top to bottom for each.

use super::BUCKET_BITS;
use super::entry::Entry;
use super::heap::Heap;

/// Entries that a heap keeps as cheaply as lists do.
const FEW: usize = 24;
/// The length of a step in picoseconds is 2 to this.
const STEP_BITS: u32 = 20;
/// Steps of a bucket.
const STEPS: usize = 1 << (BUCKET_BITS - STEP_BITS);
/// Instead of a place: there is none.
const NOWHERE: u32 = u32::MAX;

/// Entries in the order of (time, timer).
#[derive(Debug)]
pub(super) struct FineLevel {
    /// Entries of all steps before `next_step`. It is empty only where all is.
    heap: Heap<Entry>,
    /// The first entry of each step's list, by step modulo [`STEPS`]; empty until lists are needed.
    heads: Vec<u32>,
    /// One bit for each list: whether it has entries.
    occupied: [u64; STEPS / 64],
    /// The entries of all lists, and places that are free.
    nodes: Vec<Node>,
    /// The first free place.
    free: Option<u32>,
    /// Entries in the lists.
    listed: usize,
    /// The first step whose entries are in a list; `u64::MAX` while all entries are in the heap.
    next_step: u64,
    /// The first step of the bucket.
    start: u64,
    /// Room for entries that move to lists; empty between calls.
    moved: Vec<Entry>,
}

/// An entry in a list.
#[derive(Clone, Copy, Debug)]
struct Node {
    time: u64,
    number: u32,
    next: u32,
}

impl FineLevel {
    pub(super) fn new() -> FineLevel {
        FineLevel {
            heap: Heap::new(),
            heads: Vec::new(),
            occupied: [0; STEPS / 64],
            nodes: Vec::new(),
            free: None,
            listed: 0,
            next_step: u64::MAX,
            start: 0,
            moved: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn first(&self) -> Option<Entry> {
        self.heap.first()
    }

    /// A bucket begins. Nothing is left of the one before, and entries are of this one or earlier.
    pub(super) fn begin_bucket(&mut self, bucket: u64) {
        debug_assert!(
            self.heap.is_empty() && self.listed == 0,
            "a bucket is current when there is nothing in the one before"
        );
        self.start = bucket << (BUCKET_BITS - STEP_BITS);
        self.next_step = u64::MAX;
    }

    pub(super) fn push(&mut self, entry: Entry) {
        if entry.time() >> STEP_BITS >= self.next_step {
            return self.list(entry);
        }
        self.heap.push(entry);
        if self.next_step == u64::MAX && self.heap.len() > FEW {
            self.divide();
        }
    }

    pub(super) fn pop(&mut self) -> Option<Entry> {
        let first = self.heap.pop();
        if self.heap.is_empty() {
            match self.listed {
                0 => self.next_step = u64::MAX,
                _ => self.begin_step(),
            }
        }
        first
    }

    /// There are many: those of later steps than that of the first go into lists.
    #[cold]
    fn divide(&mut self) {
        let Some(first) = self.heap.first() else { return };
        self.next_step = (first.time() >> STEP_BITS).max(self.start) + 1;
        let mut entries = std::mem::take(&mut self.moved);
        self.heap.exchange(&mut entries);
        entries.drain(..).for_each(|entry| self.push(entry));
        self.moved = entries;
    }

    /// Takes all entries, in no particular order.
    pub(super) fn drain(&mut self) -> Vec<Entry> {
        let mut entries = Vec::new();
        while let Some(entry) = self.pop() {
            entries.push(entry);
        }
        entries
    }

    fn list(&mut self, entry: Entry) {
        let (time, number) = (entry.time(), entry.number());
        if self.heads.is_empty() {
            self.heads = vec![NOWHERE; STEPS];
        }
        let list = index(time >> STEP_BITS);
        let node = Node { time, number, next: self.heads[list] };
        let place = match self.free {
            Some(place) => {
                let spare = &mut self.nodes[place as usize];
                self.free = (spare.next != NOWHERE).then_some(spare.next);
                *spare = node;
                place
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        self.heads[list] = place;
        self.occupied[list / 64] |= 1 << (list % 64);
        self.listed += 1;
    }

    /// The entries of the next step that has any come into the heap.
    fn begin_step(&mut self) {
        let Some(list) = self.first_occupied() else { return };
        self.next_step += (list as u64).wrapping_sub(self.next_step) % STEPS as u64 + 1;
        self.occupied[list / 64] &= !(1 << (list % 64));
        let mut place = std::mem::replace(&mut self.heads[list], NOWHERE);
        while place != NOWHERE {
            let node = &mut self.nodes[place as usize];
            self.heap.push(Entry::new(node.time, node.number));
            let next = std::mem::replace(&mut node.next, self.free.unwrap_or(NOWHERE));
            self.free = Some(place);
            self.listed -= 1;
            place = next;
        }
    }

    /// The list of the first step from `next_step` on that has entries.
    fn first_occupied(&self) -> Option<usize> {
        let start = index(self.next_step);
        let word = start / 64;
        let in_word = |word: usize, bits: u64| (bits != 0).then(|| 64 * word + bits.trailing_zeros() as usize);
        in_word(word, self.occupied[word] & (u64::MAX << (start % 64)))
            .or_else(|| (word + 1..self.occupied.len()).find_map(|word| in_word(word, self.occupied[word])))
    }
}

#[inline]
fn index(step: u64) -> usize {
    (step % STEPS as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// As many entries as one likes within a bucket, put in while others are taken out, none before what was taken
        /// out last, and some of the bucket before.
        #[test]
        fn entries_come_out_in_order(bucket in 1u64..5, batches in prop::collection::vec((1usize..60, 0usize..50, 1u64..1 << BUCKET_BITS), 1..40)) {
            let (mut fine, mut plain) = (FineLevel::new(), BTreeSet::new());
            fine.begin_bucket(bucket);
            let (start, end) = (bucket << BUCKET_BITS, (bucket + 1) << BUCKET_BITS);
            let (mut now, mut number) = (start - 5, 0);
            for (put, taken, spread) in batches {
                for i in 0..put as u64 {
                    number += 1;
                    let entry = Entry::new((now + i * 7919 * spread % spread).min(end - 1), number);
                    fine.push(entry);
                    plain.insert(entry);
                }
                for _ in 0..taken {
                    prop_assert_eq!(fine.first(), plain.first().copied());
                    prop_assert_eq!(fine.pop(), plain.pop_first());
                    now = fine.first().map_or(now, Entry::time);
                }
            }
            let mut left = fine.drain();
            left.sort_unstable();
            prop_assert!(left.into_iter().eq(plain));
            prop_assert!(fine.first().is_none() && fine.listed == 0);
        }
    }
}
