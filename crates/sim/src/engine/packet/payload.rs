//! Side tables for the few packets that carry SACK blocks, a congestion header, options, a control message, or what a
//! kind of host says.

use super::carried::{Carried, Inscribed};
use super::fields::{Class, Flags, Packet};
use super::message::{ControlMessage, Message};
use super::pool::Pool;
use super::prefetch::prefetch_item;
use super::reserved::NO_PAYLOAD;
use transport::tcp::{SackList, TcpOptions};
use transport::telemetry::Telemetry;
use transport::xcp::Header;

/// What the few packets carry that need more than 32 bytes.
#[derive(Debug, Default)]
pub struct PayloadTable {
    sacks: Pool<SackList>,
    explicit: Pool<Explicit>,
    telemetry: Pool<Telemetry>,
    options: Pool<Optional>,
    control_messages: Pool<Option<ControlMessage>>,
}

/// What the network writes, and the place of the packet's SACK blocks.
#[derive(Clone, Copy, Debug)]
struct Explicit {
    written: Written,
    sack: u32,
}

/// What the network writes into a packet.
#[derive(Clone, Copy, Debug)]
pub enum Written {
    /// Routers, into a congestion header.
    Header(Header),
    /// Each hop what it measures; the number is for [`PayloadTable::take_telemetry`].
    Telemetry(u32),
}

/// Options of TCP, and the place of the packet's SACK blocks; or a value of a kind of host. No packet has a congestion
/// header too.
#[derive(Clone, Debug)]
struct Optional {
    options: TcpOptions,
    sack: u32,
    carried: Option<Carried>,
    /// What it says of its sending, if anybody asks.
    stamp: Option<Stamp>,
}

impl Default for Optional {
    fn default() -> Optional {
        Optional { options: TcpOptions::default(), sack: NO_PAYLOAD, carried: None, stamp: None }
    }
}

/// When a packet left its host, and how many of its flow had left before.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// In picoseconds.
    pub at: u64,
    /// From 0; a segment that is sent again is another packet.
    pub number: u64,
}

/// The payload of one packet on its way to another partition.
#[derive(Debug)]
pub enum Payload {
    /// Between hosts.
    Transport(HostPayload),
    /// What hops have measured, between hosts, and SACK blocks.
    Telemetry(Box<(Telemetry, SackList)>),
    /// What a message of the control plane says.
    Control(Option<ControlMessage>),
}

/// What a packet between hosts carries: SACK blocks, perhaps with a congestion header, or with options of TCP; or a
/// value of a kind of host.
#[derive(Clone, Debug, Default)]
pub struct HostPayload {
    /// The congestion header.
    pub header: Option<Header>,
    /// Options of TCP, and what the packet says of its sending.
    pub options: Option<(TcpOptions, Option<Stamp>)>,
    /// The SACK blocks.
    pub sack: SackList,
    /// A value of a kind of host.
    pub carried: Option<Carried>,
}

impl PayloadTable {
    /// Stores SACK blocks and gives their number for the packet; an empty list needs none.
    #[inline]
    pub fn put_sack(&mut self, list: &SackList) -> u32 {
        if list.is_empty() { NO_PAYLOAD } else { self.sacks.put(*list) }
    }

    /// Stores a congestion header besides SACK blocks; the packet is `explicit`.
    pub fn put_header(&mut self, header: Header, list: &SackList) -> u32 {
        let sack = self.put_sack(list);
        self.explicit.put(Explicit { written: Written::Header(header), sack })
    }

    /// Stores what hops have measured besides SACK blocks; the packet is `explicit`.
    pub fn put_telemetry(&mut self, telemetry: Telemetry, list: &SackList) -> u32 {
        let (place, sack) = (self.telemetry.put(telemetry), self.put_sack(list));
        self.explicit.put(Explicit { written: Written::Telemetry(place), sack })
    }

    /// What hops have measured of a packet on its way, if it asks for that.
    pub fn telemetry_mut(&mut self, packet: &Packet) -> Option<&mut Telemetry> {
        if packet.flags.has(Flags::OPTIONS) {
            return self.inscribed_mut(packet)?.telemetry_mut();
        }
        let place = self.place_of_telemetry(packet)?;
        Some(&mut self.telemetry.items[place as usize])
    }

    /// A packet as it waits where it is measured: longer, if its record grows.
    pub fn with_room(&mut self, packet: &Packet) -> Packet {
        let told = if packet.class == Class::Data { self.telemetry_mut(packet) } else { None };
        Packet { size: packet.size + told.map_or(0, |told| told.next_len()) as u16, ..*packet }
    }

    /// Whether the packet carries what hops measure.
    pub fn has_telemetry(&self, packet: &Packet) -> bool {
        self.place_of_telemetry(packet).is_some()
    }

    #[inline]
    fn place_of_telemetry(&self, packet: &Packet) -> Option<u32> {
        let is_own = packet.flags.has(Flags::EXPLICIT) && !packet.flags.has(Flags::OPTIONS);
        match is_own.then(|| self.explicit.items[packet.payload as usize].written) {
            Some(Written::Telemetry(place)) => Some(place),
            _ => None,
        }
    }

    /// Stores options besides SACK blocks; the packet has [`Flags::OPTIONS`].
    pub fn put_options(&mut self, options: TcpOptions, list: &SackList) -> u32 {
        self.put_stamped(options, list, None)
    }

    fn put_stamped(&mut self, options: TcpOptions, list: &SackList, stamp: Option<Stamp>) -> u32 {
        let sack = self.put_sack(list);
        self.options.put(Optional { options, sack, stamp, carried: None })
    }

    /// The packet, which carries nothing yet, gets what a kind of host says in it.
    #[inline]
    pub fn put_content(&mut self, packet: &mut Packet, carried: Carried) {
        packet.payload = self.options.put_default();
        packet.flags = packet.flags.with(Flags::OPTIONS);
        self.options.items[packet.payload as usize].carried = Some(carried);
    }

    /// What a kind of host says in a packet into which the network writes.
    fn inscribed_mut(&mut self, packet: &Packet) -> Option<&mut Inscribed> {
        let slot = packet.flags.has(Flags::EXPLICIT).then(|| &mut self.options.items[packet.payload as usize]);
        slot?.carried.as_mut()?.open_mut()
    }

    /// Takes what a kind of host says in a packet that has arrived.
    pub fn take_content(&mut self, packet: &Packet) -> Option<Carried> {
        if packet.payload == NO_PAYLOAD {
            return None;
        }
        // Beside it there is at most a stamp, and the slot need not be moved out.
        let slot = packet.flags.has(Flags::OPTIONS).then(|| &mut self.options.items[packet.payload as usize]);
        match slot.and_then(|slot| Some((slot.carried.take()?, &mut slot.stamp))) {
            Some((carried, stamp)) => {
                *stamp = None;
                self.options.free.push(packet.payload);
                Some(carried)
            }
            None => self.take_host_payload(packet).carried,
        }
    }

    /// The bytes of a packet from outside that is on its way.
    pub fn real(&self, packet: &Packet) -> Option<&[u8]> {
        let is_there = packet.payload != NO_PAYLOAD && packet.flags.has(Flags::OPTIONS);
        is_there.then(|| self.options.items[packet.payload as usize].carried.as_ref()?.real())?
    }

    /// The packet, which carries no congestion header, with what it says of its sending.
    pub fn stamped(&mut self, packet: Packet, stamp: Stamp) -> Packet {
        if packet.flags.has(Flags::OPTIONS) {
            self.options.items[packet.payload as usize].stamp = Some(stamp);
            return packet;
        }
        let payload = self.put_stamped(TcpOptions::default(), &SackList::EMPTY, Some(stamp));
        Packet { payload, flags: packet.flags.with(Flags::OPTIONS), ..packet }
    }

    /// What a packet says of its sending, if anything.
    pub fn stamp(&self, packet: &Packet) -> Option<Stamp> {
        let carried = packet.flags.has(Flags::OPTIONS).then(|| self.options.items[packet.payload as usize].stamp);
        carried.flatten()
    }

    /// Options and SACK blocks of a packet on its way.
    pub fn said(&self, packet: &Packet) -> (TcpOptions, SackList) {
        let list =
            |number: u32| if number == NO_PAYLOAD { SackList::default() } else { self.sacks.items[number as usize] };
        if packet.payload == NO_PAYLOAD || packet.class == Class::Control {
            (TcpOptions::default(), SackList::default())
        } else if packet.flags.has(Flags::OPTIONS) {
            let Optional { options, sack, .. } = &self.options.items[packet.payload as usize];
            (*options, list(*sack))
        } else if packet.flags.has(Flags::EXPLICIT) {
            (TcpOptions::default(), list(self.explicit.items[packet.payload as usize].sack))
        } else {
            (TcpOptions::default(), list(packet.payload))
        }
    }

    /// Takes options and SACK blocks of a packet that has arrived; none from one without [`Flags::OPTIONS`].
    pub fn take_options(&mut self, packet: &Packet) -> (TcpOptions, SackList) {
        if !packet.flags.has(Flags::OPTIONS) {
            return (TcpOptions::default(), self.take_sack(packet.payload));
        }
        let Optional { options, sack, .. } = self.options.take_out(packet.payload);
        (options, self.take_sack(sack))
    }

    /// Stores what a message of the control plane says.
    pub fn put_control(&mut self, notice: ControlMessage) -> u32 {
        self.control_messages.put(Some(notice))
    }

    /// Takes what a message of the control plane says that has arrived.
    pub fn take_control(&mut self, packet: &Packet) -> Option<ControlMessage> {
        let slot = packet.payload;
        (slot != NO_PAYLOAD).then(|| self.control_messages.free.push(slot))?;
        self.control_messages.items[slot as usize].take()
    }

    /// The message to an agent in a packet of control that is on its way; `None` if the packet has none.
    #[inline]
    pub fn message_mut(&mut self, packet: &Packet) -> Option<&mut Message> {
        match self.control_messages.items.get_mut(packet.payload as usize) {
            Some(Some(ControlMessage::Agent(message))) => Some(message),
            _ => None,
        }
    }

    /// Brings the congestion header of a packet, if it has one, into the cache.
    #[inline]
    pub fn prefetch(&self, packet: &Packet) {
        if packet.flags.has(Flags::EXPLICIT) {
            prefetch_item(&self.explicit.items, packet.payload as usize);
        }
    }

    /// Brings the SACK blocks of an ACK, if it has some, into the cache.
    #[inline]
    pub fn prefetch_sack(&self, packet: &Packet) {
        if packet.carries_sack_alone() {
            prefetch_item(&self.sacks.items, packet.payload as usize);
        }
    }

    /// Brings the message of a packet of control into the cache, if [`PayloadTable::prefetch_place`] has brought its
    /// place there.
    #[inline]
    pub fn prefetch_message(&self, packet: &Packet) {
        if packet.class == Class::Control
            && let Some(Some(ControlMessage::Agent(message))) = self.control_messages.items.get(packet.payload as usize)
        {
            message.prefetch();
        }
    }

    /// Brings the place of the message of a packet of control into the cache.
    #[inline]
    pub fn prefetch_place(&self, packet: &Packet) {
        if packet.class == Class::Control {
            prefetch_item(&self.control_messages.items, packet.payload as usize);
        }
    }

    /// The congestion header of an `explicit` packet.
    pub fn header_mut(&mut self, packet: &Packet) -> Option<&mut Header> {
        if packet.flags.has(Flags::OPTIONS) {
            return self.inscribed_mut(packet)?.header_mut();
        }
        if !packet.flags.has(Flags::EXPLICIT) {
            return None;
        }
        match &mut self.explicit.items[packet.payload as usize].written {
            Written::Header(header) => Some(header),
            Written::Telemetry(_) => None,
        }
    }

    /// Takes the SACK blocks of a packet without congestion header that has arrived.
    #[inline]
    pub fn take_sack(&mut self, number: u32) -> SackList {
        if number == NO_PAYLOAD { SackList::default() } else { self.sacks.take(number) }
    }

    /// Takes what the network has written, and the SACK blocks, of an `explicit` packet that has arrived.
    #[inline]
    pub fn take_explicit(&mut self, number: u32) -> (Written, SackList) {
        let Explicit { written, sack } = self.explicit.take(number);
        (written, self.take_sack(sack))
    }

    /// Takes what hops have measured.
    pub fn take_telemetry(&mut self, place: u32) -> Telemetry {
        self.telemetry.take(place)
    }

    /// Takes everything that a packet between hosts carries.
    pub fn take_host_payload(&mut self, packet: &Packet) -> HostPayload {
        if packet.flags.has(Flags::OPTIONS) {
            let Optional { options, sack, stamp, carried } = self.options.take_out(packet.payload);
            return HostPayload { options: Some((options, stamp)), sack: self.take_sack(sack), header: None, carried };
        }
        match packet.flags.has(Flags::EXPLICIT) {
            true => match self.take_explicit(packet.payload) {
                (Written::Header(header), sack) => HostPayload { header: Some(header), sack, ..HostPayload::default() },
                (Written::Telemetry(place), sack) => {
                    self.take_telemetry(place);
                    HostPayload { sack, ..HostPayload::default() }
                }
            },
            false => HostPayload { sack: self.take_sack(packet.payload), ..HostPayload::default() },
        }
    }

    /// Stores what [`PayloadTable::take_host_payload`] took.
    pub fn put_host_payload(&mut self, carried: &HostPayload) -> u32 {
        match (carried.options, carried.header) {
            (Some((options, stamp)), _) => {
                let sack = self.put_sack(&carried.sack);
                self.options.put(Optional { options, sack, stamp, carried: carried.carried.clone() })
            }
            (None, Some(header)) => self.put_header(header, &carried.sack),
            (None, None) => self.put_sack(&carried.sack),
        }
    }

    /// Forgets the payload of a packet that was dropped.
    pub fn forget(&mut self, packet: &Packet) {
        if packet.payload != NO_PAYLOAD {
            self.unload(packet);
        }
    }

    /// A second packet is to carry the same.
    pub fn duplicate(&mut self, packet: &Packet) -> u32 {
        if packet.payload == NO_PAYLOAD {
            return NO_PAYLOAD;
        }
        if packet.flags.has(Flags::OPTIONS) {
            let Optional { options, sack, stamp, carried } = self.options.items[packet.payload as usize].clone();
            let sack = if sack == NO_PAYLOAD { sack } else { self.sacks.put(self.sacks.items[sack as usize]) };
            return self.options.put(Optional { options, sack, stamp, carried });
        }
        if !packet.flags.has(Flags::EXPLICIT) {
            return self.sacks.put(self.sacks.items[packet.payload as usize]);
        }
        let Explicit { written, sack } = self.explicit.items[packet.payload as usize];
        let list = if sack == NO_PAYLOAD { SackList::default() } else { self.sacks.items[sack as usize] };
        match written {
            Written::Header(header) => self.put_header(header, &list),
            Written::Telemetry(place) => self.put_telemetry(self.telemetry.items[place as usize], &list),
        }
    }

    /// Takes the payload of a packet that has some.
    pub fn unload(&mut self, packet: &Packet) -> Payload {
        if packet.class == Class::Control {
            return Payload::Control(self.take_control(packet));
        }
        if self.has_telemetry(packet)
            && let (Written::Telemetry(place), sack) = self.take_explicit(packet.payload)
        {
            return Payload::Telemetry(Box::new((self.take_telemetry(place), sack)));
        }
        Payload::Transport(self.take_host_payload(packet))
    }

    /// Stores what [`PayloadTable::unload`] took, perhaps from another partition's.
    pub fn load(&mut self, payload: Payload) -> u32 {
        match payload {
            Payload::Transport(carried) => self.put_host_payload(&carried),
            Payload::Telemetry(carried) => self.put_telemetry(carried.0, &carried.1),
            Payload::Control(Some(notice)) => self.put_control(notice),
            Payload::Control(None) => NO_PAYLOAD,
        }
    }
}
