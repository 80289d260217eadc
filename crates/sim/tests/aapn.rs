//! An agile all-photonic network in the simulator: slots, guard times, schedules, and XCP-CL over them (paper 003).

use crate::support::{self, Builder, at, figure, numbers, run, texts};
use sim::results::Results;

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
fn dropped(run: &Results, cause: &str) -> f64 {
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
    // 1 s is in frame 277 (its slot left e0 at 996.21 ms): the segment leaves at 278 · 3.6 − 1 + 0.01 = 999.81 < 1000
    // ms, so at 279 · 3.6 − 1 + 0.01 = 1003.41 ms. It lasts 1040 B · 80 ns = 0.0832 ms and travels 3 ms: 1006.4932 ms.
    // The ACK leaves e1 at 281 · 3.6 − 2 + 0.01 = 1009.61 ms (280: 1006.01 is too early), lasts 0.0032 ms and travels 3
    // ms.
    let (there, back): (f64, f64) = (1006.4932, 1009.61 + 0.0032 + 3.0);
    let run = run(&star(slots, flow), 1);
    let found = [numbers(&run.flows, "delivered_s")[0], numbers(&run.flows, "end_s")[0]];
    for (found, expected) in found.into_iter().zip([there / 1000.0, back / 1000.0]) {
        assert!((found - expected).abs() < 1e-11, "{found} s, expected {expected} s");
    }
    assert!((figure(&run, "mean_completion_time") - (there / 1000.0 - 1.0)).abs() < 1e-11);
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
    // e0 sends at 3.6 f + 0.21 ms: 1000.65 (f = 277.9…: 277 gives 997.41, 278 gives 1001.01). There at 1004.0932; e1
    // sends at 3.6 f − 0.79 ms: 279 gives 1003.61, 280 gives 1007.21.
    let expected: f64 = (1007.21 + 0.0032 + 3.0 - 1000.0) / 1000.0;
    let found = numbers(&run(&star(slots, flow), 1).flows, "end_s")[0] - 1.0;
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
    // Uniform within ±20 us, tolerance 10 us: each of 24 000 slots is lost with probability 1/2, and with whole packets
    // each holds one. Four standard errors of the share: 4 · sqrt(0.25/24000) = 0.0129.
    let more = format!("{FLOOD}\n[[switching.clock]]\nnode = \"e0\"\njitter = \"20 us\"");
    let run = run(&star(&format!("packing = \"whole\"\n{TWELVE}"), &more), 1);
    let share = dropped(&run, "guard violation") / at(&run.links, "link", "e0->e1", "carried_units");
    assert!((share - 0.5).abs() < 0.0129, "{share}");
}

/// The samples of a quantity of `e0->e1` in [from, to) seconds.
fn samples(run: &Results, quantity: &str, from: f64, to: f64) -> Vec<f64> {
    let (times, values) = (numbers(&run.series, "t_s"), numbers(&run.series, "value"));
    let names = texts(&run.series, "quantity").into_iter().zip(texts(&run.series, "entity"));
    let rows = times
        .iter()
        .zip(values)
        .zip(names)
        .filter(|((t, _), (name, entity))| **t >= from && **t < to && name == quantity && entity == "e0->e1");
    rows.map(|((_, value), _)| value).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Twenty greedy flows from e0 to e1, 20 ms from the core each, over `network`.
fn greedy(network: &str, transport: &str) -> String {
    format!(
        r#"
        [run]
        duration = "60 s"
        warm_up = "20 s"
        {network}
        [transport.xcp]
        packet_size = 1000
        [transport.sack]
        packet_size = 1000
        [[traffic]]
        transport = "{transport}"
        from = "e0"
        to = "e1"
        flows = 20
        spread = "1 s"
        [probe]
        interval = "50 ms"
        links = ["e0->e1"]
        "#
    )
}

/// The star with long delays; `xcp` is what ports say of their controllers.
fn long_star(switching: &str, xcp: &str) -> String {
    format!(
        r#"
        [topology]
        kind = "aapn-star"
        edges = 2
        capacity = "100 Mbps"
        delay = "20 ms"
        buffer = "1000 packets"
        [link_defaults]
        xcp = {xcp}
        [switching]
        kind = "aapn"
        slots = 18
        slot_time = "200 us"
        guard = "20 us"
        {switching}
        "#
    )
}

#[test]
fn slots_and_the_equivalent_rate_carry_the_same_in_the_long_run() {
    // 12 of 18 slots of 90 % are 60 Mb/s both ways. Written before the first run: within 2 % for XCP, which fills both,
    // and within 3 % for TCP, whose round trips are longer by the waits for slots (at most a frame of 3.6 ms each way
    // of 80 ms).
    let plain = r#"
        [link_defaults]
        xcp = {}
        [[link]]
        from = "e0"
        to = "e1"
        capacity = "60 Mbps"
        delay = "40 ms"
        buffer = "1000 packets"
    "#;
    for (transport, tolerance) in [("xcp", 0.02), ("sack", 0.03)] {
        let slots = run(&greedy(&long_star(TWELVE, "{}"), transport), 1);
        let rate = run(&greedy(plain, transport), 1);
        let (slots, rate) = (figure(&slots, "goodput"), figure(&rate, "goodput"));
        assert!((slots / rate - 1.0).abs() < tolerance, "{transport}: {slots} in slots, {rate} at the equivalent rate");
    }
}

/// 12 slots, 6 from 25 s on, 12 again from 45 s on.
const STEPS: &str = r#"allocation = [
    { from = "e0", to = "e1", slots = 12 },
    { from = "e1", to = "e0", slots = 12 },
    { at = "25 s", from = "e0", to = "e1", slots = 6 },
    { at = "45 s", from = "e0", to = "e1", slots = 12 },
]"#;

#[test]
fn xcp_cl_follows_the_allocation_and_original_xcp_stands_in_a_queue() {
    let follows = run(&greedy(&long_star(STEPS, "{}"), "xcp"), 1);
    let believes = run(&greedy(&long_star(STEPS, "{ follows = false }"), "xcp"), 1);
    // Five seconds after each step the queue is used, up to what integer windows lose, in (slots/18 · 0.9) of the time.
    for (from, to, slots) in [(10.0, 25.0, 12.0), (30.0, 45.0, 6.0), (50.0, 60.0, 12.0)] {
        let share = mean(&samples(&follows, "utilization", from, to)) / (slots / 18.0 * 0.9);
        assert!(share > 0.95, "{share} of {slots} slots are used");
        assert_eq!(mean(&samples(&follows, "believed_capacity", from, to)), slots / 18.0 * 0.9 * 100e6);
        assert_eq!(mean(&samples(&follows, "granted_slots", from, to)), slots);
    }
    // Nothing is lost once it has begun, but at the step down: a round trip's worth of 30 Mb/s too much, 330 packets,
    // fits.
    assert_eq!(figure(&follows, "dropped_packets"), 0.0);
    // Original XCP believes 100 Mb/s: no queue is long enough to balance it (0.4/0.226 · 40/60 > 1).
    assert_eq!(at(&believes.links, "link", "e0->e1", "max_queue"), 1000.0);
    assert!(figure(&believes, "dropped_packets") > 0.0);
}

#[test]
fn a_capacity_believed_5_percent_too_high_leaves_the_queue_that_balances_it() {
    // At rest Q = α/β · (C' − C) · d, as on a plain link (tests/xcp.rs); written before the first run: within 15 %,
    // because the least queue between slots is seen at packets' arrivals only.
    let run = run(&greedy(&long_star(TWELVE, "{ follows = false, capacity = \"63 Mbps\" }"), "xcp"), 1);
    let queue = mean(&samples(&run, "persistent_queue", 30.0, 60.0));
    let expected = 0.4 / 0.226 * 3e6 / 8.0 * mean(&samples(&run, "mean_rtt", 30.0, 60.0));
    assert!((queue / expected - 1.0).abs() < 0.15, "{queue} B stand, expected {expected} B");
    assert_eq!(figure(&run, "dropped_packets"), 0.0);
}

#[test]
fn the_printed_equation_forgets_the_guard_time() {
    // (4.1) says 12/18 · 100 = 66.7 Mb/s, of which a tenth is guard time: a queue stands. Told of payloads, none does.
    let printed = run(&greedy(&long_star(&format!("{TWELVE}\nsignal = {{ counts = \"slot\" }}"), "{}"), "xcp"), 1);
    assert_eq!(samples(&printed, "believed_capacity", 30.0, 60.0)[0], 66_666_666.0);
    let payload = run(&greedy(&long_star(TWELVE, "{}"), "xcp"), 1);
    let queue = |run: &Results| mean(&samples(run, "persistent_queue", 30.0, 60.0));
    assert!(queue(&printed) > 10.0 * queue(&payload), "{} B, {} B", queue(&printed), queue(&payload));
}

#[test]
fn a_signal_is_rounded_down_late_and_lost_as_it_is_told_to_be() {
    let signal = "signal = { quantum = \"25 Mbps\", age = \"2 s\" }";
    let late = run(&greedy(&long_star(&format!("{STEPS}\n{signal}"), "{}"), "xcp"), 1);
    // 60 and 30 Mb/s are 50 and 25 in steps of 25; the step at 25 s is heard of at 27 s.
    let believed = |from, to| mean(&samples(&late, "believed_capacity", from, to));
    assert_eq!((believed(20.0, 26.9), believed(28.0, 44.0)), (50e6, 25e6));
    let deaf = run(&greedy(&long_star(&format!("{STEPS}\nsignal = {{ loss = 1.0 }}"), "{}"), "xcp"), 1);
    assert_eq!(samples(&deaf, "believed_capacity", 50.0, 51.0)[0], 100e6);
}

#[test]
fn a_signal_comes_ahead_of_a_fixed_plan() {
    // 60, 30 and 60 Mb/s from 25 and 45 s on are told two seconds before; frames of 3.6 ms round that to 1.998 s.
    let text = greedy(&long_star(&format!("{STEPS}\nsignal = {{ ahead = \"2 s\" }}"), "{}"), "xcp");
    let run = run(&text, 1);
    let believed = |from, to| mean(&samples(&run, "believed_capacity", from, to));
    let found = [believed(20.0, 22.95), believed(23.05, 42.95), believed(43.05, 60.0)];
    assert_eq!(found, [60e6, 30e6, 60e6]);
    // What is granted keeps its time.
    let granted = |from, to| mean(&samples(&run, "granted_slots", from, to));
    assert_eq!([granted(20.0, 24.95), granted(25.05, 44.95), granted(45.05, 60.0)], [12.0, 6.0, 12.0]);
}

#[test]
fn schedules_are_computed_from_requests() {
    // In band two of 18 slots carry requests; a flood gets the other 16.
    let carried = at(&run(&star("", FLOOD), 1).links, "link", "e0->e1", "carried_bits") / 8.0;
    let expected = 2000.0 * 16.0 * 2250.0;
    assert!((carried / expected - 1.0).abs() < 0.001, "{carried} B of {expected} B");
    // What is asked for and no more: 40 Mb/s are 18 000 B a frame, that is 8 slots of 2250 B. All of it gets through,
    // and with idle spare slots no more than a slot a frame is granted beyond it.
    for request in ["queue", "last-frame", "smoothed", "predicted"] {
        let text = star(&format!("request = \"{request}\"\nspare_slots = \"idle\""), FLOOD);
        let probe = "[probe]\ninterval = \"3.6 ms\"\nlinks = [\"e0->e1\"]";
        let run = Builder::of(text).set("traffic.0.rate", "40 Mbps").add(probe).run(1);
        let carried = at(&run.links, "link", "e0->e1", "carried_bits") / 7.2;
        assert!((carried / 40e6 - 1.0).abs() < 0.001, "{request}: {carried} b/s");
        let granted = mean(&samples(&run, "granted_slots", 2.0, 9.0));
        assert!((7.99..9.5).contains(&granted), "{request}: {granted} slots");
    }
}

#[test]
fn a_lost_grant_is_a_frame_in_silence() {
    // Of 2000 frames a tenth have no grant; four standard errors of the share are 4 · sqrt(0.09/2000) = 0.027.
    let loss = "[[link]]\nfrom = \"c0\"\nto = \"e0\"\nduplex = false\nloss = 0.1";
    let carried = at(&run(&star("", &format!("{FLOOD}{loss}")), 1).links, "link", "e0->e1", "carried_bits") / 8.0;
    let share = carried / (2000.0 * 16.0 * 2250.0);
    assert!((share - 0.9).abs() < 0.027, "{share} of the slots are used");
}

#[test]
fn a_queue_that_goes_down_and_comes_up_loses_no_packet_from_the_books() {
    let events = r#"
        [[event]]
        at = "3 s"
        link = "e0->e1"
        state = "down"
        [[event]]
        at = "4 s"
        link = "e0->e1"
        state = "up"
    "#;
    for plan in [TWELVE, ""] {
        // The run itself fails if a packet is missing. One second of 7.2 s is lost.
        let run = run(&star(plan, &format!("{FLOOD}{events}")), 1);
        let slots = if plan.is_empty() { 16.0 } else { 12.0 };
        let share = at(&run.links, "link", "e0->e1", "carried_bits") / 8.0 / (2000.0 * slots * 2250.0);
        assert!((share - 6.2 / 7.2).abs() < 0.003, "{share}");
        assert!(dropped(&run, "unreachable") > 8000.0);
    }
}

#[test]
fn samples_change_nothing() {
    let text = greedy(&long_star(STEPS, "{}"), "xcp");
    let without = support::run_with(&text, 1, sim::engine::Options { without_samples: true, ..Default::default() });
    assert_eq!(run(&text, 1).fingerprint, without.fingerprint);
}

/// Overlaid stars: `edges` edge nodes under two core nodes, frames as in [`star`].
fn overlaid(edges: usize, switching: &str, more: &str) -> Builder {
    let stars = Builder::of(star(switching, more)).set("topology.edges", edges).set("topology.cores", 2);
    stars.set("topology.delays", format!("{:?}", vec!["1 ms"; edges]))
}

#[test]
fn overlaid_stars_carry_the_sum_of_their_slots() {
    // 12 of 18 slots through c0 and 6 through c1, of 90 Mb/s each: 60 and 30 Mb/s. Two floods take them in turn, so
    // each of them has a queue of its own. 7.2 s are 2000 frames of 12 and 6 slots of 2250 B; within a packet.
    let plan = r#"allocation = [
        { from = "e0", to = "e1", via = "c0", slots = 12 },
        { from = "e0", to = "e1", via = "c1", slots = 6 },
    ]"#;
    let run = overlaid(2, plan, FLOOD).set("traffic.0.flows", 2).run(1);
    for (queue, slots) in [("e0->e1", 12.0), ("e0->e1#2", 6.0)] {
        let carried = at(&run.links, "link", queue, "carried_bits") / 8.0;
        let expected = 2000.0 * slots * 2250.0;
        assert!((carried - expected).abs() <= 1500.0, "{queue}: {carried} B, expected {expected} B");
    }
}

#[test]
fn computed_schedules_fill_overlaid_stars_and_share_them_max_min() {
    // Four edge nodes, 14 of 18 slots for data through each of two core nodes. e0 wants 10 Mb/s to e1 and floods e2 and
    // e3, each through both: 10 Mb/s are 4500 B a frame, 2 slots; 28 slots less those 2 leave 13 slots, 65 Mb/s, for
    // each flood. Requests are whole slots on each star, so within 1 % for the first and a slot on each star, 10 Mb/s,
    // for the floods.
    let flow = |to: &str, rate: &str| {
        format!("[[traffic]]\ntransport = \"udp\"\nfrom = \"e0\"\nto = \"{to}\"\nflows = 2\nrate = \"{rate}\"\n")
    };
    let traffic = [flow("e1", "5 Mbps"), flow("e2", "100 Mbps"), flow("e3", "100 Mbps")].concat();
    let run = overlaid(4, "spare_slots = \"asking\"", &traffic).run(1);
    let carried = |to: &str| {
        let queue = |star: &str| at(&run.links, "link", &format!("e0->{to}{star}"), "carried_bits") / 7.2e6;
        queue("") + queue("#2")
    };
    let found = ["e1", "e2", "e3"].map(carried);
    assert!((found[0] / 10.0 - 1.0).abs() < 0.01, "{found:?} Mb/s");
    assert!((found[1] - 65.0).abs() <= 10.0 && (found[2] - 65.0).abs() <= 10.0, "{found:?} Mb/s");
}

/// Three edge nodes and one core node: 15 of 18 slots carry data, and e0 floods e1 and e2 with weights 4 and 1. 12 and
/// 3 slots of 2250 B in 2000 frames; within a slot of every frame for what the two ask for in whole slots.
#[test]
fn known_schedules_share_what_is_too_much_by_weight() {
    let flood =
        |to: &str| format!("[[traffic]]\ntransport = \"udp\"\nfrom = \"e0\"\nto = \"{to}\"\nrate = \"100 Mbps\"\n");
    let traffic = [flood("e1"), flood("e2")].concat();
    for spare in ["all", "asking", "idle"] {
        let weights = format!("spare_slots = \"{spare}\"\nweight = [{{ from = \"e0\", to = \"e1\", weight = 4 }}]");
        let stars = Builder::of(star(&weights, &traffic)).set("topology.edges", 3);
        let run = stars.set("topology.delays", format!("{:?}", vec!["1 ms"; 3])).run(1);
        for (to, slots) in [("e1", 12.0), ("e2", 3.0)] {
            let carried = at(&run.links, "link", &format!("e0->{to}"), "carried_bits") / 8.0 / 2000.0 / 2250.0;
            assert!((carried - slots).abs() <= 1.0, "{spare}, {to}: {carried} slots a frame, expected {slots}");
        }
    }
}

/// Four edge nodes and 14 data slots, which e0 floods to the three others. By 50 : 30 : 20 they are 7, 4.2 and 2.8, in
/// whole slots 7, 4 and 3; equal weights give 14/3, whatever they are.
#[test]
fn weights_larger_than_a_frame_share_it_in_proportion() {
    let flood =
        |to: &str| format!("[[traffic]]\ntransport = \"udp\"\nfrom = \"e0\"\nto = \"{to}\"\nrate = \"100 Mbps\"\n");
    let traffic = ["e1", "e2", "e3"].map(flood).concat();
    for (weights, shares) in
        [([50, 30, 20], [7.0, 4.0, 3.0]), ([20, 30, 50], [3.0, 4.0, 7.0]), ([12, 12, 12], [14.0 / 3.0; 3])]
    {
        let entry = |(to, weight): (usize, u32)| format!("{{ from = \"e0\", to = \"e{to}\", weight = {weight} }}");
        let list = (1..).zip(weights).map(entry).collect::<Vec<_>>().join(", ");
        let stars = Builder::of(star(&format!("weight = [{list}]"), &traffic)).set("topology.edges", 4);
        let run = stars.set("topology.delays", format!("{:?}", vec!["1 ms"; 4])).run(1);
        for (to, slots) in (1..).zip(shares) {
            let carried = at(&run.links, "link", &format!("e0->e{to}"), "carried_bits") / 8.0 / 2000.0 / 2250.0;
            // Packets of 1500 B do not fill every slot; equal weights have equal shares.
            let most = if weights[0] == weights[1] { 0.1 } else { 1.0 };
            assert!((carried - slots).abs() <= most, "{weights:?}, e{to}: {carried} slots a frame, expected {slots}");
        }
    }
}

#[test]
fn told_of_slots_that_are_granted_on_request_only_xcp_starves() {
    // One star, four edge nodes; ten XCP flows from e0 to each of the others; 14 of 18 slots of 90 %, 70 Mb/s, for
    // data. Written before the first run: with the mean of a hundred frames (0.36 s, a control interval) and spare
    // slots for all, at least three quarters of that; told of each frame for itself, with no slots but those asked for,
    // less than a quarter: a queue without slots is told 0, and what is told 0 has nothing to ask for.
    let network = |switching: &str| {
        let network = Builder::of(greedy(&long_star(switching, "{}"), "xcp")).set("topology.edges", 4);
        let flows = |to: &str| {
            format!("[[traffic]]\ntransport = \"xcp\"\nfrom = \"e0\"\nto = \"{to}\"\nflows = 10\nspread = \"1 s\"\n")
        };
        network.set("traffic.0.flows", 10).add(&flows("e2")).add(&flows("e3"))
    };
    let goodput = |switching: &str| figure(&network(switching).run(1), "goodput");
    let literal = goodput("spare_slots = \"idle\"");
    let remedy = goodput("signal = { frames = 100 }");
    assert!(literal < 0.25 * 70e6, "{literal} b/s frame by frame");
    assert!(remedy > 0.75 * 70e6, "{remedy} b/s with the mean of a hundred frames");
    // Found then, with the same bounds: the mean by itself does not help (4.9 Mb/s; 1.3 without it), spare slots for
    // all do, and so do requests that remember.
    let mean_only = goodput("spare_slots = \"idle\"\nsignal = { frames = 100 }");
    assert!(mean_only < 0.25 * 70e6, "{mean_only} b/s");
    for switching in ["spare_slots = \"all\"", "spare_slots = \"asking\"\nrequest = \"smoothed\""] {
        let fed = goodput(switching);
        assert!(fed > 0.75 * 70e6, "{fed} b/s with {switching}");
    }
}
