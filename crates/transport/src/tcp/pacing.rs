//! Pacing: one segment every SRTT/cwnd, by a timer (Aggarwal, Savage, Anderson, INFOCOM 2000).
//!
//! Retransmissions are paced like everything else. Before the first RTT sample there is no rate to pace at, and
//! segments leave as the window permits. A timer served late sends one segment, not the ones it missed.

use units::{Duration, Instant, PS_PER_SECOND, Rate};

/// The spacing of one sender's segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    /// No segment leaves before this.
    next: Instant,
    /// When the sender wants to be woken because a segment waits; `NEVER` when none does.
    wake: Instant,
}

impl Default for Pacer {
    fn default() -> Pacer {
        Pacer { next: Instant::ZERO, wake: Instant::NEVER }
    }
}

impl Pacer {
    #[inline]
    pub(super) fn wake(&self) -> Instant {
        self.wake
    }

    #[inline]
    pub(super) fn permits(&self, now: Instant) -> bool {
        self.next <= now
    }

    /// A segment waits for its turn.
    pub(super) fn wait(&mut self) {
        self.wake = self.next;
    }

    /// Nothing waits.
    pub(super) fn rest(&mut self) {
        self.wake = Instant::NEVER;
    }

    /// A segment leaves at `now`.
    pub(super) fn sent(&mut self, now: Instant, interval: Duration) {
        self.next = now + interval;
    }
}

/// SRTT/cwnd with cwnd in segments, rounded down to the picosecond.
pub(super) fn interval(srtt: Duration, mss: u32, cwnd: u64) -> Duration {
    let ps = u128::from(srtt.ps()) * u128::from(mss) / u128::from(cwnd.max(1));
    Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
}

/// A full segment's time at `rate`, rounded up to the picosecond, so that no segment is too early; a rate of zero stops
/// for longer than any run.
pub(super) fn interval_at(rate: Rate, mss: u32) -> Duration {
    let (bits, bps) = (u64::from(mss) * 8, rate.bps().max(1));
    // Segments of up to 2 MB need no wide division, which costs as much as the rest of sending one.
    let ps = match bits.checked_mul(PS_PER_SECOND) {
        Some(product) => product.div_ceil(bps),
        None => {
            let ps = (u128::from(bits) * u128::from(PS_PER_SECOND)).div_ceil(u128::from(bps));
            u64::try_from(ps).unwrap_or(u64::MAX)
        }
    };
    Duration::from_ps(ps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_of_1000_bytes_at_8_mbps_lasts_a_millisecond() {
        assert_eq!(interval_at(Rate::from_mbps(8), 1000), Duration::from_millis(1));
    }

    #[test]
    fn what_needs_a_wide_division_is_rounded_like_what_does_not() {
        // 8e12 times 2 305 843 bytes is just below 2^64.
        for mss in [1, 1460, 2_305_842, 2_305_843, 2_305_844, u32::MAX] {
            for bps in [3, 7_000_001, u64::MAX] {
                let ps = (u128::from(mss) * 8_000_000_000_000).div_ceil(u128::from(bps));
                let expected = u64::try_from(ps).unwrap_or(u64::MAX);
                assert_eq!(interval_at(Rate::from_bps(bps), mss), Duration::from_ps(expected), "{mss} B, {bps} b/s");
            }
        }
    }

    #[test]
    fn ten_segments_in_100_ms_leave_every_10_ms() {
        assert_eq!(interval(Duration::from_millis(100), 1000, 10_000), Duration::from_millis(10));
        // 100 ms / 2.5 segments.
        assert_eq!(interval(Duration::from_millis(100), 1000, 2_500), Duration::from_millis(40));
    }
}
