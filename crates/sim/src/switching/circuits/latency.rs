//! How long packets with data took from the queue of one rack to the other rack, by way.
//!
//! Times are counted in classes: exact below 128 ns, then 128 classes for each doubling, so that a quantile is within
//! 0.4 % of the true one.

use crate::results::Figure;

/// By which way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// A circuit.
    Circuit,
    /// The packet switch.
    Packet,
}

const FINE: u32 = 7;
/// Up to 2^44 ns, some five hours.
const CLASSES: usize = (44 - FINE as usize + 1) << FINE;

/// Packets by how long they took.
#[derive(Debug)]
pub(super) struct Latencies(Box<[u64]>);

impl Default for Latencies {
    fn default() -> Latencies {
        Latencies(vec![0; CLASSES].into())
    }
}

impl Latencies {
    /// A packet took so long, in picoseconds.
    pub fn add(&mut self, took: u64) {
        self.0[class(took / 1000).min(CLASSES - 1)] += 1;
    }

    /// Classes with packets in them.
    pub fn each(&self) -> impl Iterator<Item = (usize, u64)> {
        self.0.iter().copied().enumerate().filter(|(_, packets)| *packets > 0)
    }
}

/// The class of a time in nanoseconds.
fn class(ns: u64) -> usize {
    let shift = (u64::BITS - ns.leading_zeros()).saturating_sub(FINE + 1);
    ((u64::from(shift) << FINE) + (ns >> shift)) as usize
}

/// The middle of a class, in nanoseconds.
fn middle(class: usize) -> f64 {
    let shift = (class >> FINE).saturating_sub(1);
    let least = ((class - (shift << FINE)) as f64) * (shift as f64).exp2();
    least + ((shift as f64).exp2() - 1.0) / 2.0
}

/// Medians and 99 % quantiles of all packets and of each way that has any.
pub(super) fn figures(packets: impl Fn(Way, usize) -> u128) -> Vec<Figure> {
    let by = |ways: &[Way]| -> Vec<u128> {
        (0..CLASSES).map(|class| ways.iter().map(|way| packets(*way, class)).sum()).collect()
    };
    let named = [
        (["latency_p50", "latency_p99"], by(&[Way::Circuit, Way::Packet])),
        (["circuit_latency_p50", "circuit_latency_p99"], by(&[Way::Circuit])),
        (["packet_latency_p50", "packet_latency_p99"], by(&[Way::Packet])),
    ];
    let figures = named.into_iter().flat_map(|(names, classes)| {
        names.into_iter().zip([50, 99]).filter_map(move |(name, percent)| {
            quantile(&classes, percent).map(|ns| Figure { name, value: ns * 1e-9, unit: "s" })
        })
    });
    figures.collect()
}

/// The least time within which `percent` of the packets are, in nanoseconds.
fn quantile(classes: &[u128], percent: u128) -> Option<f64> {
    let all: u128 = classes.iter().sum();
    let wanted = (all * percent).div_ceil(100).max(1);
    let mut seen = 0;
    let class = classes.iter().position(|packets| {
        seen += packets;
        seen >= wanted
    });
    class.filter(|_| all > 0).map(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_in_order_and_fine() {
        let mut before = None;
        for ns in (0..4096).chain((12..43).flat_map(|doubling| (0..300).map(move |k| (1 << doubling) + k * 7919))) {
            let found = class(ns);
            assert!((middle(found) - ns as f64).abs() <= 0.004 * ns as f64, "{ns}");
            if let Some((earlier, last)) = before.filter(|(earlier, _)| *earlier <= ns) {
                assert!(found >= last, "{earlier} before {ns}");
            }
            before = Some((ns, found));
        }
        assert!(class(u64::MAX / 1000) > CLASSES, "longer times are in the last class");
    }

    #[test]
    fn quantiles_are_those_of_a_list() {
        let mut packets = Latencies::default();
        (1..=100u64).for_each(|us| packets.add(us * 1_000_000));
        let mut classes = vec![0; CLASSES];
        packets.each().for_each(|(class, count)| classes[class] = u128::from(count));
        let found = [50, 99].map(|percent| quantile(&classes, percent).unwrap_or(0.0) / 1000.0);
        assert!((found[0] - 50.0).abs() < 0.2 && (found[1] - 99.0).abs() < 0.4, "{found:?}");
        assert_eq!(quantile(&[0; 4], 50), None);
    }
}
