//! The random parts of a scenario's traffic, drawn for one seed.
//!
//! Starts and pairs come from two streams of each traffic's own, named after it. So the same flows start at the same
//! times between the same nodes whatever else changes (buffers, capacities, transports, other traffic), which is what
//! makes comparisons sharp; and flow number k of a traffic does not depend on how many follow. The size of a flow comes
//! from a stream of its own, named after the traffic and the flow's number in it.

mod incast;
mod pairs;
mod sizes;

use crate::model::{Arrivals, Flow, Load, MAX_FLOWS, NodeId, Scenario, SimTime, Traffic};
use crate::random::{Seed, Stream, exponential_span};
use pairs::Drawn;
use units::{Bytes, Duration};

/// The flows of a run, sorted by start, then by traffic, then by number within the traffic; the position is the flow's
/// id. What would start at or after the end of the run, or after its traffic's `stop`, is left out.
pub fn expand(scenario: &Scenario, seed: Seed) -> Vec<Flow> {
    let end = SimTime::ZERO + scenario.run.duration;
    let mut flows = Vec::new();
    for (index, traffic) in scenario.traffic.iter().enumerate() {
        let stop = traffic.stop.map_or(end, |stop| stop.min(end));
        expand_one(traffic, index as u32, stop, seed, &mut flows);
    }
    flows.sort_by_key(|flow| (flow.start, flow.origin));
    flows
}

fn expand_one(traffic: &Traffic, index: u32, stop: SimTime, seed: Seed, flows: &mut Vec<Flow>) {
    let entity = format!("traffic {}", traffic.name);
    let mut starts = seed.stream(&entity, "starts");
    let mut ends = seed.stream(&entity, "pairs");
    let mut add = |number: u32, start: SimTime, (source, destination): (NodeId, NodeId), load: Option<Load>| {
        if start < stop {
            let drawn = || traffic.sizes.as_ref().map(|law| sizes::of_flow(law, &traffic.name, number, seed));
            let load = load.or_else(drawn).unwrap_or(traffic.load);
            let transport = traffic.transport;
            let (origin, waits) = ((index, number), matches!(traffic.arrivals, Arrivals::Work(_)));
            flows.push(Flow { source, destination, start, stop, transport, load, origin, waits });
        }
    };
    match &traffic.arrivals {
        Arrivals::Fixed { pairs, count, start, spread } => {
            let mut pairs = Drawn::new(pairs, &mut ends);
            for number in 0..*count {
                let start = *start + uniform_span(*spread, &mut starts);
                add(number, start, pairs.of(number), None);
            }
        }
        Arrivals::Poisson { pairs, mean_gap, start, until, at_most } => {
            let mut pairs = Drawn::new(pairs, &mut ends);
            let mut time = *start;
            for number in 0..at_most.unwrap_or(MAX_FLOWS as u32) {
                time = time + exponential_span(*mean_gap, &mut starts);
                if time >= *until {
                    break;
                }
                add(number, time, pairs.of(number), None);
            }
        }
        Arrivals::Incast(incast) => {
            let mut number = 0;
            incast::answers(incast, &mut starts, &mut ends, |start, pair| {
                add(number, start, pair, None);
                number += 1;
            });
        }
        Arrivals::Work(work) => {
            for (number, (from, to, bytes)) in (0..).zip(work.carriers.list.iter().copied()) {
                let load = match (traffic.load, bytes) {
                    (Load::Constant(rate), _) => Load::ReleasedAt(rate),
                    (_, Some(bytes)) => Load::Size(Bytes(bytes)),
                    (_, None) => Load::Released,
                };
                add(number, work.start, (work.node(from), work.node(to)), Some(load));
            }
        }
        Arrivals::List(list) => {
            for (number, flow) in list.iter().enumerate() {
                add(number as u32, flow.start, (flow.source, flow.destination), flow.size.map(Load::Size));
            }
        }
    }
}

/// Uniform in [0, `span`), rounded down to a picosecond.
fn uniform_span(span: Duration, stream: &mut Stream) -> Duration {
    let product = u128::from(stream.next_u64()) * u128::from(span.ps());
    Duration::from_ps((product >> 64) as u64)
}

#[cfg(test)]
mod tests;
