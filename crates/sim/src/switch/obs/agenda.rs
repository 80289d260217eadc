//! What a node of an optical burst-switched network is to do later.

use super::burst::Header;
use std::collections::BTreeMap;

/// Something to do.
#[derive(Debug)]
pub enum Task {
    /// The last bit of a burst is in.
    Land(Box<Header>),
    /// The timer of an assembly queue may have ended.
    Assemble(u32),
    /// A fibre may have a free wavelength for the burst that waits for it longest.
    Open(u32),
    /// A source of bursts has one.
    Send(u32),
}

/// What is to be done, in the order of time; what is due at one instant, in the order in which it was noted.
#[derive(Debug, Default)]
pub struct Agenda {
    tasks: BTreeMap<(u64, u64), Task>,
    noted: u64,
}

impl Agenda {
    /// When there is something to do.
    pub fn next(&self) -> u64 {
        self.tasks.first_key_value().map_or(u64::MAX, |((at, _), _)| *at)
    }

    /// Notes a task.
    pub fn note(&mut self, at: u64, task: Task) {
        self.tasks.insert((at, self.noted), task);
        self.noted += 1;
    }

    /// Takes a task that is due.
    pub fn take(&mut self, now: u64) -> Option<Task> {
        let first = self.tasks.first_entry().filter(|first| first.key().0 <= now)?;
        Some(first.remove())
    }
}
