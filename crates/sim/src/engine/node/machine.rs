//! The machines of a kind of host, as the engine knows them.
//!
//! A kind of host is a folder of `hosts`. The engine tells the machine at either end of a flow of packets, deadlines
//! and the flow's beginning, and sends the packets that the machine lays down. TCP's usual machines are not behind
//! these traits: they are the fast path.

use crate::engine::packet::{Carried, Class, NO_PAYLOAD, Packet};
use crate::random::Stream;
use std::any::Any;
use std::fmt::Debug;
use transport::cc::PathChange;
use transport::tcp::{Actions, SenderStats};
use units::{Duration, Instant};

/// One end of a flow.
pub trait HostMachine: Debug + Send {
    /// A packet of the flow has reached this end.
    fn handle_packet(&mut self, packet: &Packet, context: &mut HostContext);

    /// So many more bytes are to be sent, at the sending end; `u64::MAX` if they have no end. The flow begins with the
    /// first, and an application may write more later.
    fn write(&mut self, bytes: u64, context: &mut HostContext) {
        let _ = (bytes, context);
    }

    /// Nothing new is sent from now on, at the sending end.
    fn stop(&mut self) {}

    /// Its path changes, at the sending end of a kind that hears of it.
    fn handle_news(&mut self, change: &PathChange, context: &mut HostContext) {
        let _ = (change, context);
    }

    /// Its deadline has come.
    fn handle_timeout(&mut self, context: &mut HostContext) {
        let _ = context;
    }

    /// When it wants to be called.
    fn next_timeout(&self) -> Option<Instant> {
        None
    }

    /// What the receiving ends of its node share has turned to this flow.
    fn handle_turn(&mut self, context: &mut HostContext) {
        let _ = context;
    }

    /// Before the first packet, at a receiving end whose node shares something: how long a full packet lasts on the
    /// links by which such flows come there, all together.
    fn join(&mut self, lasts: Duration) {
        let _ = lasts;
    }

    /// Whether all that the sending end was given so far has arrived.
    fn is_complete(&self) -> bool {
        false
    }

    /// What a sending end has counted.
    fn stats(&self) -> SenderStats {
        SenderStats::default()
    }

    /// Bytes that a sending end knows to have arrived; `None` where nothing is acknowledged.
    fn bytes_acked(&self) -> Option<u64> {
        None
    }

    /// What a sending end has not brought over and never will; nothing where all arrives in the end.
    fn given_up(&self) -> GivenUp {
        GivenUp::default()
    }

    /// What a sending end shows to probes that know its kind.
    fn shown(&self) -> Option<&dyn Any> {
        None
    }

    /// What the table `series` shows of a sending end, by the names that TCP's readings have.
    fn readings(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// Bytes of payload that have arrived at a receiving end, each once.
    fn bytes_arrived(&self) -> u64 {
        0
    }

    /// Those of them that are all from the first on.
    fn bytes_in_order(&self) -> u64 {
        self.bytes_arrived()
    }

    /// Packets that arrived marked, or without their payload, at a receiving end.
    fn marked(&self) -> u64 {
        0
    }
}

/// Bytes of payload that never arrive, so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenUp {
    /// They were dropped before they left.
    pub dropped: u64,
    /// They left and are taken for lost.
    pub lost: u64,
}

/// What writes into a flow now and then. It stands above a sending end of any kind, and knows none.
pub trait Application: Debug + Send {
    /// When it writes next; [`Instant::NEVER`] while it waits for something, or has nothing more.
    fn next_timeout(&self) -> Instant;

    /// Bytes of a write that is due, after which the next one is known or waited for.
    fn write(&mut self, now: Instant) -> u64;

    /// All that it has written has been acknowledged. It is told again as long as that is so.
    fn handle_all_acknowledged(&mut self, now: Instant) {
        let _ = now;
    }
}

/// Makes the applications of a rule of traffic.
pub trait ApplicationMaker: Debug + Send + Sync {
    /// That of a flow that lasts so long by an ideal clock, with its random numbers.
    fn application(&self, start: Instant, stop: Instant, stream: Stream) -> Box<dyn Application>;
}

/// What the receiving ends of a kind share at a node: they take turns.
pub trait Shared: Any + Debug + Send {
    /// When the next turn is due.
    fn next_timeout(&self) -> Option<Instant>;

    /// It is: the flow that has the turn, if one wants it.
    fn handle_timeout(&mut self, now: Instant) -> Option<u32>;
}

/// Makes the hosts of a transport.
pub trait HostMaker: Debug + Send + Sync {
    /// The sending end of a flow.
    fn sender(&self) -> Box<dyn HostMachine>;

    /// The receiving end of a flow.
    fn receiver(&self) -> Box<dyn HostMachine>;

    /// What its receiving ends share at a node, if they share anything.
    fn shared(&self) -> Option<Box<dyn Shared>> {
        None
    }

    /// Whether its packets may turn round on their way and come back.
    fn returns(&self) -> bool {
        false
    }
}

/// What a packet of an end is made of on the wire.
#[derive(Clone, Copy, Debug)]
pub struct Wire {
    /// Position of the way in the array of paths.
    pub path: u32,
    /// Bytes of a packet of data that are not payload.
    pub header: u16,
    /// Size of an ACK.
    pub ack_size: u16,
}

/// A packet that is to leave.
#[derive(Debug)]
pub struct Outgoing {
    /// The packet.
    pub packet: Packet,
    /// Whether its data have left before.
    pub is_again: bool,
    /// What it says besides its number.
    pub carried: Option<Carried>,
}

/// What a machine is called with.
#[derive(Debug)]
pub struct HostContext<'a> {
    /// The reading of the clock.
    pub now: Instant,
    /// The flow.
    pub flow: u32,
    /// For machines that list what they send in the words of TCP; empty between calls.
    pub actions: &'a mut Actions,
    pub(super) wire: Wire,
    pub(super) outgoing: &'a mut Vec<Outgoing>,
    /// What the packet says that has arrived.
    pub(super) carried: Option<Carried>,
    pub(super) shared: Option<&'a mut dyn Shared>,
}

impl HostContext<'_> {
    /// A packet with so many bytes of payload.
    pub fn data(&self, seq: u64, length: u32) -> Packet {
        let (hop, size, class) = (self.wire.path, length as u16 + self.wire.header, Class::Data);
        Packet { hop, seq, flow: self.flow, size, class, payload: NO_PAYLOAD, ..Packet::default() }
    }

    /// A packet of the size of an ACK.
    pub fn ack(&self, number: u64) -> Packet {
        let (hop, size, class) = (self.wire.path, self.wire.ack_size, Class::Ack);
        Packet { hop, seq: number, flow: self.flow, size, class, payload: NO_PAYLOAD, ..Packet::default() }
    }

    /// Bytes of payload of a packet that has arrived, as long as it was.
    pub fn payload_of(&self, packet: &Packet) -> u32 {
        packet.size.saturating_sub(self.wire.header).into()
    }

    /// Lets a packet leave.
    pub fn send(&mut self, packet: Packet) {
        self.outgoing.push(Outgoing { packet, is_again: false, carried: None });
    }

    /// Lets a packet leave whose data have left before.
    pub fn send_again(&mut self, packet: Packet) {
        self.outgoing.push(Outgoing { packet, is_again: true, carried: None });
    }

    /// The packet that was laid down last says this besides its number, and is no longer for it.
    pub fn saying<T: Any + Clone + Send + Sync>(&mut self, says: T) {
        if let Some(last) = self.outgoing.last_mut() {
            last.carried = Some(Carried::new(says));
        }
    }

    /// The packet that was laid down last says these two numbers, and is no longer for it.
    pub fn saying_numbers(&mut self, numbers: [u64; 2]) {
        if let Some(last) = self.outgoing.last_mut() {
            last.carried = Some(Carried::Numbers(numbers));
        }
    }

    /// The numbers that the packet says that has arrived, once; `None` if it says none.
    pub fn said_numbers(&mut self) -> Option<[u64; 2]> {
        match self.carried {
            Some(Carried::Numbers(numbers)) => {
                self.carried = None;
                Some(numbers)
            }
            _ => None,
        }
    }

    /// What the packet says that has arrived, once; `None` if that is nothing of this type.
    pub fn said<T: Any>(&mut self) -> Option<T> {
        self.carried.take()?.open()
    }

    /// What the receiving ends of this kind share here.
    pub fn shared<T: Shared>(&mut self) -> Option<&mut T> {
        let shared: &mut dyn Any = &mut **self.shared.as_mut()?;
        shared.downcast_mut()
    }
}
