//! F-RTO: the steps of RFC 5682.

use crate::harness::{Fate, Line, receiver_config, sender_config};
use std::sync::Arc;
use transport::tcp::{Ack, Actions, Frto, InitialWindow, LossRecovery, SackBlock, Sender, SenderConfig, UndoResponse};
use units::{Duration, Instant};

fn config(recovery: LossRecovery, frto: Frto) -> SenderConfig {
    SenderConfig { recovery: Some(recovery), frto: Some(frto), ..sender_config("sack") }
}

/// A sender whose timer has expired at 1 s after ten segments of 1000 bytes left at 0, with `more` segments to send.
struct Expired {
    sender: Sender,
    actions: Actions,
}

impl Expired {
    fn new(config: SenderConfig, more: u64) -> Expired {
        Expired::after(config, 10, more)
    }

    /// The same with another first window.
    fn after(config: SenderConfig, first: u32, more: u64) -> Expired {
        let config = SenderConfig { initial_cwnd: InitialWindow::Segments(first), ..config };
        let mut hand = Expired { sender: Sender::new(Arc::new(config)), actions: Actions::default() };
        hand.sender.write(Instant::ZERO, 1000 * (u64::from(first) + more), &mut hand.actions);
        hand.actions.segments.clear();
        hand.sender.handle_timeout(Instant::ZERO + Duration::from_secs(1), &mut hand.actions);
        assert_eq!(hand.sent(), [0], "step 1: the first segment");
        hand
    }

    fn ack(&mut self, ack: u64, sack: &[(u64, u64)]) -> Vec<u64> {
        let sack: Vec<_> =
            sack.iter().map(|&(start, end)| SackBlock { start: 1000 * start, end: 1000 * end }).collect();
        let ack = Ack { ack: 1000 * ack, window: 1 << 40, sack: &sack, ecn_echo: false };
        self.sender.handle_ack(Instant::ZERO + Duration::from_millis(1100), &ack, &mut self.actions);
        self.sent()
    }

    fn sent(&mut self) -> Vec<u64> {
        self.actions.segments.drain(..).map(|segment| segment.seq / 1000).collect()
    }
}

const WITH_SACK: [LossRecovery; 3] = [LossRecovery::Sack, LossRecovery::Rack, LossRecovery::Linux];
const WITHOUT: [LossRecovery; 2] = [LossRecovery::Reno, LossRecovery::NewReno];

#[test]
fn two_new_segments_leave_and_an_ack_of_an_old_one_shows_a_needless_timeout() {
    let basic = WITHOUT.map(|recovery| (recovery, Frto::Basic));
    let enhanced = WITH_SACK.map(|recovery| (recovery, Frto::Sack));
    for (recovery, frto) in basic.into_iter().chain(enhanced) {
        let mut hand = Expired::new(config(recovery, frto), 90);
        assert_eq!((hand.sender.cwnd(), hand.sender.ssthresh()), (1000, 5000), "{recovery:?}");
        assert_eq!(hand.ack(1, &[]), [10, 11], "{recovery:?}: step 2b");
        // Step 3b: segment 1 was never sent again, so its first copy has arrived. 10 segments are in flight; 10 and the
        // one by which this ACK lets the window grow fit.
        assert_eq!(hand.ack(2, &[]), [12], "{recovery:?}");
        assert_eq!(hand.ack(3, &[]), [13, 14], "{recovery:?}: new data in slow start");
        assert_eq!((hand.sender.ssthresh(), hand.sender.lost()), (u64::MAX, 0), "{recovery:?}");
        assert!(hand.sender.cwnd() >= 10_000, "{recovery:?}");
        assert_eq!(hand.sender.stats().retransmissions, 1);
    }
}

#[test]
fn a_sack_of_a_segment_from_before_the_timeout_shows_it_too() {
    for recovery in WITH_SACK {
        let mut hand = Expired::new(config(recovery, Frto::Sack), 90);
        hand.ack(1, &[]);
        hand.ack(1, &[(4, 5)]);
        assert_eq!(hand.sender.ssthresh(), u64::MAX, "{recovery:?}");
    }
}

#[test]
fn a_sack_of_the_new_data_shows_a_loss_and_leaves_three_segments() {
    for recovery in WITH_SACK {
        let mut hand = Expired::new(config(recovery, Frto::Sack), 90);
        assert_eq!(hand.ack(1, &[]), [10, 11]);
        // Step 3a: cwnd is at most 3 MSS, and what is missing leaves in slow start.
        let sent = hand.ack(1, &[(10, 11)]);
        assert_eq!((hand.sender.ssthresh(), sent[0]), (5000, 1), "{recovery:?}");
        assert!(hand.sender.cwnd() <= 3000);
    }
}

#[test]
fn without_sack_a_duplicate_ack_shows_a_loss() {
    for recovery in WITHOUT {
        // Step 3a.
        let mut hand = Expired::new(config(recovery, Frto::Basic), 90);
        assert_eq!(hand.ack(1, &[]), [10, 11]);
        assert_eq!(hand.ack(1, &[])[0], 1, "{recovery:?}");
        assert_eq!((hand.sender.ssthresh(), hand.sender.cwnd()), (5000, 2000));
        // Step 2a: a duplicate before any other. The ACK after it is answered with the go-back.
        let mut hand = Expired::new(config(recovery, Frto::Basic), 90);
        hand.ack(0, &[]);
        assert_eq!(hand.ack(1, &[]), [1, 2], "{recovery:?}");
    }
}

#[test]
fn with_sack_duplicates_before_the_first_new_ack_are_waited_out() {
    for recovery in WITH_SACK {
        let mut hand = Expired::new(config(recovery, Frto::Sack), 90);
        assert_eq!(hand.ack(0, &[(1, 2)]), [0; 0], "{recovery:?}: step 2");
        assert_eq!(hand.ack(2, &[]), [10, 11], "{recovery:?}");
    }
}

#[test]
fn the_go_back_goes_on_where_nothing_can_be_found_out() {
    for recovery in WITH_SACK {
        // Step 2a: all that was outstanding is acknowledged.
        let mut hand = Expired::new(config(recovery, Frto::Sack), 90);
        hand.ack(10, &[]);
        assert_eq!(hand.sender.ssthresh(), 5000);
        // Step 2b: no new data.
        let mut hand = Expired::new(config(recovery, Frto::Sack), 0);
        assert_eq!(hand.ack(1, &[]), [1, 2], "{recovery:?}");
        // A second timeout before the repair is over: step 1.
        let mut hand = Expired::new(config(recovery, Frto::Sack), 90);
        hand.ack(1, &[]);
        let next = hand.sender.next_timeout().expect("the timer runs");
        hand.sender.handle_timeout(next, &mut hand.actions);
        hand.sent();
        hand.ack(2, &[]);
        hand.ack(3, &[]);
        assert!(hand.sender.ssthresh() < u64::MAX, "{recovery:?}");
    }
}

#[test]
fn a_pause_of_the_network_costs_one_retransmission() {
    // Nothing gets through until 1.25 s, and the timer expires after 1 s: the ten segments of the first round and what
    // it resends wait.
    for (recovery, frto) in
        WITHOUT.map(|one| (one, Frto::Basic)).into_iter().chain(WITH_SACK.map(|one| (one, Frto::Sack)))
    {
        let run = |frto| {
            let mut line = Line::new(config(recovery, frto), receiver_config());
            line.segment_fate = Box::new(move |number, _| match number {
                0..10 => Fate::Delay(Duration::from_millis(1200)),
                10 => Fate::Delay(Duration::from_millis(200)),
                _ => Fate::Deliver,
            });
            line.write(200);
            assert!(line.finish(10_000), "{recovery:?}");
            (line.sender.stats().retransmissions, line.now)
        };
        let ((with, end), (without, later)) = (run(frto), run(Frto::Off));
        assert!(with <= 2 && without >= 4 && end < later, "{recovery:?}: {with} and {without}, {end:?} and {later:?}");
    }
}

#[test]
fn the_response_is_that_of_undo() {
    let eifel = SenderConfig { undo_response: UndoResponse::Eifel, ..config(LossRecovery::Sack, Frto::Sack) };
    let mut hand = Expired::new(eifel, 90);
    hand.ack(1, &[]);
    hand.ack(2, &[]);
    // RFC 4015: ssthresh = pipe_prev = 10 segments; cwnd = FlightSize (2 to 11) + the segment that the ACK is for.
    assert_eq!((hand.sender.ssthresh(), hand.sender.cwnd()), (10_000, 11_000));
}

#[test]
fn the_enhanced_algorithm_needs_sack() {
    let wrong = config(LossRecovery::NewReno, Frto::Sack).validate();
    assert_eq!(wrong.map_err(|error| error.field), Err("frto"));
    assert_eq!(SenderConfig { recovery: Some(LossRecovery::Linux), ..sender_config("cubic") }.frto_rule(), Frto::Sack);
}

#[test]
fn after_a_needless_timeout_duplicate_acks_show_a_loss_at_once() {
    // RFC 5682 §2.1 step 3b: recover is SND.UNA then. Segment 2 is lost; 3 to 11 have left and make duplicate ACKs.
    for recovery in WITHOUT {
        let mut hand = Expired::new(config(recovery, Frto::Basic), 90);
        hand.ack(1, &[]);
        hand.ack(2, &[]);
        assert!((0..3).flat_map(|_| hand.ack(2, &[])).any(|segment| segment == 2), "{recovery:?}");
    }
}

#[test]
fn with_sack_a_duplicate_ack_without_news_after_new_data_shows_a_loss() {
    // RFC 5682 §3.1 step 3a, the last sentence but one.
    let mut hand = Expired::new(config(LossRecovery::Sack, Frto::Sack), 90);
    assert_eq!(hand.ack(1, &[]), [10, 11]);
    assert_eq!(hand.ack(1, &[]), [1, 2], "the repair goes on, with a window of 2 segments");
    assert_eq!(hand.sender.ssthresh(), 5000);
}

#[test]
fn a_second_ack_of_all_that_was_outstanding_shows_a_needless_timeout() {
    // RFC 5682 §3.1 step 3b, §2.1 step 3b: it covers no more than what had been sent at the timeout, none of which but
    // the first segment was sent again. So ssthresh and cwnd come back, with 2 segments outstanding as with 10.
    let basic = WITHOUT.map(|recovery| (recovery, Frto::Basic));
    for (recovery, frto) in basic.into_iter().chain(WITH_SACK.map(|recovery| (recovery, Frto::Sack))) {
        for (first, second) in [(2, 2), (10, 9), (10, 10)] {
            let mut hand = Expired::after(config(recovery, frto), first, 20);
            hand.ack(1, &[]);
            hand.ack(second, &[]);
            assert_eq!(hand.sender.ssthresh(), u64::MAX, "{recovery:?}, {second} of {first}");
            assert!(hand.sender.cwnd() >= 1000 * u64::from(first), "{recovery:?}, {second} of {first}");
        }
    }
}
