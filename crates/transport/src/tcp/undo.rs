//! Taking back a reduction of the window that turns out to have been spurious.
//!
//! D-SACK (RFC 3708): a recovery is spurious when the receiver has got twice all that it retransmitted. Which recoveries are is
//! [`spurious`](super::spurious)'s; here is what follows for the window. Only the last reduction is taken back, and the window law
//! forgets it too (RFC 9438 §4.9 for CUBIC).
//!
//! Eifel (RFC 3522): the first ACK of new data after a retransmission echoes a timestamp from before it, so it is an ACK of the first
//! copy. The recovery ends there, and nothing more is sent again.
//!
//! RFC 3708 leaves the response open. Readings: at once, as Linux does; or by slow start up to where the window was (Blanton and
//! Allman 2002), so that no burst leaves. RFC 4015 has a third one: cwnd goes on from what is in
//! flight. Left out: what RFC 4015 does to the timer.

use super::Sender;
use super::spurious::{Cause, Verdict};
use crate::cc::{Law, Window};
use options::words;
use units::Instant;

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
    }
}

words! {
    /// How the window comes back.
    pub enum UndoResponse {
        /// At once, as in Linux.
        Restore = "restore",
        /// By slow start up to where it was.
        SlowStart = "slow-start",
        /// RFC 4015: ssthresh at what was in flight before, cwnd at what is in flight now and at most an initial window more.
        Eifel = "eifel",
    }
}

/// The last reduction of one flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Reductions {
    last: Option<Before>,
    eifel: Eifel,
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

/// What there was before a reduction.
#[derive(Clone, Debug)]
struct Before {
    window: Window,
    law: Law,
    /// pipe_prev of RFC 4015: what was in flight, or ssthresh if that was more and had been set.
    pipe: u64,
}

impl Sender {
    /// The window is about to be reduced.
    pub(super) fn remember_window(&mut self) {
        if self.reductions_mut().is_some() {
            let known = Some(self.window.ssthresh).filter(|bytes| *bytes != u64::MAX).unwrap_or(0);
            let before = Before { window: self.window, law: self.law.clone(), pipe: self.flight_for_cut().max(known) };
            if let Some(reductions) = self.reductions_mut() {
                *reductions = Reductions { last: Some(before), eifel: Eifel::Waiting };
            }
        }
    }

    /// The window has been reduced for a reason that no D-SACK can disprove.
    pub(super) fn forget_window(&mut self) {
        if let Some(reductions) = self.reductions_mut() {
            *reductions = Reductions::default();
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
        if verdict.is_last && hears && self.takes_back(verdict.cause) {
            self.undo(0);
        }
    }

    /// RR-TCP takes back what fast retransmits did, and nothing else.
    fn takes_back(&self, cause: Cause) -> bool {
        cause == Cause::FastRetransmit || !self.is_rr_tcp()
    }

    /// The ACK of every byte below `ack` echoes the timestamp of a segment that left when this node's clock showed `echo`. To be
    /// called before [`handle_ack`](Sender::handle_ack) with that ACK, which measures a round trip by it if there are
    /// timestamps. RFC 3522 §3.2: the first ACK of new data after a
    /// retransmission tells which copy it is for.
    pub fn handle_timestamp_echo(&mut self, ack: u64, echo: Instant) {
        self.note_echo(echo);
        let (una, nxt) = (self.una, self.nxt);
        let hears = matches!(self.config.undo_rule(), Undo::Eifel | Undo::Both);
        let Some(reductions) = self.reductions_mut().filter(|_| hears && ack > una && ack <= nxt) else { return };
        let Eifel::Resent(resent_at) = reductions.eifel else { return };
        reductions.eifel = Eifel::Decided;
        if echo < self.config.stamp_if_ticking(resent_at) {
            self.undo(ack - una);
            self.abandon_recovery();
        }
    }

    /// The last reduction is taken back, on an ACK of `acked` new bytes.
    pub(super) fn undo(&mut self, acked: u64) {
        let Some(before) = self.reductions_mut().and_then(|reductions| reductions.last.take()) else { return };
        let Before { window, law, pipe } = before;
        self.law = law;
        match self.config.restored_by() {
            UndoResponse::Restore => {
                self.window.ssthresh = self.window.ssthresh.max(window.ssthresh);
                self.set_cwnd(self.window.cwnd.max(window.cwnd));
            }
            UndoResponse::SlowStart => self.window.ssthresh = self.window.ssthresh.max(window.cwnd),
            UndoResponse::Eifel => {
                let initial = self.config.initial_cwnd.bytes(self.config.mss);
                self.window.ssthresh = pipe.max(2 * self.window.mss);
                self.set_cwnd(self.flight_size() + acked.min(initial));
            }
        }
    }
}
