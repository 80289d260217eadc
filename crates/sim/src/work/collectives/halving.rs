//! Partners at distances of powers of two.

use super::{all, around, power_below};
use crate::work::sends::{Arrival, Block, Sends};

/// Among these ranks, a power of two of them: the one at place p has block p of the sum in the end.
pub fn reduce_scatter(ranks: &[u32], to: &mut dyn Sends) {
    let mut distance = ranks.len() as u32 / 2;
    while distance > 0 {
        for place in 0..ranks.len() as u32 {
            let partner = place ^ distance;
            let first = partner / distance * distance;
            let blocks: Vec<Block> = (first..first + distance).collect();
            to.send(ranks[place as usize], ranks[partner as usize], &blocks, Arrival::Added);
        }
        to.next_step();
        distance /= 2;
    }
}

/// The one at place p begins with block p.
pub fn all_gather(ranks: &[u32], to: &mut dyn Sends) {
    let mut distance = 1;
    while distance < ranks.len() as u32 {
        for place in 0..ranks.len() as u32 {
            let first = place / distance * distance;
            let blocks: Vec<Block> = (first..first + distance).collect();
            to.send(ranks[place as usize], ranks[(place ^ distance) as usize], &blocks, Arrival::Kept);
        }
        to.next_step();
        distance *= 2;
    }
}

/// Beyond a power of two the even ones of the first ranks give theirs to their neighbours, and get the result back.
pub fn all_reduce(n: u32, halves: bool, to: &mut dyn Sends) {
    let power = power_below(n);
    let more = n - power;
    let whole = all(power);
    if more > 0 {
        (0..more).for_each(|pair| to.send(2 * pair, 2 * pair + 1, &whole, Arrival::Added));
        to.next_step();
    }
    let ranks: Vec<u32> = (0..more).map(|pair| 2 * pair + 1).chain(2 * more..n).collect();
    if halves {
        reduce_scatter(&ranks, to);
        all_gather(&ranks, to);
    } else {
        exchange(&ranks, &whole, to);
    }
    if more > 0 {
        (0..more).for_each(|pair| to.send(2 * pair + 1, 2 * pair, &whole, Arrival::Kept));
        to.next_step();
    }
}

/// Whole buffers.
fn exchange(ranks: &[u32], whole: &[Block], to: &mut dyn Sends) {
    let mut distance = 1;
    while distance < ranks.len() {
        for place in 0..ranks.len() {
            to.send(ranks[place], ranks[place ^ distance], whole, Arrival::Added);
        }
        to.next_step();
        distance *= 2;
    }
}

/// Rank r begins with block r, has the next 2^k after k steps, and gives them to the one 2^k before it.
pub fn bruck_gather(n: u32, to: &mut dyn Sends) {
    let mut distance = 1;
    while distance < n {
        let count = distance.min(n - distance);
        for rank in 0..n {
            to.send(rank, (rank + n - distance) % n, &around(rank, count, n), Arrival::Kept);
        }
        to.next_step();
        distance *= 2;
    }
}

/// Block r stands for that rank r has come; each tells the one at distance 2^k of all of whom it knows.
pub fn barrier(n: u32, to: &mut dyn Sends) {
    let mut distance = 1;
    while distance < n {
        let known = distance.min(n);
        for rank in 0..n {
            to.send(rank, (rank + distance) % n, &around(rank + n - (known - 1), known, n), Arrival::Kept);
        }
        to.next_step();
        distance *= 2;
    }
}
