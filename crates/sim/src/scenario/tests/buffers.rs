//! Buffers in bandwidth-delay products.

use super::{SMALL, load_text, same};
use crate::model::*;
use units::Bytes;

/// The buffer of a link of a scenario, which its explanation has too.
fn buffer(text: &str, link: &str) -> Buffer {
    let loaded = load_text(text).unwrap_or_else(|error| panic!("{error}"));
    same(&loaded.scenario, &load_text(&loaded.explain()).unwrap().scenario);
    loaded.scenario.network.links.iter().find(|one| one.name == link).expect("the link is there").buffer
}

/// The dumbbell with keys of `[topology]`.
fn dumbbell(keys: &str) -> String {
    SMALL.replace("bottleneck_delay = \"10 ms\"", &format!("bottleneck_delay = \"10 ms\"\n{keys}"))
}

#[test]
fn a_product_is_the_capacity_for_the_round_trip_of_the_flow() {
    // 2 · (1 + 10 + 1) ms = 24 ms; 100 Mb/s · 24 ms = 300 kB.
    for (written, bytes) in [("1 BDP", 300_000), ("0.5 BDP", 150_000), ("2.25BDP", 675_000)] {
        let text = dumbbell(&format!("bottleneck_buffer = \"{written}\""));
        assert_eq!(buffer(&text, "left->right"), Buffer::Bytes(Bytes(bytes)), "{written}");
        assert_eq!(buffer(&text, "right->left"), Buffer::Bytes(Bytes(bytes)), "the way of the ACKs");
        assert_eq!(buffer(&text, "l0->left"), Buffer::Packets(100), "only where it is given");
    }
    // By default every link: 1 Gb/s · 24 ms = 3 MB.
    let text = format!("{SMALL}[link_defaults]\nbuffer = \"1 BDP\"\n");
    assert_eq!(buffer(&text, "l0->left"), Buffer::Bytes(Bytes(3_000_000)));
    assert_eq!(buffer(&text, "left->right"), Buffer::Bytes(Bytes(300_000)));
}

#[test]
fn a_round_trip_that_is_said_counts() {
    // 100 Mb/s · 40 ms / 4 = 125 kB, the same as the time.
    let said = dumbbell("bottleneck_buffer = \"0.25 BDP of 40 ms\"");
    assert_eq!(buffer(&said, "left->right"), Buffer::Bytes(Bytes(125_000)));
    let time = dumbbell("bottleneck_buffer = \"10 ms\"");
    same(&load_text(&said).unwrap().scenario, &load_text(&time).unwrap().scenario);
}

#[test]
fn of_several_flows_at_a_link_the_longest_round_trip_counts() {
    let keys = "pairs = 3\nround_trips = [\"40 ms\", \"100 ms\", \"60 ms\"]\nbottleneck_buffer = \"1 BDP\"\n\
                access_buffer = \"1 BDP\"";
    let text = dumbbell(keys).replace("from = \"l0\"\nto = \"r0\"", "pairs = [[\"l0\", \"r0\"], [\"l1\", \"r1\"]]");
    // 100 Mb/s · 100 ms = 1.25 MB; 1 Gb/s · 40 ms = 5 MB, · 100 ms = 12.5 MB.
    assert_eq!(buffer(&text, "left->right"), Buffer::Bytes(Bytes(1_250_000)));
    assert_eq!(buffer(&text, "l0->left"), Buffer::Bytes(Bytes(5_000_000)));
    assert_eq!(buffer(&text, "r1->right"), Buffer::Bytes(Bytes(12_500_000)));
    assert_eq!(buffer(&text, "l2->left"), Buffer::Bytes(Bytes(12_500_000)), "no flow passes: the longest of all");
    // Random pairs may be any: half of 60 ms and half of 100 ms are 80 ms at r2 -> l1.
    let random = dumbbell(&keys.replace("40 ms", "60 ms"))
        .replace("from = \"l0\"\nto = \"r0\"", "pairs = \"random\"\namong = [\"l0\", \"l1\", \"r2\"]\nflows = 2");
    assert_eq!(buffer(&random, "l1->left"), Buffer::Bytes(Bytes(10_000_000)));
    assert_eq!(buffer(&random, "left->right"), Buffer::Bytes(Bytes(1_000_000)));
}

#[test]
fn the_way_back_may_be_another() {
    // a -> b takes 3 ms, b -> c -> a 4 + 5 ms: 12 ms at 80 Mb/s are 120 kB.
    let text = r#"
[run]
duration = "1 s"
[link_defaults]
capacity = "80 Mbps"
buffer = "1 BDP"
[[link]]
from = "a"
to = "b"
delay = "3 ms"
duplex = false
[[link]]
from = "b"
to = "c"
delay = "4 ms"
duplex = false
[[link]]
from = "c"
to = "a"
delay = "5 ms"
duplex = false
[[traffic]]
transport = "reno"
from = "a"
to = "b"
"#;
    for link in ["a->b", "b->c", "c->a"] {
        assert_eq!(buffer(text, link), Buffer::Bytes(Bytes(120_000)), "{link}");
    }
}

#[test]
fn what_is_no_product_is_refused_in_words() {
    let error = |text: &str| load_text(text).unwrap_err().to_string();
    let buffer = |written: &str| error(&dumbbell(&format!("bottleneck_buffer = \"{written}\"")));
    let at = "test.toml:8:21: topology.bottleneck_buffer: found";
    assert_eq!(buffer("0 BDP"), format!("{at} \"0 BDP\": allowed: 0.000001 BDP to 1000000 BDP, or \"0 packets\""));
    assert_eq!(buffer("2e6 BDP"), format!("{at} \"2e6 BDP\": allowed: 0.000001 BDP to 1000000 BDP, or \"0 packets\""));
    assert_eq!(
        buffer("0.001 BDP"),
        format!(
            "{at} \"0.001 BDP\", that is 300 B at \"left->right\": 100 Mbps for a round trip of \"24 ms\", less than \
             the largest packet; allowed: at least 1500 B, or \"0 packets\""
        )
    );
    assert!(buffer("1 bdp").contains("did you mean \"BDP\"?"), "{}", buffer("1 bdp"));
    assert!(buffer("1 BDP of 40").contains("the unit is missing; allowed: ps, ns, us, ms, s"));
    let event = "[[event]]\nat = \"1 s\"\nlink = \"left->right\"\nbuffer = \"1 BDP\"\n";
    assert_eq!(
        error(&format!("{SMALL}{event}")),
        "test.toml:15:10: event.0.buffer: found \"1 BDP\": the round trip is missing; allowed here: products that say \
         it, such as \"1 BDP of 40 ms\""
    );
    let said = format!("{SMALL}{}", event.replace("1 BDP", "1 BDP of 40 ms"));
    let change = &load_text(&said).unwrap().scenario.changes[0].steps[0].change;
    assert_eq!(*change, Change::Buffer(Buffer::Bytes(Bytes(500_000))));
    let idle = dumbbell("bottleneck_buffer = \"1 BDP\"").split("[[traffic]]").next().unwrap().to_owned();
    assert_eq!(
        error(&idle),
        "test.toml:8:21: topology.bottleneck_buffer: no traffic has a round trip; allowed: one that is said, such as \
         \"1 BDP of 40 ms\""
    );
    let window = format!("{SMALL}[transport.reno]\nreceiver_window = \"1 BDP\"\n");
    assert!(error(&window).contains("unknown unit 'BDP'; allowed: packets, B"), "{}", error(&window));
}
