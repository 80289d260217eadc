//! Which machines the hosts of a transport run.

use super::{ExplicitSink, HostedSink, HostedSource, SendingMachine, Sink};
use crate::engine::node::app::{AppConnection, Writer};
use crate::engine::node::datagrams::Datagrams;
use crate::engine::node::machine::{ApplicationMaker, HostMaker};
use crate::model::{Flow, HostKind, Load, Record, Transport, TransportKind};
use crate::random::Stream;
use std::sync::Arc;
use transport::tcp::{Connection, Endpoint, Receiver, ReceiverConfig, Sender, SenderConfig};
use units::Duration;

/// What SYN and SYN-ACK agree on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offer {
    /// The greatest segment, with its options.
    pub mss: u16,
    /// By how many bits windows are shifted, if they may be.
    pub window_scale: Option<u8>,
    /// Whether SACK is permitted.
    pub sack: bool,
    /// A tick of the timestamps, if there are any.
    pub tick: Option<Duration>,
    /// Whether ECN is used, where no handshake says so.
    pub ecn: bool,
}

/// The parameters of a transport, shared by its flows.
#[derive(Debug)]
pub struct Configs {
    machine: Machine,
    /// Bytes of a data packet that are not payload.
    pub header: u16,
    /// Size of an ACK on the wire.
    pub ack_size: u16,
    /// How packets carry what hops measure.
    pub record: Record,
}

#[derive(Debug)]
enum Machine {
    Tcp(Arc<SenderConfig>, Arc<ReceiverConfig>),
    Hosted(Arc<dyn HostMaker>, u32),
    Datagrams { packet_size: u32 },
}

impl Configs {
    /// Those of this transport, whose hosts `maker` makes if they are not TCP's or UDP's.
    pub fn new(transport: &Transport, maker: Option<&Arc<dyn HostMaker>>) -> Configs {
        let kind = &transport.kind;
        let machine = match (kind, maker, kind.datagram()) {
            (TransportKind::Tcp { sender, receiver, .. }, ..) => {
                Machine::Tcp(Arc::new(sender.clone()), Arc::new(receiver.clone()))
            }
            (_, Some(maker), _) => {
                let bytes = kind.payload().filter(|_| !kind.hosted().is_some_and(HostKind::is_numbered));
                Machine::Hosted(Arc::clone(maker), bytes.unwrap_or(1))
            }
            (_, None, Some(packet_size)) => Machine::Datagrams { packet_size },
            (_, None, None) => panic!("a kind of host that has segments makes hosts"),
        };
        let (header, ack_size) = (kind.header() as u16, kind.ack_size() as u16);
        Configs { machine, header, ack_size, record: kind.record() }
    }

    /// The sending machine of a flow, into which one of these writes if its load says so.
    pub fn sending_machine(
        &self,
        flow: &Flow,
        applications: &[Arc<dyn ApplicationMaker>],
        stream: impl FnOnce() -> Stream,
    ) -> SendingMachine {
        let writes = matches!(flow.load, Load::Writes(_)) || flow.waits && !self.is_told();
        match &self.machine {
            Machine::Tcp(sender, _) if self.has_options() || writes => {
                let (connection, writer) = (Connection::new(Arc::clone(sender)), writer(flow, applications, stream));
                SendingMachine::Connection(Box::new(AppConnection { connection, writer }))
            }
            Machine::Tcp(sender, _) => SendingMachine::Tcp(Sender::new(Arc::clone(sender))),
            Machine::Hosted(maker, _) => {
                let (machine, writer) = (maker.sender(), writer(flow, applications, stream));
                SendingMachine::Hosted(Box::new(HostedSource { machine, writer }))
            }
            Machine::Datagrams { packet_size } => {
                let (start, stop) = (flow.start.on_ideal_clock(), flow.stop.on_ideal_clock());
                let source = Datagrams::new(flow.load, *packet_size, start, stop, stream());
                SendingMachine::Datagrams(source.expect("a resolved UDP flow has a load that a source can send"))
            }
        }
    }

    /// The receiving machine of a flow; work that `waits` hears of it if it is not the plain one of TCP.
    pub fn sink(&self, waits: bool) -> Sink {
        match &self.machine {
            Machine::Tcp(_, receiver) if self.has_options() || waits && !self.is_told() => {
                Sink::Endpoint(Box::new(Endpoint::new(Arc::clone(receiver))))
            }
            Machine::Tcp(sender, receiver) => {
                let receiver = Receiver::new(Arc::clone(receiver));
                match sender.algorithm.is_told() {
                    true => Sink::Explicit(Box::new(ExplicitSink::new(receiver, self.record.echo))),
                    false => Sink::Tcp(receiver),
                }
            }
            Machine::Hosted(maker, _) => {
                Sink::Hosted(Box::new(HostedSink { machine: maker.receiver(), shares_with: None }))
            }
            Machine::Datagrams { .. } => Sink::Datagrams { bytes: 0 },
        }
    }

    /// Whether packets carry options of TCP.
    pub fn has_options(&self) -> bool {
        match &self.machine {
            Machine::Tcp(sender, receiver) => Connection::is_for(sender) || Endpoint::is_for(receiver),
            Machine::Hosted(..) | Machine::Datagrams { .. } => false,
        }
    }

    /// What makes its hosts, if they are not TCP's or UDP's.
    pub fn maker(&self) -> Option<&dyn HostMaker> {
        if let Machine::Hosted(maker, _) = &self.machine { Some(&**maker) } else { None }
    }

    /// Whether its senders bound what waits at their host.
    pub fn bounds_queue(&self) -> bool {
        matches!(&self.machine, Machine::Tcp(sender, _) if sender.limit_output.is_some())
    }

    /// Whether the connections use ECN.
    pub fn has_ecn(&self) -> bool {
        matches!(&self.machine, Machine::Tcp(sender, _) if sender.has_ecn())
    }

    /// Whether a handshake goes before the data.
    pub fn has_handshake(&self) -> bool {
        matches!(&self.machine, Machine::Tcp(sender, _) if sender.handshake)
    }

    /// What SYN and SYN-ACK agree on.
    pub fn offer(&self) -> Offer {
        let Machine::Tcp(sender, receiver) = &self.machine else { return Offer::default() };
        Offer {
            mss: (sender.mss + sender.options_len()) as u16,
            window_scale: receiver.window_scaling.then(|| receiver.window_scale()),
            sack: receiver.sack,
            tick: sender.timestamps.then_some(sender.timestamp_clock),
            ecn: sender.has_ecn(),
        }
    }

    /// Whether the network writes into segments: congestion headers, or what hops measure.
    pub fn is_told(&self) -> bool {
        matches!(&self.machine, Machine::Tcp(sender, _) if sender.algorithm.is_told())
    }

    /// The window that is advertised; 0 where none is.
    pub fn window(&self) -> u64 {
        match &self.machine {
            Machine::Tcp(_, receiver) => receiver.window,
            Machine::Hosted(..) | Machine::Datagrams { .. } => 0,
        }
    }

    /// Payload of a full segment; 1 for packets that are numbered one by one.
    pub fn segment_size(&self) -> u32 {
        match &self.machine {
            Machine::Tcp(sender, _) => sender.mss,
            Machine::Hosted(_, payload) => *payload,
            Machine::Datagrams { .. } => 1,
        }
    }
}

/// What writes into a flow, if its load says so.
fn writer(flow: &Flow, applications: &[Arc<dyn ApplicationMaker>], stream: impl FnOnce() -> Stream) -> Writer {
    let Load::Writes(number) = flow.load else { return Writer::NONE };
    let (start, stop) = (flow.start.on_ideal_clock(), flow.stop.on_ideal_clock());
    Writer::new(applications[number as usize].application(start, stop, stream()), stop)
}
