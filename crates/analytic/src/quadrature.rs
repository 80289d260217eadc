//! Gauss-Legendre quadrature, for means over uniform rates. It is for smooth functions: an interval with a kink is
//! split there by the caller.

use std::f64::consts::PI;
use std::sync::LazyLock;

/// Enough for the smooth means here to be exact to rounding.
pub(crate) static GAUSS_24: LazyLock<Rule> = LazyLock::new(|| Rule::new(24));

/// Nodes on (−1, 1) and weights of the rule with this number of points.
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

    /// The integral of `f` from a kink to `high`, where `f` is a smooth function of x and of ln(1 + rate (x − kink)),
    /// however large the rate: the nodes crowd behind the kink.
    pub(crate) fn integral_behind(&self, kink: f64, high: f64, rate: f64, f: impl Fn(f64) -> f64) -> f64 {
        let most = (rate * (high - kink)).ln_1p();
        self.integral(0.0, most, |t| t.exp() / rate * f(kink + t.exp_m1() / rate))
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

    /// ∫ x/(1 + c x) from 0 to 1 is (c − ln(1 + c))/c².
    #[test]
    fn a_layer_behind_a_kink_is_exact_however_thin() {
        for rate in [1e-6, 1.0, 1e3, 1e8, 1e15] {
            let found = GAUSS_24.integral_behind(2.0, 3.0, rate, |x| (x - 2.0) / (1.0 + rate * (x - 2.0)));
            let exact = if rate < 1e-3 { 0.5 - rate / 3.0 } else { (rate - rate.ln_1p()) / (rate * rate) };
            assert!((found / exact - 1.0).abs() < 1e-9, "{rate}: {found} {exact}");
        }
    }
}
