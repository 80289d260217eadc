//! Packets that leave a partition, and those that come from another one.

use super::Net;
use crate::engine::packet::{Cargo, NO_CARGO, Packet};
use transport::tcp::SackList;

/// A fibre that leads to another partition.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// The receiving partition.
    pub to: u32,
    /// The number of the fibre there.
    pub fibre: u32,
}

/// Packets that travel between partitions; each fibre's packets are in order.
#[derive(Debug, Default)]
pub struct Mail {
    /// The packets.
    pub packets: Vec<Packet>,
    /// Which fibre of the receiver they come over: so many of them in a row over one.
    runs: Vec<Run>,
    /// SACK blocks of those packets that carry nothing else, in the same order: of lossy flows most ACKs do.
    pub sacks: Vec<SackList>,
    /// The cargo of those that carry more.
    pub cargo: Vec<Cargo>,
}

/// Packets in a row over one fibre.
#[derive(Clone, Copy, Debug)]
struct Run {
    fibre: u32,
    packets: u32,
}

impl Mail {
    /// A packet that comes over `fibre`.
    #[inline]
    fn push(&mut self, fibre: u32, packet: Packet) {
        self.packets.push(packet);
        match self.runs.last_mut() {
            Some(run) if run.fibre == fibre && run.packets < u32::MAX => run.packets += 1,
            _ => self.runs.push(Run { fibre, packets: 1 }),
        }
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Adds what is in `newer`, which is then empty.
    pub fn append(&mut self, newer: &mut Mail) {
        if self.is_empty() {
            return std::mem::swap(self, newer);
        }
        self.packets.append(&mut newer.packets);
        self.runs.append(&mut newer.runs);
        self.sacks.append(&mut newer.sacks);
        self.cargo.append(&mut newer.cargo);
    }
}

impl Net {
    /// A packet is on a fibre to another partition.
    #[inline(never)]
    pub(super) fn post(&mut self, cut: u32, at: u64, packet: &Packet) {
        self.packet_hops += 1;
        let Cut { to, fibre } = self.cuts[cut as usize];
        let mail = &mut self.outbox[to as usize];
        mail.push(fibre, Packet { at, hop: packet.hop + 1, ..*packet });
        if packet.carries_sack_alone() {
            mail.sacks.push(self.cargo.take_sack(packet.cargo));
        } else if packet.cargo != NO_CARGO {
            mail.cargo.push(self.cargo.unload(packet));
        }
    }

    /// Takes in what another partition has sent.
    pub fn receive(&mut self, mail: &mut Mail) {
        let (mut sacks, mut cargo) = (mail.sacks.drain(..), mail.cargo.drain(..));
        let mut packets = mail.packets.drain(..);
        for Run { fibre: number, packets: count } in mail.runs.drain(..) {
            let fibre = &mut self.fibres[number as usize];
            let was_dark = fibre.is_empty();
            for mut packet in packets.by_ref().take(count as usize) {
                if packet.carries_sack_alone() {
                    packet.cargo = sacks.next().map_or(NO_CARGO, |list| self.cargo.put_sack(&list));
                } else if packet.cargo != NO_CARGO {
                    packet.cargo = cargo.next().map_or(NO_CARGO, |cargo| self.cargo.load(cargo));
                }
                fibre.push(packet);
            }
            if self.is_listed
                && was_dark
                && let Some(first) = fibre.front()
            {
                self.agenda.set_arrival(number, first.at);
            }
        }
    }
}
