//! `[[switching.weight]]`: how what is too much is shared.

use super::keys::Weight;
use crate::language::{At, Fault, quoted};
use crate::model::NodeId;
use crate::topology::Draft;
use control::scheduler::Requests;

/// The weight of every pair of edge nodes, if any is named; of those that are not, 1.
pub(super) fn check(list: &[At<Weight>], draft: &Draft, edges: &[NodeId]) -> Result<Option<Requests>, Fault> {
    if list.is_empty() {
        return Ok(None);
    }
    let edge = |name: &At<String>| {
        let node = draft.require(name, name.place())?;
        let not_one = || name.fault(format!("{} is not an edge node of the slotted network", quoted(name)));
        edges.binary_search(&node).map_err(|_| not_one())
    };
    let mut weights = vec![None; edges.len() * edges.len()];
    for entry in list {
        let from = edge(&entry.from)?;
        let to = entry.to.as_ref().map(edge).transpose()?;
        for place in to.map_or(0..edges.len(), |to| to..to + 1) {
            let weight = &mut weights[from * edges.len() + place];
            if to.is_some() && weight.is_some_and(|(_, named)| named) {
                return Err(entry.fault("there is a weight of this queue already"));
            }
            // Who names a queue means it, whatever stands for all queues of its edge node.
            if to.is_some() || !weight.is_some_and(|(_, named)| named) {
                *weight = Some((*entry.weight, to.is_some()));
            }
        }
    }
    let slots = weights.into_iter().map(|weight| weight.map_or(1, |(weight, _)| weight)).collect();
    Ok(Some(Requests::new(edges.len(), slots).expect("a resolved network has edge nodes, and not too many")))
}
