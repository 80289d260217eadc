//! The exact scheduler: Birkhoff 1946, von Neumann 1953; the bound is König's (1916).
//!
//! The matrix is filled up until every row and column has the same sum L, that of the longest line. Then the positive
//! entries always hold a perfect matching (Hall), the slots in which it is served take the same from every line, and
//! after L slots nothing is left: no schedule can be shorter.
//!
//! A matching is held until one of its entries is served. Only the rows that ran empty are matched again, by a
//! breadth-first search for an augmenting path over sets of columns. An entry's remainder is written back when its row
//! is taken off it, so a block costs the search for the least remainder and the paths. At most N² + 2N blocks.

use super::support::{Columns, Matching, Support, first, with_words};
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
    nodes: usize,
    /// Requests not served yet. An entry being served still has what it had when its row came to it.
    real: Vec<u32>,
    /// What fills the lines up to the same sum, served as idle slots after the request of the same entry.
    filling: Vec<u32>,
    support: Support<W>,
    matching: Matching<W>,
    /// When the entry that each row serves is used up.
    until: Vec<u32>,
    /// What each row sends to: its column, or idle while it serves filling.
    outputs: Vec<u16>,
    /// Of the search.
    parent: Vec<u16>,
    queue: Vec<u16>,
    all: Columns<W>,
}

impl<const W: usize> Decomposition<W> {
    /// Of requests whose rows and columns have these `sums`.
    fn new(requests: &Requests, sums: LineSums, length: u32) -> Decomposition<W> {
        let nodes = requests.nodes();
        let mut support = Support::of(requests);
        let filling = fill(sums, length, &mut support);
        Decomposition {
            nodes,
            real: requests.slots().to_vec(),
            filling,
            support,
            matching: Matching::new(nodes),
            until: vec![0; nodes],
            outputs: vec![IDLE; nodes],
            parent: vec![0; nodes],
            queue: Vec::with_capacity(nodes),
            all: Columns::all(nodes),
        }
    }

    fn run(&mut self, length: u32, schedule: &mut Schedule) {
        let (mut now, mut empty) = (0, self.all);
        while now < length {
            empty.for_each(|row| self.augment(row, now));
            (now, empty) = first(&self.until);
            schedule.push(now, &self.outputs);
            let served = empty;
            served.for_each(|row| empty.remove_if(self.use_up(row, now), row));
        }
    }

    /// The entry of `row` is served. Returns whether its filling follows; else the row has no column.
    fn use_up(&mut self, row: usize, now: u32) -> bool {
        let column = usize::from(self.matching.column_of[row]);
        let entry = row * self.nodes + column;
        let was_real = self.outputs[row] != IDLE;
        let spent = if was_real { &mut self.real } else { &mut self.filling };
        spent[entry] = 0;
        if was_real && self.filling[entry] > 0 {
            self.serve(row, column, now);
            return true;
        }
        self.support.remove(row, column);
        self.matching.part(row, column);
        false
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

    /// Matches `start`, which has no column, by the shortest augmenting path.
    fn augment(&mut self, start: usize, now: u32) {
        let found = self.search(start).expect("equal line sums leave a perfect matching");
        let mut column = found;
        loop {
            let row = usize::from(self.parent[column]);
            let before = self.matching.column_of[row];
            if row != start {
                self.leave(row, usize::from(before), now);
            }
            self.matching.join(row, column);
            self.serve(row, column, now);
            if row == start {
                return;
            }
            column = usize::from(before);
        }
    }

    /// A free column that can be reached from `start`, and the way in `parent`.
    fn search(&mut self, start: usize) -> Option<usize> {
        let mut unvisited = self.all;
        self.queue.clear();
        self.queue.push(start as u16);
        let mut at = 0;
        while let Some(&row) = self.queue.get(at) {
            at += 1;
            let reachable = self.support.row(usize::from(row));
            if let Some(column) = self.matching.free.first_in(reachable) {
                self.parent[column] = row;
                return Some(column);
            }
            let (parent, queue, row_of) = (&mut self.parent, &mut self.queue, &self.matching.row_of);
            unvisited.take(reachable, |column| {
                parent[column] = row;
                queue.push(row_of[column]);
            });
        }
        None
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
