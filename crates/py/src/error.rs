//! The exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(_core, ScenarioError, PyValueError, "A scenario is wrong: what, and where it says so.");
create_exception!(
    _core,
    ModelError,
    PyValueError,
    "A model cannot be asked that: which input, what was found, what is allowed."
);
create_exception!(
    _core,
    QuicError,
    PyValueError,
    "A peer has said what ends a QUIC connection: the error's name in RFC 9000."
);
create_exception!(_core, RunError, PyRuntimeError, "A run failed, or its results are not to be trusted.");

/// The exception for a mistake in a scenario; it carries the place as attributes.
pub fn scenario_error(py: Python<'_>, error: &sim::scenario::Error) -> PyErr {
    let exception = ScenarioError::new_err(error.to_string());
    let value = exception.value(py);
    let attributes = value
        .setattr("file", error.file.as_deref())
        .and_then(|()| value.setattr("line", error.line))
        .and_then(|()| value.setattr("column", error.column))
        .and_then(|()| value.setattr("key", Some(error.key.as_str()).filter(|key| !key.is_empty())))
        .and_then(|()| value.setattr("message", error.message.as_str()));
    attributes.err().unwrap_or(exception)
}

/// The exception for a scenario that reads well and cannot be built, for example because two nodes are not connected.
pub fn unbuildable(py: Python<'_>, error: &sim::engine::RunError) -> PyErr {
    let exception = ScenarioError::new_err(error.to_string());
    let value = exception.value(py);
    let missing = ["file", "line", "column", "key"].iter().try_for_each(|name| value.setattr(*name, py.None()));
    let attributes = missing.and_then(|()| value.setattr("message", error.to_string()));
    attributes.err().unwrap_or(exception)
}

/// The exception for a run that failed.
pub fn run_error(error: &sim::engine::RunError) -> PyErr {
    RunError::new_err(error.to_string())
}
