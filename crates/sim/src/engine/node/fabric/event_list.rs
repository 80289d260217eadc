//! What comes next in a partition: its place in the event list, and what an event there is.

use super::Fabric;
use crate::engine::node::tournament_tree::TournamentTree;
use crate::engine::packet::NEVER;
use std::ops::Range;

/// No timer is due then.
const UNATTENDED: u64 = NEVER - 1;

/// What happens next, if it is no arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalEvent {
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

/// An event list and the places in it: departures come first, then the arrivals of each fibre, then agents, then
/// timers, or in the order of runs that shuffle ties.
#[derive(Debug)]
pub struct EventList {
    tree: TournamentTree,
    /// The ports whose departures are events, in the order of their places, which come before all others.
    departing: Vec<u32>,
    fibre_0: u32,
    agent_0: u32,
    /// The first agent among those of the partition.
    first_agent: u32,
    /// The place of the timers. Where they come after all else they do not stand in the tree, but beside it.
    timers: u32,
    /// When the earliest timer is due.
    timer_key: u64,
    /// The same, or [`UNATTENDED`] while something is pending.
    attended_key: u64,
}

impl Default for EventList {
    fn default() -> EventList {
        EventList::new(TimerOrder::AfterArrivals, Vec::new(), 0, 0..0)
    }
}

impl EventList {
    /// An empty list.
    pub fn new(order: TimerOrder, departing: Vec<u32>, fibres: u32, agents: Range<u32>) -> EventList {
        let (first_agent, agents) = (agents.start, agents.end - agents.start);
        let first = departing.len() as u32;
        let (fibre_0, agent_0, timers) = match order {
            TimerOrder::AfterArrivals => (first, first + fibres, first + fibres + agents),
            TimerOrder::BeforeArrivals => (first + 1 + agents, first + 1, first),
        };
        let tree = TournamentTree::new((first + fibres + agents + 1) as usize);
        EventList { tree, departing, fibre_0, agent_0, first_agent, timers, timer_key: NEVER, attended_key: NEVER }
    }

    /// Whether timers come after all else of their instant.
    #[inline]
    fn has_timers_last(&self) -> bool {
        self.timers >= self.fibre_0
    }

    /// The first packet of a fibre arrives then.
    #[inline]
    pub(super) fn set_arrival(&mut self, fibre: u32, time: u64) {
        self.tree.set(self.fibre_0 + fibre, time);
    }

    /// The same, for the place in the program that does it most often.
    #[inline(always)]
    pub(super) fn set_arrival_inline(&mut self, fibre: u32, time: u64) {
        self.tree.set_inline(self.fibre_0 + fibre, time);
    }
}

impl Fabric {
    /// The order of timers and arrivals.
    pub fn timer_order(&self) -> TimerOrder {
        if self.event_list.has_timers_last() { TimerOrder::AfterArrivals } else { TimerOrder::BeforeArrivals }
    }

    /// The time of the earliest event, and its place in the event list. Nothing comes before `reached`.
    #[inline]
    pub fn earliest(&mut self, reached: u64) -> (u64, u32) {
        let EventList { tree, timers, timer_key, .. } = &mut self.event_list;
        // A timer that stands in the tree is no later than itself.
        tree.earliest_until(reached, *timer_key).unwrap_or((*timer_key, *timers))
    }

    /// Whether what stands at this place of the event list comes before the arrivals of its instant.
    #[inline]
    pub fn precedes_arrivals(&self, leaf: u32) -> bool {
        leaf < self.event_list.fibre_0
    }

    /// The fibre of the arrival at this place of the event list, if it is one.
    #[inline]
    pub fn arrival(&self, leaf: u32) -> Option<u32> {
        // A leaf before the first fibre's wraps around.
        let fibre = leaf.wrapping_sub(self.event_list.fibre_0);
        (fibre < self.entering).then_some(fibre)
    }

    /// What the event at this place of the event list is, which is no arrival.
    #[inline]
    pub fn event(&self, leaf: u32) -> LocalEvent {
        if leaf == self.event_list.timers {
            LocalEvent::Timer
        } else if leaf >= self.event_list.agent_0 {
            LocalEvent::Agent(leaf - self.event_list.agent_0 + self.event_list.first_agent)
        } else {
            LocalEvent::Departure(self.event_list.departing[leaf as usize])
        }
    }

    /// The agent at this place among those of the partition wants to be called then.
    #[inline]
    pub fn set_agent(&mut self, place: u32, time: u64) {
        let event_list = &mut self.event_list;
        event_list.tree.set(event_list.agent_0 + place - event_list.first_agent, time);
    }

    /// Whether [`Fabric::set_timers`] is to be called because the earliest timer is due at `time`, or something is
    /// pending.
    #[inline]
    pub fn needs_attention(&self, time: u64) -> bool {
        time != self.event_list.attended_key
    }

    /// The earliest timer is due at `time`, and nothing is pending.
    #[inline]
    pub fn set_timers(&mut self, time: u64) {
        let event_list = &mut self.event_list;
        event_list.attended_key = time;
        if event_list.timer_key != time {
            event_list.timer_key = time;
            if !event_list.has_timers_last() {
                event_list.tree.set(event_list.timers, time);
            }
        }
    }

    /// Makes [`Fabric::needs_attention`] say so until the next [`Fabric::set_timers`].
    #[inline]
    pub fn ask_for_attention(&mut self) {
        self.event_list.attended_key = UNATTENDED;
    }

    /// Puts the next departure of a port where it now is, if departures of that port are events.
    pub fn rearm(&mut self, number: u32) {
        if let Some((leaf, time)) = self.ports[number as usize].departure() {
            self.event_list.tree.set(leaf, time);
        }
    }

    /// Another event list takes the place of this one, which is put where that was.
    pub fn swap_event_list(&mut self, event_list: &mut EventList) {
        std::mem::swap(&mut self.event_list, event_list);
    }

    /// The ports whose departures are events.
    pub fn departing(&self) -> &[u32] {
        &self.event_list.departing
    }

    /// The event list no longer has the arrivals, until [`Fabric::list_links`].
    pub fn unlist_fibres(&mut self) {
        self.is_listed = false;
    }

    /// Puts what happens at fibres and ports where it now is.
    pub fn list_links(&mut self) {
        self.is_listed = true;
        (0..self.entering).for_each(|fibre| self.rekey(fibre));
        self.list_departures();
    }

    /// Puts the departures of ports where they now are.
    pub fn list_departures(&mut self) {
        for leaf in 0..self.event_list.departing.len() as u32 {
            let number = self.event_list.departing[leaf as usize];
            self.ports[number as usize].set_leaf(leaf);
            self.rearm(number);
        }
    }

    /// Puts the event of a fibre where its first packet now arrives.
    pub fn rekey(&mut self, fibre: u32) {
        let next = self.fibres[fibre as usize].first().map_or(NEVER, |packet| packet.at);
        self.event_list.set_arrival(fibre, next);
    }
}
