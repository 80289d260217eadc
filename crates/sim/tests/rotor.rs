//! Rotor switches: shares of saturated uplinks, waits and hops against arithmetic, every transport, bad input.

use crate::support::{Builder, at, figure, numbers, scenario, texts};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;
use std::fmt::Write;

/// A packet of 1250 B lasts 1 µs on a circuit. A slice of 60 µs has light for 50.1 µs of them, room for 50 packets.
const RACKS: &str = r#"
[run]
duration = "10 ms"
[topology]
kind = "rotor"
racks = 8
switches = 1
host_capacity = "40 Gbps"
host_delay = "1 ns"
capacity = "10 Gbps"
delay = "10 ns"
[switching]
kind = "rotor"
slice = "60 us"
guard = "4.9 us"
reconfiguration = "5 us"
[transport.udp]
packet_size = 1250
"#;

/// The share of a slice in which light passes.
const DUTY: f64 = 50.1 / 60.0;

fn racks() -> Builder {
    Builder::of(RACKS)
}

/// Every rack sends at 10 Gb/s, to the third one behind it or to all others alike, and cycles pass until queues have
/// filled; then the share of all uplinks that reaches hosts is measured.
fn saturated(racks: u32, switches: u32, to_all: bool, keys: &[(&str, &str)]) -> f64 {
    mixed(racks, switches, if to_all { 1.0 } else { 0.0 }, keys)
}

/// The same with such a part to all others, and the rest to one.
fn mixed(racks: u32, switches: u32, to_all: f64, keys: &[(&str, &str)]) -> f64 {
    let host = |rack: u32| format!("t{rack}h0");
    let cycle_us = f64::from((racks - 1) / switches) * 60.0;
    let mut scenario = self::racks()
        .set("topology.racks", racks)
        .set("topology.switches", switches)
        .set("topology.host_capacity", "\"400 Gbps\"")
        .set("switching.buffer", format!("\"{} packets\"", if to_all == 1.0 { 400 } else { 300 * racks }))
        .set("run.warm_up", format!("\"{} us\"", 16.0 * cycle_us))
        .set("run.duration", format!("\"{} us\"", 36.0 * cycle_us));
    for (part, distances) in [(1.0 - to_all, 3..4), (to_all, 1..racks)] {
        if part > 0.0 {
            let each = part * 10e9 * f64::from(switches) / distances.len() as f64;
            let mut pairs = String::new();
            for (from, by) in (0..racks).flat_map(|from| distances.clone().map(move |by| (from, by))) {
                write!(pairs, "[{:?}, {:?}], ", host(from), host((from + by) % racks)).unwrap();
            }
            let flows = racks * distances.len() as u32;
            scenario = scenario.add(&format!(
                "[[traffic]]\ntransport = \"udp\"\nload = \"constant\"\nrate = \"{each:.0} bps\"\n\
                 flows = {flows}\npairs = [{pairs}]\n"
            ));
        }
    }
    let found = keys.iter().fold(scenario, |scenario, (key, value)| scenario.set(key, value)).run(1);
    nothing_meets(&found, racks, switches);
    let arrived = |rack| at(&found.links, "link", &format!("t{rack}->t{rack}h0"), "carried_bits");
    (0..racks).map(arrived).sum::<f64>() / (20e-6 * cycle_us * 10e9 * f64::from(racks * switches))
}

/// No two packets meet at a rotor switch: nothing ever waits there.
fn nothing_meets(found: &Results, racks: u32, switches: u32) {
    for (switch, rack) in (0..switches).flat_map(|switch| (0..racks).map(move |rack| (switch, rack))) {
        let link = format!("r{switch}->t{rack}");
        let row = texts(&found.links, "link").iter().position(|name| *name == link).unwrap();
        assert_eq!(numbers(&found.links, "max_queue")[row], 0.0, "{link}");
        let up = at(&found.links, "link", &format!("t{rack}->r{switch}"), "utilization");
        assert!(up <= 1.0, "{up}");
    }
}

fn is_near(found: f64, expected: f64, what: &str) {
    assert!((found / expected - 1.0).abs() < 0.02, "{what}: found {found}, expected {expected}");
}

const SIZES: [u32; 3] = [8, 16, 24];

/// A permutation has one of the N − 1 circuits of a cycle; uniform traffic has them all.
#[test]
fn direct_carries_one_circuit_of_a_permutation_and_all_of_uniform_traffic() {
    for n in SIZES {
        is_near(saturated(n, 1, false, &[]), DUTY / f64::from(n - 1), &format!("permutation, {n} racks"));
        is_near(saturated(n, 1, true, &[]), DUTY, &format!("uniform, {n} racks"));
    }
}

/// With several switches shares are the same; one by one, a matching of three slices is dark once.
#[test]
fn several_switches_have_the_same_share_and_one_by_one_they_are_dark_more_rarely() {
    is_near(saturated(16, 3, true, &[]), DUTY, "together");
    let one_by_one = [("switching.order", "\"one-by-one\"")];
    is_near(saturated(16, 3, true, &one_by_one), (180.0 - 9.9) / 180.0, "one by one");
    for matchings in ["\"round-robin\"", "\"random\""] {
        let keys = [("switching.matchings", matchings)];
        is_near(saturated(16, 3, false, &keys), DUTY / 15.0, matchings);
    }
}

fn routes(routes: &'static str, first_hop: &'static str) -> Vec<(&'static str, &'static str)> {
    let routes = ("switching.routes", routes);
    if first_hop.is_empty() { vec![routes] } else { vec![routes, ("switching.first_hop", first_hop)] }
}

/// Each circuit carries a first hop and a second one of a permutation, but the packets' own circuit carries no second
/// one: it is idle half of the time, or all of it, or full.
#[test]
fn vlb_carries_half_of_a_permutation_by_its_reading_of_the_first_hop() {
    for n in SIZES {
        let racks = f64::from(n);
        let of = |first_hop| saturated(n, 1, false, &routes("\"vlb\"", first_hop));
        is_near(of("\"any\""), DUTY / 2.0, &format!("any, {n} racks"));
        is_near(of("\"other\""), DUTY * (racks - 2.0) / (2.0 * (racks - 1.0)), &format!("other, {n} racks"));
        is_near(of("\"next\""), DUTY * racks / (2.0 * (racks - 1.0)), &format!("next, {n} racks"));
    }
}

/// Of uniform traffic one part of N − 1 takes one hop, the others two: (2N − 3)/(N − 1) on average.
#[test]
fn vlb_carries_uniform_traffic_by_the_mean_of_its_hops() {
    for n in SIZES {
        let expected = DUTY * f64::from(n - 1) / f64::from(2 * n - 3);
        is_near(saturated(n, 1, true, &routes("\"vlb\"", "\"any\"")), expected, &format!("{n} racks"));
    }
}

/// RotorLB detours what has room: nothing of uniform traffic, and as much of a permutation as any rule can.
#[test]
fn rotorlb_is_as_good_as_waiting_for_uniform_traffic_and_as_the_best_detours_for_a_permutation() {
    for n in SIZES {
        is_near(saturated(n, 1, true, &routes("\"rotorlb\"", "")), DUTY, &format!("uniform, {n} racks"));
        let best = DUTY * f64::from(n) / f64::from(2 * (n - 1));
        is_near(saturated(n, 1, false, &routes("\"rotorlb\"", "")), best, &format!("permutation, {n} racks"));
    }
}

/// Half to all others and half to one: RotorLB lies between the ends. Each uplink carries what goes directly once, and
/// the rest twice; directly go at most the half to all others, less its part to the one, and that one's circuit.
#[test]
fn rotorlb_lies_between_for_a_mixture() {
    let (n, direct) = (8.0, 0.5 * 6.0 / 7.0 + DUTY / 7.0);
    let found = mixed(8, 1, 0.5, &routes("\"rotorlb\"", ""));
    assert!(found > DUTY * n / (2.0 * (n - 1.0)) && found < DUTY, "{found}");
    assert!(found <= 1.01 * (DUTY + direct) / 2.0, "{found}: more than any rule can carry");
}

/// A host alone has all circuits of its rack, which other racks empty for it: the whole uplink. Where hosts are counted
/// it has a quarter of each: twelve packets of the 50 that a slice carries.
#[test]
fn rotorlb_gives_a_host_alone_all_circuits_or_its_part_of_them() {
    let traffic = "[[traffic]]\ntransport = \"udp\"\nload = \"constant\"\nrate = \"20 Gbps\"\nfrom = \"t0h0\"\n\
                   to = \"t3h0\"\n";
    for (counts, packets) in [("\"racks\"", 50.1), ("\"hosts\"", 12.0)] {
        let found = racks()
            .add(traffic)
            .set("topology.hosts", 4)
            .set("switching.routes", "\"rotorlb\"")
            .set("switching.counts", counts)
            .set("switching.buffer", "\"2000 packets\"")
            .set("run.warm_up", "\"4200 us\"")
            .set("run.duration", "\"12600 us\"")
            .run(1);
        let share = at(&found.links, "link", "t3->t3h0", "carried_bits") / (10e9 * 8400e-6);
        is_near(share, packets / 60.0, counts);
    }
}

/// A packet that comes at any time of a cycle of 420 µs finds its circuit, or waits until it comes.
#[test]
fn the_wait_for_a_circuit_is_uniform_over_a_cycle() {
    let traffic = "[[traffic]]\ntransport = \"udp\"\nload = \"poisson\"\nrate = \"100 Mbps\"\nfrom = \"t0h0\"\n\
                   to = \"t2h0\"\n";
    let found = racks().add(traffic).set("run.duration", "\"10 s\"").run(1);
    // One packet in 100 µs. In half of the cycle one finds its circuit, or it comes within the median: 210 − 50.1 µs,
    // in front of which there are by then the packets of the 210 µs before, a µs each.
    is_near(figure(&found, "circuit_wait_p50"), 210e-6 - 50.1e-6 + 2.1e-6, "median");
    is_near(figure(&found, "circuit_wait_p99"), 0.99 * 420e-6 - 50.1e-6, "99 %");
}

/// Five racks; slices have steps of 1 or 2, and of 3 or 4, by turns: from 0 to 3 it is two hops, then one.
#[test]
fn slice_takes_the_shortest_path_of_the_slice() {
    let traffic = "[[traffic]]\ntransport = \"udp\"\nload = \"constant\"\nrate = \"99 Mbps\"\nfrom = \"t0h0\"\n\
                   to = \"t3h0\"\n";
    let found = racks()
        .add(traffic)
        .set("topology.racks", 5)
        .set("topology.switches", 2)
        .set("switching.routes", "\"slice\"")
        .set("run.duration", "\"1 s\"")
        .run(1);
    let hops = figure(&found, "slice_bytes") / at(&found.links, "link", "t3->t3h0", "carried_bits") * 8.0;
    is_near(hops, 1.5, "hops");
    nothing_meets(&found, 5, 2);
}

/// In a slice of 1 ms a flow of seven packets, below the cut-off, takes microseconds. One of 69 waits for its circuit,
/// whose switch turns to it after two slices; and its ACKs for theirs, two slices later, unless they take the slice.
#[test]
fn small_flows_take_the_slice_and_large_ones_their_circuit() {
    let flow = |name: &str, size: &str| {
        format!("[[traffic]]\nname = {name:?}\ntransport = \"sack\"\nsize = {size:?}\nfrom = \"t0h0\"\nto = \"t3h0\"\n")
    };
    let text = racks()
        .add(&flow("small", "10 kB"))
        .add(&flow("large", "100 kB"))
        .set("topology.switches", 3)
        .set("switching.slice", "\"1 ms\"")
        .set("switching.order", "\"one-by-one\"")
        .set("switching.cutoff", "\"50 kB\"")
        .set("run.duration", "\"200 ms\"");
    let ends = |text: &Builder| numbers(&text.run(1).flows, "end_s");
    let waiting = ends(&text);
    assert!(waiting[0] < 20e-6, "{waiting:?}");
    assert!((4e-3..5e-3).contains(&waiting[1]), "{waiting:?}");
    let by_slice = ends(&text.set("switching.acks", "\"slice\""));
    assert!((2.08e-3..2.2e-3).contains(&by_slice[1]), "{by_slice:?}");
}

const ROUTES: [(&str, &str); 6] = [
    ("\"direct\"", ""),
    ("\"vlb\"", "\"any\""),
    ("\"vlb\"", "\"other\""),
    ("\"vlb\"", "\"next\""),
    ("\"rotorlb\"", ""),
    ("\"slice\"", ""),
];

/// Keys of all routes, and of some with queues at hosts.
fn all_routes() -> Vec<Vec<(&'static str, &'static str)>> {
    let hosts = [("switching.queues", "\"hosts\""), ("switching.host_room", "\"20 kB\"")];
    let at_hosts =
        [ROUTES[0], ROUTES[2], ROUTES[4]].map(|(route, first)| [routes(route, first), hosts.to_vec()].concat());
    ROUTES.map(|(route, first)| routes(route, first)).into_iter().chain(at_hosts).collect()
}

fn all_to_all(kind: &str) -> String {
    format!("[[traffic]]\nname = {kind:?}\ntransport = {kind:?}\nflows = 30\npairs = \"random\"\nsize = \"200 kB\"\n")
}

/// Sources stop after 2 ms of 20: what they sent has arrived, each packet once.
#[test]
fn what_is_sent_arrives_once() {
    let traffic = "[[traffic]]\ntransport = \"udp\"\nload = \"constant\"\nrate = \"1.1 Gbps\"\nflows = 56\n\
                   pairs = \"all\"\nstop = \"2 ms\"\n";
    for keys in all_routes() {
        let text = racks().add(traffic).set("topology.switches", 3).set("run.duration", "\"20 ms\"");
        let found = keys.iter().fold(text, |text, (key, value)| text.set(key, value)).run(1);
        let sent: f64 = numbers(&found.flows, "segments_sent").iter().sum();
        let arrived: f64 = numbers(&found.flows, "bytes_arrived").iter().sum();
        assert!(sent > 0.0);
        assert_eq!(arrived, sent * 1250.0, "{keys:?}");
    }
}

/// The same run on 1, 2 and 5 threads, by every route and with every kind of transport, and flows complete.
#[test]
fn threads_change_nothing_and_every_transport_completes() {
    for keys in all_routes() {
        let kinds = ["cubic", "sack", "bbr", "dctcp", "retcp", "xcp"];
        let text = kinds.iter().fold(racks(), |text, kind| text.add(&all_to_all(kind)));
        let text = keys
            .iter()
            .fold(text, |text, (key, value)| text.set(key, value))
            .set("topology.hosts", 2)
            .set("topology.switches", 3)
            .set("switching.order", "\"one-by-one\"")
            .set("switching.mark_from", 65)
            .set("run.duration", "\"400 ms\"")
            .text();
        let run = |threads: usize| {
            let mut world = World::build(&scenario(&text), Seed { seed: 3, run: 0 }, Options::default()).unwrap();
            world.use_threads(threads);
            world.run_until(SimTime::NEVER);
            world.finish().unwrap()
        };
        let alone = run(1);
        assert_eq!(alone.fingerprint, run(2).fingerprint, "{keys:?}");
        assert_eq!(alone.fingerprint, run(5).fingerprint, "{keys:?}");
        let names = texts(&alone.flows, "transport");
        let complete = numbers(&alone.flows, "completed");
        for (name, complete) in names.iter().zip(complete) {
            assert!(complete == 1.0, "a flow of {name} is not complete by {keys:?}");
        }
    }
}

/// What waits at hosts comes as its rack has room, so that the shares are the same. A rack has room for what a circuit
/// carries in a slice, 50 packets of 62.6 kB, for each other rack.
#[test]
fn queues_at_hosts_leave_the_shares_and_bound_the_queues_of_racks() {
    let hosts = ("switching.queues", "\"hosts\"");
    let of = |to_all, route: &'static str| saturated(8, 1, to_all, &[hosts, ("switching.routes", route)]);
    is_near(of(false, "\"direct\""), DUTY / 7.0, "permutation");
    is_near(of(true, "\"direct\""), DUTY, "uniform");
    is_near(of(false, "\"rotorlb\""), DUTY * 8.0 / 14.0, "permutation by RotorLB");
    is_near(of(false, "\"vlb\""), DUTY / 2.0, "permutation by detours that are drawn");
    let traffic = "[[traffic]]\ntransport = \"udp\"\nload = \"constant\"\nrate = \"5 Gbps\"\nfrom = \"t0h0\"\n\
                   to = \"t2h0\"\n";
    let found = racks().add(traffic).set("switching.queues", "\"hosts\"").run(1);
    assert_eq!(at(&found.links, "link", "t0->r0", "max_queue"), 50.0);
    // Of 5000 packets in 10 ms circuits take 50 in each of 24 cycles; the rest waits at the host.
    assert!((1750.0..2000.0).contains(&at(&found.links, "link", "t0h0->t0", "mean_queue")));
    assert!((3500.0..4000.0).contains(&at(&found.links, "link", "t0h0->t0", "max_queue")));
    assert!(texts(&found.drops, "cause").is_empty());
    // A small room at racks is shared by their hosts.
    let small = racks().add(traffic).set("switching.queues", "\"hosts\"").set("switching.buffer", "\"20 packets\"");
    let found = small.run(1);
    assert_eq!(at(&found.links, "link", "t0->r0", "max_queue"), 20.0);
    assert!(texts(&found.drops, "cause").is_empty());
    // With room for 100 packets at hosts the others are dropped: 5000 − 24 · 50 − 50 − 100, and one under way.
    let small = racks().add(traffic).set("switching.queues", "\"hosts\"").set("topology.buffer", "\"100 packets\"");
    let found = small.run(1);
    assert_eq!(at(&found.links, "link", "t0h0->t0", "max_queue"), 100.0);
    assert_eq!(texts(&found.drops, "cause"), ["waiting for a circuit"]);
    is_near(numbers(&found.drops, "units")[0], 3650.0, "dropped");
}

/// Flows come as a share of hosts' links says, whatever the number of uplinks that a packet may take.
#[test]
fn a_share_of_the_load_is_that_of_hosts_links() {
    let traffic = "[[traffic]]\ntransport = \"cubic\"\npairs = \"random\"\narrivals = \"poisson\"\n\
                   size = \"10 kB\"\nload_share = 0.3\n";
    for switches in [1, 7] {
        let found = racks().set("topology.switches", switches).set("topology.hosts", 4).add(traffic).run(1);
        // 32 hosts at 0.3 of 40 Gb/s for 10 ms, in flows of 10 kB.
        let expected = 32.0 * 0.3 * 40e9 * 10e-3 / 80e3;
        let flows = numbers(&found.flows, "size_bytes").len() as f64;
        assert!((flows - expected).abs() < 4.0 * expected.sqrt(), "{flows} of {expected}");
    }
    let traffic = "[{ transport = \"cubic\", pairs = \"random\", arrivals = \"poisson\", size = \"10 kB\", \
                   load_share = 0.3, load_link = \"t0->r0\" }]";
    let uplink = refusal(&[("traffic", traffic)]);
    assert!(uplink.contains("packets take whatever circuits there are; allowed: a link of a host"), "{uplink}");
}

/// A queue that is full while its circuit is elsewhere says so; in the circuit's slice it is congestion.
#[test]
fn a_drop_says_that_its_packet_waited_for_a_circuit() {
    let traffic = "[[traffic]]\ntransport = \"udp\"\nload = \"constant\"\nrate = \"20 Gbps\"\nfrom = \"t0h0\"\n\
                   to = \"t2h0\"\n";
    let found = racks().add(traffic).set("switching.buffer", "\"30 packets\"").set("run.duration", "\"8.4 ms\"").run(1);
    let drops: Vec<(String, f64)> =
        texts(&found.drops, "cause").into_iter().zip(numbers(&found.drops, "units")).collect();
    let of = |cause: &str| drops.iter().filter(|(found, _)| found == cause).map(|(_, units)| units).sum::<f64>();
    // In each of 20 cycles: 2 packets a µs, less the one that leaves; the rest of 420 µs without the circuit, of which
    // the queue takes none, since it is full when the circuit goes.
    is_near(of("congestion"), 20.0 * 50.1, "in the circuit's slice");
    is_near(of("waiting for a circuit"), 20.0 * 2.0 * (420.0 - 50.1), "outside of it");
}

/// What is said about the racks with these keys.
fn refusal(keys: &[(&str, &str)]) -> String {
    let text = format!("{RACKS}[[traffic]]\ntransport = \"udp\"\nload = \"constant\"\nrate = \"1 Gbps\"\n");
    crate::support::refusal(&text, keys)
}

#[test]
fn bad_input_is_refused_with_its_range() {
    assert_eq!(refusal(&[]), "");
    let odd = ("topology.racks", "7");
    for (keys, wanted) in [
        (
            vec![("switching.guard", "\"55 us\"")],
            "for matchings that last \"55 us\"; allowed: at most \"54 us\", so that",
        ),
        (vec![("switching.slice", "\"5.5 us\"")], "allowed: longer matchings, so that 1250 B have left at 10 Gbps"),
        (vec![("switching.slice", "\"5 us\"")], "a slice of 5 us; allowed: longer than the reconfiguration (5 us)"),
        (vec![odd, ("switching.matchings", "\"random\"")], "allowed: an even number, or the rule offsets"),
        (vec![odd, ("switching.matchings", "\"opera\"")], "7 ports for the rule opera"),
        (vec![("switching.matchings", "\"solstice\"")], "there are no matchings \"solstice\"; allowed: round-robin"),
        (vec![("switching.cycle", "\"400 us\"")], "a week of 6 slices; allowed: at least 7, those of a cycle"),
        (
            vec![("switching.matchings", "\"opera\""), ("switching.order", "\"together\"")],
            "goes neither with file nor with matchings = \"opera\", whose switches change one by one",
        ),
        (vec![("switching.routes", "\"slice\"")], "\"60 us\" into a cycle no circuits lead from \"t0\" to \"t1\""),
        (vec![("switching.cutoff", "\"1 kB\"")], "allowed: at least \"1250 B\", a packet"),
        (vec![("switching.first_hop", "\"any\"")], "goes with routes = \"vlb\""),
        (vec![("switching.relay_room", "2.0")], "goes with routes = \"rotorlb\""),
        (vec![("switching.counts", "\"hosts\"")], "goes with routes = \"rotorlb\""),
        (vec![("switching.buffer", "\"100 B\"")], "less than the largest packet"),
        (vec![("switching.host_room", "\"10 kB\"")], "goes with queues = \"hosts\""),
        (
            vec![("switching.queues", "\"hosts\""), ("switching.host_room", "\"2 kB\"")],
            "allowed: at least \"2500 B\", two packets",
        ),
        (
            vec![("switching.queues", "\"hosts\""), ("link_defaults", "{ host = { loss = 0.1 } }")],
            "\"t0h0->t0\" may drop packets; allowed with queues at hosts: no loss",
        ),
        (
            vec![
                ("switching.queues", "\"hosts\""),
                ("event", "[{ at = \"1 ms\", link = \"t0->r0\", state = \"down\" }]"),
            ],
            "allowed with queues = \"hosts\": none that do",
        ),
        (vec![("switching.file", "\"nowhere.csv\"")], "the key \"slice\" goes without file"),
        (vec![("topology.switches", "9")], "9 switches; allowed: 1 to 8"),
        (vec![("topology.switches", "0")], "allowed: 1 to 64"),
    ] {
        let found = refusal(&keys);
        assert!(found.contains(wanted), "{keys:?}: {found:?}");
    }
    let file = [("switching", "{ kind = \"rotor\", file = \"nowhere.csv\" }")];
    assert!(refusal(&file).contains("there is no such file"), "{:?}", refusal(&file));
    let without = refusal(&[("switching", "{ kind = \"rotor\" }")]);
    assert!(without.contains("the key \"slice\" is missing; allowed: slice, cycle or file"), "{without:?}");
    let star = "{ kind = \"star\", leaves = 4 }";
    let links = "{ capacity = \"1 Gbps\", delay = \"1 us\" }";
    let refused = refusal(&[("topology", star), ("link_defaults", links)]);
    assert!(refused.contains("found no core node without hosts; allowed: 1 rotor switch at least"), "{refused:?}");
}

/// What would never end, take memory without bound, or have no effect.
#[test]
fn what_cannot_be_is_refused() {
    for (keys, wanted) in [
        (
            vec![("topology.racks", "2"), ("switching.routes", "\"vlb\""), ("switching.first_hop", "\"other\"")],
            "switching.first_hop: found \"other\" with 2 racks; allowed: \"any\", or 3 racks at least",
        ),
        (
            vec![
                ("topology.racks", "1024"),
                ("topology.switches", "32"),
                ("switching.routes", "\"slice\""),
                ("switching.order", "\"one-by-one\""),
            ],
            // 1023 matchings, which all 32 switches have, each with a part in which one is dark; 1024² bytes for each.
            "between 1024 racks in 65472 parts of a cycle would take 68.7 GB; allowed: 1 GB, as with fewer racks",
        ),
        (
            vec![("topology.switches", "7"), ("switching.order", "\"one-by-one\""), ("switching.guard", "\"420 us\"")],
            "a guard of \"420 us\" for matchings that last \"415 us\"",
        ),
        (
            vec![
                ("switching.queues", "\"hosts\""),
                ("switching.buffer", "\"20 packets\""),
                ("switching.host_room", "\"30 kB\""),
            ],
            "found \"25000 B\" for each other rack, of which the 1 hosts of a rack may fill \"30000 B\" (host_room)",
        ),
        (vec![("topology.reroute_after", "\"1 ms\"")], "allowed: no reroute_after"),
    ] {
        let found = refusal(&keys);
        assert!(found.contains(wanted), "{keys:?}: {found:?}");
    }
}

/// A file beside the tests, which goes away.
struct Kept(std::path::PathBuf);

impl Kept {
    fn new(name: &str, text: &str) -> Kept {
        let path = std::env::temp_dir().join(format!("{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Kept(path)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Three racks; rack 0 meets rack 1 twice as long as rack 2.
#[test]
fn a_schedule_in_a_file_says_how_long_circuits_stay_and_must_join_each_pair() {
    let head = "week_ps,reconfiguration_ps,switch,start_ps,length_ps,outputs\n";
    let all = format!("{head}300000000,0,0,0,200000000,1 2 0\n300000000,0,0,200000000,100000000,2 0 1\n");
    let of = |file: &Kept| {
        let switching = format!("{{ kind = \"rotor\", buffer = \"400 packets\", file = {:?} }}", file.0);
        let text = racks().set("topology.racks", 3).set("switching", &switching);
        text.add(
            "[[traffic]]\ntransport = \"udp\"\nload = \"constant\"\nrate = \"10 Gbps\"\nflows = 6\npairs = \"all\"\n",
        )
    };
    let found = of(&Kept::new("rotor.csv", &all)).set("run.duration", "\"30 ms\"").run(1);
    let arrived = numbers(&found.flows, "bytes_arrived");
    let pair = |from: &str, to: &str| {
        let ends = texts(&found.flows, "source").into_iter().zip(texts(&found.flows, "destination"));
        arrived[ends.into_iter().position(|ends| ends == (from.to_owned(), to.to_owned())).unwrap()]
    };
    is_near(pair("t0h0", "t1h0") / pair("t0h0", "t2h0"), 2.0, "share");
    let half = Kept::new("rotor-half.csv", &format!("{head}300000000,0,0,0,200000000,1 2 0\n"));
    let switching = format!("{{ kind = \"rotor\", file = {:?} }}", half.0);
    let refused = refusal(&[("topology.racks", "3"), ("switching", &switching)]);
    assert!(refused.contains("no circuit leads from \"t0\" to \"t2\""), "{refused:?}");
}

/// Four flows fill a host's link to its own rack, at the rate at which the other host takes it away, and what waits for
/// circuits is in the same room: 20 packets in all, and what finds them there is dropped.
#[test]
fn a_host_has_one_buffer_for_its_own_rack_and_for_others() {
    let text = r#"
run.duration = "3 ms"
topology = { kind = "rotor", racks = 6, switches = 2, hosts = 2, host_capacity = "10 Gbps", capacity = "10 Gbps",
    delay = "500 ns", buffer = "20 packets" }
switching = { kind = "rotor", slice = "100 us", reconfiguration = "7 us", buffer = "30 packets", queues = "hosts",
    host_room = "9 kB" }
traffic = [{ transport = "sack", pairs = [["t3h1", "t3h0"]], flows = 4 }]
"#;
    let run = |text: &Builder| {
        let run = text.run(1);
        let of = |name: &str| at(&run.links, "link", "t3h1->t3", name);
        (of("max_queue"), of("dropped_units") > 0.0, texts(&run.drops, "cause").contains(&"congestion".to_owned()))
    };
    let own = Builder::of(text);
    assert_eq!(run(&own), (20.0, true, true));
    for queue in ["drop-tail", "drr"] {
        let both = own.clone().set("traffic.0.pairs", "[[\"t3h1\", \"t3h0\"], [\"t3h1\", \"t0h0\"]]");
        assert_eq!(
            run(&both.set("link_defaults.host.queue", format!("{{ kind = \"{queue}\" }}"))),
            (20.0, true, true),
            "{queue}"
        );
    }
}
