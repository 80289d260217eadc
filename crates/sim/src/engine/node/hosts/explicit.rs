//! Congestion headers between packets and machines (XCP).

use super::timing::arm_receiver;
use super::{Hosts, Sink, enter};
use crate::engine::node::fabric::Fabric;
use crate::engine::packet::{Class, Flags, HostPayload, Packet};
use transport::tcp::{SackList, Sender};
use units::Instant;

/// What an ACK says besides its number: the sender is told of feedback and marks, and its SACK blocks are given.
#[inline(never)]
pub fn read(packet: &Packet, sender: &mut Sender, marked: &mut u64, fabric: &mut Fabric) -> SackList {
    *marked += packet.marks();
    if packet.flags == Flags::EXPLICIT {
        let (header, sack) = fabric.payloads.take_header(packet.payload);
        sender.handle_feedback(packet.seq, header.reverse_feedback);
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

impl Hosts {
    /// [`Hosts::send_segments`] for a flow whose packets carry congestion headers, and nothing else.
    #[inline(never)]
    pub(super) fn send_explicit_segments(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let host = &self.senders[flow];
        for segment in &self.segments.segments {
            let mut packet = host.packet(flow, segment.seq, segment.len);
            if let Some(header) = host.machine.tcp().and_then(Sender::congestion_header) {
                packet.payload = fabric.payloads.put_header(header, &SackList::EMPTY);
                packet.flags = Flags::EXPLICIT;
            }
            self.emitted += 1;
            enter(now, packet, fabric);
        }
        self.segments.segments.clear();
        self.arm_sender(flow);
    }

    /// A packet of data has arrived that is not for a plain receiver.
    #[inline(never)]
    pub(super) fn receive_explicit_data(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        let host = &mut self.receivers[packet.flow];
        let Sink::Explicit(sink) = &mut host.sink else { return self.receive_at_endpoint(now, packet, fabric) };
        self.marked += packet.marks();
        if packet.flags.has(Flags::EXPLICIT) {
            sink.feedback.handle_header(&fabric.payloads.take_header(packet.payload).0);
        }
        let length = u32::from(packet.size - host.header);
        sink.receiver.handle_segment(Instant::from_ps(now), packet.seq, length, &mut self.acks);
        self.send_explicit_acks(now, packet.flow, fabric);
    }

    pub(super) fn send_explicit_acks(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let host = &mut self.receivers[flow];
        let Sink::Explicit(sink) = &mut host.sink else { return };
        let (hop, size, class) = (host.path, host.ack_size, Class::Ack);
        for ack in &self.acks.acks {
            let payload = fabric.payloads.put_header(sink.feedback.acknowledge(), &ack.sack);
            self.emitted += 1;
            enter(now, Packet { at: 0, seq: ack.ack, flow, hop, payload, size, class, flags: Flags::EXPLICIT }, fabric);
        }
        self.acks.acks.clear();
        arm_receiver(&mut self.timers, flow, host);
    }
}
