//! What happens from outside but for links that change: flows take other paths, statistics begin, samples are due.

use super::paths::Paths;
use super::{World, news};
use crate::engine::execute::layout::Partitions;
use crate::engine::observe::host_queues::HostQueues;
use crate::engine::observe::sampler::Sampler;
use crate::model::{Change, Flow, LinkId, Scenario, SimTime, Step, Timeline};
use std::collections::{BTreeMap, BTreeSet};
use units::Duration;

/// Something that happens from outside.
#[derive(Clone, Debug)]
pub(super) struct Control {
    pub(super) at: SimTime,
    pub(super) action: Action,
}

/// What happens from outside, in the order within an instant.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Flows and links are sampled.
    Sample,
    /// Statistics begin.
    EndWarmUp,
    /// Nine tenths of the run are over.
    LastTenth,
    /// Data that leave by a link from now on are marked, or not: a circuit has come or gone.
    Mark(LinkId, bool),
    /// Flows take new paths: (flow, path, way back), as positions in the array of paths.
    Reroute(Vec<(u32, u32, u32)>),
}

impl Action {
    /// The order of actions of one instant.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Action::Sample => 0,
            Action::EndWarmUp => 1,
            Action::LastTenth => 2,
            Action::Mark(..) => 3,
            Action::Reroute(_) => 4,
        }
    }

    /// Whether it comes before the changes of links of its instant.
    pub(super) fn precedes_changes(&self) -> bool {
        !matches!(self, Action::Mark(..) | Action::Reroute(_))
    }
}

impl World {
    /// The first sample; and the last tenth of the run, where ports are all that there is in the network and flows may
    /// wait for each other at their hosts.
    pub(super) fn add_watches(&mut self, scenario: &Scenario) {
        add_sample(&mut self.controls, &self.sampler);
        if self.partitions.iter().any(|part| part.hosts.have_agents()) {
            return;
        }
        let queues = HostQueues::new(&scenario.network, &self.layout.flows, &self.link_numbers);
        if !queues.is_empty() {
            self.host_queues = queues;
            let at = SimTime::from_ps(self.end.ps() - self.end.ps() / 10);
            let place = self.controls.partition_point(|control| (control.at, control.action.rank()) > (at, 2));
            self.controls.insert(place, Control { at, action: Action::LastTenth });
        }
    }
}

/// Links with a change that is such.
pub(super) fn changing(scenario: &Scenario, is_such: impl Fn(Change) -> bool) -> BTreeSet<LinkId> {
    let timelines = scenario.changes.iter().filter(|timeline| timeline.has(&is_such));
    timelines.map(|timeline| timeline.link).collect()
}

/// The keys of properties that change during a run, by link.
pub(super) fn changing_properties(scenario: &Scenario) -> BTreeMap<LinkId, Vec<&'static str>> {
    let mut all: BTreeMap<LinkId, Vec<&'static str>> = BTreeMap::new();
    for timeline in &scenario.changes {
        let keys: BTreeSet<_> = timeline.steps.iter().filter_map(|step| step.change.property()).collect();
        all.entry(timeline.link).or_default().extend(keys);
    }
    all
}

/// The next sample, if there is one, takes its place among what will happen.
pub(super) fn add_sample(controls: &mut Vec<Control>, sampler: &Sampler) {
    let sample = Control { at: sampler.next(), action: Action::Sample };
    if sample.at < SimTime::NEVER {
        // It comes before all else of its instant.
        let place = controls.partition_point(|control| control.at >= sample.at);
        controls.insert(place, sample);
    }
}

/// What will happen from outside but for samples and changes of links, latest first.
pub(super) fn controls(scenario: &Scenario, flows: &[Flow], paths: &mut Paths) -> Vec<Control> {
    let mut controls = vec![Control { at: SimTime::ZERO + scenario.run.warm_up, action: Action::EndWarmUp }];
    controls.extend(news::marks(scenario).map(|(at, link, is_on)| Control { at, action: Action::Mark(link, is_on) }));
    if let Some(span) = scenario.network.reroute_after {
        controls.extend(reroutes(scenario, flows, paths, span));
    }
    controls.sort_by_key(|control| (control.at, control.action.rank()));
    controls.reverse();
    controls
}

/// Whether packets that leave by a link are marked for a time.
pub(super) fn has_marks(scenario: &Scenario) -> bool {
    news::marks(scenario).next().is_some()
}

/// New paths, where links have been down, or up again, for `span`. A link whose state changes back before that has not
/// changed for routing.
fn reroutes(scenario: &Scenario, flows: &[Flow], paths: &mut Paths, span: Duration) -> Vec<Control> {
    let states = states(scenario);
    let open = scenario.network.open_to_flows();
    let (mut known, mut controls) = (open.clone(), Vec::new());
    let mut rest = &states[..];
    while let Some(first) = rest.first() {
        let (now, later) = rest.split_at(rest.partition_point(|state| state.at <= first.at));
        let at = first.at + span;
        let soon = || later.iter().take_while(|later| later.at <= at);
        let lasts = |state: &State| !soon().any(|later| later.link == state.link && later.is_up != state.is_up);
        let before = known.clone();
        for state in now.iter().filter(|state| lasts(state)) {
            known[state.link.index()] = state.is_up && open[state.link.index()];
        }
        if known != before {
            let found = paths.of_flows(&scenario.network, flows, &known);
            let found = found.iter().enumerate().map(|(flow, (path, back))| (flow as u32, *path, *back)).collect();
            controls.push(Control { at, action: Action::Reroute(found) });
        }
        rest = later;
    }
    controls
}

/// Flows take these paths from now on: (flow, path, way back).
pub(super) fn reroute(paths: &[(u32, u32, u32)], parts: &mut Partitions) {
    for (flow, path, back) in paths {
        parts.sender_mut(*flow).path = *path;
        parts.receiver_mut(*flow).path = *back;
    }
}

/// A link goes down or comes up.
struct State {
    at: SimTime,
    link: LinkId,
    is_up: bool,
}

/// The links that go down or come up, in the order of time. None does so again and again where routes follow.
fn states(scenario: &Scenario) -> Vec<State> {
    let of = |timeline: &Timeline| {
        let link = timeline.link;
        let state = move |step: &Step| {
            let is_up = step.change.is_up()?;
            Some(State { at: SimTime::ZERO + step.after, link, is_up })
        };
        timeline.steps.iter().filter_map(state).collect::<Vec<_>>()
    };
    let mut states: Vec<State> = scenario.changes.iter().flat_map(of).collect();
    states.sort_by_key(|state| state.at);
    states
}
