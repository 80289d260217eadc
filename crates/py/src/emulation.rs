//! Real hosts on a run in progress.

use crate::simulation::Simulation;
use linux::emulate::{self, Arrived, Counts, Ended, Lateness, Light, Options, Turn};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use sim::SimTime;
use sim::hosts::external::Left;
use sim::model::Ecn;
use sim::study::World;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The hosts of an emulation, each in a network of its own. They go with it.
#[pyclass(module = "photocol._core")]
pub struct Emulation(Mutex<emulate::Emulation>);

/// How hosts are emulated, as a dict has it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct How {
    mtu: u32,
    law: Option<String>,
    slower: f64,
    spins: bool,
    most_lag_s: f64,
    most_bytes: u64,
    recording: Option<PathBuf>,
}

#[pymethods]
impl Emulation {
    #[new]
    fn new(hosts: Vec<String>, how: How) -> PyResult<Emulation> {
        let How { mtu, law, slower, spins, most_lag_s, most_bytes, recording } = how;
        let options = Options { hosts, mtu, law, slower, spins, most_lag_s, most_bytes, recording };
        emulate::Emulation::open(options).map(|all| Emulation(Mutex::new(all))).map_err(PyOSError::new_err)
    }

    /// (name, address, IPv6 address, file of the network namespace) of each.
    #[getter]
    fn hosts(&mut self) -> Vec<(String, String, String, PathBuf)> {
        self.all().hosts()
    }

    /// A command of the shell, `after_s` seconds after the start.
    fn add_command(&mut self, host: u16, after_s: f64, command: &str, output: PathBuf) {
        self.all().add_command(host, after_s, command, &output);
    }

    /// Goes on for about `seconds` of the clock. Why it has come back, and by how much it is behind.
    fn turn(&mut self, py: Python<'_>, simulation: &mut Simulation, seconds: f64) -> PyResult<(&'static str, f64)> {
        let all = self.all();
        let world = simulation.world()?;
        world.go_live();
        let end = world.end().ps();
        let mut light = Network { world, left: Vec::new() };
        let turn = py.detach(|| all.turn(&mut light, end, seconds)).map_err(PyOSError::new_err)?;
        Ok(match turn {
            Turn::Over => ("over", 0.0),
            Turn::Finished => ("finished", 0.0),
            Turn::AtEnd => ("at end", 0.0),
            Turn::Behind(lag) => ("behind", lag),
        })
    }

    /// Of each command: its exit status, "running" or "not begun".
    #[getter]
    fn ended(&mut self) -> Vec<StatusOrWord> {
        let of = |ended| match ended {
            Ended::With(status) => StatusOrWord::Status(status),
            Ended::Runs => StatusOrWord::Word("running"),
            Ended::NotBegun => StatusOrWord::Word("not begun"),
        };
        self.all().ended().into_iter().map(of).collect()
    }

    /// Whether the thread that has begun it has real-time priority.
    #[getter]
    fn is_real_time(&mut self) -> bool {
        self.all().is_real_time()
    }

    /// What became of the packets of each host.
    #[getter]
    fn counts<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let of = |counts: Counts| {
            let Counts {
                sent,
                sent_bytes,
                received,
                received_bytes,
                marked,
                elsewhere,
                too_long,
                overflowed,
                refused,
                not_taken,
            } = counts;
            [
                ("sent", sent),
                ("sent_bytes", sent_bytes),
                ("received", received),
                ("received_bytes", received_bytes),
                ("marked", marked),
                ("elsewhere", elsewhere),
                ("too_long", too_long),
                ("overflowed", overflowed),
                ("refused", refused),
                ("not_taken", not_taken),
            ]
            .into_py_dict(py)
        };
        self.all().counts().into_iter().map(of).collect()
    }

    /// How late packets were given to hosts, in microseconds.
    #[getter]
    fn lateness<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        row(self.all().lateness(), py)
    }

    /// How late those of each host were.
    #[getter]
    fn lateness_of_hosts<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.all().lateness_of_hosts().into_iter().map(|lateness| row(lateness, py)).collect()
    }
}

/// Of the histogram: pairs of microseconds at most, and packets.
fn row(lateness: Lateness, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let Lateness { count, late, mean_us, p50_us, p99_us, p999_us, worst_us, histogram } = lateness;
    let row = [("count", count), ("late", late)].into_py_dict(py)?;
    let times = [("mean_us", mean_us), ("p50_us", p50_us), ("p99_us", p99_us), ("p999_us", p999_us)];
    times.into_iter().chain([("worst_us", worst_us)]).try_for_each(|(name, time)| row.set_item(name, time))?;
    row.set_item("histogram", histogram.iter().map(|bin| (bin.to_us, bin.count)).collect::<Vec<_>>())?;
    Ok(row)
}

/// How a command has ended, or where it is.
#[derive(IntoPyObject)]
enum StatusOrWord {
    Status(i32),
    Word(&'static str),
}

impl Emulation {
    fn all(&mut self) -> &mut emulate::Emulation {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A world, as hosts see it.
struct Network<'w> {
    world: &'w mut World,
    left: Vec<Left>,
}

impl Light for Network<'_> {
    fn now(&self) -> u64 {
        self.world.now().ps()
    }

    fn next_event(&mut self) -> u64 {
        self.world.next_event().ps()
    }

    fn advance(&mut self, until: u64) {
        self.world.run_until(SimTime::from_ps(until));
    }

    fn enter(&mut self, pair: (u16, u16), at: u64, bytes: Box<[u8]>, ecn: u8) {
        self.world.enter(pair, SimTime::from_ps(at), bytes, Ecn::of_bits(ecn));
    }

    fn take_arrived(&mut self, into: &mut Vec<Arrived>) {
        self.world.take_left(&mut self.left);
        let left = self.left.drain(..);
        into.extend(left.map(|Left { at, to, bytes, is_marked }| Arrived { at: at.ps(), to, bytes, is_marked }));
    }

    fn bytes_inside(&self) -> u64 {
        self.world.bytes_inside()
    }
}
