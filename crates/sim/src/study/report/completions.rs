//! Completion times of flows that have a size, and their slowdowns: of all, by class of size, and of whole requests of
//! an incast.
//!
//! A flow is complete when its last byte has come to its receiver, or, with `completion = "acknowledged"`, when its
//! sender knows that. Its slowdown is that time over what the empty path would take: all packets leave one after the
//! other at the start, nothing else is on the path, and, with that key, one ACK comes back when the last byte has
//! arrived. No window, handshake or delayed ACK is in it: a flow of TCP that waits for ACKs is above 1 without others.
//! Only flows that start after the warm-up and complete count. A percentile is the least value that so many of them do
//! not exceed (nearest rank), and is left out where they are too few for one to lie above it.

use super::End;
use super::flows::{FlowRow, FlowRows};
use crate::model::{Arrivals, Flow};

/// Tells of a figure: name, value, unit.
type Add<'a> = dyn FnMut(&'static str, f64, &'static str) + 'a;

/// Percentiles with the parts per thousand that lie above.
const TAILS: [f64; 4] = [500.0, 50.0, 10.0, 1.0];

/// The names of the figures of a class of flows.
struct Names {
    mean_slowdown: &'static str,
    times: [&'static str; 4],
    slowdowns: [&'static str; 4],
}

macro_rules! names {
    ($class:literal) => {
        Names {
            mean_slowdown: concat!("mean_", $class, "slowdown"),
            times: [
                concat!($class, "completion_time_p50"),
                concat!($class, "completion_time_p95"),
                concat!($class, "completion_time_p99"),
                concat!($class, "completion_time_p99_9"),
            ],
            slowdowns: [
                concat!($class, "slowdown_p50"),
                concat!($class, "slowdown_p95"),
                concat!($class, "slowdown_p99"),
                concat!($class, "slowdown_p99_9"),
            ],
        }
    };
}

const ALL: Names = names!("");
/// Flows of up to so many bytes; the classes of pFabric (Alizadeh et al., SIGCOMM 2013).
const CLASSES: [(u64, Names); 3] =
    [(100_000, names!("short_")), (10_000_000, names!("medium_")), (u64::MAX, names!("long_"))];

/// The figures of flows with a size.
pub(super) fn figures(end: &End, flows: &FlowRows, add: &mut Add) {
    let counted: Vec<&FlowRow> = flows.rows.iter().filter(|row| row.counts_as_completed()).collect();
    if counted.is_empty() {
        return;
    }
    class_figures(&ALL, &counted, add);
    let class = |row: &FlowRow| CLASSES.iter().position(|(most, _)| row.size <= *most);
    if counted.iter().any(|row| class(row) != class(counted[0])) {
        for (number, (_, names)) in CLASSES.iter().enumerate() {
            let members: Vec<&FlowRow> = counted.iter().copied().filter(|row| class(row) == Some(number)).collect();
            class_figures(names, &members, add);
        }
    }
    request_figures(end, flows, add);
}

fn class_figures(names: &Names, rows: &[&FlowRow], add: &mut Add) {
    percentiles(&names.times, rows.iter().map(|row| row.completion_s()).collect(), "s", add);
    let slowdowns: Vec<f64> = rows.iter().map(|row| row.slowdown).filter(|slowdown| slowdown.is_finite()).collect();
    add(names.mean_slowdown, mean(&slowdowns), "1");
    percentiles(&names.slowdowns, slowdowns, "1", add);
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn percentiles(names: &[&'static str; 4], mut values: Vec<f64>, unit: &'static str, add: &mut Add) {
    values.sort_by(f64::total_cmp);
    for (name, above) in names.iter().zip(TAILS) {
        let beyond = (values.len() as f64 * above / 1000.0).floor() as usize;
        if beyond > 0 {
            add(name, values[values.len() - beyond - 1], unit);
        }
    }
}

/// How long whole requests of incasts took, from the first start of an answer to the last completion.
fn request_figures(end: &End, flows: &FlowRows, add: &mut Add) {
    let mut times: Vec<f64> = Vec::new();
    for (index, traffic) in end.scenario.traffic.iter().enumerate() {
        let Arrivals::Incast(incast) = &traffic.arrivals else { continue };
        let mut requests: std::collections::BTreeMap<u32, Vec<&FlowRow>> = std::collections::BTreeMap::new();
        let of_traffic = |flow: &&(&Flow, &FlowRow)| flow.0.origin.0 == index as u32;
        for (flow, row) in end.world.layout.flows.iter().zip(&flows.rows).collect::<Vec<_>>().iter().filter(of_traffic)
        {
            requests.entry(flow.origin.1 / incast.senders).or_default().push(row);
        }
        let whole = |rows: &&Vec<&FlowRow>| {
            rows.len() == incast.senders as usize && rows.iter().all(|row| row.counts_as_completed())
        };
        times.extend(requests.values().filter(whole).map(|rows| {
            let first = rows.iter().map(|row| row.start_s).fold(f64::INFINITY, f64::min);
            rows.iter().map(|row| row.complete_s).fold(0.0, f64::max) - first
        }));
    }
    if !times.is_empty() {
        add("requests_completed", times.len() as f64, "1");
        add("mean_request_time", mean(&times), "s");
        percentiles(
            &["request_time_p50", "request_time_p95", "request_time_p99", "request_time_p99_9"],
            times,
            "s",
            add,
        );
    }
}

impl FlowRow {
    /// Whether its completion counts: it has a size, started after the warm-up, and is complete.
    fn counts_as_completed(&self) -> bool {
        self.is_complete() && !self.is_early
    }
}

#[cfg(test)]
mod tests;
