//! Losses of whole bursts, and what an edge node's word about them does: BEN of TCP-ENG, BLE, BACK and BNAK of BTCP.
//! RTT 100 ms, MSS 1000 B.

use crate::harness::{Fate, Line, MSS, receiver_config, sender_config};
use transport::cc::btcp::Detector;
use transport::cc::tcp_eng::BenTimeout;
use transport::tcp::{BurstReport, InitialWindow, PhaseName, SenderConfig};
use units::{Duration, Instant};

const WHOLE: BurstReport = BurstReport::LostToContention;

fn ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// A sender in congestion avoidance with this many segments, whose transmissions `lost` are lost.
fn line(algorithm: &str, window: u32, lost: std::ops::Range<u64>) -> Line {
    line_with(sender_config(algorithm), window, lost)
}

fn line_with(config: SenderConfig, window: u32, lost: std::ops::Range<u64>) -> Line {
    let ssthresh = Some(u64::from(window * MSS));
    let config = SenderConfig { initial_cwnd: InitialWindow::Segments(window), initial_ssthresh: ssthresh, ..config };
    let mut line = Line::new(config, receiver_config());
    line.segment_fate = Box::new(move |number, _| if lost.contains(&number) { Fate::Drop } else { Fate::Deliver });
    line.write(u64::MAX);
    line
}

fn numbers(line: &Line, from: usize) -> Vec<u64> {
    line.sent[from..].iter().map(|(_, segment)| segment.seq / u64::from(MSS)).collect()
}

fn btcp(detector: Detector) -> SenderConfig {
    let mut config = sender_config("btcp");
    config.laws.btcp.detector = detector;
    config
}

#[test]
fn a_ben_starts_the_repair_and_keeps_seven_eighths() {
    // 16 segments, 0 to 8 in a lost burst; the BEN comes after a round trip. The window becomes 14, 7 are in the
    // network: 7 of the 9 lost ones leave at once.
    let mut line = line("tcp-eng", 16, 0..9);
    line.run_until(ms(99));
    line.report(WHOLE, 0, 9);
    assert_eq!((line.sender.cwnd(), line.sender.ssthresh()), (14_000, 14_000));
    assert_eq!(numbers(&line, 16), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(line.sender.pipe(), 14_000);
    // SACKs of 9 to 15 follow: the two left, then five new ones.
    line.run_until(ms(100));
    assert_eq!(numbers(&line, 23), [7, 8, 16, 17, 18, 19, 20]);
    line.run_until(ms(200));
    // The recovery is over, and five ACKs of new data have added a fifth of 5/14 of a segment.
    assert_eq!((line.sender.phase(), line.sender.cwnd()), (PhaseName::CongestionAvoidance, 14_071));
    let stats = line.sender.stats();
    assert_eq!((stats.retransmissions, stats.fast_retransmits, stats.timeouts), (9, 1, 0));
}

#[test]
fn without_a_ben_the_same_loss_halves_the_window() {
    let mut line = line("tcp-eng", 16, 0..9);
    line.run_until(ms(300));
    assert_eq!(line.sender.ssthresh(), 8000);
    assert_eq!(line.sender.stats().timeouts, 0);
}

#[test]
fn a_burst_with_the_whole_window_needs_no_timeout_if_it_is_reported() {
    for (name, report, cwnd) in [("tcp-eng", WHOLE, 7000), ("btcp", BurstReport::Lost, 4000)] {
        let config = if name == "btcp" { btcp(Detector::Bnak) } else { sender_config(name) };
        let mut line = line_with(config, 8, 0..8);
        line.run_until(ms(100));
        line.report(report, 0, 8);
        assert_eq!(line.sender.cwnd(), cwnd, "{name}");
        assert_eq!(numbers(&line, 8).len() as u64, cwnd / 1000, "{name}: a window of repairs");
        line.run_until(ms(450));
        let stats = line.sender.stats();
        assert_eq!((stats.timeouts, stats.retransmissions), (0, 8), "{name}");
    }
}

#[test]
fn a_lost_window_that_is_reported_starts_slowly_at_once_if_that_is_how_a_timeout_is_read() {
    let mut config = sender_config("tcp-eng");
    config.laws.tcp_eng.ben_timeout = BenTimeout::SlowStart;
    let mut line = line_with(config.clone(), 8, 0..8);
    line.run_until(ms(100));
    line.report(WHOLE, 0, 8);
    // As at a timeout: half of the flight of 8, one segment, then 2 and 4 in the next round trips, and the eighth.
    assert_eq!((line.sender.cwnd(), line.sender.ssthresh()), (1000, 4000));
    assert_eq!(numbers(&line, 8), [0]);
    line.run_until(ms(200));
    assert_eq!(numbers(&line, 8), [0, 1, 2]);
    line.run_until(ms(300));
    assert_eq!(numbers(&line, 8), [0, 1, 2, 3, 4, 5, 6]);
    line.run_until(ms(400));
    assert_eq!(line.sender.stats().timeouts, 0, "and the timer did not expire");
    assert!(line.sender.snd_una() >= 7000);
    // A burst that is not all of the window is no timeout: 7/8 are kept.
    let mut line = line_with(config, 16, 0..9);
    line.run_until(ms(99));
    line.report(WHOLE, 0, 9);
    assert_eq!((line.sender.cwnd(), line.sender.ssthresh()), (14_000, 14_000));
}

#[test]
fn a_report_comes_before_the_acks_of_what_went_before_and_repairs_nothing_else() {
    // Segments 8 to 11 of 16 were dropped at the first hop: the report comes after 20 ms, before any ACK.
    let mut line = line("tcp-eng", 16, 8..12);
    line.run_until(ms(20));
    line.report(WHOLE, 8, 12);
    assert_eq!(numbers(&line, 16), [8, 9], "cwnd 14, 12 in the network");
    line.run_until(ms(1000));
    let stats = line.sender.stats();
    assert_eq!((line.retransmitted(), stats.timeouts), (vec![8, 9, 10, 11], 0));
    assert_eq!(stats.fast_retransmits, 1);
}

#[test]
fn segments_that_left_before_the_cut_do_not_cut_again_and_later_ones_do() {
    let mut line = line("tcp-eng", 16, 0..4);
    line.run_until(ms(99));
    line.report(WHOLE, 0, 2);
    line.report(WHOLE, 2, 4);
    assert_eq!(line.sender.cwnd(), 14_000);
    // Two repairs left with the first report, the others with the second; new data follow with the ACKs.
    line.run_until(ms(150));
    assert!(line.sender.snd_nxt() > 16_000);
    line.report(WHOLE, 16, 17);
    assert_eq!(line.sender.cwnd(), 12_250, "7/8 of 14");
}

#[test]
fn a_repair_that_is_lost_and_reported_is_repaired_again_without_a_timeout() {
    let mut line = line("tcp-eng", 16, 0..18);
    line.run_until(ms(100));
    line.report(WHOLE, 0, 16);
    assert_eq!(numbers(&line, 16), (0..14).collect::<Vec<u64>>());
    // The copies of 0 and 1 are lost too; the report comes a round trip after them.
    line.run_until(ms(200));
    line.report(WHOLE, 0, 2);
    line.run_until(ms(500));
    assert_eq!(line.sender.stats().timeouts, 0);
    assert_eq!(line.retransmitted().iter().filter(|number| **number < 2).count(), 4);
    assert!(line.sender.snd_una() > 16_000);
}

#[test]
fn a_report_after_a_timeout_spares_the_second_one() {
    // Everything up to the copy of the timer is lost. That copy is reported: it leaves once more, and the window stays
    // 1.
    let mut line = line("tcp-eng", 4, 0..5);
    line.run_until(ms(1000));
    assert_eq!(line.sender.stats().timeouts, 1);
    line.run_until(ms(1100));
    line.report(WHOLE, 0, 1);
    assert_eq!((numbers(&line, 4), line.sender.cwnd()), (vec![0, 0], 1000));
    line.run_until(ms(2000));
    assert_eq!(line.sender.stats().timeouts, 1);
}

#[test]
fn nobody_obeys_a_report_that_is_not_for_it() {
    let acknowledged = |line: &mut Line, report| {
        line.run_until(ms(100));
        let (cwnd, sent) = (line.sender.cwnd(), line.sent.len());
        line.report(report, 0, 8);
        (line.sender.cwnd(), line.sent.len()) == (cwnd, sent)
    };
    assert!(acknowledged(&mut line("sack", 8, 0..8), WHOLE));
    assert!(acknowledged(&mut line("baimd", 8, 0..8), WHOLE));
    assert!(acknowledged(&mut line("tcp-eng", 8, 0..8), BurstReport::Lost));
    assert!(acknowledged(&mut line_with(btcp(Detector::Ble), 8, 0..8), BurstReport::Lost));
    // Nor one about what has been acknowledged, or was never sent.
    let mut line = line("tcp-eng", 8, 0..0);
    line.run_until(ms(150));
    line.report(WHOLE, 0, 8);
    line.report(WHOLE, 1000, 1008);
    assert_eq!((line.sender.stats().retransmissions, line.sender.phase()), (0, PhaseName::CongestionAvoidance));
}

#[test]
fn back_knows_a_false_timeout_and_halves() {
    // The window of 8 was one burst. The timer expires after 1 s; all is sent again with a window of 4, and no slow
    // start.
    let mut line = line_with(btcp(Detector::Back), 8, 0..8);
    line.report(BurstReport::Assembled, 0, 8);
    line.run_until(ms(1000));
    assert_eq!((line.sender.stats().timeouts, line.sender.stats().fast_retransmits), (1, 1));
    assert_eq!((line.sender.cwnd(), line.sender.ssthresh()), (4000, 4000));
    assert_eq!(numbers(&line, 8), [0, 1, 2, 3]);
    line.run_until(ms(1250));
    assert_eq!(line.sender.phase(), PhaseName::CongestionAvoidance);
}

#[test]
fn back_knows_a_true_timeout_too() {
    let mut line = line_with(btcp(Detector::Back), 8, 0..8);
    line.report(BurstReport::Assembled, 0, 4);
    line.report(BurstReport::Assembled, 4, 8);
    line.run_until(ms(1000));
    assert_eq!((line.sender.cwnd(), line.sender.stats().fast_retransmits), (1000, 0));
}

#[test]
fn ble_learns_the_length_of_bursts_from_sack() {
    // First a burst of 8 in a window of 12, which SACK shows and which leaves a window of 6; then all of that window.
    // The timeout is a true one if there was no such burst before.
    for (first, slow_start) in [(0, false), (8, true)] {
        let mut line = line_with(btcp(Detector::Ble), 12, first..8);
        line.run_until(ms(250));
        line.segment_fate = Box::new(|_, _| Fate::Drop);
        assert!((0..1000).any(|_| line.step() && line.sender.stats().timeouts == 1));
        assert_eq!(line.sender.cwnd() == u64::from(MSS), slow_start, "first lost: {first}");
    }
}

#[test]
fn a_second_timeout_without_progress_is_a_true_one() {
    let mut line = line_with(btcp(Detector::Back), 8, 0..12);
    line.report(BurstReport::Assembled, 0, 8);
    line.run_until(ms(1000));
    assert_eq!(line.sender.cwnd(), 4000);
    line.run_until(ms(2000));
    assert_eq!((line.sender.stats().timeouts, line.sender.cwnd()), (2, 1000));
    assert_eq!(line.sender.ssthresh(), 4000, "one loss halves once");
}
