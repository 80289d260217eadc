//! NSFNET with an edge node at every core node, as in paper 002 (28 nodes, 35 fibres).

use super::{Draft, Entry, Given, Property, nsfnet};
use crate::language::{At, Fault, Time};
use crate::model::{NodeId, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use units::Duration;

pub(super) const ENTRY: Entry = Entry {
    name: "nsfnet-edge",
    summary: "NSFNET with an edge node \"e0\" to \"e13\" at each core node \"0\" to \"13\".",
    source: "XCP macroflows with optical RAM, Fig. 2 (which numbers the edge nodes 14 to 27)",
};

/// NSFNET with edge nodes "e0" to "e13" at the core nodes "0" to "13". Links have 1 Gb/s unless `[link_defaults]` says
/// otherwise.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Delay between an edge node and its core node. Default "0.1 ms".
    pub edge_delay: Option<At<Time>>,
    /// Delay of every core link, instead of that of its length.
    pub core_delay: Option<At<Time>>,
    /// After a link goes down or comes up, routes are computed anew this long later. Default: never.
    pub reroute_after: Option<At<Time>>,
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        nsfnet::draw_core(draft, self.core_delay);
        for core in 0..nsfnet::NODES {
            let edge = draft.drawn(format!("e{core}"), Role::Edge);
            let delay = match self.edge_delay {
                Some(delay) => Some(Property { value: delay.0, place: delay.place() }),
                None => Property::built_in(Duration::from_micros(100)),
            };
            draft.duplex(NodeId(core), edge, Given { delay, ..Given::default() });
        }
        Ok(())
    }
}
