//! Commands at hosts: each is started at its time, and has ended with a status.

use super::station::Station;
use crate::sys::time::Nanos;
use std::path::{Path, PathBuf};
use std::process::Child;

/// Whether one has ended is looked at so often.
const EVERY: Nanos = 10_000_000;

/// How a command has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It has not begun.
    NotBegun,
    /// It still runs.
    Runs,
    /// With this status; 128 and the number of a signal that has ended it.
    With(i32),
}

/// The commands, in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Commands {
    all: Vec<Command>,
    /// When they are looked at next, since the start.
    next: Option<Nanos>,
}

#[derive(Debug)]
struct Command {
    host: u16,
    after: Nanos,
    words: String,
    output: PathBuf,
    child: Option<Child>,
    status: Option<i32>,
}

impl Commands {
    pub(super) fn add(&mut self, host: u16, after: Nanos, words: &str, output: &Path) {
        let (words, output) = (words.to_owned(), output.to_owned());
        self.all.push(Command { host, after, words, output, child: None, status: None });
        self.next = Some(0);
    }

    /// When they are to be looked at next, since the start.
    pub(super) fn next(&self) -> Nanos {
        self.next.unwrap_or(Nanos::MAX / 2)
    }

    /// Starts those that are due and looks who has ended. Whether all have.
    pub(super) fn follow(&mut self, now: Nanos, stations: &[Station]) -> Result<bool, String> {
        if self.next.is_none_or(|next| now < next) {
            return Ok(false);
        }
        self.next = Some(now + EVERY);
        for command in self.all.iter_mut().filter(|command| command.status.is_none()) {
            match &mut command.child {
                None if command.after <= now => {
                    let station = &stations[usize::from(command.host)];
                    command.child = Some(station.start(&command.words, &command.output)?);
                }
                None => {}
                Some(child) => {
                    let ended = child.try_wait().map_err(|error| format!("{}: {error}", command.words))?;
                    command.status = ended.map(status);
                }
            }
        }
        Ok(self.all.iter().all(|command| command.status.is_some()))
    }

    /// How they have ended.
    pub(super) fn ended(&self) -> Vec<Ended> {
        let of = |command: &Command| match (command.status, &command.child) {
            (Some(status), _) => Ended::With(status),
            (None, Some(_)) => Ended::Runs,
            (None, None) => Ended::NotBegun,
        };
        self.all.iter().map(of).collect()
    }
}

impl Drop for Commands {
    /// What still runs is killed, with all that it has started.
    fn drop(&mut self) {
        for child in self.all.iter_mut().filter_map(|command| command.child.as_mut()) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The status as a shell shows it.
fn status(ended: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    ended.code().or_else(|| ended.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}
