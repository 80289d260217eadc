//! The agent of a rack: a queue for each other rack, and an uplink to each rotor switch.

mod detours;
pub(super) mod offers;
pub(super) mod rooms;

use super::expander::Expander;
use super::figures::{Hop, Sent};
use super::keys::Answers;
use super::members::{Goal, Members};
use super::queue::{Queues, Room, Waiting};
use super::slices::{Phase, Slices};
use super::uplink::{Pick, Uplink};
use super::{Bulk, Notice, Rotor, Rules, WAITING};
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::BuildContext;
use crate::engine::node::counters::Counters;
use crate::engine::node::node_context::NodeContext;
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::What;
use crate::engine::packet::message::Message;
use crate::engine::packet::{Flags, NEVER, Packet};
use crate::random::Stream;
use offers::Offers;
use rooms::Rooms;
use std::sync::Arc;
use units::{ByteTime, Duration};

/// A rack. Times are in picoseconds.
#[derive(Debug)]
pub(super) struct Rack {
    pub(super) number: u32,
    pub(super) rules: Rules,
    pub(super) slices: Slices,
    pub(super) members: Arc<Members>,
    expander: Option<Arc<Expander>>,
    pub(super) uplinks: Vec<Uplink>,
    pub(super) byte_time: ByteTime,
    /// Packets of this rack's hosts, by the rack that they go to first, if that is decided, else by the last one; where
    /// hosts are counted, by the host that they come from too.
    pub(super) own: Queues,
    /// Packets from other racks, by the rack that they go to; where hosts are counted, by the host of this rack that
    /// relays them, and by the one that they go to.
    pub(super) relayed: Queues,
    /// What packets take up that are not relayed, by the rack that they go to in the end.
    taken: Vec<Room>,
    /// The part of the cycle by which packets on shortest paths have their uplinks.
    phase: Phase,
    /// When the next matching or part of the cycle begins.
    next_change: u64,
    /// Packets in all queues.
    pub(super) waiting: u64,
    /// From which queue the next detour is taken, where nothing is drawn.
    pub(super) turn: usize,
    /// The host that has relayed the last packet, where hosts are counted.
    pub(super) relay: usize,
    offers: Offers,
    rooms: Rooms,
    pub(super) draws: Stream,
    wake: u64,
    sent: Sent,
}

impl Rack {
    /// A rack before its first packet. The agents of its hosts have the numbers from `hosts` on.
    pub fn new(plan: &Rotor, number: u32, hosts: u32, shared: &Shared, build: &mut BuildContext) -> Rack {
        let (own, racks) = (&plan.racks[number as usize], plan.racks.len());
        let parts = if let Bulk::RotorLb { parts, .. } = plan.rules.bulk { parts } else { 1 };
        let capacity = build.network.links[own.up[0].index()].capacity;
        let name = format!("rack {}", build.network.nodes[own.node.index()].name);
        let uplink = |link| Uplink::new(build.port(own.node, link), parts);
        Rack {
            number,
            uplinks: own.up.iter().copied().map(uplink).collect(),
            rules: plan.rules,
            slices: plan.slices.clone(),
            members: Arc::clone(&shared.members),
            expander: shared.expander.clone(),
            byte_time: ByteTime::at(capacity).expect("a resolved link has a byte time"),
            own: Queues::new(racks, parts),
            relayed: Queues::new(racks, parts * parts),
            taken: vec![Room::default(); racks],
            phase: Phase { number: 0, until: 0 },
            next_change: 0,
            waiting: 0,
            turn: 0,
            relay: 0,
            offers: Offers::new(plan, number, build),
            rooms: Rooms::new(plan, number, hosts, build),
            draws: build.seed.stream(&name, "detours"),
            wake: NEVER,
            sent: Sent::default(),
        }
    }

    /// Sends what can leave now, and sees when more can.
    fn serve(&mut self, now: u64, context: &mut NodeContext) {
        self.look(now, context);
        if self.own.take_news() | self.relayed.take_news() {
            self.uplinks.iter_mut().for_each(|uplink| uplink.is_idle = false);
        }
        for uplink in 0..self.uplinks.len() {
            while self.uplinks[uplink].free <= now && !self.uplinks[uplink].is_idle {
                let Some((pick, size)) = self.pick(uplink, now) else {
                    self.uplinks[uplink].is_idle = true;
                    break;
                };
                if now + self.lasts(size) > self.uplinks[uplink].stay.until {
                    break;
                }
                self.send(now, uplink, pick, context);
            }
        }
        self.plan(now);
    }

    /// Which circuits there are.
    fn look(&mut self, now: u64, context: &mut NodeContext) {
        if now < self.next_change {
            return;
        }
        for number in 0..self.uplinks.len() {
            if self.uplinks[number].stay.next <= now {
                self.uplinks[number].stay = self.slices.stay(now, number as u32, self.number);
                self.uplinks[number].is_idle = false;
                if let Bulk::RotorLb { answers, .. } = self.rules.bulk {
                    let light = self.light(now, number);
                    self.uplinks[number].allowance.share(light);
                    if let Some(to) = self.uplinks[number].stay.to.filter(|_| answers == Answers::Hosts) {
                        self.uplinks[number].allowance.count_relayed(self.relayed.of(to));
                    }
                    self.offers.end(number);
                    self.offer(now, number, context);
                }
            }
        }
        if self.expander.is_some() && self.phase.until <= now {
            self.phase = self.slices.phase(now);
            self.find_paths_again();
        }
        let of_slices = if self.expander.is_some() { self.phase.until } else { NEVER };
        self.next_change = self.uplinks.iter().map(|uplink| uplink.stay.next).fold(of_slices, u64::min);
    }

    /// Bytes that a circuit carries until it goes.
    pub(super) fn light(&self, now: u64, number: usize) -> u64 {
        let left = self.uplinks[number].stay.until.saturating_sub(now);
        self.byte_time.bytes_in(Duration::from_ps(left)).count()
    }

    /// Packets on shortest paths take those of the present part of the cycle, in the order in which they came.
    fn find_paths_again(&mut self) {
        let mut all = Vec::new();
        for uplink in &mut self.uplinks {
            all.extend(std::iter::from_fn(|| uplink.by_slice.pop()));
        }
        all.sort_by_key(|waiting| waiting.arrived);
        all.into_iter().for_each(|waiting| self.enqueue_by_slice(waiting));
    }

    fn enqueue_by_slice(&mut self, waiting: Waiting) {
        let Some(expander) = &self.expander else { return };
        let uplink = expander.next(self.phase.number, self.number, waiting.to);
        self.uplinks[uplink].by_slice.push(waiting);
        self.uplinks[uplink].is_idle = false;
    }

    /// What an uplink sends next at a time at which it is free, and its bytes; the circuit may be there for less.
    fn pick(&self, number: usize, at: u64) -> Option<(Pick, u16)> {
        let uplink = &self.uplinks[number];
        let to = uplink.stay.to.filter(|_| at < uplink.stay.until)?;
        let detour = || {
            let queue = self.detour(number, to)?;
            Some((Pick::Detour(queue), self.own.at(queue).first()?))
        };
        uplink.first(to, &self.relayed, &self.own).or_else(detour)
    }

    fn send(&mut self, now: u64, number: usize, pick: Pick, context: &mut NodeContext) {
        let uplink = &mut self.uplinks[number];
        let to = uplink.stay.to.expect("a circuit is there");
        let waiting = match pick {
            Pick::Slice => uplink.by_slice.pop(),
            Pick::Relayed(queue) => self.relayed.pop(queue),
            Pick::Own(queue) | Pick::Detour(queue) => self.own.pop(queue),
        };
        let Waiting { packet, arrived, to: last } = waiting.expect("a queue that is picked has a packet");
        let hop = match pick {
            Pick::Slice => Hop::Slice,
            Pick::Relayed(_) => Hop::Second,
            Pick::Own(_) if last == to => Hop::Direct,
            Pick::Own(_) | Pick::Detour(_) => Hop::First,
        };
        uplink.count(pick, packet.size);
        if let Pick::Detour(queue) = pick {
            self.turn = queue + 1;
            self.offers.use_grant(number, queue, packet.size);
        }
        if hop != Hop::Second {
            self.taken[last as usize].remove(packet.size);
        }
        if matches!(hop, Hop::Direct | Hop::First) {
            self.give_back(now, &packet, last, context);
        }
        self.waiting -= 1;
        self.sent.add(hop, packet.size, now - arrived);
        let first = self.uplinks[0].port;
        context.port_mut(first).let_go(now, packet.size);
        let way = self.members.way(self.uplinks[number].stay.matching, self.number);
        context.send_past(now, &Packet { hop: way, ..packet });
        self.uplinks[number].free = now + self.lasts(packet.size);
    }

    /// When something can leave, or another circuit is there for what waits.
    fn plan(&mut self, now: u64) {
        self.wake = NEVER;
        if self.waiting == 0 {
            return;
        }
        for number in 0..self.uplinks.len() {
            let Uplink { stay, free, .. } = &self.uplinks[number];
            // A later time changes nothing, and what an uplink has to send takes long to find.
            let sends = *free > now && *free < stay.until.min(self.wake) && self.has_more(number);
            self.wake = self.wake.min(if sends { *free } else { stay.next });
        }
        if self.expander.is_some() {
            self.wake = self.wake.min(self.phase.until);
        }
    }

    /// Whether an uplink may have something to send when it is free.
    fn has_more(&self, number: usize) -> bool {
        let Uplink { stay, by_slice, .. } = &self.uplinks[number];
        let Some(to) = stay.to else { return false };
        !by_slice.is_empty() || self.relayed.has(to) || self.own.has(to) || self.detour(number, to).is_some()
    }

    pub(super) fn lasts(&self, size: u16) -> u64 {
        self.byte_time.of_packet(size).ps()
    }

    /// Whether a circuit to a rack is there.
    fn has_circuit(&self, now: u64, to: u32) -> bool {
        self.uplinks.iter().any(|uplink| uplink.stay.to == Some(to) && now < uplink.stay.until)
    }

    /// Whether a packet leaves at once by the circuit to its rack.
    fn leaves_at_once(&self, now: u64, to: u32, size: u16) -> bool {
        let can = |uplink: &Uplink| {
            uplink.stay.to == Some(to) && uplink.free <= now && now + self.lasts(size) <= uplink.stay.until
        };
        self.taken[to as usize].packets() == 0 && self.uplinks.iter().any(can)
    }

    /// A packet of a host of this rack, or on a shortest path.
    fn take(&mut self, now: u64, goal: Goal, packet: &Packet, context: &mut NodeContext) {
        let (to, by_slice) = (goal.to, goal.by_slice);
        let taken = self.taken[to as usize];
        if taken.is_full(self.rules.buffer, packet.size) && !self.leaves_at_once(now, to, packet.size) {
            let cause = if self.has_circuit(now, to) { Cause::Congestion } else { Cause::Agent(WAITING) };
            if !by_slice {
                self.give_back(now, packet, to, context);
            }
            return context.refuse(now, cause, packet);
        }
        let marks = self.rules.mark_from.is_some_and(|from| taken.packets() >= u64::from(from));
        let packet = if marks && packet.flags.has(Flags::CAPABLE) {
            context.mark(now, self.uplinks[0].port, packet)
        } else {
            *packet
        };
        self.taken[to as usize].add(packet.size);
        self.keep(now, &packet, context);
        let waiting = Waiting { packet, arrived: now, to };
        if by_slice {
            return self.enqueue_by_slice(waiting);
        }
        let first = self.first_hop(&packet, to);
        self.own.push(first, goal.hosts[0].into(), waiting);
    }

    /// A packet on the second hop of a detour.
    fn relay(&mut self, now: u64, place: u32, goal: Goal, packet: &Packet, context: &mut NodeContext) {
        let to = goal.to;
        let relay = self.offers.note_arrival(place as usize, to, packet.size);
        if self.relayed.taken(to).is_full(self.rules.buffer, packet.size) {
            let cause = if self.has_circuit(now, to) { Cause::Congestion } else { Cause::Agent(WAITING) };
            return context.refuse(now, cause, packet);
        }
        self.keep(now, packet, context);
        let part = self.relaying_queue(relay, goal.hosts[1].into());
        self.relayed.push(to, part, Waiting { packet: *packet, arrived: now, to });
    }

    fn keep(&mut self, now: u64, packet: &Packet, context: &mut NodeContext) {
        context.port_mut(self.uplinks[0].port).keep(now, packet.size);
        context.note(now, What::Store, packet);
        self.waiting += 1;
    }
}

/// What all racks have in common.
pub(super) struct Shared {
    /// The flows.
    pub members: Arc<Members>,
    /// The shortest paths, if anything takes them.
    pub expander: Option<Arc<Expander>>,
}

impl Agent for Rack {
    fn next_timeout(&self) -> u64 {
        self.wake
    }

    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        self.serve(now, context);
    }

    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        self.look(now, context);
        match message.open() {
            Some(Notice::Offer(offer)) => self.answer(now, offer, context),
            Some(Notice::Answer(answer)) => {
                if self.offers.take_answer(&answer) {
                    self.cut_relayed(&answer);
                }
                self.uplinks[answer.switch as usize].is_idle = false;
            }
            Some(Notice::Room(_)) | None => {}
        }
        self.serve(now, context);
    }

    fn handle_packet(&mut self, now: u64, place: u32, packet: &Packet, context: &mut NodeContext) {
        let Some(goal) = self.members.goal(packet, self.number) else {
            // It goes to no rack.
            return context.send_past(now, packet);
        };
        let is_from_light = self.members.is_from_light(packet);
        if is_from_light && goal.to == self.number {
            return context.hand(now, &Packet { hop: goal.tail, ..*packet });
        }
        self.look(now, context);
        if is_from_light && !goal.by_slice {
            self.relay(now, place, goal, packet, context);
        } else {
            self.take(now, goal, packet, context);
        }
        self.serve(now, context);
    }

    fn kept(&self) -> i64 {
        i64::try_from(self.waiting).unwrap_or(i64::MAX)
    }

    fn for_each_kept(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        let by_slice = self.uplinks.iter_mut().map(|uplink| &mut uplink.by_slice);
        by_slice.for_each(|queue| queue.for_each_mut(change));
        [&mut self.own, &mut self.relayed].into_iter().for_each(|queues| queues.for_each_mut(change));
    }

    fn account(&self, counters: &mut Counters) {
        self.sent.account(counters);
    }
}
