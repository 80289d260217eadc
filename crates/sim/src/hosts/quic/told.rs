//! What the network writes into packets of laws that are told: it is beside what the packet says, and no part of its
//! datagram.

use crate::engine::packet::{Flags, Inscription};
use transport::quic;
use transport::telemetry::{self, Telemetry};
use transport::xcp;
use units::Instant;

/// The flags of a packet that carries this, if it carries anything.
pub(super) fn flags(record: Option<&Inscription>) -> Flags {
    if record.is_some() { Flags::EXPLICIT } else { Flags::NONE }
}

/// What packets of data carry that leave now.
pub(super) fn of_sender(machine: &quic::Sender, grows: bool) -> Option<Inscription> {
    let header = machine.congestion_header().map(Inscription::Header);
    header.or_else(|| machine.telemetry().map(|told| Inscription::Telemetry(Box::new(told.growing(grows)))))
}

/// Bytes by which the network has made a packet longer.
pub(super) fn grown_len(record: &Inscription) -> u32 {
    if let Inscription::Telemetry(told) = record { told.grown_len() } else { 0 }
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
    /// A packet has brought this, of which so much is sent back.
    pub fn note(&mut self, record: Inscription, part: telemetry::Echo) {
        match record {
            Inscription::Telemetry(mut told) => {
                *told = told.echoed(part);
                *self = Echo::Measured(told);
            }
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
