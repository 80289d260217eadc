//! Counters of a sender.

/// Counters of a sender since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStats {
    /// Data segments sent, retransmissions and window probes included.
    pub segments_sent: u64,
    /// Segments of which some bytes had been sent before.
    pub retransmissions: u64,
    /// Fast retransmits, that is entries into fast recovery.
    pub fast_retransmits: u64,
    /// Fast recoveries all of whose retransmissions D-SACK reported as duplicates (RFC 3708).
    pub false_fast_retransmits: u64,
    /// Expiries of the retransmission timer with data outstanding.
    pub timeouts: u64,
    /// Timeouts all of whose retransmissions D-SACK reported as duplicates (RFC 3708).
    pub false_timeouts: u64,
    /// Reductions of the window because of congestion marks (RFC 3168).
    pub ecn_reductions: u64,
    /// The sum of the RTT samples in picoseconds.
    pub rtt_sum: u64,
    /// RTT samples taken.
    pub rtt_samples: u64,
}

/// The statistics as they are kept. What happens at most once in a round trip has 32 bits: 4·10^9 round trips of 1 ms
/// are 50 days.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Counts {
    pub(super) segments_sent: u64,
    pub(super) rtt_sum: u64,
    pub(super) rtt_samples: u64,
    pub(super) retransmissions: u64,
    pub(super) fast_retransmits: u32,
    pub(super) false_fast_retransmits: u32,
    pub(super) timeouts: u32,
    pub(super) false_timeouts: u32,
}

impl Counts {
    pub(super) fn stats(&self) -> SenderStats {
        SenderStats {
            ecn_reductions: 0,
            segments_sent: self.segments_sent,
            retransmissions: self.retransmissions,
            fast_retransmits: u64::from(self.fast_retransmits),
            false_fast_retransmits: u64::from(self.false_fast_retransmits),
            timeouts: u64::from(self.timeouts),
            false_timeouts: u64::from(self.false_timeouts),
            rtt_sum: self.rtt_sum,
            rtt_samples: self.rtt_samples,
        }
    }
}
