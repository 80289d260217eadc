//! What flows lost, and to what: switching the cause off gains what was attributed to it (docs/decisions/0010, where
//! the tolerances were written down before the first run).

use crate::support::{Builder, MIXED, figure, numbers, run, scenario};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;

/// A flow alone on 10 Mb/s with a round trip of 44 ms, which is 37 packets. The buffer takes all that the receiver's
/// window lets it have.
const ALONE: &str = r#"
[run]
duration = "100 s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "20 ms"
bottleneck_buffer = "10 s"
access_delay = "1 ms"
[transport.host]
algorithm = "sack"
receiver_window = "200 packets"
[[traffic]]
transport = "host"
flows = 1
[probe]
lost_throughput = true
"#;

/// What can be to blame, as the columns say it.
const CAUSES: [&str; 9] = [
    "contention",
    "congestion",
    "random_loss",
    "reordering",
    "false_timeouts",
    "window_limits",
    "application",
    "sender",
    "rest",
];

fn of_flow(run: &Results, name: &str) -> f64 {
    numbers(&run.flows, name)[0]
}

fn lost_to(run: &Results, cause: &str) -> f64 {
    of_flow(run, &format!("lost_to_{cause}_bps"))
}

/// Racks have a cause more: packets for which there was no room in a night. A queue of 16 packets loses in them, one
/// without an end does not; and the columns add up to what is lost.
#[test]
fn flows_between_racks_lose_to_nights() {
    let text = include_str!("../../../scenarios/racks.toml");
    let of = |buffer: &str| {
        let racks = Builder::of(text).set("switching.buffer", format!("{buffer:?}"));
        racks.set("run.duration", "\"96 ms\"").set("probe.lost_throughput", "true").run(1)
    };
    let (small, large) = (of("16 packets"), of("unlimited"));
    let nights = |run: &Results| numbers(&run.flows, "lost_to_nights_bps").iter().sum::<f64>();
    assert!(figure(&small, "night_drops") > 0.0 && nights(&small) > 0.0);
    assert_eq!((figure(&large, "night_drops"), nights(&large)), (0.0, 0.0));
    let lost: f64 = numbers(&small.flows, "lost_bps").iter().sum();
    let columns = CAUSES.iter().map(|cause| format!("lost_to_{cause}_bps")).chain(["lost_to_nights_bps".to_owned()]);
    let sum: f64 = columns.map(|name| numbers(&small.flows, &name).iter().sum::<f64>()).sum();
    assert!((sum - lost).abs() < 1e-6 * lost, "{sum}, in all {lost}");
    assert!(!run_names(ALONE).contains(&"lost_to_nights_bps"), "only where there are nights");
}

/// Over rotor switches it is the same cause: the buffer of ten packets overflows while the rack waits for its circuit.
#[test]
fn flows_over_rotor_switches_lose_while_they_wait() {
    let text = include_str!("../../../scenarios/rotornet.toml");
    let of = |buffer: &str| {
        let rotors =
            Builder::of(text).set("switching.buffer", format!("{buffer:?}")).set("switching.routes", "\"direct\"");
        rotors.set("run.duration", "\"20 ms\"").set("probe.lost_throughput", "true").run(1)
    };
    let nights = |run: &Results| numbers(&run.flows, "lost_to_nights_bps").iter().sum::<f64>();
    assert!(nights(&of("10 packets")) > 0.0);
    assert_eq!(nights(&of("unlimited")), 0.0);
}

fn run_names(text: &str) -> Vec<&'static str> {
    run(text, 1).flows.columns.iter().map(|(name, _)| *name).collect()
}

/// The payload rate of the path.
fn reference(run: &Results) -> f64 {
    of_flow(run, "lost_bps") + of_flow(run, "goodput_bps")
}

/// With the cause it costs something, without it nothing, and the gain is what it cost, within a share of that or 1 %
/// of the path.
fn switching_off_gains_the_cost(cause: &str, with: &Results, without: &Results, tolerance: f64) {
    let (cost, gain) = (lost_to(with, cause), of_flow(without, "goodput_bps") - of_flow(with, "goodput_bps"));
    let told: Vec<String> = CAUSES.iter().map(|cause| format!("{cause} {:.0}", lost_to(with, cause))).collect();
    let told = format!("{cause} cost {cost:.0} bit/s, switching it off gained {gain:.0}; {}", told.join(", "));
    println!("{told}");
    assert_eq!(lost_to(without, cause), 0.0, "{told}");
    assert!(cost > 0.05 * reference(with), "it matters: {told}");
    assert!((gain - cost).abs() < f64::max(tolerance * cost, 0.01 * reference(with)), "{told}");
}

fn with_loss(text: &str, probability: f64) -> Results {
    let link = "[[link]]\nfrom = \"left\"\nto = \"right\"\nduplex = false\nloss = ";
    Builder::of(text).add(&format!("{link}{probability}")).run(1)
}

#[test]
fn random_loss_costs_what_a_flow_gains_without_it() {
    switching_off_gains_the_cost("random_loss", &with_loss(ALONE, 0.01), &run(ALONE, 1), 0.1);
}

#[test]
fn reductions_below_a_window_limit_cost_what_a_flow_gains_without_them() {
    let limited = Builder::of(ALONE).set("transport.host.receiver_window", "\"20 packets\"").text();
    let (with, without) = (with_loss(&limited, 0.003), run(&limited, 1));
    switching_off_gains_the_cost("random_loss", &with, &without, 0.1);
    assert!(lost_to(&with, "window_limits") > 0.4 * reference(&with));
}

#[test]
fn congestion_costs_what_a_flow_gains_with_room_for_all_its_packets() {
    let with = Builder::of(ALONE).set("topology.bottleneck_buffer", "\"5 packets\"").run(1);
    switching_off_gains_the_cost("congestion", &with, &run(ALONE, 1), 0.1);
}

#[test]
fn marks_count_as_congestion() {
    let queue = "{ kind = \"step\", threshold = \"2 packets\" }";
    let ecn = |text: &str| Builder::of(text).set("transport.host.ecn", "true");
    let link = format!("[[link]]\nfrom = \"left\"\nto = \"right\"\nduplex = false\nqueue = {queue}");
    switching_off_gains_the_cost("congestion", &ecn(ALONE).add(&link).run(1), &ecn(ALONE).run(1), 0.1);
}

#[test]
fn window_limits_cost_what_a_flow_gains_with_a_larger_window() {
    for limit in ["receiver_window", "max_window"] {
        let with = Builder::of(ALONE).set(&format!("transport.host.{limit}"), "\"15 packets\"").run(1);
        switching_off_gains_the_cost("window_limits", &with, &run(ALONE, 1), 0.1);
    }
}

#[test]
fn reordering_costs_what_a_flow_gains_in_order() {
    // One segment of 400 comes after the 12 behind it.
    let late =
        (1..200).map(|n| format!("{{ flow = 0, segment = {}, action = \"delay\", delay = \"15 ms\" }}", 400 * n));
    let force = format!("force = [{}]\n", late.collect::<Vec<String>>().join(", "));
    let with = run(&format!("{force}{ALONE}"), 1);
    switching_off_gains_the_cost("reordering", &with, &run(ALONE, 1), 0.1);
}

#[test]
fn false_timeouts_cost_what_a_flow_gains_with_a_patient_timer() {
    // Every 4 s the path is 600 ms long for 0.1 s, and a timer that is not patient expires after 0.2 s; nothing is
    // lost.
    let event =
        |at: f64, delay: &str| format!("[[event]]\nat = \"{at} s\"\nlink = \"left->right\"\ndelay = \"{delay}\"\n");
    let spikes: Vec<String> =
        (1..24).map(|n| 4.0 * f64::from(n)).map(|at| event(at, "600 ms") + &event(at + 0.1, "20 ms")).collect();
    let spiked = Builder::of(ALONE).add(&spikes.concat()).set("transport.host.receiver_window", "\"38 packets\"");
    let without = spiked.clone().set("transport.host.min_rto", "\"5 s\"").run(1);
    switching_off_gains_the_cost("false_timeouts", &spiked.run(1), &without, 0.1);
}

#[test]
fn contention_costs_what_a_flow_gains_when_nobody_contends() {
    // Bursts of others take 1 of the 4 wavelengths of m->b on average: Erlang B (1, 4) of them all is 1.5 %.
    let text = r#"
        node = [
            { name = "h", role = "host" }, { name = "a", role = "edge" }, { name = "c", role = "edge" },
            { name = "m", role = "core" }, { name = "b", role = "edge" }, { name = "r", role = "host" },
        ]
        link = [
            { from = "h", to = "a", capacity = "10 Mbps", delay = "1 ms", buffer = "10 s" },
            { from = "a", to = "m", delay = "10 ms" }, { from = "c", to = "m", delay = "10 ms" },
            { from = "m", to = "b", delay = "10 ms" },
            { from = "b", to = "r", capacity = "10 Mbps", delay = "1 ms", buffer = "10 s" },
        ]
        link_defaults.capacity = "1 Gbps"
        topology.kind = "custom"
        run.duration = "100 s"
        probe.lost_throughput = true
        transport.host = { algorithm = "sack", receiver_window = "200 packets" }
        traffic = [{ transport = "host", from = "h", to = "r", flows = 1 }]
        [switching]
        kind = "obs"
        wavelengths = 4
        assembly = { timer = "1 ms" }
    "#;
    let others = "\n[[switching.burst]]\nfrom = \"c\"\nto = \"b\"\nload = 1.0\nmean = \"1 ms\"";
    switching_off_gains_the_cost("contention", &run(&format!("{text}{others}"), 1), &run(text, 1), 0.2);
}

#[test]
fn accounts_change_no_run_and_do_not_depend_on_who_works() {
    let plain = run(MIXED, 1);
    let asked = Builder::of(MIXED).set("probe.lost_throughput", "true").text();
    let whole = run(&asked, 1);
    assert_eq!((plain.fingerprint, plain.events), (whole.fingerprint, whole.events));
    let mut world = World::build(&scenario(&asked), Seed { seed: 1, run: 0 }, Options::default()).unwrap();
    for step in 1..=30u64 {
        world.run_until(SimTime::from_ps(step * 100_000_000_000));
        world.migrate(&(0..28).map(|node| (node + step as u32) % 5).collect::<Vec<u32>>());
    }
    let migrated = world.finish().unwrap();
    // As text, since a missing measurement is not equal to itself.
    assert!(format!("{:?}", whole.flows) == format!("{:?}", migrated.flows), "tables differ");
    assert_eq!(figure(&whole, "lost_to_congestion"), figure(&migrated, "lost_to_congestion"));
}

#[test]
fn all_that_is_lost_is_divided() {
    let run = Builder::of(MIXED).set("probe.lost_throughput", "true").run(2);
    let columns = CAUSES.map(|cause| numbers(&run.flows, &format!("lost_to_{cause}_bps")));
    let lost = numbers(&run.flows, "lost_bps");
    for (flow, whole) in lost.iter().enumerate().filter(|(_, whole)| whole.is_finite()) {
        let parts = columns.each_ref().map(|column| column[flow]);
        assert!(
            (parts.iter().sum::<f64>() - whole).abs() < 1e-6 * whole.abs() + 1.0,
            "flow {flow}: {parts:?}, {whole}"
        );
        // Only the rest is what is left over.
        assert!(parts[..8].iter().all(|part| *part >= 0.0), "flow {flow}: {parts:?}");
    }
    let shares: f64 = CAUSES.iter().map(|cause| figure(&run, &format!("lost_to_{cause}"))).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    // UDP has no account.
    assert_eq!(lost.iter().filter(|lost| lost.is_nan()).count(), 10);
}
