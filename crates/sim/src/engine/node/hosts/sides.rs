//! The two sides of a flow and its lifecycle.

use super::{HostedSink, HostedSource};
use crate::engine::node::app::AppConnection;
use crate::engine::node::datagrams::Datagrams;
use crate::engine::node::machine::GivenUp;
use crate::engine::packet::{Class, Flags, NEVER, NO_PAYLOAD, Packet};
use transport::tcp::{Actions, EcnEcho, Endpoint, Receiver, Sender, SenderStats};
use transport::telemetry::{Echo, Telemetry};
use transport::xcp;
use units::Instant;

/// The sending side of a flow. It begins where a pair of cache lines begins: the two are fetched together.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct SendingHost {
    /// When its live timer entry comes up; [`NEVER`] if it has none.
    pub armed: u64,
    /// Position of its path in the array of paths.
    pub path: u32,
    /// Bytes added to a payload on the wire.
    pub header: u16,
    /// What needs a second look when it sends.
    pub watch: PathFlags,
    /// The machine.
    pub machine: SendingMachine,
}

/// The sending machine.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all flows are TCP, and a box would cost each of their ACKs a cache miss"
)]
pub enum SendingMachine {
    /// TCP.
    Tcp(Sender),
    /// TCP with handshake, teardown, timestamps, or an application that writes now and then.
    Connection(Box<AppConnection>),
    /// One of a kind of host.
    Hosted(Box<HostedSource>),
    /// UDP.
    Datagrams(Datagrams),
}

/// Rare duties of a sending host, checked with one comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathFlags(u16);

impl PathFlags {
    /// It has an end whose time is to be noted.
    pub const FINITE: PathFlags = PathFlags(1);
    /// Some of its packets meet a forced fate.
    pub const FORCED: PathFlags = PathFlags(2);
    /// Somebody watches its packets.
    pub const WATCHED: PathFlags = PathFlags(4);
    /// Its packets carry congestion headers.
    pub const EXPLICIT: PathFlags = PathFlags(8);
    /// Its packets say something about congestion.
    pub const ECN: PathFlags = PathFlags(16);
    /// Its packets carry options of TCP.
    pub const OPTIONS: PathFlags = PathFlags(32);
    /// Its packets say when they left, and as which.
    pub const STAMPED: PathFlags = PathFlags(64);
    /// What it does not get of its path is written down.
    pub const ACCOUNTED: PathFlags = PathFlags(128);
    /// What hops measure makes its packets longer.
    pub const GROWING: PathFlags = PathFlags(256);
    /// What cannot be sent on the fast path.
    pub(super) const SLOW_PATH: PathFlags = PathFlags(2 | 4 | 8 | 16 | 32 | 64 | 128);

    /// Both.
    pub fn and(self, other: PathFlags) -> PathFlags {
        PathFlags(self.0 | other.0)
    }

    /// What keeps it off the fast path.
    pub(super) fn slow_path(self) -> PathFlags {
        PathFlags(self.0 & PathFlags::SLOW_PATH.0)
    }

    /// Whether its packets carry congestion headers.
    pub fn is_explicit(self) -> bool {
        self.has(PathFlags::EXPLICIT)
    }

    #[inline]
    pub(super) fn has(self, duty: PathFlags) -> bool {
        self.0 & duty.0 != 0
    }
}

/// The receiving side of a flow: one pair of cache lines.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct ReceivingHost {
    /// When its live timer entry comes up; [`NEVER`] if it has none.
    pub armed: u64,
    /// Position of the way back in the array of paths.
    pub path: u32,
    /// Bytes that are not payload in a data packet.
    pub header: u16,
    /// Size of an ACK on the wire.
    pub ack_size: u16,
    /// When bytes came that are there with all before them; [`NEVER`] before the first, and of datagrams.
    pub delivered_at: u64,
    /// The machine.
    pub sink: Sink,
}

/// The receiving machine.
#[derive(Debug)]
pub enum Sink {
    /// TCP.
    Tcp(Receiver),
    /// TCP with congestion headers.
    Explicit(Box<ExplicitSink>),
    /// TCP with handshake, teardown, timestamps, or a window that grows.
    Endpoint(Box<Endpoint>),
    /// One of a kind of host.
    Hosted(Box<HostedSink>),
    /// UDP.
    Datagrams {
        /// Bytes on the wire received.
        bytes: u64,
    },
}

/// A TCP receiver with what its ACKs bring back from the network.
#[derive(Debug)]
pub struct ExplicitSink {
    /// TCP.
    pub receiver: Receiver,
    /// XCP.
    pub feedback: xcp::Receiver,
    /// What the hops of the newest packet measured, if its sender asks for it.
    pub measured: Option<Box<Telemetry>>,
    /// What of that goes back.
    pub echo: Echo,
}

impl ExplicitSink {
    /// One to which nothing has come.
    pub fn new(receiver: Receiver, echo: Echo) -> ExplicitSink {
        ExplicitSink { receiver, feedback: xcp::Receiver::default(), measured: None, echo }
    }
}

/// The beginning and the end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifecycle {
    /// When it starts.
    pub start: u64,
    /// When it stops sending new data; [`NEVER`] if only the end of the run stops it.
    pub stop: u64,
    /// Bytes a TCP source is given at its start, `u64::MAX` for a greedy one.
    pub bytes: u64,
    /// When its last byte was acknowledged; [`NEVER`] before that.
    pub completed: u64,
}

impl Lifecycle {
    /// All of the flow has arrived; whether that is news. Its end is noted the first time.
    pub(super) fn complete(&mut self, now: u64) -> bool {
        let is_news = self.completed == NEVER;
        if is_news {
            self.completed = now;
        }
        is_news
    }
}

impl SendingHost {
    #[inline]
    pub(super) fn packet(&self, flow: u32, seq: u64, length: u32) -> Packet {
        data(flow, self.path, seq, length, self.header)
    }
}

/// A packet of data.
#[inline]
pub(super) fn data(flow: u32, hop: u32, seq: u64, length: u32, header: u16) -> Packet {
    let size = length as u16 + header;
    Packet { at: 0, hop, payload: NO_PAYLOAD, seq, flow, size, class: Class::Data, flags: Flags::NONE }
}

impl ReceivingHost {
    /// When the last byte of a flow of `size` bytes came, all before it too, if it has; `None` before that. A flow that
    /// is `complete` may have been stopped short.
    pub fn delivered(&self, size: u64, is_complete: bool) -> Option<u64> {
        let has_all = is_complete || self.sink.bytes_in_order() >= size;
        (has_all && self.delivered_at != NEVER).then_some(self.delivered_at)
    }

    /// An ACK without SACK blocks.
    #[inline]
    pub(super) fn ack(&self, flow: u32, ack: u64, echo: EcnEcho) -> Packet {
        let (hop, size, class, flags) = (self.path, self.ack_size, Class::Ack, Flags::of_ack(echo));
        Packet { at: 0, hop, payload: NO_PAYLOAD, seq: ack, flow, size, class, flags }
    }
}

impl SendingMachine {
    /// The machine, if it is TCP's.
    #[inline]
    pub fn tcp(&self) -> Option<&Sender> {
        match self {
            SendingMachine::Tcp(sender) => Some(sender),
            SendingMachine::Connection(written) => Some(written.connection.sender()),
            SendingMachine::Hosted(_) | SendingMachine::Datagrams(_) => None,
        }
    }

    /// The machine, if it is TCP's, to tell it something.
    #[inline]
    pub fn tcp_mut(&mut self) -> Option<&mut Sender> {
        match self {
            SendingMachine::Tcp(sender) => Some(sender),
            SendingMachine::Connection(written) => Some(written.connection.sender_mut()),
            SendingMachine::Hosted(_) | SendingMachine::Datagrams(_) => None,
        }
    }

    /// What it has counted. Of datagrams only how many were sent.
    pub fn stats(&self) -> SenderStats {
        match self {
            SendingMachine::Tcp(sender) => sender.stats(),
            SendingMachine::Connection(written) => written.connection.sender().stats(),
            SendingMachine::Hosted(source) => source.machine.stats(),
            SendingMachine::Datagrams(source) => SenderStats { segments_sent: source.sent(), ..SenderStats::default() },
        }
    }

    /// Bytes that it knows to have arrived in order; `None` for datagrams, which nobody acknowledges.
    pub fn bytes_acked(&self) -> Option<u64> {
        match self {
            SendingMachine::Tcp(sender) => Some(sender.bytes_acked()),
            SendingMachine::Connection(written) => Some(written.connection.sender().bytes_acked()),
            SendingMachine::Hosted(source) => source.machine.bytes_acked(),
            SendingMachine::Datagrams(_) => None,
        }
    }

    /// What never arrives; nothing where all does.
    pub fn given_up(&self) -> GivenUp {
        if let SendingMachine::Hosted(source) = self { source.machine.given_up() } else { GivenUp::default() }
    }

    /// What a kind of host shows of itself.
    pub fn readings(&self) -> Vec<(&'static str, f64)> {
        if let SendingMachine::Hosted(source) = self { source.machine.readings() } else { Vec::new() }
    }

    /// When the machine wants to be called, [`NEVER`] if it does not.
    #[inline]
    pub(super) fn next_timeout(&self) -> u64 {
        match self {
            SendingMachine::Tcp(sender) => sender.next_timeout().map_or(NEVER, Instant::ps),
            SendingMachine::Connection(written) => written.next_timeout().ps(),
            SendingMachine::Hosted(source) => source.next_timeout().ps(),
            SendingMachine::Datagrams(source) => source.next_timeout().map_or(NEVER, Instant::ps),
        }
    }

    pub(super) fn stop(&mut self, now: Instant, actions: &mut Actions) {
        match self {
            SendingMachine::Tcp(sender) => sender.stop(),
            SendingMachine::Connection(written) => written.connection.stop(now, actions),
            SendingMachine::Hosted(source) => source.machine.stop(),
            // It was told its end at the start.
            SendingMachine::Datagrams(_) => {}
        }
    }
}

impl Sink {
    /// ECN-capable segments that arrived marked, or what a machine of a kind of host says.
    pub fn marked(&self) -> u64 {
        match self {
            Sink::Tcp(receiver) => receiver.stats().marked,
            Sink::Endpoint(endpoint) => endpoint.receiver().stats().marked,
            Sink::Hosted(sink) => sink.machine.marked(),
            Sink::Explicit(_) | Sink::Datagrams { .. } => 0,
        }
    }

    /// Bytes that have arrived: new payload of TCP, in order or not; datagrams as they are on the wire.
    pub fn bytes_arrived(&self) -> u64 {
        match self {
            Sink::Datagrams { bytes } => *bytes,
            Sink::Tcp(receiver) => receiver.bytes_arrived(),
            Sink::Explicit(sink) => sink.receiver.bytes_arrived(),
            Sink::Endpoint(endpoint) => endpoint.receiver().bytes_arrived(),
            Sink::Hosted(sink) => sink.machine.bytes_arrived(),
        }
    }

    /// Bytes that have arrived, all from the first on; of datagrams all, as they are on the wire.
    pub(super) fn bytes_in_order(&self) -> u64 {
        match self {
            Sink::Datagrams { bytes } => *bytes,
            Sink::Tcp(receiver) => receiver.rcv_nxt(),
            Sink::Explicit(sink) => sink.receiver.rcv_nxt(),
            Sink::Endpoint(endpoint) => endpoint.receiver().rcv_nxt(),
            Sink::Hosted(sink) => sink.machine.bytes_in_order(),
        }
    }

    #[inline]
    pub(super) fn next_timeout(&self) -> u64 {
        match self {
            Sink::Tcp(receiver) => receiver.next_timeout().map_or(NEVER, Instant::ps),
            Sink::Explicit(sink) => sink.receiver.next_timeout().map_or(NEVER, Instant::ps),
            Sink::Endpoint(endpoint) => endpoint.next_timeout().map_or(NEVER, Instant::ps),
            Sink::Hosted(sink) => sink.machine.next_timeout().map_or(NEVER, Instant::ps),
            Sink::Datagrams { .. } => NEVER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_three_and_one_pairs_of_cache_lines() {
        assert_eq!((size_of::<SendingHost>(), size_of::<ReceivingHost>()), (384, 128));
    }
}
