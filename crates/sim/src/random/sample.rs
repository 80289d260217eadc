//! Samplers on a named stream. They use the `libm` crate, never the platform's mathematics, so a seed gives the same
//! draws everywhere.

use super::Stream;
use units::{Duration, PS_PER_SECOND};

/// True with probability `p`.
#[inline]
pub fn bernoulli(stream: &mut Stream, p: f64) -> bool {
    stream.unit() < p
}

/// Uniform in [`low`, `high`).
pub fn uniform(stream: &mut Stream, low: f64, high: f64) -> f64 {
    low + (high - low) * stream.unit()
}

/// A uniform integer in [0, `n`), without bias (rejection); `n` must be positive.
pub fn uniform_index(stream: &mut Stream, n: u64) -> u64 {
    assert!(n > 0, "an index is drawn from a set that is not empty");
    let zone = u64::MAX - u64::MAX % n;
    loop {
        let draw = stream.next_u64();
        if draw < zone {
            return draw % n;
        }
    }
}

/// Exponential with the given `mean`, by inversion.
pub fn exponential(stream: &mut Stream, mean: f64) -> f64 {
    -mean * libm::log1p(-stream.unit())
}

/// Exponential with this mean.
pub fn exponential_span(mean: Duration, stream: &mut Stream) -> Duration {
    let seconds = exponential(stream, mean.as_secs_f64());
    Duration::from_secs_f64(seconds).unwrap_or(Duration::from_ps(u64::MAX / PS_PER_SECOND * PS_PER_SECOND))
}

/// Pareto with density `shape · scale^shape / x^(shape+1)` above `scale`, by inversion.
/// Its mean is `scale · shape / (shape − 1)` for shape > 1.
pub fn pareto(stream: &mut Stream, scale: f64, shape: f64) -> f64 {
    scale / libm::pow(1.0 - stream.unit(), 1.0 / shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Seed;

    const N: usize = 100_000;

    fn mean(mut draw: impl FnMut(&mut Stream) -> f64) -> f64 {
        let mut stream = Seed { seed: 7, run: 0 }.stream("samplers", "test");
        (0..N).map(|_| draw(&mut stream)).sum::<f64>() / N as f64
    }

    #[test]
    fn the_means_are_right_within_four_standard_errors() {
        let n = N as f64;
        // Exponential: standard deviation = mean.
        assert!((mean(|s| exponential(s, 3.0)) - 3.0).abs() < 4.0 * 3.0 / n.sqrt());
        // Uniform on [2, 4): standard deviation 2/sqrt(12).
        assert!((mean(|s| uniform(s, 2.0, 4.0)) - 3.0).abs() < 4.0 * 2.0 / 12f64.sqrt() / n.sqrt());
        // Pareto, shape 3, scale 2: mean 3, variance shape·scale²/((shape−1)²(shape−2)) = 3.
        assert!((mean(|s| pareto(s, 2.0, 3.0)) - 3.0).abs() < 4.0 * 3f64.sqrt() / n.sqrt());
        assert!((mean(|s| f64::from(bernoulli(s, 0.25) as u8)) - 0.25).abs() < 4.0 * (0.25f64 * 0.75 / n).sqrt());
        // Index of 5: mean 2, variance (25−1)/12 = 2.
        assert!((mean(|s| uniform_index(s, 5) as f64) - 2.0).abs() < 4.0 * 2f64.sqrt() / n.sqrt());
    }
}
