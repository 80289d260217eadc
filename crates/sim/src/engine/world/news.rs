//! Who is told of which changes of links. The changes are known when the run begins, so a sender's host has them from
//! the start and tells each when it is due; nothing travels. Marks are made by ports, and what ACKs do with them is the
//! hosts' business.

use super::watching::Ways;
use crate::engine::node::hosts::{Hosts, PathNews};
use crate::model::{LinkId, LinkNews, Scenario, SimTime, Telling, path_changes};
use std::collections::BTreeMap;
use transport::cc::PathChange;
use transport::tcp::SenderConfig;

/// When the marks of which links begin, and end.
pub(super) fn marks(scenario: &Scenario) -> impl Iterator<Item = (SimTime, LinkId, bool)> {
    let by_marks = scenario.news.iter().filter(|news| news.told == Telling::Mark);
    by_marks.flat_map(|news| news.links.iter().map(|link| (*link, news.told.way()))).flat_map(|(link, way)| {
        let changes = path_changes(&scenario.network, &scenario.changes, link, way, end(scenario)).into_iter();
        changes.map(move |(at, change)| (at, link, change.division.is_some_and(|division| division > 0)))
    })
}

/// Gives every flow the news of its path, as far as its sender listens.
pub(super) fn feed(ways: &Ways, hosts: &mut Hosts) {
    let (scenario, mut known) = (ways.scenario, BTreeMap::new());
    if scenario.news.is_empty() {
        return;
    }
    let listens: Vec<bool> =
        scenario.transports.iter().map(|one| one.kind.sender().is_some_and(SenderConfig::hears_news)).collect();
    for (number, _) in ways.flows.iter().enumerate().filter(|(_, flow)| listens[flow.transport.index()]) {
        let news = known.entry(ways.first[number].0).or_insert_with(|| of_path(scenario, ways.links(number)));
        hosts.feed(number as u32, news);
    }
}

/// The news of some links, in the order of time.
fn of_path(scenario: &Scenario, links: impl Iterator<Item = LinkId>) -> PathNews {
    let about = |link: LinkId| scenario.news.iter().find(|news| news.links.contains(&link)).map(|news| (link, news));
    let mut all: Vec<(u64, PathChange)> =
        links.filter_map(about).flat_map(|(link, news)| of_link(scenario, link, news)).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into()
}

fn of_link(scenario: &Scenario, link: LinkId, news: &LinkNews) -> Vec<(u64, PathChange)> {
    let changes = path_changes(&scenario.network, &scenario.changes, link, news.told.way(), end(scenario)).into_iter();
    changes.filter_map(|(at, change)| Some((news.told.heard(at)?.ps(), change))).collect()
}

fn end(scenario: &Scenario) -> SimTime {
    SimTime::ZERO + scenario.run.duration
}
