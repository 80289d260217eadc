//! The signalling protocol of an agile all-photonic network in the simulator: what nodes find out, and what it costs
//! when they cannot.

use crate::support::{at, figure, numbers, run, texts};
use sim::results::Results;

/// Three edge nodes, 1, 2 and 2 ms from the core; a frame of 3.6 ms has 18 slots of 200 us, three of them for
/// signalling; a data slot carries 170 us: 2125 B at 100 Mb/s. The clocks of two nodes are off and drift.
fn star(control: &str, more: &str) -> String {
    format!(
        r#"
        [run]
        duration = "9 s"
        warm_up = "1.8 s"
        [topology]
        kind = "aapn-star"
        edges = 3
        capacity = "100 Mbps"
        delays = ["1 ms", "2 ms", "2 ms"]
        buffer = "600 packets"
        [switching]
        kind = "aapn"
        slots = 18
        slot_time = "200 us"
        guard = "30 us"
        scheduler = "greedy"
        protocol = "simulated"
        control = {{ {control} }}
        [[switching.clock]]
        node = "e1"
        offset = "7 s"
        drift_ppm = 50.0
        [[switching.clock]]
        node = "e2"
        offset = "1 s"
        drift_ppm = -37.5
        {more}
        "#
    )
}

/// Datagrams at the rate of the fibre, which is more than any slots carry.
fn flood(from: &str, to: &str) -> String {
    format!("[[traffic]]\ntransport = \"udp\"\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"100 Mbps\"\n")
}

/// 7.2 s are 2000 frames of 15 data slots of 2125 B.
const FULL: f64 = 2000.0 * 15.0 * 2125.0;

fn carried(run: &Results, link: &str) -> f64 {
    at(&run.links, "link", link, "carried_bits") / 8.0
}

#[test]
fn nodes_that_know_nothing_join_and_fill_every_data_slot() {
    let run = run(&star("", &flood("e1", "e2")), 1);
    // Two packets may lie across the ends of the time that is counted.
    assert!((carried(&run, "e1->e2") - FULL).abs() <= 3000.0, "{} of {FULL}", carried(&run, "e1->e2"));
    assert_eq!(figure(&run, "control_light_missed"), 0.0);
    assert_eq!(figure(&run, "control_plans"), 2000.0);
    assert_eq!(figure(&run, "control_elections"), 0.0, "the only election was before the time that is counted");
}

/// Fibres that jitter by up to 0.3 µs: light is meant to come at its shortest delay, and comes 0.17 µs rms after it,
/// (1/√3)·0.3; the estimate of T_d is as uncertain as that. The issue's target for T_d is 0.8 µs rms.
#[test]
fn t_d_is_measured_over_fibres_that_jitter_and_clocks_that_drift() {
    let run = run(&star(r#"jitter = "0.3 us""#, &flood("e1", "e2")), 1);
    let error = figure(&run, "control_arrival_error_rms");
    assert!((1e-8..0.8e-6).contains(&error), "{error} s");
    assert_eq!(figure(&run, "control_light_missed"), 0.0);
}

/// A frame of e1 has its slots if the plan, its verdict, and the allocation on both of its fibres arrive: 0.95⁴ =
/// 0.815. Of 2000 frames the share scatters by 0.009; and a fourth of the frames around it may lose a term to four lost
/// plans in a row.
#[test]
fn a_lost_slot_of_signalling_costs_its_frame() {
    let run = run(&star("loss = 0.05", &flood("e1", "e2")), 1);
    let share = carried(&run, "e1->e2") / FULL;
    assert!((share - 0.95f64.powi(4)).abs() < 4.0 * 0.009, "{share}");
    assert!(figure(&run, "control_messages_lost") > 1000.0);
}

/// Ten frames and two round trips of the longest fibre: 36 + 8 ms.
#[test]
fn a_killed_master_is_followed_within_ten_frames_and_two_round_trips() {
    let killed = r#"
        [[switching.fault]]
        node = "e0"
        kind = "stopped"
        at = "4 s"
        until = "6 s"
        [probe]
        interval = "3.6 ms"
        links = ["e1->e2"]
    "#;
    let run = run(&star("", &format!("{killed}{}", flood("e1", "e2"))), 1);
    let names = texts(&run.series, "quantity").into_iter().zip(numbers(&run.series, "t_s"));
    let samples =
        names.zip(numbers(&run.series, "value")).filter(|((name, at), _)| name == "granted_slots" && *at > 4.0);
    let dark: Vec<f64> = samples.filter(|(_, slots)| *slots == 0.0).map(|((_, at), _)| at - 4.0).collect();
    let back = dark.last().copied().unwrap_or(0.0) + 3.6e-3;
    assert!(!dark.is_empty(), "the network stood still for a while");
    assert!(back <= 10.0 * 3.6e-3 + 8e-3, "slots again after {back} s");
    assert_eq!(figure(&run, "control_elections"), 1.0);
    assert_eq!(figure(&run, "control_terms_ended"), 1.0);
    // e0 comes back as a slave.
    assert_eq!(figure(&run, "control_joined"), 1.0);
}

#[test]
fn a_node_that_is_not_heard_loses_its_slots_and_joins_again() {
    let cut = r#"
        [[switching.fault]]
        node = "e1"
        kind = "cut-up"
        at = "3 s"
        until = "4 s"
    "#;
    let run = run(&star("", &format!("{cut}{}", flood("e1", "e2"))), 1);
    let share = carried(&run, "e1->e2") / FULL;
    // 1 s of 7.2 is cut, 278 of 2000 frames; being noticed and joining again takes up to 60 more.
    assert!((1.0 - 338.0 / 2000.0..=1.0 - 277.0 / 2000.0).contains(&share), "{share}");
    assert_eq!(figure(&run, "control_silent"), 1.0);
    assert_eq!(figure(&run, "control_joined"), 1.0);
}

/// The way down alone: its requests go on, the master drops it within patience + 2 + a + b frames, and slots for it go
/// to nobody. Patience is 3 + (2·2 + P)/3.6 ms, a and b are 2 or 3.
#[test]
fn a_node_that_hears_nothing_is_given_no_more_light_and_joins_again() {
    let cut = r#"
        [[switching.fault]]
        node = "e2"
        kind = "cut-down"
        at = "3 s"
        until = "4 s"
    "#;
    let run = run(&star("", &format!("{cut}{}", flood("e1", "e2"))), 1);
    // 278 of 2000 frames are cut; up to 16 of them still have light for it, and joining again takes up to 60 more.
    let lost = figure(&run, "control_light_missed");
    assert!((5.0 * 15.0..=16.0 * 15.0).contains(&lost), "light that nobody could take: {lost} slots");
    let share = carried(&run, "e1->e2") / FULL;
    assert!((1.0 - 338.0 / 2000.0..=1.0 - 262.0 / 2000.0).contains(&share), "{share}");
    assert_eq!((figure(&run, "control_silent"), figure(&run, "control_joined")), (0.0, 1.0));
}

#[test]
fn signalling_beside_the_light_leaves_all_slots_to_data() {
    let text = star("", &flood("e1", "e2")).replace("guard", "signalling = \"out-of-band\"\nguard");
    let share = carried(&run(&text, 1), "e1->e2") / FULL;
    assert!((share - 18.0 / 15.0).abs() < 1e-3, "{share}");
}

/// Of six datagrams each has a sixth of 170 us, of which a hundredth is dark and 5.12 us are a header of 64 B at 100
/// Mb/s: 28.333 − 0.283 − 5.12 us, 286.6 B of data; 1719.8 B a slot instead of 2125.
#[test]
fn a_slot_of_several_datagrams_carries_a_header_less_for_each() {
    let run = run(&star("datagrams = 6", &flood("e1", "e2")), 1);
    let expected = 2000.0 * 15.0 * 6.0 * (170e-6 / 6.0 * 0.99 - 5.12e-6) * 100e6 / 8.0;
    assert!((carried(&run, "e1->e2") - expected).abs() <= 3000.0, "{} of {expected}", carried(&run, "e1->e2"));
    // Every datagram is light of its own.
    assert_eq!(figure(&run, "control_light_sent"), 2000.0 * 15.0 * 6.0);
    assert_eq!(figure(&run, "control_light_missed"), 0.0);
}

/// Switching leaves 20 us of the guard time, so light may be off by 10 us. Fibres take up to 14 us longer, for each
/// datagram by itself: some meet the core and some do not, and of the light as much is lost as where a slot is one
/// datagram.
#[test]
fn datagrams_of_a_slot_are_lost_one_by_one() {
    let jitter = r#"jitter = "14 us", stamp_error = "4 us""#;
    let missed = |datagrams: u32| {
        let run = run(&star(&format!("{jitter}, datagrams = {datagrams}"), &flood("e1", "e2")), 1);
        let (sent, missed) = (figure(&run, "control_light_sent"), figure(&run, "control_light_missed"));
        assert!(missed > 0.0 && missed < 0.5 * sent, "{missed} of {sent}");
        missed / sent
    };
    let (one, several) = (missed(1), missed(4));
    assert!((one - several).abs() < 0.05, "{one} and {several}: what is lost of the light is the same");
}

/// 15 data slots of e2's output, which e0 and e1 both want all of: 3 : 1, and evenly without weights, each within a
/// slot of the 15.
#[test]
fn what_is_too_much_is_shared_by_weight() {
    let weight = "[[switching.weight]]\nfrom = \"e0\"\nto = \"e2\"\nweight = 3\n";
    let floods = [flood("e0", "e2"), flood("e1", "e2")].concat();
    let shares = |more: &str| {
        let run = run(&star("", &format!("{more}{floods}")), 1);
        (carried(&run, "e0->e2") / FULL, carried(&run, "e1->e2") / FULL)
    };
    let (heavy, light) = shares(weight);
    assert!((heavy - 0.75).abs() < 1.0 / 15.0 && (light - 0.25).abs() < 1.0 / 15.0, "{heavy} and {light}");
    let (one, other) = shares("");
    assert!((one - 0.5).abs() < 1.0 / 15.0 && (other - 0.5).abs() < 1.0 / 15.0, "{one} and {other}");
}

/// A frame of 36 ms: the answer to an invitation leaves two of them later, when a clock that is 200 ppm fast or slow is
/// 14 us off. Light may be 10 us early or late, and fibres of one length leave it no other slot.
#[test]
fn a_clock_that_drifts_far_joins_long_frames() {
    for ppm in ["200.0", "-200.0"] {
        let text = star("", &flood("e1", "e2")).replace("slots = 18", "slots = 180").replace("50.0", ppm);
        let text = text.replace("600 packets", "6000 packets");
        let run = run(&text.replace("[\"1 ms\", \"2 ms\", \"2 ms\"]", "[\"2 ms\", \"2 ms\", \"2 ms\"]"), 1);
        let bytes = carried(&run, "e1->e2");
        // 7.2 s are 200 frames of 177 data slots of 2125 B; one more or less at either end.
        let full = 200.0 * 177.0 * 2125.0;
        assert!((bytes / full - 1.0).abs() < 2.0 / 200.0, "{ppm} ppm: {bytes} of {full}");
    }
}

/// Core node c0 is dead from 4 to 6 s. All that e1 sends waits in its queue there.
fn two_cores(control: &str) -> Results {
    let dead = "[[switching.fault]]\nnode = \"c0\"\nkind = \"stopped\"\nat = \"4 s\"\nuntil = \"6 s\"\n";
    let text = star(control, &format!("{dead}{}", flood("e1", "e2")));
    run(&text.replace("edges = 3\n", "edges = 3\ncores = 2\n"), 1)
}

/// The longest fibre is 2 ms: patience is 3 + ⌈(4 ms + P)/3.6 ms⌉ = 5 frames, requests are answered a = ⌈(0.6 + 8
/// ms + 3 P)/3.6 ms⌉ = 3 frames later and
/// used b = 2 frames after that. The time-out is 5 + 3 + 2 + 2 = 12 frames; in three more the queue sends through
/// c1. Back home it misses a frame or two.
#[test]
fn the_queues_of_a_core_that_dies_send_through_the_other_one() {
    let moved = two_cores("");
    let lost = 2000.0 * (1.0 - carried(&moved, "e1->e2") / FULL);
    println!("{lost} frames were lost to the core's death and its return");
    assert!((8.0..=12.0 + 3.0 + 3.0).contains(&lost), "{lost} frames");
    // Each of three edge nodes has two queues there.
    assert_eq!(figure(&moved, "control_queues_moved"), 6.0);
    // Stars that are fixed for ever: 2 s of 7.2 are lost, and what the core needs to have a master again.
    let fixed = two_cores("failover = false");
    let lost = 2000.0 * (1.0 - carried(&fixed, "e1->e2") / FULL);
    assert!((2.0 / 3.6e-3..2.3 / 3.6e-3).contains(&lost), "{lost} frames");
}
