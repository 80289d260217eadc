//! Sizes of flows.

use crate::model::{FlowSizes, Load};
use crate::random::{Seed, bounded_pareto, exponential, lognormal, pareto, weibull};

/// What flow `number` of a traffic sends. Its stream is its own, so the size depends on nothing but the law, the seed
/// and that name.
pub fn of_flow(law: &FlowSizes, traffic: &str, number: u32, seed: Seed) -> Load {
    let mut stream = seed.stream(&format!("traffic {traffic} flow {number}"), "size");
    let size = match law {
        FlowSizes::Exponential { mean } => exponential(&mut stream, *mean),
        FlowSizes::Pareto { least, shape, most } if most.is_finite() => {
            bounded_pareto(&mut stream, *least, *shape, *most)
        }
        FlowSizes::Pareto { least, shape, .. } => pareto(&mut stream, *least, *shape),
        FlowSizes::Weibull { scale, shape } => weibull(&mut stream, *scale, *shape),
        FlowSizes::Lognormal { median, sigma } => lognormal(&mut stream, *median, *sigma),
        FlowSizes::Empirical(cdf) => cdf.quantile(stream.unit()),
    };
    Load::Size(FlowSizes::whole(size))
}
