//! Optical circuit switches that a policy sets: times of collectives against closed forms for whole packets, the
//! example of SWOT (arXiv 2510.19322), and what users are told.
//!
//! UDP at the rate of a node's k ports: a packet comes each s / k, with s the time that it lasts on a circuit. So a
//! transfer of n packets over k circuits, k a divisor of n, lasts n s / k + (1 − 1 / k) s + d, with d the delay from
//! host to host. If its packets wait for a turn they leave k at a time: n s / k + d from the end of the turn.

use crate::support::{Builder, figure, numbers, refusal, texts};

/// Eight hosts with two ports of 400 Gb/s, 20 us apart, and an all-reduce of 32 MB: SWOT's example. Packets of 8 kB
/// last 160 ns.
const SWOT: &str = r#"
[run]
duration = "1 s"
[topology]
kind = "ocs"
hosts = 8
switches = 2
capacity = "400 Gbps"
delay = "20 us"
[switching]
kind = "ocs"
policy = "per-step"
reconfiguration = "200 us"
[transport.it]
algorithm = "udp"
packet_size = "8000 B"
[[traffic]]
transport = "it"
rate = "800 Gbps"
work = { collective = "all-reduce", algorithm = "halving-doubling", size = "32 MB" }
"#;
/// In seconds: a packet on a circuit, from host to host, a turn.
const PACKET: f64 = 160e-9;
const DELAY: f64 = 20e-6;
const TURN: f64 = 200e-6;

fn swot() -> Builder {
    Builder::of(SWOT)
}

/// So many bytes over k circuits that are there.
fn lasts(bytes: f64, ports: f64) -> f64 {
    turned(bytes, ports) + (1.0 - 1.0 / ports) * PACKET
}

/// The same from the end of a turn.
fn turned(bytes: f64, ports: f64) -> f64 {
    (bytes / 8000.0).ceil() * PACKET / ports + DELAY
}

fn exact(builder: &Builder, expected: f64) {
    let found = figure(&builder.run(1), "work_time");
    assert!((found - expected).abs() < 1e-12, "{found} s, and not {expected} s\n{}", builder.text());
}

/// Steps of 16, 8, 4, 4, 8 and 16 MB over the ports; so many of them without a turn before.
fn steps(ports: f64, there: u32) -> f64 {
    let all: f64 = [16e6, 8e6, 4e6, 4e6, 8e6, 16e6].iter().map(|bytes| turned(*bytes, ports)).sum();
    all + f64::from(there) * (lasts(8e6, ports) - turned(8e6, ports))
}

/// 560 us of light, six delays, and four turns: 1480 us; 1680 where the first setting is a turn too.
#[test]
fn the_example_of_swot_takes_its_time() {
    assert!((steps(2.0, 0) + 4.0 * TURN - 1480e-6).abs() < 1e-12);
    // The first and the fourth step find their circuits.
    exact(&swot().set("switching.start", "\"warm\""), steps(2.0, 2) + 4.0 * TURN);
    exact(&swot(), steps(2.0, 1) + 5.0 * TURN);
    let run = swot().set("switching.start", "\"warm\"").run(1);
    // Both switches turn, and each is dark for four turns.
    assert_eq!(figure(&run, "switch_turns"), 8.0);
    assert!((figure(&run, "reconfiguration_time") - 4.0 * TURN).abs() < 1e-12);
    assert_eq!(figure(&run, "circuit_bytes"), 8.0 * 56e6);
}

#[test]
fn what_the_controller_knows_is_as_old_as_its_delay() {
    let late = |start: &str| swot().set("switching.control_delay", "\"7 us\"").set("switching.start", start);
    exact(&late("\"warm\""), steps(2.0, 1) + 4.0 * TURN + 5.0 * 7e-6);
    exact(&late("\"cold\""), steps(2.0, 1) + 5.0 * TURN + 5.0 * 7e-6);
}

/// Its three matchings each have a switch: nothing turns, and each step has one port.
#[test]
fn one_shot_has_a_switch_for_each_matching() {
    let of = |policy: &str, switches: u32| {
        swot()
            .set("topology.switches", switches)
            .set("switching.policy", format!("{policy:?}"))
            .set("traffic.0.rate", "\"400 Gbps\"")
    };
    for policy in ["per-collective", "static"] {
        exact(&of(policy, 3), steps(1.0, 5) + TURN);
        exact(&of(policy, 3).set("switching.start", "\"warm\""), steps(1.0, 6));
        let told = refusal(SWOT, &[("switching.policy", &format!("{policy:?}"))]);
        assert!(told.contains("the work needs 3 matchings, and there are 2 optical switches"), "{told}");
    }
    // With six switches each matching has two.
    exact(&of("static", 6).set("traffic.0.rate", "\"800 Gbps\""), steps(2.0, 5) + TURN);
}

/// K equal steps with matchings of their own: one plane of full rate costs K (S + d) + (K − 1) r, two of half the rate
/// in turn K (2 S + d) while a turn is no longer than a step, and then r + 2 S + d for each further pair of steps.
#[test]
fn two_planes_in_turn_hide_what_one_plane_pays() {
    let work = "{ collective = \"all-to-all\", algorithm = \"pairwise\", size = \"40 MB\", order = \"steps\" }";
    let of = |policy: &str, switches: u32, turn: &str| {
        swot()
            .set("traffic.0.work", work)
            .set("topology.hosts", 5)
            .set("topology.switches", switches)
            .set("switching.policy", format!("{policy:?}"))
            .set("switching.reconfiguration", format!("{turn:?}"))
            .set("switching.start", "\"warm\"")
    };
    let (steps, step) = (4.0, lasts(8e6, 1.0));
    assert!((step - 180e-6).abs() < 1e-12);
    let two = |turn: &str| of("overlap", 2, turn).set("traffic.0.rate", "\"400 Gbps\"");
    exact(&two("10 us"), steps * step);
    exact(&two("180 us"), steps * step);
    exact(&two("300 us"), 2.0 * step + (300e-6 + step));
    let one = |turn: &str| {
        of("per-step", 1, turn).set("topology.capacity", "\"800 Gbps\"").set("traffic.0.rate", "\"800 Gbps\"")
    };
    let whole = 8e6 * 8.0 / 800e9 + DELAY;
    exact(&one("10 us"), steps * whole + 3.0 * 10e-6);
    // K S / (K − 1) of 80 us: below it the one plane is faster, beyond it the two are.
    let worth = 4.0 * 80e-6 / 3.0;
    let both = [100.0, 113.0].map(|turn: f64| {
        let time = |builder: Builder| figure(&builder.run(1), "work_time");
        let text = format!("{turn} us");
        assert!((turn * 1e-6 - worth).abs() > 5e-6);
        time(two(&text)) < time(one(&text))
    });
    assert_eq!(both, [false, true]);
}

/// A ring has one matching: whatever the policy, it is set once.
#[test]
fn a_ring_turns_once_whatever_the_policy() {
    let work = "{ collective = \"all-reduce\", algorithm = \"ring\", size = \"64 MB\" }";
    let ring = 13.0 * lasts(8e6, 2.0);
    for policy in ["static", "per-collective", "per-step", "overlap"] {
        let of = swot().set("traffic.0.work", work).set("switching.policy", format!("{policy:?}"));
        exact(&of, ring + TURN + turned(8e6, 2.0));
        let strides = swot().set("traffic.0.work", work).set("switching.policy", "\"static\"");
        exact(&strides.set("switching.strides", "[1, 1]").set("switching.start", "\"warm\""), ring + lasts(8e6, 2.0));
    }
}

/// All send to all at once, over two ports: seven matchings in turns of two, two, two and one that both share.
#[test]
fn a_step_of_more_matchings_than_switches_takes_them_in_turn() {
    let work = "{ collective = \"all-to-all\", algorithm = \"direct\", size = \"64 MB\" }";
    let of = swot().set("traffic.0.work", work);
    // All packets wait long before, so that nothing is lost but the turns.
    exact(&of, 3.0 * (turned(8e6, 1.0) + TURN) + turned(8e6, 2.0) + TURN);
}

/// A broadcast of two ranks, computed before.
fn pair(nodes: &str, keys: &str) -> Builder {
    let work = format!("{{ collective = \"broadcast\", size = \"8 MB\", {keys} }}");
    swot().set("traffic.0.work", work).set("traffic.0.among", nodes).set("traffic.0.rate", "\"400 Gbps\"")
}

#[test]
fn a_turn_ahead_hides_behind_what_is_computed() {
    let of = |turns: &str, time: &str| {
        pair("[\"n0\", \"n1\"]", &format!("compute = \"{time}\""))
            .set("topology.switches", 1)
            .set("switching.turns", format!("{turns:?}"))
    };
    let sent = lasts(8e6, 1.0);
    for (time, seconds) in [("50 us", 50e-6), ("500 us", 500e-6)] {
        exact(&of("ahead", time), TURN.max(seconds) + sent);
        exact(&of("on-demand", time), TURN + seconds + sent);
    }
}

#[test]
fn what_no_circuit_serves_waits_detours_or_goes_by_packets() {
    let of = |rest: &str| {
        swot()
            .set("topology.packet_capacity", "\"100 Gbps\"")
            .set("topology.packet_delay", "\"10 us\"")
            .set("switching.policy", "\"static\"")
            .set("switching.strides", "[1, 1]")
            .set("switching.rest", format!("{rest:?}"))
            .set("traffic.0.work", "{ collective = \"broadcast\", size = \"8 MB\" }")
            .set("traffic.0.among", "[\"n0\", \"n3\"]")
            .set("traffic.0.rate", "\"400 Gbps\"")
    };
    // Three hops, each of which stores and forwards, by one of the two ports.
    exact(&of("detour").set("switching.start", "\"warm\""), lasts(8e6, 1.0) + 2.0 * (PACKET + DELAY));
    let waiting = of("wait").run(1);
    assert_eq!(figure(&waiting, "unfinished_tasks"), 1.0);
    // By a packet switch of 100 Gb/s: two links of 5 us, on which a packet lasts 640 ns.
    let packets = of("packets").set("traffic.0.rate", "\"100 Gbps\"");
    exact(&packets, 1000.0 * 640e-9 + 640e-9 + 10e-6);
    assert_eq!(figure(&packets.run(1), "packet_bytes"), 8e6);
    let told = refusal(SWOT, &[("switching.rest", "\"packets\"")]);
    assert!(told.contains("there is no packet switch"), "{told}");
}

/// Circuits of the example: each lasts from when its switch has turned to when it turns again, or to the end.
#[test]
fn the_table_of_circuits_has_no_port_twice_at_a_time() {
    let run = swot().set("switching.dark", "\"ports\"").run(1);
    let (_, table) = run.probes.iter().find(|(name, _)| *name == "circuits").unwrap();
    let columns = ["start_s", "end_s"].map(|name| numbers(table, name));
    let ends = ["switch", "from", "to"].map(|name| texts(table, name));
    let rows = columns[0].len();
    // Five settings of eight circuits on each of two switches.
    assert_eq!(rows, 5 * 8 * 2);
    for one in 0..rows {
        assert!(columns[0][one] < columns[1][one]);
        for other in (0..rows).filter(|other| *other != one && ends[0][*other] == ends[0][one]) {
            let meets = columns[0][one] < columns[1][other] && columns[0][other] < columns[1][one];
            assert!(!meets || ends[1][one] != ends[1][other] && ends[2][one] != ends[2][other]);
        }
    }
}

/// Bytes under way are scheduled each interval. A demand of one matching takes a turn, by whatever rule; one of seven
/// of equal bytes takes seven, if an interval is long enough for them.
#[test]
fn a_demand_is_measured_and_scheduled() {
    for rule in ["solstice", "bvn", "eclipse", "max-weight"] {
        let slice = if rule == "max-weight" { "slice = \"360 us\"\n" } else { "" };
        let policy = format!("[switching]\n{slice}interval = \"10 ms\"\nrule = {rule:?}");
        let text = SWOT.replace("[switching]", &policy).replace("\"per-step\"", "\"demand\"");
        let of = |work: &str| {
            let of = Builder::of(text.clone()).set("topology.switches", 1).set("traffic.0.work", work);
            if work.contains("broadcast") { of.set("traffic.0.among", "[\"n0\", \"n1\"]") } else { of }
        };
        exact(&of("{ collective = \"broadcast\", size = \"8 MB\" }"), TURN + turned(8e6, 1.0));
        let all = "{ collective = \"all-to-all\", algorithm = \"direct\", size = \"64 MB\" }";
        let found = figure(&of(all).run(1), "work_time");
        let least = 7.0 * (TURN + 1000.0 * PACKET) + DELAY;
        assert!(found > least - 1e-12 && found < 10e-3 + least, "{rule}: {found} s, and at least {least} s");
    }
}

/// Four hosts: three matchings of 1 MB a pair, and a turn before each, or before all but the first of each switch.
#[test]
fn a_demand_from_warm_switches_saves_their_first_turn() {
    for rule in ["solstice", "bvn"] {
        let policy = format!("[switching]\ninterval = \"10 ms\"\nrule = {rule:?}");
        let text = SWOT.replace("[switching]", &policy).replace("\"per-step\"", "\"demand\"");
        let work = "{ collective = \"all-to-all\", algorithm = \"direct\", size = \"4 MB\" }";
        let of = |switches: u32, start: &str| {
            let of = Builder::of(text.clone()).set("topology.switches", switches).set("topology.hosts", 4);
            of.set("traffic.0.work", work).set("switching.start", format!("{start:?}"))
        };
        let cold = 3.0 * (TURN + 125.0 * PACKET) + DELAY;
        exact(&of(1, "cold"), cold);
        exact(&of(1, "warm"), cold - TURN);
        let [warm, cold] = ["warm", "cold"].map(|start| figure(&of(2, start).run(1), "work_time"));
        assert!((cold - warm - TURN).abs() < 1e-12, "{rule}: {warm} s and {cold} s");
    }
}

/// One switch follows the demand of n0 each 500 us. Transfers of so many microseconds of light go to n1, n2, … at once,
/// and at 300 us one of 0.8 MB, 16 us of light, to the next node. When the transfers are done, in seconds.
fn done_beside(large_us: &[u32], first: &str) -> Vec<f64> {
    let switching = format!("[switching]\ninterval = \"500 us\"\nfirst = {first:?}");
    let mut text = SWOT.replace("[switching]", &switching).replace("\"per-step\"", "\"demand\"");
    text = text.split_once("[[traffic]]").unwrap().0.to_owned();
    let bytes = large_us.iter().map(|us| (us * 50_000, "0 us")).chain([(800_000, "300 us")]);
    for ((bytes, compute), to) in bytes.zip(1..) {
        let work = format!("{{ collective = \"broadcast\", size = \"{bytes} B\", compute = \"{compute}\" }}");
        text += "[[traffic]]\ntransport = \"it\"\nrate = \"400 Gbps\"\n";
        text += &format!("among = [\"n0\", \"n{to}\"]\nwork = {work}\n");
    }
    let run = Builder::of(text).set("topology.switches", 1).run(1);
    let (_, tasks) = run.probes.iter().find(|(name, _)| *name == "tasks").unwrap();
    let kinds = texts(tasks, "kind");
    numbers(tasks, "end_s").into_iter().zip(kinds).filter(|(_, kind)| kind == "transfer").map(|(end, _)| end).collect()
}

/// Beside 800 us of light for another pair, a small transfer waits by bytes until that is done: a turn, the light and
/// the delay until it is known, and another turn. With the oldest first it has the beginning of the next interval: at
/// 500 us a turn, and its 16 us. The other one then takes two turns and 16 us longer. A packet that leaves as a switch
/// turns is sent to its end.
#[test]
fn a_small_transfer_waits_for_one_interval_where_the_oldest_are_first() {
    let large = TURN + 800e-6 + DELAY;
    let small = 16e-6 + DELAY;
    let all =
        [("rule", [large, large + TURN + small]), ("oldest", [large + 2.0 * TURN + 16e-6, 500e-6 + TURN + small])];
    for (first, expected) in all {
        for (found, expected) in done_beside(&[800], first).into_iter().zip(expected) {
            assert!((found - expected).abs() < PACKET + 1e-12, "{first}: {found} s, and not {expected} s");
        }
    }
}

/// Three pairs share its sender. Each goes first at most once, for an interval; by bytes all of them do, to the end.
#[test]
fn a_pair_waits_at_most_an_interval_for_each_pair_that_shares_a_node() {
    let large = [2000, 2000, 2000];
    let small = |first: &str| done_beside(&large, first)[3];
    let most = (1.0 + 3.0) * 500e-6 + TURN + 16e-6 + DELAY;
    let (oldest, rule) = (small("oldest"), small("rule"));
    assert!(oldest <= most + 1e-12 && rule > 3.0 * 2000e-6, "{oldest} s and {rule} s; {most} s at most");
}

#[test]
fn users_are_told_what_does_not_fit() {
    let told = |keys: &[(&str, &str)]| refusal(SWOT, keys);
    let has = |keys: &[(&str, &str)], words: &str| {
        let told = told(keys);
        assert!(told.contains(words), "{told}");
    };
    has(&[("switching.policy", "\"overlap\""), ("topology.switches", "1")], "allowed: 2 at least");
    has(&[("switching.strides", "[1, 1]")], "goes with policy = \"static\"");
    has(&[("switching.policy", "\"static\""), ("switching.strides", "[1]")], "found 1 strides; allowed: 2");
    has(&[("switching.policy", "\"static\""), ("switching.strides", "[1, 8]")], "found 8; allowed: 1 to 7");
    has(&[("switching.policy", "\"demand\""), ("switching.rule", "\"x\"")], "there is no rule \"x\"");
    has(&[("switching.reconfiguration", "\"1 s\"")], "found \"1 s\"; allowed: less than the run");
    has(&[("switching.acks", "\"packets\"")], "there is no packet switch");
    has(&[("switching.packet_switch", "\"x\"")], "there is no node \"x\"");
    has(&[("switching.turns", "\"ahead\""), ("switching.policy", "\"overlap\"")], "goes with policy = \"per-step\"");
}

/// A ring's circuits lead one way, so that ACKs of TCP have none back; a note says so, and a packet switch helps.
#[test]
fn acks_that_have_no_circuit_back_are_noted() {
    let tcp = SWOT.replace("\"udp\"", "\"sack\"").replace("rate = \"800 Gbps\"\n", "");
    let text = tcp.replace("halving-doubling", "ring").replace("32 MB", "1 MB");
    let noted = |text: &str| crate::support::loaded(text).notes();
    assert!(noted(&text)[0].contains("wait for circuits, and where none leads back, for ever"), "{:?}", noted(&text));
    assert_eq!(figure(&crate::support::run(&text, 1), "unfinished_tasks"), 112.0);
    let helped = Builder::of(text).set("topology.packet_capacity", "\"10 Gbps\"");
    assert_eq!(noted(&helped.text()), [""; 0]);
    assert_eq!(figure(&helped.run(1), "unfinished_tasks"), 0.0);
}
