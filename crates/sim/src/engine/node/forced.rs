//! Segments that meet a fate by order of the scenario: drop, delay or duplicate exactly these.

use super::agent::Orders;
use crate::engine::packet::state::{BySource, state};
use crate::model::{Fate, Forced};
use std::collections::BTreeMap;

state! {
    /// The orders, by flow.
    #[derive(Debug, Default)]
    pub struct ForcedFates {
        /// Each flow that has any.
        pub flows: BTreeMap<u32, FlowFates>, BySource;
        /// Orders that depend on what a flow sends.
        pub orders: BTreeMap<u32, Box<dyn Orders>>, BySource;
    }
}

/// The orders for one flow.
#[derive(Debug)]
pub struct FlowFates {
    /// Payload bytes of a full segment (1 for datagrams, which are numbered).
    segment_size: u64,
    segments: BTreeMap<u64, Copies>,
}

/// The orders for one segment, and how often it has been sent.
#[derive(Debug, Default)]
struct Copies {
    copies_sent: u32,
    fates: BTreeMap<u32, Fate>,
}

impl ForcedFates {
    /// Takes over an order for a flow whose segments have `segment_size` bytes (1: they are numbered).
    pub fn add(&mut self, order: &Forced, segment_size: u64) {
        let flow = self.flows.entry(order.flow).or_insert(FlowFates { segment_size, segments: BTreeMap::new() });
        flow.segments.entry(order.segment).or_default().fates.insert(order.copy, order.fate);
    }

    /// Whether any order concerns `flow`.
    pub fn concern(&self, flow: u32) -> bool {
        self.flows.contains_key(&flow) || self.orders.contains_key(&flow)
    }

    /// The fate of a transmission, which counts as the next copy of its segment.
    pub fn of(&mut self, flow: u32, seq: u64) -> Option<Fate> {
        let flow = self.flows.get_mut(&flow)?;
        let orders = flow.segments.get_mut(&(seq / flow.segment_size))?;
        orders.copies_sent += 1;
        orders.fates.get(&orders.copies_sent).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_names_one_copy_of_one_segment() {
        let mut fates = ForcedFates::default();
        fates.add(&Forced { flow: 3, segment: 2, copy: 2, fate: Fate::Drop }, 1000);
        assert_eq!(fates.of(3, 2000), None);
        assert_eq!(fates.of(3, 2000), Some(Fate::Drop));
        assert_eq!(fates.of(3, 2000), None);
        assert_eq!(fates.of(3, 3000), None);
        assert_eq!(fates.of(1, 2000), None);
    }
}
