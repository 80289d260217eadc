//! Groups of nodes that stay together, and how they are assigned to partitions.
//!
//! Three assignments are tried. One takes the heaviest first, each to where most of its packets come from and go to.
//! The other grows one partition after the other from a cluster and its surroundings (greedy graph growing; Karypis and
//! Kumar 1998, section 3.2): it finds that a few hosts of a dumbbell belong on the other side, where the first one puts
//! both routers on one side and spreads the hosts. The third one begins with the best assignment of larger clusters,
//! those of a longer delay, and moves single ones from there (refinement, as in the same paper's section 3.3).

use super::{Work, cost};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Clusters that are grown around and improved one by one, at most.
const MOST_IMPROVED: usize = 4096;
/// A partition may have this times its equal part of the work, so that the last cluster fits.
const ROOM: f64 = 1.02;
/// The partition of a cluster that has none yet.
const NOWHERE: u32 = u32::MAX;

/// Groups of nodes that stay together.
pub struct Clusters {
    /// The cluster of each node.
    pub of_node: Vec<u32>,
    pub count: usize,
}

impl Clusters {
    /// Assigns the clusters to `parts` partitions in each way that is tried, one of them from `coarser` on, the
    /// partition of each node in an assignment of larger clusters. Gives the partition of each node.
    pub fn assignments(&self, work: &Work, parts: usize, coarser: Option<&[u32]>) -> Vec<Vec<u32>> {
        let mut weights = vec![0.0; self.count];
        self.of_node.iter().zip(&work.nodes).for_each(|(cluster, work)| weights[*cluster as usize] += work);
        let mut order: Vec<u32> = (0..self.count as u32).collect();
        order.sort_by(|a, b| weights[*b as usize].total_cmp(&weights[*a as usize]));
        let room = ROOM * work.total() / parts as f64;
        let mut assignment =
            Assignment { part: Vec::new(), loads: vec![0.0; parts], weights, neighbours: self.neighbours(work) };
        let ways: &[fn(&mut Assignment, &[u32], f64)] = if self.count <= MOST_IMPROVED {
            &[Assignment::heaviest_first, Assignment::grown]
        } else {
            &[Assignment::heaviest_first]
        };
        let of_nodes =
            |assignment: &Assignment| self.of_node.iter().map(|cluster| assignment.part[*cluster as usize]).collect();
        let mut assignments = Vec::new();
        for way in ways {
            assignment.clear();
            way(&mut assignment, &order, room);
            if self.count <= MOST_IMPROVED {
                assignment.improve(&order);
            }
            assignments.push(of_nodes(&assignment));
        }
        if let Some(coarser) = coarser.filter(|_| self.count <= MOST_IMPROVED) {
            assignment.clear();
            self.of_node.iter().zip(coarser).for_each(|(cluster, part)| assignment.part[*cluster as usize] = *part);
            (0..self.count as u32)
                .for_each(|cluster| assignment.put(cluster, assignment.part[cluster as usize] as usize));
            assignment.improve(&order);
            assignments.push(of_nodes(&assignment));
        }
        assignments
    }

    /// Packets between each cluster and the others.
    fn neighbours(&self, work: &Work) -> Vec<Vec<(u32, f64)>> {
        let mut neighbours: Vec<Vec<(u32, f64)>> = vec![Vec::new(); self.count];
        for link in &work.links {
            let (a, b) = (self.of_node[link.from as usize], self.of_node[link.to as usize]);
            if a != b {
                neighbours[a as usize].push((b, link.packets));
                neighbours[b as usize].push((a, link.packets));
            }
        }
        neighbours
    }
}

/// An assignment in the making.
struct Assignment {
    /// Of each cluster.
    part: Vec<u32>,
    /// The work of each partition.
    loads: Vec<f64>,
    /// The work of each cluster.
    weights: Vec<f64>,
    /// With the packets between the two.
    neighbours: Vec<Vec<(u32, f64)>>,
}

impl Assignment {
    fn clear(&mut self) {
        self.part = vec![NOWHERE; self.weights.len()];
        self.loads.fill(0.0);
    }

    fn put(&mut self, cluster: u32, part: usize) {
        self.part[cluster as usize] = part as u32;
        self.loads[part] += self.weights[cluster as usize];
    }

    fn has_none(&self, cluster: u32) -> bool {
        self.part[cluster as usize] == NOWHERE
    }

    /// Each cluster that has none, in this order, to the partition nearest to it.
    fn heaviest_first(&mut self, order: &[u32], room: f64) {
        for cluster in order {
            if self.has_none(*cluster) {
                self.put(*cluster, self.nearest(*cluster, room));
            }
        }
    }

    /// Grows each partition until it has no more room, from the first cluster that has none, and puts what is left
    /// where it is nearest.
    fn grown(&mut self, order: &[u32], room: f64) {
        for part in 0..self.loads.len() {
            let Some(seed) = order.iter().find(|cluster| self.has_none(**cluster)) else { return };
            self.grow(*seed, part, room);
        }
        self.heaviest_first(order, room);
    }

    /// Adds to a partition, first `seed`, then as long as there is room always the neighbour of which most packets stay
    /// inside, those that do not stay taken off.
    fn grow(&mut self, seed: u32, part: usize, room: f64) {
        let outside = |ties: &Vec<(u32, f64)>| -ties.iter().map(|(_, packets)| *packets as i64).sum::<i64>();
        let mut gains: Vec<i64> = self.neighbours.iter().map(outside).collect();
        let mut around = BinaryHeap::from([(gains[seed as usize], Reverse(seed))]);
        while let Some((gain, Reverse(cluster))) = around.pop() {
            let weight = self.weights[cluster as usize];
            let is_stale = gain != gains[cluster as usize] || !self.has_none(cluster);
            let has_room = self.loads[part] + weight <= room || cluster == seed;
            if is_stale || !has_room {
                continue;
            }
            self.put(cluster, part);
            for (neighbour, packets) in &self.neighbours[cluster as usize] {
                gains[*neighbour as usize] += 2 * *packets as i64;
                around.push((gains[*neighbour as usize], Reverse(*neighbour)));
            }
        }
    }

    /// Packets between a cluster and each partition.
    fn ties(&self, cluster: u32) -> Vec<f64> {
        let mut ties = vec![0.0; self.loads.len()];
        for (neighbour, packets) in &self.neighbours[cluster as usize] {
            let part = self.part[*neighbour as usize];
            if part != NOWHERE {
                ties[part as usize] += packets;
            }
        }
        ties
    }

    /// The partition with room with which a cluster has most packets, or the one with the least work.
    fn nearest(&self, cluster: u32, room: f64) -> usize {
        let weight = self.weights[cluster as usize];
        let ties = self.ties(cluster);
        let with_room = (0..self.loads.len()).filter(|part| self.loads[*part] + weight <= room);
        let closest =
            with_room.max_by(|a, b| ties[*a].total_cmp(&ties[*b]).then(self.loads[*b].total_cmp(&self.loads[*a])));
        let least = || (0..self.loads.len()).min_by(|a, b| self.loads[*a].total_cmp(&self.loads[*b]));
        closest.or_else(least).unwrap_or(0)
    }

    /// Moves single clusters as long as that helps, eight times at most.
    fn improve(&mut self, order: &[u32]) {
        for _ in 0..8 {
            let moves = order.iter().filter(|cluster| self.moved(**cluster)).count();
            if moves == 0 {
                break;
            }
        }
    }

    /// Moves a cluster to where it lowers the load of the two partitions concerned, packets across included.
    fn moved(&mut self, cluster: u32) -> bool {
        let (weight, ties) = (self.weights[cluster as usize], self.ties(cluster));
        let from = self.part[cluster as usize] as usize;
        let pair = |a: f64, b: f64| a.max(b);
        let mut best = (0.0, from);
        for to in (0..self.loads.len()).filter(|to| *to != from) {
            let stays = pair(self.loads[from], self.loads[to]) + ties[to] * cost::MAIL;
            let moves = pair(self.loads[from] - weight, self.loads[to] + weight) + ties[from] * cost::MAIL;
            if stays - moves > best.0 {
                best = (stays - moves, to);
            }
        }
        self.loads[from] -= weight;
        self.put(cluster, best.1);
        best.1 != from
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Link, State};
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
        Work { nodes, links, span: 1000 * MS, threads: 2, state: State::Small, flows: 20 }
    }

    fn packets_across(work: &Work, of_node: &[u32]) -> f64 {
        let cut = work.links.iter().filter(|link| of_node[link.from as usize] != of_node[link.to as usize]);
        cut.map(|link| link.packets).sum()
    }

    fn load(work: &Work, of_node: &[u32], part: u32) -> f64 {
        work.nodes.iter().zip(of_node).filter(|(_, of)| **of == part).map(|(work, _)| work).sum()
    }

    #[test]
    fn a_dumbbell_is_cut_between_its_routers_and_some_senders_change_sides() {
        let work = dumbbell();
        let clusters = Clusters { of_node: (0..22).collect(), count: 22 };
        let grown = &clusters.assignments(&work, 2, None)[1];
        assert_ne!(grown[0], grown[1], "{grown:?}");
        // 1.9 ms of work; the least that can be cut for equal sides is the bottleneck and two or three senders.
        let loads = [load(&work, grown, 0), load(&work, grown, 1)];
        assert!(loads.iter().all(|load| (0.9e6..=1e6).contains(load)), "{loads:?}");
        assert!(packets_across(&work, grown) <= 26e3, "{}", packets_across(&work, grown));
    }

    #[test]
    fn a_deal_of_larger_clusters_is_refined() {
        // Senders that repair losses: 3.6 ms of work, 2.7 of them to the left of the bottleneck.
        let mut work = dumbbell();
        work.nodes[2..12].fill(250e3);
        let clusters = Clusters { of_node: (0..22).collect(), count: 22 };
        let bottleneck: Vec<u32> = (0..22).map(|node| u32::from(node == 1 || node >= 12)).collect();
        let assignments = clusters.assignments(&work, 2, Some(&bottleneck));
        let [heaviest_first, grown, refined] = &assignments[..] else { panic!("there are three ways") };
        assert_eq!((refined[0], refined[1]), (0, 1));
        assert_eq!(refined[2..12].iter().filter(|part| **part == 1).count(), 4, "{refined:?}");
        assert!(refined[12..].iter().all(|part| *part == 1), "{refined:?}");
        assert!(work.cost(refined) < work.cost(&bottleneck));
        assert!(work.cost(refined) <= work.cost(grown).min(work.cost(heaviest_first)), "{assignments:?}");
    }

    #[test]
    fn every_cluster_is_dealt_even_without_links_or_room() {
        let work = Work { links: Vec::new(), ..dumbbell() };
        let clusters = Clusters { of_node: (0..22).collect(), count: 22 };
        for parts in [1, 2, 3, 22, 30] {
            for assignment in clusters.assignments(&work, parts, None) {
                assert!(assignment.iter().all(|part| (*part as usize) < parts), "{parts}: {assignment:?}");
            }
        }
    }
}
