//! The matchings of each step, on all switches, or on halves of them in turn.

use super::{Order, Policy, View};
use crate::switching::ocs::frontier::Pair;
use crate::switching::ocs::matching::shared;
use std::collections::BTreeMap;

/// All switches turn to the matchings of a step when the step before is done everywhere. A step of more matchings than
/// there are switches takes them one after the other.
#[derive(Debug)]
pub(in crate::switching::ocs) struct PerStep {
    /// Whether they turn before a transfer of the step is ready.
    pub is_ahead: bool,
    /// The step that has its matchings.
    pub of: u64,
}

impl Policy for PerStep {
    fn decide(&mut self, view: &View) -> Vec<Order> {
        let is_new = self.of != view.frontier.begun();
        if is_new && !self.is_ahead && view.frontier.live().values().all(|left| left.ready == 0) {
            return Vec::new();
        }
        self.of = view.frontier.begun();
        let switches: Vec<usize> = (0..view.outputs.len()).filter(|switch| is_new || !view.is_used(*switch)).collect();
        let matchings = next(view, &switches);
        view.laid_on(&switches, matchings)
    }
}

/// Matchings of the steps under way for these switches, as the others stay.
fn next(view: &View, switches: &[usize]) -> Vec<Vec<Pair>> {
    let mut bytes = view.live();
    let kept = (0..view.outputs.len()).filter(|switch| !switches.contains(switch));
    for (from, to) in kept.flat_map(|switch| (0..).zip(&view.outputs[switch])) {
        // Those that have a circuit elsewhere come last.
        if let Some(of_pair) = to.and_then(|to| bytes.get_mut(&(from, to))) {
            *of_pair = 0;
        }
    }
    if bytes.values().any(|bytes| *bytes > 0) {
        bytes.retain(|_, bytes| *bytes > 0);
    } else {
        bytes = view.live();
    }
    if bytes.is_empty() { Vec::new() } else { shared(&bytes, switches.len(), view.nodes) }
}

/// The phases of a work, in which its pairs stay the same, take halves of the switches in turn. One half sends; the
/// other one turns to what is next. A work of one phase has all switches.
#[derive(Debug, Default)]
pub(in crate::switching::ocs) struct Overlap {
    /// The work and the phase that have their matchings.
    pub of: Option<(usize, usize)>,
}

impl Policy for Overlap {
    fn decide(&mut self, view: &View) -> Vec<Order> {
        let Some((work, (phase, phases))) = view.frontier.work().zip(view.frontier.phase()) else { return Vec::new() };
        let (count, is_new) = (view.outputs.len(), self.of != Some((work, phase)));
        let half = |phase: usize| match phases.len() {
            1 => 0..count,
            _ if phase.is_multiple_of(2) => 0..count / 2,
            _ => count / 2..count,
        };
        let sending: Vec<usize> = half(phase).collect();
        if !is_new {
            let idle: Vec<usize> = sending.into_iter().filter(|switch| !view.is_used(*switch)).collect();
            let matchings = next(view, &idle);
            return view.laid_on(&idle, matchings);
        }
        self.of = Some((work, phase));
        let mut orders = view.laid_on(&sending, shared(&view.live(), sending.len(), view.nodes));
        if let Some(next) = phases.get(phase + 1) {
            let turning: Vec<usize> = half(phase + 1).collect();
            let pairs: BTreeMap<Pair, u64> = view.frontier.pairs(*next).iter().map(|pair| (*pair, 1)).collect();
            orders.extend(view.laid_on(&turning, shared(&pairs, turning.len(), view.nodes)));
        }
        orders
    }
}
