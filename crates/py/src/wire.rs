//! Slots of the signalling as dicts, and the clock filter.

use control::sync::{self, FilterConfig, Heard, Sample};
use control::wire::{self, Block, Fields, Key, Slot, Value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use units::{Duration, Instant};

/// An error as an exception.
pub fn wrong(error: impl std::error::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The bytes of a slot: its header, and blocks by name.
#[pyfunction]
pub fn wire_encode<'py>(
    py: Python<'py>,
    header: &Bound<'py, PyDict>,
    blocks: Vec<(String, Bound<'py, PyDict>)>,
    key: &[u8],
) -> PyResult<Bound<'py, PyBytes>> {
    let blocks = blocks.iter().map(|(name, block)| Ok((name.clone(), fields(block)?))).collect::<PyResult<_>>()?;
    let slot = Slot::of_values(fields(header)?, blocks).map_err(wrong)?;
    let bytes = slot.encode(&Key::new(key).map_err(wrong)?).map_err(wrong)?;
    Ok(PyBytes::new(py, &bytes))
}

/// A block's name and its fields.
pub type NamedBlock<'py> = (&'static str, Bound<'py, PyDict>);

/// The header and the blocks of a slot. Without a key its tag is not looked at.
#[pyfunction]
#[pyo3(signature = (data, key=None))]
pub fn wire_decode<'py>(
    py: Python<'py>,
    data: &[u8],
    key: Option<&[u8]>,
) -> PyResult<(Bound<'py, PyDict>, Vec<NamedBlock<'py>>)> {
    let slot = match key {
        Some(key) => Key::new(key).map_err(wrong)?.open(data),
        None => wire::decode(data),
    };
    let (header, blocks) = slot.map_err(wrong)?.values();
    let blocks = blocks.into_iter().map(|(name, block)| Ok((name, dict(py, block)?)));
    Ok((dict(py, header)?, blocks.collect::<PyResult<_>>()?))
}

/// Fields as a dict.
pub fn dict<'py>(py: Python<'py>, fields: Fields) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in fields {
        match value {
            Value::Number(number) => dict.set_item(name, number)?,
            Value::Name(code) => dict.set_item(name, code)?,
            Value::Bytes(bytes) => dict.set_item(name, PyBytes::new(py, &bytes))?,
            Value::List(entries) => {
                let entries = entries.into_iter().map(|entry| self::dict(py, entry)).collect::<PyResult<Vec<_>>>()?;
                dict.set_item(name, entries)?;
            }
        }
    }
    Ok(dict)
}

/// A block by its name and its fields.
pub fn named(name: &str, fields: &Bound<'_, PyDict>) -> PyResult<Block> {
    Block::of_values(name, self::fields(fields)?).map_err(wrong)
}

/// The blocks of a slot.
pub fn blocks_of(blocks: Vec<(String, Bound<'_, PyDict>)>) -> PyResult<Vec<Block>> {
    blocks.iter().map(|(name, fields)| named(name, fields)).collect()
}

fn fields(dict: &Bound<'_, PyDict>) -> PyResult<Fields> {
    dict.iter().map(|(name, item)| Ok((name.extract()?, value(&item)?))).collect()
}

fn value(item: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(bytes) = item.cast::<PyBytes>() {
        return Ok(Value::Bytes(bytes.as_bytes().to_vec()));
    }
    if let Ok(name) = item.cast::<PyString>() {
        return Ok(Value::Name(name.extract()?));
    }
    if let Ok(list) = item.cast::<PyList>() {
        let entries = list.iter().map(|entry| fields(entry.cast::<PyDict>()?)).collect::<PyResult<_>>()?;
        return Ok(Value::List(entries));
    }
    item.extract().map(Value::Number)
}

/// `control::sync::ClockFilter`. Times are picoseconds.
#[pyclass(module = "photocol._core")]
pub struct ClockFilter(sync::ClockFilter);

#[pymethods]
impl ClockFilter {
    #[new]
    fn new(stamp_error_ps: u64, largest_drift: f64, wander: f64, change_after: u32) -> ClockFilter {
        let stamp_error = Duration::from_ps(stamp_error_ps);
        ClockFilter(sync::ClockFilter::new(FilterConfig { stamp_error, largest_drift, wander, change_after }))
    }

    /// A slot that was stamped at both ends.
    fn one_way(&mut self, sent_ps: u64, received_ps: u64) -> &'static str {
        self.heard(Sample::one_way(Instant::from_ps(sent_ps), Instant::from_ps(received_ps)))
    }

    /// An exchange: sent here, arrived there, left there, received here.
    fn two_way(&mut self, sent_ps: u64, there_ps: u64, back_ps: u64, received_ps: u64) -> &'static str {
        let [sent, there, back, received] = [sent_ps, there_ps, back_ps, received_ps].map(Instant::from_ps);
        self.heard(Sample::two_way(sent, there, back, received))
    }

    /// T_d in ps, its drift as a ratio, and its standard error in ps.
    fn estimate(&self, at_ps: u64) -> Option<(i64, f64, f64)> {
        let estimate = self.0.estimate(Instant::from_ps(at_ps))?;
        Some((estimate.difference, estimate.drift, estimate.error))
    }

    /// T_d in ps and its drift by the regression through the best of the last samples.
    fn regression(&self, at_ps: u64) -> Option<(i64, f64)> {
        self.0.line().map(|line| (line.difference(Instant::from_ps(at_ps)), line.drift()))
    }

    /// When light must leave to arrive at that instant of the other clock.
    fn send_time(&self, arrival_ps: u64) -> Option<u64> {
        self.0.send_time(Instant::from_ps(arrival_ps)).map(Instant::ps)
    }

    #[getter]
    fn restarts(&self) -> u64 {
        self.0.restarts()
    }
}

impl ClockFilter {
    fn heard(&mut self, sample: Sample) -> &'static str {
        match self.0.observe(sample) {
            Heard::Taken => "taken",
            Heard::Stale => "stale",
            Heard::Restarted => "restarted",
        }
    }
}
