//! Sources of bursts besides the flows: lengths and arrivals by laws with known answers. Every source has one random
//! stream.

use super::plan::{BurstArrivals, LengthLaw};
use crate::random::{Stream, bernoulli, exponential, pareto, uniform};
use units::Duration;

/// A source at an ingress node.
#[derive(Debug)]
pub struct Generator {
    /// The node's name for its route.
    pub route: u32,
    /// When bursts come.
    pub arrivals: BurstArrivals,
    /// How long they last.
    pub length: LengthLaw,
    /// The mean length.
    pub mean: Duration,
    /// In picoseconds, besides the offset of the route.
    pub extra_offset: u64,
    /// Headers announce bursts that never come.
    pub headers_only: bool,
    /// Where its choices come from.
    pub stream: Stream,
}

impl Generator {
    /// How many bursts it can have at once before the next: one for a Poisson process.
    pub fn count(&self) -> u32 {
        match self.arrivals {
            BurstArrivals::Poisson { .. } => 1,
            BurstArrivals::Finite { sources, .. } => sources,
        }
    }

    /// The time to its next burst, in picoseconds.
    pub fn gap(&mut self) -> u64 {
        let mean = match self.arrivals {
            BurstArrivals::Poisson { mean_gap } => mean_gap,
            BurstArrivals::Finite { idle, .. } => idle,
        };
        picoseconds(exponential(&mut self.stream, mean.ps() as f64))
    }

    /// The length of a burst, in picoseconds; at least one.
    pub fn burst(&mut self) -> u64 {
        let (mean, stream) = (self.mean.ps() as f64, &mut self.stream);
        let length = match self.length {
            LengthLaw::Fixed => mean,
            LengthLaw::Exponential => exponential(stream, mean),
            LengthLaw::Uniform => uniform(stream, 0.0, 2.0 * mean),
            LengthLaw::HyperExponential { variation } => {
                // Balanced means: p·m1 = (1 − p)·m2 = m/2, p = (1 + sqrt((c² − 1)/(c² + 1)))/2.
                let p = 0.5 * (1.0 + libm::sqrt((variation - 1.0) / (variation + 1.0)));
                let share = if bernoulli(stream, p) { p } else { 1.0 - p };
                exponential(stream, mean / (2.0 * share))
            }
            LengthLaw::Pareto { shape } => pareto(stream, mean * (shape - 1.0) / shape, shape),
        };
        picoseconds(length).max(1)
    }
}

/// The nearest picosecond; 100 days at most, so that sums stay in range.
fn picoseconds(value: f64) -> u64 {
    libm::round(value).clamp(0.0, 8.64e18) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Seed;

    #[test]
    fn every_law_has_its_mean_and_its_variation() {
        let laws = [
            (LengthLaw::Fixed, 0.0),
            (LengthLaw::Exponential, 1.0),
            (LengthLaw::Uniform, 1.0 / 3.0),
            (LengthLaw::HyperExponential { variation: 4.0 }, 4.0),
            // c² = 1/(a(a − 2)) for a = 4: 1/8.
            (LengthLaw::Pareto { shape: 4.0 }, 0.125),
        ];
        for (length, variation) in laws {
            let mut source = Generator {
                route: 0,
                arrivals: BurstArrivals::Poisson { mean_gap: Duration::from_micros(5) },
                length,
                mean: Duration::from_micros(10),
                extra_offset: 0,
                headers_only: false,
                stream: Seed { seed: 3, run: 0 }.stream("bursts", "test"),
            };
            let lengths: Vec<f64> = (0..200_000).map(|_| source.burst() as f64 / 1e7).collect();
            let mean = lengths.iter().sum::<f64>() / 2e5;
            let square = lengths.iter().map(|length| length * length).sum::<f64>() / 2e5;
            // The standard error of the mean is sqrt(c²/n).
            assert!((mean - 1.0).abs() <= 4.0 * f64::sqrt(variation / 2e5) + 1e-9, "{length:?}: {mean}");
            assert!((square - 1.0 - variation).abs() < 0.05 * (1.0 + variation), "{length:?}: {square}");
            let gaps = (0..200_000).map(|_| source.gap() as f64 / 5e6).sum::<f64>() / 2e5;
            assert!((gaps - 1.0).abs() < 4.0 / f64::sqrt(2e5), "{gaps}");
        }
    }
}
