//! How far trusted samples lie from an estimate: the part of its error that does not average out.
//!
//! A filter's own variance takes errors of samples for independent. Delays only add, so they shift all samples alike,
//! and no number of them tells by how much. Two things show it: the scatter of the samples, each with the weight that
//! the filter gave it, and the least lateness of the last ones.

/// The record of the last samples.
#[derive(Clone, Debug, Default)]
pub(super) struct Scatter {
    /// Running means: of squared distances by weight, and of weights.
    squares: f64,
    weight: f64,
    /// How late the last samples were taken to be, in picoseconds.
    late: [f64; LAST],
    next: usize,
}

/// Number of samples of which the least late counts, as in NTP's clock filter (RFC 5905 §10).
const LAST: usize = 8;
/// The weight of a sample in the running means.
const NEW: f64 = 1.0 / 32.0;

impl Scatter {
    /// A sample lay `distance` from the estimate and was taken to be `late`, in picoseconds; its weight is at most 1.
    pub(super) fn note(&mut self, distance: f64, late: f64, weight: f64) {
        self.squares += NEW * (weight * distance * distance - self.squares);
        self.weight += NEW * (weight - self.weight);
        self.late[self.next] = late;
        self.next = (self.next + 1) % LAST;
    }

    /// The variance that it adds to an estimate's own, in square picoseconds.
    pub(super) fn variance(&self) -> f64 {
        let squares = if self.weight > 0.0 { self.squares / self.weight } else { 0.0 };
        let least = self.late.iter().copied().fold(f64::INFINITY, f64::min);
        squares + least * least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distances of 3 and 4 with equal weights: 12.5 in the mean, a little more for the later one. Of latenesses 5, 6,
    /// … the least counts.
    #[test]
    fn scatter_and_the_least_lateness_add_up() {
        let mut scatter = Scatter::default();
        assert_eq!(scatter.variance(), 0.0);
        (0..400).for_each(|n| scatter.note(if n % 2 == 0 { 3.0 } else { -4.0 }, 0.0, 0.5));
        assert!((scatter.variance() - 12.5).abs() < 0.1, "{}", scatter.variance());
        (0..7).for_each(|n| scatter.note(0.0, 5.0 + f64::from(n), 0.0));
        assert!((scatter.variance() - 12.5).abs() < 0.1, "one of the last eight was not late");
        scatter.note(0.0, 9.0, 0.0);
        assert!((scatter.variance() - 12.5 - 25.0).abs() < 0.1, "all were late by 5 at least");
    }
}
