//! Links that change: phases, events, pauses, and that nothing is lost that had room.

use crate::support::{at, figure, run, scenario, texts};
use proptest::prelude::*;
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;

/// A source of 4 Mb/s in packets of 1000 B, one every 2 ms from 0 on, over a link of 8 Mb/s, where one lasts 1 ms.
fn constant(start: &str, phases: &str) -> Results {
    let text = format!(
        r#"
        run = {{ duration = "100 ms" }}
        link = [{{ from = "a", to = "b", capacity = "8 Mbps", delay = "1 us", buffer = "100 packets" }}]
        transport = {{ udp = {{ algorithm = "udp", packet_size = "1000 B" }} }}
        traffic = [{{ transport = "udp", from = "a", to = "b", rate = "4 Mbps", start = "{start}" }}]
        link_phases = [{{ link = "a->b", {phases} }}]
        "#
    );
    run(&text, 1)
}

fn of(run: &Results, value: &str) -> f64 {
    at(&run.links, "link", "a->b", value)
}

/// In 10 ms the link has no capacity from 6 ms on. The packets of 6 and 8 ms wait for 4 and 3 ms, those of 10 and 12 ms
/// behind them for 2 and 1 ms, and that of 14 ms for none: 5 packets of 1 ms in 10 ms. In 100 ms those of 0, 2 and 4 ms
/// leave in the first period, and those of 96 and 98 ms are left over after 4 and 2 ms.
#[test]
fn a_phase_without_capacity_keeps_the_queue_to_the_millisecond() {
    let run = constant("0 s", r#"period = "10 ms", phases = [{ at = "6 ms", duration = "4 ms", capacity = "0 bps" }]"#);
    assert_eq!([of(&run, "offered_units"), of(&run, "carried_units"), of(&run, "dropped_units")], [50.0, 48.0, 0.0]);
    assert!((of(&run, "utilization") - 0.48).abs() < 1e-12);
    assert!((of(&run, "mean_queue") - (9.0 * 10.0 + 6.0) / 100.0).abs() < 1e-12);
}

/// The same with the link down: the packets of 6 and 8 ms of each 10 ms are dropped.
#[test]
fn a_phase_that_is_down_drops_what_comes() {
    let run = constant("0 s", r#"period = "10 ms", phases = [{ at = "6 ms", duration = "4 ms", state = "down" }]"#);
    assert_eq!([of(&run, "carried_units"), of(&run, "dropped_units")], [30.0, 20.0]);
    assert_eq!(texts(&run.drops, "cause"), ["unreachable"]);
    assert!((of(&run, "utilization") - 0.3).abs() < 1e-12);
}

/// Whether a packet that is at the link at `ps` has left it by some time, at lines of 10, 20, … ms (mahimahi): it takes
/// 12 ps and 1 ps to come there.
fn is_delivered(ps: u64, by: &str) -> bool {
    let file = std::env::temp_dir().join(format!("photocol-tens-{}.trace", std::process::id()));
    std::fs::write(&file, "10\n20\n30\n").unwrap();
    let text = format!(
        r#"
        run = {{ duration = "{by}" }}
        topology = {{ kind = "dumbbell", pairs = 1, bottleneck_capacity = "12 Mbps", bottleneck_delay = "1 ps",
            access_capacity = "1000 Tbps", access_delay = "1 ps" }}
        link_trace = [{{ link = "left->right", file = "{}", format = "delivery" }}]
        transport = {{ udp = {{ algorithm = "udp", packet_size = 1500 }} }}
        traffic = [{{ transport = "udp", rate = "1 Mbps", start = "{} ps", stop = "{ps} ps" }}]
        "#,
        file.display(),
        ps - 13,
    );
    at(&run(&text, 1).links, "link", "left->right", "carried_units") == 1.0
}

/// `link_queue.cc`: what waits leaves at the next line, and what comes at a line has missed it; the lines begin again.
#[test]
fn a_packet_leaves_at_the_next_line_of_a_trace() {
    let ms = |ms: u64| ms * 1_000_000_000;
    for (comes, leaves) in [(ms(9) + 500, 10), (ms(10) - 1, 10), (ms(10), 20), (ms(10) + 1, 20), (ms(35), 40)] {
        assert!(!is_delivered(comes, &format!("{} ps", ms(leaves) - 1)), "{comes} ps");
        assert!(is_delivered(comes, &format!("{} ps", ms(leaves) + 1)), "{comes} ps");
    }
}

/// Twice the capacity in the first half of each period: the packets of 0, 2 and 4 ms last 0.5 ms, those of 6 and 8 ms
/// 1 ms: 3.5 of 10 ms.
#[test]
fn a_constant_source_uses_a_circuit_as_by_hand() {
    let run = constant("0 s", r#"period = "10 ms", phases = [{ duration = "5 ms", capacity = "16 Mbps" }]"#);
    assert_eq!(of(&run, "dropped_units"), 0.0);
    assert!((of(&run, "utilization") - 0.35).abs() < 1e-12);
}

/// A packet comes at 5.5 ms and has half of its bits to go when the phase ends at 6 ms, in each of ten periods.
#[test]
fn a_packet_at_the_end_of_a_phase_goes_on_or_finishes_or_is_cut() {
    let run = |rest: &str| {
        let phase = r#"phases = [{ at = "6 ms", duration = "4 ms", capacity = "0 bps" }]"#;
        constant("1.5 ms", &format!(r#"period = "10 ms", {phase}{rest}"#))
    };
    let cut = run(r#", mid_packet = "cut""#);
    assert_eq!([of(&cut, "dropped_units"), of(&cut, "carried_units")], [10.0, 50.0 - 10.0 - 2.0]);
    // At the end those of 97.5 and 99.5 ms are left over, and that of 95.5 ms if half of it waits.
    let [goes_on, finishes] = ["", r#", mid_packet = "finish""#].map(|rest| {
        let run = run(rest);
        assert_eq!(of(&run, "dropped_units"), 0.0);
        of(&run, "carried_units")
    });
    assert_eq!([goes_on, finishes], [50.0 - 3.0, 50.0 - 2.0]);
}

/// A cubic and a constant source over a bottleneck that changes in all it can, once as phases and once as events.
fn dumbbell(changes: &str) -> String {
    format!(
        r#"
        run = {{ duration = "3 s", warm_up = "0.5 s" }}
        topology = {{ kind = "dumbbell", pairs = 3, bottleneck_capacity = "10 Mbps", bottleneck_delay = "10 ms",
            bottleneck_buffer = "20 packets", access_capacity = "100 Mbps" }}
        transport = {{ udp = {{ algorithm = "udp", packet_size = "700 B" }} }}
        traffic = [{{ transport = "cubic" }}, {{ transport = "udp", from = "l0", to = "r1", rate = "1 Mbps" }}]
        {changes}
        "#
    )
}

/// Phases of 90, 60 and 50 ms, the first of them 30 ms after the start of the run.
const PHASES: &str = r#"
link_phases = [
    { link = "left-right", offset = "30 ms", mid_packet = "finish", phases = [
        { duration = "90 ms", capacity = "30 Mbps", delay = "4 ms", buffer = "50 packets" },
        { duration = "60 ms", capacity = "0 bps" },
        { duration = "50 ms", loss = 0.02, buffer = "5 packets" },
    ] },
]
"#;

fn as_events() -> String {
    let mut events = String::new();
    let mut add = |at: u64, keys: &str| {
        let names = r#"link = "left-right", mid_packet = "finish""#;
        events += &format!("{{ at = \"{at} ms\", {names}, {keys} }},\n");
    };
    add(0, r#"buffer = "5 packets", loss = 0.02"#);
    for period in (30..3000).step_by(200) {
        add(period, r#"capacity = "30 Mbps", delay = "4 ms", buffer = "50 packets", loss = 0.0"#);
        add(period + 90, r#"capacity = "0 bps", delay = "10 ms", buffer = "20 packets""#);
        add(period + 150, r#"capacity = "10 Mbps", loss = 0.02, buffer = "5 packets""#);
    }
    format!("event = [\n{events}]")
}

#[test]
fn phases_are_the_same_bits_as_events() {
    let (phases, events) = (run(&dumbbell(PHASES), 3), run(&dumbbell(&as_events()), 3));
    assert!(figure(&phases, "dropped_packets") > 0.0);
    assert_eq!(phases.fingerprint, events.fingerprint);
    assert!(format!("{:?}", phases.links) == format!("{:?}", events.links));
    assert_ne!(phases.fingerprint, run(&dumbbell(""), 3).fingerprint);
}

#[test]
fn phases_are_the_same_bits_on_threads_and_in_parts() {
    let scenario = scenario(&dumbbell(PHASES));
    let ran = |threads: usize, parts: u32| {
        let mut world = World::build(&scenario, Seed { seed: 3, run: 0 }, Options::default()).unwrap();
        world.use_threads(threads);
        world.migrate(&(0..scenario.network.nodes.len() as u32).map(|node| node % parts).collect::<Vec<_>>());
        world.run_until(SimTime::NEVER);
        let run = world.finish().unwrap();
        (run.fingerprint, format!("{:?}", run.links))
    };
    let alone = ran(1, 1);
    assert!([ran(1, 3), ran(2, 2), ran(2, 5)].iter().all(|other| *other == alone));
}

/// A change to what is so already: only the way in which the port decides differs.
#[test]
fn a_queue_that_decides_late_does_the_same() {
    for kind in ["drop-tail", "red", "pie", "step", "codel", "fq-codel", "dualpi2"] {
        let keys = format!(r#"link_defaults = {{ queue = {{ kind = "{kind}" }} }}"#);
        let keys = if kind == "drop-tail" { "" } else { &keys };
        let same = r#"event = [{ at = "1 s", link = "left-right", capacity = "10 Mbps" }]"#;
        let marked = dumbbell(&format!("{keys}\n{same}")).replace(r#""cubic" }"#, r#""dctcp" }"#);
        let plain = dumbbell(keys).replace(r#""cubic" }"#, r#""dctcp" }"#);
        let (late, early) = (run(&marked, 5), run(&plain, 5));
        assert_eq!(late.fingerprint, early.fingerprint, "{kind}");
        assert!(format!("{:?}", late.links) == format!("{:?}", early.links), "{kind}");
    }
}

/// 3000 weeks of 4.8 ms are 14.4 s and 72 000 changes; the scenario holds one week.
#[test]
fn a_period_is_not_written_out() {
    let day = r#"phases = [{ duration = "180 us", capacity = "80 Gbps" }, { duration = "20 us", capacity = "0 bps" }]"#;
    let text = dumbbell(&format!(r#"link_phases = [{{ link = "left-right", period = "4.8 ms", {day} }}]"#));
    let scenario = scenario(&text.replace("3 s", "14.4 s"));
    let steps: Vec<usize> = scenario.changes.iter().map(|timeline| timeline.steps.len()).collect();
    assert_eq!(steps, [1, 3, 1, 3], "both directions: at the start, and in a period");
}

/// A change is a turn like those of hosts: a run whose link changes each nanosecond comes back after so many.
#[test]
fn a_run_comes_back_after_so_many_changes() {
    let link = r#"capacity = "1 Gbps", delay = "1 ms", buffer = "9 packets""#;
    let day = r#"{ duration = "1 ns", capacity = "2 Gbps" }"#;
    let text = format!(
        r#"
        run = {{ duration = "8 h" }}
        link = [{{ from = "a", to = "b", {link} }}]
        traffic = [{{ transport = "reno", from = "a", to = "b", start = "1 h" }}]
        link_phases = [{{ link = "a->b", period = "2 ns", phases = [{day}] }}]
        "#
    );
    let mut world = World::build(&scenario(&text), Seed { seed: 1, run: 0 }, Options::default()).unwrap();
    world.run_on(SimTime::NEVER, 1000);
    // The first change is at 0 and the thousandth at 999 ns.
    assert!((990_000..=999_000).contains(&world.now().ps()), "{}", world.now().ps());
}

/// A phase of a link: its duration, capacity, delay in ms and buffer in packets.
type Drawn = (u64, u64, u64, u64);

fn drawn_phases(phases: &[Drawn], rest: &str) -> String {
    let phase = |(ms, mbps, delay, buffer): &Drawn| {
        let buffer = if *buffer > 50 { "unlimited".to_owned() } else { format!("{buffer} packets") };
        let capacity = if *mbps < 5 { "0 bps".to_owned() } else { format!("{mbps} Mbps") };
        // Half of the delay is added at most.
        let jitter = 500 * delay;
        let keys =
            format!(r#"capacity = "{capacity}", delay = "{delay} ms", jitter = "{jitter} us", buffer = "{buffer}""#);
        format!(r#"{{ duration = "{ms} ms", {keys} }}"#)
    };
    let phases: Vec<String> = phases.iter().map(phase).collect();
    format!(r#"link_phases = [{{ link = "left-right", mid_packet = "{rest}", phases = [{}] }}]"#, phases.join(", "))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    /// Any schedule, any sender: the engine's own books close (the run would fail), every drop is a full buffer or a
    /// packet that was cut, and where there is room for all nothing is dropped at all.
    #[test]
    fn nothing_is_lost_that_had_room(
        phases in prop::collection::vec((1u64..80, 0u64..40, 1u64..30, 0u64..60), 1..6),
        rest in prop_oneof![Just("continue"), Just("finish"), Just("cut")],
        law in prop_oneof![Just("cubic"), Just("reno"), Just("bbr"), Just("vegas"), Just("dctcp")],
        threads in 1usize..3,
    ) {
        let results = |phases: &[Drawn]| {
            let text = dumbbell(&drawn_phases(phases, rest)).replace(r#""cubic" }"#, &format!(r#""{law}" }}"#));
            let text = text.replace(r#"duration = "3 s", warm_up = "0.5 s""#, r#"duration = "1 s""#);
            let text = text.replace("access_capacity", r#"access_buffer = "unlimited", access_capacity"#);
            let mut world = World::build(&scenario(&text), Seed { seed: 9, run: 0 }, Options::default()).unwrap();
            world.use_threads(threads);
            world.migrate(&[0, 1, 0, 1, 0, 1, 0, 1]);
            world.run_until(SimTime::NEVER);
            world.finish().unwrap()
        };
        let bounded = results(&phases);
        let causes = texts(&bounded.drops, "cause");
        let is_known = |cause: &String| cause == "congestion" || cause == "unreachable" && rest == "cut";
        prop_assert!(causes.iter().all(is_known), "{:?}", causes);
        let roomy: Vec<Drawn> = phases.iter().map(|(ms, mbps, delay, _)| (*ms, *mbps, *delay, 60)).collect();
        let roomy = results(&roomy);
        let causes = texts(&roomy.drops, "cause");
        prop_assert!(causes.iter().all(|cause| cause == "unreachable" && rest == "cut"), "{:?}", causes);
    }
}
