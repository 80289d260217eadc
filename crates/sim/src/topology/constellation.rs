//! Satellites in their orbits. What places them, looks for contacts and finds routes is not here: `photocol.orbits`, in
//! Python, which writes a file of contacts; that file is what is drawn.

use super::Draft;
use super::contacts::contact_keys;
use crate::language::{At, Fault, Raw};

/// Declares the keys of orbits, which are handed on as they are written, and their list.
macro_rules! orbit_keys {
    ($($(#[doc = $doc:literal])+ $key:ident;)+) => {
        contact_keys! {
            /// Satellites in their orbits, their lasers, and ground stations (docs/guide/constellations.md). `photocol
            /// orbits` shows the routes; a run takes them from a file of contacts, which is made once and kept.
            pub struct Config {
                $($(#[doc = $doc])+ pub $key: Option<At<Raw>>;)+
                /// The folder in which the file of contacts is kept. Default: the scenario's.
                pub cache: Option<At<String>>;
            }
        }

        impl Config {
            /// Those keys that are given, with their names.
            fn given(&self) -> impl Iterator<Item = (&'static str, &At<Raw>)> {
                let all = [$((stringify!($key), &self.$key)),+];
                all.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?)))
            }
        }
    };
}

orbit_keys! {
    /// A name of `photocol list shells`, a table such as { planes = 72, satellites_per_plane = 22, inclination = 53,
    /// altitude = "550 km" }, or several of both.
    shell;
    /// A file of two-line elements, relative to this scenario.
    tle;
    /// Planes of the satellites of that file.
    planes;
    /// "sgp4", or "circular": plain circles. Default: "sgp4" for named shells and files.
    orbit;
    /// The instant of UTC at which the run begins. Default: the shell's epoch, or the latest of a file.
    start;
    /// A list of cities, and of tables with name, latitude and longitude. Default: all of `cities`.
    stations;
    /// A CSV file of stations with name, latitude and longitude, relative to this scenario.
    cities;
    /// Degrees over the horizon from which on a station sees a satellite. Default: 30 for Kuiper, 10 for Telesat, 8.2
    /// for Iridium, else 25.
    min_elevation;
    /// "elevation", or "range": a satellite may be `ground_range` away, wherever it stands.
    ground_limit;
    /// That range.
    ground_range;
    /// Which satellites a station may use: "all" in sight, the "nearest", the one that stays "longest", or "every 15 s"
    /// a choice.
    serving;
    /// What is chosen then: "nearest" or "longest".
    serving_choice;
    /// When the first period of such choices begins.
    serving_offset;
    /// How long a new link to a satellite carries nothing.
    acquisition;
    /// "lasers", or "ground": there are none, and stations pass traffic on.
    relay;
    /// "+grid", "none", a list of pairs of satellites, or a file with one, relative to this scenario.
    lasers;
    /// Whether the last plane is linked to the first: "open" or "closed".
    seam;
    /// There, to which satellite: by "phase" or of the same "index".
    wrap;
    /// How high above the ground a laser stays. Default: 80 km.
    clearance;
    /// The longest length of a laser.
    laser_length;
    /// How long a laser that comes into sight carries nothing.
    laser_acquisition;
    /// The time from one route to the next. Default: 100 ms.
    step;
}

impl Config {
    /// The keys of orbits as they are written.
    pub(crate) fn orbit(&self) -> String {
        self.given().map(|(key, value)| format!("{key} = {}\n", value.0)).collect()
    }

    /// What is wrong, at the key with which the message begins, as in `topology.shell.planes: found 0`; `None` if it
    /// begins with none.
    pub(crate) fn fault(&self, message: &str) -> Option<Fault> {
        let (path, rest) = message.strip_prefix("topology.")?.split_once(": ")?;
        let end = path.find(['.', '[']).unwrap_or(path.len());
        let (_, value) = self.given().find(|(key, _)| *key == &path[..end])?;
        let inner = path[end..].trim_start_matches('.');
        Some(value.fault(if inner.is_empty() { rest.to_owned() } else { format!("{inner}: {rest}") }))
    }

    pub(super) fn draw(&self, draft: &mut Draft) -> Result<(), Fault> {
        let file = draft.contacts.take().expect("the file of contacts has been made");
        self.rules().draw(&file, draft)
    }
}
