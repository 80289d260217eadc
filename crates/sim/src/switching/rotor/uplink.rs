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
    /// Packets on a shortest path within the slice.
    pub by_slice: Queue,
    /// Bytes that each host may send in this matching, where hosts are counted.
    pub own_left: Vec<u64>,
    /// Bytes that each host may relay to each host at the far end.
    relay_left: Vec<u64>,
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
            by_slice: Queue::default(),
            own_left: vec![u64::MAX; parts],
            relay_left: vec![u64::MAX; parts * parts],
        }
    }

    /// A matching begins whose circuit carries so many bytes: where hosts are counted, each has its part of them.
    pub fn share(&mut self, light: u64) {
        let parts = self.own_left.len() as u64;
        if parts > 1 {
            self.own_left.fill(light / parts);
            self.relay_left.fill(light / (parts * parts));
        }
    }

    /// What is first of all that goes to the far end, and its bytes: shortest paths, second hops, the rack's own.
    #[inline]
    pub fn first(&self, to: u32, relayed: &Queues, own: &Queues) -> Option<(Pick, u16)> {
        if let Some(size) = self.by_slice.first() {
            return Some((Pick::Slice, size));
        }
        if let Some((queue, size)) = relayed.pick(to, &self.relay_left) {
            return Some((Pick::Relayed(queue), size));
        }
        own.pick(to, &self.own_left).map(|(queue, size)| (Pick::Own(queue), size))
    }

    /// A packet of this size is sent.
    pub fn count(&mut self, pick: Pick, size: u16) {
        let (left, queue) = match pick {
            Pick::Slice => return,
            Pick::Relayed(queue) => (&mut self.relay_left, queue),
            Pick::Own(queue) | Pick::Detour(queue) => (&mut self.own_left, queue),
        };
        let part = queue % left.len();
        left[part] -= u64::from(size);
    }
}
