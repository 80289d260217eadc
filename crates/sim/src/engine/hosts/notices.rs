//! Messages that reach a host's node, and bursts by order of which a sender is told.

use super::{Hosts, Source, enter};
use crate::engine::bursts::Share;
use crate::engine::net::Net;
use crate::engine::packet::Packet;
use crate::switch::{Leg, Notice};
use std::sync::Arc;
use transport::tcp::{BurstReport, SackBlock};
use units::Instant;

/// Bytes of a notification on the wire: headers of IP and UDP and what an ACK holds.
const NOTICE_SIZE: u16 = 40;

impl Hosts {
    /// A message of the control plane, or about bursts, has arrived.
    pub(super) fn receive_notice(&mut self, now: u64, packet: &Packet, notice: Arc<Notice>, net: &mut Net) {
        match &*notice {
            Notice::Burst { report, segments } => self.tell_sender(now, packet.flow, (*report, segments), net),
            Notice::LostBurst(Leg::There) => {
                let path = self.receivers[packet.flow].path;
                self.send_leg(now, Leg::Back, Packet { hop: path, ..*packet }, net);
            }
            Notice::LostBurst(Leg::Back) => {
                let Some(bursts) = self.forced.bursts.get_mut(&packet.flow) else { return };
                let segments = bursts.tell(packet.seq);
                let Source::Tcp(sender) = &self.senders[packet.flow].source else { return };
                let report = sender.wanted_burst_report();
                self.tell_sender(now, packet.flow, (report, &segments), net);
            }
            _ => self.give_notice(now, packet.flow, notice, net),
        }
    }

    /// An edge node's word about a burst has reached the node of the sender.
    fn tell_sender(&mut self, now: u64, flow: u32, (report, segments): (BurstReport, &[SackBlock]), net: &mut Net) {
        let Source::Tcp(sender) = &mut self.senders[flow].source else { return };
        sender.handle_burst_report(Instant::from_ps(now), report, segments, &mut self.segments);
        self.send_segments(now, flow, net);
    }

    /// The news of the loss of a burst goes this way: flow, number of the burst and path are those of `like`.
    fn send_leg(&mut self, now: u64, leg: Leg, like: Packet, net: &mut Net) {
        let message = net.message(Arc::new(Notice::LostBurst(leg)), like.flow, like.hop, NOTICE_SIZE);
        self.emitted += 1;
        enter(now, Packet { seq: like.seq, ..message }, net);
    }

    /// A data packet joins the burst that its flow has by order, if it has any.
    pub(super) fn is_in_lost_burst(&mut self, now: u64, packet: &Packet, net: &mut Net) -> bool {
        let (flow, host) = (packet.flow, &mut self.senders[packet.flow]);
        let Some(bursts) = self.forced.bursts.get_mut(&flow) else { return false };
        let Source::Tcp(sender) = &mut host.source else { return false };
        let end = packet.seq + u64::from(packet.size - host.header);
        let share = bursts.take(SackBlock { start: packet.seq, end });
        let (assembled, instant) = (BurstReport::Assembled, Instant::from_ps(now));
        if sender.wanted_burst_report() == assembled {
            sender.handle_burst_report(instant, assembled, bursts.segments(), &mut self.segments);
        }
        if share == Share::LostFirst {
            let (seq, hop) = (bursts.number(), host.path);
            self.send_leg(now, Leg::There, Packet { seq, flow, hop, ..Packet::default() }, net);
        }
        share != Share::Passes
    }
}
