//! TCP's window laws under QUIC: in slow start all counts that an ACK acknowledges.

use std::sync::Arc;
use transport::cc::{self, Algorithm};
use transport::quic::{Ack, Config, EcnCounts, Sender};
use transport::tcp::InitialWindow;
use units::{Duration, Instant};

const PACKETS: u64 = 10;
const RTT: Duration = Duration::from_millis(50);

/// The packets by which the window has grown when ten of them are acknowledged, so many by each ACK.
fn grown(algorithm: Algorithm, by: u64) -> f64 {
    let needs_ecn = Config { algorithm, ..Config::default() }.needs_ecn();
    let initial_window = InitialWindow::Segments(PACKETS as u32);
    let config =
        Config { algorithm, initial_window, ecn: needs_ecn, packet_threshold: 1000, paced: false, ..Config::default() };
    config.validate().expect("a law that QUIC can run");
    let size = config.max_datagram_size as f64;
    let mut sender = Sender::new(Arc::new(config));
    let mut out = Vec::new();
    sender.write(Instant::ZERO, u64::MAX, &mut out);
    assert_eq!(out.len() as u64, PACKETS, "{algorithm:?}");
    let before = sender.cwnd();
    for last in (by..=PACKETS).step_by(by as usize) {
        let counts = needs_ecn.then_some(EcnCounts { ect0: last, ect1: last, ce: 0 });
        let ack = Ack::new(vec![(0, last - 1)]).expect("a range").with_counts(counts);
        sender.handle_ack(Instant::ZERO + RTT, &ack, &mut out).expect("packets that were sent");
    }
    (sender.cwnd() as f64 - before as f64) / size
}

/// RFC 9002 §7.3.1: "the congestion window increases by the number of bytes acknowledged when each acknowledgment is
/// processed". A law that doubles the window where each packet has an ACK of its own does so with one ACK for two, five
/// and ten of them.
#[test]
fn slow_start_counts_all_that_an_ack_acknowledges() {
    let laws: Vec<Algorithm> =
        cc::registry().iter().map(|entry| entry.choice).filter(|law| Config::can_run(*law)).collect();
    let doubling: Vec<Algorithm> = laws.into_iter().filter(|law| grown(*law, 1) == PACKETS as f64).collect();
    for law in ["newreno", "cubic", "dctcp", "gaimd", "highspeed", "prague", "tcp-eng", "westwood+", "scalable", "htcp"]
    {
        let law = Algorithm::from_name(law).unwrap_or_else(|| panic!("{law}"));
        assert!(doubling.contains(&law), "{law:?}: {}", grown(law, 1));
    }
    for law in doubling {
        assert_eq!([2, 5, 10].map(|by| grown(law, by)), [PACKETS as f64; 3], "{law:?}");
    }
}
