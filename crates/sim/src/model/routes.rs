//! Shortest paths.
//!
//! A path is better if its cost is less, then if it has fewer hops, then if its sequence of node ids, read from the
//! source, is smaller; between parallel links of equal cost the smaller id. So routes depend on ids alone, and all
//! paths to a destination form a tree, as next-hop tables do. Dijkstra's algorithm runs from each destination against
//! the direction of the links, once, when a path to it is first asked for; `petgraph`'s has no place for the second and
//! third rule.
//!
//! No best path leads through a *stub*, a node that has links with one neighbour only, as hosts have: the neighbour
//! would be passed twice. So tables know only the other nodes, and a large network of hosts at few routers has small
//! ones. A node that is reached from one neighbour only needs no table of its own: its paths are those to the neighbour
//! and one link.

mod equal;

pub use equal::EqualRoutes;

use super::{Link, LinkId, Network, NodeId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Shortest paths over the links that are up.
#[derive(Clone, Debug)]
pub struct Routes {
    /// Per link: its ends and cost.
    links: Vec<(NodeId, NodeId, u64)>,
    /// Per node: the neighbour from which all its links come, if there is just one, and the best of them.
    doors: Vec<Option<Door>>,
    /// Per node.
    places: Vec<Place>,
    /// The links that are up between nodes that are no stubs, at each end.
    into: Adjacency,
    out_of: Adjacency,
    /// The nodes that are no stubs, by number.
    inner: Vec<NodeId>,
    /// Per inner destination: the next link at each inner node.
    towards: Vec<Option<Box<[LinkId]>>>,
    /// How many of them are there.
    kept: usize,
}

/// A neighbour, and the best link from there or to there.
type Door = (NodeId, LinkId);

/// Where a node lies.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Paths may lead through it; its number among such nodes.
    Inner(u32),
    /// All its links come from one neighbour and lead to it; the best that leads there.
    Stub(LinkId),
}

/// The links at each node, by id.
#[derive(Clone, Debug)]
struct Adjacency {
    first: Vec<u32>,
    links: Vec<LinkId>,
}

/// No way.
const NONE: LinkId = LinkId(u32::MAX);
/// Next hops kept at most; beyond them the tables are computed again (256 MB).
const MAX_KEPT: usize = 64 << 20;

impl Routes {
    /// Routes over `network`, where `up` says of each link whether it passes packets.
    pub fn new(network: &Network, up: &[bool]) -> Routes {
        assert_eq!(up.len(), network.links.len(), "every link is up or down");
        let doors = only_neighbours(network, up, |link| (link.to, link.from));
        let exits = only_neighbours(network, up, |link| (link.from, link.to));
        let mut inner = Vec::new();
        let mut place = |node: u32, door: Option<Door>, exit: Option<Door>| match (door, exit) {
            (Some((from, _)), Some((to, link))) if from == to => Place::Stub(link),
            _ => {
                inner.push(NodeId(node));
                Place::Inner(inner.len() as u32 - 1)
            }
        };
        let ends = (0..).zip(doors.iter().zip(&exits));
        let places: Vec<Place> = ends.map(|(node, (door, exit))| place(node, *door, *exit)).collect();
        let is_inner = |node: NodeId| matches!(places[node.index()], Place::Inner(_));
        let inside = |(link, up): (&Link, &bool)| *up && is_inner(link.from) && is_inner(link.to);
        let inside: Vec<bool> = network.links.iter().zip(up).map(inside).collect();
        let nodes = network.nodes.len();
        Routes {
            links: network.links.iter().map(|link| (link.from, link.to, link.cost)).collect(),
            into: Adjacency::new(nodes, &network.links, &inside, |link| link.to),
            out_of: Adjacency::new(nodes, &network.links, &inside, |link| link.from),
            towards: vec![None; inner.len()],
            kept: 0,
            doors,
            places,
            inner,
        }
    }

    /// The links of the best path; empty from a node to itself, `None` where there is no way.
    pub fn path(&mut self, from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
        if from == to {
            return Some(Vec::new());
        }
        let (end, last) = match self.doors[to.index()] {
            Some((door, link)) => (door, Some(link)),
            None => (to, None),
        };
        let mut path = Vec::new();
        let mut node = from;
        if node != end
            && let Place::Stub(link) = self.places[node.index()]
        {
            path.push(link);
            node = self.links[link.index()].1;
        }
        if node != end {
            let table = self.table(end)?;
            while node != end {
                let link = table.next(node)?;
                path.push(link);
                node = table.links[link.index()].1;
            }
        }
        path.extend(last);
        Some(path)
    }

    /// The table of paths to a node that is no stub.
    fn table(&mut self, to: NodeId) -> Option<Table<'_>> {
        let Place::Inner(number) = self.places[to.index()] else { return None };
        if self.towards[number as usize].is_none() {
            if (self.kept + 1).saturating_mul(self.inner.len()) > MAX_KEPT {
                (self.towards, self.kept) = (vec![None; self.inner.len()], 0);
            }
            self.towards[number as usize] = Some(self.tree(to));
            self.kept += 1;
        }
        let next = self.towards[number as usize].as_deref()?;
        Some(Table { next, places: &self.places, links: &self.links })
    }

    /// The next link at each inner node towards `to`.
    fn tree(&self, to: NodeId) -> Box<[LinkId]> {
        let distance = self.distances(to);
        let best = |node: &NodeId| self.nearer(*node, &distance).min_by_key(|link| self.rank(*link));
        self.inner.iter().map(|node| best(node).unwrap_or(NONE)).collect()
    }

    /// The links that lead from a node on a shortest path to where these distances are from.
    fn nearer(&self, node: NodeId, distance: &[Option<(u64, u32)>]) -> impl Iterator<Item = LinkId> {
        let far = |node: NodeId| self.number(node).and_then(|number| distance[number as usize]);
        let here = far(node);
        let leads = move |link: &LinkId| {
            let (_, neighbour, cost) = self.links[link.index()];
            far(neighbour).is_some_and(|(far, hops)| Some((far.saturating_add(cost), hops + 1)) == here)
        };
        self.out_of.at(node).iter().copied().filter(leads)
    }

    /// Of links that are equally good the least is the first.
    fn rank(&self, link: LinkId) -> (NodeId, LinkId) {
        (self.links[link.index()].1, link)
    }

    /// The number of a node that is no stub.
    fn number(&self, node: NodeId) -> Option<u32> {
        match self.places[node.index()] {
            Place::Inner(number) => Some(number),
            Place::Stub(_) => None,
        }
    }

    /// Cost and hops of the best path from each inner node to `to`, which is one.
    fn distances(&self, to: NodeId) -> Vec<Option<(u64, u32)>> {
        let number = |node: NodeId| match self.places[node.index()] {
            Place::Inner(number) => number as usize,
            Place::Stub(_) => unreachable!("links between inner nodes alone are looked at"),
        };
        let mut distance = vec![None; self.inner.len()];
        distance[number(to)] = Some((0, 0));
        let mut queue = BinaryHeap::from([Reverse((0u64, 0u32, to))]);
        while let Some(Reverse((far, hops, node))) = queue.pop() {
            if distance[number(node)] != Some((far, hops)) {
                continue;
            }
            for link in self.into.at(node) {
                let (neighbour, _, cost) = self.links[link.index()];
                let candidate = (far.saturating_add(cost), hops + 1);
                let known = &mut distance[number(neighbour)];
                if known.is_none_or(|known| candidate < known) {
                    *known = Some(candidate);
                    queue.push(Reverse((candidate.0, candidate.1, neighbour)));
                }
            }
        }
        distance
    }
}

/// The next links towards one node.
struct Table<'a> {
    next: &'a [LinkId],
    places: &'a [Place],
    links: &'a [(NodeId, NodeId, u64)],
}

impl Table<'_> {
    fn next(&self, node: NodeId) -> Option<LinkId> {
        let Place::Inner(number) = self.places[node.index()] else { return None };
        Some(self.next[number as usize]).filter(|link| *link != NONE)
    }
}

/// Per node: its neighbour, if all links that are up join it to the same one, and the best of them. `ends` gives this
/// end and the other one.
fn only_neighbours(network: &Network, up: &[bool], ends: impl Fn(&Link) -> (NodeId, NodeId)) -> Vec<Option<Door>> {
    let mut best: Vec<Option<(NodeId, u64, LinkId)>> = vec![None; network.nodes.len()];
    let mut has_several = vec![false; network.nodes.len()];
    for ((link, number), _) in network.links.iter().zip(0..).zip(up).filter(|(_, up)| **up) {
        let (here, there) = ends(link);
        let known = &mut best[here.index()];
        has_several[here.index()] |= known.is_some_and(|(neighbour, ..)| neighbour != there) || here == there;
        if known.is_none_or(|(_, cost, _)| link.cost < cost) {
            *known = Some((there, link.cost, LinkId(number)));
        }
    }
    let only = |(best, has_several): (Option<(NodeId, u64, LinkId)>, bool)| {
        best.filter(|_| !has_several).map(|(neighbour, _, link)| (neighbour, link))
    };
    best.into_iter().zip(has_several).map(only).collect()
}

impl Adjacency {
    fn new(nodes: usize, links: &[Link], up: &[bool], end: impl Fn(&Link) -> NodeId) -> Adjacency {
        let mut first = vec![0u32; nodes + 1];
        let in_service = || links.iter().enumerate().filter(|(index, _)| up[*index]);
        for (_, link) in in_service() {
            first[end(link).index() + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut place = first.clone();
        let mut sorted = vec![NONE; first[nodes] as usize];
        for (index, link) in in_service() {
            let slot = &mut place[end(link).index()];
            sorted[*slot as usize] = LinkId(index as u32);
            *slot += 1;
        }
        Adjacency { first, links: sorted }
    }

    fn at(&self, node: NodeId) -> &[LinkId] {
        &self.links[self.first[node.index()] as usize..self.first[node.index() + 1] as usize]
    }
}

/// For each node the number of its strongly connected component: two nodes have the same one if and only if each can
/// reach the other (Kosaraju's algorithm, without recursion).
pub fn components(network: &Network) -> Vec<u32> {
    let nodes = network.nodes.len();
    let up = vec![true; network.links.len()];
    let out_of = Adjacency::new(nodes, &network.links, &up, |link| link.from);
    let into = Adjacency::new(nodes, &network.links, &up, |link| link.to);
    let mut finished = Vec::with_capacity(nodes);
    let mut seen = vec![false; nodes];
    for root in (0..nodes as u32).map(NodeId) {
        visit(
            root,
            &mut seen,
            |node, k| Some(network.links[out_of.at(node).get(k)?.index()].to),
            |node| finished.push(node),
        );
    }
    let mut component = vec![0; nodes];
    let mut seen = vec![false; nodes];
    for (number, root) in finished.into_iter().rev().enumerate() {
        let mark = |node: NodeId| component[node.index()] = number as u32;
        visit(root, &mut seen, |node, k| Some(network.links[into.at(node).get(k)?.index()].from), mark);
    }
    component
}

/// Depth-first search from `root` over unseen nodes; `leave` gets each node after all that is reached from it.
fn visit(
    root: NodeId,
    seen: &mut [bool],
    neighbour: impl Fn(NodeId, usize) -> Option<NodeId>,
    mut leave: impl FnMut(NodeId),
) {
    if std::mem::replace(&mut seen[root.index()], true) {
        return;
    }
    let mut stack = vec![(root, 0)];
    while let Some((node, next)) = stack.last_mut() {
        match neighbour(*node, *next) {
            Some(other) => {
                *next += 1;
                if !std::mem::replace(&mut seen[other.index()], true) {
                    stack.push((other, 0));
                }
            }
            None => {
                leave(*node);
                stack.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests;
