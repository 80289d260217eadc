//! RR-TCP: reordering lengths, the threshold that follows them, and what comes back after a false fast retransmit.

use crate::harness::{self, Fate, Line, receiver_config, sender_config};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use transport::tcp::{
    Ack, Actions, InitialWindow, PhaseName, ReorderingConfig, ReorderingLength, Restore, RrVariant, SackBlock, Sender,
    SenderConfig,
};
use units::{Duration, Instant};

const MSS: u64 = harness::MSS as u64;

fn rr(reordering: ReorderingConfig) -> SenderConfig {
    SenderConfig { reordering, ..sender_config("rr-tcp") }
}

/// A sender by hand; segments have the numbers of paper 004, from 1 on.
struct ByHand {
    sender: Sender,
    now: Instant,
    actions: Actions,
}

impl ByHand {
    /// This number of segments leaves at once, and more can follow.
    fn with(config: SenderConfig, segments: u32) -> ByHand {
        ByHand::writing(config, segments, u64::MAX)
    }

    /// A number of segments of a flow of `bytes` leaves at once.
    fn writing(config: SenderConfig, segments: u32, bytes: u64) -> ByHand {
        let config = SenderConfig { initial_cwnd: InitialWindow::Segments(segments), ..config };
        let mut hand =
            ByHand { sender: Sender::new(Arc::new(config)), now: Instant::ZERO, actions: Actions::default() };
        hand.sender.write(hand.now, bytes, &mut hand.actions);
        assert_eq!(hand.sent().len(), segments as usize);
        hand
    }

    fn sent(&mut self) -> Vec<u64> {
        self.actions.segments.drain(..).map(|segment| segment.seq / MSS + 1).collect()
    }

    /// An ACK, a millisecond later, of all segments before `next`; blocks of segments, both ends included.
    fn ack(&mut self, next: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        self.now = self.now + Duration::from_millis(1);
        let blocks: Vec<_> =
            blocks.iter().map(|(from, to)| SackBlock { start: (from - 1) * MSS, end: to * MSS }).collect();
        let ack = Ack { ack: (next - 1) * MSS, window: 1 << 40, sack: &blocks, ecn_echo: false };
        self.sender.handle_ack(self.now, &ack, &mut self.actions);
        self.sent()
    }

    fn lengths(&self) -> Vec<(u32, u32)> {
        self.sender.reordering_lengths().expect("RR-TCP has them")
    }
}

/// Figure 1 of paper 004 up to the ACK of segment 11: burst 1 is 1..=3, burst 2 is 4..=6 on the long path, burst 3 is
/// 7..=11.
fn overtaken(config: SenderConfig) -> ByHand {
    overtaken_of(config, u64::MAX)
}

fn overtaken_of(config: SenderConfig, bytes: u64) -> ByHand {
    let mut hand = ByHand::writing(config, 11, bytes);
    (2..=4).for_each(|next| drop(hand.ack(next, &[])));
    for last in 7..=11 {
        hand.ack(4, &[(7, last)]);
    }
    hand.ack(5, &[(7, 11)]);
    hand.ack(6, &[(7, 11)]);
    hand.ack(12, &[]);
    hand
}

#[test]
fn figure_1_of_paper_004() {
    for reordering_length in [ReorderingLength::HighestSacked, ReorderingLength::CumulativeAck] {
        let config = rr(ReorderingConfig { reordering_length, ..ReorderingConfig::default() });
        // The figure has eleven segments in all.
        let mut hand = overtaken_of(config, 11 * MSS);
        let stats = hand.sender.stats();
        assert_eq!((stats.fast_retransmits, stats.retransmissions), (1, 3), "4, 5 and 6 are sent again");
        assert_eq!((hand.lengths(), hand.sender.dupthresh()), (vec![], 3), "no D-SACK, no length");
        assert_eq!(hand.sender.cwnd(), 4000, "half of the eight segments in flight");
        for number in [4, 5, 6] {
            hand.ack(12, &[(number, number)]);
        }
        assert_eq!(hand.lengths(), [(5, 1), (6, 1), (7, 1)]);
        assert_eq!(hand.sender.stats().false_fast_retransmits, 1);
        // The window before the cut: 11 segments, and one of slow start while the window was full; ssthresh had not
        // been set.
        assert_eq!((hand.sender.cwnd(), hand.sender.ssthresh()), (12_000, u64::MAX));
        // FA 0.91: rank 3 of 3 is length 7, and one more.
        assert!((hand.sender.fa_ratio().unwrap() - 0.91).abs() < 1e-12);
        assert_eq!(hand.sender.dupthresh(), 8);
    }
}

#[test]
fn the_same_reordering_again_causes_no_fast_retransmit() {
    let mut hand = overtaken(rr(ReorderingConfig::default()));
    [4, 5, 6].into_iter().for_each(|number| drop(hand.ack(12, &[(number, number)])));
    for last in 15..=19 {
        assert_eq!(hand.ack(12, &[(15, last)]).len(), 1, "five duplicates are below eight: each lets new data leave");
    }
    (13..=14).for_each(|next| drop(hand.ack(next, &[(15, 19)])));
    hand.ack(20, &[]);
    assert_eq!(hand.sender.stats().fast_retransmits, 1);
    assert_eq!(hand.sender.phase(), PhaseName::SlowStart);
}

#[test]
fn without_a_d_sack_nothing_is_learned_unless_late_segments_count() {
    let mut hand = overtaken(rr(ReorderingConfig::default()));
    assert_eq!(hand.lengths(), []);
    // Three duplicates of a hole that is filled in time: lengths 3 with five SACKed segments to come.
    let late = rr(ReorderingConfig { sample_unretransmitted: true, ..ReorderingConfig::default() });
    hand = ByHand::with(late, 11);
    (2..=4).for_each(|next| drop(hand.ack(next, &[])));
    (5..=6).for_each(|last| drop(hand.ack(4, &[(5, last)])));
    hand.ack(7, &[]);
    // Segment 4 was overtaken by 5 and 6.
    assert_eq!((hand.lengths(), hand.sender.stats().retransmissions), (vec![(2, 1)], 0));
}

#[test]
fn an_ack_of_two_segments_in_order_is_no_reordering() {
    let late = rr(ReorderingConfig { sample_unretransmitted: true, ..ReorderingConfig::default() });
    let mut hand = ByHand::with(late, 11);
    [3, 5, 12].into_iter().for_each(|next| drop(hand.ack(next, &[])));
    assert_eq!(hand.lengths(), []);
}

#[test]
fn the_variant_that_only_restores_keeps_its_threshold() {
    let config = ReorderingConfig { rr_variant: RrVariant::R, ..ReorderingConfig::default() };
    let mut hand = overtaken(rr(config));
    [4, 5, 6].into_iter().for_each(|number| drop(hand.ack(12, &[(number, number)])));
    assert_eq!((hand.sender.dupthresh(), hand.sender.cwnd()), (3, 14_000));
}

#[test]
fn the_window_may_come_back_by_slow_start() {
    let config = ReorderingConfig { restore: Restore::SlowStart, ..ReorderingConfig::default() };
    let mut hand = overtaken(rr(config));
    let cut = hand.sender.cwnd();
    [4, 5, 6].into_iter().for_each(|number| drop(hand.ack(12, &[(number, number)])));
    assert_eq!((hand.sender.cwnd(), hand.sender.ssthresh()), (cut, 14_000));
}

#[test]
fn lengths_leave_after_the_history() {
    let mut hand = overtaken(rr(ReorderingConfig::default()));
    [4, 5, 6].into_iter().for_each(|number| drop(hand.ack(12, &[(number, number)])));
    hand.now = hand.now + Duration::from_millis(79_990);
    hand.ack(12, &[]);
    assert_eq!(hand.sender.dupthresh(), 8);
    hand.now = hand.now + Duration::from_millis(20);
    hand.ack(12, &[]);
    assert_eq!((hand.sender.dupthresh(), hand.lengths()), (3, vec![]));
}

#[test]
fn the_threshold_stays_below_what_can_be_outstanding() {
    // Lengths of 48, 49 and 50, while 14 segments of window and as many of limited transmit can be outstanding: 28 - 1.
    let mut hand = ByHand::with(rr(ReorderingConfig::default()), 60);
    let cwnd = |hand: &ByHand| hand.sender.cwnd() / MSS;
    (2..=4).for_each(|next| drop(hand.ack(next, &[])));
    (7..=54).for_each(|last| drop(hand.ack(4, &[(7, last)])));
    (5..=6).for_each(|next| drop(hand.ack(next, &[(7, 54)])));
    hand.ack(55, &[]);
    [4, 5, 6].into_iter().for_each(|number| drop(hand.ack(55, &[(number, number)])));
    assert_eq!(hand.lengths(), [(48, 1), (49, 1), (50, 1)]);
    assert_eq!((hand.sender.dupthresh(), cwnd(&hand)), (51, 63));
    // A timeout without anything SACKed costs no FA, and the window of one segment bounds the threshold: max(3, 2·1 -
    // 1).
    let ratio = hand.sender.fa_ratio();
    hand.now = hand.sender.next_timeout().expect("segments from 55 on are outstanding");
    hand.sender.handle_timeout(hand.now, &mut hand.actions);
    assert_eq!((hand.sender.dupthresh(), hand.sender.fa_ratio(), cwnd(&hand)), (3, ratio, 1));
    assert_eq!(hand.lengths(), [(48, 1), (49, 1), (50, 1)], "the histogram survives");
}

#[test]
fn a_timeout_that_a_smaller_threshold_would_have_avoided_lowers_the_ratio() {
    let mut hand = overtaken(rr(ReorderingConfig::default()));
    [4, 5, 6].into_iter().for_each(|number| drop(hand.ack(12, &[(number, number)])));
    // 12 is lost, 13 to 17 are SACKed: five duplicates are below eight, and nothing more comes.
    (13..=17).for_each(|last| drop(hand.ack(12, &[(13, last)])));
    hand.now = hand.sender.next_timeout().expect("the timer runs");
    hand.sender.handle_timeout(hand.now, &mut hand.actions);
    assert_eq!(hand.sender.stats().timeouts, 1);
    // W = 14, k = 1, T = RTO = 1 s, R = SRTT of 1 ms and a little more: C(TTO)/C(FFR) is thousands, so nothing is left
    // of 0.91.
    assert_eq!(hand.sender.fa_ratio(), Some(0.0));
    // Percentile of zero: the least length, 5, plus one; and at most 2·1 - 1, and at least 3.
    assert_eq!(hand.sender.dupthresh(), 3);
}

#[test]
fn duplicates_let_one_window_more_leave_and_not_beyond() {
    // Lengths of 50 make a threshold of 51; 20 are in the window.
    let sent_on = |config: ReorderingConfig, duplicates: u64| {
        let config = SenderConfig { dupthresh: 100, max_cwnd: 20 * MSS, ..rr(config) };
        let mut hand = ByHand::with(config, 20);
        (2..=1 + duplicates).map(|last| hand.ack(1, &[(2, last)]).len()).sum::<usize>()
    };
    let usual = ReorderingConfig::default();
    assert_eq!(sent_on(usual.clone(), 10), 10, "one for each");
    assert_eq!(sent_on(usual.clone(), 30), 20, "one window more");
    assert_eq!(sent_on(ReorderingConfig { limited_transmit_windows: 0.5, ..usual.clone() }, 30), 10);
    let careful = transport::tcp::LimitedTransmit::Careful;
    assert_eq!(sent_on(ReorderingConfig { limited_transmit_pace: careful, ..usual }, 10), 5, "one for every two");
}

fn chance(seed: u64, number: u64, per_mille: u64) -> bool {
    let mut z = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) % 1000 < per_mille
}

/// Runs a transfer of 300 segments; asserts that a recovery counts as false only if no first copy of what it sent again
/// was dropped.
fn no_false_undo(config: SenderConfig, seed: u64, loss: u64, late: u64) -> Result<(), TestCaseError> {
    let mut line = Line::new(config, receiver_config());
    line.segment_fate = Box::new(move |number, _| match () {
        _ if chance(seed, number, loss) => Fate::Drop,
        _ if chance(seed ^ 1, number, late) => Fate::Delay(Duration::from_millis(1 + number % 60)),
        _ => Fate::Deliver,
    });
    line.write(300);
    // What each recovery has sent again, and the numbers on the line that were dropped.
    let (mut recoveries, mut known, mut was_in): (Vec<BTreeSet<u64>>, usize, bool) = (Vec::new(), 0, false);
    let (mut first_copies, mut dropped) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..200_000 {
        if line.sender.is_complete() || !line.step() {
            break;
        }
        let recovering = line.sender.phase() == PhaseName::FastRecovery;
        let resent: BTreeSet<u64> =
            line.sent[known..].iter().filter(|(_, s)| s.retransmission).map(|(_, s)| s.seq).collect();
        for (number, (_, segment)) in line.sent.iter().enumerate().skip(known) {
            if first_copies.insert(segment.seq) && chance(seed, number as u64, loss) {
                dropped.insert(segment.seq);
            }
        }
        known = line.sent.len();
        match recovering && was_in {
            true => recoveries.last_mut().map_or((), |last| last.extend(resent)),
            false if !resent.is_empty() => recoveries.push(resent),
            false => {}
        }
        was_in = recovering;
    }
    prop_assert!(line.sender.is_complete());
    prop_assert_eq!(line.receiver.bytes_received(), 300 * MSS);
    let needless = recoveries.iter().filter(|resent| resent.is_disjoint(&dropped)).count() as u64;
    let stats = line.sender.stats();
    prop_assert!(stats.false_fast_retransmits + stats.false_timeouts <= needless, "{:?}", stats);
    Ok(())
}

proptest! {
    #[test]
    fn without_loss_of_a_first_copy_no_recovery_counts_as_false(
        seed in any::<u64>(), loss in 0u64..100, late in 0u64..300, highspeed in any::<bool>(),
    ) {
        let algorithm = if highspeed { "hs-rr-tcp" } else { "rr-tcp" };
        no_false_undo(sender_config(algorithm), seed, loss, late)?;
    }

    #[test]
    fn loss_alone_is_never_taken_for_reordering(seed in any::<u64>(), loss in 0u64..150) {
        let mut line = Line::new(sender_config("rr-tcp"), receiver_config());
        let is_lost = move |number| chance(seed, number, loss);
        line.segment_fate = Box::new(move |number, _| if is_lost(number) { Fate::Drop } else { Fate::Deliver });
        line.write(300);
        prop_assert!(line.finish(200_000));
        let stats = line.sender.stats();
        prop_assert_eq!(stats.false_fast_retransmits, 0);
        prop_assert_eq!((line.sender.reordering_lengths(), line.sender.dupthresh()), (Some(vec![]), 3));
    }

    #[test]
    fn a_segment_that_the_network_doubles_is_no_false_retransmit(seed in any::<u64>(), twice in 0u64..300) {
        let mut line = Line::new(sender_config("rr-tcp"), receiver_config());
        let again = Fate::Twice(Duration::from_millis(7));
        line.segment_fate = Box::new(move |number, _| if chance(seed, number, twice) { again } else { Fate::Deliver });
        line.write(300);
        prop_assert!(line.finish(200_000));
        let seen = (line.sender.stats().false_fast_retransmits, line.sender.reordering_lengths());
        prop_assert_eq!(seen, (0, Some(vec![])));
    }
}

#[test]
fn reordering_alone_costs_rr_tcp_a_few_fast_retransmits_and_sack_one_each_time() {
    // Every fortieth segment is 30 ms late, with a round trip of 100 ms: some 5 to 30 overtake it.
    let run = |algorithm: &str| {
        let mut line = Line::new(SenderConfig { max_cwnd: 60 * MSS, ..sender_config(algorithm) }, receiver_config());
        let late = Fate::Delay(Duration::from_millis(30));
        line.segment_fate = Box::new(move |number, _| if number % 40 == 39 { late } else { Fate::Deliver });
        line.write(4000);
        assert!(line.finish(1_000_000));
        (line.sender.stats().fast_retransmits, line.now)
    };
    let (sack, rr, hs) = (run("sack"), run("rr-tcp"), run("hs-rr-tcp"));
    assert!(rr.0 * 4 < sack.0 && rr.1 < sack.1, "{rr:?} {sack:?}");
    assert!(hs.0 * 4 < sack.0 && hs.1 < sack.1, "{hs:?} {sack:?}");
}
