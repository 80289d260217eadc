//! Agents: machines at nodes that do what ports cannot do by themselves, and what agents and hosts are told.
//!
//! The engine carries messages and cannot read them. An agent is given a [`Bench`] and nothing else of the world.

use super::bench::Bench;
use super::fetch::fetch;
use super::ledger::Ledger;
use super::packet::Packet;
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use transport::tcp::{Actions, SackBlock, Sender};
use units::Instant;

/// A machine at a node. What it sends goes into the network at once.
pub trait Agent: fmt::Debug + Send {
    /// When it wants to be called, `u64::MAX` for never. It may be asked at any time and may change with every call.
    fn next_timeout(&self) -> u64;

    /// Its deadline has come.
    fn handle_timeout(&mut self, now: u64, bench: &mut Bench);

    /// A message of another agent has arrived.
    fn handle_message(&mut self, now: u64, message: Message, bench: &mut Bench) {
        let _ = (now, message, bench);
    }

    /// A packet has come to a port before which the agent stands; `place` is the agent's name for that port. The packet is
    /// kept, dropped ([`Bench::refuse`]), sent on ([`Bench::send_past`]) or given to its node ([`Bench::hand`]).
    fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, bench: &mut Bench) {
        let _ = place;
        bench.send_past(now, packet);
    }

    /// Packets of hosts that it keeps. Where packets travel in something else, they are kept from the agent that took them
    /// to the one that gives them back, so that only the sum over all agents means something.
    fn kept(&self) -> i64 {
        0
    }

    /// Packets that it has made by cutting others, beyond one of each, less those that it has put together again: one that is
    /// lost on the way counts as a packet. Only the sum over all agents means something.
    fn cut(&self) -> i64 {
        0
    }

    /// Shows each of them, because what they carry moves.
    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        let _ = change;
    }

    /// Adds what it has counted since the start.
    fn account(&self, ledger: &mut Ledger) {
        let _ = ledger;
    }
}

/// What an agent tells another one. Only who knows its type can read it. A message has one owner, so that a node can change it
/// on its way without asking who else reads it, which would cost an atomic operation each time.
pub struct Message(Box<dyn Says>);

/// What a message says, whatever it is.
trait Says: Any + Send {
    /// Brings it into the cache, if it fits two lines.
    fn expect(&self);
}

impl<T: Any + Send> Says for T {
    fn expect(&self) {
        fetch(self);
    }
}

impl Message {
    /// A message that says this.
    pub fn new<T: Any + Send>(says: T) -> Message {
        Message(Box::new(says))
    }

    /// What it says, if it is of this type.
    pub fn read<T: Any>(&self) -> Option<&T> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// The same, to be changed on the way.
    #[inline]
    pub fn edit<T: Any>(&mut self) -> Option<&mut T> {
        (&mut *self.0 as &mut dyn Any).downcast_mut()
    }

    /// The same, taken out.
    pub fn open<T: Any>(self) -> Option<T> {
        (self.0 as Box<dyn Any>).downcast().ok().map(|says| *says)
    }

    /// Brings what it says into the cache.
    #[inline]
    pub(super) fn expect(&self) {
        (*self.0).expect();
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").finish_non_exhaustive()
    }
}

/// What the network tells the sender of a flow.
pub trait News: fmt::Debug + Send + Sync {
    /// Tells it.
    fn tell(&self, now: Instant, sender: &mut Sender, actions: &mut Actions);
}

/// What becomes of the segments of a flow by order of the scenario, where it depends on what the flow sends.
pub trait Orders: fmt::Debug + Send {
    /// A segment leaves; its sender may be told of that.
    fn take(&mut self, now: Instant, segment: SackBlock, told: Told) -> Order;

    /// The news of this number has come back to the sender.
    fn news(&mut self, now: Instant, number: u64, told: Told);
}

/// A sender that is told something, and where it puts what it wants sent.
#[derive(Debug)]
pub struct Told<'a> {
    /// The sender.
    pub sender: &'a mut Sender,
    /// What it wants sent.
    pub actions: &'a mut Actions,
}

/// What becomes of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// It passes.
    Pass,
    /// It is lost.
    Lose,
    /// It is lost, and news of this number goes to the destination in its place and comes back.
    LoseAndTell(u64),
}

/// What a packet of control says, and to whom.
#[derive(Debug)]
pub enum Notice {
    /// To the agent whose number is in the field for the flow.
    Agent(Message),
    /// To the sender of the packet's flow.
    Sender(Arc<dyn News>),
    /// About the orders for the packet's flow; the field for the sequence number has the number of the news.
    Ordered(Leg),
}

/// The way of news to its flow's destination and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// To the destination, which sends it back.
    There,
    /// Back to the source.
    Back,
}
