//! What a run will hold at once, as far as its scenario says so beforehand, against `run.memory`.
//!
//! Only what is sure to come counts: samples, flows, first windows, new paths, and what a kind of switching says for
//! itself. What queues and windows grow to depends on the run, which is watched meanwhile.

use super::traffic::count;
use crate::language::{Fault, Place, rounded};
use crate::model::{Arrivals, Load, Selection, Traffic, TransportKind};
use crate::scenario::Scenario;
use crate::scenario::spec::Spec;
use crate::switching::kind::Demand;
use std::collections::BTreeMap;
use units::{Bytes, Duration};

/// A sample in the engine and in the table `series`, with its names.
const BYTES_OF_A_SAMPLE: f64 = 200.0;
/// Both hosts of a flow, and what they allocate for a few segments.
const BYTES_OF_A_FLOW: f64 = 1500.0;
/// A row of the table `flows`, which every replication leaves.
const BYTES_OF_A_ROW: f64 = 400.0;
/// A packet that waits or is on its way.
const BYTES_OF_A_PACKET: f64 = 32.0;
/// Path and way back of a flow.
const BYTES_OF_PATHS: f64 = 12.0;

/// What is sure to be held at once. Refuses a scenario that needs more than `run.memory`, at whatever needs most.
pub(super) fn check(spec: &Spec, scenario: &Scenario, switching: Vec<Demand>) -> Result<Bytes, Fault> {
    let mut parts = vec![samples(spec, scenario), new_paths(spec, scenario)];
    parts.extend(flows(spec, scenario));
    parts.extend(switching);
    let (needed, allowed) = (parts.iter().map(|part| part.bytes).sum::<f64>(), scenario.run.memory);
    let most = parts.into_iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes));
    match most.filter(|_| needed > allowed.count() as f64) {
        None => Ok(Bytes(needed as u64)),
        Some(part) => {
            let (what, bytes) = (part.what, written(part.bytes));
            let message = format!(
                "{what} would take about {bytes} of memory; allowed: \"{allowed}\" for the whole run, see run.memory"
            );
            Err(Fault::new(part.place, message))
        }
    }
}

fn samples(spec: &Spec, scenario: &Scenario) -> Demand {
    let probe = &scenario.probe;
    let sampled = |selection: &Selection, all: u64| match selection {
        Selection::None => 0,
        Selection::All => all,
        Selection::Some(chosen) => chosen.len() as u64,
    };
    let is_tcp = |transport: usize| scenario.transports[transport].kind.sender().is_some();
    // The others are sampled until they are complete, which may be soon.
    let lasts = |traffic: &Traffic| traffic.load == Load::Greedy && traffic.stop.is_none();
    let tcp = scenario.traffic.iter().filter(|traffic| is_tcp(traffic.transport.index()) && lasts(traffic));
    let lasting: u64 = tcp.map(|traffic| count(&traffic.arrivals)).sum();
    let flows = sampled(&probe.flows, lasting).min(lasting);
    let links = sampled(&probe.links, scenario.network.links.len() as u64);
    let times = probe.interval.map_or(0.0, |interval| 1.0 + ratio(scenario.run.duration, interval));
    let of_a_flow = 7 + scenario.probes.iter().map(|probe| probe.samples_per_flow()).sum::<u64>();
    let values = times * (of_a_flow * flows + 5 * links) as f64 * f64::from(scenario.run.runs);
    let place = spec.probe.sampling.interval.map_or(Place::Unknown, |interval| interval.place());
    let what = format!("{} samples", rounded(values));
    Demand { what, bytes: values * BYTES_OF_A_SAMPLE, place }
}

/// The flows of each traffic, and their first windows.
fn flows(spec: &Spec, scenario: &Scenario) -> Vec<Demand> {
    let mut parts = Vec::new();
    for (traffic, table) in scenario.traffic.iter().zip(&spec.traffic) {
        let flows = count(&traffic.arrivals) as f64;
        let probes: f64 = scenario.probes.iter().map(|probe| probe.bytes_per_flow()).sum();
        let bytes = flows * (BYTES_OF_A_FLOW + probes + f64::from(scenario.run.runs) * BYTES_OF_A_ROW);
        parts.push(Demand { what: format!("{} flows", rounded(flows)), bytes, place: table.place() });
        let kind = &scenario.transports[traffic.transport.index()].kind;
        if let Some((window, payload)) = first_window(kind) {
            let packets = at_once(traffic, window) / f64::from(payload);
            let place = table.transport.place();
            let what = format!("{} packets of first windows", rounded(packets));
            parts.push(Demand { what, bytes: packets * BYTES_OF_A_PACKET, place });
        }
    }
    parts
}

/// Bytes of the first windows of flows, of a list those of flows that begin at one time.
fn at_once(traffic: &Traffic, window: u64) -> f64 {
    let of = |load: Load| if let Load::Size(bytes) = load { window.min(bytes.count()) } else { window } as f64;
    let Arrivals::List(flows) = &traffic.arrivals else { return count(&traffic.arrivals) as f64 * of(traffic.load) };
    let mut sums = BTreeMap::new();
    for flow in flows {
        *sums.entry(flow.start).or_insert(0.0) += flow.size.map_or(of(traffic.load), |size| of(Load::Size(size)));
    }
    sums.into_values().fold(0.0, f64::max)
}

/// Bytes that a sender has on their way at first, and the payload of a packet of it.
fn first_window(kind: &TransportKind) -> Option<(u64, u32)> {
    match kind {
        TransportKind::Tcp { sender, receiver, .. } => {
            let window = sender.initial_cwnd.bytes(sender.mss).min(sender.max_cwnd).min(receiver.window);
            Some((window, sender.mss))
        }
        TransportKind::Hosted(kind) => {
            let payload = kind.sizes().payload;
            Some((u64::from(kind.first_window()) * u64::from(payload), payload)).filter(|(window, _)| *window > 0)
        }
    }
}

/// Paths that flows take after links have gone down or come up.
fn new_paths(spec: &Spec, scenario: &Scenario) -> Demand {
    let steps = scenario.changes.iter().flat_map(|timeline| timeline.steps.iter());
    let changes = steps.filter(|step| step.change.is_up().is_some()).count() as f64;
    let flows = scenario.traffic.iter().map(|traffic| count(&traffic.arrivals)).sum::<u64>() as f64;
    let paths = if scenario.network.reroute_after.is_some() { changes * flows } else { 0.0 };
    let place = spec.event.first().map_or(Place::Unknown, |event| event.place());
    Demand { what: format!("{} new paths of flows", rounded(paths)), bytes: paths * BYTES_OF_PATHS, place }
}

fn ratio(span: Duration, part: Duration) -> f64 {
    span.ps() as f64 / part.ps().max(1) as f64
}

fn written(bytes: f64) -> String {
    let units = [(1e18, "EB"), (1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB")];
    match units.into_iter().find(|(size, _)| bytes >= *size) {
        Some((size, unit)) => format!("{:.1} {unit}", bytes / size),
        None => format!("{bytes:.0} B"),
    }
}
