//! News of a link: who hears it, how, and when.

mod support;

use sim::results::Results;
use support::{Builder, numbers, texts};

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
    let (times, values) = (numbers(&run.series, "t_s"), numbers(&run.series, "value"));
    let is_cwnd: Vec<bool> = texts(&run.series, "quantity").iter().map(|name| name == "cwnd").collect();
    let at = |ms: &u64| (0..times.len()).find(|row| is_cwnd[*row] && (times[*row] * 1e3).round() as u64 == *ms);
    at_ms.iter().map(|ms| values[at(ms).expect("it is sampled")]).collect()
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
