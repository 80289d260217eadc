//! The TCP flows whose data enter the core at an edge node.

use super::ops_acks::Book;
use crate::engine::node::node_context::AgentPath;

/// One of them.
#[derive(Debug)]
pub struct EnteringFlow {
    /// Its edge-to-edge flow's place among those that begin here.
    pub outflow: usize,
    /// The way to its host.
    pub way: AgentPath,
    /// Bytes of a segment that are not payload.
    pub header: u32,
    /// Bytes of an ACK.
    pub ack_size: u16,
    /// What is remembered of it.
    pub book: Option<Book>,
}

/// Something of some flows, by their numbers.
#[derive(Debug)]
pub struct ByFlow<T> {
    /// In order.
    flows: Vec<u32>,
    list: Vec<T>,
}

/// All of them.
pub type Sources = ByFlow<EnteringFlow>;

impl<T> ByFlow<T> {
    /// These, in the order of their flows.
    pub fn new(pairs: impl Iterator<Item = (u32, T)>) -> ByFlow<T> {
        let (flows, list): (Vec<u32>, Vec<T>) = pairs.unzip();
        debug_assert!(flows.is_sorted(), "flows are gone through in their order");
        ByFlow { flows, list }
    }

    /// The flows of a traffic have consecutive numbers, so that the first guess is mostly right.
    #[inline]
    fn place(&self, flow: u32) -> Option<usize> {
        let guess = flow.wrapping_sub(*self.flows.first()?) as usize;
        if self.flows.get(guess) == Some(&flow) {
            return Some(guess);
        }
        self.flows.binary_search(&flow).ok()
    }

    /// What is known of a flow.
    #[inline]
    pub fn get(&self, flow: u32) -> Option<&T> {
        self.place(flow).map(|place| &self.list[place])
    }

    /// The same, to be changed.
    #[inline]
    pub fn get_mut(&mut self, flow: u32) -> Option<&mut T> {
        self.place(flow).map(|place| &mut self.list[place])
    }
}

impl Sources {
    /// The books of all flows.
    pub fn books(&self) -> impl Iterator<Item = &Book> {
        self.list.iter().filter_map(|source| source.book.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_found_whatever_lies_between() {
        let table = ByFlow::new([3, 4, 7, 8].into_iter().map(|flow| (flow, flow * 10)));
        let found = [2, 3, 4, 5, 7, 8, 9].map(|flow| table.get(flow).copied());
        assert_eq!(found, [None, Some(30), Some(40), None, Some(70), Some(80), None]);
    }
}
