//! Windowed execution: node after node instead of event after event, where that is faster.
//!
//! What a node sends arrives no sooner than the least delay of a fibre later: the lookahead. So all that will arrive at
//! a node within a window of that length is on its fibres when the window begins. Each node of a partition is a logical
//! process, taken through the window by itself: its arrivals are merged from its own few fibres, and its deadlines
//! stand beside them. The event list of the whole partition is not needed; the little that one node does again and
//! again stays in the cache.
//!
//! **Why the results are the same.** Between two nodes no order is stated but that of packets on a fibre. At one node
//! the order is that of the event list: departures, arrivals by (time, link), agents, timers. It is a partitioning with
//! one node a partition, on one thread ([decision 0012](../../../../../docs/decisions/0012-rounds.md)).
//!
//! **When.** A window costs something for every node and fibre, whether or not anything happens there. So a partition
//! goes event after event while little happens in a window, or while somebody watches events in their order, and looks
//! again now and then.

use super::processes::LogicalProcesses;
use crate::engine::node::fabric::Fabric;
use crate::engine::packet::NEVER;

/// In which order a partition handles its events. It does not change the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Whichever is expected to be faster.
    #[default]
    Auto,
    /// Event after event.
    Global,
    /// Node after node wherever that is possible.
    Windowed,
}

/// Whether a partition runs windowed, and when it looks whether it should.
#[derive(Debug)]
pub struct WindowedExecution {
    pub(super) schedule: Schedule,
    /// The windows, while they are on.
    pub(super) on: Option<Box<Windows>>,
    /// The least delay between two nodes of the partition; `None` if links have changed since it was known.
    pub(super) lookahead: Option<u64>,
    /// When it looks next.
    pub(super) next_look: u64,
    /// What it saw when it looked last.
    pub(super) seen: Progress,
    /// Calls of [`Partition::run`](super::partition::Partition::run) since then: a window ends where a call does.
    pub(super) calls: u64,
    /// Windows so far.
    pub(super) made: u64,
}

/// What a partition sees when it looks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    pub(super) at: u64,
    pub(super) events: u64,
    pub(super) hops: u64,
}

/// What a partition in windowed execution knows.
#[derive(Debug)]
pub(super) struct Windows {
    pub(super) processes: LogicalProcesses,
    /// The longest window.
    pub(super) window: u64,
    /// Room for the arrivals of the process that runs.
    pub(super) keys: Vec<u64>,
}

/// No window is longer: arrivals within it have their places beside them in one number.
pub(super) const LONGEST: u64 = 1 << 39;
/// No window has many more events than that, so that nobody waits for its end.
pub(super) const MOST_EVENTS: u64 = 1 << 16;
/// Windows between the first two looks.
pub(super) const FIRST_LOOK: u64 = 64;
/// Events between two looks.
pub(super) const LOOK: u64 = 1 << 14;

impl WindowedExecution {
    /// A partition that goes event after event from `reached` on.
    pub fn new(fabric: &Fabric, reached: u64) -> WindowedExecution {
        let lookahead = lookahead(fabric);
        let next_look = reached.saturating_add(lookahead.saturating_mul(FIRST_LOOK));
        let seen = Progress { at: reached, ..Progress::default() };
        WindowedExecution {
            schedule: Schedule::Auto,
            on: None,
            lookahead: Some(lookahead),
            next_look,
            seen,
            calls: 0,
            made: 0,
        }
    }

    /// Whether it runs windowed now.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.on.is_some()
    }

    /// When [`Partition::look`](super::partition::Partition::look) is to be called.
    #[inline]
    pub fn next_look(&self) -> u64 {
        self.next_look
    }

    /// Windows so far.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// [`Partition::run`](super::partition::Partition::run) was called.
    #[inline]
    pub fn note_call(&mut self) {
        self.calls += 1;
    }
}

/// The least delay between two nodes of a partition.
pub(super) fn lookahead(fabric: &Fabric) -> u64 {
    let inside = fabric.ports.iter().filter(|port| fabric.ends_here(port));
    inside.map(|port| port.delay()).min().unwrap_or(LONGEST)
}

/// In what time `wanted` things happen, if `seen` of them did in `span`.
pub(super) fn time_of(wanted: u64, seen: u64, span: u64) -> u64 {
    u64::try_from(u128::from(span) * u128::from(wanted) / u128::from(seen.max(1))).unwrap_or(u64::MAX)
}

/// Instead of an arrival: there is none in this window.
pub(super) const NONE: u64 = NEVER;
