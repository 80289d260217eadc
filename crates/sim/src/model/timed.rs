//! Routes of pairs of nodes that change in time, as somebody knows them beforehand.

use super::{LinkId, NodeId};
use options::words;
use std::collections::BTreeMap;

words! {
    /// What packets do that are under way when the route of their pair changes.
    pub enum UnderWay {
        /// From where they are they go on by the new route. At a node that is none of its nodes they take the way that
        /// is known from there; without one they are dropped (cause `unreachable`).
        New = "new",
        /// They keep the route with which they left.
        Old = "old",
    }
}

/// The routes of pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedRoutes {
    /// By source and destination, each in the order of time, the first of them at 0.
    pub pairs: BTreeMap<(NodeId, NodeId), Vec<TimedRoute>>,
    /// What becomes of packets under way.
    pub under_way: UnderWay,
    /// How many nodes, the first ones, come with them.
    pub nodes: u32,
    /// The keys with which a scenario names all of it, and their values as they are written.
    pub keys: Vec<(&'static str, String)>,
}

impl TimedRoutes {
    /// Whether a pair that comes with them has no route at any time.
    pub fn is_never(&self, source: NodeId, destination: NodeId) -> bool {
        self.pairs.get(&(source, destination)).is_some_and(|routes| routes.iter().all(|route| route.way.is_empty()))
    }
}

/// What a pair has from a time on.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedRoute {
    /// From then on, in picoseconds.
    pub from: u64,
    /// The links from the source to the destination; none while the pair is cut off.
    pub way: Vec<LinkId>,
    /// Ways from other nodes at which packets of the pair may be.
    pub others: Vec<Vec<LinkId>>,
}
