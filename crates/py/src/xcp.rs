//! XCP's router, receiver and header, driven by hand. Times are seconds, sizes bytes, rates of headers and pools bytes
//! per second, the capacity bits per second or a quantity such as "45 Mbps".

use crate::clock::reading;
use crate::options::{each, set, unknown_option, wrong};
use options::Options;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use transport::xcp::{self, Format, Interval, Router, RouterConfig};
use units::{Duration, Instant, Rate};

/// (rtt, x, delta_throughput, reverse_feedback, protocol, minimal); rtt and x in seconds.
pub type Header = (f64, f64, i64, i64, u8, bool);

/// A header as a tuple.
pub fn fields(header: &xcp::Header) -> Header {
    let minimal = header.format == Format::Minimal;
    let (rtt, x) = (header.rtt.as_secs_f64(), header.x.as_secs_f64());
    (rtt, x, header.delta_throughput.into(), header.reverse_feedback.into(), header.protocol, minimal)
}

/// The 20 bytes of a header.
#[pyfunction]
pub fn xcp_encode(header: Header) -> PyResult<[u8; xcp::Header::LEN]> {
    Ok(from_fields(header)?.encode())
}

/// The header at the front of `data`.
#[pyfunction]
pub fn xcp_decode(data: &[u8]) -> PyResult<Header> {
    xcp::Header::decode(data).map(|header| fields(&header)).map_err(|why| PyValueError::new_err(why.to_string()))
}

/// `transport::xcp::Router` with its clock.
#[pyclass(module = "photocol._core")]
pub struct XcpRouter {
    machine: Router,
    now: Instant,
}

#[pymethods]
impl XcpRouter {
    #[new]
    #[pyo3(signature = (capacity, **options))]
    fn new(capacity: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<XcpRouter> {
        let mut config = RouterConfig::new(rate(capacity)?);
        each(options, |name, value| match config.find(name) {
            Some(place) => set(&mut config, place, value),
            None => Err(unknown_option(name, config.keys().iter().map(|key| key.name))),
        })?;
        config.validate().map_err(wrong)?;
        Ok(XcpRouter { machine: Router::new(config, Instant::ZERO), now: Instant::ZERO })
    }

    /// A packet arrives, finds `queue` bytes waiting, and leaves with the header returned.
    #[pyo3(signature = (t, header, size, queue=0, dropped=false))]
    fn on_packet(
        &mut self,
        t: f64,
        header: Option<Header>,
        size: i64,
        queue: u64,
        dropped: bool,
    ) -> PyResult<Option<Header>> {
        let mut header = header.map(from_fields).transpose()?;
        let out_of_range = || PyValueError::new_err(format!("size is {size}, must be from 0 to {} B", u32::MAX));
        let size = u32::try_from(size).map_err(|_| out_of_range())?;
        self.now = reading(self.now, Some(t))?;
        self.machine.handle_arrival(size, header.as_ref(), queue);
        if let Some(header) = header.as_mut().filter(|_| !dropped) {
            self.machine.handle_departure(size, header);
        }
        Ok(header.filter(|_| !dropped).as_ref().map(fields))
    }

    /// The clock reaches `t` with `queue` bytes waiting; a timer that is not due does nothing.
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
    fn capacity(&self) -> u64 {
        self.machine.capacity().bps()
    }

    #[getter]
    fn violations(&self) -> u64 {
        self.machine.violations()
    }

    /// The figures of the last decision by name; `None` before the first.
    #[getter]
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(figures) = self.machine.figures() else { return Ok(None) };
        let named = PyDict::new(py);
        named.set_item("end_s", figures.end.as_secs_f64())?;
        named.set_item("interval_s", figures.interval.as_secs_f64())?;
        named.set_item("capacity_bps", figures.capacity.bps())?;
        named.set_item("input_bytes", figures.input_bytes)?;
        named.set_item("mean_rtt_s", figures.mean_rtt.as_secs_f64())?;
        named.set_item("queue_bytes", figures.queue_bytes)?;
        named.set_item("feedback_byte_rate", figures.feedback)?;
        named.set_item("shuffled_byte_rate", figures.shuffled)?;
        named.set_item("unspent_positive_byte_rate", figures.unspent_positive)?;
        named.set_item("unspent_negative_byte_rate", figures.unspent_negative)?;
        Ok(Some(named))
    }
}

/// `transport::xcp::Receiver`.
#[pyclass(module = "photocol._core")]
pub struct XcpReceiver(xcp::Receiver);

#[pymethods]
impl XcpReceiver {
    #[new]
    fn new() -> XcpReceiver {
        XcpReceiver(xcp::Receiver::default())
    }

    /// A data segment arrives with this header.
    fn on_header(&mut self, header: Header) -> PyResult<()> {
        self.0.handle_header(&from_fields(header)?);
        Ok(())
    }

    /// The header of the ACK that leaves now.
    fn acknowledge(&mut self) -> Header {
        fields(&self.0.acknowledge())
    }
}

fn from_fields(header: Header) -> PyResult<xcp::Header> {
    let (rtt, x, delta_throughput, reverse_feedback, protocol, minimal) = header;
    let format = if minimal { Format::Minimal } else { Format::Standard };
    let (rtt, x) = (interval("rtt", rtt)?, interval("x", x)?);
    let delta_throughput = throughput("delta_throughput", delta_throughput)?;
    let reverse_feedback = throughput("reverse_feedback", reverse_feedback)?;
    Ok(xcp::Header { format, protocol, rtt, x, delta_throughput, reverse_feedback })
}

/// What the fields of 32 bits hold.
fn throughput(name: &str, value: i64) -> PyResult<i32> {
    let message = || format!("{name} is {value}, must be from {} to {} B/s", i32::MIN, i32::MAX);
    i32::try_from(value).map_err(|_| PyValueError::new_err(message()))
}

/// What the field holds at most is 2^32 − 1 steps of 2^-28 s.
fn interval(name: &str, seconds: f64) -> PyResult<Interval> {
    let out_of_range = || PyValueError::new_err(format!("{name} is {seconds}, must be from 0 s to below 16 s"));
    let span = Duration::from_secs_f64(seconds).filter(|span| *span < Duration::from_secs(16));
    span.map(Interval::from_duration).ok_or_else(out_of_range)
}

/// Bits per second, as a number or a text with a unit.
pub fn rate(value: &Bound<'_, PyAny>) -> PyResult<Rate> {
    if let Ok(text) = value.extract::<String>() {
        let wrong = |why| PyValueError::new_err(format!("capacity is '{text}': {why}"));
        return units::parse_rate(&text).map_err(wrong);
    }
    let bps: f64 = value.extract()?;
    if !(0.0..=1e18).contains(&bps) {
        return Err(PyValueError::new_err(format!("capacity is {bps}, must be from 0 to 1e18 bit/s")));
    }
    Ok(Rate::from_bps(bps.round() as u64))
}
