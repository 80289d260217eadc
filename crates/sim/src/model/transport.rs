//! Ways to send.

use options::{Options, words};
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use transport::cc::{self, Algorithm, Fit};
use transport::tcp::{ReceiverConfig, SenderConfig};
use transport::telemetry::{Echo, Offer, Telemetry};
use transport::xcp;

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
    /// A kind of host of its own.
    Hosted(Arc<dyn HostKind>),
}

/// A kind of host besides TCP, with its keys resolved: what anybody asks of it. The rest only its folder knows.
pub trait HostKind: Any + Debug + Send + Sync {
    /// Its name in scenarios.
    fn name(&self) -> &'static str;

    /// What its hosts speak.
    fn protocol(&self) -> Protocol {
        Protocol::Tcp
    }

    /// What its packets are made of.
    fn sizes(&self) -> PacketSizes;

    /// Whether packets of data are numbered one by one, and not by their bytes.
    fn is_numbered(&self) -> bool {
        false
    }

    /// Packets that a sender lets out before it has heard anything.
    fn first_window(&self) -> u32 {
        0
    }

    /// The round trips that its window law fits; `None` if these are all.
    fn fit(&self) -> Option<Fit> {
        None
    }

    /// What a sender hears of its path, and of queues.
    fn hears(&self) -> Hears {
        Hears::default()
    }

    /// Whether what is lost stays lost, so that a flow of a size may never be complete; tables then count it.
    fn loses(&self) -> bool {
        false
    }

    /// The law that reads what the network writes into its packets, and its parameters; `None` if none does.
    fn told(&self) -> Option<(Algorithm, &cc::Config)> {
        None
    }

    /// How its packets carry what hops measure, if such a law reads that.
    fn record(&self) -> Record {
        Record::default()
    }

    /// Its own parameters, if it has any.
    fn options(&self) -> Option<&dyn Options> {
        None
    }
}

/// What of the network senders hear besides losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hears {
    /// All news of paths.
    pub news: bool,
    /// Another path's round trip.
    pub base_rtts: bool,
    /// News of circuits, by marks that ACKs bring back.
    pub marks: bool,
    /// Queues, by marks of congestion.
    pub queues: bool,
}

/// Bytes of packets on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketSizes {
    /// Payload of a full packet.
    pub payload: u32,
    /// What each packet has besides.
    pub header: u32,
    /// An ACK; 0 if nothing is acknowledged.
    pub ack: u32,
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

    /// Bytes that the network writes into the packets of a law, before any hop has made them longer.
    pub(crate) fn written_len(self, algorithm: Algorithm) -> u32 {
        match (algorithm.needs_header(), algorithm.reads_hops()) {
            (true, _) => xcp::Header::LEN as u32,
            (_, true) if self.grows() => Telemetry::HEAD_LEN,
            (_, true) => Telemetry::HPCC_LEN,
            _ if algorithm == Algorithm::Rcp => Offer::LEN,
            _ => 0,
        }
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
            TransportKind::Tcp { .. } => Protocol::Tcp,
            TransportKind::Hosted(kind) => kind.protocol(),
        }
    }

    /// Size of a datagram on the wire; `None` for what has segments.
    pub fn datagram(&self) -> Option<u32> {
        let kind = self.hosted().filter(|kind| kind.protocol() == Protocol::Udp)?;
        Some(kind.sizes().payload + kind.sizes().header)
    }

    /// Its kind of host, if that is not TCP.
    pub fn hosted(&self) -> Option<&dyn HostKind> {
        if let TransportKind::Hosted(kind) = self { Some(&**kind) } else { None }
    }

    /// The rules of a sender of TCP.
    pub fn sender(&self) -> Option<&SenderConfig> {
        if let TransportKind::Tcp { sender, .. } = self { Some(sender) } else { None }
    }

    /// The same, to be changed before a run.
    pub fn sender_mut(&mut self) -> Option<&mut SenderConfig> {
        if let TransportKind::Tcp { sender, .. } = self { Some(sender) } else { None }
    }

    /// The rules of a receiver of TCP.
    pub fn receiver(&self) -> Option<&ReceiverConfig> {
        if let TransportKind::Tcp { receiver, .. } = self { Some(receiver) } else { None }
    }

    /// Bytes of a data packet on the wire that are not what [`sender`](TransportKind::sender) sends.
    pub fn header(&self) -> u32 {
        match self {
            TransportKind::Tcp { sender, header, .. } => header + sender.options_len(),
            TransportKind::Hosted(kind) => kind.sizes().header,
        }
    }

    /// Size of an ACK on the wire; 0 if nothing is acknowledged.
    pub fn ack_size(&self) -> u32 {
        match self {
            TransportKind::Tcp { sender, ack_size, .. } => ack_size + sender.options_len(),
            TransportKind::Hosted(kind) => kind.sizes().ack,
        }
    }

    /// The sizes of header and ACK without options; 0 for datagrams.
    pub fn bare_sizes(&self) -> (u32, u32) {
        match self {
            TransportKind::Tcp { header, ack_size, .. } => (*header, *ack_size),
            TransportKind::Hosted(kind) => (kind.sizes().header, kind.sizes().ack),
        }
    }

    /// Size of the largest packet on the wire.
    pub fn largest_packet(&self) -> u32 {
        let payload = match self {
            TransportKind::Tcp { sender, .. } => sender.mss,
            TransportKind::Hosted(kind) => kind.sizes().payload,
        };
        (payload + self.header()).max(self.ack_size()) + self.record().most_growth()
    }

    /// How its packets carry what hops measure.
    pub fn record(&self) -> Record {
        match self {
            TransportKind::Tcp { record, .. } => *record,
            TransportKind::Hosted(kind) => kind.record(),
        }
    }

    /// Whether its law reads what each hop measures.
    pub fn reads_hops(&self) -> bool {
        self.told().is_some_and(|(algorithm, _)| algorithm.reads_hops())
    }

    /// Whether its packets carry what hops measure.
    pub fn reads_telemetry(&self) -> bool {
        self.told().is_some_and(|(algorithm, _)| algorithm.reads_telemetry())
    }

    /// What RCP's ports go by, if it is that.
    pub fn rcp(&self) -> Option<&cc::rcp::Config> {
        self.told().filter(|(algorithm, _)| *algorithm == Algorithm::Rcp).map(|(_, laws)| &laws.rcp)
    }

    /// The law that reads what the network writes into its packets, if one does.
    fn told(&self) -> Option<(Algorithm, &cc::Config)> {
        match self {
            TransportKind::Tcp { sender, .. } => Some((sender.algorithm, &sender.laws)),
            TransportKind::Hosted(kind) => kind.told(),
        }
    }

    /// Payload of a full packet; `None` for datagrams, which have no other.
    pub fn payload(&self) -> Option<u32> {
        match self {
            TransportKind::Tcp { sender, .. } => Some(sender.mss),
            TransportKind::Hosted(kind) => (kind.protocol() == Protocol::Tcp).then(|| kind.sizes().payload),
        }
    }

    /// Whether what is lost stays lost, though packets are acknowledged.
    pub fn loses(&self) -> bool {
        self.hosted().is_some_and(HostKind::loses)
    }

    /// What a sender hears of its path, and of queues.
    pub fn hears(&self) -> Hears {
        match self {
            TransportKind::Tcp { sender, .. } => {
                let (news, base_rtts) = (sender.hears_news(), sender.hears_base_rtts());
                let (marks, queues) = (sender.path_marks, sender.has_ecn() && !sender.path_marks);
                Hears { news, base_rtts, marks, queues }
            }
            TransportKind::Hosted(kind) => kind.hears(),
        }
    }

    /// The round trips that its window law fits; `None` if these are all.
    pub fn fit(&self) -> Option<Fit> {
        match self {
            TransportKind::Tcp { sender, .. } => sender.algorithm.wants(&sender.laws).fits,
            TransportKind::Hosted(kind) => kind.fit(),
        }
    }

    /// Whether its packets carry congestion headers.
    pub fn needs_header(&self) -> bool {
        self.told().is_some_and(|(algorithm, _)| algorithm.needs_header())
    }
}
