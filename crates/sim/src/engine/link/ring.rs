//! A queue of plain values in a power-of-two buffer that doubles when full and never shrinks.

use crate::engine::packet::prefetch::prefetch_item;

/// A first-in-first-out queue: half a cache line, and its values elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Ring<T> {
    buffer: Box<[T]>,
    /// Values taken out so far.
    head: u64,
    /// Values put in so far.
    tail: u64,
}

impl<T: Copy + Default> Ring<T> {
    /// An empty queue that has not allocated.
    pub fn new() -> Ring<T> {
        Ring { buffer: Box::default(), head: 0, tail: 0 }
    }

    /// Number of values inside.
    #[inline]
    pub fn len(&self) -> usize {
        (self.tail - self.head) as usize
    }

    /// Whether nothing is inside.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// For how many values it has memory.
    pub fn places(&self) -> usize {
        self.buffer.len()
    }

    /// Whether the next value needs more memory.
    #[inline]
    pub fn is_full(&self) -> bool {
        // Not "equal": so it is known behind it that there is a place, and not asked again.
        self.len() >= self.buffer.len()
    }

    /// Values taken out so far at the older end.
    pub fn taken_out(&self) -> u64 {
        self.head
    }

    /// Values put in so far, and not taken back at the newer end.
    pub fn put_in(&self) -> u64 {
        self.tail
    }

    /// Appends a value, and shows it in its place.
    #[inline(always)]
    pub fn push(&mut self, value: T) -> &mut T {
        if self.is_full() {
            return self.push_after_growing(value);
        }
        let slot = self.slot(self.tail);
        self.tail += 1;
        let place = &mut self.buffer[slot];
        *place = value;
        place
    }

    /// Makes room for a value at the end and shows that place, which is to be filled.
    #[inline(always)]
    pub fn place(&mut self) -> &mut T {
        if self.is_full() {
            return self.push_after_growing(T::default());
        }
        let slot = self.slot(self.tail);
        self.tail += 1;
        &mut self.buffer[slot]
    }

    /// Appends values.
    pub fn extend(&mut self, values: &[T]) {
        if values.is_empty() {
            return;
        }
        while self.buffer.len() - self.len() < values.len() {
            self.grow();
        }
        let slot = self.slot(self.tail);
        let (before, behind) = values.split_at(values.len().min(self.buffer.len() - slot));
        self.buffer[slot..][..before.len()].copy_from_slice(before);
        self.buffer[..behind.len()].copy_from_slice(behind);
        self.tail += values.len() as u64;
    }

    /// The values from a position on, oldest first: those up to the end of the buffer, and those at its beginning.
    pub fn from(&self, position: u64) -> [&[T]; 2] {
        let (slot, count) = (self.slot(position), (self.tail - position) as usize);
        if count == 0 {
            return [&[], &[]];
        }
        let (before, behind) = self.buffer.split_at(slot);
        let at_end = count.min(behind.len());
        [&behind[..at_end], &before[..count - at_end]]
    }

    /// Takes the oldest value, of which there must be one, out of its place, which is shown, as is the place `ahead`
    /// behind it, which holds something else if no value has come so far.
    #[inline(always)]
    pub fn take(&mut self, ahead: u64) -> (&T, &T) {
        debug_assert!(!self.is_empty(), "there is a value to be taken");
        let head = self.head;
        self.head = head + 1;
        let slot = self.slot(head);
        (&self.buffer[slot], &self.buffer[self.slot(head + ahead)])
    }

    /// Takes the oldest value.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let first = self.first()?;
        self.head += 1;
        Some(first)
    }

    /// The oldest value in its place.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.is_empty() { None } else { Some(&self.buffer[self.slot(self.head)]) }
    }

    /// The newest value in its place.
    #[inline]
    pub fn newest(&self) -> Option<&T> {
        if self.is_empty() { None } else { Some(&self.buffer[self.slot(self.tail - 1)]) }
    }

    /// The same, to be changed.
    #[inline]
    pub fn newest_mut(&mut self) -> Option<&mut T> {
        let last = self.len().checked_sub(1)?;
        Some(self.nth_mut(last))
    }

    /// The one behind the oldest in its place.
    #[inline]
    pub fn second(&self) -> Option<&T> {
        (self.len() > 1).then(|| &self.buffer[self.slot(self.head + 1)])
    }

    /// Brings the place of the `ahead`-th oldest value into the cache.
    #[inline]
    pub fn prefetch(&self, ahead: u64) {
        prefetch_item(&self.buffer, self.slot(self.head + ahead));
    }

    /// Brings the place of the `ahead`-th value from now on into the cache.
    #[inline]
    pub fn prefetch_push(&self, ahead: u64) {
        prefetch_item(&self.buffer, self.slot(self.tail + ahead));
    }

    /// Removes the oldest value.
    #[inline]
    pub fn advance(&mut self) {
        self.head += u64::from(self.head != self.tail);
    }

    /// Takes the newest value.
    pub fn pop_newest(&mut self) -> Option<T> {
        let newest = *self.newest()?;
        self.tail -= 1;
        Some(newest)
    }

    /// Takes all values.
    #[inline]
    pub fn clear(&mut self) {
        self.head = self.tail;
    }

    /// Takes all values and counts from zero again: the next ones come to places that the first ones had, which are in
    /// the cache.
    #[inline]
    pub fn restart(&mut self) {
        (self.head, self.tail) = (0, 0);
    }

    /// The value at a position in its place, [`Ring::taken_out`] being that of the oldest.
    #[inline]
    pub fn get(&self, position: u64) -> &T {
        &self.buffer[self.slot(position)]
    }

    /// Each value from a position on goes before those older ones that it is to be before.
    pub fn sort_from(&mut self, from: u64, is_behind: impl Fn(&T, &T) -> bool) {
        for position in from.max(self.head)..self.tail {
            let mut at = position;
            while at > self.head {
                let (before, own) = (self.slot(at - 1), self.slot(at));
                if !is_behind(&self.buffer[before], &self.buffer[own]) {
                    break;
                }
                self.buffer.swap(before, own);
                at -= 1;
            }
        }
    }

    /// The oldest value.
    #[inline]
    pub fn first(&self) -> Option<T> {
        self.front().copied()
    }

    /// The `i`-th oldest value; `i < len()`.
    #[inline]
    pub fn nth_mut(&mut self, i: usize) -> &mut T {
        assert!(i < self.len(), "the ring holds a value at that place");
        let slot = self.slot(self.head + i as u64);
        &mut self.buffer[slot]
    }

    /// Changes every value in its place, oldest first.
    pub fn for_each_mut(&mut self, change: impl FnMut(&mut T)) {
        self.for_each_mut_from(self.head, change);
    }

    /// The same from a position on.
    pub fn for_each_mut_from(&mut self, first: u64, mut change: impl FnMut(&mut T)) {
        for position in first..self.tail {
            let slot = self.slot(position);
            change(&mut self.buffer[slot]);
        }
    }

    /// All values, oldest first.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = T> + '_ {
        (self.head..self.tail).map(|position| *self.get(position))
    }

    #[inline]
    fn slot(&self, position: u64) -> usize {
        position as usize & (self.buffer.len().wrapping_sub(1))
    }

    #[cold]
    #[inline(never)]
    fn push_after_growing(&mut self, value: T) -> &mut T {
        self.grow();
        self.push(value)
    }

    fn grow(&mut self) {
        let mut buffer = vec![T::default(); (2 * self.buffer.len()).max(4)].into_boxed_slice();
        for (position, value) in (self.head..self.tail).zip(self.iter()) {
            let slot = position as usize & (buffer.len() - 1);
            buffer[slot] = value;
        }
        self.buffer = buffer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn a_ring_is_a_queue(steps in prop::collection::vec(prop::option::weighted(0.6, 0u32..1000), 1..300)) {
            let (mut ring, mut plain) = (Ring::new(), VecDeque::new());
            for step in steps {
                match step {
                    Some(value) => { ring.push(value); plain.push_back(value); }
                    None => prop_assert_eq!(ring.pop(), plain.pop_front()),
                }
                prop_assert_eq!(ring.len(), plain.len());
                prop_assert!(ring.iter().eq(plain.iter().copied()));
            }
        }

        /// Several values at once, from any position of a buffer that has wrapped around.
        #[test]
        fn values_in_a_row_are_as_values_one_by_one(
            before in 0u32..20,
            steps in prop::collection::vec((0u32..9, 0u32..9), 1..40),
        ) {
            let (mut ring, mut plain) = (Ring::new(), VecDeque::new());
            (0..before).for_each(|value| { ring.push(value); ring.pop(); });
            let mut next = 0;
            for (more, fewer) in steps {
                let values: Vec<u32> = (next..next + more).collect();
                next += more;
                ring.extend(&values);
                plain.extend(&values);
                for _ in 0..fewer {
                    prop_assert_eq!(ring.pop(), plain.pop_front());
                }
                let oldest = ring.taken_out();
                for position in oldest..=ring.put_in() {
                    let expected: Vec<u32> = plain.iter().copied().skip((position - oldest) as usize).collect();
                    prop_assert_eq!(ring.from(position).concat(), &expected[..]);
                }
            }
        }
    }
}
