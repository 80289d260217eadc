//! Traffic: the rules of a scenario, and the flows they yield for one seed.

mod expand;
mod source;

pub use expand::expand;
pub use source::{MAX_EXPONENTIAL_MEAN, Source};

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

/// The most flows of a run.
pub const MAX_FLOWS: u64 = 10_000_000;

/// One line of `photocol list` about what a flow sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name in scenarios.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

const ENTRIES: &[Entry] = &[
    Entry { name: "greedy", summary: "TCP: always more to send (default).", source: "a file transfer without end" },
    Entry { name: "size", summary: "TCP: so many bytes.", source: "a file transfer" },
    Entry {
        name: "constant",
        summary: "UDP: a packet every packet_size/rate, the first at the start.",
        source: "constant bit rate",
    },
    Entry {
        name: "poisson",
        summary: "UDP: packets as a Poisson process, of fixed or exponential size.",
        source: "the M of M/D/1 and M/M/1",
    },
    Entry {
        name: "on-off",
        summary: "UDP: at a constant rate in on-times, nothing in off-times; each constant, exponential or Pareto.",
        source: "Taqqu, Willinger, Sherman (1997): Pareto with shape a gives the Hurst parameter (3 - a)/2",
    },
];

/// Everything a flow can send.
pub fn list() -> &'static [Entry] {
    ENTRIES
}
