//! `[transport.NAME]`.

use crate::language::{At, ByteCount, DelayedAck, InitialWindowSpec, Time, Window};
use schemars::JsonSchema;
use serde::Deserialize;

/// A way to send. All keys but `packet_size` are for TCP.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    /// A built-in congestion control (`photocol list transports`), or "udp". Default: the NAME of the table.
    pub algorithm: Option<At<String>>,
    /// Segments leave at cwnd/srtt rather than in bursts. Default false.
    pub paced: Option<At<bool>>,
    /// Payload of a full segment in bytes. Default: packet_size − header.
    pub mss: Option<At<ByteCount>>,
    /// Size of a full data packet on the wire, headers included. Default 1500 B.
    pub packet_size: Option<At<ByteCount>>,
    /// Bytes that headers add to each data segment on the wire. Default 40 (IP and TCP without options); 60 for xcp.
    pub header: Option<At<ByteCount>>,
    /// Size of an ACK on the wire. Default 40 B; 60 B for xcp.
    pub ack_size: Option<At<ByteCount>>,
    /// ACKs for every second segment, and after this time at the latest. Default false: an ACK for each segment.
    pub delayed_ack: Option<At<DelayedAck>>,
    /// Congestion window at the start: a number of segments, "rfc3390" or "rfc6928". Default "rfc6928" (10 segments of
    /// up to 1460 bytes).
    pub initial_window: Option<At<InitialWindowSpec>>,
    /// Slow start ends here at first. Default: unlimited.
    pub initial_ssthresh: Option<At<Window>>,
    /// The congestion window never exceeds this. Default: unlimited.
    pub max_window: Option<At<Window>>,
    /// What the receiver offers. Default: so much that it never binds.
    pub receiver_window: Option<At<Window>>,
    /// Least retransmission timeout. Default "0.2 s", as in ns-2 and Linux, with which runs are compared: RFC 6298's 1 s
    /// would rule them where round trips are milliseconds. A sender by hand (`photocol.transport.Sender`) has 1 s.
    pub min_rto: Option<At<Time>>,
    /// Greatest retransmission timeout. Default "60 s".
    pub max_rto: Option<At<Time>>,
    /// Retransmission timeout before the first measurement. Default "1 s".
    pub initial_rto: Option<At<Time>>,
    /// Granularity of the clock in the timeout's rule (RFC 6298's G). Default "1 ms".
    pub clock_granularity: Option<At<Time>>,
    /// Duplicate ACKs that mean a loss. Default 3.
    pub dupthresh: Option<At<u32>>,
    /// New segments on the first duplicate ACKs (RFC 3042). Default true.
    pub limited_transmit: Option<At<bool>>,
    /// The last segment is sent once more when SACK recovery stalls (RFC 6675's rule 4). Default true.
    pub rescue_retransmission: Option<At<bool>>,
    /// After an idle time beyond the timeout, the window returns to the initial one (RFC 5681 §4.1). Default true.
    pub idle_restart: Option<At<bool>>,
    /// Recovery "reno" and "newreno": after what a further fast retransmit is refused until all that had been sent then is
    /// acknowledged: "timeout", or "recovery" (a timeout or a fast retransmit, as with ns-2's bugFix_). Default: "timeout"
    /// with Reno, "recovery" with NewReno (RFC 6582).
    pub fast_retransmit_guard: Option<At<Guard>>,
    /// NewReno: "impatient" (default: the first partial ACK restarts the timer) or "slow-but-steady" (each does).
    pub partial_ack_timer: Option<At<PartialAck>>,
    /// SACK: what a timeout does to what is known: "discard" (default) or "keep".
    pub sack_after_timeout: Option<At<SackMemory>>,
    /// Congestion avoidance of reno, newreno and sack: "byte-counting" (default) or "per-ack" (ns-2; slower with delayed
    /// ACKs).
    pub increase: Option<At<Increase>>,
    /// Parameters of highspeed.
    pub highspeed: Option<At<HighSpeed>>,
    /// gaimd, baimd, tcp-eng: the share of the window that is kept at a loss (tcp-eng: at one with a notification). Default
    /// 0.875.
    pub beta: Option<At<f64>>,
    /// gaimd, baimd, tcp-eng: segments by which the window grows in a round trip. Default: from beta by the relation.
    pub alpha: Option<At<f64>>,
    /// gaimd, baimd, tcp-eng: how alpha follows from beta, "triple-duplicate" (3(1 − beta)/(1 + beta)) or "timeout"
    /// (4(1 − beta²)/3). Default: "timeout", for tcp-eng "triple-duplicate".
    pub relation: Option<At<Relation>>,
    /// tcp-eng: for how long alpha is GAIMD's; else it is 1. "ben-only" (default): in the round after a notification;
    /// "large-window": then, and always from a window of 1/(1 − beta) segments on; "ben-period": from a notification to the
    /// next loss.
    pub alpha_applies: Option<At<AlphaApplies>>,
    /// tcp-eng: the share of the window that is kept at a loss without a notification. Default 0.5.
    pub congestion_beta: Option<At<f64>>,
    /// btcp: how a false timeout is told, "ble" (burst length estimation; default), "back" (burst acknowledgements) or "bnak"
    /// (burst negative acknowledgements).
    pub detector: Option<At<Detector>>,
    /// XCP: what duplicate ACKs do to the window beside the retransmission: "tcp" (default: as TCP's, it is halved) or
    /// "repair-only" (nothing).
    pub loss_reaction: Option<At<XcpLoss>>,
    /// XCP: feedback that comes on a duplicate ACK: "obey" or "ignore". ns-2's two agents differ in it. Default: "obey".
    pub duplicate_acks: Option<At<XcpDuplicates>>,
    /// How losses that duplicate ACKs show are repaired: "reno", "newreno" or "sack". Default: the algorithm's own way, which
    /// is "sack" for highspeed and xcp; ns-2's one-way XCP is "reno".
    pub recovery: Option<At<Recovery>>,
    /// The receiver reports what it has (RFC 2018). Default: what the recovery needs.
    pub sack: Option<At<bool>>,
    /// The receiver reports duplicates (RFC 2883). Default: what the algorithm needs.
    pub dsack: Option<At<bool>>,
}

/// What refuses a further fast retransmit until all that had been sent then is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    /// A timeout.
    Timeout,
    /// A timeout or a fast retransmit.
    Recovery,
}

/// Which partial ACKs restart the timer (RFC 6582 §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartialAck {
    /// Only the first.
    Impatient,
    /// Every one.
    SlowButSteady,
}

/// What a timeout does to SACK information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SackMemory {
    /// It is forgotten (RFC 2018 §8).
    Discard,
    /// It is kept (RFC 6675 §5.1).
    Keep,
}

/// How acknowledged data count in congestion avoidance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Increase {
    /// One segment for each window of acknowledged bytes.
    ByteCounting,
    /// SMSS·SMSS/cwnd for each ACK.
    PerAck,
}

/// How GAIMD's increase follows from the share that it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// 3(1 − beta)/(1 + beta).
    TripleDuplicate,
    /// 4(1 − beta²)/3.
    Timeout,
}

/// For how long TCP-ENG grows by GAIMD's increase and not by 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AlphaApplies {
    /// In the round after a notification.
    BenOnly,
    /// In the round after a notification, and always from a window of 1/(1 − beta) segments on.
    LargeWindow,
    /// From a notification to the next loss.
    BenPeriod,
}

/// How BTCP tells a false timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Detector {
    /// By the longest run of lost bytes so far.
    Ble,
    /// By the list of segments of each burst.
    Back,
    /// By the news that a burst was lost.
    Bnak,
}

/// What a loss does to XCP's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum XcpLoss {
    /// As to TCP's.
    Tcp,
    /// Nothing; the segment is sent again.
    RepairOnly,
}

/// How losses are repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// RFC 5681: the first new ACK ends fast recovery.
    Reno,
    /// RFC 6582: a partial ACK repairs the next hole.
    #[serde(rename = "newreno")]
    NewReno,
    /// RFC 6675: from what the receiver reports.
    Sack,
}

/// What XCP does with feedback on a duplicate ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum XcpDuplicates {
    /// It moves the window.
    Obey,
    /// It does not.
    Ignore,
}

/// Parameters of HighSpeed TCP (RFC 3649 §5).
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HighSpeed {
    /// Up to this window, in segments, it is Reno. Default 38.
    pub low_window: Option<At<f64>>,
    /// The loss rate at low_window. Default 1e-3.
    pub low_p: Option<At<f64>>,
    /// The window, in segments, at which the decrease is high_decrease. Default 83000.
    pub high_window: Option<At<f64>>,
    /// The loss rate at high_window. Default 1e-7.
    pub high_p: Option<At<f64>>,
    /// The part of the window that a loss takes away at high_window. Default 0.1.
    pub high_decrease: Option<At<f64>>,
    /// "rounded" (default: 0.078/w^1.2, as the RFC prints it) or "unrounded" (the line through the two points).
    pub response: Option<Response>,
    /// Whether the first loss after slow start halves the window. Default true.
    pub halve_after_slow_start: Option<bool>,
}

/// HighSpeed's response function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// 0.078/w^1.2.
    Rounded,
    /// Through the two points.
    Unrounded,
}
