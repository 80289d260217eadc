//! Finite sources on a link without buffers, in two readings of what a source does whose burst is refused. Sources: T.
//! Engset, Elektrotechnische Zeitschrift 31, 1918 (a blocked source is silent and begins a new idle time); M. Zukerman,
//! E. Wong, Z. Rosberg, G. Lee and H. Le Vu, "On teletraffic applications to OBS", IEEE Communications Letters 8(2),
//! 2004 (it sends on into the void until its burst ends: an edge node that hears nothing of the loss).

use crate::declare::{choice, model};
use crate::{Error, Kind, Range, Unit};

choice! {
    /// What a source does whose burst is refused.
    Blocked {
        Silent = "silent", "It is idle again at once (Engset's model).";
        KeepsSending = "keeps_sending", "It sends on to the end of the burst, which nobody carries.";
    }
}

model! {
    name: Engset,
    holds: "Exponential idle and burst times, independent sources, full wavelength conversion.",
    inputs {
        sources: u32 = Kind::Number { unit: Unit::Named("sources"), default: 16.0, range: Range::whole(1.0, 200.0) },
            "Sources, each of which sends one burst at a time.";
        servers: u32 = Kind::Number { unit: Unit::Named("servers"), default: 8.0, range: Range::whole(1.0, 64.0) },
            "Wavelengths.";
        load_per_idle_source: f64 =
            Kind::Number { unit: Unit::Named("erlang"), default: 0.5, range: Range::above(0.0, 1e3) },
            "Burst starts of an idle source per mean burst length.";
        blocked: Blocked = Blocked::KIND, "What a source does whose burst is refused.";
    }
    outputs {
        blocking: f64 ["1"], "Probability that a burst is refused.";
        time_congestion: f64 ["1"], "Share of time in which all servers are busy.";
        carried_load: f64 ["erlang"], "Mean number of busy servers.";
        offered_load: f64 ["erlang"], "Burst starts per mean burst length, all sources together.";
    }
}

fn compute(inputs: &Inputs) -> Result<Outputs, Error> {
    Ok(match inputs.blocked {
        Blocked::Silent => silent(inputs),
        Blocked::KeepsSending => keeps_sending(inputs),
    })
}

/// Engset's distribution: a birth-death chain in the number of busy servers.
fn silent(inputs: &Inputs) -> Outputs {
    let (sources, last) = (f64::from(inputs.sources), inputs.servers.min(inputs.sources));
    let mut weights = vec![1.0];
    for n in 1..=last {
        let before = f64::from(n - 1);
        weights.push(weights[n as usize - 1] * (sources - before) * inputs.load_per_idle_source / f64::from(n));
        if weights[n as usize] > 1e200 {
            weights.iter_mut().for_each(|weight| *weight *= 1e-200);
        }
    }
    let busy = crate::chain::normalized(weights);
    let carried_load = busy.iter().enumerate().map(|(n, share)| n as f64 * share).sum();
    let full = if inputs.sources >= inputs.servers { busy[last as usize] } else { 0.0 };
    let refused = full * (sources - f64::from(last)) * inputs.load_per_idle_source;
    outputs(carried_load, full, refused)
}

/// The chain in (sources that send, those of them that are carried). The first is binomial by itself; level by level,
/// each level's shares are the level's below times a matrix, found from the top.
fn keeps_sending(inputs: &Inputs) -> Outputs {
    let (n, k, a) = (inputs.sources as usize, inputs.servers.min(inputs.sources) as usize, inputs.load_per_idle_source);
    let mut onward: Vec<Matrix> = Vec::with_capacity(n);
    for level in (1..=n).rev() {
        let (states, below) = (level.min(k) + 1, (level - 1).min(k) + 1);
        // Minus the balance of this level, what comes back from above included.
        let mut balance = vec![vec![0.0; states]; states];
        for (carried, row) in balance.iter_mut().enumerate() {
            row[carried] = (n - level) as f64 * a + level as f64;
        }
        if let Some(up) = onward.last() {
            subtract_returns(&mut balance, up, level);
        }
        let mut into = vec![vec![0.0; states]; below];
        for (carried, row) in into.iter_mut().enumerate() {
            row[(carried + 1).min(states - 1).min(k)] = (n - level + 1) as f64 * a;
        }
        onward.push(divided(into, balance));
    }
    let mut level = vec![1.0];
    let mut levels = vec![level.clone()];
    for matrix in onward.iter().rev() {
        let states = matrix[0].len();
        level = (0..states).map(|to| level.iter().zip(matrix).map(|(share, row)| share * row[to]).sum()).collect();
        levels.push(level.clone());
    }
    let total: f64 = levels.iter().flatten().sum();
    let mean = |of: &dyn Fn(usize, usize) -> f64| -> f64 {
        let terms = levels.iter().enumerate().flat_map(|(sending, level)| {
            level.iter().enumerate().map(move |(carried, share)| (sending, carried, share))
        });
        terms.map(|(sending, carried, share)| share * of(sending, carried)).sum::<f64>() / total
    };
    let full = |carried: usize| if carried == inputs.servers as usize { 1.0 } else { 0.0 };
    outputs(
        mean(&|_, carried| carried as f64),
        mean(&|_, carried| full(carried)),
        mean(&|sending, carried| full(carried) * (n - sending) as f64 * a),
    )
}

fn outputs(carried_load: f64, time_congestion: f64, refused: f64) -> Outputs {
    // Every carried burst lasts its mean length, so the carried load is the rate of accepted bursts.
    let offered_load = carried_load + refused;
    Outputs { blocking: refused / offered_load, time_congestion, carried_load, offered_load }
}

type Matrix = Vec<Vec<f64>>;

/// Takes from `balance` of `level` what `up` (level to level + 1) sends up and the ends of bursts bring back.
fn subtract_returns(balance: &mut Matrix, up: &Matrix, level: usize) {
    for (row, ups) in balance.iter_mut().zip(up) {
        for (carried, share) in ups.iter().enumerate() {
            let unheard = (level + 1 - carried) as f64;
            if carried > 0 {
                row[carried - 1] -= share * carried as f64;
            }
            if carried < row.len() {
                row[carried] -= share * unheard;
            }
        }
    }
}

/// `rows × matrix⁻¹` by elimination. Every state leaves its level faster than it comes back from above, so the diagonal
/// dominates and no pivot is needed.
fn divided(mut rows: Matrix, mut matrix: Matrix) -> Matrix {
    let size = matrix.len();
    for pivot in 0..size {
        let inverse = 1.0 / matrix[pivot][pivot];
        for column in 0..size {
            let factor = matrix[pivot][column] * inverse;
            if column == pivot || factor == 0.0 {
                continue;
            }
            for row in matrix.iter_mut().chain(rows.iter_mut()) {
                row[column] -= factor * row[pivot];
            }
        }
        for row in matrix.iter_mut().chain(rows.iter_mut()) {
            row[pivot] *= inverse;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::stationary;
    use crate::erlang_b::erlang_b;
    use crate::random::Random;

    fn blocking(sources: u32, servers: u32, load: f64, blocked: Blocked) -> f64 {
        evaluate(&Inputs { sources, servers, load_per_idle_source: load, blocked }).unwrap().blocking
    }

    #[test]
    fn one_server_and_two_sources_by_hand() {
        // Silent: the other source finds the server busy with share a/(1+a) of Engset with one source.
        assert!((blocking(2, 1, 0.5, Blocked::Silent) - 0.5 / 1.5).abs() < 1e-14);
        // As many servers as sources never block.
        assert_eq!(blocking(3, 3, 0.7, Blocked::Silent), 0.0);
        assert_eq!(blocking(3, 4, 0.7, Blocked::KeepsSending), 0.0);
    }

    #[test]
    fn engset_is_what_a_source_meets_among_the_others() {
        // Call congestion with N sources is time congestion with N − 1 (arrival theorem).
        for (sources, servers, load) in [(10, 4, 0.3), (30, 8, 0.2), (9, 8, 2.0)] {
            let others = Inputs { sources: sources - 1, servers, load_per_idle_source: load, ..Inputs::default() };
            let expected = evaluate(&others).unwrap().time_congestion;
            assert!((blocking(sources, servers, load, Blocked::Silent) / expected - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn keeps_sending_is_the_whole_chain_solved_by_elimination() {
        for (n, k, a) in [(5usize, 2usize, 0.6), (8, 3, 0.4), (6, 5, 3.0)] {
            let states: Vec<(usize, usize)> = (0..=n).flat_map(|s| (0..=s.min(k)).map(move |c| (s, c))).collect();
            let place = |state| states.iter().position(|one| *one == state).unwrap();
            let mut rates = vec![vec![0.0; states.len()]; states.len()];
            for (from, &(sending, carried)) in states.iter().enumerate() {
                if sending < n {
                    rates[from][place((sending + 1, (carried + 1).min(k)))] += (n - sending) as f64 * a;
                }
                if carried > 0 {
                    rates[from][place((sending - 1, carried - 1))] += carried as f64;
                }
                if sending > carried {
                    rates[from][place((sending - 1, carried))] += (sending - carried) as f64;
                }
            }
            let shares = stationary(rates);
            let (mut refused, mut offered) = (0.0, 0.0);
            for (share, (sending, carried)) in shares.iter().zip(&states) {
                let starts = share * (n - sending) as f64 * a;
                offered += starts;
                refused += if *carried == k { starts } else { 0.0 };
            }
            let found = blocking(n as u32, k as u32, a, Blocked::KeepsSending);
            assert!((found / (refused / offered) - 1.0).abs() < 1e-10, "{found} {}", refused / offered);
        }
    }

    #[test]
    fn very_many_sources_are_erlang_b_in_the_silent_reading() {
        // 200 sources of 0.025 erlang: Engset lies below Erlang B by O(1/N).
        let (engset, erlang) = (blocking(200, 8, 0.025, Blocked::Silent), erlang_b(5.0, 8));
        assert!(engset < erlang && engset / erlang > 0.85, "{engset} {erlang}");
    }

    /// 400 000 bursts of 10 sources on 4 servers, either reading, within 4 %.
    #[test]
    fn a_simulation_of_sources_blocks_the_same_share() {
        for blocked in [Blocked::Silent, Blocked::KeepsSending] {
            let (mut random, a) = (Random::new(7), 0.8);
            // Next change of each source, and whether it is idle, carried or unheard.
            let mut sources: Vec<(f64, u8)> = (0..10).map(|_| (random.exponential(1.0 / a), 0)).collect();
            let (mut carried, mut bursts, mut refused) = (0, 0, 0);
            while bursts < 400_000 {
                let (which, &(now, state)) = sources.iter().enumerate().min_by(|x, y| x.1.0.total_cmp(&y.1.0)).unwrap();
                let next = match state {
                    0 => {
                        bursts += 1;
                        let free = carried < 4;
                        carried += i32::from(free);
                        refused += i32::from(!free);
                        if free {
                            1
                        } else if blocked == Blocked::Silent {
                            0
                        } else {
                            2
                        }
                    }
                    1 => {
                        carried -= 1;
                        0
                    }
                    _ => 0,
                };
                let mean = if next == 0 { 1.0 / a } else { 1.0 };
                sources[which] = (now + random.exponential(mean), next);
            }
            let (found, expected) = (f64::from(refused) / 400_000.0, blocking(10, 4, a, blocked));
            assert!((found / expected - 1.0).abs() < 0.04, "{blocked:?}: {found}, {expected}");
        }
    }
}
