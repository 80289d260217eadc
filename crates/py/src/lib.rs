//! `photocol._core`: the Rust side of the Python package, private to it.
//!
//! Bindings only: values are converted, errors become exceptions, and long calls release the interpreter's lock. What a
//! call means is said in `python/photocol`, whose stub `_core.pyi` a test compares with this module.

mod catalogue;
mod error;
mod tcp;

/// The extension module.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::catalogue::catalogue;
    #[pymodule_export]
    use super::error::{RunError, ScenarioError};
    #[pymodule_export]
    use super::tcp::{Receiver, Sender};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
