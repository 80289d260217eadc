//! Bursts by order of the scenario: a number of segments in a row of one flow is one burst, which is lost as a whole.
//! These are the assumptions of closed forms such as TCP-ENG's (§III): S segments, each burst lost with probability p
//! by itself.
//!
//! Segments count in the order in which they leave, copies included. Nothing waits for a burst to fill. A burst that is
//! lost ends when its sender knows: with the notification, and in any case when the sender sends again what was in it.
//! Otherwise a window below S would go on to lose what it sends until S segments are gone.
//!
//! The notification leaves with the first lost segment in its place, goes to the destination and comes back: one round
//! trip after the loss (§III.B), on the fibres of the data and of the ACKs. It tells all that the burst held by then.

use crate::engine::node::agent::{Order, Orders, ToldSender};
use crate::model::{BurstLosses, BurstRule, Flow, Scenario};
use crate::random::{Seed, Stream, bernoulli};
use std::collections::BTreeMap;
use std::sync::Arc;
use transport::tcp::{BurstReport, SackBlock};
use units::Instant;

/// The bursts of one flow.
#[derive(Debug)]
pub struct BurstLossOrders {
    rule: Arc<BurstRule>,
    stream: Stream,
    /// The number of the burst that is being filled, from 0.
    number: u64,
    lost: bool,
    /// What it holds.
    segments: Vec<SackBlock>,
    /// Lost bursts, whole or not, of which the sender is to be told.
    untold: BTreeMap<u64, Vec<SackBlock>>,
}

/// What becomes of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Its burst passes.
    Passes,
    /// Its burst is lost.
    Lost,
    /// It is the first of a lost burst, and the sender is to be told.
    LostFirst,
}

impl BurstLossOrders {
    /// No burst yet; `stream` draws which are lost.
    pub fn new(rule: Arc<BurstRule>, stream: Stream) -> BurstLossOrders {
        let (segments, untold) = (Vec::new(), BTreeMap::new());
        BurstLossOrders { rule, stream, number: 0, lost: false, segments, untold }
    }

    /// `segment` leaves.
    pub fn take(&mut self, segment: SackBlock) -> Share {
        let is_known = self.lost && self.segments.iter().any(|held| held.contains(segment));
        if self.segments.len() == self.rule.segments as usize || is_known {
            self.close();
        }
        let is_first = self.segments.is_empty();
        if is_first {
            self.lost = self.draw();
        }
        self.segments.push(segment);
        match (self.lost, self.rule.notify, is_first) {
            (false, ..) => Share::Passes,
            (true, true, true) => Share::LostFirst,
            (true, ..) => Share::Lost,
        }
    }

    /// The news of the loss of a burst has come: what it holds. It ends, if it is still being filled.
    pub fn tell(&mut self, number: u64) -> Vec<SackBlock> {
        if number == self.number {
            self.close();
        }
        self.untold.remove(&number).unwrap_or_default()
    }

    /// The number of the burst that is being filled.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What it holds.
    pub fn segments(&self) -> &[SackBlock] {
        &self.segments
    }

    fn draw(&mut self) -> bool {
        match &self.rule.losses {
            BurstLosses::Random(probability) => bernoulli(&mut self.stream, *probability),
            BurstLosses::These(numbers) => numbers.binary_search(&self.number).is_ok(),
        }
    }

    fn close(&mut self) {
        let segments = std::mem::take(&mut self.segments);
        if self.lost && self.rule.notify {
            self.untold.insert(self.number, segments);
        }
        self.number += 1;
        self.lost = false;
    }
}

impl Orders for BurstLossOrders {
    fn take(&mut self, now: Instant, segment: SackBlock, told: ToldSender) -> Order {
        let ToldSender { sender, actions } = told;
        let share = BurstLossOrders::take(self, segment);
        if sender.wanted_burst_report() == BurstReport::Assembled {
            sender.handle_burst_report(now, BurstReport::Assembled, self.segments(), actions);
        }
        match share {
            Share::Passes => Order::Pass,
            Share::Lost => Order::Lose,
            Share::LostFirst => Order::LoseAndTell(self.number()),
        }
    }

    fn news(&mut self, now: Instant, number: u64, told: ToldSender) {
        let ToldSender { sender, actions } = told;
        let segments = self.tell(number);
        sender.handle_burst_report(now, sender.wanted_burst_report(), &segments, actions);
    }
}

/// The orders of all flows whose traffic has bursts.
pub fn orders(scenario: &Scenario, flows: &[Flow], seed: Seed) -> BTreeMap<u32, Box<dyn Orders>> {
    let rules: Vec<_> = scenario.traffic.iter().map(|traffic| traffic.bursts.clone().map(Arc::new)).collect();
    let ruled = (0..).zip(flows).filter_map(|(number, flow)| Some((number, rules[flow.origin.0 as usize].clone()?)));
    let bursts = |(number, rule)| -> (u32, Box<dyn Orders>) {
        (number, Box::new(BurstLossOrders::new(rule, seed.stream(&format!("flow {number}"), "bursts"))))
    };
    ruled.map(bursts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bursts(segments: u32, lost: &[u64], notify: bool) -> BurstLossOrders {
        let rule = BurstRule { segments, losses: BurstLosses::These(lost.to_vec()), notify };
        BurstLossOrders::new(Arc::new(rule), Seed { seed: 1, run: 0 }.stream("flow 0", "bursts"))
    }

    fn segment(number: u64) -> SackBlock {
        SackBlock { start: number * 10, end: number * 10 + 10 }
    }

    fn take(bursts: &mut BurstLossOrders, numbers: std::ops::Range<u64>) -> Vec<Share> {
        numbers.map(|number| bursts.take(segment(number))).collect()
    }

    #[test]
    fn a_listed_burst_is_lost_as_a_whole() {
        let mut flow = bursts(3, &[1], false);
        let lost = [Share::Passes, Share::Passes, Share::Passes, Share::Lost, Share::Lost, Share::Lost, Share::Passes];
        assert_eq!(take(&mut flow, 0..7), lost);
        assert_eq!(flow.number(), 2, "the third is being filled");
    }

    #[test]
    fn the_notification_tells_all_that_the_burst_held() {
        let mut flow = bursts(3, &[0], true);
        assert_eq!(take(&mut flow, 0..4), [Share::LostFirst, Share::Lost, Share::Lost, Share::Passes]);
        assert_eq!(flow.tell(0), [segment(0), segment(1), segment(2)]);
        assert!(flow.tell(0).is_empty(), "once");
    }

    #[test]
    fn the_news_ends_a_burst_that_the_window_could_not_fill() {
        let mut flow = bursts(9, &[0], true);
        take(&mut flow, 0..4);
        assert_eq!(flow.tell(0).len(), 4);
        assert_eq!(take(&mut flow, 0..2), [Share::Passes, Share::Passes]);
    }

    #[test]
    fn without_news_a_lost_burst_ends_with_its_first_repair_and_another_does_not() {
        let mut flow = bursts(9, &[0], false);
        take(&mut flow, 0..4);
        assert_eq!(take(&mut flow, 4..6), [Share::Lost, Share::Lost]);
        assert_eq!(take(&mut flow, 0..1), [Share::Passes]);
        assert_eq!(flow.number(), 1);
        take(&mut flow, 0..8);
        assert_eq!(flow.number(), 1, "nine segments, whatever they are");
    }

    #[test]
    fn so_many_bursts_are_lost_as_the_probability_says() {
        // 20 000 bursts at p = 0.1: 2000, standard deviation √(20 000 · 0.09) = 42. Within four of them.
        let rule = BurstRule { segments: 2, losses: BurstLosses::Random(0.1), notify: false };
        let mut flow = BurstLossOrders::new(Arc::new(rule), Seed { seed: 7, run: 0 }.stream("flow 0", "bursts"));
        let lost = (0..40_000).filter(|number| flow.take(segment(*number)) == Share::Lost).count();
        assert_eq!(lost % 2, 0, "whole bursts");
        assert!((1832..=2168).contains(&(lost / 2)), "{lost}");
    }
}
