//! Who is told of which changes of links. The changes are known when the run begins, so a sender's host has them from
//! the start and tells each when it is due; nothing travels. Marks are made by ports, and what ACKs do with them is the
//! hosts' business.

use super::watching::Ways;
use crate::engine::node::hosts::{Hosts, PathNews};
use crate::model::{LinkId, LinkNews, PathPart, Scenario, SimTime, Telling, path_changes};
use std::collections::BTreeMap;
use transport::cc::PathChange;
use transport::tcp::SenderConfig;

/// News by the link with which the part begins that it is about.
type Subjects<'a> = BTreeMap<LinkId, Vec<(&'a LinkNews, &'a PathPart)>>;

/// When the marks of which links begin, and end. Who drains a circuit marks what leaves by it.
pub(super) fn marks(scenario: &Scenario) -> impl Iterator<Item = (SimTime, LinkId, bool)> {
    let by_marks = scenario.news.iter().filter(|news| news.told == Telling::Mark);
    let of_links = by_marks.flat_map(|news| &news.parts).filter(|part| part.links.len() == 1);
    of_links.flat_map(|part| {
        let changes = path_changes(part, Telling::Mark.way(), end(scenario)).into_iter();
        changes.map(move |(at, change)| (at, part.links[0], change.division.is_some_and(|division| division > 0)))
    })
}

/// Gives every flow the news of its path, as far as its sender listens.
pub(super) fn feed(ways: &Ways, hosts: &mut Hosts) {
    let (scenario, mut known, mut subjects) = (ways.scenario, BTreeMap::new(), Subjects::new());
    for (news, part) in scenario.news.iter().flat_map(|news| news.parts.iter().map(move |part| (news, part))) {
        subjects.entry(part.links[0]).or_default().push((news, part));
    }
    if subjects.is_empty() {
        return;
    }
    let listens: Vec<bool> =
        scenario.transports.iter().map(|one| one.kind.sender().is_some_and(SenderConfig::hears_news)).collect();
    for (number, _) in ways.flows.iter().enumerate().filter(|(_, flow)| listens[flow.transport.index()]) {
        let links = || ways.links(number).collect::<Vec<_>>();
        let news = known.entry(ways.first[number].0).or_insert_with(|| of_path(&subjects, &links(), end(scenario)));
        hosts.feed(number as u32, news);
    }
}

/// The news of some links, in the order of time.
fn of_path(subjects: &Subjects, links: &[LinkId], end: SimTime) -> PathNews {
    let begins = |place: usize| subjects.get(&links[place]).into_iter().flatten().map(move |about| (place, about));
    let crossed =
        (0..links.len()).flat_map(begins).filter(|(place, (_, part))| links[*place..].starts_with(&part.links));
    let mut all: Vec<(u64, PathChange)> = crossed.flat_map(|(_, (news, part))| of_part(news, part, end)).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into()
}

fn of_part(news: &LinkNews, part: &PathPart, end: SimTime) -> Vec<(u64, PathChange)> {
    let changes = path_changes(part, news.told.way(), end + news.ahead).into_iter();
    changes.filter_map(|(at, change)| Some((news.heard(at, change.turn)?.ps(), change))).collect()
}

fn end(scenario: &Scenario) -> SimTime {
    SimTime::ZERO + scenario.run.duration
}
