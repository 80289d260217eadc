//! The positive entries of a matrix as bits, and a matching of rows and columns on them.
//!
//! Finding the next column of a row among those that are free or not yet visited is a few and-operations on words.

use super::Requests;

/// A row or column that has no partner.
pub(super) const NONE: u16 = u16::MAX;

/// A set of columns for each row.
#[derive(Clone, Debug)]
pub(super) struct Support {
    words: usize,
    bits: Vec<u64>,
}

impl Support {
    /// Where `requests` are positive.
    pub(super) fn of(requests: &Requests) -> Support {
        let mut support = Support::empty(requests.nodes());
        for row in 0..requests.nodes() {
            let entries = requests.row(row).iter().enumerate();
            entries.filter(|(_, slots)| **slots > 0).for_each(|(column, _)| support.insert(row, column));
        }
        support
    }

    /// Nowhere.
    pub(super) fn empty(nodes: usize) -> Support {
        let words = nodes.div_ceil(64);
        Support { words, bits: vec![0; nodes * words] }
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..][..self.words]
    }

    /// The columns of `row` in order.
    pub(super) fn columns_of(&self, row: usize) -> impl Iterator<Item = usize> {
        self.row(row).iter().enumerate().flat_map(|(at, word)| {
            let rest = |word: &u64| Some(word & (word - 1)).filter(|rest| *rest != 0);
            let words = std::iter::successors(Some(*word).filter(|word| *word != 0), rest);
            words.map(move |word| 64 * at + word.trailing_zeros() as usize)
        })
    }

    #[inline]
    pub(super) fn insert(&mut self, row: usize, column: usize) {
        self.bits[row * self.words + column / 64] |= 1 << (column % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, row: usize, column: usize) {
        self.bits[row * self.words + column / 64] &= !(1 << (column % 64));
    }
}

/// A set of columns.
#[derive(Clone, Debug)]
pub(super) struct Columns(Vec<u64>);

impl Columns {
    /// All of `nodes`.
    pub(super) fn all(nodes: usize) -> Columns {
        let mut words = vec![u64::MAX; nodes.div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !nodes.is_multiple_of(64)) {
            *last = (1 << (nodes % 64)) - 1;
        }
        Columns(words)
    }

    #[inline]
    pub(super) fn insert(&mut self, column: usize) {
        self.0[column / 64] |= 1 << (column % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, column: usize) {
        self.0[column / 64] &= !(1 << (column % 64));
    }

    #[inline]
    pub(super) fn copy_from(&mut self, other: &Columns) {
        self.0.copy_from_slice(&other.0);
    }

    #[inline]
    pub(super) fn contains(&self, column: usize) -> bool {
        self.0[column / 64] & (1 << (column % 64)) != 0
    }

    /// The least column that is also in `row`.
    #[inline]
    pub(super) fn first_in(&self, row: &[u64]) -> Option<usize> {
        let both = self.0.iter().zip(row).map(|(a, b)| a & b);
        both.enumerate().find(|(_, word)| *word != 0).map(|(at, word)| 64 * at + word.trailing_zeros() as usize)
    }

    /// The least column from `start` on that is also in `row`, else the least of all.
    #[inline]
    pub(super) fn next_in(&self, row: &[u64], start: usize) -> Option<usize> {
        let (word, mask) = (start / 64, u64::MAX << (start % 64));
        let from = |at: usize, mask: u64| {
            let both = self.0[at] & row[at] & mask;
            (both != 0).then(|| 64 * at + both.trailing_zeros() as usize)
        };
        let later = || (word + 1..row.len()).find_map(|at| from(at, u64::MAX));
        from(word, mask).or_else(later).or_else(|| self.first_in(row))
    }

    /// Takes out the columns of `row` and calls `found` with each.
    #[inline]
    pub(super) fn take(&mut self, row: &[u64], mut found: impl FnMut(usize)) {
        for (at, (mine, row)) in self.0.iter_mut().zip(row).enumerate() {
            let mut both = *mine & row;
            *mine &= !both;
            while both != 0 {
                found(64 * at + both.trailing_zeros() as usize);
                both &= both - 1;
            }
        }
    }
}

/// Partners of rows and columns.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    /// The column of each row, or [`NONE`].
    pub(super) column_of: Vec<u16>,
    /// The row of each column, or [`NONE`].
    pub(super) row_of: Vec<u16>,
    /// Columns without a row.
    pub(super) free: Columns,
}

impl Matching {
    pub(super) fn new(nodes: usize) -> Matching {
        Matching { column_of: vec![NONE; nodes], row_of: vec![NONE; nodes], free: Columns::all(nodes) }
    }

    #[inline]
    pub(super) fn join(&mut self, row: usize, column: usize) {
        self.column_of[row] = column as u16;
        self.row_of[column] = row as u16;
        self.free.remove(column);
    }

    #[inline]
    pub(super) fn part(&mut self, row: usize, column: usize) {
        self.column_of[row] = NONE;
        self.row_of[column] = NONE;
        self.free.insert(column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_across_words() {
        let mut columns = Columns::all(130);
        assert_eq!(columns.first_in(&[0, 0, u64::MAX]), Some(128));
        assert_eq!(columns.next_in(&[1, 0, 2], 1), Some(129));
        assert_eq!(columns.next_in(&[1, 0, 2], 130), Some(0), "it wraps");
        columns.remove(129);
        assert_eq!(columns.next_in(&[0, 0, 2], 5), None);
        let mut taken = Vec::new();
        columns.take(&[5, 1 << 63, 3], |column| taken.push(column));
        assert_eq!(taken, [0, 2, 127, 128]);
        assert_eq!(columns.first_in(&[5, 0, 3]), None);
    }
}
