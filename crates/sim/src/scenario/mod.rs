//! From a user's file to a resolved scenario: `text → tree → Spec → Scenario`.
//!
//! | file | holds |
//! |---|---|
//! | `layers` | reading files, `extends`, `--set` |
//! | `tree` | values that know where they were written |
//! | `de` | typed values out of the tree |
//! | `spec` | what a user may write |
//! | `resolve` | names to ids, defaults, and all checks of meaning |
//! | `model` | the resolved scenario |
//! | `explain` | the resolved scenario as a text that parses again |
//! | `error`, `nearest` | the one message about bad input |

mod de;
pub(crate) mod error;
mod explain;
pub(crate) mod layers;
mod model;
pub(crate) mod nearest;
mod resolve;
mod schema;
pub mod spec;
pub(crate) mod tree;

pub use de::At;
pub use error::Error;
pub use model::*;
pub use schema::schema;

use std::path::Path;

/// Where a scenario comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A TOML file.
    File(&'a Path),
    /// A TOML text; `name` stands for the file in messages, relative paths start from `folder`.
    Text {
        /// What messages call it.
        name: &'a str,
        /// The TOML.
        text: &'a str,
        /// Where relative paths start.
        folder: &'a Path,
    },
    /// The same as JSON, which is how a Python dict comes; messages name keys only.
    Json {
        /// The JSON.
        text: &'a str,
        /// Where relative paths start.
        folder: &'a Path,
    },
}

/// A scenario with what belongs beside it in a manifest.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Ready to run.
    pub scenario: Scenario,
    /// The layered scenario as TOML, after `--set`, with the paths of data files absolute: it means the same from anywhere.
    pub text: String,
    /// What is not wrong but probably not meant.
    pub warnings: Vec<String>,
}

impl Loaded {
    /// The resolved scenario as commented TOML with every default and every link. It parses to the same [`Scenario`].
    pub fn explain(&self) -> String {
        explain::explain(&self.scenario)
    }
}

/// Reads a scenario: layers below it (`extends`), assignments on top (`path`, `value`), then types, names, defaults, checks.
pub fn load(source: Source<'_>, set: &[(String, String)]) -> Result<Loaded, Error> {
    let tree = layers::read(source, set)?;
    let spec: spec::Spec = de::from_tree(&tree).map_err(|fault| tree.error(fault))?;
    let (scenario, warnings) = resolve::resolve(&spec).map_err(|fault| tree.error(fault))?;
    let text = toml::to_string(&tree.root.to_toml()).map_err(|why| Error::of_file("scenario", why.to_string()))?;
    Ok(Loaded { scenario, text, warnings })
}

/// Feeds bytes to every reader of user input; for fuzzing. No bytes may make it panic.
pub fn fuzz(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let folder = Path::new("/nonexistent");
    if let Ok(loaded) = load(Source::Text { name: "fuzz.toml", text, folder }, &[]) {
        let _ = loaded.explain();
    }
    let _ = load(Source::Json { text, folder }, &[]);
    if let Some((path, value)) = text.split_once('=') {
        let base = Source::Text { name: "fuzz.toml", text: "run.duration = \"1 s\"", folder };
        let _ = load(base, &[(path.to_owned(), value.to_owned())]);
    }
    let _ = crate::topology::parse_gml(text);
    let _ = crate::topology::parse_sndlib(text);
}

#[cfg(test)]
mod tests;
