//! The voids of one channel: spans between reservations in which nothing is booked yet, in the order of time.
//!
//! They stand in short blocks, so that filling a void moves a few of its neighbours only, however many reservations a channel
//! holds. A block whose last void is over is dropped as a whole.

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
}

/// The voids of a channel. No block is empty.
#[derive(Clone, Debug, Default)]
pub struct Voids {
    blocks: VecDeque<Vec<Void>>,
    /// An emptied block, so that a channel that is seldom booked ahead allocates nothing.
    spare: Option<Vec<Void>>,
}

/// Voids in a block.
const BLOCK: usize = 64;

impl Voids {
    /// The last void that begins at `start` or before.
    #[inline]
    pub fn at(&self, start: u64) -> Option<Void> {
        let (block, place) = self.place(start)?;
        Some(self.blocks[block][place])
    }

    /// The first void that ends at `end` or later.
    pub fn ending(&self, end: u64) -> Option<Void> {
        let block = self.blocks.partition_point(|block| block[block.len() - 1].end < end);
        let block = self.blocks.get(block)?;
        block.get(block.partition_point(|void| void.end < end)).copied()
    }

    /// Where the last void ends; 0 without voids.
    #[inline]
    pub fn last_end(&self) -> u64 {
        self.blocks.back().and_then(|block| block.last()).map_or(0, |void| void.end)
    }

    /// Books [start, end) in a void that holds it; returns where the last void ends then.
    #[inline(never)]
    pub fn book(&mut self, start: u64, end: u64, now: u64) -> u64 {
        self.forget(now);
        self.fill(start, end);
        self.last_end()
    }

    /// A void after all others, of which those that have ended by `now` are forgotten.
    #[inline(never)]
    pub fn append_at(&mut self, now: u64, void: Void) {
        self.forget(now);
        self.append(void);
    }

    /// A void after all others.
    #[inline(never)]
    pub fn append(&mut self, void: Void) {
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
        let (block, place) = self.place(start).expect("a booking lies in a void that was found");
        let void = self.blocks[block][place];
        assert!(void.holds(start, end), "a booking lies within its void");
        let before = Void { end: start, ..void };
        let after = Void { start: end, ..void };
        match (before.start < before.end, after.start < after.end) {
            (true, true) => {
                self.blocks[block][place] = before;
                self.insert(block, place + 1, after);
            }
            (true, false) => self.blocks[block][place] = before,
            (false, true) => self.blocks[block][place] = after,
            (false, false) => self.remove(block, place),
        }
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

    /// A void instead of all others. It stands where an earlier one stood, so that a channel that is booked little ahead
    /// keeps to one cache line of voids and reads none.
    #[inline]
    pub fn restart(&mut self, void: Void) {
        if self.blocks.len() > 1 {
            self.keep_first();
        }
        match self.blocks.front_mut() {
            Some(block) => {
                block.clear();
                block.push(void);
            }
            None => self.append(void),
        }
    }

    #[cold]
    fn keep_first(&mut self) {
        self.blocks.truncate(1);
    }

    /// All voids in order.
    #[cfg(test)]
    fn iter(&self) -> impl Iterator<Item = &Void> {
        self.blocks.iter().flatten()
    }

    /// Block and place of the last void that begins at `start` or before.
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

    fn voids(spans: &[(u64, u64)]) -> Voids {
        let mut voids = Voids::default();
        spans.iter().for_each(|(start, end)| voids.append(Void { start: *start, end: *end }));
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
}
