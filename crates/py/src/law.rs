//! Window laws that are classes in Python: each event becomes a call, each answer is checked, and what goes wrong is kept with the
//! flow and the time until the host of the run asks for it. After the first failure no law is called any more.

use crate::error::RunError;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use transport::cc::external::{Foreign, Maker};
use transport::cc::{self, LossCause};
use units::{Duration, Rate};

/// The congestion window that a law moves, in bytes.
#[pyclass(module = "photocol._core", name = "LawWindow")]
pub struct Window(cc::Window);

#[pymethods]
impl Window {
    #[getter]
    fn cwnd(&self) -> u64 {
        self.0.cwnd
    }

    #[setter]
    fn set_cwnd(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.cwnd = bytes("cwnd", value)?;
        Ok(())
    }

    /// Infinite while "arbitrarily high".
    #[getter]
    fn ssthresh(&self) -> f64 {
        if self.0.ssthresh == u64::MAX { f64::INFINITY } else { self.0.ssthresh as f64 }
    }

    #[setter]
    fn set_ssthresh(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let is_infinite = value.extract::<f64>().is_ok_and(|value| value == f64::INFINITY);
        self.0.ssthresh = if is_infinite { u64::MAX } else { bytes("ssthresh", value)? };
        Ok(())
    }

    #[getter]
    fn mss(&self) -> u64 {
        self.0.mss
    }

    #[getter]
    fn in_slow_start(&self) -> bool {
        self.0.in_slow_start()
    }

    /// Slow start: min(acked, mss) more (RFC 5681).
    fn slow_start(&mut self, acked: u64) {
        self.0.slow_start(acked);
    }
}

/// A number of bytes; parts of a byte are left out.
fn bytes(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Ok(whole) = value.extract::<u64>() {
        return Ok(whole);
    }
    match value.extract::<f64>() {
        // `as` saturates.
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number as u64),
        _ => Err(PyValueError::new_err(format!(
            "{name} is {}, must be a finite number of bytes from 0 on",
            value.repr()?
        ))),
    }
}

/// What a law is told; times are seconds, sizes bytes.
#[pyclass(module = "photocol._core", name = "LawEvent", frozen)]
pub struct Event {
    event: cc::Event,
    cause: Option<LossCause>,
}

#[pymethods]
impl Event {
    #[getter]
    fn now(&self) -> f64 {
        self.event.now.as_secs_f64()
    }

    #[getter]
    fn acked(&self) -> u64 {
        self.event.acked
    }

    #[getter]
    fn sacked(&self) -> u64 {
        self.event.sacked
    }

    #[getter]
    fn lost(&self) -> u64 {
        self.event.lost
    }

    #[getter]
    fn rtt_sample(&self) -> Option<f64> {
        self.event.rtt_sample.map(Duration::as_secs_f64)
    }

    #[getter]
    fn srtt(&self) -> Option<f64> {
        self.event.srtt.map(Duration::as_secs_f64)
    }

    /// Bit/s.
    #[getter]
    fn delivery_rate(&self) -> Option<f64> {
        Some(self.event.rate_sample?.rate()?.bps() as f64)
    }

    /// Bytes that had been delivered when the segment left that the rate is of.
    #[getter]
    fn prior_delivered(&self) -> Option<u64> {
        Some(self.event.rate_sample?.prior_delivered)
    }

    /// Bytes that have been delivered.
    #[getter]
    fn delivered(&self) -> Option<u64> {
        self.event.rate_sample.map(|sample| sample.prior_delivered.saturating_add(sample.delivered))
    }

    /// Whether the rate may be too low, because the application had nothing more to send.
    #[getter]
    fn rate_is_app_limited(&self) -> bool {
        self.event.rate_sample.is_some_and(|sample| sample.is_app_limited)
    }

    #[getter]
    fn in_flight(&self) -> u64 {
        self.event.in_flight
    }

    #[getter]
    fn ecn_echo(&self) -> bool {
        self.event.ecn_echo
    }

    #[getter]
    fn is_app_limited(&self) -> bool {
        self.event.is_app_limited
    }

    #[getter]
    fn in_recovery(&self) -> bool {
        self.event.in_recovery
    }

    /// At a loss how it was noticed.
    #[getter]
    fn cause(&self) -> Option<&'static str> {
        Some(match self.cause? {
            LossCause::FastRetransmit => "fast-retransmit",
            LossCause::Timeout => "timeout",
            LossCause::Mark => "mark",
            LossCause::Contention => "contention",
        })
    }
}

/// The methods that a law may have.
#[derive(Clone, Copy, Debug)]
struct Methods {
    ssthresh_after: bool,
    on_loss: bool,
    on_repeated_timeout: bool,
    on_idle: bool,
    pacing_rate: bool,
    hears_every_ack: bool,
    paces: bool,
}

/// A class, what its laws cost, and what has gone wrong in one of them.
pub struct PythonMaker {
    name: String,
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
            pacing_rate: has("pacing_rate")?,
            hears_every_ack: is_on("every_ack")?,
            paces: is_on("paced")?,
        };
        let clock = py.import("time")?.getattr("perf_counter_ns")?.unbind();
        Ok(PythonMaker::of(name.to_owned(), class.clone().unbind(), clock, methods))
    }

    fn of(name: String, class: Py<PyAny>, clock: Py<PyAny>, methods: Methods) -> PythonMaker {
        let (calls, nanoseconds) = (AtomicU64::new(0), AtomicU64::new(0));
        let (has_failed, failure) = (AtomicBool::new(false), Mutex::new(None));
        PythonMaker { name, class, clock, methods, calls, nanoseconds, has_failed, failure }
    }

    /// The same class, without calls and failures.
    pub fn anew(&self, py: Python<'_>) -> PythonMaker {
        PythonMaker::of(self.name.clone(), self.class.clone_ref(py), self.clock.clone_ref(py), self.methods)
    }

    /// Name, calls, and seconds in Python.
    pub fn cost(&self) -> (String, u64, f64) {
        let seconds = self.nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9;
        (self.name.clone(), self.calls.load(Ordering::Relaxed), seconds)
    }

    /// The exception of the first failure, if there was one. What is no `Exception`, such as KeyboardInterrupt, is handed on as it is.
    pub fn failure(&self, py: Python<'_>) -> Option<PyErr> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        if !failure.error.is_instance_of::<PyException>(py) {
            return Some(failure.error);
        }
        let kind = failure.error.get_type(py).name().map_or_else(|_| "error".to_owned(), |name| name.to_string());
        let message = format!("the law {}, {}: {kind}: {}", self.name, failure.place, failure.error.value(py));
        let error = RunError::new_err(message);
        error.set_cause(py, Some(failure.error));
        Some(error)
    }

    fn fail(&self, place: String, error: PyErr) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(Failure { place, error });
        self.has_failed.store(true, Ordering::Relaxed);
    }

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
        Box::new(PythonLaw { maker: Arc::clone(&self.0), flow: 0, objects: None })
    }

    fn paces(&self) -> bool {
        self.0.methods.paces
    }
}

/// The law of one flow; its object is made at the first event.
#[derive(Debug)]
struct PythonLaw {
    maker: Arc<PythonMaker>,
    flow: u64,
    objects: Option<Objects>,
}

/// The law's object, and the window that it is shown.
#[derive(Debug)]
struct Objects {
    law: Py<PyAny>,
    window: Py<Window>,
}

impl PythonLaw {
    /// Calls a method with the window, the event and perhaps one thing more; the window is then what the law has left.
    fn call<T: Default>(
        &mut self,
        method: &str,
        window: &mut cc::Window,
        event: Event,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> T {
        if self.maker.has_failed.load(Ordering::Relaxed) {
            return T::default();
        }
        let now = event.event.now;
        Python::attach(|py| {
            let maker = Arc::clone(&self.maker);
            let began = maker.now(py);
            let answer = self.answer(py, method, window, event).and_then(|answer| read(&answer));
            maker.calls.fetch_add(1, Ordering::Relaxed);
            maker.nanoseconds.fetch_add(maker.now(py).saturating_sub(began), Ordering::Relaxed);
            answer.unwrap_or_else(|error| {
                maker.fail(format!("{method} of flow {} at {} s", self.flow, now.as_secs_f64()), error);
                T::default()
            })
        })
    }

    fn answer<'py>(
        &mut self,
        py: Python<'py>,
        method: &str,
        window: &mut cc::Window,
        event: Event,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.objects.is_none() {
            let (law, shown) = (self.maker.class.call0(py)?, Py::new(py, Window(*window))?);
            self.objects = Some(Objects { law, window: shown });
        }
        let Some(Objects { law, window: shown }) = &self.objects else { unreachable!("the objects are there") };
        shown.borrow_mut(py).0 = *window;
        let answer = law.bind(py).call_method1(method, (shown.clone_ref(py), Bound::new(py, event)?))?;
        *window = shown.borrow(py).0;
        Ok(answer)
    }
}

impl Event {
    fn of(event: &cc::Event) -> Event {
        Event { event: *event, cause: None }
    }
}

fn nothing(_: &Bound<'_, PyAny>) -> PyResult<()> {
    Ok(())
}

impl Foreign for PythonLaw {
    fn set_flow(&mut self, flow: u64) {
        self.flow = flow;
    }

    fn hears_every_ack(&self) -> bool {
        self.maker.methods.hears_every_ack
    }

    fn on_ack(&mut self, window: &mut cc::Window, event: &cc::Event) {
        self.call("on_ack", window, Event::of(event), nothing);
    }

    fn on_loss(&mut self, window: &mut cc::Window, loss: &cc::Loss) {
        let event = Event { event: loss.event, cause: Some(loss.cause) };
        if self.maker.methods.on_loss {
            return self.call("on_loss", window, event, nothing);
        }
        let half = loss.event.in_flight / 2;
        let ssthresh = match self.maker.methods.ssthresh_after {
            true => self.call("ssthresh_after", window, event, |answer| bytes("ssthresh_after", answer)),
            false => half,
        };
        window.cut(loss.cause, ssthresh);
    }

    fn on_repeated_timeout(&mut self, window: &mut cc::Window, event: &cc::Event) {
        match self.maker.methods.on_repeated_timeout {
            true => self.call("on_repeated_timeout", window, Event::of(event), nothing),
            false => window.cwnd = window.mss,
        }
    }

    fn on_idle(&mut self, window: &mut cc::Window, restart: u64, event: &cc::Event) {
        match self.maker.methods.on_idle {
            true => self.call("on_idle", window, Event::of(event), nothing),
            false => window.cwnd = window.cwnd.min(restart),
        }
    }

    fn pacing_rate(&self, window: &cc::Window, srtt: Option<Duration>) -> Option<Rate> {
        if !self.maker.methods.pacing_rate || self.maker.has_failed.load(Ordering::Relaxed) {
            return None;
        }
        let law = &self.objects.as_ref()?.law;
        Python::attach(|py| {
            let began = self.maker.now(py);
            let asked = || -> PyResult<Option<Rate>> {
                let shown = Py::new(py, Window(*window))?;
                let answer =
                    law.bind(py).call_method1(intern!(py, "pacing_rate"), (shown, srtt.map(Duration::as_secs_f64)))?;
                if answer.is_none() {
                    return Ok(None);
                }
                let bps: f64 = answer.extract()?;
                if bps.is_finite() && bps >= 1.0 {
                    return Ok(Some(Rate::from_bps(bps as u64)));
                }
                Err(PyValueError::new_err(format!("pacing_rate is {bps:?}, must be None or at least 1 bit/s")))
            };
            let answer = asked();
            self.maker.calls.fetch_add(1, Ordering::Relaxed);
            self.maker.nanoseconds.fetch_add(self.maker.now(py).saturating_sub(began), Ordering::Relaxed);
            answer.unwrap_or_else(|error| {
                self.maker.fail(format!("pacing_rate of flow {}", self.flow), error);
                None
            })
        })
    }

    fn copy(&self) -> Box<dyn Foreign> {
        let objects = self.objects.as_ref().and_then(|objects| Python::attach(|py| self.copied(py, objects)));
        Box::new(PythonLaw { maker: Arc::clone(&self.maker), flow: self.flow, objects })
    }
}

impl PythonLaw {
    fn copied(&self, py: Python<'_>, objects: &Objects) -> Option<Objects> {
        let copy = || -> PyResult<Objects> {
            let law = py.import("copy")?.getattr("deepcopy")?.call1((&objects.law,))?.unbind();
            let window = Py::new(py, Window(objects.window.borrow(py).0))?;
            Ok(Objects { law, window })
        };
        copy().map_err(|error| self.maker.fail(format!("a copy of flow {}", self.flow), error)).ok()
    }
}

/// Finds the class that a scenario names.
pub fn found(py: Python<'_>, name: &str) -> Result<Arc<PythonMaker>, String> {
    let maker = || -> PyResult<PythonMaker> {
        let class = py.import("photocol.laws")?.getattr("find")?.call1((name,))?;
        PythonMaker::new(name, &class)
    };
    maker().map(Arc::new).map_err(|error| error.value(py).to_string())
}
