//! From a user's file to a resolved scenario: `text → tree → Spec → Scenario`.
//!
//! | file | holds |
//! |---|---|
//! | `spec` | what a user may write |
//! | `resolve` | names to ids, defaults, and all checks of meaning |
//! | `files` | what others read for it: networks, flows and sizes in other people's forms |
//! | `explain` | the resolved scenario as a text that parses again |
//!
//! How values are read, checked and complained about is in [`language`].

mod explain;
mod files;
mod resolve;
mod schema;
pub mod spec;

pub use crate::language::{Error, Input};
pub use crate::topology::{ImportError, Imported, ImportedLink, ImportedNode};
pub use files::{Files, ImportedFlow, ImportedFlows, ImportedSizes, Orbits};
pub use schema::schema;

use crate::engine::node::machine::ApplicationMaker;
use crate::language::keys::Explained;
use crate::model::NodeId;
use crate::probes::Probes;
use crate::switching::chooser::ChooserMaker;
use crate::switching::kind::Plan;
use crate::{language, model};
use control::scheduler::circuits::CircuitSchedule;
use resolve::Resolved;
use std::any::Any;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use transport::cc::external::Maker;
use units::Bytes;

/// A resolved scenario: the model of what runs, the plan of its kind of switching, and its probes.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// All that does not depend on what the network switches.
    pub model: model::Scenario,
    pub(crate) plan: Arc<dyn Plan>,
    /// What writes into flows whose load says so, by number.
    pub(crate) applications: Vec<Arc<dyn ApplicationMaker>>,
    /// What is measured besides.
    pub(crate) probes: Probes,
    /// `[switching]` as it is written out; packets alone have none.
    pub(crate) switching: Option<Switched>,
}

/// A kind of switching and its keys.
#[derive(Clone, Debug)]
pub(crate) struct Switched {
    pub kind: &'static str,
    pub keys: Explained,
}

impl Scenario {
    /// The class that sets its circuits, "module:Class" or "file.py:Class", if one does.
    pub fn code(&self) -> Option<&str> {
        self.plan.code()
    }

    /// This makes what sets its circuits, if a class does.
    pub fn set_chooser(&mut self, maker: Arc<dyn ChooserMaker>) {
        if let Some(plan) = self.plan.with_chooser(maker) {
            self.plan = plan;
        }
    }

    /// The plan, if it is one of this type.
    pub fn plan<T: Any>(&self) -> Option<&T> {
        (&*self.plan as &dyn Any).downcast_ref()
    }
}

impl Deref for Scenario {
    type Target = model::Scenario;
    fn deref(&self) -> &model::Scenario {
        &self.model
    }
}

/// A scenario with what a manifest says besides.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Ready to run.
    pub scenario: Scenario,
    /// The layered scenario as TOML, after `--set`, with the paths of data files absolute: it means the same from
    /// anywhere.
    pub text: String,
    /// What is not wrong but probably not meant.
    pub warnings: Vec<String>,
    /// What the run is sure to hold at once. What queues and windows grow to comes on top.
    pub memory: Bytes,
    /// What was written, for the explanation.
    spec: spec::Spec,
}

/// The circuits between racks that come again.
#[derive(Clone, Debug)]
pub struct RackCircuits {
    /// By port of the schedule.
    pub racks: Vec<String>,
    /// By switch of the schedule.
    pub switches: Vec<String>,
    /// When they are there.
    pub schedule: CircuitSchedule,
}

impl Loaded {
    /// What a user should know who has not asked, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.scenario.plan.notes(&self.scenario);
        notes.extend(resolve::bare::notes(&self.scenario));
        notes
    }

    /// The circuits between racks, if there are any.
    pub fn circuits(&self) -> Option<RackCircuits> {
        let (plan, network) = (&self.scenario.plan, &self.scenario.network);
        let names = |nodes: Vec<NodeId>| nodes.iter().map(|node| network.nodes[node.index()].name.clone()).collect();
        let (switches, schedule) = plan.schedule()?;
        Some(RackCircuits { racks: names(plan.racks()), switches: names(switches), schedule })
    }

    /// The resolved scenario as commented TOML with every default and every link. It parses to the same [`Scenario`].
    pub fn explain(&self) -> String {
        explain::explain(&self.spec, &self.scenario)
    }
}

/// Finds the maker of a law that the key `law` names, or says why there is none.
pub type Laws<'a> = dyn Fn(&str) -> Result<Arc<dyn Maker>, String> + 'a;

/// Reads a scenario: layers below it (`extends`), assignments on top (`path`, `value`), then types, names, defaults,
/// checks.
pub fn load(source: Input<'_>, set: &[(String, String)]) -> Result<Loaded, Error> {
    let no_laws = |_: &str| Err("laws in Python are found only where Python runs the scenario".to_owned());
    load_with(source, set, &no_laws, None)
}

/// The same where laws of other languages can be found, and files in other people's forms are read.
pub fn load_with(
    source: Input<'_>,
    set: &[(String, String)],
    laws: &Laws,
    files: Option<&dyn Files>,
) -> Result<Loaded, Error> {
    let tree = language::read(source, set)?;
    let spec: spec::Spec = language::from_tree(&tree).map_err(|fault| tree.error(fault))?;
    let resolved = resolve::resolve(&spec, laws, files).map_err(|fault| tree.error(fault))?;
    let Resolved { scenario, warnings, memory } = resolved;
    let text = toml::to_string(&tree.root).map_err(|why| Error::of_file("scenario", why.to_string()))?;
    Ok(Loaded { scenario, text, warnings, memory, spec })
}

/// Feeds bytes to every reader of user input; for fuzzing. No bytes may make it panic.
pub fn fuzz(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let folder = Path::new("/nonexistent");
    if let Ok(loaded) = load(Input::Text { name: "fuzz.toml", text, folder }, &[]) {
        let _ = loaded.explain();
    }
    let _ = load(Input::Json { text, folder }, &[]);
    if let Some((path, value)) = text.split_once('=') {
        let base = Input::Text { name: "fuzz.toml", text: "run.duration = \"1 s\"", folder };
        let _ = load(base, &[(path.to_owned(), value.to_owned())]);
    }
}

#[cfg(test)]
mod tests;
