//! Neighbours only.

use super::{Collective, all};
use crate::work::sends::{Arrival, Block, Sends};

/// The distances at which a ring of n ranks comes to all of them, the least first: those coprime to n (W. Wang et al.,
/// *TopoOpt*, NSDI 2023, §4.1).
pub fn strides(n: u32) -> impl Iterator<Item = u32> {
    (1..n).filter(move |stride| greatest_divisor(*stride, n) == 1)
}

/// Of both numbers (Euclid).
fn greatest_divisor(one: u32, other: u32) -> u32 {
    if one == 0 { other } else { greatest_divisor(other % one, one) }
}

/// So many rings, each with its own stride and an equal part of the buffer, step for step. Block i n + r of ring i is
/// that of rank r; of a reduce-scatter a rank has in the end that of its next one in the ring.
pub fn strided(collective: Collective, n: u32, rings: u32, to: &mut dyn Sends) {
    let around = |stride: u32| (0..n).map(|place| place * stride % n).collect::<Vec<u32>>();
    let ranks: Vec<Vec<u32>> = strides(n).take(rings as usize).map(around).collect();
    let own = |(ring, ranks): (u32, &Vec<u32>)| {
        let ranks = ranks.clone();
        move |place: u32| vec![ring * n + ranks[place as usize]]
    };
    let blocks: Vec<_> = (0..).zip(&ranks).map(own).collect();
    let rings: Vec<Ring> = ranks.iter().zip(&blocks).map(|(ranks, blocks)| Ring { ranks, blocks }).collect();
    both_phases(collective, &rings, to);
}

/// A reduce-scatter, an all-gather, or one after the other.
fn both_phases(collective: Collective, rings: &[Ring], to: &mut dyn Sends) {
    if collective != Collective::AllGather {
        round(rings, 0, Arrival::Added, to);
    }
    if collective != Collective::ReduceScatter {
        round(rings, u32::from(collective == Collective::AllReduce), Arrival::Kept, to);
    }
}

/// Ranks in a ring, and what stands for each of as many parts of the buffer.
struct Ring<'a> {
    ranks: &'a [u32],
    blocks: &'a dyn Fn(u32) -> Vec<Block>,
}

/// All rings together, step for step: the rank at place p begins with part p + `first`.
fn round(rings: &[Ring], first: u32, arrival: Arrival, to: &mut dyn Sends) {
    let n = rings[0].ranks.len() as u32;
    for step in 0..n - 1 {
        for Ring { ranks, blocks } in rings {
            for place in 0..n {
                let (from, next) = (ranks[place as usize], ranks[((place + 1) % n) as usize]);
                to.send(from, next, &blocks((place + first + n - step) % n), arrival);
            }
        }
        to.next_step();
    }
}

/// Ranks in groups of `size` in a row: the sum of a part within the group, of that among the ranks at one place of all
/// groups, and all parts within the group.
pub fn hierarchical(n: u32, size: u32, to: &mut dyn Sends) {
    let groups = n / size;
    let members: Vec<Vec<u32>> = (0..groups).map(|group| (group * size..(group + 1) * size).collect()).collect();
    let part = |part: u32| (part * groups..(part + 1) * groups).collect::<Vec<Block>>();
    let inside: Vec<Ring> = members.iter().map(|ranks| Ring { ranks, blocks: &part }).collect();
    round(&inside, 0, Arrival::Added, to);
    let peers: Vec<Vec<u32>> = (0..size).map(|place| (0..groups).map(|group| group * size + place).collect()).collect();
    // After the first round the rank at place p has part p + 1.
    let own = |place: u32| move |block: u32| vec![(place + 1) % size * groups + block];
    let blocks: Vec<_> = (0..size).map(own).collect();
    let across: Vec<Ring> = peers.iter().zip(&blocks).map(|(ranks, blocks)| Ring { ranks, blocks }).collect();
    if groups > 1 {
        round(&across, 0, Arrival::Added, to);
        round(&across, 1, Arrival::Kept, to);
    }
    round(&inside, 1, Arrival::Kept, to);
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
    let backwards: Vec<u32> = (0..n).rev().collect();
    let forth = Ring { ranks: &all(n), blocks: &|place| vec![place] };
    let back = Ring { ranks: &backwards, blocks: &|place| vec![n + n - 1 - place] };
    both_phases(collective, &[forth, back], to);
}
