//! What waits in a macroflow: packets in their order, or its flows in turn.

use crate::engine::packet::Packet;
use std::collections::{BTreeMap, VecDeque};

/// The packets of a macroflow that wait for their time.
#[derive(Debug)]
pub enum Queue {
    /// First in, first out.
    InOrder(VecDeque<Packet>),
    /// One packet of each flow in turn (round robin; Nagle, RFC 970).
    InTurn(Turns),
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
            Queue::InOrder(packets) => packets.push_back(packet),
            Queue::InTurn(Turns { flows, order }) => {
                let queue = flows.entry(packet.flow).or_default();
                if queue.is_empty() {
                    order.push_back(packet.flow);
                }
                queue.push_back(packet);
            }
        }
    }

    /// Takes the packet whose turn it is.
    pub fn pop(&mut self) -> Option<Packet> {
        match self {
            Queue::InOrder(packets) => packets.pop_front(),
            Queue::InTurn(Turns { flows, order }) => {
                let flow = order.pop_front()?;
                let queue = flows.get_mut(&flow)?;
                let packet = queue.pop_front();
                match queue.is_empty() {
                    true => drop(flows.remove(&flow)),
                    false => order.push_back(flow),
                }
                packet
            }
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
            Queue::InOrder(packets) => packets.iter_mut().for_each(change),
            Queue::InTurn(turns) => turns.flows.values_mut().flatten().for_each(change),
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
        std::iter::from_fn(|| queue.pop()).map(|packet| (packet.flow, packet.seq)).collect()
    }

    #[test]
    fn in_order_is_the_order_of_arrival_and_in_turn_each_flow_has_one() {
        let flows = [7, 7, 7, 3, 5, 3];
        let in_order = taken(Queue::InOrder(VecDeque::new()), &flows);
        assert_eq!(in_order, [(7, 0), (7, 1), (7, 2), (3, 3), (5, 4), (3, 5)]);
        let in_turn = taken(Queue::InTurn(Turns::default()), &flows);
        assert_eq!(in_turn, [(7, 0), (3, 3), (5, 4), (7, 1), (3, 5), (7, 2)]);
    }
}
