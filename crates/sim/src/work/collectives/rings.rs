//! Neighbours only.

use super::{Collective, all};
use crate::work::sends::{Arrival, Block, Sends};

/// After n − 1 steps rank r has block r + 1 of the sum.
pub fn reduce_scatter(n: u32, to: &mut dyn Sends) {
    round(&[Ring { ranks: &all(n), blocks: &|place| vec![place] }], 0, Arrival::Added, to);
}

/// Rank r begins with block r + `first`.
pub fn all_gather(n: u32, first: u32, to: &mut dyn Sends) {
    round(&[Ring { ranks: &all(n), blocks: &|place| vec![place] }], first, Arrival::Kept, to);
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
    let both = [forth, back];
    if collective != Collective::AllGather {
        round(&both, 0, Arrival::Added, to);
    }
    if collective != Collective::ReduceScatter {
        round(&both, u32::from(collective == Collective::AllReduce), Arrival::Kept, to);
    }
}
