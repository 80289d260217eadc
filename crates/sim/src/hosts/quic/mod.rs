//! QUIC: packets whose numbers are never used twice, ACKs that name ranges of them (RFC 9000), losses by numbers, by
//! time and by probes (RFC 9002). Its machines are [`transport::quic`]'s.
//!
//! | file | holds |
//! |---|---|
//! | `machines` | the two ends of a flow, driven by packets |
//! | `told` | what the network writes into them |
//! | `parameters` | those of both ends and of the window law, as one list |

mod machines;
mod parameters;
mod told;

use super::keys::{Keys, MAX_PACKET, bytes};
use super::kind::Kind;
use crate::engine::node::machine::HostMaker;
use crate::language::{Fault, Setting};
use crate::model::{Hears, HostKind, PacketSizes, Record};
use options::{ConfigError, Options, Value};
use parameters::{CHOICE, Parameters};
use std::any::Any;
use std::sync::Arc;
use transport::cc::{self, Algorithm, Fit};
use transport::quic::Frames;

/// Headers of IP and UDP, which are no part of a datagram, as windows count it; nor is what the network writes.
const BELOW: u32 = 28;
/// Those; of a packet with data a short header, the header of a STREAM frame and the tag of the encryption.
const HEADER: u32 = BELOW + 38;
/// Those; of an ACK a short header, an ACK frame of one range and the tag of the encryption.
const ACK: u32 = BELOW + 38;

/// With any window law, which is a key.
pub(super) const ANY: Kind = kind(|| Some(Box::new(Parameters::declared().with_choice())));
/// With the window law of its name.
pub(super) const NAMED: Kind = kind(|| Some(Box::new(Parameters::declared())));

const fn kind(options: fn() -> Option<Box<dyn Options>>) -> Kind {
    Kind { options, ..Kind::new(check, maker) }
}

/// Resolved.
#[derive(Debug)]
struct Quic {
    name: &'static str,
    parameters: Parameters,
    header: u32,
    ack_size: u32,
    record: Record,
}

impl HostKind for Quic {
    fn name(&self) -> &'static str {
        self.name
    }

    fn sizes(&self) -> PacketSizes {
        let payload = self.parameters.sender.payload();
        PacketSizes { payload, header: self.header, ack: self.ack_size }
    }

    fn is_numbered(&self) -> bool {
        true
    }

    fn first_window(&self) -> u32 {
        let (sender, receiver) = (&self.parameters.sender, &self.parameters.receiver);
        let window = sender.initial_window.bytes(sender.max_datagram_size).min(receiver.receive_window);
        u32::try_from(window / u64::from(sender.max_datagram_size)).unwrap_or(u32::MAX)
    }

    fn hears(&self) -> Hears {
        let sender = &self.parameters.sender;
        let (news, base_rtts) = (sender.hears_news(), sender.hears_base_rtts());
        let (marks, queues) = (sender.path_marks, sender.ecn && !sender.path_marks);
        Hears { news, base_rtts, marks, queues }
    }

    fn loses(&self) -> bool {
        self.parameters.sender.frames == Frames::Datagram
    }

    fn fit(&self) -> Option<Fit> {
        let sender = &self.parameters.sender;
        sender.algorithm.wants(&sender.laws).fits
    }

    fn told(&self) -> Option<(Algorithm, &cc::Config)> {
        let sender = &self.parameters.sender;
        sender.algorithm.is_told().then_some((sender.algorithm, &sender.laws))
    }

    fn record(&self) -> Record {
        self.record
    }

    fn options(&self) -> Option<&dyn Options> {
        Some(&self.parameters)
    }
}

fn check(keys: &Keys) -> Result<Arc<dyn HostKind>, Fault> {
    let named = keys.kind.strip_prefix("quic-").and_then(Algorithm::from_name);
    let chosen = keys.get(CHOICE).and_then(|one| match *one.value {
        Setting::Value(Value::Word(word)) => Algorithm::from_name(word),
        _ => None,
    });
    let algorithm = named.or(chosen).unwrap_or(Algorithm::NewReno);
    let written = keys.record.written_len(algorithm);
    let header = bytes(keys.header, HEADER + written, 0..=MAX_PACKET - 1)?;
    let ack_size = bytes(keys.ack_size, ACK + written, 1..=MAX_PACKET)?;
    let mut own = Parameters::of(algorithm);
    if named.is_none() {
        own = own.with_choice();
    }
    own.sender.below = (BELOW + written).min(header);
    own.sender.overhead = header - own.sender.below;
    own.sender.max_datagram_size = keys.payload(header)? + own.sender.overhead;
    let packet = own.sender.max_datagram_size;
    keys.set(&mut own, packet)?;
    if keys.get("ecn").is_none() {
        own.sender.ecn = own.sender.needs_ecn();
    }
    if keys.by_marks && keys.get("path_marks").is_none() {
        own.sender.path_marks = own.sender.hears_news();
    }
    own.agree();
    let wrong = |why: ConfigError| keys.wrong(&why);
    if own.sender.pto_packets == 0 {
        return Err(wrong(ConfigError::new("pto_packets", "must be 1 or 2: nobody sends probes by hand")));
    }
    own.sender.validate().map_err(wrong)?;
    own.receiver.validate().map_err(wrong)?;
    Ok(Arc::new(Quic { name: keys.kind, parameters: own, header, ack_size, record: keys.record }))
}

fn maker(kind: &dyn Any) -> Option<Arc<dyn HostMaker>> {
    let Quic { parameters: Parameters { sender, receiver, .. }, record, .. } = kind.downcast_ref::<Quic>()?;
    let (sender, receiver) = (Arc::new(sender.clone()), Arc::new(receiver.clone()));
    Some(Arc::new(machines::Maker { sender, receiver, record: *record }))
}
