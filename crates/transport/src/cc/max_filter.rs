//! The maximum of the last samples in a window, kept as the three best of ever later parts of it (Kathleen Nichols'
//! algorithm, which BBR's drafts and Linux use).
//!
//! Time is a count that its user chooses: round trips, or cycles.

/// A sample and its time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sample {
    at: u64,
    value: f64,
}

/// The best samples of one quantity.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaxFilter {
    best: [Sample; 3],
}

impl MaxFilter {
    /// The maximum.
    pub fn get(&self) -> f64 {
        self.best[0].value
    }

    /// A sample of this time, no earlier than the last. What is more than `window` older counts no more.
    pub fn add(&mut self, window: u64, at: u64, value: f64) {
        let sample = Sample { at, value };
        if value >= self.best[0].value || at - self.best[2].at > window {
            self.best = [sample; 3];
            return;
        }
        if value >= self.best[1].value {
            (self.best[1], self.best[2]) = (sample, sample);
        } else if value >= self.best[2].value {
            self.best[2] = sample;
        }
        self.expire(window, sample);
    }

    /// The best leaves when it is too old; the others are kept apart by a quarter and a half of the window.
    fn expire(&mut self, window: u64, sample: Sample) {
        let [first, second, third] = self.best;
        let age = sample.at - first.at;
        if age > window {
            self.best = [second, third, sample];
            if sample.at - self.best[0].at > window {
                self.best = [third, sample, sample];
            }
        } else if second.at == first.at && age > window / 4 {
            (self.best[1], self.best[2]) = (sample, sample);
        } else if third.at == second.at && age > window / 2 {
            self.best[2] = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maximum_is_forgotten_when_the_window_has_passed_and_a_later_one_takes_its_place() {
        let mut filter = MaxFilter::default();
        for (at, value, expected) in [(0, 10.0, 10.0), (3, 6.0, 10.0), (6, 8.0, 10.0), (10, 5.0, 10.0), (11, 5.0, 8.0)]
        {
            filter.add(10, at, value);
            assert_eq!(filter.get(), expected, "at {at}");
        }
        filter.add(10, 30, 1.0);
        assert_eq!(filter.get(), 1.0);
    }

    /// Within a quarter of the window of eight the second best is not sought, nor the third within half; then the
    /// newest stands in, and is what is left when the best is too old.
    #[test]
    fn later_bests_are_a_quarter_and_a_half_of_the_window_apart() {
        let left = |samples: &[(u64, f64)]| {
            let mut filter = MaxFilter::default();
            samples.iter().for_each(|(at, value)| filter.add(8, *at, *value));
            (filter.get(), filter.best.map(|best| best.at))
        };
        assert_eq!(left(&[(0, 10.0), (2, 5.0)]), (10.0, [0, 0, 0]));
        assert_eq!(left(&[(0, 10.0), (3, 5.0)]), (10.0, [0, 3, 3]));
        assert_eq!(left(&[(0, 10.0), (3, 5.0), (4, 4.0)]), (10.0, [0, 3, 3]));
        assert_eq!(left(&[(0, 10.0), (3, 5.0), (5, 4.0)]), (10.0, [0, 3, 5]));
        assert_eq!(left(&[(0, 10.0), (3, 5.0), (5, 4.0), (8, 1.0)]), (10.0, [0, 3, 5]));
        assert_eq!(left(&[(0, 10.0), (3, 5.0), (5, 4.0), (9, 1.0)]), (5.0, [3, 5, 9]));
        assert_eq!(
            left(&[(0, 10.0), (3, 5.0), (5, 4.0), (11, 1.0)]),
            (5.0, [3, 5, 11]),
            "the second best is not older"
        );
        assert_eq!(left(&[(0, 10.0), (3, 5.0), (5, 4.0), (12, 1.0)]), (4.0, [5, 12, 12]));
        assert_eq!(left(&[(0, 10.0), (3, 5.0), (4, 6.0), (5, 6.0)]), (10.0, [0, 5, 5]), "equal ones are newer");
    }
}
