//! What happens from outside: links change, flows take other paths, statistics begin.

use super::news;
use super::paths::Paths;
use crate::engine::observe::sampler::Sampler;
use crate::model::{Change, Flow, LinkId, Scenario, SimTime};
use std::collections::BTreeSet;
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
    /// Links change.
    Change(Vec<LinkId>, Change),
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
            Action::Change(..) | Action::Mark(..) => 2,
            Action::Reroute(_) => 3,
        }
    }
}

/// Links whose capacity or delay changes during the run.
pub(super) fn changing(scenario: &Scenario) -> BTreeSet<LinkId> {
    let changes = scenario.events.iter().filter(|event| event.change.moves_departures());
    changes.flat_map(|event| event.links.iter().copied()).collect()
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

/// What will happen from outside but for samples, latest first.
pub(super) fn controls(scenario: &Scenario, flows: &[Flow], paths: &mut Paths) -> Vec<Control> {
    let mut controls = vec![Control { at: SimTime::ZERO + scenario.run.warm_up, action: Action::EndWarmUp }];
    for event in &scenario.events {
        controls.push(Control { at: event.at, action: Action::Change(event.links.clone(), event.change) });
    }
    controls.extend(news::marks(scenario).map(|(at, link, is_on)| Control { at, action: Action::Mark(link, is_on) }));
    if let Some(span) = scenario.network.reroute_after {
        controls.extend(reroutes(scenario, flows, paths, span));
    }
    // Stable, so that what happens at one instant keeps this order: end of the warm-up, changes, new paths.
    controls.sort_by_key(|control| (control.at, control.action.rank()));
    controls.reverse();
    controls
}

/// New paths, where links have been down, or up again, for `span`. A link whose state changes back before that has not
/// changed for routing.
fn reroutes(scenario: &Scenario, flows: &[Flow], paths: &mut Paths, span: Duration) -> Vec<Control> {
    let is_up = |change| match change {
        Change::Up => Some(true),
        Change::Down => Some(false),
        Change::Capacity(_) | Change::Told(_) | Change::Delay(_) => None,
    };
    let open = scenario.network.open_to_flows();
    let (mut known, mut controls) = (open.clone(), Vec::new());
    for (number, event) in scenario.events.iter().enumerate() {
        let Some(state) = is_up(event.change) else { continue };
        let at = event.at + span;
        let soon = || scenario.events[number + 1..].iter().take_while(|later| later.at <= at);
        let lasts = |link| !soon().any(|later| is_up(later.change) == Some(!state) && later.links.contains(link));
        let before = known.clone();
        for link in event.links.iter().filter(|link| lasts(link)) {
            known[link.index()] = state && open[link.index()];
        }
        if known != before {
            let found = paths.of_flows(&scenario.network, flows, &known);
            let found = found.iter().enumerate().map(|(flow, (path, back))| (flow as u32, *path, *back)).collect();
            controls.push(Control { at, action: Action::Reroute(found) });
        }
    }
    controls
}
