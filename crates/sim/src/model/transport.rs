//! Ways to send.

use transport::tcp::{ReceiverConfig, SenderConfig};

/// A named way to send: `[transport.NAME]`.
#[derive(Clone, Debug)]
pub struct Transport {
    /// The NAME.
    pub name: String,
    /// TCP or UDP.
    pub kind: TransportKind,
}

/// The protocol with its parameters.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one for each named transport, not for each flow")]
pub enum TransportKind {
    /// TCP; sizes on the wire are payload + `header`.
    Tcp {
        /// The sender's rules.
        sender: SenderConfig,
        /// The receiver's rules.
        receiver: ReceiverConfig,
        /// Bytes added to each data segment on the wire (40: IP and TCP without options).
        header: u32,
        /// Size of a pure ACK on the wire.
        ack_size: u32,
    },
    /// UDP datagrams of a fixed size on the wire.
    Udp {
        /// Size on the wire, headers included.
        packet_size: u32,
    },
}
