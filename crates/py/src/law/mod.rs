//! Window laws, and policies of optical switches, that are classes in Python: each event becomes a call, each answer is
//! checked, and what goes wrong is kept with the flow and the time until the host of the run asks for it. After the
//! first failure no law is called any more.

mod flow;
mod policy;
mod shown;

pub use policy::View;
pub use shown::{Event, Window};

use crate::error::RunError;
use flow::PythonLaw;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use transport::cc::external::{Foreign, Maker};

/// The methods that a law may have.
#[derive(Clone, Copy, Debug, Default)]
struct Methods {
    ssthresh_after: bool,
    on_loss: bool,
    on_repeated_timeout: bool,
    on_idle: bool,
    on_news: bool,
    pacing_rate: bool,
    hears_every_ack: bool,
    paces: bool,
}

/// What a class decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// How a window moves.
    Law,
    /// Which circuits there are.
    Policy,
}

/// A class, what its laws cost, and what has gone wrong in one of them.
pub struct PythonMaker {
    name: String,
    role: Role,
    class: Py<PyAny>,
    clock: Py<PyAny>,
    methods: Methods,
    calls: AtomicU64,
    nanoseconds: AtomicU64,
    has_failed: AtomicBool,
    failure: Mutex<Option<Failure>>,
}

/// What went wrong, and where.
struct Failure {
    place: String,
    error: PyErr,
}

impl fmt::Debug for PythonMaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PythonMaker({})", self.name)
    }
}

impl PythonMaker {
    /// A maker of laws of `class`, which `photocol.law` has accepted, under the name that scenarios have for it.
    pub fn new(name: &str, class: &Bound<'_, PyAny>) -> PyResult<PythonMaker> {
        let py = class.py();
        let has = |method: &str| class.hasattr(method);
        let is_on = |flag: &str| class.getattr_opt(flag)?.map_or(Ok(false), |flag| flag.is_truthy());
        let methods = Methods {
            ssthresh_after: has("ssthresh_after")?,
            on_loss: has("on_loss")?,
            on_repeated_timeout: has("on_repeated_timeout")?,
            on_idle: has("on_idle")?,
            on_news: has("on_news")?,
            pacing_rate: has("pacing_rate")?,
            hears_every_ack: is_on("every_ack")?,
            paces: is_on("paced")?,
        };
        let clock = py.import("time")?.getattr("perf_counter_ns")?.unbind();
        Ok(PythonMaker::of(name.to_owned(), class.clone().unbind(), clock, methods))
    }

    /// The same of a policy.
    fn of_policy(name: &str, class: &Bound<'_, PyAny>) -> PyResult<PythonMaker> {
        let maker = PythonMaker::new(name, class)?;
        Ok(PythonMaker { role: Role::Policy, ..maker })
    }

    fn of(name: String, class: Py<PyAny>, clock: Py<PyAny>, methods: Methods) -> PythonMaker {
        let (calls, nanoseconds) = (AtomicU64::new(0), AtomicU64::new(0));
        let (has_failed, failure) = (AtomicBool::new(false), Mutex::new(None));
        PythonMaker { name, role: Role::Law, class, clock, methods, calls, nanoseconds, has_failed, failure }
    }

    /// What it decides.
    pub fn role(&self) -> Role {
        self.role
    }

    /// What stands for a law whose source has been read and not executed; it says which methods the law has, as far as
    /// they matter then, and makes none.
    fn unexecuted(py: Python<'_>, name: &str, methods: Methods) -> PythonMaker {
        PythonMaker::of(name.to_owned(), py.None(), py.None(), methods)
    }

    /// What scenarios call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Name, calls, and seconds in Python.
    pub fn cost(&self) -> (String, u64, f64) {
        let seconds = self.nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9;
        (self.name.clone(), self.calls.load(Ordering::Relaxed), seconds)
    }

    /// The exception of the first failure, if there was one. What is no `Exception`, such as KeyboardInterrupt, is
    /// handed on as it is.
    pub fn failure(&self, py: Python<'_>) -> Option<PyErr> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        if !failure.error.is_instance_of::<PyException>(py) {
            return Some(failure.error);
        }
        let kind = failure.error.get_type(py).name().map_or_else(|_| "error".to_owned(), |name| name.to_string());
        let what = if self.role == Role::Law { "law" } else { "policy" };
        // Of its own method, whatever that has called.
        let line = failure.error.traceback(py).and_then(|from| from.getattr("tb_lineno").ok());
        let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
        let Failure { place, error } = &failure;
        let message = format!("the {what} {}, {place}{line}: {kind}: {}", self.name, error.value(py));
        let error = RunError::new_err(message);
        error.set_cause(py, Some(failure.error));
        Some(error)
    }

    fn fail(&self, place: String, error: PyErr) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(Failure { place, error });
        self.has_failed.store(true, Ordering::Relaxed);
    }

    /// A call that began then is over.
    fn count(&self, py: Python<'_>, began: u64) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.nanoseconds.fetch_add(self.now(py).saturating_sub(began), Ordering::Relaxed);
    }

    /// Nanoseconds.
    fn now(&self, py: Python<'_>) -> u64 {
        self.clock.call0(py).and_then(|now| now.extract(py)).unwrap_or(0)
    }
}

/// A maker that several flows share.
#[derive(Clone, Debug)]
pub struct Shared(pub Arc<PythonMaker>);

impl Maker for Shared {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn make(&self) -> Box<dyn Foreign> {
        Box::new(PythonLaw::new(Arc::clone(&self.0)))
    }

    fn paces(&self) -> bool {
        self.0.methods.paces
    }

    fn hears_news(&self) -> bool {
        self.0.methods.on_news
    }
}

/// Reads the source of the law that a scenario names; nothing of it is executed.
pub fn read(py: Python<'_>, name: &str) -> Result<Arc<PythonMaker>, String> {
    let asked = || -> PyResult<Methods> {
        let laws = py.import("photocol.runs.laws")?;
        let ask = |what: &str| laws.getattr(what)?.call1((name,))?.extract();
        Ok(Methods { paces: ask("paces")?, on_news: ask("hears_news")?, ..Methods::default() })
    };
    let maker = asked().map(|methods| Arc::new(PythonMaker::unexecuted(py, name, methods)));
    maker.map_err(|error| error.value(py).to_string())
}

/// The same of a policy: that its class is one is seen, and nothing executed.
pub fn read_policy(py: Python<'_>, name: &str) -> Result<Arc<PythonMaker>, String> {
    let asked = py.import("photocol.runs.laws").and_then(|laws| laws.getattr("check_policy")?.call1((name,)));
    asked.map_err(|error| error.value(py).to_string())?;
    let maker = PythonMaker::unexecuted(py, name, Methods::default());
    Ok(Arc::new(PythonMaker { role: Role::Policy, ..maker }))
}

/// Finds the class of a policy, for which its file is executed.
pub fn found_policy(py: Python<'_>, name: &str) -> PyResult<Arc<PythonMaker>> {
    let class = py.import("photocol.runs.laws")?.getattr("find_policy")?.call1((name,))?;
    PythonMaker::of_policy(name, &class).map(Arc::new)
}

/// Finds the class that a scenario names, for which its file is executed.
pub fn found(py: Python<'_>, name: &str) -> PyResult<Arc<PythonMaker>> {
    let class = py.import("photocol.laws")?.getattr("find")?.call1((name,))?;
    PythonMaker::new(name, &class).map(Arc::new)
}
