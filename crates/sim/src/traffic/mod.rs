//! Traffic: the rules of a scenario, and the flows they yield for one seed.

use crate::SimTime;
use crate::ids::{NodeId, TransportId};
use crate::scenario::Load;

/// One flow of a run: who, when, how and what, with nothing left to draw but the times inside an on-off source.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Where it starts.
    pub source: NodeId,
    /// Where it ends; never the source, and reachable in both directions at the start of the run.
    pub destination: NodeId,
    /// When it starts.
    pub start: SimTime,
    /// When it stops sending at the latest.
    pub stop: SimTime,
    /// How it sends.
    pub transport: TransportId,
    /// What it sends.
    pub load: Load,
    /// The traffic it came from (index), and its number within it.
    pub origin: (u32, u32),
}
