//! Reductions of the window that D-SACKs take back: RFC 3708.

mod harness;

use harness::{Fate, Line, receiver_config, sender_config};
use transport::tcp::{LossRecovery, Reduction, SenderConfig, Undo, UndoResponse};
use units::Duration;

fn config(algorithm: &str, undo: Undo) -> SenderConfig {
    SenderConfig { undo: Some(undo), ..sender_config(algorithm) }
}

/// A transfer of 300 segments of which the first of ten is late by so many ms: cwnd and ssthresh before the first retransmission, and
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
