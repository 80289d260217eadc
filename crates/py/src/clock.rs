//! The clocks of machines that are driven by hand.

use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use units::Instant;

/// The clock shows `t` seconds, or what it showed before; clocks do not run backwards.
pub fn reading(before: Instant, t: Option<f64>) -> PyResult<Instant> {
    let Some(t) = t else { return Ok(before) };
    Instant::from_secs_f64(t).filter(|now| *now >= before).ok_or_else(|| {
        PyValueError::new_err(format!("t is {t} s, must be a time from {} s (the last call) on", before.as_secs_f64()))
    })
}
