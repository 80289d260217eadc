//! The sender driven by hand, one input at a time. MSS 1000 B.

use std::sync::Arc;
use transport::cc::Algorithm;
use transport::tcp::{Ack, Actions, InitialWindow, PhaseName, SackBlock, Sender, SenderConfig};
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
        self.sender.handle_ack(now, &Ack { ack, window, sack: &[] }, &mut self.actions);
        self.sent()
    }

    fn ack(&mut self, now: Instant, ack: u64) -> Vec<(u64, u32)> {
        self.ack_within(now, ack, OPEN)
    }

    fn sack(&mut self, now: Instant, ack: u64, blocks: &[(u64, u64)]) -> Vec<(u64, u32)> {
        let sack: Vec<_> = blocks.iter().map(|(start, end)| SackBlock { start: *start, end: *end }).collect();
        self.sender.handle_ack(now, &Ack { ack, window: OPEN, sack: &sack }, &mut self.actions);
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
