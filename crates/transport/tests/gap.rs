//! A path that carries nothing for a while: all laws are back in some round trips, whatever they had measured before.
//!
//! Round trips are 100 ms, or for the last 400 ms before the gap twice that. Its first 40 ms take segments, and then
//! ACKs too, so that the first copy behind it is acknowledged together with what arrived long before. Copies give no
//! round trips (Karn's algorithm, RFC 6298 §3), and neither does what has waited for one: a law that goes by delay
//! knows nothing until new data are acknowledged. RFC 5681 §3.1 has slow start then, which doubles what is acknowledged
//! in a round trip: a window of 200 segments takes 8.

use crate::harness::{Fate, Line, MSS, receiver_config, sender_config};
use transport::cc::registry;
use units::{Duration, Instant};

/// Laws of the tests, one that is no law without its class, and those that wait for words of routers.
const LEFT_OUT: [&str; 7] = ["gentle", "listener", "python", "xcp", "hpcc", "powertcp", "rcp"];
const WINDOW: u64 = 200;

/// In how many round trips of 100 ms the window that a gap has lost is there, from the first ACK behind it on.
fn rounds(law: &str, gap: Duration, delayed_ms: u64) -> u64 {
    let mut config = sender_config(law);
    config.initial_ssthresh = Some(WINDOW * u64::from(MSS));
    config.max_cwnd = WINDOW * u64::from(MSS);
    config.laws.swift.base_target = Duration::from_millis(1000);
    let mut line = Line::new(config, receiver_config());
    line.write(1_000_000);
    let at = |ms| Instant::ZERO + Duration::from_millis(ms);
    line.run_until(at(4000 - delayed_ms));
    line.segment_fate = Box::new(|_, _| Fate::Delay(Duration::from_millis(100)));
    line.run_until(at(4000));
    // Segments are lost first, and then ACKs of those that arrived before.
    line.segment_fate = Box::new(|_, _| Fate::Drop);
    line.run_until(at(4040));
    line.ack_fate = Box::new(|_| Fate::Drop);
    let begins = at(4100);
    line.run_until(begins);
    let sent = line.sent.iter().map(|(_, segment)| segment.seq + u64::from(segment.len)).max().unwrap();
    line.run_until(begins + gap);
    line.segment_fate = Box::new(|_, _| Fate::Deliver);
    line.ack_fate = Box::new(|_| Fate::Deliver);
    let una = line.sender.bytes_acked();
    let (mut first, end) = (None, begins + gap + Duration::from_millis(600_000));
    while line.now < end && line.step() {
        let acked = line.sender.bytes_acked();
        if acked > una && first.is_none() {
            first = Some(line.now);
        }
        if acked >= sent {
            break;
        }
    }
    let lasts = line.now.saturating_since(first.unwrap_or(begins));
    lasts.ps() / Duration::from_millis(100).ps()
}

#[test]
fn every_law_is_back_after_a_gap() {
    let mut slow = Vec::new();
    for entry in registry().iter().filter(|entry| !LEFT_OUT.contains(&entry.name)) {
        for (gap_ms, delayed_ms) in [300, 1000, 5000].into_iter().flat_map(|gap| [0, 400].map(|delayed| (gap, delayed)))
        {
            let found = rounds(entry.name, Duration::from_millis(gap_ms), delayed_ms);
            // Swift adds one segment in a round trip, from a thousandth of one: 20 are 1 + 2 + … = 210 segments.
            // θ-PowerTCP adds β, of which 0.9 segments count, while its power is what it was.
            let most = if ["swift", "theta-powertcp"].contains(&entry.name) { 28 } else { 16 };
            if found > most {
                slow.push((entry.name, gap_ms, delayed_ms, found));
            }
        }
    }
    assert_eq!(slow, [], "round trips, of which slow start takes 8");
}
