//! What the keys of a control of the edge nodes are checked against.

use crate::model::{LinkId, Network};

/// What the keys of an edge control are checked against.
pub struct EdgeSite<'a> {
    /// Resolved.
    pub network: &'a Network,
    /// The links between edge and core nodes.
    pub fibres: &'a [LinkId],
    /// The size of the largest packet.
    pub largest_packet: u32,
    /// What is worth a warning.
    pub warnings: &'a mut Vec<String>,
}
