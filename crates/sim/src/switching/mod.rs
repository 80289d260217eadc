//! Kinds of switching, one a folder: each has its keys, their check, its agents, its figures and its explanation.
//!
//! | file or folder | holds |
//! |---|---|
//! | `kind` | what a kind of switching answers |
//! | `packets` | nothing but ports: the default |
//! | `aapn` | an agile all-photonic network: edge nodes that send in granted slots, core nodes that schedule frames |
//! | `ops` | optical packet switching: edge nodes that pace macroflows, core nodes with optical RAM, slots or delay lines |
//! | `obs` | optical burst switching: packets are assembled into bursts, headers reserve wavelengths ahead of them |
//!
//! Another kind is a folder here and one line in `kinds!` (and its `mod`).

pub mod aapn;
pub(crate) mod kind;
pub mod obs;
pub mod ops;
pub mod packets;
#[cfg(test)]
mod turns;

pub use kind::{ConversionRule, Entry};

use crate::language::Fault;
use crate::language::keys::Explained;
use crate::results::Column;
use kind::{Checked, FlowFacts, Kind, Site};
use schemars::JsonSchema;
use serde::Deserialize;

/// A line of `kinds!`.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    kind: &'static Kind,
    folder: &'static str,
    variant: &'static str,
}

impl Line {
    /// The `kind` that chooses it: its variant in lower case, with a dash before each further word.
    fn kind(&self) -> String {
        let part = |(place, letter): (usize, char)| {
            let dash = if place > 0 && letter.is_uppercase() { "-" } else { "" };
            format!("{dash}{}", letter.to_lowercase())
        };
        self.variant.char_indices().map(part).collect()
    }
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $variant:ident = $module:ident;)+) => {
        /// What the network switches; the key `kind` chooses, the other keys belong to that kind.
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        #[schemars(tag = "kind")]
        pub enum Switching { $($(#[doc = $doc])* $variant(Box<$module::Keys>)),+ }

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

            /// The kind.
            pub(crate) fn kind(&self) -> &'static Kind {
                match self { $(Switching::$variant(_) => &$module::KIND),+ }
            }
        }

        pub(crate) const KINDS: &[Line] =
            &[$(Line { kind: &$module::KIND, folder: stringify!($module), variant: stringify!($variant) }),+];
    };
}

kinds! {
    /// Packets, each by itself.
    Packets = packets;
    /// Slots of frames, in an agile all-photonic network.
    Aapn = aapn;
    /// Packets of light, in an optical packet-switched network.
    Ops = ops;
    /// Bursts, announced by headers.
    Obs = obs;
}

/// The example of the guide, which only tests know.
#[cfg(test)]
pub(crate) mod example {
    use super::{Checked, Deserialize, Explained, Fault, JsonSchema, Kind, Line, Site, turns};

    kinds! {
        /// The outputs of every core node in turn.
        Turns = turns;
    }
}

/// Every kind of switching, sorted by name.
pub fn list() -> Vec<Entry> {
    let mut entries: Vec<Entry> = KINDS.iter().map(|line| line.kind.entry).collect();
    entries.sort_by_key(|entry| entry.name);
    entries
}

/// Each kind has a name of its own, and `kind` chooses it by that name: otherwise a sentence that names both.
fn clash(lines: &[Line]) -> Option<String> {
    let found = |(number, line): (usize, &Line)| {
        let (name, folder) = (line.kind.entry.name, line.folder);
        if line.kind() != name {
            return Some(format!("kind/{folder} is called {name:?}, and kind = {:?} chooses it", line.kind()));
        }
        let other = lines[..number].iter().find(|other| other.kind.entry.name == name)?.folder;
        Some(format!("two kinds of switching are called {name:?}: kind/{other} and kind/{folder}"))
    };
    lines.iter().enumerate().find_map(found)
}

/// Before anything is read.
pub(crate) fn assert_names() {
    if let Some(clash) = clash(KINDS) {
        panic!("{clash}");
    }
}

/// What a network does that says nothing about it.
pub(crate) fn default() -> Checked {
    Checked::plan(packets::StoreAndForward)
}

/// The kinds whose links may lead through a node, quoted.
pub(crate) fn that_lead() -> String {
    let leading = KINDS.iter().map(|line| line.kind).filter(|kind| kind.leads);
    let names = leading.map(|kind| format!("{:?}", kind.entry.name));
    names.collect::<Vec<_>>().join(", ")
}

/// The columns that all kinds add to the table of flows.
pub(crate) fn flow_columns(flows: &[FlowFacts]) -> Vec<(&'static str, Column)> {
    KINDS.iter().flat_map(|line| (line.kind.flow_columns)(flows)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packets(folder: &'static str, variant: &'static str) -> Line {
        Line { kind: &packets::KIND, folder, variant }
    }

    #[test]
    fn two_kinds_of_one_name_are_told_with_both_folders() {
        assert_eq!(clash(&[KINDS, example::KINDS].concat()), None);
        let twice = [packets("packets", "Packets"), packets("routers", "Packets")];
        let told = "two kinds of switching are called \"packets\": kind/packets and kind/routers";
        assert_eq!(clash(&twice).as_deref(), Some(told));
    }

    #[test]
    fn a_kind_that_is_chosen_by_another_name_is_told_with_both() {
        let told = "kind/routers is called \"packets\", and kind = \"store-and-forward\" chooses it";
        assert_eq!(clash(&[packets("routers", "StoreAndForward")]).as_deref(), Some(told));
    }
}
