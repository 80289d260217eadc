//! Packets that meet at a core node, where a port alone cannot decide: RAM that wavelengths share, conversion, slots,
//! delay lines.

use super::arrivals::Arrivals;
use super::core_control::{Fate, Occupancy};
use super::lines::Lines;
use super::plan::Congestion;
use super::ram::Ram;
use super::routes::WavelengthRoutes;
use super::slots::Places;
use crate::engine::node::node_context::{LocalPort, NodeContext};
use crate::engine::packet::Packet;
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::What;
use std::collections::VecDeque;
use std::sync::Arc;
use units::ByteTime;

/// What a core node does with packets that meet. The agent's name for wavelength w of output o is o·W + w.
#[derive(Debug)]
pub struct Store {
    wavelengths: u32,
    /// The ports by these names.
    ports: Vec<LocalPort>,
    ways: Arc<WavelengthRoutes>,
    kind: Kind,
    congestion: Option<Congestion>,
}

/// The kinds of stores.
#[derive(Debug)]
pub enum Kind {
    /// RAM.
    Ram(Rams),
    /// Places for slots.
    Slots(Slotted),
    /// Delay lines.
    Lines(Vec<Bank>),
}

/// The RAM of a node.
#[derive(Debug)]
pub struct Rams {
    /// By output, and by wavelength if each has its own.
    pub list: Vec<Ram>,
    /// The wavelengths that share one: all of an output, or 1.
    pub each: u32,
}

/// A slotted node.
#[derive(Debug)]
pub struct Slotted {
    /// The length of a slot.
    pub slot: u64,
    /// The queues: one for each output if any wavelength can be reached from any, otherwise one for each wavelength.
    pub places: Places<Packet>,
    /// Packets that have come since the slot before, each with its wavelength and output, if lots decide about places.
    pub arrivals: Option<Arrivals<(u32, Packet)>>,
    /// Whether there is one queue for each output.
    pub converts: bool,
    /// When the next slot with packets begins.
    pub next: u64,
    /// No slot up to this time is still to be sent.
    pub sent: Option<u64>,
}

/// The delay lines of a wavelength, and what is in them with the time at which it comes out.
#[derive(Debug)]
pub struct Bank {
    /// The lines.
    pub lines: Lines,
    /// Of the wavelength.
    pub byte_time: ByteTime,
    /// In order.
    pub inside: VecDeque<(u64, Packet)>,
}

impl Store {
    /// A store of a node with these ports.
    pub fn new(wavelengths: u32, ports: Vec<LocalPort>, ways: Arc<WavelengthRoutes>, kind: Kind) -> Store {
        Store { wavelengths, ports, ways, kind, congestion: None }
    }

    /// The same, which marks packets that find it congested.
    pub fn congested_from(self, congestion: Option<Congestion>) -> Store {
        Store { congestion, ..self }
    }

    /// How full it is where a packet for wavelength `place` % W of output `place` / W is to wait.
    #[inline]
    pub fn occupancy(&mut self, now: u64, place: u32) -> Occupancy {
        let Some(Congestion { from }) = self.congestion else { return Occupancy::Low };
        if self.waiting(now, place) >= from { Occupancy::Congested } else { Occupancy::Low }
    }

    fn waiting(&mut self, now: u64, place: u32) -> u64 {
        match &mut self.kind {
            Kind::Ram(rams) => rams.list[(place / rams.each) as usize].waiting(now),
            Kind::Slots(slotted) => {
                let queue = if slotted.converts { place / self.wavelengths } else { place };
                slotted.places.taken(queue as usize) as u64
            }
            Kind::Lines(banks) => banks[place as usize].inside.len() as u64,
        }
    }

    /// When it wants to be called.
    pub fn next_timeout(&self) -> u64 {
        match &self.kind {
            Kind::Ram(_) => u64::MAX,
            Kind::Slots(slotted) => slotted.next,
            Kind::Lines(banks) => {
                banks.iter().filter_map(|bank| bank.inside.front()).map(|(leaves, _)| *leaves).min().unwrap_or(u64::MAX)
            }
        }
    }

    /// Keeps a packet until the next slot begins, if lots then decide about places: whether it does.
    #[inline]
    pub fn defer(&mut self, now: u64, place: u32, packet: &Packet) -> bool {
        let Kind::Slots(slotted) = &mut self.kind else { return false };
        let Some(arrivals) = &mut slotted.arrivals else { return false };
        arrivals.push((place, *packet));
        slotted.wake(now);
        true
    }

    /// When a slot begins, one after another of those that [`Store::defer`] has kept, in random order.
    pub fn draw(&mut self) -> Option<(u32, Packet)> {
        match &mut self.kind {
            Kind::Slots(slotted) => slotted.arrivals.as_mut()?.draw(),
            Kind::Ram(_) | Kind::Lines(_) => None,
        }
    }

    /// [`Store::handle_packet`] for a packet that finds its store congested: it is marked.
    pub fn handle_marked(&mut self, now: u64, place: u32, packet: &Packet, context: &mut NodeContext) -> Fate {
        let fate = self.handle_packet(now, place, &packet.marked(), context);
        if fate != Fate::Lost {
            context.mark(now, self.ports[place as usize], packet);
        }
        fate
    }

    /// A packet for wavelength `place` % W of output `place` / W: what becomes of it.
    pub fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, context: &mut NodeContext) -> Fate {
        let port = self.ports[place as usize];
        match &mut self.kind {
            Kind::Ram(rams) => {
                let (ram, own) = (place / rams.each, place % rams.each);
                let (wavelength, accepted) = rams.list[ram as usize].offer(now, own, packet.size);
                let mut packet = *packet;
                if wavelength != own {
                    packet.hop = self.ways.on(packet.hop, wavelength);
                }
                if !accepted {
                    context.refuse(now, Cause::Congestion, &packet);
                    return Fate::Lost;
                }
                context.send_past(now, &packet);
                Fate::Leaves
            }
            Kind::Slots(slotted) => {
                let queue = if slotted.converts { place / self.wavelengths } else { place };
                if !slotted.places.offer(queue as usize, *packet) {
                    context.refuse(now, Cause::Congestion, packet);
                    return Fate::Lost;
                }
                context.port_mut(port).keep(now, packet.size);
                context.note(now, What::Store, packet);
                slotted.wake(now);
                Fate::Waits
            }
            Kind::Lines(banks) => {
                let bank = &mut banks[place as usize];
                match bank.lines.offer(now, bank.byte_time.of(u32::from(packet.size)).ps()) {
                    None => {
                        context.refuse(now, Cause::Congestion, packet);
                        Fate::Lost
                    }
                    Some(leaves) if leaves == now => {
                        context.send_past(now, packet);
                        Fate::Leaves
                    }
                    Some(leaves) => {
                        context.port_mut(port).keep(now, packet.size);
                        context.note(now, What::Store, packet);
                        bank.inside.push_back((leaves, *packet));
                        Fate::Waits
                    }
                }
            }
        }
    }

    /// A slot begins, or a packet comes out of a line.
    pub fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        let (ports, wavelengths, ways) = (&self.ports, self.wavelengths, &self.ways);
        // A packet that was counted at one port may leave by another of the same output.
        let mut leave = |counted: u32, packet: &Packet| {
            context.port_mut(ports[counted as usize]).let_go(now, packet.size);
            context.send_past(now, packet);
        };
        match &mut self.kind {
            Kind::Ram(_) => {}
            Kind::Slots(slotted) => {
                let converts = slotted.converts;
                slotted.places.send(|queue, server, packet| match converts {
                    false => leave(queue as u32, &packet),
                    true => {
                        let counted = queue as u32 * wavelengths + ways.wavelength(packet.hop);
                        leave(counted, &Packet { hop: ways.on(packet.hop, server as u32), ..packet });
                    }
                });
                slotted.sent = Some(now);
                slotted.next = if slotted.places.len() > 0 { now + slotted.slot } else { u64::MAX };
            }
            Kind::Lines(banks) => {
                for (place, bank) in (0..).zip(banks) {
                    while let Some((leaves, packet)) = bank.inside.front().copied()
                        && leaves <= now
                    {
                        bank.inside.pop_front();
                        leave(place, &packet);
                    }
                }
            }
        }
    }

    /// Packets that are kept.
    pub fn kept(&self) -> u64 {
        match &self.kind {
            Kind::Ram(_) => 0,
            Kind::Slots(slotted) => (slotted.places.len() + slotted.arrivals.as_ref().map_or(0, Arrivals::len)) as u64,
            Kind::Lines(banks) => banks.iter().map(|bank| bank.inside.len() as u64).sum(),
        }
    }

    /// Shows each of them.
    pub fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        match &mut self.kind {
            Kind::Ram(_) => {}
            Kind::Slots(slotted) => {
                slotted.places.for_each(&mut *change);
                if let Some(arrivals) = &mut slotted.arrivals {
                    arrivals.for_each(|(_, packet)| change(packet));
                }
            }
            Kind::Lines(banks) => {
                banks.iter_mut().flat_map(|bank| &mut bank.inside).for_each(|(_, packet)| change(packet))
            }
        }
    }
}

impl Slotted {
    /// Something waits. If others do already, the next slot has its time.
    fn wake(&mut self, now: u64) {
        if self.next == u64::MAX {
            self.next = self.slot_from(now);
        }
    }

    /// The beginning of the first slot that has not been sent, at `now` or later.
    fn slot_from(&self, now: u64) -> u64 {
        let begins = now.div_ceil(self.slot) * self.slot;
        if self.sent.is_some_and(|sent| sent >= begins) { begins + self.slot } else { begins }
    }
}
