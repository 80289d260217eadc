//! A segment in flight, and how much had been delivered when it left.

use super::SackBlock;
use std::collections::VecDeque;
use units::Instant;

/// A segment in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Its first byte.
    pub(super) start: u64,
    /// The byte after its last one.
    pub(super) end: u64,
    /// When it was last sent.
    pub(super) sent_at: Instant,
    /// Bytes delivered then.
    pub(super) snapshot: Snapshot,
    pub(super) retransmitted: bool,
    /// True if an ACK has reported it.
    pub(super) reported: bool,
    pub(super) state: State,
}

impl Record {
    /// Its bytes.
    pub(super) fn block(&self) -> SackBlock {
        SackBlock { start: self.start, end: self.end }
    }

    /// True if it is believed to be in the network.
    pub(super) fn is_in_flight(&self) -> bool {
        self.state == State::InFlight
    }
}

/// Where a segment is believed to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    InFlight,
    /// The receiver holds it.
    Sacked,
    /// The network has lost it.
    Lost,
}

/// Bytes delivered when a segment left.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Snapshot {
    /// P.delivered.
    pub(super) delivered: u64,
    /// P.delivered_time.
    pub(super) delivered_at: Instant,
    /// P.first_send_time.
    pub(super) first_sent_at: Instant,
    pub(super) in_flight: InFlight,
    /// P.lost, of which 32 bits are enough.
    pub(super) lost: u32,
}

/// P.tx_in_flight, up to 2 GiB, and P.is_app_limited: so a record of a segment fills a cache line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InFlight(u32);

impl InFlight {
    const LIMITED: u32 = 1 << 31;

    pub(super) fn new(bytes: u64, is_app_limited: bool) -> InFlight {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(InFlight::LIMITED - 1);
        InFlight(if is_app_limited { bytes | InFlight::LIMITED } else { bytes })
    }

    pub(super) fn bytes(self) -> u64 {
        u64::from(self.0 & !InFlight::LIMITED)
    }

    pub(super) fn is_app_limited(self) -> bool {
        self.0 & InFlight::LIMITED != 0
    }
}

impl Snapshot {
    /// Bytes found lost since, when `lost` have been in all.
    pub(super) fn lost_since(self, lost: u64) -> u64 {
        u64::from((lost as u32).wrapping_sub(self.lost))
    }
}

/// Records below `una` leave, and those that the ACK is the first to report are shown. Nothing of it is SACKed or
/// lost.
#[inline(always)]
pub(super) fn advance_in_order(records: &mut VecDeque<Record>, una: u64, mut show: impl FnMut(&Record)) {
    while let Some(first) = records.front_mut() {
        if first.end > una {
            first.start = first.start.max(una);
            break;
        }
        if !first.reported {
            show(first);
        }
        records.pop_front();
    }
}
