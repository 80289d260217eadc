//! What is under way, measured again and again: the bytes of transfers that are ready and not done, scheduled by a rule
//! for an interval.
//!
//! Rules go by bytes, as those of Helios, c-Through and Solstice do, and as longest queue first does, which may starve
//! short queues for ever. Oldest cell first does not (McKeown, Mekkittikul, Anantharam, Walrand, IEEE Transactions on
//! Communications 47(8), 1999). There it is a matching of the largest sum of waiting times in each slot; here it is one
//! matching before the rule's, of pairs in the order of their waiting (docs/deviations.md). So a pair waits at most for
//! as many intervals as there are pairs that share a node with it.

use super::{Order, Policy, View};
use crate::switching::ocs::frontier::Pair;
use crate::switching::ocs::keys::{First, Start};
use crate::switching::ocs::matching::heaviest;
use control::scheduler::circuits::{Algorithm, CircuitSchedule, DemandMatrix, Readings, Site, plan};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use units::Duration;

/// A demand and its schedule. Times are in picoseconds.
#[derive(Debug)]
pub(in crate::switching::ocs) struct Demand {
    /// The rule.
    rule: Algorithm,
    /// The switches; its week is the interval.
    site: Site,
    /// When the demand is measured again at the latest; `u64::MAX` while nothing is ready.
    next: u64,
    /// What is to be set when.
    planned: VecDeque<(u64, Order)>,
    /// Since when pairs wait, if that counts.
    waiting: Option<BTreeMap<Pair, u64>>,
    /// The switches whose next matching takes no turn.
    free: BTreeSet<usize>,
}

/// What an interval begins with.
#[derive(Debug, Default)]
struct Head {
    pairs: Vec<Pair>,
    /// A turn and the light behind it.
    lasts: u64,
}

impl Demand {
    /// A policy that has measured nothing.
    pub fn new(rule: Algorithm, site: Site, first: First, start: Start) -> Demand {
        let waiting = (first == First::Oldest).then(BTreeMap::new);
        let free = (0..site.switches).filter(|_| start == Start::Warm).collect();
        Demand { rule, site, next: u64::MAX, planned: VecDeque::new(), waiting, free }
    }

    fn measure(&mut self, view: &View) {
        self.planned.clear();
        self.next = u64::MAX;
        let (head, interval) = (self.head(view), self.interval());
        let scheduled = self.schedule(demand(view, &head, self.carried(head.lasts)), interval - head.lasts);
        if scheduled.is_none() && head.pairs.is_empty() {
            return;
        }
        self.next = view.now.saturating_add(interval);
        let first = |switch| (view.now, Order { switch, pairs: head.pairs.clone() });
        let switches = (0..self.site.switches).filter(|_| !head.pairs.is_empty());
        let mut all: Vec<(u64, Order)> = switches.map(first).collect();
        let turn = self.site.reconfiguration;
        for (switch, holds) in scheduled.iter().flat_map(CircuitSchedule::switches).enumerate() {
            // Behind a matching that takes no turn all begin so much earlier.
            let saved = if !holds.is_empty() && self.free.remove(&switch) { turn } else { Duration::ZERO };
            for hold in holds {
                // A schedule's matchings are perfect: what nobody asks for is no reason to turn.
                let is_asked = |pair: &Pair| view.frontier.ready().contains_key(pair);
                let pairs = (0u32..).zip(&hold.outputs).filter(|(_, to)| u32::from(**to) < view.nodes);
                let pairs = pairs.map(|(from, to)| (from, u32::from(*to))).filter(is_asked).collect();
                let at = view.now + head.lasts + hold.start.saturating_sub(turn).saturating_sub(saved).ps();
                all.push((at, Order { switch, pairs }));
            }
        }
        all.sort_by_key(|(at, order)| (*at, order.switch));
        self.planned = all.into();
    }

    fn interval(&self) -> u64 {
        self.site.week.expect("a demand has its interval").ps()
    }

    /// Bytes that all switches carry for a pair in a turn and the light behind it.
    fn carried(&self, lasts: u64) -> u64 {
        let light = lasts.saturating_sub(self.site.reconfiguration.ps());
        self.bytes_in(light).saturating_mul(self.site.switches as u64)
    }

    fn bytes_in(&self, light: u64) -> u64 {
        let bytes = u128::from(self.site.capacity.bps()) * u128::from(light) / 8_000_000_000_000;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// The pairs that have waited the longest, on all switches; none if that does not count, or if nobody waits.
    fn head(&self, view: &View) -> Head {
        let Some(waiting) = &self.waiting else { return Head::default() };
        let ages = waiting.iter().map(|(pair, since)| (*pair, (view.now - since) as f64));
        let pairs = heaviest(&ages.collect(), view.nodes);
        let Some(oldest) = pairs.first().filter(|pair| waiting[*pair] < view.now) else { return Head::default() };
        let bits = u128::from(view.frontier.ready()[oldest].bytes) * 8;
        let rate = u128::from(self.site.capacity.bps()) * self.site.switches as u128;
        let light = u64::try_from((bits * 1_000_000_000_000).div_ceil(rate)).unwrap_or(u64::MAX);
        Head { pairs, lasts: light.saturating_add(self.site.reconfiguration.ps()).min(self.interval()) }
    }

    /// A schedule for so many bytes between the nodes, as much as a time can carry; `None` if there are none.
    fn schedule(&self, mut bytes: Vec<u64>, time: u64) -> Option<CircuitSchedule> {
        let most = self.bytes_in(time);
        bytes.iter_mut().for_each(|entry| *entry = (*entry).min(most));
        if bytes.iter().all(|entry| *entry == 0) {
            return None;
        }
        let demand = DemandMatrix::new(bytes.len().isqrt(), bytes).ok()?;
        // However short its light is, a matching is worth it: nothing else carries these bytes.
        let readings = Readings { shortest: Some(Duration::ZERO), ..Readings::default() };
        let site = Site { week: Some(Duration::from_ps(time)), ..self.site };
        plan(self.rule, &demand, &site, &readings).ok()
    }

    /// Who has no circuit waits, from when it is ready or had one on.
    fn wait(&mut self, view: &View) {
        let Some(waiting) = &mut self.waiting else { return };
        let ready = view.frontier.ready();
        waiting.retain(|pair, _| ready.contains_key(pair));
        for pair in ready.keys() {
            let since = waiting.entry(*pair).or_insert(view.now);
            if view.has_circuit([pair]) {
                *since = view.now;
            }
        }
    }
}

/// What is left behind the beginning of an interval, which has carried so many bytes for its pairs: by node and node.
fn demand(view: &View, head: &Head, carried: u64) -> Vec<u64> {
    let nodes = view.nodes as usize;
    let mut bytes = vec![0; nodes * nodes];
    for (pair, left) in view.frontier.ready() {
        let carried = if head.pairs.contains(pair) { carried } else { 0 };
        bytes[pair.0 as usize * nodes + pair.1 as usize] = left.bytes.saturating_sub(carried);
    }
    bytes
}

impl Policy for Demand {
    fn decide(&mut self, view: &View) -> Vec<Order> {
        self.wait(view);
        // What was measured has been sent, and something else is ready.
        let is_over = self.planned.is_empty() && !view.has_circuit(view.frontier.ready().keys());
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
