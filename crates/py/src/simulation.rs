//! A run in progress.

use crate::columns;
use crate::error::{RunError, run_error, unbuildable};
use crate::law::PythonMaker;
use crate::scenario::Scenario;
use ::columns::Kind;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use sim::SimTime;
use sim::engine::{CaptureOptions, Options};
use sim::random::Seed;
use sim::results;
use sim::study::World;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use units::Duration;

/// One replication, cut in time wherever the caller likes.
#[pyclass(module = "photocol._core")]
pub struct Simulation {
    /// `None` once finished. The lock is never contended (one thread at a time borrows the object); it makes `Sync`
    /// true.
    world: Mutex<Option<World>>,
    /// Laws in Python.
    laws: Vec<Arc<PythonMaker>>,
    /// Threads that were asked for.
    threads: usize,
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scenario, seed, run, *, shuffle_ties=None, probes=true, pcap=None))]
    fn new(
        scenario: &Bound<'_, Scenario>,
        seed: u64,
        run: u32,
        shuffle_ties: Option<u64>,
        probes: bool,
        pcap: Option<(PathBuf, Vec<u32>, Vec<String>)>,
    ) -> PyResult<Simulation> {
        let capture = pcap.map(|(path, flows, links)| capture(path, flows, links)).transpose()?;
        let options = Options { shuffle_ties, capture, without_samples: !probes };
        let py = scenario.py();
        let (scenario, laws) = scenario.get().resolved(py)?;
        let world = py.detach(|| World::build(&scenario, Seed { seed, run }, options));
        let world = world.map_err(|error| unbuildable(py, &error))?;
        Ok(Simulation { world: Mutex::new(Some(world)), laws, threads: 1 })
    }

    /// Lets up to `threads` threads work.
    fn use_threads(&mut self, threads: usize) -> PyResult<()> {
        let used = if self.laws.is_empty() { threads } else { 1 };
        self.world_mut().as_mut().ok_or_else(finished)?.use_threads(used);
        self.threads = threads;
        Ok(())
    }

    /// Threads at work, and why fewer than were allowed.
    #[getter]
    fn parallelism(&self) -> PyResult<(usize, Option<String>)> {
        if !self.laws.is_empty() && self.threads > 1 {
            return Ok((1, Some("Python is called by one thread".to_owned())));
        }
        self.read(|world| {
            let parallelism = world.parallelism();
            (parallelism.threads, parallelism.reason)
        })
    }

    /// The events that each thread has handled since the nodes were dealt last.
    #[getter]
    fn shares(&self) -> PyResult<Vec<u64>> {
        self.read(|world| world.shares())
    }

    /// Handles everything before `until_s` seconds of simulated time, but comes back after about `effort` events and
    /// samples.
    #[pyo3(signature = (until_s, effort=None))]
    fn advance(&mut self, py: Python<'_>, until_s: f64, effort: Option<u64>) -> PyResult<()> {
        let until = Duration::from_secs_f64(until_s)
            .ok_or_else(|| PyValueError::new_err(format!("until_s is {until_s}, must be from 0 to 1.8e7 s")))?;
        let world = self.world_mut().as_mut().ok_or_else(finished)?;
        // Seconds as a float may fall short of the last picoseconds of a long run.
        let limit = if until_s < world.end().as_secs_f64() { SimTime::ZERO + until } else { world.end() };
        py.detach(|| world.run_on(limit, effort.unwrap_or(u64::MAX)));
        self.failure(py)
    }

    /// (name, calls, seconds in Python) of each law in Python.
    #[getter]
    fn laws(&self) -> Vec<(String, u64, f64)> {
        self.laws.iter().map(|law| law.cost()).collect()
    }

    /// Simulated time in seconds.
    #[getter]
    fn now_s(&self) -> PyResult<f64> {
        self.read(|world| world.now().as_secs_f64())
    }

    /// Packets sent on links so far.
    #[getter]
    fn packet_hops(&self) -> PyResult<u64> {
        self.read(World::packet_hops)
    }

    /// Events handled so far.
    #[getter]
    fn events(&self) -> PyResult<u64> {
        self.read(World::events)
    }

    /// Flows of this replication.
    #[getter]
    fn flows(&self) -> PyResult<usize> {
        self.read(|world| world.flows().len())
    }

    /// Flows that begin or end at hosts outside, which are left out.
    #[getter]
    fn left_out(&self) -> PyResult<usize> {
        self.read(World::left_out)
    }

    /// Bytes that each flow occupies before its machines allocate anything.
    #[getter]
    fn bytes_per_flow(&self) -> PyResult<usize> {
        self.read(World::bytes_per_flow)
    }

    /// What the run has to say up to now; it goes on unchanged. Without the trace.
    fn so_far(&mut self, py: Python<'_>) -> PyResult<Results> {
        let world = self.world_mut().as_mut().ok_or_else(finished)?;
        Ok(Results(py.detach(|| world.so_far())))
    }

    /// What the run has to say; the simulation cannot be used afterwards.
    fn finish(&mut self, py: Python<'_>) -> PyResult<Results> {
        self.failure(py)?;
        let world = self.world_mut().take().ok_or_else(finished)?;
        py.detach(|| world.finish()).map(Results).map_err(|error| run_error(&error))
    }
}

impl Simulation {
    /// What has gone wrong in a law in Python.
    fn failure(&self, py: Python<'_>) -> PyResult<()> {
        self.laws.iter().find_map(|law| law.failure(py)).map_or(Ok(()), Err)
    }

    /// The world, while it is not finished.
    pub(crate) fn world(&mut self) -> PyResult<&mut World> {
        self.world_mut().as_mut().ok_or_else(finished)
    }

    fn world_mut(&mut self) -> &mut Option<World> {
        self.world.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, of: impl FnOnce(&World) -> T) -> PyResult<T> {
        let world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        world.as_ref().map(of).ok_or_else(finished)
    }
}

fn finished() -> PyErr {
    RunError::new_err("this simulation is finished")
}

fn capture(path: PathBuf, flows: Vec<u32>, links: Vec<String>) -> PyResult<CaptureOptions> {
    let output = Box::new(BufWriter::new(File::create(path)?));
    Ok(CaptureOptions { flows, links, causes: &[], output })
}

/// What a run leaves.
#[pyclass(module = "photocol._core", frozen)]
pub struct Results(results::Results);

#[pymethods]
impl Results {
    /// (name, value, unit).
    #[getter]
    fn summary(&self) -> Vec<(&'static str, f64, &'static str)> {
        self.0.summary.iter().map(|figure| (figure.name, figure.value, figure.unit)).collect()
    }

    /// Sentences on what misleads in these figures.
    #[getter]
    fn remarks(&self) -> Vec<String> {
        self.0.remarks.clone()
    }

    /// 16 hexadecimal digits.
    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:016x}", self.0.fingerprint)
    }

    #[getter]
    fn events(&self) -> u64 {
        self.0.events
    }

    #[getter]
    fn packet_hops(&self) -> u64 {
        self.0.packet_hops
    }

    /// Of the trace, `None` without one: its events, those for which there was no room, when the last happened in
    /// picoseconds.
    #[getter]
    fn trace(&self) -> Option<(usize, u64, u64)> {
        self.0.trace.as_ref().map(|trace| (trace.events.rows(), trace.left_out, trace.last))
    }

    /// The names of the tables that probes have made.
    #[getter]
    fn probes(&self) -> Vec<&'static str> {
        self.0.probes.iter().map(|(name, _)| *name).collect()
    }

    /// The trace's columns, each with the list of its words if it has words.
    #[getter]
    fn trace_columns(&self) -> Vec<(&'static str, Option<Vec<String>>)> {
        let fields = self.0.trace.iter().flat_map(|trace| trace.events.fields());
        fields
            .map(|field| match &field.kind {
                Kind::Words(words) => (field.name, Some(words.to_vec())),
                Kind::Number | Kind::Few => (field.name, None),
            })
            .collect()
    }

    /// The trace as the bytes of a Parquet file, in parts; `notes` are names and texts in its description.
    fn trace_file<'py>(&self, py: Python<'py>, notes: Vec<(String, String)>) -> Vec<Bound<'py, PyBytes>> {
        let parts = self.0.trace.iter().flat_map(|trace| trace.events.parts(&notes));
        parts.map(|part| PyBytes::new(py, &part)).collect()
    }

    /// `{column: array}` of flows, links, series, drops, or what a probe has made.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let table = self.0.table(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        columns::table(py, table)
    }
}
