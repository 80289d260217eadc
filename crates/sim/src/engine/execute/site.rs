//! Where fibres end, and where all links and flows begin and end.

use crate::model::Flow;
use std::sync::Arc;

/// A directed link of the network, in the engine's numbering: by (receiving node, sending node, link).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoints {
    /// The node that sends.
    pub from: u32,
    /// The node that receives.
    pub to: u32,
}

/// Where a fibre ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FibreEnd(u32);

impl FibreEnd {
    const LEADS_ON: u32 = 1 << 31;

    /// A fibre to `node`, which some paths `leads_on` from there.
    pub fn new(node: u32, leads_on: bool) -> FibreEnd {
        FibreEnd(node | if leads_on { FibreEnd::LEADS_ON } else { 0 })
    }

    /// The receiving node.
    #[inline]
    pub fn node(self) -> u32 {
        self.0 & !FibreEnd::LEADS_ON
    }

    /// Whether any path goes on from there: if none does, all packets are for hosts of the node, and that is known
    /// before the packet itself has been read.
    #[inline]
    pub fn leads_on(self) -> bool {
        self.0 >= FibreEnd::LEADS_ON
    }
}

/// Where the fibres of a partition end, where all links begin and end, and where all flows do.
#[derive(Clone, Debug)]
pub struct PartitionSite {
    /// The far end of each fibre.
    pub ends: Vec<FibreEnd>,
    /// The links of the whole network.
    pub links: Arc<[Endpoints]>,
    /// All flows.
    pub flows: Arc<[Flow]>,
}
