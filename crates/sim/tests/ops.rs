//! Optical packet switching, run as scenarios: delays of cut-through, ports and stores against closed forms, macroflows
//! at their equilibria.

use crate::support::{Builder, at, figure, numbers, run, scenario};
use analytic::{md1k, mmck};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::study::World;

/// e0 – c0 – c1 – e1 at 1 Gb/s, 1 ms and 100 km each; one datagram of 1500 B (12 µs) every 10 ms.
fn line(switching: &str) -> String {
    format!(
        r#"
[run]
duration = "1 s"
[[node]]
name = "e0"
role = "edge"
[[node]]
name = "c0"
role = "core"
[[node]]
name = "c1"
role = "core"
[[node]]
name = "e1"
role = "edge"
[link_defaults]
capacity = "1 Gbps"
delay = "1 ms"
buffer = "9 kB"
[[link]]
from = "e0"
to = "c0"
[[link]]
from = "c0"
to = "c1"
[[link]]
from = "c1"
to = "e1"
[switching]
kind = "ops"
{switching}
[transport.reno]
packet_size = 1500
max_window = "1 packets"
initial_window = 1
[[traffic]]
name = "t"
transport = "reno"
pairs = [["e0", "e1"]]
"#
    )
}

/// Six fibres of 1 ms; a data packet lasts 12 µs and an ACK of 40 B 0.32 µs, on each of three links, or once with
/// cut-through.
#[test]
fn a_packet_that_cuts_through_is_transmitted_once() {
    for (switching, expected_us) in [("", 6000.0 + 12.32), ("cut_through = false", 6000.0 + 3.0 * 12.32)] {
        let found = run(&line(switching), 1);
        let rtt_us = numbers(&found.flows, "mean_rtt_s")[0] * 1e6;
        assert!((rtt_us - expected_us).abs() < 1e-3, "{rtt_us}, expected {expected_us}: {switching:?}");
    }
}

/// e0 – c – e1; the way into c is so fast that Poisson datagrams come to c's output as a Poisson process.
fn funnel(switching: &str, (rate, sizes): (&str, &str)) -> String {
    format!(
        r#"
[run]
duration = "21 s"
warm_up = "1 s"
[[node]]
name = "e0"
role = "edge"
[[node]]
name = "c"
role = "core"
[[node]]
name = "e1"
role = "edge"
[link_defaults]
delay = "1 ms"
buffer = "unlimited"
[[link]]
from = "e0"
to = "c"
capacity = "400 Gbps"
[[link]]
from = "c"
to = "e1"
capacity = "1 Gbps"
[switching]
kind = "ops"
cut_through = false
{switching}
[transport.udp]
packet_size = 1000
[[traffic]]
name = "t"
transport = "udp"
load = "poisson"
rate = "{rate}"
sizes = "{sizes}"
pairs = [["e0", "e1"]]
"#
    )
}

/// Of the packets offered to c's output in two million transmission times, the share that was dropped.
fn dropped(switching: &str, traffic: (&str, &str)) -> f64 {
    figure(&run(&funnel(switching, traffic), 3), "core_drop_rate")
}

/// Loads of 0.9 and 1.2 erlang: 2 · 10⁶ packets and more, so that a standard error is below 1 % of the share.
#[test]
fn a_core_output_with_k_packets_of_ram_drops_as_m_d_1_k() {
    for (rate, load, places) in [("0.9 Gbps", 0.9, 6), ("1.2 Gbps", 1.2, 2)] {
        let expected = md1k::evaluate(&md1k::Inputs { load, places }).unwrap().blocking;
        let found = dropped(&format!("ram = \"{places} packets\""), (rate, "fixed"));
        assert!((found / expected - 1.0).abs() < 0.03, "{found}, expected {expected}");
    }
}

#[test]
fn wavelengths_with_shared_ram_and_conversion_drop_as_m_m_c_k() {
    for (rate, load, servers, places) in [("1.5 Gbps", 1.5, 2, 3), ("3.2 Gbps", 3.2, 4, 2)] {
        let expected = mmck::evaluate(&mmck::Inputs { load, servers, places }).unwrap().blocking;
        let switching = format!("wavelengths = {servers}\nconversion = \"full\"\nram = \"{places} packets\"");
        let found = dropped(&switching, (rate, "exponential"));
        assert!((found / expected - 1.0).abs() < 0.03, "{found}, expected {expected}");
    }
}

/// Two core links in a row at 1 Gb/s: one macroflow over both, three over the first, one over the second. Everybody
/// always has something to send.
fn parking_lot(switching: &str) -> String {
    let mut text = String::from("[run]\nduration = \"40 s\"\nwarm_up = \"20 s\"\n");
    let cores = ["c0", "c1", "c2"];
    let edges =
        [("l", "c0"), ("a0", "c0"), ("a1", "c0"), ("a2", "c0"), ("b", "c1"), ("r", "c2"), ("ar", "c1"), ("br", "c2")];
    cores.iter().for_each(|core| text += &format!("[[node]]\nname = \"{core}\"\nrole = \"core\"\n"));
    edges.iter().for_each(|(edge, _)| text += &format!("[[node]]\nname = \"{edge}\"\nrole = \"edge\"\n"));
    text += "[link_defaults]\ncapacity = \"1 Gbps\"\ndelay = \"2 ms\"\n[link_defaults.core]\nbuffer = \"15 kB\"\n";
    text += "[link_defaults.edge]\nbuffer = \"0.25 s\"\n";
    let links = edges.iter().copied().chain([("c0", "c1"), ("c1", "c2")]);
    links.for_each(|(a, b)| text += &format!("[[link]]\nfrom = \"{a}\"\nto = \"{b}\"\n"));
    text += &format!(
        "[switching]\nkind = \"ops\"\nmacroflow = \"same\"\n{switching}\n[transport.udp]\npacket_size = 1500\n"
    );
    let pairs = r#"[["l", "r"], ["a0", "ar"], ["a1", "ar"], ["a2", "ar"], ["b", "br"]]"#;
    text + &format!(
        "[[traffic]]\ntransport = \"udp\"\nload = \"constant\"\nrate = \"0.99 Gbps\"\npairs = {pairs}\nflows = 5\n"
    )
}

/// What each of the five macroflows carries, in Mb/s over the last 20 s.
fn carried_mbps(text: &str) -> Vec<f64> {
    let found = run(text, 1);
    let of = |edge: &str, core: &str| at(&found.links, "link", &format!("{edge}->{core}"), "carried_bits") / 20e6;
    vec![of("l", "c0"), of("a0", "c0"), of("a1", "c0"), of("a2", "c0"), of("b", "c1")]
}

/// The equilibrium that the transport crate computes by hand for this network, times TU: 250, 250, 250, 250 and, with α
/// = 0.2 at core outputs, 620.156 Mb/s. With α = 0.4 its equation is 0.45u² − 525u + 100 000 = 0: u = (525 + √95
/// 625)/0.9 = 926.925 and x = 676.925. Max-min would be 250 four times and 750. With TU = 0.9 there is room for what
/// comes at once. At edge outputs, which limit nobody here, it does not matter.
#[test]
fn macroflows_in_a_parking_lot_settle_at_the_computed_equilibrium_and_not_at_max_min() {
    let readings = [("edge-routers", 676.925), ("xcp", 676.925), ("everywhere", 620.156), ("core-routers", 620.156)];
    for (gains, last) in readings {
        let found = carried_mbps(&parking_lot(&format!("target = 0.9\ngains = \"{gains}\"")));
        for (found, expected) in found.iter().zip([250.0, 250.0, 250.0, 250.0, last]) {
            let expected = 0.9 * expected;
            assert!((found / expected - 1.0).abs() < 0.03, "{found}, expected {expected} with {gains}");
        }
    }
}

/// Four macroflows through one link, from 10 Mb/s each: a quarter of TU·C each, and no link above TU.
#[test]
fn macroflows_on_one_link_settle_at_equal_shares_of_the_target() {
    for (switching, target) in [("target = 0.3", 0.3), ("target = 0.9\nmacroflow_count = \"given\"", 0.9)] {
        let pairs = r#"[["l", "r"], ["a0", "ar"], ["a1", "ar"], ["a2", "ar"]]"#;
        let scenario = Builder::of(parking_lot(switching)).set("traffic.0.pairs", pairs).set("traffic.0.flows", 4);
        let found = scenario.run(1);
        for edge in ["l", "a0", "a1", "a2"] {
            let share = at(&found.links, "link", &format!("{edge}->c0"), "carried_bits") / 20e9;
            assert!((share / (0.25 * target) - 1.0).abs() < 0.02, "{share}, expected {}", 0.25 * target);
        }
        let filled = at(&found.links, "link", "c0->c1", "utilization");
        assert!((filled / target - 1.0).abs() < 0.01, "{filled}, expected {target}");
    }
}

/// One macroflow alone, for which u = 990 Mb/s come, dropped at the edge or not. Without a queue there all of it is
/// sent. Where what waits in the macroflow is the queue, that is the whole memory of 0.03 s = 30 Mb: φ = 0.2 · 10 −
/// 0.056 · 30/0.05 = −31.6 Mb/s, h = 99 − 31.6 = 67.4, and h = u_i·(h − φ)/u at u_i = 990 · 67.4/99 = 674 Mb/s.
#[test]
fn what_waits_in_macroflows_counts_as_an_edge_outputs_queue_only_where_it_is_said_to() {
    for (queue, expected) in [("line", 990.0), ("macroflows", 674.0)] {
        let text = parking_lot(&format!("edge_queue = \"{queue}\""))
            .replace("0.25 s", "0.03 s")
            .replace("flows = 5", "flows = 1");
        let start = text.find("pairs = [").unwrap();
        let end = start + text[start..].find('\n').unwrap();
        let text = format!("{}pairs = [[\"b\", \"br\"]]{}", &text[..start], &text[end..]);
        let found = at(&run(&text, 1).links, "link", "b->c1", "carried_bits") / 20e6;
        assert!((found / expected - 1.0).abs() < 0.01, "{found}, expected {expected} with {queue}");
    }
}

/// NSFNET with TCP for 1.5 s and what a variant of the switching needs.
fn mesh(switching: &str) -> String {
    format!(
        r#"
[run]
duration = "1.5 s"
warm_up = "0.5 s"
[topology]
kind = "nsfnet-edge"
[switching]
kind = "ops"
{switching}
[link_defaults]
capacity = "200 Mbps"
[link_defaults.core]
buffer = "9 kB"
[link_defaults.edge]
buffer = "5 ms"
[transport.reno]
packet_size = 1500
max_window = "40 packets"
[[traffic]]
transport = "reno"
pairs = "random"
flows = 120
spread = "0.5 s"
"#
    )
}

const VARIANTS: [&str; 10] = [
    "macroflow = \"same\"",
    "macroflow = \"separate\"\nsmoothing = \"round-robin\"\nwavelengths = 2\nram_per = \"wavelength\"",
    "macroflow = \"separate-wavelength\"\nsmoothing = \"token-bucket\"",
    "wavelengths = 3\nconversion = \"limited\"",
    "wavelengths = 2\nconversion = \"full\"\ncut_through = false",
    "slot_time = \"60 us\"\nslot_buffer = { places = 4 }",
    "slot_time = \"60 us\"\nslot_buffer = { places = 6, shared = true, counts = \"all\" }\nwavelengths = 2\nconversion \
        = \"full\"",
    "slot_time = \"60 us\"\nslot_buffer = { places = 4, shared = true, arbitration = \"random\" }",
    "delay_lines = { step = \"30 us\", lines = 8 }",
    "wavelengths = 2\nslot_time = \"70 us\"\nmacroflow = \"same\"",
];

#[test]
fn every_kind_of_store_and_smoother_is_the_same_in_parts_and_loses_no_packet_unseen() {
    for switching in VARIANTS {
        let scenario = scenario(&mesh(switching));
        let finished = |threads: usize, parts: u32| {
            let mut world = World::build(&scenario, Seed { seed: 3, run: 0 }, Options::default()).unwrap();
            world.use_threads(threads);
            for migration in 1..4 {
                world.run_until(SimTime::from_ps(migration * 400_000_000_000));
                world.migrate(&(0..28).map(|node| (node * 7 + migration as u32) % parts).collect::<Vec<_>>());
            }
            world.run_until(SimTime::NEVER);
            world.finish().unwrap()
        };
        let alone = finished(1, 1);
        assert!(figure(&alone, "goodput") > 1e8, "{switching}");
        assert!(figure(&alone, "dropped_packets") > 0.0, "a store that never overflows tests little: {switching}");
        let alone = format!("{alone:?}");
        for (threads, parts) in [(1, 5), (2, 3)] {
            assert!(format!("{:?}", finished(threads, parts)) == alone, "{switching} in {parts} parts");
        }
    }
}

/// The packets that arrive of two edge nodes. Each sends one in every slot, which come `phases` microseconds after one
/// begins. Both leave by one output.
fn arrived_of_each(phases: [u32; 2], arbitration: &str) -> [f64; 2] {
    let [first, second] = phases.map(|phase| 1000 + phase);
    let text = format!(
        r#"
        node = [
            {{ name = "u", role = "edge" }}, {{ name = "v", role = "edge" }}, {{ name = "w", role = "edge" }},
            {{ name = "x", role = "core" }},
        ]
        link = [
            {{ from = "u", to = "x", delay = "{first} us" }}, {{ from = "v", to = "x", delay = "{second} us" }},
            {{ from = "x", to = "w", delay = "1 ms" }},
        ]
        run = {{ duration = "10 s" }}
        link_defaults = {{ capacity = "48 Mbps" }}
        [topology]
        kind = "custom"
        [switching]
        kind = "ops"
        slot_time = "100 us"
        slot_buffer = {{ places = 20, shared = true, arbitration = "{arbitration}" }}
        [transport.udp]
        packet_size = 600
        [[traffic]]
        transport = "udp"
        pairs = [["u", "w"], ["v", "w"]]
        rate = "48 Mbps"
        "#
    );
    let arrived = numbers(&run(&text, 1).flows, "bytes_arrived");
    [0, 1].map(|flow| arrived[flow] / 600.0)
}

/// 100 000 slots with two packets each, of which one is lost once 20 wait. First come, the edge node that comes later
/// in a slot only fills these places, and 60 µs on a link make it the other one. By lot each slot's packet is either
/// one's: a binomial number with standard deviation 158, of which four are 632, and the ends of the run are 40 slots at
/// most.
#[test]
fn a_part_of_a_slot_decides_who_loses_unless_lots_do() {
    assert_eq!(arrived_of_each([20, 50], "first-come")[1], 20.0);
    assert_eq!(arrived_of_each([80, 50], "first-come")[0], 20.0);
    for phases in [[20, 50], [80, 50]] {
        for arrived in arrived_of_each(phases, "random") {
            assert!((arrived - 50_000.0).abs() <= 672.0, "{phases:?}: {arrived}");
        }
    }
}
