//! The event list: a winner tree over the fibres that end in a partition, and over what else stands in it.
//!
//! Every leaf holds the time of the earliest event of its fibre ([`NEVER`] if it is dark); every inner node the smaller
//! of its two children. The root is therefore the earliest event, and events at one instant come in the order of their
//! leaves.
//!
//! A node is one number, (time − base) · 2^b + leaf with b bits for the leaf, so a comparison is a `min` of two
//! integers, which compiles to no branch: which fibre is next is unpredictable on a mesh, and a mispredicted branch
//! costs more than a whole level. The places on the way to the root depend on the leaf alone, so the loads of all
//! levels overlap. A new key is compared with its sibling and never read back: each level adds one `min` to what the
//! next event waits for, and not a store with the load behind it. For the usual numbers of leaves the way to the root
//! is written out, without a loop and with places that are known when it is compiled ([`replay`]). The price of one
//! number is a horizon: times more than 2^(63−b) ps after the base (two minutes for 10^5 fibres) all look like the
//! horizon until nothing nearer is left; then the base moves on and the keys are made again from the plain times. The
//! base never passes the time that the partition has reached: a packet from another partition may arrive before
//! everything that is in the list.

use crate::engine::packet::NEVER;

/// A winner tree over a fixed number of leaves.
#[derive(Clone, Debug)]
pub struct TournamentTree {
    /// In the order of a heap: the children of node `i` are nodes `2 i` and `2 i + 1`, and half of the nodes are
    /// leaves. Node 1 is not kept here.
    keys: Vec<u64>,
    /// The smallest key, that of node 1.
    root: u64,
    /// Levels below the root, and bits of a leaf's number in a key.
    levels: u32,
    /// The bits of a leaf's number in a key.
    leaf_mask: u64,
    /// The time from the base to the horizon.
    horizon: u64,
    base: u64,
    /// The true times of the leaves.
    times: Vec<u64>,
}

/// Levels of the trees whose ways to the root are written out.
const WRITTEN_OUT: [u32; 6] = [4, 6, 7, 8, 9, 10];

impl TournamentTree {
    /// A tree of `leaves` leaves, none of which has an event.
    pub fn new(leaves: usize) -> TournamentTree {
        let needed = leaves.next_power_of_two().trailing_zeros();
        let levels = WRITTEN_OUT.into_iter().find(|levels| *levels >= needed).unwrap_or(needed);
        let mut tree = TournamentTree {
            keys: vec![u64::MAX; 2 << levels],
            root: u64::MAX,
            levels,
            leaf_mask: (1 << levels) - 1,
            horizon: u64::MAX >> levels,
            base: 0,
            times: vec![NEVER; leaves],
        };
        tree.rebase(0);
        tree
    }

    /// The earliest event as (time, leaf), if it comes no later than `limit`. Nothing will ever be set to a time before
    /// `reached`.
    #[inline]
    pub fn earliest_until(&mut self, reached: u64, limit: u64) -> Option<(u64, u32)> {
        // What lies beyond the horizon seems to lie there.
        if self.base + (self.root >> self.levels) > limit {
            return None;
        }
        Some(self.earliest(reached)).filter(|(time, _)| *time <= limit)
    }

    /// The same without a limit.
    #[inline]
    pub fn earliest(&mut self, reached: u64) -> (u64, u32) {
        if self.root >> self.levels >= self.horizon {
            self.rebase(reached);
            if self.root >> self.levels >= self.horizon {
                return self.search();
            }
        }
        (self.base + (self.root >> self.levels), (self.root & self.leaf_mask) as u32)
    }

    /// Gives `leaf` the time of its earliest event.
    #[inline(never)]
    pub fn set(&mut self, leaf: u32, time: u64) {
        self.set_inline(leaf, time);
    }

    /// The same, for the place in the program that does it most often.
    #[inline(always)]
    pub fn set_inline(&mut self, leaf: u32, time: u64) {
        self.times[leaf as usize] = time;
        let key = self.key(leaf, time);
        // Comparisons: a table of all sizes would be a jump.
        self.root = if self.levels == 6 {
            replay::<128>(&mut self.keys, leaf, key)
        } else if self.levels == 7 {
            replay::<256>(&mut self.keys, leaf, key)
        } else {
            replay_any(&mut self.keys, leaf, key)
        };
    }

    /// The horizon, the greatest time after the base that a key can express, stands for all later ones.
    #[inline]
    fn key(&self, leaf: u32, time: u64) -> u64 {
        (time - self.base).min(self.horizon) << self.levels | u64::from(leaf)
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

/// Puts the key of a leaf into a tree of `NODES` nodes, and what follows from it into the nodes above. Gives the
/// smallest key.
#[inline(always)]
pub fn replay<const NODES: usize>(keys: &mut [u64], leaf: u32, mut key: u64) -> u64 {
    let Some(keys) = keys.first_chunk_mut::<NODES>() else { return key };
    let mut node = NODES / 2 + leaf as usize % (NODES / 2);
    for _ in 1..NODES.ilog2() {
        let sibling = keys[node ^ 1];
        keys[node] = key;
        key = key.min(sibling);
        node /= 2;
    }
    key
}

/// The same for a tree of any size.
#[inline(never)]
pub fn replay_any(keys: &mut [u64], leaf: u32, mut key: u64) -> u64 {
    match keys.len() {
        32 => return replay::<32>(keys, leaf, key),
        512 => return replay::<512>(keys, leaf, key),
        1024 => return replay::<1024>(keys, leaf, key),
        2048 => return replay::<2048>(keys, leaf, key),
        _ => {}
    }
    let mut node = keys.len() / 2 + leaf as usize;
    while node > 1 {
        let sibling = keys[node ^ 1];
        keys[node] = key;
        key = key.min(sibling);
        node /= 2;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn of_two_events_at_one_instant_the_lower_leaf_is_first() {
        let mut tree = TournamentTree::new(5);
        tree.set(4, 10);
        tree.set(2, 10);
        assert_eq!(tree.earliest_until(0, NEVER), Some((10, 2)));
        tree.set(2, NEVER);
        assert_eq!(tree.earliest_until(0, 10), Some((10, 4)));
        assert_eq!(tree.earliest_until(0, 9), None);
    }

    proptest! {
        #[test]
        fn the_root_is_what_a_linear_search_finds(
            // Each size whose way to the root is written out, the sizes next to them, and larger ones.
            leaves in prop_oneof![
                1usize..40, 60usize..70, 120usize..135, 250usize..260, 505usize..520, 1000usize..1030, Just(3000usize)
            ],
            changes in prop::collection::vec((0usize..3000, 0u64..20), 1..200),
        ) {
            let mut tree = TournamentTree::new(leaves);
            let mut plain = vec![NEVER; leaves];
            let mut now = 0;
            for (leaf, time) in changes {
                let leaf = leaf % leaves;
                // As in a run, nothing is scheduled before the earliest event; some times lie beyond the horizon.
                let time = if time == 19 { now.max(u64::MAX / 2) } else { now + time };
                tree.set(leaf as u32, time);
                plain[leaf] = time;
                let first = (0..leaves).min_by_key(|l| (plain[*l], *l)).unwrap();
                for limit in [0, now, plain[first].saturating_sub(1), plain[first], NEVER - 1, NEVER] {
                    let found = (plain[first] <= limit).then_some((plain[first], first as u32));
                    prop_assert_eq!(tree.earliest_until(now, limit), found);
                }
                // Like a partition that stops at a limit, it does not always reach its earliest event.
                if leaf % 3 > 0 {
                    now = plain[first];
                }
            }
        }
    }
}
