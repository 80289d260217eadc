//! QUIC's machines.

use super::Choices;
use crate::cc::registry;
use crate::quic::{
    Ack, AckOut, ByHand, Chunk, Config, EcnCounts, Frames, GrowthOrder, Mark, Packet, Persistent, Received, Receiver,
    ReceiverConfig, Sender, StreamOrder, Threshold, Underuse,
};
use crate::tcp::{Codepoint, InitialWindow};
use options::Words;
use std::sync::Arc;
use units::{Duration, Instant};

fn config(choices: &mut Choices<'_>) -> Arc<Config> {
    let (flags, more, window) = (choices.byte(), choices.byte(), choices.byte());
    let frames = if window < 192 { Frames::Stream } else { Frames::Datagram };
    let entries = registry();
    let config = Config {
        paced: flags & 1 != 0,
        recovery_packet: flags & 2 != 0,
        reset_min_rtt: flags & 4 != 0,
        ecn: flags & 8 != 0,
        pto_packets: u32::from(more % 3),
        streams: if frames == Frames::Stream { 1 + u32::from(more / 64) } else { 1 },
        frames,
        datagram_queue: if window < 224 { u64::MAX } else { 300 },
        threshold_rule: Threshold::ALL[usize::from(flags >> 4 & 1)],
        growth_order: GrowthOrder::ALL[usize::from(flags >> 5 & 1)],
        stream_order: StreamOrder::ALL[usize::from(flags >> 6 & 1)],
        persistent_congestion: Persistent::ALL[usize::from(more >> 2 & 3) % Persistent::ALL.len()],
        underuse: Underuse::ALL[usize::from(more >> 4 & 3) % Underuse::ALL.len()],
        max_datagram_size: 138,
        initial_window: InitialWindow::Segments(2 + u32::from(window % 40)),
        peer_max_data: if flags & 128 != 0 { 1000 } else { u64::MAX },
        ..Config::default()
    };
    let lawful = Config { algorithm: entries[usize::from(choices.byte()) % entries.len()].choice, ..config.clone() };
    let lawful = Config { path_marks: lawful.ecn && lawful.hears_news(), ..lawful };
    Arc::new(if lawful.validate().is_ok() { lawful } else { config })
}

fn counts(choices: &mut Choices<'_>) -> EcnCounts {
    EcnCounts { ect0: choices.near(0, 1), ect1: choices.near(0, 1), ce: choices.near(0, 1) }
}

/// An ACK of anything: ranges that overlap, that were never sent, that lie far apart.
fn hostile_ack(choices: &mut Choices<'_>, next: u64) -> Option<Ack> {
    let largest = choices.near(next.saturating_sub(8), 1);
    let more: Vec<(u64, u64)> = (0..choices.byte() % 6).map(|_| (choices.near(0, 1), choices.near(0, 1))).collect();
    let ack = match choices.byte() % 2 {
        0 => Ack::from_fields(largest, choices.near(0, 1), &more).ok()?,
        _ => Ack::new(more.into_iter().map(|(low, length)| (low, low.saturating_add(length))).collect()).ok()?,
    };
    let ecn = (choices.byte().is_multiple_of(3)).then(|| counts(choices));
    Some(ack.after(Duration::from_ps(choices.near(0, 1_000_000_000))).with_counts(ecn))
}

/// Feeds a sender with anything that a peer can say; panics if an invariant breaks.
pub fn quic_sender(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let config = config(&mut choices);
    let (mut sender, mut out, mut now) = (Sender::new(Arc::clone(&config)), Vec::new(), Instant::ZERO);
    let (mut written, mut expected, mut asked) = (0u64, 0u64, 0);
    while !choices.is_spent() {
        now = now + Duration::from_micros(100 * u64::from(choices.byte()));
        match choices.byte() % 8 {
            0 => {
                let more = choices.near(0, 100);
                written = written.saturating_add(more);
                sender.write(now, more, &mut out);
            }
            1 | 2 => sender.handle_timeout(now, &mut out),
            3 => {
                let kind = [ByHand::Eliciting, ByHand::Padding, ByHand::AckOnly][usize::from(choices.byte() % 3)];
                sender.send_by_hand(now, kind, choices.byte().into(), &mut out);
            }
            4 if choices.byte().is_multiple_of(16) => {
                sender.skip(now);
                expected += 1;
            }
            5 if choices.byte() == 0 => sender.stop(),
            6 => sender.permit(now, choices.near(written, 100), &[choices.near(0, 100)], &mut out),
            _ => {
                let next = sender.next_number();
                if let Some(ack) = hostile_ack(&mut choices, next) {
                    let is_known = ack.largest() < next;
                    let result = sender.handle_ack(now, &ack, &mut out);
                    assert!(is_known || result.is_err(), "what was never sent is not acknowledged");
                    asked += 1;
                }
            }
        }
        sender.check();
        for packet in out.drain(..) {
            assert_eq!(packet.number, expected, "no number is used twice");
            assert!(packet.size <= config.max_datagram_size);
            expected += 1;
        }
    }
    let most = expected + 1;
    assert!(sender.records() as u64 <= most && sender.bytes_acked() <= written, "after {asked} ACKs");
}

/// Feeds a receiver with packets of any number and place; panics if an invariant breaks.
pub fn quic_receiver(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let config = ReceiverConfig {
        ack_every: 1 + u32::from(choices.byte() % 4),
        ack_ranges: 1 + u32::from(choices.byte() % 8),
        reordering_threshold: (choices.byte() % 4).into(),
        receive_window: 100 * u64::from(choices.byte()),
        largest_window: 100 * u64::from(choices.byte()),
        ..ReceiverConfig::default()
    };
    let ranges = config.ack_ranges as usize;
    let (mut receiver, mut now, mut unanswered) = (Receiver::new(Arc::new(config.clone())), Instant::ZERO, 0);
    while !choices.is_spent() {
        now = now + Duration::from_micros(100 * u64::from(choices.byte()));
        let asks = choices.byte() % 4 != 0;
        let length = u32::from(choices.byte());
        let chunk = Chunk { stream: choices.near(0, 1) as u32, length, start: choices.near(receiver.read_of(0), 100) };
        let packet = Received {
            number: choices.near(0, 1),
            is_ack_eliciting: asks,
            mark: if choices.byte().is_multiple_of(8) { Mark::Experienced } else { Mark::Sent(Codepoint::NotEct) },
            chunk: asks.then_some(chunk),
        };
        let before = receiver.bytes_arrived();
        let ack = match choices.byte() % 4 {
            0 => receiver.handle_timeout(now),
            _ => {
                let known = receiver.duplicates();
                match receiver.handle_packet(now, &packet) {
                    Ok(ack) => {
                        unanswered += u32::from(asks && receiver.duplicates() == known);
                        assert!(asks || ack.is_none(), "nothing but what asks for it is answered");
                        ack
                    }
                    Err(_) => None,
                }
            }
        };
        assert!(receiver.bytes_arrived() - before <= u64::from(length) && receiver.numbers().count() <= ranges);
        match ack {
            Some(AckOut { ack, .. }) => {
                assert_eq!(Ack::new(ack.ranges().to_vec()).map(|known| known.fields()), Ok(ack.fields()));
                unanswered = 0;
            }
            None => assert!(unanswered < config.ack_every && (unanswered == 0 || receiver.next_timeout().is_some())),
        }
    }
}

/// A sender and a receiver over a network in which each packet and each ACK meets a fate of its own while the bytes
/// last, and none afterwards; panics unless all arrives, or of datagrams the fate of all is known.
pub fn quic_flow(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let config = config(&mut choices);
    let pto_packets = config.pto_packets.max(1);
    let config = Arc::new(Config { pto_packets, peer_max_data: 1000, ..(*config).clone() });
    let total = 1 + 137 * u64::from(choices.byte());
    let windows = ReceiverConfig { receive_window: 1000, largest_window: 8000, ..ReceiverConfig::default() };
    let mut receiver = Receiver::new(Arc::new(windows));
    let (mut sender, mut out, mut now) = (Sender::new(config), Vec::new(), Instant::ZERO);
    let (mut there, mut back): (Vec<Packet>, Vec<AckOut>) = (Vec::new(), Vec::new());
    sender.write(now, total, &mut out);
    for _ in 0..200_000 {
        there.append(&mut out);
        sender.check();
        if sender.is_complete() {
            let (read, acked, dropped) = (receiver.bytes_read(), sender.bytes_acked(), sender.bytes_dropped());
            match sender.config().frames {
                Frames::Stream => assert_eq!((read, acked, dropped), (total, total, 0)),
                Frames::Datagram => assert!(acked <= read && read + dropped <= total, "each arrives once or never"),
            }
            return;
        }
        now = now + Duration::from_micros(10);
        let fate = if choices.is_spent() { 0 } else { choices.byte() };
        let place = usize::from(fate / 16);
        if !there.is_empty() && fate % 16 < 12 {
            let packet = there.remove(place % there.len());
            if fate % 8 == 6 {
                continue;
            }
            let mark = if fate % 8 == 5 { Mark::Experienced } else { Mark::Sent(packet.codepoint) };
            let received = Received { number: packet.number, is_ack_eliciting: true, mark, chunk: packet.chunk };
            let ack = receiver.handle_packet(now, &received).expect("the sender keeps to what it may send");
            back.extend(ack);
        } else if !back.is_empty() {
            let AckOut { ack, max_data, max_stream_data } = back.remove(place % back.len());
            if fate % 8 == 6 {
                continue;
            }
            sender.handle_ack(now, &ack, &mut out).expect("the receiver names what has arrived");
            sender.permit(now, max_data, &max_stream_data, &mut out);
        } else if there.is_empty() {
            let due = receiver.next_timeout().into_iter().chain(sender.next_timeout()).min();
            now = now.max(due.expect("what is not complete waits for something"));
            back.extend(receiver.handle_timeout(now));
            sender.handle_timeout(now, &mut out);
        }
    }
    panic!("the flow does not end");
}
