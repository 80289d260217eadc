//! What a host hears of its own link: packets leave its queue.

use super::Hosts;
use crate::engine::node::fabric::Fabric;
use crate::engine::packet::Packet;
use units::Instant;

impl Hosts {
    /// A packet of a flow that starts here has left the queue of its host's link, or was dropped there: a sender that
    /// bounds what waits may go on.
    pub fn note_departure(&mut self, now: u64, packet: &Packet, fabric: &mut Fabric) {
        let host = &mut self.senders[packet.flow];
        let bytes = u64::from(packet.size.saturating_sub(host.header));
        let Some(sender) = host.machine.tcp_mut() else { return };
        if sender.handle_departure(Instant::from_ps(now), bytes, &mut self.segments) {
            self.send_segments(now, packet.flow, fabric);
        }
    }
}
