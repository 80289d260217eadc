//! How this program is started: a demo and a measurement start it again, as other processes.

use crate::config::{Refusal, input};
use std::process::Command;
use std::sync::OnceLock;

/// A program and its first arguments.
static SELF: OnceLock<Vec<String>> = OnceLock::new();

/// Says how, once.
pub(crate) fn is_started_by(words: Vec<String>) {
    SELF.get_or_init(|| words);
}

/// This program, once more.
pub(crate) fn again() -> Result<Command, Refusal> {
    let (program, first) = SELF.get().and_then(|words| words.split_first()).ok_or_else(|| input("no program"))?;
    let mut command = Command::new(program);
    command.args(first);
    Ok(command)
}
