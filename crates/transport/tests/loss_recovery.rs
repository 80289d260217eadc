//! Loss recovery as seen from outside: who retransmits what, when, and what it costs. RTT 100 ms, MSS 1000 B,
//! initial window 10 segments unless said otherwise.

use crate::harness::{Fate, Line, MSS, receiver_config, sender_config};
use transport::tcp::{
    FastRetransmitGuard, InitialWindow, PartialAckTimer, PhaseName, ReceiverConfig, SackAfterTimeout, SenderConfig,
    SsthreshFrom,
};
use units::{Duration, Instant};

fn ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

const ALL: [&str; 4] = ["reno", "newreno", "sack", "highspeed"];

#[test]
fn one_loss_in_a_window_of_ten_costs_one_retransmission_and_no_timeout() {
    for name in ALL {
        let mut line = Line::losing(sender_config(name), &[4]);
        line.write(10);
        assert!(line.finish(1000), "{name}");
        let stats = line.sender.stats();
        assert_eq!((stats.retransmissions, stats.fast_retransmits, stats.timeouts), (1, 1, 0), "{name}");
        assert_eq!(line.retransmitted(), [4], "{name}");
        // The ACK of segment 4's copy: one round trip to the third duplicate, one more for the copy.
        assert_eq!(line.now, ms(200), "{name}");
    }
}

#[test]
fn the_first_byte_of_a_flow_can_be_recovered_by_fast_retransmit() {
    // RFC 6582's recover starts below the first byte.
    for name in ALL {
        let mut line = Line::losing(sender_config(name), &[0]);
        line.write(10);
        assert!(line.finish(1000), "{name}");
        assert_eq!((line.sender.stats().fast_retransmits, line.sender.stats().timeouts), (1, 0), "{name}");
    }
}

#[test]
fn the_window_is_half_the_flight_after_a_fast_recovery() {
    // FlightSize 10 at the loss; Limited Transmit's segments do not count.
    for name in ["reno", "newreno", "sack"] {
        let mut line = Line::losing(sender_config(name), &[0]);
        line.write(u64::MAX);
        line.run_until(ms(150));
        assert_eq!(line.sender.phase(), PhaseName::FastRecovery, "{name}");
        assert_eq!(line.sender.ssthresh(), 5000, "{name}");
        line.run_until(ms(200));
        assert_eq!(line.sender.phase(), PhaseName::CongestionAvoidance, "{name}");
        assert_eq!(line.sender.cwnd(), 5000, "{name}");
    }
}

#[test]
fn in_sack_recovery_the_peers_window_holds_new_data_back_and_max_cwnd_does_not() {
    // Ten segments, the first lost, so nine duplicates. RFC 6675 with cwnd 10, then 5: two segments by Limited Transmit
    // (10 and 11); pipe 9 after the third duplicate; 4 after the eighth and the ninth, which send 12 and 13.
    // ns-2's window_ is both bounds at once: nothing beyond 9, the last within ten of the cumulative ACK.
    let ten = 10 * u64::from(MSS);
    for (peer_window, last) in [(u64::MAX, 13), (ten, 9)] {
        let config = SenderConfig { max_cwnd: ten, initial_peer_window: peer_window, ..sender_config("sack") };
        let receiver = ReceiverConfig { window: peer_window, ..receiver_config() };
        let mut line = Line::new(config, receiver);
        line.segment_fate = Box::new(|number, _| if number == 0 { Fate::Drop } else { Fate::Deliver });
        line.write(u64::MAX);
        line.run_until(ms(150));
        assert_eq!(line.sender.phase(), PhaseName::FastRecovery);
        let highest = line.sent.iter().map(|(_, segment)| segment.seq / u64::from(MSS)).max();
        assert_eq!(highest, Some(last), "the peer's window is {peer_window}");
    }
}

#[test]
fn reno_inflates_by_three_segments_and_one_more_per_duplicate() {
    let config = SenderConfig { limited_transmit: false, ..sender_config("reno") };
    let mut line = Line::losing(config, &[0]);
    line.write(10);
    line.run_until(ms(100));
    // Nine duplicates: ssthresh 5 + 3 + 6.
    assert_eq!(line.sender.cwnd(), 14 * u64::from(MSS));
}

#[test]
fn limited_transmit_sends_one_new_segment_on_each_of_the_first_two_duplicates() {
    let config = SenderConfig {
        initial_ssthresh: Some(4000),
        initial_cwnd: transport::tcp::InitialWindow::Segments(4),
        ..sender_config("reno")
    };
    // A window of 4 with two losses leaves two duplicates: too few to retransmit, but two new segments make two more.
    let mut line = Line::losing(config.clone(), &[0, 1]);
    line.write(u64::MAX);
    line.run_until(ms(100));
    assert_eq!(line.sent.iter().map(|(_, s)| s.seq / 1000).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    line.run_until(ms(200));
    assert_eq!(line.sender.stats().fast_retransmits, 1);
    assert_eq!(line.sender.ssthresh(), 2000, "FlightSize 4, not 6");
    let mut line = Line::losing(SenderConfig { limited_transmit: false, ..config }, &[0, 1]);
    line.write(u64::MAX);
    line.run_until(ms(900));
    assert_eq!((line.sent.len(), line.sender.stats().fast_retransmits), (4, 0));
}

#[test]
fn reno_leaves_recovery_at_the_first_new_ack_and_pays_again_for_the_second_loss() {
    // Losses 0 and 5 of 10: the copy of 0 brings a partial ACK, which ends recovery with a window of 5. The duplicates
    // of segment 5 have already passed, so only the timer is left unless new data make duplicates.
    let mut line = Line::losing(sender_config("reno"), &[0, 5]);
    line.write(10);
    assert!(line.finish(1000));
    let stats = line.sender.stats();
    assert_eq!((stats.fast_retransmits, stats.timeouts), (1, 1));

    // With data to send, the segments that inflation let out make the duplicates for a second fast retransmit.
    let mut line = Line::losing(sender_config("reno"), &[0, 5]);
    line.write(u64::MAX);
    line.run_until(ms(900));
    let stats = line.sender.stats();
    assert_eq!((stats.fast_retransmits, stats.timeouts), (2, 0));
    assert_eq!(line.retransmitted(), [0, 5]);
}

#[test]
fn with_the_guard_of_ns_2_reno_makes_one_fast_retransmit_per_window() {
    // ns-2's bugFix_, its default: losses 0 and 5 of 10 again, with data to send. The duplicates of segment 5 come
    // while the ACK is below what had been sent at the first fast retransmit, so nothing but the timer repairs it.
    let config = SenderConfig { fast_retransmit_guard: Some(FastRetransmitGuard::Recovery), ..sender_config("reno") };
    let mut line = Line::losing(config, &[0, 5]);
    line.write(u64::MAX);
    line.run_until(ms(2000));
    let stats = line.sender.stats();
    assert_eq!((stats.fast_retransmits, stats.timeouts), (1, 1));
    assert_eq!(line.retransmitted()[..2], [0, 5]);
}

#[test]
fn newreno_repairs_three_losses_in_three_round_trips() {
    let mut line = Line::losing(sender_config("newreno"), &[1, 3, 5]);
    line.write(10);
    assert!(line.finish(1000));
    let stats = line.sender.stats();
    assert_eq!((stats.fast_retransmits, stats.retransmissions, stats.timeouts), (1, 3, 0));
    let times: Vec<_> = line.sent.iter().filter(|(_, s)| s.retransmission).map(|(at, s)| (*at, s.seq / 1000)).collect();
    // The third duplicate arrives after one round trip, each partial ACK one later.
    assert_eq!(times, [(ms(100), 1), (ms(200), 3), (ms(300), 5)]);
    assert_eq!(line.now, ms(400));
}

#[test]
fn sack_repairs_three_losses_in_one_round_trip() {
    let config = SenderConfig { rescue_retransmission: false, ..sender_config("sack") };
    let mut line = Line::losing(config, &[1, 3, 5]);
    line.write(10);
    assert!(line.finish(1000));
    let stats = line.sender.stats();
    assert_eq!((stats.fast_retransmits, stats.retransmissions, stats.timeouts), (1, 3, 0));
    assert_eq!(line.now, ms(200));
}

#[test]
fn a_rescue_may_repeat_a_hole_that_is_already_on_its_way() {
    // RFC 6675 §4 rule (4) asks for the highest unSACKed segment as soon as HighACK passes RescueRxt, here with the ACK
    // of segment 1's copy, although 5 has been sent again and nothing shows that this copy is lost.
    let mut line = Line::losing(sender_config("sack"), &[1, 3, 5]);
    line.write(10);
    assert!(line.finish(1000));
    assert_eq!(line.retransmitted(), [1, 3, 5, 5]);
}

#[test]
fn the_impatient_variant_times_out_where_slow_but_steady_does_not() {
    // Nine losses need nine round trips of 100 ms; the first partial ACK restarts the timer of at least 500 ms, the
    // others only in the slow-but-steady variant.
    let lost: &[u64] = &[0, 1, 2, 3, 4, 5, 6, 7, 8];
    let run = |partial_ack_timer| {
        let config = SenderConfig {
            partial_ack_timer,
            min_rto: Duration::from_millis(500),
            initial_rto: Duration::from_millis(500),
            initial_cwnd: transport::tcp::InitialWindow::Segments(12),
            ..sender_config("newreno")
        };
        let mut line = Line::losing(config, lost);
        line.write(12);
        assert!(line.finish(1000));
        (line.sender.stats().timeouts, line.sender.stats().retransmissions >= 9)
    };
    assert_eq!(run(PartialAckTimer::Impatient), (1, true));
    assert_eq!(run(PartialAckTimer::SlowButSteady), (0, true));
}

#[test]
fn a_lost_retransmission_is_repaired_by_the_timer_only() {
    for name in ["newreno", "sack"] {
        let config = SenderConfig { rescue_retransmission: false, ..sender_config(name) };
        // Number 10 is the copy: ten segments, then the fast retransmit.
        let mut line = Line::losing(config, &[2, 10]);
        line.write(10);
        assert!(line.finish(1000), "{name}");
        let stats = line.sender.stats();
        assert_eq!((stats.fast_retransmits, stats.timeouts), (1, 1), "{name}");
        assert_eq!(line.retransmitted()[..2], [2, 2], "{name}");
    }
}

#[test]
fn no_fast_retransmit_follows_a_timeout_until_the_ack_passes_recover() {
    // All ten ACKs are lost; the timer sends everything again, and every copy is answered by a duplicate ACK.
    for name in ALL {
        let mut line = Line::new(sender_config(name), receiver_config());
        line.ack_fate = Box::new(|number| if number < 10 { Fate::Drop } else { Fate::Deliver });
        line.write(30);
        assert!(line.finish(1000), "{name}");
        assert_eq!((line.sender.stats().timeouts, line.sender.stats().fast_retransmits), (1, 0), "{name}");
    }
}

#[test]
fn a_timeout_sends_the_window_again_in_slow_start_without_what_is_sacked() {
    // Of ten segments 0 to 7 are lost: two duplicates, no fast retransmit without new data.
    let lost: &[u64] = &[0, 1, 2, 3, 4, 5, 6, 7];
    for keep in [SackAfterTimeout::Discard, SackAfterTimeout::Keep] {
        let mut line = Line::losing(SenderConfig { sack_after_timeout: keep, ..sender_config("sack") }, lost);
        line.write(10);
        assert!(line.finish(1000));
        // The ACK of segment 0's copy reports 8 and 9 again, so they are spared either way.
        assert_eq!(line.retransmitted(), [0, 1, 2, 3, 4, 5, 6, 7], "{keep:?}");
        assert_eq!(line.sender.stats().timeouts, 1);
        // Timeout at 1 s, then 1, 2, 4 and 1 segments: four round trips.
        assert_eq!(line.now, ms(1400));
    }
}

#[test]
fn ssthresh_is_cut_by_the_first_timeout_of_a_segment_only() {
    let mut line = Line::new(sender_config("newreno"), receiver_config());
    line.segment_fate = Box::new(|number, _| if number < 13 { Fate::Drop } else { Fate::Deliver });
    line.write(10);
    line.run_until(ms(1000));
    assert_eq!((line.sender.ssthresh(), line.sender.cwnd()), (5000, 1000), "FlightSize 10 halved");
    line.run_until(ms(3000));
    assert_eq!((line.sender.stats().timeouts, line.sender.ssthresh()), (2, 5000), "held, not 2 MSS");
    assert!(line.finish(1000));
    assert_eq!(line.sender.stats().timeouts, 4, "at 1, 3, 7 and 15 s");
    assert!(line.now > ms(15_000));
}

#[test]
fn ns_2_halves_cwnd_where_rfc_5681_halves_the_flight_and_at_every_timeout() {
    // As before: ten segments of initial_cwnd 20, all lost, and the first copies too.
    let config = SenderConfig {
        initial_cwnd: InitialWindow::Segments(20),
        ssthresh_from: SsthreshFrom::Cwnd,
        ..sender_config("newreno")
    };
    let mut line = Line::new(config, receiver_config());
    line.segment_fate = Box::new(|number, _| if number < 13 { Fate::Drop } else { Fate::Deliver });
    line.write(10);
    line.run_until(ms(1000));
    assert_eq!(line.sender.ssthresh(), 10_000, "half of cwnd 20, not of the flight of 10");
    line.run_until(ms(3000));
    assert_eq!(line.sender.ssthresh(), 2000, "half of cwnd 1, and two at least");
}

#[test]
fn a_timeout_after_a_recovery_of_reno_halves_the_window_that_duplicates_did_not_inflate_under_ns_2s_rule() {
    // ns-2.35 (Reno, ssthresh 40 at first, segments 301 to 309 dropped): cwnd 302 to 151 at the fast retransmit, 75 at
    // the timeout, although 445 segments are outstanding. Here: a window of 40, nine lost. 20 at the fast retransmit;
    // 31 duplicate ACKs inflate it and let new segments out; at the timeout half of 20 is 10. RFC 5681 eq. (4) allows
    // half of the flight at most, and that is more.
    let after = |ssthresh_from| {
        let config = SenderConfig {
            initial_cwnd: InitialWindow::Segments(40),
            initial_ssthresh: Some(40_000),
            fast_retransmit_guard: Some(FastRetransmitGuard::Recovery),
            ssthresh_from,
            ..sender_config("reno")
        };
        let mut line = Line::new(config, receiver_config());
        line.segment_fate = Box::new(|number, _| if number < 9 { Fate::Drop } else { Fate::Deliver });
        line.write(u64::MAX);
        while line.sender.stats().timeouts == 0 {
            line.run_until(line.now + Duration::from_millis(10));
        }
        line.sender.ssthresh()
    };
    assert_eq!([after(SsthreshFrom::Cwnd), after(SsthreshFrom::Flight)], [10_000; 2]);
}

#[test]
fn a_late_segment_makes_a_fast_retransmit_that_d_sack_proves_false() {
    for name in ALL {
        let mut line = Line::new(sender_config(name), receiver_config());
        line.segment_fate = Box::new(|number, _| match number {
            2 => Fate::Delay(Duration::from_millis(30)),
            _ => Fate::Deliver,
        });
        line.write(20);
        assert!(line.finish(1000), "{name}");
        line.drain();
        let stats = line.sender.stats();
        assert_eq!((stats.fast_retransmits, stats.false_fast_retransmits), (1, 1), "{name}");
        assert!(line.receiver.duplicates() >= 1, "{name}");
    }
}

#[test]
fn a_true_loss_is_not_counted_as_false() {
    for name in ALL {
        let mut line = Line::losing(sender_config(name), &[2]);
        line.write(20);
        assert!(line.finish(1000), "{name}");
        line.drain();
        assert_eq!(line.sender.stats().false_fast_retransmits, 0, "{name}");
    }
}

#[test]
fn a_delay_beyond_the_rto_makes_a_timeout_that_d_sack_proves_false() {
    let mut line = Line::new(sender_config("sack"), receiver_config());
    line.segment_fate = Box::new(|_, segment| match segment.retransmission {
        false => Fate::Delay(Duration::from_millis(960)),
        true => Fate::Deliver,
    });
    line.write(1);
    assert!(line.finish(1000));
    line.drain();
    // Sent at 0, timer at 1000 ms, the copy arrives at 1050 and the original at 1010: one duplicate.
    assert_eq!((line.sender.stats().timeouts, line.sender.stats().false_timeouts), (1, 1));
}

#[test]
fn a_rescue_retransmission_spares_the_timeout_of_a_lost_tail() {
    // Of ten segments 2 and the last two are lost; nothing above them can be SACKed.
    let lost: &[u64] = &[2, 8, 9];
    let run = |rescue_retransmission| {
        let mut line = Line::losing(SenderConfig { rescue_retransmission, ..sender_config("sack") }, lost);
        line.write(10);
        assert!(line.finish(1000));
        (line.sender.stats().timeouts, line.retransmitted())
    };
    // The ACK of 2 moves to 8, beyond RescueRxt: the highest segment, 9, is sent; its SACK makes 8 the next hole.
    assert_eq!(run(true), (0, vec![2, 9, 8]));
    let (timeouts, sent) = run(false);
    assert_eq!((timeouts, sent), (1, vec![2, 8, 9]));
}

#[test]
fn paced_segments_are_never_back_to_back() {
    for name in ALL {
        let mut line = Line::losing(SenderConfig { paced: true, ..sender_config(name) }, &[30, 33, 60]);
        line.write(400);
        assert!(line.finish(100_000), "{name}");
        let times: Vec<_> = line.sent.iter().map(|(at, _)| *at).collect();
        // The first window leaves before there is an RTT to pace by.
        assert!(times[10..].windows(2).all(|pair| pair[0] < pair[1]), "{name}");
        assert!(line.sender.stats().retransmissions >= 3, "{name}");
    }
}

#[test]
fn pacing_spreads_the_window_over_the_round_trip() {
    // ssthresh 10: cwnd stays near 10, so segments are about 10 ms apart.
    let config =
        SenderConfig { paced: true, initial_ssthresh: Some(10_000), max_cwnd: 10_000, ..sender_config("newreno") };
    let mut line = Line::new(config, receiver_config());
    line.write(u64::MAX);
    line.run_until(ms(2000));
    let times: Vec<_> = line.sent.iter().map(|(at, _)| *at).skip(20).collect();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == Duration::from_millis(10)));
}

#[test]
fn paced_slow_start_grows_by_the_factor_that_its_spacing_implies() {
    // Each ACK adds a segment: unpaced, all of a window's ACKs come within a round trip R, and it doubles. Paced at
    // cwnd/R, the ACKs come at the rate of a round trip ago: w'(t) = w(t − R)/R, whose solution is w = exp(λt) with
    // λR·exp(λR) = 1, λR = 0.567143; so it grows by exp(0.567143) = 1.763223 in a round trip.
    for (paced, factor) in [(false, 2.0), (true, 1.763_223)] {
        let mut line = Line::new(SenderConfig { paced, ..sender_config("newreno") }, receiver_config());
        line.write(u64::MAX);
        let windows: Vec<_> = (1..=13)
            .map(|round_trip| {
                line.run_until(ms(100 * round_trip + 50));
                line.sender.cwnd() as f64
            })
            .collect();
        for pair in windows[8..].windows(2) {
            assert!((pair[1] / pair[0] / factor - 1.0).abs() < 0.01, "paced: {paced}: {}", pair[1] / pair[0]);
        }
    }
}

#[test]
fn delayed_acks_answer_every_second_segment() {
    let receiver =
        transport::tcp::ReceiverConfig { delayed_ack: Some(Duration::from_millis(200)), ..receiver_config() };
    let mut line = Line::new(sender_config("newreno"), receiver);
    line.write(9);
    assert!(line.finish(1000));
    // ACKs of 2, 4, 6, 8 at once and of the ninth after 200 ms.
    assert_eq!(line.acks, 5);
    assert_eq!(line.now, ms(300));
}
