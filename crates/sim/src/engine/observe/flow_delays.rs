//! One-way delay, its variation and losses of each flow, where `[probe]` asks for it, as its receiving host sees them.
//!
//! Every arrival of a data packet or a datagram counts, those of segments that were sent again too. Sums and extremes
//! are exact; quantiles come from an HDR histogram whose size is bounded by the range of the delays, not by their
//! number. Packets with congestion headers say neither when they left nor as which, so XCP has none of it.

use super::delays::Empty;
use hdrhistogram::Histogram;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the receiving ends of a partition have seen.
#[derive(Clone, Debug)]
pub struct FlowDelays {
    /// What the path of each flow takes when it is empty; nothing where that is not known.
    empty: Arc<[Empty]>,
    flows: BTreeMap<u32, FlowDelay>,
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

impl FlowDelays {
    /// Nothing has arrived; `empty` has what the path of each flow takes when it is empty, or nothing.
    pub fn new(empty: Arc<[Empty]>) -> FlowDelays {
        FlowDelays { empty, flows: BTreeMap::new() }
    }

    /// Without what has been seen.
    pub fn anew(&self) -> FlowDelays {
        FlowDelays::new(Arc::clone(&self.empty))
    }

    /// The packet of this number has arrived at the end of its flow and left at `sent`.
    pub fn record(&mut self, now: u64, flow: u32, sent: u64, number: u64) {
        let least = || self.empty.get(flow as usize).map_or(0, Empty::least);
        self.flows.entry(flow).or_insert_with(|| FlowDelay::new(least())).record(now.saturating_sub(sent), number);
    }

    /// What has been seen of a flow, if anything has.
    pub fn of(&self, flow: u32) -> Option<&FlowDelay> {
        self.flows.get(&flow)
    }

    /// What has been seen of each flow, taken out.
    pub fn take(&mut self) -> BTreeMap<u32, FlowDelay> {
        std::mem::take(&mut self.flows)
    }

    /// A flow is received here from now on.
    pub fn put(&mut self, flow: u32, seen: FlowDelay) {
        self.flows.insert(flow, seen);
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

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn of_delays(delays: impl IntoIterator<Item = u64>) -> FlowDelay {
        let mut all = FlowDelays::new(Arc::from([]));
        (0..).zip(delays).for_each(|(number, delay)| all.record(number * MS + delay, 5, number * MS, number));
        all.take().remove(&5).unwrap()
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
