//! The retransmission timeout: RFC 6298.
//!
//! Integer picoseconds. The gains 1/8 and 1/4 are exact divisions whose result is rounded to the nearest picosecond
//! (halves up). One segment is timed at a time, as §3 allows without timestamps; every retransmission ends the running
//! measurement (Karn), because a cumulative ACK held back by a hole would measure the repair.

use super::SenderConfig;
use units::{Duration, Instant};

/// Longer samples are cut here (13 days), so that the weighted sums fit.
const LONGEST_SAMPLE: u64 = 1 << 60;

/// Marks that no segment is being timed: no ACK reaches it.
const NOT_TIMING: u64 = u64::MAX;

/// SRTT, RTTVAR and RTO of one flow, and the segment being timed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rtt {
    rto: Duration,
    timed_end: u64,
    timed_at: Instant,
    srtt: Duration,
    rttvar: Duration,
    backoffs: u32,
    known: bool,
}

impl Rtt {
    pub(super) fn new(config: &SenderConfig) -> Rtt {
        Rtt {
            rto: config.initial_rto,
            timed_end: NOT_TIMING,
            timed_at: Instant::ZERO,
            srtt: Duration::ZERO,
            rttvar: Duration::ZERO,
            backoffs: 0,
            known: false,
        }
    }

    /// The current timeout, backed off or not.
    #[inline]
    pub(super) fn rto(&self) -> Duration {
        self.rto
    }

    /// The smoothed round-trip time, once there was a sample.
    #[inline]
    pub(super) fn srtt(&self) -> Option<Duration> {
        self.known.then_some(self.srtt)
    }

    /// A segment of new data up to `end` leaves; it is timed if none is.
    #[inline]
    pub(super) fn start(&mut self, now: Instant, end: u64) {
        if self.timed_end == NOT_TIMING {
            self.timed_end = end;
            self.timed_at = now;
        }
    }

    /// Karn's rule.
    #[inline]
    pub(super) fn cancel(&mut self) {
        self.timed_end = NOT_TIMING;
    }

    /// Whether an ACK of everything below `una` ends the measurement.
    #[inline]
    pub(super) fn is_measured_by(&self, una: u64) -> bool {
        self.timed_end <= una && self.timed_end != NOT_TIMING
    }

    /// Ends the measurement and returns the sample.
    pub(super) fn finish(&mut self, now: Instant, config: &SenderConfig) -> Duration {
        self.timed_end = NOT_TIMING;
        let sample = now.saturating_since(self.timed_at);
        self.sample(sample, config);
        sample
    }

    /// RFC 6298 §2.2 and §2.3: RTTVAR before SRTT, so that it uses the old SRTT.
    fn sample(&mut self, sample: Duration, config: &SenderConfig) {
        let r = sample.ps().min(LONGEST_SAMPLE);
        if self.known {
            let (srtt, rttvar) = (self.srtt.ps(), self.rttvar.ps());
            self.rttvar = Duration::from_ps((3 * rttvar + srtt.abs_diff(r) + 2) / 4);
            self.srtt = Duration::from_ps((7 * srtt + r + 4) / 8);
        } else {
            self.srtt = Duration::from_ps(r);
            self.rttvar = Duration::from_ps(r.div_ceil(2));
            self.known = true;
        }
        self.recompute(config);
    }

    /// RTO = SRTT + max(G, 4·RTTVAR) within its bounds, which also ends a back-off (RFC 6298 §5, last paragraph).
    pub(super) fn recompute(&mut self, config: &SenderConfig) {
        self.backoffs = 0;
        self.rto = if self.known {
            let variance = self.rttvar.saturating_mul(4).max(config.clock_granularity);
            (self.srtt + variance).clamp(config.min_rto, config.max_rto)
        } else {
            config.initial_rto
        };
    }

    /// RFC 6298 §5.5, and the clearing that §5 permits after several expiries.
    pub(super) fn back_off(&mut self, config: &SenderConfig) {
        self.rto = self.rto.saturating_mul(2).min(config.max_rto);
        self.backoffs = self.backoffs.saturating_add(1);
        if config.forget_rtt_after.is_some_and(|limit| self.backoffs >= limit) {
            self.known = false;
        }
    }
}
