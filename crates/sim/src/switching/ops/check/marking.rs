//! Marks by what core nodes keep: where packets of several wavelengths, slots or delay lines meet, the queue of a link
//! is the node's, and so is its threshold.

use super::is_core;
use crate::language::{At, Fault, quoted};
use crate::model::{Link, Network};
use crate::queue::{Config, step};
use crate::switching::ops::plan::{Congestion, Switches};
use units::BufferSize;

/// The threshold of the stores, if the links that leave core nodes have one.
pub(super) fn of_stores(at: &At<()>, network: &Network, ops: &Switches) -> Result<Option<Congestion>, Fault> {
    let links = ops.fibres.iter().map(|fibre| &network.links[fibre.wavelengths[0].index()]);
    let outputs: Vec<&Link> = links.filter(|link| is_core(network, link.from)).collect();
    let Some(first) = outputs.first() else { return Ok(None) };
    if let Some(other) = outputs.iter().find(|link| link.queue != first.queue) {
        let (a, b) = (quoted(&first.name), quoted(&other.name));
        return Err(at.fault(format!(
            "{a} and {b} have two queue disciplines, and core nodes that share memory, switch \
            slots or use delay lines have one for all outputs"
        )));
    }
    match first.queue {
        Config::DropTail => Ok(None),
        Config::Step(step::Config { threshold: BufferSize::Packets(from), others: step::Others::Accept }) => {
            Ok(Some(Congestion { from }))
        }
        _ => Err(at.fault(format!(
            "{} has the queue discipline {}; core nodes that share memory, switch slots or use delay lines mark by \
                kind = \"step\" with a threshold in packets and others = \"accept\"",
            quoted(&first.name),
            quoted(first.queue.name())
        ))),
    }
}
