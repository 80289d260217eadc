//! The voids of one channel: spans between reservations in which nothing is booked yet, in the order of time.
//!
//! The last one stands by itself, the others in short blocks, so that filling a void moves a few of its neighbours
//! only, however many reservations a channel holds. A block whose last void is over is dropped as a whole.

use std::collections::VecDeque;

/// Picoseconds from `start` to before `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Void {
    /// Where the reservation before it ends.
    pub start: u64,
    /// Where the next reservation begins.
    pub end: u64,
}

impl Void {
    /// Whether a booking of [start, end) lies in it.
    #[inline]
    pub fn holds(&self, start: u64, end: u64) -> bool {
        self.start <= start && end <= self.end
    }

    /// What is left of it before and behind a booking of [start, end).
    fn around(&self, start: u64, end: u64) -> (Option<Void>, Option<Void>) {
        assert!(self.holds(start, end), "a booking lies within its void");
        let left = |start: u64, end: u64| (start < end).then_some(Void { start, end });
        (left(self.start, start), left(end, self.end))
    }
}

/// The voids of a channel.
#[derive(Clone, Debug)]
pub struct Voids {
    /// The last one. It stands here because a channel that is booked little ahead has no other whose time has not
    /// passed.
    last: Void,
    /// Those before it; no block is empty.
    blocks: VecDeque<Vec<Void>>,
    /// An emptied block.
    spare: Option<Vec<Void>>,
}

/// Voids in a block.
const BLOCK: usize = 64;
/// In the place of the last void of a channel without voids.
const NONE: Void = Void { start: 0, end: 0 };

impl Default for Voids {
    fn default() -> Voids {
        Voids { last: NONE, blocks: VecDeque::new(), spare: None }
    }
}

impl Voids {
    /// The last void that begins at `start` or before.
    #[inline]
    pub fn at(&self, start: u64) -> Option<Void> {
        if self.last.start <= start {
            return (self.last != NONE).then_some(self.last);
        }
        let (block, place) = self.place(start)?;
        Some(self.blocks[block][place])
    }

    /// The first void that ends at `end` or later.
    pub fn ending(&self, end: u64) -> Option<Void> {
        let block = self.blocks.partition_point(|block| block[block.len() - 1].end < end);
        match self.blocks.get(block) {
            Some(block) => block.get(block.partition_point(|void| void.end < end)).copied(),
            None => (self.last != NONE && self.last.end >= end).then_some(self.last),
        }
    }

    /// Where the last void ends; 0 without voids.
    #[inline]
    pub fn last_end(&self) -> u64 {
        self.last.end
    }

    /// Books [start, end) in a void that holds it; returns where the last void ends then.
    #[inline(never)]
    pub fn book(&mut self, start: u64, end: u64, now: u64) -> u64 {
        self.forget(now);
        self.fill(start, end);
        self.last_end()
    }

    /// A void after all others, of which those that have ended by `now` may be forgotten.
    #[inline]
    pub fn append(&mut self, now: u64, void: Void) {
        let before = std::mem::replace(&mut self.last, void);
        if before.end > now {
            self.forget(now);
            self.keep(before);
        }
    }

    /// A void between those in the blocks and the last one.
    #[inline(never)]
    fn keep(&mut self, void: Void) {
        match self.blocks.back_mut() {
            Some(block) if block.len() < BLOCK => block.push(void),
            _ => {
                let mut block = self.spare.take().unwrap_or_else(|| Vec::with_capacity(BLOCK));
                block.push(void);
                self.blocks.push_back(block);
            }
        }
    }

    /// [start, end) of the void that begins at `start` or before is booked: what is left of it are up to two voids.
    pub fn fill(&mut self, start: u64, end: u64) {
        if self.last.start <= start {
            return self.fill_last(start, end);
        }
        let (block, place) = self.place(start).expect("a booking lies in a void that was found");
        let (before, after) = self.blocks[block][place].around(start, end);
        match (before, after) {
            (Some(before), Some(after)) => {
                self.blocks[block][place] = before;
                self.insert(block, place + 1, after);
            }
            (Some(left), None) | (None, Some(left)) => self.blocks[block][place] = left,
            (None, None) => self.remove(block, place),
        }
    }

    fn fill_last(&mut self, start: u64, end: u64) {
        let (before, after) = self.last.around(start, end);
        if let (Some(before), Some(_)) = (before, after) {
            self.keep(before);
        }
        self.last = after.or(before).unwrap_or_else(|| self.take_newest());
    }

    /// Takes the last void out of the blocks.
    fn take_newest(&mut self) -> Void {
        let Some(block) = self.blocks.len().checked_sub(1) else { return NONE };
        let place = self.blocks[block].len() - 1;
        let void = self.blocks[block][place];
        self.remove(block, place);
        void
    }

    /// Forgets blocks of voids that have ended by `now`.
    #[inline]
    pub fn forget(&mut self, now: u64) {
        while self.blocks.front().is_some_and(|block| block[block.len() - 1].end <= now) {
            self.spare = self.blocks.pop_front().map(|mut block| {
                block.clear();
                block
            });
        }
    }

    /// All voids in order.
    #[cfg(test)]
    fn iter(&self) -> impl Iterator<Item = &Void> {
        self.blocks.iter().flatten().chain(Some(&self.last).filter(|last| **last != NONE))
    }

    /// Block and place of the last void in the blocks that begins at `start` or before.
    #[inline]
    fn place(&self, start: u64) -> Option<(usize, usize)> {
        let block = self.blocks.partition_point(|block| block[0].start <= start).checked_sub(1)?;
        Some((block, self.blocks[block].partition_point(|void| void.start <= start) - 1))
    }

    fn insert(&mut self, block: usize, place: usize, void: Void) {
        let voids = &mut self.blocks[block];
        voids.insert(place, void);
        if voids.len() > BLOCK {
            let second = voids.split_off(BLOCK / 2);
            self.blocks.insert(block + 1, second);
        }
    }

    fn remove(&mut self, block: usize, place: usize) {
        self.blocks[block].remove(place);
        if self.blocks[block].is_empty() {
            self.spare = self.blocks.remove(block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn voids(spans: &[(u64, u64)]) -> Voids {
        let mut voids = Voids::default();
        spans.iter().for_each(|(start, end)| voids.append(0, Void { start: *start, end: *end }));
        voids
    }

    fn spans(voids: &Voids) -> Vec<(u64, u64)> {
        voids.iter().map(|void| (void.start, void.end)).collect()
    }

    #[test]
    fn a_booking_leaves_what_is_before_and_behind_it() {
        let mut voids = voids(&[(0, 10), (20, 30), (40, 50)]);
        voids.fill(23, 25);
        assert_eq!(spans(&voids), [(0, 10), (20, 23), (25, 30), (40, 50)]);
        voids.fill(0, 10);
        voids.fill(40, 45);
        voids.fill(28, 30);
        assert_eq!(spans(&voids), [(20, 23), (25, 28), (45, 50)]);
        assert_eq!(voids.at(27), Some(Void { start: 25, end: 28 }));
        assert_eq!(voids.at(19), None);
        assert_eq!(voids.ending(24), Some(Void { start: 25, end: 28 }));
        assert_eq!(voids.last_end(), 50);
    }

    #[test]
    fn many_voids_are_split_into_blocks_and_found_in_all_of_them() {
        let mut voids = voids(&[(0, 10_000)]);
        // Booked from the back, every insertion is at the front of the last block.
        for number in (0..1000).rev() {
            voids.fill(10 * number + 4, 10 * number + 6);
        }
        assert!(voids.blocks.iter().all(|block| !block.is_empty() && block.len() <= BLOCK));
        assert_eq!(voids.iter().count(), 1001);
        assert!(
            (1..1000)
                .all(|number| voids.at(10 * number) == Some(Void { start: 10 * number - 4, end: 10 * number + 4 }))
        );
        voids.forget(5000);
        let first = spans(&voids)[0];
        assert!(first.1 <= 5000 + 10 * BLOCK as u64, "at most a block is kept beyond its time: {first:?}");
        assert_eq!(voids.at(7003), Some(Void { start: 6996, end: 7004 }));
    }
    proptest! {
        /// As a list of all voids says, as far as their time has not passed.
        #[test]
        fn voids_are_those_of_a_plain_list(
            steps in prop::collection::vec((0u8..4, 1u64..40, 1u64..20, 0usize..500), 1..400)
        ) {
            let (mut voids, mut plain) = (Voids::default(), Vec::<Void>::new());
            let (mut end, mut now) = (0, 0);
            for (step, gap, length, choice) in steps {
                let live: Vec<usize> = (0..plain.len()).filter(|place| plain[*place].start >= now).collect();
                match step {
                    0 | 1 => {
                        let void = Void { start: end, end: end + gap };
                        voids.append(now, void);
                        plain.push(void);
                        end += gap + length;
                    }
                    2 if !live.is_empty() => {
                        let place = live[choice % live.len()];
                        let void = plain[place];
                        let start = void.start + (choice as u64 / 7) % (void.end - void.start);
                        let until = (start + length).min(void.end);
                        let last = voids.book(start, until, now);
                        let (before, after) = void.around(start, until);
                        plain.splice(place..=place, before.into_iter().chain(after));
                        prop_assert_eq!(last.max(now), plain.last().map_or(0, |void| void.end).max(now));
                    }
                    _ => now = (now + gap).min(end),
                }
                for time in (now..end).step_by(5) {
                    let begins = plain.iter().rfind(|void| void.start <= time).filter(|void| void.end > now);
                    prop_assert_eq!(voids.at(time).filter(|void| void.end > now), begins.copied());
                    prop_assert_eq!(voids.ending(time + 1), plain.iter().find(|void| void.end > time).copied());
                }
            }
        }
    }
}
