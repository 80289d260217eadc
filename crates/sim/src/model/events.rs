//! What happens by order of the scenario: links change, segments meet their fates.

use super::{LinkId, SimTime};
use units::{Duration, Rate};

/// A link changes at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkEvent {
    /// When.
    pub at: SimTime,
    /// Which directed links, in order.
    pub links: Vec<LinkId>,
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
}

/// A named segment of a flow meets a fate when its source emits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forced {
    /// The flow's number in the order of flow ids.
    pub flow: u32,
    /// The segment: byte offset divided by the segment size, from 0 (UDP: the datagram's number).
    pub segment: u64,
    /// Which transmission of it, from 1.
    pub copy: u32,
    /// What happens.
    pub fate: Fate,
}

/// What becomes of a forced segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It vanishes (cause `forced`).
    Drop,
    /// It leaves the host this much later.
    Delay(Duration),
    /// It leaves twice.
    Duplicate,
}
