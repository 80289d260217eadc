//! Work that depends on work, as the engine knows it: it lets flows go when others have arrived; and who hears of that
//! and tells agents.

use crate::engine::packet::message::Message;
use crate::engine::packet::state::Owners;
use crate::results::{Figure, Table};
use std::any::Any;
use std::fmt::Debug;
use transport::cc::PathChange;
use units::{Duration, Instant};

/// How far a flow has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The flow.
    pub flow: u32,
    /// Bytes of it, all from the first on.
    pub bytes: u64,
    /// Whether they have arrived; if not, they are acknowledged.
    pub has_arrived: bool,
}

/// A flow is to send so many bytes more, or to start.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// The flow.
    pub flow: u32,
    /// The bytes.
    pub bytes: u64,
}

/// What has become of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskChange {
    /// The work, by its place among all work.
    pub work: u32,
    /// The task.
    pub task: u32,
    /// Whether it is done; if not, all is done that it waits for.
    pub is_done: bool,
}

/// What work in one partition says to work in another one.
#[derive(Clone, Copy, Debug)]
pub struct Notice {
    /// The work, by its place among all work.
    pub work: u32,
    /// The task.
    pub task: u32,
    /// What it hears.
    pub heard: Heard,
}

/// What a task hears from elsewhere.
#[derive(Clone, Copy, Debug)]
pub enum Heard {
    /// It was given to its flow, whose bytes it has up to there. No packet of it is sooner than that.
    Given(u64),
    /// One for which it waits has been done, or has begun.
    Signal {
        /// When it knows.
        at: Instant,
        /// The other one.
        by: u32,
    },
}

impl Notice {
    /// Of the first work.
    pub fn new(task: u32, heard: Heard) -> Notice {
        Notice { work: 0, task, heard }
    }
}

/// What lets flows go. It stands above hosts of any kind, and knows none.
pub trait Workload: Debug + Send + Any {
    /// A flow has come further, perhaps one that is not its own: whether something is done by that.
    fn handle_progress(&mut self, now: Instant, progress: Progress, released: &mut Vec<Release>) -> bool;

    /// When it wants to be called; [`Instant::NEVER`] while it waits for flows alone.
    fn next_timeout(&self) -> Instant;

    /// Its deadline has come.
    fn handle_timeout(&mut self, now: Instant, released: &mut Vec<Release>);

    /// The least time in which something at one node comes to another one, packets left out; `None` if that takes no
    /// time, so that all of it is in one partition.
    fn lookahead(&self) -> Option<Duration>;

    /// What it says to work in other partitions: to which one, and what.
    fn take_notices(&mut self, give: &mut dyn FnMut(u32, Notice));

    /// What work in another partition has said.
    fn hear(&mut self, notice: Notice);

    /// The same once more, to be read.
    fn copied(&self) -> Box<dyn Workload>;

    /// What several partitions have, this and others, as if they were one.
    fn merged(self: Box<Self>, others: Vec<Box<dyn Workload>>) -> Box<dyn Workload>;

    /// What each partition has.
    fn split(self: Box<Self>, after: &dyn Owners) -> Vec<Box<dyn Workload>>;

    /// From now on it notes what becomes of its tasks.
    fn watch(&mut self);

    /// What has become of tasks since the last call, if it notes that.
    fn take_changes(&mut self, into: &mut Vec<TaskChange>);

    /// What has been done when.
    fn tables(&self, run: u32) -> Vec<(&'static str, Table)>;

    /// The same in some numbers.
    fn figures(&self) -> Vec<Figure>;
}

/// Somebody is told something.
#[derive(Debug)]
pub enum Told {
    /// An agent, this.
    Agent(u32, Message),
    /// The sender of a flow, what becomes of its path.
    Sender(SenderNews),
}

/// News of the path of a flow.
#[derive(Debug)]
pub struct SenderNews {
    /// The flow.
    pub flow: u32,
    /// What has been said of later times is not so any more, as far as the sender has not heard it.
    pub after: Instant,
    /// When it hears of which change, in the order of changes.
    pub news: Vec<(Instant, PathChange)>,
}

/// Hears what becomes of tasks, and tells agents and senders, without delay. So a run that has one is in one partition.
pub trait Steward: Debug + Send {
    /// Something has become of tasks.
    fn handle_changes(&mut self, now: Instant, changes: &[TaskChange], told: &mut Vec<Told>);

    /// When it wants to be called; [`Instant::NEVER`] while it waits for tasks alone.
    fn next_timeout(&self) -> Instant;

    /// Its deadline has come.
    fn handle_timeout(&mut self, now: Instant, told: &mut Vec<Told>);

    /// What it has done up to a time.
    fn tables(&self, run: u32, now: Instant) -> Vec<(&'static str, Table)>;

    /// The same in some numbers.
    fn figures(&self, now: Instant) -> Vec<Figure>;
}
