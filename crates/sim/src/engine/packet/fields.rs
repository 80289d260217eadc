//! A packet: 32 bytes.

use super::reserved::NO_PAYLOAD;
use transport::tcp::{Codepoint, EcnEcho};

/// What a packet is, for its receiver and for the tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// A TCP segment with payload.
    #[default]
    Data,
    /// A pure TCP acknowledgement.
    Ack,
    /// A UDP datagram.
    Datagram,
    /// A message of the switches' control plane; `flow` is the agent it is for.
    Control,
    /// Something of many packets that agents switch; in tables only. What travels is the message that announces it.
    Unit,
}

impl Class {
    /// Which end of a flow, its source and its destination, sends such packets.
    pub fn sent_by<T: Copy>(self, ends: [T; 2]) -> T {
        ends[usize::from(self == Class::Ack)]
    }
}

/// A packet on a fibre. What changes on the way is in the first half, so that the other half is copied as a whole.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Packet {
    /// When its last bit arrives at the far end of the fibre, in picoseconds of true time. Before it leaves its host:
    /// its [turn](Packet::in_turn), or 0.
    pub at: u64,
    /// Position of the next link in the flat array of paths.
    pub hop: u32,
    /// Where [`PayloadTable`](super::PayloadTable) keeps what it carries, or [`NO_PAYLOAD`].
    pub payload: u32,
    /// Data: offset of the first payload byte; ACK: the acknowledgement number; datagram: its number.
    pub seq: u64,
    /// The flow.
    pub flow: u32,
    /// Size on the wire in bytes.
    pub size: u16,
    /// What it is.
    pub class: Class,
    /// What a bit is enough for.
    pub flags: Flags,
}

impl Packet {
    /// The same, as the packet of this number, from 0, of an end that takes its paths one after the other.
    pub fn in_turn(self, number: u64) -> Packet {
        Packet { at: number + 1, ..self }
    }

    /// That number, if its end takes paths so, until it leaves.
    pub fn turn(&self) -> Option<u64> {
        self.at.checked_sub(1)
    }

    /// The same, marked.
    pub fn marked(self) -> Packet {
        Packet { flags: self.flags.with(Flags::MARKED), ..self }
    }

    /// What a fingerprint sees of it.
    #[inline]
    pub fn digest(&self) -> u64 {
        let identity = u64::from(self.flow) << 34 | u64::from(self.size) << 2 | self.class as u64;
        self.at ^ self.seq.rotate_left(21) ^ identity.rotate_left(7)
    }

    /// Whether it carries SACK blocks and nothing else.
    #[inline]
    pub fn carries_sack_alone(&self) -> bool {
        self.payload != NO_PAYLOAD && self.class == Class::Ack && self.flags == Flags::NONE
    }

    /// Whether it says anything besides its number.
    #[inline]
    pub fn says_more(&self) -> bool {
        self.flags != Flags::NONE || self.payload != NO_PAYLOAD
    }

    /// 1 if it is marked.
    #[inline]
    pub fn marks(&self) -> u64 {
        u64::from(self.flags.has(Flags::MARKED))
    }
}

impl Class {
    /// As written in tables; `unit` is the kind's name for what its agents switch.
    pub const fn name(self, unit: &'static str) -> &'static str {
        match self {
            Class::Data => "data",
            Class::Ack => "ack",
            Class::Datagram => "datagram",
            Class::Control => "control",
            Class::Unit => unit,
        }
    }
}

/// What a packet says in a bit each. A combination of them is one value, so that the usual one costs one comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// Nothing.
    pub const NONE: Flags = Flags(0);
    /// It carries a congestion header.
    pub const EXPLICIT: Flags = Flags(1);
    /// A device on its way was congested when it came (RFC 3168: CE). Whoever takes the packet at its end sees it: the
    /// host, or the agent of an edge node.
    pub const MARKED: Flags = Flags(2);
    /// Queues may mark it instead of dropping it (ECT of RFC 3168).
    pub const CAPABLE: Flags = Flags(4);
    /// An ACK echoes a mark (ECE), unless it counts marks.
    pub const ECHO: Flags = Flags(8);
    /// The sender has reduced its window (CWR).
    pub const REDUCED: Flags = Flags(16);
    /// Besides [`Flags::CAPABLE`]: its sender's law is for low-latency queues (ECT(1) of RFC 9331), and not ECT(0). Of
    /// an ACK: the flags ECE, CWR and the one after them are a counter (RFC 9768).
    pub const SCALABLE: Flags = Flags(64);

    /// Its payload holds options of TCP.
    pub const OPTIONS: Flags = Flags(128);

    /// Of data: queues may cut its payload off instead of dropping it (NDP).
    pub const TRIMMABLE: Flags = Flags(8);
    /// Of data that may be trimmed: nothing of its flow follows. Of an ACK: it asks for a packet (PULL).
    pub const LAST: Flags = Flags(16);
    /// Its payload was cut off. Of an ACK: that has happened to the packet that it is about (NACK); with
    /// [`Flags::LAST`]: it is that packet's header, on its way back.
    pub const TRIMMED: Flags = Flags(32);

    /// Those of a packet with this ECN field.
    pub const fn of_codepoint(codepoint: Codepoint) -> Flags {
        match codepoint {
            Codepoint::NotEct => Flags::NONE,
            Codepoint::Ect0 => Flags::CAPABLE,
            Codepoint::Ect1 => Flags::CAPABLE.with(Flags::SCALABLE),
        }
    }

    /// Those of an ACK without a congestion header.
    #[inline]
    pub const fn of_ack(echo: EcnEcho) -> Flags {
        Flags(echo.bits() << 3)
    }

    /// Whether an ACK echoes a mark (ECE of RFC 3168).
    #[inline]
    pub const fn is_echo(self) -> bool {
        self.0 & (Flags::ECHO.0 | Flags::SCALABLE.0) == Flags::ECHO.0
    }

    /// The field ACE of an ACK that counts marks.
    pub const fn ace(self) -> Option<u8> {
        if self.has(Flags::SCALABLE) { Some(self.0 >> 3 & 7) } else { None }
    }

    /// Whether all of `others` are set.
    #[inline]
    pub const fn has(self, others: Flags) -> bool {
        self.0 & others.0 == others.0
    }

    /// With `others` set too.
    #[inline]
    pub const fn with(self, others: Flags) -> Flags {
        Flags(self.0 | others.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_half_a_cache_line() {
        assert_eq!(size_of::<Packet>(), 32);
    }
}
