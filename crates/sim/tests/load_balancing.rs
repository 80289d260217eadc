//! Bursts that have two paths: figure 5 of paper 004, with less data.

use crate::support::{Builder, figure, numbers, scenario, texts};
use sim::SimTime;
use sim::engine::Options;
use sim::model::{NodeId, Ties, delay, disjoint_pair};
use sim::random::Seed;
use sim::results::Results;
use sim::scenario::{Input, load};
use sim::study::World;
use std::path::Path;

/// Ten flows over A-B-D-E-F (10 ms) and A-B-C-E-F (60 ms), of 20 MB each.
fn figure_5() -> Builder {
    let text = include_str!("../../../scenarios/load-balanced-bursts.toml");
    Builder::of(text).set("traffic.0.size", "20 MB")
}

fn total(run: &Results, column: &str) -> f64 {
    numbers(&run.flows, column).iter().sum()
}

#[test]
fn every_byte_arrives_and_rr_tcp_is_fooled_once() {
    let run = figure_5().run(1);
    assert_eq!(total(&run, "bytes_acked"), 2e8);
    // 1.7 s at 100 Mb/s: to the long path at 0.5 s, and back at 1 s and something, which reorders once.
    assert_eq!((total(&run, "fast_retransmits"), total(&run, "false_fast_retransmits")), (10.0, 10.0));
    assert_eq!(total(&run, "timeouts"), 0.0);
    assert!((2.0..=4.0).contains(&figure(&run, "path_switches")), "{}", figure(&run, "path_switches"));
}

#[test]
fn without_a_load_above_the_threshold_nothing_changes() {
    // 1 Gb/s on 8 Gb/s: 0.125.
    for (threshold, switches) in [(0.13, false), (0.12, true)] {
        let run = figure_5().set("switching.balancing.threshold", threshold).run(1);
        assert_eq!(figure(&run, "path_switches") > 0.0, switches, "{threshold}");
    }
    // By link, the formula as printed, the load is 1.
    let by_link = figure_5().set("switching.balancing.threshold", 0.9).set("switching.balancing.unit", "\"link\"");
    assert!(figure(&by_link.run(1), "path_switches") > 0.0);
}

#[test]
fn source_ordering_leaves_nothing_out_of_order() {
    let of = |ordering: &str| {
        let network = figure_5().set("transport.tcp.algorithm", "\"highspeed\"");
        network.set("switching.balancing.ordering", format!("\"{ordering}\"")).run(1)
    };
    let (off, shift, drain) = (of("off"), of("shift"), of("drain"));
    assert!(total(&off, "false_fast_retransmits") >= 10.0);
    for ordered in [&shift, &drain] {
        assert_eq!((total(ordered, "fast_retransmits"), figure(ordered, "bursts_lost")), (0.0, 0.0));
        // Up to 50 ms of 1 Gb/s, 6.25 MB, and a burst or two.
        let peak = figure(ordered, "ordering_buffer_peak");
        assert!((1e6..6.6e6).contains(&peak), "{peak}");
    }
}

#[test]
fn a_path_that_never_changes_costs_who_always_holds_its_delta() {
    // No load exceeds 1: all bursts take the short path. A file of one segment needs a way and no round trip.
    let of = |ordering: &str, traffic: &str| {
        let network = figure_5().set("switching.balancing.threshold", "1.0").set("traffic.0.size", "1000 B");
        let network = network.set("switching.balancing.traffic", format!("\"{traffic}\""));
        let run = network.set("switching.balancing.ordering", format!("\"{ordering}\"")).run(1);
        assert_eq!((figure(&run, "path_switches"), figure(&run, "bursts_on_second_path")), (0.0, 0.0));
        numbers(&run.flows, "end_s").into_iter().fold(0.0, f64::max)
    };
    let off = of("off", "tcp");
    assert_eq!((of("shift", "tcp"), of("drain", "tcp")), (off, off));
    let more_ms = |traffic: &str| 1e3 * (of("always", traffic) - off);
    // The sender has finished when the ACK is there: δ for the data, and δ for the ACK if that has two paths too.
    let (data, both) = (more_ms("data"), more_ms("tcp"));
    assert!((data - 50.0).abs() < 0.01 && (both - 100.0).abs() < 0.01, "{data} ms, {both} ms");
}

#[test]
fn source_ordering_keeps_the_order_of_sprayed_bursts_and_where_they_wait_for_wavelengths() {
    for (policy, wavelengths) in [("alternate", 8), ("random", 8), ("random", 2)] {
        let network = figure_5().set("transport.tcp.algorithm", "\"highspeed\"").set("traffic.0.size", "5 MB");
        let network = network.set("switching.wavelengths", wavelengths).set("link.4.delay", "\"3.5 ms\"");
        let sprayed = network.set("switching.balancing.policy", format!("\"{policy}\""));
        let run =
            |ordering: &str| sprayed.clone().set("switching.balancing.ordering", format!("\"{ordering}\"")).run(1);
        let (off, drain) = (run("off"), run("drain"));
        assert!(total(&off, "fast_retransmits") > 0.0, "{policy}");
        let found = (total(&drain, "fast_retransmits"), figure(&drain, "bursts_lost"));
        assert_eq!(found, (0.0, 0.0), "{policy} {wavelengths}");
    }
}

#[test]
fn bursts_that_take_turns_are_halved() {
    let turns =
        figure_5().set("switching.balancing.policy", "\"alternate\"").set("switching.balancing.traffic", "\"data\"");
    let run = turns.run(1);
    let (all, second) = (figure(&run, "bursts_with_two_paths"), figure(&run, "bursts_on_second_path"));
    assert!((all - 2.0 * second).abs() <= 1.0, "{all} {second}");
    assert_eq!(total(&run, "bytes_acked"), 2e8);
}

#[test]
fn a_chosen_pair_is_spread_with_all_its_traffic_in_its_direction() {
    let turns = figure_5().set("switching.balancing.policy", "\"alternate\"");
    let both_ways = turns.clone().set("switching.balancing.traffic", "\"data\"").run(1);
    // From A to F there are data only, from F to A there are ACKs only, and the pair F to A is not chosen.
    let path = "{ primary = [\"A\", \"B\", \"D\", \"E\", \"F\"], alternate = [\"A\", \"B\", \"C\", \"E\", \"F\"] }";
    let named = turns.set("switching.balancing.paths", format!("[{path}]"));
    let chosen = named.set("switching.balancing.pairs", "[[\"A\", \"F\"]]").run(1);
    assert_eq!(chosen.fingerprint, both_ways.fingerprint);
}

#[test]
fn of_two_pairs_with_equal_traffic_the_chosen_one_is_spread() {
    // Datagrams, which are not spread unless all traffic is. A burst for each, one a millisecond: 4000 in 4 s from each
    // of four nodes.
    let text = r#"
        [run]
        duration = "4 s"
        [topology]
        kind = "nsfnet"
        [switching]
        kind = "obs"
        wavelengths = 2
        assembly.length = "1 kB"
        [transport.datagrams]
        algorithm = "udp"
        packet_size = "1000 B"
        [[traffic]]
        transport = "datagrams"
        pairs = [["0", "4"], ["1", "5"], ["4", "0"], ["3", "9"]]
        flows = 4
        load = "constant"
        rate = "8 Mbps"
    "#;
    let network = Builder::of(text).set("switching.balancing.policy", "\"alternate\"");
    let chosen = |pairs: &str| network.clone().set("switching.balancing.pairs", pairs).run(1);
    let (none, one, two) = (chosen("[]"), chosen("[[\"0\", \"4\"]]"), chosen("[[\"0\", \"4\"], [\"1\", \"5\"]]"));
    assert_eq!((figure(&one, "bursts_with_two_paths"), figure(&one, "bursts_on_second_path")), (4000.0, 2000.0));
    assert_eq!(figure(&two, "bursts_with_two_paths"), 8000.0);
    let without = Builder::of(text).run(1);
    assert_eq!(none.fingerprint, without.fingerprint);
}

/// With how far packets arrived out of order.
fn measured() -> Builder {
    figure_5().set("probe.reordering", "true")
}

#[test]
fn a_switch_to_a_longer_or_an_equal_path_reorders_nothing() {
    // Paper 004, §2. The first switch, from the short to the long path, comes with the news after 0.5 s; the second one
    // half a second later.
    for (delta_ms, duration, switches) in [(50, "1 s", 1.0), (50, "1300 ms", 2.0), (0, "1300 ms", 2.0)] {
        let network = measured().set("link.4.delay", format!("\"{} ms\"", 2.5 + f64::from(delta_ms)));
        let run = network.set("run.duration", format!("\"{duration}\"")).run(1);
        assert_eq!(figure(&run, "path_switches"), switches, "{delta_ms} ms, {duration}");
        let reorders = delta_ms > 0 && switches > 1.0;
        assert_eq!(figure(&run, "reordered_packets") > 0.0, reorders, "{delta_ms} ms, {duration}");
    }
}

#[test]
fn what_is_overtaken_by_50_ms_waits_as_long_again_for_its_access_link() {
    let run = measured().run(1);
    let latest = numbers(&run.flows, "max_late_s").into_iter().fold(0.0, f64::max);
    // For 50 ms bursts come by both paths, at twice the rate of the access links: the last late packet waits there for
    // another 50 ms. The last burst on the long path left up to a burst's time, 0.8 ms, and the news some milliseconds
    // before the first one on the short path.
    assert!((0.09..=0.1).contains(&latest), "{latest}");
    // 625 packets of a flow, 50 ms of 100 Mb/s, are late, and 625 have overtaken the last of them.
    let greatest = figure(&run, "max_extent");
    assert!((1100.0..=1250.0).contains(&greatest), "{greatest}");
    let table = run.table("reordering").unwrap();
    let (metric, share) = (texts(table, "metric"), numbers(table, "share"));
    for density in ["displacement", "reorder buffer"] {
        let sum: f64 = metric.iter().zip(&share).filter(|(name, _)| *name == density).map(|(_, share)| share).sum();
        assert!((sum - 10.0).abs() < 1e-9, "{density}: {sum} of ten flows");
    }
}

#[test]
fn what_packets_carry_besides_sack_blocks_survives_a_burst() {
    let connection = figure_5().set("traffic.0.size", "1 MB").set("transport.tcp.timestamps", true);
    let run = connection.set("transport.tcp.handshake", true).set("probe.delays", true).run(1);
    assert_eq!(total(&run, "bytes_acked"), 1e7);
    // 12 ms for the way, and the assembly of bursts.
    assert!(figure(&run, "mean_packet_delay") > 12e-3);
}

#[test]
fn measuring_the_order_changes_no_run() {
    let of = |network: &Builder, threads| {
        let scenario = scenario(&network.text());
        let mut world = World::build(&scenario, Seed { seed: 1, run: 0 }, Options::default()).unwrap();
        world.use_threads(threads);
        world.run_until(SimTime::NEVER);
        world.finish().unwrap()
    };
    let sprayed =
        |network: Builder| network.set("traffic.0.size", "2 MB").set("switching.balancing.policy", "\"random\"");
    let (plain, asked) = (sprayed(figure_5()), sprayed(measured()));
    let (without, one, two) = (of(&plain, 1), of(&asked, 1), of(&asked, 2));
    assert_eq!((without.fingerprint, without.table("reordering")), (one.fingerprint, None));
    assert!(figure(&one, "reordered_packets") > 0.0);
    assert_eq!((one.fingerprint, one.table("reordering")), (two.fingerprint, two.table("reordering")));
    for column in ["packets_received", "mean_extent", "mean_late_s", "mean_displacement", "max_reorder_buffer"] {
        assert_eq!(numbers(&one.flows, column), numbers(&two.flows, column), "{column}");
    }
}

#[test]
fn the_pairs_of_paper_004_differ_by_half_a_millisecond_to_19_ms_or_to_11_ms() {
    let text = "[run]\nduration = \"1 s\"\n[topology]\nkind = \"nsfnet\"\n[[traffic]]\ntransport = \"sack\"\nfrom = \
        \"0\"\nto = \"4\"";
    let network = scenario(text).network.clone();
    let open = vec![true; network.links.len()];
    for (ties, most_us) in [(Ties::Ids, 19_000), (Ties::Delay, 11_000)] {
        let difference = |(from, to): (u32, u32)| {
            let pair = disjoint_pair(&network, &open, NodeId(from), NodeId(to), ties).expect("there are two paths");
            assert_eq!(pair.shared(), 0);
            delay(&network, &pair.primary).abs_diff(delay(&network, &pair.alternate)) / 1_000_000
        };
        let pairs = [(0, 4), (1, 5), (3, 9), (5, 7), (6, 13), (1, 12), (8, 0), (12, 8)];
        let found = pairs.map(difference);
        assert_eq!((found.iter().min(), found.iter().max()), (Some(&500), Some(&most_us)), "{ties:?}: {found:?}");
    }
}

#[test]
fn paths_that_are_not_disjoint_are_allowed_with_a_note() {
    let notes = |network: &Builder| {
        let source = Input::Text { name: "test.toml", text: &network.text(), folder: Path::new(".") };
        load(source, &[]).unwrap().notes()
    };
    assert_eq!(
        notes(&figure_5()),
        [
            "the paths from \"A\" to \"F\" share \"A->B\" and \"E->F\": they count in no path's load",
            "the paths from \"F\" to \"A\" share \"F->E\" and \"B->A\": they count in no path's load",
        ]
    );
    let counted = figure_5().set("switching.balancing.shared_links", "\"counted\"");
    assert!(notes(&counted)[0].ends_with("they count in the load of both"));
    assert_eq!(notes(&figure_5().set("switching.balancing.paths", "[]")), Vec::<String>::new());
}

#[test]
fn a_run_in_two_threads_is_the_same() {
    let scenario = scenario(&figure_5().set("traffic.0.size", "5 MB").text());
    let of = |threads| {
        let mut world = World::build(&scenario, Seed { seed: 1, run: 0 }, Options::default()).unwrap();
        world.use_threads(threads);
        world.run_until(SimTime::NEVER);
        world.finish().unwrap().fingerprint
    };
    assert_eq!(of(1), of(2));
}
