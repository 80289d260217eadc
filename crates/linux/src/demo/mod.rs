//! A whole star on this machine: master, slaves, cores and fibres as processes, with a live table. As root each process
//! has a network of its own, which goes with it, so that nothing is left behind however the demo ends; otherwise all
//! are on the loopback interface.

mod children;
mod folder;
mod journal;
pub(crate) mod links;
mod networks;
mod plan;
mod recovery;
mod role;
mod schedule;

pub(crate) use children::spawn;
pub(crate) use plan::{DemoOptions, Spread, Where};
pub(crate) use recovery::{Recovery, kill_masters};
pub(crate) use schedule::{Deed, Event};

use crate::config::{Refusal, input};
use crate::forms::table;
use crate::log::Log;
use crate::report::Report;
use crate::serve::Metrics;
use crate::sys::{priority, process, time};
use children::Children;
use journal::Journal;
use plan::Plan;
use std::io::{IsTerminal, Write};

/// The table is shown so often.
const EVERY: time::Nanos = 1_000_000_000;
/// Whether the demo goes on is looked at so often.
const TURN: time::Nanos = 20_000_000;

/// Runs the demo until it is told to stop, or for as long as it was told. The last reports.
pub(crate) fn run(options: &DemoOptions) -> Result<Vec<Report>, Refusal> {
    process::notice_stops().map_err(|error| Refusal::Failure(format!("signals: {error}")))?;
    let place = options.place.unwrap_or(if priority::is_root() { Where::Namespaces } else { Where::Loopback });
    let metrics = Metrics::listen(options.port)?;
    let plan = Plan::new(options, place)?;
    eprintln!("{}", plan.introduction(metrics.port));
    plan.make_directories()?;
    let log = options.capture.as_ref().map(|folder| Log::beside(&folder.join("demo.pcapng"))).transpose();
    let log = log.map_err(|error| input(format!("log: {error}")))?;
    let journal = Journal::new(!shows_table(options)).with_log(log, options.cores);
    let mut children = Children::start(&plan, journal)?;
    let outcome = watch(&plan, &mut children, &metrics, options);
    let reports = children.stop();
    outcome?;
    Ok(reports)
}

/// Whether a live table is shown.
fn shows_table(options: &DemoOptions) -> bool {
    options.shows_table && std::io::stdout().is_terminal()
}

/// Does what was asked for when it is time, shows what happens, and starts again who was killed.
fn watch(plan: &Plan, children: &mut Children, metrics: &Metrics, options: &DemoOptions) -> Result<(), Refusal> {
    let began = time::now();
    let mut next = began + EVERY;
    let mut schedule = options.events.clone();
    schedule.sort_by_key(|event| event.at);
    while !process::is_stopped() {
        let now = time::now();
        if options.seconds.is_some_and(|seconds| (now - began) as f64 > seconds * 1e9) {
            return Ok(());
        }
        children.revive(plan)?;
        children.follow(&mut schedule);
        metrics.show(children.reports());
        if now >= next {
            next = now + EVERY;
            if shows_table(options) {
                let mut out = std::io::stdout().lock();
                // A terminal that has gone needs no table.
                let _ = write!(out, "\x1b[H\x1b[2J{}", table(&children.reports())).and_then(|()| out.flush());
            }
        }
        time::sleep_until(now + TURN).map_err(|error| Refusal::Failure(format!("sleep: {error}")))?;
    }
    Ok(())
}
