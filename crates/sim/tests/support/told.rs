//! The network on which laws that ports tell come to rest.

use super::at;
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

/// A column of the bottleneck.
pub fn bottleneck(run: &Results, column: &str) -> f64 {
    at(&run.links, "link", "left->right", column)
}
