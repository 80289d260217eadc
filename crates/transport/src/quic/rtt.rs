//! The round trip: RFC 9002 §5 and appendix A.7.
//!
//! rttvar takes the srtt from before the sample, as A.7 has it; the formulas of §5.3 are printed in the other order
//! (erratum 7539).

use super::Config;
use units::{Duration, Instant};

/// Longer samples count as this: 400 days, so that sums stay in range.
const LONGEST: u64 = u64::MAX >> 10;

/// The round trip of a path.
#[derive(Clone, Copy, Debug)]
pub struct Rtt {
    /// The newest sample; zero before the first.
    pub latest: Duration,
    /// smoothed_rtt, which is kInitialRtt before the first sample.
    pub smoothed: Duration,
    /// rttvar, half of that before the first sample.
    pub variance: Duration,
    /// min_rtt; zero before the first sample.
    pub min: Duration,
    /// When the first sample was taken.
    pub first_sample: Option<Instant>,
    /// The next sample is min_rtt.
    forgets_min: bool,
}

impl Rtt {
    pub(super) fn new(config: &Config) -> Rtt {
        Rtt {
            latest: Duration::ZERO,
            smoothed: config.initial_rtt,
            variance: Duration::from_ps(config.initial_rtt.ps() / 2),
            min: Duration::ZERO,
            first_sample: None,
            forgets_min: false,
        }
    }

    /// UpdateRtt(): a sample, and how long the peer says it waited with the ACK.
    pub(super) fn sample(&mut self, now: Instant, latest: Duration, ack_delay: Duration, config: &Config) {
        self.latest = Duration::from_ps(latest.ps().min(LONGEST));
        if self.first_sample.is_none() {
            self.first_sample = Some(now);
            self.min = self.latest;
            self.smoothed = self.latest;
            self.variance = half(self.latest);
            return;
        }
        self.min = if self.forgets_min { self.latest } else { self.min.min(self.latest) };
        self.forgets_min = false;
        let delay = ack_delay.min(config.peer_max_ack_delay);
        let adjusted = if self.latest >= self.min + delay { self.latest.saturating_sub(delay) } else { self.latest };
        let (smoothed, variance, adjusted) = (self.smoothed.ps(), self.variance.ps(), adjusted.ps());
        self.variance = Duration::from_ps((3 * variance + smoothed.abs_diff(adjusted) + 2) / 4);
        self.smoothed = Duration::from_ps((7 * smoothed + adjusted + 4) / 8);
    }

    /// smoothed_rtt, once there was a sample.
    pub(super) fn measured(&self) -> Option<Duration> {
        self.first_sample.map(|_| self.smoothed)
    }

    /// §5.2: min_rtt is the newest sample after persistent congestion.
    pub(super) fn forget_min(&mut self) {
        self.forgets_min = true;
    }

    /// smoothed_rtt + max(4 rttvar, kGranularity).
    pub(super) fn base(&self, config: &Config) -> Duration {
        self.smoothed + self.variance.saturating_mul(4).max(config.granularity)
    }
}

fn half(time: Duration) -> Duration {
    Duration::from_ps(time.ps().div_ceil(2))
}
