//! A segment in flight.

use crate::tcp::SackBlock;
use crate::tcp::rate::Snapshot;
use std::collections::VecDeque;
use units::Instant;

/// A segment in flight.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Record {
    /// Its first byte.
    pub(in crate::tcp) start: u64,
    /// The byte after its last one.
    pub(in crate::tcp) end: u64,
    /// When it was last sent.
    pub(in crate::tcp) sent_at: Instant,
    /// Bytes delivered then.
    pub(in crate::tcp) snapshot: Snapshot,
    pub(in crate::tcp) retransmitted: bool,
    /// True if an ACK has reported it.
    pub(super) reported: bool,
    pub(super) state: State,
}

impl Record {
    /// Its bytes.
    pub(in crate::tcp) fn block(&self) -> SackBlock {
        SackBlock { start: self.start, end: self.end }
    }

    /// True if it is believed to be in the network.
    pub(in crate::tcp) fn is_in_flight(&self) -> bool {
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
