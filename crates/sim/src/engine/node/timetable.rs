//! Routes that change in time: which way a packet takes is looked up where it is, when it is there. Nothing happens at
//! a change, no event and no turn, and a route costs memory and nothing else.

use crate::engine::packet::{NEVER, NOWHERE};
use std::collections::BTreeMap;

/// When routes end, and what comes after them, by the places of the array of all paths.
#[derive(Clone, Debug)]
pub struct Timetable {
    /// When the route of which a place is part has ended, in picoseconds.
    until: Vec<u64>,
    /// The place of the same node in the route behind it; [`NOWHERE`] if that knows no way from there.
    behind: Vec<u32>,
    /// By the first place of a flow's first route: from when on it has which one.
    departures: BTreeMap<u32, Vec<(u64, u32)>>,
    /// Whether packets under way follow new routes.
    follows: bool,
    /// The places before this one are those of such routes.
    places: u32,
}

impl Timetable {
    /// No routes yet.
    pub fn new(follows: bool) -> Timetable {
        Timetable { until: Vec::new(), behind: Vec::new(), departures: BTreeMap::new(), follows, places: 0 }
    }

    /// A flow whose first route begins at a place has these: from a time in picoseconds on, that at a place.
    pub fn depart(&mut self, first: u32, routes: Vec<(u64, u32)>) {
        self.departures.insert(first, routes);
    }

    /// All routes lie before a place.
    pub fn close(&mut self, places: u32) {
        self.places = places;
    }

    /// Whether the route of a place changes in time.
    pub fn has(&self, place: u32) -> bool {
        place < self.places
    }

    /// The route of a place ends at `until`; its node stands `behind` in the next one.
    pub fn end(&mut self, place: u32, until: u64, behind: u32) {
        let length = self.until.len().max(place as usize + 1);
        self.until.resize(length, NEVER);
        self.behind.resize(length, NOWHERE);
        (self.until[place as usize], self.behind[place as usize]) = (until, behind);
    }

    /// Where a packet goes on that is at a place, or [`NOWHERE`].
    pub fn at(&self, now: u64, place: u32) -> u32 {
        let mut place = place;
        while self.follows && place != NOWHERE && self.until.get(place as usize).is_some_and(|until| *until <= now) {
            place = self.behind[place as usize];
        }
        place
    }

    /// Where a packet begins that leaves its host, whose first route began at a place.
    pub fn departure(&self, now: u64, first: u32) -> u32 {
        let Some(routes) = self.departures.get(&first) else { return first };
        let begun = routes.partition_point(|(from, _)| *from <= now);
        routes[..begun].last().map_or(NOWHERE, |(_, place)| *place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places 1 to 3 until 10, then 4 to 6 until 20, on which the node of 2 is at 5, then nothing.
    #[test]
    fn a_packet_goes_on_where_its_node_is_in_the_present_route() {
        let mut table = Timetable::new(true);
        [(1, 4), (2, 5), (3, NOWHERE)].into_iter().for_each(|(place, behind)| table.end(place, 10, behind));
        (4..=6).for_each(|place| table.end(place, 20, NOWHERE));
        table.depart(1, vec![(0, 1), (10, 4), (20, NOWHERE)]);
        assert_eq!(
            [(9, 2), (10, 2), (19, 2), (20, 2), (10, 3)].map(|(now, place)| table.at(now, place)),
            [2, 5, 5, 0, 0]
        );
        assert_eq!([0, 9, 10, 20].map(|now| table.departure(now, 1)), [1, 1, 4, NOWHERE]);
        assert_eq!(Timetable { follows: false, ..table }.at(30, 2), 2, "under way it keeps its route");
    }
}
