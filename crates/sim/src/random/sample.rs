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
    let [span] = exponential_spans(mean, stream);
    span
}

/// The same several times.
#[inline]
pub fn exponential_spans<const N: usize>(mean: Duration, stream: &mut Stream) -> [Duration; N] {
    let mean = mean.as_secs_f64();
    std::array::from_fn(|_| {
        let span = exponential(stream, mean);
        Duration::from_secs_f64(span).unwrap_or(Duration::from_ps(u64::MAX / PS_PER_SECOND * PS_PER_SECOND))
    })
}

/// Pareto with density `shape · scale^shape / x^(shape+1)` above `scale`, by inversion.
/// Its mean is `scale · shape / (shape − 1)` for shape > 1.
pub fn pareto(stream: &mut Stream, scale: f64, shape: f64) -> f64 {
    scale / libm::pow(1.0 - stream.unit(), 1.0 / shape)
}

/// Pareto with this `shape` that is at least `scale` and at most `most`, given that it is, by inversion.
pub fn bounded_pareto(stream: &mut Stream, scale: f64, shape: f64, most: f64) -> f64 {
    let within = 1.0 - libm::pow(scale / most, shape);
    (scale / libm::pow(1.0 - stream.unit() * within, 1.0 / shape)).min(most)
}

/// Weibull with P(X > x) = exp(−(x/scale)^shape), by inversion. Its mean is `scale · Γ(1 + 1/shape)`.
pub fn weibull(stream: &mut Stream, scale: f64, shape: f64) -> f64 {
    scale * libm::pow(exponential(stream, 1.0), 1.0 / shape)
}

/// Standard normal, by inversion.
pub fn normal(stream: &mut Stream) -> f64 {
    // The middle of the stream's cells, so that neither end is drawn, where the quantile is infinite.
    normal_quantile(stream.unit() + 0.5 / (1u64 << 53) as f64)
}

/// Lognormal: the logarithm is normal with the logarithm of `median` as mean and `sigma` as standard deviation. The
/// mean is `median · exp(sigma²/2)`.
pub fn lognormal(stream: &mut Stream, median: f64, sigma: f64) -> f64 {
    median * libm::exp(sigma * normal(stream))
}

/// The quantile of the standard normal law for 0 < p < 1: Wichura 1988, algorithm AS 241 (PPND16), about 16 digits.
pub fn normal_quantile(p: f64) -> f64 {
    let from_middle = p - 0.5;
    if from_middle.abs() <= 0.425 {
        let r = 0.180_625 - from_middle * from_middle;
        return from_middle * polynomial(&MIDDLE.0, r) / polynomial(&MIDDLE.1, r);
    }
    let r = libm::sqrt(-libm::log(p.min(1.0 - p)));
    let (shift, tail) = if r <= 5.0 { (1.6, &NEAR) } else { (5.0, &FAR) };
    let size = polynomial(&tail.0, r - shift) / polynomial(&tail.1, r - shift);
    if from_middle < 0.0 { -size } else { size }
}

/// A polynomial with these coefficients, that of the highest power first.
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Numerator and denominator of a rational function.
type Rational = ([f64; 8], [f64; 8]);

#[rustfmt::skip]
#[allow(clippy::excessive_precision, reason = "the digits are those of the source")]
const MIDDLE: Rational = (
    [2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608],
    [5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
     5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0],
);
#[rustfmt::skip]
#[allow(clippy::excessive_precision, reason = "the digits are those of the source")]
const NEAR: Rational = (
    [7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
     3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734],
    [1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
     0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0],
);
#[rustfmt::skip]
#[allow(clippy::excessive_precision, reason = "the digits are those of the source")]
const FAR: Rational = (
    [2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
     0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772],
    [2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
     0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0],
);

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

    #[test]
    fn bounded_pareto_and_lognormal_have_their_means_within_four_standard_errors() {
        let n = N as f64;
        // Bounded Pareto, shape 1, from 1 to 10: mean 10/9·ln 10 = 2.558; mean square 10/9·9 = 10.
        let (mean_of, square) = (10.0 / 9.0 * 10f64.ln(), 10.0);
        let found = mean(|s| bounded_pareto(s, 1.0, 1.0, 10.0));
        assert!((found - mean_of).abs() < 4.0 * ((square - mean_of * mean_of) / n).sqrt(), "{found}");
        // Lognormal, median 2, sigma 1: mean 2·e^(1/2), variance 4·(e − 1)·e.
        let e = 1f64.exp();
        let found = mean(|s| lognormal(s, 2.0, 1.0));
        assert!((found - 2.0 * e.sqrt()).abs() < 4.0 * (4.0 * (e - 1.0) * e / n).sqrt(), "{found}");
    }

    #[test]
    fn bounded_pareto_stays_within_its_bounds() {
        let mut stream = Seed { seed: 7, run: 0 }.stream("samplers", "bounds");
        assert!((0..N).all(|_| (2.0..=5.0).contains(&bounded_pareto(&mut stream, 2.0, 0.3, 5.0))));
    }

    #[test]
    fn the_normal_quantile_is_that_of_tables() {
        // SciPy 1.17, scipy.stats.norm.ppf.
        let table = [
            (0.5, 0.0),
            (0.75, 0.674_489_750_196_081_7),
            (0.975, 1.959_963_984_540_054),
            (0.01, -2.326_347_874_040_841),
            (1e-10, -6.361_340_902_404_056),
            (1e-15, -7.941_345_326_170_998),
        ];
        for (p, quantile) in table {
            assert!(
                (normal_quantile(p) - quantile).abs() < 2e-15 * (1.0 + quantile.abs()),
                "{p}: {}",
                normal_quantile(p)
            );
        }
    }
}
