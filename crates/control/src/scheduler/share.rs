//! What is admitted when rows or columns ask for more slots than the frame has: max-min shares, in whole slots.
//!
//! Progressive filling: in every round each entry that wants more gets a slot, one after the other along the diagonals,
//! until its request is met or its row or column is full. Who is refused a slot therefore has a full line in which
//! nobody has more than one slot above it. The entry that is first moves on by one with every `turn`, so what cannot be
//! divided evenly is not for the same entries in every frame. As many rounds as no line can notice are done at once. In
//! round k no line has more than frame/k entries that still rise, so all rounds cost at most nodes · frame · ln(frame)
//! steps.
//!
//! With weights, an entry gets as many slots in a round as it weighs, one by one: the next slot goes to the entry with
//! the fewest slots for its weight; of equals to the heavier one, then to the first along the diagonals. So 12 slots by
//! 50 : 30 : 20 are 6, 4 and 2. Who is refused a slot has a full line in which nobody would have more for its weight
//! with one slot less. A line with as many slots as entries leaves no entry without.

use super::{LineSums, Requests};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The max-min shares of `requests` in which every row and column has at most `frame` slots, in the frame that has this
/// turn.
pub fn share(requests: &Requests, frame: u32, turn: u64) -> Requests {
    let filled = Filling::served(requests, frame, turn);
    Requests::new(requests.nodes(), filled.given).expect("as many entries as the requests have")
}

/// [`share`] by weight: an entry of weight w gets w slots where one of weight 1 gets one, rounded to whole slots as
/// this module says. An entry of weight 0 gets what the others leave; those share it equally.
pub fn share_weighted(requests: &Requests, frame: u32, turn: u64, weights: &Requests) -> Requests {
    let filled = Filling::by_weight(Filling::new(requests, frame, turn), requests, turn, weights);
    Requests::new(requests.nodes(), filled.given).expect("as many entries as the requests have")
}

/// [`share`], or [`share_weighted`] where there are weights, and what is left of the frame is shared in the same way
/// among the pairs of nodes that `takes` names.
pub fn share_all(
    requests: &Requests,
    frame: u32,
    turn: u64,
    weights: Option<&Requests>,
    takes: impl Fn(usize, usize) -> bool,
) -> Requests {
    let nodes = requests.nodes();
    let pairs = (0..nodes).flat_map(|input| (0..nodes).map(move |output| (input, output)));
    let endless = pairs.map(|(input, output)| if takes(input, output) { u32::MAX } else { 0 }).collect();
    let endless = Requests::new(nodes, endless).expect("as many entries as the requests have");
    let served = match weights {
        Some(weights) => {
            let first = Filling { phases: Some(turn), ..Filling::new(requests, frame, turn) };
            Filling::by_weight(first, requests, turn, weights)
        }
        None => Filling::served(requests, frame, turn),
    };
    let rest = served.goes_on(&endless, turn);
    let filled = match weights {
        Some(weights) => Filling::by_weight(rest, &endless, turn, weights),
        None => rest.filled(),
    };
    Requests::new(nodes, filled.given).expect("as many entries as the requests have")
}

/// An entry of the matrix.
#[derive(Clone, Copy)]
struct Entry {
    row: u16,
    column: u16,
    /// Its place among all entries, row after row.
    place: u32,
}

/// An entry of a weighted round, as its next slot is due: by what it has for its weight, then by weight, then along the
/// diagonals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    /// Slots it has of this round.
    given: u32,
    /// By how many parts of a slot it counts as having more.
    ahead: u32,
    weight: u32,
    /// Its place among those that rise.
    turn: u32,
}

impl Step {
    /// The one after it, if this round has one.
    fn next(self) -> Option<Step> {
        let given = self.given + 1;
        (given < self.weight).then_some(Step { given, ..self })
    }
}

impl Ord for Step {
    fn cmp(&self, other: &Step) -> Ordering {
        let has = |step: &Step| (u128::from(step.given) << 32) + u128::from(step.ahead);
        let level = |a: &Step, b: &Step| has(a) * u128::from(b.weight);
        let by_level = level(self, other).cmp(&level(other, self));
        by_level.then(other.weight.cmp(&self.weight)).then(self.turn.cmp(&other.turn))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Step) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A part of a slot, of which 2^32 are one: over many turns all parts are met evenly by every place, and by any two
/// together (multiples of unlike odd numbers, after Weyl).
fn phase(turn: u64, place: u32) -> u32 {
    let mixed = (u64::from(place) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let step = ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32) as u32 | 1;
    (turn as u32).wrapping_mul(step)
}

struct Filling<'a> {
    requests: &'a Requests,
    /// Slots of each entry in a round; without them one.
    weights: Option<&'a [u32]>,
    /// What cannot be divided by weight goes round: entries count as having a part of a slot more, another one in every
    /// turn.
    phases: Option<u64>,
    given: Vec<u32>,
    /// What is left of each row and of each column.
    rows: Vec<u32>,
    columns: Vec<u32>,
    /// The entries that want more, along the diagonals.
    rising: Vec<Entry>,
}

impl<'a> Filling<'a> {
    fn new(requests: &'a Requests, frame: u32, turn: u64) -> Filling<'a> {
        let nodes = requests.nodes();
        let entry = |row: usize, column: usize| Entry {
            row: row as u16,
            column: column as u16,
            place: (row * nodes + column) as u32,
        };
        let diagonal = |shift: usize| (0..nodes).map(move |row| entry(row, (row + shift) % nodes));
        let wanted = |entry: &Entry| requests.slots()[entry.place as usize] > 0;
        let mut rising: Vec<Entry> = (0..nodes).flat_map(diagonal).filter(wanted).collect();
        let first = turn.checked_rem(rising.len() as u64).unwrap_or(0);
        rising.rotate_left(first as usize);
        let (given, rows, columns) = (vec![0; nodes * nodes], vec![frame; nodes], vec![frame; nodes]);
        Filling { requests, weights: None, phases: None, given, rows, columns, rising }
    }

    /// The filling of `requests` in a frame with nothing in it. Where everything fits, its end is known.
    fn served(requests: &'a Requests, frame: u32, turn: u64) -> Filling<'a> {
        let sums = requests.line_sums();
        if sums.longest() > u64::from(frame) {
            return Filling::new(requests, frame, turn).filled();
        }
        let left = |sums: Vec<u64>| sums.into_iter().map(|sum| frame - sum as u32).collect();
        let (rows, columns) = (left(sums.rows), left(sums.columns));
        Filling {
            requests,
            weights: None,
            phases: None,
            given: requests.slots().to_vec(),
            rows,
            columns,
            rising: Vec::new(),
        }
    }

    /// The same lines, for other requests.
    fn goes_on(self, requests: &'a Requests, turn: u64) -> Filling<'a> {
        let Filling { given, rows, columns, phases, .. } = self;
        // No entry rises above the frame: what a line has room for counts.
        Filling { given, rows, columns, phases, ..Filling::new(requests, 0, turn) }
    }

    /// The end of the filling by weight; what has none rises last, a slot a round.
    fn by_weight(self, requests: &'a Requests, turn: u64, weights: &'a Requests) -> Filling<'a> {
        assert_eq!(requests.nodes(), weights.nodes(), "every entry has a weight");
        let mut weighted = Filling { weights: Some(weights.slots()), ..self };
        weighted.rising.retain(|entry| weights.slots()[entry.place as usize] > 0);
        Filling { weights: None, ..weighted.filled().goes_on(requests, turn) }.filled()
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
        match self.weights {
            None => self.give(|wanted, room, _| wanted.min(room).min(1)),
            Some(weights) => self.one_round_by(weights),
        }
    }

    /// A round for which a line has no room: slot by slot, to the entry with the fewest slots for its weight.
    fn one_round_by(&mut self, weights: &[u32]) {
        let first = |(turn, entry): (usize, &Entry)| {
            Reverse(Step {
                given: 0,
                ahead: self.phases.map_or(0, |turn| phase(turn, entry.place)),
                weight: weights[entry.place as usize],
                turn: turn as u32,
            })
        };
        let mut steps: BinaryHeap<Reverse<Step>> = self.rising.iter().enumerate().map(first).collect();
        let mut through = vec![false; self.rising.len()];
        while let Some(Reverse(step)) = steps.pop() {
            let turn = step.turn as usize;
            if !self.give_one(self.rising[turn]) {
                continue;
            }
            match step.next() {
                Some(next) => steps.push(Reverse(next)),
                None => through[turn] = true,
            }
        }
        let mut through = through.into_iter();
        self.rising.retain(|_| through.next().unwrap_or(false));
    }

    /// Gives an entry a slot, if its lines have one and it wants one more.
    fn give_one(&mut self, entry: Entry) -> bool {
        let (place, row, column) = (entry.place as usize, usize::from(entry.row), usize::from(entry.column));
        let can = self.given[place] < self.requests.slots()[place] && self.rows[row].min(self.columns[column]) > 0;
        if can {
            self.given[place] += 1;
            self.rows[row] -= 1;
            self.columns[column] -= 1;
        }
        can
    }

    /// Gives each rising entry what `part` says of what it still wants, of the room in its lines, and of its weight.
    /// Those that are met, or whose lines are full, rise no more.
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
        share(&Requests::new(nodes, slots.to_vec()).unwrap(), frame, 0).slots().to_vec()
    }

    #[test]
    fn what_fits_is_admitted_as_it_is() {
        assert_eq!(shared(2, &[3, 1, 0, 4], 5), [3, 1, 0, 4]);
    }

    proptest! {
        #[test]
        fn what_fits_needs_no_rounds(slots in prop::collection::vec(0u32..6, 16), frame in 1u32..25) {
            let requests = Requests::new(4, slots).unwrap();
            let (known, filled) = (Filling::served(&requests, frame, 0), Filling::new(&requests, frame, 0).filled());
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
            share_all(&Requests::new(nodes, slots.to_vec()).unwrap(), 10, 0, None, takes).slots().to_vec()
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
            share_weighted(&requests.unwrap(), 12, 0, &weights.unwrap()).slots()[..3].to_vec()
        };
        // 12 slots as 3 : 2 : 1.
        assert_eq!(weighted(&[90, 90, 90, 0, 0, 0, 0, 0, 0], &[3, 2, 1, 0, 0, 0, 0, 0, 0]), [6, 4, 2]);
        // The first wants only 3; of the other 9 the second has two of three.
        assert_eq!(weighted(&[3, 90, 90, 0, 0, 0, 0, 0, 0], &[9, 2, 1, 0, 0, 0, 0, 0, 0]), [3, 6, 3]);
        assert_eq!(weighted(&[4, 90, 5, 0, 0, 0, 0, 0, 0], &[1, 0, 1, 0, 0, 0, 0, 0, 0]), [4, 3, 5]);
    }

    /// A row of `frame` slots, of which nobody has enough, by these weights.
    fn row_by(weights: &[u32], frame: u32) -> Vec<u32> {
        let nodes = weights.len();
        let row = |first: &[u32]| {
            let mut slots = vec![0; nodes * nodes];
            slots[..nodes].copy_from_slice(first);
            Requests::new(nodes, slots).unwrap()
        };
        share_weighted(&row(&vec![u32::MAX; nodes]), frame, 0, &row(weights)).slots()[..nodes].to_vec()
    }

    /// 12 slots by 50 : 30 : 20 are 6, 3.6 and 2.4: whole slots 6, 4, 2. By 5 : 4 : 3 : 2 : 1 they are 4, 3.2, 2.4, 1.6
    /// and 0.8.
    #[test]
    fn a_weight_larger_than_the_frame_starves_nobody() {
        assert_eq!(row_by(&[50, 30, 20], 12), [6, 4, 2]);
        assert_eq!(row_by(&[20, 30, 50], 12), [2, 4, 6]);
        assert_eq!(row_by(&[5, 4, 3, 2, 1], 12), [4, 3, 2, 2, 1]);
        assert_eq!(row_by(&[5, 5, 5], 12), [4, 4, 4]);
        assert_eq!(row_by(&[12, 12, 12], 12), [4, 4, 4], "each weighs as much as the frame has");
        assert_eq!(row_by(&[u32::MAX; 3], 12), [4, 4, 4]);
        assert_eq!(row_by(&[u32::MAX, 1, 0], 12), [11, 1, 0], "one slot is more for a weight of 1 than any share");
        assert_eq!(row_by(&[0, 0, 0], 12), [4, 4, 4], "without weights the rest, which is all, is shared equally");
        assert_eq!(row_by(&[3, 2, 1], 2), [1, 1, 0], "of equals the heavier");
        assert_eq!(row_by(&[50, 30, 20], 100), [50, 30, 20]);
    }

    /// The module's words without the rounds: one slot after the other, to the entry that has the fewest for its
    /// weight.
    fn slot_by_slot(requests: &Requests, frame: u32, weights: &Requests) -> Vec<u32> {
        let nodes = requests.nodes();
        let mut given = vec![0u32; nodes * nodes];
        let used = |given: &[u32], row: usize, column: usize| -> [u32; 2] {
            let in_row = given[row * nodes..][..nodes].iter().sum();
            [in_row, (0..nodes).map(|row| given[row * nodes + column]).sum()]
        };
        loop {
            let diagonals = (0..nodes * nodes).map(|at| (at % nodes, (at % nodes + at / nodes) % nodes));
            let open = diagonals.filter(|(row, column)| {
                let place = row * nodes + column;
                weights.slots()[place] > 0
                    && given[place] < requests.slots()[place]
                    && used(&given, *row, *column).iter().all(|used| *used < frame)
            });
            let level = |place: usize| f64::from(given[place]) / f64::from(weights.slots()[place]);
            let places = open.map(|(row, column)| row * nodes + column);
            let next = places.min_by(|a, b| {
                let heavier = weights.slots()[*b].cmp(&weights.slots()[*a]);
                level(*a).total_cmp(&level(*b)).then(heavier)
            });
            let Some(place) = next else { return given };
            given[place] += 1;
        }
    }

    proptest! {
        #[test]
        fn rounds_give_what_one_slot_after_the_other_gives(
            slots in prop::collection::vec(0u32..30, 9),
            weights in prop::collection::vec(1u32..60, 9),
            frame in 1u32..40,
        ) {
            let (requests, weights) = (Requests::new(3, slots).unwrap(), Requests::new(3, weights).unwrap());
            let given = share_weighted(&requests, frame, 0, &weights);
            prop_assert_eq!(given.slots(), slot_by_slot(&requests, frame, &weights));
        }

        #[test]
        fn equal_weights_are_no_weights(
            slots in prop::collection::vec(0u32..30, 9),
            weight in prop::sample::select(vec![1, 2, 7, 12, 1000, u32::MAX]),
            frame in 1u32..40,
        ) {
            let (requests, weights) = (Requests::new(3, slots).unwrap(), Requests::new(3, vec![weight; 9]).unwrap());
            prop_assert_eq!(share_weighted(&requests, frame, 7, &weights), share(&requests, frame, 7));
        }

        /// Max-min by weight: whoever wants more has a full line in which nobody has a slot that it needs less.
        #[test]
        fn whoever_is_refused_has_a_full_line_of_no_larger_shares(
            slots in prop::collection::vec(0u32..50, 16),
            weights in prop::collection::vec(1u32..100, 16),
            frame in 1u32..60,
        ) {
            let (requests, weights) = (Requests::new(4, slots).unwrap(), Requests::new(4, weights).unwrap());
            let given = share_weighted(&requests, frame, 0, &weights);
            let sums = given.line_sums();
            prop_assert!(sums.longest() <= u64::from(frame));
            for place in 0..16 {
                let (row, column) = (place / 4, place % 4);
                let (has, weight) = (given.slots()[place], weights.slots()[place]);
                prop_assert!(has <= requests.slots()[place]);
                let fewer = |other: usize| {
                    u64::from(given.slots()[other].saturating_sub(1)) * u64::from(weight)
                        <= u64::from(has) * u64::from(weights.slots()[other])
                };
                let full_row = sums.rows[row] == u64::from(frame) && (0..4).all(|column| fewer(row * 4 + column));
                let full_column =
                    sums.columns[column] == u64::from(frame) && (0..4).all(|row| fewer(row * 4 + column));
                prop_assert!(has == requests.slots()[place] || full_row || full_column, "{row}, {column}");
            }
        }
    }

    #[test]
    fn slots_left_over_go_one_to_each() {
        // 10 slots for three: 4, 3, 3 in some order.
        let mut given = shared(3, &[50, 50, 50, 0, 0, 0, 0, 0, 0], 10);
        given.sort_unstable();
        assert_eq!(given[6..], [3, 3, 4]);
    }

    /// 4 slots for three entries: 2, 1 and 1, in turn. Of two frames of 10 for four, by 1 : 1 : 1 : 1, each has its two
    /// more once.
    #[test]
    fn what_is_left_over_goes_round_from_frame_to_frame() {
        let row = Requests::new(3, vec![9, 9, 9, 0, 0, 0, 0, 0, 0]).unwrap();
        let frames = [0, 1, 2, 3].map(|turn| share(&row, 4, turn).slots()[..3].to_vec());
        assert_eq!(frames, [[2, 1, 1], [1, 2, 1], [1, 1, 2], [2, 1, 1]]);
        let full = Requests::new(4, vec![9; 16]).unwrap();
        let mut sum = [0; 16];
        for turn in 0..16 {
            sum.iter_mut().zip(share(&full, 10, turn).slots()).for_each(|(sum, slots)| *sum += slots);
        }
        assert_eq!(sum, [40; 16], "10 slots for four are 2.5 each");
    }

    #[test]
    fn the_largest_requests_are_shared_without_overflow() {
        assert_eq!(shared(2, &[u32::MAX; 4], 7).iter().sum::<u32>(), 14);
    }
}
