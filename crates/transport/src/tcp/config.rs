//! The sender's parameters, their defaults and their check.

use crate::ConfigError;
use crate::cc::{self, LossRecovery};
use units::Duration;

/// The congestion window before the first ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindow {
    /// So many full-sized segments.
    Segments(u32),
    /// min(4 MSS, max(2 MSS, 4380 B)): RFC 3390 eq. (1).
    Rfc3390,
    /// min(10 MSS, max(2 MSS, 14600 B)): RFC 6928 §2 eq. (1).
    Rfc6928,
}

impl InitialWindow {
    /// The window in bytes.
    pub fn bytes(self, mss: u32) -> u64 {
        let mss = u64::from(mss);
        match self {
            InitialWindow::Segments(segments) => u64::from(segments) * mss,
            InitialWindow::Rfc3390 => (4 * mss).min((2 * mss).max(4380)),
            InitialWindow::Rfc6928 => (10 * mss).min((2 * mss).max(14600)),
        }
    }
}

/// Which partial ACKs restart the retransmission timer in NewReno's fast recovery (RFC 6582 §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialAckTimer {
    /// Only the first: many losses in one window end in a timeout and slow start. RFC 6582 §3.2 step 3.
    Impatient,
    /// Every one: one loss is repaired per round trip for as long as it takes.
    SlowButSteady,
}

/// What raises the bar behind which, without SACK, a fast retransmit is refused: all that had been sent then must be
/// acknowledged, and one byte more (RFC 6582's `recover`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastRetransmitGuard {
    /// A timeout only: a second loss in a window may end in a second fast retransmit.
    Timeout,
    /// A timeout and a fast retransmit: RFC 6582 §3.2 step 2, and ns-2 with `bugFix_`, which is its default.
    Recovery,
}

/// What happens to the SACK information when the retransmission timer expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackAfterTimeout {
    /// It is forgotten, because the receiver may have reneged: RFC 2018 §8.
    Discard,
    /// It is kept and what it covers is not sent again: RFC 6675 §5.1 permits it.
    Keep,
}

/// The parameters of a [`Sender`](super::Sender); flows share one behind an `Arc`.
#[derive(Clone, Debug)]
pub struct SenderConfig {
    /// The congestion control.
    pub algorithm: cc::Algorithm,
    /// How losses are repaired; `None` is the algorithm's own way.
    pub recovery: Option<LossRecovery>,
    /// Parameters of the window laws.
    pub laws: cc::Config,
    /// Whether one segment leaves every SRTT/cwnd instead of bursts on ACKs.
    pub paced: bool,
    /// Payload bytes of a full-sized segment.
    pub mss: u32,
    /// The window before the first ACK.
    pub initial_cwnd: InitialWindow,
    /// Initial slow-start threshold in bytes; `None` is "arbitrarily high" (RFC 5681 §3.1).
    pub initial_ssthresh: Option<u64>,
    /// The congestion window never exceeds this many bytes (ns-2's `maxcwnd_`; its `window_` is the peer's window too);
    /// `u64::MAX` for no bound.
    pub max_cwnd: u64,
    /// The peer's advertised window in bytes before its first ACK arrives.
    pub initial_peer_window: u64,
    /// Lower bound of the retransmission timeout (RFC 6298 §2.4: 1 s).
    pub min_rto: Duration,
    /// Upper bound of the retransmission timeout (RFC 6298 §2.5: at least 60 s).
    pub max_rto: Duration,
    /// The timeout before the first RTT sample (RFC 6298 §2.1: 1 s).
    pub initial_rto: Duration,
    /// G of RFC 6298. It bounds 4·RTTVAR from below and does not quantise the samples.
    pub clock_granularity: Duration,
    /// SRTT and RTTVAR are forgotten after so many expiries in a row (RFC 6298 §5, a MAY); `None` keeps them.
    pub forget_rtt_after: Option<u32>,
    /// Duplicate ACKs, or discontiguous SACKed ranges, that show a loss.
    pub dupthresh: u32,
    /// New segments on the duplicate ACKs below the threshold (RFC 3042; with SACK RFC 6675 §5 step 3).
    pub limited_transmit: bool,
    /// One copy of the highest unSACKed segment per recovery (RFC 6675 §4 NextSeg rule 4).
    pub rescue_retransmission: bool,
    /// After an idle time beyond the RTO, cwnd returns to at most the initial window (RFC 5681 §4.1).
    pub idle_restart: bool,
    /// The retransmission timer starts anew when a fast retransmit leaves. RFC 6298 does not say so; Linux, the BSDs and
    /// ns-2 do it, because the copy comes back a round trip after the loss was noticed, which with a small RTTVAR is
    /// later than the RTO that runs since the last new ACK.
    pub restart_timer_on_fast_retransmit: bool,
    /// When duplicate ACKs are no sign of a new loss, without SACK; `None` is the recovery's own way: a timeout's guard
    /// with Reno, RFC 6582's with NewReno.
    pub fast_retransmit_guard: Option<FastRetransmitGuard>,
    /// Which partial ACKs restart the timer in NewReno.
    pub partial_ack_timer: PartialAckTimer,
    /// Whether SACK information outlives a timeout.
    pub sack_after_timeout: SackAfterTimeout,
}

impl Default for SenderConfig {
    fn default() -> SenderConfig {
        SenderConfig {
            algorithm: cc::Algorithm::NewReno,
            recovery: None,
            laws: cc::Config::default(),
            paced: false,
            mss: 1460,
            initial_cwnd: InitialWindow::Rfc6928,
            initial_ssthresh: None,
            max_cwnd: u64::MAX,
            initial_peer_window: u64::MAX,
            min_rto: Duration::from_secs(1),
            max_rto: Duration::from_secs(60),
            initial_rto: Duration::from_secs(1),
            clock_granularity: Duration::from_millis(1),
            forget_rtt_after: None,
            dupthresh: 3,
            limited_transmit: true,
            rescue_retransmission: true,
            idle_restart: true,
            restart_timer_on_fast_retransmit: true,
            fast_retransmit_guard: None,
            partial_ack_timer: PartialAckTimer::Impatient,
            sack_after_timeout: SackAfterTimeout::Discard,
        }
    }
}

impl SenderConfig {
    /// How losses are repaired. [`LossRecovery::Sack`] needs a receiver that sends SACK blocks.
    pub fn loss_recovery(&self) -> LossRecovery {
        self.recovery.unwrap_or(self.algorithm.recovery())
    }

    /// What refuses a further fast retransmit. RFC 6675's recovery point is SACK's guard, whatever is said here.
    pub fn guard(&self) -> FastRetransmitGuard {
        self.fast_retransmit_guard.unwrap_or(match self.loss_recovery() {
            LossRecovery::NewReno => FastRetransmitGuard::Recovery,
            LossRecovery::Reno | LossRecovery::Sack => FastRetransmitGuard::Timeout,
        })
    }

    /// Whether a sender can run with these parameters, and which one is wrong if not.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let wrong = |field, reason| Err(ConfigError { field, reason });
        let mss = u64::from(self.mss);
        if mss == 0 {
            return wrong("mss", "must be at least one byte");
        }
        if self.initial_cwnd == InitialWindow::Segments(0) {
            return wrong("initial_cwnd", "must be at least one segment");
        }
        if self.max_cwnd < mss {
            return wrong("max_cwnd", "must hold at least one segment");
        }
        if self.initial_ssthresh.is_some_and(|bytes| bytes < mss) {
            return wrong("initial_ssthresh", "must hold at least one segment");
        }
        if self.dupthresh == 0 {
            return wrong("dupthresh", "must be at least 1");
        }
        if self.forget_rtt_after == Some(0) {
            return wrong("forget_rtt_after", "must be at least 1");
        }
        if self.algorithm.burst_news(&self.laws) != cc::BurstNews::Ignored && self.loss_recovery() != LossRecovery::Sack
        {
            return wrong("recovery", "must be SACK where edge nodes report lost bursts");
        }
        self.validate_timer()?;
        self.laws.validate()
    }

    fn validate_timer(&self) -> Result<(), ConfigError> {
        let wrong = |field, reason| Err(ConfigError { field, reason });
        if self.min_rto == Duration::ZERO {
            return wrong("min_rto", "must be positive");
        }
        if self.max_rto < self.min_rto {
            return wrong("max_rto", "must not be below min_rto");
        }
        if self.initial_rto == Duration::ZERO || self.initial_rto > self.max_rto {
            return wrong("initial_rto", "must be positive and at most max_rto");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_initial_window_of_rfc_3390_is_4_3_or_2_segments() {
        // RFC 3390 §1: MSS <= 1095: 4 MSS; 1095 < MSS < 2190: 4380 B; MSS >= 2190: 2 MSS.
        assert_eq!(InitialWindow::Rfc3390.bytes(1000), 4000);
        assert_eq!(InitialWindow::Rfc3390.bytes(1460), 4380);
        assert_eq!(InitialWindow::Rfc3390.bytes(9000), 18000);
    }

    #[test]
    fn the_initial_window_of_rfc_6928_is_10_segments_up_to_an_ethernet_frame() {
        assert_eq!(InitialWindow::Rfc6928.bytes(1000), 10_000);
        assert_eq!(InitialWindow::Rfc6928.bytes(1460), 14_600);
        assert_eq!(InitialWindow::Rfc6928.bytes(9000), 18_000);
    }

    #[test]
    fn a_parameter_that_cannot_work_is_named() {
        assert_eq!(SenderConfig::default().validate(), Ok(()));
        let field = |config: SenderConfig| config.validate().unwrap_err().field;
        assert_eq!(field(SenderConfig { mss: 0, ..SenderConfig::default() }), "mss");
        assert_eq!(field(SenderConfig { max_cwnd: 1000, ..SenderConfig::default() }), "max_cwnd");
        assert_eq!(field(SenderConfig { dupthresh: 0, ..SenderConfig::default() }), "dupthresh");
        assert_eq!(field(SenderConfig { max_rto: Duration::from_millis(1), ..SenderConfig::default() }), "max_rto");
    }
}
