//! A segment in flight, and how much had been delivered when it left.

use super::SackBlock;
use std::collections::VecDeque;
use units::Instant;

/// A segment in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// Its first byte.
    pub(crate) start: u64,
    /// The byte after its last one.
    pub(crate) end: u64,
    /// When it was last sent.
    pub(crate) sent_at: Instant,
    /// Bytes delivered then.
    pub(crate) snapshot: Snapshot,
    pub(crate) retransmitted: bool,
    /// True if an ACK has reported it.
    pub(crate) reported: bool,
    pub(crate) state: State,
}

impl Record {
    /// Its bytes.
    pub(crate) fn block(&self) -> SackBlock {
        SackBlock { start: self.start, end: self.end }
    }

    /// True if it is believed to be in the network.
    pub(crate) fn is_in_flight(&self) -> bool {
        self.state == State::InFlight
    }
}

/// Where a segment is believed to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    InFlight,
    /// The receiver holds it.
    Sacked,
    /// The network has lost it.
    Lost,
}

/// Bytes delivered when a segment left.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Snapshot {
    /// P.delivered.
    pub(crate) delivered: u64,
    /// P.delivered_time.
    pub(crate) delivered_at: Instant,
    /// P.first_send_time.
    pub(crate) first_sent_at: Instant,
    pub(crate) in_flight: InFlight,
    /// P.lost, of which 32 bits are enough.
    pub(crate) lost: u32,
}

/// P.tx_in_flight, up to 2 GiB, and P.is_app_limited: so a record of a segment fills a cache line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InFlight(u32);

impl InFlight {
    const LIMITED: u32 = 1 << 31;

    pub(crate) fn new(bytes: u64, is_app_limited: bool) -> InFlight {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(InFlight::LIMITED - 1);
        InFlight(if is_app_limited { bytes | InFlight::LIMITED } else { bytes })
    }

    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.0 & !InFlight::LIMITED)
    }

    pub(crate) fn is_app_limited(self) -> bool {
        self.0 & InFlight::LIMITED != 0
    }
}

impl Snapshot {
    /// Bytes found lost since, when `lost` have been in all.
    pub(crate) fn lost_since(self, lost: u64) -> u64 {
        u64::from((lost as u32).wrapping_sub(self.lost))
    }
}

/// Records below `una` leave, and those that the ACK is the first to report are shown. Nothing of it is SACKed or
/// lost.
#[inline(always)]
pub(crate) fn advance_in_order(records: &mut VecDeque<Record>, una: u64, mut show: impl FnMut(&Record)) {
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
