//! An agile all-photonic network in the simulator: slots, guard times, schedules, and XCP-CL over them (paper 003).

mod support;

use sim::results::Run;
use support::{at, figure, numbers, run, texts};

/// Two edge nodes, 1 ms and 2 ms from the core; a frame of 18 slots of 200 us, of which 180 us carry data: 2250 B at
/// 100 Mb/s.
fn star(switching: &str, more: &str) -> String {
    format!(
        r#"
        [run]
        duration = "9 s"
        warm_up = "1.8 s"
        [topology]
        kind = "aapn-star"
        edges = 2
        capacity = "100 Mbps"
        delays = ["1 ms", "2 ms"]
        buffer = "100 packets"
        [switching]
        kind = "aapn"
        slots = 18
        slot_time = "200 us"
        guard = "20 us"
        {switching}
        {more}
        "#
    )
}

const TWELVE: &str = r#"allocation = [{ from = "e0", to = "e1", slots = 12 }, { from = "e1", to = "e0", slots = 12 }]"#;

/// Datagrams at the rate of the fibre, which is more than any allocation carries.
const FLOOD: &str = r#"
    [[traffic]]
    transport = "udp"
    from = "e0"
    to = "e1"
    rate = "100 Mbps"
"#;

/// Dropped packets with this cause, since the warm-up.
fn dropped(run: &Run, cause: &str) -> f64 {
    let rows = texts(&run.drops, "cause").into_iter().zip(numbers(&run.drops, "units"));
    rows.filter(|(name, _)| name == cause).map(|(_, units)| units).sum()
}

#[test]
fn twelve_of_eighteen_slots_carry_12_18ths_of_their_payload() {
    // 7.2 s are 2000 frames of 12 slots of 2250 B.
    let carried = at(&run(&star(TWELVE, FLOOD), 1).links, "link", "e0->e1", "carried_bits") / 8.0;
    let expected = 2000.0 * 12.0 * 2250.0;
    assert!((carried - expected).abs() <= 1500.0, "{carried} B, expected {expected} B within a packet");
    // That is n/F · C · (T_s − g)/T_s = 60 Mb/s.
    assert_eq!(expected * 8.0 / 7.2, 60e6);
}

#[test]
fn a_slot_holds_one_whole_packet_of_1500_bytes() {
    let run = run(&star(&format!("packing = \"whole\"\n{TWELVE}"), FLOOD), 1);
    let carried = at(&run.links, "link", "e0->e1", "carried_units");
    assert!((carried - 2000.0 * 12.0).abs() <= 1.0, "{carried} packets, one in each of 24000 slots");
}

#[test]
fn a_lone_segment_waits_for_its_slot_and_so_does_its_ack() {
    // One slot each, the first data slot of the frame. Frame f is at the core at 3.6 f ms, so e0 (1 ms away) sends at
    // 3.6 f − 1 ms + 10 us, e1 (2 ms away) at 3.6 f − 2 ms + 10 us.
    let slots = r#"allocation = [{ from = "e0", to = "e1", slots = 1 }, { from = "e1", to = "e0", slots = 1 }]"#;
    let flow = r#"
        [[traffic]]
        transport = "sack"
        from = "e0"
        to = "e1"
        size = "1000 B"
        start = "1 s"
    "#;
    // 1 s is in frame 277 (its slot left e0 at 996.21 ms): the segment leaves at 278 · 3.6 − 1 + 0.01 = 999.81 < 1000 ms, so
    // at 279 · 3.6 − 1 + 0.01 = 1003.41 ms. It lasts 1040 B · 80 ns = 0.0832 ms and travels 3 ms: 1006.4932 ms. The ACK
    // leaves e1 at 281 · 3.6 − 2 + 0.01 = 1009.61 ms (280: 1006.01 is too early), lasts 0.0032 ms and travels 3 ms.
    let expected: f64 = (1009.61 + 0.0032 + 3.0 - 1000.0) / 1000.0;
    let found = figure(&run(&star(slots, flow), 1), "mean_completion_time");
    assert!((found - expected).abs() < 1e-11, "{found} s, expected {expected} s");
}

#[test]
fn signalling_slots_carry_no_data() {
    // With 6 signalling slots the one granted slot is the seventh: everything comes 6 slots later.
    let slots = r#"
        signalling_slots = 6
        allocation = [{ from = "e0", to = "e1", slots = 1 }, { from = "e1", to = "e0", slots = 1 }]
    "#;
    let flow = r#"
        [[traffic]]
        transport = "sack"
        from = "e0"
        to = "e1"
        size = "1000 B"
        start = "1 s"
    "#;
    // e0 sends at 3.6 f + 0.21 ms: 1000.65 (f = 277.9…: 277 gives 997.41, 278 gives 1001.01). There at 1004.0932; e1 sends at
    // 3.6 f − 0.79 ms: 279 gives 1003.61, 280 gives 1007.21.
    let expected: f64 = (1007.21 + 0.0032 + 3.0 - 1000.0) / 1000.0;
    let found = figure(&run(&star(slots, flow), 1), "mean_completion_time");
    assert!((found - expected).abs() < 1e-11, "{found} s, expected {expected} s");
}

#[test]
fn a_clock_within_half_of_the_guard_time_loses_nothing_and_beyond_it_everything() {
    for (clock, lost) in [
        ("late = \"10 us\"", false),
        ("early = \"10 us\"", false),
        ("late = \"10.001 us\"", true),
        ("early = \"10.001 us\"", true),
    ] {
        let more = format!("{FLOOD}\n[[switching.clock]]\nnode = \"e0\"\n{clock}");
        let run = run(&star(TWELVE, &more), 1);
        let violations = dropped(&run, "guard violation");
        let carried = at(&run.links, "link", "e0->e1", "carried_units");
        assert_eq!(violations > 0.0, lost, "{clock}");
        // What is lost was transmitted all the same.
        assert!((carried - 36000.0).abs() <= 1.0, "{clock}: {carried}");
        if lost {
            assert!((violations - carried).abs() <= 1.0, "{clock}: {violations} of {carried}");
        }
    }
}

#[test]
fn a_jitter_of_twice_the_tolerance_loses_half_of_the_slots() {
    // Uniform within ±20 us, tolerance 10 us: each of 24 000 slots is lost with probability 1/2, and with whole packets each
    // holds one. Four standard errors of the share: 4 · sqrt(0.25/24000) = 0.0129.
    let more = format!("{FLOOD}\n[[switching.clock]]\nnode = \"e0\"\njitter = \"20 us\"");
    let run = run(&star(&format!("packing = \"whole\"\n{TWELVE}"), &more), 1);
    let share = dropped(&run, "guard violation") / at(&run.links, "link", "e0->e1", "carried_units");
    assert!((share - 0.5).abs() < 0.0129, "{share}");
}
