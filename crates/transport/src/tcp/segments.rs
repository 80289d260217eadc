//! A record of every segment in flight, for those flows that need one: window laws that ask for delivery rates, and
//! loss recovery by time.

use super::SackBlock;
use super::lost::Lost;
use super::rate::{Deliveries, Sending};
use super::record::{Record, Snapshot, State, advance_in_order};
use super::scoreboard::Scoreboard;
use crate::cc::{LostSegment, RateSample};
use std::collections::VecDeque;
use units::{Duration, Instant};

/// The choice whether delivery rates are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rates {
    Measured,
    Unknown,
}

/// The segments between SND.UNA and SND.NXT, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Segments {
    records: VecDeque<Record>,
    lost: Lost,
    /// Bytes that were ever found lost.
    losses_found: u64,
    /// Segments that the receiver holds.
    sacked: usize,
    /// How much of that has been told.
    losses_told: u64,
    /// Only for window laws that ask for delivery rates.
    deliveries: Option<Deliveries>,
    /// Segments that the present ACK is the first to report, in the order of the flow once it is complete.
    reported: Vec<Record>,
    /// The unSACKed parts of a block; empty between calls.
    holes: Vec<SackBlock>,
}

impl Segments {
    /// Nothing is in flight. Delivery rates are measured or not.
    pub(super) fn new(rates: Rates) -> Segments {
        Segments { deliveries: (rates == Rates::Measured).then(Deliveries::default), ..Segments::default() }
    }

    /// Keeps no more memory than there are records.
    pub(super) fn give_back_memory(&mut self) {
        self.records.shrink_to_fit();
        self.reported.shrink_to_fit();
        self.holes.shrink_to_fit();
        self.lost.give_back_memory();
    }

    /// The choice whether delivery rates are measured.
    pub(super) fn measures_rates(&self) -> bool {
        self.deliveries.is_some()
    }

    /// A segment of new data leaves.
    pub(super) fn send(&mut self, now: Instant, block: SackBlock, sending: Sending) {
        let SackBlock { start, end } = block;
        let snapshot = self.snapshot(now, sending);
        self.records.push_back(Record {
            start,
            end,
            sent_at: now,
            snapshot,
            retransmitted: false,
            reported: false,
            state: State::InFlight,
        });
    }

    #[inline]
    fn snapshot(&mut self, now: Instant, sending: Sending) -> Snapshot {
        let lost = self.losses_found;
        self.deliveries.as_mut().map_or(Snapshot::default(), |deliveries| deliveries.snapshot(now, sending, lost))
    }

    /// Every segment with bytes of `block` leaves again, after which `in_flight` bytes are in the network.
    pub(super) fn resend(&mut self, now: Instant, block: SackBlock, in_flight: u64) {
        let snapshot = self.snapshot(now, Sending { is_first: false, in_flight });
        let first = self.first_reaching(block.start);
        for record in self.records.range_mut(first..).take_while(|record| record.start < block.end) {
            if record.state == State::Lost {
                self.lost.remove(record.block());
                record.state = State::InFlight;
            }
            *record = Record { sent_at: now, snapshot, retransmitted: true, ..*record };
        }
    }

    /// Which bytes of `block` the scoreboard does not cover yet; to be called before it does.
    pub(super) fn note_holes(&mut self, block: SackBlock, scoreboard: &Scoreboard) {
        let mut from = block.start;
        while from < block.end
            && let Some(hole) = scoreboard.hole(from, block.end)
        {
            self.holes.push(hole);
            from = hole.end;
        }
    }

    /// The scoreboard covers what [`note_holes`](Segments::note_holes) noted.
    pub(super) fn fill_holes(&mut self, scoreboard: &Scoreboard) {
        let mut holes = std::mem::take(&mut self.holes);
        for hole in holes.drain(..) {
            let first = self.first_reaching(hole.start);
            for record in self.records.range_mut(first..).take_while(|record| record.start < hole.end) {
                // Nearly every segment lies in the hole that was filled, whole.
                let is_filled = hole.start <= record.start && record.end <= hole.end;
                if record.state != State::Sacked && (is_filled || scoreboard.hole(record.start, record.end).is_none()) {
                    if record.state == State::Lost {
                        self.lost.remove(record.block());
                    }
                    self.sacked += 1;
                    record.state = State::Sacked;
                    if !record.reported {
                        self.reported.push(*record);
                    }
                    record.reported = true;
                }
            }
        }
        self.holes = holes;
    }

    /// The bytes that [`note_holes`](Segments::note_holes) noted are not covered after all.
    pub(super) fn forget_holes(&mut self) {
        self.holes.clear();
    }

    /// The cumulative ACK moves to `una`: what lies below leaves. Then everything that the ACK reports is known.
    pub(super) fn advance(&mut self, una: u64) {
        while let Some(first) = self.records.front().filter(|first| first.end <= una) {
            if !first.reported {
                self.reported.push(*first);
            }
            if first.state == State::Lost {
                self.lost.remove(first.block());
            }
            self.sacked -= usize::from(first.state == State::Sacked);
            self.records.pop_front();
        }
        self.trim(una);
        self.reported.sort_unstable_by_key(|record| record.end);
    }

    /// True if nothing is SACKed or lost.
    #[inline]
    pub(super) fn are_in_order(&self) -> bool {
        self.sacked == 0 && self.lost.bytes() == 0
    }

    /// [`Segments::advance`] while [`Segments::are_in_order`]: shows what the ACK reports instead of keeping it.
    /// Returns the delivery rate that it shows, if rates are measured.
    pub(super) fn measure_in_order(
        &mut self,
        now: Instant,
        una: u64,
        mut show: impl FnMut(&Record),
    ) -> Option<RateSample> {
        let Some(deliveries) = &mut self.deliveries else {
            advance_in_order(&mut self.records, una, show);
            return None;
        };
        advance_in_order(&mut self.records, una, |record| {
            show(record);
            deliveries.deliver(now, record);
        });
        deliveries.sample(now, self.losses_found)
    }

    /// The delivery rate that the present ACK shows, after which it has been read.
    pub(super) fn sample(&mut self, now: Instant) -> Option<RateSample> {
        let reported = self.reported.drain(..);
        let deliveries = self.deliveries.as_mut()?;
        reported.for_each(|record| deliveries.deliver(now, &record));
        deliveries.sample(now, self.losses_found)
    }

    /// The shortest round trip of what the present ACK is the first to report and was sent once. Behind a copy that
    /// fills a hole it may have waited for long, if the ACKs that had it in SACK blocks were lost: then only what is in
    /// SACK blocks now counts (Linux's `tcp_clean_rtx_queue`).
    pub(super) fn round_trip(&self, now: Instant) -> Option<Duration> {
        let is_sacked = |record: &Record| record.state == State::Sacked;
        let fills_hole = self.reported.iter().any(|record| record.retransmitted && !is_sacked(record));
        let counts = |record: &&Record| !record.retransmitted && (!fills_hole || is_sacked(record));
        self.reported.iter().filter(counts).map(|record| now.saturating_since(record.sent_at)).min()
    }

    /// The round trips of the first and of the last segment that the present ACK is the first to report; `None` if any
    /// of them was sent again (Karn).
    pub(super) fn unambiguous_round_trips(&self, now: Instant) -> Option<[Duration; 2]> {
        let [first, last] = [self.reported.first()?, self.reported.last()?];
        let were_sent_once = self.reported.iter().all(|record| !record.retransmitted);
        were_sent_once.then(|| [first, last].map(|record| now.saturating_since(record.sent_at)))
    }

    /// True if the present ACK reports something that was sent once, before the first segment was last sent.
    pub(super) fn report_older_than_first(&self) -> bool {
        let sent_once = self.reported.iter().filter(|record| !record.retransmitted);
        self.first().is_some_and(|first| sent_once.map(|record| record.sent_at).any(|sent_at| sent_at < first.sent_at))
    }

    /// The application has nothing more to send while `in_flight` bytes are.
    pub(super) fn note_app_limited(&mut self, in_flight: u64) {
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.note_app_limited(in_flight);
        }
    }

    /// The ACK lies within the first segment: its rest remains.
    fn trim(&mut self, una: u64) {
        if let Some(first) = self.records.front_mut().filter(|first| first.start < una) {
            if first.state == State::Lost {
                self.lost.trim(una);
            }
            first.start = una;
        }
    }

    /// Segments that the present ACK is the first to report, in the order of the flow.
    pub(super) fn reported(&self) -> &[Record] {
        &self.reported
    }

    /// The segment that ends here. (Where it begins changes when an ACK lies within it.)
    pub(super) fn find(&self, end: u64) -> Option<&Record> {
        self.records.get(self.first_reaching(end.checked_sub(1)?)).filter(|record| record.end == end)
    }

    /// The first segment.
    pub(super) fn first(&self) -> Option<&Record> {
        self.records.front()
    }

    /// The last segment.
    pub(super) fn last(&self) -> Option<&Record> {
        self.records.back()
    }

    /// The segment at a place among all.
    pub(super) fn at(&self, place: usize) -> Option<&Record> {
        self.records.get(place)
    }

    /// The segment that ends here is lost, if it is in flight.
    pub(super) fn lose(&mut self, end: u64) {
        let place = self.first_reaching(end.saturating_sub(1));
        if self.records.get(place).is_some_and(|record| record.end == end) {
            self.lose_at(place);
        }
    }

    /// The segment at a place among all is lost, if it is in flight.
    pub(super) fn lose_at(&mut self, place: usize) {
        if let Some(record) = self.records.get_mut(place).filter(|record| record.is_in_flight()) {
            record.state = State::Lost;
            self.lost.insert(record.block());
            self.losses_found += record.end - record.start;
            if let Some(deliveries) = &mut self.deliveries {
                deliveries.lose(record, self.losses_found);
            }
        }
    }

    /// Of the segments from here on that were sent once, the first ones are lost for which this is true.
    pub(super) fn lose_sent_once(&mut self, from: u64, is_lost: impl Fn(&Record) -> bool) {
        for place in self.first_reaching(from)..self.records.len() {
            match self.records.get(place) {
                Some(record) if record.retransmitted => {}
                Some(record) if is_lost(record) => self.lose_at(place),
                _ => break,
            }
        }
    }

    /// Nothing is lost after all.
    pub(super) fn find_again(&mut self) {
        self.records.iter_mut().filter(|record| record.state == State::Lost).for_each(|record| {
            record.state = State::InFlight;
        });
        self.lost.clear();
    }

    /// The segments believed to be in the network, in the order of the flow.
    pub(super) fn in_flight(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|record| record.is_in_flight())
    }

    /// Bytes that are lost and wait to be sent again.
    pub(super) fn lost(&self) -> u64 {
        self.lost.bytes()
    }

    /// Bytes that were ever found lost.
    pub(super) fn losses_found(&self) -> u64 {
        self.losses_found
    }

    /// The segments that have been found lost and not told, of flows whose delivery rates are measured.
    pub(super) fn lost_untold(&mut self) -> Option<&mut Vec<LostSegment>> {
        self.deliveries.as_mut().map(Deliveries::lost_untold)
    }

    /// Bytes found lost since the last call.
    pub(super) fn news_of_losses(&mut self) -> u64 {
        let news = self.losses_found - self.losses_told;
        self.losses_told = self.losses_found;
        news
    }

    /// The first segment that is lost and waits to be sent again.
    pub(super) fn first_lost(&self) -> Option<SackBlock> {
        self.lost.first()
    }

    /// Segments that the receiver holds.
    pub(super) fn sacked(&self) -> usize {
        self.sacked
    }

    /// The scoreboard has been cleared.
    pub(super) fn forget_sacks(&mut self) {
        self.records.iter_mut().filter(|record| record.state == State::Sacked).for_each(|record| {
            record.state = State::InFlight;
        });
        self.sacked = 0;
    }

    /// Asserts what must hold between calls.
    pub(super) fn check(&self) {
        self.lost.check(self.records.iter().filter(|record| record.state == State::Lost).map(Record::block));
        assert_eq!(self.sacked, self.records.iter().filter(|record| record.state == State::Sacked).count());
        assert!(self.records.iter().zip(self.records.iter().skip(1)).all(|(one, next)| one.end <= next.start));
        assert!(self.reported.is_empty() && self.holes.is_empty());
    }

    /// The index of the first segment that ends above `seq`. Nearly all segments of a flow are of one length, so a
    /// division finds it, and a search only what the division does not: one that walks through a large window waits for
    /// memory at every step.
    pub(super) fn first_reaching(&self, seq: u64) -> usize {
        let guess = self.guess(seq);
        match self.records.get(guess) {
            Some(record) if record.start <= seq && seq < record.end => guess,
            _ => self.records.partition_point(|record| record.end <= seq),
        }
    }

    /// Where the segment with this byte is if all are as long as the second; the ACK may have taken from the first.
    fn guess(&self, seq: u64) -> usize {
        let (Some(first), Some(second)) = (self.records.front(), self.records.get(1)) else { return 0 };
        if seq < first.end {
            return 0;
        }
        let behind = (seq - first.end) / (second.end - second.start).max(1);
        usize::try_from(behind + 1).unwrap_or(usize::MAX)
    }
}
