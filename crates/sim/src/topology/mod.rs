//! Networks: ready-made ones and imported ones.
//!
//! A ready-made network is one file here with a `Config` (the keys of `[topology]` besides `kind`) and `draw`; one line
//! in `topologies!` below gives it its name, source and summary.

mod aapn_star;
mod custom;
mod draft;
mod dumbbell;
mod file;
mod geography;
mod grid;
mod nsfnet;
mod nsfnet_edge;
mod parking_lot;
mod racks;
mod round_trips;
mod star;

pub use draft::{Controller, Draft, DraftLink, Given, Property};
pub use geography::{ImportError, Imported, ImportedLink, ImportedNode};
pub(crate) use nsfnet::CAPACITY as NSFNET_CAPACITY;
pub(crate) use racks::CIRCUIT_COST;

use crate::language::keys::Table;
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
use options::registry;
use schemars::JsonSchema;
use serde::Deserialize;

/// The most nodes, and the most directed links, of a network.
pub const MAX_ELEMENTS: u64 = 1_000_000;

/// A topology as it can be named: a line of `photocol list topologies`.
pub type Entry = options::Entry<Name, ()>;

macro_rules! topologies {
    ($($variant:ident = $name:literal, $source:literal, $summary:literal: $module:ident;)+) => {
        registry! {
            /// The topologies by name.
            pub enum Name: () { $($variant = $name, $source, $summary: ();)+ }
        }

        /// The network; the key `kind` chooses, the other keys belong to that kind.
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[schemars(tag = "kind")]
        #[allow(missing_docs, reason = "a variant is described by its Config")]
        pub enum Topology { $(#[serde(rename = $name)] $variant($module::Config)),+ }

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
                match self { $(Topology::$variant(_) => Name::$variant.entry()),+ }
            }
        }
    };
}

topologies! {
    AapnStar = "aapn-star", "XCP-CL over an agile all-photonic network, §2.1 and Fig. 4.2",
        "Edge nodes \"e0\", \"e1\", … with queues to one another through the bufferless core nodes \"c0\", \"c1\", \
            ….": aapn_star;
    Custom = "custom", "the scenario's [[node]] and [[link]]",
        "The nodes and links of the scenario itself.": custom;
    Dumbbell = "dumbbell", "the common single-bottleneck network of congestion control studies (RFC 5166 §3)",
        "Hosts \"l0\", \"l1\", … and \"r0\", \"r1\", … on both sides of the bottleneck \"left\" – \"right\".":
        dumbbell;
    File = "file",
        "Himsolt, GML (1996); Brandes et al., GraphML (2002); Orlowski et al., SNDlib 1.0 (2010); REPETITA (2017)",
        "A network from a file: GraphML, GML (Internet Topology Zoo), SNDlib, REPETITA, HPCC or a list of links.": file;
    Grid = "grid", "the square mesh of scaling studies; for 10^5 links see scenarios/large/million-flows.toml",
        "Routers \"0,0\", \"0,1\", … in rows and columns, and hosts \"h0\", \"h1\", … that they have in turn.": grid;
    Nsfnet = "nsfnet",
        "distances of the 14-node T1 backbone as used in optical networking studies; longest shortest path 4500 km",
        "NSFNET: 14 core nodes \"0\" to \"13\", 21 fibres with their lengths in km.": nsfnet;
    NsfnetEdge = "nsfnet-edge", "XCP macroflows with optical RAM, Fig. 2 (which numbers the edge nodes 14 to 27)",
        "NSFNET with an edge node \"e0\" to \"e13\" at each core node \"0\" to \"13\".": nsfnet_edge;
    ParkingLot = "parking-lot", "the multiple-bottleneck network of congestion control studies (RFC 5166 §3)",
        "A chain of routers \"0\", \"1\", … with \"source\" and \"sink\" at its ends and hosts \"c0\" to \"d0\", … \
            across each hop.": parking_lot;
    Racks = "racks", "hybrid rack networks; Mukerjee et al., NSDI 2020, §2",
        "Hosts \"t0h0\", … at racks \"t0\", \"t1\", …, which the switches \"packet\" and \"circuit\" join.": racks;
    Star = "star", "the incast and overlaid-star studies",
        "Hosts \"n0\", \"n1\", … around the switch \"hub\".": star;
}

/// Every kind of topology, sorted by name.
pub fn list() -> &'static [Entry] {
    Name::REGISTRY
}
