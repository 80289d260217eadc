//! The sender's part of ECN: RFC 3168 §6.1.
//!
//! An ACK that echoes a mark reduces the window as a loss does, at most once for a window of data; nothing is sent again. The first
//! new segment after any reduction says so (CWR), until which the receiver goes on echoing. A loss among what had been sent before
//! such a reduction is repaired without a second one.
//!
//! Readings: "a window of data" is over when the ACK is beyond all that had been sent at the reduction, as in Linux. The window is
//! not below 2 MSS (RFC 3168 §6.1.2 lets it be one segment, and then waits for the timer). ECN is there from the first segment on:
//! connections have no handshake yet that could agree on it.

use super::{Ack, Segment, Sender};
use crate::cc::LossCause;
use units::Instant;

/// What a segment says about congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentEcn {
    /// Queues may mark it instead of dropping it (ECT). What is sent again may not be marked: RFC 3168 §6.1.5.
    pub capable: bool,
    /// The window has been reduced (CWR).
    pub window_reduced: bool,
}

/// ECN of one flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnSender {
    /// What had been sent at the last reduction, exclusive: the segment that begins there says that the window was reduced.
    recover: u64,
    cause: Reduced,
    /// Reductions because of marks.
    reductions: u64,
}

/// Why the window was reduced last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reduced {
    /// It never was.
    #[default]
    Never,
    Loss,
    Mark,
}

impl Sender {
    /// Whether the connection uses ECN.
    pub fn has_ecn(&self) -> bool {
        self.ecn().is_some()
    }

    /// What this segment, which has just been sent, is to say about congestion. `None` without ECN.
    pub fn ecn_of(&self, segment: &Segment) -> Option<SegmentEcn> {
        let ecn = self.ecn()?;
        let is_new = !segment.retransmission;
        let window_reduced = is_new && ecn.cause != Reduced::Never && segment.seq == ecn.recover;
        Some(SegmentEcn { capable: is_new, window_reduced })
    }

    /// Reductions of the window because of marks.
    pub(super) fn ecn_reductions(&self) -> u64 {
        self.ecn().map_or(0, |ecn| ecn.reductions)
    }

    /// Whether an ACK echoes a mark that counts.
    pub(super) fn is_echo(&self, ecn_echo: bool) -> bool {
        ecn_echo && self.ecn().is_some()
    }

    /// Answers the mark that an ACK echoes, if it does and the window has not been reduced for this window of data.
    pub(super) fn answer_mark(&mut self, now: Instant, ack: &Ack<'_>) {
        if !self.is_echo(ack.ecn_echo) || self.ecn().is_some_and(|ecn| ack.ack <= ecn.recover) {
            return;
        }
        let before = self.window.cwnd;
        self.lose(now, LossCause::Mark, self.flight_for_cut());
        self.set_cwnd(self.window.cwnd.min(before));
        self.forget_window();
        if let Some(ecn) = self.ecn_mut() {
            ecn.cause = Reduced::Mark;
            ecn.reductions += 1;
        }
    }

    /// The window is reduced for whatever reason.
    pub(super) fn note_cut(&mut self) {
        let nxt = self.nxt;
        if let Some(ecn) = self.ecn_mut() {
            (ecn.recover, ecn.cause) = (nxt, Reduced::Loss);
        }
    }

    /// Whether the window was reduced for a mark since what is lost now was sent.
    pub(super) fn has_answered_mark(&self) -> bool {
        self.ecn().is_some_and(|ecn| ecn.cause == Reduced::Mark && self.una < ecn.recover)
    }
}
