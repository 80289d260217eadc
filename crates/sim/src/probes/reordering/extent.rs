//! RFC 4737: which packets are reordered, how far, how late, and how many others in a row came before them.
//!
//! A packet is reordered if one that left after it has arrived before (§3.3). With i and j the places in the order of
//! arrival of the packet and of the first one above it, its extent is i − j (§4.2) and its late time is the time
//! between the two (§4.3). It is n-reordered if the n packets before it all left after it (§5.3); a sender with a
//! threshold of n duplicate ACKs takes it for lost. Left out: byte offsets, gaps between reordered packets, and runs
//! without any.

use std::collections::{BTreeMap, VecDeque};

/// The extents of a flow.
#[derive(Clone, Debug)]
pub struct Extents {
    threshold: u64,
    /// NextExp: one more than the highest number that has arrived.
    next_expected: u64,
    /// Packets that have arrived, without second copies.
    arrived: u64,
    /// Numbers below `next_expected` that have not arrived, by the first of each gap.
    gaps: BTreeMap<u64, Gap>,
    /// Place and number of those that have arrived before a packet and are lower than all after them.
    lower: VecDeque<(u64, u64)>,
    reordered: u64,
    extents: BTreeMap<u64, u64>,
    degrees: BTreeMap<u64, u64>,
    late: u128,
    latest: u64,
}

/// Numbers that were passed over.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// The number after the last one.
    end: u64,
    /// The place of the first packet above it.
    place: u64,
    /// When that arrived.
    at: u64,
}

impl Extents {
    /// Nothing has arrived; what comes more than `threshold` places late counts as lost.
    pub fn new(threshold: u32) -> Extents {
        Extents {
            threshold: threshold.into(),
            next_expected: 0,
            arrived: 0,
            gaps: BTreeMap::new(),
            lower: VecDeque::new(),
            reordered: 0,
            extents: BTreeMap::new(),
            degrees: BTreeMap::new(),
            late: 0,
            latest: 0,
        }
    }

    /// A packet arrives. `false` if it has arrived before, or counts as lost.
    pub fn record(&mut self, now: u64, number: u64) -> bool {
        let place = self.arrived + 1;
        if number >= self.next_expected {
            if number > self.next_expected {
                self.gaps.insert(self.next_expected, Gap { end: number, place, at: now });
            }
            self.next_expected = number + 1;
        } else {
            let Some(gap) = self.take_from_gap(number) else { return false };
            self.count(place - gap.place, now.saturating_sub(gap.at));
        }
        self.arrived = place;
        let degree = self.passed_by(place, number);
        if degree > 0 {
            *self.degrees.entry(degree).or_default() += 1;
        }
        self.forget();
        true
    }

    fn count(&mut self, extent: u64, late: u64) {
        self.reordered += 1;
        *self.extents.entry(extent).or_default() += 1;
        self.late += u128::from(late);
        self.latest = self.latest.max(late);
    }

    /// The gap in which a number lies, which is closed there.
    fn take_from_gap(&mut self, number: u64) -> Option<Gap> {
        let (&first, &gap) = self.gaps.range(..=number).next_back().filter(|(_, gap)| number < gap.end)?;
        self.gaps.remove(&first);
        if first < number {
            self.gaps.insert(first, Gap { end: number, ..gap });
        }
        if number + 1 < gap.end {
            self.gaps.insert(number + 1, gap);
        }
        Some(gap)
    }

    /// How many packets in a row, up to this one, left after it.
    fn passed_by(&mut self, place: u64, number: u64) -> u64 {
        while self.lower.back().is_some_and(|(_, lower)| *lower > number) {
            self.lower.pop_back();
        }
        let before = self.lower.back().map_or(0, |(place, _)| *place);
        self.lower.push_back((place, number));
        place - before - 1
    }

    /// Gaps that count as lost, and packets that are lower than whatever may still come but for the last of them.
    fn forget(&mut self) {
        while self.gaps.first_key_value().is_some_and(|(_, gap)| gap.place + self.threshold <= self.arrived) {
            self.gaps.pop_first();
        }
        let lowest = self.gaps.first_key_value().map_or(self.next_expected, |(first, _)| *first);
        while self.lower.get(1).is_some_and(|(_, number)| *number < lowest) {
            self.lower.pop_front();
        }
    }

    /// Packets that have arrived, without second copies.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    /// Those of them that were reordered.
    pub fn reordered(&self) -> u64 {
        self.reordered
    }

    /// How many had each extent.
    pub fn extents(&self) -> &BTreeMap<u64, u64> {
        &self.extents
    }

    /// The sum of all extents.
    pub fn sum(&self) -> u64 {
        self.extents.iter().map(|(extent, count)| extent * count).sum()
    }

    /// How many were n-reordered, by the greatest n.
    pub fn degrees(&self) -> &BTreeMap<u64, u64> {
        &self.degrees
    }

    /// How many were n-reordered.
    pub fn passed_by_at_least(&self, n: u64) -> u64 {
        self.degrees.range(n..).map(|(_, count)| count).sum()
    }

    /// The sum and the greatest of the late times, in picoseconds.
    pub fn late(&self) -> (u128, u64) {
        (self.late, self.latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets numbered from 1 arrive a unit of time apart.
    fn of(order: &[u64]) -> Extents {
        let mut extents = Extents::new(1000);
        (1..).zip(order).for_each(|(now, number)| _ = extents.record(now, number - 1));
        extents
    }

    fn counts(map: &BTreeMap<u64, u64>) -> Vec<(u64, u64)> {
        map.iter().map(|(value, count)| (*value, *count)).collect()
    }

    #[test]
    fn the_examples_of_rfc_4737_section_7() {
        // 7.1: packet 4 arrives 8th, packet 5 arrived 4th.
        let one = of(&[1, 2, 3, 5, 6, 7, 8, 4, 9, 10]);
        assert_eq!((one.reordered(), one.arrived()), (1, 10));
        assert_eq!((counts(one.extents()), counts(one.degrees())), (vec![(4, 1)], vec![(4, 1)]));
        // 7.2: 5 and 6 behind 7; 6 comes directly behind 5, so it is not n-reordered for any n.
        let two = of(&[1, 2, 3, 4, 7, 5, 6, 8, 9, 10]);
        assert_eq!((counts(two.extents()), counts(two.degrees())), (vec![(1, 1), (2, 1)], vec![(1, 1)]));
        // 7.3: 4, 5 and 6 behind 7 to 10; TCP sees one packet that four have passed.
        let three = of(&[1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11]);
        assert_eq!((counts(three.extents()), counts(three.degrees())), (vec![(4, 1), (5, 1), (6, 1)], vec![(4, 1)]));
        assert_eq!((three.passed_by_at_least(3), three.passed_by_at_least(5)), (1, 0));
    }

    #[test]
    fn packet_4_of_section_7_1_is_62_ms_late() {
        let mut extents = Extents::new(1000);
        let arrivals = [(68, 1), (88, 2), (108, 3), (148, 5), (168, 6), (188, 7), (208, 8), (210, 4), (228, 9)];
        arrivals.into_iter().for_each(|(ms, number)| assert!(extents.record(ms, number - 1)));
        assert_eq!(extents.late(), (62, 62));
    }

    #[test]
    fn figure_1_of_paper_004_has_extents_of_5_to_7_and_one_packet_that_tcp_takes_for_lost() {
        let figure = of(&[1, 2, 3, 7, 8, 9, 10, 11, 4, 5, 6]);
        assert_eq!((counts(figure.extents()), counts(figure.degrees())), (vec![(5, 1), (6, 1), (7, 1)], vec![(5, 1)]));
    }

    #[test]
    fn second_copies_and_lost_packets_are_not_reordered() {
        let extents = of(&[1, 2, 2, 5, 1, 6, 5]);
        assert_eq!((extents.reordered(), extents.arrived()), (0, 4));
        let mut late = Extents::new(3);
        [0, 2, 3, 4, 5, 6].into_iter().for_each(|number| assert!(late.record(0, number)));
        assert!(!late.record(0, 1), "it comes 5 places late, and 3 are waited for");
        assert_eq!((late.gaps.len(), late.lower.len()), (0, 1), "nothing is kept for it");
    }

    #[test]
    fn all_is_as_the_definitions_say() {
        let mut numbers: Vec<u64> = (0..300).collect();
        let mut state = 7_u64;
        for at in 0..numbers.len() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let other = (at + (state >> 33) as usize % 12).min(numbers.len() - 1);
            numbers.swap(at, other);
        }
        let (mut extents, mut degrees) = (BTreeMap::new(), BTreeMap::new());
        for (i, number) in numbers.iter().enumerate() {
            if let Some(j) = numbers[..i].iter().position(|other| other > number) {
                *extents.entry((i - j) as u64).or_default() += 1;
            }
            let degree = numbers[..i].iter().rev().take_while(|other| *other > number).count() as u64;
            if degree > 0 {
                *degrees.entry(degree).or_default() += 1;
            }
        }
        let found = of(&numbers.iter().map(|number| number + 1).collect::<Vec<_>>());
        assert_eq!((found.extents, found.degrees), (extents, degrees));
    }
}
