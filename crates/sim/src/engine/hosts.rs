//! End hosts: the machines of every flow, driven by packets and timers.
//!
//! A host calls its machine, drains what the machine wants sent into the network, and keeps the machine's timer armed.
//! The sending and the receiving side of a flow are apart: they are at different nodes and meet only in packets.

mod ecn;
mod kinds;
mod notices;
mod sides;

pub use kinds::Configs;
pub use sides::{ExplicitSink, Lifecycle, ReceivingHost, SendingHost, Sink, Source, Watch};

use super::agent::{Agent, Message};
use super::arena::Arena;
use super::bench::Bench;
use super::capture::Capture;
use super::datagrams::Datagram;
use super::forced::ForcedFates;
use super::ledger::Ledger;
use super::net::{DropPlace, NO_WAY, Net};
use super::offer::{Cause, Intake};
use super::packet::{Class, Flags, NO_CARGO, Packet};
use super::timers::{TimerId, TimerKind, Timers};
use super::tree::NEVER;
use crate::model::Fate;
use prefetch_index::prefetch_index;
use std::collections::BTreeMap;
use transport::tcp::{Ack, Actions, ReceiverActions, SackList, Sender};
use units::Instant;

const CACHE_LINE: usize = 64;

/// An agent, its node and its deadline.
#[derive(Debug)]
pub struct HostedAgent {
    /// Where it stands.
    pub node: u32,
    /// When the event list has it; [`NEVER`] if it has not.
    pub armed: u64,
    /// The agent.
    pub agent: Box<dyn Agent>,
}

impl HostedAgent {
    /// The agent may have changed its deadline.
    #[inline]
    fn arm(&mut self, place: u32, net: &mut Net) {
        let deadline = self.agent.next_timeout();
        if deadline != self.armed {
            self.armed = deadline;
            net.set_agent(place, deadline);
        }
    }
}

/// All hosts of a partition.
#[derive(Debug)]
pub struct Hosts {
    /// Sending sides, by flow.
    pub senders: Arena<SendingHost>,
    /// Receiving sides, by flow.
    pub receivers: Arena<ReceivingHost>,
    /// When flows start and stop, by flow.
    pub lifecycles: Arena<Lifecycle>,
    /// The control plane of the switches, by agent.
    pub agents: Arena<HostedAgent>,
    /// Deadlines.
    pub timers: Timers,
    /// Fates by order of the scenario.
    pub forced: ForcedFates,
    /// Packets to be written to a capture file.
    pub capture: Option<Capture>,
    /// Packets given to the network, duplicates by order included.
    pub emitted: u64,
    /// Packets taken from the network.
    pub delivered: u64,
    /// Those of them that were marked on their way.
    pub marked: u64,
    /// Packets held back by order, in the order of their times.
    pub held: BTreeMap<(u32, u64, u64), Packet>,
    /// Packets that were ever held back.
    pub held_count: u64,
    /// Room for the timers of the slot that is opened; empty between calls.
    opened: Vec<(u64, TimerId)>,
    segments: Actions,
    acks: ReceiverActions,
    datagrams: Vec<Datagram>,
}

impl Hosts {
    /// Hosts to which nothing has happened yet.
    pub fn new(
        senders: Arena<SendingHost>,
        receivers: Arena<ReceivingHost>,
        lifecycles: Arena<Lifecycle>,
        timers: Timers,
    ) -> Hosts {
        Hosts {
            senders,
            receivers,
            lifecycles,
            agents: Arena::default(),
            timers,
            forced: ForcedFates::default(),
            capture: None,
            emitted: 0,
            delivered: 0,
            marked: 0,
            held: BTreeMap::new(),
            held_count: 0,
            opened: Vec::new(),
            segments: Actions::default(),
            acks: ReceiverActions::default(),
            datagrams: Vec::new(),
        }
    }

    /// Takes over the agents, all of which are here.
    pub fn install(&mut self, agents: Vec<(u32, Box<dyn Agent>)>) {
        let hosted = |(node, agent)| HostedAgent { node, armed: NEVER, agent };
        self.agents = Arena::all(agents.into_iter().map(hosted).collect());
    }

    /// Puts the deadlines of all agents into the event list of a partition, which has none yet.
    pub fn arm_agents(&mut self, net: &mut Net) {
        for (place, hosted) in (0..).zip(self.agents.items_mut()) {
            hosted.armed = NEVER;
            hosted.arm(place, net);
        }
    }

    /// The deadline of the agent at this place has come.
    pub fn call_agent(&mut self, now: u64, place: u32, net: &mut Net) {
        let hosted = &mut self.agents.items_mut()[place as usize];
        hosted.agent.handle_timeout(now, &mut Bench::new(hosted.node, net, &mut self.emitted));
        hosted.arm(place, net);
    }

    /// An agent takes a packet before a port of its node.
    pub fn give_to_agent(&mut self, now: u64, intake: Intake, packet: &Packet, net: &mut Net) {
        let place = self.agents.place(intake.agent);
        let hosted = &mut self.agents.items_mut()[place];
        let mut bench = Bench::new(hosted.node, net, &mut self.emitted);
        hosted.agent.handle_packet(now, intake.place, packet, &mut bench);
        hosted.arm(place as u32, net);
    }

    /// An agent is given a message.
    pub fn give_message(&mut self, now: u64, agent: u32, message: Message, net: &mut Net) {
        let place = self.agents.place(agent);
        let hosted = &mut self.agents.items_mut()[place];
        hosted.agent.handle_message(now, message, &mut Bench::new(hosted.node, net, &mut self.emitted));
        hosted.arm(place as u32, net);
    }

    /// Packets that agents keep.
    pub fn kept(&self) -> i64 {
        self.agents.items().iter().map(|hosted| hosted.agent.kept()).sum()
    }

    /// Adds what each agent has counted.
    pub fn account(&self, ledger: &mut Ledger) {
        self.agents.items().iter().for_each(|hosted| hosted.agent.account(ledger));
    }

    /// Arms the start of every flow, of which there are `flows`, all here.
    pub fn arm_starts(&mut self, flows: u32) {
        for flow in 0..flows {
            self.timers.push(self.lifecycles[flow].start, TimerId::new(flow, TimerKind::Lifecycle));
        }
    }

    /// A packet has entered the last fibre to its host: the host's state is brought into the cache while it is on its way.
    #[inline]
    pub fn expect(&self, packet: &Packet) {
        let (first, lines) = if packet.class == Class::Ack {
            (&self.senders[packet.flow].armed, size_of::<SendingHost>() / CACHE_LINE)
        } else if packet.class == Class::Data {
            (&self.receivers[packet.flow].armed, size_of::<ReceivingHost>() / CACHE_LINE)
        } else {
            return;
        };
        // The field lies at the start of the host; the places counted from it are those of the host's cache lines.
        (0..lines).for_each(|line| prefetch_index(std::slice::from_ref(first), line * CACHE_LINE / size_of::<u64>()));
    }

    /// A packet has reached the node of its host.
    #[inline(always)]
    pub fn receive(&mut self, now: u64, packet: &Packet, net: &mut Net) {
        self.delivered += 1;
        // Two comparisons: a table of four classes would be a jump that nobody foresees.
        if packet.class == Class::Data {
            self.receive_data(now, packet, net);
        } else if packet.class == Class::Ack {
            self.receive_ack(now, packet, net);
        } else {
            self.receive_rarity(now, packet, net);
        }
    }

    #[cold]
    fn receive_rarity(&mut self, now: u64, packet: &Packet, net: &mut Net) {
        self.marked += packet.marks();
        if packet.class == Class::Control {
            if let Some(notice) = net.cargo.take_notice(packet) {
                self.receive_notice(now, packet, notice, net);
            }
        } else if let Sink::Datagrams { bytes } = &mut self.receivers[packet.flow].sink {
            *bytes += u64::from(packet.size);
        }
    }

    #[inline(always)]
    fn receive_data(&mut self, now: u64, packet: &Packet, net: &mut Net) {
        let host = &mut self.receivers[packet.flow];
        let Sink::Tcp(receiver) = &mut host.sink else { return self.receive_explicit_data(now, packet, net) };
        if packet.flags != Flags::NONE {
            self.marked += packet.marks();
            ecn::read(packet.flags, receiver);
        }
        let length = u32::from(packet.size - host.header);
        receiver.handle_segment(Instant::from_ps(now), packet.seq, length, &mut self.acks);
        self.send_acks(now, packet.flow, net);
    }

    #[cold]
    fn receive_explicit_data(&mut self, now: u64, packet: &Packet, net: &mut Net) {
        let host = &mut self.receivers[packet.flow];
        let Sink::Explicit(sink) = &mut host.sink else { return };
        self.marked += packet.marks();
        if packet.flags.has(Flags::EXPLICIT) {
            sink.feedback.handle_header(&net.cargo.take_header(packet.cargo).0);
        }
        let length = u32::from(packet.size - host.header);
        sink.receiver.handle_segment(Instant::from_ps(now), packet.seq, length, &mut self.acks);
        self.send_explicit_acks(now, packet.flow, net);
    }

    /// Sends what the receiving machine of `flow` has decided, and arms its timer.
    #[inline]
    fn send_acks(&mut self, now: u64, flow: u32, net: &mut Net) {
        let host = &mut self.receivers[flow];
        let (hop, size, class) = (host.path, host.ack_size, Class::Ack);
        // To clear a list of plain values costs nothing; to drain it costs some instructions more.
        for ack in &self.acks.acks {
            let cargo = net.cargo.put_sack(&ack.sack);
            self.emitted += 1;
            let flags = Flags::of_ack(ack.ecn_echo);
            enter(now, Packet { at: 0, seq: ack.ack, flow, hop, cargo, size, class, flags }, net);
        }
        self.acks.acks.clear();
        arm_receiver(&mut self.timers, flow, host);
    }

    fn send_explicit_acks(&mut self, now: u64, flow: u32, net: &mut Net) {
        let host = &mut self.receivers[flow];
        let Sink::Explicit(sink) = &mut host.sink else { return };
        let (hop, size, class) = (host.path, host.ack_size, Class::Ack);
        for ack in self.acks.acks.drain(..) {
            let cargo = net.cargo.put_header(sink.feedback.acknowledge(), &ack.sack);
            self.emitted += 1;
            enter(now, Packet { at: 0, seq: ack.ack, flow, hop, cargo, size, class, flags: Flags::EXPLICIT }, net);
        }
        arm_receiver(&mut self.timers, flow, host);
    }

    #[inline(always)]
    fn receive_ack(&mut self, now: u64, packet: &Packet, net: &mut Net) {
        let host = &mut self.senders[packet.flow];
        let Source::Tcp(sender) = &mut host.source else { return };
        let sack = if packet.flags == Flags::NONE {
            net.cargo.take_sack(packet.cargo)
        } else {
            self.marked += packet.marks();
            let (header, sack) = net.cargo.take_carried(packet);
            if let Some(header) = header {
                sender.handle_feedback(packet.seq, header.reverse_feedback);
            }
            sack
        };
        if host.watch.has(Watch::CAPTURED) {
            capture(&mut self.capture, now, packet, sack.as_slice());
        }
        let ecn_echo = packet.flags.has(Flags::ECHO);
        let ack = Ack { ack: packet.seq, window: sender.initial_peer_window(), sack: sack.as_slice(), ecn_echo };
        sender.handle_ack(Instant::from_ps(now), &ack, &mut self.segments);
        if host.watch.has(Watch::FINITE) && sender.is_complete() {
            let completed = &mut self.lifecycles[packet.flow].completed;
            *completed = now.min(*completed);
        }
        self.send_segments(now, packet.flow, net);
    }

    /// Sends what the sending machine of `flow` has decided, and arms its timer.
    #[inline]
    fn send_segments(&mut self, now: u64, flow: u32, net: &mut Net) {
        let host = &mut self.senders[flow];
        if host.watch.has(Watch::UNUSUAL) {
            return match host.watch.is_ecn_alone() {
                true => self.send_capable_segments(now, flow, net),
                false => self.send_watched_segments(now, flow, net),
            };
        }
        for segment in &self.segments.segments {
            self.emitted += 1;
            enter(now, host.packet(flow, segment.seq, segment.len), net);
        }
        self.segments.segments.clear();
        self.arm_sender(flow);
    }

    /// [`Hosts::send_segments`] for a flow with forced fates, a capture, congestion headers, or ECN.
    #[cold]
    fn send_watched_segments(&mut self, now: u64, flow: u32, net: &mut Net) {
        let segments = std::mem::take(&mut self.segments.segments);
        for segment in &segments {
            let host = &self.senders[flow];
            let mut packet = host.packet(flow, segment.seq, segment.len);
            if let Some(header) = host.source.tcp().and_then(Sender::congestion_header) {
                packet.cargo = net.cargo.put_header(header, &SackList::EMPTY);
                packet.flags = Flags::EXPLICIT;
            }
            packet.flags = packet.flags.with(ecn::flags(host.source.tcp().and_then(|sender| sender.ecn_of(segment))));
            self.emit_watched(now, packet, net);
        }
        self.segments.segments = segments;
        self.segments.segments.clear();
        self.arm_sender(flow);
    }

    /// Gives a packet of a watched flow its fate.
    fn emit_watched(&mut self, now: u64, packet: Packet, net: &mut Net) {
        let flow = packet.flow;
        self.emitted += 1;
        if self.senders[flow].watch.has(Watch::CAPTURED) {
            capture(&mut self.capture, now, &packet, &[]);
        }
        if self.is_lost_by_order(now, &packet, net) {
            return net.drop(DropPlace::Host(flow), Cause::Forced, &packet);
        }
        match self.forced.of(flow, packet.seq) {
            None => enter(now, packet, net),
            Some(Fate::Drop) => net.drop(DropPlace::Host(flow), Cause::Forced, &packet),
            Some(Fate::Duplicate) => {
                self.emitted += 1;
                let copy = Packet { cargo: net.cargo.duplicate(&packet), ..packet };
                enter(now, packet, net);
                enter(now, copy, net);
            }
            Some(Fate::Delay(span)) => {
                let due = now.saturating_add(span.ps());
                self.held.insert((flow, due, self.held_count), packet);
                self.held_count += 1;
                self.timers.push(due, TimerId::new(flow, TimerKind::Held));
            }
        }
    }

    #[inline]
    fn arm_sender(&mut self, flow: u32) {
        let host = &mut self.senders[flow];
        let deadline = host.source.next_timeout();
        if deadline < host.armed {
            host.armed = deadline;
            self.timers.push(deadline, TimerId::new(flow, TimerKind::Sender));
        }
    }

    /// The earliest timer entry has come up. Returns whether anything happened.
    pub fn visit_timer(&mut self, now: u64, net: &mut Net) -> bool {
        let Some(timer) = self.timers.first() else {
            self.open_slot();
            return false;
        };
        let flow = timer.flow();
        match timer.kind() {
            TimerKind::Sender => {
                let deadline = self.senders[flow].source.next_timeout();
                due(&mut self.timers, &mut self.senders[flow].armed, now, deadline) && self.fire_sender(now, flow, net)
            }
            TimerKind::Receiver => {
                let deadline = self.receivers[flow].sink.next_timeout();
                due(&mut self.timers, &mut self.receivers[flow].armed, now, deadline)
                    && self.fire_receiver(now, flow, net)
            }
            TimerKind::Lifecycle => {
                self.timers.pop();
                self.turn(now, flow, net)
            }
            TimerKind::Held => {
                self.timers.pop();
                self.release(now, flow, net)
            }
        }
    }

    /// The entries of the next slot of time come near: those that are stale are forgotten, and those whose machine has
    /// moved its deadline meanwhile move there.
    fn open_slot(&mut self) {
        let mut opened = std::mem::take(&mut self.opened);
        self.timers.open_slot(&mut opened);
        for (time, timer) in opened.drain(..) {
            let (armed, deadline) = match timer.kind() {
                TimerKind::Sender => {
                    let host = &mut self.senders[timer.flow()];
                    (&mut host.armed, host.source.next_timeout())
                }
                TimerKind::Receiver => {
                    let host = &mut self.receivers[timer.flow()];
                    (&mut host.armed, host.sink.next_timeout())
                }
                TimerKind::Lifecycle | TimerKind::Held => {
                    self.timers.push(time, timer);
                    continue;
                }
            };
            if *armed == time {
                if deadline != NEVER {
                    *armed = deadline.max(time);
                }
                self.timers.push(*armed, timer);
            }
        }
        self.opened = opened;
    }

    fn fire_sender(&mut self, now: u64, flow: u32, net: &mut Net) -> bool {
        match &mut self.senders[flow].source {
            Source::Tcp(sender) => {
                sender.handle_timeout(Instant::from_ps(now), &mut self.segments);
                self.send_segments(now, flow, net);
            }
            Source::Datagrams(_) => self.send_datagrams(now, flow, net),
        }
        true
    }

    fn send_datagrams(&mut self, now: u64, flow: u32, net: &mut Net) {
        let host = &mut self.senders[flow];
        let (watched, hop) = (host.watch.has(Watch::UNUSUAL), host.path);
        let Source::Datagrams(source) = &mut host.source else { return };
        source.handle_timeout(Instant::from_ps(now), &mut self.datagrams);
        let mut datagrams = std::mem::take(&mut self.datagrams);
        for datagram in datagrams.drain(..) {
            let (seq, size) = (datagram.number, datagram.size as u16);
            let packet =
                Packet { at: 0, seq, flow, hop, cargo: NO_CARGO, size, class: Class::Datagram, flags: Flags::NONE };
            if watched {
                self.emit_watched(now, packet, net);
            } else {
                self.emitted += 1;
                enter(now, packet, net);
            }
        }
        self.datagrams = datagrams;
        self.arm_sender(flow);
    }

    fn fire_receiver(&mut self, now: u64, flow: u32, net: &mut Net) -> bool {
        match &mut self.receivers[flow].sink {
            Sink::Tcp(receiver) => {
                receiver.handle_timeout(Instant::from_ps(now), &mut self.acks);
                self.send_acks(now, flow, net);
            }
            Sink::Explicit(sink) => {
                sink.receiver.handle_timeout(Instant::from_ps(now), &mut self.acks);
                self.send_explicit_acks(now, flow, net);
            }
            Sink::Datagrams { .. } => {}
        }
        true
    }

    /// A flow starts or stops.
    fn turn(&mut self, now: u64, flow: u32, net: &mut Net) -> bool {
        let life = self.lifecycles[flow];
        let instant = Instant::from_ps(now);
        if now >= life.stop {
            self.senders[flow].source.stop();
            return true;
        }
        if life.stop != NEVER {
            self.timers.push(life.stop, TimerId::new(flow, TimerKind::Lifecycle));
        }
        match &mut self.senders[flow].source {
            Source::Tcp(sender) => {
                sender.write(instant, life.bytes, &mut self.segments);
                self.send_segments(now, flow, net);
            }
            Source::Datagrams(_) => self.arm_sender(flow),
        }
        true
    }

    /// Lets go what was held back until now.
    fn release(&mut self, now: u64, flow: u32, net: &mut Net) -> bool {
        let mut any = false;
        while let Some(first) = self.held.range((flow, 0, 0)..=(flow, now, u64::MAX)).next().map(|entry| *entry.0) {
            if let Some(packet) = self.held.remove(&first) {
                enter(now, packet, net);
                any = true;
            }
        }
        any
    }
}

/// Whether the entry that has come up is to fire; if not, it is removed (stale) or moved to the true deadline.
fn due(timers: &mut Timers, armed: &mut u64, now: u64, deadline: u64) -> bool {
    if *armed != now {
        timers.pop();
        return false;
    }
    if deadline > now && deadline != NEVER {
        timers.postpone_first(deadline);
        *armed = deadline;
        return false;
    }
    timers.pop();
    *armed = NEVER;
    deadline != NEVER
}

/// The receiving machine of `flow` may have set a deadline.
#[inline]
fn arm_receiver(timers: &mut Timers, flow: u32, host: &mut ReceivingHost) {
    let deadline = host.sink.next_timeout();
    if deadline < host.armed {
        host.armed = deadline;
        timers.push(deadline, TimerId::new(flow, TimerKind::Receiver));
    }
}

/// A packet leaves its host.
#[inline]
fn enter(now: u64, packet: Packet, net: &mut Net) {
    let link = net.next_link(&packet);
    if link == NO_WAY {
        return net.drop(DropPlace::Host(packet.flow), Cause::Unreachable, &packet);
    }
    net.forward(now, link, &packet);
}

fn capture(capture: &mut Option<Capture>, now: u64, packet: &Packet, sack: &[transport::tcp::SackBlock]) {
    if let Some(capture) = capture {
        capture.write(now, packet, sack);
    }
}
