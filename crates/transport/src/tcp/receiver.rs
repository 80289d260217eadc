//! The receiver: delayed ACKs (RFC 5681 §4.2), SACK (RFC 2018), D-SACK (RFC 2883), compressed SACKs (as Linux has
//! them), the echo of congestion marks (RFC 3168).
//!
//! The application takes in-order data at once, so the advertised window is constant (but see
//! [`Endpoint`](super::Endpoint)). Bytes beyond it are dropped. What is within it is held and never forgotten (RFC 2018
//! §8 calls that reneging and discourages it); a peer that makes more ranges than [`MOST_HELD`] gets no further one,
//! which bounds the memory of a flow. RFC 2018 §4 orders the SACK blocks by the last segment that touched them: every
//! held range carries the number of that segment, and the eight most recent are at hand.

mod config;
mod held;
mod irregular;
mod marks;

pub use config::ReceiverConfig;
pub use marks::EcnNews;

use super::{AckOut, EcnEcho, SackBlock, SackList};
use held::{Held, Recent};
use marks::Marks;
use std::collections::VecDeque;
use std::sync::Arc;
use units::Instant;

/// Held ranges of one flow: 1 MiB of them. A window of 87 000 segments with every second one lost makes as many.
const MOST_HELD: usize = (1 << 20) / size_of::<Held>();

/// The outputs of a receiver; the host drains them after each call and keeps their capacity.
#[derive(Clone, Debug, Default)]
pub struct ReceiverActions {
    /// Acknowledgements to send, in order.
    pub acks: Vec<AckOut>,
}

/// Counters of a receiver since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Segments that arrived.
    pub segments: u64,
    /// Segments all of whose bytes had arrived before.
    pub duplicates: u64,
    /// Segments above a hole.
    pub out_of_order: u64,
    /// Segments with bytes beyond the advertised window, or beyond what can be held; these bytes were dropped.
    pub beyond_window: u64,
    /// ACKs sent.
    pub acks_sent: u64,
    /// Segments that were said to be marked.
    pub marked: u64,
}

/// The same as it is kept; what is rare has 32 bits, so that a receiver with its host fills two cache lines.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    segments: u64,
    acks_sent: u64,
    duplicates: u32,
    out_of_order: u32,
    beyond_window: u32,
    marked: u32,
}

impl Counts {
    #[inline]
    fn note_duplicate(&mut self, is_one: bool) {
        self.duplicates = self.duplicates.saturating_add(u32::from(is_one));
    }
}

/// The answer to a segment that is the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InOrder {
    /// An ACK of all bytes up to its last one leaves: [`Receiver::rcv_nxt`], [`Receiver::echo`].
    Acknowledged,
    /// Its ACK waits.
    Delayed,
}

/// One flow's receiver.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    config: Arc<ReceiverConfig>,
    /// RCV.NXT, the next byte expected.
    nxt: u64,
    /// In-order bytes not yet acknowledged: less than two full-sized segments.
    unacked: u32,
    /// The feedback of congestion marks in ACKs.
    echo: EcnEcho,
    marks: Marks,
    /// When the delayed ACK is due; `NEVER` when none is pending.
    ack_at: Instant,
    /// Ranges held above a hole, sorted and disjoint.
    held: VecDeque<Held>,
    counts: Counts,
    /// Only flows that ever had a hole pay for it.
    recent: Option<Box<Recent>>,
}

impl Receiver {
    /// A receiver that expects byte 0. The parameters must be valid ([`ReceiverConfig::validate`]).
    pub fn new(config: Arc<ReceiverConfig>) -> Receiver {
        assert!(config.validate().is_ok(), "a receiver runs with valid parameters only");
        Receiver {
            echo: config.ecn_feedback.at_first(),
            config,
            nxt: 0,
            unacked: 0,
            marks: Marks::default(),
            ack_at: Instant::NEVER,
            held: VecDeque::new(),
            counts: Counts::default(),
            recent: None,
        }
    }

    /// A data segment arrives.
    pub fn handle_segment(&mut self, now: Instant, seq: u64, len: u32, out: &mut ReceiverActions) {
        match self.take_in_order(now, seq, len) {
            Some(InOrder::Acknowledged) => out.acks.push(self.ack(SackList::EMPTY)),
            Some(InOrder::Delayed) => {}
            None => {
                self.counts.segments += 1;
                self.handle_irregular(now, seq, seq.saturating_add(len.into()), out);
            }
        }
    }

    /// The part of [`Receiver::handle_segment`] that nearly all segments need: takes the segment if it is the expected
    /// one, and nothing is held. If it is not, nothing has happened. Always inlined: out of line it costs a
    /// misprediction a segment (callgrind's model).
    #[inline(always)]
    pub fn take_in_order(&mut self, now: Instant, seq: u64, len: u32) -> Option<InOrder> {
        let len = u64::from(len);
        let is_expected = seq == self.nxt && len <= self.config.window && self.held.is_empty() && len > 0;
        is_expected.then(|| {
            self.counts.segments += 1;
            self.nxt += len;
            self.answer_in_order(now, len)
        })
    }

    /// The lowest ranges that it holds above a hole.
    pub fn held_ranges(&self) -> &[impl Sized + use<>] {
        self.held.as_slices().0
    }

    /// The ranges that segments touched last, once there were several.
    pub fn recent_ranges(&self) -> Option<&(impl Sized + use<>)> {
        self.recent.as_deref()
    }

    /// The clock has reached `now`: sends the delayed ACK if it is due.
    pub fn handle_timeout(&mut self, now: Instant, out: &mut ReceiverActions) {
        if self.ack_at <= now {
            self.acknowledge(None, out);
        }
    }

    /// When the receiver next wants `handle_timeout`.
    #[inline]
    pub fn next_timeout(&self) -> Option<Instant> {
        (self.ack_at != Instant::NEVER).then_some(self.ack_at)
    }

    /// The congestion marks of its ACKs now.
    #[inline]
    pub fn echo(&self) -> EcnEcho {
        self.echo
    }

    /// The next byte expected.
    #[inline]
    pub fn rcv_nxt(&self) -> u64 {
        self.nxt
    }

    /// Bytes delivered in order to the application.
    #[inline]
    pub fn bytes_received(&self) -> u64 {
        self.nxt
    }

    /// Bytes that have arrived, each counted once: those delivered in order, and those held above a hole.
    pub fn bytes_arrived(&self) -> u64 {
        self.nxt + self.held.iter().map(|held| held.range.len()).sum::<u64>()
    }

    /// Segments all of whose bytes had arrived before.
    #[inline]
    pub fn duplicates(&self) -> u64 {
        self.counts.duplicates.into()
    }

    /// Its counters.
    #[inline]
    pub fn stats(&self) -> ReceiverStats {
        let Counts { segments, duplicates, out_of_order, acks_sent, beyond_window, marked } = self.counts;
        let (duplicates, out_of_order) = (duplicates.into(), out_of_order.into());
        let (beyond_window, marked) = (beyond_window.into(), marked.into());
        ReceiverStats { segments, duplicates, out_of_order, beyond_window, acks_sent, marked }
    }

    /// Asserts what must hold between calls.
    pub(crate) fn check(&self) {
        let mut floor = self.nxt;
        for held in &self.held {
            assert!(held.range.start > floor && !held.range.is_empty(), "held ranges are sorted and apart");
            floor = held.range.end;
        }
        assert!(self.held.len() <= MOST_HELD, "the ranges are bounded");
        let mut by_age: Vec<_> = self.held.iter().copied().collect();
        by_age.sort_by_key(|held| std::cmp::Reverse(held.touched));
        assert!(
            self.reported().eq(by_age.iter().take(self.reported().count()).map(|held| held.range)),
            "the newest first"
        );
        assert!(
            !self.config.sack || self.reported().count() >= self.held.len().min(SackList::CAPACITY),
            "as many as fit"
        );
        assert!(floor <= self.nxt.saturating_add(self.config.window), "nothing is held beyond the window");
    }

    /// RFC 5681 §4.2: at least every second full-sized segment, within the timeout.
    #[inline]
    fn answer_in_order(&mut self, now: Instant, len: u64) -> InOrder {
        match self.config.delayed_ack {
            Some(timeout)
                if u64::from(self.unacked) + len < 2 * u64::from(self.config.mss)
                    && self.counts.segments > u64::from(self.config.quick_acks)
                    && !self.marks.is_urgent =>
            {
                self.unacked += len as u32;
                if self.ack_at == Instant::NEVER {
                    self.ack_at = now + timeout;
                }
                return InOrder::Delayed;
            }
            Some(_) => self.note_delayed_ack(),
            None => self.note_ack(),
        }
        InOrder::Acknowledged
    }

    /// An ACK of all that is in order leaves.
    #[inline]
    fn note_ack(&mut self) {
        self.unacked = 0;
        self.ack_at = Instant::NEVER;
        self.counts.acks_sent += 1;
    }

    /// The same for a receiver that delays ACKs, which asks what has been marked since the last one.
    #[inline]
    fn note_delayed_ack(&mut self) {
        (self.marks.unacked, self.marks.is_urgent) = (0, false);
        self.note_ack();
    }

    /// The same with an ACK that is listed.
    fn push_delayed(&mut self, sack: SackList, out: &mut ReceiverActions) {
        self.note_delayed_ack();
        out.acks.push(self.ack(sack));
    }

    /// The ACK that leaves.
    #[inline]
    fn ack(&self, sack: SackList) -> AckOut {
        AckOut { ack: self.nxt, window: self.config.window, sack, ecn_echo: self.echo }
    }

    /// Last.ACK.sent of RFC 7323.
    pub(super) fn last_ack_sent(&self) -> u64 {
        self.nxt - u64::from(self.unacked)
    }

    /// The window has opened: an ACK says so.
    pub(super) fn update_window(&mut self, out: &mut ReceiverActions) {
        self.acknowledge(None, out);
    }

    /// So many bytes of a segment lie beyond the window, and none or few before: an ACK answers it if none do.
    pub(super) fn drop_beyond(&mut self, is_all: bool, out: &mut ReceiverActions) {
        self.counts.beyond_window = self.counts.beyond_window.saturating_add(1);
        if is_all {
            self.counts.segments += 1;
            self.acknowledge(None, out);
        }
    }

    /// A segment arrives that is too old to be taken: an ACK, which reports it if it is a duplicate.
    pub(super) fn refuse(&mut self, seq: u64, len: u32, out: &mut ReceiverActions) {
        self.counts.segments += 1;
        let segment = SackBlock { start: seq, end: seq.saturating_add(len.into()) };
        let duplicate = self.duplicate_part(segment).filter(|part| *part == segment);
        self.counts.note_duplicate(duplicate.is_some());
        self.acknowledge(duplicate, out);
    }

    /// Sends an ACK with what is held, and with `duplicate` in front.
    fn acknowledge(&mut self, duplicate: Option<SackBlock>, out: &mut ReceiverActions) {
        let mut sack = SackList::EMPTY;
        if self.config.sack {
            let duplicate = duplicate.filter(|_| self.config.dsack);
            if let Some(block) = duplicate {
                self.promote(block);
            }
            sack = SackList::of(duplicate.into_iter().chain(self.reported()));
        }
        self.push_delayed(sack, out);
    }

    /// The held ranges to report, the most recent first.
    fn reported(&self) -> impl Iterator<Item = SackBlock> + '_ {
        self.recent.iter().flat_map(|recent| recent.ranges())
    }

    /// RFC 2883 §4 (4): the held range around a D-SACK block follows it.
    fn promote(&mut self, duplicate: SackBlock) {
        let at = self.held.partition_point(|held| held.range.end < duplicate.end);
        if let Some(held) = self.held.get_mut(at).filter(|held| held.range.contains(duplicate)) {
            *held = self.recent.get_or_insert_default().touch(held.range);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Duration;

    /// One ACK: its number and its blocks.
    type Said = (u64, Vec<(u64, u64)>);

    /// A receiver that has everything below `nxt`; segments of 500 bytes as in the RFCs' examples.
    fn receiver(nxt: u64) -> Receiver {
        let config = ReceiverConfig { mss: 500, ..ReceiverConfig::default() };
        Receiver { nxt, ..Receiver::new(Arc::new(config)) }
    }

    fn segment(receiver: &mut Receiver, start: u64, end: u64) -> Said {
        let mut out = ReceiverActions::default();
        receiver.handle_segment(Instant::ZERO, start, (end - start) as u32, &mut out);
        let [ack] = out.acks[..] else { panic!("one ACK for one segment, not {}", out.acks.len()) };
        (ack.ack, ack.sack.as_slice().iter().map(|block| (block.start, block.end)).collect())
    }

    #[test]
    fn a_mark_is_echoed_by_every_ack_until_the_sender_has_answered() {
        // RFC 3168 §6.1.3.
        let mut receiver = receiver(0);
        let mut echo = |news: Option<EcnNews>, start: u64| {
            let mut out = ReceiverActions::default();
            news.into_iter().for_each(|news| receiver.handle_ecn(news, &mut out));
            receiver.handle_segment(Instant::ZERO, start, 500, &mut out);
            out.acks[0].as_ack().ecn_echo
        };
        assert!(!echo(None, 0));
        assert!(echo(Some(EcnNews::CongestionExperienced), 500));
        assert!(echo(None, 1000));
        assert!(echo(None, 2000), "a duplicate ACK too");
        assert!(!echo(Some(EcnNews::WindowReduced), 1500));
        assert!(!echo(None, 2500));
    }

    #[test]
    fn rfc_2018_7_case_2_the_first_of_eight_segments_is_lost() {
        let mut receiver = receiver(5000);
        for start in (5500..9000).step_by(500) {
            assert_eq!(segment(&mut receiver, start, start + 500), (5000, vec![(5500, start + 500)]));
        }
        assert_eq!(segment(&mut receiver, 5000, 5500), (9000, vec![]));
    }

    #[test]
    fn rfc_2018_7_case_3_every_second_of_eight_segments_is_lost() {
        let mut receiver = receiver(5000);
        assert_eq!(segment(&mut receiver, 5000, 5500), (5500, vec![]));
        assert_eq!(segment(&mut receiver, 6000, 6500), (5500, vec![(6000, 6500)]));
        assert_eq!(segment(&mut receiver, 7000, 7500), (5500, vec![(7000, 7500), (6000, 6500)]));
        assert_eq!(segment(&mut receiver, 8000, 8500), (5500, vec![(8000, 8500), (7000, 7500), (6000, 6500)]));
        // The fourth segment arrives late and joins 6000 to 7500.
        assert_eq!(segment(&mut receiver, 6500, 7000), (5500, vec![(6000, 7500), (8000, 8500)]));
        // Then the second.
        assert_eq!(segment(&mut receiver, 5500, 6000), (7500, vec![(8000, 8500)]));
    }

    #[test]
    fn rfc_2883_4_1_1_a_duplicate_below_the_ack() {
        let mut receiver = receiver(3000);
        assert_eq!(segment(&mut receiver, 3000, 3500), (3500, vec![]));
        assert_eq!(segment(&mut receiver, 3500, 4000), (4000, vec![]));
        assert_eq!(segment(&mut receiver, 3000, 3500), (4000, vec![(3000, 3500)]));
    }

    #[test]
    fn rfc_2883_4_1_2_a_duplicate_below_the_ack_while_data_are_held() {
        let mut receiver = receiver(3000);
        assert_eq!(segment(&mut receiver, 3000, 3500), (3500, vec![]));
        assert_eq!(segment(&mut receiver, 3500, 4000), (4000, vec![]));
        assert_eq!(segment(&mut receiver, 4500, 5000), (4000, vec![(4500, 5000)]));
        assert_eq!(segment(&mut receiver, 3000, 3500), (4000, vec![(3000, 3500), (4500, 5000)]));
    }

    #[test]
    fn rfc_2883_4_1_3_a_duplicate_of_held_data_is_followed_by_its_block() {
        let mut receiver = receiver(3500);
        assert_eq!(segment(&mut receiver, 3500, 4000), (4000, vec![]));
        assert_eq!(segment(&mut receiver, 4500, 5000), (4000, vec![(4500, 5000)]));
        assert_eq!(segment(&mut receiver, 5000, 5500), (4000, vec![(4500, 5500)]));
        assert_eq!(segment(&mut receiver, 5000, 5500), (4000, vec![(5000, 5500), (4500, 5500)]));
    }

    #[test]
    fn rfc_2883_4_2_1_one_duplicate_part_below_the_ack() {
        let mut receiver = receiver(500);
        assert_eq!(segment(&mut receiver, 500, 1000), (1000, vec![]));
        assert_eq!(segment(&mut receiver, 2000, 2500), (1000, vec![(2000, 2500)]));
        assert_eq!(segment(&mut receiver, 1000, 1500), (1500, vec![(2000, 2500)]));
        assert_eq!(segment(&mut receiver, 1000, 2000), (2500, vec![(1000, 1500)]));
    }

    #[test]
    fn rfc_2883_4_2_2_of_two_duplicate_parts_below_the_ack_the_first_is_reported() {
        let mut receiver = receiver(500);
        assert_eq!(segment(&mut receiver, 500, 1000), (1000, vec![]));
        assert_eq!(segment(&mut receiver, 3000, 3500), (1000, vec![(3000, 3500)]));
        assert_eq!(segment(&mut receiver, 1000, 1500), (1500, vec![(3000, 3500)]));
        assert_eq!(segment(&mut receiver, 2000, 2500), (1500, vec![(2000, 2500), (3000, 3500)]));
        assert_eq!(segment(&mut receiver, 1000, 2500), (2500, vec![(1000, 1500), (3000, 3500)]));
    }

    #[test]
    fn rfc_2883_4_2_3_of_two_duplicate_parts_above_the_ack_the_first_is_reported_and_followed_by_its_block() {
        let mut receiver = receiver(500);
        assert_eq!(segment(&mut receiver, 500, 1000), (1000, vec![]));
        assert_eq!(segment(&mut receiver, 3500, 4000), (1000, vec![(3500, 4000)]));
        assert_eq!(segment(&mut receiver, 1500, 2000), (1000, vec![(1500, 2000), (3500, 4000)]));
        assert_eq!(segment(&mut receiver, 2500, 3000), (1000, vec![(2500, 3000), (1500, 2000), (3500, 4000)]));
        assert_eq!(segment(&mut receiver, 1500, 3000), (1000, vec![(1500, 2000), (1500, 3000), (3500, 4000)]));
    }

    #[test]
    fn a_fifth_block_does_not_fit() {
        let mut receiver = receiver(0);
        for start in [1000, 2000, 3000, 4000] {
            segment(&mut receiver, start, start + 500);
        }
        assert_eq!(segment(&mut receiver, 5000, 5500).1, [(5000, 5500), (4000, 4500), (3000, 3500), (2000, 2500)]);
        // A D-SACK takes the place of the oldest.
        assert_eq!(segment(&mut receiver, 5000, 5500).1, [(5000, 5500), (5000, 5500), (4000, 4500), (3000, 3500)]);
    }

    #[test]
    fn no_held_range_is_forgotten_however_many_holes_there_are() {
        // RFC 2018 §4: the blocks reported before are repeated, the most recent first, as many as fit. Twelve ranges at
        // 1000, 2000, … 12 000; then the segments between 4000 and 12 500 arrive, and the three first are left beside
        // the one that has grown.
        let mut receiver = receiver(0);
        (1..=12).for_each(|at| drop(segment(&mut receiver, 1000 * at, 1000 * at + 500)));
        let mut last = (0, vec![]);
        for at in 4..12 {
            last = segment(&mut receiver, 1000 * at + 500, 1000 * (at + 1));
            receiver.check();
        }
        assert_eq!(last, (0, vec![(4000, 12_500), (3000, 3500), (2000, 2500), (1000, 1500)]));
        // What was held is delivered when the holes are filled.
        segment(&mut receiver, 0, 1000);
        segment(&mut receiver, 1500, 2000);
        assert_eq!(segment(&mut receiver, 2500, 3000), (3500, vec![(4000, 12_500)]));
        assert_eq!(segment(&mut receiver, 3500, 4000), (12_500, vec![]));
    }

    #[test]
    fn a_peer_that_makes_ranges_of_one_byte_gets_a_bounded_number() {
        let mut receiver = receiver(0);
        let mut out = ReceiverActions::default();
        for at in 1..=2 * MOST_HELD as u64 {
            receiver.handle_segment(Instant::ZERO, 2 * at, 1, &mut out);
            out.acks.clear();
        }
        assert_eq!((receiver.held.len(), MOST_HELD), (43_690, 43_690), "1 MiB of 24 bytes");
        assert_eq!(receiver.stats().beyond_window, MOST_HELD as u64);
        assert!(receiver.held.capacity() * size_of::<Held>() <= 2 << 20);
        // What makes no new range is still taken.
        receiver.handle_segment(Instant::ZERO, 3, 1, &mut out);
        assert_eq!(receiver.held.len(), MOST_HELD - 1);
        receiver.check();
    }

    #[test]
    fn without_sack_a_hole_makes_bare_duplicate_acks() {
        let config = ReceiverConfig { mss: 500, sack: false, ..ReceiverConfig::default() };
        let mut receiver = Receiver::new(Arc::new(config));
        assert_eq!(segment(&mut receiver, 500, 1000), (0, vec![]));
        assert_eq!(segment(&mut receiver, 500, 1000), (0, vec![]));
    }

    fn delayed() -> (Receiver, ReceiverActions) {
        let config =
            ReceiverConfig { mss: 500, delayed_ack: Some(Duration::from_millis(100)), ..ReceiverConfig::default() };
        (Receiver::new(Arc::new(config)), ReceiverActions::default())
    }

    #[test]
    fn a_delayed_ack_waits_for_a_second_segment_or_the_timeout() {
        let (mut receiver, mut out) = delayed();
        receiver.handle_segment(Instant::ZERO, 0, 500, &mut out);
        assert_eq!((out.acks.len(), receiver.next_timeout()), (0, Some(Instant::from_ps(100_000_000_000))));
        receiver.handle_segment(Instant::ZERO, 500, 500, &mut out);
        assert_eq!((out.acks.len(), receiver.next_timeout()), (1, None));
        receiver.handle_segment(Instant::ZERO, 1000, 500, &mut out);
        receiver.handle_timeout(Instant::from_ps(99_999_999_999), &mut out);
        assert_eq!(out.acks.len(), 1, "not yet");
        receiver.handle_timeout(Instant::from_ps(100_000_000_000), &mut out);
        assert_eq!((out.acks.len(), out.acks[1].ack), (2, 1500));
    }

    #[test]
    fn a_hole_and_its_filling_are_acknowledged_at_once() {
        let (mut receiver, mut out) = delayed();
        receiver.handle_segment(Instant::ZERO, 500, 500, &mut out);
        assert_eq!(out.acks.len(), 1, "out of order");
        receiver.handle_segment(Instant::ZERO, 0, 500, &mut out);
        assert_eq!((out.acks.len(), out.acks[1].ack), (2, 1000));
        receiver.handle_segment(Instant::ZERO, 0, 500, &mut out);
        assert_eq!(out.acks.len(), 3, "duplicate");
    }

    fn compressing(most: u32) -> (Receiver, ReceiverActions) {
        let (sack_compression, sack_compression_most) = (Duration::from_millis(1), most);
        let config = ReceiverConfig { mss: 500, sack_compression, sack_compression_most, ..ReceiverConfig::default() };
        (Receiver::new(Arc::new(config)), ReceiverActions::default())
    }

    /// Segments of 500 bytes arrive at a time in ms; how many ACKs leave.
    fn acks(receiver: &mut Receiver, out: &mut ReceiverActions, at: u64, starts: impl Iterator<Item = u64>) -> usize {
        let before = out.acks.len();
        starts.for_each(|start| receiver.handle_segment(Instant::from_ps(at * 1_000_000_000), start, 500, out));
        out.acks.len() - before
    }

    #[test]
    fn after_three_duplicate_acks_sacks_wait_for_others_or_the_timeout() {
        // Linux, __tcp_ack_snd_check: TCP_FASTRETRANS_THRESH at once, then tcp_comp_sack_nr in one.
        let (mut receiver, mut out) = compressing(44);
        let receiver = &mut receiver;
        let above = |from: u64, count: u64| (from..from + count).map(|number| 500 * number);
        assert_eq!(acks(receiver, &mut out, 0, above(1, 3)), 3);
        assert_eq!(acks(receiver, &mut out, 0, above(4, 44)), 0);
        assert_eq!(receiver.next_timeout(), Some(Instant::from_ps(1_000_000_000)));
        assert_eq!(acks(receiver, &mut out, 0, above(48, 1)), 1, "44 have waited");
        assert_eq!((out.acks[3].ack, out.acks[3].sack.as_slice().len()), (0, 1));
        assert_eq!(receiver.next_timeout(), None);
        // One that waits has its ACK after a millisecond.
        assert_eq!(acks(receiver, &mut out, 5, above(49, 1)), 0);
        receiver.handle_timeout(Instant::from_ps(6_000_000_000), &mut out);
        assert_eq!((out.acks.len(), out.acks[4].sack.as_slice()[0].end), (5, 25_000));
    }

    #[test]
    fn duplicates_what_fills_the_last_hole_and_more_than_a_segment_in_order_do_not_wait() {
        let (mut receiver, mut out) = compressing(44);
        let receiver = &mut receiver;
        assert_eq!(acks(receiver, &mut out, 0, [1, 3, 4, 6, 7].into_iter().map(|number| 500 * number)), 3);
        assert_eq!(acks(receiver, &mut out, 0, [3500].into_iter()), 1, "a duplicate");
        // It fills a hole of two segments, and two are in order: an ACK. The next one begins three new ones.
        assert_eq!(acks(receiver, &mut out, 0, [0].into_iter()), 1);
        assert_eq!(out.acks[4].ack, 1000);
        assert_eq!(acks(receiver, &mut out, 0, [4000, 4500, 5000, 5500].into_iter()), 3);
        assert_eq!(acks(receiver, &mut out, 0, [1000].into_iter()), 1, "three segments are in order");
        assert_eq!(acks(receiver, &mut out, 0, [2500].into_iter()), 1, "nothing is held any more");
        assert_eq!((out.acks[9].ack, receiver.next_timeout()), (6000, None));
    }

    #[test]
    fn one_segment_in_order_below_a_hole_waits_once_three_acks_have_said_its_number() {
        let (mut receiver, mut out) = compressing(2);
        let receiver = &mut receiver;
        // Holes at 0 and 2; 0 arrives: one segment in order, and its number is new.
        assert_eq!(acks(receiver, &mut out, 0, [500, 1500].into_iter()), 2);
        assert_eq!(acks(receiver, &mut out, 0, [2500, 3500].into_iter()), 1);
        receiver.handle_timeout(Instant::from_ps(1_000_000_000), &mut out);
        assert_eq!(receiver.last_ack_sent(), 0);
        assert_eq!(acks(receiver, &mut out, 1, [4500, 5500, 6500].into_iter()), 1, "at most two wait");
        assert_eq!(acks(receiver, &mut out, 2, [0].into_iter()), 1, "two segments are in order");
        assert_eq!(receiver.last_ack_sent(), 1000);
    }

    #[test]
    fn bytes_beyond_the_window_are_dropped() {
        let config = ReceiverConfig { mss: 500, window: 1000, ..ReceiverConfig::default() };
        let mut receiver = Receiver::new(Arc::new(config));
        assert_eq!(segment(&mut receiver, 1000, 1500), (0, vec![]));
        assert_eq!(segment(&mut receiver, 750, 1250), (0, vec![(750, 1000)]), "cut at the edge");
        assert_eq!(receiver.stats().beyond_window, 2);
    }

    #[test]
    fn a_receiver_is_small() {
        assert!(size_of::<Receiver>() <= 128, "{}", size_of::<Receiver>());
    }
}
