//! Networks: ready-made ones and importers.
//!
//! A ready-made network is one file here with a `Config` (the keys of `[topology]` besides `kind`), its name, summary
//! and source, and `draw`; one line in `topologies!` below registers it.

mod aapn_star;
mod custom;
mod draft;
mod dumbbell;
mod file;
mod geography;
mod gml;
mod grid;
mod nsfnet;
mod nsfnet_edge;
mod parking_lot;
mod round_trips;
mod sndlib;
mod star;

pub use draft::{Controller, Draft, DraftLink, Given, Property};
pub use gml::parse as parse_gml;
pub(crate) use nsfnet::CAPACITY as NSFNET_CAPACITY;
pub use sndlib::parse as parse_sndlib;

use crate::language::{At, Fault, Time};

/// Declares the keys of a topology, and the one that all have.
macro_rules! network_keys {
    ($(#[doc = $about:literal])+ pub struct $name:ident { $($keys:tt)* }) => {
        crate::language::keys::keys! {
            $(#[doc = $about])+
            pub struct $name {
                $($keys)*
                /// After a link goes down or comes up, routes are computed again after this time. Default: never.
                pub reroute_after: Option<crate::language::At<crate::language::Time>>;
            }
        }
    };
}
use network_keys;
use schemars::JsonSchema;
use serde::Deserialize;

/// The most nodes, and the most directed links, of a network.
pub const MAX_ELEMENTS: u64 = 1_000_000;

/// One line of `photocol list topologies`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The `kind`.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

macro_rules! topologies {
    ($($variant:ident = $module:ident;)+) => {
        /// The network; the key `kind` chooses, the other keys belong to that kind.
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        #[schemars(tag = "kind")]
        #[allow(missing_docs, reason = "a variant is described by its Config")]
        pub enum Topology { $($variant($module::Config)),+ }

        impl Topology {
            /// Draws the network.
            pub(crate) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
                match self {
                    $(Topology::$variant(config) => {
                        config.check()?;
                        config.draw(draft)
                    }),+
                }
            }

            /// `reroute_after`, which every kind has.
            pub(crate) fn reroute_after(&self) -> Option<At<Time>> {
                match self { $(Topology::$variant(config) => config.reroute_after),+ }
            }

            /// Its line in the list.
            pub fn entry(&self) -> &'static Entry {
                match self { $(Topology::$variant(_) => &$module::ENTRY),+ }
            }
        }

        const ENTRIES: &[Entry] = &[$($module::ENTRY),+];
    };
}

topologies! {
    AapnStar = aapn_star;
    Custom = custom;
    Dumbbell = dumbbell;
    File = file;
    Grid = grid;
    Nsfnet = nsfnet;
    NsfnetEdge = nsfnet_edge;
    ParkingLot = parking_lot;
    Star = star;
}

/// Every kind of topology, sorted by name.
pub fn list() -> &'static [Entry] {
    ENTRIES
}

#[cfg(test)]
mod tests;
