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
        "switching" => declared(sim::switching::list()).collect(),
        "queues" => declared(sim::queue::list()).collect(),
        "models" => declared(analytic::models()).collect(),
        "schedulers" => declared(control::scheduler::registry()).collect(),
        "circuit-schedules" => declared(control::scheduler::circuits::registry()).collect(),
        "probes" => declared(sim::probes()).collect(),
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

/// A name and a sentence.
type Named = (&'static str, &'static str);
/// A name and the lines below it.
type Listed = (&'static str, Vec<Named>);

/// A probe with its lists.
type ProbeLists = (&'static str, [Vec<Named>; 3], Vec<Listed>);

/// What each probe adds to the results, with a sentence each: its name; its columns of the table of flows, its figures
/// of the summary, the quantities of which there are percentiles in it; its tables with their columns.
#[pyfunction]
pub fn probes() -> Vec<ProbeLists> {
    let tables =
        |about: &sim::ProbeAbout| about.tables.iter().map(|(name, columns)| (*name, columns.to_vec())).collect();
    let lists = |about: &sim::ProbeAbout| [(about.columns)(), (about.figures)(), about.percentiles.to_vec()];
    sim::probes().map(|probe| (probe.name, lists(probe.item), tables(probe.item))).collect()
}

/// What work that depends on work adds to the results, without being asked: figures of the summary, and tables with
/// their columns; those of switches that are set for it too.
#[pyfunction]
pub fn work() -> (Vec<Named>, Vec<Listed>) {
    let of_switching = sim::switching::tables().map(|(name, columns)| (name, columns.to_vec()));
    let tables = [(sim::work::NAME, sim::work::COLUMNS.to_vec())].into_iter().chain(of_switching);
    (sim::work::FIGURES.to_vec(), tables.collect())
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
