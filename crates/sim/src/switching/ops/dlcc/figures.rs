//! What the nodes count, and the figures of a run.

use crate::engine::node::counters::{KeyedSums, SumKey};
use crate::results::Figure;
use units::PS_PER_SECOND;

/// What agents sum up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    CongestionLosses,
    ContentionLosses,
    Notifications,
    Requests,
    Refusals,
    UnknownNotifications,
    RepeatedNotifications,
    ArtificialAcks,
    DiscardedAcks,
    PacedAcks,
    Orphans,
    StuckFlows,
    IncompleteDatagrams,
    /// The times of the first events of a kind, and by how many nodes they were seen.
    FirstLoss,
    FirstCut,
    FirstArtificialAck,
    FirstDuplicate,
    FirstDiscard,
    SawLoss,
    SawCut,
    SawArtificialAck,
    SawDuplicate,
    SawDiscard,
}

impl SumKey for Sum {
    fn place(self) -> usize {
        self as usize
    }
}

/// Why agents drop packets, by number.
pub const CAUSES: &[&str] = &["incomplete datagram", "offset beyond 2^48", "duplicate ACK"];
/// Slots whose datagram lacks others.
pub const INCOMPLETE: u8 = 0;
/// Datagrams that cannot be cut.
pub const TOO_FAR: u8 = 1;
/// ACKs of which the source has had an artificial one.
pub const DUPLICATE: u8 = 2;

const COUNTED: [(Sum, &str, &str); 11] = [
    (Sum::CongestionLosses, "dlcc_congestion_losses", "packets"),
    (Sum::ContentionLosses, "dlcc_contention_losses", "packets"),
    (Sum::Notifications, "dlcc_notifications", "packets"),
    (Sum::UnknownNotifications, "dlcc_unknown_notifications", "packets"),
    (Sum::RepeatedNotifications, "dlcc_repeated_notifications", "packets"),
    (Sum::Requests, "dlcc_rate_requests", "packets"),
    (Sum::Refusals, "dlcc_refused_requests", "packets"),
    (Sum::ArtificialAcks, "dlcc_artificial_acks", "packets"),
    (Sum::DiscardedAcks, "dlcc_discarded_acks", "packets"),
    (Sum::PacedAcks, "dlcc_paced_acks", "packets"),
    (Sum::IncompleteDatagrams, "dlcc_incomplete_datagrams", "packets"),
];

const AT_END: [(Sum, &str); 2] = [(Sum::Orphans, "dlcc_holes"), (Sum::StuckFlows, "dlcc_stuck_flows")];

const FIRST: [(Sum, Sum, &str); 5] = [
    (Sum::FirstLoss, Sum::SawLoss, "dlcc_first_loss"),
    (Sum::FirstCut, Sum::SawCut, "dlcc_first_rate_cut"),
    (Sum::FirstArtificialAck, Sum::SawArtificialAck, "dlcc_first_artificial_ack"),
    (Sum::FirstDuplicate, Sum::SawDuplicate, "dlcc_first_duplicate_ack"),
    (Sum::FirstDiscard, Sum::SawDiscard, "dlcc_first_discard"),
];

/// The figures of what was counted between two readings. The times of first events are there where one node has seen
/// them: with one core node and one edge node they are one timeline.
pub fn figures(before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
    let count = |(sum, name, unit): &(Sum, &'static str, &'static str)| {
        let value = after.of(*sum) - before.of(*sum);
        Figure { name, value: value as f64, unit }
    };
    let at_end = |(sum, name): &(Sum, &'static str)| Figure { name, value: after.of(*sum) as f64, unit: "1" };
    let first = |(sum, saw, name): &(Sum, Sum, &'static str)| {
        let seconds = after.of(*sum) as f64 / PS_PER_SECOND as f64;
        (after.of(*saw) == 1).then_some(Figure { name, value: seconds, unit: "s" })
    };
    COUNTED.iter().map(count).chain(AT_END.iter().map(at_end)).chain(FIRST.iter().filter_map(first)).collect()
}

/// When something first happened.
#[derive(Clone, Copy, Debug, Default)]
pub struct First(Option<u64>);

impl First {
    /// It happens.
    pub fn note(&mut self, now: u64) {
        self.0.get_or_insert(now);
    }

    /// Whether it has happened.
    pub fn is_noted(&self) -> bool {
        self.0.is_some()
    }

    /// Adds it to the sums.
    pub fn account(&self, first: Sum, saw: Sum, sums: &mut KeyedSums) {
        if let Some(at) = self.0 {
            sums.add(first, at.into());
            sums.add(saw, 1);
        }
    }
}

/// What an edge node counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct EdgeCounts {
    pub requests: u64,
    pub unknown: u64,
    pub repeated: u64,
    pub forged: u64,
    pub discarded: u64,
    pub paced: u64,
    pub incomplete: u64,
    pub first_cut: First,
    pub first_forged: First,
    pub first_duplicate: First,
    pub first_discard: First,
}

impl EdgeCounts {
    /// Adds it to the sums.
    pub fn account(&self, sums: &mut KeyedSums) {
        let counts = [
            (Sum::Requests, self.requests),
            (Sum::UnknownNotifications, self.unknown),
            (Sum::RepeatedNotifications, self.repeated),
            (Sum::ArtificialAcks, self.forged),
            (Sum::DiscardedAcks, self.discarded),
            (Sum::PacedAcks, self.paced),
            (Sum::IncompleteDatagrams, self.incomplete),
        ];
        counts.iter().for_each(|(sum, count)| sums.add(*sum, u128::from(*count)));
        self.first_cut.account(Sum::FirstCut, Sum::SawCut, sums);
        self.first_forged.account(Sum::FirstArtificialAck, Sum::SawArtificialAck, sums);
        self.first_duplicate.account(Sum::FirstDuplicate, Sum::SawDuplicate, sums);
        self.first_discard.account(Sum::FirstDiscard, Sum::SawDiscard, sums);
    }
}
