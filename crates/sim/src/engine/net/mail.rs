//! Packets that leave a partition, and those that come from another one.

use super::Net;
use crate::engine::packet::{Cargo, NO_CARGO, Packet};
use crate::engine::ring::Ring;
use transport::tcp::{SackBlock, SackList};

/// A fibre that leads to another partition. Here it has what its port has sent, in the places that it has there: so a port need not know
/// where its fibre ends.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// The receiving partition.
    pub to: u32,
    /// The number of the fibre there.
    pub fibre: u32,
    /// Its port.
    pub port: u32,
    /// The position behind the last packet that has been posted.
    pub posted: u64,
}

/// Packets that travel between partitions; each fibre's packets are in order.
#[derive(Debug, Default)]
pub struct Mail {
    /// [`Packet::cargo`] of those that carry SACK blocks and nothing else is the number of these.
    packets: Vec<Packet>,
    /// Which fibre of the receiver they come over: so many of them in a row over one.
    runs: Vec<Run>,
    /// SACK blocks of those packets that carry nothing else, in the same order: of lossy flows most ACKs do, and most of these have one.
    blocks: Vec<SackBlock>,
    /// The cargo of those that carry more.
    cargo: Vec<Cargo>,
}

/// Packets in a row over one fibre.
#[derive(Clone, Copy, Debug)]
struct Run {
    fibre: u32,
    packets: usize,
}

impl Mail {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
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
    pub fn append(&mut self, newer: &mut Mail) {
        if self.is_empty() {
            return std::mem::swap(self, newer);
        }
        self.packets.append(&mut newer.packets);
        self.runs.append(&mut newer.runs);
        self.blocks.append(&mut newer.blocks);
        self.cargo.append(&mut newer.cargo);
    }
}

impl Net {
    /// Posts what has been put on fibres to other partitions since the last time; everything before `now` has happened.
    pub fn post(&mut self, now: u64) {
        for number in 0..self.cuts.len() {
            let Cut { to, fibre, port, posted } = self.cuts[number];
            let ring = &mut self.fibres[self.entering as usize + number];
            let packets = (ring.put_in() - posted) as usize;
            if packets == 0 {
                continue;
            }
            let mail = &mut self.outbox[to as usize];
            mail.runs.push(Run { fibre, packets });
            let first = mail.packets.len();
            ring.from(posted).into_iter().for_each(|packets| mail.packets.extend_from_slice(packets));
            for packet in mail.packets[first..].iter_mut().filter(|packet| packet.cargo != NO_CARGO) {
                if packet.carries_sack_alone() {
                    let list = self.cargo.take_sack(packet.cargo);
                    packet.cargo = list.len() as u32;
                    mail.blocks.extend(list.as_slice().iter().copied());
                } else {
                    mail.cargo.push(self.cargo.unload(packet));
                }
            }
            self.cuts[number].posted = ring.put_in();
            // Of what has left the port nobody asks here any more.
            let (delay, oldest) = (self.ports[port as usize].delay(), ring.taken_out());
            ring.take_out_until(ring.first_where(oldest, |packet| packet.at > now.saturating_add(delay)));
        }
    }

    /// Takes in what another partition has sent; everything before `now` has happened here.
    ///
    /// Panics if a packet should have arrived before: the other partition was not waited for, and the results would be wrong.
    pub fn receive(&mut self, mail: &mut Mail, now: u64) {
        let carries = !(mail.blocks.is_empty() && mail.cargo.is_empty());
        let (mut blocks, mut cargo) = (mail.blocks.drain(..), mail.cargo.drain(..));
        let mut packets = &mail.packets[..];
        for Run { fibre: number, packets: count } in mail.runs.drain(..) {
            let (run, others) = packets.split_at(count);
            packets = others;
            assert!(run[0].at >= now, "a packet from another partition comes in time");
            let fibre = &mut self.fibres[number as usize];
            let (was_dark, first) = (fibre.is_empty(), fibre.put_in());
            fibre.extend(run);
            if carries {
                fibre.for_each_mut_from(first, |packet| {
                    if packet.carries_sack_alone() {
                        let list = SackList::of(blocks.by_ref().take(packet.cargo as usize));
                        packet.cargo = self.cargo.put_sack(&list);
                    } else if packet.cargo != NO_CARGO {
                        packet.cargo = cargo.next().map_or(NO_CARGO, |cargo| self.cargo.load(cargo));
                    }
                });
            }
            if self.is_listed
                && was_dark
                && let Some(first) = fibre.front()
            {
                self.agenda.set_arrival(number, first.at);
            }
        }
        mail.packets.clear();
    }

    /// The fibre of port `number`, which leads to another partition, has been changed there; `inside` is what is on it now that is still
    /// inside the port.
    pub fn resume(&mut self, number: u32, inside: Ring<Packet>) {
        let place = self.ports[number as usize].target();
        self.cuts[(place - self.entering) as usize].posted = inside.put_in();
        self.fibres[place as usize] = inside;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NetParts, TimerOrder};
    use super::*;
    use crate::engine::packet::{CargoTable, Class, Flags};
    use crate::engine::port::tests::port;
    use crate::model::Buffer;
    use proptest::prelude::*;
    use std::sync::Arc;
    use transport::tcp::TcpOptions;

    /// 1 ms in picoseconds, the delay of the port.
    const DELAY: u64 = 1_000_000_000;

    /// One fibre, which leads out over a port, or in.
    fn net(leads_out: bool) -> Net {
        let cut = Cut { to: 1, fibre: 0, port: 0, posted: 0 };
        let (ports, cuts, fibres) = match leads_out {
            true => (vec![port(Buffer::Unlimited)], vec![(cut, Ring::new())], vec![]),
            false => (vec![], vec![], vec![Ring::new()]),
        };
        let links = (0..ports.len() as u32).collect();
        let parts = NetParts { ports, links, fibres, agents: 0, cuts, paths: Arc::from([]) };
        Net::new(parts, TimerOrder::AfterArrivals, 2)
    }

    fn list(blocks: u64) -> SackList {
        SackList::of((1..=blocks).map(|block| SackBlock { start: 1000 * block, end: 1000 * block + 500 }))
    }

    /// What a packet carries: how many SACK blocks, and whether options besides.
    fn load(cargo: &mut CargoTable, at: u64, blocks: u64, has_options: bool) -> Packet {
        let packet = Packet { at, class: Class::Ack, seq: at, ..Packet::default() };
        match has_options {
            true => {
                let options = TcpOptions { ecn_setup: true, ..TcpOptions::default() };
                let cargo = cargo.put_options(options, &list(blocks));
                Packet { cargo, flags: Flags::OPTIONS, ..packet }
            }
            false => Packet { cargo: cargo.put_sack(&list(blocks)), ..packet },
        }
    }

    proptest! {
        /// Posted and taken in several times, packets come in order with what they carry, and nothing stays behind.
        #[test]
        fn packets_come_with_what_they_carry(
            posts in prop::collection::vec(prop::collection::vec((0u64..5, any::<bool>()), 0..20), 1..8),
        ) {
            let (mut from, mut to, mut mail) = (net(true), net(false), Mail::default());
            let (mut sent, mut now) = (Vec::new(), 0);
            for post in posts {
                for (blocks, has_options) in post {
                    now += 1000;
                    let packet = load(&mut from.cargo, now + DELAY, blocks, has_options);
                    sent.push((packet.at, from.cargo.said(&packet)));
                    from.fibres[0].push(packet);
                }
                from.post(now);
                mail.append(&mut from.outbox[1]);
                if now % 2000 == 0 {
                    to.receive(&mut mail, now);
                }
            }
            to.receive(&mut mail, now);
            let come: Vec<_> = to.fibres[0].iter().map(|packet| (packet.at, to.cargo.said(&packet))).collect();
            prop_assert_eq!(come, sent);
            prop_assert!(mail.is_empty() && mail.blocks.is_empty() && mail.cargo.is_empty());
        }
    }

    #[test]
    #[should_panic(expected = "a packet from another partition comes in time")]
    fn a_packet_that_comes_too_late_is_found() {
        let (mut from, mut to) = (net(true), net(false));
        let packet = load(&mut from.cargo, DELAY, 1, false);
        from.fibres[0].push(packet);
        from.post(0);
        to.receive(&mut from.outbox[1], DELAY + 1);
    }
}
