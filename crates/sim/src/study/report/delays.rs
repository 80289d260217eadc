//! How long packets were on their way from host to host, and how much of that they waited, where `[probe]` asks for it.

use crate::engine::execute::layout::Partitions;
use crate::engine::observe::delays::{Delays, Reading};
use crate::engine::observe::observers::Observers;
use crate::results::Figure;

/// The share that a percentile covers, and the name of its figure for whole delays and for waiting.
const PERCENTILES: [(f64, [&str; 2]); 4] = [
    (0.5, ["packet_delay_p50", "queueing_delay_p50"]),
    (0.95, ["packet_delay_p95", "queueing_delay_p95"]),
    (0.99, ["packet_delay_p99", "queueing_delay_p99"]),
    (0.999, ["packet_delay_p99_9", "queueing_delay_p99_9"]),
];

/// Means and percentiles of what arrived after the warm-up; to three digits.
pub(super) fn figures(parts: &Partitions) -> Vec<Figure> {
    let mut all = parts.list.iter().filter_map(|part| Observers::of(&part.fabric)?.delays.as_deref());
    let Some(mut delays) = all.next().cloned() else { return Vec::new() };
    all.for_each(|other| delays.add(other));
    of(&delays)
}

fn of(delays: &Delays) -> Vec<Figure> {
    let mut figures = Vec::new();
    let means = ["mean_packet_delay", "mean_queueing_delay"];
    for (kind, (reading, name)) in delays.readings().iter().zip(means).enumerate() {
        if reading.count() > 0 {
            figures.push(Figure { name, value: reading.mean(), unit: "s" });
            figures.extend(PERCENTILES.iter().filter_map(|(share, names)| percentile(reading, *share, names[kind])));
        }
    }
    figures
}

/// Left out where too few packets arrived for one to lie above it.
fn percentile(reading: &Reading, share: f64, name: &'static str) -> Option<Figure> {
    let is_told = reading.count() as f64 * (1.0 - share) >= 1.0;
    is_told.then(|| Figure { name, value: reading.quantile(share), unit: "s" })
}

#[cfg(test)]
mod tests {
    use crate::engine::Options;
    use crate::random::Seed;
    use crate::results::Results;
    use crate::scenario::{Input, load};
    use crate::study::World;
    use std::path::Path;

    fn results(text: &str, threads: usize) -> Results {
        let loaded = load(Input::Text { name: "test.toml", text, folder: Path::new("") }, &[]);
        let scenario = loaded.unwrap_or_else(|error| panic!("{error}")).scenario;
        let mut world = World::build(&scenario, Seed { seed: 1, run: 0 }, Options::default()).unwrap();
        world.use_threads(threads);
        world.run_until(world.end());
        world.finish().unwrap()
    }

    fn figure(results: &Results, name: &str) -> f64 {
        results.summary.iter().find(|figure| figure.name == name).unwrap_or_else(|| panic!("{name}")).value
    }

    /// Poisson datagrams of exponential sizes, mean 1000 B, over a link of 8 Mb/s: a mean of 1 ms to send one, load
    /// 0.5.
    const QUEUE: &str = r#"
        [run]
        duration = "1000 s"
        warm_up = "10 s"
        [[link]]
        from = "a"
        to = "b"
        capacity = "8 Mbps"
        delay = "3 ms"
        buffer = "unlimited"
        [[node]]
        name = "a"
        [[node]]
        name = "b"
        [transport.udp]
        packet_size = "1000 B"
        [[traffic]]
        transport = "udp"
        from = "a"
        to = "b"
        load = "poisson"
        sizes = "exponential"
        rate = "4 Mbps"
        [probe]
        delays = true
        "#;

    #[test]
    fn delays_of_m_m_1_are_exponential() {
        let results = results(QUEUE, 1);
        // μ = 1000/s, λ = 500/s: the sojourn is exponential with mean 2 ms, and the link adds 3 ms. Waiting: P(W > t) =
        // 0.5·exp(−500t). 495 000 packets; their delays are correlated over some 10 packets, so the mean of 2 ms is
        // good to about 0.5 %, and the 99th percentile, of which 5000 lie above, to some 4 %. Sizes are whole bytes, at
        // least one: their mean is right within 0.1 %.
        let near = |name: &str, value: f64, tolerance: f64| {
            let found = figure(&results, name);
            assert!((found / value - 1.0).abs() < tolerance, "{name}: {found}, not {value}");
        };
        near("mean_packet_delay", 5e-3, 0.01);
        near("packet_delay_p50", 3e-3 + 2e-3 * 2f64.ln(), 0.01);
        near("packet_delay_p95", 3e-3 + 2e-3 * 20f64.ln(), 0.03);
        near("packet_delay_p99", 3e-3 + 2e-3 * 100f64.ln(), 0.05);
        near("mean_queueing_delay", 1e-3, 0.03);
        near("queueing_delay_p95", 2e-3 * 10f64.ln(), 0.04);
    }

    const TCP: &str = r#"
        [run]
        duration = "3 s"
        [topology]
        kind = "dumbbell"
        pairs = 3
        bottleneck_capacity = "10 Mbps"
        bottleneck_delay = "10 ms"
        bottleneck_buffer = "30 packets"
        [[traffic]]
        transport = "sack"
        flows = 6
        spread = "1 s"
        "#;

    #[test]
    fn measuring_changes_nothing_and_threads_do_not_matter() {
        let measured = format!("{TCP}[probe]\ndelays = true\n");
        let (plain, alone, together) = (results(TCP, 1), results(&measured, 1), results(&measured, 3));
        assert_eq!(plain.fingerprint, alone.fingerprint);
        assert_eq!(alone.summary, together.summary);
        // 1 + 10 + 1 ms and three transmissions of 1500 B, at most 30 packets of 1.2 ms before it.
        let (least, most) = (12e-3 + 1.2e-3 + 2.0 * 0.12e-3, 12e-3 + 31.0 * 1.2e-3 + 2.0 * 0.12e-3);
        let median = figure(&alone, "packet_delay_p50");
        assert!(least < median && median < most, "{median}");
        assert!(figure(&alone, "queueing_delay_p99") < 30.5 * 1.2e-3);
    }
}
