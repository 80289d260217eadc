//! What importers have in common: a graph read from a file, and distances on the globe.

use crate::model::Position;
use units::{Duration, Rate};

/// A graph as a file describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// Nodes in the order of the file.
    pub nodes: Vec<ImportedNode>,
    /// Links in the order of the file.
    pub links: Vec<ImportedLink>,
    /// Whether a link is one direction only.
    pub directed: bool,
}

/// A node of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedNode {
    /// Its label.
    pub name: String,
    /// Where it is.
    pub position: Option<Position>,
}

/// A link of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedLink {
    /// Index of one end.
    pub from: usize,
    /// Index of the other end.
    pub to: usize,
    /// Bit rate, if the file says it.
    pub capacity: Option<Capacity>,
    /// Delay, if the file says it.
    pub delay: Option<Duration>,
    /// Length in metres, if the file says it.
    pub metres: Option<u64>,
    /// The byte of the file where it stands.
    pub offset: usize,
}

/// A bit rate of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Capacity {
    /// With its unit.
    Rate(Rate),
    /// In the file's unit.
    Number(f64),
}

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The byte of the file.
    pub offset: usize,
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

/// The position, if both numbers are those of a place on earth.
pub(super) fn position(latitude: Option<f64>, longitude: Option<f64>) -> Option<Position> {
    let (latitude, longitude) = (latitude?, longitude?);
    (latitude.abs() <= 90.0 && longitude.abs() <= 360.0).then_some(Position { latitude, longitude })
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
