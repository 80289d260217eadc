//! What the network writes into packets of laws that are told: it is beside what the packet says, and no part of its
//! datagram.

use crate::engine::packet::{Flags, Inscription};
use transport::cc::Algorithm;
use transport::quic;
use transport::rcp::Offer;
use transport::telemetry::Telemetry;
use transport::xcp;
use units::Instant;

/// Bytes on the wire of what the network writes, as TCP has them.
pub(super) fn written_len(algorithm: Algorithm) -> u32 {
    match (algorithm.needs_header(), algorithm.reads_hops()) {
        (true, _) => xcp::Header::LEN as u32,
        (_, true) => Telemetry::HPCC_LEN,
        _ if algorithm == Algorithm::Rcp => Offer::LEN,
        _ => 0,
    }
}

/// The flags of a packet that carries this, if it carries anything.
pub(super) fn flags(record: Option<&Inscription>) -> Flags {
    if record.is_some() { Flags::EXPLICIT } else { Flags::NONE }
}

/// What packets of data carry that leave now.
pub(super) fn of_sender(machine: &quic::Sender) -> Option<Inscription> {
    let header = machine.congestion_header().map(Inscription::Header);
    header.or_else(|| machine.telemetry().map(|told| Inscription::Telemetry(Box::new(told))))
}

/// An ACK with this largest number has brought that, which counts before the ACK.
pub(super) fn take(machine: &mut quic::Sender, now: Instant, largest: u64, record: &Inscription) {
    match record {
        Inscription::Header(header) => machine.handle_feedback(largest, header.reverse_feedback),
        Inscription::Telemetry(told) => machine.handle_telemetry(now, largest, told),
    }
}

/// What a receiver sends back.
#[derive(Debug)]
pub(super) enum Echo {
    /// Nothing has come.
    Nothing,
    /// What routers have granted.
    Granted(xcp::Receiver),
    /// What the newest packet has met.
    Measured(Box<Telemetry>),
}

impl Echo {
    /// A packet has brought this.
    pub fn note(&mut self, record: Inscription) {
        match record {
            Inscription::Telemetry(told) => *self = Echo::Measured(told),
            Inscription::Header(header) => {
                if !matches!(self, Echo::Granted(_)) {
                    *self = Echo::Granted(xcp::Receiver::default());
                }
                if let Echo::Granted(granted) = self {
                    granted.handle_header(&header);
                }
            }
        }
    }

    /// What the ACK carries that leaves now.
    pub fn answer(&mut self) -> Option<Inscription> {
        match self {
            Echo::Nothing => None,
            Echo::Granted(granted) => Some(Inscription::Header(granted.acknowledge())),
            Echo::Measured(told) => Some(Inscription::Telemetry(told.clone())),
        }
    }
}
