//! Congestion marks: RFC 3168 §6.1.

mod harness;

use harness::{Fate, Line, MSS, receiver_config, sender_config};
use std::sync::Arc;
use transport::cc;
use transport::tcp::{Ack, Actions, InitialWindow, Segment, Sender, SenderConfig};
use units::{Duration, Instant};

fn config(algorithm: &str) -> SenderConfig {
    SenderConfig { ecn: true, initial_ssthresh: Some(10_000), ..sender_config(algorithm) }
}

/// A transfer whose segments of these numbers are marked, over lines that lose others.
fn line(config: SenderConfig, marked: &'static [u64], lost: &'static [u64]) -> Line {
    let mut line = Line::new(config, receiver_config());
    line.segment_fate = Box::new(move |number, _| match number {
        _ if lost.contains(&number) => Fate::Drop,
        _ if marked.contains(&number) => Fate::Mark,
        _ => Fate::Deliver,
    });
    line
}

#[test]
fn a_mark_halves_the_window_once_and_nothing_is_sent_again() {
    let mut line = line(config("newreno"), &[3], &[]);
    line.write(200);
    while line.sender.stats().ecn_reductions == 0 {
        assert!(line.step());
    }
    // Ten segments were in flight, of which the first three have been acknowledged and replaced.
    assert_eq!((line.sender.cwnd(), line.sender.ssthresh()), (5000, 5000));
    assert!(line.finish(10_000));
    let stats = line.sender.stats();
    assert_eq!((stats.ecn_reductions, stats.retransmissions, stats.fast_retransmits), (1, 0, 0));
    assert_eq!(line.receiver.stats().marked, 1);
}

#[test]
fn the_receiver_echoes_until_it_hears_that_the_window_was_reduced() {
    let mut line = line(config("sack"), &[3], &[]);
    line.write(200);
    assert!(line.finish(10_000));
    let reduced: Vec<u64> = (0..line.sent.len()).filter_map(|at| says_reduced(&line, at)).collect();
    // The mark on segment 3 is answered when segments 0 to 12 have left; segment 13 says so.
    assert_eq!(reduced, [13]);
}

/// The number in the flow of the segment that was sent at this place, if it says now that the window was reduced: there was one
/// reduction, so it said so then.
fn says_reduced(line: &Line, at: usize) -> Option<u64> {
    let segment = &line.sent[at].1;
    line.sender.ecn_of(segment)?.window_reduced.then_some(segment.seq / u64::from(MSS))
}

#[test]
fn marks_of_one_window_count_once_and_of_the_next_again() {
    let reductions = |marked: &'static [u64]| {
        let mut line = line(config("newreno"), marked, &[]);
        line.write(200);
        assert!(line.finish(10_000));
        line.sender.stats().ecn_reductions
    };
    assert_eq!(reductions(&[3, 4, 5, 9]), 1);
    // What left after the reduction is marked.
    assert_eq!(reductions(&[3, 14]), 2);
}

#[test]
fn a_loss_in_a_window_that_was_reduced_for_a_mark_is_repaired_without_a_second_reduction() {
    for algorithm in ["reno", "newreno", "sack", "cubic"] {
        let mut line = line(config(algorithm), &[3], &[6]);
        line.write(200);
        while line.sender.stats().ecn_reductions == 0 {
            assert!(line.step());
        }
        let ssthresh = line.sender.ssthresh();
        while line.sender.stats().fast_retransmits == 0 {
            assert!(line.step());
        }
        assert_eq!(line.sender.ssthresh(), ssthresh, "{algorithm}");
        assert!(line.finish(10_000));
        assert_eq!((line.sender.stats().retransmissions, line.sender.stats().timeouts), (1, 0), "{algorithm}");
    }
}

#[test]
fn what_is_sent_again_is_not_ecn_capable() {
    let line = line(config("sack"), &[], &[]);
    let said = |retransmission| line.sender.ecn_of(&Segment { seq: 0, len: MSS, retransmission }).unwrap();
    assert_eq!([said(false).capable, said(true).capable], [true, false]);
}

#[test]
fn every_law_gives_way_to_a_mark_and_no_data_are_lost() {
    for entry in cc::registry().iter().filter(|entry| !entry.algorithm.needs_header()) {
        let mut line = line(config(entry.name), &[7, 40, 41, 90], &[60]);
        line.write(400);
        let mut cwnd = (0, 0);
        while line.sender.stats().ecn_reductions == 0 {
            cwnd.0 = line.sender.cwnd();
            assert!(line.step(), "{}", entry.name);
        }
        cwnd.1 = line.sender.cwnd();
        assert!(cwnd.1 < cwnd.0, "{}: {cwnd:?}", entry.name);
        assert!(line.finish(100_000), "{}", entry.name);
        assert_eq!(line.receiver.bytes_received(), 400_000, "{}", entry.name);
    }
}

/// Ten segments are in flight at 100 ms, and the ACK of the first echoes a mark.
fn echoed(config: SenderConfig) -> (Sender, Actions) {
    let mut sender = Sender::new(Arc::new(config));
    let mut actions = Actions::default();
    sender.write(Instant::ZERO, u64::MAX, &mut actions);
    let at = Instant::ZERO + Duration::from_millis(100);
    actions.segments.clear();
    sender.handle_ack(at, &Ack { ack: 1000, window: 1 << 40, sack: &[], ecn_echo: true }, &mut actions);
    (sender, actions)
}

#[test]
fn an_echo_is_nothing_to_a_connection_without_ecn() {
    let (sender, actions) = echoed(sender_config("newreno"));
    assert_eq!((sender.cwnd(), actions.segments.len(), sender.stats().ecn_reductions), (11_000, 2, 0));
    assert_eq!(sender.ecn_of(&actions.segments[0]), None);
}

#[test]
fn an_ack_that_echoes_a_mark_raises_no_window() {
    // In slow start: half of ten segments, and not a byte more on the nine echoes that follow.
    let (mut sender, mut actions) = echoed(SenderConfig { ecn: true, ..sender_config("newreno") });
    for ack in 2..=10 {
        let at = Instant::ZERO + Duration::from_millis(100);
        sender.handle_ack(at, &Ack { ack: 1000 * ack, window: 1 << 40, sack: &[], ecn_echo: true }, &mut actions);
    }
    assert_eq!((sender.cwnd(), sender.ssthresh(), actions.segments.len()), (5000, 5000, 5));
}

#[test]
fn a_mark_takes_no_window_below_two_segments_and_raises_none() {
    let after = |segments| {
        let initial_cwnd = InitialWindow::Segments(segments);
        let (sender, _) = echoed(SenderConfig { ecn: true, initial_cwnd, ..sender_config("sack") });
        (sender.cwnd(), sender.ssthresh())
    };
    assert_eq!([after(1), after(3)], [(1000, 2000), (2000, 2000)]);
}

#[test]
fn xcp_is_refused() {
    let wrong = config("xcp").validate().unwrap_err();
    assert_eq!(wrong.field, "ecn");
}
