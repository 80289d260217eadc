//! State of some of the flows of a run, found by flow number.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// Items by flow number. It holds all flows in their order, or, in one of several partitions, some of them.
#[derive(Debug)]
pub struct Arena<T> {
    items: Vec<T>,
    /// Place of each flow in the `items` of its partition, shared by all partitions; empty if there is one.
    places: Arc<[u32]>,
}

impl<T> Default for Arena<T> {
    fn default() -> Arena<T> {
        Arena::all(Vec::new())
    }
}

impl<T> Arena<T> {
    /// Items of all flows, in their order.
    pub fn all(items: Vec<T>) -> Arena<T> {
        Arena { items, places: Arc::from([]) }
    }

    /// Items of the flows that have a place ([`places`]).
    pub fn some(items: Vec<T>, places: Arc<[u32]>) -> Arena<T> {
        Arena { items, places }
    }

    /// The items in the order of their flows.
    pub fn into_items(self) -> Vec<T> {
        self.items
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

/// The place of each of `flows` flows among those of the partition that `owner` names for it.
pub fn places(flows: u32, owner: impl Fn(u32) -> u32) -> Arc<[u32]> {
    let mut used: Vec<u32> = Vec::new();
    let place = |flow| {
        let part = owner(flow) as usize;
        used.resize(used.len().max(part + 1), 0);
        used[part] += 1;
        used[part] - 1
    };
    (0..flows).map(place).collect()
}

impl<T> Index<u32> for Arena<T> {
    type Output = T;

    #[inline]
    fn index(&self, flow: u32) -> &T {
        &self.items[self.place(flow)]
    }
}

impl<T> IndexMut<u32> for Arena<T> {
    #[inline]
    fn index_mut(&mut self, flow: u32) -> &mut T {
        let place = self.place(flow);
        &mut self.items[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arena_of_some_flows_finds_each_by_its_number() {
        let arena = Arena::some(vec!["one", "four"], places(5, |flow| u32::from(flow == 1 || flow == 4)));
        assert_eq!((arena[1], arena[4], arena.len()), ("one", "four", 2));
    }
}
