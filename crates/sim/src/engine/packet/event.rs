//! What can happen to a packet, and where: the words of everybody who watches.

use super::admission::Cause;
use super::fields::{Class, Packet};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum What {
    /// A host gives a packet to the network for the first time.
    Send,
    /// A sender sends bytes again.
    Resend,
    /// An ACK reaches the sender.
    Ack,
    /// A block of bytes that the ACK before it reports.
    Sack,
    /// A packet waits at a port for its gate to open.
    Wait,
    /// An agent keeps a packet in the memory or the delay lines of its node.
    Store,
    /// A port sends a packet.
    Pass,
    /// A port marks the packet that it sends or keeps.
    Mark,
    /// A packet or a burst is refused.
    Drop,
    /// One that was accepted does not get across.
    Vanish,
    /// The gate of a queue has an opening.
    Slot,
    /// A unit that agents switch has a channel of a link for its time.
    Reserve,
    /// A part of a burst was cut off.
    Cut,
    /// A burst reaches the node that takes it apart.
    Land,
    /// A macroflow is given a rate.
    Rate,
}

impl What {
    /// All, in the order of their numbers, as written in the table.
    pub const NAMES: &[&str] = &[
        "send", "resend", "ack", "sack", "wait", "store", "pass", "mark", "drop", "vanish", "slot", "reserve", "cut",
        "land", "rate",
    ];
}

/// Where something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot(u32);

/// The bit that tells nodes from links.
const NODE: u32 = 1 << 31;

impl Spot {
    /// At a link's port, or on its fibre; the engine's number.
    pub fn link(number: u32) -> Spot {
        Spot(number)
    }

    /// At a node.
    pub fn node(number: u32) -> Spot {
        Spot(number | NODE)
    }

    /// Its place in a list of so many links and the nodes behind them.
    #[inline]
    pub fn place(self, links: u32) -> usize {
        ((self.0 & !NODE) + (self.0 / NODE) * links) as usize
    }

    /// The number of the node, or else that of the link.
    pub fn number(self) -> Result<u32, u32> {
        if self.0 & NODE != 0 { Ok(self.0 & !NODE) } else { Err(self.0) }
    }
}

/// No flow, no channel.
pub const NOBODY: u32 = u32::MAX;

/// An event of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When it happened, in picoseconds.
    pub at: u64,
    /// Data: the first byte; ACK: what it acknowledges; burst, datagram: its number; slot: the frame.
    pub unit: u64,
    /// From then to the first bit that leaves, in picoseconds.
    pub wait: u64,
    /// From its first bit to its last, in picoseconds.
    pub lasts: u64,
    /// From its last bit to the far end, in picoseconds.
    pub flight: u64,
    /// A congestion window in bytes, a rate in bit/s; of a packet that a window's end has cut, for how long its first
    /// bit has left.
    pub value: u64,
    /// The flow, or [`NOBODY`].
    pub flow: u32,
    /// Where.
    pub place: Spot,
    /// On the wire; 32 bits are enough for a burst of 4 GB.
    pub bytes: u32,
    /// The wavelength of a burst.
    pub channel: u16,
    /// What.
    pub what: What,
    /// Of what.
    pub class: Class,
    /// Why, if it was dropped.
    pub cause: Option<Cause>,
}

impl Event {
    /// An event of which nothing more is known.
    pub fn new(at: u64, what: What, place: Spot) -> Event {
        Event {
            at,
            what,
            place,
            unit: 0,
            wait: 0,
            lasts: 0,
            flight: 0,
            value: 0,
            flow: NOBODY,
            bytes: 0,
            channel: 0,
            class: Class::Control,
            cause: None,
        }
    }

    /// The same about a packet. A message of the switches says for which agent it is, where others have their flow.
    pub fn of_packet(at: u64, what: What, place: Spot, packet: &Packet) -> Event {
        let flow = if packet.class == Class::Control { NOBODY } else { packet.flow };
        let (unit, bytes, class) = (packet.seq, u32::from(packet.size), packet.class);
        Event { unit, bytes, class, flow, ..Event::new(at, what, place) }
    }
}

/// When a packet leaves a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// When its last bit does.
    pub end: u64,
    /// From then to its arrival at the far end.
    pub flight: u64,
}
