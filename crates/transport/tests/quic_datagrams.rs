//! Datagrams of QUIC: RFC 9221.

use std::sync::Arc;
use transport::quic::{
    Ack, Chunk, Config, Frames, Mark, Packet, Received, Receiver, ReceiverConfig, Sender, TransportError,
};
use transport::tcp::{Codepoint, InitialWindow};
use units::{Duration, Instant};

const RTT: Duration = Duration::from_millis(50);

/// A sender of datagrams that is not paced, with a window of so many packets at first.
fn sender(window: u32, more: impl FnOnce(&mut Config)) -> Sender {
    let initial_window = InitialWindow::Segments(window);
    let mut config = Config { frames: Frames::Datagram, paced: false, initial_window, ..Config::default() };
    more(&mut config);
    Sender::new(Arc::new(config))
}

fn payload(sender: &Sender) -> u64 {
    sender.config().payload().into()
}

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

fn acked(sender: &mut Sender, now: Instant, ranges: &[(u64, u64)]) -> Vec<Packet> {
    let mut out = Vec::new();
    sender.handle_ack(now, &Ack::new(ranges.to_vec()).expect("ranges"), &mut out).expect("of packets that were sent");
    out
}

fn written(sender: &mut Sender, bytes: u64) -> Vec<Packet> {
    let mut out = Vec::new();
    sender.write(Instant::ZERO, bytes, &mut out);
    out
}

/// §5.2: "DATAGRAM frames are not retransmitted upon loss detection".
#[test]
fn what_is_lost_is_not_sent_again_and_counts_if_it_was_only_late() {
    let mut sender = sender(10, |_| {});
    let size = payload(&sender);
    let sent = written(&mut sender, 10 * size);
    assert_eq!(sent.iter().map(|one| one.chunk.map(|chunk| chunk.start)).collect::<Vec<_>>(), {
        (0..10).map(|number| Some(number * size)).collect::<Vec<_>>()
    });
    assert!(sent.iter().all(|one| one.chunk.is_some_and(|chunk| chunk.is_datagram())));
    assert!(!sender.is_complete());
    assert_eq!(acked(&mut sender, Instant::ZERO + RTT, &[(4, 9), (0, 2)]), []);
    assert_eq!((sender.news().lost.clone(), sender.is_complete()), (vec![3], true));
    assert_eq!((sender.bytes_acked(), sender.stats().retransmissions), (9 * size, 0));
    assert_eq!(sender.cuts()[0], 1, "it is a sign of congestion all the same (§5)");
    assert_eq!(acked(&mut sender, at(60), &[(0, 9)]), []);
    assert_eq!((sender.bytes_acked(), sender.is_complete()), (10 * size, true));
}

/// §5.3: "DATAGRAM frames do not provide any explicit flow control signaling and do not contribute to any per-flow or
/// connection-wide data limit."
#[test]
fn limits_of_the_peer_do_not_hold_datagrams() {
    let mut sender = sender(10, |config| (config.peer_max_data, config.peer_max_stream_data) = (0, 0));
    let size = payload(&sender);
    assert_eq!(written(&mut sender, 3 * size).len(), 3);
    let config = ReceiverConfig { receive_window: 10, stream_window: 10, ..ReceiverConfig::default() };
    let mut receiver = Receiver::new(Arc::new(config));
    let of = |stream: u32| Received {
        number: u64::from(stream != Chunk::DATAGRAM),
        is_ack_eliciting: true,
        mark: Mark::Sent(Codepoint::NotEct),
        chunk: Some(Chunk { stream, start: 0, length: 1000 }),
    };
    assert!(receiver.handle_packet(at(1), &of(Chunk::DATAGRAM)).is_ok());
    assert_eq!(receiver.handle_packet(at(1), &of(0)), Err(TransportError::FlowControl));
}

/// §5.4: "the sender MUST either delay sending the frame until the controller allows it or drop the frame without
/// sending it". Two of ten leave; of the eight that wait, those that are over the bound are dropped, the oldest first.
#[test]
fn what_the_window_holds_back_waits_or_is_dropped_the_oldest_first() {
    for (queue, next, dropped) in [(u64::MAX, 2, 0), (5, 5, 3), (1, 9, 7), (0, 10, 8)] {
        let mut sender = sender(2, |config| {
            config.datagram_queue = u64::from(config.max_datagram_size).saturating_mul(queue);
        });
        let size = payload(&sender);
        assert_eq!(written(&mut sender, 10 * size).len(), 2);
        assert_eq!(sender.bytes_dropped(), dropped * size, "{queue}");
        let more = acked(&mut sender, Instant::ZERO + RTT, &[(0, 1)]);
        let first = more.first().and_then(|one| one.chunk).map(|chunk| chunk.start / size);
        assert_eq!(first, (next < 10).then_some(next), "{queue}");
        assert_eq!(sender.is_complete(), queue == 0);
    }
}

/// Packets of 100 B have 62 B of payload beside 38 B: a bound of ten of them is ten datagrams, whatever their overhead.
#[test]
fn a_bound_in_packets_counts_their_overhead() {
    for size in [100, 500, 1500] {
        let mut sender = sender(2, |config| {
            (config.max_datagram_size, config.datagram_queue) = (size, 10 * u64::from(size));
        });
        let length = payload(&sender);
        assert_eq!(written(&mut sender, 30 * length).len(), 2);
        assert_eq!(sender.bytes_dropped(), 18 * length, "{size}");
    }
}

/// RFC 9002 §6.2.4: with nothing new a probe is a PING; the datagram does not leave again.
#[test]
fn a_probe_carries_no_datagram_again() {
    let mut sender = sender(10, |_| {});
    let size = payload(&sender);
    assert_eq!(written(&mut sender, size).len(), 1);
    let due = sender.next_timeout().expect("a PTO");
    let mut out = Vec::new();
    sender.handle_timeout(due, &mut out);
    assert_eq!(out.len(), 2);
    assert!(out.iter().all(|one| one.is_probe && one.is_ack_eliciting && one.chunk.is_none() && !one.is_again));
    assert!(!sender.is_complete());
    assert_eq!(acked(&mut sender, due + RTT, &[(1, 2)]), []);
    assert_eq!((sender.news().lost.clone(), sender.is_complete(), sender.bytes_acked()), (vec![0], true, 0));
}

/// A datagram is there when it arrives; a stream's bytes wait for those before them.
#[test]
fn datagrams_wait_for_nothing() {
    let read = |stream: u32| {
        let mut receiver = Receiver::new(Arc::new(ReceiverConfig::default()));
        [2, 0, 1].map(|number| {
            let chunk = Some(Chunk { stream, start: 100 * number, length: 100 });
            let packet = Received { number, is_ack_eliciting: true, mark: Mark::Sent(Codepoint::NotEct), chunk };
            receiver.handle_packet(at(1), &packet).expect("a sound packet");
            (receiver.bytes_read(), receiver.bytes_arrived())
        })
    };
    assert_eq!(read(Chunk::DATAGRAM), [(100, 100), (200, 200), (300, 300)]);
    assert_eq!(read(0), [(0, 100), (100, 200), (300, 300)]);
}
