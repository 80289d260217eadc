//! F-RTO: RFC 5682 §2.1 and §3.1. Whether a timeout was spurious, without help from the receiver.
//!
//! The timer resends the first segment only. If its ACK moves on, two segments of new data leave instead of the
//! go-back. An ACK after that for what the timer has not resent can only be for first copies: they were late, not lost.
//!
//! RFC 5682 leaves the response open; here it is that of [`undo`](super::undo). Readings: F-RTO is left out where
//! losses were already being repaired when the timer expired, in fast recovery too (§2.1 names the repair after a
//! timeout, §3.1 RecoveryPoint; Linux as here). With SACK too the first ACK must cover all that the timer has resent
//! (§2.1 step 2a). Where there is nothing new to send, or the peer's window does not admit it, the repair goes on as
//! without F-RTO (step 2b, not appendix A).

use super::phase::Phase;
use super::transmit::Next;
use super::{Ack, SackBlock, Sender, UndoResponse};
use crate::cc::Event;
use options::words;

words! {
    /// Whether new data after a timeout find out if it was spurious.
    pub enum Frto {
        /// They do not.
        Off = "off",
        /// The basic algorithm: RFC 5682 §2.1.
        Basic = "basic",
        /// The one enhanced with SACK: RFC 5682 §3.1.
        Sack = "sack",
    }
}

/// How far one flow is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Forward {
    /// Nothing is to be found out.
    #[default]
    Idle,
    /// The timer has expired: step 1.
    Expired,
    /// The timer has resent the first segment, which ends here: step 2.
    Resent { end: u64 },
    /// New data leave, and all below had left before: step 3.
    Probing { recover: u64 },
}

/// An ACK once it has been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct News {
    pub(super) event: Event,
    pub(super) is_duplicate: bool,
    /// Where the peer's window ended before it.
    pub(super) edge: u64,
}

impl News {
    /// True if it is a duplicate ACK as RFC 5681 §2 has it, which SACKs nothing new.
    fn is_bare(&self, una: u64, ack: &Ack<'_>) -> bool {
        let says_nothing_new = self.event.acked == 0 && self.event.sacked == 0;
        says_nothing_new && ack.ack == una && ack.ack.saturating_add(ack.window) == self.edge
    }
}

/// New segments that leave in step 2b.
const NEW_SEGMENTS: u64 = 2;

impl Sender {
    /// Step 1: the timer has expired, and the phase is still what it was. A repeated expiry without an ACK between is a
    /// first one.
    pub(super) fn begin_forward(&mut self) {
        let repairing = match self.phase {
            Phase::FastRecovery(_) => true,
            Phase::TimeoutRecovery { .. } => {
                !self.forward().is_some_and(|forward| matches!(forward, Forward::Resent { .. }))
            }
            Phase::Open | Phase::Disorder(_) => false,
        };
        if let Some(forward) = self.forward_mut() {
            *forward = if repairing { Forward::Idle } else { Forward::Expired };
        }
    }

    /// A segment is sent again.
    pub(super) fn note_forward(&mut self, block: SackBlock) {
        if let Some(forward) = self.forward_mut().filter(|forward| **forward == Forward::Expired) {
            *forward = Forward::Resent { end: block.end };
        }
    }

    /// An ACK after a timeout has been read: steps 2 and 3.
    pub(super) fn judge_timeout(&mut self, ack: &Ack<'_>, news: News) {
        let Some(forward) = self.forward().copied() else { return };
        let next = match forward {
            Forward::Resent { end } => self.first_ack(end, news),
            Forward::Probing { recover } => self.second_ack(recover, ack, news),
            Forward::Idle | Forward::Expired => return,
        };
        if let Some(forward) = self.forward_mut() {
            *forward = next;
        }
    }

    /// Step 2: the first ACK. With SACK duplicate ACKs are waited out (§3.1), without they show a loss (§2.1 step 2a).
    fn first_ack(&self, end: u64, news: News) -> Forward {
        if news.event.acked == 0 {
            let shows_loss = news.is_duplicate && self.config.frto_rule() == Frto::Basic;
            return if shows_loss { Forward::Idle } else { Forward::Resent { end } };
        }
        let advances = self.una >= end && self.una < self.nxt;
        match advances && self.new_data(0, self.window.mss).is_some() {
            true => Forward::Probing { recover: self.nxt },
            false => Forward::Idle,
        }
    }

    /// Step 3: the second ACK.
    fn second_ack(&mut self, recover: u64, ack: &Ack<'_>, news: News) -> Forward {
        let shows_loss = match self.config.frto_rule() {
            Frto::Sack => {
                let covers_new = |block: &SackBlock| block.end > recover && block.end <= self.nxt;
                self.una > recover || news.is_bare(self.una, ack) || ack.sack.iter().any(covers_new)
            }
            Frto::Basic | Frto::Off => news.event.acked == 0 && news.is_duplicate,
        };
        if shows_loss {
            self.set_cwnd(self.window.cwnd.min(3 * self.window.mss));
            return Forward::Idle;
        }
        let acknowledges = news.event.acked > 0 || (news.event.sacked > 0 && self.config.frto_rule() == Frto::Sack);
        if !acknowledges {
            return Forward::Probing { recover };
        }
        self.undo(news.event.acked, self.not_held());
        self.abandon_recovery();
        if self.config.undo_response == UndoResponse::Restore {
            // The window that has come back grows by this ACK as by any.
            self.tell_law_in_full(news.event);
        }
        Forward::Idle
    }

    /// The segment that leaves while new data are to find out: `None` if nothing is to be found out, `Some(None)` if
    /// nothing more leaves for it.
    pub(super) fn forward_segment(&self) -> Option<Option<Next>> {
        let Forward::Probing { recover } = *self.forward()? else { return None };
        if self.nxt >= recover + NEW_SEGMENTS * self.window.mss {
            return Some(None);
        }
        Some(self.new_data(0, self.window.mss).map(|len| Next::NewData { len }))
    }
}
