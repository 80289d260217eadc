//! NSFNET with an edge node at every core node, as in paper 002 (28 nodes, 35 fibres).

use super::{Draft, Given, Property, network_keys, nsfnet};
use crate::language::{At, Fault, Key, Time};
use crate::model::{NodeId, Role};
use units::Duration;

network_keys! {
    /// NSFNET with edge nodes "e0" to "e13" at the core nodes "0" to "13". Links have 1 Gb/s unless `[link_defaults]`
    /// says otherwise.
    pub struct Config {
        /// Delay between an edge node and its core node.
        pub edge_delay: Key<Time> = Time(Duration::from_micros(100));
        /// Delay of every core link, instead of that of its length.
        pub core_delay: Option<At<Time>>;
    }
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        nsfnet::draw_core(draft, self.core_delay);
        for core in 0..nsfnet::NODES {
            let edge = draft.drawn(format!("e{core}"), Role::Edge);
            let delay = Some(Property::of(&self.edge_delay, |delay| delay.0));
            draft.duplex(NodeId(core), edge, Given { delay, ..Given::default() });
        }
        Ok(())
    }
}
