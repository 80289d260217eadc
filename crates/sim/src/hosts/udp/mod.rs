//! UDP (RFC 768): datagrams that nobody answers, at the rate of their source.

use super::keys::{DEFAULT_PACKET, Keys, MAX_PACKET, bytes};
use super::kind::Kind;
use crate::language::Fault;
use crate::model::{HostKind, PacketSizes, Protocol};
use std::sync::Arc;

/// What is known of it.
pub(super) const KIND: Kind = Kind::new(check, |_| None);

/// Resolved.
#[derive(Debug)]
struct Udp {
    /// On the wire, headers included.
    packet_size: u32,
}

impl HostKind for Udp {
    fn name(&self) -> &'static str {
        "udp"
    }

    fn protocol(&self) -> Protocol {
        Protocol::Udp
    }

    fn sizes(&self) -> PacketSizes {
        PacketSizes { payload: self.packet_size, header: 0, ack: 0 }
    }
}

fn check(keys: &Keys) -> Result<Arc<dyn HostKind>, Fault> {
    keys.only(&["packet_size"])?;
    Ok(Arc::new(Udp { packet_size: bytes(keys.packet_size, DEFAULT_PACKET, 1..=MAX_PACKET)? }))
}
