//! The congestion window, and what laws share of it: slow start, the answer to a loss.

use super::LossCause;
use options::words;

words! {
    /// How acknowledged data count in slow start.
    pub enum SlowStartCounts {
        /// One segment of an ACK at most (RFC 5681 §3.1 eq. (2)): delayed ACKs halve what a round trip adds.
        Segment = "segment",
        /// All that an ACK acknowledges (Linux; RFC 9002 §7.3.1; RFC 3465 without a limit).
        All = "all",
    }
}

/// The congestion window of one flow, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// cwnd.
    pub cwnd: u64,
    /// ssthresh.
    pub ssthresh: u64,
    /// Payload bytes of a full-sized segment.
    pub mss: u64,
}

impl Window {
    /// True if the window is below the slow-start threshold (at the threshold RFC 5681 leaves the choice; here it is
    /// out).
    #[inline]
    pub const fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start: min(N, SMSS) for an ACK of N new bytes. RFC 5681 §3.1 eq. (2).
    #[inline]
    pub fn slow_start(&mut self, acked: u64) {
        self.cwnd = self.cwnd.saturating_add(acked.min(self.mss));
    }

    /// Slow start that counts so.
    #[inline]
    pub fn slow_start_by(&mut self, counts: SlowStartCounts, acked: u64) {
        match counts {
            SlowStartCounts::Segment => self.slow_start(acked),
            SlowStartCounts::All => self.cwnd = self.cwnd.saturating_add(acked),
        }
    }

    /// The bytes of an ACK for which congestion avoidance lets the window grow: a window of them at most. What an ACK
    /// covers beyond, behind a hole or after a timeout, arrived in earlier round trips, and a step that divides by
    /// today's cwnd is not theirs.
    #[inline]
    pub fn counted(&self, acked: u64) -> u64 {
        acked.min(self.cwnd)
    }

    /// Slow start ends here, without a loss; ssthresh is at least 2 MSS all the same.
    pub fn end_slow_start(&mut self) {
        self.ssthresh = self.cwnd.max(2 * self.mss);
    }

    /// TCP's answer to a loss: ssthresh as given, at least 2 MSS (RFC 5681 §3.1 eq. (4)); cwnd at ssthresh, or one
    /// segment after a timeout. A mark may leave one segment: RFC 3168 §6.1.2, RFC 9438 §4.6. No loss raises cwnd, not
    /// that of one segment to 2 MSS either.
    pub fn cut(&mut self, cause: LossCause, ssthresh: u64) {
        self.ssthresh = ssthresh.max(2 * self.mss);
        let left = match cause {
            LossCause::FastRetransmit | LossCause::Contention | LossCause::ContentionOfAll => self.ssthresh,
            LossCause::Mark => ssthresh.max(self.mss),
            LossCause::Timeout => self.mss,
        };
        self.cwnd = left.min(self.cwnd);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After a timeout a window is one segment, and delays may be long then.
    #[test]
    fn slow_start_ends_at_two_segments_at_least() {
        let after = |cwnd| {
            let mut window = Window { cwnd, ssthresh: 9000, mss: 1000 };
            window.end_slow_start();
            window.ssthresh
        };
        assert_eq!([after(1000), after(2000), after(5500)], [2000, 2000, 5500]);
    }

    #[test]
    fn a_mark_may_leave_one_segment_and_a_loss_leaves_two() {
        // RFC 9438 §4.6: 0.7 · 2 MSS = 1.4 MSS is above 1 MSS, 0.7 · 1 MSS is not; ssthresh is 2 MSS at least.
        let after = |cause, ssthresh| {
            let mut window = Window { cwnd: 2000, ssthresh: 9000, mss: 1000 };
            window.cut(cause, ssthresh);
            (window.cwnd, window.ssthresh)
        };
        assert_eq!([after(LossCause::Mark, 1400), after(LossCause::Mark, 700)], [(1400, 2000), (1000, 2000)]);
        assert_eq!(after(LossCause::FastRetransmit, 1400), (2000, 2000));
    }

    /// BWE · RTTmin may be above cwnd, and 2 MSS are above a window of one segment.
    #[test]
    fn no_loss_raises_cwnd() {
        for cause in [LossCause::FastRetransmit, LossCause::Contention, LossCause::Mark] {
            for (cwnd, given, ssthresh) in [(2000, 3000, 3000), (1000, 500, 2000)] {
                let mut window = Window { cwnd, ssthresh: 9000, mss: 1000 };
                window.cut(cause, given);
                assert_eq!((window.cwnd, window.ssthresh), (cwnd, ssthresh));
            }
        }
    }

    #[test]
    fn an_ack_counts_for_a_window_at_most() {
        let window = Window { cwnd: 4000, ssthresh: 2000, mss: 1000 };
        assert_eq!([1000, 4000, 300_000].map(|acked| window.counted(acked)), [1000, 4000, 4000]);
    }
}
