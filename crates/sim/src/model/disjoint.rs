//! Two paths that share no link, or as few links as can be.
//!
//! Of all pairs the one with the fewest shared links counts, then the one with the fewest links in all: two units of
//! flow of the least cost, where the second unit on a link costs more than any way around (Suurballe's problem with
//! parallel arcs). What is equal then is decided by [`Ties`].

use super::{LinkId, Network, NodeId, Routes};
use options::words;

words! {
    /// Which pair of paths is taken where several have as many shared links and as many links in all.
    pub enum Ties {
        /// The shortest path by hops with the smallest node numbers, and of the rest again the first; if two such paths
        /// are as good as any.
        Ids = "ids",
        /// The pair with the least delay in all.
        Delay = "delay",
    }
}

/// Two ways from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPair {
    /// The one with fewer links, then with less delay, then with the smaller link numbers.
    pub primary: Vec<LinkId>,
    /// The other one.
    pub alternate: Vec<LinkId>,
}

impl PathPair {
    /// The two in their order.
    pub fn new(network: &Network, one: Vec<LinkId>, other: Vec<LinkId>) -> PathPair {
        let rank = |path: &Vec<LinkId>| (path.len(), delay(network, path), path.clone());
        let (primary, alternate) = if rank(&one) <= rank(&other) { (one, other) } else { (other, one) };
        PathPair { primary, alternate }
    }

    /// How many links they share.
    pub fn shared(&self) -> usize {
        self.primary.iter().filter(|link| self.alternate.contains(link)).count()
    }

    /// Whether there is only one way.
    pub fn is_single(&self) -> bool {
        self.primary == self.alternate
    }

    fn cost(&self) -> (usize, usize) {
        (self.shared(), self.primary.len() + self.alternate.len())
    }
}

/// The pair of paths over the links that are `open`; `None` where there is no way at all.
pub fn disjoint_pair(network: &Network, open: &[bool], from: NodeId, to: NodeId, ties: Ties) -> Option<PathPair> {
    let best = Flow::new(network, open).pair(from, to)?;
    let greedy = (ties == Ties::Ids).then(|| one_after_the_other(network, open, from, to)).flatten();
    Some(greedy.filter(|greedy| greedy.cost() == best.cost()).unwrap_or(best))
}

/// The shortest path by hops, and the shortest of what is left.
fn one_after_the_other(network: &Network, open: &[bool], from: NodeId, to: NodeId) -> Option<PathPair> {
    let mut by_hops = network.clone();
    by_hops.links.iter_mut().for_each(|link| link.cost = 1);
    let first = Routes::new(&by_hops, open).path(from, to)?;
    let mut rest = open.to_vec();
    first.iter().for_each(|link| rest[link.index()] = false);
    let second = Routes::new(&by_hops, &rest).path(from, to)?;
    Some(PathPair::new(network, first, second))
}

/// The sum of the delays of a path's links, in picoseconds.
pub fn delay(network: &Network, path: &[LinkId]) -> u64 {
    path.iter().map(|link| network.links[link.index()].delay.ps()).sum()
}

/// A step over a link: along it, or against flow on it.
type Step = (usize, bool);
/// What the cheapest way to a node costs, and its last step.
type Reached = (i128, Option<Step>);

/// Units of flow on links: none, one or two.
struct Flow<'a> {
    network: &'a Network,
    open: &'a [bool],
    units: Vec<u8>,
    /// The cost of a shared link, more than that of any path.
    share: i128,
    /// The cost of a link, more than any sum of delays.
    hop: i128,
}

impl<'a> Flow<'a> {
    fn new(network: &'a Network, open: &'a [bool]) -> Flow<'a> {
        let delays: i128 = network.links.iter().map(|link| i128::from(link.delay.ps())).sum();
        let hop = 2 * delays + 1;
        let share = 2 * (hop + delays) * (network.links.len() as i128 + 1);
        Flow { network, open, units: vec![0; network.links.len()], share, hop }
    }

    fn pair(mut self, from: NodeId, to: NodeId) -> Option<PathPair> {
        for _ in 0..2 {
            let steps = self.cheapest(from, to)?;
            for (link, forward) in steps {
                if forward { self.units[link] += 1 } else { self.units[link] -= 1 }
            }
        }
        let one = self.take(from, to)?;
        let other = self.take(from, to)?;
        Some(PathPair::new(self.network, one, other))
    }

    /// The cheapest way for one more unit, against flow too: Bellman and Ford's algorithm, with the links in their
    /// order.
    fn cheapest(&self, from: NodeId, to: NodeId) -> Option<Vec<Step>> {
        let mut best: Vec<Option<Reached>> = vec![None; self.network.nodes.len()];
        best[from.index()] = Some((0, None));
        let mut changed = true;
        while changed {
            changed = false;
            for (number, link) in self.network.links.iter().enumerate().filter(|(number, _)| self.open[*number]) {
                let plain = self.hop + i128::from(link.delay.ps());
                let (ahead, back) = match self.units[number] {
                    0 => (Some(plain), None),
                    1 => (Some(plain + self.share), Some(-plain)),
                    _ => (None, Some(-plain - self.share)),
                };
                let ways = [(ahead, link.from, link.to, true), (back, link.to, link.from, false)];
                for (cost, tail, head, forward) in ways {
                    let (Some(cost), Some((so_far, _))) = (cost, best[tail.index()]) else { continue };
                    if best[head.index()].is_none_or(|(known, _)| so_far + cost < known) {
                        best[head.index()] = Some((so_far + cost, Some((number, forward))));
                        changed = true;
                    }
                }
            }
        }
        let mut steps = Vec::new();
        let mut node = to;
        while let (_, Some((link, forward))) = best[node.index()]? {
            steps.push((link, forward));
            let ends = &self.network.links[link];
            node = if forward { ends.from } else { ends.to };
        }
        Some(steps)
    }

    /// Takes the shortest path off the flow.
    fn take(&mut self, from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
        let mut network = self.network.clone();
        network.links.iter_mut().for_each(|link| link.cost = 1);
        let used: Vec<bool> = self.units.iter().map(|units| *units > 0).collect();
        let path = Routes::new(&network, &used).path(from, to)?;
        path.iter().for_each(|link| self.units[link.index()] -= 1);
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Buffer, Lane, Link, Node, Role};
    use proptest::prelude::*;
    use units::{Duration, Rate};

    fn network(nodes: u32, links: &[(u32, u32, u64)]) -> Network {
        let node = |number: u32| Node { name: number.to_string(), role: Role::Core, position: None };
        let link = |(from, to, delay): &(u32, u32, u64)| Link {
            name: format!("{from}->{to}"),
            from: NodeId(*from),
            to: NodeId(*to),
            capacity: Rate::from_bps(1_000_000),
            wavelengths: 1,
            delay: Duration::from_ps(*delay),
            buffer: Buffer::Unlimited,
            queue: crate::queue::Config::DropTail,
            properties: Default::default(),
            controller: None,
            via: None,
            cost: *delay,
            lane: Lane::FIRST,
            telemetry: true,
        };
        Network { nodes: (0..nodes).map(node).collect(), links: links.iter().map(link).collect(), ..Network::default() }
    }

    /// Every path without a node twice.
    fn all_paths(network: &Network, from: NodeId, to: NodeId) -> Vec<Vec<LinkId>> {
        fn go(network: &Network, at: NodeId, to: NodeId, path: &mut Vec<LinkId>, found: &mut Vec<Vec<LinkId>>) {
            if at == to {
                return found.push(path.clone());
            }
            for (number, link) in (0..).zip(&network.links).filter(|(_, link)| link.from == at) {
                let seen = path.iter().any(|step: &LinkId| network.links[step.index()].from == link.to);
                if !seen {
                    path.push(LinkId(number));
                    go(network, link.to, to, path, found);
                    path.pop();
                }
            }
        }
        let mut found = Vec::new();
        go(network, from, to, &mut Vec::new(), &mut found);
        found
    }

    proptest! {
        #[test]
        fn no_pair_is_better(
            links in prop::collection::vec((0u32..6, 0u32..6, 1u64..5), 1..16),
            by_ids in any::<bool>(),
        ) {
            let links: Vec<_> = links.into_iter().filter(|(from, to, _)| from != to).collect();
            let network = network(6, &links);
            let ties = if by_ids { Ties::Ids } else { Ties::Delay };
            let found = disjoint_pair(&network, &vec![true; links.len()], NodeId(0), NodeId(5), ties);
            let paths = all_paths(&network, NodeId(0), NodeId(5));
            let pairs = || paths.iter().flat_map(|one| paths.iter().map(move |other| (one, other)));
            let cost = |pair: &PathPair| {
                let both = delay(&network, &pair.primary) + delay(&network, &pair.alternate);
                (pair.cost(), if by_ids { 0 } else { both })
            };
            let best = pairs().map(|(one, other)| cost(&PathPair::new(&network, one.clone(), other.clone()))).min();
            prop_assert_eq!(found.as_ref().map(cost), best);
            if let Some(pair) = found {
                prop_assert!(paths.contains(&pair.primary) && paths.contains(&pair.alternate));
                prop_assert!(pair.primary.len() <= pair.alternate.len());
            }
        }
    }

    #[test]
    fn the_shortest_path_is_given_up_if_two_others_are_disjoint() {
        // The trap: 0-1-2-5 is shortest, and whoever takes it leaves no other way; 0-1-4-5 and 0-3-2-5 are disjoint.
        let links = [(0, 1, 1), (1, 2, 1), (2, 5, 1), (0, 3, 1), (3, 2, 1), (1, 4, 1), (4, 5, 1)];
        let network = network(6, &links);
        let pair = disjoint_pair(&network, &[true; 7], NodeId(0), NodeId(5), Ties::Ids).expect("there is a pair");
        assert_eq!((pair.shared(), pair.primary.len(), pair.alternate.len()), (0, 3, 3));
    }

    #[test]
    fn a_pair_shares_what_it_must() {
        // Figure 5 of paper 004: A-B-D-E-F and A-B-C-E-F share A-B and E-F.
        let links = [(0, 1, 1), (1, 3, 1), (3, 4, 1), (4, 5, 1), (1, 2, 3), (2, 4, 1)];
        let network = network(6, &links);
        let pair = disjoint_pair(&network, &[true; 6], NodeId(0), NodeId(5), Ties::Ids).expect("there is a pair");
        assert_eq!(pair.primary, [LinkId(0), LinkId(1), LinkId(2), LinkId(3)]);
        assert_eq!(pair.alternate, [LinkId(0), LinkId(4), LinkId(5), LinkId(3)]);
        assert_eq!((pair.shared(), pair.is_single()), (2, false));
    }
}
