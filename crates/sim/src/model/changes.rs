//! Links in time: which of their properties change, when, and how often.

use super::{LinkId, SimTime};
use std::sync::Arc;
use units::{Duration, Rate};

/// The properties of a link as functions of time: their changes, once or again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// The directed link.
    pub link: LinkId,
    /// In the order of time; those of one instant in the order in which they happen.
    pub steps: Arc<[Step]>,
    /// All of them happen again each time that this has passed; no step comes later. `None`: once.
    pub period: Option<Duration>,
}

/// A change and when it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Since the start of the run or of a period.
    pub after: Duration,
    /// What.
    pub change: Change,
}

/// What happens to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Waiting packets and the rest of the one in transmission go on at this rate.
    Capacity(Rate),
    /// XCP's controller at the port believes this capacity from now on, whether it is true or not.
    Told(Rate),
    /// For packets whose last bit leaves from now on; a fibre never lets packets overtake.
    Delay(Duration),
    /// What waits and what comes is dropped (cause `unreachable`); what is on the fibre arrives.
    Down,
    /// Packets pass again.
    Up,
}

impl Change {
    /// Whether packets that wait leave or arrive at other times.
    pub fn moves_departures(self) -> bool {
        matches!(self, Change::Capacity(_) | Change::Delay(_))
    }

    /// Whether the link passes packets from then on, of a change that says so.
    pub fn is_up(self) -> Option<bool> {
        match self {
            Change::Up => Some(true),
            Change::Down => Some(false),
            _ => None,
        }
    }
}

impl Timeline {
    /// Whether any of its changes is such.
    pub fn has(&self, is_such: impl Fn(Change) -> bool) -> bool {
        self.steps.iter().any(|step| is_such(step.change))
    }

    /// When the last change happens; `None` if there is none.
    pub fn last(&self) -> Option<SimTime> {
        let last = self.steps.last()?;
        Some(self.period.map_or(SimTime::ZERO + last.after, |_| SimTime::NEVER))
    }
}
