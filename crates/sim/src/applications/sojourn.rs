//! How long something lasts: on-times, off-times and times to think, as they are written and as they are drawn.

use crate::language::keys::{Form, Table, Within, Written, keys, more_than_zero};
use crate::language::{At, Fault, Size, Speed, Time, rate_in_range};
use crate::model;
use schemars::JsonSchema;
use serde::Deserialize;
use units::{ByteTime, Duration, Rate};

/// The law of an on-time or off-time; the key `law` chooses.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(tag = "law")]
pub enum Sojourn {
    /// Always the mean.
    Constant(SojournConstant),
    /// Exponential.
    Exponential(SojournExponential),
    /// Uniform between two times.
    Uniform(SojournUniform),
    /// Pareto. On-off sources with shape a in (1, 2) add up to traffic with the Hurst parameter (3 − a)/2.
    Pareto(SojournPareto),
}

impl Form for Sojourn {
    fn form(&self) -> Written {
        let (law, table) = match self {
            Sojourn::Constant(constant) => ("constant", constant.explained()),
            Sojourn::Exponential(exponential) => ("exponential", exponential.explained()),
            Sojourn::Uniform(uniform) => ("uniform", uniform.explained()),
            Sojourn::Pareto(pareto) => ("pareto", pareto.explained()),
        };
        Written::Table(table.of_kind("law", law))
    }

    fn check_keys(&self) -> Result<(), Fault> {
        match self {
            Sojourn::Constant(constant) => constant.check(),
            Sojourn::Exponential(exponential) => exponential.check(),
            Sojourn::Uniform(uniform) => uniform.check(),
            Sojourn::Pareto(pareto) => pareto.check(),
        }
    }
}

keys! {
    /// Always the mean.
    pub struct SojournConstant {
        /// The duration.
        pub mean: At<Time>, in more_than_zero();
    }
}

keys! {
    /// Exponential.
    pub struct SojournExponential {
        /// Mean duration.
        pub mean: At<Time>, in more_than_zero();
    }
}

keys! {
    /// Uniform.
    pub struct SojournUniform {
        /// The shortest.
        pub least: At<Time>;
        /// The longest. Allowed: more than least.
        pub most: At<Time>;
    }
}

keys! {
    /// Pareto.
    pub struct SojournPareto {
        /// Mean duration.
        pub mean: At<Time>, in more_than_zero();
        /// Shape.
        pub shape: Option<At<f64>>, in Within::new(
            "more than 1, where the mean is finite", |shape: &f64| *shape > 1.0 && shape.is_finite());
        /// Hurst parameter H, instead of the shape 3 − 2H.
        pub hurst: Option<At<f64>>, in Within::new("between 0.5 and 1", |hurst| *hurst > 0.5 && *hurst < 1.0);
    }
}

impl Sojourn {
    /// With its numbers checked against one another.
    pub(crate) fn resolve(law: &At<Sojourn>) -> Result<model::Sojourn, Fault> {
        Ok(match &**law {
            Sojourn::Constant(constant) => model::Sojourn::Constant(constant.mean.0),
            Sojourn::Exponential(exponential) => model::Sojourn::Exponential(exponential.mean.0),
            Sojourn::Uniform(table) => uniform(table)?,
            Sojourn::Pareto(pareto) => model::Sojourn::Pareto { mean: pareto.mean.0, shape: shape(law, pareto)? },
        })
    }
}

fn uniform(table: &SojournUniform) -> Result<model::Sojourn, Fault> {
    let (least, most) = (table.least.0, table.most.0);
    if most > least {
        return Ok(model::Sojourn::Uniform { least, most });
    }
    Err(table.most.fault(format!("found \"{most}\"; allowed: more than least, \"{least}\"")))
}

fn shape(law: &At<Sojourn>, pareto: &SojournPareto) -> Result<f64, Fault> {
    match (pareto.shape, pareto.hurst) {
        (Some(_), Some(hurst)) => Err(hurst.fault("there is a shape already; allowed: shape or hurst")),
        (Some(shape), None) => Ok(*shape),
        (None, Some(hurst)) => Ok(3.0 - 2.0 * *hurst),
        (None, None) => Err(law.fault("the key \"shape\" (or \"hurst\") is missing")),
    }
}

/// What is written at once.
pub(crate) fn written(size: At<Size>) -> Result<u32, Fault> {
    match u32::try_from(size.0.count()) {
        Ok(bytes) if bytes > 0 => Ok(bytes),
        _ => Err(size.fault(format!("found {}; allowed: 1 B to 4 GB", size.0))),
    }
}

/// A rate at which packets are a picosecond apart at least, the resolution of time.
pub(crate) fn apart(rate: At<Speed>, packet_size: u32) -> Result<Rate, Fault> {
    let found = rate_in_range(rate.0, || rate.place())?;
    if ByteTime::at(found).is_some_and(|byte| byte.of(packet_size) > Duration::ZERO) {
        return Ok(found);
    }
    // Half a picosecond is rounded up: 8 bits in 0.5 ps are 16 Tb/s.
    let most = Rate::from_gbps(16_000).bps() * u64::from(packet_size);
    let message = format!(
        "found \"{found}\", at which packets of {packet_size} B are less than a picosecond apart; allowed: at most \
            \"{}\"",
        Rate::from_bps(most)
    );
    Err(rate.fault(message))
}

/// A packet is collected over on-times; more than some thousand of them for each make no sense and take forever.
pub(crate) fn enough(on: &At<Sojourn>, law: model::Sojourn, rate: Rate, packet_size: u32) -> Result<(), Fault> {
    let gap = ByteTime::at(rate).map_or(Duration::MAX, |byte| byte.of(packet_size));
    match law.mean().saturating_mul(1000) < gap {
        true => Err(on.fault(format!("the mean is less than a thousandth of the time between packets, \"{gap}\""))),
        false => Ok(()),
    }
}
