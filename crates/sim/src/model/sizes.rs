//! Laws of flow sizes, and their means.

use options::words;
use std::sync::Arc;
use units::Bytes;

/// The law that the size of each flow is drawn from. Sizes are whole bytes: what a continuous law gives is rounded up.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowSizes {
    /// Exponential with this mean, in bytes.
    Exponential {
        /// The mean.
        mean: f64,
    },
    /// Pareto: P(S > x) = (least/x)^shape, if bounded given that S ≤ most. In bytes.
    Pareto {
        /// The least size.
        least: f64,
        /// The shape.
        shape: f64,
        /// The greatest size; infinite if there is none.
        most: f64,
    },
    /// Weibull: P(S > x) = exp(−(x/scale)^shape), in bytes.
    Weibull {
        /// The size that a share 1/e of the flows exceeds.
        scale: f64,
        /// The shape: 1 is exponential, below 1 the tail is heavier.
        shape: f64,
    },
    /// The logarithm is normal.
    Lognormal {
        /// The median, in bytes.
        median: f64,
        /// The standard deviation of the logarithm.
        sigma: f64,
    },
    /// A distribution that is given by points.
    Empirical(Arc<Cdf>),
}

words! {
    /// How a distribution that is given by points goes on between them.
    pub enum Between {
        /// In straight lines: sizes between two points are uniform. As ns-2's interpolation and most generators have
        /// it.
        Linear = "linear",
        /// In straight lines over the logarithm of the size, as the published plots are drawn.
        Logarithmic = "log",
        /// In steps: only the sizes of the points occur.
        Step = "step",
    }
}

/// A cumulative distribution of sizes, by points.
#[derive(Clone, Debug, PartialEq)]
pub struct Cdf {
    points: Vec<(f64, f64)>,
    between: Between,
}

/// What is wrong with the points of a distribution: which of them, from 0, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongPoint {
    /// Which.
    pub point: usize,
    /// What was found and what is allowed.
    pub message: String,
}

/// No flow has more bytes (a petabyte): an unbounded law can draw any number.
pub const MOST_BYTES: u64 = 1 << 50;

impl FlowSizes {
    /// The mean in bytes before rounding; infinite where the law has none.
    pub fn mean(&self) -> f64 {
        match self {
            FlowSizes::Exponential { mean } => *mean,
            FlowSizes::Pareto { least, shape, most } => pareto_mean(*least, *shape, *most),
            FlowSizes::Weibull { scale, shape } => scale * libm::tgamma(1.0 + 1.0 / shape),
            FlowSizes::Lognormal { median, sigma } => median * libm::exp(sigma * sigma / 2.0),
            FlowSizes::Empirical(cdf) => cdf.mean(),
        }
    }

    /// A drawn value as the size of a flow.
    pub fn whole(size: f64) -> Bytes {
        // `as` saturates, and takes NaN for 0.
        Bytes((size.ceil() as u64).clamp(1, MOST_BYTES))
    }
}

/// The mean of a Pareto law; `most` may be infinite.
pub fn pareto_mean(least: f64, shape: f64, most: f64) -> f64 {
    if most.is_infinite() {
        return if shape > 1.0 { least * shape / (shape - 1.0) } else { f64::INFINITY };
    }
    let ratio = least / most;
    if ratio >= 1.0 {
        return most;
    }
    let within = 1.0 - libm::pow(ratio, shape);
    if (shape - 1.0).abs() < 1e-9 {
        return least * -libm::log(ratio) / within;
    }
    least * shape / (shape - 1.0) * (1.0 - libm::pow(ratio, shape - 1.0)) / within
}

/// The least size of a Pareto law with this mean; `None` if there is none.
pub fn pareto_least(mean: f64, shape: f64, most: f64) -> Option<f64> {
    if most.is_infinite() {
        return (shape > 1.0).then(|| mean * (shape - 1.0) / shape);
    }
    if mean >= most {
        return None;
    }
    // The mean rises with the least size, from 0 to `most`.
    let (mut low, mut high) = (0.0, most);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if pareto_mean(middle, shape, most) < mean { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high)).filter(|least| *least > 0.0)
}

impl Cdf {
    /// The distribution with these points (size in bytes, probability of at most that), if they are one.
    pub fn new(points: Vec<(f64, f64)>, between: Between) -> Result<Cdf, WrongPoint> {
        let wrong = |point, message: String| Err(WrongPoint { point, message });
        let Some(last) = points.len().checked_sub(1) else {
            return wrong(0, "found no point; allowed: one or more".into());
        };
        for (point, (size, probability)) in points.iter().enumerate() {
            if !(*size >= 0.0 && *size <= MOST_BYTES as f64) {
                return wrong(point, format!("found the size {size} B; allowed: 0 B to {MOST_BYTES} B"));
            }
            if !(0.0..=1.0).contains(probability) {
                return wrong(point, format!("found the probability {probability}; allowed: 0 to 1"));
            }
            let Some((before, lower)) = point.checked_sub(1).map(|before| points[before]) else { continue };
            if *size <= before {
                return wrong(point, format!("found the size {size} B after {before} B; allowed: sizes that increase"));
            }
            if *probability < lower {
                return wrong(point, format!("the distribution decreases, from {lower} to {probability}"));
            }
        }
        match points[last] {
            (_, 1.0) => {}
            (_, probability) => {
                return wrong(last, format!("the distribution ends at {probability}; it must end at 1"));
            }
        }
        if points[last].0 < 1.0 {
            return wrong(last, format!("found the greatest size {} B; allowed: at least 1 B", points[last].0));
        }
        Ok(Cdf { points, between })
    }

    /// The points.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// What lies between them.
    pub fn between(&self) -> Between {
        self.between
    }

    /// The size of which a share `u` from [0, 1) of the flows is below. What the first point holds is at its size.
    pub fn quantile(&self, u: f64) -> f64 {
        let above = self.points.partition_point(|(_, probability)| *probability <= u).min(self.points.len() - 1);
        let (size, upper) = self.points[above];
        let Some((before, lower)) = above.checked_sub(1).map(|below| self.points[below]) else { return size };
        let share = ((u - lower) / (upper - lower)).clamp(0.0, 1.0);
        match self.between {
            Between::Step => size,
            Between::Logarithmic if before > 0.0 => before * libm::pow(size / before, share),
            Between::Linear | Between::Logarithmic => before + share * (size - before),
        }
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        let (first, held) = self.points[0];
        let piece = |pair: &[(f64, f64)]| {
            let ((before, lower), (size, upper)) = (pair[0], pair[1]);
            let mean = match self.between {
                Between::Step => size,
                Between::Logarithmic if before > 0.0 => (size - before) / libm::log(size / before),
                Between::Linear | Between::Logarithmic => 0.5 * (before + size),
            };
            mean * (upper - lower)
        };
        first * held + self.points.windows(2).map(piece).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cdf(points: &[(f64, f64)], between: Between) -> Result<Cdf, WrongPoint> {
        Cdf::new(points.to_vec(), between)
    }

    const TABLE: [(f64, f64); 3] = [(100.0, 0.5), (200.0, 0.5), (1000.0, 1.0)];

    #[test]
    fn what_the_first_point_holds_is_at_its_size_and_between_points_it_is_as_said() {
        let linear = cdf(&TABLE, Between::Linear).unwrap();
        assert_eq!([0.0, 0.49, 0.5, 0.75].map(|u| linear.quantile(u)), [100.0, 100.0, 200.0, 600.0]);
        // Half at 100 B, half uniform on 200 to 1000 B.
        assert_eq!(linear.mean(), 0.5 * 100.0 + 0.5 * 600.0);
        let step = cdf(&TABLE, Between::Step).unwrap();
        assert_eq!([0.0, 0.5, 0.75].map(|u| step.quantile(u)), [100.0, 1000.0, 1000.0]);
        assert_eq!(step.mean(), 550.0);
        let log = cdf(&[(1.0, 0.0), (100.0, 1.0)], Between::Logarithmic).unwrap();
        // Log-uniform from a to b: the median is sqrt(ab), the mean (b − a)/ln(b/a).
        assert!((log.quantile(0.5) - 10.0).abs() < 1e-12 && (log.mean() - 99.0 / 100f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn wrong_points_are_named() {
        let message = |points: &[(f64, f64)]| {
            let wrong = cdf(points, Between::Linear).unwrap_err();
            (wrong.point, wrong.message)
        };
        assert_eq!(
            message(&[(1.0, 0.5), (2.0, 0.4), (3.0, 1.0)]),
            (1, "the distribution decreases, from 0.5 to 0.4".into())
        );
        assert_eq!(message(&[(1.0, 0.0), (2.0, 0.9)]), (1, "the distribution ends at 0.9; it must end at 1".into()));
        assert_eq!(message(&[(-1.0, 1.0)]).1, format!("found the size -1 B; allowed: 0 B to {MOST_BYTES} B"));
        assert_eq!(message(&[(2.0, 0.5), (2.0, 1.0)]).0, 1);
        assert_eq!(message(&[(1.0, f64::NAN)]).1, "found the probability NaN; allowed: 0 to 1");
        assert_eq!(message(&[]).1, "found no point; allowed: one or more");
    }

    #[test]
    fn a_pareto_law_has_its_mean() {
        assert_eq!(pareto_mean(2.0, 3.0, f64::INFINITY), 3.0);
        // Shape 1 from 1 to 10: 10/9 · ln 10. Shape 2: 2 · (1 − 1/10) / (1 − 1/100) = 20/11.
        assert!((pareto_mean(1.0, 1.0, 10.0) - 10.0 / 9.0 * 10f64.ln()).abs() < 1e-12);
        assert!((pareto_mean(1.0, 2.0, 10.0) - 20.0 / 11.0).abs() < 1e-12);
        assert!((pareto_least(20.0 / 11.0, 2.0, 10.0).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!((pareto_least(3.0, 3.0, f64::INFINITY), pareto_least(3.0, 1.0, f64::INFINITY)), (Some(2.0), None));
        assert_eq!(pareto_least(10.0, 2.0, 10.0), None);
    }

    #[test]
    fn sizes_are_whole_and_bounded() {
        assert_eq!([0.0, 0.2, 1.0, 1.5, 1e300, f64::NAN].map(FlowSizes::whole), [1, 1, 1, 2, MOST_BYTES, 1].map(Bytes));
    }
}
