//! The lengths of the last reorderings, and their percentiles.

use super::config::MOST_SAMPLES;
use std::collections::{BTreeMap, VecDeque};
use units::{Duration, Instant};

/// One bin for each length. Lengths leave when they are too old, or when there are too many.
#[derive(Clone, Debug, Default)]
pub(super) struct Histogram {
    /// In the order of their arrival.
    samples: VecDeque<(Instant, u32)>,
    bins: BTreeMap<u32, u32>,
}

impl Histogram {
    /// A reordering of this length has been seen; of the lengths at most `most` stay.
    pub(super) fn add(&mut self, now: Instant, length: u32, most: usize) {
        while self.samples.len() >= most.min(MOST_SAMPLES) {
            self.drop_oldest();
        }
        self.samples.push_back((now, length));
        *self.bins.entry(length).or_default() += 1;
    }

    /// Lengths as old as the history leave. True if any has left.
    pub(super) fn age(&mut self, now: Instant, history: Duration) -> bool {
        let before = self.samples.len();
        while self.samples.front().is_some_and(|(at, _)| now.saturating_since(*at) >= history) {
            self.drop_oldest();
        }
        self.samples.len() < before
    }

    /// The nearest-rank percentile: the least length that `share` of all do not exceed. `None` of nothing.
    pub(super) fn percentile(&self, share: f64) -> Option<u32> {
        // 0.07·100 is a little more than 7 in binary fractions.
        let rank = (share * self.samples.len() as f64 - 1e-9).ceil().max(1.0) as usize;
        let mut below = 0;
        let mut reached = self.bins.iter().map(|(length, count)| {
            below += *count as usize;
            (*length, below)
        });
        reached.find(|(_, below)| *below >= rank).map(|(length, _)| length)
    }

    /// (length, how often), by length.
    pub(super) fn bins(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.bins.iter().map(|(length, count)| (*length, *count))
    }

    fn drop_oldest(&mut self) {
        let Some((_, length)) = self.samples.pop_front() else { return };
        if let Some(count) = self.bins.get_mut(&length) {
            *count -= 1;
            if *count == 0 {
                self.bins.remove(&length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lengths: impl IntoIterator<Item = u32>) -> Histogram {
        let mut histogram = Histogram::default();
        lengths.into_iter().for_each(|length| histogram.add(Instant::ZERO, length, MOST_SAMPLES));
        histogram
    }

    #[test]
    fn the_percentile_is_the_nearest_rank() {
        // Nine of ten are at most 8: the summary of the original has "90 % are <= 8".
        let histogram = of([1, 2, 3, 4, 5, 6, 7, 8, 8, 30]);
        assert_eq!(histogram.percentile(0.9), Some(8));
        assert_eq!(histogram.percentile(0.91), Some(30), "rank 9.1 is the tenth");
        assert_eq!((histogram.percentile(0.0), histogram.percentile(1.0)), (Some(1), Some(30)));
        assert_eq!(of(1..=100).percentile(0.07), Some(7));
        assert_eq!(Histogram::default().percentile(0.9), None);
    }

    #[test]
    fn lengths_leave_after_the_history_and_beyond_the_number() {
        let (second, history) = (|s| Instant::ZERO + Duration::from_secs(s), Duration::from_secs(80));
        let mut histogram = Histogram::default();
        histogram.add(second(0), 5, 3);
        histogram.add(second(10), 6, 3);
        assert!(!histogram.age(second(79), history));
        assert!(histogram.age(second(80), history));
        assert_eq!(histogram.bins().collect::<Vec<_>>(), [(6, 1)]);
        for length in [7, 8, 9] {
            histogram.add(second(81), length, 3);
        }
        assert_eq!(histogram.bins().collect::<Vec<_>>(), [(7, 1), (8, 1), (9, 1)]);
    }
}
