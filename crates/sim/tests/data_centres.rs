//! Leaf and spine, fat trees, and flows hashed onto their equal paths.

use crate::support::{Builder, figure, numbers, refusal, scenario, texts, warnings};
use sim::SimTime;
use sim::engine::Options;
use sim::model::{EqualRoutes, NodeId, Role};
use sim::random::Seed;
use sim::results::Results;
use sim::scenario::{Input, Scenario, load};
use sim::study::World;
use std::path::Path;

const LEAVES: &str = r#"
[run]
duration = "50 ms"
[topology]
kind = "leaf-spine"
leaves = 2
spines = 4
hosts = 64
host_capacity = "1 Gbps"
[[traffic]]
transport = "sack"
flows = 64
size = "30 kB"
"#;

fn fat_tree(k: u32, more: &str) -> String {
    format!(
        "[run]\nduration = \"10 ms\"\n[topology]\nkind = \"fat-tree\"\nk = {k}\ncapacity = \"1 Gbps\"\n{more}\n\
         [[traffic]]\ntransport = \"sack\"\nflows = 4\nsize = \"10 kB\"\n"
    )
}

fn counted(scenario: &Scenario) -> (usize, usize, usize) {
    let hosts = scenario.network.nodes.iter().filter(|node| node.role == Role::Host).count();
    (hosts, scenario.network.nodes.len() - hosts, scenario.network.links.len())
}

fn node(scenario: &Scenario, name: &str) -> NodeId {
    NodeId(scenario.network.nodes.iter().position(|node| node.name == name).unwrap() as u32)
}

/// Shortest paths between two nodes, and links on each.
fn paths(scenario: &Scenario, from: &str, to: &str) -> (usize, usize) {
    let (from, to) = (node(scenario, from), node(scenario, to));
    let mut routes = EqualRoutes::new(&scenario.network, &scenario.network.open_to_flows());
    let all = routes.all(from, to, 1000);
    (all.len(), all[0].len())
}

/// Al-Fares et al., §3.1: k³/4 hosts, 5k²/4 switches; (k/2)² paths between pods, k/2 within one. Every switch has k
/// ports: 3k³/4 links of two directions.
#[test]
fn a_fat_tree_has_the_papers_counts() {
    for k in [2usize, 4, 8] {
        let tree = scenario(&fat_tree(k as u32, "routing = \"ecmp\""));
        assert_eq!(counted(&tree), (k * k * k / 4, 5 * k * k / 4, 3 * k * k * k / 2), "k = {k}");
        let last = format!("h{}", k * k * k / 4 - 1);
        assert_eq!(paths(&tree, "h0", &last), (k * k / 4, 6), "k = {k}");
        if k > 2 {
            assert_eq!(paths(&tree, "h0", &format!("h{}", k / 2)), (k / 2, 4), "k = {k}");
            assert_eq!(paths(&tree, "h0", "h1"), (1, 2), "k = {k}");
        }
    }
}

/// The 3:1 Clos of Opera (NSDI 2020, §5): 648 hosts on switches of 12 ports, nine of them down at the edge.
#[test]
fn oversubscription_gives_an_edge_switch_more_hosts_than_uplinks() {
    let clos = scenario(&fat_tree(12, "oversubscription = 3\nrouting = \"ecmp\""));
    assert_eq!(counted(&clos).0, 648);
    assert_eq!((paths(&clos, "h0", "h647"), paths(&clos, "h0", "h9")), ((18, 6), (3, 4)));
    let leaves = scenario(&LEAVES.replace("hosts = 64", "hosts = 64\noversubscription = 4\nrouting = \"ecmp\""));
    let up = leaves.network.links.iter().find(|link| link.name == "l0->s0").unwrap();
    assert_eq!(up.capacity.bps(), 4_000_000_000, "64 Gb/s over four links, a quarter of it");
}

/// P(X ≤ `count`) and P(X ≥ `count`) of a binomial law, the smaller one.
fn tail(trials: u32, share: f64, count: u32) -> f64 {
    let log_factorial = |n: u32| (1..=n).map(|k| f64::from(k).ln()).sum::<f64>();
    let probability = |k: u32| {
        let ways = log_factorial(trials) - log_factorial(k) - log_factorial(trials - k);
        (ways + f64::from(k) * share.ln() + f64::from(trials - k) * (1.0 - share).ln()).exp()
    };
    let below: f64 = (0..=count).map(probability).sum();
    let above: f64 = (count..=trials).map(probability).sum();
    below.min(above)
}

/// A column of the links from a leaf to the spines.
fn to_spines(found: &Results, leaf: &str, column: &str) -> Vec<u32> {
    let ends = texts(&found.links, "from").into_iter().zip(texts(&found.links, "to"));
    let rows = ends.zip(numbers(&found.links, column));
    let up = rows.filter(|((start, end), _)| start == leaf && end.starts_with('s'));
    up.map(|(_, value)| value as u32).collect()
}

#[test]
fn flows_are_spread_over_equal_paths_as_the_binomial_law_says() {
    let ecmp = Builder::of(LEAVES).set("topology.routing", "\"ecmp\"").set("traffic.0.flows", 2000);
    let found = ecmp.set("run.duration", "\"1 ms\"").run(1);
    // 128 pairs take turns, of which the first 64 start at the first leaf: 16 times, as 15 · 128 + 80 are 2000.
    let up = to_spines(&found, "l0", "flows");
    assert_eq!((up.len(), up.iter().sum::<u32>()), (4, 1024));
    for flows in &up {
        assert!(tail(1024, 0.25, *flows) > 1e-6, "{up:?}");
    }
    assert_eq!(figure(&found, "colliding_flows"), 2000.0, "nobody is alone");
}

#[test]
fn a_weight_is_the_capacity_of_the_next_link() {
    let link = "[[link]]\nfrom = \"l0\"\nto = \"s3\"\ncapacity = \"48 Gbps\"\n";
    let ecmp = Builder::of(LEAVES).add(link).set("topology.routing", "\"ecmp\"").set("traffic.0.flows", 2000);
    let found = ecmp.set("topology.weights", "\"capacity\"").set("run.duration", "\"1 ms\"").run(1);
    // Three links of 16 Gb/s and one of 48: a sixth each and a half.
    let up = to_spines(&found, "l0", "flows");
    for (flows, share) in up.iter().zip([1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0, 0.5]) {
        assert!(tail(1024, share, *flows) > 1e-6, "{up:?}");
    }
}

fn on_threads(threads: usize, text: &Builder, seed: u64) -> Results {
    let mut world = World::build(&scenario(&text.text()), Seed { seed, run: 0 }, Options::default()).unwrap();
    world.use_threads(threads);
    world.run_until(SimTime::NEVER);
    world.finish().unwrap()
}

/// One flow's packets, which a hash would keep together: a quarter of them by each spine.
#[test]
fn sprayed_packets_take_all_paths_whatever_the_threads() {
    let text = Builder::of(LEAVES).set("topology.routing", "\"spray\"").set("traffic.0.flows", 1);
    let text = text.set("traffic.0.size", "\"2 MB\"").set("run.duration", "\"100 ms\"");
    let found = on_threads(1, &text, 1);
    for (from, class) in [("l0", "data"), ("l1", "ACKs")] {
        let up = to_spines(&found, from, "carried_units");
        let all: u32 = up.iter().sum();
        assert!(all > 1000, "{class}: {all}");
        assert!(up.iter().all(|packets| tail(all, 0.25, *packets) > 1e-6), "{class}: {up:?}");
    }
    assert_eq!(figure(&found, "flows_completed"), 1.0);
    assert_eq!(on_threads(2, &text, 1).fingerprint, found.fingerprint);
    assert_eq!(on_threads(3, &text, 1).fingerprint, found.fingerprint);
    assert_ne!(on_threads(1, &text, 2).fingerprint, found.fingerprint);
}

#[test]
fn a_hash_is_the_seeds_and_not_the_threads() {
    let text = Builder::of(LEAVES).set("topology.routing", "\"ecmp\"").set("probe.interval", "\"10 ms\"");
    let on = |threads: usize, text: &Builder, seed: u64| {
        let found = on_threads(threads, text, seed);
        (found.fingerprint, to_spines(&found, "l0", "flows"))
    };
    let one = on(1, &text, 1);
    assert_eq!((on(2, &text, 1), on(3, &text, 1)), (one.clone(), one.clone()));
    assert_ne!(on(1, &text, 2).1, one.1, "another run, other ports");
    assert_ne!(on(1, &text.clone().set("topology.hash_seed", 1), 1).1, one.1, "another hash");
    let first = Builder::of(LEAVES).set("topology.routing", "\"first\"").run(1);
    assert!(!first.links.columns.iter().any(|column| column.0 == "flows"), "nothing is hashed");
    let by = |name: &str| {
        let ends = texts(&first.links, "link").iter().position(|link| link == name).unwrap();
        numbers(&first.links, "carried_bits")[ends]
    };
    assert!(by("l0->s0") > 0.0 && by("l0->s1") == 0.0, "all flows take the first");
}

/// A spine's links fail: its flows go on over the other three, and lose at most what was sent until then.
#[test]
fn flows_of_a_failed_spine_take_the_other_ones() {
    let down = |link: &str| format!("[[event]]\nat = \"1 ms\"\nlink = \"{link}\"\nstate = \"down\"\n");
    let events: String = ["l0-s1", "l1-s1"].map(down).concat();
    let text = Builder::of(LEAVES).add(&events).set("topology.routing", "\"ecmp\"");
    let found = text.set("topology.reroute_after", "\"2 ms\"").set("run.duration", "\"3 s\"").run(1);
    assert_eq!(figure(&found, "flows_completed"), 64.0);
}

#[test]
fn equal_paths_that_nobody_speaks_of_are_named() {
    let said = warnings(LEAVES);
    assert!(
        said[0].starts_with("from \"h0\" to \"h64\" there are equally short paths: at \"l0\" by \"l0->s0\""),
        "{said:?}"
    );
    for routing in ["first", "ecmp"] {
        let text = LEAVES.replace("hosts = 64", &format!("hosts = 64\nrouting = \"{routing}\""));
        assert_eq!(warnings(&text), Vec::<String>::new());
    }
    let one = LEAVES.replace("spines = 4", "spines = 1");
    assert_eq!(warnings(&one), Vec::<String>::new());
}

#[test]
fn what_cannot_be_is_refused_with_place_and_range() {
    let tree = |more: &str| refusal(&fat_tree(4, more), &[]);
    assert!(refusal(&fat_tree(5, ""), &[]).contains("k: found 5; allowed: an even number from 2 to 128"));
    let found = tree("oversubscription = 2");
    assert!(found.contains("oversubscription: an edge switch of 4 ports has 1.333 uplinks then"), "{found}");
    assert!(tree("pods = 5").contains("pods: found 5 pods; allowed: at most k, 4"));
    assert!(tree("hash_seed = 1").contains("hash_seed: goes with routing = \"ecmp\""));
    let both = refusal(&LEAVES.replace("hosts = 64", "hosts = 64\ncapacity = \"1 Gbps\"\noversubscription = 2"), &[]);
    assert!(both.contains("oversubscription: the capacity is given; allowed: capacity or oversubscription"), "{both}");
    let many = refusal(&LEAVES.replace("leaves = 2", "leaves = 10000").replace("hosts = 64", "hosts = 1000"), &[]);
    assert!(many.contains("leaves: these are 10000000 hosts; allowed: at most 460000"), "{many}");
    let obs = "[run]\nduration = \"1 s\"\n[topology]\nkind = \"nsfnet-edge\"\nrouting = \"ecmp\"\n[switching]\nkind = \
               \"obs\"\nwavelengths = 2\nassembly = { timer = \"1 ms\" }\n[[traffic]]\ntransport = \"sack\"\n";
    assert!(refusal(obs, &[]).contains("routing: paths are the kind of switching's own"), "{}", refusal(obs, &[]));
}

/// Poisson flows from the first leaf's hosts to the second's: the links of hosts, 1 Gb/s each, and those of spines, 16
/// Gb/s each with a quarter of 64 hosts' flows, are loaded alike; with an oversubscription of 2 the spines' twice as
/// much.
#[test]
fn a_load_is_of_the_link_that_hashing_loads_most() {
    let text = Builder::of(LEAVES.replace("flows = 64\n", "")).set("topology.routing", "\"ecmp\"");
    let text = text.set("traffic.0.arrivals", "\"poisson\"").set("traffic.0.load_share", 0.4);
    let pairs: Vec<String> = (0..64).map(|host| format!("[\"h{host}\", \"h{}\"]", host + 64)).collect();
    let text = text.set("traffic.0.pairs", format!("[{}]", pairs.join(", ")));
    for (ratio, expected) in [(1.0, 64e9), (2.0, 32e9)] {
        let text = text.clone().set("topology.oversubscription", ratio).set("run.duration", "\"200 ms\"");
        let flows = numbers(&text.run(1).flows, "flow").len() as f64;
        let offered = flows * 30e3 * 8.0 / 0.2;
        // Four standard deviations of a Poisson number of about 21 000 or 10 000.
        assert!((offered / (0.4 * expected) - 1.0).abs() < 4.0 / flows.sqrt(), "{ratio}: {offered}");
    }
}

/// A packet each millisecond: with a gap of a millisecond less a picosecond each is a flowlet, with a millisecond they
/// are all one.
#[test]
fn a_flowlet_keeps_its_path_until_it_pauses() {
    let udp = "[transport.udp]\npacket_size = 1500\n[[traffic]]\nname = \"calls\"\ntransport = \"udp\"\nload = \
               \"constant\"\nrate = \"12 Mbps\"\npairs = [[\"h0\", \"h64\"]]\n";
    let text = Builder::of(LEAVES.split("[[traffic]]").next().unwrap()).add(udp);
    let text = text.set("topology.routing", "\"flowlet\"").set("run.duration", "\"1 s\"");
    let up = |found: &Results| to_spines(found, "l0", "carried_units");
    let short = text.clone().set("topology.flowlet_gap", "\"999999999 ps\"");
    let spread = up(&on_threads(1, &short, 1));
    let all: u32 = spread.iter().sum();
    assert!((999..=1000).contains(&all) && spread.iter().all(|packets| tail(all, 0.25, *packets) > 1e-6), "{spread:?}");
    let together = up(&on_threads(1, &text.set("topology.flowlet_gap", "\"1 ms\""), 1));
    assert_eq!(together.iter().filter(|packets| **packets > 0).count(), 1, "{together:?}");
    assert_eq!(on_threads(2, &short, 1).fingerprint, on_threads(1, &short, 1).fingerprint);
}

/// Bursts of on-off sources are flowlets; nodes move between partitions in the middle of them.
#[test]
fn a_flowlet_stays_one_when_its_node_moves() {
    let udp = "[[traffic]]\nname = \"bursts\"\ntransport = \"udp\"\nload = \"on-off\"\nrate = \"200 Mbps\"\nflows = \
               20\non = { law = \"exponential\", mean = \"2 ms\" }\noff = { law = \"exponential\", mean = \"2 ms\" }\n";
    let text = Builder::of(LEAVES.split("[[traffic]]").next().unwrap()).add(udp);
    let text = scenario(&text.set("topology.routing", "\"flowlet\"").set("run.duration", "\"100 ms\"").text());
    let run = |moves: u32| {
        let mut world = World::build(&text, Seed { seed: 3, run: 0 }, Options::default()).unwrap();
        for step in 1..=moves {
            let nodes = 0..text.network.nodes.len() as u32;
            world.migrate(&nodes.map(|node| (node * step + step) % 3).collect::<Vec<u32>>());
            world.run_until(SimTime::from_ps(u64::from(step) * 10_000_000_000));
        }
        world.run_until(SimTime::NEVER);
        let found = world.finish().unwrap();
        (found.fingerprint, figure(&found, "carried_packets"))
    };
    assert_eq!(run(7), run(0));
}

/// Of equally short paths the first is taken, and a scenario that is written out says so: it is not asked about again.
#[test]
fn an_explained_scenario_says_which_path_flows_take() {
    for routing in ["", "routing = \"first\"\n"] {
        let text = LEAVES.replace("[[traffic]]", &format!("{routing}[[traffic]]"));
        let input = |text| Input::Text { name: "test.toml", text, folder: Path::new(".") };
        let explained = load(input(&text), &[]).unwrap().explain();
        assert_eq!((warnings(&text).len(), warnings(&explained).len()), (usize::from(routing.is_empty()), 0));
        assert_eq!(load(input(&explained), &[]).unwrap().explain(), explained);
    }
}

/// Names of laws of sizes that say their source; those of before are the same laws, to the bit.
#[test]
fn a_law_of_sizes_under_the_name_of_its_source_is_the_same_law() {
    let run = |law: &str| {
        let sized = LEAVES.replace("size = \"30 kB\"", &format!("size_law = {{ law = \"{law}\" }}"));
        Builder::of(sized).set("topology.routing", "\"ecmp\"").set("run.duration", "\"5 ms\"").run(1)
    };
    for (short, long) in
        [("web-search", "web-search-dctcp"), ("data-mining", "data-mining-vl2"), ("hadoop", "hadoop-hpcc")]
    {
        let (short, long) = (run(short), run(long));
        assert_eq!(short.fingerprint, long.fingerprint);
        assert_eq!(numbers(&short.flows, "size_bytes"), numbers(&long.flows, "size_bytes"));
    }
    for law in ["web-search-opera", "data-mining-opera", "hadoop-homa", "cache-homa"] {
        let sizes = numbers(&run(law).flows, "size_bytes");
        assert!(sizes.len() == 64 && sizes.iter().all(|size| *size >= 53.0), "{law}");
    }
}
