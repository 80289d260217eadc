//! ECN at the sending end: RFC 9000 §13.4.

use super::ack::EcnCounts;
use super::sent::Newly;
use crate::cc::Marks;
use crate::tcp::Codepoint;

/// Whether packets are marked as capable, and what their peer has counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marking {
    is_on: bool,
    counts: EcnCounts,
    /// Codepoints that have been sent.
    has_sent: [bool; 2],
    /// Whether the newest data met a circuit, where marks say that.
    on_circuit: bool,
}

/// What an ACK says of ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// So many more packets were marked.
    Marks(u64),
    /// Its counts cannot be, or are missing: nothing is marked as capable any more. Also where nothing was.
    Off,
}

impl Marking {
    pub fn new(is_on: bool) -> Marking {
        Marking { is_on, counts: EcnCounts::default(), has_sent: [false; 2], on_circuit: false }
    }

    pub fn is_on(&self) -> bool {
        self.is_on
    }

    pub fn counts(&self) -> EcnCounts {
        self.counts
    }

    /// Marks are news of the path: whether what was newly acknowledged tells another one.
    pub fn turns(&mut self, on_circuit: bool) -> bool {
        std::mem::replace(&mut self.on_circuit, on_circuit) != on_circuit
    }

    /// The codepoint of a packet that leaves: ECT(1) for laws of RFC 9331.
    #[inline]
    pub fn codepoint(&mut self, marks: impl FnOnce() -> Marks) -> Codepoint {
        if !self.is_on {
            return Codepoint::NotEct;
        }
        let codepoint = if marks() == Marks::CountedFinely { Codepoint::Ect1 } else { Codepoint::Ect0 };
        self.has_sent[0] |= codepoint == Codepoint::Ect0;
        self.has_sent[1] |= codepoint == Codepoint::Ect1;
        codepoint
    }

    /// §13.4.2.1, for an ACK that raises the largest acknowledged number.
    pub fn judge(&mut self, counts: Option<EcnCounts>, newly: &[Newly]) -> Verdict {
        if !self.is_on {
            return Verdict::Off;
        }
        let newly = |sent| newly.iter().filter(|one| one.codepoint == sent).count() as u64;
        let [zero, one] = [newly(Codepoint::Ect0), newly(Codepoint::Ect1)];
        let Some(counts) = counts else {
            self.is_on &= zero + one == 0;
            return if self.is_on { Verdict::Marks(0) } else { Verdict::Off };
        };
        let more = |new: u64, old: u64| new.checked_sub(old);
        let grown = (more(counts.ect0, self.counts.ect0), more(counts.ect1, self.counts.ect1));
        let (Some(ect0), Some(ect1), Some(ce)) = (grown.0, grown.1, more(counts.ce, self.counts.ce)) else {
            self.is_on = false;
            return Verdict::Off;
        };
        let is_short = ect0.saturating_add(ce) < zero || ect1.saturating_add(ce) < one;
        let is_foreign = counts.ect0 > 0 && !self.has_sent[0] || counts.ect1 > 0 && !self.has_sent[1];
        if is_short || is_foreign {
            self.is_on = false;
            return Verdict::Off;
        }
        self.counts = counts;
        Verdict::Marks(ce)
    }
}
