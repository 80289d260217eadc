//! State by flow, by agent, by link and by node: each container knows how it is split among partitions, and how the
//! containers of all partitions are merged again.
//!
//! A partition has its items in the order of their numbers in the whole network, and `owner` gives the partition of
//! each number. So splitting and merging are two walks over all numbers.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// Items by flow, found by the number of the flow.
#[derive(Clone, Debug)]
pub struct PerFlow<T> {
    items: Vec<T>,
    /// The place of each flow in the `items` of its partition, shared by all partitions; empty if there is one.
    places: Arc<[u32]>,
}

/// Items by agent, found by the number of the agent.
pub type PerAgent<T> = PerFlow<T>;

/// Items by link. A partition numbers its own links from 0 and finds items by that number. [`merge`] and [`split`].
pub type PerLink<T> = Vec<T>;

/// Items by node, found by the number of the node in the whole network; those of other partitions are defaults.
/// [`merge_nodes`] and [`split_nodes`].
pub type PerNode<T> = Vec<T>;

impl<T> Default for PerFlow<T> {
    fn default() -> PerFlow<T> {
        PerFlow::all(Vec::new())
    }
}

impl<T> PerFlow<T> {
    /// Items of all flows, in their order.
    pub fn all(items: Vec<T>) -> PerFlow<T> {
        PerFlow { items, places: Arc::from([]) }
    }

    /// What several partitions have.
    pub fn merge(parts: Vec<PerFlow<T>>, owner: impl Fn(u32) -> u32) -> PerFlow<T> {
        PerFlow::all(merge(parts.into_iter().map(|part| part.items).collect(), owner))
    }

    /// The items of all flows, handed out to so many partitions.
    pub fn split(self, parts: u32, owner: impl Fn(u32) -> u32) -> Vec<PerFlow<T>> {
        let places = if parts == 1 { Arc::from([]) } else { places(self.items.len() as u32, &owner) };
        let items = split(self.items, parts, owner);
        items.into_iter().map(|items| PerFlow { items, places: Arc::clone(&places) }).collect()
    }

    /// The items in the order of their flows.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// The same, to be changed.
    pub fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// How many flows are here.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// The place of a flow that is here.
    #[inline]
    pub fn place(&self, flow: u32) -> usize {
        if self.places.is_empty() { flow as usize } else { self.places[flow as usize] as usize }
    }
}

impl<T> Index<u32> for PerFlow<T> {
    type Output = T;

    #[inline]
    fn index(&self, flow: u32) -> &T {
        &self.items[self.place(flow)]
    }
}

impl<T> IndexMut<u32> for PerFlow<T> {
    #[inline]
    fn index_mut(&mut self, flow: u32) -> &mut T {
        let place = self.place(flow);
        &mut self.items[place]
    }
}

/// Entries of a few flows, handed out to so many partitions. (Merged, they are one map.)
pub fn split_map<K: Ord, T>(map: BTreeMap<K, T>, parts: u32, owner: impl Fn(&K) -> u32) -> Vec<BTreeMap<K, T>> {
    let mut split: Vec<BTreeMap<K, T>> = (0..parts).map(|_| BTreeMap::new()).collect();
    for (key, item) in map {
        split[owner(&key) as usize].insert(key, item);
    }
    split
}

/// The items of all partitions in the order of their numbers.
pub fn merge<T>(mut parts: Vec<Vec<T>>, owner: impl Fn(u32) -> u32) -> Vec<T> {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let count = parts.iter().map(Vec::len).sum::<usize>() as u32;
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    let next = |number| parts[owner(number) as usize].next().expect("a part has its items in the order of numbers");
    (0..count).map(next).collect()
}

/// All items, handed out to so many partitions.
pub fn split<T>(items: Vec<T>, parts: u32, owner: impl Fn(u32) -> u32) -> Vec<Vec<T>> {
    if parts == 1 {
        return vec![items];
    }
    let mut counts = vec![0; parts as usize];
    (0..items.len() as u32).for_each(|number| counts[owner(number) as usize] += 1);
    // Of a million flows each item is moved once, to a place that it keeps.
    let mut split: Vec<Vec<T>> = counts.into_iter().map(Vec::with_capacity).collect();
    (0..).zip(items).for_each(|(number, item)| split[owner(number) as usize].push(item));
    split
}

/// The items of all nodes.
pub fn merge_nodes<T: Default>(mut parts: Vec<PerNode<T>>, owner: impl Fn(u32) -> u32) -> PerNode<T> {
    let nodes = parts.first().map_or(0, Vec::len);
    (0..nodes).map(|node| std::mem::take(&mut parts[owner(node as u32) as usize][node])).collect()
}

/// The items of all nodes, handed out to so many partitions.
pub fn split_nodes<T: Clone + Default>(items: PerNode<T>, parts: u32, owner: impl Fn(u32) -> u32) -> Vec<PerNode<T>> {
    let mut split = vec![vec![T::default(); items.len()]; parts as usize];
    (0..).zip(items).for_each(|(node, item)| split[owner(node) as usize][node as usize] = item);
    split
}

/// The place of each of `flows` flows among those of its partition.
fn places(flows: u32, owner: impl Fn(u32) -> u32) -> Arc<[u32]> {
    let mut used: Vec<u32> = Vec::new();
    let place = |flow| {
        let part = owner(flow) as usize;
        used.resize(used.len().max(part + 1), 0);
        used[part] += 1;
        used[part] - 1
    };
    (0..flows).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn some_flows_are_found_by_their_numbers() {
        let all = PerFlow::all(vec!["zero", "one", "two", "three", "four"]);
        let parts = all.split(2, |flow| u32::from(flow == 1 || flow == 4));
        assert_eq!((parts[1][1], parts[1][4], parts[1].len(), parts[0][3]), ("one", "four", 2, "three"));
    }

    proptest! {
        /// Handed out at random and handed out again: each partition has its own, and merged they are what they were.
        #[test]
        fn what_is_split_is_merged_again(owners in prop::collection::vec((0u32..4, 0u32..4), 1..50)) {
            let (first, then) = (|number: u32| owners[number as usize].0, |number: u32| owners[number as usize].1);
            let numbers: Vec<u32> = (0..owners.len() as u32).collect();
            let of = |part: u32| numbers.iter().copied().filter(move |number| then(*number) == part);

            let flows = PerFlow::merge(PerFlow::all(numbers.clone()).split(4, first), first).split(4, then);
            let links = split(merge(split(numbers.clone(), 4, first), first), 4, then);
            let nodes = split_nodes(merge_nodes(split_nodes(numbers.clone(), 4, first), first), 4, then);
            for part in 0..4 {
                let place = part as usize;
                prop_assert!(of(part).eq(flows[place].items().iter().copied()));
                prop_assert!(of(part).all(|number| flows[place][number] == number));
                prop_assert!(of(part).eq(links[place].iter().copied()));
                let seen = |number: &u32| if then(*number) == part { *number } else { 0 };
                prop_assert!(numbers.iter().map(seen).eq(nodes[place].iter().copied()));
            }
            prop_assert!(PerFlow::merge(flows, then).items() == numbers);
            prop_assert!(merge(links, then) == numbers && merge_nodes(nodes, then) == numbers);
        }

        #[test]
        fn maps_of_some_flows_are_split(keys in prop::collection::btree_map(0u32..50, 0u32..9, 0..20)) {
            let parts = split_map(keys.clone(), 3, |flow| flow % 3);
            prop_assert!((0..).zip(&parts).all(|(part, map)| map.keys().all(|flow| flow % 3 == part)));
            prop_assert_eq!(parts.into_iter().flatten().collect::<BTreeMap<_, _>>(), keys);
        }
    }
}
