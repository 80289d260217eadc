//! Masters are killed, one after the other, and it is measured how long the network stands still.

use super::children::Children;
use super::journal::Journal;
use super::plan::{DemoOptions, Plan, Where};
use crate::config::Refusal;
use crate::report::Report;
use crate::sys::{process, time};

/// Whether something has happened is looked at so often.
const TURN: time::Nanos = 20_000_000;
/// Something that has not happened by then does not happen.
const PATIENCE: time::Nanos = 60_000_000_000;

/// What became of a network whose masters were killed.
pub(crate) struct Recovery {
    /// From each kill until light of the next master passed the core, in milliseconds.
    pub(crate) took_ms: Vec<f64>,
    /// Ten frames and two round trips, in milliseconds.
    pub(crate) bound_ms: f64,
}

/// Kills as many masters, each when all have joined.
pub(crate) fn kill_masters(options: &DemoOptions, place: Where, kills: usize) -> Result<Recovery, Refusal> {
    let plan = Plan::new(options, place)?;
    let mut children = Children::start(&plan, Journal::new(false))?;
    let bound_ms = plan.recovery().ps() as f64 / 1e9;
    let mut took_ms = Vec::new();
    let outcome = (0..kills).try_for_each(|_| {
        took_ms.push(kill_master(&plan, &mut children)?);
        Ok(())
    });
    children.stop();
    outcome.map(|()| Recovery { took_ms, bound_ms })
}

fn kill_master(plan: &Plan, children: &mut Children) -> Result<f64, Refusal> {
    let nodes = usize::from(plan.nodes);
    let (master, term) = until(plan, children, "all nodes have joined", |reports| {
        let core = reports.iter().find(|report| report.part == "core")?;
        let joined = reports.iter().filter(|report| report.part == "slave" && report.term == core.term).count();
        let master = reports.iter().find(|report| report.part == "master" && report.name == core.master)?;
        (joined + 1 == nodes && core.levels.contains_key(LED)).then_some((master.process, core.term))
    })?;
    let killed = time::now();
    process::signal(master, libc::SIGKILL).map_err(|error| Refusal::Failure(format!("the master: {error}")))?;
    let led = until(plan, children, "a standby leads", |reports| {
        let core = reports.iter().find(|report| report.part == "core" && report.term > term)?;
        core.levels.get(LED).copied()
    })?;
    Ok(led * 1e3 - killed as f64 / 1e6)
}

/// What a core says of its present master's first light.
const LED: &str = "led_since_seconds";

/// Waits, and starts again who was killed, until the reports say something.
fn until<T>(
    plan: &Plan,
    children: &mut Children,
    what: &str,
    said: impl Fn(&[Report]) -> Option<T>,
) -> Result<T, Refusal> {
    let end = time::now() + PATIENCE;
    while time::now() < end && !process::is_stopped() {
        children.revive(plan)?;
        if let Some(found) = said(&children.reports()) {
            return Ok(found);
        }
        time::sleep_until(time::now() + TURN).map_err(|error| Refusal::Failure(format!("sleep: {error}")))?;
    }
    Err(Refusal::Failure(format!("not within a minute: {what}")))
}
