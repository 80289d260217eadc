//! All to all. Block s n + d is that of rank s for rank d; of a reduce-scatter and an all-gather, block r is rank r's.

use crate::work::sends::{Arrival, Block, Sends};

/// Others by distance: the next one first.
fn others(rank: u32, n: u32) -> impl Iterator<Item = u32> {
    (1..n).map(move |distance| (rank + distance) % n)
}

/// Each rank gives each other one its block.
pub fn reduce_scatter(n: u32, to: &mut dyn Sends) {
    (0..n).for_each(|rank| others(rank, n).for_each(|other| to.send(rank, other, &[other], Arrival::Added)));
    to.next_step();
}

/// Each rank gives its block to all.
pub fn all_gather(n: u32, to: &mut dyn Sends) {
    (0..n).for_each(|rank| others(rank, n).for_each(|other| to.send(rank, other, &[rank], Arrival::Kept)));
    to.next_step();
}

/// All give theirs to the root.
pub fn gather(n: u32, root: u32, to: &mut dyn Sends) {
    others(root, n).for_each(|rank| to.send(rank, root, &[rank], Arrival::Kept));
    to.next_step();
}

/// All at once, in the order of distances or of numbers.
pub fn at_once(n: u32, same_order: bool, to: &mut dyn Sends) {
    for turn in 0..n {
        for rank in 0..n {
            let other = if same_order { turn } else { (rank + turn) % n };
            if other != rank {
                to.send(rank, other, &[rank * n + other], Arrival::Kept);
            }
        }
    }
    to.next_step();
}

/// One partner a step: by exclusive or if the number of ranks is a power of two, else the next but k.
pub fn pairwise(n: u32, to: &mut dyn Sends) {
    to.go_in_steps();
    for step in 1..n {
        for rank in 0..n {
            let other = if n.is_power_of_two() { rank ^ step } else { (rank + step) % n };
            to.send(rank, other, &[rank * n + other], Arrival::Kept);
        }
        to.next_step();
    }
}

/// A block travels by the powers of two that its distance is made of, the least first.
pub fn bruck(n: u32, to: &mut dyn Sends) {
    let mut power = 1;
    while power < n {
        for rank in 0..n {
            // Here at the beginning of the step: from so far back as its distance has lower bits.
            let here = |distance: &u32| distance & power != 0;
            let blocks: Vec<Block> = (1..n)
                .filter(here)
                .map(|distance| {
                    let source = (rank + n - distance % power) % n;
                    source * n + (source + distance) % n
                })
                .collect();
            to.send(rank, (rank + power) % n, &blocks, Arrival::Kept);
        }
        to.next_step();
        power *= 2;
    }
}
