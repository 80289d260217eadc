//! Flows that are pulled by their receivers (NDP): whole packets and headers, ACKs, NACKs and PULLs.

use super::timing::{arm, due};
use super::{Exit, Hosts, PathFlags, Seen, SendingMachine, Sink, enter, note_arrival, see_ack};
use crate::engine::node::fabric::Fabric;
use crate::engine::node::timers::{TimerId, TimerKind};
use crate::engine::packet::said::Said;
use crate::engine::packet::{Flags, NEVER, Packet};
use transport::ndp::Pulls;
use transport::tcp::{EcnEcho, Segment};
use units::Instant;

/// The PULLs of a node, for all flows that end there.
#[derive(Debug)]
pub struct Puller {
    /// Those that wait.
    pub pulls: Pulls,
    /// When its live timer entry comes up; [`NEVER`] if it has none.
    pub armed: u64,
}

impl Default for Puller {
    fn default() -> Puller {
        Puller { pulls: Pulls::default(), armed: NEVER }
    }
}

impl Puller {
    /// When a PULL is due, [`NEVER`] if none waits.
    pub(super) fn next_timeout(&self) -> u64 {
        self.pulls.next_timeout().map_or(NEVER, Instant::ps)
    }
}

/// What a segment of a flow that is pulled says, as flags of its packet; nothing of others.
pub fn flags(machine: &SendingMachine, segment: &Segment) -> Flags {
    match machine {
        SendingMachine::Pulled(sender) if sender.is_last(segment) => Flags::TRIMMABLE.with(Flags::LAST),
        SendingMachine::Pulled(_) => Flags::TRIMMABLE,
        _ => Flags::NONE,
    }
}

impl Hosts {
    /// [`Hosts::send_segments`] for a flow that is pulled, and nothing else.
    #[inline(never)]
    pub(super) fn send_pulled_segments(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let host = &self.senders[flow];
        for segment in &self.segments.segments {
            let flags = flags(&host.machine, segment);
            self.emitted += 1;
            enter(now, Packet { flags, ..host.packet(flow, segment.seq, segment.len) }, fabric);
        }
        self.segments.segments.clear();
        self.arm_sender(flow);
    }

    /// An ACK, a NACK, a PULL or a header that comes back has reached the sender.
    #[inline(never)]
    pub(super) fn receive_at_pulled(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        self.marked += packet.marks();
        fabric.payloads.forget(packet);
        let host = &mut self.senders[packet.flow];
        let SendingMachine::Pulled(sender) = &mut host.machine else { return };
        if host.watch.has(PathFlags::WATCHED) {
            see_ack(now, Seen { packet, said: Said::default(), window: 0 }, fabric);
        }
        let (instant, seq, actions) = (Instant::from_ps(now), packet.seq, &mut self.segments);
        match (packet.flags.has(Flags::TRIMMED), packet.flags.has(Flags::LAST)) {
            (false, false) => sender.handle_ack(instant, seq, actions),
            (true, false) => sender.handle_nack(instant, seq, actions),
            (false, true) => sender.handle_pull(instant, seq, actions),
            (true, true) => sender.handle_return(instant, seq, actions),
        }
        if host.watch.has(PathFlags::FINITE) && sender.is_complete() {
            self.lifecycles[packet.flow].complete(now);
        }
        self.send_segments(now, packet.flow, fabric);
    }

    /// A packet, or its header, has reached a receiver that pulls.
    #[inline(never)]
    pub(super) fn receive_at_pulling(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        self.marked += packet.marks();
        let is_whole = !packet.flags.has(Flags::TRIMMED);
        if is_whole {
            note_arrival(now, packet, fabric);
        }
        fabric.payloads.forget(packet);
        let host = &mut self.receivers[packet.flow];
        let Sink::Pulling(sink) = &mut host.sink else { return };
        let length = u32::from(packet.size.saturating_sub(host.header));
        match is_whole {
            true => sink.receiver.handle_packet(packet.seq, length, packet.flags.has(Flags::LAST)),
            false => sink.receiver.handle_header(),
        }
        let (first, puller) = (sink.puller, self.pullers.entry(sink.puller).or_default());
        match sink.receiver.is_complete() {
            true => puller.pulls.forget(packet.flow),
            false => puller.pulls.add(packet.flow, sink.lasts),
        }
        let deadline = puller.next_timeout().max(now);
        arm(&mut self.timers, &mut puller.armed, deadline, TimerId::new(first, TimerKind::Pull));
        let answer = host.ack(packet.flow, packet.seq, EcnEcho::default());
        let flags = if is_whole { Flags::NONE } else { Flags::TRIMMED };
        Exit { now, emitted: &mut self.emitted, fabric }.send(Packet { flags, ..answer });
    }

    /// The timer of the PULLs of a node has come up; `first` is the first flow that is pulled there. Returns whether
    /// one has left.
    pub(super) fn visit_pulls(&mut self, now: u64, first: u32, fabric: &mut Fabric) -> bool {
        let puller = self.pullers.entry(first).or_default();
        let deadline = puller.next_timeout();
        if !due(&mut self.timers, &mut puller.armed, now, deadline) {
            return false;
        }
        let pulled = puller.pulls.handle_timeout(Instant::from_ps(now));
        let deadline = puller.next_timeout().max(now);
        arm(&mut self.timers, &mut puller.armed, deadline, TimerId::new(first, TimerKind::Pull));
        let Some(flow) = pulled else { return false };
        let host = &mut self.receivers[flow];
        let Sink::Pulling(sink) = &mut host.sink else { return false };
        let number = sink.receiver.pull();
        let pull = Packet { flags: Flags::LAST, ..host.ack(flow, number, EcnEcho::default()) };
        Exit { now, emitted: &mut self.emitted, fabric }.send(pull);
        true
    }
}
