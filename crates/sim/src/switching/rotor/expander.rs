//! Shortest paths over the circuits of a slice: a table for each part of the cycle, which all racks share.

use super::slices::{Matching, Slices};
use units::Duration;

/// No path.
const NONE: u8 = u8::MAX;

/// By part of the cycle, rack and far rack: the switch of the next circuit.
#[derive(Clone, Debug)]
pub(super) struct Expander {
    next: Vec<u8>,
    racks: usize,
}

/// Two racks without a path, and when in the cycle they have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Apart {
    pub at: Duration,
    pub from: u32,
    pub to: u32,
}

/// Bytes of the tables.
pub(super) fn bytes(slices: &Slices) -> f64 {
    let racks = f64::from(slices.racks());
    f64::from(slices.phases()) * racks * racks
}

impl Expander {
    /// The tables, if every rack reaches every other one in each slice. Of several next circuits on shortest paths it
    /// is that of the first switch.
    pub fn new(slices: &Slices) -> Result<Expander, Apart> {
        let racks = slices.racks() as usize;
        let mut next = Vec::with_capacity(slices.phases() as usize * racks * racks);
        for phase in 0..slices.phases() {
            let (at, lit) = slices.in_phase(phase);
            let table = table(&Graph::new(slices, lit));
            if let Some(place) = table.iter().position(|switch| *switch == NONE) {
                let at = Duration::from_ps(at);
                return Err(Apart { at, from: (place / racks) as u32, to: (place % racks) as u32 });
            }
            next.extend(table);
        }
        Ok(Expander { next, racks })
    }

    /// The switch of the next circuit from a rack to another one.
    #[inline]
    pub fn next(&self, phase: u32, from: u32, to: u32) -> usize {
        usize::from(self.next[(phase as usize * self.racks + from as usize) * self.racks + to as usize])
    }
}

/// The circuits of a part of the cycle.
struct Graph<'a> {
    /// By switch: to which rack each rack's circuit leads; `None` if it is dark.
    circuits: Vec<Option<&'a Matching>>,
    /// By rack: those whose circuits lead to it.
    before: Vec<Vec<u32>>,
}

impl<'a> Graph<'a> {
    fn new(slices: &'a Slices, lit: Vec<Option<u32>>) -> Graph<'a> {
        let matching = |number: Option<u32>| number.map(|number| &slices.matchings()[number as usize].1);
        let circuits: Vec<_> = lit.into_iter().map(matching).collect();
        let mut before = vec![Vec::new(); slices.racks() as usize];
        for (from, to) in circuits.iter().flatten().flat_map(|matching| (0..).zip(matching.iter())) {
            to.iter().for_each(|to| before[*to as usize].push(from));
        }
        Graph { circuits, before }
    }

    /// Circuits from each rack to `to`, along a shortest path; `u32::MAX` where there is none.
    fn distances(&self, to: u32) -> Vec<u32> {
        let mut distance = vec![u32::MAX; self.before.len()];
        distance[to as usize] = 0;
        let mut reached = vec![to];
        let mut place = 0;
        while let Some(rack) = reached.get(place).copied() {
            place += 1;
            for before in &self.before[rack as usize] {
                if distance[*before as usize] == u32::MAX {
                    distance[*before as usize] = distance[rack as usize] + 1;
                    reached.push(*before);
                }
            }
        }
        distance
    }
}

/// By rack and far rack; a rack has the first switch to itself.
fn table(graph: &Graph) -> Vec<u8> {
    let racks = graph.before.len();
    let mut next = vec![NONE; racks * racks];
    for to in 0..racks {
        let distance = graph.distances(to as u32);
        for from in 0..racks {
            let leads_nearer = |circuits: &Option<&Matching>| {
                let far = circuits.and_then(|matching| matching[from]);
                far.is_some_and(|far| distance[far as usize].checked_add(1) == Some(distance[from]))
            };
            let first = graph.circuits.iter().position(leads_nearer);
            let switch = if from == to { Some(0) } else { first };
            next[from * racks + to] = switch.map_or(NONE, |switch| switch as u8);
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::super::slices::tests::offsets;
    use super::*;
    use control::scheduler::circuits::{CircuitSchedule, Order};

    #[test]
    fn the_next_circuit_is_the_first_on_a_shortest_path() {
        let expander = Expander::new(&offsets(Order::Together, 10, 0)).unwrap();
        // From 0 by steps of 1 or 2: 1 and 2 at once, 3 as 1 + 2, 4 as 2 + 2.
        let first: Vec<usize> = (1..5).map(|to| expander.next(0, 0, to)).collect();
        assert_eq!(first, [0, 1, 0, 1]);
        // By steps of 3 or 4, after a dark part: 3 and 4 at once, 1 as 3 + 3, 2 as 3 + 4.
        for phase in [1, 2] {
            let second: Vec<usize> = (1..5).map(|to| expander.next(phase, 0, to)).collect();
            assert_eq!(second, [0, 0, 0, 1]);
        }
    }

    #[test]
    fn a_switch_that_is_about_to_change_is_not_used() {
        let expander = Expander::new(&offsets(Order::OneByOne, 10, 0)).unwrap();
        // Offsets 1 (switch 0) and 4 (switch 1, from the cycle before); then switch 1 is dark.
        assert_eq!((expander.next(0, 0, 4), expander.next(1, 0, 4)), (1, 0));
    }

    #[test]
    fn racks_that_do_not_meet_in_a_slice_are_found() {
        let text = "week_ps,reconfiguration_ps,switch,start_ps,length_ps,outputs\n100,0,0,40,60,1 0 3 2\n";
        let slices = Slices::new(CircuitSchedule::from_csv(text).unwrap(), 0);
        let apart = Apart { at: Duration::from_ps(40), from: 0, to: 2 };
        assert_eq!(Expander::new(&slices).unwrap_err(), apart);
    }
}
