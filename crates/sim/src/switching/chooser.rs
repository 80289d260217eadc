//! What sets circuits from outside of this crate, for the work of a run: a class in Python does.

use std::fmt::Debug;
use std::sync::Arc;
use units::Instant;

/// A circuit: from a node with ports to another one, by their numbers.
pub type Circuit = (u32, u32);

/// What is left of the steps under way, between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking {
    /// Whence and whither.
    pub circuit: Circuit,
    /// Transfers that are not done.
    pub transfers: u32,
    /// How many of them are ready.
    pub ready: u32,
    /// Their bytes, in full.
    pub bytes: u64,
}

/// What it sees; as old as the control delay of the switches.
#[derive(Clone, Debug)]
pub struct Seen<'a> {
    /// When.
    pub now: Instant,
    /// How often a step has begun.
    pub step: u64,
    /// The circuits of each switch, or those that it turns to.
    pub circuits: Vec<Vec<Circuit>>,
    /// Of the steps under way.
    pub asking: &'a [Asking],
}

/// Sets the circuits of a run.
pub trait Chooser: Debug + Send {
    /// Circuits for switches, by number: each node sends over one of a switch and hears over one. Others of a switch
    /// stay as far as they can.
    fn choose(&mut self, seen: &Seen) -> Vec<(u32, Vec<Circuit>)>;

    /// When it wants to be asked, whatever happens; not before the last time that it was.
    fn next_timeout(&self) -> Instant;
}

/// Makes what sets the circuits of a run.
pub trait ChooserMaker: Debug + Send + Sync {
    /// For a run with nodes and switches of these names.
    fn make(self: Arc<Self>, nodes: &[String], switches: &[String]) -> Box<dyn Chooser>;
}
