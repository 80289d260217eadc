//! What racks sum up, and the figures of it.
//!
//! Waits are counted by an HDR histogram of nanoseconds: exact below 256 ns, then in 128 classes for each doubling, so
//! that a quantile is within 0.4 % of the true one.

use crate::engine::node::counters::{Counters, KeyedSums, SumKey};
use crate::results::Figure;
use hdrhistogram::Histogram;

/// How a packet leaves a rack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hop {
    /// By a circuit to its own rack, at the rack where it came from its host.
    Direct,
    /// The first hop of a detour.
    First,
    /// The second one.
    Second,
    /// On the shortest path within a slice.
    Slice,
}

/// What racks sum up.
#[derive(Clone, Copy, Debug)]
enum Sum {
    /// Bytes sent.
    Bytes(Hop),
    /// Packets by how long they waited for the circuit to their own rack, where they came from their host.
    Waited(usize),
}

impl SumKey for Sum {
    fn place(self) -> usize {
        match self {
            Sum::Bytes(hop) => hop as usize,
            Sum::Waited(class) => 4 + class,
        }
    }
}

const DIGITS: u8 = 2;
/// Some five hours, in nanoseconds.
const LONGEST: u64 = (1 << 44) - 1;

/// What a rack has sent.
#[derive(Debug)]
pub(super) struct Sent {
    bytes: [u64; 4],
    waits: Histogram<u64>,
}

impl Default for Sent {
    fn default() -> Sent {
        Sent { bytes: [0; 4], waits: histogram() }
    }
}

fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST, DIGITS).expect("the bounds are in order")
}

impl Sent {
    /// A packet leaves that has waited so long, in picoseconds.
    #[inline]
    pub fn add(&mut self, hop: Hop, size: u16, waited: u64) {
        self.bytes[hop as usize] += u64::from(size);
        if hop == Hop::Direct {
            self.waits.saturating_record(waited / 1000);
        }
    }

    /// Adds it all up.
    pub fn account(&self, counters: &mut Counters) {
        for hop in [Hop::Direct, Hop::First, Hop::Second, Hop::Slice] {
            counters.sums.add(Sum::Bytes(hop), self.bytes[hop as usize].into());
        }
        let classes = self.waits.iter_all().map(|class| class.count_at_value()).enumerate();
        let taken = classes.filter(|(_, packets)| *packets > 0);
        taken.for_each(|(class, packets)| counters.sums.add(Sum::Waited(class), packets.into()));
    }
}

/// The figures between two readings.
pub(super) fn figures(before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
    let of = |sum: Sum| after.of(sum) - before.of(sum);
    let hops = [
        ("direct_bytes", Hop::Direct),
        ("detour_bytes", Hop::First),
        ("relayed_bytes", Hop::Second),
        ("slice_bytes", Hop::Slice),
    ];
    let bytes = hops.map(|(name, hop)| Figure { name, value: of(Sum::Bytes(hop)) as f64, unit: "B" });
    let mut waits = histogram();
    for (class, place) in histogram().iter_all().enumerate() {
        let packets = u64::try_from(of(Sum::Waited(class))).unwrap_or(u64::MAX);
        waits.saturating_record_n(place.value_iterated_to(), packets);
    }
    let quantile = |(name, share): (&'static str, f64)| {
        let found = waits.value_at_quantile(share);
        let middle = (waits.lowest_equivalent(found) + waits.highest_equivalent(found)) as f64 / 2.0;
        Figure { name, value: middle * 1e-9, unit: "s" }
    };
    let quantiles = [("circuit_wait_p50", 0.5), ("circuit_wait_p99", 0.99)].map(quantile);
    let quantiles = quantiles.into_iter().filter(|_| !waits.is_empty());
    bytes.into_iter().chain(quantiles).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_by_hop_and_quantiles_of_waits_are_those_that_were_added() {
        let mut sent = Sent::default();
        (1..=100u64).for_each(|us| sent.add(Hop::Direct, 100, us * 1_000_000));
        sent.add(Hop::First, 40, 5);
        sent.add(Hop::Slice, 7, u64::MAX);
        let mut counters = Counters::default();
        sent.account(&mut counters);
        let found = figures(&KeyedSums::default(), &counters.sums);
        let of = |name: &str| found.iter().find(|figure| figure.name == name).unwrap().value;
        assert_eq!(["direct_bytes", "detour_bytes", "relayed_bytes", "slice_bytes"].map(of), [1e4, 40.0, 0.0, 7.0]);
        assert!((of("circuit_wait_p50") / 50e-6 - 1.0).abs() < 0.004);
        assert!((of("circuit_wait_p99") / 99e-6 - 1.0).abs() < 0.004);
        assert!(figures(&counters.sums, &counters.sums).iter().all(|figure| !figure.name.starts_with("circuit")));
    }
}
