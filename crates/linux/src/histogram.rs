//! Errors in time: how early or late things were, and the guard time that would have done.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Signed errors in picoseconds, with three digits up to an hour.
#[derive(Clone, Debug)]
pub(crate) struct Errors {
    sizes: Histogram<u64>,
    earliest: i64,
    latest: i64,
    sum: i128,
}

/// What a histogram says, in microseconds; sizes but for `earliest`, `latest` and `mean`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Quantiles {
    pub(crate) count: u64,
    pub(crate) mean: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) max: f64,
    pub(crate) earliest: f64,
    pub(crate) latest: f64,
}

/// How many errors were so large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// At most, in microseconds, and more than that of the bin before.
    pub to_us: u64,
    /// So many.
    pub count: u64,
}

const HOUR: u64 = 3600 * 1_000_000_000_000;
const US: f64 = 1e6;

impl Errors {
    pub(crate) fn new() -> Errors {
        let sizes = Histogram::new_with_bounds(1000, HOUR, 3).expect("bounds and digits that the library allows");
        Errors { sizes, earliest: i64::MAX, latest: i64::MIN, sum: 0 }
    }

    /// One more error, in picoseconds; late is positive.
    pub(crate) fn record(&mut self, error: i64) {
        self.sizes.saturating_record(error.unsigned_abs());
        self.earliest = self.earliest.min(error);
        self.latest = self.latest.max(error);
        self.sum += i128::from(error);
    }

    /// How many had which size, in bins that double, up to the largest.
    pub(crate) fn bins(&self) -> Vec<Bin> {
        let (mut bins, mut to_us, mut below) = (Vec::new(), 1, 0);
        while below < self.sizes.len() {
            let up_to = self.sizes.count_between(0, to_us * US as u64);
            bins.push(Bin { to_us, count: up_to - below });
            (below, to_us) = (up_to, 2 * to_us);
        }
        bins
    }

    pub(crate) fn quantiles(&self) -> Quantiles {
        let count = self.sizes.len();
        if count == 0 {
            return Quantiles::default();
        }
        let at = |quantile: f64| self.sizes.value_at_quantile(quantile) as f64 / US;
        let largest = self.earliest.unsigned_abs().max(self.latest.unsigned_abs());
        Quantiles {
            count,
            mean: self.sum as f64 / count as f64 / US,
            p50: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: largest as f64 / US,
            earliest: self.earliest as f64 / US,
            latest: self.latest as f64 / US,
        }
    }
}

impl Quantiles {
    /// The guard time, in µs, with which 999 of 1000 slots had met their window: light may be early or late by half of
    /// what switching leaves of it.
    pub(crate) fn guard_needed(&self, switching_us: f64) -> f64 {
        switching_us + 2.0 * self.p999
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_sizes_and_extremes_have_signs() {
        let mut errors = Errors::new();
        (1..=1000).for_each(|us: i64| errors.record(if us % 2 == 0 { us } else { -us } * 1_000_000));
        let found = errors.quantiles();
        assert_eq!((found.count, found.latest, found.earliest, found.max), (1000, 1000.0, -999.0, 1000.0));
        assert!((found.p50 - 500.0).abs() < 1.0 && (found.p99 - 990.0).abs() < 1.0 && (found.p999 - 999.0).abs() < 1.0);
        assert!((found.guard_needed(10.0) - 2008.0).abs() < 3.0);
        assert_eq!(Errors::new().quantiles(), Quantiles::default());
        // What is never early has an earliest one, too.
        let mut errors = Errors::new();
        [3, 5].into_iter().for_each(|us: i64| errors.record(us * 1_000_000));
        assert_eq!((errors.quantiles().earliest, errors.quantiles().latest), (3.0, 5.0));
    }
}
