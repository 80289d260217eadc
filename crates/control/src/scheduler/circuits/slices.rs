//! Perfect matchings on the large entries of a matrix whose lines are equally long, one after the other.

use super::super::support::{AugmentingPaths, Matching, NONE, Support, with_words};
use super::Matched;

/// What is left of the matrix, and a matching on the entries that reach the threshold.
pub(super) struct Slicer<const W: usize> {
    ports: usize,
    left: Vec<u64>,
    /// At least 1.
    threshold: u64,
    /// Entries that reach the threshold.
    support: Support<W>,
    matching: Matching<W>,
    paths: AugmentingPaths<W>,
}

impl<const W: usize> Slicer<W> {
    pub(super) fn new(matrix: Vec<u64>, ports: usize, threshold: u64) -> Slicer<W> {
        let mut slicer = Slicer {
            ports,
            left: matrix,
            threshold,
            support: Support::empty(ports),
            matching: Matching::new(ports),
            paths: AugmentingPaths::new(ports),
        };
        slicer.set_threshold(threshold);
        slicer
    }

    pub(super) fn threshold(&self) -> u64 {
        self.threshold
    }

    /// With a lower threshold the matching stays, and more entries can be matched.
    pub(super) fn set_threshold(&mut self, threshold: u64) {
        self.threshold = threshold.max(1);
        for (at, left) in self.left.iter().enumerate().filter(|(_, left)| **left >= self.threshold) {
            debug_assert!(*left > 0);
            self.support.insert(at / self.ports, at % self.ports);
        }
    }

    /// The outputs of a perfect matching and its least entry, if all entries of one reach the threshold.
    pub(super) fn slice(&mut self) -> Option<Matched> {
        for row in 0..self.ports {
            let Slicer { support, matching, paths, .. } = self;
            if matching.column_of[row] == NONE && !paths.augment(row, support, matching, |_, _, _| ()) {
                return None;
            }
        }
        let entry = |(row, column): (usize, &u16)| self.left[row * self.ports + usize::from(*column)];
        let time = self.matching.column_of.iter().enumerate().map(entry).min()?;
        Some(Matched { outputs: self.matching.column_of.clone(), time })
    }

    /// `time` is taken off each entry of the perfect matching.
    pub(super) fn take(&mut self, time: u64) {
        for row in 0..self.ports {
            let column = usize::from(self.matching.column_of[row]);
            let left = &mut self.left[row * self.ports + column];
            *left -= time;
            if *left < self.threshold {
                self.support.remove(row, column);
                self.matching.part(row, column);
            }
        }
    }
}

/// Takes a matrix whose lines have equal sums apart: permutations whose times add up to it (Birkhoff 1946), at most
/// N² − 2N + 2 of them.
///
/// # Panics
/// If line sums differ.
pub fn birkhoff(matrix: &[u64], ports: usize) -> Vec<Matched> {
    with_words!(ports, W => {
        let mut slicer = Slicer::<W>::new(matrix.to_vec(), ports, 1);
        let mut left: u64 = matrix[..ports].iter().sum();
        let mut found = Vec::new();
        while left > 0 {
            let matched = slicer.slice().expect("equal line sums leave a perfect matching");
            slicer.take(matched.time);
            left -= matched.time;
            found.push(matched);
        }
        found
    })
}
