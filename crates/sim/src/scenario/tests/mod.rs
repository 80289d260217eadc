//! Tests of the language as a whole: the ready-made scenarios, layers, defaults, messages, and texts nobody would
//! write.

mod buffers;
mod json;
mod kinds;
mod links;
mod memory;
mod messages;
mod networks;
mod obs;
mod ops;
mod properties;
mod slots;
mod traffic;

use super::*;
use crate::links::loss;
use crate::model::*;
use messages::Folder;
use std::path::PathBuf;
use transport::tcp::InitialWindow;
use units::{Bytes, Duration, Rate};

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn ready_made() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("scenarios")).unwrap();
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    assert!(paths.len() >= 9, "the tutorial is there");
    paths
}

fn load_text(text: &str) -> Result<Loaded, Error> {
    load(Input::Text { name: "test.toml", text, folder: Path::new("") }, &[])
}

fn load_set(text: &str, set: &[(&str, &str)]) -> Result<Loaded, Error> {
    let set: Vec<_> = set.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    load(Input::Text { name: "test.toml", text, folder: Path::new("") }, &set)
}

/// A dumbbell with one flow; tests add to it.
const SMALL: &str = r#"
[run]
duration = "10 s"
[topology]
kind = "dumbbell"
bottleneck_capacity = "100 Mbps"
bottleneck_delay = "10 ms"
[[traffic]]
transport = "reno"
from = "l0"
to = "r0"
"#;

fn same(a: &super::Scenario, b: &super::Scenario) {
    assert_eq!(format!("{a:#?}"), format!("{b:#?}"));
}

#[test]
fn every_ready_made_scenario_loads_without_warnings() {
    for path in ready_made() {
        let loaded = load(Input::File(&path), &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(loaded.warnings, Vec::<String>::new(), "{}", path.display());
        assert!(!loaded.scenario.traffic.is_empty());
        assert_eq!(loaded.scenario.run.name, path.file_stem().unwrap().to_str().unwrap());
    }
}

#[test]
fn what_explain_writes_is_the_same_scenario() {
    for path in ready_made() {
        let loaded = load(Input::File(&path), &[]).unwrap();
        let text = loaded.explain();
        let again = load_text(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        same(&loaded.scenario, &again.scenario);
        assert_eq!(again.explain(), text);
    }
}

#[test]
fn the_layered_text_is_the_same_scenario() {
    for path in ready_made() {
        let loaded = load(Input::File(&path), &[("run.seed".into(), "7".into())]).unwrap();
        let again = load_text(&loaded.text).unwrap_or_else(|error| panic!("{error}\n{}", loaded.text));
        same(&loaded.scenario, &again.scenario);
        assert_eq!(again.text, loaded.text);
        assert_eq!(again.scenario.run.seed, 7);
    }
}

#[test]
fn a_dict_is_the_same_as_a_file() {
    for path in ready_made() {
        let loaded = load(Input::File(&path), &[]).unwrap();
        let value: toml::Value = toml::from_str(&loaded.text).unwrap();
        let text = serde_json::to_string(&value).unwrap();
        let again = load(Input::Json { text: &text, folder: Path::new("") }, &[]).unwrap();
        same(&loaded.scenario, &again.scenario);
    }
}

#[test]
fn none_in_a_dict_is_a_key_not_given() {
    let text = r#"{"run": {"duration": "1 s", "name": null}, "link": [{"from": "a", "to": "b", "loss": null,
        "capacity": "1 Gbps", "delay": "1 ms"}], "probe": null}"#;
    let loaded = load(Input::Json { text, folder: Path::new("") }, &[]).unwrap();
    assert_eq!(loaded.scenario.run.name, "scenario");
}

#[test]
fn the_benchmarks_take_their_flow_lists_by_set() {
    let folder = std::env::temp_dir().join(format!("photocol-test-{}-bench", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, flows, count) in [
        ("s1", "start_s,source,destination\n0.5,l0,r0\n0.25,l9,r9\n", 2),
        ("s2", "start_s,source,destination,size_bytes\n39.999999999,e0,e13,1000\n\n", 1),
        ("s3", "start_s,source,destination\n0.5,s0,d0\n", 1),
    ] {
        let file = folder.join(format!("{name}.csv"));
        std::fs::write(&file, flows).unwrap();
        let path = root().join(format!("bench/scenarios/{name}.toml"));
        let set = [("traffic.0.file".to_owned(), file.to_str().unwrap().to_owned())];
        let loaded = load(Input::File(&path), &set).unwrap_or_else(|error| panic!("{error}"));
        assert!(matches!(&loaded.scenario.traffic[0].arrivals, Arrivals::List(list) if list.len() == count));
        same(&loaded.scenario, &load_text(&loaded.explain()).unwrap().scenario);
        same(&loaded.scenario, &load_text(&loaded.text).unwrap().scenario);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn flow_lists_are_read_as_spreadsheets_and_r_write_them() {
    // RFC 4180 §2: fields in quotes may have commas; R's write.csv quotes texts, pandas writes 1e5 as 100000.0.
    let text = "run.duration = \"1 s\"\nnode = [{name = \"Washington, DC\"}, {name = \"b\"}]\n\
        [[link]]\nfrom = \"b\"\nto = \"Washington, DC\"\ncapacity = \"1 Gbps\"\ndelay = \"1 ms\"\n\
        [[traffic]]\ntransport = \"sack\"\nfile = \"f.csv\"\n";
    let folder = std::env::temp_dir().join(format!("photocol-test-{}-quotes", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let rows = "0.1, \"Washington, DC\" ,b,1000\r\n\r\n0.5,b,\"Washington, DC\",1e5\r\n1,b,\"Washington, \
        DC\",100000.0\n2,b,\"Washington, DC\"";
    let file = format!("\u{feff}\"start_s\",\"source\",\"destination\",\"size_bytes\"\r\n{rows},\n");
    std::fs::write(folder.join("f.csv"), file).unwrap();
    std::fs::write(folder.join("s.toml"), text).unwrap();
    let loaded = load(Input::File(&folder.join("s.toml")), &[]).unwrap_or_else(|error| panic!("{error}"));
    let Arrivals::List(list) = &loaded.scenario.traffic[0].arrivals else { panic!("a list") };
    let sizes: Vec<Option<u64>> = list.iter().map(|flow| flow.size.map(|size| size.0)).collect();
    assert_eq!(sizes, [Some(1000), Some(100_000), Some(100_000), None]);
    assert_eq!((list[0].source, list[1].source), (list[1].destination, list[0].destination));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_not_said_has_its_stated_default() {
    let scenario = load_text(SMALL).unwrap().scenario;
    assert_eq!((scenario.run.seed, scenario.run.runs, scenario.run.warm_up), (1, 1, Duration::ZERO));
    assert_eq!(scenario.run.name, "test");
    let TransportKind::Tcp { sender, receiver, header, ack_size, .. } = &scenario.transports[0].kind else { panic!() };
    assert_eq!((sender.mss, *header, *ack_size), (1460, 40, 40), "1500 B on the wire");
    assert_eq!((sender.min_rto, sender.initial_rto), (Duration::from_millis(200), Duration::from_secs(1)));
    assert_eq!((sender.initial_cwnd, sender.max_cwnd, sender.dupthresh), (InitialWindow::Rfc6928, u64::MAX, 3));
    assert_eq!((receiver.delayed_ack, receiver.sack, receiver.dsack), (None, false, false), "Reno needs no SACK");
    let bottleneck = &scenario.network.links[0];
    assert_eq!((bottleneck.name.as_str(), bottleneck.buffer), ("left->right", Buffer::Packets(100)));
    let access = &scenario.network.links[2];
    assert_eq!((access.name.as_str(), access.capacity), ("l0->left", Rate::from_gbps(1)), "ten times the bottleneck");
    assert_eq!((access.delay, access.cost), (Duration::from_millis(1), 1_000_000_000), "the cost is the delay in ps");
    let traffic = &scenario.traffic[0];
    assert_eq!((traffic.name.as_str(), traffic.load, traffic.stop), ("traffic-0", Load::Greedy, None));
    assert!(matches!(traffic.arrivals, Arrivals::Fixed { count: 1, start: SimTime::ZERO, spread: Duration::ZERO, .. }));
    assert_eq!(scenario.probe, Probe::default());
}

#[test]
fn a_trace_begins_where_figures_do_unless_something_else_is_said() {
    for (warm_up, trace, from_s) in [
        ("0 s", "", 0),
        ("4 s", "", 4),
        ("4 s", "until = \"5 s\"", 4),
        ("4 s", "until = \"4 s\"", 0),
        ("4 s", "from = \"0 s\"", 0),
        ("4 s", "from = \"6 s\"", 6),
    ] {
        let text = SMALL.replace("\"10 s\"", &format!("\"10 s\"\nwarm_up = \"{warm_up}\""));
        let loaded = load_text(&format!("{text}[trace]\n{trace}\n")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(loaded.scenario.trace.from, Duration::from_secs(from_s), "{warm_up} {trace}");
        let again = load_text(&loaded.explain()).unwrap_or_else(|error| panic!("{error}"));
        same(&loaded.scenario, &again.scenario);
    }
}

#[test]
fn nsfnet_buffers_is_the_job_of_paper_002() {
    let path = root().join("scenarios/nsfnet-buffers.toml");
    let scenario = load(Input::File(&path), &[]).unwrap().scenario;
    assert_eq!(
        (scenario.network.nodes.len(), scenario.network.links.len()),
        (28, 70),
        "35 fibres, two directions each"
    );
    let link = |name: &str| scenario.network.links.iter().find(|link| link.name == name).unwrap();
    assert_eq!(link("0->1").delay, Duration::from_micros(5500), "1100 km");
    assert_eq!((link("3->e3").delay, link("3->e3").buffer), (Duration::from_micros(100), Buffer::Packets(6)));
    // 0.25 s at 1 Gb/s is 31.25 MB.
    assert_eq!(link("e3->3").buffer, Buffer::Bytes(Bytes(31_250_000)));
    let TransportKind::Tcp { sender, .. } = &scenario.transports[0].kind else { panic!() };
    assert_eq!(sender.max_cwnd, 29_200, "20 segments of 1460 B");
    let Arrivals::Fixed { pairs: Pairs::UniformRandom(nodes), count, spread, .. } = &scenario.traffic[0].arrivals
    else {
        panic!()
    };
    assert_eq!((nodes.len(), *count, *spread), (14, 1586, Duration::from_secs(40)));
}

#[test]
fn a_link_takes_each_property_from_the_nearest_that_says_it() {
    let text = format!(
        "{SMALL}{}",
        r#"
        [link_defaults]
        buffer = "7 packets"
        loss = 0.5
        [link_defaults.host]
        buffer = "8 packets"
        [[link]]
        from = "r0"
        to = "right"
        duplex = false
        loss_every = 3
        "#
    );
    let links = load_text(&text).unwrap().scenario.model.network.links;
    let link = |name: &str| links.iter().find(|link| link.name == name).unwrap();
    let loss = |name| link(name).properties.loss;
    let (half, third) = (loss::Config { loss: 0.5, loss_every: None }, loss::Config { loss: 0.0, loss_every: Some(3) });
    assert_eq!((link("left->l0").buffer, loss("left->l0")), (Buffer::Packets(7), half));
    assert_eq!((link("l0->left").buffer, loss("l0->left")), (Buffer::Packets(8), half));
    assert_eq!((link("r0->right").buffer, loss("r0->right")), (Buffer::Packets(8), third));
    assert_eq!(loss("right->r0"), half, "the other direction is as it was");
}

#[test]
fn a_set_value_is_toml_if_it_can_be_and_text_if_it_must_be() {
    let set = [
        ("run.name", "12"),
        ("run.seed", "12"),
        ("traffic.0.size", "10 MB"),
        ("traffic.traffic-0.start", "\"1 s\""),
        ("transport.fast.algorithm", "sack"),
        ("traffic.0.transport", "fast"),
        ("event.0.at", "2 s"),
        ("event.0.link", "left-right"),
        ("event.0.state", "down"),
    ];
    // A traffic is found by its name only if it is given one.
    let text = SMALL.replace("[[traffic]]", "[[traffic]]\nname = \"traffic-0\"");
    let scenario = load_set(&text, &set).unwrap_or_else(|error| panic!("{error}")).scenario;
    assert_eq!((scenario.run.name.as_str(), scenario.run.seed), ("12", 12));
    assert_eq!(scenario.traffic[0].load, Load::Size(Bytes(10_000_000)));
    assert_eq!(scenario.transports[0].name, "fast");
    assert_eq!(scenario.changes.len(), 2, "both directions");
}

#[test]
fn layers_merge_tables_and_replace_lists_and_kinds() {
    let folder = std::env::temp_dir().join(format!("photocol-test-{}-layers", std::process::id()));
    std::fs::create_dir_all(folder.join("below")).unwrap();
    std::fs::write(folder.join("below/base.toml"), SMALL).unwrap();
    let middle = "extends = \"below/base.toml\"\n[run]\nseed = 5\n[topology]\nbottleneck_delay = \"20 ms\"\n";
    std::fs::write(folder.join("middle.toml"), middle).unwrap();
    let on_top = |text: &str| {
        let text = format!("extends = \"middle.toml\"\n{text}");
        load(Input::Text { name: "top.toml", text: &text, folder: &folder }, &[])
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let scenario = on_top("").scenario;
    assert_eq!((scenario.run.seed, scenario.run.duration), (5, Duration::from_secs(10)));
    assert_eq!(scenario.network.links[0].delay, Duration::from_millis(20));
    let scenario = on_top("[[traffic]]\ntransport = \"sack\"\nfrom = \"r0\"\nto = \"l0\"").scenario;
    assert_eq!((scenario.traffic.len(), scenario.transports.len()), (1, 1), "the list below is gone");
    let scenario = on_top(
        "[topology]\nkind = \"star\"\nleaves = 2\n[link_defaults]\ncapacity = \"1 Gbps\"\ndelay = \"1 ms\"\n\
        [[traffic]]\ntransport = \"sack\"\nfrom = \"n0\"\nto = \"n1\"",
    );
    assert_eq!(scenario.scenario.network.nodes.len(), 3, "keys of the dumbbell below mean nothing to a star");
    std::fs::remove_dir_all(folder).unwrap();
}

/// A scenario without what a layer drops is the one that never had it.
#[test]
fn layers_drop_keys_and_items_of_lists_of_what_is_below() {
    let flow = |name: &str, stop: &str| {
        format!("[[traffic]]\nname = \"{name}\"\ntransport = \"sack\"\nfrom = \"l0\"\nto = \"r0\"\n{stop}")
    };
    let (network, _) = SMALL.split_once("[[traffic]]").unwrap();
    let network = network.replace("[run]", "[run]\nname = \"one\"");
    let sack = "[transport.sack]\nmss = \"1000 B\"\n";
    let [a, b, c] = ["a", "b", "c"].map(|name| flow(name, "stop = \"2 s\"\n"));
    let folder = Folder::new("drop");
    let dropped = |drop: &str| {
        std::fs::write(folder.0.join("base.toml"), network.clone() + sack + &a + &b + &c).unwrap();
        let text = format!("extends = \"base.toml\"\ndrop = {drop}");
        load(Input::Text { name: "top.toml", text: &text, folder: &folder.0 }, &[])
            .unwrap_or_else(|why| panic!("{why}"))
    };
    let endless = flow("b", "");
    for (drop, rest) in [
        ("[\"transport.sack\"]", a.clone() + &b + &c),
        ("[\"transport.sack.mss\"]", a.clone() + &b + &c),
        ("[]", sack.to_owned() + &a + &b + &c),
        ("[\"traffic.0\", \"traffic.2\"]", sack.to_owned() + &b),
        ("[\"traffic.a\", \"traffic.1\"]", sack.to_owned() + &c),
        ("[\"traffic.b.stop\", \"traffic.0\"]", sack.to_owned() + &endless + &c),
    ] {
        let expected = load_text(&(network.clone() + &rest)).unwrap_or_else(|why| panic!("{drop}: {why}"));
        same(&dropped(drop).scenario, &expected.scenario);
    }
}

#[test]
fn what_stands_in_a_file_alone_is_not_set() {
    for key in ["drop", "extends", "drop.0"] {
        let error = load_set(SMALL, &[(key, "[]")]).unwrap_err().to_string();
        assert!(error.ends_with("stands in a file; allowed: the path of a value"), "{error}");
    }
}

#[test]
fn conditioned_arrivals_are_uniform_starts() {
    let text = |rest: &str| SMALL.replace("from = \"l0\"", &format!("arrivals = \"poisson\"\n{rest}\nfrom = \"l0\""));
    let arrivals = |rest: &str| load_text(&text(rest)).unwrap().scenario.model.traffic.remove(0).arrivals;
    assert!(matches!(arrivals("count = 10\nover = \"5 s\""),
        Arrivals::Fixed { count: 10, spread, .. } if spread == Duration::from_secs(5)));
    assert!(matches!(arrivals("count = 10\nover = \"5 s\"\nconditioned = false\nstart = \"1 s\""),
        Arrivals::Poisson { mean_gap, until, at_most: None, .. }
        if mean_gap == Duration::from_millis(500) && until == SimTime::from_ps(6_000_000_000_000)));
    assert!(matches!(arrivals("flows_per_second = 4.0"),
        Arrivals::Poisson { mean_gap, until, .. }
        if mean_gap == Duration::from_millis(250) && until == SimTime::from_ps(10_000_000_000_000)));
}

#[test]
fn parallel_links_and_one_way_links_survive_explain() {
    let text = r#"
        run.duration = "1 s"
        link_defaults = { capacity = "1 Gbps", delay = "1 ms" }
        link = [
            { from = "a", to = "b", duplex = false },
            { from = "b", to = "a", duplex = false, buffer = "3 packets" },
            { from = "a", to = "b", parallel = true, cost = 5, loss = 0.25 },
            { from = "b", to = "c" },
            { from = "a", to = "b", parallel = true, duplex = false, buffer = "2 kB" },
        ]
        traffic = [{ transport = "udp", rate = "1 Mbps", from = "a", to = "c", stop = "0.5 s" }]
        event = [{ at = "1 ms", link = ["a->b#3", "b-c"], delay = "2 ms", capacity = "2 Gbps" }]
        force = [{ flow = 0, segment = 1, action = "delay", delay = "1 ms" }]
        probe = { interval = "1 ms", links = ["a<->b"] }
    "#;
    let loaded = load_text(text).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<&str> = loaded.scenario.network.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["a->b", "b->a", "a->b#2", "b->a#2", "b->c", "c->b", "a->b#3"]);
    let steps: Vec<usize> = loaded.scenario.changes.iter().map(|timeline| timeline.steps.len()).collect();
    assert_eq!(steps, [2, 2, 2], "a change of capacity and one of delay");
    assert_eq!(loaded.scenario.probe.links, Selection::Some(vec![0, 1, 2, 3, 6]));
    same(&loaded.scenario, &load_text(&loaded.explain()).unwrap().scenario);
}

#[test]
fn every_key_of_a_transport_survives_explain() {
    let text = SMALL.replace("\"reno\"", "\"x\"")
        + r#"
        [transport.x]
        algorithm = "highspeed"
        paced = true
        mss = 1000
        header = 52
        ack_size = "52 B"
        delayed_ack = "100 ms"
        initial_window = "rfc3390"
        initial_ssthresh = "64 kB"
        max_window = "20 packets"
        receiver_window = "1 MiB"
        min_rto = "1 s"
        max_rto = "64 s"
        initial_rto = "3 s"
        clock_granularity = "10 ms"
        dupthresh = 4
        limited_transmit = false
        rescue_retransmission = false
        idle_restart = false
        fast_retransmit_guard = "timeout"
        partial_ack_timer = "slow-but-steady"
        sack_after_timeout = "keep"
        recovery = "newreno"
        forget_rtt_after = 7
        restart_timer_on_fast_retransmit = false
        low_window = 31.0
        high_p = 1e-6
        response = "unrounded"
        halve_after_slow_start = false
        sack = true
        dsack = false
        "#;
    let loaded = load_text(&text).unwrap_or_else(|error| panic!("{error}"));
    let TransportKind::Tcp { sender, receiver, .. } = &loaded.scenario.transports[0].kind else { panic!() };
    assert_eq!((sender.max_cwnd, sender.initial_peer_window, receiver.window), (20_000, 1 << 20, 1 << 20));
    assert!(sender.paced && !sender.limited_transmit && !sender.idle_restart && !receiver.dsack);
    same(&loaded.scenario, &load_text(&loaded.explain()).unwrap().scenario);
}

#[test]
fn the_committed_schema_is_up_to_date() {
    let path = root().join("schema/scenario.json");
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, schema()).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == schema(), "stale: run UPDATE_SCHEMA=1 cargo test -p photocol-sim schema");
}

#[test]
fn events_may_stand_in_any_order() {
    let event =
        |at: &str, rate: &str| format!("[[event]]\nat = \"{at}\"\nlink = \"left->right\"\ncapacity = \"{rate}\"\n");
    let text = format!("{SMALL}{}{}{}", event("4 s", "45 Mbps"), event("2 s", "40 Mbps"), event("3 s", "30 Mbps"));
    let changes = load_text(&text).unwrap().scenario.model.changes;
    let seconds: Vec<_> = changes[0].steps.iter().map(|step| step.after).collect();
    assert_eq!(seconds, [2, 3, 4].map(Duration::from_secs));
}
