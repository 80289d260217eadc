//! Packets that leave a partition, and those that come from another one.

use super::Fabric;
use crate::engine::node::workload::Notice;
use crate::engine::packet::{NO_PAYLOAD, Packet, Payload};
use transport::tcp::{SackBlock, SackList};

/// A fibre that leads to another partition.
#[derive(Clone, Copy, Debug)]
pub struct Boundary {
    /// The receiving partition.
    pub to: u32,
    /// The number of the fibre there.
    pub fibre: u32,
    /// Its port.
    pub port: u32,
}

/// What travels between partitions; each fibre's packets are in order.
#[derive(Debug, Default)]
pub struct Batch {
    /// [`Packet::payload`] of those that carry SACK blocks and nothing else is the number of these.
    packets: Vec<Packet>,
    /// Which fibre of the receiver they come over: so many of them in a row over one.
    runs: Vec<Run>,
    /// SACK blocks of those packets that carry nothing else, in the same order: of lossy flows most ACKs do, and most
    /// of these have one.
    blocks: Vec<SackBlock>,
    /// The payload of those that carry more.
    payloads: Vec<Payload>,
    /// What work says to work.
    pub notices: Vec<Notice>,
}

/// Packets in a row over one fibre.
#[derive(Clone, Copy, Debug)]
struct Run {
    fibre: u32,
    packets: usize,
}

impl Batch {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty() && self.notices.is_empty()
    }

    /// The packets with the fibres of the receiver over which they come.
    pub fn by_fibre(&self) -> impl Iterator<Item = (u32, &[Packet])> {
        let mut packets = &self.packets[..];
        self.runs.iter().map(move |run| {
            let (of_run, others) = packets.split_at(run.packets);
            packets = others;
            (run.fibre, of_run)
        })
    }

    /// Adds what is in `newer`, which is then empty.
    pub fn append(&mut self, newer: &mut Batch) {
        if self.is_empty() {
            return std::mem::swap(self, newer);
        }
        self.packets.append(&mut newer.packets);
        self.runs.append(&mut newer.runs);
        self.blocks.append(&mut newer.blocks);
        self.payloads.append(&mut newer.payloads);
        self.notices.append(&mut newer.notices);
    }
}

impl Fabric {
    /// Sends what has been put on fibres to other partitions since the last time.
    pub fn send_out(&mut self) {
        let leaving = self.fibres[self.entering as usize..].iter_mut();
        for (Boundary { to, fibre, .. }, ring) in self.boundaries.iter().copied().zip(leaving) {
            let packets = ring.len();
            if packets == 0 {
                continue;
            }
            let batch = &mut self.outgoing[to as usize];
            batch.runs.push(Run { fibre, packets });
            let first = batch.packets.len();
            ring.from(ring.taken_out()).into_iter().for_each(|packets| batch.packets.extend_from_slice(packets));
            for packet in batch.packets[first..].iter_mut().filter(|packet| packet.payload != NO_PAYLOAD) {
                if packet.carries_sack_alone() {
                    let list = self.payloads.take_sack(packet.payload);
                    packet.payload = list.len() as u32;
                    batch.blocks.extend(list.as_slice().iter().copied());
                } else {
                    batch.payloads.push(self.payloads.unload(packet));
                }
            }
            ring.clear();
        }
    }

    /// Takes in what another partition has sent; everything before `now` has happened here.
    ///
    /// Panics if a packet should have arrived before: the other partition was not waited for, and the results would be
    /// wrong.
    pub fn receive(&mut self, batch: &mut Batch, now: u64) {
        let carries = !(batch.blocks.is_empty() && batch.payloads.is_empty());
        let (mut blocks, mut payload) = (batch.blocks.drain(..), batch.payloads.drain(..));
        let mut packets = &batch.packets[..];
        for Run { fibre: number, packets: count } in batch.runs.drain(..) {
            let (run, others) = packets.split_at(count);
            packets = others;
            assert!(run[0].at >= now, "a packet from another partition comes in time");
            let fibre = &mut self.fibres[number as usize];
            let (was_idle, first) = (fibre.is_empty(), fibre.put_in());
            fibre.extend(run);
            if carries {
                fibre.for_each_mut_from(first, |packet| {
                    if packet.carries_sack_alone() {
                        let list = SackList::of(blocks.by_ref().take(packet.payload as usize));
                        packet.payload = self.payloads.put_sack(&list);
                    } else if packet.payload != NO_PAYLOAD {
                        packet.payload = payload.next().map_or(NO_PAYLOAD, |payload| self.payloads.load(payload));
                    }
                });
            }
            if self.is_listed
                && was_idle
                && let Some(first) = fibre.front()
            {
                self.event_list.set_arrival(number, first.at);
            }
            // Only where packets overtake.
            if !was_idle && self.fibres[number as usize].get(first - 1).at > run[0].at {
                self.restore_order(number, first);
            }
        }
        batch.packets.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FabricPlace, TimerOrder};
    use super::*;
    use crate::engine::link::port::tests::port;
    use crate::engine::link::ring::Ring;
    use crate::engine::packet::{Class, Flags, PayloadTable};
    use crate::model::Buffer;
    use proptest::prelude::*;
    use transport::tcp::TcpOptions;

    /// 1 ms in picoseconds, the delay of the port.
    const DELAY: u64 = 1_000_000_000;

    /// One fibre, which leads out over a port, or in.
    fn fabric(leads_out: bool) -> Fabric {
        let boundary = Boundary { to: 1, fibre: 0, port: 0 };
        let (ports, boundaries, fibres) = match leads_out {
            true => (vec![port(Buffer::Unlimited)], vec![boundary], vec![]),
            false => (vec![], vec![], vec![Ring::new()]),
        };
        let links = (0..ports.len() as u32).collect();
        let place = FabricPlace { order: TimerOrder::AfterArrivals, agents: 0, boundaries, partitions: 2 };
        Fabric { ports, links, fibres, ..Fabric::default() }.placed(place)
    }

    fn list(blocks: u64) -> SackList {
        SackList::of((1..=blocks).map(|block| SackBlock { start: 1000 * block, end: 1000 * block + 500 }))
    }

    /// What a packet carries: how many SACK blocks, and whether options besides.
    fn load(payload: &mut PayloadTable, at: u64, blocks: u64, has_options: bool) -> Packet {
        let packet = Packet { at, class: Class::Ack, seq: at, ..Packet::default() };
        match has_options {
            true => {
                let options = TcpOptions { ecn_setup: true, ..TcpOptions::default() };
                let payload = payload.put_options(options, &list(blocks));
                Packet { payload, flags: Flags::OPTIONS, ..packet }
            }
            false => Packet { payload: payload.put_sack(&list(blocks)), ..packet },
        }
    }

    proptest! {
        /// Sent and taken in several times, packets come in order with what they carry, and nothing stays behind.
        #[test]
        fn packets_come_with_what_they_carry(
            sendings in prop::collection::vec(prop::collection::vec((0u64..5, any::<bool>()), 0..20), 1..8),
        ) {
            let (mut from, mut to, mut batch) = (fabric(true), fabric(false), Batch::default());
            let (mut sent, mut now) = (Vec::new(), 0);
            for sending in sendings {
                for (blocks, has_options) in sending {
                    now += 1000;
                    let packet = load(&mut from.payloads, now + DELAY, blocks, has_options);
                    sent.push((packet.at, from.payloads.said(&packet)));
                    from.fibres[0].push(packet);
                }
                from.send_out();
                batch.append(&mut from.outgoing[1]);
                if now % 2000 == 0 {
                    to.receive(&mut batch, now);
                }
            }
            to.receive(&mut batch, now);
            let come: Vec<_> = to.fibres[0].iter().map(|packet| (packet.at, to.payloads.said(&packet))).collect();
            prop_assert_eq!(come, sent);
            prop_assert!(batch.is_empty() && batch.blocks.is_empty() && batch.payloads.is_empty());
        }
    }

    #[test]
    #[should_panic(expected = "a packet from another partition comes in time")]
    fn a_packet_that_comes_too_late_is_found() {
        let (mut from, mut to) = (fabric(true), fabric(false));
        let packet = load(&mut from.payloads, DELAY, 1, false);
        from.fibres[0].push(packet);
        from.send_out();
        to.receive(&mut from.outgoing[1], DELAY + 1);
    }
}
