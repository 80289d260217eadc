//! The event list: a winner tree over the fibres that end in a partition, plus one leaf for its timers.
//!
//! Every leaf holds the time of the earliest event of its fibre ([`NEVER`] if it is dark); every inner node the smallest of
//! its four children. The root is therefore the earliest event, and events at one instant come in the order of their
//! leaves.
//!
//! A node is one number, (time − base) · 2^b + leaf with b bits for the leaf, so a comparison is a `min` of two integers,
//! which compiles to no branch: which fibre is next is unpredictable on a mesh, and a mispredicted branch costs more than a
//! whole level. Four children share half a cache line, and their places depend on the leaf alone, so the loads of all levels
//! overlap. A new key is compared with its three siblings and never read back: each level adds one `min` to what the next
//! event waits for, and not a store with the load behind it. The price of one number is a horizon: times more than 2^(63−b) ps
//! after the base (two minutes for 10^5 fibres) all look like the horizon until nothing nearer is left; then the base moves on
//! and the keys are made again from the plain times. The base never passes the time that the partition has reached: a packet
//! from another partition may arrive before everything that is in the list.

/// The time of a leaf without an event.
pub const NEVER: u64 = u64::MAX;

/// A winner tree over a fixed number of leaves.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The children of group `g`'s entry `i` are group `4 g + i + 1`; the leaves are the entries of the last level.
    groups: Vec<[u64; 4]>,
    first_leaf_group: usize,
    /// The smallest key of group 0.
    root: u64,
    leaf_bits: u32,
    /// The smallest key of a time at the horizon.
    horizon_key: u64,
    base: u64,
    /// The true times of the leaves.
    times: Vec<u64>,
}

impl Tree {
    /// A tree of `leaves` leaves, none of which has an event.
    pub fn new(leaves: usize) -> Tree {
        let mut first_leaf_group = 0;
        while 3 * first_leaf_group + 1 < leaves.div_ceil(4) {
            first_leaf_group = 4 * first_leaf_group + 1;
        }
        let leaf_bits = leaves.next_power_of_two().trailing_zeros();
        let mut tree = Tree {
            groups: vec![[u64::MAX; 4]; first_leaf_group + leaves.div_ceil(4)],
            first_leaf_group,
            root: u64::MAX,
            leaf_bits,
            horizon_key: u64::MAX >> leaf_bits << leaf_bits,
            base: 0,
            times: vec![NEVER; leaves],
        };
        tree.rebase(0);
        tree
    }

    /// The earliest event as (time, leaf). Nothing will ever be set to a time before `reached`.
    #[inline]
    pub fn earliest(&mut self, reached: u64) -> (u64, u32) {
        if self.root >= self.horizon_key {
            self.rebase(reached);
            if self.root >= self.horizon_key {
                return self.search();
            }
        }
        let (ahead, leaf) = (self.root >> self.leaf_bits, self.root & ((1 << self.leaf_bits) - 1));
        (self.base + ahead, leaf as u32)
    }

    /// Gives `leaf` the time of its earliest event.
    #[inline]
    pub fn set(&mut self, leaf: u32, time: u64) {
        self.times[leaf as usize] = time;
        let mut key = self.key(leaf, time);
        let (mut group, mut entry) = (self.first_leaf_group + leaf as usize / 4, leaf as usize % 4);
        loop {
            let siblings = &mut self.groups[group];
            let others = siblings[entry ^ 1].min(siblings[entry ^ 2]).min(siblings[entry ^ 3]);
            siblings[entry] = key;
            key = key.min(others);
            if group == 0 {
                break;
            }
            (group, entry) = ((group - 1) / 4, (group - 1) % 4);
        }
        self.root = key;
    }

    /// The horizon, the greatest time after the base that a key can express, stands for all later ones.
    #[inline]
    fn key(&self, leaf: u32, time: u64) -> u64 {
        let ahead = (time - self.base).min(self.horizon_key >> self.leaf_bits);
        ahead << self.leaf_bits | u64::from(leaf)
    }

    /// Moves the base to `reached` and makes all keys again.
    #[cold]
    fn rebase(&mut self, reached: u64) {
        self.base = reached;
        for leaf in 0..self.times.len() as u32 {
            self.set(leaf, self.times[leaf as usize]);
        }
    }

    /// The earliest event if all are beyond the horizon.
    #[cold]
    fn search(&self) -> (u64, u32) {
        let times = self.times.iter().zip(0..);
        times.map(|(time, leaf)| (*time, leaf)).min().unwrap_or((NEVER, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn of_two_events_at_one_instant_the_lower_leaf_is_first() {
        let mut tree = Tree::new(5);
        tree.set(4, 10);
        tree.set(2, 10);
        assert_eq!(tree.earliest(0), (10, 2));
        tree.set(2, NEVER);
        assert_eq!(tree.earliest(0), (10, 4));
    }

    proptest! {
        #[test]
        fn the_root_is_what_a_linear_search_finds(leaves in 1usize..40, changes in prop::collection::vec((0usize..40, 0u64..20), 1..200)) {
            let mut tree = Tree::new(leaves);
            let mut plain = vec![NEVER; leaves];
            let mut now = 0;
            for (leaf, time) in changes {
                let leaf = leaf % leaves;
                // As in a run, nothing is scheduled before the earliest event; some times lie beyond the horizon.
                let time = if time == 19 { now.max(u64::MAX / 2) } else { now + time };
                tree.set(leaf as u32, time);
                plain[leaf] = time;
                let first = (0..leaves).min_by_key(|l| (plain[*l], *l)).unwrap();
                prop_assert_eq!(tree.earliest(now), (plain[first], first as u32));
                // Like a partition that stops at a limit, it does not always reach its earliest event.
                if leaf % 3 > 0 {
                    now = plain[first];
                }
            }
        }
    }
}
