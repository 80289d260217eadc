//! Negotiation of rates between edge and core nodes (DLCC, Lu and Hunter 2009, §II): a request is refused where the core lacks
//! capacity, and the old rate stays.

use super::rate::SlotRate;
use std::collections::BTreeMap;

/// What an output of a core node has promised.
#[derive(Clone, Debug)]
pub struct Reservations {
    capacity: SlotRate,
    promised: BTreeMap<u32, SlotRate>,
}

impl Reservations {
    /// An output with this capacity to promise. What the flows that pass it begin with is promised.
    pub fn new(capacity: SlotRate, begun: impl IntoIterator<Item = (u32, SlotRate)>) -> Reservations {
        Reservations { capacity, promised: begun.into_iter().collect() }
    }

    /// A flow asks for a rate: whether it gets it. Less than it has is never refused.
    pub fn ask(&mut self, flow: u32, rate: SlotRate) -> bool {
        let others = self.promised.iter().filter(|(other, _)| **other != flow);
        let sum = others.fold(rate, |sum, (_, rate)| sum.plus(*rate));
        let has = self.promised.get(&flow).copied().unwrap_or_default();
        let granted = rate <= has || sum <= self.capacity;
        if granted {
            self.promised.insert(flow, rate);
        }
        granted
    }
}

/// The side of the edge node: the rate that it may use, and what it has asked for.
#[derive(Clone, Debug)]
pub struct Negotiator {
    interval: u64,
    next: u64,
    scheduled: SlotRate,
    asked: Option<SlotRate>,
}

impl Negotiator {
    /// One that decides every `interval` picoseconds and begins with a rate.
    pub fn new(interval: u64, first: SlotRate) -> Negotiator {
        Negotiator { interval, next: interval, scheduled: first, asked: None }
    }

    /// When it decides next.
    pub fn next_timeout(&self) -> u64 {
        self.next
    }

    /// An interval ends. `wanted` is what it would ask for, if it may: what it asks for, if it does. It asks for nothing while an
    /// answer is on its way.
    pub fn handle_timeout(&mut self, wanted: Option<SlotRate>) -> Option<SlotRate> {
        self.next += self.interval;
        let wanted = wanted.filter(|rate| self.asked.is_none() && *rate != self.scheduled)?;
        self.asked = Some(wanted);
        Some(wanted)
    }

    /// The answer: what is to be asked for next, which gives back what other nodes have promised in vain.
    pub fn handle_answer(&mut self, granted: bool) -> Option<SlotRate> {
        let asked = self.asked.take()?;
        if granted {
            self.scheduled = asked;
            return None;
        }
        self.asked = (asked > self.scheduled).then_some(self.scheduled);
        self.asked
    }

    /// `R_schedule`.
    pub fn scheduled(&self) -> SlotRate {
        self.scheduled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(slots: u64) -> SlotRate {
        SlotRate::from_count(slots)
    }

    #[test]
    fn a_request_beyond_the_capacity_is_refused_and_the_old_rate_stays() {
        let mut output = Reservations::new(rate(100), [(1, rate(50)), (2, rate(50))]);
        assert!(!output.ask(1, rate(60)), "110 of 100");
        assert!(output.ask(2, rate(30)) && output.ask(1, rate(70)));
        assert!(!output.ask(2, rate(31)));
        let mut full = Reservations::new(rate(100), [(1, rate(90)), (2, rate(90))]);
        assert!(full.ask(1, rate(80)), "less than before is never refused");
    }

    #[test]
    fn one_request_at_a_time_and_a_refused_one_is_taken_back() {
        let mut edge = Negotiator::new(10, rate(50));
        assert_eq!(edge.handle_timeout(Some(rate(80))), Some(rate(80)));
        assert_eq!((edge.handle_timeout(Some(rate(70))), edge.next_timeout()), (None, 30));
        assert_eq!(edge.handle_answer(false), Some(rate(50)), "nodes before the one that refused keep no promise");
        assert_eq!((edge.handle_answer(true), edge.scheduled()), (None, rate(50)));
        assert_eq!(edge.handle_timeout(Some(rate(40))), Some(rate(40)));
        assert_eq!((edge.handle_answer(true), edge.scheduled()), (None, rate(40)));
        assert_eq!(edge.handle_answer(true), None, "an answer to nothing");
    }
}
