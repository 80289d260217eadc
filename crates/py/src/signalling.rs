//! The machines of the signalling, driven an input at a time. Times are picoseconds of the machine's own clock, which
//! never runs backwards.

use crate::wire::{NamedBlock, blocks_of, dict, named, wrong};
use control::scheduler::Algorithm;
use control::signalling::{self, Action, Heard, Network, NodeConfig, Tally};
use control::sync::FilterConfig;
use control::wire::{Block, Key, NodeId, Stamp};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use units::{Duration, Instant};

/// An action: its kind and its fields.
type Act<'py> = (&'static str, Bound<'py, PyDict>);

/// Frames that a core may be asked to begin at once.
const MOST_FRAMES: u64 = 1_000_000;

/// `control::signalling::Node` with its clock.
#[pyclass(module = "photocol._core")]
pub struct SignallingNode {
    machine: signalling::Node,
    now: Instant,
}

#[pymethods]
impl SignallingNode {
    /// A node that starts; `network` are the fields of a configuration, or nothing.
    #[new]
    fn new(
        node: u16,
        key: &[u8],
        session: u64,
        network: Option<&Bound<'_, PyDict>>,
        scheduler: &str,
        stamp_error_ps: u64,
    ) -> PyResult<SignallingNode> {
        if node >= NodeId::MOST {
            return Err(PyValueError::new_err(format!("node is {node}; allowed: below {}", NodeId::MOST)));
        }
        let unknown = || PyValueError::new_err(format!("scheduler '{scheduler}' is unknown"));
        let config = NodeConfig {
            node: NodeId(node),
            key: Key::new(key).map_err(wrong)?,
            network: network.map(configured).transpose()?,
            algorithm: Algorithm::from_name(scheduler).ok_or_else(unknown)?,
            weights: None,
            sharing: signalling::Sharing::LITERAL,
            stamp: Stamp::Exact,
            filter: FilterConfig { stamp_error: Duration::from_ps(stamp_error_ps), ..FilterConfig::default() },
        };
        Ok(SignallingNode { machine: signalling::Node::new(config, session), now: Instant::ZERO })
    }

    /// Light came from the fibre; its first bit at `stamp_ps`.
    fn on_light<'py>(&mut self, py: Python<'py>, now_ps: u64, stamp_ps: u64, data: &[u8]) -> PyResult<Vec<Act<'py>>> {
        let (heard, mut actions) = (heard(&mut self.now, now_ps, stamp_ps)?, Vec::new());
        self.machine.handle_light(heard, data, &mut actions);
        acts(py, actions)
    }

    /// A message came out of band.
    fn on_message<'py>(&mut self, py: Python<'py>, now_ps: u64, stamp_ps: u64, data: &[u8]) -> PyResult<Vec<Act<'py>>> {
        let (heard, mut actions) = (heard(&mut self.now, now_ps, stamp_ps)?, Vec::new());
        self.machine.handle_beside(heard, data, &mut actions);
        acts(py, actions)
    }

    /// The clock shows `now_ps`.
    fn on_timer<'py>(&mut self, py: Python<'py>, now_ps: u64) -> PyResult<Vec<Act<'py>>> {
        let (now, mut actions) = (forward(&mut self.now, now_ps)?, Vec::new());
        self.machine.handle_timeout(now, &mut actions);
        acts(py, actions)
    }

    /// Payload for another node: the blocks of one slot. Whether there was room.
    fn enqueue(&mut self, to: u16, blocks: Vec<(String, Bound<'_, PyDict>)>) -> PyResult<bool> {
        Ok(self.machine.enqueue(NodeId(to), blocks_of(blocks)?).is_ok())
    }

    fn waiting(&self, to: u16) -> usize {
        self.machine.waiting(NodeId(to))
    }

    fn resign(&mut self) {
        self.machine.resign();
    }

    #[getter]
    fn next_timeout(&self) -> Option<u64> {
        self.machine.next_timeout().map(Instant::ps)
    }

    #[getter]
    fn part(&self) -> &'static str {
        self.machine.part().name()
    }

    /// The master by the latest beacon, if there is one, and its term.
    #[getter]
    fn led_by(&self) -> (Option<u16>, u64) {
        let (node, term) = self.machine.led_by();
        ((node != NodeId::ALL).then_some(node.0), term)
    }

    #[getter]
    fn counts(&self) -> Vec<(String, u64)> {
        counts(self.machine.tally())
    }
}

/// `control::signalling::Core` with its clock.
#[pyclass(module = "photocol._core")]
pub struct SignallingCore {
    machine: signalling::Core,
    frame: Duration,
    now: Instant,
}

#[pymethods]
impl SignallingCore {
    #[new]
    fn new(key: &[u8], session: u64, network: &Bound<'_, PyDict>, now_ps: u64) -> PyResult<SignallingCore> {
        let (network, now) = (configured(network)?, Instant::from_ps(now_ps));
        let (key, frame) = (Key::new(key).map_err(wrong)?, network.frame());
        Ok(SignallingCore { machine: signalling::Core::new(network, key, session, now), frame, now })
    }

    /// A message came out of band.
    fn on_message<'py>(&mut self, py: Python<'py>, now_ps: u64, data: &[u8]) -> PyResult<Vec<Act<'py>>> {
        let (heard, mut actions) = (heard(&mut self.now, now_ps, now_ps)?, Vec::new());
        self.machine.handle_beside(heard, data, &mut actions);
        acts(py, actions)
    }

    /// The clock shows `now_ps`.
    fn on_timer<'py>(&mut self, py: Python<'py>, now_ps: u64) -> PyResult<Vec<Act<'py>>> {
        let due = self.machine.next_timeout().map_or(now_ps, Instant::ps);
        if now_ps.saturating_sub(due) / self.frame.ps().max(1) > MOST_FRAMES {
            let message = format!("more than {MOST_FRAMES} frames are due; allowed: fewer at once");
            return Err(PyValueError::new_err(message));
        }
        let (now, mut actions) = (forward(&mut self.now, now_ps)?, Vec::new());
        self.machine.handle_timeout(now, &mut actions);
        acts(py, actions)
    }

    /// Where light goes out whose first bit comes in now.
    fn route(&self, now_ps: u64, port: u16, length_ps: u64) -> Option<u16> {
        self.machine.route(Instant::from_ps(now_ps), port, Duration::from_ps(length_ps))
    }

    #[getter]
    fn next_timeout(&self) -> Option<u64> {
        self.machine.next_timeout().map(Instant::ps)
    }

    /// The master, if there is one, and the term.
    #[getter]
    fn master(&self) -> (Option<u16>, u64) {
        let (node, term) = self.machine.master();
        (node.map(|node| node.0), term)
    }

    #[getter]
    fn counts(&self) -> Vec<(String, u64)> {
        counts(self.machine.tally())
    }
}

fn forward(before: &mut Instant, now_ps: u64) -> PyResult<Instant> {
    let now = Instant::from_ps(now_ps);
    if now < *before {
        let message = format!("now_ps is {now_ps}; allowed: {} (the last call) or later", before.ps());
        return Err(PyValueError::new_err(message));
    }
    *before = now;
    Ok(now)
}

fn heard(before: &mut Instant, now_ps: u64, stamp_ps: u64) -> PyResult<Heard> {
    if stamp_ps > now_ps {
        return Err(PyValueError::new_err(format!("stamp_ps is {stamp_ps}; allowed: up to now_ps, {now_ps}")));
    }
    Ok(Heard { now: forward(before, now_ps)?, stamp: Instant::from_ps(stamp_ps) })
}

/// The network of a configuration's fields.
fn configured(fields: &Bound<'_, PyDict>) -> PyResult<Network> {
    match named("configuration", fields)? {
        Block::Configuration(configuration) => Network::configured(&configuration).map_err(wrong),
        _ => Err(PyValueError::new_err("not a configuration")),
    }
}

fn counts(tally: &Tally) -> Vec<(String, u64)> {
    tally.iter().map(|(what, times)| (kebab(&format!("{what:?}")), times)).collect()
}

/// "PlanAccepted" as "plan-accepted".
fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_ascii_uppercase() && at > 0 {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    kebab
}

fn acts(py: Python<'_>, actions: Vec<Action>) -> PyResult<Vec<Act<'_>>> {
    actions.into_iter().map(|action| act(py, action)).collect()
}

fn act(py: Python<'_>, action: Action) -> PyResult<Act<'_>> {
    let fields = PyDict::new(py);
    let kind = match action {
        Action::Light { at, bytes, .. } => {
            fields.set_item("at_ps", at.ps())?;
            fields.set_item("data", PyBytes::new(py, &bytes))?;
            "light"
        }
        Action::Beside { to, bytes } => {
            fields.set_item("to", to.0)?;
            fields.set_item("data", PyBytes::new(py, &bytes))?;
            "message"
        }
        Action::Deliver { from, blocks } => {
            fields.set_item("from", from.0)?;
            let blocks = blocks.iter().map(|block| Ok((block.name(), dict(py, block.values())?)));
            fields.set_item("blocks", blocks.collect::<PyResult<Vec<NamedBlock<'_>>>>()?)?;
            "deliver"
        }
        Action::Missing(report) => {
            fields.set_item("from", report.from.0)?;
            fields.set_item("first", (report.first.session, report.first.sequence))?;
            fields.set_item("until", (report.until.session, report.until.sequence))?;
            "missing"
        }
        Action::Fault(fault) => {
            fields.update(dict(py, Block::from(fault).values())?.as_mapping())?;
            "fault"
        }
    };
    Ok((kind, fields))
}
