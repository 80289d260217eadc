use super::super::empty_paths::transfer;
use super::*;
use crate::engine::Options;
use crate::model::Link;
use crate::random::Seed;
use crate::results::{Column, Results};
use crate::scenario::{Input, load};
use crate::study::World;
use std::path::Path;
use units::{Duration, Rate};

fn results(text: &str) -> Results {
    results_with(text, &[])
}

/// With completion at the sender.
fn acknowledged(text: &str) -> Results {
    results_with(text, &[("run.completion".to_owned(), "\"acknowledged\"".to_owned())])
}

fn results_with(text: &str, keys: &[(String, String)]) -> Results {
    let loaded = load(Input::Text { name: "test.toml", text, folder: Path::new("") }, keys);
    let scenario = loaded.unwrap_or_else(|error| panic!("{error}")).scenario;
    let mut world = World::build(&scenario, Seed { seed: 1, run: 0 }, Options::default()).unwrap();
    world.run_until(world.end());
    world.finish().unwrap()
}

fn figure(results: &Results, name: &str) -> Option<f64> {
    results.summary.iter().find(|figure| figure.name == name).map(|figure| figure.value)
}

/// A line of three links of 100, 10 and 40 Mb/s, and a flow whose first window is all of it.
fn line(size: &str) -> String {
    format!(
        r#"
[run]
duration = "10 s"
[[node]]
name = "a"
[[node]]
name = "b"
[[node]]
name = "c"
[[node]]
name = "d"
[link_defaults]
delay = "1 ms"
buffer = "unlimited"
[[link]]
from = "a"
to = "b"
capacity = "100 Mbps"
[[link]]
from = "b"
to = "c"
capacity = "10 Mbps"
[[link]]
from = "c"
to = "d"
capacity = "40 Mbps"
[transport.all-at-once]
algorithm = "sack"
initial_window = 1000
[[traffic]]
transport = "all-at-once"
from = "a"
to = "d"
size = "{size}"
"#
    )
}

#[test]
fn a_flow_alone_whose_first_window_is_all_of_it_has_a_slowdown_of_one() {
    for size in ["1 B", "1460 B", "2920 B", "14600 B", "146 kB", "1461 B", "3000 B"] {
        let delivered = results(&line(size));
        assert!((figure(&delivered, "mean_slowdown").unwrap() - 1.0).abs() < 1e-9, "{size}");
        let results = acknowledged(&line(size));
        let slowdown = figure(&results, "mean_slowdown").unwrap();
        // Behind a full segment the ACK of a short last one waits for the ACK of that, up to 32 us at 10 Mb/s.
        let is_short = matches!(size, "1461 B" | "3000 B");
        let most = if is_short { 1.005 } else { 1.0 + 1e-9 };
        assert!((1.0 - 1e-9..most).contains(&slowdown), "{size}: {slowdown}");
        let column = results.flows.columns.iter().find(|(name, _)| *name == "slowdown");
        assert!(matches!(column, Some((_, Column::F64(values))) if values[0] == slowdown));
    }
}

#[test]
fn the_time_of_an_empty_path_is_that_of_the_arithmetic() {
    let link = |mbps: u64| Link { capacity: Rate::from_bps(mbps * 1_000_000), ..test_link() };
    let (fast, slow, middle) = (link(100), link(10), link(40));
    let us = |links: &[&Link], last, packets| transfer(links, 1500, last, packets) / 1e6;
    // 1500 B are 120, 1200 and 300 us; ten packets wait for the slow link: 120 + 10 · 1200 + 300.
    assert!((us(&[&fast, &slow, &middle], 1500, 10) - 12_420.0).abs() < 1e-6);
    // A last packet of 150 B, 12, 120 and 30 us: it follows nine full ones through the slow link. 120 + 9 · 1200 + 120
    // + 30 = 11 070; but the ninth is on the last link until 120 + 9 · 1200 + 300 = 11 220, and 30 us later the last is
    // through.
    assert!((us(&[&fast, &slow, &middle], 150, 10) - 11_250.0).abs() < 1e-6);
    assert!((us(&[&fast, &slow, &middle], 150, 1) - 162.0).abs() < 1e-6);
}

fn test_link() -> Link {
    let text = line("1 kB");
    let loaded = load(Input::Text { name: "test.toml", text: &text, folder: Path::new("") }, &[]);
    let mut network = loaded.unwrap_or_else(|error| panic!("{error}")).scenario.model.network;
    let link = network.links.remove(0);
    assert_eq!(link.delay, Duration::from_millis(1));
    link
}

#[test]
fn percentiles_are_nearest_ranks_and_left_out_where_nothing_lies_above() {
    let of = |n: u32| {
        let mut found = Vec::new();
        let values = (1..=n).rev().map(f64::from).collect();
        percentiles(&["p50", "p95", "p99", "p99_9"], values, "s", &mut |name, value, _| found.push((name, value)));
        found
    };
    assert_eq!(of(1), []);
    assert_eq!(of(19), [("p50", 10.0)]);
    assert_eq!(of(100), [("p50", 50.0), ("p95", 95.0), ("p99", 99.0)]);
    assert_eq!(of(1000), [("p50", 500.0), ("p95", 950.0), ("p99", 990.0), ("p99_9", 999.0)]);
}

#[test]
fn an_incast_takes_as_long_as_its_port_needs_for_all_answers() {
    // Eight answers of ten packets through one port at 1 Gb/s, whose buffer holds them all, in one round trip each.
    let text = r#"
[run]
duration = "1 s"
[topology]
kind = "star"
leaves = 9
[link_defaults]
capacity = "1 Gbps"
delay = "20 us"
buffer = "unlimited"
[[traffic]]
transport = "sack"
arrivals = "incast"
to = "n0"
every = "10 ms"
size = "14600 B"
"#;
    // 80 packets of 12 us at the port, which the first reaches after 12 + 20 us; 20 us there; the ACK 0.32 + 20 + 0.32
    // + 20 us.
    for (results, ack_us) in [(results(text), 0.0), (acknowledged(text), 40.64)] {
        assert_eq!(figure(&results, "requests_completed"), Some(100.0));
        let time = figure(&results, "mean_request_time").unwrap();
        assert!((time - (80.0 * 12.0 + 12.0 + 40.0 + ack_us) * 1e-6).abs() < 1e-9, "{time}");
    }
}

#[test]
fn jain_s_index_is_of_what_ran_all_the_time() {
    // Two flows share evenly; a third starts late and a fourth completes.
    let results = results(
        r#"
[run]
duration = "20 s"
warm_up = "5 s"
[topology]
kind = "dumbbell"
pairs = 2
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "10 ms"
bottleneck_buffer = "50 packets"
[[traffic]]
transport = "sack"
flows = 2
[[traffic]]
transport = "sack"
from = "l0"
to = "r0"
start = "19 s"
[[traffic]]
transport = "sack"
from = "l0"
to = "r0"
size = "10 kB"
"#,
    );
    let goodputs: Vec<f64> = match results.flows.columns.iter().find(|(name, _)| *name == "goodput_bps") {
        Some((_, Column::F64(values))) => values.clone(),
        _ => panic!(),
    };
    let index = figure(&results, "fairness_index").unwrap();
    let (a, b) = (goodputs[0], goodputs[1]);
    let about = (a + b) * (a + b) / (2.0 * (a * a + b * b));
    assert!((index - about).abs() < 0.05 && index <= 1.0, "{index} {about}");
}
