//! The exact message about each kind of bad input.

use super::{SMALL, load_set, load_text, root};
use crate::model::*;
use crate::scenario::{Error, Input, load};
use std::path::Path;
use units::Rate;

/// The message when `text` replaces `part` of the small scenario (in which line numbers start below the first, empty
/// line).
fn replaced(part: &str, text: &str) -> String {
    assert!(SMALL.contains(part));
    load_text(&SMALL.replacen(part, text, 1)).unwrap_err().to_string()
}

/// The built-in algorithms.
fn algorithm_names() -> Vec<&'static str> {
    let presets = transport::tcp::presets().iter().map(|preset| preset.name);
    let laws = transport::cc::registry().iter().map(|entry| entry.name);
    let kinds = crate::hosts::list().iter().map(|entry| entry.name);
    let names: Vec<&str> = presets.chain(laws).chain(kinds).collect();
    assert_eq!(names[..4], ["linux-cubic", "linux-reno", "linux-bbr", "reno"]);
    names
}

/// Those that a message about a wrong name lists.
fn two_dozen_algorithms() -> String {
    let names = algorithm_names();
    format!("{}, … ({} in all)", names[..24].join(", "), names.len())
}

/// The kinds of topologies as messages list them.
fn topologies() -> String {
    let names: Vec<&str> = crate::topology::list().iter().map(|entry| entry.name).collect();
    assert_eq!(names[..3], ["aapn-star", "constellation", "contacts"]);
    names.join(", ")
}

/// The message when `text` comes below the small scenario, that is from line 12 on.
fn added(text: &str) -> String {
    load_text(&format!("{SMALL}{text}")).unwrap_err().to_string()
}

#[test]
fn a_receivers_window_is_one_that_a_header_can_say() {
    // RFC 7323 §2.3: a shift of at most 14, so 65535 · 2^14 = 1 073 725 440 B.
    let window = |text: &str| load_text(&format!("{SMALL}[transport.reno]\nreceiver_window = \"{text}\"")).err();
    assert_eq!(
        window("5 GB").map(|error| error.to_string()).unwrap_or_default(),
        "test.toml:13:19: transport.reno.receiver_window: found \"5 GB\"; allowed: at most 1073725440 B, which is \
            65535 B \
         shifted by 14 (RFC 7323 §2.3), or \"unlimited\""
    );
    assert!(window("1073725440 B").is_none() && window("unlimited").is_none());
    assert!(window("1073725441 B").is_some());
}

#[test]
fn a_misspelt_key_has_its_place_and_the_nearest_name() {
    assert_eq!(
        replaced("duration", "durration"),
        "test.toml:3:1: run.durration: unknown key \"durration\"; did you mean \"duration\"? \
         allowed: name, duration, warm_up, seed, runs, memory, completion"
    );
    assert_eq!(
        added("[link_defaults]\nbandwidth = \"1 Gbps\""),
        "test.toml:13:1: link_defaults.bandwidth: unknown key \"bandwidth\"; did you mean \"capacity\"? allowed: \
            capacity, \
         delay, length, buffer, queue, loss, loss_every, jitter, jitter_law, jitter_order, xcp, telemetry, \
         delay_per_km, core, edge, host"
    );
    assert_eq!(
        replaced("bottleneck_delay", "botleneck_delay"),
        "test.toml:7:1: topology.botleneck_delay: unknown key \"botleneck_delay\"; did you mean \"bottleneck_delay\"? \
         allowed: pairs, bottleneck_capacity, bottleneck_delay, bottleneck_buffer, access_capacity, access_delay, \
         left_delay, right_delay, round_trips, round_trip_law, access_buffer, reroute_after, routing, flowlet_gap, \
         hash_seed, weights"
    );
}

#[test]
fn a_quantity_says_what_was_found_and_what_is_allowed() {
    assert_eq!(
        replaced("100 Mbps", "100 Mbit"),
        "test.toml:6:23: topology.bottleneck_capacity: found \"100 Mbit\": unknown unit 'Mbit'; allowed: bps, kbps, \
            Mbps, \
         Gbps, Tbps, bit/s, kb/s, Mb/s, Gb/s, Tb/s; did you mean \"Mbps\"?"
    );
    assert_eq!(
        replaced("\"100 Mbps\"", "100"),
        "test.toml:6:23: topology.bottleneck_capacity: found 100; allowed: a bit rate with a unit (bps, kbps, Mbps, \
            Gbps, \
         Tbps, or Mb/s …) in quotes, such as \"10 Gbps\""
    );
    assert_eq!(
        replaced("100 Mbps", "NaN Mbps"),
        "test.toml:6:23: topology.bottleneck_capacity: found \"NaN Mbps\": not a number with a unit; allowed: a bit \
            rate with \
         a unit (bps, kbps, Mbps, Gbps, Tbps, or Mb/s …) in quotes, such as \"10 Gbps\""
    );
    assert_eq!(
        replaced("10 ms", "-10 ms"),
        "test.toml:7:20: topology.bottleneck_delay: found \"-10 ms\": must not be negative; allowed: a time with a \
            unit (ps, \
         ns, us, ms, s, min, h) in quotes, such as \"0.1 ms\""
    );
    assert_eq!(
        replaced("100 Mbps", "0 bps"),
        "test.toml:6:23: topology.bottleneck_capacity: found \"0 bps\"; allowed: 8 bps to 1000 Tbps"
    );
    assert_eq!(
        replaced("10 ms", "0 ms"),
        "test.toml:7:20: topology.bottleneck_delay: found the delay \"0 s\"; allowed: more than zero and at most 3600 s"
    );
}

#[test]
fn a_buffer_holds_a_packet() {
    assert_eq!(
        added("[link_defaults.core]\nbuffer = \"1 kB\""),
        "test.toml:13:10: link_defaults.core.buffer: found \"1 kB\", less than the largest packet; allowed: at least \
            1500 B, or \
         \"0 packets\""
    );
    assert_eq!(
        added("[link_defaults.core]\nbuffer = \"100 us\""),
        "test.toml:13:10: link_defaults.core.buffer: found \"100 us\", that is 1250 B at 100 Mbps, less than the \
            largest \
         packet; allowed: at least 1500 B, or \"0 packets\""
    );
}

#[test]
fn names_are_looked_up() {
    assert_eq!(
        replaced("\"l0\"", "\"10\""),
        "test.toml:10:8: traffic.0.from: there is no node \"10\"; did you mean \"l0\"? allowed: left, right, l0, r0"
    );
    assert_eq!(
        replaced("\"reno\"", "\"rno\""),
        format!(
            "test.toml:9:13: traffic.0.transport: there is no transport \"rno\"; did you mean \"reno\"? allowed: {}",
            two_dozen_algorithms()
        )
    );
    assert_eq!(
        replaced("dumbbell", "dumbell"),
        format!(
            "test.toml:5:8: topology.kind: found \"dumbell\"; did you mean \"dumbbell\"? allowed: {}",
            topologies()
        )
    );
    assert_eq!(
        added("[[event]]\nat = \"1 s\"\nlink = \"left->rigth\"\nstate = \"down\""),
        "test.toml:14:8: event.0.link: there is no link \"left->rigth\"; did you mean \"left->right\"? allowed: \
            left->right, \
         right->left, l0->left, left->l0, right->r0, r0->right (\"a-b\" means both directions)"
    );
    assert_eq!(
        replaced("\"r0\"", "\"l0\""),
        "test.toml:11:6: traffic.0.to: found \"l0\" as source and destination; allowed: two nodes"
    );
    assert_eq!(
        added("[[node]]\nname = \"alone\"\n[[traffic]]\ntransport = \"reno\"\npairs = [[\"l0\", \"alone\"]]"),
        "test.toml:16:10: traffic.1.pairs.0: there is no path from \"l0\" to \"alone\" and back"
    );
}

#[test]
fn what_is_twice_or_missing_is_named() {
    assert_eq!(replaced("duration = \"10 s\"", ""), "test.toml:2:1: run: the key \"duration\" is missing");
    assert_eq!(
        replaced("kind = \"dumbbell\"", ""),
        format!("test.toml:4:1: topology: the key \"kind\" is missing; allowed: {}", topologies())
    );
    assert_eq!(replaced("from = \"l0\"", ""), "test.toml:11:6: traffic.0.to: the key \"from\" is missing beside it");
    assert_eq!(added("[[node]]\nname = \"l0\""), "test.toml:13:8: node.0.name: there is a node \"l0\" already");
    assert_eq!(
        added("[[traffic]]\nname = \"traffic-0\"\ntransport = \"reno\"\nfrom = \"l0\"\nto = \"r0\""),
        "test.toml:13:8: traffic.1.name: there is a traffic \"traffic-0\" already"
    );
    assert_eq!(
        added("[[link]]\nfrom = \"left\"\nto = \"right\"\n[[link]]\nfrom = \"right\"\nto = \"left\"\n"),
        "test.toml:15:1: link.1: there is a link \"right->left\" already; for another beside it: parallel = true"
    );
    assert_eq!(added("[transport.x]\n[transport.x]\n"), "test.toml:13:12: not TOML: duplicate key");
    assert_eq!(
        added("[transport.x]\n"),
        format!(
            "test.toml:12:1: transport.x: the key \"algorithm\" is missing; allowed: {}",
            algorithm_names().join(", ")
        )
    );
    assert_eq!(
        added("[[event]]\nat = \"1 s\"\nlink = \"left-right\"\ntold_capacity = \"1 Gbps\""),
        "test.toml:15:17: event.0.told_capacity: the port of \"left->right\" has no XCP controller; allowed with xcp = \
            {} there"
    );
}

/// An event at 1 s; five lines.
fn event(link: &str, changes: &str) -> String {
    format!("[[event]]\nat = \"1 s\"\nlink = {link}\n{changes}\n\n")
}

#[test]
fn no_two_events_change_the_same_of_a_link_at_one_instant() {
    let slower = event("\"left->right\"", "capacity = \"5 Mbps\"");
    assert_eq!(
        added(&format!("{slower}{}", event("\"left-right\"", "capacity = \"1 Mbps\""))),
        "test.toml:20:12: event.1.capacity: the capacity of \"left->right\" changes at \"1 s\" already; the first is \
         event.0.capacity on line 15"
    );
    let cut = event("\"l0->left\"", "state = \"down\"");
    assert_eq!(
        added(&format!("{cut}{slower}{}", event("[\"right-r0\", \"l0-left\"]", "state = \"up\""))),
        "test.toml:25:9: event.2.state: the state of \"l0->left\" changes at \"1 s\" already; the first is \
            event.0.state on \
         line 15"
    );
    // A dict has no lines.
    let events = r#"[{"at": "1 s", "link": "a->b", "delay": "1 ms"}, {"at": "1 s", "link": "a->b", "delay": "2 ms"}]"#;
    let link = r#"{"from": "a", "to": "b", "capacity": "1 Mbps", "delay": "1 ms"}"#;
    let json = format!(r#"{{"run": {{"duration": "2 s"}}, "link": [{link}], "event": {events}}}"#);
    assert_eq!(
        load(Input::Json { text: &json, folder: Path::new("") }, &[]).unwrap_err().to_string(),
        "event.1.delay: the delay of \"a->b\" changes at \"1 s\" already; the first is event.0.delay"
    );
}

#[test]
fn events_of_one_instant_come_in_the_order_of_the_file() {
    let cut = event("[\"left-right\", \"left->right\"]", "state = \"down\"");
    let later = event("\"left->right\"", "state = \"up\"").replace("1 s", "2 s");
    let slower = event("\"left->right\"", "capacity = \"5 Mbps\"");
    let loaded = load_text(&format!("{SMALL}{later}{cut}{slower}")).unwrap();
    let of = |timeline: &Timeline| timeline.steps.iter().map(|step| step.change).collect::<Vec<_>>();
    let changes: Vec<_> = loaded.scenario.changes.iter().map(of).collect();
    let (down, slower) = (Change::Down(MidPacket::Cut), Rate::from_bps(5_000_000));
    let there = vec![down, Change::Capacity(slower, MidPacket::Continue), Change::Up];
    assert_eq!(changes, [there, vec![down]]);
}

#[test]
fn numbers_are_in_their_ranges() {
    assert_eq!(
        added("[link_defaults]\nloss = 1.5"),
        "test.toml:13:8: link_defaults.loss: found 1.5; allowed: a probability from 0 to 1"
    );
    assert_eq!(
        added("[link_defaults]\nloss = nan"),
        "test.toml:13:8: link_defaults.loss: found NaN; allowed: a probability from 0 to 1"
    );
    assert_eq!(
        replaced("from =", "flows = 0\nfrom ="),
        "test.toml:10:9: traffic.0.flows: found 0; allowed: 1 to 10000000"
    );
    assert_eq!(
        replaced("from =", "flows = 4294967295\nfrom ="),
        "test.toml:10:9: traffic.0.flows: found 4294967295; allowed: 1 to 10000000"
    );
    assert_eq!(
        replaced("from =", "flows = -1\nfrom ="),
        "test.toml:10:9: traffic.0.flows: found -1; allowed: a whole number from 0 to 4294967295"
    );
    assert_eq!(
        replaced("\"dumbbell\"", "\"dumbbell\"\npairs = 4000000000"),
        "test.toml:6:9: topology.pairs: found 4000000000; allowed: 1 to 249999"
    );
    assert_eq!(
        added("[transport.reno]\nmss = 65530"),
        "test.toml:13:7: transport.reno.mss: found 65530 B; allowed: 1 B to 65495 B"
    );
    assert_eq!(
        added("[transport.reno]\nmss = 0"),
        "test.toml:13:7: transport.reno.mss: found 0 B; allowed: 1 B to 65495 B"
    );
    assert_eq!(
        replaced("\"10 s\"", "\"10 s\"\nwarm_up = \"10 s\""),
        "test.toml:4:11: run.warm_up: found \"10 s\"; allowed: less than the duration, \"10 s\""
    );
    assert_eq!(
        added("[transport.reno]\nmin_rto = \"2 min\""),
        "test.toml:12:1: transport.reno: max_rto must not be below min_rto"
    );
}

#[test]
fn laws_of_on_off_sources_are_checked() {
    let on_off = |on: &str| {
        added(&format!(
            "[[traffic]]\ntransport = \"udp\"\nload = \"on-off\"\nrate = \"1 Mbps\"\nfrom = \"l0\"\nto = \"r0\"\n\
             off = {{ law = \"constant\", mean = \"1 s\" }}\non = {on}\n"
        ))
    };
    assert_eq!(
        on_off("{ law = \"pareto\", mean = \"1 s\", shape = 1.0 }"),
        "test.toml:19:46: traffic.1.on.shape: found 1.0; allowed: more than 1, where the mean is finite"
    );
    assert_eq!(
        on_off("{ law = \"pareto\", mean = \"1 s\", hurst = 1.0 }"),
        "test.toml:19:46: traffic.1.on.hurst: found 1.0; allowed: between 0.5 and 1"
    );
    assert_eq!(
        on_off("{ law = \"uniform\", least = \"2 s\", most = \"2 s\" }"),
        "test.toml:19:47: traffic.1.on.most: found \"2 s\"; allowed: more than least, \"2 s\""
    );
    assert_eq!(
        on_off("{ law = \"parato\", mean = \"1 s\" }"),
        "test.toml:19:14: traffic.1.on.law: found \"parato\"; did you mean \"pareto\"? allowed: constant, exponential, \
            uniform, pareto"
    );
    assert_eq!(on_off("{ law = \"constant\" }"), "test.toml:19:6: traffic.1.on: the key \"mean\" is missing");
}

#[test]
fn keys_of_another_kind_are_refused() {
    assert_eq!(
        replaced("from =", "count = 5\nfrom ="),
        "test.toml:10:9: traffic.0.count: the key \"count\" goes with arrivals = \"poisson\"; for \"fixed\": flows, \
            start, \
         spread"
    );
    assert_eq!(
        replaced("from =", "rate = \"1 Mbps\"\nfrom ="),
        "test.toml:10:8: traffic.0.rate: the key \"rate\" is for UDP; this transport is TCP, which takes \
            \"load_share\", \
         \"load_link\", \"size\", \"size_law\", \"application\", \"bursts\""
    );
    let udp = format!("{SMALL}size = \"1 MB\"\n[transport.reno]\nalgorithm = \"udp\"");
    assert_eq!(
        load_text(&udp).unwrap_err().to_string(),
        "test.toml:12:8: traffic.0.size: the key \"size\" is for TCP; this transport is UDP, which takes \"load\", \
            \"rate\", \
         \"sizes\", \"on\", \"off\""
    );
    assert_eq!(
        added("[transport.reno]\nalgorithm = \"udp\"\nmss = 5"),
        "test.toml:14:7: transport.reno.mss: the key \"mss\" is for TCP; allowed with algorithm = \"udp\": packet_size"
    );
}

#[test]
fn assignments_are_named_as_such() {
    let message = |path: &str, value: &str| load_set(SMALL, &[(path, value)]).unwrap_err().to_string();
    assert_eq!(
        message("run.duratoin", "3 s"),
        "--set: run.duratoin: unknown key \"duratoin\"; did you mean \"duration\"? \
         allowed: name, duration, warm_up, seed, runs, memory, completion"
    );
    assert_eq!(
        message("run.duration", "3"),
        "--set: run.duration: found 3; allowed: a time with a unit (ps, ns, us, ms, s, min, h) in quotes, such as \
            \"0.1 ms\""
    );
    assert_eq!(
        message("traffic.5.size", "1 MB"),
        "--set: traffic.5.size: at traffic: found the index 5; allowed: 0 to 1"
    );
    assert_eq!(message("run.duration.x", "1"), "--set: run.duration.x: at run.duration: \"10 s\" has no key \"x\"");
    assert_eq!(message("run..x", "1"), "--set: run..x: allowed: a path such as run.duration or traffic.0.size");
    // What lacks its other keys was begun by mistake: links of a topology have names, not numbers.
    let fresh = "is missing; the table is new, made by --set";
    assert_eq!(message("link.0.capacity", "1 Mbps"), format!("--set: link.0: the key \"from\" {fresh}"));
    assert_eq!(message("traffic.1.flows", "2"), format!("--set: traffic.1: the key \"transport\" {fresh}"));
}

#[test]
fn a_dict_has_key_paths_only() {
    let text = "{\"run\": {\"duration\": \"1 s\"}, \"traffic\": [{\"transport\": 7}]}";
    let error = load(Input::Json { text, folder: Path::new("") }, &[]).unwrap_err();
    assert_eq!(error.to_string(), "traffic.0.transport: found 7; allowed: a text in quotes");
    assert_eq!((error.file, error.line), (None, None));
    let error = load(Input::Json { text: "{", folder: Path::new("") }, &[]).unwrap_err();
    assert_eq!((error.line, error.column), (Some(1), Some(1)));
}

/// A folder of its own for a test, removed when dropped.
pub(super) struct Folder(pub(super) std::path::PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("photocol-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Writes a file and returns the message of a scenario that extends it or takes it as `key`, without the folder's
    /// name.
    fn message(&self, text: &str, file: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.join(file), content).unwrap();
        let error: Error = load(Input::Text { name: "test.toml", text, folder: &self.0 }, &[]).unwrap_err();
        error.to_string().replace(&format!("{}/", self.0.display()), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let error = load(Input::File(Path::new("/nonexistent/x.toml")), &[]).unwrap_err();
    assert_eq!(error.to_string(), "/nonexistent/x.toml: there is no such file");
    let folder = Folder::new("files");
    let extends = |base: &str| format!("extends = \"{base}\"");
    assert_eq!(
        folder.message(&extends("b.toml"), "b.toml", [0xFF, 0xFE, 0x00]),
        "test.toml:1:11: extends: found \"b.toml\": not UTF-8 text: the byte at 0 is wrong"
    );
    assert_eq!(
        folder.message(&extends("none.toml"), "b.toml", ""),
        "test.toml:1:11: extends: found \"none.toml\": there is no such file"
    );
    assert_eq!(
        folder.message(&extends("b.toml"), "b.toml", extends("./b.toml")),
        "b.toml:1:11: extends: found \"./b.toml\": the files extend one another"
    );
    assert_eq!(
        folder.message(&extends("b.toml"), "b.toml", "[run]\nduration = \"1 s\n"),
        "b.toml:2:16: not TOML: invalid basic string, expected `\"`"
    );
    assert_eq!(
        folder.message(&extends("b.toml"), "b.toml", "[run]\nduration = \"1 s\"\nseed = -1"),
        "b.toml:3:8: run.seed: found -1; allowed: a whole number from 0"
    );
    let drop =
        |drop: &str| folder.message(&format!("{}\ndrop = {drop}", extends("b.toml")), "b.toml", "[run]\nseed = 1");
    for (dropped, why) in [
        ("[\"run.sede\"]", "there is no \"run.sede\" below; did you mean \"seed\"? allowed: seed"),
        ("[\"run.seed.0\"]", "there is no \"run.seed.0\" below"),
        ("[\"run\", \"run.seed\"]", "\"run.seed\" is named twice"),
        ("[\"run.seed\", \"run.seed\"]", "\"run.seed\" is named twice"),
        ("[\"\"]", "found \"\"; allowed: a path such as traffic.0"),
        ("\"run\"", "found \"run\"; allowed: a list of paths, as in [\"traffic.0\"]"),
        ("[\"run.seed.+0\"]", "there is no \"run.seed.+0\" below"),
        ("[1]", "found a list; allowed: a list of paths, as in [\"traffic.0\"]"),
    ] {
        assert_eq!(drop(dropped), format!("test.toml:2:8: drop: {why}"));
    }
    assert_eq!(
        load_text("drop = [\"run\"]\nrun.seed = 1").unwrap_err().to_string(),
        "test.toml:1:8: drop: there is no \"run\" below"
    );
    for layer in 0..20 {
        std::fs::write(folder.0.join(format!("{layer}.toml")), extends(&format!("{}.toml", layer + 1))).unwrap();
    }
    // The text itself and 0.toml to 14.toml are 16 layers.
    assert_eq!(
        folder.message(&extends("0.toml"), "b.toml", ""),
        "14.toml:1:11: extends: found \"15.toml\": more than 16 layers"
    );
    let error = load(Input::File(&root().join("scenarios")), &[]).unwrap_err();
    assert!(error.to_string().ends_with("scenarios: not a regular file"), "{error}");
}

#[test]
fn flow_lists_have_lines_and_columns() {
    let folder = Folder::new("csv");
    let text = SMALL.replace("from = \"l0\"\nto = \"r0\"\n", "file = \"f.csv\"\n");
    let message = |content: &str| folder.message(&text, "f.csv", content);
    assert_eq!(
        message("start,source,destination\n"),
        "f.csv:1:1: traffic.0.file: unknown column \"start\"; did you mean \"start_s\"? \
         allowed: start_s, source, destination, size_bytes"
    );
    assert_eq!(message("start_s,source\n"), "f.csv:1:1: traffic.0.file: the column \"destination\" is missing");
    assert_eq!(
        message("start_s,source,destination\n0,l0,r0\n1, l0,r1\n"),
        "f.csv:3:7: traffic.0.file: there is no node \"r1\"; did you mean \"r0\"? allowed: left, right, l0, r0"
    );
    assert_eq!(
        message("start_s,source,destination\n0,l0\n"),
        "f.csv:2:1: traffic.0.file: found 2 fields; the column \"destination\" is missing"
    );
    assert_eq!(
        message("start_s,source,destination\nnan,l0,r0\n"),
        "f.csv:2:1: traffic.0.file: start_s: found \"nan\": not a number with a unit"
    );
    assert_eq!(
        message("start_s,source,destination,size_bytes\n0,l0,r0,1.5\n"),
        "f.csv:2:9: traffic.0.file: size_bytes: found \"1.5\"; allowed: a whole number from 1, or nothing"
    );
    assert_eq!(
        message("start_s,source,destination,size_bytes\n0,5,l0,r0,250000\n"),
        "f.csv:2:11: traffic.0.file: found 5 fields; allowed: 4, as in the header"
    );
    assert_eq!(
        message("start_s,source,destination\n0,\"l0,r0\n"),
        "f.csv:2:3: traffic.0.file: the quotes that open here are not closed"
    );
    assert_eq!(
        message("start_s,source,destination\n0,\"l0\"\"\"x,r0\n"),
        "f.csv:2:9: traffic.0.file: found \"x,r0\" behind closed quotes; allowed: a comma"
    );
    assert_eq!(
        message("start_s,source,destination\n0,\"l\"\"0\",r0\n"),
        "f.csv:2:3: traffic.0.file: there is no node \"l\\\"0\"; did you mean \"l0\"? allowed: left, right, l0, r0"
    );
}

#[test]
fn what_cannot_be_about_bursts_is_named() {
    let law = |text: &str| added(&format!("[transport.x]\n{text}"));
    assert_eq!(
        law("algorithm = \"tcp-eng\"\nbeta = 1.0"),
        "test.toml:14:8: transport.x.beta: beta must be above 0 and below 1"
    );
    assert_eq!(
        law("algorithm = \"gaimd\"\nalpha = 0.0"),
        "test.toml:14:9: transport.x.alpha: alpha must be above 0 and at most 1000"
    );
    assert_eq!(
        law("algorithm = \"tcp-eng\"\ncongestion_beta = 0.0"),
        "test.toml:14:19: transport.x.congestion_beta: congestion_beta must be above 0 and below 1"
    );
    assert_eq!(
        law("algorithm = \"gaimd\"\nalpha_applies = \"ben-only\""),
        "test.toml:14:17: transport.x.alpha_applies: the key \"alpha_applies\" is for tcp-eng"
    );
    assert_eq!(
        law("algorithm = \"sack\"\nrelation = \"timeout\""),
        "test.toml:14:12: transport.x.relation: the key \"relation\" is for gaimd, baimd and tcp-eng"
    );
    assert_eq!(
        law("algorithm = \"tcp-eng\"\ndetector = \"ble\""),
        "test.toml:14:12: transport.x.detector: the key \"detector\" is for btcp"
    );
    assert_eq!(
        law("algorithm = \"btcp\"\ndetector = \"bale\""),
        "test.toml:14:12: transport.x.detector: found \"bale\"; did you mean \"ble\"? allowed: ble, back, bnak"
    );
    assert_eq!(
        law("algorithm = \"tcp-eng\"\nrecovery = \"newreno\""),
        "test.toml:14:12: transport.x.recovery: recovery must be SACK where edge nodes report lost bursts"
    );
}

#[test]
fn bursts_by_order_say_what_they_are() {
    let rule = |text: &str| replaced("[[traffic]]", &format!("[[traffic]]\nbursts = {text}"));
    assert_eq!(
        rule("{ segments = 0, loss = 0.1 }"),
        "test.toml:9:23: traffic.0.bursts.segments: found 0; allowed: from 1"
    );
    assert_eq!(
        rule("{ segments = 9, loss = 1.5 }"),
        "test.toml:9:33: traffic.0.bursts.loss: found 1.5; allowed: 0 to 1"
    );
    assert_eq!(
        rule("{ segments = 9, loss = 0.1, lose = [1] }"),
        "test.toml:9:45: traffic.0.bursts.lose: there is a loss already; allowed: loss or lose"
    );
    assert_eq!(rule("{ segments = 9 }"), "test.toml:9:10: traffic.0.bursts: the key \"loss\" (or \"lose\") is missing");
}

#[test]
fn a_list_says_of_what() {
    let message = |path: &str, value: &str| load_set(SMALL, &[(path, value)]).unwrap_err().to_string();
    assert_eq!(message("traffic", "3"), "--set: traffic: found 3; allowed: a list, each of it a table");
    assert_eq!(message("link", "{ from = \"a\", to = \"b\" }"), "--set: link: found a table; allowed: a list of such");
    assert_eq!(
        message("traffic.0.among", "{}"),
        "--set: traffic.0.among: found a table; allowed: a list, each of it a text in quotes"
    );
    for path in ["probe.flows", "probe.links"] {
        assert_eq!(
            message(path, "true"),
            format!(
                "--set: {path}: found true; allowed: \"all\", or a list such as [0, 3] of flows and [\"a->b\"] of links"
            )
        );
    }
}

#[test]
fn nothing_that_a_user_writes_moves_the_cursor_or_fills_the_screen() {
    let escape = "\u{1b}[31m";
    for text in [
        format!("\"{escape}\" = 1"),
        format!("\"{}\" = 1", "\\u001b[31m"),
        "[run]\nduration = \"1 s\"\nname = \"a\"\n[transport.\"\\u001b]0;title\\u0007\"]\n".to_owned(),
        "[[node]]\nname = \"a\\u009b1m\\u202e\"\n[[node]]\nname = \"b\"\n[run]\nduration = \"1 \
            s\"\n[[traffic]]\ntransport = \"sack\"\nfrom = \"a\"\nto = \"b\""
            .to_owned(),
    ] {
        let message = load_text(&text).unwrap_err().to_string();
        assert!(!message.chars().any(|letter| letter.is_control() || letter == '\u{202e}'), "{message:?}");
    }
    let name = format!("{escape}.toml");
    let error = load(Input::Text { name: &name, text: "x = 1", folder: Path::new("") }, &[]).unwrap_err();
    assert!(error.to_string().starts_with("\\u{1b}[31m.toml:1:1: x: unknown key"), "{error}");
    for text in [
        format!("{} = 1", "k".repeat(100_000)),
        format!("a = 1\na = {}", "9".repeat(100_000)),
        format!("{0} = 1\n{0} = 2", "k".repeat(100_000)),
        format!("a = \"{}", "x".repeat(100_000)),
        format!("run = {{ duration = {} }}", "x".repeat(100_000)),
        format!("[{}]\n", "a.".repeat(50_000)),
    ] {
        let message = load_text(&text).unwrap_err().to_string();
        assert!(message.len() < 1500, "{} bytes: {}…", message.len(), &message[..200]);
    }
}

#[test]
fn packets_are_a_picosecond_apart() {
    // 16 Tb/s: 8 bits last half a picosecond, which is rounded up.
    let udp = "transport = \"one\"\npairs = [[\"l0\", \"r0\"]]\nrate = ";
    let with = |rate: &str| {
        added(&format!("[[traffic]]\n{udp}\"{rate}\"\n[transport.one]\nalgorithm = \"udp\"\npacket_size = \"1 B\""))
    };
    assert_eq!(
        with("17 Tbps"),
        "test.toml:15:8: traffic.1.rate: found \"17000 Gbps\", at which packets of 1 B are less than a picosecond \
            apart; \
         allowed: at most \"16000 Gbps\""
    );
}

#[test]
fn a_buffer_of_an_exabyte_is_unlimited() {
    // 2^64 - 1 B and the packet in transmission would be more than 64 bits hold, and the buffer would seem full.
    let with =
        |buffer: &str| load_set(SMALL, &[("link_defaults.buffer", buffer)]).unwrap().scenario.network.links[0].buffer;
    assert_eq!(with("18446744073709551615 B"), Buffer::Unlimited);
    assert_eq!(with("1000000 GB"), Buffer::Bytes(units::Bytes(1_000_000_000_000_000)));
}

#[test]
fn a_queue_discipline_says_what_is_wrong_with_it_and_where() {
    let link = |queue: &str| added(&format!("[[link]]\nfrom = \"left\"\nto = \"right\"\nqueue = {queue}"));
    assert_eq!(
        link("{ kind = \"red\", min_th = \"15 packets\", max_th = \"5 packets\" }"),
        "test.toml:15:57: link.0.queue.max_th: max_th must be above min_th"
    );
    assert_eq!(
        link("{ kind = \"red\", min_th = \"20 packets\" }"),
        "test.toml:15:18: link.0.queue.kind: max_th must be above min_th",
        "the usual max_th is 15 packets"
    );
    assert_eq!(
        link("{ kind = \"stepp\" }"),
        "test.toml:15:18: link.0.queue.kind: there is no queue discipline \"stepp\"; did you mean \"step\"? \
         allowed: drop-tail, step, red, codel, fq-codel, pie, dualpi2, priority, drr, ndp, abc"
    );
    assert_eq!(
        link("{ kind = \"codel\", interval = \"5 ms\" }"),
        "test.toml:15:18: link.0.queue.kind: target must be below interval"
    );
    assert_eq!(
        link("{ kind = \"step\", max_p = 0.1 }"),
        "test.toml:15:34: link.0.queue.max_p: the key \"max_p\" is for red"
    );
    assert_eq!(
        link("{ kind = \"red\", max_p = 1.5 }"),
        "test.toml:15:33: link.0.queue.max_p: max_p must be above 0 and at most 1"
    );
    assert_eq!(link("{ max_p = 0.5 }"), "test.toml:15:9: link.0.queue: the key \"kind\" is missing");
}
