//! The agent of a rack: a queue for each other rack, drained by the circuit of the hour and by the packet switch.

use super::controller::Controller;
use super::days::Days;
use super::forecast::{measure, meters};
use super::keys::{DayEnd, InDay};
use super::latency::{Latencies, Way};
use super::members::{Member, Members};
use super::output::Output;
use super::overtaken::Overtaken;
use super::turns::Turns;
use super::week::{Now, Span, Week, is_day};
use super::{Circuits, Notice, Room, Rules, Sum, When};
use crate::engine::link::meter::{Asked, Meter};
use crate::engine::link::ring::Ring;
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::node::counters::Counters;
use crate::engine::node::node_context::NodeContext;
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::What;
use crate::engine::packet::message::Message;
use crate::engine::packet::{Class, Flags, NEVER, Packet};
use crate::model::{Buffer, LinkId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use units::Duration;

/// A rack. Times are in picoseconds.
#[derive(Debug)]
pub(super) struct Rack {
    number: u32,
    rules: Rules,
    week: Week,
    members: Arc<Members>,
    /// By the rack that its packets go to.
    queues: Vec<Queue>,
    /// Queues whose first packet has room at the packet switch.
    turns: Turns,
    packet: Output,
    circuit: Output,
    /// As it was when last looked at.
    now: Now,
    /// Packets in all queues.
    waiting: u64,
    wake: u64,
    days: Days,
    sent: Sent,
}

/// What waits for another rack.
#[derive(Debug, Default)]
struct Queue {
    packets: Ring<Waiting>,
    bytes: u64,
    /// Bytes for which the packet switch has room.
    credits: u64,
    /// When those that are on their way to there came, if they have data, and left.
    on_way: VecDeque<[u64; 2]>,
    overtaken: Overtaken,
    /// Its days, where the queue is resized or marks tell of them.
    days: Box<[Span]>,
    /// What leaves is marked so long before each day, and until its end: ACKs tell the sender of it.
    told_ahead: Option<u64>,
    /// XCP's.
    controller: Option<Box<Controller>>,
    /// What it measures, if laws ask for it.
    meter: Option<Box<Meter>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    packet: Packet,
    arrived: u64,
    /// Its way over a circuit.
    circuit: u32,
}

#[derive(Debug, Default)]
struct Sent {
    circuit: u64,
    packet: u64,
    /// Over circuits of pairs with data.
    carried: u64,
    /// Packets with data for which there was no room.
    lost: [u64; 3],
    took: [Latencies; 2],
}

impl Rack {
    /// A rack before its first packet.
    pub fn new(plan: &Circuits, number: u32, members: &Arc<Members>, asked: Asked, build: &mut BuildContext) -> Rack {
        let links = plan.racks[number as usize];
        let racks = plan.racks.len();
        let mut output = |id, back| Output::new(links.node, [id, back], build);
        let packet = output(links.to_packet, links.from_packet);
        let circuit = output(links.to_circuit, links.from_circuit);
        let marked: BTreeMap<LinkId, u64> = plan.marked(number, build).collect();
        let mut controllers = Controller::of_rack(plan, number, members, build);
        let mut meters = meters(plan, number, members, build.network, asked);
        let queue = |to: u32| {
            let told_ahead = marked.get(&plan.racks[to as usize].from_packet).copied();
            let needs_days = plan.rules.resized.is_some() || told_ahead.is_some();
            let days = if needs_days { plan.week.days(number, to).collect() } else { Box::default() };
            Queue {
                credits: plan.rules.room,
                days,
                told_ahead,
                controller: controllers.remove(&to).map(Box::new),
                meter: meters.remove(&to).map(Box::new),
                ..Queue::default()
            }
        };
        Rack {
            number,
            rules: plan.rules,
            members: Arc::clone(members),
            queues: (0..racks as u32).map(queue).collect(),
            turns: Turns::new(racks),
            packet,
            circuit,
            now: Now { to: None, until: 0 },
            waiting: 0,
            wake: NEVER,
            days: Days::new(&plan.week, number, members, racks),
            sent: Sent::default(),
            week: plan.week.clone(),
        }
        .planned(0)
    }

    fn planned(mut self, now: u64) -> Rack {
        self.plan(now);
        self
    }

    /// Sends what can leave now, and sees when more can.
    fn serve(&mut self, now: u64, context: &mut NodeContext) {
        self.days.note(now, &self.week);
        self.look(now);
        while let Some(to) = self.now.to.filter(|to| self.circuit.free <= now && self.may_take_circuit(*to, now)) {
            self.send_by_circuit(now, to, context);
        }
        if self.packet.free <= now
            && let Some(to) = self.turns.take(self.kept_for_circuit())
        {
            self.send_by_packet_switch(now, to, context);
        }
        self.plan(now);
    }

    /// Which circuit there is.
    fn look(&mut self, now: u64) {
        if self.now.until <= now {
            self.now = self.week.at(now, self.number);
        }
    }

    /// When something can leave, or a circuit comes or goes for what waits, or there is a day to be counted.
    fn plan(&mut self, now: u64) {
        self.wake = self.days.next.0;
        if self.waiting == 0 {
            return;
        }
        self.wake = self.wake.min(self.now.until);
        let free = self.circuit.free.max(now);
        if self.now.to.is_some_and(|to| free < self.now.until && self.may_take_circuit(to, free)) {
            self.wake = self.wake.min(free);
        }
        if self.turns.any(self.kept_for_circuit()) {
            self.wake = self.wake.min(self.packet.free.max(now));
        }
    }

    /// The queue that the packet switch leaves alone, since its circuit is there.
    fn kept_for_circuit(&self) -> Option<u32> {
        self.now.to.filter(|_| self.rules.in_day == InDay::Circuit)
    }

    /// Whether the circuit that is there can begin with a packet for a rack.
    fn may_take_circuit(&self, to: u32, at: u64) -> bool {
        let first = self.queues[to as usize].packets.front();
        first.is_some_and(|first| self.fits_circuit(first.packet.size, at))
    }

    fn fits_circuit(&self, size: u16, at: u64) -> bool {
        self.rules.day_end != DayEnd::Hold || at + self.circuit.lasts(size) <= self.now.until
    }

    fn take(&mut self, now: u64, to: u32, context: &mut NodeContext) -> Waiting {
        let queue = &mut self.queues[to as usize];
        if let Some(controller) = &mut queue.controller {
            controller.serve(now, queue.bytes);
        }
        let mut waiting = queue.packets.pop().expect("a queue whose turn it is has a packet");
        queue.bytes -= u64::from(waiting.packet.size);
        self.waiting -= 1;
        context.port_mut(self.packet.port).let_go(now, waiting.packet.size);
        let queue = &mut self.queues[to as usize];
        if let Some(meter) = &mut queue.meter {
            measure(meter, now, queue.bytes, &waiting.packet, context);
        }
        self.set_turn(to);
        let queue = &self.queues[to as usize];
        if waiting.packet.flags.has(Flags::CAPABLE)
            && queue.told_ahead.is_some_and(|lead| self.is_day(now, queue, lead))
        {
            waiting.packet = context.mark(now, self.packet.port, &waiting.packet);
        }
        waiting
    }

    fn set_turn(&mut self, to: u32) {
        let queue = &self.queues[to as usize];
        let has_room = queue.packets.front().is_some_and(|first| queue.credits >= first.packet.size.into());
        self.turns.set(to, has_room);
    }

    fn send_by_circuit(&mut self, now: u64, to: u32, context: &mut NodeContext) {
        let Waiting { packet, arrived, circuit } = self.take(now, to, context);
        let ends = now + self.circuit.lasts(packet.size);
        let packet = Packet { hop: circuit, ..packet };
        let is_cut = self.rules.day_end == DayEnd::Cut && ends > self.now.until;
        self.circuit.free = if is_cut { self.now.until } else { ends };
        if is_cut {
            context.port_mut(self.circuit.port).occupy(now, self.now.until);
            return context.drop_at(now, self.circuit.port, Cause::GuardViolation, &packet);
        }
        context.send_past(now, &packet);
        self.sent.circuit += u64::from(packet.size);
        self.sent.carried += if self.days.data[to as usize] { packet.size.into() } else { 0 };
        if has_data(&packet) {
            let arrives = ends + self.circuit.delay;
            self.sent.took[Way::Circuit as usize].add(arrives - arrived);
            self.queues[to as usize].overtaken.leaves_by_circuit(now, arrives);
        }
    }

    fn send_by_packet_switch(&mut self, now: u64, to: u32, context: &mut NodeContext) {
        let Waiting { packet, arrived, .. } = self.take(now, to, context);
        let queue = &mut self.queues[to as usize];
        queue.credits -= u64::from(packet.size);
        queue.on_way.push_back([if has_data(&packet) { arrived } else { NEVER }, now]);
        self.set_turn(to);
        self.packet.free = now + self.packet.lasts(packet.size);
        context.send_past(now, &packet);
        self.sent.packet += u64::from(packet.size);
    }

    /// Whether a packet that comes now leaves at once.
    fn is_idle(&self, now: u64, to: u32, size: u16) -> bool {
        let queue = &self.queues[to as usize];
        let by_circuit = self.now.to == Some(to) && self.circuit.free <= now && self.fits_circuit(size, now);
        let by_packet = self.kept_for_circuit() != Some(to) && self.packet.free <= now && queue.credits >= size.into();
        queue.packets.is_empty() && (by_circuit || by_packet && !self.turns.any(self.kept_for_circuit()))
    }

    fn is_full(&self, now: u64, to: u32, size: u16) -> bool {
        let queue = &self.queues[to as usize];
        match self.room(now, queue).buffer {
            Buffer::Packets(places) => queue.packets.len() as u64 >= places,
            Buffer::Bytes(room) => queue.bytes + u64::from(size) > room.count(),
            Buffer::Unlimited => false,
        }
    }

    fn when(&self, to: u32) -> When {
        match self.now.to {
            Some(now) if now == to => When::Day,
            Some(_) => When::OtherDay,
            None => When::Night,
        }
    }

    fn room(&self, now: u64, queue: &Queue) -> Room {
        let Some((resized, lead)) = self.rules.resized else { return self.rules.usual };
        if self.is_day(now, queue, lead) { resized } else { self.rules.usual }
    }

    /// Whether the pair of a queue has its day, or will have it within so long.
    fn is_day(&self, now: u64, queue: &Queue, lead: u64) -> bool {
        is_day(&queue.days, self.week.length(), now, lead)
    }

    fn note_credit(&mut self, now: u64, to: u32, size: u16, leaves: u64) {
        let queue = &mut self.queues[to as usize];
        queue.credits += u64::from(size);
        let [arrived, left] = queue.on_way.pop_front().unwrap_or([NEVER; 2]);
        if arrived != NEVER {
            let arrives = leaves + self.packet.delay / 2;
            self.sent.took[Way::Packet as usize].add(arrives - arrived);
            queue.overtaken.leaves_packet_switch(now, left, arrives);
        }
        self.set_turn(to);
    }
}

fn has_data(packet: &Packet) -> bool {
    matches!(packet.class, Class::Data | Class::Datagram)
}

impl Agent for Rack {
    fn next_timeout(&self) -> u64 {
        self.wake
    }

    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        self.serve(now, context);
    }

    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        if let Some(Notice::Credit { to, size, leaves }) = message.read() {
            self.note_credit(now, *to, *size, *leaves);
            self.serve(now, context);
        }
    }

    fn handle_packet(&mut self, now: u64, _: u32, packet: &Packet, context: &mut NodeContext) {
        let Some(Member { to, circuit, .. }) = self.members.find(packet) else {
            // It goes to no rack.
            return context.send_past(now, packet);
        };
        self.look(now);
        let queue = &mut self.queues[to as usize];
        let grown = queue.meter.as_ref().filter(|meter| meter.makes_room).map(|_| context.with_room(packet));
        let packet = grown.as_ref().unwrap_or(packet);
        if let Some(meter) = &mut queue.meter {
            meter.follow(now);
            meter.handle_arrival(now, packet.size, queue.bytes);
        }
        if let Some(controller) = &mut queue.controller {
            controller.tell_arrival(now, packet.size, context.header_mut(packet).as_deref(), queue.bytes);
        }
        if self.is_full(now, to, packet.size) && !self.is_idle(now, to, packet.size) {
            let when = self.when(to);
            self.sent.lost[when as usize] += u64::from(has_data(packet));
            return context.refuse(now, when.cause(), packet);
        }
        context.port_mut(self.packet.port).keep(now, packet.size);
        context.note(now, What::Store, packet);
        let queue = &self.queues[to as usize];
        let marks = self.room(now, queue).mark_from.is_some_and(|from| queue.packets.len() as u64 >= u64::from(from));
        let queue = &mut self.queues[to as usize];
        if let (Some(controller), Some(header)) = (&mut queue.controller, context.header_mut(packet)) {
            controller.tell_departure(packet.size, header);
        }
        let packet = if marks && packet.flags.has(Flags::CAPABLE) {
            context.mark(now, self.packet.port, packet)
        } else {
            *packet
        };
        queue.bytes += u64::from(packet.size);
        queue.packets.push(Waiting { packet, arrived: now, circuit });
        self.waiting += 1;
        self.set_turn(to);
        self.serve(now, context);
    }

    fn kept(&self) -> i64 {
        i64::try_from(self.waiting).unwrap_or(i64::MAX)
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        for queue in &mut self.queues {
            queue.packets.for_each_mut(|waiting| change(&mut waiting.packet));
        }
    }

    fn account(&self, counters: &mut Counters) {
        let capacity = self.circuit.byte_time.bytes_in(Duration::from_ps(self.days.light)).count().into();
        let sums = [
            (Sum::Circuit, self.sent.circuit.into()),
            (Sum::Packet, self.sent.packet.into()),
            (Sum::Carried, self.sent.carried.into()),
            (Sum::Capacity, capacity),
        ];
        sums.into_iter().for_each(|(sum, more)| counters.sums.add(sum, more));
        for when in [When::Day, When::OtherDay, When::Night] {
            counters.sums.add(Sum::Lost(when), self.sent.lost[when as usize].into());
        }
        for way in [Way::Circuit, Way::Packet] {
            let overtaken: u64 = self.queues.iter().map(|queue| queue.overtaken.count(way)).sum();
            counters.sums.add(Sum::Overtaken(way), overtaken.into());
            let each = self.sent.took[way as usize].each();
            each.for_each(|(class, packets)| counters.sums.add(Sum::Took(way, class), packets.into()));
        }
    }
}
