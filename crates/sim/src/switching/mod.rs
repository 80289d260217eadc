//! Kinds of switching, one a folder: each has its keys, their check, its agents, its figures and its explanation.
//!
//! | file or folder | holds |
//! |---|---|
//! | `kind` | what a kind of switching answers |
//! | `uplinks` | nodes with a link to and from each of some switches of light |
//! | `ends` | between which of them a flow's packets travel |
//! | `chooser` | what sets circuits from outside of this crate |
//! | `packets` | nothing but ports: the default |
//! | `circuits` | circuits between racks that come and go, beside a packet switch |
//! | `ocs` | optical circuit switches that a policy sets for work that depends on work |
//! | `rotor` | rotor switches: circuits between racks that go round, whatever the traffic |
//! | `aapn` | an agile all-photonic network: edge nodes that send in granted slots, core nodes that schedule frames |
//! | `ops` | optical packet switching: edge nodes that pace macroflows; optical RAM, slots or delay lines in the core |
//! | `obs` | optical burst switching: packets are assembled into bursts, headers reserve wavelengths ahead of them |
//!
//! Another kind is a folder here and one line in `kinds!` (and its `mod`).

pub mod aapn;
pub mod chooser;
pub mod circuits;
mod ends;
pub(crate) mod kind;
pub mod obs;
pub mod ocs;
pub mod ops;
pub mod packets;
pub mod rotor;
#[cfg(test)]
mod turns;
mod uplinks;

pub use kind::ConversionRule;

use crate::language::Fault;
use crate::language::keys::{Explained, Table};
use crate::results::Column;
use kind::{Checked, FlowFacts, Kind, Site};
use options::registry;
use schemars::JsonSchema;
use serde::Deserialize;

/// A kind of switching as it can be named.
pub type Entry = options::Entry<Name, &'static Kind>;

macro_rules! kinds {
    ($(
        $(#[doc = $doc:literal])+
        $variant:ident = $name:literal, $source:literal, $summary:literal: $module:ident;
    )+) => {
        registry! {
            /// The kinds of switching by name.
            pub enum Name: &'static Kind { $($variant = $name, $source, $summary: &$module::KIND;)+ }
        }

        /// What the network switches; the key `kind` chooses, the other keys belong to that kind.
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[schemars(tag = "kind")]
        pub enum Switching { $($(#[doc = $doc])+ #[serde(rename = $name)] $variant(Box<$module::Keys>)),+ }

        impl Switching {
            /// Checks the keys, each by itself and then against a network.
            pub(crate) fn check(&self, site: Site) -> Result<(Checked, Explained), Fault> {
                match self {
                    $(Switching::$variant(keys) => {
                        keys.check()?;
                        let mut checked = $module::check(keys, site)?;
                        let mut explained = keys.explained();
                        checked.derived.drain(..).for_each(|(key, value)| explained.derive(key, value));
                        Ok((checked, explained))
                    }),+
                }
            }

            /// The name of its kind.
            pub(crate) fn name(&self) -> Name {
                match self { $(Switching::$variant(_) => Name::$variant),+ }
            }
        }
    };
}

kinds! {
    /// Packets, each by itself.
    Packets = "packets", "store and forward; RFC 1812",
        "Every node with links is a router that stores and forwards each packet by itself (default).": packets;
    /// Slots of frames, in an agile all-photonic network.
    Aapn = "aapn", "paper 003 (an agile all-photonic network), chapters 2 to 4",
        "Slots of light: edge nodes with a queue for each other one send in the slots that a bufferless core grants.":
        aapn;
    /// Circuits between racks that come and go, beside packets.
    Circuits = "circuits", "hybrid rack networks; Mukerjee et al., NSDI 2020",
        "Circuits between racks that come and go by a week's plan; a packet switch takes what they do not.": circuits;
    /// Circuits between racks that go round, whatever the traffic.
    Rotor = "rotor", "RotorNet: Mellette et al., SIGCOMM 2017; Opera: Mellette et al., NSDI 2020",
        "Rotor switches: circuits between racks that go round; racks wait for them, or take detours.": rotor;
    /// Circuits that a policy sets for work that depends on work.
    Ocs = "ocs", "SWOT, arXiv 2510.19322; PCCL, arXiv 2509.15450; TopoOpt: Wang et al., NSDI 2023",
        "Optical circuit switches that a policy sets for work: once, by collective, step, halves or demand.": ocs;
    /// Packets of light, in an optical packet-switched network.
    Ops = "ops", "paper 002 (XCP macroflows with optical RAM), §2.2 and §3.1; slots: Hluchyj and Karol 1988",
        "Packets of light: cut-through with a little RAM, slots or delay lines; edge nodes may pace XCP macroflows.":
        ops;
    /// Bursts, announced by headers.
    Obs = "obs", "paper 001; Qiao and Yoo 1999",
        "Bursts of light: headers on a control channel reserve wavelengths ahead of them, hop by hop.": obs;
}

/// Every kind of switching, sorted by name.
pub fn list() -> Vec<&'static Entry> {
    let mut entries: Vec<_> = Name::REGISTRY.iter().collect();
    entries.sort_by_key(|entry| entry.name);
    entries
}

/// The tables that all kinds add to results: the columns of each, and what they say.
pub fn tables() -> impl Iterator<Item = (&'static str, &'static [(&'static str, &'static str)])> {
    Name::REGISTRY.iter().flat_map(|entry| entry.item.tables.iter().copied())
}

/// What a network does that says nothing about it.
pub(crate) fn default() -> Checked {
    Checked::plan(packets::StoreAndForward)
}

/// The kinds whose links may lead through a node, quoted.
pub(crate) fn that_lead() -> String {
    let leading = Name::REGISTRY.iter().filter(|entry| entry.item.leads);
    let names = leading.map(|entry| format!("{:?}", entry.name));
    names.collect::<Vec<_>>().join(", ")
}

/// The columns that all kinds add to the table of flows.
pub(crate) fn flow_columns(flows: &[FlowFacts]) -> Vec<(&'static str, Column)> {
    Name::REGISTRY.iter().flat_map(|entry| (entry.item.flow_columns)(flows)).collect()
}

/// The example of the guide, which only tests know.
#[cfg(test)]
pub(crate) mod example {
    use super::{Checked, Deserialize, Explained, Fault, JsonSchema, Kind, Site, Table, registry, turns};

    kinds! {
        /// The outputs of every core node in turn.
        Turns = "turns", "an example", "The outputs of every core node send in turn.": turns;
    }
}
