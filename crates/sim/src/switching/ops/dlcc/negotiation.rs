//! Negotiation of rates between edge and core nodes (DLCC, Lu and Hunter 2009, §II): where the core lacks capacity a
//! request is refused, and the old rate stays, or lowered to what is left.

use super::rate::SlotRate;
use super::rules::Beyond;
use std::collections::BTreeMap;

/// What an output of a core node has promised.
#[derive(Clone, Debug)]
pub struct Reservations {
    capacity: SlotRate,
    beyond: Beyond,
    promised: BTreeMap<u32, SlotRate>,
}

/// What an output of a core node says to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// This rate is promised: what was asked for, or what is left of it.
    Promised(SlotRate),
    /// Nothing changes: the flow keeps this rate.
    Refused(SlotRate),
}

impl Reservations {
    /// An output with this capacity to promise. What the flows that pass it begin with is promised.
    pub fn new(capacity: SlotRate, beyond: Beyond, begun: impl IntoIterator<Item = (u32, SlotRate)>) -> Reservations {
        Reservations { capacity, beyond, promised: begun.into_iter().collect() }
    }

    /// A flow asks for a rate. Less than it has is never refused.
    pub fn ask(&mut self, flow: u32, rate: SlotRate) -> Verdict {
        let others = self.promised.iter().filter(|(other, _)| **other != flow);
        let left = others.fold(self.capacity, |left, (_, rate)| left.less(*rate));
        let has = self.promised.get(&flow).copied().unwrap_or_default();
        let promise = match self.beyond {
            Beyond::Lowered => rate.min(left.max(has)),
            Beyond::Refused if rate <= left => rate,
            Beyond::Refused => rate.min(has),
        };
        if promise == has && rate > has {
            return Verdict::Refused(has);
        }
        self.promised.insert(flow, promise);
        Verdict::Promised(promise)
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

    /// An interval ends. `wanted` is what it would ask for, if it may: what it asks for, if it does. It asks for
    /// nothing while an answer is on its way.
    pub fn handle_timeout(&mut self, wanted: Option<SlotRate>) -> Option<SlotRate> {
        self.next += self.interval;
        let wanted = wanted.filter(|rate| self.asked.is_none() && *rate != self.scheduled)?;
        self.asked = Some(wanted);
        Some(wanted)
    }

    /// A request for more than the scheduled rate is on its way: how much.
    pub fn asked_for_more(&self) -> Option<SlotRate> {
        self.asked.filter(|rate| *rate > self.scheduled)
    }

    /// The answer, a rate: what is to be asked for next, which gives back what other nodes have promised in vain.
    pub fn handle_answer(&mut self, rate: SlotRate) -> Option<SlotRate> {
        let asked = self.asked.take()?;
        self.scheduled = rate;
        self.asked = (rate < asked).then_some(rate);
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
        let mut output = Reservations::new(rate(100), Beyond::Refused, [(1, rate(50)), (2, rate(50))]);
        assert_eq!(output.ask(1, rate(60)), Verdict::Refused(rate(50)), "110 of 100");
        assert_eq!(output.ask(2, rate(30)), Verdict::Promised(rate(30)));
        assert_eq!(output.ask(1, rate(70)), Verdict::Promised(rate(70)));
        assert_eq!(output.ask(2, rate(31)), Verdict::Refused(rate(30)));
        assert_eq!(output.ask(2, rate(30)), Verdict::Promised(rate(30)), "what it has");
        let mut full = Reservations::new(rate(100), Beyond::Refused, [(1, rate(90)), (2, rate(90))]);
        assert_eq!(full.ask(1, rate(80)), Verdict::Promised(rate(80)), "less than before is never refused");
    }

    /// 100 less 30 are 70. Of an output that has promised 180 of 100 nothing is left: a flow keeps its 90, and may ask
    /// for less.
    #[test]
    fn a_request_is_lowered_to_what_is_left_and_never_below_what_the_flow_has() {
        let mut output = Reservations::new(rate(100), Beyond::Lowered, [(1, rate(50)), (2, rate(30))]);
        assert_eq!(output.ask(1, rate(100)), Verdict::Promised(rate(70)));
        assert_eq!(output.ask(2, rate(31)), Verdict::Refused(rate(30)), "nothing is left");
        let mut full = Reservations::new(rate(100), Beyond::Lowered, [(1, rate(90)), (2, rate(90))]);
        assert_eq!(full.ask(1, rate(100)), Verdict::Refused(rate(90)));
        assert_eq!(full.ask(1, rate(5)), Verdict::Promised(rate(5)));
        assert_eq!(full.ask(2, rate(100)), Verdict::Promised(rate(95)));
    }

    /// Two outputs on the way have 40 and 20 left: the first promises 40, the second 20, and the first gets 20 back.
    #[test]
    fn what_the_first_of_two_core_nodes_has_promised_in_vain_is_given_back() {
        let mut ways =
            [60, 80].map(|others| Reservations::new(rate(100), Beyond::Lowered, [(1, rate(10)), (2, rate(others))]));
        let mut edge = Negotiator::new(10, rate(10));
        let mut asks = edge.handle_timeout(Some(rate(100)));
        let mut asked = Vec::new();
        while let Some(wanted) = asks {
            asked.push(wanted.count());
            let answer = ways.iter_mut().fold(wanted, |wanted, way| match way.ask(1, wanted) {
                Verdict::Promised(promise) => promise,
                Verdict::Refused(has) => panic!("{has:?} of {wanted:?}"),
            });
            asks = edge.handle_answer(answer);
        }
        assert_eq!((asked, edge.scheduled()), (vec![100, 20], rate(20)));
        assert_eq!(ways[0].ask(2, rate(100)), Verdict::Promised(rate(80)), "100 less 20");
    }

    #[test]
    fn one_request_at_a_time_and_a_refused_one_is_taken_back() {
        let mut edge = Negotiator::new(10, rate(50));
        assert_eq!(edge.handle_timeout(Some(rate(80))), Some(rate(80)));
        assert_eq!((edge.handle_timeout(Some(rate(70))), edge.next_timeout()), (None, 30));
        assert_eq!(edge.handle_answer(rate(50)), Some(rate(50)), "nodes before the one that refused keep no promise");
        assert_eq!((edge.handle_answer(rate(50)), edge.scheduled()), (None, rate(50)));
        assert_eq!(edge.handle_timeout(Some(rate(40))), Some(rate(40)));
        assert_eq!((edge.handle_answer(rate(40)), edge.scheduled()), (None, rate(40)));
        assert_eq!(edge.handle_answer(rate(40)), None, "an answer to nothing");
    }
}
