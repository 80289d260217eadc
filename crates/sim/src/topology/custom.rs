//! Nothing but what `[[node]]` and `[[link]]` say.

use super::{Draft, network_keys};
use crate::language::Fault;

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
