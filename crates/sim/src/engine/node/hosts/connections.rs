//! Flows that are whole connections: handshake and teardown, timestamps, windows that change. What they say besides a
//! segment or an ACK travels in the packet's payload; other flows have none of it.

use super::slow_path::note_at_host;
use super::timing::arm_receiver;
use super::{Hosts, PathFlags, Seen, SendingMachine, Sink, ecn, enter, note_arrival, see_ack};
use crate::engine::node::fabric::Fabric;
use crate::engine::packet::said::Said;
use crate::engine::packet::{Class, Flags, Packet};
use transport::tcp::{Ack, SackList, TcpOptions};
use units::Instant;

impl Hosts {
    /// A packet of data, or a SYN or FIN, has reached the receiving end of a connection.
    #[cold]
    pub(super) fn receive_at_endpoint(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        self.marked += packet.marks();
        note_arrival(now, packet, fabric);
        let (options, _) = fabric.payloads.take_options(packet);
        let host = &mut self.receivers[packet.flow];
        let length = u32::from(packet.size.saturating_sub(host.header));
        let Sink::Endpoint(endpoint) = &mut host.sink else { return };
        if options.control.is_some() {
            if let Some(answer) = endpoint.handle_control(options) {
                self.answer(now, packet.flow, answer, fabric);
            }
            return;
        }
        ecn::read(packet.flags, endpoint.receiver_mut(), &mut self.acks);
        let before = endpoint.receiver().rcv_nxt();
        endpoint.handle_segment(Instant::from_ps(now), packet.seq, length, options.timestamp, &mut self.acks);
        if endpoint.receiver().rcv_nxt() > before {
            host.delivered_at = now;
        }
        self.send_acks_of_endpoint(now, packet.flow, fabric);
    }

    /// An answer to a SYN or a FIN leaves.
    fn answer(&mut self, now: u64, flow: u32, options: TcpOptions, fabric: &mut Fabric) {
        let host = &self.receivers[flow];
        let like = Packet { flow, hop: host.path, size: host.ack_size, class: Class::Ack, ..Packet::default() };
        self.emit_with(now, like, options, &SackList::EMPTY, fabric);
    }

    /// Sends what the receiving end of a connection has decided, and arms its timer.
    pub(super) fn send_acks_of_endpoint(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        let host = &self.receivers[flow];
        let Sink::Endpoint(endpoint) = &host.sink else { return };
        let (hop, size, class, options) = (host.path, host.ack_size, Class::Ack, endpoint.options());
        let mut acks = std::mem::take(&mut self.acks.acks);
        for ack in acks.drain(..) {
            let flags = Flags::of_ack(ack.ecn_echo);
            let like = Packet { seq: ack.ack, flow, hop, size, class, flags, ..Packet::default() };
            self.emit_with(now, like, options, &ack.sack, fabric);
        }
        self.acks.acks = acks;
        arm_receiver(&mut self.timers, flow, &mut self.receivers[flow]);
    }

    /// An ACK, or the answer to a SYN or FIN, has reached the sending end of a connection.
    #[cold]
    pub(super) fn receive_at_connection(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        self.marked += packet.marks();
        let (options, sack) = fabric.payloads.take_options(packet);
        let host = &mut self.senders[packet.flow];
        let SendingMachine::Connection(written) = &mut host.machine else { return };
        let (instant, connection) = (Instant::from_ps(now), &mut written.connection);
        let said = Said { sack: sack.as_slice(), options, ..Said::default() };
        match options.control {
            Some(_) => {
                if host.watch.has(PathFlags::WATCHED) {
                    note_at_host(now, packet, &said, fabric);
                }
                connection.handle_control(instant, options, &mut self.segments);
            }
            None => {
                if host.watch.has(PathFlags::WATCHED) {
                    let window = connection.sender().cwnd();
                    see_ack(now, Seen { packet, said, window }, fabric);
                }
                let window = connection.sender().initial_peer_window();
                if let Some(ace) = packet.flags.ace() {
                    connection.sender_mut().handle_ace(ace);
                }
                let ecn_echo = packet.flags.is_echo();
                let ack = Ack { ack: packet.seq, window, sack: sack.as_slice(), ecn_echo };
                connection.handle_ack(instant, &ack, options, &mut self.segments);
            }
        }
        let has_ended = host.watch.has(PathFlags::FINITE) && connection.is_complete();
        written.note_progress(instant);
        if has_ended {
            self.lifecycles[packet.flow].complete(now);
        }
        self.send_segments(now, packet.flow, fabric);
    }

    /// A flow that is a connection starts.
    pub(super) fn open(&mut self, now: u64, flow: u32, bytes: u64, fabric: &mut Fabric) {
        let SendingMachine::Connection(written) = &mut self.senders[flow].machine else { return };
        written.open(Instant::from_ps(now), bytes, &mut self.segments);
        self.send_segments(now, flow, fabric);
    }

    /// A SYN or a FIN leaves. It has the size of a header.
    pub(super) fn send_controls(&mut self, now: u64, flow: u32, fabric: &mut Fabric) {
        for control in std::mem::take(&mut self.segments.controls) {
            let host = &self.senders[flow];
            let SendingMachine::Connection(written) = &host.machine else { continue };
            let options = written.connection.control_options(Instant::from_ps(now), control);
            let like = Packet { flow, hop: host.path, size: host.header, ..Packet::default() };
            if host.watch.has(PathFlags::WATCHED) {
                note_at_host(now, &like, &Said { options, ..Said::default() }, fabric);
            }
            self.emit_with(now, like, options, &SackList::EMPTY, fabric);
        }
    }

    fn emit_with(&mut self, now: u64, like: Packet, options: TcpOptions, sack: &SackList, fabric: &mut Fabric) {
        let payload = fabric.payloads.put_options(options, sack);
        self.emitted += 1;
        enter(now, Packet { payload, flags: like.flags.with(Flags::OPTIONS), ..like }, fabric);
    }
}
