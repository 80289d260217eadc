//! The offered load of an output fibre: paper 004, §1, L = (τ_s + τ_d)/τ, the time that bursts of the last τ last,
//! whether they found a wavelength or not.

use super::plan::Counting;
use std::ops::Range;

/// What comes to a fibre in the τ that runs.
#[derive(Clone, Debug, Default)]
pub struct LoadMeter {
    /// What bursts last, in picoseconds.
    busy: u128,
    /// What lies beyond the end of the τ that runs, by its begin and end.
    beyond: Vec<Range<u64>>,
    /// When the τ that runs ends.
    ends: u64,
}

impl LoadMeter {
    /// One whose first τ ends then.
    pub fn new(interval: u64) -> LoadMeter {
        LoadMeter { ends: interval, ..LoadMeter::default() }
    }

    /// A burst's first bit comes at `at`.
    #[inline]
    pub fn offer(&mut self, at: u64, length: u64, counting: Counting) {
        match counting {
            Counting::Arrival => self.busy += u128::from(length),
            Counting::Clipped => {
                let (until, beyond) = (at + length, self.ends.max(at));
                if until > beyond {
                    self.beyond.push(beyond..until);
                }
                self.busy += u128::from(until.min(beyond) - at);
            }
        }
    }

    /// A τ has ended: what bursts lasted in it, in picoseconds.
    pub fn end(&mut self, now: u64, interval: u64) -> u128 {
        let ends = now + interval;
        let ended = std::mem::take(&mut self.busy);
        for rest in &mut self.beyond {
            let from = rest.start.max(ends).min(rest.end);
            self.busy += u128::from(from - rest.start);
            rest.start = from;
        }
        self.beyond.retain(|rest| !rest.is_empty());
        self.ends = ends;
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_across_the_end_counts_where_it_begins_or_in_both_parts() {
        // τ of 100: bursts of 30 at 10, and of 40 at 80, of which 20 lie beyond.
        for (counting, first, second) in [(Counting::Arrival, 70, 0), (Counting::Clipped, 50, 20)] {
            let mut meter = LoadMeter::new(100);
            meter.offer(10, 30, counting);
            meter.offer(80, 40, counting);
            assert_eq!((meter.end(100, 100), meter.end(200, 100)), (first, second), "{counting:?}");
        }
    }

    /// τ of 100. 240 from 90 on are 10, 100, 100 and 30. A header comes long before its burst: 150 from 250 on are 0,
    /// 0, 50 and 100.
    #[test]
    fn a_clipped_burst_counts_in_every_interval_in_which_it_lies() {
        let parts = |at: u64, length: u64| {
            let mut meter = LoadMeter::new(100);
            meter.offer(at, length, Counting::Clipped);
            (1..=5).map(|ended| meter.end(100 * ended, 100)).collect::<Vec<_>>()
        };
        assert_eq!(parts(90, 240), [10, 100, 100, 30, 0]);
        assert_eq!(parts(250, 150), [0, 0, 50, 100, 0]);
        assert_eq!(parts(100, 100), [0, 100, 0, 0, 0], "from the end of a τ on");
    }
}
