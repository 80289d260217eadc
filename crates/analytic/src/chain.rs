//! The stationary distribution of a finite Markov chain, by elimination without subtractions (Grassmann, Taksar and
//! Heyman, Operations Research 33(5), 1985), so that small probabilities keep their digits.

/// The distribution π with π P = π. `rates[i][j]`, i ≠ j, are probabilities of a step or rates; the diagonal is not
/// read. The chain must be irreducible.
pub(crate) fn stationary(mut rates: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rates.len();
    for last in (1..n).rev() {
        let (above, below) = rates.split_at_mut(last);
        let row = &below[0];
        let out: f64 = row[..last].iter().sum();
        for from in above.iter_mut() {
            let factor = from[last] / out;
            from[last] = factor;
            if factor > 0.0 {
                from[..last].iter_mut().zip(row).for_each(|(rate, onward)| *rate += factor * onward);
            }
        }
    }
    let mut weights = vec![1.0];
    for state in 1..n {
        weights.push(weights.iter().zip(&rates).map(|(weight, row)| weight * row[state]).sum());
    }
    normalized(weights)
}

/// Weights scaled to a sum of one.
pub(crate) fn normalized(mut weights: Vec<f64>) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= total);
    weights
}

/// The queue left behind in 0 … `last` when each step removes one (if there is one) and adds a number with the
/// probabilities `arrivals`, what exceeds `last` being lost. By balance across each cut between n−1 and n, whose terms
/// are all positive. `idle_serves` says whether an arrival to an empty queue is served in the same step.
pub(crate) fn one_server(arrivals: &[f64], last: usize, idle_serves: bool) -> Vec<f64> {
    let mut tail = vec![0.0; arrivals.len() + 1];
    for k in (0..arrivals.len()).rev() {
        tail[k] = tail[k + 1] + arrivals[k];
    }
    let at_least = |k: usize| tail.get(k).copied().unwrap_or(0.0);
    let mut weights = vec![1.0];
    for n in 1..=last {
        let from_empty = if idle_serves { at_least(n + 1) } else { at_least(n) };
        let others: f64 = (1..n).map(|from| weights[from] * at_least(n - from + 1)).sum();
        weights.push((weights[0] * from_empty + others) / arrivals[0]);
        if weights[n] > 1e200 {
            weights.iter_mut().for_each(|weight| *weight *= 1e-200);
        }
    }
    normalized(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_two_states_is_in_each_in_proportion_to_the_rate_into_it() {
        let found = stationary(vec![vec![0.0, 3.0], vec![1.0, 0.0]]);
        assert!((found[0] - 0.25).abs() < 1e-15 && (found[1] - 0.75).abs() < 1e-15);
    }

    #[test]
    fn one_server_is_the_chain_solved_by_elimination() {
        let arrivals = [0.3, 0.4, 0.2, 0.1];
        for idle_serves in [true, false] {
            let mut rates = vec![vec![0.0; 6]; 6];
            for (from, row) in rates.iter_mut().enumerate() {
                for (k, p) in arrivals.iter().enumerate() {
                    let left = if from == 0 && !idle_serves { k } else { (from + k).saturating_sub(1) };
                    row[left.min(5)] += p;
                }
            }
            let (found, expected) = (one_server(&arrivals, 5, idle_serves), stationary(rates));
            found.iter().zip(&expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{found:?} {expected:?}"));
        }
    }
}
