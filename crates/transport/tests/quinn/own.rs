//! Our two ends, with the parameters that quinn's have.

use super::line::{End, PACKET, Reading, Stack};
use std::sync::Arc;
use transport::cc::{self, Algorithm};
use transport::quic::{
    AckOut, ByHand, Config, GrowthOrder, Mark, Packet, Received, Receiver, ReceiverConfig, Sender, Underuse,
};
use transport::tcp::{Codepoint, InitialWindow};
use units::{Duration, Instant};

/// Bytes of a packet that are not the stream's, so that a packet holds two bytes less than one of quinn's: a flags
/// byte, a byte of number, the tag, type and number of the stream, and a place of four bytes.
pub const OVERHEAD: u32 = 1 + 1 + 16 + 2 + 4 + 2;
pub const PAYLOAD: u64 = PACKET - OVERHEAD as u64;

/// A sender's parameters where quinn leaves no choice. CUBIC has HyStart++, whose slow start counts all bytes of an
/// ACK.
pub fn config(algorithm: Algorithm) -> Config {
    let mut laws = cc::Config::default();
    laws.cubic.hystart = true;
    laws.cubic.hystart_limit = 1000;
    Config {
        algorithm,
        laws,
        max_datagram_size: PACKET as u32,
        overhead: OVERHEAD,
        initial_window: InitialWindow::Segments(10),
        growth_order: GrowthOrder::BeforeLosses,
        underuse: Underuse::AtAck,
        recovery_packet: false,
        paced: false,
        ..Config::default()
    }
}

pub fn instant(now: u64) -> Instant {
    Instant::from_ps(now * 1000)
}

pub fn nanoseconds(time: Duration) -> u64 {
    time.ps() / 1000
}

#[derive(Clone, Debug)]
pub enum Datagram {
    /// A packet, and its mark.
    Packet(Packet, Mark),
    Ack(AckOut),
}

pub struct Own {
    pub sender: Sender,
    receiver: Receiver,
    packets: Vec<Packet>,
    acks: Vec<AckOut>,
    lost: u64,
}

impl Own {
    pub fn new(config: Config) -> Own {
        Own {
            sender: Sender::new(Arc::new(config)),
            receiver: Receiver::new(Arc::new(ReceiverConfig::default())),
            packets: Vec::new(),
            acks: Vec::new(),
            lost: 0,
        }
    }
}

/// What is known of one of our senders that has found so many packets lost.
pub fn reading(sender: &Sender, lost: u64) -> Reading {
    Reading {
        cwnd: sender.cwnd(),
        ssthresh: sender.ssthresh(),
        lost,
        smoothed: nanoseconds(sender.rtt().smoothed),
        least: nanoseconds(sender.rtt().min),
    }
}

impl Stack for Own {
    type Datagram = Datagram;

    fn connect(&mut self, _: u64) {}

    fn write(&mut self, now: u64, bytes: u64) {
        self.sender.write(instant(now), bytes, &mut self.packets);
    }

    fn ping(&mut self, now: u64) {
        self.sender.send_by_hand(instant(now), ByHand::Eliciting, PACKET as u32, &mut self.packets);
    }

    fn arrive(&mut self, now: u64, _: End, datagram: Datagram) {
        let at = instant(now);
        match datagram {
            Datagram::Packet(Packet { number, is_ack_eliciting, chunk, .. }, mark) => {
                let received = Received { number, is_ack_eliciting, mark, chunk };
                self.acks.extend(self.receiver.handle_packet(at, &received).expect("it keeps to the RFC"));
            }
            Datagram::Ack(out) => {
                self.sender.handle_ack(at, &out.ack, &mut self.packets).expect("it keeps to the RFC");
                self.lost += self.sender.news().lost.len() as u64;
            }
        }
    }

    fn timeout(&mut self, now: u64, end: End) {
        match end {
            End::Sender => {
                self.sender.handle_timeout(instant(now), &mut self.packets);
                self.lost += self.sender.news().lost.len() as u64;
            }
            End::Receiver => self.acks.extend(self.receiver.handle_timeout(instant(now))),
        }
    }

    fn next_timeout(&mut self, end: End) -> Option<u64> {
        let due = match end {
            End::Sender => self.sender.next_timeout(),
            End::Receiver => self.receiver.next_timeout(),
        };
        due.map(|at| at.ps().div_ceil(1000))
    }

    fn leave(&mut self, _: u64, end: End) -> Vec<Datagram> {
        match end {
            End::Sender => {
                let sent = |packet: Packet| Datagram::Packet(packet, Mark::Sent(packet.codepoint));
                self.packets.drain(..).map(sent).collect()
            }
            End::Receiver => self.acks.drain(..).map(Datagram::Ack).collect(),
        }
    }

    fn mark(&self, datagram: Datagram) -> Datagram {
        match datagram {
            Datagram::Packet(packet, mark) if mark != Mark::Sent(Codepoint::NotEct) => {
                Datagram::Packet(packet, Mark::Experienced)
            }
            other => other,
        }
    }

    fn content(&self, datagram: &Datagram) -> (u64, Option<u64>) {
        match datagram {
            Datagram::Packet(packet, _) => (packet.number, packet.chunk.map(|chunk| chunk.start)),
            Datagram::Ack(_) => (0, None),
        }
    }

    fn reading(&self) -> Reading {
        reading(&self.sender, self.lost)
    }
}
