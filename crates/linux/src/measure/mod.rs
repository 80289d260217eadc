//! What this machine can do: clocks over a wire and through a fibre, slots of 250 µs, a master that is killed. The
//! targets stand beside.
//!
//! Clocks are modelled, so the truth is known: the clock difference exactly, T_d as that and the shortest forward delay
//! of the run.

mod exchange;

pub(crate) use exchange::{answer, ask};

use crate::config::{Refusal, input};
use crate::demo::{self, DemoOptions, Recovery, Where};
use crate::histogram::Quantiles;
use crate::report::Report;
use crate::sys::{file, priority, process};
use exchange::Path;
use serde::{Deserialize, Serialize};
use units::Duration;

/// So many masters are killed.
const KILLS: usize = 3;

/// Errors of an estimate, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Accuracy {
    pub(crate) count: u64,
    pub(crate) rms: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

impl Accuracy {
    /// Of errors in picoseconds.
    pub(crate) fn of(errors: &[f64]) -> Accuracy {
        let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs() / 1e6).collect();
        sizes.sort_by(f64::total_cmp);
        let Some(max) = sizes.last().copied() else { return Accuracy::default() };
        let square = sizes.iter().map(|size| size * size).sum::<f64>() / sizes.len() as f64;
        Accuracy { count: sizes.len() as u64, rms: square.sqrt(), p99: sizes[sizes.len() * 99 / 100], max }
    }
}

/// A line of the table.
struct Row {
    what: String,
    target: String,
    found: String,
    met: bool,
}

/// What is measured and for how long.
pub(crate) struct Options {
    pub(crate) seconds: f64,
    pub(crate) place: Option<Where>,
}

/// Measures, and gives the table.
pub(crate) fn run(options: &Options) -> Result<String, Refusal> {
    process::notice_stops().map_err(|error| Refusal::Failure(format!("signals: {error}")))?;
    let place = options.place.unwrap_or(if priority::is_root() { Where::Namespaces } else { Where::Loopback });
    // As the processes of a network do; without the right to it, errors are larger.
    let _awake = priority::keep_processors_awake();
    let mut rows = Vec::new();
    for (path, targets) in [(Path::Wire, [(0.3, 0.5), (0.8, 1.5)]), (Path::Fibre, [(1.0, 2.0), (1.0, 2.0)])] {
        let [both, one] = exchange::measure(place, path, options.seconds)?;
        for (way, found, target) in [("two-way clock offset", both, targets[0]), ("one-way T_d", one, targets[1])] {
            let target = Accuracy { rms: target.0, p99: target.1, ..Accuracy::default() };
            rows.push(clock_row(way, path, found, target));
        }
    }
    rows.extend(slot_rows(place, options.seconds)?);
    rows.push(recovery_row(place)?);
    let (met, count) = (rows.iter().filter(|row| row.met).count(), rows.len());
    let mut text = String::from("| quantity | target | measured |\n|---|---|---|\n");
    for Row { what, target, found, met } in rows {
        let mark = if met { "" } else { " (missed)" };
        text.push_str(&format!("| {what} | {target} | {found}{mark} |\n"));
    }
    let wires = if place == Where::Namespaces { "virtual wires" } else { "the loopback interface, without IP" };
    let real = if priority::is_root() { "real-time priority" } else { "no real-time priority" };
    Ok(format!("{text}\n{met} of {count} targets met; {wires}, {real}, load {} while it ran.\n", load()))
}

fn load() -> String {
    let text = file::head("/proc/loadavg");
    text.split_ascii_whitespace().next().unwrap_or("unknown").to_string()
}

fn clock_row(way: &str, path: Path, found: Accuracy, target: Accuracy) -> Row {
    let Accuracy { rms, p99, .. } = target;
    Row {
        what: format!("{way} {}, 37.5 ppm", path.name()),
        target: format!("rms ≤ {rms} µs, p99 ≤ {p99} µs"),
        found: format!(
            "rms {:.2}, p99 {:.2}, max {:.2} µs ({} exchanges)",
            found.rms, found.p99, found.max, found.count
        ),
        met: found.rms <= rms && found.p99 <= p99,
    }
}

/// One master, one slave and a core, slots of 250 µs.
fn slot_rows(place: Where, seconds: f64) -> Result<Vec<Row>, Refusal> {
    let options = DemoOptions {
        slaves: 1,
        slot: Duration::from_micros(250),
        fibre: None,
        seconds: Some(seconds + 3.0),
        port: 0,
        place: Some(place),
        ip: false,
        shows_table: false,
        ..DemoOptions::default()
    };
    let reports = demo::run(&options)?;
    let of = |name: &str| {
        let found = reports.iter().find(|report| report.name == name);
        found.ok_or_else(|| Refusal::Failure(format!("{name} has not reported")))
    };
    let error = |report: &Report, name: &str| report.errors.get(name).copied().unwrap_or_default();
    let mut rows = Vec::new();
    for name in ["node 0", "node 1"] {
        let report = of(name)?;
        let (sent, skipped) = (report.count("light_sent"), report.count("light_skipped"));
        if sent == 0 {
            return Err(input(format!("{name} has sent nothing")));
        }
        let part = |count: u64| count as f64 / (sent + skipped) as f64 * 100.0;
        let (holes, handed) = (report.count("light_skipped_for_the_host"), report.count("light_handed_over_late"));
        // What the host holds up is not the protocol's, nor ours; it is shown beside.
        let mut row = start_row(name, error(report, "slot_start"), part(skipped.saturating_sub(holes)));
        row.found.push_str(&format!(
            " ({:.2} % handed over late, {:.2} % woken late), and {:.2} % in holes of the host",
            part(handed),
            part(skipped.saturating_sub(holes + handed)),
            part(holes)
        ));
        rows.push(row);
        let left = error(report, "slot_departure");
        rows.push(Row { met: true, ..quantile_row(&format!("the same by the kernel's stamps, {name}"), "none", left) });
    }
    let core = of("core")?;
    let arrival = error(core, "slot_arrival");
    let mut row = quantile_row("slot arrival at the core", "p99 ≤ 15, p99.9 ≤ 50 µs", arrival);
    row.met = arrival.p99 <= 15.0 && arrival.p999 <= 50.0;
    row.found.push_str(&format!(
        "; {:+.1} to {:+.1}; guard time needed {:.1}",
        arrival.earliest,
        arrival.latest,
        core.level("guard_needed_us")
    ));
    rows.push(row);
    Ok(rows)
}

/// A master, two slaves, a core and fibres of up to 1 ms, slots of 1 ms; masters are killed.
fn recovery_row(place: Where) -> Result<Row, Refusal> {
    let options = DemoOptions { slaves: 2, port: 0, ip: false, shows_table: false, ..DemoOptions::default() };
    let found = demo::kill_masters(&options, place, KILLS)?;
    let (sum, longest) = found.took_ms.iter().fold((0.0, 0.0), |(sum, most), took| (sum + took, took.max(most)));
    let Recovery { bound_ms, .. } = found;
    Ok(Row {
        what: "slots again after the master was killed, 1 ms".into(),
        target: format!("ten frames and two round trips, {bound_ms:.0} ms"),
        found: format!("mean {:.0}, max {longest:.0} ms ({KILLS} kills)", sum / KILLS as f64),
        met: longest <= bound_ms,
    })
}

fn start_row(name: &str, start: Quantiles, skipped: f64) -> Row {
    let mut row = quantile_row(
        &format!("slot start against schedule, 250 µs, {name}"),
        "p50 ≤ 0.2, p99 ≤ 10, p99.9 ≤ 50 µs; skipped ≤ 0.2 % besides the host's holes",
        start,
    );
    row.met = start.p50 <= 0.2 && start.p99 <= 10.0 && start.p999 <= 50.0 && skipped <= 0.2;
    row.found.push_str(&format!("; skipped {skipped:.2} %"));
    row
}

fn quantile_row(what: &str, target: &str, found: Quantiles) -> Row {
    Row {
        what: what.into(),
        target: target.into(),
        found: format!(
            "p50 {:.2}, p99 {:.1}, p99.9 {:.1}, max {:.1} µs ({} slots)",
            found.p50, found.p99, found.p999, found.max, found.count
        ),
        met: false,
    }
}
