//! Aggregation, the bytes that ACKs in bunches bring beyond the bandwidth: UpdateACKAggregation() of
//! draft-ietf-ccwg-bbr-06, which BBR version 1 has in Linux too.
//!
//! Since the last time at which no more had been acknowledged than the bandwidth carries in that time, so much more has
//! been. A window that is the larger by the greatest excess of some round trips does not run dry between two bunches.

use super::max_filter::MaxFilter;
use units::Instant;

/// The excess of one flow, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExtraAcked {
    since: Instant,
    delivered: u64,
    most: MaxFilter,
}

/// How many round trips count, and which one it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    pub(super) window: u64,
    pub(super) now: u64,
}

impl ExtraAcked {
    pub(super) fn new(now: Instant) -> ExtraAcked {
        ExtraAcked { since: now, delivered: 0, most: MaxFilter::default() }
    }

    /// The greatest of the round trips that count.
    pub(super) fn get(&self) -> u64 {
        // `as` saturates.
        self.most.get() as u64
    }

    /// The flow has been idle.
    pub(super) fn restart(&mut self, now: Instant) {
        self.since = now;
    }

    /// An ACK is the first to report `newly` bytes; the bandwidth is in bytes per second, and no excess counts beyond
    /// `most` bytes.
    pub(super) fn update(&mut self, now: Instant, newly: u64, bandwidth: f64, rounds: Rounds, most: u64) {
        let mut expected = bandwidth * now.saturating_since(self.since).as_secs_f64();
        if self.delivered as f64 <= expected {
            (self.delivered, self.since, expected) = (0, now, 0.0);
        }
        self.delivered += newly;
        let extra = (self.delivered as f64 - expected).min(most as f64);
        self.most.add(rounds.window, rounds.now, extra.max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Duration;

    #[test]
    fn bunches_of_ten_milliseconds_leave_the_excess_of_one_bunch() {
        let mut extra = ExtraAcked::new(Instant::ZERO);
        let rounds = Rounds { window: 10, now: 1 };
        // 1 MB/s in bunches of 10 kB: when one comes, no more than what the bandwidth carried had been acknowledged.
        for bunch in 1..=20u64 {
            let now = Instant::ZERO + Duration::from_millis(10 * bunch);
            for _ in 0..10 {
                extra.update(now, 1000, 1e6, rounds, 1 << 30);
            }
        }
        assert_eq!(extra.get(), 10_000);
        let mut bounded = ExtraAcked::new(Instant::ZERO);
        bounded.update(Instant::ZERO, 10_000, 1e6, rounds, 4000);
        assert_eq!(bounded.get(), 4000);
    }

    #[test]
    fn a_steady_flow_has_the_excess_of_one_segment() {
        let mut extra = ExtraAcked::new(Instant::ZERO);
        for segment in 1..=1000u64 {
            let now = Instant::ZERO + Duration::from_millis(segment);
            extra.update(now, 1000, 1e6, Rounds { window: 10, now: segment / 100 }, 1 << 30);
        }
        assert_eq!(extra.get(), 1000);
    }
}
