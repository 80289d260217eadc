//! Nothing but what `[[node]]` and `[[link]]` say.

use super::{Draft, Entry};
use crate::language::{At, Fault, Time};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const ENTRY: Entry = Entry {
    name: "custom",
    summary: "The nodes and links of the scenario itself.",
    source: "the scenario's [[node]] and [[link]]",
};

/// Nothing but what `[[node]]` and `[[link]]` say.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// After a link goes down or comes up, routes are computed anew this long later. Default: never.
    pub reroute_after: Option<At<Time>>,
}

impl Config {
    pub(super) fn draw(&self, _: &mut Draft) -> Result<(), Fault> {
        Ok(())
    }
}
