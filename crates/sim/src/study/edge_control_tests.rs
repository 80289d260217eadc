//! Optical packets with another control of the edge nodes than macroflows, and marks: what a plan may ask of stores,
//! and who sees it.

use super::World;
use crate::language::Input;
use crate::random::Seed;
use crate::results::Results;
use crate::scenario::{Scenario, load};
use crate::switching::ops::Ops;
use crate::switching::ops::plan::Congestion;
use crate::switching::ops::quench::{self, Quench};
use std::path::Path;

/// Two edge nodes send 0.6 Gb/s each to a third, through one output of 1 Gb/s with room for 20 packets of 12 us.
const MEETING: &str = r#"
run = { duration = "50 ms" }
link_defaults = { capacity = "1 Gbps", delay = "10 us", buffer = "20 packets" }
transport.udp = { algorithm = "udp", packet_size = 1500 }
node = [
    { name = "a" }, { name = "b" }, { name = "d" },
    { name = "ea", role = "edge" }, { name = "eb", role = "edge" }, { name = "ed", role = "edge" },
    { name = "x", role = "core" },
]
link = [
    { from = "a", to = "ea" }, { from = "b", to = "eb" }, { from = "d", to = "ed" },
    { from = "ea", to = "x" }, { from = "eb", to = "x" }, { from = "ed", to = "x" },
]
traffic = [
    { transport = "udp", from = "a", to = "d", rate = "0.6 Gbps", load = "poisson" },
    { transport = "udp", from = "b", to = "d", rate = "0.6 Gbps", load = "poisson" },
]
"#;
const SLOTS: &str = "slot_time = \"12 us\"\nslot_buffer = { places = 20 }\n";
const LINES: &str = "delay_lines = { step = \"12 us\", lines = 20 }\n";
/// A quarter of the room.
const FROM: Congestion = Congestion { from: 5 };
/// The network with control wavelengths, as macroflows have them, but without macroflows.
fn scenario(store: &str, congestion: Option<Congestion>, control: Option<Quench>) -> Scenario {
    let text = format!("{MEETING}[switching]\nkind = \"ops\"\nmacroflow = \"same\"\n{store}");
    let input = Input::Text { name: "test.toml", text: &text, folder: Path::new("") };
    let mut scenario = load(input, &[]).unwrap_or_else(|error| panic!("{error}")).scenario;
    scenario.plan = quench::plan(scenario.plan::<Ops>().unwrap(), congestion, control);
    scenario
}

fn run(scenario: &Scenario) -> Results {
    let mut world = World::build(scenario, Seed { seed: 1, run: 0 }, Default::default()).unwrap();
    world.run_until(world.end());
    world.finish().unwrap()
}

fn figure(results: &Results, name: &str) -> Option<f64> {
    results.summary.iter().find(|figure| figure.name == name).map(|figure| figure.value)
}

/// 1.2 Gb/s come where 1 Gb/s leaves: a sixth is lost (5000 packets, a standard deviation of 0.01 with the room). With
/// the control the other edge nodes keep the excess: from 5 packets on, room for 15 more is there for the 25 us that it
/// takes to tell them, in which 2 packets come besides those that leave.
#[test]
fn another_edge_control_hears_of_congestion_and_prevents_losses() {
    let without = run(&scenario("", None, None));
    let lost = figure(&without, "dropped_packets").unwrap() / 5000.0;
    assert!((lost - 1.0 / 6.0).abs() < 0.03, "{lost}");
    assert_eq!(figure(&without, "marked_packets"), None);
    let control = Quench::default();
    let with = run(&scenario("", Some(FROM), Some(control.clone())));
    assert_eq!(figure(&with, "dropped_packets"), Some(0.0));
    let [told, seen] = control.counts();
    let marked = figure(&with, "marked_packets").unwrap() as u64;
    // A packet and its mark are on three fibres and wait at one output at most; a message is on one.
    assert!(told > 100 && marked <= seen && seen <= told && told - marked <= 25, "{told} {seen} {marked}");
}

/// What an ordinary port does and what a store does that must tell when it is congested.
#[test]
fn a_store_that_marks_sends_and_drops_as_before() {
    let store = |text: &str| run(&scenario(text, None, None));
    let telling = |text: &str, from| run(&scenario(text, Some(Congestion { from }), None));
    for text in ["", SLOTS, LINES] {
        let (plain, telling) = (store(text), telling(text, 5));
        assert_eq!(plain.fingerprint, telling.fingerprint, "{text}");
        assert_eq!(plain.drops, telling.drops, "{text}");
        assert!(figure(&telling, "dropped_packets") > Some(0.0), "{text}");
        assert!(figure(&telling, "marked_packets") > Some(1000.0), "{text}");
    }
    let all = telling("", 0);
    assert_eq!(figure(&all, "marked_packets").map(|marked| marked as u64), delivered(&all));
}

/// Datagrams that came, of 12 000 bit each.
fn delivered(results: &Results) -> Option<u64> {
    Some((figure(results, "goodput")? * figure(results, "measured_time")? / 12_000.0).round() as u64)
}
