//! RCP's port, driven by hand. Times are seconds, sizes bytes, rates and the capacity bits per second or a quantity
//! such as "45 Mbps".

use crate::clock::reading;
use crate::options::{each, set, unknown_option, wrong};
use crate::xcp::rate;
use options::Options;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use transport::cc::rcp::Config;
use transport::rcp::{Offer, Router};
use units::{Duration, Instant, Rate};

/// `transport::rcp::Router` with its clock.
#[pyclass(module = "photocol._core")]
pub struct RcpRouter {
    machine: Router,
    now: Instant,
}

#[pymethods]
impl RcpRouter {
    #[new]
    #[pyo3(signature = (capacity, **options))]
    fn new(capacity: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<RcpRouter> {
        let mut config = Config::default();
        // A port by hand is told its capacity and looks nowhere ahead.
        let own = |config: &Config, name: &str| config.find(name).filter(|_| name != "ahead");
        each(options, |name, value| match own(&config, name) {
            Some(place) => set(&mut config, place, value),
            None => {
                let names = config.keys().iter().map(|key| key.name).filter(|name| *name != "ahead");
                Err(unknown_option(name, names))
            }
        })?;
        config.check_ranges().map_err(wrong)?;
        Ok(RcpRouter { machine: Router::new(&config, rate(capacity)?, Instant::ZERO), now: Instant::ZERO })
    }

    /// A packet arrives, finds `queue` bytes waiting, and leaves with the rate returned.
    #[pyo3(signature = (t, size, rtt=0.0, offered=None, queue=0, dropped=false))]
    fn on_packet(
        &mut self,
        t: f64,
        size: u32,
        rtt: f64,
        offered: Option<&Bound<'_, PyAny>>,
        queue: u64,
        dropped: bool,
    ) -> PyResult<Option<f64>> {
        let out_of_range = || PyValueError::new_err(format!("rtt is {rtt}, must be a time from 0 s on"));
        let rtt = Duration::from_secs_f64(rtt).ok_or_else(out_of_range)?;
        let rate = offered.map(rate).transpose()?.unwrap_or(Offer::NONE.rate);
        self.now = reading(self.now, Some(t))?;
        self.machine.handle_timeout(self.now, queue);
        self.machine.handle_arrival(size);
        if dropped {
            return Ok(None);
        }
        let mut offer = Offer { rtt, rate };
        self.machine.handle_departure(self.now, &mut offer);
        Ok(Some(offer.rate.bps() as f64))
    }

    /// The clock reaches `t` with `queue` bytes waiting.
    #[pyo3(signature = (t, queue=0))]
    fn on_timer(&mut self, t: f64, queue: u64) -> PyResult<()> {
        self.now = reading(self.now, Some(t))?;
        self.machine.handle_timeout(self.now, queue);
        Ok(())
    }

    fn set_capacity(&mut self, capacity: &Bound<'_, PyAny>) -> PyResult<()> {
        self.machine.set_capacity(rate(capacity)?);
        Ok(())
    }

    #[getter]
    fn next_timer(&self) -> f64 {
        self.machine.next_timeout().as_secs_f64()
    }

    #[getter]
    fn rate(&self) -> f64 {
        Rate::bps(self.machine.rate()) as f64
    }
}
