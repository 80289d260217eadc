//! Jitter of links: its mean by hand, the order of packets, and that it is the same on threads and in parts.

use crate::support::{Builder, figure, scenario};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;

/// A packet of 1000 B each millisecond for 20 s, which lasts 10 µs on a link of 5 ms.
const CONSTANT: &str = r#"
[run]
duration = "20 s"
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
from = "a"
to = "b"
capacity = "800 Mbps"
delay = "5 ms"
[transport.udp]
packet_size = 1000
[[traffic]]
transport = "udp"
from = "a"
to = "b"
rate = "8 Mbps"
[probe]
delays = true
reordering = true
"#;

fn constant(jitter: &str, law: &str, order: &str) -> Builder {
    let text = |word: &str| format!("{word:?}");
    let link = Builder::of(CONSTANT).set("link.0.jitter", text(jitter));
    link.set("link.0.jitter_law", text(law)).set("link.0.jitter_order", text(order))
}

/// The jitter is less than the distance of packets, so that none waits for another. 20 000 of them: the mean of a
/// uniform one of 0.9 ms is off by 0.26 ms / √20 000 = 1.8 µs, of four times that hardly ever. Free order changes
/// nothing. An exponential one of 50 µs, 0.35 µs, is beyond 1 ms with a probability of 2e-9.
#[test]
fn the_mean_delay_is_that_of_the_law() {
    let mean = |law: &str, jitter: &str, order: &str| {
        let run = constant(jitter, law, order).run(1);
        assert_eq!((figure(&run, "dropped_packets"), figure(&run, "reordered_packets")), (0.0, 0.0));
        figure(&run, "mean_packet_delay") - 5.01e-3
    };
    let [kept, free] = ["kept", "free"].map(|order| mean("uniform", "0.9 ms", order));
    assert!((kept - 450e-6).abs() < 7.4e-6, "{kept}");
    assert_eq!(kept, free);
    let exponential = mean("exponential", "50 us", "kept");
    assert!((exponential - 50e-6).abs() < 1.5e-6, "{exponential}");
}

/// Packets are 1 ms apart and their jitter is uniform up to 2 ms: the next one overtakes with the probability that one
/// draw of two is more than 1 ms above the other, (2 − 1)² / (2 · 2²) = 1/8, and the one after it never.
#[test]
fn one_packet_of_eight_is_overtaken() {
    let free = constant("2 ms", "uniform", "free").run(1);
    let overtaken = figure(&free, "reordered_ratio");
    assert!((overtaken - 0.125).abs() < 0.01, "{overtaken}");
    let kept = constant("2 ms", "uniform", "kept").run(1);
    assert_eq!(figure(&kept, "reordered_packets"), 0.0);
    assert!(figure(&kept, "mean_packet_delay") > figure(&free, "mean_packet_delay"), "one waits for another");
}

/// What is in transmission keeps its own jitter where its link changes to what it was.
#[test]
fn a_change_to_what_is_so_already_leaves_the_jitter() {
    let jittered = || constant("2 ms", "uniform", "kept").set("run.duration", "\"1 s\"");
    // Each packet begins at a whole millisecond and lasts 10 µs.
    let same: Vec<String> = (0..1000)
        .map(|ms| {
            format!("[[event]]\nat = \"{ms}.005 ms\"\nlink = \"a->b\"\ncapacity = \"800 Mbps\"\ndelay = \"5 ms\"")
        })
        .collect();
    let changed = jittered().add(&same.join("\n")).run(3);
    assert_eq!(changed.fingerprint, jittered().run(3).fingerprint);
    let other = jittered().add("[[event]]\nat = \"0.5 s\"\nlink = \"a->b\"\njitter = \"1 ms\"").run(3);
    assert_ne!(other.fingerprint, changed.fingerprint);
}

/// An event, a phase or a link that says so: the same packets at the same times. None is as a link without any.
#[test]
fn jitter_is_a_function_of_time() {
    let plain = || Builder::of(CONSTANT).set("run.duration", "\"1 s\"");
    let event = |at: &str, jitter: &str| format!("[[event]]\nat = \"{at}\"\nlink = \"a->b\"\njitter = \"{jitter}\"");
    assert_eq!(plain().add(&event("0 s", "0 s")).run(1).fingerprint, plain().run(1).fingerprint);
    let own = constant("2 ms", "uniform", "kept").set("run.duration", "\"1 s\"").run(1).fingerprint;
    assert_eq!(plain().add(&event("0 s", "2 ms")).run(1).fingerprint, own);
    let phases = r#"[[link_phases]]
link = "a->b"
phases = [{ duration = "100 ms", jitter = "2 ms" }, { duration = "100 ms" }]"#;
    let events: Vec<String> = (0..10)
        .map(|phase| event(&format!("{} ms", 100 * phase), if phase % 2 == 0 { "2 ms" } else { "0 s" }))
        .collect();
    let [phases, events] = [phases.to_owned(), events.join("\n")].map(|text| plain().add(&text).run(1).fingerprint);
    assert_eq!(phases, events);
    assert_ne!(phases, own);
}

/// A bottleneck on which packets overtake, and which pauses and changes; flows of TCP in both directions.
const FREE: &str = r#"
[run]
duration = "3 s"
[topology]
kind = "dumbbell"
pairs = 4
bottleneck_capacity = "20 Mbps"
bottleneck_delay = "5 ms"
bottleneck_buffer = "50 packets"
access_capacity = "100 Mbps"
[link_defaults.core]
jitter = "4 ms"
jitter_order = "free"
[[traffic]]
transport = "sack"
flows = 8
spread = "100 ms"
[[traffic]]
transport = "sack"
pairs = [["r0", "l0"], ["r1", "l1"]]
flows = 2
[[link_phases]]
link = "left-right"
mid_packet = "finish"
phases = [
    { duration = "90 ms", capacity = "30 Mbps", delay = "2 ms" },
    { duration = "30 ms", capacity = "0 bps" },
    { duration = "200 ms", jitter = "1 ms" },
    { duration = "40 ms", state = "down" },
]
"#;

fn divided(threads: usize, parts: u32) -> Results {
    let scenario = scenario(FREE);
    let mut world = World::build(&scenario, Seed { seed: 3, run: 0 }, Options::default()).unwrap();
    world.use_threads(threads);
    world.migrate(&(0..scenario.network.nodes.len() as u32).map(|node| node % parts).collect::<Vec<_>>());
    world.run_until(SimTime::NEVER);
    world.finish().unwrap()
}

/// The books close at the end of each run, or it would fail.
#[test]
fn packets_that_overtake_are_the_same_bits_on_threads_and_in_parts() {
    let alone = divided(1, 1);
    assert!(figure(&alone, "fast_retransmits") > 0.0);
    for (threads, parts) in [(1, 3), (2, 2), (2, 5)] {
        let other = divided(threads, parts);
        assert_eq!(other.fingerprint, alone.fingerprint, "{threads} threads, {parts} parts");
        assert!(format!("{:?}", other.links) == format!("{:?}", alone.links));
    }
}
