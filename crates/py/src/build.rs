//! What this build is made of.

use pyo3::prelude::*;

/// Part of the build to what it is: the digest of the engine's sources, the compiler, the target (`build.rs` finds
/// them).
#[pyfunction]
pub fn build_parts() -> [(&'static str, &'static str); 3] {
    [("engine", env!("PHOTOCOL_SOURCES")), ("compiler", env!("PHOTOCOL_COMPILER")), ("target", env!("PHOTOCOL_TARGET"))]
}
