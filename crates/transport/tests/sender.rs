//! The sender driven by hand, one input at a time. MSS 1000 B.

use std::sync::Arc;
use transport::cc::Algorithm;
use transport::tcp::{Ack, Actions, FastRetransmitGuard, InitialWindow, PhaseName, SackBlock, Sender, SenderConfig};
use units::{Duration, Instant};

const OPEN: u64 = 1 << 40;

fn ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

fn config() -> SenderConfig {
    SenderConfig { mss: 1000, initial_cwnd: InitialWindow::Segments(2), ..SenderConfig::default() }
}

struct Bench {
    sender: Sender,
    actions: Actions,
}

impl Bench {
    fn new(config: SenderConfig) -> Bench {
        Bench { sender: Sender::new(Arc::new(config)), actions: Actions::default() }
    }

    /// The segments sent since the last look, as (seq, len).
    fn sent(&mut self) -> Vec<(u64, u32)> {
        self.actions.segments.drain(..).map(|segment| (segment.seq, segment.len)).collect()
    }

    fn write(&mut self, now: Instant, bytes: u64) -> Vec<(u64, u32)> {
        self.sender.write(now, bytes, &mut self.actions);
        self.sent()
    }

    fn ack_within(&mut self, now: Instant, ack: u64, window: u64) -> Vec<(u64, u32)> {
        self.sender.handle_ack(now, &Ack { ack, window, sack: &[], ecn_echo: false }, &mut self.actions);
        self.sent()
    }

    fn ack(&mut self, now: Instant, ack: u64) -> Vec<(u64, u32)> {
        self.ack_within(now, ack, OPEN)
    }

    fn sack(&mut self, now: Instant, ack: u64, blocks: &[(u64, u64)]) -> Vec<(u64, u32)> {
        let sack: Vec<_> = blocks.iter().map(|(start, end)| SackBlock { start: *start, end: *end }).collect();
        self.sender.handle_ack(now, &Ack { ack, window: OPEN, sack: &sack, ecn_echo: false }, &mut self.actions);
        self.sent()
    }

    fn timeout(&mut self, now: Instant) -> Vec<(u64, u32)> {
        self.sender.handle_timeout(now, &mut self.actions);
        self.sent()
    }
}

#[test]
fn slow_start_sends_two_segments_per_ack() {
    let mut bench = Bench::new(config());
    assert_eq!(bench.write(ms(0), u64::MAX), [(0, 1000), (1000, 1000)]);
    assert_eq!(bench.ack(ms(100), 1000), [(2000, 1000), (3000, 1000)]);
    assert_eq!(bench.ack(ms(100), 2000), [(4000, 1000), (5000, 1000)]);
    assert_eq!((bench.sender.cwnd(), bench.sender.phase()), (4000, PhaseName::SlowStart));
}

#[test]
fn the_data_end_in_a_short_segment() {
    let mut bench = Bench::new(config());
    assert_eq!(bench.write(ms(0), 1300), [(0, 1000), (1000, 300)]);
    bench.ack(ms(100), 1300);
    assert!(bench.sender.is_complete());
    assert_eq!(bench.sender.next_timeout(), None, "RFC 6298 §5.2: the timer stops");
}

#[test]
fn the_timer_runs_from_the_last_new_ack() {
    let mut bench = Bench::new(config());
    bench.write(ms(0), u64::MAX);
    assert_eq!(bench.sender.next_timeout(), Some(ms(1000)), "RFC 6298 §5.1");
    bench.ack(ms(100), 1000);
    assert_eq!(bench.sender.next_timeout(), Some(ms(1100)), "RFC 6298 §5.3");
    bench.ack(ms(150), 1000);
    assert_eq!(bench.sender.next_timeout(), Some(ms(1100)), "a duplicate does not restart it");
    assert_eq!(bench.timeout(ms(1099)), [], "nothing is due");
    assert_eq!(bench.timeout(ms(1100)), [(1000, 1000)]);
    assert_eq!((bench.sender.cwnd(), bench.sender.rto()), (1000, Duration::from_secs(2)));
    assert_eq!(bench.sender.next_timeout(), Some(ms(3100)), "RFC 6298 §5.5, §5.6");
}

#[test]
fn a_retransmitted_segment_gives_no_sample_and_the_back_off_stays() {
    let mut bench = Bench::new(config());
    bench.write(ms(0), u64::MAX);
    bench.timeout(ms(1000));
    assert_eq!(bench.ack(ms(1100), 1000), [(1000, 1000), (2000, 1000)], "Karn");
    assert_eq!((bench.sender.srtt(), bench.sender.rto()), (None, Duration::from_secs(2)));
    // Segment 2 is new, sent at 1100 ms: its ACK is a sample, and the RTO is 1 s again.
    bench.ack(ms(1200), 3000);
    assert_eq!(bench.sender.srtt(), Some(Duration::from_millis(100)));
    assert_eq!(bench.sender.rto(), Duration::from_secs(1));
    assert_eq!((bench.sender.stats().rtt_samples, bench.sender.stats().rtt_sum), (1, 100_000_000_000));
}

#[test]
fn one_segment_is_timed_per_round_trip() {
    let mut bench = Bench::new(config());
    bench.write(ms(0), u64::MAX);
    bench.ack(ms(100), 1000);
    bench.ack(ms(130), 2000);
    assert_eq!(bench.sender.stats().rtt_samples, 1, "the second segment was not timed");
    bench.ack(ms(200), 3000);
    assert_eq!(bench.sender.stats().rtt_samples, 2);
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    // An application that writes one segment at a time, with an idle restart out of the way.
    let mut bench = Bench::new(SenderConfig { initial_cwnd: InitialWindow::Segments(10), ..config() });
    for round in 0..50 {
        bench.write(ms(100 * round), 1000);
        bench.ack(ms(100 * round + 50), 1000 * (round + 1));
    }
    assert_eq!(bench.sender.cwnd(), 10_000);
    // The peer admits five segments.
    let mut bench = Bench::new(SenderConfig { initial_cwnd: InitialWindow::Segments(4), ..config() });
    bench.write(ms(0), u64::MAX);
    for segment in 1..100 {
        bench.ack_within(ms(100 + segment), 1000 * segment, 5000);
    }
    assert_eq!((bench.sender.flight_size(), bench.sender.cwnd()), (5000, 6000), "at most a segment beyond its use");
}

#[test]
fn max_cwnd_holds_the_congestion_window() {
    let mut bench = Bench::new(SenderConfig { max_cwnd: 8000, ..config() });
    bench.write(ms(0), u64::MAX);
    for segment in 1..100 {
        bench.ack(ms(100 + segment), 1000 * segment);
    }
    assert_eq!((bench.sender.cwnd(), bench.sender.flight_size()), (8000, 8000));
}

#[test]
fn after_an_idle_rto_the_window_is_the_initial_one() {
    let grown = |idle_restart: bool, idle: u64| {
        let mut bench = Bench::new(SenderConfig { idle_restart, ..config() });
        bench.write(ms(0), 20_000);
        (1..=20).for_each(|segment| drop(bench.ack(ms(100 + segment), 1000 * segment)));
        assert!(bench.sender.is_complete());
        let before = bench.sender.cwnd();
        bench.write(ms(120 + idle), 100_000);
        (before, bench.sender.cwnd())
    };
    let (before, after) = grown(true, 2000);
    assert!(before > 2000);
    assert_eq!(after, 2000, "RW = min(IW, cwnd), RFC 5681 §4.1");
    let (before, after) = grown(true, 500);
    assert_eq!(before, after, "not idle for an RTO");
    let (before, after) = grown(false, 2000);
    assert_eq!(before, after, "switched off");
}

#[test]
fn a_closed_window_is_probed_with_back_off_until_it_opens() {
    let mut bench = Bench::new(config());
    bench.write(ms(0), 10_000);
    bench.ack_within(ms(100), 2000, 0);
    assert_eq!(bench.sender.flight_size(), 0);
    assert_eq!(bench.sender.next_timeout(), Some(ms(1100)));
    assert_eq!(bench.timeout(ms(1100)), [(2000, 1000)]);
    bench.ack_within(ms(1200), 2000, 0);
    assert_eq!(bench.timeout(ms(3100)), [(2000, 1000)], "2 s later");
    assert_eq!((bench.sender.stats().timeouts, bench.sender.cwnd()), (0, 3000), "not a sign of congestion");
    // The peer opens its window without having taken the probe.
    assert_eq!(bench.ack_within(ms(3200), 2000, OPEN), [(2000, 1000), (3000, 1000), (4000, 1000)]);
    assert_eq!(bench.sender.rto(), Duration::from_secs(1));
}

#[test]
fn a_probe_that_the_peer_takes_counts_as_sent() {
    let mut bench = Bench::new(config());
    bench.write(ms(0), 10_000);
    bench.ack_within(ms(100), 2000, 0);
    bench.timeout(ms(1100));
    assert_eq!(bench.ack_within(ms(1200), 3000, 2000), [(3000, 1000), (4000, 1000)]);
}

#[test]
fn the_bytes_of_a_probe_leave_again_as_a_retransmission_and_are_not_timed() {
    // Karn, RFC 6298 §3: the ACK may be the probe's. The peer drops the probe of 2000..3000 and opens its window by a
    // segment and a half; then 3000 is new.
    let mut bench = Bench::new(config());
    bench.write(ms(0), 10_000);
    bench.ack_within(ms(100), 2000, 0);
    bench.timeout(ms(1100));
    let samples = bench.sender.stats().rtt_samples;
    bench.sender.handle_ack(ms(1200), &Ack { ack: 2000, window: 300, sack: &[], ecn_echo: false }, &mut bench.actions);
    bench.sender.handle_ack(ms(1300), &Ack { ack: 2300, window: 2700, sack: &[], ecn_echo: false }, &mut bench.actions);
    let again: Vec<_> =
        bench.actions.segments.drain(..).map(|sent| (sent.seq, sent.len, sent.retransmission)).collect();
    // 700 of the second segment's bytes were in the probe; the third is new and timed.
    assert_eq!(again, [(2000, 300, true), (2300, 1000, true), (3300, 1000, false)]);
    assert_eq!(bench.sender.stats().retransmissions, 2);
    bench.ack(ms(1400), 3300);
    assert_eq!(bench.sender.stats().rtt_samples, samples, "neither of the two was timed");
    bench.ack(ms(1450), 4300);
    assert_eq!(bench.sender.stats().rtt_samples, samples + 1);
    assert_eq!(bench.sender.srtt(), Some(Duration::from_micros(7 * 100_000 / 8 + 150_000 / 8)));
}

#[test]
fn the_timer_is_the_plain_rto_when_the_window_opens_after_probes() {
    // The peer takes every probe and keeps its window closed; RFC 9293 §3.8.6.1: the interval doubles between probes.
    let mut bench = Bench::new(config());
    bench.write(ms(0), u64::MAX);
    bench.ack_within(ms(100), 2000, 0);
    let mut probes = Vec::new();
    for taken in 1..=8 {
        let at = bench.sender.next_timeout().unwrap();
        bench.timeout(at);
        probes.push(at);
        bench.ack_within(at, 2000 + 1000 * taken, 0);
    }
    let gaps: Vec<_> = probes.windows(2).map(|pair| (pair[1] - pair[0]).ps() / 1_000_000_000_000).collect();
    assert_eq!(gaps, [2, 4, 8, 16, 32, 60, 60]);
    assert_eq!(bench.sender.rto(), Duration::from_secs(1), "a probe says nothing about the RTO");
    let opened = probes[7] + Duration::from_millis(100);
    bench.ack_within(opened, 10_000, OPEN);
    assert_eq!(bench.sender.next_timeout(), Some(opened + Duration::from_secs(1)));

    // The same where the ACK that opens the window takes the probe.
    let mut bench = Bench::new(config());
    bench.write(ms(0), u64::MAX);
    bench.ack_within(ms(100), 2000, 0);
    (0..8).for_each(|_| drop(bench.timeout(bench.sender.next_timeout().unwrap())));
    let opened = bench.sender.next_timeout().unwrap();
    bench.ack_within(opened, 3000, OPEN);
    assert_eq!(bench.sender.next_timeout(), Some(opened + Duration::from_secs(1)));
}

#[test]
fn a_back_off_that_timeouts_made_outlives_a_closed_window() {
    // RFC 6298 §5: it ends with a sample, and the ACK of a retransmission is none.
    let mut bench = Bench::new(config());
    bench.write(ms(0), u64::MAX);
    bench.timeout(ms(1000));
    bench.ack_within(ms(1100), 2000, 0);
    assert_eq!(bench.sender.next_timeout(), Some(ms(3100)), "the first probe after an RTO of 2 s");
    bench.timeout(ms(3100));
    bench.ack_within(ms(3200), 2000, OPEN);
    assert_eq!(bench.sender.rto(), Duration::from_secs(2));
}

#[test]
fn a_probe_on_its_way_is_still_acknowledged_when_the_application_stops() {
    let mut bench = Bench::new(config());
    bench.write(ms(0), u64::MAX);
    bench.ack_within(ms(100), 2000, 0);
    bench.timeout(ms(1100));
    bench.sender.stop();
    assert_eq!(bench.ack(ms(1200), 3000), []);
    assert!(bench.sender.is_complete());
}

#[test]
fn with_a_fractional_window_limited_transmit_does_not_count_in_flight_size() {
    // RFC 5681 §3.2 step 2: cwnd 5.5 segments, five in flight, two more by Limited Transmit: at most 5/2 of them
    // remain.
    for name in ["reno", "newreno", "sack"] {
        let five = SenderConfig {
            algorithm: Algorithm::from_name(name).unwrap(),
            initial_cwnd: InitialWindow::Segments(5),
            max_cwnd: 5500,
            ..config()
        };
        let mut bench = Bench::new(five);
        bench.write(ms(0), u64::MAX);
        bench.ack(ms(100), 1000);
        assert_eq!((bench.sender.cwnd(), bench.sender.flight_size()), (5500, 5000), "{name}");
        assert_eq!(bench.sack(ms(101), 1000, &[(2000, 3000)]), [(6000, 1000)], "{name}");
        assert_eq!(bench.sack(ms(102), 1000, &[(2000, 4000)]), [(7000, 1000)], "{name}");
        bench.sack(ms(103), 1000, &[(2000, 5000)]);
        assert_eq!((bench.sender.phase(), bench.sender.ssthresh()), (PhaseName::FastRecovery, 2500), "{name}");
    }
}

#[test]
fn limited_transmit_goes_up_to_two_segments_beyond_the_window_one_for_each_duplicate() {
    // RFC 3042 §2: the outstanding data would remain at most cwnd + 2 segments. Reordering: two duplicates put the
    // flight two segments above a cwnd of 4; the ACK of one segment leaves it at one above, and the first duplicate may
    // send.
    let four = SenderConfig {
        algorithm: Algorithm::Reno,
        initial_cwnd: InitialWindow::Segments(4),
        max_cwnd: 4000,
        ..config()
    };
    let mut bench = Bench::new(four);
    bench.write(ms(0), u64::MAX);
    assert_eq!(bench.ack(ms(100), 0), [(4000, 1000)]);
    assert_eq!(bench.ack(ms(101), 0), [(5000, 1000)]);
    assert_eq!(bench.ack(ms(102), 1000), [], "five in flight, cwnd 4");
    assert_eq!(bench.ack(ms(103), 1000), [(6000, 1000)], "six: cwnd + 2");
    assert_eq!(bench.ack(ms(104), 1000), [], "seven would be cwnd + 3");

    // Each duplicate sends one: with the window full the first does not send two.
    let mut bench = Bench::new(SenderConfig { initial_cwnd: InitialWindow::Segments(4), ..config() });
    bench.write(ms(0), u64::MAX);
    assert_eq!(bench.ack(ms(100), 0).len(), 1);
}

#[test]
fn without_a_duplicate_nothing_leaves_above_the_window() {
    // RFC 6675 §5 step 3 sends by the pipe on duplicate ACKs alone; on any other ACK RFC 5681 §3.1 stands: nothing
    // above una + cwnd. Five in flight with cwnd 4, one of them SACKed; the ACK moves by one segment and has no news
    // above.
    let four = SenderConfig {
        algorithm: Algorithm::Sack,
        initial_cwnd: InitialWindow::Segments(4),
        max_cwnd: 4000,
        ..config()
    };
    let mut bench = Bench::new(four);
    bench.write(ms(0), u64::MAX);
    assert_eq!(bench.sack(ms(100), 0, &[(2000, 3000)]), [(4000, 1000)]);
    assert_eq!(bench.sack(ms(102), 1000, &[(2000, 3000)]), [], "four in flight although the pipe is three");
    assert_eq!(bench.sack(ms(103), 1000, &[(2000, 4000)]), [(5000, 1000), (6000, 1000)], "a duplicate: pipe two");
}

#[test]
fn a_window_below_a_segment_is_used_when_nothing_is_outstanding() {
    let mut bench = Bench::new(config());
    bench.write(ms(0), 10_000);
    assert_eq!(bench.ack_within(ms(100), 2000, 300), [(2000, 300)]);
    assert_eq!(bench.ack_within(ms(200), 2300, 1300), [(2300, 1000)]);
}

#[test]
fn an_ack_for_what_was_never_sent_is_ignored() {
    let mut bench = Bench::new(config());
    bench.write(ms(0), u64::MAX);
    assert_eq!(bench.ack(ms(100), 2001), []);
    assert_eq!(bench.ack(ms(100), u64::MAX), []);
    assert_eq!(bench.sender.snd_una(), 0);
}

#[test]
fn an_ack_without_new_sack_information_is_not_a_duplicate() {
    let ten = SenderConfig { algorithm: Algorithm::Sack, initial_cwnd: InitialWindow::Segments(10), ..config() };
    let mut bench = Bench::new(ten);
    bench.write(ms(0), 10_000);
    for _ in 0..10 {
        bench.sack(ms(100), 0, &[(1000, 2000)]);
    }
    assert_eq!(bench.sender.phase(), PhaseName::SlowStart);
    // Three segments in one block: more than (3 - 1) * SMSS bytes, so segment 0 is lost after two duplicates.
    assert_eq!(bench.sack(ms(100), 0, &[(1000, 4000)]), [(0, 1000)]);
    assert_eq!(bench.sender.phase(), PhaseName::FastRecovery);
    // Pipe: six unSACKed segments above the block and the copy.
    assert_eq!(bench.sender.pipe(), 7000);
    assert_eq!((bench.sender.cwnd(), bench.sender.ssthresh()), (5000, 5000));
}

#[test]
fn sack_recovery_sends_while_cwnd_exceeds_the_pipe() {
    let ten = SenderConfig { algorithm: Algorithm::Sack, initial_cwnd: InitialWindow::Segments(10), ..config() };
    let mut bench = Bench::new(ten);
    bench.write(ms(0), u64::MAX);
    // Limited Transmit: one new segment for each SACKed one.
    assert_eq!(bench.sack(ms(100), 0, &[(1000, 2000)]), [(10_000, 1000)]);
    assert_eq!(bench.sack(ms(100), 0, &[(1000, 3000)]), [(11_000, 1000)]);
    assert_eq!(bench.sack(ms(100), 0, &[(1000, 4000)]), [(0, 1000)]);
    assert_eq!(bench.sender.ssthresh(), 5000, "FlightSize 12 without the two of Limited Transmit, halved");
    // Pipe 8 (4 to 11) + 1; it falls by one with each SACK, and at 4 there is room.
    for (end, pipe) in [(5000, 8000), (6000, 7000), (7000, 6000), (8000, 5000)] {
        assert_eq!(bench.sack(ms(101), 0, &[(1000, end)]), []);
        assert_eq!(bench.sender.pipe(), pipe);
    }
    assert_eq!(bench.sack(ms(101), 0, &[(1000, 9000)]), [(12_000, 1000)]);
    // A full ACK ends it; cwnd stays at ssthresh.
    bench.ack(ms(200), 12_000);
    assert_eq!((bench.sender.phase(), bench.sender.cwnd()), (PhaseName::CongestionAvoidance, 5000));
}

#[test]
fn a_sender_is_small() {
    // With the 16 bytes that each host adds: six cache lines and two.
    assert!(size_of::<Sender>() <= 6 * 64 - 16);
    assert!(size_of::<transport::tcp::Receiver>() <= 2 * 64 - 16);
    println!("sender {} B, receiver {} B", size_of::<Sender>(), size_of::<transport::tcp::Receiver>());
}

#[test]
fn a_fast_retransmit_is_allowed_again_when_the_ack_passes_what_had_been_sent() {
    // ns-2 compares highest_ack_ > recover_ in segments, RFC 6582 §3.2 step 2 "covers more than recover": in bytes the
    // ACK must lie above the byte after the last one sent. Ten segments, and two by Limited Transmit: 12 000.
    for (ack, expected) in [(12_000, 1), (13_000, 2)] {
        for name in ["reno", "newreno"] {
            let config = SenderConfig {
                algorithm: Algorithm::from_name(name).unwrap(),
                fast_retransmit_guard: Some(FastRetransmitGuard::Recovery),
                initial_cwnd: InitialWindow::Segments(10),
                ..config()
            };
            let mut bench = Bench::new(config);
            bench.write(ms(0), u64::MAX);
            (1..=12).for_each(|duplicate| drop(bench.ack(ms(100 + duplicate), 0)));
            assert_eq!((bench.sender.stats().fast_retransmits, bench.sender.snd_nxt() > 13_000), (1, true), "{name}");
            bench.ack(ms(200), ack);
            (1..=3).for_each(|duplicate| drop(bench.ack(ms(200 + duplicate), ack)));
            assert_eq!(bench.sender.stats().fast_retransmits, expected, "{name}, ACK {ack}");
        }
    }
}

#[test]
fn a_fast_retransmit_restarts_the_timer_unless_told_not_to() {
    for restart in [true, false] {
        let config = SenderConfig {
            restart_timer_on_fast_retransmit: restart,
            initial_cwnd: InitialWindow::Segments(10),
            ..config()
        };
        let mut bench = Bench::new(config);
        bench.write(ms(0), 10_000);
        // The first segment is lost. Initial RTO 1 s, started at 0 with the first segment.
        for duplicate in 1..=3 {
            bench.ack(ms(100 + duplicate), 0);
        }
        let expected = if restart { ms(1103) } else { ms(1000) };
        assert_eq!(bench.sender.next_timeout(), Some(expected));
    }
}
