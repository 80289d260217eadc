//! Hosts around one hub.

use super::{Draft, Entry, Given, MAX_ELEMENTS};
use crate::language::{At, Fault, Time, bounded};
use crate::model::Role;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const ENTRY: Entry = Entry {
    name: "star",
    summary: "Hosts \"n0\", \"n1\", … around the switch \"hub\".",
    source: "the incast and overlaid-star studies",
};

/// Hosts n0, n1, … around the node "hub". Links are as `[link_defaults]` says: `link_defaults.core` for those from the
/// hub, `link_defaults.host` for those to it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Number of hosts.
    pub leaves: At<u32>,
    /// After a link goes down or comes up, routes are computed anew this long later. Default: never.
    pub reroute_after: Option<At<Time>>,
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let leaves = bounded(self.leaves, MAX_ELEMENTS / 2)?;
        let hub = draft.drawn("hub", Role::Core);
        for leaf in 0..leaves {
            let host = draft.drawn(format!("n{leaf}"), Role::Host);
            draft.duplex(host, hub, Given::default());
        }
        Ok(())
    }
}
