//! The phases of a sender: open, disorder, fast recovery, after a timeout.

/// The phase of a sender in its repair of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
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
pub(super) struct FastRecovery {
    /// The byte after the highest one sent at entry: RFC 6582's recover, RFC 6675's RecoveryPoint.
    pub(super) recover: u64,
    /// RescueRxt, exclusive.
    pub(super) rescue: u64,
    pub(super) repair: Repair,
    pub(super) partial_ack_seen: bool,
}

/// Duplicate ACKs since the last new one, and what Limited Transmit sent on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Disorder {
    pub(super) dup_acks: u32,
    pub(super) limited_segments: u32,
    pub(super) limited_bytes: u64,
}

/// The retransmission of the first unacknowledged segment, which no window holds back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    Due,
    Sent,
}
