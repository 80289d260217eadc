//! A port with a queue discipline: the queue as its discipline sees it.

use super::{Port, State};
use crate::engine::link::features::PortFeatures;
use crate::engine::packet::{Flags, Packet};
use crate::queue::{Arrival, Verdict};

impl Port {
    /// What the discipline of the port says of a packet that comes; without one, and while the link is down, it says
    /// nothing.
    pub(super) fn judge(&mut self, now: u64, packet: &Packet, features: &mut PortFeatures) -> Verdict {
        let PortFeatures { queue: Some(queue), gate, .. } = features else { return Verdict::Accept };
        if self.state == State::Down {
            return Verdict::Accept;
        }
        let (packets, bytes, idle_since) = match gate {
            Some(gate) => {
                let (packets, bytes) = gate.queue(now);
                (packets, bytes, None)
            }
            None => self.waiting(now),
        };
        let is_capable = packet.flags.has(Flags::CAPABLE);
        queue.handle_arrival(&Arrival { now, size: packet.size, is_capable, packets, bytes, idle_since })
    }

    /// Packets and bytes that wait, those that an agent keeps included, and since when there is nothing to send.
    fn waiting(&mut self, now: u64) -> (u64, u64, Option<u64>) {
        let inside = self.backlog(now);
        let packets = inside.packets.saturating_sub(1) + u64::from(self.kept.packets);
        let bytes = inside.bytes + self.kept.bytes;
        (packets, bytes, (self.busy_until <= now && packets == 0).then_some(self.busy_until))
    }

    /// An agent that keeps packets for the port has marked one.
    pub fn note_mark(&mut self) {
        if let Some(features) = &mut self.features {
            features.marked += 1;
        }
    }
}
