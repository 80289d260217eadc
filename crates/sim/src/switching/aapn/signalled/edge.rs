//! The agent of an edge node: a machine, its clock, its queues and its fibre to one core node.

mod log;

use super::super::Beat;
use super::super::edge::Clock;
use super::super::protocol::DriftingClock;
use super::super::queue::{Backlog, Queue, Span};
use super::super::request::Request;
use super::super::tell::Teller;
use super::fibre::{Bits, Fibre, Outages, Plane, arrived};
use super::figures::{COUNTED, Counts, Sum};
use super::label::Label;
use super::stars::Stars;
use crate::engine::link::gated::Window;
use crate::engine::node::agent::Agent;
use crate::engine::node::counters::{Counters, Direction, Record};
use crate::engine::node::node_context::{AgentPath, ControlPacket, NodeContext};
use crate::engine::packet::delay_queue::DelayQueue;
use crate::engine::packet::message::Message;
use crate::model::NodeId;
use control::log::{Watch, What};
use control::signalling::{Action, Actions, Heard, Network, Node, NodeConfig, SlotPart, Spare};
use control::wire::{self, Class};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use units::Instant;

/// The code of a plan's block, which a master has to compute first.
const PLAN: u8 = 18;

/// The way to the core node.
pub(super) struct Uplink {
    pub(super) way: AgentPath,
    pub(super) core_agent: u32,
    pub(super) delay: u64,
    pub(super) fibre: Fibre,
}

/// What an agent is made of.
pub(super) struct Parts {
    pub(super) edge: u32,
    pub(super) node: NodeId,
    pub(super) config: NodeConfig,
    pub(super) network: Network,
    pub(super) clock: DriftingClock,
    /// How late or early its light leaves.
    pub(super) host: Clock,
    pub(super) uplink: Uplink,
    pub(super) queues: Vec<Queue>,
    pub(super) rule: Request,
    pub(super) scheduling_time: u64,
    /// When frames begin, for who is told of them.
    pub(super) beat: Beat,
    pub(super) teller: Teller,
    pub(super) outages: Arc<Outages>,
    /// With several core nodes, if queues may change between them.
    pub(super) stars: Option<Stars>,
    /// The place of the core node.
    pub(super) core: u32,
    pub(super) transcript: bool,
}

/// The agent.
pub(super) struct SignalledEdge {
    parts: Parts,
    machine: Option<Node>,
    sessions: u64,
    /// When the machine wants to be called.
    due: u64,
    /// When the node stops or starts next.
    change: u64,
    outgoing: DelayQueue<Outgoing>,
    incoming: DelayQueue<Bits>,
    /// Slots of each queue in frames that have not begun.
    granted: BTreeMap<u64, Box<[u32]>>,
    next_frame: u64,
    number: u64,
    counts: Counts,
    transcript: Option<Vec<Record>>,
    watch: Watch,
}

/// What leaves, and when its first bit would.
struct Outgoing {
    plane: Plane,
    to: wire::NodeId,
    left: u64,
    bytes: Vec<u8>,
}

impl SignalledEdge {
    pub(super) fn new(parts: Parts) -> SignalledEdge {
        let next_frame = parts.beat.first();
        let transcript = parts.transcript.then(Vec::new);
        let watch = Watch::new(parts.core as u16, parts.config.node);
        let mut agent = SignalledEdge {
            parts,
            machine: None,
            sessions: 0,
            due: u64::MAX,
            change: 0,
            outgoing: DelayQueue::default(),
            incoming: DelayQueue::default(),
            granted: BTreeMap::new(),
            next_frame,
            number: 0,
            counts: Counts::default(),
            transcript,
            watch,
        };
        agent.note_cuts();
        agent.change_state(0);
        agent
    }

    /// The node is stopped or started, as the scenario says.
    fn change_state(&mut self, now: u64) {
        let Parts { outages, edge, .. } = &self.parts;
        self.change = outages.next_change(*edge, now);
        match (outages.is_stopped(*edge, now), &self.machine) {
            (true, Some(machine)) => {
                self.counts.stop(machine.tally());
                self.machine = None;
                self.happened(now, What::Down);
                self.outgoing.clear();
                self.incoming.clear();
            }
            (false, None) => {
                self.sessions += 1;
                self.machine = Some(Node::new(self.parts.config.clone(), self.sessions));
                self.watch = Watch::new(self.parts.core as u16, self.parts.config.node);
                self.happened(now, What::Up);
            }
            _ => {}
        }
        self.set_due(now);
    }

    fn set_due(&mut self, now: u64) {
        let due = self.machine.as_ref().and_then(Node::next_timeout);
        // A clock shows a reading for the first time a moment after its rounded inverse.
        self.due = due.map_or(u64::MAX, |due| (self.parts.clock.truth(due) + 2).max(now + 1));
    }

    fn heard(&self, now: u64, stamp: u64) -> Heard {
        Heard { now: self.parts.clock.shows(now), stamp: self.parts.clock.shows(stamp) }
    }

    /// The machine's time has come. What waits in the queues, and has no slot yet, is what it asks for.
    fn keep_time(&mut self, now: u64, context: &mut NodeContext) {
        let Some(machine) = &mut self.machine else { return };
        let Parts { queues, rule, beat, network, clock, config, stars, .. } = &mut self.parts;
        let span = Span { frames: network.answer_lead() + network.use_lead() + 1, reading: config.sharing.reading };
        for queue in queues {
            let port = context.port(queue.port);
            let (offered, held) = (port.offered_bytes(), port.held_bytes());
            let own = queue.wanted(*rule, held, beat.frame.payload(), span);
            if std::mem::replace(&mut queue.seen, offered) != offered {
                machine.note_arrival(wire::NodeId(queue.to as u16));
            }
            let wanted = match stars {
                Some(stars) => {
                    let guests = queue.slots(stars.held_by_guests(queue.to, context), beat.frame.payload());
                    guests.saturating_add(if stars.is_at_home(queue.to) { own } else { 0 })
                }
                None => own,
            };
            machine.set_waiting(wire::NodeId(queue.to as u16), wanted as usize, beat.frame.datagrams);
        }
        let mut actions = Actions::new();
        machine.handle_timeout(clock.shows(now), &mut actions);
        self.perform(now, actions, context);
    }

    fn take(&mut self, now: u64, stamp: u64, bits: Bits, context: &mut NodeContext) {
        let heard = self.heard(now, stamp);
        if self.parts.outages.is_deaf(self.parts.edge, self.parts.core, stamp) {
            self.counts.lost += 1;
            return;
        }
        self.note(now, Direction::Took, &bits.bytes);
        let Some(machine) = &mut self.machine else { return };
        let mut actions = Actions::new();
        match bits.plane {
            Plane::Light => machine.handle_light(heard, &bits.bytes, &mut actions),
            Plane::Beside => machine.handle_beside(heard, &bits.bytes, &mut actions),
        }
        self.perform(now, actions, context);
    }

    fn perform(&mut self, now: u64, actions: Actions, context: &mut NodeContext) {
        for action in actions {
            match action {
                Action::Light { at, part, bytes } => self.light(now, Departure { at, part, bytes }, context),
                Action::Beside { to, bytes } => {
                    // A plan leaves when it is computed, but the machine reads the clock before.
                    let computes = if bytes.get(64) == Some(&PLAN) { self.parts.scheduling_time } else { 0 };
                    self.tell_departure(now, &bytes);
                    self.outgoing.push(now + computes, Outgoing { plane: Plane::Beside, to, left: now, bytes });
                }
                // Payloads are the queues', and faults are counted by the machines.
                Action::Deliver { .. } | Action::Missing(_) | Action::Fault(_) => {}
            }
        }
        self.set_due(now);
        self.look(now);
    }

    /// A slot of light leaves at `at` of the node's clock, up to the jitter of its host.
    fn light(&mut self, now: u64, departure: Departure, context: &mut NodeContext) {
        let Departure { at, part, bytes } = departure;
        let Some(label) = Label::of(&bytes) else { return };
        let left = self.parts.clock.truth(at).saturating_add_signed(self.parts.host.shift()).max(now);
        let begins = part.begins(self.parts.network.light());
        let meant = (self.parts.network.arrival(label.frame, label.slot) + begins).ps();
        let arrives = left + self.parts.uplink.delay;
        if label.class == Class::Data as u8 {
            let arrives = arrives + self.parts.uplink.fibre.jitter();
            let passes = self.counts.observe(arrives, meant, self.parts.network.tolerance().ps());
            return self.open(now, left, Slot { label, part, passes, arrives }, context);
        }
        self.tell_departure(left, &bytes);
        let to = wire::NodeId(label.to);
        self.outgoing.push(left, Outgoing { plane: Plane::Light, to, left, bytes });
    }

    /// Where stamps follow, the machine is told when its signalling left in fact.
    fn tell_departure(&mut self, left: u64, bytes: &[u8]) {
        let follows = self.parts.config.stamp == wire::Stamp::Follows;
        if let (Some(machine), Some(label)) = (&mut self.machine, Label::of(bytes).filter(|_| follows))
            && label.class == Class::Signalling as u8
        {
            machine.handle_departure(label.sequence, self.parts.clock.shows(left));
        }
    }

    /// A data slot, or a datagram of one: the queue may send in it.
    fn open(&mut self, now: u64, left: u64, slot: Slot, context: &mut NodeContext) {
        let Parts { queues, outages, edge, beat, uplink, stars, core, .. } = &mut self.parts;
        let to = u32::from(slot.label.to);
        let Ok(place) = queues.binary_search_by_key(&to, |queue| queue.to) else { return };
        let frame = slot.label.frame;
        if frame >= self.next_frame && slot.part.number() == 0 {
            let none = || vec![0; queues.len()].into_boxed_slice();
            self.granted.entry(frame).or_insert_with(none)[place] += 1;
        }
        let dead = outages.is_dead(*core, left + uplink.delay);
        let cut = dead || outages.is_mute(*edge, *core, left) || outages.is_deaf(to, *core, left + uplink.delay);
        let passes = slot.passes && !cut;
        self.counts.missed += u64::from(!passes);
        // The header goes before the data.
        let start = left + beat.frame.header.ps();
        let end = start + beat.frame.datagram();
        let port = match stars {
            Some(stars) => stars.turn(&queues[place], (start, end), context),
            None => Some(queues[place].port),
        };
        self.say_light(&slot, passes);
        let Some(port) = port else { return };
        context.port_mut(port).open_windows(Window { start, end, passes });
        context.release(now, port);
    }

    fn send(&mut self, now: u64, outgoing: Outgoing, context: &mut NodeContext) {
        let Outgoing { plane, to, left, bytes } = outgoing;
        self.note(now, Direction::Sent, &bytes);
        let Parts { outages, edge, uplink, core, .. } = &mut self.parts;
        if outages.is_mute(*edge, *core, now) || uplink.fibre.loses() {
            self.counts.lost += 1;
            return;
        }
        self.number += 1;
        let arrives = left + uplink.delay + uplink.fibre.jitter();
        // The largest message was checked to fit a slot, and this.
        let size = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
        let message = Message::new(Bits { plane, edge: *edge, to, arrives, bytes });
        let Uplink { way, core_agent, .. } = *uplink;
        context.send(now, ControlPacket { to: core_agent, way, size, number: self.number, message });
    }

    /// A frame ends: which of its slots were empty. Not of queues that share theirs with others.
    fn note_unused(&mut self, now: u64, context: &NodeContext) {
        let Parts { queues, beat, stars, config, .. } = &mut self.parts;
        let Some(machine) = self.machine.as_mut().filter(|_| config.sharing.spare == Spare::Using) else { return };
        for queue in queues {
            let unused = queue.note_unused(context.port(queue.port).busy(now), beat.frame.payload());
            if stars.as_ref().is_none_or(|stars| stars.has_no_guests(queue.to)) {
                machine.note_unused(wire::NodeId(queue.to as u16), unused);
            }
        }
    }

    /// A frame begins: what was granted in it is counted and told.
    fn begin_frame(&mut self, now: u64, context: &mut NodeContext) {
        let frame = self.next_frame;
        self.next_frame += 1;
        if let Some(stars) = &mut self.parts.stars {
            let moves = stars.look(self.parts.clock.shows(now), self.machine.as_ref(), &self.parts.queues);
            moves.into_iter().for_each(|(to, into)| self.happened(now, What::Moved { to, into: into as u16 }));
        }
        self.note_unused(now, context);
        let Parts { queues, beat, teller, .. } = &mut self.parts;
        let slots = self.granted.remove(&frame).unwrap_or_else(|| vec![0; queues.len()].into());
        for (queue, slots) in queues.iter_mut().zip(&slots) {
            let before = std::mem::replace(&mut queue.granted, *slots);
            if *slots > 0 || before > 0 {
                context.port_mut(queue.port).begin_cycle(now, *slots);
            }
            let port = context.port(queue.port);
            let backlog = Backlog { offered: port.offered_bytes(), held: port.held_bytes() };
            queue.observe(backlog, beat.frame.payload());
        }
        if queues.iter().any(|queue| queue.follows) {
            teller.hear(now, slots);
        }
    }
}

/// Light that the machine wants sent.
struct Departure {
    at: Instant,
    part: SlotPart,
    bytes: Vec<u8>,
}

/// A data slot, or a datagram of one, that leaves.
struct Slot {
    label: Label,
    part: SlotPart,
    passes: bool,
    /// When its first bit is at the core.
    arrives: u64,
}

impl Agent for SignalledEdge {
    fn next_timeout(&self) -> u64 {
        let begins = self.parts.beat.begins(self.next_frame);
        let told = self.parts.teller.next_timeout();
        let moves = self.outgoing.next_timeout().min(self.incoming.next_timeout());
        self.due.min(self.change).min(begins).min(told).min(moves)
    }

    /// What happens to the node comes first, then what it does, then what its queues' controllers hear.
    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        if self.change <= now {
            self.change_state(now);
        }
        while let Some((stamp, bits)) = self.incoming.pop(now) {
            self.take(now, stamp, bits, context);
        }
        if self.due <= now {
            self.keep_time(now, context);
        }
        while let Some((_, outgoing)) = self.outgoing.pop(now) {
            self.send(now, outgoing, context);
        }
        if self.parts.beat.begins(self.next_frame) <= now {
            self.begin_frame(now, context);
        }
        let Parts { teller, beat, queues, .. } = &mut self.parts;
        teller.tell(now, beat.frame, queues, context);
    }

    fn handle_message(&mut self, now: u64, message: Message, context: &mut NodeContext) {
        if let Some(bits) = arrived(&mut self.incoming, now, message) {
            self.take(now, bits.arrives, bits, context);
        }
    }

    fn account(&self, counters: &mut Counters) {
        let now = self.machine.as_ref().map(Node::tally);
        for ((count, sum), before) in COUNTED.iter().zip(self.counts.before) {
            let now = now.map_or(0, |tally| tally.of(*count));
            counters.sums.add(*sum, (before + now).into());
        }
        let Counts { lost, light, missed, squares, .. } = self.counts;
        let sums = [(Sum::Lost, lost.into()), (Sum::Light, light.into()), (Sum::Missed, missed.into())];
        sums.into_iter().chain([(Sum::Squares, squares)]).for_each(|(sum, more)| counters.sums.add(sum, more));
        let moved = self.parts.stars.as_ref().map_or(0, |stars| stars.moved);
        counters.sums.add(Sum::Moved, moved.into());
        counters.records.extend(self.transcript.iter().flatten().cloned());
    }
}

impl fmt::Debug for SignalledEdge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignalledEdge").field("edge", &self.parts.edge).finish_non_exhaustive()
    }
}
