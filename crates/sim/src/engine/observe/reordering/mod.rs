//! How far packets arrive out of order, where `[probe]` asks for it: RFC 4737 and RFC 5236.
//!
//! A host numbers what it sends, so that a segment that is sent again is another packet: what is counted is what the
//! network does, not what the transport repairs. The number travels with the packet, as the time does that delays need.
//! Packets with congestion headers have none.

mod density;
mod extent;

pub use density::Densities;
pub use extent::Extents;

use std::collections::BTreeMap;

/// What the receiving ends of a partition have seen.
#[derive(Clone, Debug)]
pub struct Reordering {
    /// A packet that comes later than so many others that left after it counts as lost.
    threshold: u32,
    flows: BTreeMap<u32, FlowReordering>,
}

/// What the receiving end of a flow has seen.
#[derive(Clone, Debug)]
pub struct FlowReordering {
    /// RFC 4737.
    pub extents: Extents,
    /// RFC 5236.
    pub densities: Densities,
}

impl FlowReordering {
    fn new(threshold: u32) -> FlowReordering {
        FlowReordering { extents: Extents::new(threshold), densities: Densities::new(threshold) }
    }

    /// A packet arrives. What has arrived before, or counts as lost, is left out.
    fn record(&mut self, now: u64, number: u64) {
        if self.extents.record(now, number) {
            self.densities.record(number);
        }
    }
}

impl Reordering {
    /// Nothing has arrived.
    pub fn new(threshold: u32) -> Reordering {
        Reordering { threshold, flows: BTreeMap::new() }
    }

    /// Without what has been seen.
    pub fn anew(&self) -> Reordering {
        Reordering::new(self.threshold)
    }

    /// The packet of this number has arrived at the end of its flow.
    pub fn record(&mut self, now: u64, flow: u32, number: u64) {
        let threshold = self.threshold;
        self.flows.entry(flow).or_insert_with(|| FlowReordering::new(threshold)).record(now, number);
    }

    /// What has been seen of a flow, if anything has.
    pub fn of(&self, flow: u32) -> Option<&FlowReordering> {
        self.flows.get(&flow)
    }

    /// What has been seen of each flow, taken out.
    pub fn take(&mut self) -> BTreeMap<u32, FlowReordering> {
        std::mem::take(&mut self.flows)
    }

    /// A flow is received here from now on.
    pub fn put(&mut self, flow: u32, seen: FlowReordering) {
        self.flows.insert(flow, seen);
    }
}
