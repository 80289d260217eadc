//! The tail loss probe of RACK-TLP: RFC 8985 §7.

use crate::tcp::{SackBlock, SenderConfig};
use units::{Duration, Instant};

/// The state of the probe.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Probe {
    /// TLP.end_seq: the byte after the probe that is under way.
    pub(in crate::tcp) end: Option<u64>,
    /// TLP.is_retrans.
    pub(in crate::tcp) is_retransmission: bool,
    /// True if a round trip has been measured since the last probe.
    pub(in crate::tcp) rtt_known: bool,
    /// When the next one is due; `NEVER` while none is scheduled.
    pub(in crate::tcp) timer: Instant,
    /// True if new data have left or been acknowledged since it was last scheduled.
    pub(in crate::tcp) is_to_schedule: bool,
}

impl Default for Probe {
    fn default() -> Probe {
        Probe { end: None, is_retransmission: false, rtt_known: false, timer: Instant::NEVER, is_to_schedule: false }
    }
}

impl Probe {
    /// §7.3: whether a probe may leave.
    pub(in crate::tcp) fn is_allowed(&self) -> bool {
        self.end.is_none() && self.rtt_known
    }

    /// A probe leaves, up to `end`.
    pub(in crate::tcp) fn note_sent(&mut self, end: u64, is_retransmission: bool) {
        *self = Probe { end: Some(end), is_retransmission, rtt_known: false, is_to_schedule: false, ..*self };
    }

    /// The receiver got `block` twice: if that is the probe, nothing was lost (§7.4.2 case 1). Returns whether it is.
    pub(in crate::tcp) fn note_dsack(&mut self, block: SackBlock) -> bool {
        let is_probe = self.is_retransmission && self.end == Some(block.end);
        if is_probe {
            self.end = None;
        }
        is_probe
    }

    /// TLP_process_ack(): everything below `una` is acknowledged. Whether the probe has repaired a loss that nothing
    /// else showed.
    pub(in crate::tcp) fn has_repaired(&mut self, una: u64, is_plain_duplicate: bool) -> bool {
        let Some(end) = self.end.filter(|end| una >= *end) else { return false };
        let has_repaired = self.is_retransmission && una > end;
        if !self.is_retransmission || has_repaired || is_plain_duplicate {
            self.end = None;
        }
        has_repaired
    }

    /// §7.1: no probe is under way or scheduled.
    pub(in crate::tcp) fn reset(&mut self) {
        *self = Probe { end: None, is_retransmission: false, timer: Instant::NEVER, ..*self };
    }
}

/// The longest delay of a lone segment's ACK: TLP.max_ack_delay.
pub(in crate::tcp) fn wait_for_ack(config: &SenderConfig, flight: u64) -> Duration {
    if flight <= u64::from(config.mss) { config.max_ack_delay } else { Duration::ZERO }
}
