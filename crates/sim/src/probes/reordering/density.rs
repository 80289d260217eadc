//! RFC 5236: reorder density and reorder buffer-occupancy density, by the algorithms of its authors.
//!
//! Packets that arrive are given the numbers 1, 2, 3 … less those of packets that do not come: the receive index. A
//! packet's displacement is its receive index less its number: below zero it is early, above zero late. Its frequencies
//! are the reorder density. A packet that does not come while `threshold` others do counts as lost there, so an arrival
//! is counted when that many have come behind it, or at the end.
//!
//! A receiver that puts packets in order holds those above the next one it expects; how many it holds after each
//! arrival is the buffer occupancy. It knows of no loss beforehand: it gives a packet up when it holds more than
//! `threshold` others (§4).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;

/// The densities of a flow, not normalized.
#[derive(Clone, Debug)]
pub struct Densities {
    threshold: usize,
    /// The next receive index.
    index: u64,
    /// What has arrived and is not counted, in the order of arrival and by number.
    window: VecDeque<u64>,
    ahead: BTreeSet<u64>,
    /// Early packets whose number no other one has been given yet.
    early: BTreeSet<u64>,
    /// The number that the receiver expects next, and what it holds above.
    expected: u64,
    held: BTreeSet<u64>,
    displacements: BTreeMap<i64, u64>,
    occupancies: BTreeMap<u64, u64>,
}

impl Densities {
    /// Nothing has arrived.
    pub fn new(threshold: u32) -> Densities {
        Densities {
            threshold: threshold as usize,
            index: 0,
            window: VecDeque::new(),
            ahead: BTreeSet::new(),
            early: BTreeSet::new(),
            expected: 0,
            held: BTreeSet::new(),
            displacements: BTreeMap::new(),
            occupancies: BTreeMap::new(),
        }
    }

    /// A packet arrives that has not arrived before. It is left out if it counts as lost.
    pub fn record(&mut self, number: u64) {
        self.hold(number);
        if number < self.index {
            return;
        }
        self.window.push_back(number);
        self.ahead.insert(number);
        if self.window.len() > self.threshold {
            self.step();
        }
    }

    /// The frequencies of displacements and of buffer occupancies, what has come last included.
    pub fn counted(&self) -> (BTreeMap<i64, u64>, BTreeMap<u64, u64>) {
        let mut all = self.clone();
        while !all.window.is_empty() {
            all.step();
        }
        (all.displacements, all.occupancies)
    }

    /// Counts the first packet of the window.
    fn step(&mut self) {
        let Some(number) = self.window.pop_front() else { return };
        self.displace(number);
        self.ahead.remove(&number);
    }

    /// The receiver puts a packet in order, unless it has given it up.
    fn hold(&mut self, number: u64) {
        if number < self.expected {
            return;
        }
        self.held.insert(number);
        if self.held.len() > self.threshold && number != self.expected {
            self.expected = self.held.first().copied().unwrap_or(number);
        }
        while self.held.first() == Some(&self.expected) {
            self.held.pop_first();
            self.expected += 1;
        }
        *self.occupancies.entry(self.held.len() as u64).or_default() += 1;
    }

    /// The packet is given the least receive index of those whose packets come.
    fn displace(&mut self, number: u64) {
        let from = (Bound::Included(self.index), Bound::Unbounded);
        let coming = [self.ahead.range(from).next(), self.early.range(from).next()];
        let Some(index) = coming.into_iter().flatten().min().copied() else { return };
        self.index = index;
        let displacement = index.cast_signed() - number.cast_signed();
        if displacement.unsigned_abs() > self.threshold as u64 {
            return;
        }
        *self.displacements.entry(displacement).or_default() += 1;
        self.early.remove(&index);
        if displacement < 0 {
            self.early.insert(number);
        }
        self.index = index + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Displacements and occupancies of packets numbered from 1.
    fn of(order: &[u64], threshold: u32) -> [Vec<(i64, u64)>; 2] {
        let mut densities = Densities::new(threshold);
        order.iter().for_each(|number| densities.record(number - 1));
        let (displacements, occupancies) = densities.counted();
        [
            displacements.into_iter().collect(),
            occupancies.into_iter().map(|(held, count)| (held.cast_signed(), count)).collect(),
        ]
    }

    #[test]
    fn the_example_of_rfc_5236() {
        // Arrivals 1 4 2 5 3 6 7 8, receive indices 1 to 8: displacements 0 −2 1 −1 2 0 0 0, and 0 1 1 2 0 0 0 0
        // packets are held.
        let [displacements, occupancies] = of(&[1, 4, 2, 5, 3, 6, 7, 8], 4);
        assert_eq!(displacements, [(-2, 1), (-1, 1), (0, 4), (1, 1), (2, 1)]);
        assert_eq!(occupancies, [(0, 5), (1, 2), (2, 1)]);
    }

    #[test]
    fn a_lost_packet_is_no_displacement_but_keeps_others_in_the_buffer() {
        // RFC 5236, table 6, threshold 3: 3 is missing, 4, 5 and 6 are held, and 7 would be a fourth: 3 is given up.
        let [displacements, occupancies] = of(&[1, 2, 4, 5, 6, 7], 3);
        assert_eq!(displacements, [(0, 6)]);
        assert_eq!(occupancies, [(0, 3), (1, 1), (2, 1), (3, 1)]);
    }

    #[test]
    fn a_packet_later_than_the_threshold_counts_as_lost() {
        // 2 comes 3 late with a threshold of 2: it is left out itself. 3 and 4 are held until 5 comes.
        assert_eq!(of(&[1, 3, 4, 5, 2, 6, 7, 8], 2), [vec![(0, 7)], vec![(0, 5), (1, 1), (2, 1)]]);
    }

    #[test]
    fn every_packet_is_counted_once_however_they_are_mixed() {
        let mut numbers: Vec<u64> = (1..501).filter(|number| number % 17 != 3).collect();
        let mut state = 3_u64;
        for at in 0..numbers.len() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let other = (at + (state >> 33) as usize % 9).min(numbers.len() - 1);
            numbers.swap(at, other);
        }
        let [displacements, occupancies] = of(&numbers, 100);
        let all: u64 = displacements.iter().map(|(_, count)| count).sum();
        let sum: i64 = displacements.iter().map(|(displacement, count)| displacement * count.cast_signed()).sum();
        assert_eq!((all, occupancies.iter().map(|(_, count)| count).sum::<u64>()), (numbers.len() as u64, all));
        // The receive indices are the numbers themselves in another order.
        assert_eq!(sum, 0);
    }
}
