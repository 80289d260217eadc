//! End hosts: the machines of every flow, driven by packets and timers.
//!
//! A host calls its machine, drains what the machine wants sent into the network, and keeps the machine's timer armed.
//! The sending and the receiving side of a flow are apart: they are at different nodes and meet only in packets.

mod agents;
mod connections;
mod control;
mod departures;
mod ecn;
mod exit;
mod explicit;
mod hosted;
mod kinds;
mod news;
mod sides;
mod slow_path;
mod timing;
mod work;

pub use agents::HostedAgent;
pub use hosted::{HostedSink, HostedSource, SharedHost};
pub use kinds::{Configs, Offer};
pub use news::{NewsFeed, PathNews};
pub use sides::{ExplicitSink, Lifecycle, PathFlags, ReceivingHost, SendingHost, SendingMachine, Sink};
pub use work::Working;

use super::datagrams::Datagram;
use super::fabric::Fabric;
use super::forced::ForcedFates;
use super::machine::Outgoing;
use super::timers::{ByTimer, TimerId, TimerKind, TimingWheel};
use crate::engine::packet::containers::{PerAgent, PerFlow};
use crate::engine::packet::event::What;
use crate::engine::packet::prefetch::{prefetch_held, prefetch_item, prefetch_recovery};
use crate::engine::packet::said::Said;
use crate::engine::packet::state::{Anew, ByAgent, ByField, BySink, BySource, Greatest, Summed, state};
use crate::engine::packet::{Class, Flags, NEVER, NO_PAYLOAD, Packet, Stamp};
use std::collections::BTreeMap;
use transport::tcp::{Ack, Actions, InOrder, ReceiverActions, Sender, TcpOptions};
use units::Instant;

use exit::{Exit, enter};
use sides::data;
use slow_path::{Seen, see_ack};
use timing::{arm, arm_receiver, arm_sender};
use work::ByWorkload;

const CACHE_LINE: usize = 64;

state! {
    /// All hosts of a partition.
    #[derive(Debug, Default)]
    pub struct Hosts {
        /// Sending sides, by flow.
        pub senders: PerFlow<SendingHost>, BySource;
        /// Receiving sides, by flow.
        pub receivers: PerFlow<ReceivingHost>, BySink;
        /// When flows start and stop, by flow.
        pub lifecycles: PerFlow<Lifecycle>, BySource;
        /// The control plane of the switches, by agent.
        pub agents: PerAgent<HostedAgent>, ByAgent;
        /// Deadlines.
        pub timers: TimingWheel, ByTimer;
        /// Fates by order of the scenario.
        pub forced: ForcedFates, ByField;
        /// What few flows hear of their paths.
        pub news: BTreeMap<u32, NewsFeed>, BySource;
        /// What receiving ends of one kind share at a node, by the first of their flows.
        pub shared: BTreeMap<u32, SharedHost>, BySink;
        /// Work that lets flows go.
        pub work: Working, ByWorkload;
        /// Packets given to the network, duplicates by order included.
        pub emitted: u64, Summed;
        /// Packets taken from the network.
        pub delivered: u64, Summed;
        /// Those of them that were marked on their way.
        pub marked: u64, Summed;
        /// Packets held back by order, in the order of their times.
        pub held: BTreeMap<(u32, u64, u64), Packet>, BySource;
        /// Packets that were ever held back.
        pub held_count: u64, Greatest;
        /// Room for the timers of the bucket that is opened; empty between calls.
        pub(in crate::engine) opened: Vec<(u64, TimerId)>, Anew;
        /// What the sending machine that is called wants sent; empty between calls.
        pub(in crate::engine) segments: Actions, Anew;
        /// The same of a receiving machine.
        pub(in crate::engine) acks: ReceiverActions, Anew;
        /// The same of a machine of another kind of host.
        pub(in crate::engine) outgoing: Vec<Outgoing>, Anew;
    }
}

impl Hosts {
    /// A packet has entered the last fibre to its host: the host's state is brought into the cache while it is on its
    /// way.
    #[inline]
    pub fn prefetch(&self, packet: &Packet) {
        let (first, lines) = if packet.class == Class::Ack {
            (&self.senders[packet.flow].armed, size_of::<SendingHost>() / CACHE_LINE)
        } else if packet.class == Class::Data {
            (&self.receivers[packet.flow].armed, size_of::<ReceivingHost>() / CACHE_LINE)
        } else {
            return;
        };
        // The field lies at the start of the host; the places counted from it are those of the host's cache lines.
        (0..lines).for_each(|line| prefetch_item(std::slice::from_ref(first), line * CACHE_LINE / size_of::<u64>()));
    }

    /// A packet is the next one on its last fibre, and its host is in the cache: what the host keeps elsewhere is
    /// brought there too.
    #[inline]
    pub fn prefetch_more(&self, packet: &Packet) {
        if packet.class == Class::Ack {
            if let SendingMachine::Tcp(sender) = &self.senders[packet.flow].machine {
                prefetch_recovery(sender);
            }
        } else if packet.class == Class::Data
            && let Sink::Tcp(receiver) = &self.receivers[packet.flow].sink
        {
            prefetch_held(receiver);
        }
    }

    /// A packet has reached the node of its host.
    #[inline(always)]
    pub fn receive(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        self.delivered += 1;
        // Comparisons: a table of four classes would be a jump that nobody predicts.
        if packet.class == Class::Data {
            self.receive_data(now, packet, fabric);
        } else if packet.class == Class::Ack {
            // Nearly all say a number and nothing else. What few say is read elsewhere: a list of blocks takes a cache
            // line there.
            match packet.says_more() {
                true => self.receive_ack_in_full(now, packet, fabric),
                false => self.receive_ack(now, packet, fabric),
            }
        } else if packet.class == Class::Datagram {
            self.receive_datagram(now, packet, fabric);
        } else {
            self.receive_slow_path(now, packet, fabric);
        }
    }

    #[inline(never)]
    fn receive_datagram(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        self.marked += packet.marks();
        let Sink::Datagrams { bytes } = &mut self.receivers[packet.flow].sink else { return };
        *bytes += u64::from(packet.size);
        if packet.payload != NO_PAYLOAD {
            note_arrival(now, packet, fabric);
            fabric.payloads.forget(packet);
        }
        if !self.work.is_empty() {
            self.note_arrived(now, packet.flow, fabric);
        }
    }

    #[cold]
    fn receive_slow_path(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        self.marked += packet.marks();
        if packet.class == Class::Control
            && let Some(notice) = fabric.payloads.take_control(packet)
        {
            self.receive_control(now, packet, notice, fabric);
        }
    }

    #[inline(never)]
    fn receive_data(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        let host = &mut self.receivers[packet.flow];
        let Sink::Tcp(receiver) = &mut host.sink else { return self.receive_at_other_sink(now, packet, fabric) };
        let length = u32::from(packet.size - host.header);
        let answer = match packet.flags {
            Flags::NONE => receiver.take_in_order(Instant::from_ps(now), packet.seq, length),
            _ => None,
        };
        let Some(answer) = answer else { return self.receive_data_in_full(now, packet, fabric) };
        host.delivered_at = now;
        match answer {
            InOrder::Acknowledged => {
                let (ack, echo) = (receiver.rcv_nxt(), receiver.echo());
                Exit { now, emitted: &mut self.emitted, fabric }.send(host.ack(packet.flow, ack, echo));
            }
            InOrder::Delayed => arm_receiver(&mut self.timers, packet.flow, host),
        }
    }

    /// A segment that is not the expected one, or that says more than its bytes.
    #[inline(never)]
    fn receive_data_in_full(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        let host = &mut self.receivers[packet.flow];
        let Sink::Tcp(receiver) = &mut host.sink else { return self.receive_at_other_sink(now, packet, fabric) };
        if packet.flags != Flags::NONE {
            self.marked += packet.marks();
            ecn::read(packet.flags, receiver, &mut self.acks);
            note_arrival(now, packet, fabric);
            fabric.payloads.forget(packet);
        }
        let (length, before) = (u32::from(packet.size - host.header), receiver.rcv_nxt());
        receiver.handle_segment(Instant::from_ps(now), packet.seq, length, &mut self.acks);
        if receiver.rcv_nxt() > before {
            host.delivered_at = now;
        }
        self.send_acks(now, packet.flow, fabric);
    }

    /// A packet of data has reached a receiving end that is not plain TCP.
    #[inline(never)]
    fn receive_at_other_sink(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        match self.receivers[packet.flow].sink {
            Sink::Explicit(_) => self.receive_explicit_data(now, packet, fabric),
            Sink::Endpoint(_) => self.receive_at_endpoint(now, packet, fabric),
            Sink::Hosted(_) => self.receive_at_hosted_sink(now, packet, fabric),
            Sink::Tcp(_) | Sink::Datagrams { .. } => {}
        }
        if !self.work.is_empty() {
            self.note_arrived(now, packet.flow, fabric);
        }
    }

    /// An ACK, or a packet of its class, has reached a sending end that is not plain TCP.
    #[inline(never)]
    fn receive_at_other_sender(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        match self.senders[packet.flow].machine {
            SendingMachine::Connection(_) => self.receive_at_connection(now, packet, fabric),
            SendingMachine::Hosted(_) => self.receive_at_hosted_sender(now, packet, fabric),
            SendingMachine::Tcp(_) | SendingMachine::Datagrams(_) => {}
        }
        if !self.work.is_empty() {
            self.note_acknowledged(now, packet.flow, fabric);
        }
    }

    /// Sends what the receiving machine of `flow` has decided, and arms its timer.
    fn send_acks(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let host = &mut self.receivers[flow];
        let mut exit = Exit { now, emitted: &mut self.emitted, fabric };
        // To clear a list of plain values costs nothing; to drain it costs some instructions more.
        for ack in &self.acks.acks {
            let payload = exit.fabric.payloads.put_sack(&ack.sack);
            exit.send(Packet { payload, ..host.ack(flow, ack.ack, ack.ecn_echo) });
        }
        self.acks.acks.clear();
        arm_receiver(&mut self.timers, flow, host);
    }

    /// An ACK that says nothing besides its number.
    #[inline(never)]
    fn receive_ack(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        let host = &mut self.senders[packet.flow];
        let SendingMachine::Tcp(sender) = &mut host.machine else {
            return self.receive_at_other_sender(now, packet, fabric);
        };
        if host.watch.has(PathFlags::SLOW_PATH) {
            return self.receive_ack_in_full(now, packet, fabric);
        }
        let ack = Ack { ack: packet.seq, window: sender.initial_peer_window(), sack: &[], ecn_echo: false };
        let (instant, flow) = (Instant::from_ps(now), packet.flow);
        if sender.is_plain(&ack) {
            let mut exit = Exit { now, emitted: &mut self.emitted, fabric };
            let (path, header) = (host.path, host.header);
            sender.handle_plain_ack(instant, &ack, |segment| {
                exit.send(data(flow, path, segment.seq, segment.len, header))
            });
            sender.send_rest(instant, &mut self.segments);
        } else {
            sender.handle_other_ack(instant, &{ ack }, &mut self.segments);
        }
        if host.watch.has(PathFlags::FINITE) && sender.is_complete() {
            end(now, &mut self.lifecycles[flow], sender);
        }
        if !self.segments.segments.is_empty() {
            return self.send_segments(now, flow, fabric);
        }
        let deadline = sender.next_timeout().map_or(NEVER, Instant::ps);
        arm(&mut self.timers, &mut host.armed, deadline, TimerId::new(flow, TimerKind::Sender));
    }

    /// An ACK with SACK blocks, marks, a header or options, or one that somebody looks at.
    #[inline(never)]
    fn receive_ack_in_full(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        let host = &mut self.senders[packet.flow];
        let SendingMachine::Tcp(sender) = &mut host.machine else {
            return self.receive_at_other_sender(now, packet, fabric);
        };
        let sack = if packet.flags == Flags::NONE {
            fabric.payloads.take_sack(packet.payload)
        } else {
            explicit::read(now, packet, sender, &mut self.marked, fabric)
        };
        if host.watch.has(PathFlags::WATCHED) {
            let said = Said { sack: sack.as_slice(), ..Said::default() };
            see_ack(now, Seen { packet, said, window: sender.cwnd() }, fabric);
        }
        let ecn_echo = packet.flags.is_echo();
        let ack = Ack { ack: packet.seq, window: sender.initial_peer_window(), sack: sack.as_slice(), ecn_echo };
        sender.handle_ack(Instant::from_ps(now), &ack, &mut self.segments);
        if host.watch.has(PathFlags::FINITE) && sender.is_complete() {
            end(now, &mut self.lifecycles[packet.flow], sender);
        }
        self.send_segments(now, packet.flow, fabric);
        if !self.work.is_empty() {
            self.note_acknowledged(now, packet.flow, fabric);
        }
    }

    /// Sends what the sending machine of `flow` has decided, and arms its timer.
    fn send_segments(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let host = &mut self.senders[flow];
        if host.watch.has(PathFlags::SLOW_PATH) {
            return self.send_on_slow_path(now, flow, fabric);
        }
        let mut exit = Exit { now, emitted: &mut self.emitted, fabric };
        for segment in &self.segments.segments {
            exit.send(host.packet(flow, segment.seq, segment.len));
        }
        self.segments.segments.clear();
        arm_sender(&mut self.timers, flow, host);
    }

    /// The same for a flow whose packets are looked at or carry more than bytes.
    #[inline(never)]
    fn send_on_slow_path(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        match self.senders[flow].watch.slow_path() {
            PathFlags::ECN => self.send_capable_segments(now, flow, fabric),
            PathFlags::EXPLICIT => self.send_explicit_segments(now, flow, fabric),
            _ => self.send_watched_segments(now, flow, fabric),
        }
    }

    #[cold]
    fn send_watched_datagrams(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        loop {
            let host = &mut self.senders[flow];
            let (hop, is_stamped) = (host.path, host.watch.has(PathFlags::STAMPED));
            let SendingMachine::Datagrams(source) = &mut host.machine else { return };
            let Some(datagram) = source.handle_timeout(Instant::from_ps(now)) else {
                return arm_sender(&mut self.timers, flow, host);
            };
            let packet = datagram.packet(flow, hop);
            fabric.note_host(now, What::Send, &packet, 0);
            let stamp = Stamp { at: now, number: packet.seq };
            let packet = if is_stamped { fabric.payloads.stamped(packet, stamp) } else { packet };
            self.emit_watched(now, packet, TcpOptions::default(), fabric);
        }
    }
}

impl Datagram {
    fn packet(self, flow: u32, hop: u32) -> Packet {
        let (seq, size, class) = (self.number, self.size as u16, Class::Datagram);
        Packet { at: 0, seq, flow, hop, payload: NO_PAYLOAD, size, class, flags: Flags::NONE }
    }
}

/// A packet has arrived that may say when it left, and as which.
#[cold]
fn note_arrival(now: u64, packet: &Packet, fabric: &mut Fabric) {
    if let (Some(observer), Some(stamp)) = (&mut fabric.observer, fabric.payloads.stamp(packet)) {
        observer.delivered(now, packet, stamp);
    }
}

/// All of a flow has arrived. The first time memory is given back that it has no more use for: of a million short flows
/// only those under way hold records of segments.
#[cold]
fn end(now: u64, lifecycle: &mut Lifecycle, sender: &mut Sender) {
    if lifecycle.complete(now) {
        sender.give_back_memory();
    }
}
