//! The sender runs a law that answers more than ssthresh: the example of `docs/guide/add-a-law.md`.

use super::{Ack, Actions, InitialWindow, PhaseName, SackBlock, Sender, SenderConfig};
use crate::cc::Algorithm;
use std::sync::Arc;
use units::{Duration, Instant};

const PAGE: &str = include_str!("../../../../docs/guide/add-a-law.md");
const LAW: &str = include_str!("../cc/example.rs");
const REGISTRY: &str = include_str!("../cc/mod.rs");

#[test]
fn the_page_shows_the_law_that_is_run() {
    let mut blocks = PAGE.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    assert_eq!(blocks.next().unwrap(), LAW);
    let mut lines = 0;
    for line in blocks.flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty()) {
        assert!(REGISTRY.contains(line), "{line}");
        lines += 1;
    }
    assert_eq!(lines, 4, "the module, its parameters, and the registry's line, which takes two");
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
