//! The two exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};

create_exception!(_core, ScenarioError, PyValueError, "A scenario is wrong: what, and where it says so.");
create_exception!(_core, RunError, PyRuntimeError, "A run failed, or its results are not to be trusted.");

