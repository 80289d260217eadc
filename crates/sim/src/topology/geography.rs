//! Networks in files of others, as whoever reads them tells them, and distances on the globe.

use crate::model::{Position, Role};
use units::{Duration, Rate};

/// A network as a file describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// Nodes in the order of the file.
    pub nodes: Vec<ImportedNode>,
    /// Links in the order of the file.
    pub links: Vec<ImportedLink>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// A node of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedNode {
    /// Its label, which no other node has.
    pub name: String,
    /// Where it is.
    pub position: Option<Position>,
    /// What it is, if the file says it.
    pub role: Option<Role>,
}

/// A link of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedLink {
    /// The name of one end.
    pub from: String,
    /// The name of the other end.
    pub to: String,
    /// Bit rate, if the file says it.
    pub capacity: Option<Rate>,
    /// Delay, if the file says it.
    pub delay: Option<Duration>,
    /// Length in metres, if the file says it.
    pub metres: Option<u64>,
    /// Weight for shortest paths, if the file says it.
    pub cost: Option<u64>,
    /// Whether it has both directions.
    pub two_way: bool,
    /// The line of the file where it stands.
    pub line: u32,
}

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The line, if it is one of the file.
    pub line: Option<u32>,
    /// What was found and what is allowed.
    pub message: String,
}

/// The distance between two places (degrees) along a great circle, in metres, on a sphere of radius 6371 km.
pub fn great_circle(a: Position, b: Position) -> u64 {
    const RADIUS_M: f64 = 6_371_000.0;
    let radians = |degrees: f64| degrees * (std::f64::consts::PI / 180.0);
    let half_sine = |angle: f64| libm::pow(libm::sin(radians(angle) / 2.0), 2.0);
    let chord = half_sine(b.latitude - a.latitude)
        + libm::cos(radians(a.latitude)) * libm::cos(radians(b.latitude)) * half_sine(b.longitude - a.longitude);
    libm::round(2.0 * RADIUS_M * libm::asin(libm::sqrt(chord.min(1.0)))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(latitude: f64, longitude: f64) -> Position {
        Position { latitude, longitude }
    }

    #[test]
    fn a_quarter_of_the_globe_is_10_008_km() {
        // π/2 · 6371 km = 10 007.543 km.
        assert_eq!(great_circle(at(0.0, 0.0), at(0.0, 90.0)), 10_007_543);
        assert_eq!(great_circle(at(90.0, 0.0), at(0.0, 17.0)), 10_007_543);
        assert_eq!(great_circle(at(48.0, 11.0), at(48.0, 11.0)), 0);
    }
}
