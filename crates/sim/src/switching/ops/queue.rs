//! What waits in a macroflow: packets in their order, or its flows in turn.

use crate::engine::link::ring::Ring;
use crate::engine::packet::Packet;
use std::collections::{BTreeMap, VecDeque};

/// The packets of a macroflow that wait for their time.
#[derive(Debug)]
pub enum Queue {
    /// First in, first out.
    InOrder(Ring<Packet>),
    /// One packet of each flow in turn (round robin; Nagle, RFC 970).
    InTurn(Box<Turns>),
}

/// A queue for each flow that has packets, and the order of their turns.
#[derive(Debug, Default)]
pub struct Turns {
    flows: BTreeMap<u32, VecDeque<Packet>>,
    order: VecDeque<u32>,
}

impl Queue {
    /// Appends a packet.
    pub fn push(&mut self, packet: Packet) {
        match self {
            Queue::InOrder(packets) => {
                packets.push(packet);
                packets.prefetch_push(2);
            }
            Queue::InTurn(turns) => {
                let Turns { flows, order } = &mut **turns;
                let queue = flows.entry(packet.flow).or_default();
                if queue.is_empty() {
                    order.push_back(packet.flow);
                }
                queue.push_back(packet);
            }
        }
    }

    /// The packet whose turn it is.
    #[inline]
    pub fn front(&self) -> Option<&Packet> {
        match self {
            Queue::InOrder(packets) => packets.front(),
            Queue::InTurn(turns) => turns.flows.get(turns.order.front()?)?.front(),
        }
    }

    /// It will be wanted soon.
    #[inline]
    pub fn prefetch_front(&self) {
        if let Queue::InOrder(packets) = self {
            packets.prefetch(0);
        }
    }

    /// Removes it.
    #[inline]
    pub fn advance(&mut self) {
        match self {
            Queue::InOrder(packets) => {
                packets.advance();
                packets.prefetch(1);
            }
            Queue::InTurn(turns) => turns.advance(),
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        match self {
            Queue::InOrder(packets) => packets.is_empty(),
            Queue::InTurn(turns) => turns.order.is_empty(),
        }
    }

    /// Shows every packet.
    pub fn for_each(&mut self, change: &mut dyn FnMut(&mut Packet)) {
        match self {
            Queue::InOrder(packets) => packets.for_each_mut(change),
            Queue::InTurn(turns) => turns.flows.values_mut().flatten().for_each(change),
        }
    }
}

impl Turns {
    fn advance(&mut self) {
        let Some(flow) = self.order.pop_front() else { return };
        let Some(queue) = self.flows.get_mut(&flow) else { return };
        queue.pop_front();
        match queue.is_empty() {
            true => drop(self.flows.remove(&flow)),
            false => self.order.push_back(flow),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(mut queue: Queue, flows: &[u32]) -> Vec<(u32, u64)> {
        for (number, flow) in (0..).zip(flows) {
            queue.push(Packet { flow: *flow, seq: number, ..Packet::default() });
        }
        let mut take = || {
            let packet = *queue.front()?;
            queue.advance();
            Some((packet.flow, packet.seq))
        };
        std::iter::from_fn(&mut take).collect()
    }

    #[test]
    fn in_order_is_the_order_of_arrival_and_in_turn_each_flow_has_one() {
        let flows = [7, 7, 7, 3, 5, 3];
        let in_order = taken(Queue::InOrder(Ring::new()), &flows);
        assert_eq!(in_order, [(7, 0), (7, 1), (7, 2), (3, 3), (5, 4), (3, 5)]);
        let in_turn = taken(Queue::InTurn(Box::default()), &flows);
        assert_eq!(in_turn, [(7, 0), (3, 3), (5, 4), (7, 1), (3, 5), (7, 2)]);
    }
}
