//! `[[switching.clock]]`: clocks that are off.

use super::super::keys::{self, Protocol};
use super::super::plan::{EdgeNode, SlotFrame};
use super::Star;
use crate::language::{At, Fault, Place, Time, quoted};
use crate::model::NodeId;
use std::collections::BTreeSet;
use units::Duration;

impl Star<'_> {
    pub(super) fn edges(&self, nodes: &[NodeId], frame: SlotFrame) -> Result<Vec<EdgeNode>, Fault> {
        let steady = |node: &NodeId| EdgeNode { node: *node, offset: 0, jitter: Duration::ZERO };
        let mut edges: Vec<EdgeNode> = nodes.iter().map(steady).collect();
        let mut known = BTreeSet::new();
        let in_a_slot = |span: Duration, place: Option<Place>| match place {
            Some(place) if span >= frame.slot => {
                Err(Fault::new(place, format!("found \"{span}\"; allowed: less than a slot, \"{}\"", frame.slot)))
            }
            _ => Ok(span.ps()),
        };
        let off = |at: Option<At<Time>>| at.map_or(Ok(0), |at| in_a_slot(at.0, Some(at.place())));
        for clock in &self.table.clock {
            let node = self.draft.require(&clock.node, clock.node.place())?;
            let edge = nodes.binary_search(&node).map_err(|_| {
                clock.node.fault(format!("{} is not an edge node of the slotted network", quoted(&clock.node)))
            })?;
            if !known.insert(edge) {
                return Err(clock.node.fault(format!("there is a clock of {} already", quoted(&clock.node))));
            }
            if let (Some(_), Some(early)) = (&clock.late, &clock.early) {
                return Err(early.fault("the clock is late already; allowed: late or early"));
            }
            self.check_what_is_known(clock)?;
            let (late, early) = (off(clock.late)?, off(clock.early)?);
            // A slot is shorter than an hour, so both have a sign.
            edges[edge].offset = late as i64 - early as i64;
            edges[edge].jitter = Duration::from_ps(in_a_slot(clock.jitter.0, clock.jitter.place())?);
        }
        Ok(edges)
    }

    /// Whoever measures is not told how far he is off.
    fn check_what_is_known(&self, clock: &keys::Clock) -> Result<(), Fault> {
        let simulated = self.table.protocol.0 == Protocol::Simulated;
        let off = clock.late.or(clock.early).filter(|_| simulated);
        if let Some(at) = off {
            return Err(
                at.fault("edge nodes measure it with protocol = \"simulated\"; allowed: offset, drift_ppm, jitter")
            );
        }
        let shown = clock.offset.map(|at| at.place()).or(clock.drift_ppm.map(|at| at.place()));
        match shown.filter(|_| !simulated) {
            Some(place) => {
                let message = "goes with protocol = \"simulated\"; allowed otherwise: late, early, jitter";
                Err(Fault::new(place, message))
            }
            None => Ok(()),
        }
    }
}
