//! Networks: ready-made ones and imported ones.
//!
//! A ready-made network is one file here with a `Config` (the keys of `[topology]` besides `kind`) and `draw`; one line
//! in `topologies!` below gives it its name, source and summary.

mod aapn_star;
mod clos;
mod constellation;
mod contacts;
mod custom;
mod draft;
mod dumbbell;
mod fat_tree;
mod file;
mod geography;
mod grid;
mod leaf_spine;
mod nsfnet;
mod nsfnet_edge;
mod ocs;
mod parking_lot;
mod racks;
mod rotor;
mod round_trips;
mod star;

pub use draft::{Controller, Draft, DraftLink, Given, GivenProperties, Property};
pub use geography::{ImportError, Imported, ImportedLink, ImportedNode};
pub(crate) use nsfnet::CAPACITY as NSFNET_CAPACITY;
pub(crate) use racks::CIRCUIT_COST;

use crate::language::keys::Table;
use crate::language::{At, Fault, Key, Place, Time, Word};
use crate::model::{Routing, RoutingRule, Spread, Weights};

/// Declares the keys of a topology, and the one that all have.
macro_rules! network_keys {
    ($(#[doc = $about:literal])+ pub struct $name:ident { $($keys:tt)* }) => {
        crate::language::keys::keys! {
            $(#[doc = $about])+
            pub struct $name {
                $($keys)*
                /// After a link goes down or comes up, routes are computed again after this time. Default: never.
                pub reroute_after: Option<crate::language::At<crate::language::Time>>;
                /// Which of several equally short paths a flow takes.
                pub routing: crate::language::Key<crate::language::Word<crate::model::RoutingRule>> =
                    crate::language::Word(crate::model::RoutingRule::First);
                /// The pause after which a flow may take another path; with routing = "flowlet".
                pub flowlet_gap: crate::language::Key<crate::language::Time> = crate::topology::FLOWLET_GAP,
                    in crate::language::keys::more_than_zero();
                /// Another number, another hash; with routing = "ecmp".
                pub hash_seed: crate::language::Key<u32> = 0;
                /// What the shares of flows of equally near links are in proportion to; with routing = "ecmp".
                pub weights: crate::language::Key<crate::language::Word<crate::model::Weights>> =
                    crate::language::Word(crate::model::Weights::Equal);
            }
        }
    };
}
use network_keys;
use options::registry;
use schemars::JsonSchema;
use serde::Deserialize;

/// LetFlow's (Vanini et al., NSDI 2017, §5).
const FLOWLET_GAP: Time = Time(units::Duration::from_micros(500));
/// The most nodes, and the most directed links, of a network.
pub const MAX_ELEMENTS: u64 = 1_000_000;

/// A topology as it can be named: a line of `photocol list topologies`.
pub type Entry = options::Entry<Name, ()>;

// Over 40 lines: whatever goes over all topologies stands where their names do.
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
        #[allow(clippy::large_enum_variant, reason = "a scenario has one")]
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

            /// What `routing` and the keys beside it say, which every kind has.
            pub(crate) fn routing(&self) -> Result<Routing, Fault> {
                match self { $(Topology::$variant(config) => {
                    routing(&config.routing, &config.flowlet_gap, &config.hash_seed, &config.weights)
                }),+ }
            }

            /// The place of `routing`, if it is given.
            pub(crate) fn routing_place(&self) -> Option<Place> {
                match self { $(Topology::$variant(config) => config.routing.place()),+ }
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
    Constellation = "constellation", "Starlink, Kuiper and others as in Hypatia: Kassing et al., IMC 2020",
        "Satellites in their orbits, linked by lasers, and ground stations (`photocol orbits`).": constellation;
    Contacts = "contacts", "contact plans of delay-tolerant networking, e.g. Fraire et al., Ad Hoc Networks 2021",
        "Satellites and ground stations whose contacts and routes a file has, from `photocol orbits --contacts`.":
        contacts;
    Custom = "custom", "the scenario's [[node]] and [[link]]",
        "The nodes and links of the scenario itself.": custom;
    Dumbbell = "dumbbell", "the common single-bottleneck network of congestion control studies (RFC 5166 §3)",
        "Hosts \"l0\", \"l1\", … and \"r0\", \"r1\", … on both sides of the bottleneck \"left\" – \"right\".":
        dumbbell;
    FatTree = "fat-tree", "Al-Fares, Loukissas, Vahdat, SIGCOMM 2008, §3; Clos networks folded",
        "Hosts \"h0\", \"h1\", … below edge, aggregation and core switches of k ports each.": fat_tree;
    File = "file",
        "Himsolt, GML (1996); Brandes et al., GraphML (2002); Orlowski et al., SNDlib 1.0 (2010); REPETITA (2017)",
        "A network from a file: GraphML, GML (Internet Topology Zoo), SNDlib, REPETITA, HPCC or a list of links.": file;
    Grid = "grid", "the square mesh of scaling studies; for 10^5 links see scenarios/large/million-flows.toml",
        "Routers \"0,0\", \"0,1\", … in rows and columns, and hosts \"h0\", \"h1\", … that they have in turn.": grid;
    LeafSpine = "leaf-spine", "two-tier Clos networks of data centres, e.g. Alizadeh et al. (CONGA), SIGCOMM 2014, §2",
        "Hosts \"h0\", \"h1\", … at the leaves \"l0\", \"l1\", …, of which each is joined to each spine \"s0\", \
            \"s1\", ….": leaf_spine;
    Nsfnet = "nsfnet",
        "distances of the 14-node T1 backbone as used in optical networking studies; longest shortest path 4500 km",
        "NSFNET: 14 core nodes \"0\" to \"13\", 21 fibres with their lengths in km.": nsfnet;
    NsfnetEdge = "nsfnet-edge", "XCP macroflows with optical RAM, Fig. 2 (which numbers the edge nodes 14 to 27)",
        "NSFNET with an edge node \"e0\" to \"e13\" at each core node \"0\" to \"13\".": nsfnet_edge;
    Ocs = "ocs", "SWOT, arXiv 2510.19322; TopoOpt: Wang et al., NSDI 2023",
        "Hosts \"n0\", \"n1\", … with a port at each of the optical circuit switches \"o0\", ….": ocs;
    ParkingLot = "parking-lot", "the multiple-bottleneck network of congestion control studies (RFC 5166 §3)",
        "A chain of routers \"0\", \"1\", … with \"source\" and \"sink\" at its ends and hosts \"c0\" to \"d0\", … \
            across each hop.": parking_lot;
    Racks = "racks", "hybrid rack networks; Mukerjee et al., NSDI 2020, §2",
        "Hosts \"t0h0\", … at racks \"t0\", \"t1\", …, which the switches \"packet\" and \"circuit\" join.": racks;
    Rotor = "rotor", "RotorNet: Mellette et al., SIGCOMM 2017; Opera: Mellette et al., NSDI 2020",
        "Hosts \"t0h0\", … at racks \"t0\", \"t1\", …, of which each is joined to each rotor switch \"r0\", ….": rotor;
    Star = "star", "the incast and overlaid-star studies",
        "Hosts \"n0\", \"n1\", … around the switch \"hub\".": star;
}

/// Which of several equally short paths flows take.
fn routing(
    rule: &Key<Word<RoutingRule>>,
    gap: &Key<Time>,
    hash_seed: &Key<u32>,
    weights: &Key<Word<Weights>>,
) -> Result<Routing, Fault> {
    let goes_with = |place: Option<Place>, own: RoutingRule, word: &str| match place {
        Some(place) if rule.0 != own => Err(Fault::new(place, format!("goes with routing = \"{word}\""))),
        _ => Ok(()),
    };
    goes_with(gap.place(), RoutingRule::Flowlet, "flowlet")?;
    goes_with(hash_seed.place().or(weights.place()), RoutingRule::Ecmp, "ecmp")?;
    Ok(match rule.0 {
        RoutingRule::First => Routing::First,
        RoutingRule::Spray => Routing::Spray(Spread::Packets),
        RoutingRule::Flowlet => Routing::Spray(Spread::Flowlets(gap.0)),
        RoutingRule::Ecmp => Routing::Ecmp { hash_seed: u64::from(**hash_seed), weights: weights.0 },
    })
}

/// Every kind of topology, sorted by name.
pub fn list() -> &'static [Entry] {
    Name::REGISTRY
}
