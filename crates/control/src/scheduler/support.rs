//! The positive entries of a matrix as bits, a matching of rows and columns on them, and augmenting paths.
//!
//! Finding the next column of a row among those that are free or not yet visited is a few and-operations on words.

use super::Requests;

/// A row or column that has no partner.
pub(super) const NONE: u16 = u16::MAX;

/// Runs `body` with the constant `W`: as many words of 64 columns as `nodes` need, or somewhat more. So a switch of up
/// to 64 nodes, as nearly all are, has sets of one word.
macro_rules! with_words {
    ($nodes:expr, $W:ident => $body:expr) => {{
        macro_rules! of {
            ($words:literal) => {{
                const $W: usize = $words;
                $body
            }};
        }
        match $nodes {
            0..=64 => of!(1),
            65..=128 => of!(2),
            129..=256 => of!(4),
            257..=512 => of!(8),
            513..=1024 => of!(16),
            _ => of!(64),
        }
    }};
}
pub(super) use with_words;

const _: () = assert!(Requests::MAX_NODES == 64 * 64, "as many columns as the most words have");

/// A set of columns for each row.
#[derive(Clone, Debug)]
pub(super) struct Support<const W: usize>(Vec<Columns<W>>);

impl<const W: usize> Support<W> {
    /// Where `requests` are positive.
    pub(super) fn of(requests: &Requests) -> Support<W> {
        let mut support = Support::empty(requests.nodes());
        for row in 0..requests.nodes() {
            let entries = requests.row(row).iter().enumerate();
            entries.for_each(|(column, slots)| support.0[row].insert_if(*slots > 0, column));
        }
        support
    }

    /// Nowhere.
    pub(super) fn empty(nodes: usize) -> Support<W> {
        Support(vec![Columns::none(); nodes])
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &Columns<W> {
        &self.0[row]
    }

    #[inline]
    pub(super) fn insert(&mut self, row: usize, column: usize) {
        self.0[row].insert(column);
    }

    #[inline]
    pub(super) fn remove(&mut self, row: usize, column: usize) {
        self.0[row].remove(column);
    }
}

/// A set of columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns<const W: usize>([u64; W]);

impl<const W: usize> Columns<W> {
    /// None.
    pub(super) fn none() -> Columns<W> {
        Columns([0; W])
    }

    /// All of `nodes`.
    pub(super) fn all(nodes: usize) -> Columns<W> {
        let ones = |word: usize| match nodes.saturating_sub(64 * word) {
            0 => 0,
            rest @ 1..64 => (1 << rest) - 1,
            _ => u64::MAX,
        };
        Columns(std::array::from_fn(ones))
    }

    #[inline]
    pub(super) fn insert(&mut self, column: usize) {
        self.insert_if(true, column);
    }

    #[inline]
    pub(super) fn insert_if(&mut self, is_in: bool, column: usize) {
        self.0[column / 64] |= u64::from(is_in) << (column % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, column: usize) {
        self.0[column / 64] &= !(1 << (column % 64));
    }

    #[inline]
    pub(super) fn remove_if(&mut self, is_out: bool, column: usize) {
        self.0[column / 64] &= !(u64::from(is_out) << (column % 64));
    }

    /// Calls `found` with each.
    #[inline]
    pub(super) fn for_each(mut self, found: impl FnMut(usize)) {
        self.take(&Columns([u64::MAX; W]), found);
    }

    #[inline]
    pub(super) fn contains(&self, column: usize) -> bool {
        self.0[column / 64] & (1 << (column % 64)) != 0
    }

    /// All of them in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            let rest = |word: &u64| Some(word & (word - 1)).filter(|rest| *rest != 0);
            let words = std::iter::successors(Some(*word).filter(|word| *word != 0), rest);
            words.map(move |word| 64 * at + word.trailing_zeros() as usize)
        })
    }

    /// The least column that is also in `row`.
    #[inline]
    pub(super) fn first_in(&self, row: &Columns<W>) -> Option<usize> {
        let both = self.0.iter().zip(&row.0).map(|(a, b)| a & b);
        both.enumerate().find(|(_, word)| *word != 0).map(|(at, word)| 64 * at + word.trailing_zeros() as usize)
    }

    /// The least column from `start` on that is also in `row`, else the least of all.
    #[inline]
    pub(super) fn next_in(&self, row: &Columns<W>, start: usize) -> Option<usize> {
        let (word, mask) = (start / 64, u64::MAX << (start % 64));
        let from = |at: usize, mask: u64| {
            let both = self.0[at] & row.0[at] & mask;
            (both != 0).then(|| 64 * at + both.trailing_zeros() as usize)
        };
        let later = || (word + 1..W).find_map(|at| from(at, u64::MAX));
        from(word, mask).or_else(later).or_else(|| self.first_in(row))
    }

    /// Takes out the columns of `row` and calls `found` with each.
    #[inline]
    pub(super) fn take(&mut self, row: &Columns<W>, mut found: impl FnMut(usize)) {
        for (at, (mine, row)) in self.0.iter_mut().zip(&row.0).enumerate() {
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
pub(super) struct Matching<const W: usize> {
    /// The column of each row, or [`NONE`].
    pub(super) column_of: Vec<u16>,
    /// The row of each column, or [`NONE`].
    pub(super) row_of: Vec<u16>,
    /// Columns without a row.
    pub(super) free: Columns<W>,
}

impl<const W: usize> Matching<W> {
    pub(super) fn new(nodes: usize) -> Matching<W> {
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

/// Shortest augmenting paths, by a breadth-first search over sets of columns.
#[derive(Clone, Debug)]
pub(super) struct AugmentingPaths<const W: usize> {
    /// Of each column that the search has reached: the row from which.
    parent: Vec<u16>,
    queue: Vec<u16>,
    all: Columns<W>,
}

impl<const W: usize> AugmentingPaths<W> {
    pub(super) fn new(nodes: usize) -> AugmentingPaths<W> {
        AugmentingPaths { parent: vec![0; nodes], queue: Vec::with_capacity(nodes), all: Columns::all(nodes) }
    }

    /// Matches `start`, which has no column, by the shortest path on `support`; returns whether there is one. `moves`
    /// is told each row that gets another column, the column that it leaves, if any, and the new one.
    #[inline]
    pub(super) fn augment(
        &mut self,
        start: usize,
        support: &Support<W>,
        matching: &mut Matching<W>,
        mut moves: impl FnMut(usize, Option<usize>, usize),
    ) -> bool {
        let Some(mut column) = self.search(start, support, matching) else { return false };
        loop {
            let row = usize::from(self.parent[column]);
            let before = (row != start).then(|| usize::from(matching.column_of[row]));
            moves(row, before, column);
            matching.join(row, column);
            let Some(before) = before else { return true };
            column = before;
        }
    }

    /// A free column that can be reached from `start`, and the way in `parent`.
    fn search(&mut self, start: usize, support: &Support<W>, matching: &Matching<W>) -> Option<usize> {
        let mut unvisited = self.all;
        self.queue.clear();
        self.queue.push(start as u16);
        let mut at = 0;
        while let Some(&row) = self.queue.get(at) {
            at += 1;
            let reachable = support.row(usize::from(row));
            if let Some(column) = matching.free.first_in(reachable) {
                self.parent[column] = row;
                return Some(column);
            }
            let (parent, queue) = (&mut self.parent, &mut self.queue);
            unvisited.take(reachable, |column| {
                parent[column] = row;
                queue.push(matching.row_of[column]);
            });
        }
        None
    }
}

/// The earliest time, and the rows that have it. No comparison is a branch, as nobody could foresee which rows they
/// are.
pub(super) fn first<const W: usize>(times: &[u32]) -> (u32, Columns<W>) {
    let mut in_word = [u32::MAX; W];
    let mut rows = Columns::none();
    for ((times, first), word) in times.chunks(64).zip(&mut in_word).zip(0..) {
        let mut those = 0;
        for (at, time) in times.iter().enumerate() {
            those *= u64::from(time >= first);
            those |= u64::from(time <= first) << at;
            *first = (*first).min(*time);
        }
        rows.0[word] = those;
    }
    let earliest = in_word.into_iter().min().unwrap_or(u32::MAX);
    let later = in_word.iter().enumerate().filter(|(_, first)| **first > earliest);
    later.for_each(|(word, _)| rows.0[word] = 0);
    (earliest, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_across_words() {
        let mut columns = Columns::all(130);
        assert_eq!(columns.first_in(&Columns([0, 0, u64::MAX])), Some(128));
        assert_eq!(columns.next_in(&Columns([1, 0, 2]), 1), Some(129));
        assert_eq!(columns.next_in(&Columns([1, 0, 2]), 130), Some(0), "it wraps");
        columns.remove(129);
        assert_eq!(columns.next_in(&Columns([0, 0, 2]), 5), None);
        let mut taken = Vec::new();
        columns.take(&Columns([5, 1 << 63, 3]), |column| taken.push(column));
        assert_eq!(taken, [0, 2, 127, 128]);
        assert_eq!(columns.first_in(&Columns([5, 0, 3])), None);
        assert!(Columns::<3>([5, 1 << 63, 3]).iter().eq([0, 2, 127, 128, 129]));
    }

    #[test]
    fn the_earliest_rows_are_found_in_all_words() {
        for nodes in [1, 3, 64, 65, 130] {
            let mut times: Vec<u32> = (0..nodes).map(|row| 9 + row * 7 % 5).collect();
            let rows = |times: &[u32]| {
                let (earliest, rows) = first::<3>(times);
                (earliest, rows.iter().collect::<Vec<_>>())
            };
            let simple = |times: &[u32]| {
                let earliest = times.iter().copied().min().unwrap();
                (earliest, (0..times.len()).filter(|row| times[*row] == earliest).collect::<Vec<_>>())
            };
            assert_eq!(rows(&times), simple(&times));
            *times.last_mut().unwrap() = 2;
            assert_eq!(rows(&times), (2, vec![times.len() - 1]));
        }
    }

    /// Row 0 has column 0, the only one of row 1: it goes over to column 1, and row 1 gets column 0. Row 2 has none.
    #[test]
    fn a_row_is_matched_by_moving_others() {
        let (mut support, mut matching) = (Support::<1>::empty(3), Matching::new(3));
        [(0, 0), (0, 1), (1, 0)].into_iter().for_each(|(row, column)| support.insert(row, column));
        matching.join(0, 0);
        let (mut paths, mut moves) = (AugmentingPaths::new(3), Vec::new());
        assert!(paths.augment(1, &support, &mut matching, |row, before, column| moves.push((row, before, column))));
        assert_eq!(moves, [(0, Some(0), 1), (1, None, 0)]);
        assert_eq!((&matching.column_of[..], &matching.row_of[..]), (&[1, 0, NONE][..], &[1, 0, NONE][..]));
        assert!(!paths.augment(2, &support, &mut matching, |_, _, _| panic!("nothing moves")));
    }

    #[test]
    fn all_columns_have_room_in_their_words() {
        for nodes in [1, 63, 64, 65, 127, 128, 129, 256, 257, 512, 513, 1024, 1025, 4096] {
            let words = with_words!(nodes, W => (W, Columns::<W>::all(nodes).iter().count()));
            assert_eq!((words.0 * 64 >= nodes, words.1), (true, nodes));
        }
    }
}
