//! HyStart++ (RFC 9406) in a sender.

use crate::harness::{Fate, Line, receiver_config, sender_config};
use std::cell::Cell;
use std::rc::Rc;
use transport::cc;
use transport::tcp::SenderConfig;
use units::{Duration, Instant};

fn config(algorithm: &str, hystart: bool) -> SenderConfig {
    let reno = cc::reno::Config { hystart, ..cc::reno::Config::default() };
    let cubic = cc::cubic::Config { hystart, ..cc::cubic::Config::default() };
    SenderConfig { laws: cc::Config { reno, cubic, ..cc::Config::default() }, ..sender_config(algorithm) }
}

/// A bottleneck of one segment a millisecond, 100 segments of which make a round trip, and a buffer that loses nothing:
/// ssthresh and cwnd after this number of milliseconds.
fn after(config: SenderConfig, ms: u64) -> (u64, u64) {
    let mut line = Line::new(config, receiver_config());
    let clock = Rc::new(Cell::new(0u64));
    let (mut free_at, now) = (0u64, Rc::clone(&clock));
    line.segment_fate = Box::new(move |_, _| {
        free_at = free_at.max(now.get()) + 1;
        Fate::Delay(Duration::from_millis(free_at - now.get()))
    });
    line.write(1_000_000);
    while line.now < Instant::ZERO + Duration::from_millis(ms) {
        clock.set(line.next_event().ps() / 1_000_000_000);
        assert!(line.step());
    }
    (line.sender.ssthresh(), line.sender.cwnd())
}

#[test]
fn slow_start_ends_when_the_queue_grows_and_before_it_loses_anything() {
    for algorithm in ["newreno", "sack", "cubic"] {
        let (ssthresh, _) = after(config(algorithm, false), 1500);
        assert_eq!(ssthresh, u64::MAX, "{algorithm}: nothing is lost, so slow start goes on");
        let (ssthresh, cwnd) = after(config(algorithm, true), 3000);
        // The pipe holds 100 segments and cwnd doubles from 10: 160 is the first window that waits (60 ms, more than
        // RttThresh), and its round trips are measured when 320 are out. After the eighth sample five rounds multiply
        // by at most 1.25.
        assert!((320_000..=328_000 * 3125 / 1024).contains(&ssthresh), "{algorithm}: {ssthresh} {cwnd}");
    }
}
