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
    /// Window probes sent since the peer's window closed.
    probes: u8,
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
            probes: 0,
        }
    }

    /// Without samples, with this timeout.
    pub(super) fn waiting(config: &SenderConfig, rto: Option<Duration>) -> Rtt {
        Rtt { rto: rto.unwrap_or(config.initial_rto), ..Rtt::new(config) }
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

    /// RTTVAR, once there was a sample.
    pub(super) fn rttvar(&self) -> Option<Duration> {
        self.known.then_some(self.rttvar)
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

    /// True if an ACK of everything below `una` ends the measurement. No flow is so long that `una` reaches the mark.
    #[inline]
    pub(super) fn is_measured_by(&self, una: u64) -> bool {
        self.timed_end <= una
    }

    /// Ends the measurement and returns the sample. Not inlined: one ACK of a round trip does it.
    #[inline(never)]
    pub(super) fn finish(&mut self, now: Instant, config: &SenderConfig) -> Duration {
        self.timed_end = NOT_TIMING;
        let sample = now.saturating_since(self.timed_at);
        self.sample(sample, config);
        sample
    }

    /// A sample that was taken elsewhere.
    pub(super) fn add_sample(&mut self, sample: Duration, config: &SenderConfig) {
        self.sample(sample, config);
    }

    /// RFC 6298 §2.2 and §2.3: RTTVAR before SRTT, so that it uses the old SRTT.
    pub(super) fn sample(&mut self, sample: Duration, config: &SenderConfig) {
        let r = sample.ps().min(LONGEST_SAMPLE);
        if self.known {
            let (srtt, rttvar) = (self.srtt.ps(), self.rttvar.ps());
            self.rttvar = Duration::from_ps((3 * rttvar + srtt.abs_diff(r) + 2) / 4);
            self.srtt = Duration::from_ps((7 * srtt + r + 4) / 8);
        } else {
            self.start_from(r);
        }
        self.recompute(config);
    }

    /// One of `expected` samples in a round trip: RFC 7323 appendix G, gains of 1/(8 expected) and 1/(4 expected).
    pub(super) fn sample_one_of(&mut self, sample: Duration, expected: u64, config: &SenderConfig) {
        let r = sample.ps().min(LONGEST_SAMPLE);
        if self.known {
            let (srtt, rttvar) = (self.srtt.ps(), self.rttvar.ps());
            self.rttvar = Duration::from_ps(moved(rttvar, srtt.abs_diff(r), expected.saturating_mul(4)));
            self.srtt = Duration::from_ps(moved(srtt, r, expected.saturating_mul(8)));
        } else {
            self.start_from(r);
        }
        self.recompute(config);
    }

    /// SRTT_prev and RTTVAR_prev of RFC 4015 §3.1 step 0, once there was a sample.
    pub(super) fn before_loss(&self, config: &SenderConfig) -> Option<(Duration, Duration)> {
        self.known.then(|| (self.srtt + config.clock_granularity.saturating_mul(2), self.rttvar))
    }

    /// RFC 4015 §3.1 step 11: the first sample of new data after a spurious timeout.
    pub(super) fn adapt(&mut self, srtt: Duration, rttvar: Duration, sample: Duration, config: &SenderConfig) {
        self.srtt = srtt.max(sample);
        self.rttvar = rttvar.max(Duration::from_ps(sample.ps() / 2));
        self.recompute(config);
    }

    /// RFC 6298 §2.2.
    fn start_from(&mut self, r: u64) {
        self.srtt = Duration::from_ps(r);
        self.rttvar = Duration::from_ps(r.div_ceil(2));
        self.known = true;
    }

    /// The SYN was lost: RFC 6298 §5.7.
    pub(super) fn note_lost_syn(&mut self, config: &SenderConfig) {
        self.rto = config.initial_rto.max(Duration::from_secs(3)).min(config.max_rto);
    }

    /// RTO = SRTT + max(G, 4·RTTVAR) within its bounds, which also ends a back-off (RFC 6298 §5, last paragraph).
    fn recompute(&mut self, config: &SenderConfig) {
        self.backoffs = 0;
        self.rto = if self.known {
            let variance = self.rttvar.saturating_mul(4).max(config.clock_granularity);
            (self.srtt + variance).clamp(config.min_rto, config.max_rto)
        } else {
            config.initial_rto
        };
    }

    /// The time to the next window probe: the RTO, doubled by every probe since the window closed (RFC 9293 §3.8.6.1).
    /// Probes are no sign of congestion, so the RTO itself stays as it is.
    pub(super) fn persist_interval(&self, config: &SenderConfig) -> Duration {
        self.rto.saturating_mul(1 << self.probes.min(32)).min(config.max_rto)
    }

    pub(super) fn note_probe(&mut self) {
        self.probes = self.probes.saturating_add(1);
    }

    pub(super) fn is_probing(&self) -> bool {
        self.probes > 0
    }

    pub(super) fn end_probing(&mut self) {
        self.probes = 0;
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

/// ((n − 1) old + new)/n to the nearest, halves up.
fn moved(old: u64, new: u64, n: u64) -> u64 {
    let n = u128::from(n);
    let sum = u128::from(old) * (n - 1) + u128::from(new) + n / 2;
    u64::try_from(sum / n).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// No lower bound, so that the formula shows.
    fn bare() -> SenderConfig {
        SenderConfig { min_rto: Duration::from_ps(1), ..SenderConfig::default() }
    }

    #[test]
    fn the_rto_is_one_second_before_the_first_sample() {
        assert_eq!(Rtt::new(&SenderConfig::default()).rto(), Duration::from_secs(1));
    }

    #[test]
    fn the_first_sample_r_makes_an_rto_of_three_r() {
        // SRTT = R, RTTVAR = R/2, RTO = R + 4 R/2.
        let config = bare();
        let mut rtt = Rtt::new(&config);
        rtt.sample(ms(100), &config);
        assert_eq!((rtt.srtt(), rtt.rttvar, rtt.rto()), (Some(ms(100)), ms(50), ms(300)));
    }

    #[test]
    fn the_variance_uses_the_srtt_before_the_sample() {
        // RTTVAR = 3/4 * 50 + 1/4 * |100 - 180| = 57.5; SRTT = 7/8 * 100 + 1/8 * 180 = 110; RTO = 110 + 230 = 340 ms.
        let config = bare();
        let mut rtt = Rtt::new(&config);
        rtt.sample(ms(100), &config);
        rtt.sample(ms(180), &config);
        assert_eq!(rtt.rttvar, Duration::from_micros(57_500));
        assert_eq!((rtt.srtt(), rtt.rto()), (Some(ms(110)), ms(340)));
        // RTTVAR = 3/4 * 57.5 + 1/4 * |110 - 110| = 43.125; RTO = 110 + 172.5 ms.
        rtt.sample(ms(110), &config);
        assert_eq!((rtt.srtt(), rtt.rto()), (Some(ms(110)), Duration::from_micros(282_500)));
    }

    #[test]
    fn equal_samples_leave_the_granularity() {
        let config = bare();
        let mut rtt = Rtt::new(&config);
        (0..400).for_each(|_| rtt.sample(ms(100), &config));
        assert_eq!(rtt.rto(), ms(101), "SRTT + G, G = 1 ms");
    }

    #[test]
    fn the_rto_stays_within_its_bounds() {
        let config = SenderConfig::default();
        let mut rtt = Rtt::new(&config);
        rtt.sample(ms(100), &config);
        assert_eq!(rtt.rto(), Duration::from_secs(1));
        rtt.sample(Duration::from_secs(1000), &config);
        assert_eq!(rtt.rto(), Duration::from_secs(60));
    }

    #[test]
    fn every_expiry_doubles_the_rto_up_to_its_bound_and_a_sample_ends_that() {
        let config = bare();
        let mut rtt = Rtt::new(&config);
        rtt.sample(ms(1000), &config);
        let doubled: Vec<_> = (0..6)
            .map(|_| {
                rtt.back_off(&config);
                rtt.rto().ps() / ms(1000).ps()
            })
            .collect();
        assert_eq!(doubled, [6, 12, 24, 48, 60, 60]);
        rtt.sample(ms(1000), &config);
        // RTTVAR = 3/4 * 500 = 375 ms.
        assert_eq!(rtt.rto(), ms(2500));
    }

    #[test]
    fn after_several_expiries_the_next_sample_may_count_as_the_first() {
        let config = SenderConfig { forget_rtt_after: Some(2), ..bare() };
        let mut rtt = Rtt::new(&config);
        rtt.sample(ms(100), &config);
        rtt.back_off(&config);
        assert_eq!(rtt.srtt(), Some(ms(100)));
        rtt.back_off(&config);
        assert_eq!((rtt.srtt(), rtt.rto()), (None, ms(1200)));
        rtt.sample(ms(200), &config);
        assert_eq!((rtt.srtt(), rtt.rto()), (Some(ms(200)), ms(600)));
    }
}
