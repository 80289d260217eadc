//! The fibres and ports of a partition: everything a packet meets between two hosts.

mod channel;
mod enqueue;
mod event_list;
mod observing;

pub use channel::{Batch, Boundary};
pub use event_list::{EventList, LocalEvent, TimerOrder};

use super::spray::{Flowlets, Spray, spread_set};
use super::timetable::Timetable;
use crate::engine::link::port::Port;
use crate::engine::link::ring::Ring;
use crate::engine::packet::admission::{Cause, Interceptor};
use crate::engine::packet::containers::PerLink;
use crate::engine::packet::message::ControlMessage;
use crate::engine::packet::observer::Observer;
use crate::engine::packet::state::{Anew, ByFibre, ByPath, ByPort, Same, Summed, state};
use crate::engine::packet::{Class, DELIVER, DropPlace, LinkTotals, NEVER, NO_PATH, Packet, PayloadTable};
use std::collections::VecDeque;
use std::hint::select_unpredictable;
use std::sync::Arc;

state! {
    /// What the nodes of a partition have between them: output ports, fibres, and the event list. Ports and the fibres
    /// that end there are numbered in the order of (receiving node, sending node, link), which is the stated order of
    /// simultaneous arrivals; behind those fibres stand those that lead to other partitions.
    #[derive(Debug, Default)]
    pub struct Fabric {
        /// What comes next.
        event_list: EventList, Anew;
        /// Whether the event list has the arrivals. In windowed execution they are found in the fibres themselves.
        is_listed: bool, Anew;
        /// Packets in flight, by fibre. On one that leads to another partition: those that have not been
        /// [sent](Fabric::send_out).
        pub fibres: PerLink<Ring<Packet>>, ByFibre;
        /// How many of the fibres end here.
        entering: u32, Anew;
        /// The others.
        boundaries: Vec<Boundary>, Anew;
        /// Output ports.
        pub ports: PerLink<Port>, ByPort;
        /// The number of each port's link in the whole network.
        pub links: PerLink<u32>, ByPort;
        /// All paths, one after the other; each is a list of ports that ends with
        /// [`DELIVER`](crate::engine::packet::DELIVER).
        pub paths: Arc<[u32]>, Same;
        /// The way back from each place of a path where that may be needed, or
        /// [`NOWHERE`](crate::engine::packet::NOWHERE).
        pub returns: Arc<[u32]>, Same;
        /// By flow: the ports that [`TO_HOST`](crate::engine::packet::TO_HOST) stands for, to its destination and to
        /// its source.
        pub last_links: Arc<[[u32; 2]]>, Same;
        /// Which of them packets take by turns, if any.
        pub spray: Option<Arc<Spray>>, Same;
        /// Routes that change in time, if they do.
        pub timed: Option<TimedPaths>, Same;
        /// What goes on without a pause, where that keeps packets together.
        pub flowlets: Flowlets, ByPath;
        /// What packets in flight carry besides themselves; it moves with them.
        pub payloads: PayloadTable, Anew;
        /// Packets sent, taken back and dropped.
        pub totals: LinkTotals, Summed;
        /// Packets that have been sent since it was last emptied, by receiving partition.
        pub outgoing: Vec<Batch>, Anew;
        /// What is to be done at once, before the next event: packets between the ports, agents and hosts of one node.
        pub pending: VecDeque<Pending>, Anew;
        /// Who watches, if anybody does.
        pub observer: Option<Box<dyn Observer>>, Anew;
    }
}

/// Paths of which one goes on where another ends.
#[derive(Clone, Debug)]
pub struct TimedPaths {
    /// When they end, and what comes behind them.
    pub table: Arc<Timetable>,
    /// The ports of all paths: [`Fabric::paths`] has [`IN_TIME`](crate::engine::packet::IN_TIME) in their places.
    pub ports: Arc<[u32]>,
}

/// A packet on its way inside a node.
#[derive(Clone, Copy, Debug)]
pub enum Pending {
    /// To the agent before a port.
    Take(Interceptor, Packet),
    /// From an agent to a host of this node.
    Deliver(u32, Packet),
    /// It has left a port that says so to the host at which its flow starts.
    Left(Packet),
}

/// What is needed soon of a packet that comes out of a fibre, read where it lay: the copy would give it later.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// The fibre.
    pub fibre: u32,
    /// [`Packet::hop`].
    pub hop: u32,
    /// [`Packet::digest`].
    pub digest: u64,
}

/// The place of a fabric among others.
#[derive(Debug)]
pub struct FabricPlace {
    /// How timers stand among arrivals.
    pub order: TimerOrder,
    /// How many agents there are.
    pub agents: u32,
    /// Fibres that lead out, numbered behind those that end here.
    pub boundaries: Vec<Boundary>,
    /// How many partitions there are.
    pub partitions: u32,
}

impl TimedPaths {
    fn step(&self, hop: u32) -> Option<(u32, u32)> {
        let port = self.ports[hop as usize];
        (!matches!(port, DELIVER | NO_PATH)).then_some((hop, port))
    }
}

impl Fabric {
    /// The same at its place, with empty fibres to others, and with its event list.
    pub fn placed(mut self, place: FabricPlace) -> Fabric {
        let FabricPlace { order, agents, boundaries, partitions } = place;
        let of_all = self.ports.iter().zip(0..);
        let departing = of_all.filter(|(port, _)| port.departure().is_some()).map(|(_, number)| number).collect();
        self.entering = self.fibres.len() as u32;
        self.event_list = EventList::new(order, departing, self.entering, 0..agents);
        self.is_listed = true;
        self.fibres.extend(boundaries.iter().map(|_| Ring::new()));
        self.boundaries = boundaries;
        self.outgoing = (0..partitions).map(|_| Batch::default()).collect();
        self.list_links();
        self
    }

    /// The same without its place, between two steps of a run: nothing is pending, and all that leaves has been sent.
    pub fn displaced(mut self) -> Fabric {
        debug_assert!(
            self.pending.is_empty() && self.outgoing.iter().all(Batch::is_empty),
            "nothing is on its way between steps"
        );
        self.fibres.truncate(self.entering as usize);
        let (boundaries, outgoing) = (Vec::new(), Vec::new());
        Fabric { event_list: EventList::default(), is_listed: false, entering: 0, boundaries, outgoing, ..self }
    }

    /// Something is to be done before the next event. The key of the timers is unsettled, so that the check after each
    /// event finds it: a separate check would cost two per cent.
    #[inline(always)]
    fn defer(&mut self, pending: Pending) {
        self.pending.push_back(pending);
        self.ask_for_attention();
    }

    /// Takes the packet that arrives over fibre `number` out to where `packet` is.
    #[inline]
    pub fn take_arrival(&mut self, number: u32, packet: &mut Packet) -> Arrival {
        // Event after event it is long until the fibre's turn comes again. In windowed execution it is next, and
        // processors predict what lies side by side.
        self.fibres[number as usize].prefetch(3);
        let (arrival, next) = self.take_off_fibre(number, 1, packet);
        self.event_list.set_arrival_inline(number, next);
        arrival
    }

    /// The same in windowed execution, in which the event list has no arrivals. Also when the packet `ahead` places
    /// behind it arrives, [`NEVER`] if there is none.
    #[inline(always)]
    pub fn take_off_fibre(&mut self, number: u32, ahead: u64, packet: &mut Packet) -> (Arrival, u64) {
        let fibre = &mut self.fibres[number as usize];
        let (place, behind) = fibre.take(ahead);
        let arrival = Arrival { fibre: number, hop: place.hop, digest: place.digest() };
        *packet = *place;
        let at = behind.at;
        // Nothing predicts whether there is one. Its place is there in any case.
        (arrival, select_unpredictable(fibre.len() as u64 >= ahead, at, NEVER))
    }

    /// Brings what the next packet of a fibre carries into the cache.
    #[inline(never)]
    pub fn prefetch_payload(&self, number: u32) {
        if let Some(packet) = self.fibres[number as usize].front() {
            self.payloads.prefetch(packet);
        }
    }

    /// Brings what the next two packets of a fibre say to agents into the cache: the message of one, and the place of
    /// the other's.
    #[inline(never)]
    pub fn prefetch_messages(&self, number: u32) {
        let fibre = &self.fibres[number as usize];
        if let Some(packet) = fibre.front() {
            self.payloads.prefetch_message(packet);
        }
        if let Some(packet) = fibre.second() {
            self.payloads.prefetch_place(packet);
        }
    }

    /// The next port of a packet, [`DELIVER`](crate::engine::packet::DELIVER) at the end of its path.
    #[inline]
    pub fn next_link(&self, packet: &Packet) -> u32 {
        self.paths[packet.hop as usize]
    }

    /// The port of the last link of a packet, where its path names none.
    pub fn last_link(&self, packet: &Packet) -> u32 {
        self.last_links[packet.flow as usize][usize::from(packet.class == Class::Ack)]
    }

    /// The path of a packet that leaves its host, and the port by which it does.
    pub fn way(&mut self, now: u64, packet: &Packet) -> (u32, u32) {
        let hop = match (&self.spray, spread_set(&self.paths, packet.hop)) {
            (Some(spray), Some(set)) => spray.way(now, packet, set, &mut self.flowlets),
            _ => packet.hop,
        };
        // The head of a shared way is nobody's link.
        let head = self.paths[hop as usize];
        (hop, if head == NO_PATH { self.next_link(packet) } else { head })
    }

    /// Where a packet goes on that comes to a node while routes change in time, and its port; `None` if nowhere.
    pub fn hop_in_time(&self, now: u64, hop: u32) -> Option<(u32, u32)> {
        let timed = self.timed.as_ref()?;
        timed.step(timed.table.at(now, hop))
    }

    /// Where a packet begins that leaves its host, and its port.
    pub fn departure_in_time(&self, now: u64, first: u32) -> Option<(u32, u32)> {
        let timed = self.timed.as_ref()?;
        timed.step(timed.table.departure(now, first))
    }

    /// Whether a next link is a port of this partition, and not [`DELIVER`](crate::engine::packet::DELIVER).
    #[inline]
    pub fn leads_on(&self, next: u32) -> bool {
        (next as usize) < self.ports.len()
    }

    /// How many fibres end in this partition: they come before those that lead out of it.
    #[inline]
    pub fn entering(&self) -> u32 {
        self.entering
    }

    /// Whether the fibre of a port ends in this partition.
    #[inline]
    pub fn ends_here(&self, port: &Port) -> bool {
        port.fibre() < self.entering
    }

    /// Fibres that lead to other partitions.
    pub fn boundaries(&self) -> &[Boundary] {
        &self.boundaries
    }

    /// Whether what goes through a port stays in this partition.
    #[inline]
    pub fn leads_on_here(&self, number: u32) -> bool {
        self.ends_here(&self.ports[number as usize])
    }

    /// A message, to be sent by a path: `to` is the agent that it is for, or the flow that it is about.
    pub fn message(&mut self, notice: ControlMessage, to: u32, path: u32, size: u16) -> Packet {
        let payload = self.payloads.put_control(notice);
        Packet { flow: to, hop: path, payload, size, class: Class::Control, ..Packet::default() }
    }

    /// A packet is on a fibre.
    #[inline(always)]
    fn put(&mut self, place: usize, at: u64, packet: &Packet, is_listed: bool) {
        self.totals.packet_hops += 1;
        let fibre = &mut self.fibres[place];
        let was_idle = is_listed && place < self.entering as usize && fibre.is_empty();
        if is_listed {
            fibre.prefetch_push(3);
        }
        // Copied first and changed in its place: a copy of a value just written field by field would stall. All of the
        // first half is written by itself, so that the copy is of the other half.
        let slot = fibre.place();
        *slot = *packet;
        slot.at = at;
        slot.hop = packet.hop + 1;
        slot.payload = packet.payload;
        if was_idle {
            self.event_list.set_arrival(place as u32, at);
        }
    }

    /// Counts a dropped packet and forgets it.
    #[cold]
    pub fn drop(&mut self, now: u64, place: DropPlace, cause: Cause, packet: &Packet) {
        if let Some(observer) = &mut self.observer {
            observer.dropped(now, place, cause, packet);
        }
        self.totals.drops.entry((place, packet.class, cause)).or_default().add(packet.size);
        self.payloads.forget(packet);
    }

    /// Counts a packet that was taken back from a fibre because its link went down.
    pub fn cancel_in_flight(&mut self, now: u64, place: DropPlace, packet: &Packet) {
        if let Some(observer) = &mut self.observer {
            observer.dropped(now, place, Cause::Unreachable, packet);
        }
        self.totals.drops.entry((place, packet.class, Cause::Unreachable)).or_default().add(packet.size);
        self.totals.taken_back += 1;
    }

    /// Packets on the fibres or in the ports before them.
    pub fn in_flight(&self) -> u64 {
        let held: u64 = self.ports.iter().map(Port::held).sum();
        held + self.fibres[..self.entering as usize].iter().map(|fibre| fibre.len() as u64).sum::<u64>()
    }
}
