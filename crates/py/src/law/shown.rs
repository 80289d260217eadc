//! What a law in Python is shown: its window, and an event.

use options::Words;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use transport::cc::{self, LossCause, PathChange};
use units::{Duration, Instant};

/// The congestion window that a law moves, in bytes.
#[pyclass(module = "photocol._core", name = "LawWindow")]
pub struct Window(pub(super) cc::Window);

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
        self.0.ssthresh = ssthresh("ssthresh", value)?;
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

/// The largest window that TCP can have: 2^30 bytes (RFC 7323, section 2.3).
const MAX_WINDOW: u64 = 1 << 30;

/// A number of bytes that a window can have; parts of a byte are left out.
pub(super) fn bytes(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    match value.extract::<f64>() {
        Ok(number) if (0.0..=MAX_WINDOW as f64).contains(&number) => Ok(number as u64),
        _ => Err(PyValueError::new_err(format!(
            "{name} is {}, must be a finite number of bytes from 0 to {MAX_WINDOW} (1 GiB, RFC 7323)",
            value.repr()?
        ))),
    }
}

/// The same, or infinite, which is "arbitrarily high".
fn ssthresh(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let is_infinite = value.extract::<f64>().is_ok_and(|value| value == f64::INFINITY);
    if is_infinite { Ok(u64::MAX) } else { bytes(name, value) }
}

/// What a law is told; times are seconds, sizes bytes.
#[pyclass(module = "photocol._core", name = "LawEvent", frozen)]
pub struct Event {
    event: cc::Event,
    cause: Option<LossCause>,
    change: Option<PathChange>,
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

    /// Of news how it came: "mark", "message" or "schedule".
    #[getter]
    fn way(&self) -> Option<&'static str> {
        self.change.map(|change| change.way.word())
    }

    /// Of news whether the path has more or less capacity then: "up", "down" or "same".
    #[getter]
    fn turn(&self) -> Option<&'static str> {
        self.change.map(|change| change.turn.word())
    }

    /// Of news the number of the division that begins.
    #[getter]
    fn division(&self) -> Option<u16> {
        self.change?.division
    }

    /// Of news the capacity in bit/s.
    #[getter]
    fn capacity(&self) -> Option<f64> {
        Some(self.change?.capacity?.bps() as f64)
    }

    /// Of news the round trip of the empty path from then on.
    #[getter]
    fn base_rtt(&self) -> Option<f64> {
        self.change?.base_rtt.map(|rtt| rtt.as_secs_f64())
    }

    /// Of news when the path changes.
    #[getter]
    fn at(&self) -> Option<f64> {
        self.change.map(|change| change.at.as_secs_f64())
    }

    /// At a loss how it was noticed.
    #[getter]
    fn cause(&self) -> Option<&'static str> {
        Some(match self.cause? {
            LossCause::FastRetransmit => "fast-retransmit",
            LossCause::Timeout => "timeout",
            LossCause::Mark => "mark",
            LossCause::Contention | LossCause::ContentionOfAll => "contention",
        })
    }
}

impl Event {
    pub(super) fn of(event: &cc::Event) -> Event {
        Event { event: *event, cause: None, change: None }
    }

    pub(super) fn of_loss(loss: &cc::Loss) -> Event {
        let event = cc::Event { in_flight: loss.flight, ..loss.event };
        Event { event, cause: Some(loss.cause), change: None }
    }

    pub(super) fn of_news(news: &cc::News) -> Event {
        Event { event: news.event, cause: None, change: Some(news.change) }
    }

    pub(super) fn reading(&self) -> Instant {
        self.event.now
    }
}
