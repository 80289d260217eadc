//! Taking back a reduction of the window that turns out to have been spurious.
//!
//! D-SACK (RFC 3708): a recovery is spurious when the receiver has got twice all that it retransmitted. Which
//! recoveries are is [`spurious`](super::spurious)'s; here is what follows for the window. Only the last reduction is
//! taken back, and the window law forgets it too (RFC 9438 §4.9.2 for CUBIC). A window that has grown above its prior
//! value meanwhile goes on as it is, whatever the law. Nothing is taken back where the network has made a copy of what
//! was sent once, nor after a timeout of which all ACKs may have been lost (RFC 3708 §3, steps A.4 and A.1); Linux asks
//! for neither.
//!
//! Eifel (RFC 3522 §3.2): the first ACK of new data after a retransmission echoes a timestamp from before it, so it is
//! an ACK of the first copy, unless all ACKs were lost (step 5). The recovery ends there, and nothing more is sent
//! again.
//!
//! With "eifel-at-end" it is the ACK that ends a fast recovery which tells, as Linux does it without SACK
//! (`tcp_try_undo_recovery`): the window comes back about a round trip later. Until then partial ACKs that echo such
//! timestamps show no hole, and nothing is sent again for them (`tcp_try_undo_partial`).
//!
//! RFC 3708 leaves the response open. Readings: at once, as Linux does; or by slow start up to where the window was
//! (Blanton and Allman 2002), so that no burst leaves. RFC 4015 has a third one (§3.1, steps 0 to 11): cwnd goes on
//! from what is in flight, and the timer waits longer.
//!
//! Where RFC 4015 answers timeouts only, all responses are here to needless fast retransmits too, as in Linux. With
//! undo "eifel" and "both" the window comes back after several timeouts of one segment too (RFC 4015 §3.2); without
//! them, F-RTO finds such timeouts but the window stays. Left out: step 10, as there is no congestion window
//! validation.

use super::phase::Phase;
use super::segment::split_dsack;
use super::spurious::{Cause, Verdict};
use super::{Ack, LossRecovery, Sender};
use crate::cc::{Law, Window};
use options::words;
use units::{Duration, Instant};

words! {
    /// What shows that a reduction was spurious.
    pub enum Undo {
        /// Nothing is taken back.
        Never = "never",
        /// RFC 3708: D-SACKs for all that was sent again.
        Dsack = "dsack",
        /// RFC 3522: an ACK that echoes a timestamp from before the retransmission. In scenarios it needs timestamps.
        Eifel = "eifel",
        /// Either.
        Both = "both",
        /// As Linux without SACK: as "eifel", but a fast recovery is judged by the ACK that ends it. In scenarios it
        /// needs timestamps.
        AtEnd = "eifel-at-end",
    }
}

impl Undo {
    /// True if an ACK's timestamp tells which copy it is for.
    pub fn reads_timestamps(self) -> bool {
        matches!(self, Undo::Eifel | Undo::Both | Undo::AtEnd)
    }
}

words! {
    /// How the window comes back.
    pub enum UndoResponse {
        /// At once, as in Linux.
        Restore = "restore",
        /// By slow start up to where it was.
        SlowStart = "slow-start",
        /// RFC 4015: ssthresh at what was in flight before, cwnd at what is in flight now and at most an initial window
        /// more.
        Eifel = "eifel",
    }
}

/// The last reduction of one flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Reductions {
    last: Option<Before>,
    eifel: Eifel,
    /// True if the peer has ever sent a D-SACK: RFC 3522 §3.2 step 5.
    dsack_seen: bool,
    /// True if the network makes copies: RFC 3708 §3 step A.4.
    network_duplicates: bool,
    /// Undo "eifel-at-end": the partial ACK at hand is for a first copy.
    is_first_copy: bool,
    /// cwnd as RFC 4015 §3.1 step 9 has set it, which the ACK at hand does not change further.
    held_cwnd: Option<u64>,
    /// RFC 4015 §3.1 step 11, until it is done.
    timer: Option<Caution>,
}

/// The retransmission timer after a timeout that was spurious: RFC 4015 §3.1 step 11.
#[derive(Clone, Copy, Debug)]
struct Caution {
    /// SRTT_prev and RTTVAR_prev.
    srtt: Duration,
    rttvar: Duration,
    /// Only data from here on are new.
    from: u64,
}

/// How far Eifel's detection is with the last reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Eifel {
    /// Nothing has been sent again yet.
    #[default]
    Waiting,
    /// Something was sent again, at first then: RetransmitTS of RFC 3522.
    Resent(Instant),
    /// The first ACK of new data has told.
    Decided,
}

/// The state before a reduction.
#[derive(Clone, Debug)]
struct Before {
    window: Window,
    law: Law,
    /// pipe_prev of RFC 4015: what was in flight, or ssthresh if that was more and had been set.
    pipe: u64,
    /// SRTT_prev and RTTVAR_prev of RFC 4015, if a round trip was known.
    rtt: Option<(Duration, Duration)>,
}

impl Sender {
    /// The window is about to be reduced.
    pub(super) fn remember_window(&mut self) {
        if self.reductions_mut().is_some() {
            let known = Some(self.window.ssthresh).filter(|bytes| *bytes != u64::MAX).unwrap_or(0);
            let pipe = self.flight_for_cut().max(known);
            let rtt = self.rtt.before_loss(&self.config);
            let window = Window { cwnd: self.deflated_cwnd(), ..self.window };
            let before = Before { window, law: self.law.clone(), pipe, rtt };
            // RFC 3522 §3.2: not started again while losses are being repaired.
            let is_repairing = matches!(self.phase, Phase::FastRecovery(_) | Phase::TimeoutRecovery { .. });
            if let Some(reductions) = self.reductions_mut() {
                reductions.last = Some(before);
                reductions.eifel = if is_repairing { reductions.eifel } else { Eifel::Waiting };
            }
        }
    }

    /// The window has been reduced for a reason that no D-SACK can disprove.
    pub(super) fn forget_window(&mut self) {
        if let Some(reductions) = self.reductions_mut() {
            (reductions.last, reductions.eifel) = (None, Eifel::Waiting);
        }
    }

    /// The timer has expired again for a segment that it has sent again. RFC 3522 §3.2 step 2: RetransmitTS stays.
    pub(super) fn keep_window_for_eifel(&mut self) {
        if !self.hears_eifel() {
            self.forget_window();
        }
    }

    fn hears_eifel(&self) -> bool {
        self.config.undo_rule().reads_timestamps()
    }

    /// The peer has sent a D-SACK with an ACK of everything below `una`; `is_networks` if what it got twice was sent
    /// once.
    pub(super) fn note_dsack(&mut self, una: u64, is_networks: bool) {
        let is_strict = self.recovery() != LossRecovery::Linux;
        if let Some(reductions) = self.reductions_mut() {
            reductions.dsack_seen = true;
            reductions.network_duplicates |= is_networks && is_strict;
        }
        // RFC 3708 §3 step A.1: nothing was heard of what left before the timeout, so all its ACKs may have been lost.
        if let Phase::TimeoutRecovery { recover } = self.phase
            && is_strict
            && self.timed_out == self.una
            && una >= recover
        {
            self.forget_window();
        }
    }

    /// A segment is sent again.
    pub(super) fn note_resent(&mut self, now: Instant) {
        if let Some(reductions) = self.reductions_mut().filter(|reductions| reductions.eifel == Eifel::Waiting) {
            reductions.eifel = Eifel::Resent(now);
        }
    }

    /// D-SACKs have proved a recovery spurious.
    pub(super) fn undo_by_dsack(&mut self, verdict: Verdict) {
        let hears = matches!(self.config.undo_rule(), Undo::Dsack | Undo::Both);
        let is_sure = self.reductions_mut().is_some_and(|reductions| !reductions.network_duplicates);
        if verdict.is_last && hears && is_sure && self.takes_back(verdict.cause) {
            self.undo(0, self.not_held());
        }
    }

    /// The outstanding bytes that the receiver is not known to hold.
    pub(super) fn not_held(&self) -> u64 {
        self.flight_size() - self.scoreboard.sacked()
    }

    /// RR-TCP takes back what fast retransmits did, and nothing else.
    fn takes_back(&self, cause: Cause) -> bool {
        cause == Cause::FastRetransmit || !self.is_rr_tcp()
    }

    /// A partial ACK echoes `echo`; something was sent again at first at `resent_at`.
    fn note_copy(&mut self, echo: Instant, resent_at: Instant) {
        let is_first_copy = echo < self.config.stamp_if_ticking(resent_at);
        if let Some(reductions) = self.reductions_mut() {
            reductions.is_first_copy = is_first_copy;
        }
    }

    /// True if the partial ACK at hand shows no hole: it is for a first copy.
    pub(super) fn takes_first_copy(&mut self) -> bool {
        self.reductions_mut().is_some_and(|reductions| std::mem::take(&mut reductions.is_first_copy))
    }

    /// True if an ACK of what is before `ack` may tell.
    fn judges_at(&self, ack: u64) -> bool {
        match self.phase {
            Phase::FastRecovery(recovery) if self.config.undo_rule() == Undo::AtEnd => ack >= recovery.recover,
            _ => true,
        }
    }

    /// An ACK that echoes the timestamp of a segment that left when this node's clock showed `echo`. To be called
    /// before [`handle_ack`](Sender::handle_ack) with that ACK, which measures a round trip by it if there are
    /// timestamps. RFC 3522 §3.2: the first ACK of new data after a retransmission tells which copy it is for.
    pub fn handle_timestamp_echo(&mut self, ack: &Ack<'_>, echo: Instant) {
        self.note_echo(echo);
        let (una, nxt, hears) = (self.una, self.nxt, self.hears_eifel());
        let (is_new, judges) = (ack.ack > una && ack.ack <= nxt, self.judges_at(ack.ack));
        let Some(reductions) = self.reductions_mut().filter(|_| hears && is_new) else { return };
        let Eifel::Resent(resent_at) = reductions.eifel else { return };
        if !judges {
            return self.note_copy(echo, resent_at);
        }
        reductions.eifel = Eifel::Decided;
        // Step 5: all ACKs may have been lost, and this one is for the copy.
        let is_clear = split_dsack(ack).0.is_none() && (reductions.dsack_seen || ack.ack < nxt);
        if !is_clear || echo >= self.config.stamp_if_ticking(resent_at) {
            return;
        }
        // RFC 4015 §3.4: an ACK with ECE leaves the window reduced.
        if !self.is_echo(ack.ecn_echo) {
            let held = self.scoreboard.sacked_above(ack.ack);
            self.undo(ack.ack - una, nxt - ack.ack - held);
        }
        self.abandon_recovery();
    }

    /// The ACK at hand has been read: what RFC 4015 has set is not to be changed by it, and a sample of new data has
    /// its effect on the timer.
    pub(super) fn settle_undo(&mut self, now: Instant, sample: Option<Duration>) {
        let una = self.una;
        let Some(reductions) = self.reductions_mut() else { return };
        let cwnd = reductions.held_cwnd.take();
        let caution = reductions.timer.filter(|caution| sample.is_some() && una > caution.from);
        if caution.is_some() {
            reductions.timer = None;
        }
        if let Some(cwnd) = cwnd {
            self.set_cwnd(cwnd);
        }
        if let (Some(caution), Some(sample)) = (caution, sample) {
            self.rtt.adapt(caution.srtt, caution.rttvar, sample, &self.config);
            if self.una < self.nxt {
                self.restart_timer(now);
            }
        }
    }

    /// The last reduction is taken back, on an ACK of `acked` new bytes that leaves `flight` outstanding.
    pub(super) fn undo(&mut self, acked: u64, flight: u64) {
        let Some(before) = self.reductions_mut().and_then(|reductions| reductions.last.take()) else { return };
        let Before { window, law, pipe, rtt } = before;
        let is_model = self.config.algorithm.asks().model;
        // RFC 9438 §4.9.2: a window that is above its prior value again goes on as it is.
        if !is_model && self.deflated_cwnd() > window.cwnd {
            return;
        }
        // A law that measures goes on from what it has measured; cwnd comes back.
        match is_model {
            true => self.law.on_undo(&self.config.laws, &mut self.window, self.last_sent),
            false => self.law = law,
        }
        match self.config.restored_by() {
            UndoResponse::Restore => {
                self.window.ssthresh = self.window.ssthresh.max(window.ssthresh);
                self.set_cwnd(self.window.cwnd.max(window.cwnd));
            }
            UndoResponse::SlowStart => self.window.ssthresh = self.window.ssthresh.max(window.cwnd),
            UndoResponse::Eifel => {
                let initial = self.config.initial_cwnd.bytes(self.config.mss);
                self.window.ssthresh = pipe.max(2 * self.window.mss);
                self.set_cwnd(flight + acked.min(initial));
                let (cwnd, from) = (self.window.cwnd, self.nxt);
                let is_timeout = matches!(self.phase, Phase::TimeoutRecovery { .. });
                if let Some(reductions) = self.reductions_mut() {
                    reductions.held_cwnd = Some(cwnd).filter(|_| acked > 0);
                    let rtt = rtt.filter(|_| is_timeout);
                    reductions.timer = rtt.map(|(srtt, rttvar)| Caution { srtt, rttvar, from });
                }
            }
        }
    }
}
