//! What travels: 32 bytes, and side tables for the few packets that carry SACK blocks, a congestion header or a notice.

use super::agent::{Message, Notice};
use prefetch_index::prefetch_index;
use transport::tcp::{EcnEcho, SackList, TcpOptions};
use transport::xcp::Header;

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

impl Packet {
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
        self.cargo != NO_CARGO && self.class == Class::Ack && self.flags == Flags::NONE
    }

    /// Whether it says anything besides its number.
    #[inline]
    pub fn says_more(&self) -> bool {
        self.flags != Flags::NONE || self.cargo != NO_CARGO
    }

    /// 1 if it is marked.
    #[inline]
    pub fn marks(&self) -> u64 {
        u64::from(self.flags.has(Flags::MARKED))
    }
}

impl Class {
    /// As written in tables; `unit` is the regime's name for what its agents switch.
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

/// A packet on a fibre. What changes on the way is in the first half, so that the other half is copied as a whole.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Packet {
    /// When its last bit arrives at the far end of the fibre, in picoseconds of true time.
    pub at: u64,
    /// Position of the next link in the flat array of paths.
    pub hop: u32,
    /// Where [`CargoTable`] keeps what it carries, or [`NO_CARGO`].
    pub cargo: u32,
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

/// What a packet says in a bit each. A combination of them is one value, so that the usual one costs one comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// Nothing.
    pub const NONE: Flags = Flags(0);
    /// It carries a congestion header.
    pub const EXPLICIT: Flags = Flags(1);
    /// A device on its way was congested when it came (RFC 3168: CE). Whoever takes the packet at its end sees it: the host, or
    /// the agent of an edge node.
    pub const MARKED: Flags = Flags(2);
    /// Queues may mark it instead of dropping it (ECT of RFC 3168).
    pub const CAPABLE: Flags = Flags(4);
    /// An ACK echoes a mark (ECE), unless it counts marks.
    pub const ECHO: Flags = Flags(8);
    /// The sender has reduced its window (CWR).
    pub const REDUCED: Flags = Flags(16);
    /// Besides [`Flags::CAPABLE`]: its sender's law is for low-latency queues (ECT(1) of RFC 9331), and not ECT(0). Of an ACK: the flags
    /// ECE, CWR and the one after them are a counter (RFC 9768).
    pub const SCALABLE: Flags = Flags(64);

    /// Its cargo are options of TCP.
    pub const OPTIONS: Flags = Flags(128);

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

/// The packet carries nothing besides itself.
pub const NO_CARGO: u32 = u32::MAX;

/// What the few packets carry that need more than 32 bytes.
#[derive(Debug, Default)]
pub struct CargoTable {
    sacks: Pool<SackList>,
    explicit: Pool<Explicit>,
    options: Pool<Optional>,
    notices: Pool<Option<Notice>>,
}

/// A congestion header, and the place of the packet's SACK blocks.
#[derive(Clone, Copy, Debug)]
struct Explicit {
    header: Header,
    sack: u32,
}

/// Options of TCP, and the place of the packet's SACK blocks. No packet has a congestion header too.
#[derive(Clone, Copy, Debug)]
struct Optional {
    options: TcpOptions,
    sack: u32,
    /// What it says of its sending, if anybody asks.
    stamp: Option<Stamp>,
}

/// When a packet left its host, and how many of its flow had left before.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// In picoseconds.
    pub at: u64,
    /// From 0; a segment that is sent again is another packet.
    pub number: u64,
}

/// The cargo of one packet on its way to another partition.
#[derive(Debug)]
pub enum Cargo {
    /// Between hosts.
    Transport(Carried),
    /// What a message of the control plane says.
    Notice(Option<Notice>),
}

/// What a packet between hosts carries: SACK blocks, perhaps with a congestion header, or with options of TCP.
#[derive(Clone, Copy, Debug, Default)]
pub struct Carried {
    /// The congestion header.
    pub header: Option<Header>,
    /// Options of TCP, and what the packet says of its sending.
    pub options: Option<(TcpOptions, Option<Stamp>)>,
    /// The SACK blocks.
    pub sack: SackList,
}

impl CargoTable {
    /// Stores SACK blocks and gives their number for the packet; an empty list needs none.
    #[inline]
    pub fn put_sack(&mut self, list: &SackList) -> u32 {
        if list.is_empty() { NO_CARGO } else { self.sacks.put(*list) }
    }

    /// Stores a congestion header besides SACK blocks; the packet is `explicit`.
    pub fn put_header(&mut self, header: Header, list: &SackList) -> u32 {
        let sack = self.put_sack(list);
        self.explicit.put(Explicit { header, sack })
    }

    /// Stores options besides SACK blocks; the packet has [`Flags::OPTIONS`].
    pub fn put_options(&mut self, options: TcpOptions, list: &SackList) -> u32 {
        self.put_stamped(options, list, None)
    }

    fn put_stamped(&mut self, options: TcpOptions, list: &SackList, stamp: Option<Stamp>) -> u32 {
        let sack = self.put_sack(list);
        self.options.put(Optional { options, sack, stamp })
    }

    /// The packet, which carries no congestion header, with what it says of its sending.
    pub fn stamped(&mut self, packet: Packet, stamp: Stamp) -> Packet {
        if packet.flags.has(Flags::OPTIONS) {
            self.options.items[packet.cargo as usize].stamp = Some(stamp);
            return packet;
        }
        let cargo = self.put_stamped(TcpOptions::default(), &SackList::EMPTY, Some(stamp));
        Packet { cargo, flags: packet.flags.with(Flags::OPTIONS), ..packet }
    }

    /// What a packet says of its sending, if anything.
    pub fn stamp(&self, packet: &Packet) -> Option<Stamp> {
        let carried = packet.flags.has(Flags::OPTIONS).then(|| self.options.items[packet.cargo as usize].stamp);
        carried.flatten()
    }

    /// Options and SACK blocks of a packet on its way.
    pub fn said(&self, packet: &Packet) -> (TcpOptions, SackList) {
        let list =
            |number: u32| if number == NO_CARGO { SackList::default() } else { self.sacks.items[number as usize] };
        if packet.cargo == NO_CARGO || packet.class == Class::Control {
            (TcpOptions::default(), SackList::default())
        } else if packet.flags.has(Flags::OPTIONS) {
            let Optional { options, sack, .. } = self.options.items[packet.cargo as usize];
            (options, list(sack))
        } else if packet.flags.has(Flags::EXPLICIT) {
            (TcpOptions::default(), list(self.explicit.items[packet.cargo as usize].sack))
        } else {
            (TcpOptions::default(), list(packet.cargo))
        }
    }

    /// Takes options and SACK blocks of a packet that has arrived; none from one without [`Flags::OPTIONS`].
    pub fn take_options(&mut self, packet: &Packet) -> (TcpOptions, SackList) {
        if !packet.flags.has(Flags::OPTIONS) {
            return (TcpOptions::default(), self.take_sack(packet.cargo));
        }
        let Optional { options, sack, .. } = self.options.take(packet.cargo);
        (options, self.take_sack(sack))
    }

    /// Stores what a message of the control plane says.
    pub fn put_notice(&mut self, notice: Notice) -> u32 {
        self.notices.put(Some(notice))
    }

    /// Takes what a message of the control plane says that has arrived.
    pub fn take_notice(&mut self, packet: &Packet) -> Option<Notice> {
        let slot = packet.cargo;
        (slot != NO_CARGO).then(|| self.notices.free.push(slot))?;
        self.notices.items[slot as usize].take()
    }

    /// The message to an agent in a packet of control that is on its way; `None` if the packet has none.
    #[inline]
    pub fn message_mut(&mut self, packet: &Packet) -> Option<&mut Message> {
        match self.notices.items.get_mut(packet.cargo as usize) {
            Some(Some(Notice::Agent(message))) => Some(message),
            _ => None,
        }
    }

    /// Brings the congestion header of a packet, if it has one, into the cache.
    #[inline]
    pub fn expect(&self, packet: &Packet) {
        if packet.flags.has(Flags::EXPLICIT) {
            prefetch_index(&self.explicit.items, packet.cargo as usize);
        }
    }

    /// Brings the SACK blocks of an ACK, if it has some, into the cache.
    #[inline]
    pub fn expect_sack(&self, packet: &Packet) {
        if packet.carries_sack_alone() {
            prefetch_index(&self.sacks.items, packet.cargo as usize);
        }
    }

    /// Brings the message of a packet of control into the cache, if [`CargoTable::expect_place`] has brought its place there.
    #[inline]
    pub fn expect_message(&self, packet: &Packet) {
        if packet.class == Class::Control
            && let Some(Some(Notice::Agent(message))) = self.notices.items.get(packet.cargo as usize)
        {
            message.expect();
        }
    }

    /// Brings the place of the message of a packet of control into the cache.
    #[inline]
    pub fn expect_place(&self, packet: &Packet) {
        if packet.class == Class::Control {
            prefetch_index(&self.notices.items, packet.cargo as usize);
        }
    }

    /// The congestion header of an `explicit` packet.
    pub fn header_mut(&mut self, packet: &Packet) -> Option<&mut Header> {
        packet.flags.has(Flags::EXPLICIT).then(|| &mut self.explicit.items[packet.cargo as usize].header)
    }

    /// Takes the SACK blocks of a packet without congestion header that has arrived.
    #[inline]
    pub fn take_sack(&mut self, number: u32) -> SackList {
        if number == NO_CARGO { SackList::default() } else { self.sacks.take(number) }
    }

    /// Takes header and SACK blocks of an `explicit` packet that has arrived.
    pub fn take_header(&mut self, number: u32) -> (Header, SackList) {
        let Explicit { header, sack } = self.explicit.take(number);
        (header, self.take_sack(sack))
    }

    /// Takes everything that a packet between hosts carries.
    pub fn take_carried(&mut self, packet: &Packet) -> Carried {
        if packet.flags.has(Flags::OPTIONS) {
            let Optional { options, sack, stamp } = self.options.take(packet.cargo);
            return Carried { options: Some((options, stamp)), sack: self.take_sack(sack), header: None };
        }
        match packet.flags.has(Flags::EXPLICIT) {
            true => {
                let (header, sack) = self.take_header(packet.cargo);
                Carried { header: Some(header), sack, options: None }
            }
            false => Carried { sack: self.take_sack(packet.cargo), ..Carried::default() },
        }
    }

    /// Stores what [`CargoTable::take_carried`] took.
    pub fn put_carried(&mut self, carried: &Carried) -> u32 {
        match (carried.options, carried.header) {
            (Some((options, stamp)), _) => self.put_stamped(options, &carried.sack, stamp),
            (None, Some(header)) => self.put_header(header, &carried.sack),
            (None, None) => self.put_sack(&carried.sack),
        }
    }

    /// Forgets the cargo of a packet that was dropped.
    pub fn forget(&mut self, packet: &Packet) {
        if packet.cargo != NO_CARGO {
            self.unload(packet);
        }
    }

    /// A second packet is to carry the same.
    pub fn duplicate(&mut self, packet: &Packet) -> u32 {
        if packet.cargo == NO_CARGO {
            return NO_CARGO;
        }
        if packet.flags.has(Flags::OPTIONS) {
            let Optional { options, sack, stamp } = self.options.items[packet.cargo as usize];
            let list = if sack == NO_CARGO { SackList::default() } else { self.sacks.items[sack as usize] };
            return self.put_stamped(options, &list, stamp);
        }
        if !packet.flags.has(Flags::EXPLICIT) {
            return self.sacks.put(self.sacks.items[packet.cargo as usize]);
        }
        let Explicit { header, sack } = self.explicit.items[packet.cargo as usize];
        let list = if sack == NO_CARGO { SackList::default() } else { self.sacks.items[sack as usize] };
        self.put_header(header, &list)
    }

    /// Takes the cargo of a packet that has some.
    pub fn unload(&mut self, packet: &Packet) -> Cargo {
        if packet.class == Class::Control {
            return Cargo::Notice(self.take_notice(packet));
        }
        Cargo::Transport(self.take_carried(packet))
    }

    /// Stores what [`CargoTable::unload`] took, perhaps from another partition's.
    pub fn load(&mut self, cargo: Cargo) -> u32 {
        match cargo {
            Cargo::Transport(carried) => self.put_carried(&carried),
            Cargo::Notice(Some(notice)) => self.put_notice(notice),
            Cargo::Notice(None) => NO_CARGO,
        }
    }
}

/// Values in numbered slots. Slots are reused, so nothing is allocated once the table has reached its size.
#[derive(Debug)]
struct Pool<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool { items: Vec::new(), free: Vec::new() }
    }
}

impl<T> Pool<T> {
    fn put(&mut self, value: T) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.items[slot as usize] = value;
            return slot;
        }
        self.items.push(value);
        (self.items.len() - 1) as u32
    }
}

impl<T: Copy> Pool<T> {
    #[inline]
    fn take(&mut self, slot: u32) -> T {
        self.free.push(slot);
        self.items[slot as usize]
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
