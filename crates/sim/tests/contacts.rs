//! Networks of contacts that are known beforehand: links and routes in time, of which nothing is an event.

use crate::support::{at, loaded, numbers, refusal, scenario, texts};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;
use std::path::{Path, PathBuf};

/// Stations A and B, satellites s1 and s2; 5 ms each. A sees s1 for a second, and s2 from then on; from 2 to 3 s there
/// is no route.
const HANDOVER: &str = "photocol-contacts,1
node,A,station,10,20
node,B,station,,
node,s1,satellite,,
node,s2,satellite,,
contact,0,2,0,500000000000,5000000000 5000000000
contact,0,3,1000000000000,1000000000000,5000000000 5000000000 5000000000 5000000000
contact,2,3,0,5000000000000,5000000000
contact,3,1,0,5000000000000,5000000000
route,0,0,1,0 2 3 1
route,1000000000000,0,1,0 3 1
way,2 3 1
route,2000000000000,0,1,
route,3000000000000,0,1,0 3 1
route,0,1,0,1 3 2 0
route,1000000000000,1,0,1 3 0
way,2 3 0
route,2000000000000,1,0,
route,3000000000000,1,0,1 3 0
";

fn file(name: &str, text: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("photocol-contacts-{}-{name}", std::process::id()));
    std::fs::write(&file, text).unwrap();
    file
}

/// 1250 B each millisecond in both directions, which last 10 µs.
fn text(file: &Path, keys: &str, more: &str) -> String {
    format!(
        r#"
        run = {{ duration = "4 s" }}
        topology = {{ kind = "contacts", path = "{}", laser_capacity = "1 Gbps", ground_capacity = "1 Gbps", {keys} }}
        transport = {{ udp = {{ packet_size = "1250 B" }} }}
        [[traffic]]
        transport = "udp"
        from = "A"
        to = "B"
        load = "constant"
        rate = "10 Mbps"
        [[traffic]]
        transport = "udp"
        from = "B"
        to = "A"
        load = "constant"
        rate = "10 Mbps"
        {more}
        "#,
        file.display()
    )
}

fn on_threads(text: &str, threads: usize) -> Results {
    let scenario = scenario(text);
    let mut world = World::build(&scenario, Seed { seed: 3, run: 0 }, Options::default()).unwrap();
    world.use_threads(threads);
    if threads > 1 {
        let nodes = scenario.network.nodes.len();
        let of_node: Vec<u32> = (0..nodes).map(|node| (node % threads.min(nodes)) as u32).collect();
        world.migrate(&of_node);
    }
    world.run_until(SimTime::NEVER);
    world.finish().unwrap()
}

fn handover(keys: &str) -> Results {
    on_threads(&text(&file("handover", HANDOVER), keys, ""), 1)
}

/// What was dropped, by place and cause.
fn drops(run: &Results) -> Vec<(String, String, f64)> {
    let units = numbers(&run.drops, "units");
    let mut all: Vec<_> = texts(&run.drops, "where").into_iter().zip(texts(&run.drops, "cause")).zip(units).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all.into_iter().map(|((place, cause), units)| (place, cause, units)).collect()
}

fn carried(run: &Results, link: &str) -> f64 {
    at(&run.links, "link", link, "carried_units")
}

/// Packet k leaves at k ms and is at the second node at k + 5.01 ms, at the third at k + 10.02 ms.
///
/// From A all of 0 to 999 go over s1 to s2. From B those to 994 are at s2 before the change; of them 990 to 994 are at
/// s1 after it, and go back to s2: 5 more. At the end of the second second those of 1995 to 1999 are on their way to
/// s2, where no way leads on; those of 2000 to 2999 do not leave.
#[test]
fn packets_under_way_follow_the_new_routes() {
    let run = handover(r#"under_way = "new""#);
    assert_eq!([carried(&run, "s1->s2"), carried(&run, "s2->s1")], [1000.0 + 5.0, 995.0]);
    assert_eq!(carried(&run, "s1->A"), 990.0);
    let of = |place: &str, units| (place.to_owned(), "unreachable".to_owned(), units);
    assert_eq!(drops(&run), [of("A", 1000.0), of("B", 1000.0), of("s2->A", 5.0), of("s2->B", 5.0)]);
}

/// Those of B to 999 take the way by s1, which those from 990 on leave after the second: 1000.03 ms.
#[test]
fn packets_under_way_keep_their_routes_and_are_lost_where_the_link_has_gone() {
    let run = handover(r#"under_way = "old""#);
    assert_eq!([carried(&run, "s1->s2"), carried(&run, "s2->s1"), carried(&run, "s1->A")], [1000.0, 1000.0, 1000.0]);
    let lost = drops(&run).into_iter().find(|(place, ..)| place == "s1->A");
    assert_eq!(lost, Some(("s1->A".to_owned(), "out of sight".to_owned(), 10.0)));
    assert!(
        drops(&run)
            .iter()
            .all(|(place, cause, units)| cause != "unreachable" || ["A", "B"].contains(&&**place) && *units == 1000.0)
    );
    let delivered = handover(r#"under_way = "old", gone = "delivered""#);
    assert!(drops(&delivered).iter().all(|(_, cause, _)| cause != "out of sight"));
}

/// TCP in both directions over it, with small queues.
#[test]
fn contacts_are_the_same_bits_on_any_number_of_threads() {
    let more = r#"
        [probe]
        interval = "7 ms"
        flows = "all"
        links = "all"
        [trace]
        enabled = true
        [[traffic]]
        transport = "cubic"
        flows = 3
        [[traffic]]
        transport = "newreno"
        from = "B"
        to = "A"
        [link_defaults]
        buffer = "30 packets"
    "#;
    for keys in [r#"under_way = "new""#, r#"under_way = "old", delay_law = "steps""#] {
        let text = text(&file("threads", HANDOVER), keys, more);
        let alone = on_threads(&text, 1);
        assert!(carried(&alone, "s2->B") > 10_000.0);
        for threads in [2, 5] {
            assert!(format!("{:?}", on_threads(&text, threads)) == format!("{alone:?}"), "{threads} threads");
        }
    }
}

/// What a run writes down of itself is the same run.
#[test]
fn a_scenario_as_it_runs_is_the_same_run() {
    let more = "[[link]]\nfrom = \"s2\"\nto = \"B\"\nbuffer = \"7 packets\"\n[[node]]\nname = \"aside\"";
    for keys in [r#"under_way = "old""#, r#"gone = "delivered", delay_law = "steps""#] {
        let text = text(&file("again", HANDOVER), keys, more);
        let again = loaded(&text).explain();
        assert!(on_threads(&again, 1).fingerprint == on_threads(&text, 1).fingerprint, "{again}");
    }
}

/// Ten thousand routes that are all the same are no more turns of the engine than one, and the same arrivals.
#[test]
fn a_route_that_changes_is_no_event() {
    let seen = [1, 10_000].map(|routes| {
        let both = |route: u64| {
            let time = route * 400_000_000;
            format!("route,{time},0,1,0 3 1\nroute,{time},1,0,1 3 0\n")
        };
        let rows: String = (0..routes).map(both).collect();
        let network = "photocol-contacts,1\nnode,A,station,,\nnode,B,station,,\n\
            node,s1,satellite,,\nnode,s2,satellite,,\n\
            contact,0,3,0,5000000000000,5000000000\ncontact,3,1,0,5000000000000,5000000000\n";
        let text = text(&file("many", &format!("{network}{rows}")), "", "");
        let mut world = World::build(&scenario(&text), Seed { seed: 3, run: 0 }, Options::default()).unwrap();
        let mut turns = 0;
        while world.now() < world.end() {
            world.run_on(SimTime::NEVER, 1);
            turns += 1;
        }
        (turns, world.events(), world.finish().unwrap().fingerprint)
    });
    assert_eq!(seen[0], seen[1]);
}

/// Pairs without a route in the file have none, and without `pairs` traffic takes those of the file.
#[test]
fn traffic_takes_the_pairs_of_the_file() {
    let file = file("pairs", HANDOVER);
    let plain = text(&file, "", "[[traffic]]\ntransport = \"cubic\"\nflows = 2");
    let run = on_threads(&plain, 1);
    assert_eq!(texts(&run.flows, "source"), ["A", "B", "A", "A"]);
    let wrong = plain.replace(r#"to = "A""#, r#"to = "s1""#);
    let world = World::build(&scenario(&wrong), Seed { seed: 3, run: 0 }, Options::default());
    assert!(world.err().unwrap().to_string().contains("s1"));
}

#[test]
fn a_wrong_file_is_refused_where_it_stands() {
    let said = |old: &str, new: &str| {
        assert!(HANDOVER.contains(old), "{old}");
        let file = file("wrong", &HANDOVER.replacen(old, new, 1));
        refusal(&text(&file, "", ""), &[]).replace(&file.display().to_string(), "FILE")
    };
    for (old, new, expected) in [
        ("photocol-contacts,1", "photocol-contacts,2", "FILE:1:1: topology.path: allowed: \"photocol-contacts,1\""),
        ("node,B,station,,", "node,A,station,,", "FILE:3:6: topology.path: there is a node \"A\" already"),
        ("node,B,station,,", "node,B,ship,,", "FILE:3:8: topology.path: found \"ship\"; allowed: satellite, station"),
        ("station,10,20", "station,100,20", "FILE:2:16: topology.path: found \"100\"; allowed: degrees from -90 to 90"),
        ("contact,0,2,0", "contact,0,0,0", "FILE:6:11: topology.path: found 0 again; allowed: another node"),
        (
            "contact,0,2,0",
            "contact,0,9,0",
            "FILE:6:11: topology.path: found \"9\"; allowed: a whole number from 0 to 3",
        ),
        ("5000000000 5000000000", "5000000000 0", "found \"0\"; allowed: a whole number from 1 to 3600000000000000"),
        ("contact,0,3,1000000000000", "contact,0,2,1", "found 1; allowed: from 1000000000000 on, when the contact"),
        ("contact,0,2,0,500000000000,", "contact,0,2,0,18446744073709551615,", "allowed: a whole number from 1 to"),
        ("route,0,0,1,", "route,5,0,1,", "FILE:10:7: topology.path: allowed: 0 for the first route of a pair"),
        ("route,1000000000000,0", "route,0,0", "found 0; allowed: more than 0, the route before"),
        ("0 2 3 1", "0 2 3 2 1", "a node comes twice; allowed: once"),
        ("0 2 3 1", "0 2 1", "nodes 2 and 1 are never in contact; allowed: nodes that are"),
        ("0 2 3 1", "2 3 1", "allowed: nodes from 0 to 1, or none"),
        ("way,2 3 1", "way,1", "allowed: two nodes or more, the last of them 1"),
        ("way,2 3 1", "wey,2 3 1", "FILE:12:1: topology.path: found \"wey\"; allowed: node, contact, route, way"),
        ("way,2 3 1", "way,2 3 1,4", "found 3 fields; allowed: 2 of \"way\""),
    ] {
        assert!(said(old, new).contains(expected), "{}", said(old, new));
    }
    let file = file("keys", HANDOVER);
    for (keys, more, expected) in [
        (r#"reroute_after = "1 ms""#, "", "the routes are those of the contacts; allowed: no such key"),
        ("", "[[event]]\nat = \"1 s\"\nlink = \"A->s1\"\ndelay = \"1 ms\"", "the delay of \"A->s1\" has"),
        (
            "",
            "[[link]]\nfrom = \"A\"\nto = \"s1\"\ndelay = \"1 ms\"",
            "is that of its contacts; allowed: none, or their least",
        ),
    ] {
        let said = refusal(&text(&file, keys, more), &[]);
        assert!(said.contains(expected), "{said}");
    }
    assert!(refusal(&text(Path::new("/nowhere/at.all"), "", ""), &[]).contains("there is no such file"));
}

/// A flow of SaTCP each way, which hears of the pairs' routes with errors.
fn told(file: &Path, news: &str) -> String {
    format!(
        r#"
        run = {{ duration = "4 s" }}
        topology = {{ kind = "contacts", path = "{}", laser_capacity = "20 Mbps", ground_capacity = "20 Mbps" }}
        [[traffic]]
        transport = "satcp"
        from = "A"
        to = "B"
        [[traffic]]
        transport = "hpcc"
        from = "B"
        to = "A"
        [[news]]
        {news}
        "#,
        file.display()
    )
}

#[test]
fn told_of_routes_the_bits_are_the_same_on_any_number_of_threads() {
    let file = file("told", HANDOVER);
    let news = "pair = \"all\"\nway = \"schedule\"\nlead = \"200 ms\"\ntime_error = \"50 ms\"\ncapacity_error = 0.3";
    let text = told(&file, news);
    let runs: Vec<u64> = [1, 2, 5].map(|threads| on_threads(&text, threads).fingerprint).to_vec();
    assert!(runs.windows(2).all(|pair| pair[0] == pair[1]), "{runs:?}");
    let silent = on_threads(text.split("[[news]]").next().unwrap(), 1);
    assert_ne!(silent.fingerprint, runs[0], "the news moves a window");
}

#[test]
fn news_of_routes_needs_routes_that_change_and_a_pair_that_has_some() {
    let file = file("refused", HANDOVER);
    let why = |news: &str| refusal(&told(&file, news), &[]);
    let of_links = why("link = \"A->s1\"\nway = \"message\"");
    assert!(of_links.contains("routes change in time here, so news is of pairs; allowed: pair"), "{of_links}");
    let unknown = why("pair = \"A->s1\"\nway = \"message\"");
    assert!(unknown.contains("found \"A->s1\"; allowed: two hosts with a route, as \"A->B\", or \"all\""), "{unknown}");
    let marks = why("pair = \"all\"\nway = \"mark\"");
    assert!(marks.contains("nothing marks what leaves by these ways"), "{marks}");
    let error = why("pair = \"all\"\nway = \"message\"\ntime_error = \"1 ms\"");
    assert!(error.contains("time_error") && error.contains("goes with way = \"schedule\""), "{error}");
    let both = why("pair = \"all\"\nlink = \"A->s1\"\nway = \"message\"");
    assert!(both.contains("there is another subject already; allowed: link, circuit or pair"), "{both}");
    let twice = why("pair = \"all\"\nway = \"message\"\n[[news]]\npair = \"A->B\"\nway = \"message\"");
    assert!(twice.contains("\"A->B\" has news already"), "{twice}");
    let network = "[run]\nduration = \"1 s\"\n[topology]\nkind = \"dumbbell\"\nbottleneck_capacity = \"1 Gbps\"\n\
                   bottleneck_delay = \"1 ms\"\naccess_delay = \"1 ms\"\n\
                   [[traffic]]\ntransport = \"satcp\"\n[[news]]\npair = \"all\"\nway = \"message\"";
    let still = refusal(network, &[]);
    assert!(still.contains("no routes change in time here"), "{still}");
}

/// From 2 to 3 s there is no route: data are dropped where A would send them, and ACKs where B would.
#[test]
fn acks_that_have_no_route_are_dropped_at_the_host_that_sends_them() {
    let text = told(&file("acks", HANDOVER), "pair = \"all\"\nway = \"message\"");
    let run = on_threads(&text.replace("from = \"B\"\n        to = \"A\"", "from = \"A\"\n        to = \"B\""), 1);
    let drops = &run.drops;
    let [places, classes, causes] = ["where", "class", "cause"].map(|name| texts(drops, name));
    let at = |class: &str| -> Vec<&str> {
        let rows = (0..places.len()).filter(|row| classes[*row] == class && causes[*row] == "unreachable");
        rows.map(|row| places[row].as_str()).filter(|place| place.len() == 1).collect()
    };
    assert!(at("ack").contains(&"B") && !at("ack").contains(&"A"), "{places:?} {classes:?} {causes:?}");
    assert!(at("data").contains(&"A") && !at("data").contains(&"B"));
}
