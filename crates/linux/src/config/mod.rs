//! Configurations: one TOML file a process. Whatever is wrong is said with file, line and what is allowed.

mod core;
mod fibre;
mod network;
mod node;
mod room;
mod sharing;
mod value;

pub(crate) use core::{CoreConfig, PortConfig};
pub(crate) use fibre::{FibreConfig, LineConfig};
pub(crate) use node::{BehindConfig, IpConfig, NodeFile, StarConfig};
pub(crate) use room::SlotRoom;

use crate::sys::file;
use control::wire::Key;
use serde::de::DeserializeOwned;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Why a process cannot start: a sentence for the user, and whose fault it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The configuration or the command is wrong, or the machine does not allow it: exit status 2.
    Input(String),
    /// Something failed on the way: exit status 1.
    Failure(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Input(text) | Refusal::Failure(text) => f.write_str(text),
        }
    }
}

/// A refusal of what the user gave.
pub(crate) fn input(text: impl Into<String>) -> Refusal {
    Refusal::Input(text.into())
}

/// The largest configuration.
const LARGEST: u64 = 1 << 20;
/// The largest key, in bytes.
const LARGEST_KEY: u64 = 1 << 16;

/// A configuration and where it stands.
#[derive(Debug)]
pub(crate) struct Loaded<T> {
    pub(crate) path: PathBuf,
    pub(crate) content: T,
    text: String,
}

impl<T> Loaded<T> {
    /// File and line of a part of the text; the file alone without one.
    pub(crate) fn place(&self, span: Option<Range<usize>>) -> String {
        match span {
            Some(span) => format!("{}:{}", self.path.display(), line(&self.text, &span)),
            None => self.path.display().to_string(),
        }
    }
}

fn line(text: &str, span: &Range<usize>) -> usize {
    let before = &text.as_bytes()[..span.start.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// Where a configuration comes from.
pub(crate) enum Given {
    /// A file.
    File(PathBuf),
    /// The command line.
    Text(String),
}

/// Reads a configuration.
pub(crate) fn load<T: DeserializeOwned>(given: &Given) -> Result<Loaded<T>, Refusal> {
    match given {
        Given::File(path) => parse(path, &read(path)?),
        Given::Text(text) => parse(Path::new("--text"), text),
    }
}

fn read(path: &Path) -> Result<String, Refusal> {
    let wrong = |error: std::io::Error| input(format!("{}: {error}; allowed: a configuration", path.display()));
    let bytes = file::read(path, LARGEST).map_err(wrong)?;
    String::from_utf8(bytes).map_err(|_| input(format!("{}: no text in UTF-8", path.display())))
}

/// Reads the text of a configuration that is said to stand at `path`.
pub(crate) fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<Loaded<T>, Refusal> {
    let shown = path.display();
    let content = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line(text, &span));
        input(format!("{shown}:{line}: {}", error.message().replace('\n', "; ")))
    })?;
    Ok(Loaded { path: path.to_path_buf(), content, text: text.to_string() })
}

/// The key of a network, out of a file beside the configuration. What is in it is never shown.
pub(crate) fn key(config: &Path, file: &Path) -> Result<Key, Refusal> {
    let path = config.parent().unwrap_or(Path::new(".")).join(file);
    let shown = path.display();
    let bytes = file::read(&path, LARGEST_KEY)
        .map_err(|error| input(format!("{shown}: {error}; allowed: a file with the key")))?;
    Key::new(bytes.trim_ascii_end()).map_err(|error| input(format!("{shown}: {error}")))
}
