//! Congestion marks: RFC 3168 §6.1.

use crate::harness::{Fate, Line, MSS, receiver_config, sender_config};
use std::sync::Arc;
use transport::cc;
use transport::tcp::{
    Ack, Actions, Codepoint, EcnEcho, EcnFeedback, EcnNews, InitialWindow, LossRecovery, Receiver, ReceiverActions,
    ReceiverConfig, SackBlock, Segment, Sender, SenderConfig,
};
use units::{Duration, Instant};

fn config(algorithm: &str) -> SenderConfig {
    SenderConfig { ecn: true, initial_ssthresh: Some(10_000), ..sender_config(algorithm) }
}

/// A transfer whose segments of these numbers are marked, over lines that lose others.
fn line(config: SenderConfig, marked: &'static [u64], lost: &'static [u64]) -> Line {
    let receiver = ReceiverConfig { ecn_feedback: config.feedback(), ..receiver_config() };
    let mut line = Line::new(config, receiver);
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

/// The number in the flow of the segment that was sent at this place, if it says now that the window was reduced: there
/// was one reduction, so it said so then.
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
    assert_eq!([said(false).codepoint, said(true).codepoint], [Codepoint::Ect0, Codepoint::NotEct]);
}

#[test]
fn every_law_gives_way_to_a_mark_and_no_data_are_lost() {
    for entry in cc::registry().iter().filter(|entry| config(entry.name).validate().is_ok()) {
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
fn a_mark_leaves_a_window_of_one_segment_and_a_threshold_of_two() {
    // RFC 3168 §6.1.2: cwnd is at least one segment; RFC 5681 eq. (4): ssthresh at least two. With recovery "linux"
    // cwnd too.
    let after = |segments, recovery| {
        let initial_cwnd = InitialWindow::Segments(segments);
        let config = SenderConfig { ecn: true, initial_cwnd, recovery: Some(recovery), ..sender_config("sack") };
        let (sender, _) = echoed(config);
        (sender.cwnd(), sender.ssthresh())
    };
    assert_eq!(
        [1, 2, 3].map(|segments| after(segments, LossRecovery::Sack)),
        [(1000, 2000), (1000, 2000), (1500, 2000)]
    );
    assert_eq!(
        [1, 2, 3].map(|segments| after(segments, LossRecovery::Linux)),
        [(1000, 2000), (2000, 2000), (2000, 2000)]
    );
}

#[test]
fn marks_take_every_law_down_to_one_segment_and_then_to_one_in_a_timeout_that_doubles() {
    // RFC 9438 §4.6, RFC 3168 §6.1.2. Every segment is marked, a round trip is 100 ms, the timeout 1 s: segments leave
    // 1.1 s, 2.1 s and 4.1 s after each other. Westwood+ keeps what the path brought it, not a share of its window;
    // Scalable, and YeAH without a queue, lose an eighth in whole segments, as in Linux: of seven that is none.
    let hears = |entry: &&cc::Entry| entry.choice.asks().marks == cc::Marks::AsLosses;
    let names = cc::registry().iter().filter(hears).map(|entry| entry.name);
    for name in
        names.filter(|name| config(name).validate().is_ok() && !["westwood+", "scalable", "yeah"].contains(name))
    {
        let mut line = Line::new(config(name), receiver_config());
        line.segment_fate = Box::new(|_, _| Fate::Mark);
        line.write(1000);
        let mut least = u64::MAX;
        while line.next_event() < Instant::ZERO + Duration::from_secs(10) {
            assert!(line.step(), "{name}");
            least = least.min(line.sender.cwnd());
        }
        let gaps = line.sent.windows(2).map(|pair| pair[1].0.saturating_since(pair[0].0));
        let gaps: Vec<Duration> = gaps.filter(|gap| *gap > Duration::from_secs(1)).take(3).collect();
        assert_eq!((least, gaps), (1000, [1100, 2100, 4100].map(Duration::from_millis).to_vec()), "{name}");
    }
}

#[test]
fn xcp_is_refused() {
    let wrong = config("xcp").validate().unwrap_err();
    assert_eq!(wrong.field, "ecn");
}

/// The receiver's part of a feedback, on segments of 1000 B; the first argument of `arrive` says what each segment
/// says.
struct Echoes {
    receiver: Receiver,
    seq: u64,
}

impl Echoes {
    fn new(ecn_feedback: EcnFeedback) -> Echoes {
        let delayed_ack = Some(Duration::from_millis(100));
        let config = ReceiverConfig { ecn_feedback, delayed_ack, ..receiver_config() };
        Echoes { receiver: Receiver::new(Arc::new(config)), seq: 0 }
    }

    /// The ACKs that a segment brings about: what they cover in segments, and their echo.
    fn arrive(&mut self, is_marked: bool) -> Vec<(u64, EcnEcho)> {
        let mut out = ReceiverActions::default();
        let news = if is_marked { EcnNews::CongestionExperienced } else { EcnNews::NotMarked };
        self.receiver.handle_ecn(news, &mut out);
        self.receiver.handle_segment(Instant::ZERO, self.seq, MSS, &mut out);
        self.seq += u64::from(MSS);
        out.acks.iter().map(|ack| (ack.ack / u64::from(MSS), ack.ecn_echo)).collect()
    }
}

#[test]
fn a_dctcp_receiver_acknowledges_at_once_where_marking_begins_and_ends() {
    // RFC 8257 §3.2: ACKs are for every second segment while nothing changes.
    let mut echoes = Echoes::new(EcnFeedback::Dctcp);
    let (none, ece) = (EcnEcho::NONE, EcnEcho::ECE);
    assert_eq!(echoes.arrive(false), []);
    assert_eq!(echoes.arrive(true), [(1, none), (2, ece)], "what waited was not marked");
    assert_eq!(echoes.arrive(true), []);
    assert_eq!(echoes.arrive(true), [(4, ece)]);
    assert_eq!(echoes.arrive(true), []);
    assert_eq!(echoes.arrive(false), [(5, ece), (6, none)]);
    assert_eq!((echoes.arrive(false), echoes.arrive(false)), (vec![], vec![(8, none)]));
}

#[test]
fn an_accurate_receiver_counts_marked_packets_from_five_on_in_three_bits() {
    // RFC 9768 §3.2.2.5.1: at once for the first mark after none, and for every second one.
    let mut echoes = Echoes::new(EcnFeedback::Accurate);
    assert_eq!((echoes.arrive(false), echoes.arrive(false)), (vec![], vec![(2, EcnEcho::counter(5))]));
    assert_eq!(echoes.arrive(true), [(3, EcnEcho::counter(6))]);
    assert_eq!((echoes.arrive(true), echoes.arrive(true)), (vec![], vec![(5, EcnEcho::counter(0))]));
    assert_eq!((echoes.arrive(false), echoes.arrive(false)), (vec![], vec![(7, EcnEcho::counter(0))]));
}

/// The reductions of a transfer whose segments of these numbers are marked, and the window it ends with.
fn reductions(sender: SenderConfig, delayed: bool, marked: &'static [u64]) -> (u64, u64) {
    let delayed_ack = delayed.then_some(Duration::from_millis(100));
    let receiver = ReceiverConfig { ecn_feedback: sender.feedback(), delayed_ack, ..receiver_config() };
    let mut line = Line::new(sender, receiver);
    line.segment_fate = Box::new(move |number, _| if marked.contains(&number) { Fate::Mark } else { Fate::Deliver });
    line.write(200);
    assert!(line.finish(20_000));
    assert_eq!(line.receiver.stats().marked, marked.len() as u64);
    (line.sender.stats().ecn_reductions, line.sender.cwnd())
}

#[test]
fn laws_that_count_marks_use_ecn_unasked_and_give_way_once_a_window() {
    for (algorithm, delayed) in [("dctcp", false), ("dctcp", true), ("prague", false), ("prague", true)] {
        let sender = SenderConfig { initial_ssthresh: Some(10_000), ..sender_config(algorithm) };
        let unmarked = reductions(sender.clone(), delayed, &[]);
        assert_eq!(unmarked.0, 0, "{algorithm}");
        let (count, cwnd) = reductions(sender.clone(), delayed, &[5, 6, 7]);
        assert!(count == 1 && cwnd < unmarked.1, "{algorithm}: {count} {cwnd}");
        assert_eq!(reductions(sender, delayed, &[5, 60]).0, 2, "{algorithm}");
    }
}

#[test]
fn either_feedback_says_the_same_to_a_law_that_counts() {
    for algorithm in ["dctcp", "prague"] {
        let found = [EcnFeedback::Dctcp, EcnFeedback::Accurate].map(|feedback| {
            let sender = SenderConfig {
                initial_ssthresh: Some(10_000),
                ecn_feedback: Some(feedback),
                ..sender_config(algorithm)
            };
            reductions(sender, false, &[12, 13, 14, 15, 90])
        });
        assert_eq!(found[0], found[1], "{algorithm}");
    }
}

#[test]
fn the_packets_of_prague_say_ect_1() {
    for (algorithm, codepoint) in [("dctcp", Codepoint::Ect0), ("prague", Codepoint::Ect1)] {
        let sender = Sender::new(Arc::new(sender_config(algorithm)));
        let segment = Segment { seq: 0, len: MSS, retransmission: false };
        assert_eq!(sender.ecn_of(&segment).unwrap().codepoint, codepoint);
    }
}

#[test]
fn a_law_that_counts_marks_needs_feedback_that_tells_them() {
    let config = SenderConfig { ecn_feedback: Some(EcnFeedback::Classic), ..sender_config("dctcp") };
    let wrong = config.validate().unwrap_err().to_string();
    assert_eq!(wrong, "ecn_feedback must be dctcp or accurate for a law that counts marks, or hears news by them");
}

#[test]
fn an_echo_on_an_ack_of_nothing_is_answered() {
    // RFC 3168 §6.1.2: ten segments are in flight, the first is late and a later one was marked: its duplicate ACK has
    // byte 0.
    let config = SenderConfig { initial_cwnd: InitialWindow::Segments(10), ..config("sack") };
    let (mut sender, mut actions) = (Sender::new(Arc::new(config)), Actions::default());
    sender.write(Instant::ZERO, 30 * u64::from(MSS), &mut actions);
    let sack = [SackBlock { start: u64::from(MSS), end: 2 * u64::from(MSS) }];
    let ack = Ack { ack: 0, window: 1 << 30, sack: &sack, ecn_echo: true };
    sender.handle_ack(Instant::ZERO + Duration::from_millis(100), &ack, &mut actions);
    assert_eq!((sender.cwnd(), sender.stats().ecn_reductions), (5 * u64::from(MSS), 1));
}
