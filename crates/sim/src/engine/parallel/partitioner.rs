//! Where to cut a network: for several threads, and so that what a thread works on fits its cache.
//!
//! Nodes joined by a short fibre stay together, because the shortest fibre that is cut is how far partitions can run
//! ahead of one another. Which fibres count as short is tried out: for each delay of the network, the nodes joined by
//! shorter fibres become one cluster, the clusters are assigned to partitions, and the whole is costed. The cost is the
//! time that the busiest partition would have needed for the work measured since the last look, with what it costs to
//! send packets across and to wait for one another.
//!
//! Where a network's state is much larger than a cache, the cost includes bringing it there ([`memory`]), and more
//! partitions than threads are tried too: *blocks*, of which each thread runs several in turn.

mod clusters;
mod memory;

use crate::engine::execute::layout::{PartitionLayout, Partitions};
use clusters::Clusters;
pub use memory::is_large;
use memory::{Touched, part_not_near, side_lines};
use std::collections::BTreeMap;

/// What things cost, in nanoseconds on one core; only their ratios matter. Measured with the workloads in `bench/`.
mod cost {
    /// A packet arrives at a node and is passed on.
    pub const HOP: f64 = 15.0;
    /// An acknowledgement arrives at a sending host: its machine acts too.
    pub const SENDER: f64 = 35.0;
    /// Data arrive at a receiving host.
    pub const RECEIVER: f64 = 24.0;
    /// What a lost packet costs its sender: ACKs that say something is missing, and the repair.
    pub const REPAIR: f64 = 350.0;
    /// What it costs its receiver: what comes behind it is held, and ACKs say so.
    pub const HOLE: f64 = 60.0;
    /// A packet goes from one partition to another: paid by both.
    pub const MAIL: f64 = 8.0;
    /// A line of a flow's state comes from the cache that all cores share, with what the core does meanwhile taken off.
    pub const FETCH: f64 = 5.0;
    /// A partition looks at the clocks of others, and waits for the one that is late.
    pub const TURN: f64 = 1500.0;
    /// One of several partitions of a thread has its turn.
    pub const BLOCK: f64 = 500.0;
    /// Another assignment of the nodes must save this part of the cost.
    pub const WORTHWHILE: f64 = 0.05;
    /// A flow moves with its node: both machines, at a million flows.
    pub const MOVE: f64 = 220.0;
}

/// Delays tried as the shortest that is cut, at most.
const MOST_DELAYS: usize = 24;
/// Blocks, at most.
const MOST_BLOCKS: usize = 256;

/// What was done in a stretch of simulated time.
#[derive(Debug)]
pub struct Work {
    /// The cost of what happened at each node.
    nodes: Vec<f64>,
    links: Vec<Link>,
    /// The length of the stretch in picoseconds.
    span: u64,
    /// Threads that may work.
    threads: usize,
    state: State,
    /// Flows that would have to move.
    flows: usize,
}

/// Whether what the nodes keep is so large that fetching it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Small,
    Large,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    from: u32,
    to: u32,
    delay: u64,
    packets: f64,
    to_host: bool,
}

/// How the nodes are best assigned.
#[derive(Clone, Debug, PartialEq)]
pub enum PartitionPlan {
    /// Only one thread may work.
    Alone,
    /// Any cut costs more than it gains.
    Whole,
    /// The partition of each node, and the cost.
    Cut {
        /// By node.
        of_node: Vec<u32>,
        /// Number of partitions.
        parts: usize,
        /// In the unit of [`cost`].
        cost: f64,
    },
}

impl PartitionPlan {
    /// The partition of each node, if that is better than `current` by enough. The next look comes when the run has
    /// lasted twice as long, so what is saved until then is twice what would have been saved since the last one.
    pub fn better_than(&self, work: &Work, current: &[u32]) -> Option<Vec<u32>> {
        let now = work.cost(current);
        let (of_node, cost) = match self {
            PartitionPlan::Alone => return None,
            PartitionPlan::Whole => (vec![0; current.len()], work.total()),
            PartitionPlan::Cut { of_node, cost, .. } => (of_node.clone(), *cost),
        };
        let pays = 2.0 * (now - cost) > cost::MOVE * work.flows as f64;
        (pays && is_worthwhile(cost, now)).then_some(of_node)
    }

    /// Why fewer than `threads` threads work, in words.
    pub fn reason(&self, threads: usize) -> Option<String> {
        match self {
            PartitionPlan::Alone => Some("packets are captured, which one thread does".to_owned()),
            PartitionPlan::Whole if threads <= 1 => None,
            PartitionPlan::Whole => Some(
                "the fibres are too short for the work between two of their delays: a cut would cost more than it \
                    gains"
                    .to_owned(),
            ),
            PartitionPlan::Cut { parts, .. } if *parts < threads => Some(format!(
                "the work lies in places of which only {parts} groups can be made that are worth a \
                    thread"
            )),
            PartitionPlan::Cut { .. } => None,
        }
    }
}

impl Work {
    /// The work of a stretch of `span` picoseconds in which each link has delivered `packets` and all have lost so
    /// many, for `threads` threads.
    pub fn measured(parts: &Partitions, packets: &[u64], lost: u64, span: u64, threads: usize) -> Work {
        let layout = parts.layout;
        let state = if is_large(layout.links.len(), layout.flows.len()) { State::Large } else { State::Small };
        let hosts = Hosts { loss: loss(layout, packets, lost), ..Hosts::of(layout, state, threads) };
        let mut nodes = vec![0.0; layout.of_node.len()];
        let mut links = Vec::with_capacity(packets.len());
        for (number, (ends, packets)) in (0..).zip(layout.links.iter().zip(packets)) {
            let packets = *packets as f64;
            let arrival = hosts.cost_of_arrival(ends.to);
            nodes[ends.to as usize] += packets * arrival.unwrap_or(cost::HOP);
            let (delay, to_host) = (parts.port(number).delay(), arrival.is_some());
            links.push(Link { from: ends.from, to: ends.to, delay, packets, to_host });
        }
        Work { nodes, links, span, threads, state, flows: layout.flows.len() }
    }

    /// The best assignment.
    pub fn plan(&self) -> PartitionPlan {
        let whole = self.total();
        // The cheapest assignment to each number of partitions.
        let mut found: BTreeMap<usize, (f64, Vec<u32>)> = BTreeMap::new();
        let mut blocks = self.blocks();
        for delay in self.delays() {
            let clusters = self.clusters(delay);
            // Blocks are tried where the fibres between them are as long as can be.
            let blocks = blocks.extract_if(.., |parts| *parts <= clusters.count);
            for parts in halvings(self.threads.min(clusters.count)).chain(blocks) {
                let coarser = found.get(&parts).map(|(_, assignment)| assignment.as_slice());
                for of_node in clusters.assignments(self, parts, coarser) {
                    let cost = self.cost(&of_node);
                    if found.get(&parts).is_none_or(|(least, _)| cost < *least) {
                        found.insert(parts, (cost, of_node));
                    }
                }
            }
        }
        let best = found.into_iter().min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0));
        match best {
            Some((parts, (cost, of_node))) if is_worthwhile(cost, whole) => PartitionPlan::Cut { of_node, parts, cost },
            _ => PartitionPlan::Whole,
        }
    }

    /// The numbers of blocks to try.
    fn blocks(&self) -> Vec<usize> {
        let most = if self.state == State::Large { MOST_BLOCKS } else { 0 };
        std::iter::successors(Some(2 * self.threads), |blocks| Some(2 * blocks))
            .take_while(|blocks| *blocks <= most)
            .collect()
    }

    /// The cost of all work in one partition.
    fn total(&self) -> f64 {
        self.nodes.iter().sum::<f64>() + self.fetching(&vec![0; self.nodes.len()], u64::MAX).iter().sum::<f64>()
    }

    /// What it costs each partition to bring its state into the cache, with windows as long as `lookahead`.
    fn fetching(&self, of_node: &[u32], lookahead: u64) -> Vec<f64> {
        if self.state == State::Small {
            return Vec::new();
        }
        let mut touched = vec![Touched::default(); parts_of(of_node)];
        for link in self.links.iter().filter(|link| link.packets > 0.0) {
            touched[of_node[link.to as usize] as usize].add(link.packets, link.to_host);
        }
        let share = lookahead as f64 / self.span as f64;
        touched.iter().map(|touched| touched.cost(share)).collect()
    }

    /// The cost of an assignment: that of its busiest thread.
    fn cost(&self, of_node: &[u32]) -> f64 {
        let parts = parts_of(of_node);
        if parts <= 1 {
            return self.total();
        }
        let mut loads = vec![0.0; parts];
        self.nodes.iter().zip(of_node).for_each(|(work, part)| loads[*part as usize] += work);
        let mut lookahead = u64::MAX;
        for link in &self.links {
            let (from, to) = (of_node[link.from as usize] as usize, of_node[link.to as usize] as usize);
            if from != to {
                lookahead = lookahead.min(link.delay);
                loads[from] += link.packets * cost::MAIL;
                loads[to] += link.packets * cost::MAIL;
            }
        }
        let fetching = self.fetching(of_node, lookahead);
        loads.iter_mut().zip(fetching).for_each(|(load, fetching)| *load += fetching);
        let mut threads = vec![0.0; self.threads.min(parts)];
        let each = 0..threads.len();
        each.cycle().zip(loads).for_each(|(thread, load)| threads[thread] += load);
        let turns = self.span as f64 / lookahead.max(1) as f64;
        let of_a_turn = if parts <= self.threads { cost::TURN } else { cost::BLOCK * (parts / threads.len()) as f64 };
        threads.into_iter().fold(0.0, f64::max) + turns * of_a_turn
    }

    /// The delays to try, longest first: all there are, or some of them.
    fn delays(&self) -> Vec<u64> {
        let mut delays: Vec<u64> = self.links.iter().map(|link| link.delay).collect();
        delays.sort_unstable();
        delays.dedup();
        delays.reverse();
        let step = delays.len().div_ceil(MOST_DELAYS).max(1);
        delays.into_iter().step_by(step).collect()
    }

    /// Nodes joined by fibres shorter than `delay` become one.
    fn clusters(&self, delay: u64) -> Clusters {
        let mut parent: Vec<u32> = (0..self.nodes.len() as u32).collect();
        for link in self.links.iter().filter(|link| link.delay < delay) {
            let (a, b) = (root(&mut parent, link.from), root(&mut parent, link.to));
            parent[a.max(b) as usize] = a.min(b);
        }
        let mut numbers = vec![u32::MAX; parent.len()];
        let mut count = 0;
        let of_node = (0..parent.len() as u32).map(|node| {
            let number = &mut numbers[root(&mut parent, node) as usize];
            if *number == u32::MAX {
                *number = count;
                count += 1;
            }
            *number
        });
        let of_node = of_node.collect();
        Clusters { of_node, count: count as usize }
    }
}

/// The sides of flows at each node.
struct Hosts {
    /// How many flows each node sends and receives.
    sides: Vec<(u32, u32)>,
    /// The part of arrivals whose flow is not in the core's own cache, where that is not costed by the window.
    not_near: f64,
    /// Packets lost for each ACK.
    loss: f64,
}

impl Hosts {
    fn of(layout: &PartitionLayout, state: State, threads: usize) -> Hosts {
        let mut sides = vec![(0, 0); layout.of_node.len()];
        for flow in layout.flows.iter() {
            sides[flow.source.index()].0 += 1;
            sides[flow.destination.index()].1 += 1;
        }
        let not_near = if state == State::Small { part_not_near(layout.flows.len(), threads) } else { 0.0 };
        Hosts { sides, not_near, loss: 0.0 }
    }

    /// The cost of an arrival at a host, or `None` at any other node. A host that sends and receives is taken to get as
    /// many acknowledgements as data of each flow.
    fn cost_of_arrival(&self, node: u32) -> Option<f64> {
        let (sends, receives) = self.sides[node as usize];
        let (sends, receives) = (f64::from(sends), f64::from(receives));
        let fetched = |lines: f64| self.not_near * lines * cost::FETCH;
        let (sender, receiver) = side_lines();
        let sender = cost::SENDER + self.loss * cost::REPAIR + fetched(sender);
        let receiver = cost::RECEIVER + self.loss * cost::HOLE + fetched(receiver);
        let cost = sends * sender + receives * receiver;
        (sends + receives > 0.0).then(|| cost / (sends + receives))
    }
}

/// Packets lost for each ACK, which are taken to be half of what arrives where no path goes on.
fn loss(layout: &PartitionLayout, packets: &[u64], lost: u64) -> f64 {
    let at_hosts = layout.ends.iter().zip(packets).filter(|(end, _)| !end.leads_on());
    let arrivals: u64 = at_hosts.map(|(_, packets)| packets).sum();
    2.0 * lost as f64 / arrivals.max(1) as f64
}

/// How many partitions an assignment has.
fn parts_of(of_node: &[u32]) -> usize {
    of_node.iter().max().map_or(0, |most| *most as usize + 1)
}

/// Whether a cost saves enough of another.
fn is_worthwhile(cost: f64, instead_of: f64) -> bool {
    cost < (1.0 - cost::WORTHWHILE) * instead_of
}

/// `most`, half of it, and so on down to 2.
fn halvings(most: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(most), |parts| Some(parts / 2)).take_while(|parts| *parts > 1)
}

fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        parent[node as usize] = parent[parent[node as usize] as usize];
        node = parent[node as usize];
    }
    node
}

/// The number of nodes in each partition.
#[cfg(test)]
fn sizes(layout: &[u32]) -> Vec<usize> {
    let parts = layout.iter().max().map_or(0, |most| *most as usize + 1);
    (0..parts).map(|part| layout.iter().filter(|of| **of as usize == part).count()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    /// A ring of `nodes` nodes with `packets` over each fibre in one second.
    fn ring(nodes: u32, delay: u64, packets: f64) -> Work {
        let link = |from| Link { from, to: (from + 1) % nodes, delay, packets, to_host: false };
        let (links, nodes) = ((0..nodes).map(link).collect(), vec![packets * cost::HOP; nodes as usize]);
        Work { nodes, links, span: 1000 * MS, threads: 4, state: State::Small, flows: 100 }
    }

    #[test]
    fn a_ring_is_cut_into_equal_arcs() {
        let PartitionPlan::Cut { of_node, parts, .. } = ring(16, MS, 1e6).plan() else { panic!("a ring can be cut") };
        assert_eq!((parts, sizes(&of_node)), (4, vec![4; 4]));
    }

    #[test]
    fn a_large_ring_is_cut_into_blocks_that_fit_a_cache() {
        // 20 000 links of some 300 bytes, each with 20 packets in a millisecond.
        let work = Work { threads: 1, state: State::Large, ..ring(20_000, MS, 20_000.0) };
        let PartitionPlan::Cut { parts, .. } = work.plan() else { panic!("blocks pay") };
        assert!((32..=256).contains(&parts), "{parts} blocks");
        assert_eq!(Work { state: State::Small, ..work }.plan(), PartitionPlan::Whole);
    }

    #[test]
    fn fibres_too_short_for_their_work_are_not_cut() {
        // A microsecond of lookahead holds one packet a fibre: the clocks cost more than the packets.
        assert_eq!(ring(16, MS / 1000, 1e6).plan(), PartitionPlan::Whole);
    }

    #[test]
    fn nodes_joined_by_a_short_fibre_stay_together() {
        let mut work = ring(8, MS, 1e6);
        for (number, link) in work.links.iter_mut().enumerate() {
            link.delay = if number % 2 == 0 { MS / 100_000 } else { MS };
        }
        let PartitionPlan::Cut { of_node, .. } = work.plan() else { panic!("every second fibre can be cut") };
        assert!(of_node.chunks(2).all(|pair| pair[0] == pair[1]), "{of_node:?}");
    }
}
