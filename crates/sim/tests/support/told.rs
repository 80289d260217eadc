//! The network on which laws that ports tell come to rest.

use super::{at, numbers, run};
use sim::results::Results;

/// A bottleneck of 10 Gb/s and a round trip of 104 µs: 130 kB, or 87 packets. The transport has these keys.
pub fn dumbbell(keys: &str, flows: u32) -> String {
    format!(
        r#"
        [run]
        duration = "60 ms"
        warm_up = "30 ms"
        [topology]
        kind = "dumbbell"
        pairs = {flows}
        bottleneck_capacity = "10 Gbps"
        bottleneck_delay = "50 us"
        bottleneck_buffer = "1000 packets"
        access_capacity = "40 Gbps"
        access_delay = "1 us"
        [transport.told]
        {keys}
        [[traffic]]
        transport = "told"
        flows = {flows}
        spread = "1 ms"
        "#
    )
}

/// Bytes that a flow of this size puts on each link of its way and on the bottleneck of the way back, by a hundred.
pub fn hundredths_on_links(keys: &str, size: u64) -> [f64; 4] {
    let text =
        dumbbell(keys, 1).replace("warm_up = \"30 ms\"", "warm_up = \"0 s\"") + &format!("size = \"{size} B\"\n");
    let found = run(&text, 1);
    assert_eq!(numbers(&found.flows, "retransmissions"), [0.0]);
    let bytes = |link: &str, gbps: f64| (at(&found.links, "link", link, "utilization") * gbps * 7.5e6).round();
    [("l0->left", 40.0), ("left->right", 10.0), ("right->r0", 40.0), ("right->left", 10.0)]
        .map(|(link, gbps)| bytes(link, gbps) / 100.0)
}

/// HPCC by the maximum alone, and with a record that grows, rests at η + (1 − η) · n/N for four flows of eight. The
/// network is that of these keys.
pub fn hpcc_rests_by_either_record(network: impl Fn(&str) -> String) {
    for more in ["telemetry_echo = \"maximum\"", "telemetry_size = \"growing\""] {
        let run = run(&network(more), 1);
        let found = bottleneck(&run, "utilization");
        assert!((found - 0.975).abs() < 0.01, "{more}: {found}");
        assert_eq!(bottleneck(&run, "dropped_units"), 0.0);
    }
}

/// A column of the bottleneck.
pub fn bottleneck(run: &Results, column: &str) -> f64 {
    at(&run.links, "link", "left->right", column)
}
