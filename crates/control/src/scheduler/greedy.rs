//! The fast scheduler: a Birkhoff–von Neumann decomposition that gives up optimality.
//!
//! QBvN (Peng, Bochmann, Hall 2006), the scheduler measured in paper 003, is known here by its idea only: build the
//! permutations row by row, with limited repair. This does the same and does not claim its bits. Connections are held
//! until one has served its request; each input without an output then takes a free one it has a request for, or else
//! one of an input that can move to a free one at once. What is left when the frame ends is not served, so the first
//! input changes from frame to frame: a demand that stays is not cut at the same place every time.

use super::support::{Columns, Matching, NONE, Support, first, with_words};
use super::{IDLE, Requests, Schedule, Scheduler};

/// The scheduler `greedy`.
#[derive(Debug, Default)]
pub struct Greedy {
    /// The input that is matched first.
    first: usize,
}

/// A row that serves nothing.
const NEVER: u32 = u32::MAX;

impl Scheduler for Greedy {
    fn schedule(&mut self, requests: &Requests, frame: u32) -> Schedule {
        let first = self.first % requests.nodes();
        self.first = first + 1;
        with_words!(requests.nodes(), W => Work::<W>::new(requests, first).schedule(frame))
    }
}

/// What is left of the matrix, and the connections that hold.
struct Work<const W: usize> {
    nodes: usize,
    /// The row that is matched first.
    first: usize,
    /// Requests not served yet; an entry being served still has what it had when its row came to it.
    left: Vec<u32>,
    support: Support<W>,
    matching: Matching<W>,
    /// When the entry that each row serves is used up.
    until: Vec<u32>,
}

impl<const W: usize> Work<W> {
    fn new(requests: &Requests, first: usize) -> Work<W> {
        // The schedule's outputs are the matching's columns.
        const { assert!(IDLE == NONE) };
        let nodes = requests.nodes();
        Work {
            nodes,
            first,
            left: requests.slots().to_vec(),
            support: Support::of(requests),
            matching: Matching::new(nodes),
            until: vec![NEVER; nodes],
        }
    }

    fn schedule(mut self, frame: u32) -> Schedule {
        let mut schedule = Schedule::empty(self.nodes, frame);
        let mut now = 0;
        while now < frame {
            self.match_idle_rows(now);
            let (next, rows): (u32, Columns<W>) = first(&self.until);
            if next == NEVER {
                break;
            }
            now = next.min(frame);
            schedule.push(now, &self.matching.column_of);
            if next == now {
                rows.for_each(|row| self.end(row));
            }
        }
        schedule
    }

    fn match_idle_rows(&mut self, now: u32) {
        for row in (self.first..self.nodes).chain(0..self.first) {
            if self.matching.column_of[row] != NONE {
                continue;
            }
            if let Some(column) = self.matching.free.first_in(self.support.row(row)) {
                self.join(row, column, now);
            } else if let Some((column, other, to)) = self.repair(row) {
                self.move_to(other, to, now);
                self.join(row, column, now);
            }
        }
    }

    /// A column that `row` wants, the row that has it, and a free column that this one wants too.
    fn repair(&self, row: usize) -> Option<(usize, usize, usize)> {
        self.support.row(row).iter().take(REPAIRS).find_map(|column| {
            let other = usize::from(self.matching.row_of[column]);
            self.matching.free.first_in(self.support.row(other)).map(|to| (column, other, to))
        })
    }

    fn join(&mut self, row: usize, column: usize, now: u32) {
        self.matching.join(row, column);
        self.until[row] = now.saturating_add(self.left[row * self.nodes + column]);
    }

    fn move_to(&mut self, row: usize, column: usize, now: u32) {
        let before = usize::from(self.matching.column_of[row]);
        self.left[row * self.nodes + before] = self.until[row] - now;
        self.matching.part(row, before);
        self.join(row, column, now);
    }

    /// The entry of `row` is served.
    fn end(&mut self, row: usize) {
        let column = usize::from(self.matching.column_of[row]);
        self.left[row * self.nodes + column] = 0;
        self.support.remove(row, column);
        self.matching.part(row, column);
        self.until[row] = NEVER;
    }
}

/// Columns that are tried for a repair.
const REPAIRS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_input_takes_a_free_output() {
        let requests = Requests::new(2, vec![1, 2, 2, 1]).unwrap();
        let schedule = Greedy::default().schedule(&requests, 3);
        assert_eq!((schedule.length(), schedule.granted()), (3, vec![1, 2, 2, 1]));
    }

    /// Demands that fill every line of six nodes and 12 slots. A frame leaves some requests without a slot; of six
    /// frames none is left out in all.
    #[test]
    fn no_request_is_cut_in_every_frame() {
        let mut starving = 0;
        for seed in 0..300u32 {
            let (nodes, mut slots, mut random) = (6, vec![0; 36], seed);
            for _ in 0..12 {
                let mut columns: Vec<usize> = (0..nodes).collect();
                for last in (1..nodes).rev() {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    columns.swap(last, (random >> 16) as usize % (last + 1));
                }
                columns.iter().enumerate().for_each(|(row, column)| slots[row * nodes + column] += 1);
            }
            let (requests, mut greedy) = (Requests::new(nodes, slots).unwrap(), Greedy::default());
            let mut granted = greedy.schedule(&requests, 12).granted();
            starving +=
                granted.iter().zip(requests.slots()).filter(|(given, asked)| **given == 0 && **asked > 0).count();
            for _ in 1..nodes {
                granted.iter_mut().zip(greedy.schedule(&requests, 12).granted()).for_each(|(sum, slots)| *sum += slots);
            }
            assert!(
                granted.iter().zip(requests.slots()).all(|(given, asked)| *given > 0 || *asked == 0),
                "{requests:?}"
            );
        }
        assert!(starving > 0, "a frame by itself leaves requests without a slot");
    }

    #[test]
    fn one_repair_serves_what_the_first_choice_blocks() {
        // Input 0 takes output 0, the only one that input 1 wants; it moves to output 1.
        let requests = Requests::new(2, vec![1, 1, 1, 0]).unwrap();
        let schedule = Greedy::default().schedule(&requests, 2);
        assert_eq!(schedule.blocks().next().map(|block| block.outputs.to_vec()), Some(vec![1, 0]));
        assert_eq!(schedule.granted(), [1, 1, 1, 0]);
    }
}
