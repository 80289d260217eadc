//! Wavelengths of an agile all-photonic network, each with a switching fabric of its own (paper 003, §2.2).

use crate::support::{Builder, at, figure, numbers, run, texts};
use sim::results::Results;
use sim::scenario::{Input, load};
use std::path::Path;

/// Four edge nodes, each 1 ms from the core; a frame of 18 slots of 200 us, of which 180 us carry data: 2250 B at 100
/// Mb/s. 7.2 s are 2000 frames.
fn star(switching: &str, more: &str) -> String {
    format!(
        r#"
        [run]
        duration = "9 s"
        warm_up = "1.8 s"
        [topology]
        kind = "aapn-star"
        edges = 4
        capacity = "100 Mbps"
        delay = "1 ms"
        buffer = "400 packets"
        [switching]
        kind = "aapn"
        slots = 18
        slot_time = "200 us"
        guard = "20 us"
        packing = "cut"
        {switching}
        {more}
        "#
    )
}

/// More than three wavelengths carry, from every edge node to the next.
fn floods() -> String {
    let flood = |from: usize| {
        let to = (from + 1) % 4;
        format!("[[traffic]]\ntransport = \"udp\"\nfrom = \"e{from}\"\nto = \"e{to}\"\nrate = \"400 Mbps\"\n")
    };
    (0..4).map(flood).collect()
}

fn carried(run: &Results, link: &str) -> f64 {
    at(&run.links, "link", link, "carried_bits") / 8.0
}

fn dropped(run: &Results, cause: &str) -> f64 {
    let rows = texts(&run.drops, "cause").into_iter().zip(numbers(&run.drops, "units"));
    rows.filter(|(name, _)| name == cause).map(|(_, units)| units).sum()
}

const RING: [&str; 4] = ["e0->e1", "e1->e2", "e2->e3", "e3->e0"];

#[test]
fn w_wavelengths_carry_w_times_the_traffic_of_saturated_pairs() {
    // In band four of 18 slots carry requests. 14 slots of 2250 B in 2000 frames, on every wavelength, within a packet.
    for wavelengths in [1, 2, 3] {
        let run = run(&star(&format!("wavelengths = {wavelengths}"), &floods()), 1);
        let expected = 2000.0 * 14.0 * 2250.0 * f64::from(wavelengths);
        for pair in RING {
            let found = carried(&run, pair);
            assert!((found - expected).abs() <= 1500.0, "{wavelengths}, {pair}: {found} B of {expected} B");
        }
        // All the light of data slots is used, of which there is 14/18 · 180/200 of the time.
        let used = at(&run.links, "link", "e0->e1", "utilization");
        assert!((used - 0.7).abs() < 1e-4, "{used}");
    }
}

#[test]
fn a_fixed_plan_has_the_slots_of_all_wavelengths() {
    // 36 of the 54 slots of a frame with three wavelengths.
    let plan = r#"wavelengths = 3
        allocation = [{ from = "e0", to = "e1", slots = 36 }]"#;
    let found = carried(&run(&star(plan, &floods()), 1), "e0->e1");
    assert!((found - 2000.0 * 36.0 * 2250.0).abs() <= 1500.0, "{found} B");
    // A slot has 2250 B on any wavelength, so one whole packet of 1500 B.
    let whole = Builder::of(star(plan, &floods())).set("switching.packing", "whole").run(1);
    let packets = at(&whole.links, "link", "e0->e1", "carried_units");
    assert!((packets - 2000.0 * 36.0).abs() <= 1.0, "{packets} packets");
}

#[test]
fn an_edge_node_sends_on_as_many_wavelengths_as_it_has_transmitters() {
    for (transmitters, times) in [(1, 1.0), (2, 2.0)] {
        let run = run(&star(&format!("wavelengths = 3\ntransmitters = {transmitters}"), &floods()), 1);
        let expected = 2000.0 * 14.0 * 2250.0 * times;
        let found = RING.map(|pair| carried(&run, pair));
        assert!(found.iter().all(|found| (found - expected).abs() <= 1500.0), "{transmitters}: {found:?}");
    }
}

/// 1.8 s, 500 frames, without light on wavelength 1.
fn dark(more: &str) -> String {
    format!(
        "[[switching.fault]]\nnode = \"c0\"\nkind = \"dark\"\nwavelength = 1\nat = \"3.6 s\"\n\
         until = \"5.4 s\"\n{more}\n{}",
        floods()
    )
}

#[test]
fn a_dark_wavelength_loses_its_slots_and_the_others_carry_on() {
    // Nobody reacts to it in a fixed plan. Whole packets, one in each slot: of two wavelengths with 12 slots each, 500
    // frames of one are lost.
    let plan = "packing = \"whole\"\nwavelengths = 2\nallocation = [{ from = \"e0\", to = \"e1\", slots = 24 }]";
    let star = star(plan, &dark("")).replace("packing = \"cut\"\n", "");
    let run = run(&star, 1);
    assert_eq!(figure(&run, "slots_dark"), 500.0 * 12.0);
    let lost = dropped(&run, "guard violation");
    assert!((lost - 500.0 * 12.0).abs() <= 1.0, "{lost} packets of {}", 500 * 12);
    // What is lost was transmitted all the same; the run itself fails if a packet is missing.
    let sent = at(&run.links, "link", "e0->e1", "carried_units");
    assert!((sent - 2000.0 * 24.0).abs() <= 1.0, "{sent}");
}

#[test]
fn the_core_grants_no_slots_of_a_wavelength_that_it_knows_to_be_dark() {
    // The core hears requests at the end of the signalling slots and grants for the frame after the next: 1 ms there,
    // 1 ms back. So of 500 frames 2 are granted and lost, of 14 slots and four edge nodes each, and as many are not
    // granted when it has light again.
    let run_of = |switching: &str, more: &str| run(&star(switching, &dark(more)), 1);
    let run = run_of("wavelengths = 2", "");
    assert_eq!(figure(&run, "slots_dark"), 2.0 * 14.0 * 4.0);
    let expected = (2000.0 * 2.0 - 500.0) * 14.0 * 2250.0;
    for pair in RING {
        let found = carried(&run, pair);
        assert!((found - expected).abs() <= 1500.0, "{pair}: {found} B of {expected} B");
    }
    // It takes 36 ms, ten frames, to notice: ten more are lost.
    let late = run_of("wavelengths = 2", "notice = \"36 ms\"");
    assert_eq!(figure(&late, "slots_dark"), 12.0 * 14.0 * 4.0);
    // With one transmitter the other wavelength has all that a node can send: nothing but those frames is lost, and
    // wavelength 1 is not used at all.
    let tuned = run_of("wavelengths = 2\ntransmitters = 1", "");
    assert_eq!(figure(&tuned, "slots_dark"), 0.0);
    let found = carried(&tuned, "e0->e1");
    assert!((found - 2000.0 * 14.0 * 2250.0).abs() <= 1500.0, "{found} B");
}

#[test]
fn without_any_light_nothing_is_granted_and_all_comes_back() {
    let fault = dark("").replace("wavelength = 1", "wavelength = 0");
    let run = run(&star("", &fault), 1);
    assert_eq!(figure(&run, "slots_dark"), 2.0 * 14.0 * 4.0);
    let found = carried(&run, "e2->e3");
    assert!((found - 1500.0 * 14.0 * 2250.0).abs() <= 1500.0, "{found} B");
}

#[test]
fn xcp_cl_is_told_of_all_wavelengths() {
    // Of three wavelengths 36 of 54 slots of 90 %: (4.1) is 36/18 · 100 Mb/s · 0.9 = 180 Mb/s; printed, 200.
    let plan = r#"wavelengths = 3
        allocation = [{ from = "e0", to = "e1", slots = 36 }]"#;
    for (counts, told) in [("payload", 180e6), ("slot", 200e6)] {
        let more =
            format!("[link_defaults]\nxcp = {{}}\n[probe]\ninterval = \"1 s\"\nlinks = [\"e0->e1\"]\n{}", floods());
        let plan = format!("{plan}\nsignal = {{ counts = \"{counts}\" }}");
        let run = run(&star(&plan, &more), 1);
        let quantities = texts(&run.series, "quantity").into_iter().zip(numbers(&run.series, "t_s"));
        let samples = quantities.zip(numbers(&run.series, "value"));
        let believed: Vec<f64> =
            samples.filter(|((name, t), _)| name == "believed_capacity" && *t >= 2.0).map(|(_, value)| value).collect();
        assert!(!believed.is_empty() && believed.iter().all(|value| (value - told).abs() < 1.0), "{believed:?}");
    }
}

#[test]
fn what_explain_writes_is_the_same_network() {
    for switching in ["wavelengths = 3\ntransmitters = 2", "protocol = \"simulated\"\nsignalling = \"out-of-band\""] {
        let read = |text: &str| load(Input::Text { name: "star", text, folder: Path::new(".") }, &[]).unwrap();
        let loaded = read(&star(switching, &floods()));
        let again = read(&loaded.explain());
        assert_eq!(again.scenario.network.links, loaded.scenario.network.links, "{switching}");
        assert_eq!(again.explain(), loaded.explain());
    }
}
