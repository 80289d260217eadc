//! The phases of a sender: open, disorder, fast recovery, after a timeout.

/// The phase of a sender in its repair of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum Phase {
    /// No sign of loss or reordering: no duplicate ACK, nothing SACKed, no window probe.
    Open,
    /// Something arrived out of order: duplicate ACKs since the last new one, and the segments Limited Transmit sent on
    /// them. Also, without either, while bytes of window probes are to be sent again.
    Disorder(Disorder),
    /// Losses noticed by duplicate ACKs or SACK are being repaired.
    FastRecovery(FastRecovery),
    /// Bytes outstanding when the timer expired, all below `recover`, are being sent again.
    TimeoutRecovery { recover: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) struct FastRecovery {
    /// The byte after the highest one sent at entry: RFC 6582's recover, RFC 6675's RecoveryPoint.
    pub(in crate::tcp) recover: u64,
    /// RescueRxt, exclusive.
    pub(in crate::tcp) rescue: u64,
    pub(in crate::tcp) repair: Repair,
    pub(in crate::tcp) partial_ack_seen: bool,
}

/// Duplicate ACKs since the last new one, and what Limited Transmit sent on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tcp) struct Disorder {
    pub(in crate::tcp) dup_acks: u32,
    pub(in crate::tcp) limited_segments: u32,
    pub(in crate::tcp) limited_bytes: u64,
}

/// The retransmission of the first unacknowledged segment, which no window holds back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum Repair {
    Due,
    Sent,
}
