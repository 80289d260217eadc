//! Ready-made networks and imported ones, as a scenario gets them.

use crate::model::{Arrivals, LinkId, NodeId, Pairs, Routes, components};
use crate::scenario::{Input, load};
use crate::topology::list;
use std::path::Path;
use units::{Duration, Rate};

fn scenario(topology: &str) -> crate::scenario::Loaded {
    let text = format!("run.duration = \"1 s\"\nlink_defaults = {{ capacity = \"1 Gbps\" }}\n[topology]\n{topology}\n");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/topology/tests");
    load(Input::Text { name: "test.toml", text: &text, folder: &folder }, &[]).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_topology_is_listed_and_can_be_drawn() {
    let keys = |name: &str| match name {
        "aapn-star" => "edges = 2\ndelay = \"1 ms\"\n[switching]\nkind = \"aapn\"\nslots = 8\nslot_time = \"10 us\"\n",
        "star" => "leaves = 3\n",
        "leaf-spine" => "leaves = 3\nspines = 2\nhosts = 2\nhost_capacity = \"1 Gbps\"\nrouting = \"ecmp\"\n",
        "fat-tree" => "k = 4\ncapacity = \"1 Gbps\"\nrouting = \"ecmp\"\n",
        "file" => "path = \"triangle.xml\"\n",
        "grid" => "rows = 2\nhosts = 3\ntrunk_delay = \"1 ms\"\naccess_delay = \"1 ms\"\n",
        "racks" => {
            "racks = 3\nhost_capacity = \"1 Gbps\"\npacket_capacity = \"1 Gbps\"\npacket_delay = \"1 us\"\n\
             circuit_capacity = \"1 Gbps\"\ncircuit_delay = \"1 us\"\n"
        }
        "dumbbell" | "parking-lot" => "bottleneck_delay = \"1 ms\"\n",
        _ => "",
    };
    for entry in list().iter().filter(|entry| !["custom", "star"].contains(&entry.name)) {
        let network = scenario(&format!("kind = \"{}\"\n{}", entry.name, keys(entry.name))).scenario.model.network;
        assert!(network.nodes.len() > 1, "{}", entry.name);
        assert!(components(&network).iter().all(|component| *component == 0), "{} is connected", entry.name);
    }
    assert!(list().is_sorted_by_key(|entry| entry.name));
}

#[test]
fn the_longest_shortest_path_of_nsfnet_is_4500_km() {
    let network = scenario("kind = \"nsfnet\"").scenario.model.network;
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
    let network = network.scenario.model.network;
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
    let network = scenario("kind = \"parking-lot\"\nhops = 2\nbottleneck_delay = \"5 ms\"").scenario.model.network;
    let names: Vec<&str> = network.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["0", "1", "2", "source", "sink", "c0", "d0", "c1", "d1"]);
    let mut routes = Routes::new(&network, &vec![true; network.links.len()]);
    let hops = |from: u32, to: u32, routes: &mut Routes| routes.path(NodeId(from), NodeId(to)).unwrap().len();
    assert_eq!((hops(3, 4, &mut routes), hops(5, 6, &mut routes), hops(7, 8, &mut routes)), (4, 3, 3));
}

#[test]
fn a_grid_has_links_to_both_neighbours_and_its_hosts_in_turn() {
    let delays = "trunk_delay = \"5 ms\"\naccess_delay = \"1 ms\"";
    let loaded = scenario(&format!("kind = \"grid\"\nrows = 2\ncolumns = 3\nhosts = 8\n{delays}"));
    let network = &loaded.scenario.network;
    let names: Vec<&str> = network.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names[..8], ["0,0", "0,1", "0,2", "1,0", "1,1", "1,2", "h0", "h1"]);
    // 3 links down, 4 across, 8 of hosts, in both directions.
    assert_eq!((network.nodes.len(), network.links.len()), (6 + 8, 2 * (3 + 4 + 8)));
    let link =
        |name: &str| network.links.iter().find(|link| link.name == name).map(|link| link.delay.ps() / 1_000_000_000);
    assert_eq!(
        [link("0,0->0,1"), link("1,2->0,2"), link("h7->0,1"), link("0,1->h7")],
        [Some(5), Some(5), Some(1), Some(1)]
    );
    assert_eq!((link("0,2->1,0"), link("0,0->1,1")), (None, None));
    // h0 at 0,0 to h5 at 1,2: three routers on, five links.
    let mut routes = Routes::new(network, &vec![true; network.links.len()]);
    assert_eq!(routes.path(NodeId(6), NodeId(11)).unwrap().len(), 5);
}

#[test]
fn the_large_scenario_has_100_000_links_and_a_million_flows() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/large/million-flows.toml");
    let loaded = load(Input::File(&file), &[]).unwrap_or_else(|error| panic!("{error}"));
    let Arrivals::Fixed { pairs: Pairs::UniformRandom(ends), count, .. } = &loaded.scenario.traffic[0].arrivals else {
        panic!("so many flows between random hosts");
    };
    assert_eq!((loaded.scenario.network.links.len(), *count, ends.len()), (100_000, 1_000_000, 48_260));
    assert_eq!(loaded.warnings, Vec::<String>::new());
}

#[test]
fn a_gml_network_becomes_links_with_delays() {
    let loaded = scenario("kind = \"file\"\npath = \"ring.gml\"\nedge_delay = \"0.1 ms\"");
    let network = &loaded.scenario.model.network;
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
    let network = scenario("kind = \"file\"\npath = \"triangle.xml\"").scenario.model.network;
    let link = |name: &str| network.links.iter().find(|link| link.name == name).unwrap();
    assert_eq!(link("Aachen->Berlin").capacity, Rate::from_gbps(10), "10 000 Mb/s");
    assert_eq!(link("Kiel->Berlin").capacity, Rate::from_gbps(1), "nothing installed: as link_defaults says");
    // Aachen (50.77 N, 6.08 E) to Berlin (52.52 N, 13.40 E): 540 km.
    let delay = link("Aachen->Berlin").delay.as_secs_f64();
    assert!((delay - 540.0 * 5e-6).abs() < 3.0 * 5e-6, "{delay}");
}
