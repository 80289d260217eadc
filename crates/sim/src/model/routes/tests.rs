//! Routes held against brute force.

use super::*;
use crate::links::LinkProperties;
use crate::model::{Buffer, Lane, Node, Role};
use proptest::prelude::*;
use std::collections::BTreeSet;
use units::{Duration, Rate};

/// A network of directed links (from, to, cost).
fn network(nodes: u32, links: &[(u32, u32, u64)]) -> Network {
    let node = |id: u32| Node { name: id.to_string(), role: Role::Core, position: None };
    let link = |(from, to, cost): &(u32, u32, u64)| Link {
        name: format!("{from}->{to}"),
        from: NodeId(*from),
        to: NodeId(*to),
        capacity: Rate::from_gbps(1),
        wavelengths: 1,
        delay: Duration::from_millis(1),
        buffer: Buffer::Unlimited,
        queue: crate::queue::Config::DropTail,
        properties: LinkProperties::default(),
        controller: None,
        via: None,
        cost: *cost,
        lane: Lane::FIRST,
        telemetry: true,
    };
    Network { nodes: (0..nodes).map(node).collect(), links: links.iter().map(link).collect(), ..Network::default() }
}

/// The best of all simple paths by (cost, hops, node ids, link ids).
fn best_of_all(network: &Network, up: &[bool], from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
    type Candidate = (u64, usize, Vec<NodeId>, Vec<LinkId>);
    fn search(network: &Network, up: &[bool], to: NodeId, so_far: Candidate, best: &mut Option<Candidate>) {
        let here = so_far.2[so_far.2.len() - 1];
        if here == to && best.as_ref().is_none_or(|best| so_far < *best) {
            *best = Some(so_far.clone());
        }
        for (index, link) in network.links.iter().enumerate() {
            if up[index] && link.from == here && !so_far.2.contains(&link.to) {
                let (mut nodes, mut links) = (so_far.2.clone(), so_far.3.clone());
                nodes.push(link.to);
                links.push(LinkId(index as u32));
                search(network, up, to, (so_far.0 + link.cost, so_far.1 + 1, nodes, links), best);
            }
        }
    }
    let mut best = None;
    search(network, up, to, (0, 0, vec![from], Vec::new()), &mut best);
    best.map(|best| best.3)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn a_route_is_the_best_of_all_paths(
        links in proptest::collection::vec((0u32..6, 0u32..6, 0u64..4, any::<bool>()), 0..16),
    ) {
        let ends: Vec<_> = links.iter().filter(|link| link.0 != link.1).map(|link| (link.0, link.1, link.2)).collect();
        let up: Vec<bool> = links.iter().filter(|link| link.0 != link.1).map(|link| link.3 || link.2 == 0).collect();
        let network = network(6, &ends);
        let mut routes = Routes::new(&network, &up);
        for (from, to) in (0..6).flat_map(|a| (0..6).map(move |b| (NodeId(a), NodeId(b)))) {
            prop_assert_eq!(routes.path(from, to), best_of_all(&network, &up, from, to), "{:?} to {:?}", from, to);
        }
    }

    #[test]
    fn two_nodes_share_a_component_if_each_reaches_the_other(
        ends in proptest::collection::vec((0u32..7, 0u32..7), 0..12),
    ) {
        let links: Vec<_> = ends.iter().filter(|ends| ends.0 != ends.1).map(|ends| (ends.0, ends.1, 1)).collect();
        let network = network(7, &links);
        let mut routes = Routes::new(&network, &vec![true; links.len()]);
        let component = components(&network);
        for (a, b) in (0..7).flat_map(|a| (0..7).map(move |b| (NodeId(a), NodeId(b)))) {
            let mutual = routes.path(a, b).is_some() && routes.path(b, a).is_some();
            prop_assert_eq!(component[a.index()] == component[b.index()], mutual);
        }
    }
}

#[test]
fn of_equal_costs_the_fewest_hops_win_then_the_smaller_nodes() {
    // 0 to 4 costs 4 over 1, 2, 3 (four hops) and over 3 or 5 (two hops): 3 is smaller.
    let links = [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 1), (0, 5, 2), (5, 4, 2), (0, 3, 3)];
    let path = Routes::new(&network(6, &links), &[true; 7]).path(NodeId(0), NodeId(4));
    assert_eq!(path, Some(vec![LinkId(6), LinkId(3)]));
    let mut without = [true; 7];
    without[6] = false;
    let path = Routes::new(&network(6, &links), &without).path(NodeId(0), NodeId(4));
    assert_eq!(path, Some(vec![LinkId(4), LinkId(5)]), "two hops over 5 beat four hops over 1");
}

#[test]
fn a_grid_of_100_000_links_is_routed() {
    // 158 × 158 nodes, about 10^5 directed links; from corner to corner there are 314 hops.
    let side = 158u32;
    let mut links = Vec::new();
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        let node = row * side + column;
        let right = (column + 1 < side).then_some(node + 1);
        let below = (row + 1 < side).then_some(node + side);
        links.extend([right, below].into_iter().flatten().flat_map(|other| [(node, other, 1), (other, node, 1)]));
    }
    let network = network(side * side, &links);
    let mut routes = Routes::new(&network, &vec![true; links.len()]);
    assert_eq!(links.len(), 99_224);
    assert_eq!(routes.path(NodeId(0), NodeId(side * side - 1)).unwrap().len(), 314);
}

/// All simple paths as good by cost and hops as the best.
fn all_best(network: &Network, up: &[bool], from: NodeId, to: NodeId) -> BTreeSet<Vec<LinkId>> {
    fn search(network: &Network, up: &[bool], to: NodeId, so_far: &mut (Vec<NodeId>, Vec<LinkId>), all: &mut Vec<Way>) {
        let here = so_far.0[so_far.0.len() - 1];
        if here == to {
            let cost = so_far.1.iter().map(|link| network.links[link.index()].cost).sum();
            all.push((cost, so_far.1.len(), so_far.1.clone()));
            return;
        }
        for (index, link) in network.links.iter().enumerate() {
            if up[index] && link.from == here && !so_far.0.contains(&link.to) {
                so_far.0.push(link.to);
                so_far.1.push(LinkId(index as u32));
                search(network, up, to, so_far, all);
                so_far.0.pop();
                so_far.1.pop();
            }
        }
    }
    type Way = (u64, usize, Vec<LinkId>);
    let mut all = Vec::new();
    search(network, up, to, &mut (vec![from], Vec::new()), &mut all);
    let least = all.iter().map(|(cost, hops, _)| (*cost, *hops)).min();
    all.into_iter().filter(|(cost, hops, _)| Some((*cost, *hops)) == least).map(|(_, _, links)| links).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn equal_paths_are_all_of_the_best_ones_and_no_others(
        links in proptest::collection::vec((0u32..6, 0u32..6, 1u64..3, any::<bool>()), 0..16),
    ) {
        let ends: Vec<_> = links.iter().filter(|link| link.0 != link.1).map(|link| (link.0, link.1, link.2)).collect();
        let up: Vec<bool> = links.iter().filter(|link| link.0 != link.1).map(|link| link.3 || link.2 == 1).collect();
        let network = network(6, &ends);
        let (mut one, mut all) = (Routes::new(&network, &up), EqualRoutes::new(&network, &up));
        for (from, to) in (0..6).flat_map(|a| (0..6).map(move |b| (NodeId(a), NodeId(b)))) {
            let expected = if from == to { BTreeSet::from([vec![]]) } else { all_best(&network, &up, from, to) };
            let found = all.all(from, to, 1000);
            prop_assert_eq!(found.len(), expected.len(), "no path twice");
            prop_assert_eq!(BTreeSet::from_iter(found), expected, "{:?} to {:?}", from, to);
            prop_assert_eq!(all.path(from, to, |_, links| links[0]), one.path(from, to), "the first of them");
        }
    }
}

/// 0 goes to 1 over 2 and over two links by 3; by the number of next links a half each, and then a quarter.
#[test]
fn shares_are_divided_at_each_node() {
    let links = [(0, 2, 1), (0, 3, 1), (2, 1, 1), (3, 1, 1), (3, 1, 1)];
    let network = network(4, &links);
    let mut found = [0.0; 5];
    let mut routes = EqualRoutes::new(&network, &[true; 5]);
    routes.shares(NodeId(0), NodeId(1), |_| 1.0, |link, part| found[link.index()] += part);
    assert_eq!(found, [0.5, 0.5, 0.5, 0.25, 0.25]);
    let mut found = [0.0; 5];
    routes.shares(NodeId(0), NodeId(1), |link| f64::from(link.0), |link, part| found[link.index()] += part);
    assert_eq!(found, [0.0, 1.0, 0.0, 3.0 / 7.0, 4.0 / 7.0]);
}
