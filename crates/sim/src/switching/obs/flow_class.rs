//! How a flow's segments lie in bursts: A. Detti and M. Listanti, "Impact of segments aggregation on TCP Reno flows in
//! optical burst switching networks", INFOCOM 2002. A flow is *fast* if all segments of a window travel in one burst,
//! *slow* if each travels in another, *medium* in between.
//!
//! The source classifies by access rate, assembly time and greatest window; here a flow is classified by what it did:
//! S, its mean number of segments in the bursts that have any, and W, its mean window, which is the segments it sent in
//! a mean round trip. Slow: S is one to the nearest whole number. Fast: so is W/S, the bursts of a window. What is
//! both, a window of one segment, is slow. See docs/deviations.md.

use crate::results::Column;
use crate::switching::kind::FlowFacts;
use std::fmt;

/// The class of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlowClass {
    /// Nothing is known: no segment travelled in a burst, or no round trip was measured.
    #[default]
    Unknown,
    /// A segment a burst.
    Slow,
    /// Some segments a burst.
    Medium,
    /// A window a burst.
    Fast,
}

/// What is one to the nearest whole number is below this.
const MORE_THAN_ONE: f64 = 1.5;

impl FlowClass {
    /// The class of a flow by the mean number of its segments in a burst and in a window; NaN for what is not known.
    pub fn of(segments_per_burst: f64, window: f64) -> FlowClass {
        match (segments_per_burst, window / segments_per_burst) {
            (_, bursts) if !bursts.is_finite() => FlowClass::Unknown,
            (segments, _) if segments < MORE_THAN_ONE => FlowClass::Slow,
            (_, bursts) if bursts < MORE_THAN_ONE => FlowClass::Fast,
            _ => FlowClass::Medium,
        }
    }
}

/// What the table of flows says about bursts: segments in each burst that has any, and the class.
pub fn columns(flows: &[FlowFacts]) -> Vec<(&'static str, Column)> {
    let segments: Vec<f64> = flows.iter().map(segments_per_burst).collect();
    let class = |(flow, segments): (&FlowFacts, &f64)| {
        let window = flow.segments as f64 * share(flow.mean_rtt_s, flow.lifetime_s);
        FlowClass::of(*segments, window).to_string()
    };
    let classes = flows.iter().zip(&segments).map(class).collect();
    vec![("segments_per_burst", Column::F64(segments)), ("flow_class", Column::Text(classes))]
}

fn segments_per_burst(flow: &FlowFacts) -> f64 {
    flow.group.map_or(f64::NAN, |group| group.packets as f64 / group.units as f64)
}

/// `a / b`, NaN if `b` is zero.
fn share(a: f64, b: f64) -> f64 {
    if b == 0.0 { f64::NAN } else { a / b }
}

impl fmt::Display for FlowClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FlowClass::Unknown => "none",
            FlowClass::Slow => "slow",
            FlowClass::Medium => "medium",
            FlowClass::Fast => "fast",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_fast_with_a_window_in_a_burst_and_slow_with_a_segment_in_a_burst() {
        assert_eq!(FlowClass::of(20.0, 20.0), FlowClass::Fast);
        assert_eq!(FlowClass::of(20.0, 29.0), FlowClass::Fast, "1.45 bursts a window");
        assert_eq!(FlowClass::of(20.0, 30.0), FlowClass::Medium, "1.5 bursts a window");
        assert_eq!(FlowClass::of(1.5, 100.0), FlowClass::Medium);
        assert_eq!(FlowClass::of(1.49, 100.0), FlowClass::Slow);
        assert_eq!(FlowClass::of(1.0, 1.0), FlowClass::Slow, "both");
    }

    #[test]
    fn without_bursts_or_round_trips_there_is_no_class() {
        assert_eq!(FlowClass::of(f64::NAN, 10.0), FlowClass::Unknown);
        assert_eq!(FlowClass::of(3.0, f64::NAN), FlowClass::Unknown);
        assert_eq!(FlowClass::of(3.0, f64::INFINITY), FlowClass::Unknown, "no time");
    }
}
