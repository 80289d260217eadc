//! Ready-made networks and imported ones, as a scenario gets them.

use crate::model::{Arrivals, LinkId, NodeId, Pairs, Position, Role, Routes, SimTime, components};
use crate::scenario::{
    Error, Files, ImportError, Imported, ImportedFlow, ImportedFlows, ImportedLink, ImportedNode, ImportedSizes, Input,
    Loaded, Orbits, load, load_with,
};
use crate::topology::list;
use crate::work::GraphText;
use std::collections::BTreeSet;
use std::path::Path;
use units::{Bytes, Duration, Rate};

fn scenario(topology: &str) -> Loaded {
    with_defaults("capacity = \"1 Gbps\"", topology)
}

fn with_defaults(defaults: &str, topology: &str) -> Loaded {
    let text = format!("run.duration = \"1 s\"\nlink_defaults = {{ {defaults} }}\n[topology]\n{topology}\n");
    load(Input::Text { name: "test.toml", text: &text, folder: Path::new("") }, &[])
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The keys of a topology that has to have some.
fn keys(name: &str) -> &'static str {
    match name {
        "aapn-star" => "edges = 2\ndelay = \"1 ms\"\n[switching]\nkind = \"aapn\"\nslots = 8\nslot_time = \"10 us\"\n",
        "star" => "leaves = 3\n",
        "leaf-spine" => "leaves = 3\nspines = 2\nhosts = 2\nhost_capacity = \"1 Gbps\"\nrouting = \"ecmp\"\n",
        "fat-tree" => "k = 4\ncapacity = \"1 Gbps\"\nrouting = \"ecmp\"\n",
        "grid" => "rows = 2\nhosts = 3\ntrunk_delay = \"1 ms\"\naccess_delay = \"1 ms\"\n",
        "racks" => {
            "racks = 3\nhost_capacity = \"1 Gbps\"\npacket_capacity = \"1 Gbps\"\npacket_delay = \"1 us\"\n\
             circuit_capacity = \"1 Gbps\"\ncircuit_delay = \"1 us\"\n"
        }
        "rotor" => {
            "racks = 4\nswitches = 2\nhosts = 1\nhost_capacity = \"1 Gbps\"\nhost_delay = \"1 us\"\n\
             capacity = \"1 Gbps\"\ndelay = \"1 us\"\n[switching]\nkind = \"rotor\"\nslice = \"50 us\"\n"
        }
        "ocs" => "hosts = 3\nswitches = 2\ncapacity = \"1 Gbps\"\ndelay = \"1 us\"\n",
        "dumbbell" | "parking-lot" => "bottleneck_delay = \"1 ms\"\n",
        _ => "",
    }
}

/// Topologies that need a file or Python.
const READ: [&str; 4] = ["constellation", "contacts", "custom", "file"];

#[test]
fn every_topology_is_listed_and_can_be_drawn() {
    for entry in list().iter().filter(|entry| !READ.contains(&entry.name) && entry.name != "star") {
        let network = scenario(&format!("kind = \"{}\"\n{}", entry.name, keys(entry.name))).scenario.model.network;
        assert!(network.nodes.len() > 1, "{}", entry.name);
        assert!(components(&network).iter().all(|component| *component == 0), "{} is connected", entry.name);
    }
    assert!(list().is_sorted_by_key(|entry| entry.name));
}

/// A node of these names may be the end of a flow that is drawn, by the summary of the topology.
fn is_end(topology: &str, name: &str) -> bool {
    let numbered = |prefix: &str| {
        let number = name.strip_prefix(prefix).unwrap_or("none");
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    match topology {
        "aapn-star" | "nsfnet-edge" => numbered("e"),
        "aapn-star with hosts" | "fat-tree" | "grid" | "leaf-spine" => numbered("h"),
        "dumbbell" => numbered("l") || numbered("r"),
        "nsfnet" => numbered(""),
        "parking-lot" => name == "source" || name == "sink" || numbered("c") || numbered("d"),
        "racks" | "rotor" => name.starts_with('t') && name.contains('h'),
        "star" | "ocs" => numbered("n"),
        other => panic!("{other}: who are its ends?"),
    }
}

#[test]
fn pairs_are_drawn_from_the_hosts_of_every_topology_and_from_all_of_them() {
    let with_hosts = format!("hosts = 2\n{}", keys("aapn-star"));
    let incast = "size = \"10 kB\"\narrivals = \"incast\"\nsenders = 1\nevery = \"10 ms\"\nrequests = 5";
    let own = list().iter().map(|entry| (entry.name, entry.name, keys(entry.name)));
    let own = own.filter(|(name, ..)| !READ.contains(name));
    for (label, kind, keys) in own.chain([("aapn-star with hosts", "aapn-star", with_hosts.as_str())]) {
        for ends in ["pairs = \"random\"\nflows = 4", "pairs = \"all\"", "pairs = \"permutation\"", incast] {
            let traffic = format!("[[traffic]]\ntransport = \"sack\"\n{ends}");
            let text = format!("kind = \"{kind}\"\n{keys}{traffic}");
            let scenario = with_defaults("capacity = \"1 Gbps\", delay = \"1 ms\"", &text).scenario.model;
            let name = |node: NodeId| scenario.network.nodes[node.index()].name.as_str();
            let mut found = BTreeSet::new();
            match &scenario.traffic[0].arrivals {
                Arrivals::Fixed { pairs: Pairs::Given(pairs), .. } => {
                    found.extend(pairs.iter().flat_map(|(from, to)| [name(*from), name(*to)]));
                }
                Arrivals::Fixed { pairs: Pairs::UniformRandom(nodes) | Pairs::Permutation(nodes), .. } => {
                    found.extend(nodes.iter().map(|node| name(*node)));
                }
                Arrivals::Incast(incast) => found.extend(incast.among.iter().map(|node| name(*node))),
                other => panic!("{other:?}"),
            }
            let all = scenario.network.nodes.iter().map(|node| node.name.as_str());
            let wanted: BTreeSet<&str> = all.filter(|name| is_end(label, name)).collect();
            assert_eq!(found, wanted, "{label}, {ends}");
        }
    }
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

/// A ring of four cities, of which one has no place, with a double link and a loop.
struct Ring;

impl Files for Ring {
    fn contacts(&self, _: &Orbits) -> Result<String, ImportError> {
        Err(ImportError { line: None, message: "no orbits".to_owned() })
    }

    fn graph(&self, _: &str) -> Result<(GraphText, Vec<String>), ImportError> {
        Err(ImportError { line: None, message: "no graph".to_owned() })
    }

    fn network(&self, file: &str, format: Option<&str>, unit: Option<Rate>) -> Result<Imported, ImportError> {
        assert_eq!((Path::new(file).file_name().unwrap().to_str(), format, unit), (Some("ring.x"), Some("x"), None));
        let node = |name: &str, place: Option<(f64, f64)>| ImportedNode {
            name: name.to_owned(),
            position: place.map(|(latitude, longitude)| Position { latitude, longitude }),
            role: None,
        };
        let link = |from: &str, to: &str, line: u32| ImportedLink {
            from: from.to_owned(),
            to: to.to_owned(),
            two_way: true,
            line,
            ..ImportedLink::default()
        };
        Ok(Imported {
            nodes: vec![
                node("Munich", Some((48.13743, 11.57549))),
                node("Vienna", Some((48.20849, 16.37208))),
                node("Prague", Some((50.08804, 14.42076))),
                ImportedNode { role: Some(Role::Host), ..node("Vienna (7)", None) },
            ],
            links: vec![
                ImportedLink { capacity: Some(Rate::from_gbps(10)), ..link("Munich", "Vienna", 1) },
                ImportedLink { delay: Some(Duration::from_millis(3)), cost: Some(7), ..link("Vienna", "Prague", 2) },
                ImportedLink { metres: Some(300_000), ..link("Prague", "Vienna (7)", 3) },
                ImportedLink { metres: Some(100_000), two_way: false, ..link("Vienna (7)", "Munich", 4) },
                link("Vienna", "Munich", 5),
                link("Prague", "Prague", 6),
            ],
            warnings: vec!["said by the reader".to_owned()],
        })
    }

    fn flows(&self, _: &str) -> Result<ImportedFlows, ImportError> {
        let flow = |source: &str, destination: &str| ImportedFlow {
            start: SimTime::ZERO + Duration::from_millis(5),
            source: source.to_owned(),
            destination: destination.to_owned(),
            size: Some(Bytes(1000)),
            line: 4,
        };
        Ok(ImportedFlows { flows: vec![flow("0", "Prague")], warnings: Vec::new() })
    }

    fn sizes(&self, _: &str, _: Option<Bytes>) -> Result<ImportedSizes, ImportError> {
        Err(ImportError { line: Some(9), message: "no sizes".to_owned() })
    }
}

fn ring(keys: &str) -> Result<Loaded, Error> {
    let text = format!(
        "run.duration = \"1 s\"\nlink_defaults.capacity = \"1 Gbps\"\n[topology]\nkind = \"file\"\nformat = \"x\"\n\
         path = \"ring.x\"\n{keys}"
    );
    let source = Input::Text { name: "test.toml", text: &text, folder: Path::new("") };
    load_with(source, &[], &|_| Err(String::new()), Some(&Ring))
}

#[test]
fn a_network_from_a_file_gets_delays_by_length_and_place() {
    let loaded = ring("edge_delay = \"0.1 ms\"").unwrap();
    let network = &loaded.scenario.model.network;
    let link = |name: &str| network.links.iter().find(|link| link.name == name).unwrap();
    assert_eq!(link("Munich->Vienna").capacity, Rate::from_gbps(10));
    // Munich to Vienna: 355 km along the great circle, 5 us each.
    let delay = link("Munich->Vienna").delay.as_secs_f64();
    assert!((delay - 355.0 * 5e-6).abs() < 5e-6, "{delay}");
    assert_eq!((link("Vienna->Prague").delay, link("Prague->Vienna").cost), (Duration::from_millis(3), 7));
    assert_eq!(link("Prague->Vienna (7)").delay, Duration::from_micros(1500));
    assert_eq!(link("e:Munich->Munich").delay, Duration::from_micros(100));
    assert_eq!(link("Prague->Vienna (7)").capacity, Rate::from_gbps(1), "as link_defaults says");
    assert_eq!([network.nodes[0].role, network.nodes[3].role], [Role::Core, Role::Host]);
    assert_eq!(
        (network.nodes.len(), network.links.len()),
        (8, 15),
        "one duplicate and one loop are left out, one link has one direction"
    );
    let warnings: Vec<&str> =
        loaded.warnings.iter().filter_map(|one| one.split_once("ring.x: ")).map(|one| one.1).collect();
    assert_eq!(
        warnings,
        [
            "said by the reader",
            "1 links from a node to itself are left out",
            "1 links between nodes that are linked already are left out"
        ]
    );
    assert_eq!(ring("duplicate_links = \"keep\"").unwrap().scenario.network.links.len(), 9);
    let error = ring("duplicate_links = \"error\"").unwrap_err();
    assert_eq!((error.line, error.message.as_str()), (Some(5), "Vienna and Munich are linked already"));
}

#[test]
fn numbers_in_lists_of_others_count_hosts() {
    // Two edge nodes at least, so that 0 is the host "Vienna (7)", the first that is no core node.
    let traffic = "edge_delay = \"1 ms\"\n[[traffic]]\ntransport = \"reno\"\nfile = \"list.gz\"\n";
    let loaded = ring(traffic).unwrap();
    let Arrivals::List(list) = &loaded.scenario.traffic[0].arrivals else { panic!("a list") };
    assert_eq!((list[0].source, list[0].destination), (NodeId(3), NodeId(2)));
    assert_eq!((list[0].start, list[0].size), (SimTime::ZERO + Duration::from_millis(5), Some(Bytes(1000))));
}

#[test]
fn what_others_find_wrong_stands_at_its_line() {
    let law = "size_law = { law = \"cdf\", file = \"sizes.x\" }\narrivals = \"poisson\"\nmean_gap = \"1 ms\"\n";
    let error = ring(&format!("[[traffic]]\ntransport = \"reno\"\npairs = \"random\"\n{law}")).unwrap_err();
    assert_eq!(
        (error.line, error.key.as_str(), error.message.as_str()),
        (Some(9), "traffic.0.size_law.file", "no sizes")
    );
    let text = "run.duration = \"1 s\"\n[topology]\nkind = \"file\"\npath = \"x\"\n";
    let error = load(Input::Text { name: "test.toml", text, folder: Path::new("") }, &[]).unwrap_err();
    assert!(error.message.contains("only where Python runs the scenario"), "{error}");
}
