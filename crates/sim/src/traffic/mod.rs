//! Traffic: the rules of a scenario, and the flows they yield for one seed.

mod expand;

pub use expand::expand;

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
