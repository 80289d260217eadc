//! News of a link: who hears it, how, and when.

use crate::support::{self, Builder, numbers, texts};
use sim::results::Results;
use sim::scenario::{Input, Loaded, load};
use std::path::Path;

/// A link of 10 Mb/s and 10 ms that is a circuit of 80 Mb/s from 1.1 to 1.2 s; the flow is in congestion avoidance, its
/// window about what the path holds, and sampled each millisecond.
const CIRCUIT: &str = r#"
[run]
duration = "1.5 s"
[[link]]
from = "a"
to = "b"
capacity = "10 Mbps"
delay = "10 ms"
buffer = "500 packets"
[transport.it]
algorithm = "retcp"
initial_ssthresh = "16 packets"
initial_window = 16
[[traffic]]
transport = "it"
from = "a"
to = "b"
[[event]]
at = "1.1 s"
link = "a->b"
capacity = "80 Mbps"
[[event]]
at = "1.2 s"
link = "a->b"
capacity = "10 Mbps"
[probe]
interval = "1 ms"
flows = [0]
"#;

fn told(news: &str) -> Builder {
    Builder::of(CIRCUIT).add(&format!("[[news]]\nlink = \"a->b\"\n{news}"))
}

/// The congestion window just before each of these milliseconds.
fn windows(run: &Results, at_ms: &[u64]) -> Vec<f64> {
    sampled(run, at_ms, 1e3)
}

/// The same at these parts of a second.
fn sampled(run: &Results, at: &[u64], parts: f64) -> Vec<f64> {
    let (times, values) = (numbers(&run.series, "t_s"), numbers(&run.series, "value"));
    let is_cwnd: Vec<bool> = texts(&run.series, "quantity").iter().map(|name| name == "cwnd").collect();
    let place = |at: &u64| (0..times.len()).find(|row| is_cwnd[*row] && (times[*row] * parts).round() as u64 == *at);
    at.iter().map(|at| values[place(at).expect("it is sampled")]).collect()
}

/// Growth by a segment of 1460 B a round trip is far less than a quarter between two samples.
fn is_doubled(windows: &[f64]) -> bool {
    (1.9..2.1).contains(&(windows[1] / windows[0]))
}

#[test]
fn a_message_comes_its_delay_after_the_change() {
    let run = told("way = \"message\"\ndelay = \"3 ms\"").run(1);
    let [before, after] = [windows(&run, &[1103, 1104]), windows(&run, &[1204, 1203])];
    assert!(is_doubled(&before) && is_doubled(&after), "{before:?}, {after:?}");
}

#[test]
fn a_schedule_is_known_its_lead_ahead() {
    let run = told("way = \"schedule\"\nlead = \"5 ms\"").run(1);
    let [before, after] = [windows(&run, &[1095, 1096]), windows(&run, &[1196, 1195])];
    assert!(is_doubled(&before) && is_doubled(&after), "{before:?}, {after:?}");
}

#[test]
fn a_mark_comes_with_the_ack_of_the_first_packet_that_left_by_the_circuit() {
    // A packet that leaves at 1.1 s lasts at most 1.2 ms, and its ACK is back 20 ms later.
    let run = told("way = \"mark\"").run(1);
    let before = windows(&run, &[1120, 1123]);
    assert!(is_doubled(&before), "{before:?}");
    let after = windows(&run, &[1224, 1219]);
    assert!(is_doubled(&after), "{after:?}");
}

/// The same law under QUIC hears messages, schedules and marks as TCP does, at the same times. A marked packet's ACK
/// leaves at once (RFC 9000 §13.2.1); that of the first one without a mark may wait for the next, 1.2 ms.
#[test]
fn a_law_under_quic_hears_of_its_path_too() {
    let deaf = || {
        let host = "algorithm = \"quic\"\ncongestion_control = \"retcp\"\n";
        Builder::of(CIRCUIT.replace("algorithm = \"retcp\"\n", host))
    };
    let quic = |news: &str| deaf().add(&format!("[[news]]\nlink = \"a->b\"\n{news}"));
    for (news, up, down) in [
        ("way = \"message\"\ndelay = \"3 ms\"", [1103, 1104], [1204, 1203]),
        ("way = \"schedule\"\nlead = \"5 ms\"", [1095, 1096], [1196, 1195]),
        ("way = \"mark\"", [1120, 1123], [1225, 1219]),
    ] {
        let run = quic(news).run(1);
        let [before, after] = [windows(&run, &up), windows(&run, &down)];
        assert!(is_doubled(&before) && is_doubled(&after), "{news}: {before:?}, {after:?}");
        assert_eq!(run.fingerprint, quic(news).run(2).fingerprint);
    }
    // Told not to read them, it sends capable packets no more.
    let marked = quic("way = \"mark\"").set("transport.it.path_marks", "false");
    assert_eq!(marked.run(1).fingerprint, deaf().run(1).fingerprint);
    let loaded = load(Input::Text { name: "test.toml", text: &marked.text(), folder: Path::new("") }, &[]);
    assert!(loaded.unwrap().warnings[0].starts_with("there is [[news]] by marks alone, and no transport sees marks"));
}

#[test]
fn who_does_not_listen_sends_the_same_bits() {
    let plain = |news: &str| {
        let text = CIRCUIT.replace("algorithm = \"retcp\"", "algorithm = \"sack\"");
        Builder::of(text).add(news).run(1).fingerprint
    };
    for way in ["mark", "message", "schedule"] {
        assert_eq!(plain(&format!("[[news]]\nlink = \"a->b\"\nway = \"{way}\"")), plain(""), "{way}");
    }
}

/// Whoever goes by news and gets none is what its law is without: it is said, once for all such transports.
#[test]
fn a_listener_without_news_is_warned_of() {
    let warnings =
        |text: &str| load(Input::Text { name: "test.toml", text, folder: Path::new("") }, &[]).unwrap().warnings;
    let said = |warnings: &[String]| warnings.iter().filter(|warning| warning.starts_with("no [[news]]")).count();
    for law in ["retcp", "tdtcp", "satcp"] {
        let text = CIRCUIT.replace("algorithm = \"retcp\"", &format!("algorithm = \"{law}\""));
        assert_eq!(said(&warnings(&text)), 1, "{law}");
        let told = format!("{text}\n[[news]]\nlink = \"a->b\"\nway = \"message\"\n");
        assert_eq!(said(&warnings(&told)), 0, "{law}");
    }
    for law in ["cubic", "theta-powertcp"] {
        let text = CIRCUIT.replace("algorithm = \"retcp\"", &format!("algorithm = \"{law}\""));
        assert_eq!(said(&warnings(&text)), 0, "{law}");
    }
}

#[test]
fn a_listener_without_news_is_reno() {
    let reno = CIRCUIT.replace("algorithm = \"retcp\"", "algorithm = \"sack\"");
    assert_eq!(Builder::of(CIRCUIT).run(1).fingerprint, Builder::of(reno).run(1).fingerprint);
}

#[test]
fn a_flow_that_starts_on_the_circuit_hears_of_it_as_it_starts() {
    let text = CIRCUIT
        .replace("from = \"a\"\nto = \"b\"\n[[event]]", "from = \"a\"\nto = \"b\"\nstart = \"1.15 s\"\n[[event]]");
    let run = Builder::of(text).add("[[news]]\nlink = \"a->b\"\nway = \"message\"").run(1);
    assert_eq!(windows(&run, &[1151]), [2.0 * 16.0 * 1460.0]);
}

#[test]
fn flows_in_parts_of_a_network_hear_the_same() {
    let text = told("way = \"message\"").set("traffic.0.flows", 4).text();
    let mut fingerprints = [1, 2].map(|parts| {
        let scenario = support::scenario(&text);
        let seed = sim::random::Seed { seed: 1, run: 0 };
        let mut world = sim::study::World::build(&scenario, seed, Default::default()).unwrap();
        world.run_until(sim::SimTime::from_ps(1_050_000_000_000));
        world.migrate(&[0, parts - 1]);
        world.run_until(sim::SimTime::NEVER);
        world.finish().unwrap().fingerprint
    });
    fingerprints.sort_unstable();
    assert_eq!(fingerprints[0], fingerprints[1]);
}

/// The scenario with news, and with more of its link.
fn loaded(news: &str, more: &str) -> Result<Loaded, String> {
    let circuit = CIRCUIT.replace("buffer = \"500 packets\"\n", &format!("buffer = \"500 packets\"\n{more}"));
    let text = format!("{circuit}[[news]]\nlink = \"a->b\"\n{news}\n");
    load(Input::Text { name: "test.toml", text: &text, folder: Path::new(".") }, &[]).map_err(|why| why.to_string())
}

#[test]
fn news_has_a_way_and_what_goes_with_it() {
    let told = |news: &str| loaded(news, "").err().unwrap_or_default();
    let ends = |news: &str, end: &str| assert!(told(news).ends_with(end), "{}", told(news));
    ends("way = \"rumour\"", "news.0.way: found \"rumour\"; allowed: mark, message, schedule");
    ends("way = \"mark\"\nlead = \"1 ms\"", "goes with way = \"schedule\"");
    ends("way = \"mark\"\ndelay = \"1 ms\"", "goes with way = \"message\"");
    let late = "news.0.lead: found \"2 s\"; allowed: at most the duration, \"1500 ms\"";
    ends("way = \"schedule\"\nlead = \"2 s\"", late);
    let twice = told("way = \"message\"\n[[news]]\nlink = \"a-b\"\nway = \"mark\"");
    assert!(twice.contains("\"a->b\" has news already; the first is news.0.link"), "{twice}");
    let queue = "queue = { kind = \"step\", threshold = \"5 packets\" }\n";
    let marks = loaded("way = \"mark\"", queue).err().unwrap_or_default();
    assert!(marks.contains("has the queue discipline \"step\"; allowed with way = \"mark\""), "{marks}");
}

#[test]
fn what_explain_writes_of_news_is_the_same_again() {
    let text = |news: &str| loaded(news, "").unwrap().explain();
    let scheduled = text("way = \"schedule\"\nlead = \"2 ms\"");
    assert!(scheduled.contains("[[news]]") && scheduled.contains("lead = \"2 ms\""), "{scheduled}");
    let again = load(Input::Text { name: "again.toml", text: &scheduled, folder: Path::new(".") }, &[]).unwrap();
    assert_eq!(again.explain(), scheduled);
    // Marks make those who listen read them.
    assert!(scheduled.contains("path_marks = false") && text("way = \"mark\"").contains("path_marks = true"));
}

#[test]
fn news_that_nobody_hears_or_that_says_nothing_is_warned_of() {
    let deaf = CIRCUIT.replace("\"retcp\"", "\"sack\"");
    let warnings =
        |text: &str, link: &str| support::warnings(&format!("{text}[[news]]\nlink = \"{link}\"\nway = \"message\"\n"));
    assert_eq!(warnings(CIRCUIT, "a->b"), Vec::<String>::new());
    assert!(warnings(&deaf, "a->b")[0].contains("no transport's law listens"));
    assert!(warnings(CIRCUIT, "b->a")[0].contains("there is no news of \"b->a\""));
}

#[test]
fn tdtcp_has_a_window_for_each_division_and_goes_back_to_the_first() {
    // Without news it has one; with news the circuit begins with the first window, beside what is outstanding.
    let text = CIRCUIT.replace("\"retcp\"", "\"tdtcp\"");
    let run = Builder::of(text).add("[[news]]\nlink = \"a->b\"\nway = \"message\"").run(1);
    let [before, after] = [windows(&run, &[1100]), windows(&run, &[1101])];
    let first = 16.0 * 1460.0;
    assert!(after[0] > before[0] && after[0] <= before[0] + first, "{before:?}, {after:?}");
}

/// Three racks, whose weeks are two matchings: rack 0 has its circuit to rack 1 from 20 to 200 µs of 400, and back from
/// 220 to 400. Nothing is lost; 16 packets are more than the way by the packet switch holds.
const RACKS: &str = r#"
[run]
duration = "1 ms"
[topology]
kind = "racks"
racks = 3
host_capacity = "40 Gbps"
packet_capacity = "10 Gbps"
packet_delay = "5 us"
circuit_capacity = "80 Gbps"
circuit_delay = "30 us"
[switching]
kind = "circuits"
day = "180 us"
night = "20 us"
buffer = "1000 packets"
[transport.it]
algorithm = "retcp"
initial_ssthresh = "16 packets"
initial_window = 16
[[traffic]]
transport = "it"
from = "t0h0"
to = "t1h0"
[probe]
interval = "1 us"
flows = [0]
"#;

fn racks(news: &str) -> Builder {
    Builder::of(RACKS).add(&format!("[[news]]\n{news}"))
}

/// The window at two microseconds, the later over the earlier.
fn ratio(run: &Results, at_us: [u64; 2]) -> f64 {
    let windows = sampled(run, &at_us, 1e6);
    windows[1] / windows[0]
}

/// In the second week the circuit comes at 420 µs and goes at 600. A window of some 36 segments grows by one in 20 µs.
#[test]
fn a_circuit_is_told_as_it_comes_and_as_it_goes() {
    for (circuit, rest, up, down) in [
        ("t0->t1", "way = \"message\"\ndelay = \"3 us\"", [423, 424], [603, 604]),
        ("all", "way = \"message\"", [420, 421], [600, 601]),
        ("t0-t1", "way = \"schedule\"\nlead = \"5 us\"", [415, 416], [595, 596]),
        ("t0->t1", "way = \"message\"\nbegins = \"resize\"", [320, 321], [600, 601]),
    ] {
        let mut racks = racks(&format!("circuit = \"{circuit}\"\n{rest}"));
        if rest.contains("resize") {
            racks = racks.set("switching.resized_buffer", "\"2000 packets\"").set("switching.lead", "\"100 us\"");
        }
        let run = racks.run(1);
        let (up, down) = (ratio(&run, up), 1.0 / ratio(&run, down));
        assert!((1.9..2.1).contains(&up) && (1.9..2.1).contains(&down), "{circuit}, {rest}: {up}, {down}");
    }
}

#[test]
fn the_way_back_has_its_own_circuit_and_other_racks_have_theirs() {
    let bits = |news: &str| Builder::of(RACKS).add(news).run(1).fingerprint;
    let silent = bits("");
    for (circuit, is_heard) in [("t0->t1", true), ("t1->t0", false), ("t0-t2", false)] {
        let told = bits(&format!("[[news]]\ncircuit = \"{circuit}\"\nway = \"message\""));
        assert_eq!(told != silent, is_heard, "{circuit}");
    }
}

/// Four racks in turn: rack 0 has its circuit to rack 2, and back, from 100 to 190 µs of 300.
#[test]
fn a_rotor_switch_tells_of_its_circuits_as_they_come_and_as_they_go() {
    let rotor = |news: &str| {
        racks(&format!("circuit = \"t0->t2\"\n{news}"))
            .set(
                "topology",
                "{ kind = \"rotor\", racks = 4, switches = 1, host_capacity = \"40 Gbps\", \
                 capacity = \"10 Gbps\", delay = \"1 us\" }",
            )
            .set("switching", "{ kind = \"rotor\", slice = \"100 us\", reconfiguration = \"10 us\" }")
            .set("traffic.0.to", "\"t2h0\"")
    };
    for (way, up, down) in [
        ("way = \"message\"\ndelay = \"3 us\"", [403, 404], [493, 494]),
        ("way = \"schedule\"\nlead = \"5 us\"", [395, 396], [485, 486]),
    ] {
        let run = rotor(way).run(1);
        let (up, down) = (ratio(&run, up), 1.0 / ratio(&run, down));
        assert!((1.9..2.1).contains(&up) && (1.9..2.1).contains(&down), "{way}: {up}, {down}");
    }
    let marked = support::refusal(&rotor("way = \"message\"").text(), &[("news.0.way", "\"mark\"")]);
    assert!(marked.contains("allowed: \"message\", \"schedule\""), "{marked}");
}

/// The first packet that leaves in the day takes 30 µs by the circuit, its ACK 7 µs or more. With the queue's resizing
/// marks begin 100 µs earlier, with what leaves by the packet switch.
#[test]
fn marks_of_a_circuit_come_with_the_acks_of_what_left_in_its_day() {
    let run = racks("circuit = \"t0->t1\"\nway = \"mark\"").run(1);
    let (early, up, down) = (ratio(&run, [400, 450]), ratio(&run, [420, 470]), ratio(&run, [630, 720]));
    // What the packet switch brings earlier than the circuit is out of order; then the window is halved once more.
    assert!(early < 1.2 && (1.9..2.2).contains(&up) && down < 0.6, "{early}, {up}, {down}");
    let resized = racks("circuit = \"t0->t1\"\nway = \"mark\"\nbegins = \"resize\"")
        .set("switching.resized_buffer", "\"2000 packets\"")
        .set("switching.lead", "\"100 us\"")
        .run(1);
    let (early, up) = (ratio(&resized, [310, 322]), ratio(&resized, [322, 370]));
    assert!(early < 1.2 && (1.9..2.4).contains(&up), "{early}, {up}");
}

/// The same of the same law under QUIC, whose ACK of a marked packet leaves at once. As the day ends, a cut for what is
/// out of order comes first; the jump then waits for the ACK of what left after it, and slow start takes it back.
#[test]
fn marks_of_a_circuit_come_with_the_acks_of_quic_too() {
    let host = "algorithm = \"quic\"\ncongestion_control = \"retcp\"\n";
    let text = RACKS.replace("algorithm = \"retcp\"\n", host) + "[[news]]\ncircuit = \"t0->t1\"\nway = \"mark\"\n";
    let run = Builder::of(text).run(1);
    let (early, up) = (ratio(&run, [400, 450]), ratio(&run, [420, 470]));
    let down = (631..720).map(|at| ratio(&run, [630, at])).fold(1.0, f64::min);
    assert!(early < 1.2 && (1.9..2.2).contains(&up) && (0.49..0.6).contains(&down), "{early}, {up}, {down}");
}

#[test]
fn who_does_not_listen_to_circuits_sends_the_same_bits() {
    let plain = RACKS.replace("algorithm = \"retcp\"", "algorithm = \"sack\"");
    let bits = |news: &str| Builder::of(plain.as_str()).add(news).run(1).fingerprint;
    for way in ["mark", "message", "schedule"] {
        assert_eq!(bits(&format!("[[news]]\ncircuit = \"all\"\nway = \"{way}\"")), bits(""), "{way}");
    }
}

#[test]
fn a_circuit_is_one_between_racks() {
    let told = |text: &str, news: &str| {
        let text = format!("{text}[[news]]\nway = \"mark\"\n{news}\n");
        let input = Input::Text { name: "test.toml", text: &text, folder: Path::new(".") };
        load(input, &[]).err().map(|why| why.to_string()).unwrap_or_default()
    };
    for (text, news, wanted) in [
        (RACKS, "", "the key \"link\" is missing; allowed: link, circuit or pair"),
        (RACKS, "circuit = \"t0->t3\"", "found \"t0->t3\"; allowed: two racks, as \"t0->t1\", or \"all\""),
        (RACKS, "circuit = \"t0->t0\"", "found \"t0->t0\"; allowed: two racks"),
        (RACKS, "circuit = \"t0h0->t1\"", "found \"t0h0->t1\"; allowed: two racks"),
        (RACKS, "circuit = []", "found an empty list"),
        (RACKS, "circuit = [\"t0->t1\", \"t0-t1\"]", "\"t0->t1\" has news already"),
        (
            RACKS,
            "circuit = \"all\"\nlink = \"t0h0->t0\"",
            "there is another subject already; allowed: link, circuit or pair",
        ),
        (RACKS, "circuit = \"all\"\nbegins = \"resize\"", "\"resize\" goes with switching.resized_buffer"),
        (RACKS, "link = \"t0h0->t0\"\nbegins = \"day\"", "goes with circuit"),
        (CIRCUIT, "circuit = \"a->b\"", "allowed with kind = \"circuits\""),
    ] {
        let found = told(text, news);
        assert!(found.contains(wanted), "{news}: {found:?}");
    }
    let marking = RACKS.replace("buffer = \"1000 packets\"", "buffer = \"1000 packets\"\nmark_from = 10");
    let found = told(&marking, "circuit = \"all\"");
    assert!(found.contains("switching.mark_from marks packets too"), "{found:?}");
}
