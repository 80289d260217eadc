//! What comes next in a partition: its place in the event list, and what an event there is.

use super::Net;
use crate::engine::tree::NEVER;

/// No timer is due then.
const UNSETTLED: u64 = NEVER - 1;

/// What happens next, if it is no arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The agent at this place has a deadline.
    Agent(u32),
    /// The transmitter of this port is free, and its discipline says what leaves.
    Departure(u32),
    /// The first timer of a flow comes up.
    Timer,
}

/// Where the timers stand among the arrivals of one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerOrder {
    /// The stated order; agents are between the two.
    AfterArrivals,
    /// For runs that shuffle ties.
    BeforeArrivals,
}

impl Net {
    /// The order of timers and arrivals.
    pub fn timer_order(&self) -> TimerOrder {
        if self.timer_leaf >= self.leaf_of_link_0 { TimerOrder::AfterArrivals } else { TimerOrder::BeforeArrivals }
    }

    /// The time of the earliest event, and its place in the event list. Nothing comes before `reached`.
    #[inline]
    pub fn earliest(&mut self, reached: u64) -> (u64, u32) {
        self.tree.earliest(reached)
    }

    /// The fibre of the arrival at this place of the event list, if it is one.
    #[inline]
    pub fn arrival(&self, leaf: u32) -> Option<u32> {
        // A leaf before the first fibre's wraps around.
        let fibre = leaf.wrapping_sub(self.leaf_of_link_0);
        (fibre < self.fibres.len() as u32).then_some(fibre)
    }

    /// What the event at this place of the event list is, which is no arrival.
    #[inline]
    pub fn event(&self, leaf: u32) -> Event {
        if leaf == self.timer_leaf {
            Event::Timer
        } else if leaf >= self.leaf_of_agent_0 {
            Event::Agent(leaf - self.leaf_of_agent_0)
        } else {
            Event::Departure(self.departing[leaf as usize])
        }
    }

    /// The agent at this place among those of the partition wants to be called then.
    #[inline]
    pub fn set_agent(&mut self, place: u32, time: u64) {
        self.tree.set(self.leaf_of_agent_0 + place, time);
    }

    /// Whether [`Net::set_timers`] is to be called because the earliest timer is due at `time`, or something is pending.
    #[inline]
    pub fn is_unsettled(&self, time: u64) -> bool {
        time != self.settled_key
    }

    /// The earliest timer is due at `time`, and nothing is pending.
    #[inline]
    pub fn set_timers(&mut self, time: u64) {
        self.settled_key = time;
        if self.timer_key != time {
            self.timer_key = time;
            self.tree.set(self.timer_leaf, time);
        }
    }

    /// Makes [`Net::is_unsettled`] say so until the next [`Net::set_timers`].
    #[inline]
    pub fn unsettle(&mut self) {
        self.settled_key = UNSETTLED;
    }

    /// Puts the next departure of a port where it now is, if departures of that port are events.
    pub fn rearm(&mut self, number: u32) {
        if let Some((leaf, time)) = self.ports[number as usize].departure() {
            self.tree.set(leaf, time);
        }
    }

    /// Puts the event of a fibre where its first packet now arrives.
    pub fn rekey(&mut self, fibre: u32) {
        let next = self.fibres[fibre as usize].first().map_or(NEVER, |packet| packet.at);
        self.tree.set(self.leaf_of_link_0 + fibre, next);
    }
}
