//! The offered load of an output fibre: paper 004, §1, L = (τ_s + τ_d)/τ, the time that bursts of the last τ last, whether they found a
//! wavelength or not.

use super::plan::Counting;

/// What comes to a fibre in the τ that runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadMeter {
    /// What bursts last, in picoseconds.
    busy: u128,
    /// Of bursts that reach beyond the end of the τ that runs: what lies there.
    beyond: u128,
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
                let beyond = (at + length).saturating_sub(self.ends.max(at));
                self.beyond += u128::from(beyond);
                self.busy += u128::from(length - beyond);
            }
        }
    }

    /// A τ has ended: what bursts lasted in it, in picoseconds. A burst that lasts longer than the τ that follows counts there whole.
    pub fn end(&mut self, now: u64, interval: u64) -> u128 {
        self.ends = now + interval;
        std::mem::replace(&mut self.busy, std::mem::take(&mut self.beyond))
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
}
