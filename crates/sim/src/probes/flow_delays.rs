//! One-way delay, its variation and losses of each flow as its receiving host sees them, over the whole life of the
//! flow: columns of the table of flows.
//!
//! Every arrival of a data packet or a datagram counts, those of segments that were sent again too. Sums and extremes
//! are exact; quantiles come from an HDR histogram whose size is bounded by the range of the delays, not by their
//! number. Packets with congestion headers say neither when they left nor as which, so XCP has none of it.

use super::ProbeKeys;
use super::about::{self, About, FlowColumn, count, measure};
use super::empty_paths::EmptyPath;
use crate::engine::observe::probe::{AnyProbe, Probe, ProbeSite, Report, RunSoFar};
use crate::engine::packet::observer::Observer;
use crate::engine::packet::state::{BySink, Same, state};
use crate::engine::packet::{Packet, Stamp};
use crate::language::Key;
use crate::language::keys::keys;
use hdrhistogram::Histogram;
use std::collections::BTreeMap;
use std::sync::Arc;
use units::PS_PER_SECOND;

pub(super) const ABOUT: About = About { columns: || about::named(&COLUMNS), ..About::NOTHING };

keys! {
    /// One-way delays by flow.
    pub struct Keys {
        /// Whether the table of flows has the one-way delay of each flow's data packets and datagrams (none of xcp's),
        /// their jitter, and how many were lost: docs/guide/results.md. Quantiles are within 0.4 %; they take some kB
        /// a flow. A run takes longer with it, and does not change.
        pub flow_delays: Key<bool> = false;
    }
}

impl ProbeKeys for Keys {
    fn asked(&self) -> Option<Box<dyn AnyProbe>> {
        self.flow_delays.then(|| Box::new(FlowDelays::new()) as Box<dyn AnyProbe>)
    }
}

/// Its columns of the table of flows.
const COLUMNS: [FlowColumn<FlowDelay>; 9] = [
    count("delays", "packets that arrived", FlowDelay::count),
    measure("delay_mean_s", "the mean time from the sending to the receiving host, exact", |flow| seconds(flow.mean())),
    measure("delay_p50_s", "the median of that time, within 0.4 %", |flow| percentile(flow, 0.5)),
    measure("delay_p95_s", "its 95th percentile; missing where too few packets arrived for one to lie above", |flow| {
        percentile(flow, 0.95)
    }),
    measure("delay_p99_s", "the same of 99 %", |flow| percentile(flow, 0.99)),
    measure("delay_max_s", "the greatest time, exact", |flow| seconds(flow.greatest() as f64)),
    measure("jitter_mean_s", JITTER, |flow| seconds(flow.jitter())),
    count("lost_packets", LOST, |flow| flow.lost().0),
    measure("loss_ratio", LOSS_RATIO, |flow| flow.lost().0 as f64 / flow.lost().1 as f64),
];

const JITTER: &str = "the mean change of the delay from one arrival to the next, without its sign: ns-3's `jitterSum` \
    over `rxPackets` less one. RFC 3550's smoothed estimate is another number";
const LOST: &str = "packets that have not arrived although a later one has: RFC 3550 §6.4.1, expected less received";
const LOSS_RATIO: &str = "lost over expected packets. Nothing is expected behind the last that arrived, so a lost tail \
    does not show";

state! {
    /// What the receiving ends of a partition have seen.
    #[derive(Clone, Debug)]
    pub struct FlowDelays {
        /// What the path of each flow takes when it is empty; nothing where that is not known.
        empty: Arc<[EmptyPath]>, Same;
        flows: BTreeMap<u32, FlowDelay>, BySink;
    }
}

/// What the receiving end of a flow has seen; all times in picoseconds.
#[derive(Clone, Debug)]
pub struct FlowDelay {
    classes: Histogram<u32>,
    sum: u128,
    least: u64,
    greatest: u64,
    last: u64,
    differences: u128,
    /// One more than the greatest number of a packet that has arrived.
    expected: u64,
}

/// Two digits of a delay are kept: at least 128 classes for each doubling.
const DIGITS: u8 = 2;
const CLASSES: u64 = 128;
/// Differences below some nanosecond are not told apart where nothing is known of the path.
const FINEST: u64 = 1 << 10;
/// Longer delays count as an hour in quantiles.
const LONGEST: u64 = 3_600_000_000_000_000;
/// The delays of a flow by class, where they vary by a factor of two.
const BYTES_OF_DELAYS: f64 = 2000.0;

impl FlowDelays {
    /// Nothing has arrived.
    fn new() -> FlowDelays {
        FlowDelays { empty: Arc::from([]), flows: BTreeMap::new() }
    }
}

impl Observer for FlowDelays {
    fn delivered(&mut self, now: u64, packet: &Packet, stamp: Stamp) {
        let least = || self.empty.get(packet.flow as usize).map_or(0, EmptyPath::least);
        let seen = self.flows.entry(packet.flow).or_insert_with(|| FlowDelay::new(least()));
        seen.record(now.saturating_sub(stamp.at), stamp.number);
    }
}

impl Probe for FlowDelays {
    fn begin(&mut self, site: &mut dyn ProbeSite) {
        self.empty = EmptyPath::all(site);
        site.stamp_packets();
    }

    fn report(seen: Vec<&mut FlowDelays>, run: &RunSoFar) -> Report {
        let flows = about::by_flow(run.flows.len(), seen.iter().map(|part| &part.flows));
        Report { columns: about::read(&COLUMNS, &flows), ..Report::default() }
    }

    fn bytes_per_flow(&self) -> f64 {
        BYTES_OF_DELAYS
    }
}

impl FlowDelay {
    /// No delay yet; none will be below `least`. Classes that would tell smaller ones apart are left out.
    fn new(least: u64) -> FlowDelay {
        let unit = 1 << (least / CLASSES).clamp(FINEST, LONGEST / CLASSES).ilog2();
        let mut classes = Histogram::new_with_bounds(unit, 2 * unit, DIGITS).expect("the bounds are in order");
        classes.auto(true);
        FlowDelay { classes, sum: 0, least: u64::MAX, greatest: 0, last: 0, differences: 0, expected: 0 }
    }

    fn record(&mut self, delay: u64, number: u64) {
        if self.count() > 0 {
            self.differences += u128::from(delay.abs_diff(self.last));
        }
        self.last = delay;
        // Counters are made as they are needed, up to an hour's: that does not fail.
        let _ = self.classes.record(delay.min(LONGEST));
        self.sum += u128::from(delay);
        (self.least, self.greatest) = (self.least.min(delay), self.greatest.max(delay));
        self.expected = self.expected.max(number.saturating_add(1));
    }

    /// How many packets have arrived.
    pub fn count(&self) -> u64 {
        self.classes.len()
    }

    /// The mean delay; there is one.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count() as f64
    }

    /// The least delay that this share does not exceed, to 0.4 %.
    pub fn quantile(&self, share: f64) -> u64 {
        let found = self.classes.median_equivalent(self.classes.value_at_quantile(share));
        found.clamp(self.least, self.greatest)
    }

    /// The greatest delay.
    pub fn greatest(&self) -> u64 {
        self.greatest
    }

    /// The mean change of the delay from one arrival to the next, as ns-3's flow monitor has it: its `jitterSum` over
    /// one packet less than have arrived. NaN of a single packet.
    pub fn jitter(&self) -> f64 {
        self.differences as f64 / (self.count() as f64 - 1.0)
    }

    /// Packets that have not arrived although a later one has, and those that should have arrived.
    // RFC 3550 §6.4.1 and appendix A.3: expected less received.
    pub fn lost(&self) -> (u64, u64) {
        (self.expected.saturating_sub(self.count()), self.expected)
    }
}

/// NaN where too few packets arrived for one to lie above it.
fn percentile(flow: &FlowDelay, share: f64) -> f64 {
    let is_told = flow.count() as f64 * (1.0 - share) >= 1.0;
    if is_told { seconds(flow.quantile(share) as f64) } else { f64::NAN }
}

fn seconds(ps: f64) -> f64 {
    ps / PS_PER_SECOND as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn of_delays(delays: impl IntoIterator<Item = u64>) -> FlowDelay {
        let mut all = FlowDelays::new();
        let packet = Packet { flow: 5, ..Packet::default() };
        for (number, delay) in (0..).zip(delays) {
            all.delivered(number * MS + delay, &packet, Stamp { at: number * MS, number });
        }
        all.flows.remove(&5).unwrap()
    }

    /// 10, 12, 10 and 13 ms: the sum of differences is 2 + 2 + 3 ms over three pairs.
    #[test]
    fn the_jitter_is_the_mean_difference_of_neighbours() {
        let seen = of_delays([10 * MS, 12 * MS, 10 * MS, 13 * MS]);
        assert_eq!((seen.count(), seen.mean(), seen.greatest()), (4, 11.25 * MS as f64, 13 * MS));
        assert_eq!(seen.jitter(), 7.0 * MS as f64 / 3.0);
        assert!(of_delays([MS]).jitter().is_nan());
    }

    #[test]
    fn one_delay_has_that_quantile_exactly() {
        let seen = of_delays([12_345_678_901; 50]);
        assert_eq!([0.5, 0.99].map(|share| seen.quantile(share)), [12_345_678_901; 2]);
        assert_eq!((seen.jitter(), seen.lost()), (0.0, (0, 50)));
    }

    /// 1 to 1000 times 0.1 ms, the longest first: the 50th, 95th and 99th percentiles are 50, 95 and 99 ms.
    #[test]
    fn quantiles_are_those_of_a_list_whatever_is_known_of_the_path() {
        let delays = || (1..=1000u64).rev().map(|tenth| tenth * MS / 10);
        let mut known = FlowDelay::new(MS / 10);
        delays().for_each(|delay| known.record(delay, 0));
        for seen in [known, of_delays(delays())] {
            for (share, ms) in [(0.5, 50.0), (0.95, 95.0), (0.99, 99.0), (0.001, 0.1)] {
                let found = seen.quantile(share) as f64 / MS as f64;
                assert!((found / ms - 1.0).abs() < 0.004, "{share}: {found}");
            }
        }
    }

    /// Of the packets 0 to 9 two do not arrive, and 3 comes after 7. Those behind the last are not expected.
    #[test]
    fn what_has_not_arrived_before_the_last_is_lost() {
        let mut seen = FlowDelay::new(0);
        [0, 1, 2, 5, 7, 3, 6, 9].into_iter().for_each(|number| seen.record(MS, number));
        assert_eq!(seen.lost(), (2, 10));
        // A second copy is one more that has arrived: none is lost then, not minus one.
        [4, 8, 9].into_iter().for_each(|number| seen.record(MS, number));
        assert_eq!(seen.lost(), (0, 10));
    }

    /// From 1 ms on a path of 1 ms up to a second, ten doublings.
    #[test]
    fn the_size_is_bounded_by_the_range_of_delays() {
        let mut seen = FlowDelay::new(MS);
        (0..200_000u64).for_each(|number| seen.record(MS + number * 5_000_000, number));
        assert!(seen.classes.distinct_values() <= 12 * 128, "{}", seen.classes.distinct_values());
        // Longer than an hour.
        seen.record(u64::MAX / 2, 0);
        assert_eq!(seen.greatest(), u64::MAX / 2);
        assert!(seen.classes.distinct_values() <= 35 * 128, "{}", seen.classes.distinct_values());
    }
}
