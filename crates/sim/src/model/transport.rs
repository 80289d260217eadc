//! Ways to send.

use options::words;
use transport::tcp::{ReceiverConfig, SenderConfig};
use transport::telemetry::{Echo, Telemetry};
use transport::{cc, ndp};

/// A named way to send: `[transport.NAME]`.
#[derive(Clone, Debug)]
pub struct Transport {
    /// The NAME.
    pub name: String,
    /// What its hosts do.
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
        /// What hops measure on the way of its packets.
        record: Record,
    },
    /// NDP; sizes on the wire are payload + `header`.
    Ndp {
        /// The parameters of both ends.
        config: ndp::Config,
        /// Bytes added to each packet's payload on the wire.
        header: u32,
        /// Size of an ACK, a NACK or a PULL on the wire.
        ack_size: u32,
    },
    /// UDP datagrams of a fixed size on the wire.
    Udp {
        /// Size on the wire, headers included.
        packet_size: u32,
    },
}

/// How packets carry what hops measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Whether each hop makes a packet longer, or there is room from the start.
    pub size: RecordSize,
    /// What ACKs carry of it.
    pub echo: Echo,
}

words! {
    /// The bytes on the wire of what hops measure.
    pub enum RecordSize {
        /// Room for five hops from the start, as HPCC's header.
        Reserved = "reserved",
        /// 2 B, and 8 B more at each port that measures.
        Growing = "growing",
    }
}

words! {
    /// What hosts speak.
    pub enum Protocol {
        /// A stream of bytes that is acknowledged.
        Tcp = "TCP",
        /// Datagrams that are not.
        Udp = "UDP",
    }
}

impl Default for Record {
    fn default() -> Record {
        Record { size: RecordSize::Reserved, echo: Echo::Whole }
    }
}

impl Record {
    /// Whether a packet becomes longer on its way.
    pub fn grows(self) -> bool {
        self.size == RecordSize::Growing
    }

    /// Bytes by which it does at most.
    pub fn most_growth(self) -> u32 {
        if self.grows() { Telemetry::HOP_LEN * Telemetry::HOPS as u32 } else { 0 }
    }
}

impl TransportKind {
    /// What its hosts speak.
    pub fn protocol(&self) -> Protocol {
        match self {
            TransportKind::Tcp { .. } | TransportKind::Ndp { .. } => Protocol::Tcp,
            TransportKind::Udp { .. } => Protocol::Udp,
        }
    }

    /// Size of a datagram on the wire; `None` for what has segments.
    pub fn datagram(&self) -> Option<u32> {
        match self {
            TransportKind::Tcp { .. } | TransportKind::Ndp { .. } => None,
            TransportKind::Udp { packet_size } => Some(*packet_size),
        }
    }

    /// The rules of a sender of TCP.
    pub fn sender(&self) -> Option<&SenderConfig> {
        match self {
            TransportKind::Tcp { sender, .. } => Some(sender),
            TransportKind::Ndp { .. } | TransportKind::Udp { .. } => None,
        }
    }

    /// The same, to be changed before a run.
    pub fn sender_mut(&mut self) -> Option<&mut SenderConfig> {
        match self {
            TransportKind::Tcp { sender, .. } => Some(sender),
            TransportKind::Ndp { .. } | TransportKind::Udp { .. } => None,
        }
    }

    /// The rules of a receiver of TCP.
    pub fn receiver(&self) -> Option<&ReceiverConfig> {
        match self {
            TransportKind::Tcp { receiver, .. } => Some(receiver),
            TransportKind::Ndp { .. } | TransportKind::Udp { .. } => None,
        }
    }

    /// Bytes of a data packet on the wire that are not what [`sender`](TransportKind::sender) sends.
    pub fn header(&self) -> u32 {
        match self {
            TransportKind::Tcp { sender, header, .. } => header + sender.options_len(),
            TransportKind::Ndp { header, .. } => *header,
            TransportKind::Udp { .. } => 0,
        }
    }

    /// Size of an ACK on the wire; 0 if nothing is acknowledged.
    pub fn ack_size(&self) -> u32 {
        match self {
            TransportKind::Tcp { sender, ack_size, .. } => ack_size + sender.options_len(),
            TransportKind::Ndp { ack_size, .. } => *ack_size,
            TransportKind::Udp { .. } => 0,
        }
    }

    /// The sizes of header and ACK without options; 0 for UDP.
    pub fn bare_sizes(&self) -> (u32, u32) {
        match self {
            TransportKind::Tcp { header, ack_size, .. } | TransportKind::Ndp { header, ack_size, .. } => {
                (*header, *ack_size)
            }
            TransportKind::Udp { .. } => (0, 0),
        }
    }

    /// Size of the largest packet on the wire.
    pub fn largest_packet(&self) -> u32 {
        match self {
            TransportKind::Tcp { sender, record, .. } => {
                (sender.mss + self.header()).max(self.ack_size()) + record.most_growth()
            }
            TransportKind::Ndp { config, .. } => (config.payload + self.header()).max(self.ack_size()),
            TransportKind::Udp { packet_size } => *packet_size,
        }
    }

    /// How its packets carry what hops measure.
    pub fn record(&self) -> Record {
        if let TransportKind::Tcp { record, .. } = self { *record } else { Record::default() }
    }

    /// Whether its packets carry what hops measure.
    pub fn reads_telemetry(&self) -> bool {
        self.sender().is_some_and(|sender| sender.algorithm.reads_telemetry())
    }

    /// What RCP's ports go by, if it is that.
    pub fn rcp(&self) -> Option<&cc::rcp::Config> {
        self.sender().filter(|sender| sender.algorithm == cc::Algorithm::Rcp).map(|sender| &sender.laws.rcp)
    }

    /// Payload of a full packet; `None` for datagrams, which have no other.
    pub fn payload(&self) -> Option<u32> {
        match self {
            TransportKind::Tcp { sender, .. } => Some(sender.mss),
            TransportKind::Ndp { config, .. } => Some(config.payload),
            TransportKind::Udp { .. } => None,
        }
    }

    /// The parameters of NDP.
    pub fn ndp(&self) -> Option<&ndp::Config> {
        if let TransportKind::Ndp { config, .. } = self { Some(config) } else { None }
    }

    /// Whether its packets carry congestion headers.
    pub fn needs_header(&self) -> bool {
        self.sender().is_some_and(|sender| sender.algorithm.needs_header())
    }
}
