//! What a node of an optical burst-switched network is to do later.

use super::burst::Header;
use super::order::RouteId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something to do.
#[derive(Debug)]
pub enum Task {
    /// The last bit of a burst is in.
    Land(Header),
    /// The timer of an assembly queue may have ended.
    Assemble(u32),
    /// A fibre may have a free wavelength for the burst that waits for it longest.
    Open(u32),
    /// A source of bursts has one.
    Send(u32),
    /// A τ ends: loads are told.
    Measure,
    /// The paths of bursts may change.
    Review,
    /// A burst that was held leaves.
    Release(Header),
    /// Bursts before this one of a route cannot come any more.
    GiveUp(RouteId, u64),
}

/// What is to be done, in the order of time; what is due at one instant, in the order in which it was noted.
#[derive(Debug, Default)]
pub struct Agenda {
    /// When, the number of the note, and where its task stands.
    order: BinaryHeap<Reverse<(u64, u64, u32)>>,
    tasks: Vec<Option<Task>>,
    free: Vec<u32>,
    noted: u64,
}

impl Agenda {
    /// When there is something to do.
    pub fn next(&self) -> u64 {
        self.order.peek().map_or(u64::MAX, |Reverse((at, ..))| *at)
    }

    /// Notes a task.
    pub fn note(&mut self, at: u64, task: Task) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.tasks.push(None);
            self.tasks.len() as u32 - 1
        });
        self.tasks[place as usize] = Some(task);
        self.order.push(Reverse((at, self.noted, place)));
        self.noted += 1;
    }

    /// Takes a task that is due.
    pub fn take(&mut self, now: u64) -> Option<Task> {
        if self.next() > now {
            return None;
        }
        let Reverse((_, _, place)) = self.order.pop()?;
        self.free.push(place);
        self.tasks[place as usize].take()
    }
}
