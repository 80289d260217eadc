//! The NSFNET backbone: 14 nodes, 21 fibres.

use super::{Draft, Given, Property, network_keys};
use crate::language::{At, Fault, Time};
use crate::model::{NodeId, Position, Role};
use units::Rate;

/// Ends and kilometres.
const FIBRES: [(u32, u32, u64); 21] = [
    (0, 1, 1100),
    (0, 2, 1600),
    (0, 7, 2800),
    (1, 2, 600),
    (1, 3, 1000),
    (2, 5, 2000),
    (3, 4, 600),
    (3, 10, 2400),
    (4, 5, 1100),
    (4, 6, 800),
    (5, 9, 1200),
    (5, 13, 2000),
    (6, 7, 700),
    (7, 8, 700),
    (8, 9, 900),
    (8, 11, 500),
    (8, 12, 500),
    (10, 11, 800),
    (10, 12, 800),
    (11, 13, 300),
    (12, 13, 300),
];

/// Number of core nodes.
pub(super) const NODES: u32 = 14;

/// Degrees north and east of their cities, which give no lengths: Seattle, Palo Alto, San Diego, Salt Lake City,
/// Boulder, Houston, Lincoln, Champaign, Pittsburgh, Atlanta, Ann Arbor, Ithaca, Princeton, College Park.
const CITIES: [(f64, f64); NODES as usize] = [
    (47.6, -122.3),
    (37.4, -122.1),
    (32.7, -117.2),
    (40.8, -111.9),
    (40.0, -105.3),
    (29.8, -95.4),
    (40.8, -96.7),
    (40.1, -88.2),
    (40.4, -80.0),
    (33.7, -84.4),
    (42.3, -83.7),
    (42.4, -76.5),
    (40.3, -74.7),
    (39.0, -76.9),
];

network_keys! {
    /// The NSFNET backbone: core nodes "0" to "13". Links have 1 Gb/s unless `[link_defaults]` says otherwise.
    pub struct Config {
        /// Delay of every core link, instead of that of its length.
        pub core_delay: Option<At<Time>>;
    }
}

impl Config {
    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        draw_core(draft, self.core_delay);
        Ok(())
    }
}

/// The core nodes and their fibres.
pub(super) fn draw_core(draft: &mut Draft, core_delay: Option<At<Time>>) {
    for (node, (latitude, longitude)) in (0..NODES).zip(CITIES) {
        let id = draft.drawn(node.to_string(), Role::Core);
        draft.nodes[id.index()].position = Some(Position { latitude, longitude });
    }
    for (a, b, km) in FIBRES {
        let delay = match core_delay {
            Some(delay) => Some(Property::given(delay, |delay| delay.0)),
            None => Property::built_in(draft.fibre(1000 * km)),
        };
        draft.duplex(NodeId(a), NodeId(b), Given { delay, ..Given::default() });
    }
}

/// What a ready-made network of paper 002 has where nobody says otherwise.
pub(crate) const CAPACITY: Rate = Rate::from_gbps(1);
