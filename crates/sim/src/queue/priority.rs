//! Strict priority. Source: F. Baker, "Requirements for IP Version 4 Routers", RFC 1812 §5.3.3.1 (precedence-ordered
//! queue service); Linux's `prio`.
//!
//! A packet waits in the band that its priority names, 0 the first; a band sends only while all before it are empty.
//! Packets of a priority beyond the last band are in the last. If there is no room, the newest packet of the last band
//! that has any is dropped, which may be the packet that comes; with `push_out = false` it always is that one.

use super::scheduler::{Dropped, Fifo, Held, Item, Reason, Room, Scheduler};
use super::{Parameters, Site};
use options::{Kind, Range, options};

options! {
    /// The parameters.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Config {
        /// Bands.
        pub bands: u32 = 3, Kind::Whole(Range::closed(1.0, 256.0));
        /// Whether, when there is no room, a packet of the last band is dropped instead of the one that comes.
        pub push_out: bool = true, Kind::Flag;
    }
}

/// Bands, the first before all others.
#[derive(Debug)]
pub struct Priority {
    config: Config,
    bands: Vec<Fifo>,
    held: Held,
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        false
    }
}

impl Scheduler for Priority {
    type Config = Config;

    fn new(config: &Config, _: Site) -> Priority {
        Priority { config: *config, bands: vec![Fifo::default(); config.bands as usize], held: Held::default() }
    }

    fn enqueue(&mut self, _: u64, item: Item, room: Room, dropped: &mut Vec<Dropped>) {
        if !self.config.push_out && !self.held.admits(room, &item) {
            return dropped.push(Dropped { item, reason: Reason::Full });
        }
        let last = self.bands.len() - 1;
        self.bands[usize::from(item.priority).min(last)].push(item);
        self.held.add(&item);
        while self.held.exceeds(room) {
            let lowest = self.bands.iter_mut().rev().find_map(Fifo::pop_newest);
            let Some(item) = lowest else { return };
            self.held.remove(&item);
            dropped.push(Dropped { item, reason: Reason::Full });
        }
    }

    fn dequeue(&mut self, _: u64, _: &mut Vec<Dropped>) -> Option<Item> {
        let item = self.bands.iter_mut().find_map(Fifo::pop)?;
        self.held.remove(&item);
        Some(item)
    }

    /// There is nothing before or behind it.
    fn may_pass(&self) -> bool {
        true
    }

    fn clear(&mut self) {
        self.bands.iter_mut().for_each(Fifo::clear);
        self.held = Held::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::by_hand::tests::site;

    fn filled(config: Config, priorities: &[u8], room: Room) -> (Priority, Vec<u32>) {
        let (mut queue, mut dropped) = (Priority::new(&config, site()), Vec::new());
        for (id, priority) in (0..).zip(priorities) {
            queue.enqueue(0, Item { id, size: 100, priority: *priority, ..Item::default() }, room, &mut dropped);
        }
        (queue, dropped.iter().map(|one| one.item.id).collect())
    }

    #[test]
    fn a_band_sends_while_all_before_it_are_empty_and_each_in_its_order() {
        let (mut queue, _) = filled(Config::default(), &[2, 0, 1, 0, 7, 1], Room::Unlimited);
        let order: Vec<u32> = std::iter::from_fn(|| queue.dequeue(0, &mut Vec::new())).map(|item| item.id).collect();
        assert_eq!(order, [1, 3, 2, 5, 0, 4], "the priority 7 is in the last of three bands");
    }

    #[test]
    fn without_room_the_last_band_loses_its_newest_packet() {
        let dropped = |push_out, priorities: &[u8]| {
            filled(Config { push_out, ..Config::default() }, priorities, Room::Packets(2)).1
        };
        assert_eq!([dropped(true, &[2, 1, 0]), dropped(true, &[0, 1, 2]), dropped(false, &[2, 1, 0])], [[0], [2], [2]]);
    }
}
