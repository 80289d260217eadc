//! quinn's two endpoints: a client that sends and a server that receives.

#![allow(
    clippy::disallowed_types,
    reason = "quinn's times are std::time::Instant: one base, and durations added to it"
)]

use super::crypto::Null;
use super::line::{End, PACKET, Reading, Stack};
use super::wire;
use bytes::BytesMut;
use quinn_proto::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, ConnectionId, ConnectionIdGenerator, DatagramEvent, Dir, EcnCodepoint,
    Endpoint, EndpointConfig, ServerConfig, StreamId, TransportConfig, VarInt,
};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Connection identifiers of no bytes: addresses tell the connections apart.
struct NoIds;

impl ConnectionIdGenerator for NoIds {
    fn generate_cid(&mut self) -> ConnectionId {
        ConnectionId::new(&[])
    }

    fn cid_len(&self) -> usize {
        0
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// A law of quinn's with an initial window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    NewReno(u64),
    Cubic(u64),
}

impl Law {
    fn factory(self) -> Arc<dyn ControllerFactory + Send + Sync> {
        match self {
            Law::NewReno(window) => {
                let mut config = NewRenoConfig::default();
                config.initial_window(window);
                Arc::new(config)
            }
            Law::Cubic(window) => {
                let mut config = CubicConfig::default();
                config.initial_window(window);
                Arc::new(config)
            }
        }
    }
}

/// An end: its connection begins with the first packet.
struct Half {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
}

/// A datagram, and its codepoint.
#[derive(Clone, Debug)]
pub struct Datagram {
    pub bytes: Vec<u8>,
    pub ecn: Option<EcnCodepoint>,
}

pub struct Quinn {
    base: Instant,
    halves: [Half; 2],
    stream: Option<StreamId>,
    law: Law,
    /// Whether the link leaves codepoints as they are. Otherwise nobody hears of any, and the sender does without.
    pub has_ecn: bool,
}

fn transport(law: Law, is_sender: bool) -> Arc<TransportConfig> {
    let mut config = TransportConfig::default();
    config
        .max_idle_timeout(None)
        .stream_receive_window(VarInt::MAX)
        .receive_window(VarInt::MAX)
        .send_window(u64::MAX)
        .mtu_discovery_config(None)
        .initial_mtu(PACKET as u16)
        .ack_frequency_config(None)
        .allow_spin(false)
        .enable_segmentation_offload(false)
        .pad_to_mtu(is_sender)
        .congestion_controller_factory(law.factory());
    Arc::new(config)
}

fn address(end: End) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, if end == End::Sender { 1000 } else { 2000 }))
}

impl Quinn {
    /// Two endpoints whose random numbers begin with this.
    pub fn new(law: Law, seed: u64) -> Quinn {
        let half = |end: End| {
            let mut bytes = [end as u8; 32];
            bytes[..8].copy_from_slice(&seed.to_be_bytes());
            let mut config = EndpointConfig::new(Arc::new(Null));
            config.rng_seed(Some(bytes)).grease_quic_bit(false).cid_generator(|| Box::new(NoIds));
            let mut server = ServerConfig::new(Arc::new(Null), Arc::new(Null));
            server.transport_config(transport(law, false));
            let server = (end == End::Receiver).then(|| Arc::new(server));
            Half { endpoint: Endpoint::new(Arc::new(config), server, false, None), connection: None }
        };
        #[allow(clippy::disallowed_methods, reason = "there is no other way to an Instant; only differences matter")]
        let base = Instant::now();
        Quinn { base, halves: [half(End::Sender), half(End::Receiver)], stream: None, law, has_ecn: false }
    }

    /// The same on a link that knows ECN.
    pub fn with_ecn(self, has_ecn: bool) -> Quinn {
        Quinn { has_ecn, ..self }
    }

    fn at(&self, now: u64) -> Instant {
        self.base + Duration::from_nanos(now)
    }

    fn connection(&mut self, end: End) -> &mut Connection {
        &mut self.halves[end as usize].connection.as_mut().expect("it is connected").1
    }

    fn sender(&self) -> &Connection {
        &self.halves[0].connection.as_ref().expect("it is connected").1
    }

    /// Congestion events, as the sender's statistics have them.
    pub fn congestion_events(&self) -> u64 {
        self.sender().stats().path.congestion_events
    }
}

impl Half {
    /// What endpoint and connection say to each other.
    fn talk(&mut self) {
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(answer) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(answer);
            }
        }
        while let Some(event) = connection.poll() {
            assert!(!matches!(event, quinn_proto::Event::ConnectionLost { .. }), "{event:?}");
        }
    }
}

impl Stack for Quinn {
    type Datagram = Datagram;

    fn connect(&mut self, now: u64) {
        let mut config = ClientConfig::new(Arc::new(Null));
        config
            .transport_config(transport(self.law, true))
            .initial_dst_cid_provider(Arc::new(|| ConnectionId::new(&[7; 8])));
        let (at, half) = (self.at(now), &mut self.halves[0]);
        let begun = half.endpoint.connect(at, config, address(End::Receiver), "receiver");
        half.connection = Some(begun.expect("a connection begins"));
    }

    fn write(&mut self, _: u64, bytes: u64) {
        let connection = self.connection(End::Sender);
        let stream = connection.streams().open(Dir::Uni).expect("the peer permits streams");
        let data = vec![0x55; usize::try_from(bytes).expect("it fits")];
        assert_eq!(connection.send_stream(stream).write(&data), Ok(data.len()), "it takes all");
        self.stream = Some(stream);
    }

    fn ping(&mut self, _: u64) {
        self.connection(End::Sender).ping();
    }

    fn arrive(&mut self, now: u64, end: End, datagram: Datagram) {
        let from = address(if end == End::Sender { End::Receiver } else { End::Sender });
        let (at, half, mut answer) = (self.at(now), &mut self.halves[end as usize], Vec::new());
        match half.endpoint.handle(at, from, None, datagram.ecn, BytesMut::from(&datagram.bytes[..]), &mut answer) {
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = half.endpoint.accept(incoming, at, &mut answer, None);
                half.connection = Some(accepted.map_err(|error| error.cause).expect("a connection begins"));
            }
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                half.connection.as_mut().expect("it is connected").1.handle_event(event);
            }
            Some(DatagramEvent::Response(_)) | None => panic!("a datagram belongs to no connection"),
        }
        half.talk();
    }

    fn timeout(&mut self, now: u64, end: End) {
        let at = self.at(now);
        self.connection(end).handle_timeout(at);
        self.halves[end as usize].talk();
    }

    fn next_timeout(&mut self, end: End) -> Option<u64> {
        let base = self.base;
        let due = self.halves[end as usize].connection.as_mut()?.1.poll_timeout()?;
        Some(u64::try_from(due.saturating_duration_since(base).as_nanos()).expect("it fits"))
    }

    fn leave(&mut self, now: u64, end: End) -> Vec<Datagram> {
        let (at, has_ecn, half) = (self.at(now), self.has_ecn, &mut self.halves[end as usize]);
        let mut datagrams = Vec::new();
        if let Some((_, connection)) = &mut half.connection {
            let mut buffer = Vec::new();
            while let Some(transmit) = connection.poll_transmit(at, 1, &mut buffer) {
                let ecn = transmit.ecn.filter(|_| has_ecn);
                datagrams.push(Datagram { bytes: std::mem::take(&mut buffer), ecn });
            }
        }
        half.talk();
        datagrams
    }

    fn mark(&self, datagram: Datagram) -> Datagram {
        Datagram { ecn: datagram.ecn.map(|_| EcnCodepoint::Ce), ..datagram }
    }

    fn content(&self, datagram: &Datagram) -> (u64, Option<u64>) {
        (wire::number(&datagram.bytes), wire::stream(&datagram.bytes).map(|bytes| bytes.start))
    }

    fn reading(&self) -> Reading {
        let connection = self.sender();
        let path = connection.stats().path;
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).expect("it fits");
        Reading {
            cwnd: path.cwnd,
            ssthresh: connection.congestion_state().metrics().ssthresh.unwrap_or(u64::MAX),
            lost: path.lost_packets,
            smoothed: nanoseconds(path.rtt),
            least: nanoseconds(path.min_rtt),
        }
    }
}
