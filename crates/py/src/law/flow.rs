//! The law of one flow: an object of the class, called once for each event.

use super::PythonMaker;
use super::shown::{Event, Window, bytes};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use transport::cc;
use transport::cc::external::Foreign;
use units::{Duration, Rate};

/// The law of one flow; its object is made at the first event.
#[derive(Debug)]
pub(super) struct PythonLaw {
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
    pub(super) fn new(maker: Arc<PythonMaker>) -> PythonLaw {
        PythonLaw { maker, flow: 0, objects: None }
    }

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
        let now = event.reading();
        Python::attach(|py| {
            let maker = Arc::clone(&self.maker);
            let began = maker.now(py);
            let answer = self.answer(py, method, window, event).and_then(|answer| read(&answer));
            maker.count(py, began);
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

    fn copied(&self, py: Python<'_>, objects: &Objects) -> Option<Objects> {
        let copy = || -> PyResult<Objects> {
            let law = py.import("copy")?.getattr("deepcopy")?.call1((&objects.law,))?.unbind();
            let window = Py::new(py, Window(objects.window.borrow(py).0))?;
            Ok(Objects { law, window })
        };
        copy().map_err(|error| self.maker.fail(format!("a copy of flow {}", self.flow), error)).ok()
    }
}

/// More than any fibre carries; a bit takes a femtosecond.
const MAX_RATE_BPS: f64 = 1e15;

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
        let event = Event::of_loss(loss);
        if self.maker.methods.on_loss {
            return self.call("on_loss", window, event, nothing);
        }
        let half = loss.flight / 2;
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

    fn on_news(&mut self, window: &mut cc::Window, news: &cc::News) {
        if self.maker.methods.on_news {
            self.call("on_news", window, Event::of_news(news), nothing);
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
                if (1.0..=MAX_RATE_BPS).contains(&bps) {
                    return Ok(Some(Rate::from_bps(bps as u64)));
                }
                let allowed = format!("None or from 1 to {MAX_RATE_BPS:e} bit/s");
                Err(PyValueError::new_err(format!("pacing_rate is {bps:?}, must be {allowed}")))
            };
            let answer = asked();
            self.maker.count(py, began);
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
