//! Greedy rules by the weight of matchings.
//!
//! `eclipse` is the greedy rule of Bojja Venkatakrishnan, Alizadeh and Viswanath (Costly Circuits, Submodular Schedules
//! and Approximate Carathéodory Theorems, SIGMETRICS 2016): of all matchings M and times α the pair with the largest
//! |min(α M, D)| / (α + δ) is next, what it serves is taken off D, until the week W is full. For a given M the quotient
//! is largest at an entry of D, so only entries are tried; a bound by the lines' largest entries leaves most of them
//! out, and the choice stays exact. The paper's binary search over α is not used. Readings: of equal quotients the
//! longest α; no α is longer than what is left of the week, so the last matching ends with it.
//!
//! `max-weight` holds every matching for one slice, as the switches before did.

use super::weight::heaviest;
use super::{Matched, Work};
use std::cmp::Ordering;

/// The rule `eclipse`.
pub(super) fn eclipse(work: &Work) -> Vec<Matched> {
    greedy(work, |left, room| {
        let mut times: Vec<u64> = left.iter().map(|time| *time.min(&room)).filter(|time| *time > 0).collect();
        times.sort_unstable();
        times.dedup();
        times
    })
}

/// The rule `max-weight`.
pub(super) fn max_weight(work: &Work) -> Vec<Matched> {
    let slice = work.slice.expect("checked before");
    greedy(work, |left, room| if left.iter().any(|time| *time > 0) { vec![slice.min(room)] } else { Vec::new() })
}

/// The best matching again and again, for one of the times that `tried` gives for what is left and the room.
fn greedy(work: &Work, tried: impl Fn(&[u64], u64) -> Vec<u64>) -> Vec<Matched> {
    let (mut left, mut budget, mut found) = (work.times.clone(), work.budget, Vec::new());
    while budget > work.dark() {
        let times = tried(&left, budget - work.dark());
        let Some(best) = best(&left, work.ports, &times, work.dark()) else { break };
        for (row, column) in best.outputs.iter().enumerate() {
            let left = &mut left[row * work.ports + usize::from(*column)];
            *left = left.saturating_sub(best.time);
        }
        budget = budget.saturating_sub(best.time + work.dark());
        found.push(best);
    }
    found
}

/// What a matching serves in so long, and how long.
#[derive(Clone, Copy)]
struct Quotient {
    served: u64,
    time: u64,
}

impl Quotient {
    /// By served / (time + dark), then by the time.
    fn compare(self, other: Quotient, dark: u64) -> Ordering {
        let mine = u128::from(self.served) * u128::from(other.time + dark);
        let others = u128::from(other.served) * u128::from(self.time + dark);
        mine.cmp(&others).then(self.time.cmp(&other.time))
    }
}

/// The matching and time with the largest quotient; none if there are no times.
fn best(left: &[u64], ports: usize, times: &[u64], dark: u64) -> Option<Matched> {
    let rows: Vec<u64> = left.chunks_exact(ports).map(|row| row.iter().copied().max().unwrap_or(0)).collect();
    let column = |at: usize| left.iter().skip(at).step_by(ports).copied().max().unwrap_or(0);
    let columns: Vec<u64> = (0..ports).map(column).collect();
    let bound = |time: u64| {
        let most = |lines: &[u64]| lines.iter().map(|line| *line.min(&time)).sum::<u64>();
        Quotient { served: most(&rows).min(most(&columns)), time }
    };
    let mut bounds: Vec<Quotient> = times.iter().map(|time| bound(*time)).collect();
    bounds.sort_by(|a, b| b.compare(*a, dark));
    let mut best: Option<(Quotient, Vec<u16>)> = None;
    for bound in bounds {
        if best.as_ref().is_some_and(|(best, _)| bound.compare(*best, dark) != Ordering::Greater) {
            break;
        }
        let weights: Vec<u64> = left.iter().map(|time| *time.min(&bound.time)).collect();
        let outputs = heaviest(&weights, ports);
        let served = outputs.iter().enumerate().map(|(row, to)| weights[row * ports + usize::from(*to)]).sum();
        let found = Quotient { served, time: bound.time };
        if best.as_ref().is_none_or(|(best, _)| found.compare(*best, dark) == Ordering::Greater) {
            best = Some((found, outputs));
        }
    }
    best.map(|(quotient, outputs)| Matched { outputs, time: quotient.time })
}
