//! T_d by least squares: a straight line through the best of the last samples. It shares nothing with the filter but
//! the samples.

use super::sample::Sample;
use units::{Instant, PS_PER_SECOND};

/// A straight line: T_d over the sender's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    at: Instant,
    base: i64,
    /// Above `base` at `at`, in picoseconds.
    offset: f64,
    /// Its rise, in picoseconds a second.
    drift: f64,
}

const PS: f64 = PS_PER_SECOND as f64;
/// Samples that are kept.
const KEPT: usize = 64;
/// One in this number of samples is used: those with the shortest round trip, or, of a single way, the lowest.
const BEST: usize = 4;
/// How often the lowest are looked for again, below the line that the last ones gave.
const ROUNDS: usize = 3;

impl Line {
    /// The least-squares line through these samples; nothing if there are fewer than two instants.
    pub fn through(samples: &[Sample]) -> Option<Line> {
        let first = samples.first()?;
        let points = || samples.iter().map(|sample| place(sample, first.at, first.difference));
        let count = samples.len() as f64;
        let (mean_x, mean_y) = (points().map(|p| p.0).sum::<f64>() / count, points().map(|p| p.1).sum::<f64>() / count);
        let spread: f64 = points().map(|(x, _)| (x - mean_x).powi(2)).sum();
        let rise: f64 = points().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        let drift = (spread > 0.0).then(|| rise / spread)?;
        Some(Line { at: first.at, base: first.difference, offset: mean_y - drift * mean_x, drift })
    }

    /// The line through the best quarter.
    pub fn through_best(samples: &[Sample]) -> Option<Line> {
        let best = samples.len().div_ceil(BEST).max(2);
        let mut ranked = samples.to_vec();
        if samples.iter().all(|sample| sample.round_trip.is_some()) {
            ranked.sort_by_key(|sample| (sample.round_trip, sample.at));
            return Line::through(ranked.get(..best)?);
        }
        let mut line = Line::through(samples)?;
        for _ in 0..ROUNDS {
            ranked.sort_by(|a, b| line.above(a).total_cmp(&line.above(b)));
            line = Line::through(ranked.get(..best)?)?;
        }
        Some(line)
    }

    /// T_d at `at`, in picoseconds.
    pub fn difference(&self, at: Instant) -> i64 {
        let seconds = (i128::from(at.ps()) - i128::from(self.at.ps())) as f64 / PS;
        let wide = i128::from(self.base) + (self.offset + self.drift * seconds).round() as i128;
        wide.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// Its rise, as a ratio to the sender's time.
    pub fn drift(&self) -> f64 {
        self.drift / PS
    }

    fn above(&self, sample: &Sample) -> f64 {
        let (x, y) = place(sample, self.at, self.base);
        y - self.offset - self.drift * x
    }
}

/// A sample as a point: seconds and picoseconds from an origin.
fn place(sample: &Sample, at: Instant, base: i64) -> (f64, f64) {
    let seconds = (i128::from(sample.at.ps()) - i128::from(at.ps())) as f64 / PS;
    (seconds, (i128::from(sample.difference) - i128::from(base)) as f64)
}

/// The last samples.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent {
    samples: Vec<Sample>,
    /// The next place in a full ring.
    next: usize,
}

impl Recent {
    pub(super) fn push(&mut self, sample: Sample) {
        if self.samples.len() < KEPT {
            self.samples.push(sample);
        } else {
            self.samples[self.next] = sample;
            self.next = (self.next + 1) % KEPT;
        }
    }

    pub(super) fn line(&self) -> Option<Line> {
        Line::through_best(&self.samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at_us: u64, difference: i64, round_trip: Option<u64>) -> Sample {
        Sample { at: Instant::from_ps(at_us * 1_000_000), difference, round_trip }
    }

    #[test]
    fn three_points_by_hand() {
        // x = 0, 1, 2 s; y = 0, 3, 3 ps: the slope is 3/2, the mean 2, so the line begins at 1/2.
        let line =
            Line::through(&[sample(0, 0, None), sample(1_000_000, 3, None), sample(2_000_000, 3, None)]).unwrap();
        assert_eq!((line.offset, line.drift), (0.5, 1.5));
        assert_eq!(line.difference(Instant::from_ps(5 * PS_PER_SECOND)), 8);
    }

    #[test]
    fn the_best_quarter_is_the_shortest_or_the_lowest() {
        // T_d = 1000 + 10 per ms; three of four samples are late.
        let late = |i: u64| [0, 900, 500_000, 40_000][i as usize % 4];
        for both_ways in [false, true] {
            let one =
                |i: u64| sample(i * 1000, 1000 + 10 * i as i64 + late(i), both_ways.then_some(7 + late(i) as u64));
            let samples: Vec<Sample> = (0..64).map(one).collect();
            let line = Line::through_best(&samples).unwrap();
            assert_eq!(line.difference(Instant::from_ps(100_000_000_000)), 2000);
        }
    }

    #[test]
    fn one_instant_is_no_line() {
        assert_eq!(Line::through(&[]), None);
        assert_eq!(Line::through_best(&[sample(5, 1, None), sample(5, 2, None)]), None);
    }
}
