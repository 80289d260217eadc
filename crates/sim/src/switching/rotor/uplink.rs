//! An uplink of a rack: the circuit that it has, and what it sends next.

use super::queue::{Queue, Queues};
use super::slices::Stay;
use crate::engine::node::node_context::LocalPort;

/// An uplink. Times are in picoseconds.
#[derive(Debug)]
pub(super) struct Uplink {
    /// Its port.
    pub port: LocalPort,
    /// When it has sent what it was given.
    pub free: u64,
    /// Its circuit as it was when last looked at.
    pub stay: Stay,
    /// Whether it had nothing to send when it was free, and nothing has come since.
    pub is_idle: bool,
    /// Packets on a shortest path within the slice.
    pub by_slice: Queue,
    /// What hosts may send in this matching, where hosts are counted.
    pub allowance: Allowance,
}

/// What hosts may send while a circuit stays, in bytes; without bound where they are not counted.
#[derive(Debug)]
pub(super) struct Allowance {
    /// By host: what is left of its own packets.
    pub own: Vec<u64>,
    /// By host and host at the far end: what is left of those that it relays.
    relay: Vec<u64>,
    /// What it had to relay when the matching began, as far as it may, where hosts answer offers.
    relayed: Vec<u64>,
    /// A host's part of the circuit.
    part: u64,
}

/// What an uplink sends next; all but the first out of the queue of this number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pick {
    /// On a shortest path.
    Slice,
    Relayed(usize),
    Own(usize),
    /// On a detour.
    Detour(usize),
}

impl Uplink {
    /// One that has sent nothing, of a rack with so many hosts that are counted, else 1.
    pub fn new(port: LocalPort, parts: usize) -> Uplink {
        Uplink {
            port,
            free: 0,
            stay: Stay::default(),
            is_idle: false,
            by_slice: Queue::default(),
            allowance: Allowance::new(parts),
        }
    }

    /// What is first of all that goes to the far end, and its bytes: shortest paths, second hops, the rack's own.
    #[inline]
    pub fn first(&self, to: u32, relayed: &Queues, own: &Queues) -> Option<(Pick, u16)> {
        if let Some(size) = self.by_slice.first() {
            return Some((Pick::Slice, size));
        }
        if let Some((queue, size)) = relayed.pick(to, &self.allowance.relay) {
            return Some((Pick::Relayed(queue), size));
        }
        own.pick(to, &self.allowance.own).map(|(queue, size)| (Pick::Own(queue), size))
    }

    /// A packet of this size is sent.
    pub fn count(&mut self, pick: Pick, size: u16) {
        let (left, queue) = match pick {
            Pick::Slice => return,
            Pick::Relayed(queue) => (&mut self.allowance.relay, queue),
            Pick::Own(queue) | Pick::Detour(queue) => (&mut self.allowance.own, queue),
        };
        let part = queue % left.len();
        left[part] -= u64::from(size);
    }
}

impl Allowance {
    fn new(parts: usize) -> Allowance {
        let (own, relay) = (vec![u64::MAX; parts], vec![u64::MAX; parts * parts]);
        Allowance { own, relay, relayed: vec![0; parts * parts], part: u64::MAX }
    }

    /// A matching begins whose circuit carries so many bytes: where hosts are counted, each has its part of them.
    pub fn share(&mut self, light: u64) {
        let parts = self.own.len() as u64;
        if parts > 1 {
            self.part = light / parts;
            self.own.fill(self.part);
            self.relay.fill(self.part / parts);
        }
    }

    /// What hosts relay is part of what they may send: `waiting` for the far end when the matching begins.
    pub fn count_relayed(&mut self, waiting: &[Queue]) {
        let parts = self.own.len();
        for ((planned, left), queue) in self.relayed.iter_mut().zip(&self.relay).zip(waiting) {
            *planned = queue.bytes().min(*left);
        }
        for (own, planned) in self.own.iter_mut().zip(self.relayed.chunks(parts)) {
            *own = own.saturating_sub(planned.iter().sum());
        }
    }

    /// A host is asked for so many bytes besides what goes to the far end, and has no more than its part: it relays as
    /// much less, packets in full.
    pub fn cut_relayed(&mut self, host: usize, asked: u64, waiting: &[Queue]) {
        let parts = self.own.len();
        let planned = &self.relayed[host * parts..][..parts];
        let sum = planned.iter().sum::<u64>() + asked;
        if sum <= self.part {
            return;
        }
        for (place, planned) in (host * parts..).zip(planned) {
            let sent = (self.part / parts as u64).saturating_sub(self.relay[place]);
            let share = (u128::from(*planned) * u128::from(self.part) / u128::from(sum)) as u64;
            let packet = waiting[place].first().map_or(1, u64::from);
            self.relay[place] = share.next_multiple_of(packet).saturating_sub(sent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::queue::Waiting;
    use super::*;
    use crate::engine::packet::Packet;

    #[test]
    fn a_host_that_is_asked_for_more_than_its_part_relays_less() {
        let mut allowance = Allowance::new(2);
        let mut relayed = Queues::new(1, 4);
        let waiting = Waiting { packet: Packet { size: 100, ..Packet::default() }, ..Waiting::default() };
        (0..8).for_each(|_| relayed.push(0, 0, waiting));
        // Each of two hosts may send 2000 bytes, and relay 1000 to each of two.
        allowance.share(4000);
        allowance.count_relayed(relayed.of(0));
        assert_eq!((allowance.own.as_slice(), allowance.relay.as_slice()), (&[1200, 2000][..], &[1000; 4][..]));
        allowance.relay[0] -= 100;
        allowance.cut_relayed(0, 1200, relayed.of(0));
        assert_eq!(allowance.relay[0], 900, "800 and 1200 are its part");
        // 800 of 3600, of which it has 2000: 444, that is five packets, of which one is sent.
        allowance.cut_relayed(0, 2800, relayed.of(0));
        assert_eq!(allowance.relay, [400, 0, 1000, 1000]);
    }

    /// Of 6000 bytes each of two hosts has 3000, and as relay 1500 for each of two; a host alone is not counted.
    #[test]
    fn what_is_sent_is_taken_from_its_hosts_part() {
        let mut uplink = Uplink::new(LocalPort::default(), 2);
        uplink.allowance.share(6000);
        uplink.count(Pick::Slice, 1000);
        uplink.count(Pick::Own(5), 100);
        uplink.count(Pick::Detour(2), 10);
        uplink.count(Pick::Relayed(6), 1);
        assert_eq!(uplink.allowance.own, [2990, 2900]);
        assert_eq!(uplink.allowance.relay, [1500, 1500, 1499, 1500]);
        let mut alone = Allowance::new(1);
        alone.share(6000);
        assert_eq!((alone.own, alone.relay), (vec![u64::MAX], vec![u64::MAX]));
    }

    #[test]
    fn shortest_paths_leave_before_second_hops_and_those_before_the_racks_own() {
        let waiting = |size| Waiting { packet: Packet { size, ..Packet::default() }, ..Waiting::default() };
        let mut uplink = Uplink::new(LocalPort::default(), 1);
        let (mut relayed, mut own) = (Queues::new(2, 1), Queues::new(2, 1));
        let mut seen = Vec::new();
        let size =
            |uplink: &Uplink, relayed: &Queues, own: &Queues| uplink.first(1, relayed, own).map(|(_, size)| size);
        seen.push(size(&uplink, &relayed, &own));
        own.push(1, 0, waiting(3));
        seen.push(size(&uplink, &relayed, &own));
        relayed.push(1, 0, waiting(2));
        seen.push(size(&uplink, &relayed, &own));
        uplink.by_slice.push(waiting(1));
        seen.push(size(&uplink, &relayed, &own));
        assert_eq!(seen, [None, Some(3), Some(2), Some(1)]);
    }
}
