//! How long packets with data took from the queue of one rack to the other rack, by way.
//!
//! Times are counted by an HDR histogram of nanoseconds: exact below 256 ns, then in 128 classes for each doubling, so
//! that a quantile is within 0.4 % of the true one.

use crate::results::Figure;
use hdrhistogram::Histogram;

/// By which way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// A circuit.
    Circuit,
    /// The packet switch.
    Packet,
}

const DIGITS: u8 = 2;
/// Some five hours, in nanoseconds.
const LONGEST: u64 = (1 << 44) - 1;

/// Packets by how long they took.
#[derive(Debug)]
pub(super) struct Latencies(Histogram<u64>);

impl Default for Latencies {
    fn default() -> Latencies {
        Latencies(Histogram::new_with_bounds(1, LONGEST, DIGITS).expect("the bounds are in order"))
    }
}

impl Latencies {
    /// A packet took so long, in picoseconds.
    pub fn add(&mut self, took: u64) {
        self.0.saturating_record(took / 1000);
    }

    /// Classes with packets in them.
    pub fn each(&self) -> impl Iterator<Item = (usize, u64)> {
        let all = self.0.iter_all().map(|class| class.count_at_value()).enumerate();
        all.filter(|(_, packets)| *packets > 0)
    }

    /// The packets of each class.
    fn of(packets: impl Fn(usize) -> u128) -> Latencies {
        let Latencies(mut all) = Latencies::default();
        for (class, place) in Latencies::default().0.iter_all().enumerate() {
            all.saturating_record_n(place.value_iterated_to(), u64::try_from(packets(class)).unwrap_or(u64::MAX));
        }
        Latencies(all)
    }

    /// The middle of the class of the least time within which this share of the packets is, in nanoseconds.
    fn quantile(&self, share: f64) -> Option<f64> {
        let found = self.0.value_at_quantile(share);
        let ends = self.0.lowest_equivalent(found) + self.0.highest_equivalent(found);
        (!self.0.is_empty()).then_some(ends as f64 / 2.0)
    }
}

/// Medians and 99 % quantiles of all packets and of each way that has any.
pub(super) fn figures(packets: impl Fn(Way, usize) -> u128) -> Vec<Figure> {
    let by = |ways: &[Way]| Latencies::of(|class| ways.iter().map(|way| packets(*way, class)).sum());
    let named = [
        (["latency_p50", "latency_p99"], by(&[Way::Circuit, Way::Packet])),
        (["circuit_latency_p50", "circuit_latency_p99"], by(&[Way::Circuit])),
        (["packet_latency_p50", "packet_latency_p99"], by(&[Way::Packet])),
    ];
    let figures = named.into_iter().flat_map(|(names, latencies)| {
        names.into_iter().zip([0.5, 0.99]).filter_map(move |(name, share)| {
            latencies.quantile(share).map(|ns| Figure { name, value: ns * 1e-9, unit: "s" })
        })
    });
    figures.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_within_half_of_a_class() {
        for ns in (0..4096).chain((12..43).flat_map(|doubling| (0..300).map(move |k| (1 << doubling) + k * 7919))) {
            let mut one = Latencies::default();
            one.add(ns * 1000 + 999);
            assert!((one.quantile(0.5).unwrap() - ns as f64).abs() <= 0.004 * ns as f64, "{ns}");
        }
        let mut long = Latencies::default();
        long.add(u64::MAX);
        assert!(long.quantile(0.5).unwrap() > 1.7e13, "longer times are in the last class");
    }

    #[test]
    fn quantiles_are_those_of_a_list() {
        let mut packets = Latencies::default();
        (1..=100u64).for_each(|us| packets.add(us * 1_000_000));
        let mut classes = std::collections::BTreeMap::new();
        packets.each().for_each(|(class, count)| *classes.entry(class).or_insert(0) += u128::from(count));
        let again = Latencies::of(|class| classes.get(&class).copied().unwrap_or(0));
        for all in [packets, again] {
            let found = [0.5, 0.99].map(|share| all.quantile(share).unwrap_or(0.0) / 1000.0);
            assert!((found[0] - 50.0).abs() < 0.2 && (found[1] - 99.0).abs() < 0.4, "{found:?}");
        }
        assert_eq!(Latencies::of(|_| 0).quantile(0.5), None);
    }
}
