//! What is under way, measured again and again: the bytes of transfers that are ready and not done, scheduled by a rule
//! for an interval.

use super::{Order, Policy, View};
use crate::switching::ocs::frontier::Pair;
use control::scheduler::circuits::{Algorithm, CircuitSchedule, DemandMatrix, Readings, Site, plan};
use std::collections::VecDeque;
use units::Duration;

/// A demand and its schedule.
#[derive(Debug)]
pub(in crate::switching::ocs) struct Demand {
    /// The rule.
    pub rule: Algorithm,
    /// The switches; its week is the interval.
    pub site: Site,
    /// When the demand is measured again at the latest; `u64::MAX` while nothing is ready.
    pub next: u64,
    /// What is to be set when.
    pub planned: VecDeque<(u64, Order)>,
}

impl Demand {
    fn measure(&mut self, view: &View) {
        self.planned.clear();
        self.next = u64::MAX;
        let interval = self.site.week.expect("a demand has its interval").ps();
        let nodes = view.nodes as usize;
        let mut bytes = vec![0; nodes * nodes];
        for ((from, to), left) in view.frontier.ready() {
            bytes[*from as usize * nodes + *to as usize] = left.bytes;
        }
        let Some(schedule) = self.schedule(bytes) else { return };
        // A schedule's matchings are perfect: what nobody asks for is no reason to turn.
        let is_asked = |pair: &Pair| view.frontier.ready().contains_key(pair);
        self.next = view.now.saturating_add(interval);
        let mut all = Vec::new();
        for (switch, holds) in schedule.switches().iter().enumerate() {
            for hold in holds {
                let pairs = (0u32..).zip(&hold.outputs).filter(|(_, to)| usize::from(**to) < nodes);
                let pairs = pairs.map(|(from, to)| (from, u32::from(*to))).filter(is_asked).collect();
                let at = view.now + hold.start.saturating_sub(self.site.reconfiguration).ps();
                all.push((at, Order { switch, pairs }));
            }
        }
        all.sort_by_key(|(at, order)| (*at, order.switch));
        self.planned = all.into();
    }
}

impl Demand {
    /// A schedule for so many bytes between the nodes, as much as an interval can carry; `None` if there are none.
    fn schedule(&self, mut bytes: Vec<u64>) -> Option<CircuitSchedule> {
        let most = u128::from(self.site.capacity.bps()) * u128::from(self.site.week?.ps()) / 8_000_000_000_000;
        bytes.iter_mut().for_each(|entry| *entry = (*entry).min(u64::try_from(most).unwrap_or(u64::MAX)));
        if bytes.iter().all(|entry| *entry == 0) {
            return None;
        }
        let demand = DemandMatrix::new(bytes.len().isqrt(), bytes).ok()?;
        // However short its light is, a matching is worth it: nothing else carries these bytes.
        let readings = Readings { shortest: Some(Duration::ZERO), ..Readings::default() };
        plan(self.rule, &demand, &self.site, &readings).ok()
    }
}

impl Policy for Demand {
    fn decide(&mut self, view: &View) -> Vec<Order> {
        // What was measured has been sent, and something else is ready.
        let is_over = self.planned.is_empty() && !view.has_circuit(view.frontier.ready());
        let is_due = self.next <= view.now || is_over;
        if is_due {
            self.measure(view);
        }
        let due = self.planned.iter().take_while(|(at, _)| *at <= view.now).count();
        self.planned.drain(..due).map(|(_, order)| order).collect()
    }

    fn next_timeout(&self) -> u64 {
        self.planned.front().map_or(self.next, |(at, _)| self.next.min(*at))
    }
}
