//! From one to all and back.

use crate::work::sends::{Arrival, Block, Sends};

/// The steps of a binomial tree from its root on: distances, and who sends at each, counted from the root.
fn binomial(n: u32) -> impl DoubleEndedIterator<Item = (u32, Vec<u32>)> {
    let levels = n.next_power_of_two().ilog2();
    (0..levels).rev().map(move |level| {
        let distance = 1 << level;
        (distance, (0..n).step_by(2 * distance as usize).filter(|place| place + distance < n).collect())
    })
}

/// The root's blocks go to all.
pub fn broadcast(n: u32, root: u32, blocks: &[Block], to: &mut dyn Sends) {
    for (distance, senders) in binomial(n) {
        for place in senders {
            to.send((place + root) % n, (place + distance + root) % n, blocks, Arrival::Kept);
        }
        to.next_step();
    }
}

/// The sum of block 0 comes to the root.
pub fn reduce(n: u32, root: u32, to: &mut dyn Sends) {
    for (distance, receivers) in binomial(n).rev() {
        for place in receivers {
            to.send((place + distance + root) % n, (place + root) % n, &[0], Arrival::Added);
        }
        to.next_step();
    }
}

/// The block of each rank comes to the root.
pub fn gather(n: u32, root: u32, to: &mut dyn Sends) {
    for (distance, receivers) in binomial(n).rev() {
        for place in receivers {
            let from = place + distance;
            let blocks: Vec<Block> = (from..(from + distance).min(n)).map(|one| (one + root) % n).collect();
            to.send((from + root) % n, (place + root) % n, &blocks, Arrival::Kept);
        }
        to.next_step();
    }
}

/// Block d goes to the rank at distance d behind the root.
pub fn scatter(n: u32, root: u32, to: &mut dyn Sends) {
    for (distance, senders) in binomial(n) {
        for place in senders {
            let first = place + distance;
            let blocks: Vec<Block> = (first..(first + distance).min(n)).collect();
            to.send((place + root) % n, (first + root) % n, &blocks, Arrival::Kept);
        }
        to.next_step();
    }
}

/// The children of a number from 1 in the binary tree in whose order numbers ascend: odd numbers are leaves.
fn children(one: u32, n: u32) -> Vec<u32> {
    let half = (one & one.wrapping_neg()) >> 1;
    if half == 0 {
        return Vec::new();
    }
    let mut step = half;
    while step > 0 && one + step > n {
        step >>= 1;
    }
    let right = (step > 0).then_some(one + step);
    std::iter::once(one - half).chain(right).collect()
}

/// The levels of that tree, from its root on: pairs of parent and child.
fn levels(n: u32) -> Vec<Vec<(u32, u32)>> {
    let mut levels = Vec::new();
    let mut parents = vec![1 << n.ilog2()];
    while !parents.is_empty() {
        let pairs = |parent: &u32| children(*parent, n).into_iter().map(|child| (*parent, child)).collect::<Vec<_>>();
        let level: Vec<(u32, u32)> = parents.iter().flat_map(pairs).collect();
        parents = level.iter().map(|(_, child)| *child).collect();
        levels.push(level);
    }
    levels.retain(|level| !level.is_empty());
    levels
}

/// Each half of the buffer is summed up to the root of its tree, and comes back. The second tree is the first one
/// mirrored, or shifted by a rank if their number is odd.
pub fn double(n: u32, to: &mut dyn Sends) {
    let place = |tree: u32, one: u32| match (tree, n % 2) {
        (0, _) => one - 1,
        (_, 0) => n - one,
        _ => one % n,
    };
    let levels = levels(n);
    for level in levels.iter().rev() {
        for tree in 0..2 {
            level.iter().for_each(|(up, one)| to.send(place(tree, *one), place(tree, *up), &[tree], Arrival::Added));
        }
        to.next_step();
    }
    for level in &levels {
        for tree in 0..2 {
            level.iter().for_each(|(up, one)| to.send(place(tree, *up), place(tree, *one), &[tree], Arrival::Kept));
        }
        to.next_step();
    }
}
