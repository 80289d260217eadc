//! What hosts are told: messages that reach a host's node, and news about the orders of the scenario.

use super::{Hosts, enter};
use crate::engine::node::agent::{Order, ToldSender};
use crate::engine::node::fabric::Fabric;
use crate::engine::packet::Packet;
use crate::engine::packet::message::{ControlMessage, Direction};
use transport::tcp::SackBlock;
use units::Instant;

/// Bytes of news on the wire: headers of IP and UDP and what an ACK holds.
const NOTIFICATION_SIZE: u16 = 40;

impl Hosts {
    /// A control message has arrived.
    pub(super) fn receive_control(&mut self, now: u64, packet: &Packet, notice: ControlMessage, fabric: &mut Fabric) {
        match notice {
            ControlMessage::Agent(message) => self.give_message(now, packet.flow, message, fabric),
            ControlMessage::Sender(news) => {
                let Some(sender) = self.senders[packet.flow].machine.tcp_mut() else { return };
                news.tell(Instant::from_ps(now), sender, &mut self.segments);
                self.send_segments(now, packet.flow, fabric);
            }
            ControlMessage::AboutFate(Direction::There) => {
                let path = self.receivers[packet.flow].path;
                self.send_about_fate(now, Direction::Back, Packet { hop: path, ..*packet }, fabric);
            }
            ControlMessage::AboutFate(Direction::Back) => {
                let Some(orders) = self.forced.orders.get_mut(&packet.flow) else { return };
                let Some(sender) = self.senders[packet.flow].machine.tcp_mut() else { return };
                orders.news(Instant::from_ps(now), packet.seq, ToldSender { sender, actions: &mut self.segments });
                self.send_segments(now, packet.flow, fabric);
            }
        }
    }

    /// A notification of an order goes this way: flow, number and path are those of `like`.
    fn send_about_fate(&mut self, now: u64, direction: Direction, like: Packet, fabric: &mut Fabric) {
        let message = fabric.message(ControlMessage::AboutFate(direction), like.flow, like.hop, NOTIFICATION_SIZE);
        self.emitted += 1;
        enter(now, Packet { seq: like.seq, ..message }, fabric);
    }

    /// A data packet leaves: whether the orders for its flow, if there are any, make it vanish.
    pub(super) fn is_lost_by_order(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) -> bool {
        let (flow, host) = (packet.flow, &mut self.senders[packet.flow]);
        let Some(orders) = self.forced.orders.get_mut(&flow) else { return false };
        let Some(sender) = host.machine.tcp_mut() else { return false };
        let segment = SackBlock { start: packet.seq, end: packet.seq + u64::from(packet.size - host.header) };
        let order = orders.take(Instant::from_ps(now), segment, ToldSender { sender, actions: &mut self.segments });
        if let Order::LoseAndTell(seq) = order {
            let hop = host.path;
            self.send_about_fate(now, Direction::There, Packet { seq, flow, hop, ..Packet::default() }, fabric);
        }
        order != Order::Pass
    }
}
