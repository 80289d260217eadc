//! How a scenario is to be run, and why it cannot be.

use crate::engine::observe::capture::{CaptureOptions, UnknownLink};
use std::fmt;

/// Flows are numbered in 29 bits.
pub const MAX_FLOWS: usize = 1 << 29;

/// Fails for so many flows that they cannot be numbered.
pub(super) fn check_number(flows: usize) -> Result<(), RunError> {
    if flows < MAX_FLOWS { Ok(()) } else { Err(RunError::TooManyFlows(flows)) }
}

/// How a scenario is to be run.
#[derive(Default)]
pub struct Options {
    /// Permute the order of simultaneous events with this number, to see how much that order matters.
    pub shuffle_ties: Option<u64>,
    /// Write packets of some flows to a pcapng file.
    pub capture: Option<CaptureOptions>,
    /// Leave out the samples that `[probe]` asks for.
    pub without_samples: bool,
}

/// Why a run cannot be made or is not to be trusted.
#[derive(Debug)]
pub enum RunError {
    /// A flow has no path between its ends at the start.
    NoPath {
        /// Sending node.
        source: String,
        /// Receiving node.
        destination: String,
    },
    /// More flows than the engine numbers.
    TooManyFlows(usize),
    /// A link that is to be captured does not exist.
    NoLink(String),
    /// The capture file could not be written.
    Capture(std::io::Error),
    /// Packets were made or lost by the engine itself: a bug in photocol, and the numbers are worthless.
    NotConserved(String),
}

impl From<UnknownLink> for RunError {
    fn from(UnknownLink(name): UnknownLink) -> RunError {
        RunError::NoLink(name)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::NoPath { source, destination } => {
                write!(f, "no path from node '{source}' to node '{destination}'")
            }
            RunError::TooManyFlows(flows) => {
                write!(f, "{flows} flows are more than the {} the engine can number", MAX_FLOWS)
            }
            RunError::NoLink(name) => write!(f, "there is no link {name:?} to capture"),
            RunError::Capture(error) => write!(f, "the capture file could not be written: {error}"),
            RunError::NotConserved(account) => {
                write!(f, "packets are not conserved ({account}); this is a bug in photocol")
            }
        }
    }
}

impl std::error::Error for RunError {}
