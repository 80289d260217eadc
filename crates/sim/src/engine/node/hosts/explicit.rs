//! Congestion headers (XCP) and telemetry between packets and machines.

use super::timing::arm_receiver;
use super::{Hosts, PathFlags, SendingHost, Sink, enter};
use crate::engine::node::fabric::Fabric;
use crate::engine::packet::{Class, Flags, HostPayload, Packet, Written};
use transport::tcp::{SackList, Sender};
use units::Instant;

/// What an ACK says besides its number: the sender is told of feedback and marks, and its SACK blocks are given.
#[inline(never)]
pub fn read(now: u64, packet: &Packet, sender: &mut Sender, marked: &mut u64, fabric: &mut Fabric) -> SackList {
    *marked += packet.marks();
    if packet.flags == Flags::EXPLICIT {
        let (carried, sack) = fabric.payloads.take_explicit(packet.payload);
        match carried {
            Written::Header(header) => sender.handle_feedback(packet.seq, header.reverse_feedback),
            Written::Telemetry(place) => {
                let told = fabric.payloads.take_telemetry(place);
                sender.handle_telemetry(Instant::from_ps(now), packet.seq, &told);
            }
        }
        return sack;
    }
    let HostPayload { header, sack, .. } = fabric.payloads.take_host_payload(packet);
    if let Some(header) = header {
        sender.handle_feedback(packet.seq, header.reverse_feedback);
    }
    if let Some(ace) = packet.flags.ace() {
        sender.handle_ace(ace);
    }
    sack
}

/// A data packet gets the header or the room that its law asks for.
pub(super) fn equip(packet: &mut Packet, host: &SendingHost, fabric: &mut Fabric) {
    let Some(sender) = host.machine.tcp() else { return };
    if let Some(header) = sender.congestion_header() {
        packet.payload = fabric.payloads.put_header(header, &SackList::EMPTY);
        packet.flags = Flags::EXPLICIT;
    } else if let Some(telemetry) = sender.telemetry() {
        packet.payload =
            fabric.payloads.put_telemetry(telemetry.growing(host.watch.has(PathFlags::GROWING)), &SackList::EMPTY);
        packet.flags = Flags::EXPLICIT;
    }
}

impl Hosts {
    /// [`Hosts::send_segments`] for a flow whose packets carry congestion headers, and nothing else.
    #[inline(never)]
    pub(super) fn send_explicit_segments(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let host = &self.senders[flow];
        for segment in &self.segments.segments {
            let mut packet = host.packet(flow, segment.seq, segment.len);
            equip(&mut packet, host, fabric);
            self.emitted += 1;
            enter(now, packet, fabric);
        }
        self.segments.segments.clear();
        self.arm_sender(flow);
    }

    /// A packet of data has reached a receiver that reads congestion headers or telemetry.
    #[inline(never)]
    pub(super) fn receive_explicit_data(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        let host = &mut self.receivers[packet.flow];
        let Sink::Explicit(sink) = &mut host.sink else { return };
        self.marked += packet.marks();
        let mut grown = 0;
        if packet.flags.has(Flags::EXPLICIT) {
            match fabric.payloads.take_explicit(packet.payload).0 {
                Written::Header(header) => sink.feedback.handle_header(&header),
                Written::Telemetry(place) => {
                    let measured = fabric.payloads.take_telemetry(place);
                    grown = measured.grown_len();
                    **sink.measured.get_or_insert_default() = measured.echoed(sink.echo);
                }
            }
        }
        let (length, before) = (u32::from(packet.size - host.header) - grown, sink.receiver.rcv_nxt());
        sink.receiver.handle_segment(Instant::from_ps(now), packet.seq, length, &mut self.acks);
        if sink.receiver.rcv_nxt() > before {
            host.delivered_at = now;
        }
        self.send_explicit_acks(now, packet.flow, fabric);
    }

    pub(super) fn send_explicit_acks(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let host = &mut self.receivers[flow];
        let Sink::Explicit(sink) = &mut host.sink else { return };
        let grown = sink.measured.as_ref().map_or(0, |measured| measured.grown_len() as u16);
        let (hop, size, class) = (host.path, host.ack_size + grown, Class::Ack);
        for ack in &self.acks.acks {
            let payload = match &sink.measured {
                Some(measured) => fabric.payloads.put_telemetry(**measured, &ack.sack),
                None => fabric.payloads.put_header(sink.feedback.acknowledge(), &ack.sack),
            };
            self.emitted += 1;
            enter(now, Packet { at: 0, seq: ack.ack, flow, hop, payload, size, class, flags: Flags::EXPLICIT }, fabric);
        }
        self.acks.acks.clear();
        arm_receiver(&mut self.timers, flow, host);
    }
}
