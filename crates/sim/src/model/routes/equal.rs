//! Equally short paths: at each node one of the next links that are as near by cost and hops.

use super::{MAX_KEPT, Place, Routes};
use crate::model::{LinkId, Network, NodeId};
use crate::random::mixed;
use std::collections::BTreeMap;

/// Cost and hops to a destination at each node that is no stub.
type Distances = Box<[Option<(u64, u32)>]>;

/// All shortest paths over the links that are up.
#[derive(Clone, Debug)]
pub struct EqualRoutes {
    routes: Routes,
    /// By number of an inner destination.
    known: BTreeMap<u32, Distances>,
    /// The links between two nodes, where several are as good as the best.
    parallel: BTreeMap<(NodeId, NodeId), Vec<LinkId>>,
}

impl EqualRoutes {
    /// Routes over `network`, where `up` says of each link whether it passes packets.
    pub fn new(network: &Network, up: &[bool]) -> EqualRoutes {
        let routes = Routes::new(network, up);
        let mut parallel: BTreeMap<(NodeId, NodeId), Vec<LinkId>> = BTreeMap::new();
        for ((link, number), _) in network.links.iter().zip(0..).zip(up).filter(|(_, up)| **up) {
            let best = parallel.entry((link.from, link.to)).or_default();
            let cost = |id: &LinkId| network.links[id.index()].cost;
            match best.first().map(|first| cost(first).cmp(&link.cost)) {
                Some(std::cmp::Ordering::Less) => continue,
                Some(std::cmp::Ordering::Greater) => best.clear(),
                _ => {}
            }
            best.push(LinkId(number));
        }
        parallel.retain(|_, links| links.len() > 1);
        EqualRoutes { routes, known: BTreeMap::new(), parallel }
    }

    /// The links of one of the shortest paths; empty from a node to itself, `None` where there is no way. Where a node
    /// has several next links, `choose` is told the node and the links, in the order of [`Routes`], and takes one.
    pub fn path(
        &mut self,
        from: NodeId,
        to: NodeId,
        mut choose: impl FnMut(NodeId, &[LinkId]) -> LinkId,
    ) -> Option<Vec<LinkId>> {
        if from == to {
            return Some(Vec::new());
        }
        let mut path = Vec::new();
        let mut node = from;
        while node != to {
            let next = self.onward(node, to, path.is_empty())?;
            let link = if next.len() == 1 { next[0] } else { choose(node, &next) };
            path.push(link);
            node = self.routes.links[link.index()].1;
        }
        Some(path)
    }

    /// All shortest paths from one node to another, the first of [`Routes`] first; of more than `most` so many that are
    /// drawn at random, by hashes of their numbers. None where there is no way.
    pub fn all(&mut self, from: NodeId, to: NodeId, most: usize) -> Vec<Vec<LinkId>> {
        let mut found = Vec::new();
        // Choices are the digits of a number that is counted up.
        let mut digits: Vec<(usize, usize)> = Vec::new();
        while found.len() < most {
            let mut place = 0;
            let path = self.path(from, to, |_, links| {
                if place == digits.len() {
                    digits.push((0, links.len()));
                }
                place += 1;
                links[digits[place - 1].0]
            });
            found.extend(path);
            while digits.last().is_some_and(|(digit, base)| digit + 1 == *base) {
                digits.pop();
            }
            let Some((digit, _)) = digits.last_mut() else { return found };
            *digit += 1;
        }
        let drawn = (0..most as u64).filter_map(|number| {
            let place = |node: NodeId, of: usize| (mixed(mixed(number) ^ u64::from(node.0)) % of as u64) as usize;
            self.path(from, to, |node, links| links[place(node, links.len())])
        });
        drawn.collect()
    }

    /// Tells `each` link on shortest paths its part of what goes from one node to the other, where a node divides what
    /// it has as `weight` says. All paths have as many hops, so the nodes after each hop are gone through together.
    pub fn shares(
        &mut self,
        from: NodeId,
        to: NodeId,
        weight: impl Fn(LinkId) -> f64,
        mut each: impl FnMut(LinkId, f64),
    ) {
        let mut here = BTreeMap::from([(from, 1.0)]);
        let mut is_first = true;
        while !here.is_empty() {
            let mut beyond = BTreeMap::new();
            for (node, part) in here.into_iter().filter(|(node, _)| *node != to) {
                let next = self.onward(node, to, is_first).unwrap_or_default();
                let all: f64 = next.iter().map(|link| weight(*link)).sum();
                for link in next {
                    let part = part * weight(link) / all;
                    each(link, part);
                    *beyond.entry(self.routes.links[link.index()].1).or_default() += part;
                }
            }
            (here, is_first) = (beyond, false);
        }
    }

    /// The next links at any node towards any other one: one at least, or there is no way. Paths may begin at a stub
    /// and do not come back to one.
    fn onward(&mut self, node: NodeId, to: NodeId, is_first: bool) -> Option<Vec<LinkId>> {
        let beside = |link: LinkId, routes: &EqualRoutes| {
            let (from, to, _) = routes.routes.links[link.index()];
            routes.parallel.get(&(from, to)).cloned().unwrap_or_else(|| vec![link])
        };
        let last = self.routes.doors[to.index()];
        let end = last.map_or(to, |(door, _)| door);
        match (last, self.routes.places[node.index()]) {
            (Some((door, link)), _) if node == door => Some(beside(link, self)),
            (_, Place::Stub(link)) if is_first => Some(beside(link, self)),
            _ => self.next(node, end),
        }
    }

    /// The next links at `node` towards `end`, both of which are no stubs: one at least, or there is no way.
    fn next(&mut self, node: NodeId, end: NodeId) -> Option<Vec<LinkId>> {
        let towards = self.routes.number(end)?;
        if !self.known.contains_key(&towards) {
            if (self.known.len() + 1).saturating_mul(self.routes.inner.len()) > MAX_KEPT / 4 {
                self.known.clear();
            }
            self.known.insert(towards, self.routes.distances(end).into());
        }
        let mut next: Vec<LinkId> = self.routes.nearer(node, &self.known[&towards]).collect();
        next.sort_by_key(|link| self.routes.rank(*link));
        Some(next).filter(|next| !next.is_empty())
    }
}
