//! Shortest paths.
//!
//! A path is better if its cost is less, then if it has fewer hops, then if its sequence of node ids, read from the
//! source, is smaller; between parallel links of equal cost the smaller id. So routes depend on ids alone, and all paths to
//! a destination form a tree, as next-hop tables do. Dijkstra's algorithm runs from each destination against the direction
//! of the links, once, when a path to it is first asked for; `petgraph`'s has no place for the second and third rule. A host
//! whose links all come from one neighbour needs no table of its own: its paths are those to the neighbour and one link.

use super::{Link, LinkId, Network, NodeId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Shortest paths over the links that are up.
#[derive(Clone, Debug)]
pub struct Routes {
    /// Per link: its ends and cost; links that are down are absent from `into` and `out_of`.
    links: Vec<(NodeId, NodeId, u64)>,
    into: Adjacency,
    out_of: Adjacency,
    /// Per destination: the next link at each node.
    towards: BTreeMap<NodeId, Vec<LinkId>>,
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
        let nodes = network.nodes.len();
        Routes {
            links: network.links.iter().map(|link| (link.from, link.to, link.cost)).collect(),
            into: Adjacency::new(nodes, &network.links, up, |link| link.to),
            out_of: Adjacency::new(nodes, &network.links, up, |link| link.from),
            towards: BTreeMap::new(),
        }
    }

    /// The links of the best path; empty from a node to itself, `None` where there is no way.
    pub fn path(&mut self, from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
        let mut path = Vec::new();
        let mut node = from;
        while node != to {
            let link = self.next(node, to)?;
            path.push(link);
            node = self.links[link.index()].1;
        }
        Some(path)
    }

    /// The first link of the best path from `node` to another node.
    pub fn next(&mut self, node: NodeId, to: NodeId) -> Option<LinkId> {
        match self.door(to) {
            Some((door, link)) if door == node => Some(link),
            Some((door, _)) => self.next_by_table(node, door),
            None => self.next_by_table(node, to),
        }
    }

    /// The neighbour from which all links to `node` come, if there is just one, and the best of them.
    fn door(&self, node: NodeId) -> Option<(NodeId, LinkId)> {
        let at = self.into.at(node);
        let door = self.links[at.first()?.index()].0;
        let all_from_there = at.iter().all(|link| self.links[link.index()].0 == door) && door != node;
        let best = at.iter().min_by_key(|link| (self.links[link.index()].2, **link));
        best.filter(|_| all_from_there).map(|link| (door, *link))
    }

    fn next_by_table(&mut self, node: NodeId, to: NodeId) -> Option<LinkId> {
        if !self.towards.contains_key(&to) {
            if (self.towards.len() + 1).saturating_mul(self.into.nodes()) > MAX_KEPT {
                self.towards.clear();
            }
            let table = self.tree(to);
            self.towards.insert(to, table);
        }
        self.towards.get(&to).map(|table| table[node.index()]).filter(|link| *link != NONE)
    }

    /// The next link at each node towards `to`.
    fn tree(&self, to: NodeId) -> Vec<LinkId> {
        let distance = self.distances(to);
        let best = |node: u32| {
            let here = distance[node as usize]?;
            let leads = |link: &LinkId| {
                let (_, neighbour, cost) = self.links[link.index()];
                distance[neighbour.index()].is_some_and(|(far, hops)| (far.saturating_add(cost), hops + 1) == here)
            };
            let at = self.out_of.at(NodeId(node));
            at.iter().copied().filter(leads).min_by_key(|link| (self.links[link.index()].1, *link))
        };
        (0..self.into.nodes() as u32)
            .map(|node| if NodeId(node) == to { NONE } else { best(node).unwrap_or(NONE) })
            .collect()
    }

    /// Cost and hops of the best path from each node to `to`.
    fn distances(&self, to: NodeId) -> Vec<Option<(u64, u32)>> {
        let mut distance = vec![None; self.into.nodes()];
        distance[to.index()] = Some((0, 0));
        let mut queue = BinaryHeap::from([Reverse((0u64, 0u32, to))]);
        while let Some(Reverse((far, hops, node))) = queue.pop() {
            if distance[node.index()] != Some((far, hops)) {
                continue;
            }
            for link in self.into.at(node) {
                let (neighbour, _, cost) = self.links[link.index()];
                let candidate = (far.saturating_add(cost), hops + 1);
                if distance[neighbour.index()].is_none_or(|known| candidate < known) {
                    distance[neighbour.index()] = Some(candidate);
                    queue.push(Reverse((candidate.0, candidate.1, neighbour)));
                }
            }
        }
        distance
    }
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

    fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    fn at(&self, node: NodeId) -> &[LinkId] {
        &self.links[self.first[node.index()] as usize..self.first[node.index() + 1] as usize]
    }
}

/// For each node the number of its strongly connected component: two nodes have the same one if and only if each can reach
/// the other (Kosaraju's algorithm, without recursion).
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
