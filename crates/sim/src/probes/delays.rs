//! One-way delays of packets between hosts, and how much of them the packets waited: figures over all flows. Data
//! packets and datagrams then carry the time at which they left their host.

use super::ProbeKeys;
use super::about::{About, Named};
use super::empty_paths::EmptyPath;
use crate::engine::observe::probe::{AnyProbe, Probe, ProbeSite, Report, RunSoFar};
use crate::engine::packet::observer::Observer;
use crate::engine::packet::state::{Owners, Rule, Same, Summed, state};
use crate::engine::packet::{Packet, Stamp};
use crate::language::Key;
use crate::language::keys::keys;
use crate::results::Figure;
use hdrhistogram::Histogram;
use std::sync::Arc;

pub(super) const ABOUT: About = About { figures: || MEANS.to_vec(), percentiles: &PERCENTILES_OF, ..About::NOTHING };

keys! {
    /// One-way delays over all flows.
    pub struct Keys {
        /// Whether the summary has percentiles of the one-way delays of data packets and datagrams (none of xcp's), and
        /// of how long they waited. A run takes longer with it, and does not change.
        pub delays: Key<bool> = false;
    }
}

impl ProbeKeys for Keys {
    fn asked(&self) -> Option<Box<dyn AnyProbe>> {
        self.delays.then(|| Box::new(Delays::new()) as Box<dyn AnyProbe>)
    }
}

const MEANS: [Named; 2] = [
    ("mean_packet_delay", "The mean time of a packet from the sending to the receiving host."),
    ("mean_queueing_delay", "The mean part of that time that a packet spent waiting."),
];

const PERCENTILES_OF: [Named; 2] = [
    ("packet_delay", "time of packets from the sending to the receiving host"),
    ("queueing_delay", "time that packets spent waiting"),
];

/// The share that a percentile covers, and the name of its figure for whole delays and for waiting.
const PERCENTILES: [(f64, [&str; 2]); 4] = [
    (0.5, ["packet_delay_p50", "queueing_delay_p50"]),
    (0.95, ["packet_delay_p95", "queueing_delay_p95"]),
    (0.99, ["packet_delay_p99", "queueing_delay_p99"]),
    (0.999, ["packet_delay_p99_9", "queueing_delay_p99_9"]),
];

state! {
    /// How long packets were on their way, in nanoseconds.
    #[derive(Clone, Debug)]
    pub struct Delays {
        total: Histogram<u64>, Summed;
        queueing: Histogram<u64>, Summed;
        /// What the path of each flow takes when it is empty; nothing where that is not known.
        empty: Arc<[EmptyPath]>, Same;
    }
}

/// Three digits of a value are kept; what is longer than an hour counts as an hour.
const DIGITS: u8 = 3;
const LONGEST: u64 = 3_600_000_000_000;

fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST, DIGITS).expect("the bounds are in order")
}

/// Those of delays, which all have the same bounds.
impl Rule<Histogram<u64>> for Summed {
    fn merge(parts: Vec<Histogram<u64>>, _: &dyn Owners) -> Histogram<u64> {
        sum(&parts.iter().collect::<Vec<_>>())
    }

    fn split(all: Histogram<u64>, after: &dyn Owners) -> Vec<Histogram<u64>> {
        std::iter::once(all).chain((1..after.parts()).map(|_| histogram())).collect()
    }
}

fn sum(parts: &[&Histogram<u64>]) -> Histogram<u64> {
    let mut sum = histogram();
    // All have the same bounds.
    for part in parts {
        let _ = sum.add(*part);
    }
    sum
}

impl Delays {
    /// No delays yet.
    fn new() -> Delays {
        Delays { total: histogram(), queueing: histogram(), empty: Arc::from([]) }
    }
}

impl Observer for Delays {
    fn delivered(&mut self, now: u64, packet: &Packet, stamp: Stamp) {
        let took = now.saturating_sub(stamp.at);
        self.total.saturating_record(nanoseconds(took as f64));
        if let Some(empty) = self.empty.get(packet.flow as usize) {
            self.queueing.saturating_record(nanoseconds(empty.waited(took, packet.size)));
        }
    }
}

impl Probe for Delays {
    fn begin(&mut self, site: &mut dyn ProbeSite) {
        self.empty = EmptyPath::all(site);
        site.stamp_packets();
    }

    fn end_warm_up(&mut self) {
        self.total.reset();
        self.queueing.reset();
    }

    /// Means and percentiles of what arrived after the warm-up; to three digits.
    fn report(seen: Vec<&mut Delays>, _: &RunSoFar) -> Report {
        let of = |which: fn(&Delays) -> &Histogram<u64>| sum(&seen.iter().map(|part| which(part)).collect::<Vec<_>>());
        let mut figures = Vec::new();
        for (kind, delays) in [of(|part| &part.total), of(|part| &part.queueing)].iter().enumerate() {
            if !delays.is_empty() {
                figures.push(Figure { name: MEANS[kind].0, value: delays.mean() * 1e-9, unit: "s" });
                figures.extend(PERCENTILES.iter().filter_map(|(share, names)| percentile(delays, *share, names[kind])));
            }
        }
        Report { figures, ..Report::default() }
    }
}

/// Left out where too few packets arrived for one to lie above it.
fn percentile(delays: &Histogram<u64>, share: f64, name: &'static str) -> Option<Figure> {
    let is_told = delays.len() as f64 * (1.0 - share) >= 1.0;
    is_told.then(|| Figure { name, value: delays.value_at_quantile(share) as f64 * 1e-9, unit: "s" })
}

/// Whole nanoseconds, the nearest, at least 0.
fn nanoseconds(ps: f64) -> u64 {
    // `as` saturates.
    (ps * 1e-3 + 0.5) as u64
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
