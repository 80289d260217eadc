//! Reductions of the window that D-SACKs (RFC 3708) or timestamps (RFC 3522) take back.

mod harness;

use harness::{Fate, Line, receiver_config, sender_config};
use std::sync::Arc;
use transport::tcp::{
    Ack, Actions, InitialWindow, LossRecovery, PhaseName, Reduction, SackBlock, Sender, SenderConfig, Undo,
    UndoResponse,
};
use units::{Duration, Instant};

fn config(algorithm: &str, undo: Undo) -> SenderConfig {
    SenderConfig { undo: Some(undo), ..sender_config(algorithm) }
}

/// A transfer of 300 segments of which the first of ten is late by a number of ms: cwnd and ssthresh before the first retransmission, and
/// cwnd and ssthresh when the D-SACK of the late copy has come.
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

#[test]
fn an_ack_that_echoes_a_timestamp_from_before_the_retransmission_takes_a_timeout_back() {
    // RFC 3522 §3.2: RetransmitTS is 1000 ms; the first copies left at 0.
    for (echo_ms, ssthresh) in [(0, u64::MAX), (1000, 5000)] {
        let (mut sender, mut actions) = ten_segments(Undo::Eifel, UndoResponse::Restore);
        sender.handle_timeout(ms(1000), &mut actions);
        assert_eq!((sender.cwnd(), sender.ssthresh()), (1000, 5000));
        actions.segments.clear();
        sender.handle_timestamp_echo(1000, ms(echo_ms));
        sender.handle_ack(ms(1010), &Ack { ack: 1000, window: 1 << 40, sack: &[], ecn_echo: false }, &mut actions);
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
        sender.handle_timestamp_echo(ack, ms(echo));
        sender.handle_ack(ms(1100), &Ack { ack, window: 1 << 40, sack: &[], ecn_echo: false }, &mut actions);
    }
    assert_eq!(sender.ssthresh(), 5000);
}

#[test]
fn rfc_4015_goes_on_from_what_is_in_flight() {
    let (mut sender, mut actions) = ten_segments(Undo::Both, UndoResponse::Eifel);
    sender.handle_timeout(ms(1000), &mut actions);
    sender.handle_timestamp_echo(2000, Instant::ZERO);
    // pipe_prev = 10 segments; cwnd = FlightSize + min(bytes acked, IW) = 10 + 2 segments.
    assert_eq!((sender.cwnd(), sender.ssthresh()), (12_000, 10_000));
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
        sender.handle_timestamp_echo(4000, Instant::ZERO);
        sender.handle_ack(ms(110), &Ack { ack: 4000, window: 1 << 40, sack: &[], ecn_echo: false }, &mut actions);
        assert_eq!((sender.phase(), sender.ssthresh()), (PhaseName::SlowStart, u64::MAX), "{recovery:?}");
        assert!(sender.cwnd() >= 10_000 && sender.lost() == 0);
    }
}
