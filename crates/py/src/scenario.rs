//! A scenario, read and resolved.

use crate::circuits::CircuitSchedule;
use crate::error::{ScenarioError, scenario_error};
use crate::files::Conversions;
use crate::law::{self, PythonMaker, Role, Shared};
use pyo3::prelude::*;
use sim::scenario::{self, Input, Loaded, RackCircuits};
use sim::switching::chooser::ChooserMaker;
use std::borrow::Cow;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use transport::cc::external::Maker;

/// `(path, value)` pairs that replace what the file says.
type Settings = Vec<(String, String)>;

/// A valid scenario.
#[pyclass(module = "photocol._core", frozen)]
pub struct Scenario {
    loaded: Loaded,
    /// The laws in Python, whose sources have been read, in the order of the transports' names; then the policy of the
    /// switches, if it is a class.
    laws: Vec<Arc<PythonMaker>>,
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

    /// What the run is sure to hold at once.
    #[getter]
    fn least_memory_bytes(&self) -> u64 {
        self.loaded.memory.count()
    }

    #[getter]
    fn duration_s(&self) -> f64 {
        self.loaded.scenario.run.duration.as_secs_f64()
    }

    /// The names of the hosts outside and their longest packet in bytes, if there are any.
    #[getter]
    fn external(&self) -> Option<(Vec<&str>, u32)> {
        let scenario = &self.loaded.scenario;
        let external = scenario.external.as_ref()?;
        let name = |node: &sim::model::NodeId| scenario.network.nodes[node.index()].name.as_str();
        Some((external.hosts.iter().map(name).collect(), external.mtu))
    }

    /// What it calls its laws in Python, which a run executes.
    #[getter]
    fn laws(&self) -> Vec<&str> {
        self.laws.iter().map(|law| law.name()).collect()
    }

    /// What a user should know who has not asked, a sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.loaded.notes()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.loaded.warnings.clone()
    }

    /// The racks, the switches between them and when these have which circuits; none without any.
    fn circuits(&self) -> Option<(Vec<String>, Vec<String>, CircuitSchedule)> {
        let RackCircuits { racks, switches, schedule } = self.loaded.circuits()?;
        Some((racks, switches, CircuitSchedule(schedule)))
    }

    /// The resolved scenario as TOML, every default written out.
    fn explain(&self) -> String {
        self.loaded.explain()
    }
}

impl Scenario {
    /// What the engine builds from, with makers of laws in Python that nothing has called yet. The laws' files are
    /// executed here, and nowhere before.
    pub fn resolved(&self, py: Python<'_>) -> PyResult<(Cow<'_, scenario::Scenario>, Vec<Arc<PythonMaker>>)> {
        let mut scenario = Cow::Borrowed(&self.loaded.scenario);
        let found = |law: &Arc<PythonMaker>| match law.role() {
            Role::Law => law::found(py, law.name()),
            Role::Policy => law::found_policy(py, law.name()),
        };
        let laws = self.laws.iter().map(found).collect::<PyResult<Vec<_>>>()?;
        if let Some(policy) = laws.last().filter(|law| law.role() == Role::Policy) {
            scenario.to_mut().set_chooser(Arc::clone(policy) as Arc<dyn ChooserMaker>);
        }
        if !laws.is_empty() {
            let transports = scenario.to_mut().model.transports.iter_mut();
            let senders = transports.filter_map(|transport| transport.kind.sender_mut());
            let externals = senders.filter(|sender| sender.laws.external.maker.is_some());
            // Both are in the order of the transports' names.
            for (sender, law) in externals.zip(&laws) {
                let maker = Shared(Arc::clone(law));
                // A class that is not written where it is named is known only now.
                sender.paced |= maker.paces();
                sender.laws.external.maker = Some(Arc::new(maker));
            }
        }
        Ok((scenario, laws))
    }
}

fn read(py: Python<'_>, source: Input<'_>, set: &[(String, String)]) -> PyResult<Scenario> {
    let laws = RefCell::new(Vec::new());
    let find = |name: &str| {
        let maker = law::read(py, name)?;
        laws.borrow_mut().push(Arc::clone(&maker));
        let maker: Arc<dyn Maker> = Arc::new(Shared(maker));
        Ok(maker)
    };
    let loaded = scenario::load_with(source, set, &find, Some(&Conversions(py)));
    let loaded = loaded.map_err(|error| scenario_error(py, &error))?;
    let mut laws = laws.into_inner();
    if let Some(class) = loaded.scenario.code() {
        // The last one, if there are laws.
        let policy = law::read_policy(py, class).map_err(|why| {
            let message = format!("switching.class: found {class:?}: {why}");
            ScenarioError::new_err(message)
        })?;
        laws.push(policy);
    }
    Ok(Scenario { loaded, laws })
}
