//! News of routes that change in time: when a pair of nodes has another way, and how long and wide that is.

use super::news::number_of;
use super::{DelayLaw, LawfulLink, LinkId, Network, NodeId, PathPart, SimTime, TimedRoute, Timeline, path_changes};
use std::collections::BTreeMap;
use transport::cc::{NewsWay, PathChange, Turn};
use units::{Duration, Rate};

/// Two nodes whose way changes: from the first to the second.
pub type NodePair = (NodeId, NodeId);

/// What is known of routes beforehand.
pub struct RouteNews<'a> {
    network: &'a Network,
    laws: BTreeMap<LinkId, &'a DelayLaw>,
    changes: &'a [Timeline],
    end: SimTime,
}

/// The bytes of a full packet and of its ACK, on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoundTripSizes {
    /// There.
    pub packet: u32,
    /// Back.
    pub ack: u32,
}

impl<'a> RouteNews<'a> {
    /// Of a network and what changes in it until `end`.
    pub fn new(network: &'a Network, laws: &'a [LawfulLink], changes: &'a [Timeline], end: SimTime) -> RouteNews<'a> {
        let laws = laws.iter().map(|lawful| (lawful.link, &lawful.law)).collect();
        RouteNews { network, laws, changes, end }
    }

    /// The routes of a pair, in the order of time; none if nobody knows them.
    fn routes(&self, pair: NodePair) -> &'a [TimedRoute] {
        self.network.timed.as_ref().and_then(|timed| timed.pairs.get(&pair)).map_or(&[], Vec::as_slice)
    }

    /// What changes for packets from the first of a pair to the second before the run ends, in the order of time, as it
    /// is told in this way. A way that comes back has its old number, if it has its old capacity; 0 is the first.
    pub fn of_pair(&self, pair: NodePair, way: NewsWay, sizes: RoundTripSizes) -> Vec<(SimTime, PathChange)> {
        let (mut known, mut before): (Vec<State>, Option<State>) = (Vec::new(), None);
        let mut all = Vec::new();
        for (from, now) in self.states(pair) {
            let capacity = now.capacity;
            let last = before.replace(now);
            let division = (capacity.bps() > 0).then(|| number_of(now, &mut known));
            let Some(last) = last else { continue };
            let turn = Turn::of(last.capacity, capacity);
            let base_rtt = division.and_then(|_| self.base_rtt(pair, from, sizes));
            let at = SimTime::from_ps(from).on_ideal_clock();
            let change = PathChange { way, turn, division, capacity: Some(capacity), base_rtt, at };
            all.push((SimTime::from_ps(from), change));
        }
        all
    }

    /// From when on the pair has which way, as long as it is another than before.
    fn states(&self, pair: NodePair) -> Vec<(u64, State<'a>)> {
        let (routes, mut all) = (self.routes(pair), Vec::<(u64, State)>::new());
        for (place, route) in routes.iter().enumerate() {
            let until = routes.get(place + 1).map_or(u64::MAX, |next| next.from).min(self.end.ps());
            let mut widths: BTreeMap<u64, Rate> = BTreeMap::new();
            let courses: Vec<Vec<(u64, Rate)>> = route.way.iter().map(|link| self.capacities(*link)).collect();
            let times = courses.iter().flatten().map(|(at, _)| *at).filter(|at| (route.from..until).contains(at));
            for time in times.chain([route.from]) {
                let own = courses.iter().map(|course| course[..course.partition_point(|(at, _)| *at <= time)].last());
                let least = own.flatten().map(|(_, rate)| *rate).min().unwrap_or(Rate::from_bps(0));
                widths.insert(time, least);
            }
            for (time, capacity) in widths.into_iter().filter(|(time, _)| *time < self.end.ps()) {
                let way: &[LinkId] = if capacity.bps() > 0 { &route.way } else { &[] };
                let state = State { way, capacity };
                if all.last().is_none_or(|(_, last)| *last != state) {
                    all.push((time, state));
                }
            }
        }
        all
    }

    /// The capacity of a link from 0 on, and from each change on.
    fn capacities(&self, link: LinkId) -> Vec<(u64, Rate)> {
        let part = PathPart::of_link(self.network, self.changes, link);
        let later = path_changes(&part, NewsWay::Schedule, self.end).into_iter();
        let later = later.filter_map(|(at, change)| Some((at.ps(), change.capacity?)));
        [(0, part.first)].into_iter().chain(later).collect()
    }

    /// The round trip of the empty way that a pair has at a time, with all delays as they are then; `None` if there is
    /// no way there or back.
    fn base_rtt(&self, pair: NodePair, time: u64, sizes: RoundTripSizes) -> Option<Duration> {
        let there = self.empty(pair, time, sizes.packet)?;
        Some(there + self.empty((pair.1, pair.0), time, sizes.ack)?)
    }

    fn empty(&self, pair: NodePair, time: u64, size: u32) -> Option<Duration> {
        let routes = self.routes(pair);
        let begun = routes.partition_point(|route| route.from <= time);
        let way = &routes[..begun].last()?.way;
        let of = |sum: Duration, id: &LinkId| {
            let link = &self.network.links[id.index()];
            let delay = self.laws.get(id).and_then(|law| law.at(time, &mut 0)).map_or(link.delay, Duration::from_ps);
            sum + delay + link.lasts(size)
        };
        (!way.is_empty()).then(|| way.iter().fold(Duration::ZERO, of))
    }
}

/// What a pair has: the links of its way, and their least capacity.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State<'a> {
    way: &'a [LinkId],
    capacity: Rate,
}
