//! By which route a packet goes on in a burst, by where in the array of paths it enters the optical network at a node.
//!
//! Every packet is looked up. Where the places lie close together, as those of networks of a usual size do, a table has
//! them; where a table would be mostly empty they are searched.

/// The routes by place.
#[derive(Debug)]
pub struct RouteIndex {
    /// Place and route, in order.
    list: Vec<(u32, u32)>,
    /// The place of the first entry of the table.
    first: u32,
    /// Routes from that place on, [`NONE`] for places that are not in the list; empty if the list is searched.
    table: Vec<u32>,
}

const NONE: u32 = u32::MAX;
/// A table has at most so many entries for one place.
const SPARSEST: usize = 64;

impl RouteIndex {
    /// Those of a list in the order of places.
    pub fn new(list: Vec<(u32, u32)>) -> RouteIndex {
        debug_assert!(list.is_sorted(), "sections are found in the order of their places");
        let first = list.first().map_or(0, |(place, _)| *place);
        let length = list.last().map_or(0, |(place, _)| (place - first) as usize + 1);
        let mut table = Vec::new();
        if length <= SPARSEST * list.len() {
            table.resize(length, NONE);
            list.iter().for_each(|(place, route)| table[(place - first) as usize] = *route);
        }
        RouteIndex { list, first, table }
    }

    /// The route of a packet at this place.
    #[inline]
    pub fn route(&self, place: u32) -> Option<u32> {
        if self.table.is_empty() {
            return self.searched(place);
        }
        let route = self.table.get(place.wrapping_sub(self.first) as usize).copied();
        route.filter(|route| *route != NONE)
    }

    fn searched(&self, place: u32) -> Option<u32> {
        let found = self.list.binary_search_by_key(&place, |(other, _)| *other).ok()?;
        Some(self.list[found].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn without_sections_nothing_is_found() {
        assert_eq!(RouteIndex::new(Vec::new()).route(0), None);
    }

    proptest! {
        /// Close together or far apart, which decides whether there is a table.
        #[test]
        fn a_table_says_what_a_search_says(
            gaps in prop::collection::vec(prop_oneof![1u32..5, 1u32..500], 1..40),
            start in 0u32..1000,
        ) {
            let mut place = start;
            let list: Vec<(u32, u32)> = (0..).zip(gaps).map(|(route, gap)| { place += gap; (place, route) }).collect();
            let sections = RouteIndex::new(list);
            for asked in start.saturating_sub(3)..place + 3 {
                prop_assert_eq!(sections.route(asked), sections.searched(asked));
            }
        }
    }
}
