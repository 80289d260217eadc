//! Routes that change in time become paths, of which one goes on where another ends.

use super::paths::Paths;
use crate::engine::node::timetable::Timetable;
use crate::engine::packet::NOWHERE;
use crate::model::{Flow, Network, NodeId, TimedRoute, TimedRoutes, UnderWay};
use std::collections::BTreeMap;

impl Paths {
    /// The first path and way back of every flow, and when they take which others.
    pub(super) fn of_timed_flows(&mut self, network: &Network, timed: &TimedRoutes, flows: &[Flow]) -> Vec<(u32, u32)> {
        let mut table = Timetable::new(timed.under_way == UnderWay::New);
        let pairs = |flow: &Flow| [(flow.source, flow.destination), (flow.destination, flow.source)];
        let mut known: BTreeMap<(NodeId, NodeId), u32> = flows.iter().flat_map(pairs).map(|pair| (pair, 0)).collect();
        for (pair, first) in &mut known {
            *first = timed.pairs.get(pair).map_or(NOWHERE, |routes| self.lay(network, routes, &mut table));
        }
        table.close(self.flat.len() as u32);
        self.timetable = Some(table);
        flows.iter().map(pairs).map(|[there, back]| (known[&there], known[&back])).collect()
    }

    /// Lays the routes of a pair; the place of the first.
    fn lay(&mut self, network: &Network, routes: &[TimedRoute], table: &mut Timetable) -> u32 {
        let (mut before, mut departures) = (Vec::new(), Vec::new());
        for route in routes {
            let mut present: Vec<(NodeId, u32)> = Vec::new();
            for way in [&route.way].into_iter().chain(&route.others) {
                let first = self.add(Some(way.clone()));
                present.extend(way.iter().zip(first..).map(|(link, place)| (network.links[link.index()].from, place)));
                if std::ptr::eq(way, &route.way) {
                    departures.push((route.from, first));
                }
            }
            // The way from the source comes before the others.
            let places: BTreeMap<NodeId, u32> = present.iter().rev().copied().collect();
            for (node, place) in std::mem::replace(&mut before, present) {
                table.end(place, route.from, places.get(&node).copied().unwrap_or(NOWHERE));
            }
        }
        let first = departures.first().map_or(NOWHERE, |(_, first)| *first);
        table.depart(first, departures);
        first
    }
}
