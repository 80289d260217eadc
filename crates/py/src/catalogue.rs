//! What there is to choose from.

use pyo3::prelude::*;
use transport::{cc, tcp};

/// (name, one sentence, source).
type Entry = (String, String, String);

/// Names with one sentence and source each; empty for a kind that this module does not know.
#[pyfunction]
pub fn catalogue(kind: &str) -> Vec<Entry> {
    match kind {
        "topologies" => declared(sim::topology::list()).collect(),
        "switches" => declared(sim::switches()).collect(),
        "queues" => declared(sim::queue::list()).collect(),
        "models" => declared(analytic::models()).collect(),
        "schedulers" => declared(control::scheduler::registry()).collect(),
        "circuit-schedules" => declared(control::scheduler::circuits::registry()).collect(),
        "reservations" => declared(control::reservation::registry()).collect(),
        "transports" => {
            declared(tcp::presets()).chain(declared(cc::registry())).chain(declared(sim::hosts::list())).collect()
        }
        _ => Vec::new(),
    }
}

/// The JSON Schema of a scenario.
#[pyfunction]
pub fn schema() -> String {
    sim::scenario::schema()
}

/// The lines of a registry.
fn declared<C: 'static, T: 'static>(
    entries: impl IntoIterator<Item = &'static options::Entry<C, T>>,
) -> impl Iterator<Item = Entry> {
    entries.into_iter().map(|one| entry(one.name, one.summary, one.source))
}

fn entry(name: &str, summary: &str, source: &str) -> Entry {
    (name.to_owned(), summary.to_owned(), source.to_owned())
}
