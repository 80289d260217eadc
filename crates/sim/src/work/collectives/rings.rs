//! Neighbours only.

use super::Collective;
use crate::work::sends::{Arrival, Sends};

/// After n − 1 steps rank r has block r + 1 of the sum.
pub fn reduce_scatter(n: u32, to: &mut dyn Sends) {
    for step in 0..n - 1 {
        for rank in 0..n {
            to.send(rank, (rank + 1) % n, &[(rank + n - step) % n], Arrival::Added);
        }
        to.next_step();
    }
}

/// Rank r begins with block r + `first`.
pub fn all_gather(n: u32, first: u32, to: &mut dyn Sends) {
    for step in 0..n - 1 {
        for rank in 0..n {
            to.send(rank, (rank + 1) % n, &[(rank + first + n - step) % n], Arrival::Kept);
        }
        to.next_step();
    }
}

/// The rank at distance d behind the root begins with block d.
pub fn all_gather_from(n: u32, root: u32, to: &mut dyn Sends) {
    for step in 0..n - 1 {
        for place in 0..n {
            let (from, next) = ((place + root) % n, (place + 1 + root) % n);
            to.send(from, next, &[(place + n - step) % n], Arrival::Kept);
        }
        to.next_step();
    }
}

/// From the root to the next rank, and so on.
pub fn chain(n: u32, root: u32, to: &mut dyn Sends) {
    for place in 0..n - 1 {
        to.send((root + place) % n, (root + place + 1) % n, &[0], Arrival::Kept);
        to.next_step();
    }
}

/// The first n blocks go round one way, the others the other way, step for step.
pub fn both_ways(collective: Collective, n: u32, to: &mut dyn Sends) {
    let mut round = |first: u32, arrival: Arrival| {
        for step in 0..n - 1 {
            for rank in 0..n {
                let block = (rank + first + n - step) % n;
                to.send(rank, (rank + 1) % n, &[block], arrival);
                let mirror = |one: u32| n - 1 - one;
                to.send(mirror(rank), mirror((rank + 1) % n), &[n + mirror(block)], arrival);
            }
            to.next_step();
        }
    };
    if collective != Collective::AllGather {
        round(0, Arrival::Added);
    }
    if collective != Collective::ReduceScatter {
        round(u32::from(collective == Collective::AllReduce), Arrival::Kept);
    }
}
