//! Whole runs: what must be the same, what must be conserved, and how events act on links.

mod support;

use sim::SimTime;
use sim::engine::{CaptureOptions, Options};
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;
use std::sync::{Arc, Mutex};
use support::{Builder, MIXED, at, figure, numbers, run, run_with, scenario, texts};

/// The hash of [`MIXED`] with seed 1, the same in debug and release and on every machine. It changes when behaviour
/// does; the change then belongs into CHANGELOG.md under "Results that changed".
const MIXED_FINGERPRINT: u64 = 0xe78b_6264_6eb9_e6e5;

#[test]
fn a_seed_gives_one_fingerprint_with_and_without_samples() {
    let first = run(MIXED, 1);
    let again = run(MIXED, 1);
    let blind = run_with(MIXED, 1, Options { without_samples: true, ..Options::default() });
    assert_eq!(first.fingerprint, again.fingerprint);
    assert_eq!(first.fingerprint, blind.fingerprint);
    assert_eq!(numbers(&first.flows, "bytes_acked"), numbers(&blind.flows, "bytes_acked"));
    assert_ne!(first.fingerprint, run(MIXED, 2).fingerprint);
    assert_eq!(format!("{:016x}", first.fingerprint), format!("{MIXED_FINGERPRINT:016x}"));
}

#[test]
fn the_way_of_repairing_losses_can_be_chosen_apart_from_the_window_law() {
    // reno, newreno and sack have one window law: with the repair of the other they are the other.
    let mixed =
        |table: &str, name: &str| Builder::of(MIXED).set("traffic.0.transport", name).add(table).run(1).fingerprint;
    let with_reno = "[transport.chosen]\nalgorithm = \"sack\"\nrecovery = \"reno\"\n";
    let with_sack = "[transport.chosen]\nalgorithm = \"newreno\"\nrecovery = \"sack\"\n";
    assert_eq!(mixed(with_reno, "chosen"), mixed("", "reno"));
    assert_eq!(mixed(with_sack, "chosen"), mixed("", "sack"));
    assert_ne!(mixed("", "reno"), mixed("", "sack"));
}

#[test]
fn where_a_run_is_cut_in_time_does_not_change_it() {
    let whole = run(MIXED, 1);
    let mut world = World::build(&scenario(MIXED), Seed { seed: 1, run: 0 }, Options::default()).unwrap();
    for step in 1..=300u64 {
        world.run_until(SimTime::from_ps(step * step * 33_333_333));
    }
    world.run_until(SimTime::NEVER);
    let cut = world.finish().unwrap();
    assert_eq!((whole.fingerprint, whole.events, whole.packet_hops), (cut.fingerprint, cut.events, cut.packet_hops));
    assert_eq!(whole.links, cut.links);
    assert_eq!(whole.drops, cut.drops);
}

#[test]
fn reading_a_run_while_it_goes_on_does_not_change_it() {
    let mixed = Builder::of(MIXED).set("probe.interval", "10 ms").set("probe.lost_throughput", true);
    let mixed = scenario(&mixed.text());
    let built = || World::build(&mixed, Seed { seed: 1, run: 0 }, Options::default()).unwrap();
    let mut whole = built();
    whole.run_until(SimTime::NEVER);
    let whole = whole.finish().unwrap();
    for threads in [1, 2] {
        let mut world = built();
        world.use_threads(threads);
        let mut seen = Vec::new();
        for step in 1..=10u64 {
            world.run_until(SimTime::from_ps(world.end().ps() / 10 * step));
            let so_far = world.so_far();
            // The samples so far are the first of the whole run, to the last bit.
            let values = numbers(&so_far.series, "value");
            let same = values.iter().zip(numbers(&whole.series, "value")).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same && values.len() > seen.len(), "step {step}: {} samples", values.len());
            seen = values;
        }
        let read = world.finish().unwrap();
        assert_eq!((whole.fingerprint, whole.events), (read.fingerprint, read.events));
        // As texts: what was not measured is NaN, which equals nothing.
        for (name, of) in [("links", 0), ("drops", 1), ("flows", 2), ("series", 3)] {
            let text = |run: &Results| format!("{:?}", [&run.links, &run.drops, &run.flows, &run.series][of]);
            assert!(text(&whole) == text(&read), "the table of {name} differs");
        }
        assert_eq!(format!("{:?}", whole.summary), format!("{:?}", read.summary));
    }
}

#[test]
fn where_a_run_is_cut_by_events_does_not_change_it() {
    let whole = run(MIXED, 1);
    for threads in [1, 2, 3] {
        let mut world = World::build(&scenario(MIXED), Seed { seed: 1, run: 0 }, Options::default()).unwrap();
        world.use_threads(threads);
        let (mut before, mut cuts) = (SimTime::ZERO, 0);
        while world.now() < world.end() {
            // One event at a time at first, where most of them share an instant with others.
            world.run_on(SimTime::NEVER, 1 + cuts / 100);
            assert!(world.now() >= before);
            (before, cuts) = (world.now(), cuts + 1);
            if threads == 3 && cuts % 500 == 0 {
                world.migrate(&(0..28).map(|node| (node + cuts as u32) % 5).collect::<Vec<u32>>());
            }
        }
        assert!(cuts > 1000, "{cuts}");
        let cut = world.finish().unwrap_or_else(|why| panic!("{threads} threads: {why:?}"));
        assert_eq!((whole.fingerprint, whole.events), (cut.fingerprint, cut.events));
        // As text, since a missing measurement is not equal to itself.
        assert!(format!("{whole:?}") == format!("{cut:?}"), "tables differ on {threads} threads");
    }
}

#[test]
fn a_run_comes_back_after_so_much_effort_however_long_it_is() {
    // 100 Mb/s in packets of 125 B are 1e5 packets a second: 8 hours of them would be 1e10 events.
    let text = r#"
run.duration = "8 h"
topology.kind = "dumbbell"
topology.pairs = 1
topology.bottleneck_capacity = "1 Gbps"
topology.bottleneck_delay = "1 ms"
topology.access_delay = "1 ms"
transport.u = { algorithm = "udp", packet_size = "125 B" }
traffic = [{ transport = "u", pairs = [["l0", "r0"]], flows = 1, load = "constant", rate = "100 Mbps" }]
"#;
    let mut world = World::build(&scenario(text), Seed { seed: 1, run: 0 }, Options::default()).unwrap();
    world.run_on(SimTime::NEVER, 40_000);
    // A packet is sent and received, two turns of a host: 20 000 packets in 0.2 s, and 3 ms that they are on their way.
    let now_s = world.now().as_secs_f64();
    assert!((now_s - 0.2).abs() < 0.004, "{now_s}");
    // What is sampled takes its turns too: two links every nanosecond, three turns. The start of the flow takes three
    // before (its slot of timers, its start, its first packet), so 3000 are spent after 999 samples, the last at 998
    // ns.
    let probe = "probe = { interval = \"1 ns\", links = [\"l0-left\"] }\nrun.memory = \"1000000000 GB\"";
    let mut world =
        World::build(&scenario(&format!("{probe}\n{text}")), Seed { seed: 1, run: 0 }, Options::default()).unwrap();
    world.run_on(SimTime::NEVER, 3000);
    assert_eq!(world.now(), SimTime::from_ps(998_000));
}

#[test]
fn a_link_that_goes_down_right_after_a_deal_takes_back_what_another_partition_has_counted() {
    let whole = run(MIXED, 1);
    let mut world = World::build(&scenario(MIXED), Seed { seed: 1, run: 0 }, Options::default()).unwrap();
    let of_node: Vec<u32> = (0..28).map(|node| node % 3).collect();
    // Link 5-9 goes down at 1.5 s.
    world.run_until(SimTime::from_ps(1_500_000_000_000));
    world.migrate(&of_node);
    world.run_until(SimTime::from_ps(1_500_000_000_001));
    assert!(world.packet_hops() > 0);
    world.run_until(SimTime::NEVER);
    let migrated = world.finish().unwrap();
    assert_eq!((whole.fingerprint, whole.packet_hops), (migrated.fingerprint, migrated.packet_hops));
}

#[test]
fn what_is_offered_to_a_link_is_carried_dropped_or_inside() {
    let run = run(MIXED, 3);
    let [offered, carried, dropped] =
        ["offered_units", "carried_units", "dropped_units"].map(|name| numbers(&run.links, name));
    for (link, name) in texts(&run.links, "link").iter().enumerate() {
        // What was inside when the window began or is inside at its end is at most the edge buffer of 0.1 s: 1.25 MB of
        // 40-byte packets.
        let inside = offered[link] - carried[link] - dropped[link];
        assert!(inside.abs() <= 31_250.0, "{name}: {inside}");
    }
    let by_cause: f64 = numbers(&run.drops, "units").iter().sum();
    assert_eq!(by_cause, dropped.iter().sum::<f64>());
}

#[test]
fn shuffled_ties_are_reproducible_and_move_no_mean_by_much() {
    let shuffled = |number| run_with(MIXED, 1, Options { shuffle_ties: Some(number), ..Options::default() });
    let (plain, one) = (run(MIXED, 1), shuffled(1));
    assert_eq!(one.fingerprint, shuffled(1).fingerprint);
    let (a, b) = (figure(&plain, "goodput"), figure(&one, "goodput"));
    assert!((a / b - 1.0).abs() < 0.1, "{a} {b}");
}

#[test]
fn a_capture_does_not_change_a_run() {
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let file = Shared::default();
    let capture = CaptureOptions { flows: vec![0, 1], links: Vec::new(), causes: &[], output: Box::new(file.clone()) };
    let run_captured = run_with(MIXED, 1, Options { capture: Some(capture), ..Options::default() });
    assert_eq!(run_captured.fingerprint, run(MIXED, 1).fingerprint);
    assert_eq!(file.0.lock().unwrap()[..4], 0x0a0d_0d0a_u32.to_le_bytes());
}

/// One UDP source of 8 Mb/s into a link, with something about the link.
fn constant_source(link: &str, events: &str) -> String {
    format!(
        r#"
[run]
duration = "10 s"
[topology]
kind = "custom"
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
from = "a"
to = "b"
capacity = "10 Mbps"
delay = "10 ms"
buffer = "10 packets"
{link}
[[traffic]]
transport = "udp"
from = "a"
to = "b"
rate = "8 Mbps"
{events}
"#
    )
}

#[test]
fn a_constant_source_of_8_mbps_uses_four_fifths_of_10_mbps() {
    let run = run(&constant_source("", ""), 1);
    // The first packet leaves at 0, the last not quite at 10 s: one packet in 6667 either way.
    assert!((at(&run.links, "link", "a->b", "utilization") - 0.8).abs() < 2e-4);
    assert_eq!(at(&run.links, "link", "a->b", "dropped_units"), 0.0);
}

#[test]
fn half_the_capacity_for_half_the_time_drops_what_does_not_fit() {
    let run = run(&constant_source("", "[[event]]\nat = \"5 s\"\nlink = \"a->b\"\ncapacity = \"4 Mbps\""), 1);
    // 5 s at 8 Mb/s, then 5 s at the 4 Mb/s that the link has: utilization (0.8 + 1)/2, half of the second half
    // dropped.
    assert!((at(&run.links, "link", "a->b", "utilization") - 0.9).abs() < 1e-3);
    let dropped = at(&run.links, "link", "a->b", "dropped_units");
    let expected = 5.0 * 4e6 / 12_000.0;
    assert!((dropped - expected).abs() <= 12.0, "{dropped} {expected}");
}

#[test]
fn a_link_that_is_down_for_2_of_10_seconds_drops_a_fifth() {
    let events = "[[event]]\nat = \"4 s\"\nlink = \"a-b\"\nstate = \"down\"\n[[event]]\nat = \"6 s\"\nlink = \
        \"a-b\"\nstate = \"up\"";
    let run = run(&constant_source("", events), 1);
    let offered = at(&run.links, "link", "a->b", "offered_units");
    let dropped = at(&run.links, "link", "a->b", "dropped_units");
    assert!((dropped / offered - 0.2).abs() < 1e-3);
    assert_eq!(texts(&run.drops, "cause"), ["unreachable"]);
}

/// A link is paused from 4 s to 4.012 s. A packet of 12 kbit comes every 1.5 ms; that of 3.999 s is in transmission,
/// those of 4.0005 s to 4.011 s wait: 8, for which there is room.
#[test]
fn a_link_of_8_bps_pauses_and_drops_nothing() {
    let change =
        |at: &str, capacity: &str| format!("[[event]]\nat = \"{at}\"\nlink = \"a->b\"\ncapacity = \"{capacity}\"\n");
    let events = change("4 s", "8 bps") + &change("4.012 s", "10 Mbps");
    let run = run(&constant_source("", &events), 1);
    let [offered, carried, dropped, waiting] = ["offered_units", "carried_units", "dropped_units", "max_queue"]
        .map(|name| at(&run.links, "link", "a->b", name));
    assert_eq!(dropped, 0.0);
    assert!(offered - carried <= 1.0, "{offered} {carried}");
    assert_eq!(waiting, 8.0);
}

/// The way over x is shorter; after `outage_ms` it is up again. How many packets go over y.
fn detoured(outage_ms: u64) -> f64 {
    let text = format!(
        r#"
        node = [{{ name = "a" }}, {{ name = "x", role = "core" }}, {{ name = "y", role = "core" }}, {{ name = "b" }}]
        link = [
            {{ from = "a", to = "x", capacity = "10 Mbps", delay = "1 ms" }},
            {{ from = "x", to = "b", capacity = "10 Mbps", delay = "1 ms" }},
            {{ from = "a", to = "y", capacity = "10 Mbps", delay = "5 ms" }},
            {{ from = "y", to = "b", capacity = "10 Mbps", delay = "5 ms" }},
        ]
        run = {{ duration = "4 s", warm_up = "0 s" }}
        topology = {{ kind = "custom", reroute_after = "200 ms" }}
        transport = {{ udp = {{ algorithm = "udp", packet_size = "1500 B" }} }}
        traffic = [{{ transport = "udp", from = "a", to = "b", rate = "6 Mbps" }}]
        event = [
            {{ at = "1 s", link = "a-x", state = "down" }},
            {{ at = "{} ms", link = "a-x", state = "up" }},
        ]
        "#,
        1000 + outage_ms
    );
    at(&run(&text, 1).links, "link", "a->y", "offered_units")
}

/// Routes change 200 ms after a state has begun that lasts so long: a link that is up again after 50 ms, or after
/// exactly 200, takes its packets back. After 400 ms they go the other way from 1.2 s to 1.6 s: at 6 Mb/s in packets of
/// 12 kbit 200.
#[test]
fn only_an_outage_longer_than_reroute_after_causes_a_detour() {
    assert_eq!([50, 200].map(detoured), [0.0; 2]);
    let long = detoured(400);
    assert!((199.0..=201.0).contains(&long), "{long}");
}

#[test]
fn every_tenth_packet_lost_is_a_tenth_lost_and_all_of_it_transmitted() {
    let run = run(&constant_source("loss_every = 10", ""), 1);
    let [offered, carried, dropped] =
        ["offered_units", "carried_units", "dropped_units"].map(|name| at(&run.links, "link", "a->b", name));
    assert!((dropped / offered - 0.1).abs() < 1e-3);
    assert!(offered - carried <= 1.0);
    assert_eq!(texts(&run.drops, "cause"), ["random"]);
}

#[test]
fn bernoulli_loss_of_5_percent_is_5_percent_within_four_standard_errors() {
    let run = run(&constant_source("loss = 0.05", ""), 1);
    let offered = at(&run.links, "link", "a->b", "offered_units");
    let share = at(&run.links, "link", "a->b", "dropped_units") / offered;
    assert!((share - 0.05).abs() < 4.0 * (0.05 * 0.95 / offered).sqrt(), "{share}");
}

#[test]
fn forced_fates_meet_exactly_the_named_copies() {
    let text = r#"
[run]
duration = "5 s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "10 ms"
[link_defaults]
capacity = "100 Mbps"
delay = "1 ms"
buffer = "100 packets"
[[traffic]]
transport = "sack"
flows = 1
from = "l0"
to = "r0"
size = "100 kB"
[[force]]
flow = 0
segment = 8
action = "drop"
[[force]]
flow = 0
segment = 20
action = "duplicate"
"#;
    let run = run(text, 1);
    assert_eq!(numbers(&run.flows, "completed"), [1.0]);
    // One loss in a window of at least four: one fast retransmit, no timeout. The duplicate is no retransmission.
    assert_eq!(numbers(&run.flows, "retransmissions"), [1.0]);
    assert_eq!(numbers(&run.flows, "fast_retransmits"), [1.0]);
    assert_eq!(numbers(&run.flows, "timeouts"), [0.0]);
    // 100 kB in segments of 1460 B: 69, and one retransmission.
    assert_eq!(numbers(&run.flows, "segments_sent"), [70.0]);
    assert_eq!((texts(&run.drops, "cause"), numbers(&run.drops, "units")), (vec!["forced".to_owned()], vec![1.0]));
}

#[test]
fn flows_on_a_dumbbell_run_from_left_to_right_unless_told_otherwise() {
    let text = r#"
[run]
duration = "1 s"
[topology]
kind = "dumbbell"
pairs = 2
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "10 ms"
[[traffic]]
transport = "newreno"
flows = 3
"#;
    let run = run(text, 1);
    assert_eq!(texts(&run.flows, "source"), ["l0", "l1", "l0"]);
    assert_eq!(texts(&run.flows, "destination"), ["r0", "r1", "r0"]);
}

/// Two sources fill 1.4 of a link with datagrams of three slots each. Most that are lost lose one or two, and each slot
/// that a core node drops is a packet of the accounts, which are checked when the run ends (here without optimization
/// too).
#[test]
fn slots_of_a_datagram_may_be_lost_and_the_accounts_hold() {
    let text = r#"
        node = [
            { name = "a" }, { name = "u" }, { name = "c" }, { name = "x", role = "core" },
            { name = "ea", role = "edge" }, { name = "eb", role = "edge" }, { name = "ec", role = "edge" },
        ]
        link = [
            { from = "a", to = "ea" }, { from = "u", to = "eb" }, { from = "c", to = "ec" },
            { from = "ea", to = "x" }, { from = "eb", to = "x" }, { from = "ec", to = "x" },
        ]
        run = { duration = "2 s" }
        link_defaults = { capacity = "55 Mbps", delay = "1 ms", edge = { buffer = "0.5 s" } }
        [switching]
        kind = "ops"
        slot_time = "83.79 us"
        slot_buffer = { places = 20, shared = true }
        dlcc = {}
        [transport.udp]
        packet_size = 1500
        [[traffic]]
        transport = "udp"
        pairs = [["a", "c"], ["u", "c"]]
        load = "poisson"
        rate = "38 Mbps"
    "#;
    assert!(figure(&run(text, 1), "dlcc_incomplete_datagrams") > 100.0);
}
