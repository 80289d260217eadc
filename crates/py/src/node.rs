//! The command `photocol-node`.

use pyo3::prelude::*;

/// `linux::main`: runs the command and returns its exit status. `itself` starts it again.
#[cfg(target_os = "linux")]
#[pyfunction]
pub fn node_main(py: Python<'_>, itself: Vec<String>, arguments: Vec<String>) -> u8 {
    py.detach(|| linux::main(itself, &arguments))
}

/// Elsewhere there is no such command.
#[cfg(not(target_os = "linux"))]
#[pyfunction]
pub fn node_main(itself: Vec<String>, arguments: Vec<String>) -> PyResult<u8> {
    let _ = (itself, arguments);
    Err(pyo3::exceptions::PyOSError::new_err("photocol-node needs Linux"))
}
