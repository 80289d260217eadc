//! The sender runs a law that answers more than ssthresh, the example of `docs/guide/add-a-law.md`, and one that asks
//! for all there is.

use super::{Ack, Actions, InitialWindow, PhaseName, SackBlock, Sender, SenderConfig};
use crate::cc::{Algorithm, Event, Law, RateSample, registry};
use proptest::prelude::*;
use std::sync::Arc;
use units::{Duration, Instant};

const PAGE: &str = include_str!("../../../../docs/guide/add-a-law.md");
const LAW: &str = include_str!("../cc/example.rs");
const REGISTRY: &str = include_str!("../cc/mod.rs");

#[test]
fn the_page_shows_the_law_that_is_run() {
    // What follows is a program, which the tests of examples/own-law compare.
    let (of_the_list, _) = PAGE.split_once("\n## A law in a program of your own\n").unwrap();
    let mut blocks = of_the_list.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    assert_eq!(blocks.next().unwrap(), LAW);
    let mut lines = 0;
    for line in blocks.flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty()) {
        assert!(REGISTRY.contains(line), "{line}");
        lines += 1;
    }
    assert_eq!(lines, 4, "the module, and the entry of the registry, which takes three");
}

#[test]
fn the_sender_takes_cwnd_ssthresh_and_pacing_from_the_law() {
    let config = SenderConfig {
        algorithm: Algorithm::from_name("gentle").unwrap(),
        mss: 1000,
        initial_cwnd: InitialWindow::Segments(16),
        ..SenderConfig::default()
    };
    let (mut sender, mut actions) = (Sender::new(Arc::new(config)), Actions::default());
    let ms = |ms| Instant::ZERO + Duration::from_millis(ms);
    sender.write(ms(0), 1_000_000, &mut actions);
    assert_eq!(actions.segments.drain(..).count(), 16, "before the first sample there is no rate");
    let mut ack = |sender: &mut Sender, ack, sack: &[SackBlock]| {
        sender.handle_ack(ms(100), &Ack { ack, window: 1 << 40, sack, ecn_echo: false }, &mut actions);
        actions.segments.drain(..).count()
    };
    // Slow start: 17 segments, of which 5/4 · 17 leave in 100 ms: one every 4.705 ms.
    assert_eq!(ack(&mut sender, 1000, &[]), 1);
    assert_eq!(sender.cwnd(), 17_000);
    let wait = sender.next_timeout().unwrap().saturating_since(ms(100));
    assert!(wait.ps().abs_diff(4_705_882_352) <= 1, "{wait:?}");
    // Segments 2 to 5 arrive without the first: 16 are in flight, 14 are kept and 8 remembered.
    ack(&mut sender, 1000, &[SackBlock { start: 2000, end: 6000 }]);
    assert_eq!((sender.phase(), sender.cwnd(), sender.ssthresh()), (PhaseName::FastRecovery, 14_000, 8_000));
}

/// Ten segments of 1000 bytes leave at 0 ms.
struct Listened {
    sender: Sender,
    actions: Actions,
}

impl Listened {
    fn new() -> Listened {
        let config = SenderConfig {
            algorithm: Algorithm::Listener,
            mss: 1000,
            initial_cwnd: InitialWindow::Segments(10),
            ..SenderConfig::default()
        };
        let mut listened = Listened { sender: Sender::new(Arc::new(config)), actions: Actions::default() };
        listened.sender.write(Instant::ZERO, 12_000, &mut listened.actions);
        listened
    }

    /// The event of an ACK at this time in milliseconds, as the law hears it.
    fn ack(&mut self, ms: u64, ack: u64, sack: &[(u64, u64)], ecn_echo: bool) -> Event {
        let sack: Vec<_> = sack.iter().map(|&(start, end)| SackBlock { start, end }).collect();
        let now = Instant::ZERO + Duration::from_millis(ms);
        self.sender.handle_ack(now, &Ack { ack, window: 1 << 40, sack: &sack, ecn_echo }, &mut self.actions);
        self.sender.check();
        *self.heard().last().unwrap()
    }

    fn heard(&self) -> &[Event] {
        let Law::Listener(law) = &self.sender.law else { panic!() };
        &law.heard
    }
}

#[test]
fn a_law_that_asks_is_told_the_delivery_rate() {
    let mut flow = Listened::new();
    // All ten left at 0 ms. The bottleneck passes one each millisecond: 1000 B in 100 ms, 2000 B in 101 ms.
    let sample = |delivered, interval_ms, prior_delivered, is_app_limited| {
        let interval = Duration::from_millis(interval_ms);
        Some(RateSample { delivered, interval, prior_delivered, is_app_limited, tx_in_flight: 0, lost: 0 })
    };
    assert_eq!(flow.ack(100, 1000, &[], false).rate_sample, sample(1000, 100, 0, false));
    assert_eq!(flow.ack(101, 2000, &[], false).rate_sample, sample(2000, 101, 0, false));
    assert_eq!(flow.heard().len(), 2);
    // Bytes 10 000 to 12 000 left at 100 and 101 ms, when 1000 and 2000 B had been delivered; then nothing more waited.
    (3..=10).for_each(|at| _ = flow.ack(99 + at, 1000 * at, &[], false));
    // 11 000 − 1000 B were acknowledged in the 100 ms since: 100 kB/s.
    let heard = flow.ack(200, 11_000, &[], false);
    assert_eq!(heard.rate_sample, sample(10_000, 100, 1000, false));
    assert_eq!(heard.rate_sample.unwrap().rate(), Some(units::Rate::from_bps(800_000)));
    // What is written now leaves after an ACK of 11 000 B of a flow that had nothing more to send.
    flow.sender.write(Instant::ZERO + Duration::from_millis(200), 1000, &mut flow.actions);
    flow.ack(201, 12_000, &[], false);
    let last = flow.ack(300, 13_000, &[], false).rate_sample;
    assert_eq!(last, sample(2000, 100, 11_000, true));
}

#[test]
fn a_law_that_asks_hears_every_ack_of_a_fast_recovery() {
    let mut flow = Listened::new();
    for (news, at) in [(1, 3), (2, 4), (3, 5)] {
        let heard = flow.ack(100 + news, 1000, &[(2000, 1000 * at)], false);
        let is_first = news == 1;
        assert_eq!((heard.acked, heard.sacked), (if is_first { 1000 } else { 0 }, 1000));
        assert!(!heard.in_recovery, "the third duplicate starts the recovery after it has been told");
    }
    assert_eq!(flow.sender.phase(), PhaseName::FastRecovery);
    let heard = flow.ack(104, 1000, &[(2000, 7000)], true);
    assert_eq!((heard.sacked, heard.in_recovery, heard.ecn_echo), (2000, true, true));
    // 7000 B: the first segment, five SACKed of which two are news, in the 104 ms since they left.
    assert_eq!(heard.rate_sample.unwrap().delivered, 6000);
    let heard = flow.ack(205, 2000, &[(2000, 7000)], false);
    assert_eq!((heard.acked, heard.sacked, heard.in_recovery), (1000, 0, true));
}

/// Laws that ask for delivery rates, or for the round trip of every ACK, or run on RACK.
const MEASURING: [&str; 13] =
    ["bbr", "bbr3", "cdg", "copa", "htcp", "illinois", "lp", "nv", "swift", "tdtcp", "theta-powertcp", "veno", "yeah"];

#[test]
fn nobody_else_pays() {
    for entry in registry().iter().filter(|entry| !matches!(entry.choice, Algorithm::Listener | Algorithm::External)) {
        let config = SenderConfig { algorithm: entry.choice, ..SenderConfig::default() };
        let mut sender = Sender::new(Arc::new(config));
        assert_eq!(sender.segments_mut().is_some(), MEASURING.contains(&entry.name), "{}", entry.name);
    }
}

proptest! {
    #[test]
    fn a_sender_that_keeps_records_survives_anything(
        flags in any::<u8>(),
        rest in prop::collection::vec(any::<u8>(), 0..2000),
    ) {
        let law = registry().iter().position(|entry| entry.choice == Algorithm::Listener).unwrap();
        crate::fuzz::sender(&[vec![flags, law as u8], rest].concat());
    }
}
