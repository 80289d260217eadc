//! Ready-made networks, importers, and routes held against brute force.

use super::geography::Capacity;
use super::*;
use crate::ids::{LinkId, NodeId};
use crate::scenario::{Buffer, Link, Loss, Network, Node, Role, Source, load};
use proptest::prelude::*;
use std::path::Path;
use units::{Duration, Rate};

/// A network of directed links (from, to, cost).
fn network(nodes: u32, links: &[(u32, u32, u64)]) -> Network {
    let node = |id: u32| Node { name: id.to_string(), role: Role::Core };
    let link = |(from, to, cost): &(u32, u32, u64)| Link {
        name: format!("{from}->{to}"),
        from: NodeId(*from),
        to: NodeId(*to),
        capacity: Rate::from_gbps(1),
        delay: Duration::from_millis(1),
        buffer: Buffer::Unlimited,
        loss: Loss::None,
        controller: None,
        via: None,
        cost: *cost,
        lane: crate::scenario::Lane::FIRST,
    };
    Network { nodes: (0..nodes).map(node).collect(), links: links.iter().map(link).collect(), reroute_after: None }
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

fn scenario(topology: &str) -> crate::scenario::Loaded {
    let text = format!("run.duration = \"1 s\"\nlink_defaults = {{ capacity = \"1 Gbps\" }}\n[topology]\n{topology}\n");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/topology/tests");
    load(Source::Text { name: "test.toml", text: &text, folder: &folder }, &[])
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_topology_is_listed_and_can_be_drawn() {
    let keys = |name: &str| match name {
        "aapn-star" => "edges = 2\ndelay = \"1 ms\"\n[switching]\nkind = \"aapn\"\nslots = 8\nslot_time = \"10 us\"\n",
        "star" => "leaves = 3\n",
        "file" => "path = \"triangle.xml\"\n",
        "dumbbell" | "parking-lot" => "bottleneck_delay = \"1 ms\"\n",
        _ => "",
    };
    for entry in list().iter().filter(|entry| !["custom", "star"].contains(&entry.name)) {
        let network = scenario(&format!("kind = \"{}\"\n{}", entry.name, keys(entry.name))).scenario.network;
        assert!(network.nodes.len() > 1, "{}", entry.name);
        assert!(components(&network).iter().all(|component| *component == 0), "{} is connected", entry.name);
    }
    assert!(list().is_sorted_by_key(|entry| entry.name));
}

#[test]
fn the_longest_shortest_path_of_nsfnet_is_4500_km() {
    let network = scenario("kind = \"nsfnet\"").scenario.network;
    assert_eq!((network.nodes.len(), network.links.len()), (14, 42));
    let mut routes = Routes::new(&network, &[true; 42]);
    let length = |path: Vec<LinkId>| path.iter().map(|link| network.links[link.index()].cost).sum::<u64>();
    let pairs = (0..14).flat_map(|a| (0..14).map(move |b| (NodeId(a), NodeId(b))));
    let longest = pairs.map(|(a, b)| length(routes.path(a, b).unwrap())).max().unwrap();
    // 5 us for a km: 22.5 ms one way, 45 ms round trip.
    assert_eq!(longest, 22_500_000_000);
}

#[test]
fn overlaid_stars_have_a_queue_for_each_pair_through_each_core_node() {
    let network = scenario(
        "kind = \"aapn-star\"\nedges = 3\ncores = 2\ndelays = [\"1 ms\", \"2 ms\", \"4 ms\"]\nhosts = 1\n\
         [switching]\nkind = \"aapn\"\nslots = 8\nslot_time = \"10 us\"",
    );
    let network = network.scenario.network;
    let names: Vec<&str> = network.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["e0", "e1", "e2", "c0", "c1", "h0.0", "h1.0", "h2.0"]);
    // Per core node 6 queues, 6 links for signalling; 6 links of hosts.
    assert_eq!(network.links.len(), 2 * 12 + 6);
    let queue = network.links.iter().find(|link| link.name == "e0->e2#2").unwrap();
    // 1 ms + 4 ms, through c1.
    assert_eq!((queue.delay.ps(), queue.via), (5_000_000_000, Some(NodeId(4))));
    let mut routes = Routes::new(&network, &network.open_to_flows());
    assert_eq!(routes.path(NodeId(5), NodeId(7)).unwrap().len(), 3);
    assert_eq!(routes.path(NodeId(0), NodeId(3)), None);
}

#[test]
fn a_parking_lot_has_cross_traffic_on_each_hop() {
    let network = scenario("kind = \"parking-lot\"\nhops = 2\nbottleneck_delay = \"5 ms\"").scenario.network;
    let names: Vec<&str> = network.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["0", "1", "2", "source", "sink", "c0", "d0", "c1", "d1"]);
    let mut routes = Routes::new(&network, &vec![true; network.links.len()]);
    let hops = |from: u32, to: u32, routes: &mut Routes| routes.path(NodeId(from), NodeId(to)).unwrap().len();
    assert_eq!((hops(3, 4, &mut routes), hops(5, 6, &mut routes), hops(7, 8, &mut routes)), (4, 3, 3));
}

#[test]
fn gml_is_read_with_its_quirks() {
    let imported = parse_gml(include_str!("ring.gml")).unwrap();
    let names: Vec<&str> = imported.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["Munich", "Vienna", "Prague", "Vienna (7)"]);
    assert_eq!(imported.nodes[0].position, Some((48.13743, 11.57549)));
    assert_eq!((imported.nodes[3].position, imported.directed), (None, false));
    assert_eq!(imported.links[0].capacity, Some(Capacity::Number(1e10)));
    assert_eq!(imported.links[1].capacity, Some(Capacity::Rate(Rate::from_mbps(2500))));
    assert_eq!((imported.links[2].metres, imported.links[3].metres), (Some(300_000), Some(100_000)));
    assert_eq!(imported.links.len(), 6);
}

#[test]
fn a_gml_network_becomes_links_with_delays() {
    let loaded = scenario("kind = \"file\"\npath = \"ring.gml\"\nedge_delay = \"0.1 ms\"");
    let network = &loaded.scenario.network;
    let link = |name: &str| network.links.iter().find(|link| link.name == name).unwrap();
    assert_eq!(link("Munich->Vienna").capacity, Rate::from_gbps(10));
    // Munich to Vienna: 355 km along the great circle, 5 us each.
    let delay = link("Munich->Vienna").delay.as_secs_f64();
    assert!((delay - 355.0 * 5e-6).abs() < 5e-6, "{delay}");
    assert_eq!(link("Vienna->Prague").delay, Duration::from_millis(3));
    assert_eq!(link("Prague->Vienna (7)").delay, Duration::from_micros(1500));
    assert_eq!(link("e:Munich->Munich").delay, Duration::from_micros(100));
    assert_eq!(link("Prague->Vienna (7)").capacity, Rate::from_gbps(1), "as link_defaults says");
    assert_eq!((network.nodes.len(), network.links.len()), (8, 16), "one duplicate and one loop are left out");
    assert_eq!(loaded.warnings.len(), 2);
    let kept = scenario("kind = \"file\"\npath = \"ring.gml\"\nduplicate_links = \"keep\"");
    assert_eq!(kept.scenario.network.links.len(), 10);
}

#[test]
fn an_sndlib_network_becomes_links_with_delays() {
    let network = scenario("kind = \"file\"\npath = \"triangle.xml\"").scenario.network;
    let link = |name: &str| network.links.iter().find(|link| link.name == name).unwrap();
    assert_eq!(link("Aachen->Berlin").capacity, Rate::from_gbps(10), "10 000 Mb/s");
    assert_eq!(link("Kiel->Berlin").capacity, Rate::from_gbps(1), "nothing installed: as link_defaults says");
    // Aachen (50.77 N, 6.08 E) to Berlin (52.52 N, 13.40 E): 540 km.
    let delay = link("Aachen->Berlin").delay.as_secs_f64();
    assert!((delay - 540.0 * 5e-6).abs() < 3.0 * 5e-6, "{delay}");
}

#[test]
fn broken_files_are_errors_with_places() {
    let gml = |text: &str| parse_gml(text).map(|_| ()).map_err(|error| (error.offset, error.message));
    assert_eq!(gml(""), Err((0, "there is no \"graph [ … ]\" in the file".into())));
    assert_eq!(gml("graph [ node [ id \"x\" ] ]"), Err((15, "id: found \"x\": allowed: a number".into())));
    assert_eq!(gml("graph [ node [ id 1e999 ] ]").unwrap_err().0, 18);
    assert_eq!(gml("graph [ label \"abc").unwrap_err().0, 8);
    assert_eq!(gml("graph [ ] ]").unwrap_err().0, 10);
    assert_eq!(gml("graph [ x ]").unwrap_err().1, "x has no value: the file is cut off or a value is missing");
    assert!(parse_sndlib("<a").is_err());
    assert!(parse_sndlib("<!DOCTYPE a [<!ENTITY b \"c\">]><network/>").is_err(), "no entities");
}
