//! What the master knows of a slave.

use crate::sync::{ClockFilter, Sample};
use crate::wire::{Block, Measurement, Wish};
use units::Instant;

/// What the master knows of a slave's presence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Inactive,
    /// Its answer should come in this frame.
    Invited {
        frame: u64,
    },
    /// It answered, and is being told the configuration.
    Joining {
        since: u64,
    },
    /// It was active under the last master and should speak up.
    Awaited {
        since: u64,
    },
    /// It was last heard in this frame.
    Active {
        heard: u64,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) presence: Presence,
    pub(super) filter: ClockFilter,
    /// The last stamps that entered the filter: number, departure, passage of the core.
    pub(super) stamps: Option<(u64, Instant, Instant)>,
    /// A slot whose exact departure is still to follow: its number and its passage.
    pub(super) unstamped: Option<(u64, Instant)>,
    /// Whether the filter knows only when an answer was meant to leave. That is good enough for a first word, and for
    /// nothing more.
    pub(super) rough: bool,
    /// What waits there, and as of which frame.
    pub(super) wishes: (u64, Vec<Wish>),
    /// The statuses it was told last, and in which frame.
    pub(super) told: (u64, u64),
}

impl Peer {
    pub(super) fn observe(&mut self, sequence: u64, sent_at: Instant, passed: Instant) {
        self.filter.observe(Sample::one_way(sent_at, passed));
        self.stamps = Some((sequence, sent_at, passed));
    }

    /// T_d as it was at the last slot.
    pub(super) fn measurement(&self) -> Vec<Block> {
        let measured = self.stamps.and_then(|stamps| Some((stamps, self.filter.estimate(stamps.1)?)));
        let block = measured.map(|((sequence, sent_at, received_at), estimate)| {
            let drift = (estimate.drift * 1e12).clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i32;
            let (time_difference, error) = (estimate.difference, estimate.error as u64);
            Measurement { sequence, received_at, sent_at, time_difference, drift, error }.into()
        });
        block.into_iter().collect()
    }
}
