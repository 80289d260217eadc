//! What a node does where bursts have two paths: it measures and tells loads, chooses, and holds bursts. The choice
//! itself is `balance`'s.
//!
//! With source ordering a burst is held until it arrives behind those of the other path. While one of those waits for a
//! wavelength, nobody knows when it arrives: the burst, and all that come after it, are blocked until the other has
//! left.

use super::super::balance::Place;
use super::super::burst::{Burst, Header, Notice};
use super::super::plan::{LoadUnit, Ordering};
use super::super::task::Task;
use super::BurstNode;
use crate::engine::node::node_context::NodeContext;
use std::sync::Arc;

/// A burst that is held until another has left.
#[derive(Debug)]
pub struct Blocked {
    /// The other's number.
    behind: u64,
    place: Place,
    /// Since when it has been held.
    since: u64,
    header: Header,
}

impl BurstNode {
    /// The first τ begins.
    pub(super) fn begin_intervals(&mut self) {
        let Some(rules) = &self.parts.rules.obs.balancing else { return };
        let interval = rules.interval.ps();
        if rules.needs_loads() && self.parts.outputs.iter().any(|output| output.load.is_some()) {
            self.tasks.push(interval, Task::Measure);
        }
        if rules.needs_loads() && !self.parts.sets.is_empty() {
            self.tasks.push(interval + self.parts.choose_after, Task::Review);
        }
    }

    /// A τ has ended: who asks for them is told the loads of the outputs; this node knows them at once.
    pub(super) fn tell_loads(&mut self, now: u64, context: &mut NodeContext) {
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
            self.send(now, receiver, Notice::Loads(loads.clone()), context);
        }
        self.tasks.push(now + interval, Task::Measure);
    }

    /// The paths of bursts may change.
    pub(super) fn review_paths(&mut self, now: u64) {
        let rules = Arc::clone(&self.parts.rules);
        let Some(balancing) = &rules.obs.balancing else { return };
        for set in &mut self.parts.sets {
            set.review(balancing, &self.loads);
        }
        self.tasks.push(now + balancing.interval.ps(), Task::Review);
    }

    /// A burst is complete that has two paths.
    pub(super) fn spread(&mut self, now: u64, set: u32, burst: Burst, context: &mut NodeContext) {
        let rules = Arc::clone(&self.parts.rules);
        let Some(balancing) = &rules.obs.balancing else {
            return self.launch(now, Header::of(Arc::new(burst)), context);
        };
        let chosen = self.parts.sets[set as usize].choose(now, burst.length, balancing, &self.loads);
        let counts = &mut self.counts.spread;
        counts.bursts += 1;
        counts.alternate += u64::from(chosen.alternate);
        counts.switches += u64::from(chosen.switched);
        let offset = self.parts.routes[chosen.route as usize].offset;
        let place = Place { set, member: chosen.member };
        let header = Header::of(Arc::new(Burst { route: chosen.route, offset, place: Some(place), ..burst }));
        match self.unknown_arrival(place) {
            Some(behind) => {
                self.keep(header.size);
                self.blocked.push(Blocked { behind, place, since: now, header });
            }
            None => self.hold(now, place, header, context),
        }
    }

    /// A burst before one that takes this path, of which nobody knows yet when it arrives.
    fn unknown_arrival(&self, place: Place) -> Option<u64> {
        let rules = self.parts.rules.obs.balancing.as_ref()?;
        if rules.ordering != Ordering::Drain {
            return None;
        }
        if let Some(blocked) = self.blocked.iter().rev().find(|blocked| blocked.place.set == place.set) {
            return Some(blocked.behind);
        }
        let is_before =
            |burst: &Burst| burst.place.is_some_and(|other| other.set == place.set && other.member != place.member);
        self.parts.outputs.iter().filter_map(|output| output.waiting.last(is_before)).max()
    }

    /// A burst is held for as long as it must be, if at all.
    fn hold(&mut self, now: u64, place: Place, header: Header, context: &mut NodeContext) {
        let ordering = self.parts.rules.obs.balancing.as_ref().map_or(Ordering::Off, |rules| rules.ordering);
        let hold = self.parts.sets[place.set as usize].hold(now, header.length, place.member, ordering);
        if hold == 0 {
            return self.launch(now, header, context);
        }
        self.keep(header.size);
        self.counts.spread.hold += u128::from(hold);
        self.tasks.push(now + hold, Task::Release(header));
    }

    /// A burst takes room in electronic memory.
    fn keep(&mut self, bytes: u64) {
        let counts = &mut self.counts.spread;
        counts.held += 1;
        counts.bytes += bytes;
        counts.peak = counts.peak.max(counts.bytes);
    }

    /// A burst has been held long enough.
    pub(super) fn release(&mut self, now: u64, header: Header, context: &mut NodeContext) {
        self.counts.spread.bytes -= header.size;
        self.launch(now, header, context);
    }

    /// A new burst with two paths has left.
    pub(super) fn note_departure(&mut self, now: u64, place: Place, header: &Header) {
        self.parts.sets[place.set as usize].note_departure(now, header.length, place.member);
    }

    /// A new burst does not wait any more: those that were blocked by it go on in their order.
    pub(super) fn unblock(&mut self, now: u64, number: u64, context: &mut NodeContext) {
        if self.blocked.is_empty() {
            return;
        }
        let (free, kept): (Vec<Blocked>, Vec<Blocked>) =
            std::mem::take(&mut self.blocked).into_iter().partition(|blocked| blocked.behind == number);
        self.blocked = kept;
        for Blocked { place, since, header, .. } in free {
            let counts = &mut self.counts.spread;
            counts.hold += u128::from(now - since);
            counts.held -= 1;
            counts.bytes -= header.size;
            self.hold(now, place, header, context);
        }
    }
}
