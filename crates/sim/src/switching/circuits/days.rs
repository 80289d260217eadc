//! The days of pairs with data, of a rack.

use super::members::Members;
use super::week::{Span, Week};
use crate::engine::packet::NEVER;

/// The days of pairs with data, for what their circuits could carry.
#[derive(Debug)]
pub(super) struct Days {
    /// In order.
    spans: Box<[Span]>,
    /// When the next one begins, and its place among them.
    pub next: (u64, usize),
    /// Picoseconds of light in those that have begun.
    pub light: u64,
    /// By rack: whether it gets data from here.
    pub data: Box<[bool]>,
}

impl Days {
    /// Of a rack.
    pub fn new(week: &Week, rack: u32, members: &Members, racks: usize) -> Days {
        let mut data: Box<[bool]> = vec![false; racks].into();
        let mut spans = Vec::new();
        for to in members.data_from(rack) {
            data[to as usize] = true;
            spans.extend(week.days(rack, to));
        }
        spans.sort_unstable_by_key(|span| span.begins);
        let next = (spans.first().map_or(NEVER, |span| span.begins), 0);
        Days { spans: spans.into(), next, light: 0, data }
    }

    /// Counts those that have begun.
    pub fn note(&mut self, now: u64, week: &Week) {
        while self.next.0 <= now {
            let (begins, place) = self.next;
            self.light += self.spans[place].lasts;
            let ahead = match self.spans.get(place + 1) {
                Some(next) => (next.begins - self.spans[place].begins, place + 1),
                None => (week.length() - self.spans[place].begins + self.spans[0].begins, 0),
            };
            self.next = (begins.saturating_add(ahead.0), ahead.1);
        }
    }
}
