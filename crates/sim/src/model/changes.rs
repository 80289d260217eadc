//! Links in time: which of their properties change, when, and how often.

use super::{Buffer, LinkId, SimTime};
use options::{Value, words};
use std::sync::Arc;
use units::{Duration, Rate};

/// The properties of a link as functions of time: their changes, once or again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// The directed link.
    pub link: LinkId,
    /// In the order of time; those of one instant in the order in which they happen.
    pub steps: Arc<[Step]>,
    /// All of them happen again each time that this has passed; no step comes later. `None`: once.
    pub period: Option<Duration>,
}

/// A change and when it happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Since the start of the run or of a period.
    pub after: Duration,
    /// What.
    pub change: Change,
}

/// What happens to a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Waiting packets go on at this rate. At none they wait, and what finds room joins them.
    Capacity(Rate, MidPacket),
    /// So many bytes may leave at this instant, and none between two of them: the capacity only says how fast that is.
    Deliver(u64),
    /// XCP's controller at the port believes this capacity from now on, whether it is true or not.
    Told(Rate),
    /// For packets whose last bit leaves from now on; a fibre never lets packets overtake.
    Delay(Duration, MidPacket),
    /// Room for packets that come from now on. Those that wait stay.
    Buffer(Buffer),
    /// The key of a property has this value for packets that leave from now on.
    Property(&'static str, Value),
    /// What waits and what comes is dropped (cause `unreachable`); what is on the fibre arrives.
    Down(MidPacket),
    /// Packets pass again.
    Up,
}

words! {
    /// A link changes while a packet is in transmission.
    pub enum MidPacket {
        /// The rest of the packet goes on at the new capacity, over the new delay. Where the link goes down there is no
        /// rest to go on: it is cut.
        Continue = "continue",
        /// The packet is transmitted as it began, over the old delay.
        Finish = "finish",
        /// The packet is dropped.
        Cut = "cut",
    }
}

impl Change {
    /// Whether packets that wait leave or arrive at other times.
    pub fn moves_departures(self) -> bool {
        matches!(self, Change::Capacity(..) | Change::Delay(..) | Change::Deliver(_))
    }

    /// Whether packets leave at this instant only, and at others like it.
    pub fn delivers(self) -> bool {
        matches!(self, Change::Deliver(_))
    }

    /// The key of a property, if it changes that.
    pub fn property(self) -> Option<&'static str> {
        if let Change::Property(key, _) = self { Some(key) } else { None }
    }

    /// Whether the link passes packets from then on, of a change that says so.
    pub fn is_up(self) -> Option<bool> {
        match self {
            Change::Up => Some(true),
            Change::Down(_) => Some(false),
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

    /// Its changes before `end`, in the order of time, each as it is asked for.
    pub fn until(&self, end: SimTime) -> impl Iterator<Item = (SimTime, Change)> + '_ {
        let next = |from: &SimTime| self.period.filter(|_| !self.steps.is_empty()).map(|period| *from + period);
        let starts = std::iter::successors(Some(SimTime::ZERO), next);
        let all = starts.flat_map(|from| self.steps.iter().map(move |step| (from + step.after, step.change)));
        all.take_while(move |(at, _)| *at < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_gone_through_as_far_as_is_asked() {
        let step = |us| Step { after: Duration::from_micros(us), change: Change::Up };
        let timeline = |period| Timeline { link: LinkId(0), steps: [step(1), step(4)].into(), period };
        let seen = |timeline: Timeline| -> Vec<u64> {
            timeline.until(SimTime::from_ps(10_000_000)).map(|(at, _)| at.ps() / 1_000_000).collect()
        };
        assert_eq!(seen(timeline(None)), [1, 4]);
        assert_eq!(seen(timeline(Some(Duration::from_micros(5)))), [1, 4, 6, 9]);
        let empty = Timeline { steps: [].into(), ..timeline(Some(Duration::from_micros(5))) };
        assert!(seen(empty).is_empty());
    }
}
