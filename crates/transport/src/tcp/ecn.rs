//! ECN: RFC 3168 §6.1, and feedback that tells more, RFC 8257 (DCTCP) and RFC 9768 (AccECN).
//!
//! To most laws a mark is a loss: an ACK that echoes one reduces the window, at most once for a window of data; nothing
//! is sent again. The first new segment after any reduction says so (CWR), until which the receiver goes on echoing. A
//! loss among what had been sent before such a reduction is repaired without a second one.
//!
//! Laws that count marks hear with every ACK how many bytes were marked, and lower cwnd themselves; a loss reduces
//! their window in any case (RFC 8257 §3.5). The sender knows these bytes from an echo, which then tells about all that
//! the ACK covers, or from the counter of marked packets in the field ACE. Three bits of it travel: where an ACK covers
//! so many segments that it may have wrapped, it is taken to have wrapped as often as that allows (RFC 9768 appendix
//! A.2.1). A packet counts as a full segment.
//!
//! A window of one segment cannot be reduced: another mark then holds new data back for a retransmission timeout (RFC
//! 3168 §6.1.2), for twice as long each further time (RFC 9438 §4.6). With recovery "linux" no mark leaves less than
//! two segments, as in the kernel.
//!
//! Readings: "a window of data" is over when the ACK is beyond all that had been sent at the reduction, as in Linux.
//! With a handshake SYN and SYN-ACK agree on it (§6.1.1); without, it is there from the first segment on. Left out:
//! AccECN's option with counters of bytes; ACE in the handshake; ECN on what is sent again, which RFC 3168 §6.1.5
//! forbids and RFC 9331 does not.

use super::{Ack, LossRecovery, Segment, Sender, SenderConfig};
use crate::cc::{LossCause, Marks, PathChange};
use options::words;
use units::Instant;

words! {
    /// How ACKs tell of congestion marks.
    pub enum EcnFeedback {
        /// RFC 3168: every ACK echoes a mark until the sender says that it has reduced its window.
        Classic = "classic",
        /// RFC 8257: an ACK echoes whether what it covers was marked; when that changes, it is not delayed.
        Dctcp = "dctcp",
        /// RFC 9768 (AccECN) without its option: ACKs count marked packets, in three bits.
        Accurate = "accurate",
    }
}

impl EcnFeedback {
    /// The count of the first ACK if nothing is marked. The counter begins at 5: RFC 9768 §3.2.1.
    pub(super) fn at_first(self) -> super::EcnEcho {
        match self {
            EcnFeedback::Classic | EcnFeedback::Dctcp => super::EcnEcho::NONE,
            EcnFeedback::Accurate => super::EcnEcho::counter(FIRST_COUNT),
        }
    }
}

/// The number of marked packets at first.
const FIRST_COUNT: u8 = 5;

/// The ECN field of an IP header, unmarked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codepoint {
    /// Queues do not mark it.
    NotEct,
    /// Queues may mark it instead of dropping it.
    Ect0,
    /// The same, and its law is one for low-latency queues: RFC 9331.
    Ect1,
}

/// The congestion bits of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentEcn {
    /// True if queues may mark it. They may not mark what is sent again: RFC 3168 §6.1.5.
    pub codepoint: Codepoint,
    /// The window has been reduced (CWR).
    pub window_reduced: bool,
}

impl SegmentEcn {
    /// True if queues may mark it instead of dropping it (ECT).
    pub fn is_capable(self) -> bool {
        self.codepoint != Codepoint::NotEct
    }
}

/// ECN of one flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct EcnSender {
    /// The end of what had been sent at the last reduction: the segment that begins there says that the window was
    /// reduced.
    recover: u64,
    cause: Reduced,
    /// Reductions because of marks.
    reductions: u64,
    marks: Marks,
    feedback: Feedback,
    /// Until when marks hold new data back: `NEVER` while they do not.
    held_until: Instant,
    /// Marks in a row that found a window of one segment.
    waits: u32,
    /// True while marks say that the path has its circuit ([`Marks::OfPath`]).
    on_circuit: bool,
}

/// The peer's feedback so far.
#[derive(Clone, Copy, Debug)]
enum Feedback {
    Echo,
    /// The last count, and that of the ACK at hand, modulo 8.
    Counter {
        seen: u8,
        now: Option<u8>,
    },
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

impl EcnSender {
    /// `None` for connections without ECN.
    pub(super) fn new(config: &SenderConfig) -> Option<EcnSender> {
        let feedback = match config.feedback() {
            EcnFeedback::Classic | EcnFeedback::Dctcp => Feedback::Echo,
            EcnFeedback::Accurate => Feedback::Counter { seen: FIRST_COUNT, now: None },
        };
        let marks = config.marks();
        config.has_ecn().then_some(EcnSender {
            recover: 0,
            cause: Reduced::Never,
            reductions: 0,
            marks,
            feedback,
            held_until: Instant::NEVER,
            waits: 0,
            on_circuit: false,
        })
    }

    /// True if the window has been reduced for the window of data that an ACK of everything below `ack` speaks of.
    fn has_answered(&self, ack: u64) -> bool {
        self.cause != Reduced::Never && ack <= self.recover
    }

    /// True if an ACK in order with this echo needs no answer of the sender's own, and no data are held back.
    pub(super) fn permits_fast_path(&self, ecn_echo: bool) -> bool {
        (!ecn_echo || self.marks.are_counted()) && self.held_until == Instant::NEVER
    }

    /// When new data may leave again that marks hold back; `NEVER` while they hold none back.
    pub(super) fn wake(&self) -> Instant {
        self.held_until
    }

    /// Bytes that the ACK at hand says were marked, of `covered` that it is the first to cover.
    fn marked(&mut self, ecn_echo: bool, covered: u64, mss: u64) -> u64 {
        match &mut self.feedback {
            Feedback::Echo if ecn_echo => covered,
            Feedback::Echo | Feedback::Counter { now: None, .. } => 0,
            Feedback::Counter { seen, now } => {
                let count = now.take().unwrap_or(*seen);
                let news = u64::from(count.wrapping_sub(*seen) & 7);
                *seen = count;
                packets_marked(covered.div_ceil(mss), news) * mss
            }
        }
    }
}

/// The marked ones of `covered` packets whose number modulo 8 is `news`: RFC 9768 appendix A.2.1.
fn packets_marked(covered: u64, news: u64) -> u64 {
    if covered < 8 { news } else { covered - (covered - news) % 8 }
}

impl Sender {
    /// True if the connection uses ECN.
    pub fn has_ecn(&self) -> bool {
        self.ecn().is_some()
    }

    /// True if ACKs bring the field ACE.
    pub fn reads_ace(&self) -> bool {
        self.ecn().is_some_and(|ecn| matches!(ecn.feedback, Feedback::Counter { .. }))
    }

    /// The field ACE of the ACK that [`handle_ack`](Sender::handle_ack) is given next.
    pub fn handle_ace(&mut self, ace: u8) {
        if let Some(EcnSender { feedback: Feedback::Counter { now, .. }, .. }) = self.ecn_mut() {
            *now = Some(ace & 7);
        }
    }

    /// The field ACE that says that of what an ACK of everything below `ack` newly covers every segment was marked.
    pub fn ace_if_all_marked(&self, ack: u64) -> Option<u8> {
        let Some(EcnSender { feedback: Feedback::Counter { seen, .. }, .. }) = self.ecn() else { return None };
        let packets = ack.saturating_sub(self.una).div_ceil(self.window.mss);
        Some(seen.wrapping_add((packets % 8) as u8) & 7)
    }

    /// The peer has not agreed to ECN.
    pub(super) fn give_up_ecn(&mut self) {
        if let Some(features) = &mut self.features {
            features.ecn = None;
        }
    }

    /// The congestion bits of this segment, which has just been sent. `None` without ECN.
    pub fn ecn_of(&self, segment: &Segment) -> Option<SegmentEcn> {
        let ecn = self.ecn()?;
        let is_new = !segment.retransmission;
        let window_reduced =
            is_new && ecn.marks != Marks::OfPath && ecn.cause != Reduced::Never && segment.seq == ecn.recover;
        let codepoint = match ecn.marks {
            Marks::OfPath => Codepoint::Ect0,
            _ if !is_new => Codepoint::NotEct,
            Marks::CountedFinely => Codepoint::Ect1,
            Marks::AsLosses | Marks::Counted | Marks::Unheard => Codepoint::Ect0,
        };
        Some(SegmentEcn { codepoint, window_reduced })
    }

    /// Reductions of the window because of marks.
    pub(super) fn ecn_reductions(&self) -> u64 {
        self.ecn().map_or(0, |ecn| ecn.reductions)
    }

    /// True if an ACK echoes a mark (ECE) that counts; counters of marks are read apart.
    pub(super) fn is_echo(&self, ecn_echo: bool) -> bool {
        ecn_echo && self.ecn().is_some()
    }

    /// Bytes that the ACK at hand, which newly covers `acked`, says were marked.
    pub(super) fn read_marks(&mut self, now: Instant, ack: &Ack<'_>, acked: u64, sacked: u64) -> u64 {
        let mss = self.window.mss;
        let Some(ecn) = self.ecn_mut() else { return 0 };
        if ecn.marks == Marks::OfPath {
            return self.read_path_marks(now, ack, acked + sacked);
        }
        // An echo on a duplicate ACK covers nothing new, and is one nevertheless.
        let covered = if matches!(ecn.feedback, Feedback::Echo) { acked } else { acked + sacked };
        let is_bare = ack.ecn_echo && covered == 0 && !ecn.marks.are_counted();
        ecn.marked(ack.ecn_echo, if is_bare { 1 } else { covered }, mss)
    }

    /// The same where marks are news of the path: whether the data that the ACK is the first to cover met a circuit.
    #[cold]
    fn read_path_marks(&mut self, now: Instant, ack: &Ack<'_>, covered: u64) -> u64 {
        let mss = self.window.mss;
        let Some(ecn) = self.ecn_mut().filter(|_| covered > 0) else { return 0 };
        let marked = ecn.marked(ack.ecn_echo, covered, mss);
        if (marked > 0) != ecn.on_circuit {
            ecn.on_circuit = marked > 0;
            self.tell_news(now, PathChange::marked(now, marked > 0));
        }
        marked
    }

    /// True if no mark is a loss to the law.
    pub(super) fn answers_marks_itself(&self) -> bool {
        self.ecn().is_some_and(|ecn| ecn.marks.are_counted())
    }

    /// True if the law lowers cwnd for marks of congestion.
    pub(super) fn lowers_cwnd_for_marks(&self) -> bool {
        self.ecn().is_some_and(|ecn| ecn.marks.are_counted() && ecn.marks != Marks::OfPath)
    }

    /// Answers the marks of an ACK of everything below `ack`, if there are any and the window has not been reduced for
    /// this window of data.
    pub(super) fn answer_mark(&mut self, now: Instant, ack: u64, marked: u64) {
        if marked == 0 || self.answers_marks_itself() || self.ecn().is_some_and(|ecn| ecn.has_answered(ack)) {
            return;
        }
        let before = self.window.cwnd;
        self.lose(now, LossCause::Mark, self.flight_for_cut());
        let least = if self.recovery() == LossRecovery::Linux { 2 * self.window.mss } else { 0 };
        self.set_cwnd(self.window.cwnd.max(least).min(before));
        self.hold_back(now, before);
        self.note_answer();
    }

    /// A mark has found a window of `before` bytes. One of a single segment makes new data wait.
    fn hold_back(&mut self, now: Instant, before: u64) {
        let (is_least, rto, most) = (before <= self.window.mss, self.rto(), self.config.max_rto);
        let Some(ecn) = self.ecn_mut() else { return };
        if !is_least {
            ecn.waits = 0;
            return;
        }
        ecn.held_until = now + rto.saturating_mul(1 << ecn.waits.min(32)).min(most);
        ecn.waits += 1;
    }

    /// True if marks hold new data back.
    pub(super) fn is_held_back(&self) -> bool {
        self.ecn().is_some_and(|ecn| ecn.held_until != Instant::NEVER)
    }

    /// The clock shows `now`: whether new data that marks held back may leave.
    pub(super) fn end_hold(&mut self, now: Instant) -> bool {
        let Some(ecn) = self.ecn_mut().filter(|ecn| ecn.held_until <= now) else { return false };
        ecn.held_until = Instant::NEVER;
        true
    }

    /// The window has been reduced for a mark.
    #[cold]
    pub(super) fn note_answer(&mut self) {
        self.forget_window();
        let nxt = self.nxt;
        if let Some(ecn) = self.ecn_mut() {
            (ecn.recover, ecn.cause) = (nxt, Reduced::Mark);
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

    /// True if the window was reduced for a mark since what is lost now was sent, so that a loss reduces it no further.
    pub(super) fn has_answered_mark(&self) -> bool {
        self.ecn().is_some_and(|ecn| ecn.cause == Reduced::Mark && self.una < ecn.recover && !ecn.marks.are_counted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_may_have_wrapped_is_taken_to_have_wrapped_as_often_as_it_can() {
        // RFC 9768 appendix A.2.1: d.cep = 1 of 10 packets: 10 − (10 − 1) mod 8 = 9.
        assert_eq!(packets_marked(10, 1), 9);
        assert_eq!(packets_marked(10, 0), 8);
        assert_eq!(packets_marked(8, 0), 8);
        // Seven packets cannot wrap it.
        assert_eq!([packets_marked(7, 0), packets_marked(7, 7), packets_marked(1, 1)], [0, 7, 1]);
    }
}
