//! What is admitted when rows or columns ask for more slots than the frame has: max-min shares, in whole slots.
//!
//! Progressive filling: in every round each entry that wants more gets a slot, one after the other along the diagonals, until
//! its request is met or its row or column is full. Who is refused a slot therefore has a full line in which nobody has more
//! than one slot above it. As many rounds as no line can notice are done at once. In round k no line has more than
//! frame/k entries that still rise, so all rounds cost at most nodes · frame · ln(frame) steps. With weights, an entry gets as many slots in a
//! round as it weighs.

use super::{LineSums, Requests};

/// The max-min shares of `requests` in which every row and column has at most `frame` slots.
pub fn share(requests: &Requests, frame: u32) -> Requests {
    let filled = Filling::served(requests, frame);
    Requests::new(requests.nodes(), filled.given).expect("as many entries as the requests have")
}

/// [`share`] by weight: an entry of weight w gets w slots where one of weight 1 gets one. An entry without weight gets what the others leave.
pub fn share_weighted(requests: &Requests, frame: u32, weights: &Requests) -> Requests {
    let nodes = requests.nodes();
    assert_eq!(nodes, weights.nodes(), "every entry has a weight");
    let weighted = Filling { weights: Some(weights.slots()), ..Filling::new(requests, frame) };
    let Filling { given, rows, columns, .. } = weighted.filled();
    // What has no weight rises last, a slot a round.
    let rest = Filling { given, rows, columns, ..Filling::new(requests, frame) };
    Requests::new(nodes, rest.filled().given).expect("as many entries as the requests have")
}

/// [`share`], and what is left of the frame is shared max-min too, among the pairs of nodes that `takes` names.
pub fn share_all(requests: &Requests, frame: u32, takes: impl Fn(usize, usize) -> bool) -> Requests {
    let (nodes, served) = (requests.nodes(), Filling::served(requests, frame));
    let pairs = (0..nodes).flat_map(|input| (0..nodes).map(move |output| (input, output)));
    let endless = pairs.map(|(input, output)| if takes(input, output) { u32::MAX } else { 0 }).collect();
    let endless = Requests::new(nodes, endless).expect("as many entries as the requests have");
    let Filling { given, rows, columns, .. } = served;
    let rest = Filling { given, rows, columns, ..Filling::new(&endless, frame) };
    Requests::new(nodes, rest.filled().given).expect("as many entries as the requests have")
}

/// An entry of the matrix.
#[derive(Clone, Copy)]
struct Entry {
    row: u16,
    column: u16,
    /// Its place among all entries, row after row.
    place: u32,
}

struct Filling<'a> {
    requests: &'a Requests,
    /// Slots of each entry in a round; without them one.
    weights: Option<&'a [u32]>,
    given: Vec<u32>,
    /// What is left of each row and of each column.
    rows: Vec<u32>,
    columns: Vec<u32>,
    /// The entries that want more, along the diagonals.
    rising: Vec<Entry>,
}

impl<'a> Filling<'a> {
    fn new(requests: &'a Requests, frame: u32) -> Filling<'a> {
        let nodes = requests.nodes();
        let entry = |row: usize, column: usize| Entry {
            row: row as u16,
            column: column as u16,
            place: (row * nodes + column) as u32,
        };
        let diagonal = |shift: usize| (0..nodes).map(move |row| entry(row, (row + shift) % nodes));
        let wanted = |entry: &Entry| requests.slots()[entry.place as usize] > 0;
        Filling {
            requests,
            weights: None,
            given: vec![0; nodes * nodes],
            rows: vec![frame; nodes],
            columns: vec![frame; nodes],
            rising: (0..nodes).flat_map(diagonal).filter(wanted).collect(),
        }
    }

    /// The filling of `requests` in a frame with nothing in it. Where everything fits, its end is known.
    fn served(requests: &'a Requests, frame: u32) -> Filling<'a> {
        let sums = requests.line_sums();
        if sums.longest() > u64::from(frame) {
            return Filling::new(requests, frame).filled();
        }
        let left = |sums: Vec<u64>| sums.into_iter().map(|sum| frame - sum as u32).collect();
        let (rows, columns) = (left(sums.rows), left(sums.columns));
        Filling { requests, weights: None, given: requests.slots().to_vec(), rows, columns, rising: Vec::new() }
    }

    /// The end of the filling.
    fn filled(mut self) -> Filling<'a> {
        let mut rising = LineSums::none(self.requests.nodes());
        while !self.rising.is_empty() {
            match self.unnoticed_rounds(&mut rising) {
                0 => self.one_round(),
                rounds => self.several_rounds(rounds),
            }
        }
        self
    }

    /// The rounds in which every entry that rises could get a slot; `in_round` becomes what the lines rise by in one.
    fn unnoticed_rounds(&self, in_round: &mut LineSums) -> u32 {
        in_round.rows.fill(0);
        in_round.columns.fill(0);
        for Entry { row, column, place } in &self.rising {
            let weight = self.weights.map_or(1, |weights| u64::from(weights[*place as usize]));
            in_round.rows[usize::from(*row)] += weight;
            in_round.columns[usize::from(*column)] += weight;
        }
        let rows = self.rows.iter().zip(&in_round.rows);
        let lines = rows.chain(self.columns.iter().zip(&in_round.columns));
        lines.filter_map(|(room, rising)| u64::from(*room).checked_div(*rising)).min().unwrap_or(0) as u32
    }

    fn several_rounds(&mut self, rounds: u32) {
        self.give(|wanted, _, weight| wanted.min(rounds.saturating_mul(weight)));
    }

    fn one_round(&mut self) {
        self.give(|wanted, room, weight| wanted.min(room).min(weight));
    }

    /// Gives each rising entry what `part` says of what it still wants, of the room in its lines, and of its weight. Those that are met, or
    /// whose lines are full, rise no more.
    fn give(&mut self, part: impl Fn(u32, u32, u32) -> u32) {
        let (requests, weights) = (self.requests.slots(), self.weights);
        let (given, rows, columns) = (&mut self.given, &mut self.rows, &mut self.columns);
        self.rising.retain(|entry| {
            let place = entry.place as usize;
            let (row, column) = (&mut rows[usize::from(entry.row)], &mut columns[usize::from(entry.column)]);
            let (given, wanted) = (&mut given[place], requests[place]);
            let weight = weights.map_or(1, |weights| weights[place]);
            let slots = part(wanted - *given, (*row).min(*column), weight);
            *given += slots;
            *row -= slots;
            *column -= slots;
            slots > 0 && *given < wanted
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shared(nodes: usize, slots: &[u32], frame: u32) -> Vec<u32> {
        share(&Requests::new(nodes, slots.to_vec()).unwrap(), frame).slots().to_vec()
    }

    #[test]
    fn what_fits_is_admitted_as_it_is() {
        assert_eq!(shared(2, &[3, 1, 0, 4], 5), [3, 1, 0, 4]);
    }

    proptest! {
        #[test]
        fn what_fits_needs_no_rounds(slots in prop::collection::vec(0u32..6, 16), frame in 1u32..25) {
            let requests = Requests::new(4, slots).unwrap();
            let (known, filled) = (Filling::served(&requests, frame), Filling::new(&requests, frame).filled());
            prop_assert_eq!((known.given, known.rows, known.columns), (filled.given, filled.rows, filled.columns));
        }
    }

    #[test]
    fn a_full_line_is_shared_equally_and_small_requests_are_met() {
        // Of 12 slots: 2 as asked, then 5 each.
        assert_eq!(shared(3, &[2, 9, 90, 0, 0, 0, 0, 0, 0], 12), [2, 5, 5, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn what_one_bottleneck_leaves_goes_to_the_next_level() {
        // Column 0 is shared by two: 5 each; the rest of row 0 goes to its other entry.
        assert_eq!(shared(2, &[100, 100, 100, 0], 10), [5, 5, 5, 0]);
        assert_eq!(shared(3, &[100, 100, 0, 100, 0, 0, 100, 0, 0], 9), [3, 6, 0, 3, 0, 0, 3, 0, 0]);
    }

    #[test]
    fn what_nobody_asked_for_is_shared() {
        let all = |nodes: usize, slots: &[u32], takes: fn(usize, usize) -> bool| {
            share_all(&Requests::new(nodes, slots.to_vec()).unwrap(), 10, takes).slots().to_vec()
        };
        // Row 0 has 10 slots: 2 and 4 as asked, then 2 each of the other 4.
        assert_eq!(all(2, &[2, 4, 0, 0], |input, _| input == 0), [4, 6, 0, 0]);
        // Column 0 is full with what was asked for, so the other columns get all of the rest.
        assert_eq!(all(2, &[3, 1, 7, 0], |_, _| true), [3, 7, 7, 3]);
        assert_eq!(all(2, &[3, 1, 7, 0], |_, _| false), [3, 1, 7, 0]);
    }

    #[test]
    fn a_full_line_is_shared_by_weight_and_what_weighs_nothing_gets_the_rest() {
        let weighted = |slots: &[u32], weights: &[u32]| {
            let (requests, weights) = (Requests::new(3, slots.to_vec()), Requests::new(3, weights.to_vec()));
            share_weighted(&requests.unwrap(), 12, &weights.unwrap()).slots()[..3].to_vec()
        };
        // 12 slots as 3 : 2 : 1.
        assert_eq!(weighted(&[90, 90, 90, 0, 0, 0, 0, 0, 0], &[3, 2, 1, 0, 0, 0, 0, 0, 0]), [6, 4, 2]);
        // The first wants only 3; of the other 9 the second has two of three.
        assert_eq!(weighted(&[3, 90, 90, 0, 0, 0, 0, 0, 0], &[9, 2, 1, 0, 0, 0, 0, 0, 0]), [3, 6, 3]);
        assert_eq!(weighted(&[4, 90, 5, 0, 0, 0, 0, 0, 0], &[1, 0, 1, 0, 0, 0, 0, 0, 0]), [4, 3, 5]);
    }

    #[test]
    fn slots_left_over_go_one_to_each() {
        // 10 slots for three: 4, 3, 3 in some order.
        let mut given = shared(3, &[50, 50, 50, 0, 0, 0, 0, 0, 0], 10);
        given.sort_unstable();
        assert_eq!(given[6..], [3, 3, 4]);
    }

    #[test]
    fn the_largest_requests_are_shared_without_overflow() {
        assert_eq!(shared(2, &[u32::MAX; 4], 7).iter().sum::<u32>(), 14);
    }
}
