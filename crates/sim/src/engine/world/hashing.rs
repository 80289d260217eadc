//! Paths where each node hashes the flow, and takes one of its next links that are equally near.

use crate::model::{EqualRoutes, Flow, LinkId, Network, NodeId, Routing, Weights};
use crate::random::mixed;

/// Flows on their links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hashed {
    /// By link: flows whose data it carries.
    pub flows: Vec<u64>,
    /// Flows that share a link at which a node had a choice with another flow.
    pub colliding: u64,
}

/// Paths by hashing.
pub(super) struct Hashing<'a> {
    network: &'a Network,
    routes: EqualRoutes,
    seed: u64,
    weights: Weights,
    /// By link: flows, and whether one took it where it had a choice.
    taken: Vec<(u64, bool)>,
    colliding: u64,
}

impl<'a> Hashing<'a> {
    /// `None` where nodes do not hash.
    pub(super) fn new(network: &'a Network, seed: u64, up: &[bool]) -> Option<Hashing<'a>> {
        let Routing::Ecmp { hash_seed, weights } = network.routing else { return None };
        Some(Hashing {
            network,
            routes: EqualRoutes::new(network, up),
            seed: seed ^ mixed(hash_seed),
            weights,
            taken: vec![(0, false); network.links.len()],
            colliding: 0,
        })
    }

    /// Path and way back of every flow, which `add` gives their numbers. The way back is another flow, as its ports are
    /// the other way round.
    pub(super) fn of_flows(
        &mut self,
        flows: &[Flow],
        mut add: impl FnMut(Option<Vec<LinkId>>) -> u32,
    ) -> Vec<(u32, u32)> {
        let ways = flows.iter().zip(0..).map(|(flow, number)| {
            let mut chosen = Vec::new();
            let there = self.way(2 * number, flow.source, flow.destination, &mut chosen);
            there.iter().flatten().for_each(|link| self.taken[link.index()].0 += 1);
            chosen.iter().for_each(|link| self.taken[link.index()].1 = true);
            let back = self.way(2 * number + 1, flow.destination, flow.source, &mut Vec::new());
            (there, back)
        });
        let ways: Vec<_> = ways.collect();
        let is_shared = |link: &LinkId| matches!(self.taken[link.index()], (flows, true) if flows > 1);
        let collides = |way: &&Option<Vec<LinkId>>| way.iter().flatten().any(is_shared);
        self.colliding = ways.iter().map(|(there, _)| there).filter(collides).count() as u64;
        ways.into_iter().map(|(there, back)| (add(there), add(back))).collect()
    }

    pub(super) fn found(self) -> Hashed {
        Hashed { flows: self.taken.into_iter().map(|(flows, _)| flows).collect(), colliding: self.colliding }
    }

    fn way(&mut self, flow: u64, from: NodeId, to: NodeId, chosen: &mut Vec<LinkId>) -> Option<Vec<LinkId>> {
        let (network, seed, weights) = (self.network, self.seed, self.weights);
        self.routes.path(from, to, |node, links| {
            let hash = mixed(mixed(seed ^ mixed(flow)) ^ u64::from(node.0));
            let link = choose(hash, links, |link| weights.of(network, link));
            chosen.push(link);
            link
        })
    }
}

/// The one of these links that is at the hash's place in the sum of their weights.
fn choose(hash: u64, links: &[LinkId], weight: impl Fn(LinkId) -> u64) -> LinkId {
    let all: u128 = links.iter().map(|link| u128::from(weight(*link))).sum();
    let mut rest = (u128::from(hash) * all) >> 64;
    for link in links {
        let own = u128::from(weight(*link));
        if rest < own {
            return *link;
        }
        rest -= own;
    }
    unreachable!("a part of the sum is less than the sum")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 000 hashes among two to seven links, and weights of 1 to 3: each share within five standard deviations of the
    /// binomial law, which one of 2·10⁶ exceeds.
    #[test]
    fn shares_are_as_the_weights() {
        let count = 10_000u64;
        for links in 2..=7u32 {
            let all: Vec<LinkId> = (0..links).map(LinkId).collect();
            for weight in [|_: LinkId| 1, |link: LinkId| u64::from(link.0 % 3 + 1)] {
                let sum: u64 = all.iter().map(|link| weight(*link)).sum();
                let mut taken = vec![0u64; all.len()];
                (0..count).for_each(|flow| taken[choose(mixed(mixed(flow) ^ 7), &all, weight).index()] += 1);
                for (link, taken) in all.iter().zip(taken) {
                    let share = weight(*link) as f64 / sum as f64;
                    let spread = (count as f64 * share * (1.0 - share)).sqrt();
                    assert!((taken as f64 - count as f64 * share).abs() < 5.0 * spread, "{links} {link:?} {taken}");
                }
            }
        }
    }
}
