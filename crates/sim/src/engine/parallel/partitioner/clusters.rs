//! Coarsening, growing, refining (Karypis and Kumar 1998): groups of nodes that stay together, and their partitions.

use super::{Work, cost::CROSSING};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Clusters that are refined, at most: above that it would take longer than it saves.
const MOST_REFINED: usize = 4096;
/// The partition of a cluster that has none yet.
const NOWHERE: u32 = u32::MAX;

/// Groups of nodes that stay together.
pub struct Clusters {
    of_node: Vec<u32>,
    pub weights: Vec<f64>,            // the work of each
    neighbours: Vec<Vec<(u32, f64)>>, // with the packets between the two
    order: Vec<u32>,                  // the heaviest first
}

impl Clusters {
    /// Coarsens: nodes joined by fibres shorter than `delay` become one.
    pub fn coarsened(work: &Work, delay: u64) -> Clusters {
        let mut joined: Vec<Vec<u32>> = vec![Vec::new(); work.nodes.len()];
        for link in work.links.iter().filter(|link| link.delay < delay) {
            joined[link.from as usize].push(link.to);
            joined[link.to as usize].push(link.from);
        }
        let (mut of_node, mut weights) = (vec![NOWHERE; work.nodes.len()], Vec::new());
        for node in 0..work.nodes.len() as u32 {
            if of_node[node as usize] == NOWHERE {
                weights.push(0.0);
            }
            let (cluster, mut found) = (weights.len() - 1, vec![node]);
            while let Some(node) = found.pop().map(|node| node as usize) {
                if of_node[node] == NOWHERE {
                    of_node[node] = cluster as u32;
                    weights[cluster] += work.nodes[node];
                    found.extend(&joined[node]);
                }
            }
        }
        let mut neighbours = vec![Vec::new(); weights.len()];
        for link in &work.links {
            let (a, b) = (of_node[link.from as usize], of_node[link.to as usize]);
            if a != b {
                neighbours[a as usize].push((b, link.packets));
                neighbours[b as usize].push((a, link.packets));
            }
        }
        let mut order: Vec<u32> = (0..weights.len() as u32).collect();
        order.sort_by(|a, b| weights[*b as usize].total_cmp(&weights[*a as usize]));
        Clusters { of_node, weights, neighbours, order }
    }

    /// Grows partitions one after the other, each to its share of the work that is left. A partition begins with the
    /// heaviest cluster. Next is always the neighbour of which most packets stay inside, those that do not stay taken
    /// off; where none has room, the heaviest again. Gives the partition of each node.
    pub fn grown(&self, parts: usize) -> Vec<u32> {
        let (mut of_cluster, mut seeds) = (vec![NOWHERE; self.weights.len()], self.order.iter());
        let packets_of = |cluster: u32| -> f64 { self.neighbours[cluster as usize].iter().map(|(_, n)| n).sum() };
        let mut left: f64 = self.weights.iter().sum();
        for part in 0..parts {
            let end = left - left / (parts - part) as f64;
            let (mut gains, mut around) = (BTreeMap::new(), BinaryHeap::new());
            while left > end || part + 1 == parts {
                let has_none = |cluster: &u32| of_cluster[*cluster as usize] == NOWHERE;
                let has_room = |cluster: &u32| left - self.weights[*cluster as usize] / 2.0 >= end;
                let mut nearest = std::iter::from_fn(|| around.pop()).map(|(_, Reverse(cluster))| cluster);
                let nearest = nearest.find(|cluster| has_none(cluster) && has_room(cluster));
                let Some(cluster) = nearest.or_else(|| seeds.find(|seed| has_none(seed)).copied()) else { break };
                of_cluster[cluster as usize] = part as u32;
                left -= self.weights[cluster as usize];
                for (neighbour, packets) in &self.neighbours[cluster as usize] {
                    let gain = gains.entry(*neighbour).or_insert_with(|| -packets_of(*neighbour));
                    *gain += 2.0 * packets;
                    around.push((*gain as i64, Reverse(*neighbour)));
                }
            }
        }
        self.of_node.iter().map(|cluster| of_cluster[*cluster as usize]).collect()
    }

    /// Refines the partitions of nodes: a cluster is moved to where that lowers the load of the two partitions
    /// concerned most, packets across included, as long as that helps, eight times each at most.
    pub fn refined(&self, of_node: &[u32], parts: usize) -> Vec<u32> {
        let (mut of_cluster, mut loads) = (vec![NOWHERE; self.weights.len()], vec![0.0; parts]);
        self.of_node.iter().zip(of_node).for_each(|(cluster, part)| of_cluster[*cluster as usize] = *part);
        self.weights.iter().zip(&of_cluster).for_each(|(weight, part)| loads[*part as usize] += weight);
        let mut is_moved = |cluster: usize| {
            let (weight, from) = (self.weights[cluster], of_cluster[cluster] as usize);
            let mut ties = vec![0.0; parts];
            for (neighbour, packets) in &self.neighbours[cluster] {
                ties[of_cluster[*neighbour as usize] as usize] += packets * CROSSING;
            }
            let gain = |to: usize| {
                let (stays, moves) = (loads[from].max(loads[to]), (loads[from] - weight).max(loads[to] + weight));
                stays + ties[to] - moves - ties[from]
            };
            let others = (0..parts).filter(|to| *to != from).map(|to| (gain(to), to));
            let best = others.filter(|(gain, _)| *gain > 0.0).max_by(|a, b| a.0.total_cmp(&b.0));
            let to = best.map_or(from, |(_, to)| to);
            loads[from] -= weight;
            loads[to] += weight;
            of_cluster[cluster] = to as u32;
            to != from
        };
        let mut helps = |_| self.order.iter().filter(|cluster| is_moved(**cluster as usize)).count() > 0;
        let _ = self.order.len() <= MOST_REFINED && (0..8).all(&mut helps);
        self.of_node.iter().map(|cluster| of_cluster[*cluster as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Link;
    use super::*;

    const MS: u64 = 1_000_000_000;

    /// Two routers, 0 and 1, with ten sending hosts at one and ten receiving hosts at the other, whose work is half as
    /// much; each host exchanges 1000 packets with its router.
    fn dumbbell() -> Work {
        let router = |host: u32| u32::from(host >= 12);
        let link = |from, to, packets| Link { from, to, delay: MS, packets, to_host: to > 1 };
        let hosts = (2..22).flat_map(|host| [link(host, router(host), 1e3), link(router(host), host, 1e3)]);
        let links = hosts.chain([link(0, 1, 1e4), link(1, 0, 1e4)]).collect();
        let work = |node: u32| if node < 2 { 200.0 } else { 100.0 / f64::from(1 + router(node)) };
        let nodes = (0..22).map(|node| 1e3 * work(node)).collect();
        Work { nodes, links, span: 1000 * MS, threads: 2, flows: 20, signal: None }
    }

    fn packets_across(work: &Work, of_node: &[u32]) -> f64 {
        let cut = work.links.iter().filter(|link| of_node[link.from as usize] != of_node[link.to as usize]);
        cut.map(|link| link.packets).sum()
    }

    fn load(work: &Work, of_node: &[u32], part: u32) -> f64 {
        work.nodes.iter().zip(of_node).filter(|(_, of)| **of == part).map(|(work, _)| work).sum()
    }

    #[test]
    fn nodes_joined_by_a_short_fibre_are_one() {
        let mut work = dumbbell();
        work.links.iter_mut().filter(|link| link.from < 2 && link.to < 2).for_each(|link| link.delay = MS / 1000);
        let clusters = Clusters::coarsened(&work, MS);
        assert_eq!((clusters.weights.len(), &clusters.of_node[..4]), (21, &[0, 0, 1, 2][..]));
        // The work of both routers, and the packets between them and the hosts.
        assert_eq!((clusters.weights[0], clusters.neighbours[0].len()), (400e3, 40));
        assert_eq!(Clusters::coarsened(&work, MS + 1).weights.len(), 1);
    }

    #[test]
    fn a_dumbbell_is_cut_between_its_routers_and_some_senders_change_sides() {
        let work = dumbbell();
        let clusters = Clusters::coarsened(&work, MS);
        let grown = &clusters.refined(&clusters.grown(2), 2);
        assert_ne!(grown[0], grown[1], "{grown:?}");
        // 1.9 ms of work; the least that can be cut for equal sides is the bottleneck and two or three senders.
        let loads = [load(&work, grown, 0), load(&work, grown, 1)];
        assert!(loads.iter().all(|load| (0.9e6..=1e6).contains(load)), "{loads:?}");
        assert!(packets_across(&work, grown) <= 26e3, "{}", packets_across(&work, grown));
    }

    #[test]
    fn an_assignment_of_larger_clusters_is_refined() {
        // Senders that repair losses: 3.6 ms of work, 2.7 of them to the left of the bottleneck.
        let mut work = dumbbell();
        work.nodes[2..12].fill(250e3);
        let clusters = Clusters::coarsened(&work, MS);
        let bottleneck: Vec<u32> = (0..22).map(|node| u32::from(node == 1 || node >= 12)).collect();
        let [grown, refined] = [&clusters.grown(2), &bottleneck].map(|start| clusters.refined(start, 2));
        assert_eq!((refined[0], refined[1]), (0, 1));
        assert_eq!(refined[2..12].iter().filter(|part| **part == 1).count(), 4, "{refined:?}");
        assert!(refined[12..].iter().all(|part| *part == 1), "{refined:?}");
        assert!(work.cost(&refined) < work.cost(&bottleneck));
        assert!(work.cost(&refined) <= work.cost(&grown), "{refined:?} {grown:?}");
    }

    #[test]
    fn every_cluster_is_assigned_even_without_links_or_room() {
        let work = Work { links: Vec::new(), ..dumbbell() };
        for parts in [1, 2, 3, 22, 30] {
            let assignment = Clusters::coarsened(&work, MS).grown(parts);
            assert!(assignment.iter().all(|part| (*part as usize) < parts), "{parts}: {assignment:?}");
        }
    }
}
