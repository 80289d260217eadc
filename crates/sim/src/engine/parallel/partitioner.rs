//! Where to cut a network: for several threads, and so that what a thread works on fits its cache.
//!
//! The shortest fibre that is cut is how far partitions can run ahead of one another. So each delay is tried, the
//! longest first: nodes joined by shorter fibres become one cluster, partitions are grown from clusters and refined
//! ([`clusters`]), and each result is costed ([`cost`]). Where a network's state is much larger than a cache, more
//! partitions than threads are tried too: *blocks*, of which each thread runs several in turn.

mod clusters;
mod cost;

use crate::engine::execute::layout::Partitions;
use crate::engine::node::hosts::Working;
use clusters::Clusters;
pub use cost::is_large;
use cost::{CROSSING, HOP, HOST, Load, MOVING, WINDOW};
use std::collections::{BTreeMap, BTreeSet};
use units::Duration;

const MOST_DELAYS: usize = 24; // tried as the shortest that is cut
const MOST_BLOCKS: usize = 256;
const WORTHWHILE: f64 = 0.05; // of the cost must be saved by another assignment

/// What was done in a stretch of simulated time.
#[derive(Debug)]
pub struct Work {
    nodes: Vec<f64>, // the cost of what happened there
    links: Vec<Link>,
    span: u64, // the length of the stretch in picoseconds
    threads: usize,
    flows: usize,
    /// In what time nodes hear of one another without a packet, if work lets flows go.
    signal: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    from: u32,
    to: u32,
    delay: u64,
    packets: f64,
    to_host: bool,
}

impl Work {
    /// The work of a stretch of `span` picoseconds in which each link has delivered `packets`, for `threads` threads.
    pub fn measured(parts: &Partitions, packets: &[u64], span: u64, threads: usize) -> Work {
        let layout = parts.layout;
        let mut nodes = vec![0.0; layout.of_node.len()];
        let mut links = Vec::with_capacity(packets.len());
        for ((number, ends), (end, packets)) in (0..).zip(&*layout.links).zip(layout.ends.iter().zip(packets)) {
            let (delay, packets, to_host) = (parts.port(number).delay(), *packets as f64, !end.leads_on());
            nodes[ends.to as usize] += packets * if to_host { HOST } else { HOP };
            links.push(Link { from: ends.from, to: ends.to, delay, packets, to_host });
        }
        let works = parts.list.iter().map(|part| &part.hosts.work).filter(|work| !work.is_empty());
        let signal = works.filter_map(Working::lookahead).map(Duration::ps).min();
        Work { nodes, links, span, threads, flows: layout.flows.len(), signal }
    }

    /// The cheapest assignment: the partition of each node.
    pub fn plan(&self) -> Vec<u32> {
        let whole = vec![0; self.nodes.len()];
        // The cheapest of each number of partitions.
        let mut best = BTreeMap::from([(1, (self.cost(&whole), whole))]);
        let delays: BTreeSet<u64> = self.links.iter().map(|link| link.delay).collect();
        let step = delays.len().div_ceil(MOST_DELAYS).max(1);
        for delay in delays.into_iter().rev().step_by(step) {
            let clusters = Clusters::coarsened(self, delay);
            for parts in self.numbers_of_parts(clusters.weights.len()) {
                let coarser = best.remove(&parts);
                // Blocks are grown only where the fibres between them are as long as can be.
                let grown = (parts <= self.threads || coarser.is_none()).then(|| clusters.grown(parts));
                let starts = grown.iter().chain(coarser.as_ref().map(|(_, of_node)| of_node));
                let refined = starts.map(|start| clusters.refined(start, parts));
                let costed: Vec<_> = refined.map(|of_node| (self.cost(&of_node), of_node)).collect();
                let cheapest = coarser.into_iter().chain(costed).min_by(|(a, _), (b, _)| a.total_cmp(b));
                best.extend(cheapest.map(|cheapest| (parts, cheapest)));
            }
        }
        let cheapest = best.into_values().min_by(|(a, _), (b, _)| a.total_cmp(b));
        cheapest.map(|(_, of_node)| of_node).unwrap_or_default()
    }

    /// Whether it pays to move from one assignment to another. The next look comes when the run has lasted twice as
    /// long, so what is saved until then is twice what would have been saved since the last one.
    pub fn is_worth_moving(&self, from: &[u32], to: &[u32]) -> bool {
        let (now, then) = (self.cost(from), self.cost(to));
        then < (1.0 - WORTHWHILE) * now && 2.0 * (now - then) > MOVING * self.flows as f64
    }

    /// The numbers of partitions to try, `most` at most: one for each thread, half of that and so on; twice as many
    /// blocks as threads and so on, but for work: a node after the other is no faster there.
    fn numbers_of_parts(&self, most: usize) -> impl Iterator<Item = usize> {
        let may_block = is_large(self.links.len(), self.flows) && self.signal.is_none();
        let most_blocks = if may_block { most.min(MOST_BLOCKS) } else { 0 };
        let threads = std::iter::successors(Some(self.threads.min(most)), |parts| Some(parts / 2));
        let blocks = std::iter::successors(Some(2 * self.threads), |parts| Some(2 * parts));
        threads.take_while(|parts| *parts > 1).chain(blocks.take_while(move |parts| *parts <= most_blocks))
    }

    /// The cost of an assignment: that of its busiest thread.
    fn cost(&self, of_node: &[u32]) -> f64 {
        let mut parts = vec![Load::default(); count(of_node)];
        self.nodes.iter().zip(of_node).for_each(|(work, part)| parts[*part as usize].work += work);
        let signal = self.signal.filter(|_| parts.len() > 1);
        let (mut lookahead, is_large) = (signal.unwrap_or(u64::MAX), is_large(self.links.len(), self.flows));
        for link in &self.links {
            let (from, to) = (of_node[link.from as usize] as usize, of_node[link.to as usize] as usize);
            if from != to {
                lookahead = lookahead.min(link.delay);
                parts[from].work += link.packets * CROSSING;
                parts[to].work += link.packets * CROSSING;
            }
            if is_large && link.packets > 0.0 {
                parts[to].arrivals.push((link.packets, link.to_host));
            }
        }
        let windows = self.span as f64 / lookahead.max(1) as f64;
        let mut threads = vec![0.0; self.threads.min(parts.len())];
        for (part, load) in parts.iter().enumerate() {
            let thread = part % threads.len();
            threads[thread] += load.work + load.fetching(1.0 / windows) + windows * WINDOW;
        }
        threads.into_iter().fold(0.0, f64::max)
    }
}

/// How many partitions an assignment has.
fn count(of_node: &[u32]) -> usize {
    of_node.iter().max().map_or(0, |most| *most as usize + 1)
}

#[cfg(all(test, target_os = "linux"))]
mod cost_tests;

/// The number of nodes in each partition.
#[cfg(test)]
fn sizes(layout: &[u32]) -> Vec<usize> {
    (0..count(layout)).map(|part| layout.iter().filter(|of| **of as usize == part).count()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    /// A ring of `nodes` nodes with `packets` over each fibre in one second.
    fn ring(nodes: u32, delay: u64, packets: f64) -> Work {
        let link = |from| Link { from, to: (from + 1) % nodes, delay, packets, to_host: false };
        let (links, nodes) = ((0..nodes).map(link).collect(), vec![packets * HOP; nodes as usize]);
        Work { nodes, links, span: 1000 * MS, threads: 4, flows: 100, signal: None }
    }

    /// One partition waits for no signal, and a cut would wait for each.
    #[test]
    fn a_signal_counts_where_a_network_is_cut() {
        let (free, whole) = (ring(16, MS, 1e6), [0; 16]);
        let told = Work { signal: Some(1000), ..ring(16, MS, 1e6) };
        assert_eq!(told.cost(&whole), free.cost(&whole));
        assert_eq!((count(&told.plan()), count(&free.plan())), (1, 4));
    }

    #[test]
    fn a_ring_is_cut_into_equal_arcs() {
        assert_eq!(sizes(&ring(16, MS, 1e6).plan()), [4; 4]);
    }

    #[test]
    fn a_large_ring_is_cut_into_blocks_that_fit_a_cache() {
        // 20 000 links of some 300 bytes, each with 20 packets in a millisecond.
        let work = Work { threads: 1, flows: 1_000_000, ..ring(20_000, MS, 20_000.0) };
        let parts = count(&work.plan());
        assert!((32..=256).contains(&parts), "{parts} blocks");
        assert_eq!(count(&Work { flows: 100, ..work }.plan()), 1);
    }

    #[test]
    fn fibres_too_short_for_their_work_are_not_cut() {
        // A microsecond of lookahead holds one packet a fibre: the clocks cost more than the packets.
        assert_eq!(ring(16, MS / 1000, 1e6).plan(), [0; 16]);
    }

    #[test]
    fn nodes_joined_by_a_short_fibre_stay_together() {
        let mut work = ring(8, MS, 1e6);
        for (number, link) in work.links.iter_mut().enumerate() {
            link.delay = if number % 2 == 0 { MS / 100_000 } else { MS };
        }
        let of_node = work.plan();
        assert!(count(&of_node) > 1, "every second fibre can be cut");
        assert!(of_node.chunks(2).all(|pair| pair[0] == pair[1]), "{of_node:?}");
    }
}
