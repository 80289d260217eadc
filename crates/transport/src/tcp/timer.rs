//! The retransmission timer (RFC 6298 §5), which is the persist timer while the peer's window is closed
//! (RFC 9293 §3.8.6.1).

use super::phase::Phase;
use super::segments::Segments;
use super::spurious::Cause;
use super::{Actions, SackAfterTimeout, SackBlock, Segment, Sender, SsthreshFrom, TimerRestart};
use crate::cc::{LossCause, LossRecovery};
use units::Instant;

impl Sender {
    /// The retransmission timer is due, or the persist timer that it is with nothing outstanding.
    pub(super) fn serve_retransmission_timer(&mut self, now: Instant, actions: &mut Actions) {
        self.rto_at = Instant::NEVER;
        if self.una < self.nxt {
            if !self.repair_false_timeout(now) {
                self.time_out(now);
            }
            self.transmit(now, actions);
        } else {
            self.probe(now, actions);
        }
    }

    /// The retransmission timer expires with data outstanding: RFC 5681 §3.1, RFC 6298 §5.4 to §5.6.
    pub(super) fn time_out(&mut self, now: Instant) {
        self.prepare_timeout(now);
        self.counts.timeouts += 1;
        // Eq. (4) only if the timer has not yet resent this segment; ns-2 halves each time.
        let is_repeated = self.timed_out == self.una && self.config.ssthresh_from == SsthreshFrom::Flight;
        match is_repeated || self.has_cut_for_good() {
            true => self.lose_again(now),
            false => self.lose(now, LossCause::Timeout, self.flight_for_cut()),
        }
        self.timed_out = self.una;
        self.rtt.back_off(&self.config);
        self.send_all_again(now);
    }

    /// All that was sent counts as lost and is sent again from `una` on, in slow start.
    pub(super) fn send_all_again(&mut self, now: Instant) {
        self.rtt.cancel();
        if self.config.sack_after_timeout == SackAfterTimeout::Discard && self.rack().is_none() {
            self.scoreboard.clear();
            if let Some(segments) = self.segments_mut() {
                segments.forget_sacks();
            }
        }
        self.forget_reports();
        self.mark_lost_after_timeout(now);
        self.scoreboard.set_high_rxt(self.una);
        self.guard = self.nxt;
        self.open_episode(Cause::Timeout);
        self.begin_forward();
        self.phase = Phase::TimeoutRecovery { recover: self.nxt };
        self.restart_timer(now);
    }

    /// True if a timeout leaves ssthresh as the repair has set it that it ends: Linux cuts once for a window of data.
    /// Laws that measure hear of the timeout as such.
    fn has_cut_for_good(&self) -> bool {
        let is_repairing = matches!(self.phase, Phase::FastRecovery(_));
        is_repairing && self.recovery() == LossRecovery::Linux && !self.config.algorithm.asks().model
    }

    /// The peer's window is closed, nothing is outstanding and data wait: the RTO timer is the persist timer
    /// (RFC 9293 §3.8.6.1). The probe is a full segment that does not count as outstanding: the peer drops or takes it.
    pub(super) fn probe(&mut self, now: Instant, actions: &mut Actions) {
        let len = (self.written - self.nxt).min(self.window.mss);
        if len == 0 {
            return;
        }
        let retransmission = self.probe_end > self.nxt;
        self.probe_end = self.nxt + len;
        self.counts.retransmissions += u64::from(retransmission);
        self.rtt.note_probe();
        self.restore_phase();
        self.send(now, Segment { seq: self.nxt, len: len as u32, retransmission }, actions);
        self.rto_at = now + self.rtt.persist_interval(&self.config);
    }

    /// True if probes are out, or some of their bytes will leave again.
    pub(super) fn has_probed(&self) -> bool {
        self.rtt.is_probing() || self.probe_end > self.nxt
    }

    /// Starts the persist timer if it is needed.
    #[inline]
    pub(super) fn watch_closed_window(&mut self, now: Instant) {
        let closed = self.una == self.nxt && self.written > self.nxt && self.edge <= self.nxt;
        if closed && self.rto_at == Instant::NEVER {
            self.rto_at = now + self.rtt.persist_interval(&self.config);
        }
    }

    /// An ACK may cover the window probe, which `nxt` does not know. Returns whether the ACK is for bytes that were
    /// sent.
    pub(super) fn admit(&mut self, ack: u64) -> bool {
        if ack > self.nxt && ack <= self.probe_end {
            self.nxt = ack;
        }
        ack <= self.nxt
    }

    /// The peer's window moves. When it opens, the persist timer stops and the next one begins at the plain RTO.
    pub(super) fn move_edge(&mut self, edge: u64) {
        if self.una == self.nxt && self.edge <= self.nxt && edge > self.nxt {
            self.rto_at = Instant::NEVER;
        }
        if edge > self.nxt {
            self.rtt.end_probing();
        }
        self.edge = edge;
    }

    /// The retransmission timer restarts although it runs.
    pub(super) fn restart_timer(&mut self, now: Instant) {
        self.rto_at = now + self.rtt.rto();
    }

    /// A copy of `block` leaves: it restarts the timer if it is the first outstanding segment, as Linux does.
    pub(super) fn restart_timer_for_copy(&mut self, now: Instant, block: SackBlock) {
        if self.config.timer_restart == TimerRestart::Linux && block.start == self.una {
            self.restart_timer(now);
        }
    }

    /// An ACK without new data has been read, but its records not yet: what it SACKs restarts the timer if it had left
    /// before the first outstanding segment did last, as in Linux. Of later data it would put the timeout off for as
    /// long as they arrive.
    pub(super) fn restart_timer_for_sack(&mut self, now: Instant) {
        if self.config.timer_restart == TimerRestart::Linux
            && self.segments().is_some_and(Segments::report_older_than_first)
        {
            self.restart_timer(now);
        }
    }

    /// Leaves the timer as it was at `at`.
    pub(super) fn keep_timer(&mut self, at: Instant) {
        self.rto_at = at;
    }

    /// When the retransmission timer expires; `NEVER` while it is off.
    pub(super) fn timer(&self) -> Instant {
        self.rto_at
    }
}
