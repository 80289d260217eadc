//! The exact scheduler: Birkhoff 1946, von Neumann 1953; the bound is König's (1916).
//!
//! The matrix is filled up until every row and column has the same sum L, that of the longest line. Then the positive
//! entries always hold a perfect matching (Hall), the slots in which it is served take the same from every line, and
//! after L slots nothing is left: no schedule can be shorter.
//!
//! A matching is held until one of its entries is served. Only the rows that ran empty are matched again, by a
//! breadth-first search for an augmenting path over sets of columns. An entry's remainder is written back when its row
//! is taken off it, so a block costs the search for the least remainder and the paths. At most N² + 2N blocks.

use super::support::{AugmentingPaths, Columns, Matching, Support, first, with_words};
use super::{IDLE, LineSums, Requests, Schedule, Scheduler};

/// The scheduler `bvn`; every frame for itself.
#[derive(Debug, Default)]
pub struct Bvn;

impl Scheduler for Bvn {
    fn schedule(&mut self, requests: &Requests, frame: u32) -> Schedule {
        let mut schedule = Schedule::empty(requests.nodes(), frame);
        let sums = requests.line_sums();
        let length = u32::try_from(sums.longest()).map_or(frame, |length| length.min(frame));
        if length > 0 {
            with_words!(requests.nodes(), W => {
                Decomposition::<W>::new(requests, sums, length).run(length, &mut schedule)
            });
        }
        schedule
    }
}

/// What is left of the matrix, and the matching that is being served.
struct Decomposition<const W: usize> {
    rest: Rest,
    support: Support<W>,
    matching: Matching<W>,
    paths: AugmentingPaths<W>,
    all: Columns<W>,
}

/// What is not served yet, and what each row serves.
struct Rest {
    nodes: usize,
    /// Requests not served yet. An entry being served still has what it had when its row came to it.
    real: Vec<u32>,
    /// What fills the lines up to the same sum, served as idle slots after the request of the same entry.
    filling: Vec<u32>,
    /// When the entry that each row serves is used up.
    until: Vec<u32>,
    /// What each row sends to: its column, or idle while it serves filling.
    outputs: Vec<u16>,
}

impl<const W: usize> Decomposition<W> {
    /// Of requests whose rows and columns have these `sums`.
    fn new(requests: &Requests, sums: LineSums, length: u32) -> Decomposition<W> {
        let nodes = requests.nodes();
        let mut support = Support::of(requests);
        let filling = fill(sums, length, &mut support);
        let (real, until, outputs) = (requests.slots().to_vec(), vec![0; nodes], vec![IDLE; nodes]);
        Decomposition {
            rest: Rest { nodes, real, filling, until, outputs },
            support,
            matching: Matching::new(nodes),
            paths: AugmentingPaths::new(nodes),
            all: Columns::all(nodes),
        }
    }

    fn run(&mut self, length: u32, schedule: &mut Schedule) {
        let (mut now, mut empty) = (0, self.all);
        while now < length {
            empty.for_each(|row| self.augment(row, now));
            (now, empty) = first(&self.rest.until);
            schedule.push(now, &self.rest.outputs);
            let served = empty;
            served.for_each(|row| empty.remove_if(self.use_up(row, now), row));
        }
    }

    /// The entry of `row` is served. Returns whether its filling follows; else the row has no column.
    fn use_up(&mut self, row: usize, now: u32) -> bool {
        let column = usize::from(self.matching.column_of[row]);
        if self.rest.use_up(row, column, now) {
            return true;
        }
        self.support.remove(row, column);
        self.matching.part(row, column);
        false
    }

    /// Matches `start`, which has no column, by the shortest augmenting path.
    fn augment(&mut self, start: usize, now: u32) {
        let Decomposition { rest, support, matching, paths, .. } = self;
        let is_matched = paths.augment(start, support, matching, |row, before, column| {
            if let Some(before) = before {
                rest.leave(row, before, now);
            }
            rest.serve(row, column, now);
        });
        assert!(is_matched, "equal line sums leave a perfect matching");
    }
}

impl Rest {
    /// The entry is served. Returns whether its filling follows.
    fn use_up(&mut self, row: usize, column: usize, now: u32) -> bool {
        let entry = row * self.nodes + column;
        let was_real = self.outputs[row] != IDLE;
        let spent = if was_real { &mut self.real } else { &mut self.filling };
        spent[entry] = 0;
        let is_followed = was_real && self.filling[entry] > 0;
        if is_followed {
            self.serve(row, column, now);
        }
        is_followed
    }

    /// `row` serves `column` from now on: the request first.
    fn serve(&mut self, row: usize, column: usize, now: u32) {
        let entry = row * self.nodes + column;
        let real = self.real[entry];
        self.outputs[row] = if real > 0 { column as u16 } else { IDLE };
        self.until[row] = now + if real > 0 { real } else { self.filling[entry] };
    }

    /// `row` leaves its column with what is not served of it.
    fn leave(&mut self, row: usize, column: usize, now: u32) {
        let rest = if self.outputs[row] == IDLE { &mut self.filling } else { &mut self.real };
        rest[row * self.nodes + column] = self.until[row] - now;
    }
}

/// Entries that bring every line to `length`: at most 2N of them, by walking along the rows' and the columns' deficits.
fn fill<const W: usize>(sums: LineSums, length: u32, support: &mut Support<W>) -> Vec<u32> {
    let LineSums { rows, columns } = sums;
    let nodes = rows.len();
    // A line's sum is at most `length`, which has 32 bits.
    let deficit = |sum: u64| length - sum as u32;
    let mut missing: Vec<u32> = columns.into_iter().map(deficit).collect();
    let mut filling = vec![0; nodes * nodes];
    let mut column = 0;
    for (row, sum) in rows.into_iter().enumerate() {
        let mut needed = deficit(sum);
        while needed > 0 {
            let part = needed.min(missing[column]);
            if part == 0 {
                column += 1;
                continue;
            }
            filling[row * nodes + column] += part;
            support.insert(row, column);
            needed -= part;
            missing[column] -= part;
        }
    }
    filling
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_of_equal_lines_takes_as_many_slots_as_a_line_has() {
        // 2 1 / 1 2: the identity twice and the exchange once.
        let requests = Requests::new(2, vec![2, 1, 1, 2]).unwrap();
        let schedule = Bvn.schedule(&requests, 3);
        assert_eq!((schedule.length(), schedule.granted()), (3, vec![2, 1, 1, 2]));
    }

    #[test]
    fn the_longest_line_is_the_length() {
        let requests = Requests::new(3, vec![0, 4, 1, 2, 0, 0, 0, 3, 0]).unwrap();
        let schedule = Bvn.schedule(&requests, 100);
        assert_eq!(schedule.length(), 7, "the column 4 + 3");
        assert_eq!(schedule.granted(), requests.slots());
    }
}
