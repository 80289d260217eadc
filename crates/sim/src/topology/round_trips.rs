//! Round-trip times of the pairs of a dumbbell: a list, or a law.
//!
//! A law gives pair i of n the quantile (i + 1/2)/n: the times are spread as the law says, whatever the seed, and the
//! network of a scenario is one network. Only propagation counts; what is given is the round trip while nothing is
//! sent.

use crate::language::keys::{Form, Table, Within, Written, keys, more_than_zero};
use crate::language::{At, Fault, Time};
use crate::random::normal_quantile;
use schemars::JsonSchema;
use serde::Deserialize;
use units::Duration;

/// A law of round-trip times; the key `law` chooses. Pair i of n has the quantile (i + 1/2)/n.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(tag = "law")]
pub enum RoundTripLaw {
    /// Uniform.
    Uniform(UniformTrips),
    /// Exponential above the least.
    Exponential(ExponentialTrips),
    /// The logarithm is normal.
    Lognormal(LognormalTrips),
}

impl Form for RoundTripLaw {
    fn form(&self) -> Written {
        let (law, table) = match self {
            RoundTripLaw::Uniform(table) => ("uniform", table.explained()),
            RoundTripLaw::Exponential(table) => ("exponential", table.explained()),
            RoundTripLaw::Lognormal(table) => ("lognormal", table.explained()),
        };
        Written::Table(table.of_kind("law", law))
    }

    fn check_keys(&self) -> Result<(), Fault> {
        match self {
            RoundTripLaw::Uniform(table) => table.check(),
            RoundTripLaw::Exponential(table) => table.check(),
            RoundTripLaw::Lognormal(table) => table.check(),
        }
    }
}

keys! {
    /// Uniform.
    pub struct UniformTrips {
        /// The least.
        pub least: At<Time>, in more_than_zero();
        /// The greatest.
        pub most: At<Time>, in more_than_zero();
    }
}

keys! {
    /// Exponential above the least.
    pub struct ExponentialTrips {
        /// The least.
        pub least: At<Time>, in more_than_zero();
        /// The mean.
        pub mean: At<Time>, in more_than_zero();
    }
}

keys! {
    /// The logarithm is normal.
    pub struct LognormalTrips {
        /// The median.
        pub median: At<Time>, in more_than_zero();
        /// Standard deviation of the natural logarithm.
        pub sigma: At<f64>, in Within::new("above 0 and at most 10", |sigma: &f64| *sigma > 0.0 && *sigma <= 10.0);
    }
}

/// The round-trip time of each of `pairs` pairs; those of a list take turns.
pub(super) fn list(times: &At<Vec<At<Time>>>, pairs: u32) -> Result<Vec<Duration>, Fault> {
    if times.is_empty() {
        return Err(times.fault("found an empty list; allowed: one time or more"));
    }
    Ok((0..pairs as usize).map(|pair| times[pair % times.len()].0).collect())
}

/// The same from a law.
pub(super) fn drawn(law: &At<RoundTripLaw>, pairs: u32) -> Result<Vec<Duration>, Fault> {
    law.check_keys()?;
    let share = |pair: u32| (f64::from(pair) + 0.5) / f64::from(pairs);
    let seconds: Vec<f64> = match &**law {
        RoundTripLaw::Uniform(UniformTrips { least, most }) => {
            if most.0 < least.0 {
                return Err(most.fault(format!("found \"{}\"; allowed: at least \"{}\", the least", most.0, least.0)));
            }
            let (least, most) = (least.0.as_secs_f64(), most.0.as_secs_f64());
            (0..pairs).map(|pair| least + share(pair) * (most - least)).collect()
        }
        RoundTripLaw::Exponential(ExponentialTrips { least, mean }) => {
            if mean.0 <= least.0 {
                return Err(mean.fault(format!("found \"{}\"; allowed: more than \"{}\", the least", mean.0, least.0)));
            }
            let (least, mean) = (least.0.as_secs_f64(), mean.0.as_secs_f64());
            (0..pairs).map(|pair| least - (mean - least) * libm::log1p(-share(pair))).collect()
        }
        RoundTripLaw::Lognormal(LognormalTrips { median, sigma }) => {
            let median = median.0.as_secs_f64();
            (0..pairs).map(|pair| median * libm::exp(**sigma * normal_quantile(share(pair)))).collect()
        }
    };
    let span = |seconds: f64| {
        Duration::from_secs_f64(seconds).ok_or_else(|| law.fault(format!("a round trip of {seconds:e} s is too long")))
    };
    seconds.into_iter().map(span).collect()
}
