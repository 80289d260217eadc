//! Probes: what `[probe]` can have measured of a run, one a file. Each has its keys, what it watches, its columns,
//! figures and tables, each with a sentence, and its test. None changes a run.
//!
//! | file or folder | holds |
//! |---|---|
//! | `about` | what a probe says of itself: its columns, figures and tables |
//! | `sampling` | the keys of samples, which the engine takes itself |
//! | `empty_paths` | how long a packet takes over a path on which nothing waits |
//! | `delays` | one-way and queueing delays of all packets |
//! | `flow_delays` | one-way delay, its variation and losses of each flow |
//! | `reordering` | how far packets arrive out of order |
//! | `recovery` | what senders of QUIC find lost, and their windows, round trips and timers |
//! | `lost_throughput` | why flows did not get the whole of their paths |
//!
//! Another probe is a file here and one line in `probes!` (and its `mod`).

pub(crate) mod about;
mod delays;
mod empty_paths;
mod flow_delays;
#[cfg(test)]
mod hours;
mod lost_throughput;
mod recovery;
mod reordering;
pub(crate) mod sampling;

pub use about::About;

use crate::engine::observe::probe::AnyProbe;
use crate::language::keys::{Explained, Joined, Table, Written, joined_keys};
use options::registry;

/// A probe as it can be named.
pub type Entry = options::Entry<Name, &'static About>;

/// The probes of a run.
pub(crate) type Probes = Vec<Box<dyn AnyProbe>>;

/// The keys of a probe.
pub(crate) trait ProbeKeys: Table {
    /// The probe, if they ask for it.
    fn asked(&self) -> Option<Box<dyn AnyProbe>>;

    /// What counts for keys that are of use, are not given, and have no default of their own.
    fn derived(&self) -> Vec<(&'static str, Written)> {
        Vec::new()
    }
}

/// Declares the probes: variant, name, source, sentence, and the file.
macro_rules! probes {
    ($($variant:ident = $name:literal, $source:literal, $summary:literal: $module:ident;)+) => {
        registry! {
            /// The probes by name.
            pub enum Name: &'static About { $($variant = $name, $source, $summary: &$module::ABOUT;)+ }
        }

        joined_keys! {
            /// Sampling of states at a fixed interval; it never changes a run.
            pub struct Keys as "Probe" {
                /// What is sampled.
                pub sampling: sampling::Keys,
                $(#[doc = $summary] pub $module: $module::Keys,)+
            }
        }

        impl Keys {
            /// The probes that they ask for.
            pub(crate) fn asked(&self) -> Probes {
                [$(self.$module.asked()),+].into_iter().flatten().collect()
            }

            /// The table as it is written out.
            pub(crate) fn explained(&self) -> Explained {
                let mut explained = self.joined();
                $(self.$module.derived().into_iter().for_each(|(key, value)| explained.derive(key, value));)+
                explained
            }
        }
    };
}

probes! {
    Delays = "delays", "RFC 7679 (one-way delay)",
        "One-way delays of packets, and how long they waited, as percentiles over all flows.": delays;
    FlowDelays = "flow_delays", "RFC 7679; jitter as ns-3's flow monitor; losses as RFC 3550 §6.4.1",
        "One-way delay, jitter and losses of each flow.": flow_delays;
    Reordering = "reordering", "RFC 4737, RFC 5236",
        "How far packets arrive out of order: of each flow, and as frequencies.": reordering;
    LostThroughput = "lost_throughput", "docs/decisions/0010",
        "Why flows of TCP did not get the whole of their paths, by cause.": lost_throughput;
    Recovery = "recovery", "RFC 9002; events of qlog",
        "Each packet that senders of QUIC send, find acknowledged or lost, and their windows, round trips and timers.":
        recovery;
}

/// Every probe, in the order of their keys.
pub fn list() -> impl Iterator<Item = &'static Entry> {
    Name::REGISTRY.iter()
}

/// The example of the guide, which only tests know.
#[cfg(test)]
pub(crate) mod example {
    use super::{About, Explained, Joined, ProbeKeys, Probes, hours, joined_keys, registry, sampling};

    probes! {
        Hours = "hours", "an example", "How many packets arrive in each hour of the run.": hours;
    }
}
