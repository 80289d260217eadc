//! How long an ACK and a segment take: `cargo test --release -p photocol-transport --test all speed -- --ignored
//! --nocapture`.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "measuring needs a clock")]

use std::sync::Arc;
use std::time::Instant as Clock;
use transport::cc::Algorithm;
use transport::tcp::{
    Ack, Actions, InitialWindow, Receiver, ReceiverActions, ReceiverConfig, SackBlock, Sender, SenderConfig,
};
use transport::xcp::{Header, Interval, Router, RouterConfig};
use units::{Duration, Instant, Rate};

const N: u64 = 20_000_000;

fn report(what: &str, start: Clock, n: u64) {
    println!("{what}: {:.1} ns", start.elapsed().as_nanos() as f64 / n as f64);
}

fn config(algorithm: Algorithm) -> SenderConfig {
    SenderConfig {
        algorithm,
        mss: 1000,
        initial_cwnd: InitialWindow::Segments(100),
        initial_ssthresh: Some(10_000),
        max_cwnd: 2_000_000,
        ..SenderConfig::default()
    }
}

fn in_order_acks(config: SenderConfig, what: &str) {
    let mut sender = Sender::new(Arc::new(config));
    let mut actions = Actions::default();
    let mut now = Instant::ZERO;
    sender.write(now, u64::MAX, &mut actions);
    let start = Clock::now();
    let mut sent = 0;
    for at in 1..=N {
        now = now + Duration::from_micros(1);
        sender.handle_ack(now, &Ack { ack: 1000 * at, window: 1 << 40, sack: &[], ecn_echo: false }, &mut actions);
        sent += actions.segments.len() as u64;
        actions.segments.clear();
        std::hint::black_box(sender.next_timeout());
    }
    report(what, start, N);
    assert!(sent >= N);
}

#[test]
#[ignore = "a measurement"]
fn acks_in_congestion_avoidance() {
    in_order_acks(config(Algorithm::NewReno), "newreno, in-order ACK");
    in_order_acks(config(Algorithm::Sack), "sack, in-order ACK");
    in_order_acks(config(Algorithm::HighSpeed), "highspeed, in-order ACK");
}

#[test]
#[ignore = "a measurement"]
fn segments_in_order() {
    let mut receiver = Receiver::new(Arc::new(ReceiverConfig { mss: 1000, ..ReceiverConfig::default() }));
    let mut out = ReceiverActions::default();
    let start = Clock::now();
    for at in 0..N {
        receiver.handle_segment(Instant::ZERO, 1000 * at, 1000, &mut out);
        std::hint::black_box(&out);
        out.acks.clear();
        std::hint::black_box(receiver.next_timeout());
    }
    report("receiver, in-order segment", start, N);
}

#[test]
#[ignore = "a measurement"]
fn acks_in_sack_recovery_with_a_thousand_holes() {
    let segments = 4000;
    let config =
        SenderConfig { initial_cwnd: InitialWindow::Segments(segments), max_cwnd: u64::MAX, ..config(Algorithm::Sack) };
    let config = Arc::new(config);
    let mut actions = Actions::default();
    let (mut acks, start) = (0, Clock::now());
    for _ in 0..200 {
        let mut sender = Sender::new(Arc::clone(&config));
        sender.write(Instant::ZERO, u64::MAX, &mut actions);
        for at in (1..u64::from(segments)).step_by(4) {
            for end in at + 1..at + 4 {
                let block = SackBlock { start: 1000 * at, end: 1000 * end };
                sender.handle_ack(
                    Instant::ZERO,
                    &Ack { ack: 0, window: 1 << 40, sack: &[block], ecn_echo: false },
                    &mut actions,
                );
                actions.segments.clear();
                acks += 1;
            }
        }
    }
    report("sack, ACK in recovery", start, acks);
}

#[test]
#[ignore = "a measurement"]
fn packets_through_an_xcp_router() {
    let mut router = Router::new(RouterConfig::new(Rate::from_gbps(1)), Instant::ZERO);
    let interval = |ms| Interval::from_duration(Duration::from_millis(ms));
    let headers: Vec<_> = (1..8).map(|x| Header::data(interval(100), interval(x), i32::MAX)).collect();
    let mut now = Instant::ZERO;
    let start = Clock::now();
    let mut sum = 0;
    for at in 0..N {
        now = now + Duration::from_micros(8);
        if router.next_timeout() <= now {
            router.handle_timeout(now, 0);
        }
        let mut header = headers[at as usize % headers.len()];
        router.handle_arrival(1000, Some(&header), 0);
        router.handle_departure(1000, &mut header);
        sum += i64::from(header.delta_throughput);
    }
    report("packet through an XCP router", start, N);
    assert!(std::hint::black_box(sum) != 0);
}

#[test]
#[ignore = "a measurement"]
fn acks_with_feedback() {
    let mut sender = Sender::new(Arc::new(config(Algorithm::Xcp)));
    let mut actions = Actions::default();
    let mut now = Instant::ZERO;
    sender.write(now, u64::MAX, &mut actions);
    let start = Clock::now();
    let mut sum = 0;
    for at in 1..=N {
        now = now + Duration::from_micros(1);
        sender.handle_feedback(1000 * at, if at % 2 == 0 { 1000 } else { -1000 });
        sender.handle_ack(now, &Ack { ack: 1000 * at, window: 1 << 40, sack: &[], ecn_echo: false }, &mut actions);
        actions.segments.clear();
        sum += sender.congestion_header().map_or(0, |header| u64::from(header.x.ticks()));
    }
    report("ACK with feedback, and the header of what it sends", start, N);
    assert!(std::hint::black_box(sum) != 0);
}
