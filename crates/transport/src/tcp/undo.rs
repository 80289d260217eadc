//! Taking back a reduction of the window that turns out to have been needless.
//!
//! D-SACK (RFC 3708): a recovery is needless when the receiver has got twice all that it retransmitted. Which recoveries are is
//! [`spurious`](super::spurious)'s; here is what follows for the window. Only the last reduction is taken back, and the window law
//! forgets it too (RFC 9438 §4.9 for CUBIC).
//!
//! RFC 3708 leaves the response open. Readings: at once, as Linux does; or by slow start up to where the window was (Blanton and
//! Allman 2002), so that no burst leaves. Left out: what RFC 4015 does to the timer.

use super::Sender;
use super::spurious::Verdict;
use crate::cc::{Law, Window};
use options::words;

words! {
    /// What shows that a reduction was needless.
    pub enum Undo {
        /// Nothing is taken back.
        Never = "never",
        /// RFC 3708: D-SACKs for all that was sent again.
        Dsack = "dsack",
    }
}

words! {
    /// How the window comes back.
    pub enum UndoResponse {
        /// At once, as in Linux.
        Restore = "restore",
        /// By slow start up to where it was.
        SlowStart = "slow-start",
    }
}

/// The last reduction of one flow.
#[derive(Clone, Debug, Default)]
pub(super) struct Reductions {
    /// Window and law before it.
    last: Option<(Window, Law)>,
}

impl Sender {
    /// The window is about to be reduced.
    pub(super) fn remember_window(&mut self) {
        if self.reductions_mut().is_some() {
            let last = Some((self.window, self.law.clone()));
            if let Some(reductions) = self.reductions_mut() {
                reductions.last = last;
            }
        }
    }

    /// The window has been reduced for a reason that no D-SACK can disprove.
    pub(super) fn forget_window(&mut self) {
        if let Some(reductions) = self.reductions_mut() {
            reductions.last = None;
        }
    }

    /// A recovery has been proved needless.
    pub(super) fn undo(&mut self, verdict: Verdict) {
        let Some(reductions) = self.reductions_mut().filter(|_| verdict.is_last) else { return };
        let Some((window, law)) = reductions.last.take() else { return };
        self.law = law;
        self.window.ssthresh = self.window.ssthresh.max(match self.config.undo_response {
            UndoResponse::Restore => window.ssthresh,
            UndoResponse::SlowStart => window.cwnd,
        });
        if self.config.undo_response == UndoResponse::Restore {
            self.set_cwnd(self.window.cwnd.max(window.cwnd));
        }
    }
}
