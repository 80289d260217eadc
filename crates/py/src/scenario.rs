//! A scenario, read and resolved.

use crate::error::scenario_error;
use pyo3::prelude::*;
use sim::scenario::{self, Input, Loaded};
use std::path::PathBuf;

/// `(path, value)` pairs that replace what the file says.
type Settings = Vec<(String, String)>;

/// A valid scenario.
#[pyclass(module = "photocol._core", frozen)]
pub struct Scenario {
    loaded: Loaded,
}

#[pymethods]
impl Scenario {
    /// From a TOML or JSON file.
    #[staticmethod]
    #[pyo3(signature = (path, set=Vec::new()))]
    fn load(py: Python<'_>, path: PathBuf, set: Settings) -> PyResult<Scenario> {
        read(py, Input::File(&path), &set)
    }

    /// From TOML; `name` stands in messages for the file's name, `folder` is where relative paths begin.
    #[staticmethod]
    #[pyo3(signature = (text, folder, set=Vec::new(), name="<text>"))]
    fn from_text(py: Python<'_>, text: &str, folder: PathBuf, set: Settings, name: &str) -> PyResult<Scenario> {
        read(py, Input::Text { name, text, folder: &folder }, &set)
    }

    /// From JSON.
    #[staticmethod]
    #[pyo3(signature = (text, folder, set=Vec::new()))]
    fn from_json(py: Python<'_>, text: &str, folder: PathBuf, set: Settings) -> PyResult<Scenario> {
        read(py, Input::Json { text, folder: &folder }, &set)
    }

    /// The text as it was read, with the settings applied.
    #[getter]
    fn text(&self) -> &str {
        &self.loaded.text
    }

    #[getter]
    fn name(&self) -> &str {
        &self.loaded.scenario.run.name
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.loaded.scenario.run.seed
    }

    #[getter]
    fn runs(&self) -> u32 {
        self.loaded.scenario.run.runs
    }

    /// What the run may take of the machine's memory.
    #[getter]
    fn memory_bytes(&self) -> u64 {
        self.loaded.scenario.run.memory.count()
    }

    #[getter]
    fn duration_s(&self) -> f64 {
        self.loaded.scenario.run.duration.as_secs_f64()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.loaded.warnings.clone()
    }

    /// The resolved scenario as TOML, every default written out.
    fn explain(&self) -> String {
        self.loaded.explain()
    }
}

impl Scenario {
    /// What the engine builds from.
    pub fn resolved(&self) -> &scenario::Scenario {
        &self.loaded.scenario
    }
}

fn read(py: Python<'_>, source: Input<'_>, set: &[(String, String)]) -> PyResult<Scenario> {
    let loaded = scenario::load(source, set).map_err(|error| scenario_error(py, &error))?;
    Ok(Scenario { loaded })
}
