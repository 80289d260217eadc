//! Who is told of which changes of links. The changes are known when the run begins, so a sender's host has them from
//! the start and tells each when it is due; nothing travels. Marks are made by ports, and what ACKs do with them is the
//! hosts' business.

use super::watching::Ways;
use crate::engine::node::hosts::{Hosts, PathNews};
use crate::model::{
    LinkId, LinkNews, NewsErrors, PathPart, RoundTripSizes, RouteNews, Scenario, SimTime, Telling, path_changes,
};
use crate::random::{Seed, normal};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use transport::cc::PathChange;
use units::{Duration, Rate};

/// News by the link with which the part begins that it is about.
type Subjects<'a> = BTreeMap<LinkId, Vec<About<'a>>>;

/// News, and what of it is about one part.
type About<'a> = (&'a LinkNews, &'a PathPart, Rc<[(SimTime, PathChange)]>);

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
pub(super) fn feed(ways: &Ways, seed: Seed, hosts: &mut Hosts) {
    if ways.scenario.network.timed.is_some() {
        return feed_routes(ways, seed, hosts);
    }
    let (scenario, mut known, mut subjects) = (ways.scenario, BTreeMap::new(), Subjects::new());
    for (news, part) in scenario.news.iter().flat_map(|news| news.parts.iter().map(move |part| (news, part))) {
        let mut changes = path_changes(part, news.told.way(), end(scenario) + news.ahead);
        let names: Vec<String> = part.links.iter().map(|link| link.0.to_string()).collect();
        err(news, &mut changes, seed, &format!("links {}", names.join(" ")));
        subjects.entry(part.links[0]).or_default().push((news, part, changes.into()));
    }
    if subjects.is_empty() {
        return;
    }
    let listens: Vec<bool> = scenario.transports.iter().map(|one| one.kind.hears().news).collect();
    for (number, _) in ways.flows.iter().enumerate().filter(|(_, flow)| listens[flow.transport.index()]) {
        let links = || ways.links(number).collect::<Vec<_>>();
        let news = known.entry(ways.first[number].0).or_insert_with(|| of_path(&subjects, &links()));
        hosts.feed(number as u32, news);
    }
}

/// The same where routes change in time: news is of pairs of nodes.
fn feed_routes(ways: &Ways, seed: Seed, hosts: &mut Hosts) {
    let (scenario, mut known) = (ways.scenario, BTreeMap::new());
    let told = |news: &'_ LinkNews| news.pairs.iter().copied().collect::<BTreeSet<_>>();
    let told: Vec<_> = scenario.news.iter().map(|news| (news, told(news))).collect();
    let routes = RouteNews::new(&scenario.network, &scenario.laws, &scenario.changes, end(scenario));
    let nodes = &scenario.network.nodes;
    for (number, flow) in ways.flows.iter().enumerate() {
        let (kind, pair) = (&scenario.transports[flow.transport.index()].kind, (flow.source, flow.destination));
        if !kind.hears().base_rtts {
            continue;
        }
        let Some((news, _)) = told.iter().find(|(_, pairs)| pairs.contains(&pair)) else { continue };
        let packet = kind.payload().unwrap_or(0) + kind.header();
        let sizes = RoundTripSizes { packet, ack: kind.ack_size() };
        let own = known.entry((pair, sizes)).or_insert_with(|| {
            let mut changes = routes.of_pair(pair, news.told.way(), sizes);
            let [from, to] = [pair.0, pair.1].map(|node| &nodes[node.index()].name);
            err(news, &mut changes, seed, &format!("{from}->{to}"));
            in_order(heard(news, &changes).collect())
        });
        hosts.feed(number as u32, own);
    }
}

/// Draws the errors of news of something that has this name, the same for all who hear it.
fn err(news: &LinkNews, changes: &mut [(SimTime, PathChange)], seed: Seed, name: &str) {
    let NewsErrors { time, capacity } = news.errors;
    if news.errors == NewsErrors::default() {
        return;
    }
    let mut stream = seed.stream(&format!("news of {name}"), "errors");
    for (at, change) in changes {
        let (late, wide) = (normal(&mut stream) * time.as_secs_f64(), normal(&mut stream) * capacity);
        let span = Duration::from_secs_f64(late.abs()).unwrap_or(Duration::MAX).ps();
        let said = if late < 0.0 { at.ps().saturating_sub(span) } else { at.ps().saturating_add(span) };
        *at = SimTime::from_ps(said);
        change.at = at.on_ideal_clock();
        let times = (1.0 + wide).max(0.0);
        // `as` saturates.
        change.capacity = change.capacity.map(|rate| Rate::from_bps((rate.bps() as f64 * times).round() as u64));
    }
}

/// The news of some links, in the order of time.
fn of_path(subjects: &Subjects, links: &[LinkId]) -> PathNews {
    let begins = |place: usize| subjects.get(&links[place]).into_iter().flatten().map(move |about| (place, about));
    let crossed =
        (0..links.len()).flat_map(begins).filter(|(place, (_, part, _))| links[*place..].starts_with(&part.links));
    in_order(crossed.flat_map(|(_, (news, _, changes))| heard(news, changes)).collect())
}

/// When a sender hears of which of these changes.
fn heard(news: &LinkNews, changes: &[(SimTime, PathChange)]) -> impl Iterator<Item = (u64, PathChange)> {
    changes.iter().filter_map(|(at, change)| Some((news.heard(*at, change.turn)?.ps(), *change)))
}

fn in_order(mut all: Vec<(u64, PathChange)>) -> PathNews {
    all.sort_by_key(|(at, _)| *at);
    all.into()
}

fn end(scenario: &Scenario) -> SimTime {
    SimTime::ZERO + scenario.run.duration
}
