//! XCP in the simulator against its theory (Katabi, Handley, Rohrs 2002; paper 003, chapters 4 and 5).

use crate::support::{Builder, at, figure, numbers, run, texts, warnings};
use sim::results::{Column, Results};

/// A dumbbell at 40 Mb/s with a round trip of 44 ms; `port` is what the bottleneck's table says of its controller.
fn dumbbell(port: &str, more: &str) -> String {
    format!(
        r#"
        [run]
        duration = "40 s"
        warm_up = "20 s"
        [topology]
        kind = "dumbbell"
        pairs = 10
        bottleneck_capacity = "40 Mbps"
        bottleneck_delay = "20 ms"
        bottleneck_buffer = "1000 packets"
        access_delay = "1 ms"
        [link_defaults]
        xcp = {{ }}
        [[link]]
        from = "left"
        to = "right"
        duplex = false
        xcp = {{ {port} }}
        [transport.xcp]
        packet_size = 1000
        [[traffic]]
        transport = "xcp"
        flows = 20
        spread = "1 s"
        [probe]
        interval = "20 ms"
        links = ["left->right"]
        {more}
        "#
    )
}

/// The samples of a quantity in [from, to) seconds.
fn samples(run: &Results, quantity: &str, from: f64, to: f64) -> Vec<f64> {
    let (times, names, values) =
        (numbers(&run.series, "t_s"), texts(&run.series, "quantity"), numbers(&run.series, "value"));
    let rows = times.iter().zip(names).zip(values).filter(|((t, name), _)| **t >= from && **t < to && name == quantity);
    rows.map(|(_, value)| value).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn without_a_controller_nothing_lowers_what_a_sender_asks_for_and_the_warning_says_so() {
    let text = dumbbell("", "flows = [0]")
        .replace("xcp = {  }", "")
        .replace("xcp = { }", "")
        .replace("duration = \"40 s\"", "duration = \"1 s\"")
        .replace("warm_up = \"20 s\"", "");
    assert!(warnings(&text)[0].contains("its window grows without bound; give the links xcp = {}"));
    let run = run(&text, 1);
    // A greedy sender asks for all that the field holds, 2^31 B/s; over 44 ms that is 94 MB.
    let windows = samples(&run, "cwnd", 0.2, 0.4);
    assert!(windows.iter().all(|window| *window > 90e6), "{windows:?}");
}

#[test]
fn a_link_is_full_and_shared_equally_and_its_queue_is_empty() {
    let run = run(&dumbbell("", ""), 1);
    // Integer windows of some 11 packets lose a little; nothing is dropped, nobody waits.
    assert!(at(&run.links, "link", "left->right", "utilization") > 0.95);
    assert_eq!((figure(&run, "dropped_packets"), figure(&run, "header_violations")), (0.0, 0.0));
    assert!(mean(&samples(&run, "persistent_queue", 20.0, 40.0)) < 2000.0, "at most two packets stand");
    let goodputs = numbers(&run.flows, "goodput_bps");
    let squares: f64 = goodputs.iter().map(|goodput| goodput * goodput).sum();
    let jain = goodputs.iter().sum::<f64>().powi(2) / (goodputs.len() as f64 * squares);
    assert!(jain > 0.99, "Jain's index is {jain}");
}

#[test]
fn a_capacity_believed_too_high_leaves_the_queue_that_balances_it() {
    // At rest F = α(C' − C) − βQ/d = 0, with C' believed and C what arrives: Q = α/β · (C' − C) · d.
    let run = run(&dumbbell("capacity = \"42 Mbps\"", ""), 1);
    let (queue, rtt) = (samples(&run, "persistent_queue", 20.0, 40.0), samples(&run, "mean_rtt", 20.0, 40.0));
    let expected = 0.4 / 0.226 * 2e6 / 8.0 * mean(&rtt);
    let found = mean(&queue);
    assert!((found / expected - 1.0).abs() < 0.1, "{found} B stand, expected {expected} B within 10 %");
    assert_eq!(figure(&run, "dropped_packets"), 0.0);
}

#[test]
fn a_controller_that_follows_its_link_keeps_it_full_and_one_that_does_not_stands_in_a_queue() {
    let step = "[[event]]\nat = \"15 s\"\nlink = \"left->right\"\ncapacity = \"20 Mbps\"";
    let follows = run(&dumbbell("follows = true", step), 1);
    let believes = run(&dumbbell("follows = false", step), 1);
    let queue = |run: &Results| mean(&samples(run, "queue", 20.0, 40.0));
    assert!(at(&follows.links, "link", "left->right", "utilization") > 0.93);
    assert!(queue(&follows) < 5.0, "{} packets wait", queue(&follows));
    // Believing 40 of 20 Mb/s: Q = α/β · 2.5 MB/s · d with d = 44 ms + Q/C is d = 44/(1 − 1.77) < 0: no queue is long
    // enough to balance it, so the buffer overflows, again and again.
    assert_eq!(at(&believes.links, "link", "left->right", "max_queue"), 1000.0);
    assert!(figure(&believes, "dropped_packets") > 0.0);
}

#[test]
fn samples_of_links_and_flows_add_up_to_the_totals() {
    let step = "[[event]]\nat = \"15 s\"\nlink = \"left->right\"\ncapacity = \"20 Mbps\"";
    let scenario = Builder::of(dumbbell("follows = false", step)).set("run.warm_up", "0 s").set("probe.flows", "[3]");
    let run = scenario.run(1);
    let all = |quantity| samples(&run, quantity, 0.0, 40.0);
    let (dropped, offered) = (all("dropped"), all("offered"));
    assert!(dropped.is_sorted() && offered.is_sorted());
    // The last sample is 20 ms before the end; at 40 Mb/s no more than 100 packets of 1000 B come in that time and a
    // burst.
    let total = |column| at(&run.links, "link", "left->right", column);
    assert!((0.0..200.0).contains(&(total("offered_units") - offered[offered.len() - 1])));
    assert!((0.0..200.0).contains(&(total("dropped_units") - dropped[dropped.len() - 1])));
    assert!((mean(&all("mean_queue")[1..]) / total("mean_queue") - 1.0).abs() < 0.01);
    let rtts: Vec<f64> = all("rtt").into_iter().filter(|rtt| rtt.is_finite()).collect();
    assert!(rtts.iter().all(|rtt| (0.044..0.044 + 0.45).contains(rtt)), "44 ms, and at most 1001 packets at 20 Mb/s");
    assert!((mean(&rtts) / numbers(&run.flows, "mean_rtt_s")[3] - 1.0).abs() < 0.1);
}

#[test]
fn what_a_controller_is_told_decides_and_not_what_is_true() {
    let told = "[[event]]\nat = \"10 s\"\nlink = \"left->right\"\ntold_capacity = \"10 Mbps\"";
    let run = run(&dumbbell("", told), 1);
    let utilization = at(&run.links, "link", "left->right", "utilization");
    assert!((utilization - 0.25).abs() < 0.02, "a quarter of the link is used, found {utilization}");
    assert_eq!(samples(&run, "believed_capacity", 20.0, 21.0)[0], 10e6);
}

#[test]
fn two_links_settle_at_the_equilibrium_and_not_at_max_min() {
    // A long flow over links of 5 and 10 Mb/s, a second one on the first link, a short one on the second. Max-min gives
    // the short flow 7.5 Mb/s; the fixed point of the controllers, with what is not claimed spent, is 6.77 (the
    // derivation is with the same test of the machines in crates/transport/tests/xcp.rs).
    let mut text = String::from(
        r#"
        [run]
        duration = "60 s"
        warm_up = "30 s"
        [link_defaults]
        buffer = "2000 packets"
        xcp = { unclaimed = "spent" }
        [transport.xcp]
        packet_size = 1000
        paced = true
        "#,
    );
    let links = [
        ("s", "a", 1000, 1),
        ("a", "b", 5, 49),
        ("b", "c", 10, 49),
        ("c", "d", 1000, 1),
        ("b", "e", 1000, 50),
        ("t", "b", 1000, 50),
    ];
    for (from, to, mbps, ms) in links {
        text +=
            &format!("[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\ncapacity = \"{mbps} Mbps\"\ndelay = \"{ms} ms\"\n");
    }
    for (name, from, to) in [("long", "s", "d"), ("second", "s", "e"), ("short", "t", "d")] {
        text += &format!("[[traffic]]\nname = \"{name}\"\ntransport = \"xcp\"\nfrom = \"{from}\"\nto = \"{to}\"\n");
    }
    let run = run(&text, 1);
    let carried = |link| at(&run.links, "link", link, "carried_bits") / 30.0 / 1e6;
    let short = carried("t->b");
    assert!((short - 6.77).abs() < 0.15, "the short flow has {short} Mb/s");
    assert!((carried("b->c") - short - 2.5).abs() < 0.1, "the long flow has {} Mb/s", carried("b->c") - short);
}

#[test]
fn without_a_controller_the_run_says_that_nobody_writes_headers() {
    let source = sim::scenario::Input::Text {
        name: "test.toml",
        text: "[run]\nduration = \"1 s\"\n[topology]\nkind = \"dumbbell\"\n[link_defaults]\ncapacity = \"1 \
            Mbps\"\ndelay = \"1 ms\"\n[[traffic]]\ntransport = \"xcp\"",
        folder: std::path::Path::new("."),
    };
    let loaded = sim::scenario::load(source, &[]).unwrap();
    assert!(loaded.warnings.iter().any(|warning| warning.contains("xcp = {}")), "{:?}", loaded.warnings);
}

#[test]
fn a_series_of_a_plain_link_has_no_figures_of_a_controller() {
    let run = run(&dumbbell("enabled = false", ""), 1);
    let Column::Names { names, .. } = &run.series.columns.iter().find(|column| column.0 == "quantity").unwrap().1
    else {
        panic!("names are text")
    };
    assert!(!names.iter().any(|name| name == "persistent_queue"));
}
