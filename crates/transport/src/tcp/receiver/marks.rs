//! Congestion marks, and how ACKs tell of them: RFC 3168, RFC 8257, RFC 9768.

use super::{Receiver, ReceiverActions};
use crate::tcp::{EcnEcho, EcnFeedback, SackList};

/// The congestion bits of a segment that arrives. A segment that is not ECN-capable is not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnNews {
    /// A queue on the path has marked it (CE), whatever else it says.
    CongestionExperienced,
    /// The sender has reduced its window (CWR), and no queue has marked the segment.
    WindowReduced,
    /// Neither. Only feedback other than [`EcnFeedback::Classic`] needs to hear it.
    NotMarked,
}

/// Marks, for feedback that tells more of them than RFC 3168.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// Those since the last ACK, if ACKs are delayed.
    pub(super) unacked: u8,
    /// True if the last segment was marked.
    was_marked: bool,
    /// True if the next segment in order is acknowledged at once.
    pub(super) is_urgent: bool,
}

impl Receiver {
    /// The headers of the segment that [`handle_segment`](Receiver::handle_segment) is given next say something about
    /// congestion. Feedback "dctcp" may acknowledge first what came before it.
    pub fn handle_ecn(&mut self, ecn: EcnNews, out: &mut ReceiverActions) {
        let is_marked = ecn == EcnNews::CongestionExperienced;
        self.counts.marked = self.counts.marked.saturating_add(is_marked.into());
        match self.config.ecn_feedback {
            EcnFeedback::Classic => self.latch(ecn),
            EcnFeedback::Dctcp => self.follow(is_marked, out),
            EcnFeedback::Accurate => self.count_mark(is_marked),
        }
    }

    /// RFC 3168 §6.1.3: every ACK echoes a mark until a segment says that the sender has reduced its window.
    fn latch(&mut self, ecn: EcnNews) {
        match ecn {
            EcnNews::CongestionExperienced => self.echo = EcnEcho::ECE,
            EcnNews::WindowReduced => self.echo = EcnEcho::NONE,
            EcnNews::NotMarked => {}
        }
    }

    /// RFC 8257 §3.2: an ACK echoes whether what it covers was marked. When that changes, what waits for a delayed ACK
    /// gets it at once, and so does the segment that has changed it.
    fn follow(&mut self, is_marked: bool, out: &mut ReceiverActions) {
        let echo = if is_marked { EcnEcho::ECE } else { EcnEcho::NONE };
        if echo != self.echo {
            if self.unacked > 0 {
                self.push_delayed(SackList::EMPTY, out);
            }
            (self.echo, self.marks.is_urgent) = (echo, true);
        }
    }

    /// RFC 9768 §3.2.2.5.1: an ACK goes out at once for the first mark after a segment without, and for every second
    /// mark.
    fn count_mark(&mut self, is_marked: bool) {
        if is_marked {
            self.echo = EcnEcho::counter(self.echo.bits().wrapping_add(1));
            self.marks.unacked = self.marks.unacked.saturating_add(1);
            self.marks.is_urgent = self.marks.unacked >= 2 || !self.marks.was_marked;
        }
        self.marks.was_marked = is_marked;
    }
}
