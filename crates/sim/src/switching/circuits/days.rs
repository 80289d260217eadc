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

#[cfg(test)]
mod tests {
    use super::*;

    /// Days from 10 to 40 and from 70 to 80 of a week of 100.
    #[test]
    fn light_counts_when_a_day_begins_and_goes_on_in_the_next_week() {
        let week = Week::new(40, 60, 2, crate::switching::circuits::keys::Matchings::Offsets);
        assert_eq!(week.length(), 100);
        let spans = [Span { begins: 10, lasts: 30 }, Span { begins: 70, lasts: 10 }];
        let mut days = Days { spans: spans.into(), next: (10, 0), light: 0, data: [].into() };
        let seen = [9, 10, 69, 70, 109, 110, 170, 310].map(|now| {
            days.note(now, &week);
            (days.light, days.next.0)
        });
        let expected = [(0, 10), (30, 70), (30, 70), (40, 110), (40, 110), (70, 170), (80, 210), (150, 370)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_rack_without_data_waits_for_no_day() {
        let week = Week::new(40, 60, 2, crate::switching::circuits::keys::Matchings::Offsets);
        let days = Days::new(&week, 0, &Members::default(), 2);
        assert_eq!((days.next, days.data), ((NEVER, 0), [false, false].into()));
    }
}
