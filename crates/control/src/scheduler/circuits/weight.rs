//! The matching of the largest weight, by successive shortest paths with potentials (Kuhn 1955, Munkres 1957; in
//! O(N³), Jonker and Volgenant 1987).

/// A perfect matching whose weights have the largest sum. `weights` has `ports` rows; their sums stay below 2⁶⁰.
pub(super) fn heaviest(weights: &[u64], ports: usize) -> Vec<u16> {
    // Costs are negative weights. Row and column 0 stand for none; rows and columns begin at 1.
    let cost = |row: usize, column: usize| -(weights[(row - 1) * ports + column - 1] as i64);
    let (mut of_row, mut of_column) = (vec![0i64; ports + 1], vec![0i64; ports + 1]);
    let (mut row_of, mut before) = (vec![0usize; ports + 1], vec![0usize; ports + 1]);
    for row in 1..=ports {
        row_of[0] = row;
        let (mut least, mut is_used) = (vec![i64::MAX; ports + 1], vec![false; ports + 1]);
        let mut at = 0;
        while row_of[at] != 0 {
            is_used[at] = true;
            let (from, mut step, mut next) = (row_of[at], i64::MAX, 0);
            for column in (1..=ports).filter(|column| !is_used[*column]) {
                let reduced = cost(from, column) - of_row[from] - of_column[column];
                if reduced < least[column] {
                    (least[column], before[column]) = (reduced, at);
                }
                if least[column] < step {
                    (step, next) = (least[column], column);
                }
            }
            for column in 0..=ports {
                if is_used[column] {
                    of_row[row_of[column]] += step;
                    of_column[column] -= step;
                } else if column > 0 {
                    least[column] -= step;
                }
            }
            at = next;
        }
        while at != 0 {
            row_of[at] = row_of[before[at]];
            at = before[at];
        }
    }
    let mut outputs = vec![0; ports];
    (1..=ports).for_each(|column| outputs[row_of[column] - 1] = (column - 1) as u16);
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The largest sum over all permutations of the rows from `row` on.
    fn largest(weights: &[u64], ports: usize, row: usize, used: u32) -> u64 {
        let columns = (0..ports).filter(|column| used & 1 << column == 0);
        let with = |column: usize| weights[row * ports + column] + largest(weights, ports, row + 1, used | 1 << column);
        columns.map(with).max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn no_permutation_weighs_more(weights in (2usize..6).prop_flat_map(|n| prop::collection::vec(0u64..9, n * n))) {
            let ports = weights.len().isqrt();
            let outputs = heaviest(&weights, ports);
            let mut used = outputs.clone();
            used.sort_unstable();
            prop_assert!(used.iter().copied().eq(0..ports as u16));
            let sum: u64 = outputs.iter().enumerate().map(|(row, to)| weights[row * ports + usize::from(*to)]).sum();
            prop_assert_eq!(sum, largest(&weights, ports, 0, 0));
        }
    }
}
