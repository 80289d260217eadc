//! Files in other people's forms. There is one reader of each form, and it is not here: `photocol.conversions`, in
//! Python, which `photocol convert` uses too.

use crate::model::SimTime;
use crate::topology::{ImportError, Imported};
use crate::work::GraphText;
use units::{Bytes, Duration, Rate};

/// Reads files in other people's forms.
pub trait Files {
    /// The network of a file, in the form of that name or the one that is recognised.
    fn network(&self, file: &str, format: Option<&str>, unit: Option<Rate>) -> Result<Imported, ImportError>;

    /// A list of flows.
    fn flows(&self, file: &str) -> Result<ImportedFlows, ImportError>;

    /// A graph of tasks, in photocol's own form, and what the user should know.
    fn graph(&self, file: &str) -> Result<(GraphText, Vec<String>), ImportError>;

    /// A distribution of flow sizes, in units of so many bytes; in those of its form where that is not said.
    fn sizes(&self, file: &str, unit: Option<Bytes>) -> Result<ImportedSizes, ImportError>;

    /// The path of a file of contacts, which is made if there is none yet.
    fn contacts(&self, orbits: &Orbits) -> Result<String, ImportError>;
}

/// A constellation of which the contacts are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orbits {
    /// The keys of its table, as TOML.
    pub keys: String,
    /// The pairs of stations whose routes are asked for; `None`: all.
    pub pairs: Option<Vec<(String, String)>>,
    /// From the start until then.
    pub duration: Duration,
    /// Where the file is kept.
    pub folder: String,
}

/// The flows of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedFlows {
    /// In the order of the file.
    pub flows: Vec<ImportedFlow>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// A flow of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedFlow {
    /// When it starts.
    pub start: SimTime,
    /// A node by name or number.
    pub source: String,
    /// The same.
    pub destination: String,
    /// Bytes to send, if the file says it.
    pub size: Option<Bytes>,
    /// The line of the file.
    pub line: u32,
}

/// The sizes of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedSizes {
    /// Bytes, and the probability of at most that.
    pub points: Vec<(f64, f64)>,
    /// What the user should know.
    pub warnings: Vec<String>,
}
