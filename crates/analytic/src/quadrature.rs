//! Gauss-Legendre quadrature, for means over uniform rates.

use std::f64::consts::PI;
use std::sync::LazyLock;

/// Enough for the smooth means here to be exact to rounding.
pub(crate) static GAUSS_24: LazyLock<Rule> = LazyLock::new(|| Rule::new(24));

/// Nodes on (−1, 1) and weights of the rule with so many points.
pub(crate) struct Rule(Vec<(f64, f64)>);

impl Rule {
    /// By Newton's method on the Legendre polynomial.
    fn new(points: usize) -> Rule {
        let node = |k: usize| {
            let mut x = (PI * (k as f64 + 0.75) / (points as f64 + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..10 {
                let (mut last, mut value) = (1.0, x);
                for n in 2..=points {
                    let n = n as f64;
                    (last, value) = (value, ((2.0 * n - 1.0) * x * value - (n - 1.0) * last) / n);
                }
                slope = points as f64 * (x * value - last) / (x * x - 1.0);
                x -= value / slope;
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        };
        Rule((0..points).map(node).collect())
    }

    /// The integral of `f` from `low` to `high`.
    pub(crate) fn integral(&self, low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        half * self.0.iter().map(|(node, weight)| weight * f(middle + half * node)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_of_degree_2n_minus_1_is_exact() {
        let found = Rule::new(8).integral(0.0, 2.0, |x| 16.0 * x.powi(15));
        assert!((found / 65536.0 - 1.0).abs() < 1e-13, "{found}");
    }
}
