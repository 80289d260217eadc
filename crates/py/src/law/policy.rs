//! Policies of optical switches that are classes in Python: an object for each run, asked when its work has come
//! further.

use super::PythonMaker;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sim::switching::chooser::{Chooser, ChooserMaker, Circuit, Seen};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use units::{Duration, Instant};

/// A transfer of the steps under way as Python sees it: whence, whither, bytes, transfers, of which ready.
type Asked = (String, String, u64, u32, u32);

/// What a policy sees; times in seconds.
#[pyclass(module = "photocol._core", name = "PolicyView", frozen)]
#[derive(Debug)]
pub struct View {
    #[pyo3(get)]
    now: f64,
    /// How often a step has begun.
    #[pyo3(get)]
    step: u64,
    #[pyo3(get)]
    nodes: Vec<String>,
    #[pyo3(get)]
    switches: Vec<String>,
    /// By switch: whence and whither.
    #[pyo3(get)]
    circuits: BTreeMap<String, BTreeMap<String, String>>,
    #[pyo3(get)]
    transfers: Vec<Asked>,
}

/// The policy of one run; its object is made when it is asked first.
#[derive(Debug)]
struct PythonPolicy {
    maker: Arc<PythonMaker>,
    nodes: Vec<String>,
    switches: Vec<String>,
    object: Option<Py<PyAny>>,
    next: Instant,
}

impl ChooserMaker for PythonMaker {
    fn make(self: Arc<Self>, nodes: &[String], switches: &[String]) -> Box<dyn Chooser> {
        let (nodes, switches) = (nodes.to_vec(), switches.to_vec());
        Box::new(PythonPolicy { maker: self, nodes, switches, object: None, next: Instant::NEVER })
    }
}

impl PythonPolicy {
    fn view(&self, seen: &Seen) -> View {
        let name = |node: u32| self.nodes[node as usize].clone();
        let named = |circuits: &Vec<Circuit>| circuits.iter().map(|(from, to)| (name(*from), name(*to))).collect();
        let transfers = seen.asking.iter().map(|one| {
            let (from, to) = one.circuit;
            (name(from), name(to), one.bytes, one.transfers, one.ready)
        });
        View {
            now: seconds(seen.now),
            step: seen.step,
            nodes: self.nodes.clone(),
            switches: self.switches.clone(),
            circuits: self.switches.iter().cloned().zip(seen.circuits.iter().map(named)).collect(),
            transfers: transfers.collect(),
        }
    }

    fn ask(&mut self, py: Python<'_>, seen: &Seen) -> PyResult<Vec<(u32, Vec<Circuit>)>> {
        if self.object.is_none() {
            self.object = Some(self.maker.class.call0(py)?);
        }
        let Some(object) = &self.object else { unreachable!("the object is there") };
        let object = object.bind(py);
        let answer = object.call_method1("decide", (Bound::new(py, self.view(seen))?,))?;
        self.next = match object.getattr_opt("next_s")? {
            Some(next) => later(seen.now, next.call0()?.extract()?)?,
            None => Instant::NEVER,
        };
        if answer.is_none() {
            return Ok(Vec::new());
        }
        let answer = answer.cast::<PyDict>().map_err(|_| {
            PyValueError::new_err("decide answers with a dict of switches, each with a dict of circuits, or None")
        })?;
        let mut chosen = Vec::new();
        for (switch, circuits) in answer {
            let switch: String = switch.extract()?;
            let number = place(&self.switches, "switch", &switch)?;
            let circuits: BTreeMap<String, String> = circuits.extract()?;
            chosen.push((number, self.matching(&switch, &circuits)?));
        }
        Ok(chosen)
    }

    /// Circuits of a switch, no two of which lead to one node.
    fn matching(&self, switch: &str, circuits: &BTreeMap<String, String>) -> PyResult<Vec<Circuit>> {
        let mut heard = BTreeMap::new();
        let mut found = Vec::with_capacity(circuits.len());
        for (from, to) in circuits {
            let circuit = (place(&self.nodes, "node", from)?, place(&self.nodes, "node", to)?);
            if from == to {
                return Err(PyValueError::new_err(format!("a circuit of {switch} leads from {from} to itself")));
            }
            if let Some(other) = heard.insert(to, from) {
                let message = format!("two circuits of {switch} lead to {to}, from {other} and from {from}");
                return Err(PyValueError::new_err(message));
            }
            found.push(circuit);
        }
        Ok(found)
    }
}

impl Chooser for PythonPolicy {
    fn choose(&mut self, seen: &Seen) -> Vec<(u32, Vec<Circuit>)> {
        if self.maker.has_failed.load(Ordering::Relaxed) {
            self.next = Instant::NEVER;
            return Vec::new();
        }
        Python::attach(|py| {
            let maker = Arc::clone(&self.maker);
            let began = maker.now(py);
            let answer = self.ask(py, seen);
            maker.count(py, began);
            answer.unwrap_or_else(|error| {
                self.next = Instant::NEVER;
                maker.fail(format!("decide at {} s", seconds(seen.now)), error);
                Vec::new()
            })
        })
    }

    fn next_timeout(&self) -> Instant {
        self.next
    }
}

fn seconds(at: Instant) -> f64 {
    at.ps() as f64 / 1e12
}

/// The number of a name.
fn place(names: &[String], what: &str, name: &str) -> PyResult<u32> {
    let found = names.iter().position(|known| known == name);
    let unknown = || PyKeyError::new_err(format!("there is no {what} {name:?}; there are {}", names.join(", ")));
    found.map(|place| place as u32).ok_or_else(unknown)
}

/// A time in seconds from now on.
fn later(now: Instant, next: Option<f64>) -> PyResult<Instant> {
    let Some(next) = next else { return Ok(Instant::NEVER) };
    let at = Duration::from_secs_f64(next).map(|since| Instant::from_ps(since.ps()));
    at.filter(|at| *at > now).ok_or_else(|| {
        let now = seconds(now);
        PyValueError::new_err(format!("next_s answers with {next}; allowed: more than now, {now} s, or None"))
    })
}
