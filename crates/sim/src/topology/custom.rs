//! Nothing but what `[[node]]` and `[[link]]` say.

use super::{Draft, Entry, network_keys};
use crate::language::Fault;

pub(super) const ENTRY: Entry = Entry {
    name: "custom",
    summary: "The nodes and links of the scenario itself.",
    source: "the scenario's [[node]] and [[link]]",
};

network_keys! {
    /// Nothing but what `[[node]]` and `[[link]]` say.
    pub struct Config {
    }
}

impl Config {
    pub(super) fn draw(&self, _: &mut Draft) -> Result<(), Fault> {
        Ok(())
    }
}
