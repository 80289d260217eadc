//! Flows whose ends are machines of a kind of host: they are called, and what they lay down leaves.

use super::timing::{arm, arm_receiver, due};
use super::{Exit, Hosts, PathFlags, Seen, SendingMachine, Sink, enter, note_arrival, see_ack};
use crate::engine::node::app::Writer;
use crate::engine::node::fabric::Fabric;
use crate::engine::node::machine::{HostContext, HostMachine, Outgoing, Shared, Wire};
use crate::engine::node::timers::{TimerId, TimerKind};
use crate::engine::packet::event::What;
use crate::engine::packet::said::Said;
use crate::engine::packet::{Carried, Flags, NEVER, Packet, Stamp};
use transport::tcp::TcpOptions;
use units::Instant;

/// The sending end of a flow.
#[derive(Debug)]
pub struct HostedSource {
    /// Its machine.
    pub machine: Box<dyn HostMachine>,
    /// What writes into it, if that is not one piece.
    pub writer: Writer,
}

impl HostedSource {
    /// When one of both wants to be called.
    pub(super) fn next_timeout(&self) -> Instant {
        self.machine.next_timeout().unwrap_or(Instant::NEVER).min(self.writer.next_timeout())
    }

    /// The flow begins with so many bytes, unless an application writes.
    pub(super) fn start(&mut self, bytes: u64, context: &mut HostContext) {
        match self.writer.is_none() {
            true => self.machine.write(bytes, context),
            false => self.write(context),
        }
    }

    /// The deadline of one of both has come.
    pub(super) fn handle_timeout(&mut self, context: &mut HostContext) {
        self.machine.handle_timeout(context);
        self.write(context);
    }

    /// What is due is written.
    fn write(&mut self, context: &mut HostContext) {
        self.writer.handle_timeout(context.now, |bytes| self.machine.write(bytes, context));
    }
}

/// The receiving end of a flow.
#[derive(Debug)]
pub struct HostedSink {
    /// Its machine.
    pub machine: Box<dyn HostMachine>,
    /// The first flow of those that share something with it at its node, itself perhaps.
    pub shares_with: Option<u32>,
}

/// What the receiving ends at a node share.
#[derive(Debug)]
pub struct SharedHost {
    /// It.
    pub shared: Box<dyn Shared>,
    /// When its live timer entry comes up; [`NEVER`] if it has none.
    pub armed: u64,
}

impl SharedHost {
    /// When a turn is due, [`NEVER`] if nobody wants one.
    pub(super) fn next_timeout(&self) -> u64 {
        self.shared.next_timeout().map_or(NEVER, Instant::ps)
    }
}

impl Hosts {
    /// A packet has reached the sending end.
    #[inline]
    pub(super) fn receive_at_hosted_sender(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        self.marked += packet.marks();
        let carried = fabric.payloads.take_content(packet);
        if self.senders[packet.flow].watch.has(PathFlags::WATCHED) {
            see_ack(now, Seen { packet, said: Said::default(), window: 0 }, fabric);
        }
        self.call_sender(now, packet.flow, fabric, |source, context| {
            context.carried = carried;
            source.machine.handle_packet(packet, context);
        });
    }

    /// A packet has reached the receiving end.
    #[inline]
    pub(super) fn receive_at_hosted_sink(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        self.marked += packet.marks();
        if !packet.flags.has(Flags::TRIMMED) {
            note_arrival(now, packet, fabric);
        }
        let carried = fabric.payloads.take_content(packet);
        let before = self.receivers[packet.flow].sink.bytes_in_order();
        self.call_receiver(now, packet.flow, fabric, |machine, context| {
            context.carried = carried;
            machine.handle_packet(packet, context);
        });
        let host = &mut self.receivers[packet.flow];
        if host.sink.bytes_in_order() > before {
            host.delivered_at = now;
        }
    }

    /// Calls the sending machine of a flow and lets leave what it lays down.
    pub(super) fn call_sender(
        &mut self,
        now: u64,
        flow: u32,
        fabric: &mut Fabric,
        call: impl FnOnce(&mut HostedSource, &mut HostContext),
    ) {
        let host = &mut self.senders[flow];
        let SendingMachine::Hosted(source) = &mut host.machine else { return };
        let wire = Wire { path: host.path, header: host.header, ack_size: host.header };
        let (outgoing, actions) = (&mut self.outgoing, &mut self.segments);
        let now_instant = Instant::from_ps(now);
        let mut context = HostContext { now: now_instant, flow, actions, wire, outgoing, carried: None, shared: None };
        call(source, &mut context);
        if !source.writer.is_none() {
            source.writer.note_progress(now_instant, source.machine.is_complete());
        }
        if host.watch.has(PathFlags::FINITE) && source.machine.is_complete() {
            self.lifecycles[flow].complete(now);
        }
        match host.watch.slow_path() == PathFlags::default() {
            true => {
                let mut exit = Exit { now, emitted: &mut self.emitted, fabric };
                self.outgoing.drain(..).for_each(|one| {
                    let packet = loaded(one.packet, one.carried, exit.fabric);
                    exit.send(packet);
                });
            }
            false => self.send_watched_packets(now, flow, fabric),
        }
        self.arm_sender(flow);
    }

    /// The same for a flow whose packets are looked at or have fates by order of the scenario.
    #[cold]
    fn send_watched_packets(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let mut outgoing = std::mem::take(&mut self.outgoing);
        let count = outgoing.len();
        for (place, Outgoing { packet, is_again, carried }) in outgoing.drain(..).enumerate() {
            let mut packet = loaded(packet, carried, fabric);
            let host = &self.senders[flow];
            fabric.note_host(now, if is_again { What::Resend } else { What::Send }, &packet, 0);
            if host.watch.has(PathFlags::STAMPED) {
                let number = host.machine.stats().segments_sent.saturating_sub((count - place) as u64);
                packet = fabric.payloads.stamped(packet, Stamp { at: now, number });
            }
            self.emit_watched(now, packet, TcpOptions::default(), fabric);
        }
        self.outgoing = outgoing;
        let host = &self.senders[flow];
        if host.watch.has(PathFlags::ACCOUNTED)
            && let (Some(observer), SendingMachine::Hosted(source)) = (&mut fabric.observer, &host.machine)
            && let Some(shown) = source.machine.shown()
        {
            observer.machine_called(now, flow, shown);
        }
    }

    /// Calls the receiving machine of a flow and lets leave what it lays down. Returns whether that is anything.
    pub(super) fn call_receiver(
        &mut self,
        now: u64,
        flow: u32,
        fabric: &mut Fabric,
        call: impl FnOnce(&mut dyn HostMachine, &mut HostContext),
    ) -> bool {
        let host = &mut self.receivers[flow];
        let Sink::Hosted(sink) = &mut host.sink else { return false };
        let wire = Wire { path: host.path, header: host.header, ack_size: host.ack_size };
        let mut shared_host = sink.shares_with.and_then(|first| self.shared.get_mut(&first));
        let shared = shared_host.as_mut().map(|host| &mut *host.shared);
        let (outgoing, actions) = (&mut self.outgoing, &mut self.segments);
        let now_instant = Instant::from_ps(now);
        let mut context = HostContext { now: now_instant, flow, actions, wire, outgoing, carried: None, shared };
        call(&mut *sink.machine, &mut context);
        if let (Some(shared), Some(first)) = (shared_host, sink.shares_with) {
            let deadline = shared.next_timeout().max(now);
            arm(&mut self.timers, &mut shared.armed, deadline, TimerId::new(first, TimerKind::Shared));
        }
        arm_receiver(&mut self.timers, flow, host);
        let sends = !self.outgoing.is_empty();
        for one in self.outgoing.drain(..) {
            self.emitted += 1;
            let packet = loaded(one.packet, one.carried, fabric);
            enter(now, packet, fabric);
        }
        sends
    }

    /// The timer of what the receiving ends at a node share has come up; `first` is the first of their flows. Returns
    /// whether anything has left.
    pub(super) fn visit_shared(&mut self, now: u64, first: u32, fabric: &mut Fabric) -> bool {
        let Some(host) = self.shared.get_mut(&first) else { return false };
        let deadline = host.next_timeout();
        if !due(&mut self.timers, &mut host.armed, now, deadline) {
            return false;
        }
        let turn = host.shared.handle_timeout(Instant::from_ps(now));
        let deadline = host.next_timeout().max(now);
        arm(&mut self.timers, &mut host.armed, deadline, TimerId::new(first, TimerKind::Shared));
        turn.is_some_and(|flow| self.call_receiver(now, flow, fabric, |machine, context| machine.handle_turn(context)))
    }
}

/// A packet with what it says.
#[inline]
fn loaded(mut packet: Packet, carried: Option<Carried>, fabric: &mut Fabric) -> Packet {
    if let Some(carried) = carried {
        fabric.payloads.put_content(&mut packet, carried);
    }
    packet
}
