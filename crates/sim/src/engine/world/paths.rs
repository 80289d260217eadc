//! Links in the order in which the engine numbers them, and the paths of flows over them.

use super::hashing::{Hashed, Hashing};
use super::options::RunError;
use super::sprayed::{Spraying, Words};
use crate::engine::execute::layout::PartitionLayout;
use crate::engine::execute::site::Endpoints;
use crate::engine::node::spray::{Spray, spread_set};
use crate::engine::node::timetable::Timetable;
use crate::engine::packet::{DELIVER, NO_PATH, NOWHERE, TO_HOST};
use crate::model::{Flow, LinkId, Network, NodeId, Routes, Routing};
use crate::random::{Seed, Stream, uniform_index};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Links in the stated order of simultaneous arrivals, or in a random one.
pub(super) fn link_order(network: &Network, shuffle: Option<&mut Stream>) -> Vec<LinkId> {
    let mut order: Vec<LinkId> = (0..network.links.len() as u32).map(LinkId).collect();
    order.sort_by_key(|link| (network.links[link.index()].to, network.links[link.index()].from, *link));
    if let Some(stream) = shuffle {
        for i in (1..order.len()).rev() {
            order.swap(i, uniform_index(stream, i as u64 + 1) as usize);
        }
    }
    order
}

pub(super) fn invert(order: &[LinkId]) -> Vec<u32> {
    let mut numbers = vec![0; order.len()];
    for (number, link) in order.iter().enumerate() {
        numbers[link.index()] = number as u32;
    }
    numbers
}

/// All links in the engine's order.
pub(super) fn ends(network: &Network, order: &[LinkId]) -> Arc<[Endpoints]> {
    let ends = |id: &LinkId| {
        let link = &network.links[id.index()];
        Endpoints { from: link.from.0, to: link.to.0 }
    };
    order.iter().map(ends).collect()
}

/// All paths in one array; a pair of nodes has one path per state of the network.
pub(super) struct Paths {
    /// Of each path its links, as the engine numbers them, and [`DELIVER`]. Before it may be a number above
    /// [`SPREAD`](crate::engine::packet::SPREAD).
    pub(super) flat: Vec<u32>,
    link_numbers: Vec<u32>,
    /// What flows are hashed with, if nodes do.
    hash: u64,
    /// What came of it at the start.
    pub(super) hashed: Option<Hashed>,
    /// Paths that packets take by turns.
    pub(super) spray: Option<Spray>,
    /// When paths end and others begin, if they do.
    pub(super) timetable: Option<Timetable>,
    spray_seed: u64,
    /// Whether hosts at the same two switches have the ways between those together.
    shares_ways: bool,
    /// By flow: the links that [`TO_HOST`] stands for, to its destination and to its source.
    last_links: Vec<[u32; 2]>,
    /// By the position of a place in a path: the position of the way back from there, or [`NOWHERE`].
    returns: Vec<u32>,
}

impl Paths {
    /// Where nodes hash flows, another `seed` gives flows other ports, as it were. Flows may share ways if they are
    /// known by nobody.
    pub(super) fn new(link_numbers: Vec<u32>, seed: Seed, shares_ways: bool) -> Paths {
        let mut hashes = seed.stream("network", "flow hashes");
        let (hash, spray_seed) = (hashes.next_u64(), hashes.next_u64());
        Paths {
            flat: vec![NO_PATH],
            link_numbers,
            hash,
            hashed: None,
            spray: None,
            timetable: None,
            spray_seed,
            shares_ways,
            last_links: Vec::new(),
            returns: Vec::new(),
        }
    }

    /// Path and way back of every flow while the links in `up` are up.
    pub(super) fn of_flows(&mut self, network: &Network, flows: &[Flow], up: &[bool]) -> Vec<(u32, u32)> {
        if let Some(timed) = &network.timed {
            return self.of_timed_flows(network, timed, flows);
        }
        if let Routing::Spray(spread) = network.routing {
            let mut spray = self.spray.take().unwrap_or_else(|| Spray::new(self.spray_seed, spread));
            let mut spraying = Spraying::new(network, up, self.shares_ways);
            let mut words = Words { flat: &mut self.flat, numbers: &self.link_numbers };
            let found = spraying.of_flows(flows, &mut words, &mut spray);
            self.last_links = if self.shares_ways { spraying.last_links(flows, &words) } else { Vec::new() };
            self.spray = Some(spray);
            return found;
        }
        if let Some(mut hashing) = Hashing::new(network, self.hash, up) {
            let found = hashing.of_flows(flows, |way| self.add(way));
            // Paths that come after failures are not counted.
            self.hashed.get_or_insert(hashing.found());
            return found;
        }
        let mut routes = Routes::new(network, up);
        // Flows take overlaid stars in turn.
        let (stars, led) = (network.cores().len().max(1), led_links(network, up));
        let pairs = |(number, flow): (usize, &Flow)| {
            let star = number % stars;
            [(flow.destination, flow.source, star), (flow.source, flow.destination, star)]
        };
        // By destination, because routes are kept by destination and the largest networks have too many to keep them
        // all.
        let mut known: BTreeMap<(NodeId, NodeId, usize), u32> =
            flows.iter().enumerate().flat_map(pairs).map(|pair| (pair, 0)).collect();
        for ((to, from, star), path) in &mut known {
            let way = routes.path(*from, *to).map(|way| through_star(way, *star, network, &led));
            *path = self.add(way);
        }
        flows.iter().enumerate().map(pairs).map(|[there, back]| (known[&there], known[&back])).collect()
    }

    /// The network in one partition, which takes the paths.
    pub(super) fn layout(
        &mut self,
        links: Arc<[Endpoints]>,
        flows: Arc<[Flow]>,
        agents: Arc<[u32]>,
        nodes: usize,
    ) -> PartitionLayout {
        let spray = self.spray.take().filter(|spray| !spray.is_empty()).map(Arc::new);
        PartitionLayout {
            spray,
            timetable: self.timetable.take().map(Arc::new),
            returns: std::mem::take(&mut self.returns).into(),
            last_links: std::mem::take(&mut self.last_links).into(),
            ..PartitionLayout::whole(links, flows, std::mem::take(&mut self.flat).into(), agents, nodes)
        }
    }

    /// Lays the ways back from all places of the paths of flows, as they are `first`: over the same nodes, if each link
    /// has one back.
    pub(super) fn lead_back(&mut self, network: &Network, first: &[(u32, u32)]) {
        let numbers = network.links.iter().zip(&self.link_numbers);
        let ends: BTreeMap<u32, (NodeId, NodeId)> =
            numbers.clone().map(|(link, number)| (*number, (link.from, link.to))).collect();
        let mut between: BTreeMap<(NodeId, NodeId), u32> = BTreeMap::new();
        for (link, number) in numbers {
            between.entry((link.from, link.to)).or_insert(*number);
        }
        let mut laid: BTreeSet<u32> = BTreeSet::new();
        let mut sets: BTreeSet<u32> = BTreeSet::new();
        for (there, _) in first.iter().filter(|(there, _)| *there != NOWHERE) {
            match spread_set(&self.flat, *there) {
                Some(set) => sets.insert(set),
                None => laid.insert(*there),
            };
        }
        laid.extend(self.spray.iter().flat_map(|spray| sets.iter().flat_map(|set| spray.ways(*set))));
        // A shared way begins behind the one host and ends before the other, there as back.
        let reverse = |link: &u32| match *link {
            NO_PATH => Some(TO_HOST),
            TO_HOST => Some(NO_PATH),
            link => ends.get(&link).and_then(|(from, to)| between.get(&(*to, *from))).copied(),
        };
        for path in laid {
            let links = self.flat[path as usize..].iter().copied().take_while(|link| *link != DELIVER);
            let links: Vec<u32> = links.collect();
            let Some(back) = links.iter().rev().map(reverse).collect::<Option<Vec<_>>>() else { continue };
            let end = (self.flat.len() + links.len()) as u32;
            self.flat.extend(back);
            self.flat.push(DELIVER);
            self.returns.resize(self.flat.len(), NOWHERE);
            // From its own host nothing comes back.
            (1..links.len() as u32).for_each(|passed| self.returns[(path + passed) as usize] = end - passed);
        }
    }

    pub(super) fn add(&mut self, path: Option<Vec<LinkId>>) -> u32 {
        let Some(path) = path else { return NOWHERE };
        Words { flat: &mut self.flat, numbers: &self.link_numbers }.add(&path)
    }
}

/// The links between each two nodes that are up and lead through a third one.
fn led_links(network: &Network, up: &[bool]) -> BTreeMap<(NodeId, NodeId), Vec<LinkId>> {
    let mut led: BTreeMap<(NodeId, NodeId), Vec<LinkId>> = BTreeMap::new();
    let links = network.links.iter().zip(0..).zip(up);
    for ((link, id), _) in links.filter(|((link, _), up)| link.via.is_some() && **up) {
        led.entry((link.from, link.to)).or_default().push(LinkId(id));
    }
    led
}

/// The same way, in which every link that leads through a node is the one through the node of an overlaid star.
fn through_star(
    way: Vec<LinkId>,
    star: usize,
    network: &Network,
    led: &BTreeMap<(NodeId, NodeId), Vec<LinkId>>,
) -> Vec<LinkId> {
    let beside = |id: LinkId| {
        let link = &network.links[id.index()];
        let beside = led.get(&(link.from, link.to)).filter(|_| link.via.is_some());
        beside.map_or(id, |links| links[star % links.len()])
    };
    way.into_iter().map(beside).collect()
}

pub(super) fn check_paths(network: &Network, flows: &[Flow], paths: &[(u32, u32)]) -> Result<(), RunError> {
    let missing = flows.iter().zip(paths).find(|(_, (path, back))| *path == NOWHERE || *back == NOWHERE);
    missing.map_or(Ok(()), |(flow, _)| {
        let name = |node: NodeId| network.nodes[node.index()].name.clone();
        Err(RunError::NoPath { source: name(flow.source), destination: name(flow.destination) })
    })
}
