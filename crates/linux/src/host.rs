//! What every process does around its machine: it becomes real-time if it may, watches the clock, and reports.

use crate::config::{Refusal, input};
use crate::report::Report;
use crate::serve::Metrics;
use crate::sys::time::{self, Monotonic, Nanos};
use crate::sys::{file, priority, process};
use control::signalling::Tally;
use std::fs::File;
use std::io::Write;

/// How a process is run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner {
    /// Reports go to standard output, one JSON a line, for a parent.
    pub(crate) reports: bool,
}

/// Reports come so often.
const EVERY: Nanos = 500_000_000;

/// The surroundings of a machine.
pub(crate) struct Host {
    pub(crate) monotonic: Monotonic,
    manner: Manner,
    metrics: Option<Metrics>,
    next_report: Nanos,
    steal_before: u64,
    /// Held for what it does.
    _awake: Option<File>,
}

impl Host {
    /// Becomes what the machine needs; says so if it may not.
    pub(crate) fn start(manner: Manner, metrics: Option<u16>, level: i32) -> Result<Host, Refusal> {
        process::notice_stops().map_err(|error| Refusal::Failure(format!("signals: {error}")))?;
        if let Err(error) = priority::become_real_time(level) {
            eprintln!("photocol-node: no real-time priority ({error}): slots leave when the kernel lets them");
        } else {
            // Pages that are paged out make holes; without the right to it there may be some.
            let _ = priority::lock_memory();
        }
        let _ = time::make_timers_precise();
        let metrics = metrics.map(Metrics::listen).transpose()?;
        // Without the right to it, slots are skipped more often, and counted.
        let awake = priority::keep_processors_awake().ok();
        Ok(Host { monotonic: Monotonic::new(), manner, metrics, next_report: 0, steal_before: stolen(), _awake: awake })
    }

    /// Whether to go on: not after a signal, and not after somebody has set the clock.
    pub(crate) fn goes_on(&self) -> Result<bool, Refusal> {
        Ok(!process::is_stopped())
    }

    /// When the next report is due.
    pub(crate) fn next_timeout(&self) -> Nanos {
        self.next_report
    }

    /// Reports, if it is time.
    pub(crate) fn report(&mut self, now: Nanos, reports: impl FnOnce() -> Vec<Report>) -> Result<(), Refusal> {
        if now < self.next_report {
            return Ok(());
        }
        self.next_report = now + EVERY;
        if let Some(step) = self.monotonic.step() {
            let by = step as f64 / 1e9;
            return Err(input(format!(
                "the time of day was set by {by:+.3} s: stamps of the kernel are of no use; start again"
            )));
        }
        let mut reports = reports();
        for report in &mut reports {
            report.process = std::process::id();
            report.made = time::now();
            report.levels.insert("host_stolen_seconds".into(), (stolen() - self.steal_before) as f64 / 100.0);
        }
        if let Some(metrics) = &self.metrics {
            metrics.show(reports.clone());
        }
        if self.manner.reports {
            let mut out = std::io::stdout().lock();
            let written = serde_json::to_writer(&mut out, &reports).map_err(std::io::Error::from);
            // A parent that has gone needs no reports.
            let _ = written.and_then(|()| writeln!(out)).and_then(|()| out.flush());
        }
        Ok(())
    }
}

/// Hundredths of a second that the hypervisor has taken from this machine's processors.
fn stolen() -> u64 {
    let text = file::head("/proc/stat");
    text.lines().next().and_then(|line| line.split_ascii_whitespace().nth(8)?.parse().ok()).unwrap_or(0)
}

/// A machine's counts under their names in metrics.
pub(crate) fn counts(tally: &Tally) -> impl Iterator<Item = (String, u64)> {
    tally.iter().map(|(what, times)| (snake(&format!("{what:?}")), times))
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_names_with_underscores() {
        assert_eq!(snake("PlanAccepted"), "plan_accepted");
    }
}
