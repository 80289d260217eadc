//! What sources of bursts are sure to take of the memory.

use crate::language::{At, rounded};
use crate::switching::kind::Demand;
use crate::switching::obs::keys::{BurstSpec, ObsSwitching};
use crate::switching::obs::plan::{BurstArrivals, BurstSource, Obs};
use units::Duration;

/// A burst header that waits, with the burst.
const BYTES_OF_A_HEADER: f64 = 100.0;
/// A source of bursts.
const BYTES_OF_A_SOURCE: f64 = 32.0;

/// Sources of bursts, and headers that come faster than the control channel of their node takes them.
pub(super) fn demands(obs: &Obs, table: &ObsSwitching, duration: Duration) -> Vec<Demand> {
    let of_source = |(source, table): (&BurstSource, &At<BurstSpec>)| {
        let pairs = source.pairs.len() as f64;
        let (sources, headers) = match source.arrivals {
            BurstArrivals::Poisson { mean_gap } => (1.0, ratio(duration, mean_gap)),
            BurstArrivals::Finite { sources, idle, .. } => {
                (f64::from(sources), f64::from(sources) * ratio(duration, idle + source.mean))
            }
        };
        let waiting = pairs * (headers - taken(obs, duration)).max(0.0);
        [
            Demand {
                what: format!("{} sources of bursts", rounded(sources * pairs)),
                bytes: sources * pairs * BYTES_OF_A_SOURCE,
                place: table.place(),
            },
            Demand {
                what: format!("{} burst headers that wait for a control channel", rounded(waiting)),
                bytes: waiting * BYTES_OF_A_HEADER,
                place: table.place(),
            },
        ]
    };
    obs.sources.iter().zip(&table.burst).flat_map(of_source).collect()
}

/// The headers that a control channel takes in `span`.
fn taken(obs: &Obs, span: Duration) -> f64 {
    obs.control.rate.bytes_in(span).count() as f64 / f64::from(obs.control.header_size)
}

fn ratio(span: Duration, part: Duration) -> f64 {
    span.ps() as f64 / part.ps().max(1) as f64
}
