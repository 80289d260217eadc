//! News of a flow's path: a circuit has come or gone, or is about to.

use super::Event;
use options::words;
use std::cmp::Ordering;
use units::{Duration, Instant, Rate};

words! {
    /// How a sender hears that its path changes.
    pub enum NewsWay {
        /// A mark in ACKs, echoed from data packets that met the circuit: it says no more than that.
        Mark = "mark",
        /// A message of the switch.
        Message = "message",
        /// The hosts know the schedule.
        Schedule = "schedule",
    }
}

words! {
    /// Which way the capacity of a path goes.
    pub enum Turn {
        /// A circuit comes, or a link comes up: there is more.
        Up = "up",
        /// A circuit goes, or a link goes down: there is less.
        Down = "down",
        /// There is as much, by another way.
        Same = "same",
    }
}

impl Turn {
    /// From a capacity to another one, or the same.
    pub fn of(before: Rate, now: Rate) -> Turn {
        match now.cmp(&before) {
            Ordering::Less => Turn::Down,
            Ordering::Equal => Turn::Same,
            Ordering::Greater => Turn::Up,
        }
    }
}

/// A change of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathChange {
    /// How the sender hears of it.
    pub way: NewsWay,
    /// Whether there is more or less from then on.
    pub turn: Turn,
    /// The division of time that begins: 0 is the path as it was first, and each other path has its own number. `None`
    /// while the path is down. A mark tells 0 from the others, which it calls 1.
    pub division: Option<u16>,
    /// The capacity from then on, 0 while it is down; `None` where nobody says it, as with a mark.
    pub capacity: Option<Rate>,
    /// The round trip of the empty path from then on, of a full segment and its ACK; `None` where nobody says it.
    pub base_rtt: Option<Duration>,
    /// When, on the node's clock. With [`NewsWay::Schedule`] it may be ahead.
    pub at: Instant,
}

/// News of a path as a window law hears it.
#[derive(Clone, Copy, Debug)]
pub struct News {
    /// What changes.
    pub change: PathChange,
    /// The flow at that moment.
    pub event: Event,
}

impl PathChange {
    /// What a mark says, or its absence.
    pub(crate) fn marked(now: Instant, is_marked: bool) -> PathChange {
        let turn = if is_marked { Turn::Up } else { Turn::Down };
        PathChange {
            way: NewsWay::Mark,
            turn,
            division: Some(is_marked.into()),
            capacity: None,
            base_rtt: None,
            at: now,
        }
    }
}

#[cfg(test)]
impl News {
    /// Such a change, told in this way with the flow open.
    pub(crate) fn of(way: NewsWay, turn: Turn, division: u16) -> News {
        let (division, capacity, base_rtt) = (Some(division), None, None);
        let change = PathChange { way, turn, division, capacity, base_rtt, at: Instant::ZERO };
        News { change, event: Event::at(Instant::ZERO) }
    }
}
