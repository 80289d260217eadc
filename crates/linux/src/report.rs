//! What a process says of itself: one value, shown as a table, as JSON, and in the text form of Prometheus.

use crate::histogram::Quantiles;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A process, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// `node 3`, `core`, `fibre`; with several cores also which.
    pub(crate) name: String,
    /// The number of its process.
    pub(crate) process: u32,
    /// The part it plays, in words.
    pub(crate) part: String,
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
}

impl Report {
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    pub(crate) fn level(&self, name: &str) -> f64 {
        self.levels.get(name).copied().unwrap_or(0.0)
    }
}

/// All of them in the text form of Prometheus.
pub(crate) fn prometheus(reports: &[Report]) -> String {
    let mut families: BTreeMap<String, (&str, Vec<String>)> = BTreeMap::new();
    let mut add = |family: String, kind: &'static str, line: String| {
        families.entry(family).or_insert((kind, Vec::new())).1.push(line);
    };
    for report in reports {
        let of = format!("process=\"{}\"", report.name);
        for (name, value) in &report.counts {
            let family = format!("photocol_{name}_total");
            add(family.clone(), "counter", format!("{family}{{{of}}} {value}"));
        }
        for (name, value) in &report.levels {
            let family = format!("photocol_{name}");
            add(family.clone(), "gauge", format!("{family}{{{of}}} {value}"));
        }
        add("photocol_term".into(), "gauge", format!("photocol_term{{{of}}} {}", report.term));
        for (name, found) in &report.errors {
            let family = format!("photocol_{name}_microseconds");
            for (quantile, value) in [("0.5", found.p50), ("0.99", found.p99), ("0.999", found.p999), ("1", found.max)]
            {
                add(family.clone(), "summary", format!("{family}{{{of},quantile=\"{quantile}\"}} {value}"));
            }
            add(family.clone(), "summary", format!("{family}_count{{{of}}} {}", found.count));
        }
    }
    let mut text = String::new();
    for (family, (kind, lines)) in families {
        let _ = writeln!(text, "# TYPE {family} {kind}\n{}", lines.join("\n"));
    }
    text
}

/// The live table.
pub(crate) fn table(reports: &[Report]) -> String {
    let mut text = format!(
        "{:<10} {:<10} {:<8} {:>6} {:>6} {:>7} {:>9} {:>8} {:>8} {:>8} {:>9} {:>8}\n",
        "process",
        "part",
        "master",
        "wait",
        "sent",
        "skipped",
        "delivered",
        "missing",
        "err p50",
        "err p99",
        "err p99.9",
        "guard"
    );
    for report in reports {
        let error = report.errors.get("slot_arrival").or_else(|| report.errors.get("slot_start"));
        let error = error.copied().unwrap_or_default();
        let guard = report.levels.get("guard_needed_us").map_or("-".to_string(), |guard| format!("{guard:.1}"));
        let _ = writeln!(
            text,
            "{:<10} {:<10} {:<8} {:>6} {:>6} {:>7} {:>9} {:>8} {:>8.1} {:>8.1} {:>9.1} {:>8}",
            report.name,
            report.part,
            report.master,
            report.level("waiting_slots"),
            report.count("light_sent").max(report.count("light_passed")),
            report.count("light_skipped").max(report.count("light_lost")),
            report.count("payloads_delivered"),
            report.count("payloads_missing"),
            error.p50,
            error.p99,
            error.p999,
            guard,
        );
    }
    text.push_str("errors and guard time in µs: of a node when its slots left, of a core when they arrived; a core's sent and skipped are passed and lost\n");
    text
}
