//! Dropped segments one by one, in the order of time.

use crate::engine::packet::admission::Cause;
use crate::engine::packet::{Class, Packet};

/// A segment that was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dropped {
    /// Whose.
    pub flow: u32,
    /// When.
    pub at: u64,
    /// Its first byte.
    pub seq: u64,
    /// Why.
    pub cause: Cause,
}

/// The dropped segments of a partition.
#[derive(Clone, Debug, Default)]
pub struct Drops {
    list: Vec<Dropped>,
    /// When the first was dropped that found no room.
    full_at: Option<u64>,
}

/// The most drops that are told apart, 32 bytes each.
const MOST: usize = 10_000_000;

impl Drops {
    /// A packet is dropped. Only segments are of interest.
    pub fn note(&mut self, now: u64, cause: Cause, packet: &Packet) {
        if packet.class == Class::Data {
            self.push(Dropped { flow: packet.flow, at: now, seq: packet.seq, cause });
        }
    }

    /// A sender is told of a drop that has not happened: for its account it has.
    pub fn note_feigned(&mut self, now: u64, ack: &Packet) {
        if ack.class == Class::Ack {
            self.push(Dropped { flow: ack.flow, at: now, seq: ack.seq, cause: Cause::Congestion });
        }
    }

    fn push(&mut self, dropped: Dropped) {
        // The other drops of the last instant are still taken: their order is only known in the end.
        if self.list.len() >= MOST && self.list.last().is_none_or(|last| last.at < dropped.at) {
            self.full_at = self.full_at.or(Some(dropped.at));
        } else {
            self.list.push(dropped);
        }
    }

    /// All lists as one.
    pub fn merged(all: impl Iterator<Item = Drops>) -> Drops {
        Drops::merged_up_to(MOST, all)
    }

    fn merged_up_to(most: usize, all: impl Iterator<Item = Drops>) -> Drops {
        let mut whole = Drops::default();
        for Drops { list, full_at } in all {
            whole.list.extend(list);
            whole.full_at = whole.full_at.into_iter().chain(full_at).min();
        }
        let by_time = |one: &Dropped| (one.at, one.flow, one.seq, one.cause);
        whole.list.sort_unstable_by_key(by_time);
        if let Some(first) = whole.list.get(most) {
            whole.full_at = whole.full_at.into_iter().chain([first.at]).min();
            whole.list.truncate(most);
        }
        whole
    }

    /// The drops of each flow in the order of time, by flow, and the instant from which on not all are known.
    pub fn by_flow(mut self) -> (Vec<Dropped>, u64) {
        self.list.sort_unstable();
        (self.list, self.full_at.unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drops(at: &[u64]) -> Drops {
        let list = at.iter().map(|at| Dropped { flow: 0, at: *at, seq: 0, cause: Cause::Random }).collect();
        Drops { list, full_at: None }
    }

    #[test]
    fn a_whole_list_does_not_know_how_nodes_were_dealt() {
        let alone = Drops::merged_up_to(3, [drops(&[1, 2, 3, 5])].into_iter());
        let assigned = Drops::merged_up_to(3, [drops(&[3, 5]), drops(&[1, 2])].into_iter());
        assert_eq!((&alone.list, alone.full_at), (&assigned.list, assigned.full_at));
        assert_eq!((alone.list.len(), alone.full_at), (3, Some(5)));
    }
}
