//! How late packets are given to hosts.

use crate::histogram::{Bin, Errors};

/// A delivery that is later counts as late, in picoseconds.
const LATE: i64 = 1_000_000_000;

/// How late packets were given to hosts, in microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lateness {
    /// Packets.
    pub count: u64,
    /// Of these, more than a millisecond late.
    pub late: u64,
    /// The mean.
    pub mean_us: f64,
    /// Half were no later.
    pub p50_us: f64,
    /// 99 % were no later.
    pub p99_us: f64,
    /// 99.9 % were no later.
    pub p999_us: f64,
    /// The worst.
    pub worst_us: f64,
    /// How many were how late.
    pub histogram: Vec<Bin>,
}

/// What is known so far.
#[derive(Debug)]
pub(super) struct Measured {
    errors: Errors,
    late: u64,
}

impl Measured {
    pub(super) fn new() -> Measured {
        Measured { errors: Errors::new(), late: 0 }
    }

    /// One more packet, late by so many picoseconds.
    pub(super) fn record(&mut self, late: i64) {
        self.errors.record(late);
        self.late += u64::from(late > LATE);
    }

    pub(super) fn lateness(&self) -> Lateness {
        let found = self.errors.quantiles();
        Lateness {
            count: found.count,
            late: self.late,
            mean_us: found.mean,
            p50_us: found.p50,
            p99_us: found.p99,
            p999_us: found.p999,
            worst_us: found.max,
            histogram: self.errors.bins(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 3, 40, 41 and 1500 µs the last is late; 3 is in (2, 4], both others in (32, 64], the last in (1024, 2048].
    #[test]
    fn more_than_a_millisecond_is_late_and_bins_double() {
        let mut measured = Measured::new();
        [3, 40, 41, 1500].into_iter().for_each(|us| measured.record(us * 1_000_000));
        let found = measured.lateness();
        let bins: Vec<_> =
            found.histogram.iter().filter(|bin| bin.count > 0).map(|bin| (bin.to_us, bin.count)).collect();
        assert_eq!((found.count, found.late, bins), (4, 1, vec![(4, 1), (64, 2), (2048, 1)]));
        assert_eq!(found.histogram.iter().map(|bin| bin.to_us).collect::<Vec<_>>()[..3], [1, 2, 4]);
        assert_eq!(Measured::new().lateness(), Lateness::default());
    }
}
