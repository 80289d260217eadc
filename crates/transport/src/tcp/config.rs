//! The sender's parameters, their defaults and their check.

use super::{EcnFeedback, Frto, InitialWindow, Reduction, ReorderingConfig, Restore, TcpOptions, Undo, UndoResponse};
use crate::ConfigError;
use crate::cc::{self, LossRecovery};
use options::{Kind, Options, Range, Words, options, words};
use units::{Duration, Instant};

words! {
    /// Which partial ACKs restart the retransmission timer in NewReno's fast recovery (RFC 6582 §4).
    pub enum PartialAckTimer {
        /// Only the first: many losses in one window end in a timeout and slow start. RFC 6582 §3.2 step 3.
        Impatient = "impatient",
        /// Every one: one loss is repaired per round trip for as long as it takes.
        SlowButSteady = "slow-but-steady",
    }
}

words! {
    /// What restarts the retransmission timer while it runs, besides a fast retransmit.
    pub enum TimerRestart {
        /// An ACK of new data: RFC 6298 §5.3.
        Rfc6298 = "rfc6298",
        /// That, every copy of the first outstanding segment, and a SACK of data that had left before its last copy:
        /// Linux's tcp_xmit_retransmit_queue and tcp_clean_rtx_queue. Only with recovery "rack" or "linux".
        Linux = "linux",
    }
}

words! {
    /// What raises the bar behind which, without SACK, a fast retransmit is refused: all that had been sent then must
    /// be acknowledged, and one byte more (RFC 6582's `recover`).
    pub enum FastRetransmitGuard {
        /// A timeout only: a second loss in a window may end in a second fast retransmit.
        Timeout = "timeout",
        /// A timeout and a fast retransmit: RFC 6582 §3.2 step 2, and ns-2 with bugFix_, which is its default.
        Recovery = "recovery",
    }
}

words! {
    /// What a loss cuts: ssthresh is half of it afterwards, or the share that the law keeps.
    pub enum SsthreshFrom {
        /// FlightSize, at most cwnd: RFC 5681 §3.1 eq. (4).
        Flight = "flight",
        /// cwnd, without what duplicate ACKs added, and at every timeout: ns-2's `slowdown`.
        Cwnd = "cwnd",
    }
}

words! {
    /// What happens to the SACK information when the retransmission timer expires.
    pub enum SackAfterTimeout {
        /// It is forgotten, because the receiver may have reneged: RFC 2018 §8.
        Discard = "discard",
        /// It is kept and what it covers is not sent again: RFC 6675 §5.1 permits it.
        Keep = "keep",
    }
}

options! {
    /// The parameters of a [`Sender`](super::Sender); flows share one behind an `Arc`.
    #[derive(Clone, Debug)]
    pub struct SenderConfig {
        fixed {
            /// The congestion control.
            pub algorithm: cc::Algorithm = cc::Algorithm::NewReno;
            /// Parameters of the window laws.
            pub laws: cc::Config = cc::Config::default();
            /// Parameters of recovery "rr-tcp".
            pub reordering: ReorderingConfig = ReorderingConfig::default();
        }
        /// Whether segments leave at cwnd/SRTT, one by one, rather than in bursts on ACKs.
        pub paced: bool = false, Kind::Flag;
        /// Payload bytes of a full-sized segment. In a scenario by default what packet_size and header leave.
        pub mss: u32 = 1460, Kind::Bytes;
        /// The congestion window at the start: a number of segments, or the rule of an RFC.
        pub initial_cwnd as "initial_window": InitialWindow = InitialWindow::Rfc6928,
            Kind::Segments(&InitialWindow::RULES);
        /// Slow start ends here at first. RFC 5681 §3.1: "arbitrarily high".
        pub initial_ssthresh: Option<u64> = None, Kind::Window;
        /// The congestion window never exceeds this (ns-2's maxcwnd_; its window_ is the peer's window too).
        pub max_cwnd as "max_window": u64 = u64::MAX, Kind::Window;
        /// TCP small queues of Linux (tcp_limit_output_bytes): the flow has no more payload in the queue of its own
        /// host's link, and no more than its rate makes in 1/1024 s, but two segments in any case.
        pub limit_output: Option<u64> = None, Kind::Window;
        /// What the receiver offers, to the sender before its first ACK.
        pub initial_peer_window as "receiver_window": u64 = u64::MAX, Kind::Window;
        /// The least retransmission timeout. RFC 6298 §2.4 says 1 s, which senders by hand have; runs of a scenario
        /// have the 0.2 s of ns-2 and Linux, with which they are compared: 1 s would rule them where round trips are
        /// milliseconds.
        pub min_rto: Duration = Duration::from_secs(1), Kind::POSITIVE;
        /// The greatest retransmission timeout. RFC 6298 §2.5: at least 60 s.
        pub max_rto: Duration = Duration::from_secs(60), Kind::POSITIVE;
        /// The retransmission timeout before the first measurement (RFC 6298 §2.1).
        pub initial_rto: Duration = Duration::from_secs(1), Kind::POSITIVE;
        /// G of RFC 6298: it bounds 4·RTTVAR from below and does not quantise the samples.
        pub clock_granularity: Duration = Duration::from_millis(1), Kind::SPAN;
        /// SRTT and RTTVAR are forgotten after this many timeouts in a row (RFC 6298 §5, a MAY). Default: never.
        pub forget_rtt_after: Option<u32> = None, Kind::Whole(Range::closed(1.0, u32::MAX as f64));
        /// Duplicate ACKs, or SACKed ranges above a hole, that show a loss.
        pub dupthresh: u32 = 3, Kind::Whole(Range::from(1.0));
        /// How losses that duplicate ACKs show are repaired. Default: the algorithm's own way, which is "sack" for all
        /// but reno and newreno; ns-2's one-way XCP is "reno".
        pub recovery: Option<LossRecovery> = None, Kind::Word(&LossRecovery::LIST), or SenderConfig::loss_recovery;
        /// Recovery "sack", "rr-tcp", "rack" and "linux": how the window comes down while losses are repaired. Default:
        /// "immediate", with recovery "linux" "prr".
        pub reduction: Option<Reduction> = None, Kind::Word(&Reduction::LIST), or SenderConfig::window_reduction;
        /// What shows that the window was reduced without need, so that it is taken back. D-SACKs need a receiver that
        /// sends them. Default: "never", with recovery "linux" and "rr-tcp" "dsack".
        pub undo: Option<Undo> = None, Kind::Word(&Undo::LIST), or SenderConfig::undo_rule;
        /// How a window comes back that was reduced without need. With recovery "rr-tcp" restore says it.
        pub undo_response: UndoResponse = UndoResponse::Restore, Kind::Word(&UndoResponse::LIST);
        /// F-RTO (RFC 5682): new data after a timeout find out whether it was spurious; then the window comes back as
        /// undo_response says. Default: "off", with recovery "linux" "sack".
        pub frto: Option<Frto> = None, Kind::Word(&Frto::LIST), or SenderConfig::frto_rule;
        /// Recovery "rack": by how much the ACK of a lone segment may be late, which the tail loss probe waits for (RFC
        /// 8985 §7.2, TLP.max_ack_delay; Linux has 200 ms).
        pub max_ack_delay: Duration = Duration::from_millis(200), Kind::SPAN;
        /// Whether the connection uses ECN (RFC 3168): queues may mark data packets instead of dropping them, the
        /// receiver echoes a mark, and the sender answers it as a loss once in a window, without sending anything
        /// again. "dctcp" and "prague" always use it, and answer in their own way.
        pub ecn: bool = false, Kind::Flag;
        /// How ACKs tell of congestion marks; the receiver must do the same. Default: "classic", with "dctcp" "dctcp",
        /// with "prague" "accurate".
        pub ecn_feedback: Option<EcnFeedback> = None, Kind::Word(&EcnFeedback::LIST), or SenderConfig::feedback;
        /// Marks are no congestion but news that data met a circuit: all data packets may be marked, and what an ACK
        /// echoes is told to the law. For laws that hear news, and with `[[news]]` of way "mark" true for all of them.
        pub path_marks: bool = false, Kind::Flag;
        /// Segments and ACKs carry timestamps (RFC 7323), which takes 12 bytes of each: round trips by every ACK, also
        /// of what was sent again, PAWS at the receiver, and undo "eifel". SACK has room for three blocks then.
        pub timestamps: bool = false, Kind::Flag;
        /// With timestamps: a tick of their clock. RFC 7323 §5.4: 1 ms to 1 s. Round trips are measured in ticks, at
        /// least one, but with recovery "linux" where nothing was sent again.
        pub timestamp_clock: Duration = Duration::from_millis(1), Kind::POSITIVE;
        /// A SYN and its answer go before the data, which leave a round trip later. In scenarios only.
        pub handshake: bool = false, Kind::Flag;
        /// A FIN and its answer follow when all is acknowledged and nothing more will be written. In scenarios only.
        pub teardown: bool = false, Kind::Flag;
        /// Nagle's algorithm (RFC 896, RFC 9293 §3.7.4): a segment that is not full waits while anything is
        /// outstanding.
        pub nagle: bool = false, Kind::Flag;
        /// New segments on the duplicate ACKs below the threshold (RFC 3042; with SACK RFC 6675 §5 step 3).
        pub limited_transmit: bool = true, Kind::Flag;
        /// One copy of the highest unSACKed segment when SACK recovery stalls (RFC 6675 §4, rule 4 of NextSeg).
        pub rescue_retransmission: bool = true, Kind::Flag;
        /// After an idle time beyond the timeout, cwnd returns to at most the initial window (RFC 5681 §4.1).
        pub idle_restart: bool = true, Kind::Flag;
        /// Whether the retransmission timer starts anew when a fast retransmit leaves. RFC 6298 does not say so; Linux,
        /// the BSDs and ns-2 do it, because the copy comes back a round trip after the loss was noticed, which with a
        /// small RTTVAR is later than the timeout that runs since the last new ACK.
        pub restart_timer_on_fast_retransmit: bool = true, Kind::Flag;
        /// What else restarts the retransmission timer. With recovery "linux" too RFC 6298's rule, unless this says
        /// otherwise.
        pub timer_restart: TimerRestart = TimerRestart::Rfc6298, Kind::Word(&TimerRestart::LIST);
        /// Recovery "reno" and "newreno": after what a further fast retransmit is refused until all that had been sent
        /// then is acknowledged. Default: "timeout" with Reno, "recovery" with NewReno (RFC 6582).
        pub fast_retransmit_guard: Option<FastRetransmitGuard> =
            None, Kind::Word(&FastRetransmitGuard::LIST), or SenderConfig::guard;
        /// What a loss cuts: ssthresh is half of it afterwards, or the share that the law keeps. Laws that model the
        /// path ("bbr", "bbr3") go with "flight" only.
        pub ssthresh_from: SsthreshFrom = SsthreshFrom::Flight, Kind::Word(&SsthreshFrom::LIST);
        /// Recovery "newreno": which partial ACKs restart the timer (RFC 6582 §4).
        pub partial_ack_timer: PartialAckTimer = PartialAckTimer::Impatient, Kind::Word(&PartialAckTimer::LIST);
        /// Recovery "sack": what a timeout does to what is known.
        pub sack_after_timeout: SackAfterTimeout = SackAfterTimeout::Discard, Kind::Word(&SackAfterTimeout::LIST);
    }
}

impl SenderConfig {
    /// How losses are repaired. [`LossRecovery::Sack`] needs a receiver that sends SACK blocks.
    pub fn loss_recovery(&self) -> LossRecovery {
        self.recovery.unwrap_or(self.algorithm.recovery())
    }

    /// How the window comes down while losses are repaired.
    pub fn window_reduction(&self) -> Reduction {
        self.reduction.unwrap_or(match self.loss_recovery() {
            LossRecovery::Linux if !self.algorithm.asks().model => Reduction::Prr,
            _ => Reduction::Immediate,
        })
    }

    /// The signs that the window was reduced without need.
    pub fn undo_rule(&self) -> Undo {
        self.undo.unwrap_or(match self.loss_recovery() {
            LossRecovery::Linux | LossRecovery::RrTcp => Undo::Dsack,
            _ => Undo::Never,
        })
    }

    /// The rule by which new data after a timeout find out if it was spurious.
    pub fn frto_rule(&self) -> Frto {
        self.frto.unwrap_or(match self.loss_recovery() {
            LossRecovery::Linux => Frto::Sack,
            _ => Frto::Off,
        })
    }

    /// How a window comes back that was reduced without need.
    pub fn restored_by(&self) -> UndoResponse {
        match (self.loss_recovery(), self.reordering.restore) {
            (LossRecovery::RrTcp, Restore::Instant) => UndoResponse::Restore,
            (LossRecovery::RrTcp, Restore::SlowStart) => UndoResponse::SlowStart,
            _ => self.undo_response,
        }
    }

    /// True if the law hears of its path.
    pub fn hears_news(&self) -> bool {
        self.algorithm.wants(&self.laws).news
    }

    /// True if it hears of another path's round trip.
    pub fn hears_base_rtts(&self) -> bool {
        self.hears_news() || self.algorithm.wants(&self.laws).base_rtts
    }

    /// The law's answer to congestion marks.
    pub(super) fn marks(&self) -> cc::Marks {
        if self.path_marks { cc::Marks::OfPath } else { self.algorithm.asks().marks }
    }

    /// True if the connections use ECN.
    pub fn has_ecn(&self) -> bool {
        self.ecn || self.marks().are_counted()
    }

    /// How ACKs tell of congestion marks.
    pub fn feedback(&self) -> EcnFeedback {
        self.ecn_feedback.unwrap_or(match self.marks() {
            cc::Marks::AsLosses | cc::Marks::Unheard => EcnFeedback::Classic,
            cc::Marks::Counted | cc::Marks::OfPath => EcnFeedback::Dctcp,
            cc::Marks::CountedFinely => EcnFeedback::Accurate,
        })
    }

    /// Bytes of options in each segment and ACK.
    pub fn options_len(&self) -> u32 {
        if self.timestamps { TcpOptions::TIMESTAMPS_LEN } else { 0 }
    }

    /// The timestamp of that reading of the clock.
    pub(super) fn stamp(&self, now: Instant) -> Instant {
        Instant::from_ps(now.ps() - now.ps() % self.timestamp_clock.ps())
    }

    /// The same if there are timestamps; by hand, without them, a timestamp is the reading itself.
    pub(super) fn stamp_if_ticking(&self, now: Instant) -> Instant {
        if self.timestamps { self.stamp(now) } else { now }
    }

    /// True if losses are found by time: RACK-TLP.
    pub fn is_rack(&self) -> bool {
        matches!(self.loss_recovery(), LossRecovery::Rack | LossRecovery::Linux)
    }

    /// True if the loss recovery reads SACK blocks, so that it needs a receiver that sends them.
    pub fn reads_sack(&self) -> bool {
        !matches!(self.loss_recovery(), LossRecovery::Reno | LossRecovery::NewReno)
    }

    /// The rule that refuses a further fast retransmit. RFC 6675's recovery point is SACK's guard, whatever is said
    /// here.
    pub fn guard(&self) -> FastRetransmitGuard {
        self.fast_retransmit_guard.unwrap_or(match self.loss_recovery() {
            LossRecovery::NewReno => FastRetransmitGuard::Recovery,
            LossRecovery::Reno
            | LossRecovery::Sack
            | LossRecovery::RrTcp
            | LossRecovery::TdFr
            | LossRecovery::Rack
            | LossRecovery::Linux => FastRetransmitGuard::Timeout,
        })
    }

    /// An error that names the wrong parameter if no sender can run with these.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let wrong = |field, reason| Err(ConfigError::new(field, reason));
        self.check_ranges()?;
        self.reordering.check_ranges()?;
        let mss = u64::from(self.mss);
        if self.max_cwnd < mss {
            return wrong("max_window", "must hold at least one segment");
        }
        if self.initial_ssthresh.is_some_and(|bytes| bytes < mss) {
            return wrong("initial_ssthresh", "must hold at least one segment");
        }
        if self.algorithm.burst_news(&self.laws) != cc::BurstNews::Ignored && self.loss_recovery() != LossRecovery::Sack
        {
            return wrong("recovery", "must be SACK where edge nodes report lost bursts");
        }
        if self.window_reduction() != Reduction::Immediate && !self.reads_sack() {
            return wrong("reduction", "must be immediate with recovery reno and newreno, which inflate the window");
        }
        if self.frto_rule() == Frto::Sack && !self.reads_sack() {
            return wrong("frto", "must be off or basic with recovery reno and newreno, which read no SACK blocks");
        }
        if self.ssthresh_from == SsthreshFrom::Cwnd && self.algorithm.asks().model {
            return wrong("ssthresh_from", "must be flight with a law that sets cwnd by a model of the path");
        }
        if self.timer_restart == TimerRestart::Linux && !self.is_rack() {
            return wrong("timer_restart", "must be rfc6298 with other recoveries than rack and linux");
        }
        if self.ecn && self.algorithm.is_told() {
            return wrong("ecn", "must be false for xcp, whose routers say by how much to change the window");
        }
        if self.algorithm.asks().each_loss && !self.is_rack() {
            return wrong("recovery", "must be rack or linux with bbr3, which asks for every lost segment");
        }
        if self.algorithm.asks().model && !self.reads_sack() {
            return wrong(
                "recovery",
                "must be sack, rr-tcp, td-fr, rack or linux with bbr: without SACK no rates are measured",
            );
        }
        if self.algorithm.asks().model && self.window_reduction() != Reduction::Immediate {
            return wrong("reduction", "must be immediate with a law that sets cwnd also in recovery");
        }
        self.validate_marks()?;
        if self.max_rto < self.min_rto {
            return wrong("max_rto", "must not be below min_rto");
        }
        if self.initial_rto > self.max_rto {
            return wrong("initial_rto", "must be at most max_rto");
        }
        self.laws.validate(self.algorithm)
    }

    /// The same of marks.
    fn validate_marks(&self) -> Result<(), ConfigError> {
        let wrong = |field, reason| Err(ConfigError::new(field, reason));
        if self.ecn && self.algorithm.asks().marks == cc::Marks::Unheard {
            return wrong("ecn", "must be false for bbr, bbr3 and swift, which have no answer to marks");
        }
        if self.path_marks && !self.hears_news() {
            return wrong("path_marks", "needs a law that hears news of its path");
        }
        if self.marks().are_counted() && self.feedback() == EcnFeedback::Classic {
            return wrong(
                "ecn_feedback",
                "must be dctcp or accurate for a law that counts marks, or hears news by them",
            );
        }
        if self.algorithm.wants(&self.laws).marks && !self.ecn {
            return wrong("abe", "needs ecn = true: without it no congestion marks come");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_cannot_work_is_named() {
        assert_eq!(SenderConfig::default().validate(), Ok(()));
        let field = |config: SenderConfig| config.validate().unwrap_err().field;
        assert_eq!(field(SenderConfig { mss: 0, ..SenderConfig::default() }), "mss");
        assert_eq!(field(SenderConfig { max_cwnd: 1000, ..SenderConfig::default() }), "max_window");
        assert_eq!(field(SenderConfig { dupthresh: 0, ..SenderConfig::default() }), "dupthresh");
        assert_eq!(field(SenderConfig { max_rto: Duration::from_millis(1), ..SenderConfig::default() }), "max_rto");
    }
}
