//! What a node does where bursts have two paths: it measures and tells loads, chooses, and holds bursts. The choice itself is `balance`'s.

use super::agenda::Task;
use super::burst::{Burst, Header, Notice};
use super::node::BurstNode;
use super::plan::LoadUnit;
use crate::engine::bench::Bench;
use std::sync::Arc;

impl BurstNode {
    /// The first τ begins.
    pub(super) fn begin_intervals(&mut self) {
        let Some(rules) = &self.parts.rules.obs.balancing else { return };
        let interval = rules.interval.ps();
        if rules.needs_loads() && self.parts.outputs.iter().any(|output| output.load.is_some()) {
            self.agenda.note(interval, Task::Measure);
        }
        if rules.needs_loads() && !self.parts.sets.is_empty() {
            self.agenda.note(interval + self.parts.choose_after, Task::Review);
        }
    }

    /// A τ has ended: who asks for them is told the loads of the outputs; this node knows them at once.
    pub(super) fn tell_loads(&mut self, now: u64, bench: &mut Bench) {
        let rules = Arc::clone(&self.parts.rules);
        let Some(balancing) = &rules.obs.balancing else { return };
        let interval = balancing.interval.ps();
        let channels = match balancing.unit {
            LoadUnit::Channel => f64::from(rules.obs.fibre.channels),
            LoadUnit::Link => 1.0,
        };
        let measured = self.parts.outputs.iter_mut().filter_map(|output| {
            let busy = output.load.as_mut()?.end(now, interval);
            Some((output.link.0, busy as f64 / (interval as f64 * channels)))
        });
        let loads: Vec<(u32, f64)> = measured.collect();
        self.loads.extend(loads.iter().copied());
        for receiver in self.parts.subscribers.clone() {
            self.counts.spread.told += 1;
            self.send(now, receiver, Notice::Loads(loads.clone()), bench);
        }
        self.agenda.note(now + interval, Task::Measure);
    }

    /// The paths of bursts may change.
    pub(super) fn review_paths(&mut self, now: u64) {
        let rules = Arc::clone(&self.parts.rules);
        let Some(balancing) = &rules.obs.balancing else { return };
        for set in &mut self.parts.sets {
            set.review(balancing, &self.loads);
        }
        self.agenda.note(now + balancing.interval.ps(), Task::Review);
    }

    /// A burst is complete that has two paths.
    pub(super) fn spread(&mut self, now: u64, set: u32, burst: Burst, bench: &mut Bench) {
        let rules = Arc::clone(&self.parts.rules);
        let Some(balancing) = &rules.obs.balancing else { return self.launch(now, Header::of(Arc::new(burst)), bench) };
        // The offsets of the two paths differ by a few headers' processing times; holding needs no more than the first's.
        let chosen = self.parts.sets[set as usize].choose(now, burst.length, burst.offset, balancing, &self.loads);
        let counts = &mut self.counts.spread;
        counts.bursts += 1;
        counts.alternate += u64::from(chosen.alternate);
        counts.switches += u64::from(chosen.switched);
        let offset = self.parts.routes[chosen.route as usize].offset;
        let header = Header::of(Arc::new(Burst { route: chosen.route, offset, ..burst }));
        if chosen.hold == 0 {
            return self.launch(now, header, bench);
        }
        counts.held += 1;
        counts.hold += u128::from(chosen.hold);
        counts.bytes += header.size;
        counts.peak = counts.peak.max(counts.bytes);
        self.agenda.note(now + chosen.hold, Task::Release(header));
    }

    /// A burst has been held long enough.
    pub(super) fn release(&mut self, now: u64, header: Header, bench: &mut Bench) {
        self.counts.spread.bytes -= header.size;
        self.launch(now, header, bench);
    }
}
