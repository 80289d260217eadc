//! A whole run, before its random parts are drawn.

use super::{External, Forced, LawfulLink, LinkNews, Network, Timeline, Traffic, Transport};
use options::words;
use units::{Bytes, Duration};

/// A whole run, ready to be built.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// `[run]`.
    pub run: RunSpec,
    /// Nodes and directed links.
    pub network: Network,
    /// Ways to send, sorted by name; flows refer to them by [`TransportId`](super::TransportId).
    pub transports: Vec<Transport>,
    /// What is sent, before the random parts are drawn.
    pub traffic: Vec<Traffic>,
    /// How links change during the run, in the order of links.
    pub changes: Vec<Timeline>,
    /// Links whose delay is a law of time, in their order.
    pub laws: Vec<LawfulLink>,
    /// Of which of them senders are told, and how.
    pub news: Vec<LinkNews>,
    /// Segments that are dropped, delayed or duplicated by order.
    pub forced: Vec<Forced>,
    /// What is sampled.
    pub probe: Probe,
    /// What is traced.
    pub trace: Trace,
    /// Hosts outside of the simulator, if some are.
    pub external: Option<External>,
}

/// `[run]`: how long, from when on it counts, and the default seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSpec {
    /// A name for tables and plots.
    pub name: String,
    /// The run covers [0, duration).
    pub duration: Duration,
    /// Link statistics cover [warm_up, duration); less than `duration`.
    pub warm_up: Duration,
    /// The seed used when the command line gives none.
    pub seed: u64,
    /// Replications when the command line gives none, at least 1.
    pub runs: u32,
    /// What the run may take of the machine's memory.
    pub memory: Bytes,
    /// When a flow with a size counts as complete.
    pub completion: Completion,
}

words! {
    /// When a flow with a size counts as complete.
    pub enum Completion {
        /// When its last byte has come to its receiver, and all before it too.
        Delivered = "delivered",
        /// When its sender knows that: the last ACK has come.
        Acknowledged = "acknowledged",
    }
}

/// `[probe]`: sampling of states at a fixed interval; sampling never changes a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// The interval; `None`: nothing is sampled.
    pub interval: Option<Duration>,
    /// Flows whose cwnd, ssthresh, srtt, rto, pipe, dupthresh … are sampled.
    pub flows: Selection,
    /// Links whose queue and utilization are sampled.
    pub links: Selection,
}

/// `[trace]`: what happened, event by event; tracing never changes a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Flows whose packets are traced; [`Selection::None`] in both: nothing is traced.
    pub flows: Selection,
    /// Links at which they are.
    pub links: Selection,
    /// Whether the sending hosts of these flows are traced too.
    pub hosts: bool,
    /// The first instant.
    pub from: Duration,
    /// The first instant after it.
    pub until: Duration,
    /// The most events.
    pub limit: u64,
}

impl Trace {
    /// Whether anything is traced.
    pub fn is_on(&self) -> bool {
        self.limit > 0
    }
}

/// Which of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// None.
    #[default]
    None,
    /// All.
    All,
    /// These indices, ascending.
    Some(Vec<u32>),
}

impl Selection {
    /// Whether this one is among them.
    pub fn has(&self, index: u32) -> bool {
        match self {
            Selection::None => false,
            Selection::All => true,
            Selection::Some(chosen) => chosen.binary_search(&index).is_ok(),
        }
    }
}
