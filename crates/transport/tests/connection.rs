//! Whole connections: timestamps and PAWS (RFC 7323), handshake and teardown, windows that grow, Nagle, quick ACKs.

use crate::harness::{MSS, receiver_config, sender_config};
use std::sync::Arc;
use transport::tcp::{
    Ack, AckOut, Actions, Connection, Control, Endpoint, InitialWindow, LossRecovery, PhaseName, ReceiverActions,
    ReceiverConfig, SackBlock, Segment, SenderConfig, TcpOptions, Undo,
};
use units::{Duration, Instant};

fn ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// A connection of segments of 1000 bytes, driven by hand.
struct Hand {
    connection: Connection,
    actions: Actions,
}

impl Hand {
    fn new(config: SenderConfig) -> Hand {
        Hand { connection: Connection::new(Arc::new(config)), actions: Actions::default() }
    }

    fn write(&mut self, at_ms: u64, bytes: u64) -> Vec<u64> {
        self.connection.write(ms(at_ms), bytes, &mut self.actions);
        self.sent()
    }

    fn ack(&mut self, at_ms: u64, ack: u64, echo_ms: Option<u64>, sack: &[(u64, u64)]) -> Vec<u64> {
        let block = |&(start, end)| SackBlock { start: 1000 * start, end: 1000 * end };
        let sack: Vec<_> = sack.iter().map(block).collect();
        let options = TcpOptions { timestamp: echo_ms.map(ms), ..TcpOptions::default() };
        let ack = Ack { ack: 1000 * ack, window: 1 << 40, sack: &sack, ecn_echo: false };
        self.connection.handle_ack(ms(at_ms), &ack, options, &mut self.actions);
        self.sent()
    }

    fn timer(&mut self, at_ms: u64) -> Vec<u64> {
        self.connection.handle_timeout(ms(at_ms), &mut self.actions);
        self.sent()
    }

    fn controls(&mut self) -> Vec<Control> {
        self.actions.controls.drain(..).collect()
    }

    fn sent(&mut self) -> Vec<u64> {
        self.actions.segments.drain(..).map(|segment| segment.seq / 1000).collect()
    }
}

fn stamped(algorithm: &str) -> SenderConfig {
    SenderConfig { timestamps: true, ..sender_config(algorithm) }
}

fn endpoint(config: ReceiverConfig) -> Endpoint {
    Endpoint::new(Arc::new(config))
}

/// An ACK: its number in segments, its echo in ms, and its blocks.
type Said = (u64, u64, Vec<(u64, u64)>);

/// A segment of 1000 bytes by its number arrives: the ACK in segments, what it echoes in ms, and its blocks.
fn arrive(endpoint: &mut Endpoint, number: u64, stamp_ms: u64) -> Option<Said> {
    let mut out = ReceiverActions::default();
    endpoint.handle_segment(ms(stamp_ms + 50), 1000 * number, 1000, Some(ms(stamp_ms)), &mut out);
    let echo = endpoint.options().timestamp.map_or(0, |echo| echo.ps() / 1_000_000_000);
    let blocks = |ack: &transport::tcp::AckOut| {
        ack.sack.as_slice().iter().map(|block| (block.start / 1000, block.end / 1000)).collect()
    };
    out.acks.first().map(|ack| (ack.ack / 1000, echo, blocks(ack)))
}

#[test]
fn the_example_of_rfc_7323_section_4_3_with_segments_out_of_order() {
    // A 1, C 3, B 2, E 5, D 4: ACKs of A, A, C, C, E with TSecr 1, 1, 2, 2, 4.
    let config = ReceiverConfig { timestamps: true, ..receiver_config() };
    let mut endpoint = endpoint(config);
    let told: Vec<_> = [(0, 1), (2, 3), (1, 2), (4, 5), (3, 4)]
        .into_iter()
        .map(|(number, stamp)| arrive(&mut endpoint, number, stamp).map(|(ack, echo, _)| (ack, echo)))
        .collect();
    assert_eq!(told, [Some((1, 1)), Some((1, 1)), Some((3, 2)), Some((3, 2)), Some((5, 4))]);
}

#[test]
fn a_delayed_ack_echoes_the_first_segment_that_it_is_for() {
    // RFC 7323 §4.3 (A): so the round trip that it measures has the delay in it.
    let delayed_ack = Some(Duration::from_millis(100));
    let mut endpoint = endpoint(ReceiverConfig { timestamps: true, delayed_ack, ..receiver_config() });
    assert_eq!(arrive(&mut endpoint, 0, 1), None);
    assert_eq!(arrive(&mut endpoint, 1, 2), Some((2, 1, vec![])));
}

#[test]
fn paws_refuses_a_segment_older_than_ts_recent_and_says_what_it_was() {
    let mut endpoint = endpoint(ReceiverConfig { timestamps: true, ..receiver_config() });
    arrive(&mut endpoint, 0, 1);
    arrive(&mut endpoint, 1, 20);
    // RFC 7323 §5.3 R1: an ACK, and the segment is dropped. It is a late copy: D-SACK.
    assert_eq!(arrive(&mut endpoint, 0, 5), Some((2, 20, vec![(0, 1)])));
    // A late original behind a retransmission is refused too, though its bytes are missing.
    assert_eq!(arrive(&mut endpoint, 2, 6), Some((2, 20, vec![])));
    assert_eq!((endpoint.refused(), endpoint.receiver().bytes_received()), (2, 2000));
    assert_eq!(arrive(&mut endpoint, 2, 20), Some((3, 20, vec![])), "not older is good");
}

#[test]
fn linux_lets_pass_what_is_a_tick_older_than_ts_recent() {
    let paws_slack = Duration::from_millis(1);
    let mut endpoint = endpoint(ReceiverConfig { timestamps: true, paws_slack, ..receiver_config() });
    arrive(&mut endpoint, 0, 1);
    arrive(&mut endpoint, 1, 20);
    assert_eq!(arrive(&mut endpoint, 2, 18), Some((2, 20, vec![])), "two ticks are too many");
    assert_eq!(arrive(&mut endpoint, 2, 19), Some((3, 20, vec![])), "TS.Recent does not go back");
    assert_eq!(endpoint.refused(), 1);
}

#[test]
fn three_sack_blocks_fit_beside_timestamps() {
    let mut endpoint = endpoint(ReceiverConfig { timestamps: true, ..receiver_config() });
    let last = [2, 4, 6, 8].map(|number| arrive(&mut endpoint, number, 1)).into_iter().next_back().flatten();
    assert_eq!(last, Some((0, 0, vec![(8, 9), (6, 7), (4, 5)])), "RFC 2018 §3");
}

#[test]
fn an_echo_measures_what_was_sent_again() {
    // Karn's rule gives no sample of a retransmission; its timestamp does.
    for (timestamps, srtt) in [(false, None), (true, Some(Duration::from_millis(100)))] {
        let mut hand = Hand::new(SenderConfig { timestamps, ..sender_config("sack") });
        hand.write(0, 1000);
        hand.timer(1000);
        hand.ack(1100, 1, Some(1000), &[]);
        assert_eq!(hand.connection.sender().srtt(), srtt);
    }
}

#[test]
fn many_samples_in_a_round_trip_move_srtt_as_one_would() {
    // RFC 7323 appendix G: 40 segments in flight, ExpectedSamples = 20: SRTT moves by 1/160 of the difference.
    let config = SenderConfig { initial_cwnd: InitialWindow::Segments(41), ..stamped("sack") };
    let mut hand = Hand::new(config);
    hand.write(0, 41_000);
    hand.ack(100, 1, Some(0), &[]);
    assert_eq!(hand.connection.sender().flight_size(), 40_000);
    // 100 + (260 − 100)/160 ms.
    hand.ack(260, 2, Some(0), &[]);
    assert_eq!(hand.connection.sender().srtt(), Some(Duration::from_millis(101)));
}

#[test]
fn round_trips_are_whole_ticks_and_at_least_one() {
    let mut hand = Hand::new(SenderConfig { timestamp_clock: Duration::from_millis(10), ..stamped("sack") });
    hand.write(0, 1000);
    assert_eq!(hand.connection.options(ms(57)).timestamp, Some(ms(50)));
    hand.ack(3, 1, Some(0), &[]);
    assert_eq!(hand.connection.sender().srtt(), Some(Duration::from_millis(10)));
}

/// Linux, tcp_ack_update_rtt: by its own send times; by the timestamp, in ticks, where the ACK covers what was sent
/// again.
#[test]
fn linux_measures_by_its_own_send_times_and_by_timestamps_where_it_has_none() {
    let recovery = Some(LossRecovery::Linux);
    let config = || SenderConfig { recovery, timestamp_clock: Duration::from_millis(10), ..stamped("vegas") };
    let mut hand = Hand::new(config());
    hand.write(0, 3000);
    hand.ack(3, 1, Some(0), &[]);
    assert_eq!(hand.connection.sender().srtt(), Some(Duration::from_millis(3)));
    let mut hand = Hand::new(config());
    hand.write(0, 1000);
    hand.timer(1000);
    hand.ack(1103, 1, Some(1000), &[]);
    assert_eq!(hand.connection.sender().srtt(), Some(Duration::from_millis(100)), "of 1103 less 1000 ms");
    // An ACK of two segments: the timer goes by the first, which waited for the second.
    let mut hand = Hand::new(config());
    hand.write(0, 1000);
    hand.write(4, 1000);
    hand.ack(9, 2, Some(0), &[]);
    assert_eq!(hand.connection.sender().srtt(), Some(Duration::from_millis(9)));
}

#[test]
fn eifel_needs_no_d_sack() {
    for recovery in ["newreno", "sack", "cubic"] {
        let mut hand = Hand::new(SenderConfig { undo: Some(Undo::Eifel), ..stamped(recovery) });
        hand.write(0, 20_000);
        hand.timer(1000);
        assert_eq!(hand.connection.sender().cwnd(), 1000);
        // The first copy of the first segment, sent at 0.
        let sent = hand.ack(1010, 1, Some(0), &[]);
        assert!(sent.iter().all(|segment| *segment >= 10), "{recovery}: no go-back");
        assert!(hand.connection.sender().cwnd() >= 10_000, "{recovery}");
    }
}

#[test]
fn data_follow_the_answer_to_the_syn_and_the_handshake_measures_a_round_trip() {
    let config = SenderConfig { handshake: true, ..sender_config("sack") };
    let mut hand = Hand::new(config);
    assert_eq!((hand.write(0, 20_000), hand.controls()), (vec![], vec![Control::Syn]));
    hand.connection.handle_control(ms(80), Control::SynAck.into(), &mut hand.actions);
    assert_eq!(hand.sent().len(), 10);
    let sender = hand.connection.sender();
    assert_eq!((sender.srtt(), sender.cwnd()), (Some(Duration::from_millis(80)), 10_000));
    hand.connection.handle_control(ms(90), Control::SynAck.into(), &mut hand.actions);
    assert!(hand.sent().is_empty(), "a second answer says nothing new");
}

#[test]
fn a_lost_syn_costs_the_initial_timeout_and_the_initial_window() {
    let mut hand = Hand::new(SenderConfig { handshake: true, ..sender_config("sack") });
    hand.write(0, 20_000);
    assert_eq!(hand.connection.next_timeout(), Some(ms(1000)));
    hand.timer(1000);
    assert_eq!((hand.controls().len(), hand.connection.next_timeout()), (2, Some(ms(3000))), "1 s, then 2 s");
    hand.connection.handle_control(ms(1080), Control::SynAck.into(), &mut hand.actions);
    // RFC 5681 §3.1: one segment. RFC 6298 §5.7: RTO = 3 s. No round trip: which SYN was answered?
    assert_eq!((hand.sent(), hand.connection.sender().srtt()), (vec![0], None));
    assert_eq!(hand.connection.sender().rto(), Duration::from_secs(3));
}

#[test]
fn a_fin_follows_the_last_ack_and_is_repeated_until_it_is_answered() {
    let config = SenderConfig { teardown: true, ..sender_config("sack") };
    let mut hand = Hand::new(config);
    hand.write(0, 2000);
    hand.connection.end(ms(0), &mut hand.actions);
    assert_eq!(hand.controls(), []);
    hand.ack(100, 2, None, &[]);
    assert_eq!(hand.controls(), [Control::Fin]);
    let due = hand.connection.next_timeout().expect("a timer runs");
    hand.connection.handle_timeout(due, &mut hand.actions);
    assert_eq!(hand.controls(), [Control::Fin]);
    hand.connection.handle_control(ms(5000), Control::FinAck.into(), &mut hand.actions);
    assert_eq!((hand.connection.next_timeout(), hand.connection.is_complete()), (None, true));
    let answers =
        [Control::Syn, Control::Fin].map(|control| endpoint(receiver_config()).handle_control(control.into())?.control);
    assert_eq!(answers, [Some(Control::SynAck), Some(Control::FinAck)]);
}

#[test]
fn a_tuned_window_is_twice_what_arrives_in_a_round_trip() {
    let config = ReceiverConfig { autotune_from: Some(20_000), window: 1 << 20, ..receiver_config() };
    let mut endpoint = endpoint(config);
    let window = |endpoint: &Endpoint| endpoint.options().window.expect("tuned");
    assert!((19_000..=20_000).contains(&window(&endpoint)));
    // A sender that fills the window in every round trip of 100 ms.
    let (mut at, mut number) = (0, 0);
    for _ in 0..8 {
        let segments = window(&endpoint) / u64::from(MSS);
        for _ in 0..segments {
            let mut out = ReceiverActions::default();
            endpoint.handle_segment(ms(at), 1000 * number, 1000, None, &mut out);
            assert_eq!(out.acks[0].window, window(&endpoint));
            number += 1;
        }
        at += 100;
    }
    assert!((1 << 19..=1 << 20).contains(&window(&endpoint)), "{}", window(&endpoint));
    // The bound, down to what a window scale of 5 can say: 2^20 needs 2^20/65535, rounded up to 32.
    assert_eq!(window(&endpoint) % 32, 0);
}

#[test]
fn nagle_keeps_a_short_segment_while_anything_is_outstanding() {
    for (nagle, sent_at_once) in [(false, 2), (true, 1)] {
        let mut hand = Hand::new(SenderConfig { nagle, ..sender_config("sack") });
        hand.connection.write(ms(0), 300, &mut hand.actions);
        hand.connection.write(ms(1), 300, &mut hand.actions);
        assert_eq!(hand.actions.segments.len(), sent_at_once, "RFC 896");
        // What has been written by the time of the ACK leaves in one segment.
        hand.connection.write(ms(2), 300, &mut hand.actions);
        let ack = Ack { ack: 300, window: 1 << 40, sack: &[], ecn_echo: false };
        hand.connection.handle_ack(ms(100), &ack, TcpOptions::default(), &mut hand.actions);
        assert_eq!(hand.actions.segments.last().map(|segment| segment.len), Some(if nagle { 600 } else { 300 }));
    }
}

#[test]
fn quick_acks_come_for_the_first_segments_only() {
    let delayed_ack = Some(Duration::from_millis(100));
    let mut endpoint = endpoint(ReceiverConfig { delayed_ack, quick_acks: 3, ..receiver_config() });
    let acked: Vec<bool> = (0..7).map(|number| arrive(&mut endpoint, number, 0).is_some()).collect();
    assert_eq!(acked, [true, true, true, false, true, false, true]);
}

#[test]
fn without_window_scaling_the_window_has_16_bits() {
    let config = ReceiverConfig { window_scaling: false, ..receiver_config() };
    assert_eq!(config.validate().map_err(|error| error.field), Err("receiver_window"));
    assert_eq!(ReceiverConfig { window: 65_535, ..config }.validate(), Ok(()));
    let config = ReceiverConfig { autotune_from: Some(1 << 20), window: 1 << 19, ..receiver_config() };
    assert_eq!(config.validate().map_err(|error| error.field), Err("autotune_from"));
}

#[test]
fn rack_knows_by_its_echo_which_copy_has_arrived() {
    // RFC 8985 §6.2 step 2: the ACK of a segment that was sent twice echoes the first copy's timestamp, so it says
    // nothing about the second, however old that is. SRTT is 100 ms and the copy left 150 ms ago.
    for (echo_ms, shows_losses) in [(0, false), (110, true)] {
        let config = SenderConfig { recovery: Some(LossRecovery::Rack), ..stamped("sack") };
        let mut hand = Hand::new(config);
        hand.write(0, 10_000);
        hand.ack(100, 1, Some(0), &[]);
        hand.ack(110, 1, Some(0), &[(2, 5)]);
        assert_eq!(hand.connection.sender().phase(), PhaseName::FastRecovery);
        // With the echo of 110 ms the copy is the newest delivered, and what left at 0 and is missing is lost.
        let sent = hand.ack(260, 2, Some(echo_ms), &[(2, 5)]);
        assert_eq!(sent.contains(&5), shows_losses, "echo of {echo_ms} ms: {sent:?}");
    }
}

#[test]
fn syn_and_answer_agree_on_ecn_or_it_is_not_used() {
    // RFC 3168 §6.1.1: an ECN-setup SYN has ECE and CWR, its answer ECE; without that no segment is ECN-capable.
    for (accept_ecn, agreed) in [(true, true), (false, false)] {
        let mut hand = Hand::new(SenderConfig { handshake: true, ecn: true, ..sender_config("sack") });
        hand.write(0, 20_000);
        let asked = hand.connection.control_options(ms(0), Control::Syn);
        assert!(asked.ecn_setup);
        let answer =
            endpoint(ReceiverConfig { accept_ecn, ..receiver_config() }).handle_control(asked).expect("an answer");
        assert_eq!(answer.ecn_setup, agreed);
        hand.connection.handle_control(ms(80), answer, &mut hand.actions);
        let segment = hand.actions.segments[0];
        assert_eq!(hand.connection.sender().ecn_of(&segment).is_some_and(|said| said.is_capable()), agreed);
    }
    let plain = Hand::new(SenderConfig { handshake: true, ..sender_config("sack") });
    let asked = plain.connection.control_options(ms(0), Control::Syn);
    let answer = endpoint(receiver_config()).handle_control(asked).expect("an answer");
    assert!(!asked.ecn_setup && !answer.ecn_setup, "who is not asked does not agree");
}

#[test]
fn a_syn_that_is_repeated_asks_for_ecn_again() {
    let mut hand = Hand::new(SenderConfig { handshake: true, ecn: true, ..sender_config("sack") });
    hand.write(0, 20_000);
    hand.timer(1000);
    assert!(hand.connection.control_options(ms(1000), Control::Syn).ecn_setup && hand.connection.sender().has_ecn());
}

/// A receiver of ten segments whose application reads two every 100 ms.
fn slow_reader() -> Endpoint {
    let every = Duration::from_millis(100);
    endpoint(ReceiverConfig { read: Some(2000), read_every: every, window: 10_000, ..receiver_config() })
}

#[test]
fn what_is_not_read_closes_the_window_and_the_read_that_opens_it_says_so() {
    let mut endpoint = slow_reader();
    let mut windows = Vec::new();
    for number in 0..10 {
        let mut out = ReceiverActions::default();
        endpoint.handle_segment(ms(0), 1000 * number, 1000, None, &mut out);
        windows.push(out.acks[0].window);
    }
    assert_eq!(windows, [9000, 8000, 7000, 6000, 5000, 4000, 3000, 2000, 1000, 0]);
    // A probe finds it closed, and leaves nothing behind.
    let mut out = ReceiverActions::default();
    endpoint.handle_segment(ms(50), 10_000, 1000, None, &mut out);
    assert_eq!((out.acks[0].ack, out.acks[0].window, endpoint.receiver().rcv_nxt()), (10_000, 0, 10_000));
    // The first read is a period after the first segment.
    assert_eq!(endpoint.next_timeout(), Some(ms(100)));
    out.acks.clear();
    endpoint.handle_timeout(ms(100), &mut out);
    assert_eq!((out.acks[0].ack, out.acks[0].window), (10_000, 2000));
    assert_eq!(endpoint.next_timeout(), None, "the sender has something to send");
}

#[test]
fn the_window_opens_by_a_segment_at_least() {
    // RFC 9293 §3.8.6.2.2: reads of 300 B open it with the fourth, by 1200 B.
    let every = Duration::from_millis(100);
    let mut endpoint =
        endpoint(ReceiverConfig { read: Some(300), read_every: every, window: 4000, ..receiver_config() });
    for number in 0..4 {
        endpoint.handle_segment(ms(0), 1000 * number, 1000, None, &mut ReceiverActions::default());
    }
    let mut opened = Vec::new();
    for read in 1..=4 {
        let mut out = ReceiverActions::default();
        endpoint.handle_timeout(ms(100 * read), &mut out);
        opened.extend(out.acks.iter().map(|ack| (read, ack.window)));
    }
    assert_eq!(opened, [(4, 1200)]);
}

#[test]
fn a_flow_goes_at_the_pace_of_its_reader_and_ends_though_window_updates_are_lost() {
    for lost_updates in [false, true] {
        let mut sender = Connection::new(Arc::new(SenderConfig { handshake: true, ..sender_config("sack") }));
        let mut endpoint = slow_reader();
        let (mut actions, mut out, mut now) = (Actions::default(), ReceiverActions::default(), ms(0));
        sender.write(now, 60_000, &mut actions);
        let mut line: Vec<(Instant, Result<Segment, AckOut>)> = Vec::new();
        sender.handle_control(ms(100), Control::SynAck.into(), &mut actions);
        let delay = Duration::from_millis(50);
        for _ in 0..10_000 {
            line.extend(actions.segments.drain(..).map(|segment| (now + delay, Ok(segment))));
            line.extend(out.acks.drain(..).map(|ack| (now + delay, Err(ack))));
            line.sort_by_key(|(at, _)| *at);
            let arrival = line.first().map(|(at, _)| *at);
            let timers = [sender.next_timeout(), endpoint.next_timeout(), arrival];
            let Some(next) = timers.into_iter().flatten().min().filter(|_| !sender.is_complete()) else { break };
            now = next.max(now);
            if arrival == Some(next) {
                match line.remove(0).1 {
                    Ok(segment) => endpoint.handle_segment(now, segment.seq, segment.len, None, &mut out),
                    Err(ack) => sender.handle_ack(now, &ack.as_ack(), TcpOptions::default(), &mut actions),
                }
            } else {
                sender.handle_timeout(now, &mut actions);
                endpoint.handle_timeout(now, &mut out);
                if lost_updates {
                    out.acks.clear();
                }
            }
        }
        assert!(sender.is_complete() && endpoint.receiver().bytes_received() == 60_000);
        // 50 segments beyond the buffer at two every 100 ms: 2.5 s, and more where probes have to find out.
        let took = now.saturating_since(ms(100)).as_secs_f64();
        let expected = if lost_updates { 2.5..20.0 } else { 2.4..3.2 };
        assert!(expected.contains(&took), "{took} s, updates lost: {lost_updates}");
    }
}
