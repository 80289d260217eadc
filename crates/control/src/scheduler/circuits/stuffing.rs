//! Quick stuffing: the line sums of a demand are made equal (`QuickStuff` of Liu et al., CoNEXT 2015).
//!
//! Each entry in turn is raised by what both its row and its column lack of the longest line. Entries that are not zero
//! come first, so that few new ones arise. Their order is a reading: [`Stuffing`].

use super::Stuffing;

/// The matrix with every row and column as long as its longest one. `times` has `ports` rows.
pub fn quick_stuff(times: &[u64], ports: usize, order: Stuffing) -> Vec<u64> {
    let mut stuffed = times.to_vec();
    let mut rows: Vec<u64> = times.chunks_exact(ports).map(|row| row.iter().sum()).collect();
    let mut columns: Vec<u64> = (0..ports).map(|column| times.iter().skip(column).step_by(ports).sum()).collect();
    let longest = rows.iter().chain(&columns).copied().max().unwrap_or(0);
    let mut places: Vec<usize> = (0..times.len()).collect();
    match order {
        Stuffing::Rows => places.sort_by_key(|at| times[*at] == 0),
        Stuffing::Largest => places.sort_by_key(|at| std::cmp::Reverse(times[*at])),
    }
    for at in places {
        let (row, column) = (&mut rows[at / ports], &mut columns[at % ports]);
        let missing = longest - (*row).max(*column);
        stuffed[at] += missing;
        *row += missing;
        *column += missing;
    }
    stuffed
}
