//! What hosts are told: messages that reach a host's node, and news about the orders of the scenario.

use super::{Hosts, enter};
use crate::engine::agent::{Leg, Notice, Order, Told};
use crate::engine::net::Net;
use crate::engine::packet::Packet;
use transport::tcp::SackBlock;
use units::Instant;

/// Bytes of news on the wire: headers of IP and UDP and what an ACK holds.
const NEWS_SIZE: u16 = 40;

impl Hosts {
    /// A packet of control has arrived.
    pub(super) fn receive_notice(&mut self, now: u64, packet: &Packet, notice: Notice, net: &mut Net) {
        match notice {
            Notice::Agent(message) => self.give_message(now, packet.flow, message, net),
            Notice::Sender(news) => {
                let Some(sender) = self.senders[packet.flow].machine.tcp_mut() else { return };
                news.tell(Instant::from_ps(now), sender, &mut self.segments);
                self.send_segments(now, packet.flow, net);
            }
            Notice::Ordered(Leg::There) => {
                let path = self.receivers[packet.flow].path;
                self.send_leg(now, Leg::Back, Packet { hop: path, ..*packet }, net);
            }
            Notice::Ordered(Leg::Back) => {
                let Some(orders) = self.forced.orders.get_mut(&packet.flow) else { return };
                let Some(sender) = self.senders[packet.flow].machine.tcp_mut() else { return };
                orders.news(Instant::from_ps(now), packet.seq, Told { sender, actions: &mut self.segments });
                self.send_segments(now, packet.flow, net);
            }
        }
    }

    /// News of an order goes this way: flow, number and path are those of `like`.
    fn send_leg(&mut self, now: u64, leg: Leg, like: Packet, net: &mut Net) {
        let message = net.message(Notice::Ordered(leg), like.flow, like.hop, NEWS_SIZE);
        self.emitted += 1;
        enter(now, Packet { seq: like.seq, ..message }, net);
    }

    /// A data packet leaves: whether the orders for its flow, if there are any, make it vanish.
    pub(super) fn is_lost_by_order(&mut self, now: u64, packet: &Packet, net: &mut Net) -> bool {
        let (flow, host) = (packet.flow, &mut self.senders[packet.flow]);
        let Some(orders) = self.forced.orders.get_mut(&flow) else { return false };
        let Some(sender) = host.machine.tcp_mut() else { return false };
        let segment = SackBlock { start: packet.seq, end: packet.seq + u64::from(packet.size - host.header) };
        let order = orders.take(Instant::from_ps(now), segment, Told { sender, actions: &mut self.segments });
        if let Order::LoseAndTell(seq) = order {
            let hop = host.path;
            self.send_leg(now, Leg::There, Packet { seq, flow, hop, ..Packet::default() }, net);
        }
        order != Order::Pass
    }
}
