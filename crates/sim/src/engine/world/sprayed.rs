//! Paths among which packets are spread.
//!
//! Where each host has one link, all pairs of hosts at the same two switches share what lies between those: a fat tree
//! of 1024 hosts has a million pairs of 64 ways, and 16 256 pairs of switches.

use crate::engine::node::spray::Spray;
use crate::engine::packet::{DELIVER, NO_PATH, NOWHERE, SPREAD, TO_HOST};
use crate::model::{EqualRoutes, Flow, Leaf, LinkId, Network, NodeId, leaves};
use std::collections::BTreeMap;

/// Packets between two nodes are spread over so many paths at most: those of a fat tree with k = 128.
const MOST_WAYS: usize = 4096;

/// Where paths are laid, and the engine's number of each link.
pub(super) struct Words<'a> {
    pub(super) flat: &'a mut Vec<u32>,
    pub(super) numbers: &'a [u32],
}

/// All paths between pairs, as they are found.
pub(super) struct Spraying<'a> {
    routes: EqualRoutes,
    /// By node, if it has one link each way, both to the same node, and ways may be shared.
    leaves: Vec<Option<Leaf>>,
    up: &'a [bool],
    /// Between two switches: the set of ways, and the first of them; `None` where there are none.
    between: BTreeMap<[NodeId; 2], Option<(u32, u32)>>,
}

impl<'a> Spraying<'a> {
    /// Paths over the links in `up`; what lies between two switches is `shared` by all pairs of hosts there.
    pub(super) fn new(network: &Network, up: &'a [bool], shared: bool) -> Spraying<'a> {
        let leaves = if shared { leaves(network) } else { vec![None; network.nodes.len()] };
        Spraying { routes: EqualRoutes::new(network, up), leaves, up, between: BTreeMap::new() }
    }

    /// The first of all paths of every flow, and of those back; the others are where packets are spread.
    pub(super) fn of_flows(&mut self, flows: &[Flow], words: &mut Words, spray: &mut Spray) -> Vec<(u32, u32)> {
        let pairs = |flow: &Flow| [(flow.destination, flow.source), (flow.source, flow.destination)];
        let mut known: BTreeMap<(NodeId, NodeId), u32> = flows.iter().flat_map(pairs).map(|pair| (pair, 0)).collect();
        for ((to, from), first) in &mut known {
            *first = match self.leaves_of(*from, *to) {
                Some([from, to]) => self.through_switches(from, to, words, spray),
                None => self.whole(*from, *to, words, spray),
            };
        }
        flows.iter().map(pairs).map(|[there, back]| (known[&there], known[&back])).collect()
    }

    /// The engine's numbers of the links to the destination of each flow and to its source, where ways are shared.
    pub(super) fn last_links(&self, flows: &[Flow], words: &Words) -> Vec<[u32; 2]> {
        let down = |node: NodeId| self.leaves[node.index()].map_or(NO_PATH, |leaf| words.number(leaf.down));
        flows.iter().map(|flow| [down(flow.destination), down(flow.source)]).collect()
    }

    fn leaves_of(&self, from: NodeId, to: NodeId) -> Option<[Leaf; 2]> {
        let [source, destination] = [self.leaves[from.index()]?, self.leaves[to.index()]?];
        let is_open = self.up[source.up.index()] && self.up[destination.down.index()];
        (is_open && source.switch != destination.switch).then_some([source, destination])
    }

    /// All paths of a pair, link by link.
    fn whole(&mut self, from: NodeId, to: NodeId, words: &mut Words, spray: &mut Spray) -> u32 {
        let before = words.flat.len();
        words.flat.push(NO_PATH);
        let ways = self.routes.all(from, to, MOST_WAYS);
        let ways: Vec<u32> = ways.iter().map(|way| words.add(way)).collect();
        let first = ways.first().copied().unwrap_or(NOWHERE);
        if ways.len() > 1 {
            words.flat[before] = SPREAD + spray.add(ways);
        }
        first
    }

    /// One whole path, and the set of ways between the two switches.
    fn through_switches(&mut self, from: Leaf, to: Leaf, words: &mut Words, spray: &mut Spray) -> u32 {
        let between = [from.switch, to.switch];
        let known = match self.between.get(&between) {
            Some(known) => *known,
            None => {
                let found = self.lay_between(between, words, spray);
                self.between.insert(between, found);
                found
            }
        };
        let Some((set, way)) = known else { return NOWHERE };
        words.flat.push(if spray.ways(set).len() > 1 { SPREAD + set } else { NO_PATH });
        words.add_between([from.up, to.down], way)
    }

    /// Lays all ways between two switches.
    fn lay_between(&mut self, [from, to]: [NodeId; 2], words: &mut Words, spray: &mut Spray) -> Option<(u32, u32)> {
        let ways = self.routes.all(from, to, MOST_WAYS);
        let ways: Vec<u32> = ways.iter().map(|way| words.add_shared(way)).collect();
        let first = ways.first().copied()?;
        Some((spray.add(ways), first))
    }
}

impl Words<'_> {
    fn number(&self, link: LinkId) -> u32 {
        self.numbers[link.index()]
    }

    /// A whole path.
    pub(super) fn add(&mut self, path: &[LinkId]) -> u32 {
        let position = self.flat.len() as u32;
        self.flat.extend(path.iter().map(|link| self.numbers[link.index()]));
        self.flat.push(DELIVER);
        position
    }

    /// A way that pairs of hosts share: without the link of the one, and with the link to the other in general.
    fn add_shared(&mut self, way: &[LinkId]) -> u32 {
        let position = self.flat.len() as u32;
        self.flat.push(NO_PATH);
        self.flat.extend(way.iter().map(|link| self.numbers[link.index()]));
        self.flat.extend([TO_HOST, DELIVER]);
        position
    }

    /// A shared way with the links of both hosts.
    fn add_between(&mut self, [first, last]: [LinkId; 2], way: u32) -> u32 {
        let (position, way) = (self.flat.len() as u32, way as usize + 1);
        let length = self.flat[way..].iter().take_while(|link| **link != TO_HOST).count();
        self.flat.push(self.number(first));
        self.flat.extend_from_within(way..way + length);
        self.flat.extend([self.number(last), DELIVER]);
        position
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::Options;
    use crate::random::Seed;
    use crate::scenario::{Input, load};
    use crate::study;
    use std::path::Path;

    /// A path is a word before it, its links and an end; a shared way is its inner links, two ends and the end. Of 128
    /// hosts of a fat tree with k = 8, 4 stand at each of 32 switches, and 16 in each pod. There are 4 ways in a pod
    /// and 16 to another.
    #[test]
    fn a_fat_tree_has_one_path_of_a_pair_of_hosts_and_all_ways_of_a_pair_of_switches() {
        let text = "[run]\nduration = \"1 ms\"\n[topology]\nkind = \"fat-tree\"\nk = 8\ncapacity = \"10 Gbps\"\n\
                    routing = \"spray\"\n[[traffic]]\ntransport = \"udp\"\npairs = \"all\"\nrate = \"1 Mbps\"\n";
        let input = Input::Text { text, name: "tree.toml", folder: Path::new(".") };
        let scenario = load(input, &[]).unwrap_or_else(|error| panic!("{error}")).scenario;
        let world = study::World::build(&scenario, Seed { seed: 1, run: 0 }, Options::default()).unwrap();
        let paths = world.into_network().layout.paths.len();
        let alone = 128 * (3 * (2 + 2) + 12 * (4 + 2) + 112 * (6 + 2));
        let shared = 32 * (3 * 4 * (2 + 3) + 28 * 16 * (4 + 3));
        assert_eq!(paths, 1 + alone + shared);
    }
}
