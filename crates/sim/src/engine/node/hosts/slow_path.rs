//! Flows whose packets are watched, have fates by order of the scenario, or carry more than a packet of TCP.

use super::{Hosts, PathFlags, SendingMachine, ecn, enter, explicit};
use crate::engine::node::fabric::Fabric;
use crate::engine::node::timers::{TimerId, TimerKind};
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::What;
use crate::engine::packet::said::Said;
use crate::engine::packet::{DropPlace, Flags, Packet, Stamp};
use crate::model::Fate;
use transport::tcp::{SackList, Sender, TcpOptions};
use units::Instant;

impl Hosts {
    /// [`Hosts::send_segments`] for a flow that is watched, or has forced fates, congestion headers, ECN, or options.
    #[cold]
    pub(super) fn send_watched_segments(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let segments = std::mem::take(&mut self.segments.segments);
        if self.senders[flow].watch.has(PathFlags::ACCOUNTED) {
            self.look_at(now, flow, !segments.is_empty(), fabric);
        }
        for (place, segment) in segments.iter().enumerate() {
            let host = &self.senders[flow];
            let mut packet = host.packet(flow, segment.seq, segment.len);
            let mut options = TcpOptions::default();
            explicit::equip(&mut packet, host, fabric);
            if let SendingMachine::Connection(written) = &host.machine
                && host.watch.has(PathFlags::OPTIONS)
            {
                options = written.connection.options(Instant::from_ps(now));
                packet.payload = fabric.payloads.put_options(options, &SackList::EMPTY);
                packet.flags = Flags::OPTIONS;
            }
            packet.flags = packet.flags.with(ecn::flags(host.machine.tcp().and_then(|sender| sender.ecn_of(segment))));
            let what = if segment.retransmission { What::Resend } else { What::Send };
            fabric.note_host(now, what, &packet, 0);
            if host.watch.has(PathFlags::STAMPED) {
                let sent = host.machine.stats().segments_sent;
                let number = sent.saturating_sub((segments.len() - place) as u64);
                packet = fabric.payloads.stamped(packet, Stamp { at: now, number });
            }
            self.emit_watched(now, packet, options, fabric);
        }
        self.segments.segments = segments;
        self.segments.segments.clear();
        if !self.segments.controls.is_empty() {
            self.send_controls(now, flow, fabric);
        }
        self.arm_sender(flow);
    }

    /// The account of a flow is brought up to now.
    fn look_at(&self, now: u64, flow: u32, sends: bool, fabric: &mut Fabric) {
        if let (Some(observer), Some(sender)) = (&mut fabric.observer, self.senders[flow].machine.tcp()) {
            observer.sender_called(now, flow, sender, sends);
        }
    }

    /// Gives a packet of a watched flow its fate.
    pub(super) fn emit_watched(&mut self, now: u64, packet: Packet, options: TcpOptions, fabric: &mut Fabric) {
        let flow = packet.flow;
        self.emitted += 1;
        let fate = match self.is_lost_by_order(now, &packet, fabric) {
            true => Some(Fate::Drop),
            false => self.forced.of(flow, packet.seq),
        };
        if self.senders[flow].watch.has(PathFlags::WATCHED) {
            let dropped = matches!(fate, Some(Fate::Drop)).then_some(Cause::Forced);
            if let Some(observer) = &mut fabric.observer {
                let real = fabric.payloads.real(&packet);
                observer.passed_host(now, &packet, &Said { options, dropped, real, ..Said::default() });
            }
        }
        match fate {
            None => enter(now, packet, fabric),
            Some(Fate::Drop) => {
                fabric.drop(now, DropPlace::Host(flow), Cause::Forced, &packet);
                if self.senders[flow].machine.tcp().is_some_and(Sender::counts_queue) {
                    fabric.tell_departure(&packet);
                }
            }
            Some(Fate::Duplicate) => {
                self.emitted += 1;
                let copy = Packet { payload: fabric.payloads.duplicate(&packet), ..packet };
                enter(now, packet, fabric);
                enter(now, copy, fabric);
            }
            Some(Fate::Delay(span)) => {
                let due = now.saturating_add(span.ps());
                self.held.insert((flow, due, self.held_count), packet);
                self.held_count += 1;
                self.timers.push(due, TimerId::new(flow, TimerKind::Held));
            }
        }
    }

    /// Lets go what was held back until now.
    pub(super) fn release(&mut self, now: u64, flow: u32, fabric: &mut Fabric) -> bool {
        let mut any = false;
        while let Some(first) = self.held.range((flow, 0, 0)..=(flow, now, u64::MAX)).next().map(|entry| *entry.0) {
            if let Some(packet) = self.held.remove(&first) {
                enter(now, packet, fabric);
                any = true;
            }
        }
        any
    }
}

/// An ACK that has reached its sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    pub packet: &'a Packet,
    pub said: Said<'a>,
    /// The congestion window before it.
    pub window: u64,
}

/// An ACK of a watched flow.
#[cold]
pub(super) fn see_ack(now: u64, seen: Seen, fabric: &mut Fabric) {
    let Seen { packet, said, window } = seen;
    note_at_host(now, packet, &said, fabric);
    fabric.note_host(now, What::Ack, packet, window);
    for block in said.sack {
        let size = u16::try_from(block.end - block.start).unwrap_or(u16::MAX);
        fabric.note_host(now, What::Sack, &Packet { seq: block.start, size, ..*packet }, block.end);
    }
}

/// A packet leaves or reaches its sending host, and somebody watches.
pub(super) fn note_at_host(now: u64, packet: &Packet, said: &Said<'_>, fabric: &mut Fabric) {
    if let Some(observer) = &mut fabric.observer {
        observer.passed_host(now, packet, said);
    }
}
