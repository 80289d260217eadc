//! A record of every segment in flight, for those flows that need one: window laws that ask for delivery rates, and loss
//! recovery by time.

use super::SackBlock;
use super::rate::{Deliveries, Snapshot};
use super::scoreboard::Scoreboard;
use crate::cc::RateSample;
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
    /// What had been delivered then.
    pub(super) snapshot: Snapshot,
    pub(super) retransmitted: bool,
    state: State,
}

/// Where a segment is believed to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    /// The receiver holds it.
    Sacked,
    /// It was SACKed once, which has been forgotten since.
    SackForgotten,
}

/// The segments between SND.UNA and SND.NXT, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Segments {
    records: VecDeque<Record>,
    deliveries: Deliveries,
    /// What the ACK at hand is the first to report, in the order of the flow once it is complete.
    reported: Vec<Record>,
    /// The unSACKed parts of a block; empty between calls.
    holes: Vec<SackBlock>,
}

impl Segments {
    /// A segment of new data leaves, with nothing else in flight if `is_first`.
    pub(super) fn send(&mut self, now: Instant, block: SackBlock, is_first: bool) {
        let SackBlock { start, end } = block;
        let snapshot = self.deliveries.snapshot(now, is_first);
        let record = Record { start, end, sent_at: now, snapshot, retransmitted: false, state: State::InFlight };
        self.records.push_back(record);
    }

    /// Every segment with bytes of `block` leaves again.
    pub(super) fn resend(&mut self, now: Instant, block: SackBlock) {
        let snapshot = self.deliveries.snapshot(now, false);
        let first = self.first_reaching(block.start);
        for record in self.records.range_mut(first..).take_while(|record| record.start < block.end) {
            *record = Record { sent_at: now, snapshot, retransmitted: true, ..*record };
        }
    }

    /// Which bytes of `block` the scoreboard does not cover yet; to be called before it does.
    pub(super) fn note_holes(&mut self, block: SackBlock, scoreboard: &Scoreboard) {
        let mut from = block.start;
        while let Some(hole) = scoreboard.hole(from, block.end) {
            self.holes.push(hole);
            from = hole.end;
        }
    }

    /// The scoreboard covers what [`note_holes`](Segments::note_holes) noted.
    pub(super) fn fill_holes(&mut self, scoreboard: &Scoreboard) {
        for hole in std::mem::take(&mut self.holes) {
            let first = self.first_reaching(hole.start);
            for record in self.records.range_mut(first..).take_while(|record| record.start < hole.end) {
                if scoreboard.hole(record.start, record.end).is_none() {
                    let news = record.state == State::InFlight;
                    record.state = State::Sacked;
                    self.reported.extend(news.then_some(*record));
                }
            }
        }
    }

    /// The cumulative ACK moves to `una`: what lies below leaves. Then everything that the ACK reports is known.
    pub(super) fn advance(&mut self, una: u64) {
        while let Some(first) = self.records.front().filter(|first| first.end <= una) {
            self.reported.extend((first.state == State::InFlight).then_some(*first));
            self.records.pop_front();
        }
        self.reported.sort_unstable_by_key(|record| record.end);
    }

    /// The delivery rate that the ACK at hand shows, after which it has been read.
    pub(super) fn sample(&mut self, now: Instant) -> Option<RateSample> {
        let sample = self.deliveries.sample(now, &self.reported);
        self.reported.clear();
        sample
    }

    /// The application has nothing more to send while `in_flight` bytes are.
    pub(super) fn note_app_limited(&mut self, in_flight: u64) {
        self.deliveries.note_app_limited(in_flight);
    }

    /// The scoreboard has been cleared.
    pub(super) fn forget_sacks(&mut self) {
        for record in self.records.iter_mut().filter(|record| record.state == State::Sacked) {
            record.state = State::SackForgotten;
        }
    }

    /// The index of the first segment that ends above `seq`.
    fn first_reaching(&self, seq: u64) -> usize {
        self.records.partition_point(|record| record.end <= seq)
    }
}
