//! Reductions of the window that D-SACKs (RFC 3708) or timestamps (RFC 3522) take back.

use crate::harness::{Fate, Line, receiver_config, sender_config};
use std::sync::Arc;
use transport::tcp::{
    Ack, Actions, InitialWindow, LossRecovery, PhaseName, Reduction, SackBlock, Sender, SenderConfig, Undo,
    UndoResponse,
};
use units::{Duration, Instant};

fn config(algorithm: &str, undo: Undo) -> SenderConfig {
    SenderConfig { undo: Some(undo), ..sender_config(algorithm) }
}

/// A transfer of 300 segments of which the first of ten is late by a number of ms: cwnd and ssthresh before the first
/// retransmission, and cwnd and ssthresh when the D-SACK of the late copy has come.
fn late(config: SenderConfig, late_ms: u64) -> [(u64, u64); 2] {
    let mut line = Line::new(config, receiver_config());
    let late = Fate::Delay(Duration::from_millis(late_ms));
    line.segment_fate = Box::new(move |number, _| if number == 0 { late } else { Fate::Deliver });
    line.write(300);
    let window = |line: &Line| (line.sender.cwnd(), line.sender.ssthresh());
    let mut before = window(&line);
    while line.sender.stats().retransmissions == 0 {
        before = window(&line);
        assert!(line.step());
    }
    let falsified = |line: &Line| line.sender.stats().false_fast_retransmits + line.sender.stats().false_timeouts;
    while falsified(&line) == 0 {
        assert!(line.step(), "the D-SACK comes");
    }
    [before, window(&line)]
}

#[test]
fn a_needless_fast_retransmit_is_taken_back() {
    for algorithm in ["sack", "cubic", "highspeed"] {
        let [before, after] = late(config(algorithm, Undo::Never), 30);
        assert!(after.1 < before.0, "{algorithm}: ssthresh is what is left of the flight");
        let [before, after] = late(config(algorithm, Undo::Dsack), 30);
        assert_eq!(before.1, u64::MAX, "{algorithm} was in its first slow start");
        assert!(after.1 == u64::MAX && after.0 >= before.0, "{algorithm}: {before:?} before, {after:?} after");
    }
}

#[test]
fn a_window_that_is_above_its_prior_value_again_goes_on_as_it_is() {
    // RFC 9438 §4.9.2. CUBIC keeps 70 of 100 segments. ACKs that come at 20 s find W(t) = 0.4 (19.8 − 4.2)³ + 100 far
    // above the window, which then grows by half of itself in a window of ACKs: beyond 100 before the D-SACK comes.
    let config = SenderConfig { initial_cwnd: InitialWindow::Segments(100), ..config("cubic", Undo::Dsack) };
    let (mut sender, mut actions) = (Sender::new(Arc::new(config)), Actions::default());
    sender.write(Instant::ZERO, 1 << 40, &mut actions);
    let mut acknowledge = |at, ack, sack: &[SackBlock]| {
        sender.handle_ack(ms(at), &Ack { ack, window: 1 << 40, sack, ecn_echo: false }, &mut actions);
        (sender.cwnd(), sender.ssthresh(), sender.stats().false_fast_retransmits)
    };
    (2..=100).for_each(|end| _ = acknowledge(100, 0, &[SackBlock { start: 1000, end: 1000 * end }]));
    assert_eq!(acknowledge(200, 100_000, &[]), (70_000, 70_000, 0));
    (101..=180).for_each(|end| _ = acknowledge(if end == 101 { 210 } else { 20_000 }, 1000 * end, &[]));
    let (cwnd, ssthresh, _) = acknowledge(20_000, 181_000, &[]);
    assert!(cwnd > 100_000 && ssthresh == 70_000, "{cwnd}, {ssthresh}");
    let after = acknowledge(20_000, 181_000, &[SackBlock { start: 0, end: 1000 }]);
    assert_eq!(after, (cwnd, ssthresh, 1));
}

#[test]
fn a_needless_timeout_is_taken_back() {
    // The first round trip lasts longer than the first timeout of 1 s for all ten segments.
    let slow = |undo| {
        let mut line = Line::new(config("sack", undo), receiver_config());
        let late = Fate::Delay(Duration::from_millis(1200));
        line.segment_fate = Box::new(move |number, _| if number < 10 { late } else { Fate::Deliver });
        line.write(300);
        while line.sender.stats().false_timeouts == 0 {
            assert!(line.step());
        }
        (line.sender.cwnd(), line.sender.ssthresh())
    };
    assert_eq!(slow(Undo::Never).1, 5000, "half of ten segments");
    let (cwnd, ssthresh) = slow(Undo::Dsack);
    assert!(cwnd >= 10_000 && ssthresh == u64::MAX, "{cwnd} {ssthresh}");
}

#[test]
fn the_window_may_come_back_by_slow_start() {
    let slow_start = SenderConfig { undo_response: UndoResponse::SlowStart, ..config("sack", Undo::Dsack) };
    let [before, after] = late(slow_start, 30);
    assert_eq!(after.1, before.0, "slow start up to where the window was");
    assert!(after.0 < before.0);
}

#[test]
fn a_real_loss_stays_a_loss() {
    for (recovery, reduction) in [(LossRecovery::Sack, Reduction::Immediate), (LossRecovery::Rack, Reduction::Prr)] {
        let config =
            SenderConfig { recovery: Some(recovery), reduction: Some(reduction), ..config("sack", Undo::Dsack) };
        let mut line = Line::losing(config, &[3]);
        line.write(300);
        assert!(line.finish(10_000));
        line.drain();
        assert!(line.sender.ssthresh() < 20_000, "{recovery:?}");
        assert_eq!(line.sender.stats().fast_retransmits, 1);
    }
}

#[test]
fn linux_is_rack_with_prr_and_undo() {
    let linux = SenderConfig { recovery: Some(LossRecovery::Linux), ..sender_config("cubic") };
    assert_eq!((linux.window_reduction(), linux.undo_rule()), (Reduction::Prr, Undo::Dsack));
    let chosen = SenderConfig { undo: Some(Undo::Never), ..linux.clone() };
    assert_eq!((chosen.window_reduction(), chosen.undo_rule()), (Reduction::Prr, Undo::Never));
    // A segment that is late by 30 ms is sent again needlessly, and the window comes back.
    let [before, after] = late(linux, 30);
    assert!(after.1 == before.1 && after.0 >= before.0, "{before:?} before, {after:?} after");
}

/// A sender of ten segments of 1000 bytes, all of which left at 0 ms, and 90 more that wait.
fn ten_segments(undo: Undo, undo_response: UndoResponse) -> (Sender, Actions) {
    let config = SenderConfig { undo_response, initial_cwnd: InitialWindow::Segments(10), ..config("sack", undo) };
    let (mut sender, mut actions) = (Sender::new(Arc::new(config)), Actions::default());
    sender.write(Instant::ZERO, 100_000, &mut actions);
    (sender, actions)
}

fn ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// An ACK without blocks arrives that echoes a timestamp; times are in milliseconds.
fn answer(sender: &mut Sender, now: u64, ack: u64, echo: u64, actions: &mut Actions) {
    let ack = Ack { ack, window: 1 << 40, sack: &[], ecn_echo: false };
    sender.handle_timestamp_echo(&ack, ms(echo));
    sender.handle_ack(ms(now), &ack, actions);
}

#[test]
fn an_ack_that_echoes_a_timestamp_from_before_the_retransmission_takes_a_timeout_back() {
    // RFC 3522 §3.2: RetransmitTS is 1000 ms; the first copies left at 0.
    for (echo_ms, ssthresh) in [(0, u64::MAX), (1000, 5000)] {
        let (mut sender, mut actions) = ten_segments(Undo::Eifel, UndoResponse::Restore);
        sender.handle_timeout(ms(1000), &mut actions);
        assert_eq!((sender.cwnd(), sender.ssthresh()), (1000, 5000));
        actions.segments.clear();
        answer(&mut sender, 1010, 1000, echo_ms, &mut actions);
        assert_eq!(sender.ssthresh(), ssthresh, "echo of {echo_ms} ms");
        let resent = actions.segments.iter().filter(|segment| segment.retransmission).count();
        let expected = if echo_ms == 0 { (11_000, 0) } else { (2000, 2) };
        assert_eq!((sender.cwnd(), resent), expected, "go-back or new data");
    }
}

#[test]
fn only_the_first_ack_of_new_data_counts() {
    let (mut sender, mut actions) = ten_segments(Undo::Eifel, UndoResponse::Restore);
    sender.handle_timeout(ms(1000), &mut actions);
    for (ack, echo) in [(1000, 1000), (2000, 0)] {
        answer(&mut sender, 1100, ack, echo, &mut actions);
    }
    assert_eq!(sender.ssthresh(), 5000);
}

#[test]
fn rfc_4015_goes_on_from_what_is_in_flight() {
    let (mut sender, mut actions) = ten_segments(Undo::Both, UndoResponse::Eifel);
    sender.handle_timeout(ms(1000), &mut actions);
    actions.segments.clear();
    answer(&mut sender, 1010, 2000, 0, &mut actions);
    // pipe_prev = 10 segments; §3.4: cwnd = FlightSize + min(bytes acked, IW) = 8 + 2 segments, which this ACK changes
    // no further.
    assert_eq!((sender.cwnd(), sender.ssthresh(), actions.segments.len()), (10_000, 10_000, 2));
}

#[test]
fn rfc_4015_makes_the_timer_wait_longer_after_a_spurious_timeout() {
    let (mut sender, mut actions) = ten_segments(Undo::Both, UndoResponse::Eifel);
    answer(&mut sender, 100, 1000, 0, &mut actions);
    // SRTT = 100 ms, RTTVAR = 50 ms; the lower bound of 1 s holds.
    assert_eq!(sender.rto(), Duration::from_secs(1));
    sender.handle_timeout(ms(1100), &mut actions);
    answer(&mut sender, 1700, 2000, 0, &mut actions);
    let sent_before = sender.snd_nxt();
    answer(&mut sender, 1800, 10_000, 0, &mut actions);
    answer(&mut sender, 2300, sent_before, 1700, &mut actions);
    // Step 11, new data that left at 1700 ms: SRTT = max(102, 600) ms, RTTVAR = max(50, 300) ms.
    answer(&mut sender, 2300, sent_before + 1000, 1700, &mut actions);
    assert_eq!(sender.rto(), Duration::from_millis(600 + 4 * 300));
}

#[test]
fn an_ack_with_ece_leaves_the_window_reduced() {
    // RFC 4015 §3.4, a MUST.
    let config = SenderConfig { ecn: true, initial_cwnd: InitialWindow::Segments(10), ..config("sack", Undo::Eifel) };
    let (mut sender, mut actions) = (Sender::new(Arc::new(config)), Actions::default());
    sender.write(Instant::ZERO, 100_000, &mut actions);
    sender.handle_timeout(ms(1000), &mut actions);
    actions.segments.clear();
    let ack = Ack { ack: 1000, window: 1 << 40, sack: &[], ecn_echo: true };
    sender.handle_timestamp_echo(&ack, Instant::ZERO);
    sender.handle_ack(ms(1010), &ack, &mut actions);
    assert_eq!((sender.cwnd(), sender.ssthresh()), (1000, 5000));
    assert!(actions.segments.is_empty(), "and nothing is sent again");
}

#[test]
fn a_timeout_after_all_acks_were_lost_is_not_spurious() {
    // RFC 3522 §3.2 step 5: an ACK with a D-SACK, or of all that is outstanding from a peer that never sent one.
    let dsack = [SackBlock { start: 0, end: 1000 }];
    for (sack, ack, seen, is_undone) in [
        (&dsack[..], 10_000, false, false),
        (&dsack[..], 5000, true, false),
        (&[][..], 10_000, false, false),
        (&[][..], 10_000, true, true),
        (&[][..], 5000, false, true),
    ] {
        let (mut sender, mut actions) = ten_segments(Undo::Eifel, UndoResponse::Restore);
        if seen {
            sender.handle_ack(
                ms(10),
                &Ack { ack: 0, window: 1 << 40, sack: &dsack[..0], ecn_echo: false },
                &mut actions,
            );
            let below = [SackBlock { start: 0, end: 500 }];
            sender.handle_ack(ms(10), &Ack { ack: 1000, window: 1 << 40, sack: &below, ecn_echo: false }, &mut actions);
        }
        let all = if ack == 10_000 { sender.snd_nxt() } else { ack };
        sender.handle_timeout(ms(1300), &mut actions);
        let ack = Ack { ack: all, window: 1 << 40, sack, ecn_echo: false };
        sender.handle_timestamp_echo(&ack, Instant::ZERO);
        sender.handle_ack(ms(1310), &ack, &mut actions);
        assert_eq!(sender.ssthresh() == u64::MAX, is_undone, "{sack:?}, {ack:?}, D-SACK before: {seen}");
    }
}

#[test]
fn a_second_timeout_does_not_overwrite_the_timestamp_of_the_first_retransmission() {
    // RFC 3522 §3.2 step 2: the ACK of the copy that left at 1000 ms echoes 1000 and shows nothing, though another left
    // at 3000.
    for (echo_ms, ssthresh) in [(0, u64::MAX), (1000, 5000)] {
        let (mut sender, mut actions) = ten_segments(Undo::Eifel, UndoResponse::Restore);
        sender.handle_timeout(ms(1000), &mut actions);
        sender.handle_timeout(ms(3000), &mut actions);
        answer(&mut sender, 3010, 1000, echo_ms, &mut actions);
        assert_eq!(sender.ssthresh(), ssthresh, "echo of {echo_ms} ms");
    }
}

#[test]
fn a_needless_fast_retransmit_ends_at_the_first_late_ack() {
    for recovery in [LossRecovery::Sack, LossRecovery::Rack] {
        let config = SenderConfig { recovery: Some(recovery), ..config("sack", Undo::Eifel) };
        let (mut sender, mut actions) = (Sender::new(Arc::new(config)), Actions::default());
        sender.write(Instant::ZERO, 100_000, &mut actions);
        for end in 2..=4 {
            let sack = [SackBlock { start: 1000, end: 1000 * end }];
            sender.handle_ack(ms(100), &Ack { ack: 0, window: 1 << 40, sack: &sack, ecn_echo: false }, &mut actions);
        }
        assert_eq!((sender.phase(), sender.cwnd()), (PhaseName::FastRecovery, 5000), "{recovery:?}");
        answer(&mut sender, 110, 4000, 0, &mut actions);
        assert_eq!((sender.phase(), sender.ssthresh()), (PhaseName::SlowStart, u64::MAX), "{recovery:?}");
        assert!(sender.cwnd() >= 10_000 && sender.lost() == 0);
    }
}

/// A sender of segments of 1000 bytes that takes back by D-SACKs, ten of which have left at 0.
fn ten_out() -> (Sender, Actions) {
    let config = SenderConfig { initial_cwnd: InitialWindow::Segments(10), ..config("sack", Undo::Dsack) };
    let (mut sender, mut actions) = (Sender::new(Arc::new(config)), Actions::default());
    sender.write(Instant::ZERO, 30_000, &mut actions);
    (sender, actions)
}

fn hear(sender: &mut Sender, actions: &mut Actions, ms: u64, ack: u64, sack: &[(u64, u64)]) {
    let sack: Vec<_> = sack.iter().map(|&(start, end)| SackBlock { start: 1000 * start, end: 1000 * end }).collect();
    let ack = Ack { ack: 1000 * ack, window: 1 << 30, sack: &sack, ecn_echo: false };
    sender.handle_ack(Instant::ZERO + Duration::from_millis(ms), &ack, actions);
}

#[test]
fn nothing_is_taken_back_where_all_acks_of_a_window_may_have_been_lost() {
    // RFC 3708 §3 step A.1: the first ACK after the timeout is for all ten segments, and reports the copy of the first.
    let (mut sender, mut actions) = ten_out();
    sender.handle_timeout(Instant::ZERO + Duration::from_secs(1), &mut actions);
    hear(&mut sender, &mut actions, 1100, 10, &[(0, 1)]);
    assert_eq!((sender.ssthresh(), sender.stats().false_timeouts), (5000, 1), "it was needless, and the window stays");
    // One ACK of those before it has come: the timeout was needless for sure.
    let (mut sender, mut actions) = ten_out();
    sender.handle_timeout(Instant::ZERO + Duration::from_secs(1), &mut actions);
    hear(&mut sender, &mut actions, 1050, 1, &[]);
    hear(&mut sender, &mut actions, 1100, 10, &[(0, 1)]);
    assert_eq!(sender.ssthresh(), 5000, "segments 1 and 2 have been sent again too");
    hear(&mut sender, &mut actions, 1150, 10, &[(1, 2)]);
    hear(&mut sender, &mut actions, 1151, 10, &[(2, 3)]);
    assert_eq!(sender.ssthresh(), u64::MAX);
}

#[test]
fn nothing_is_taken_back_where_the_network_makes_copies() {
    // RFC 3708 §3 step A.4: segment 0 was sent once and arrived twice.
    for networks in [false, true] {
        let (mut sender, mut actions) = ten_out();
        hear(&mut sender, &mut actions, 90, 1, if networks { &[(0, 1)] } else { &[] });
        // Segments 1 to 11 are in flight when three behind the second have arrived.
        hear(&mut sender, &mut actions, 100, 1, &[(2, 5)]);
        assert_eq!(sender.ssthresh(), 5500);
        hear(&mut sender, &mut actions, 101, 12, &[]);
        hear(&mut sender, &mut actions, 102, 12, &[(1, 2)]);
        let expected = if networks { 5500 } else { u64::MAX };
        assert_eq!((sender.ssthresh(), sender.stats().false_fast_retransmits), (expected, 1));
    }
}
