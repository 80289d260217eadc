//! Hosts around one hub.

use super::{Draft, Given, MAX_ELEMENTS, network_keys};
use crate::language::keys::whole;
use crate::language::{At, Fault};
use crate::model::Role;

network_keys! {
    /// Hosts n0, n1, … around the node "hub". Links are as `[link_defaults]` says: `link_defaults.core` for those from
    /// the hub, `link_defaults.host` for those to it.
    pub struct Config {
        /// Number of hosts.
        pub leaves: At<u32>, in whole(1, (MAX_ELEMENTS / 2) as u32);
    }
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let leaves = *self.leaves;
        let hub = draft.drawn("hub", Role::Core);
        for leaf in 0..leaves {
            let host = draft.drawn(format!("n{leaf}"), Role::Host);
            draft.duplex(host, hub, Given::default());
        }
        Ok(())
    }
}
