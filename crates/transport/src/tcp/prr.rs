//! Proportional rate reduction: RFC 6937, and RFC 9937, which replaces it.
//!
//! While losses are repaired, what leaves is in proportion to what arrives, so that the window comes down to ssthresh
//! by the end of the recovery and not at once. Below ssthresh what leaves is bounded by what arrived, with a segment
//! more for slow start or not.
//!
//! Reading: sndcnt is rounded up to whole segments, as in RFC 6937's figure, which counts segments, and in Linux.

use super::Sender;
use super::phase::Phase;
use options::words;

words! {
    /// How the window comes down in fast recovery.
    pub enum Reduction {
        /// To ssthresh at once, as RFC 6675 says.
        Immediate = "immediate",
        /// RFC 6937 with the conservative bound: below ssthresh no more leaves than has arrived.
        PrrCrb = "prr-crb",
        /// RFC 6937 with the slow start bound: below ssthresh a segment more for each ACK.
        PrrSsrb = "prr-ssrb",
        /// RFC 9937: a segment more only for ACKs of new data that show no further loss.
        Prr = "prr",
    }
}

/// The reduction of one flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prr {
    rule: Reduction,
    /// prr_delivered: bytes that have arrived since the recovery began.
    delivered: u64,
    /// prr_out: bytes that have left since.
    out: u64,
    /// RecoverFS.
    flight: u64,
    /// The most that cwnd can be: what it was before, where more was in the network, or ssthresh.
    most: u64,
    /// Bytes delivered and bytes lost when the last ACK had been read.
    seen: Progress,
}

/// How far a flow is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Progress {
    /// SND.UNA.
    una: u64,
    /// Bytes known to have arrived.
    delivered: u64,
    /// Grows whenever something more is found lost.
    losses: u64,
}

/// The progress of a recovery after an ACK.
#[derive(Clone, Copy, Debug)]
struct AckInRecovery {
    delivered: u64,
    pipe: u64,
    ssthresh: u64,
    mss: u64,
    is_safe: bool,
}

impl Prr {
    /// `None` where the window comes down at once.
    pub(super) fn new(rule: Reduction) -> Option<Prr> {
        let prr = Prr { rule, delivered: 0, out: 0, flight: 1, most: u64::MAX, seen: Progress::default() };
        (rule != Reduction::Immediate).then_some(prr)
    }

    /// Bytes leave.
    pub(super) fn note_sent(&mut self, bytes: u64) {
        self.out += bytes;
    }

    /// sndcnt: the bytes that may leave on this ACK.
    fn sndcnt(&mut self, ack: AckInRecovery) -> u64 {
        self.delivered += ack.delivered;
        let count = if ack.pipe > ack.ssthresh {
            let share = u128::from(self.delivered) * u128::from(ack.ssthresh);
            let due = share.div_ceil(u128::from(self.flight)).div_ceil(u128::from(ack.mss)) * u128::from(ack.mss);
            u64::try_from(due).unwrap_or(u64::MAX).saturating_sub(self.out)
        } else {
            self.bound(ack).min(ack.ssthresh - ack.pipe)
        };
        // The fast retransmit leaves in any case.
        if self.out == 0 { count.max(ack.mss) } else { count }
    }

    /// Bytes that may leave while less than ssthresh is in the network.
    fn bound(&self, ack: AckInRecovery) -> u64 {
        let conservative = self.delivered.saturating_sub(self.out);
        let one_more = |limit: u64| limit.max(ack.delivered) + ack.mss;
        match self.rule {
            Reduction::PrrSsrb => one_more(conservative),
            Reduction::Prr if ack.is_safe => one_more(conservative),
            Reduction::Prr => conservative.max(ack.delivered),
            Reduction::PrrCrb | Reduction::Immediate => conservative,
        }
    }
}

impl Sender {
    fn progress(&self) -> Progress {
        Progress { una: self.una, delivered: self.una + self.scoreboard.sacked(), losses: self.losses_found() }
    }

    /// A fast recovery begins, before which cwnd was `before`. RecoverFS is what is outstanding; RFC 9937 leaves out
    /// what had been SACKed before the present ACK, and takes in what that has acknowledged.
    pub(super) fn begin_reduction(&mut self, before: u64) {
        let (progress, nxt, most) = (self.progress(), self.nxt, before.max(self.window.ssthresh));
        if let Some(prr) = self.prr_mut() {
            let outstanding = match prr.rule {
                Reduction::Prr => nxt.saturating_sub(prr.seen.delivered),
                _ => nxt - progress.una,
            };
            (prr.delivered, prr.out, prr.flight, prr.most) = (0, 0, outstanding.max(1), most);
        }
    }

    /// Bytes leave.
    pub(super) fn note_reduction(&mut self, len: u32) {
        if let Some(prr) = self.prr_mut() {
            prr.note_sent(u64::from(len));
        }
    }

    /// A fast recovery is over: cwnd is where it was to come down to.
    pub(super) fn end_reduction(&mut self) {
        if self.prr().is_some() {
            self.set_cwnd(self.law.cwnd_after_recovery(&self.window));
        }
    }

    /// An ACK has been read and its losses are known: cwnd = pipe + sndcnt in fast recovery.
    #[inline(always)]
    pub(super) fn reduce(&mut self) {
        if self.prr().is_some() {
            self.reduce_in_proportion();
        }
    }

    #[inline(never)]
    fn reduce_in_proportion(&mut self) {
        let (progress, pipe, window) = (self.progress(), self.pipe(), self.window);
        let in_recovery = matches!(self.phase, Phase::FastRecovery(_));
        let Some(prr) = self.prr_mut() else { return };
        let seen = std::mem::replace(&mut prr.seen, progress);
        let delivered = progress.delivered.saturating_sub(seen.delivered);
        if !in_recovery || delivered == 0 {
            return;
        }
        let is_safe = progress.una > seen.una && progress.losses == seen.losses;
        let ack = AckInRecovery { delivered, pipe, ssthresh: window.ssthresh, mss: window.mss, is_safe };
        let cwnd = (pipe + prr.sndcnt(ack)).min(prr.most);
        self.set_cwnd(cwnd);
    }
}
