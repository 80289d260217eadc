//! The log of what happened, beside a capture: a file for each process, with its number in the name, so that one that
//! starts again replaces nothing. `control::log` says what is in it.

use crate::sys::file;
use crate::sys::time::Nanos;
use control::log::{Entry, What};
use control::wire::NodeId;
use std::fs::File;
use std::io::{self, LineWriter, Write};
use std::path::Path;

/// Everybody may read it whom the umask lets.
const MODE: u32 = 0o666;

/// A log. What is written after the disk is full is lost.
pub(crate) struct Log(LineWriter<File>);

impl Log {
    /// A log beside a capture.
    pub(crate) fn beside(capture: &Path) -> io::Result<Log> {
        let path = capture.with_extension(format!("{}.log", std::process::id()));
        Ok(Log(LineWriter::new(file::replace(&path, MODE)?)))
    }

    /// Something happened, at a time of the machine's monotonic clock.
    pub(crate) fn note(&mut self, at: Nanos, star: usize, who: NodeId, what: What) {
        self.add(&Entry { at: (at.max(0) as u64) * 1000, star: star as u16, who, what });
    }

    /// Adds an entry.
    pub(crate) fn add(&mut self, entry: &Entry) {
        let _ = writeln!(self.0, "{entry}");
    }
}
