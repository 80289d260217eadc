//! What a process says of itself: one value. `forms` shows it.

use crate::arrivals::Arrival;
use crate::histogram::Quantiles;
use crate::matrices::Plan;
use crate::sys::time::Nanos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The level that says how old a report is.
pub(crate) const AGE: &str = "report_age_seconds";

/// The part of a demo's own report, which has no row.
pub(crate) const DEMO: &str = "demo";

/// A process, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// `node 3`, `core`, `fibre`; with several cores also which.
    pub(crate) name: String,
    /// The number of its process.
    pub(crate) process: u32,
    /// The part it plays, in words.
    pub(crate) part: String,
    /// When it was made, in nanoseconds of the machine's monotonic clock; 0 is unknown.
    #[serde(default)]
    pub(crate) made: Nanos,
    /// Whose master it hears, or has.
    pub(crate) master: String,
    /// The term of that master.
    pub(crate) term: u64,
    /// What only grows.
    pub(crate) counts: BTreeMap<String, u64>,
    /// What goes up and down.
    pub(crate) levels: BTreeMap<String, f64>,
    /// Errors in time.
    pub(crate) errors: BTreeMap<String, Quantiles>,
    /// What happened last, in words.
    pub(crate) events: Vec<String>,
    /// Slots that wait at a node, by destination.
    #[serde(default)]
    pub(crate) queues: BTreeMap<u16, u64>,
    /// At a core, by node: in which frames its last slots came, and how late, in µs.
    #[serde(default)]
    pub(crate) arrivals: BTreeMap<u16, Vec<Arrival>>,
    /// The last plan of a master.
    #[serde(default)]
    pub(crate) plan: Option<Plan>,
}

impl Report {
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// The same with its age: a process that is stopped makes no new one.
    pub(crate) fn aged(&self, now: Nanos) -> Report {
        let mut report = self.clone();
        if report.made > 0 {
            report.levels.insert(AGE.into(), ((now - report.made) as f64 / 1e9).max(0.0));
        }
        report
    }

    pub(crate) fn level(&self, name: &str) -> f64 {
        self.levels.get(name).copied().unwrap_or(0.0)
    }
}
