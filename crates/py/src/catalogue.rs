//! What there is to choose from.

use pyo3::prelude::*;
use transport::{cc, tcp};

/// (name, one sentence, source).
type Entry = (String, String, String);

/// Names with one sentence and source each; empty for a kind that this module does not know.
#[pyfunction]
pub fn catalogue(kind: &str) -> Vec<Entry> {
    match kind {
        "topologies" => sim::topology::list().iter().map(|one| entry(one.name, one.summary, one.source)).collect(),
        "switches" => sim::switches().iter().map(|one| entry(one.name, one.summary, one.source)).collect(),
        "queues" => sim::queue::list().iter().map(|one| entry(one.name, one.summary, one.source)).collect(),
        "models" => analytic::models().iter().map(|one| entry(one.name, one.summary, one.source)).collect(),
        "schedulers" => {
            control::scheduler::registry().iter().map(|one| entry(one.name, one.summary, one.source)).collect()
        }
        "reservations" => {
            control::reservation::registry().iter().map(|one| entry(one.name, one.summary, one.source)).collect()
        }
        "transports" => {
            let algorithms = cc::registry().iter().map(|one| entry(one.name, one.summary, one.source));
            let presets = tcp::presets().iter().map(|one| entry(one.name, one.summary, one.source));
            presets
                .chain(algorithms)
                .chain([entry("udp", "Datagrams of one size, without any control.", "RFC 768")])
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The JSON Schema of a scenario.
#[pyfunction]
pub fn schema() -> String {
    sim::scenario::schema()
}

fn entry(name: &str, summary: &str, source: &str) -> Entry {
    (name.to_owned(), summary.to_owned(), source.to_owned())
}
