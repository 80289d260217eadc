//! Matchings that follow one another whatever is wanted, and how several switches share them.
//!
//! With M matchings and u switches, turn t of switch s is matching t·u + s, counted round; so each switch has M/u
//! matchings of its own where u divides M (RotorNet), and else all of them. A cycle ends when all switches are where
//! they began. A slice is light and, at its end, the dark time. Together all switches change after each slice. One by
//! one, each matching is held for u slices, and one switch changes after each of them: at any time at most one is dark
//! (Opera). A matching that is held across the end of the week is two holds.

use super::random::{one_factorisation, with_ports_alone};
use super::{Algorithm, CircuitError, CircuitSchedule, Hold, Order, Readings, Site};
use units::Duration;

/// Matchings in turn.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// Those of so many ports, by a seed.
    matchings: fn(usize, u64) -> Vec<Vec<u16>>,
    /// Whether all ports are matched in pairs.
    needs_even: bool,
    /// How switches change, if the rule says it.
    order: Option<Order>,
}

pub(super) const ROUND_ROBIN: Turns = Turns { matchings: circle, needs_even: true, order: None };
pub(super) const OFFSETS: Turns = Turns { matchings: offsets, needs_even: false, order: None };
pub(super) const RANDOM: Turns = Turns { matchings: one_factorisation, needs_even: true, order: None };
/// N matchings, as the published cycle of 108 racks has 108 slices: each port is alone in one of them.
pub(super) const OPERA: Turns = Turns { matchings: with_ports_alone, needs_even: true, order: Some(Order::OneByOne) };

/// The circle method: port N − 1 stays, the others sit in a circle and turn by one seat a round.
fn circle(ports: usize, _: u64) -> Vec<Vec<u16>> {
    let seats = ports - 1;
    let round = |round: usize| {
        let partner = |port: usize| match (2 * round + seats - port) % seats {
            _ if port == seats => round,
            other if other == port => seats,
            other => other,
        };
        (0..ports).map(|port| partner(port) as u16).collect()
    };
    (0..seats).map(round).collect()
}

/// Port i to port i + k, for k from 1 to N − 1.
fn offsets(ports: usize, _: u64) -> Vec<Vec<u16>> {
    (1..ports).map(|offset| (0..ports).map(|port| ((port + offset) % ports) as u16).collect()).collect()
}

/// The schedule of a cycle. Its slices are as long as the site says, or fill the week.
pub(super) fn schedule(
    turns: &Turns,
    algorithm: Algorithm,
    ports: usize,
    site: &Site,
    readings: &Readings,
) -> Result<CircuitSchedule, CircuitError> {
    if turns.needs_even && !ports.is_multiple_of(2) {
        return Err(CircuitError::Odd { rule: algorithm.name(), ports });
    }
    let matchings = (turns.matchings)(ports, readings.seed);
    let count = matchings.len() as u64;
    let switches = site.switches as u64;
    // Each switch has so many turns in a cycle.
    let rounds = count / common_divisor(count, switches);
    let order = turns.order.unwrap_or(readings.order);
    let slices = match order {
        Order::Together => rounds,
        Order::OneByOne => rounds * switches,
    };
    let slice = slice(site, slices, algorithm)?;
    CircuitSchedule::check_size(ports, rounds * switches + switches)?;
    let holds = |switch: u64| {
        let outputs = |turn: u64| matchings[((turn * switches + switch) % count) as usize].clone();
        let dark = site.reconfiguration;
        let holds = (0..rounds).map(|turn| match order {
            Order::Together => (slice * turn, slice.saturating_sub(dark), outputs(turn)),
            Order::OneByOne => {
                (slice * (turn * switches + switch), (slice * switches).saturating_sub(dark), outputs(turn))
            }
        });
        within(holds, slice * slices)
    };
    let holds = (0..switches).map(holds).collect();
    CircuitSchedule::new(ports, slice * slices, site.reconfiguration, holds)
}

/// How long a slice of a cycle of `slices` lasts.
fn slice(site: &Site, slices: u64, algorithm: Algorithm) -> Result<Duration, CircuitError> {
    let slice = match (site.slice, site.week) {
        (None, None) => return Err(CircuitError::Missing { rule: algorithm.name(), what: "slice or a week" }),
        (None, Some(week)) => week / slices,
        (Some(slice), None) => slice,
        (Some(slice), Some(week)) if week.ps() / slice.ps() >= slices => slice,
        (Some(slice), Some(week)) => {
            return Err(CircuitError::FewSlices { found: week.ps() / slice.ps(), needed: slices });
        }
    };
    let reconfiguration = site.reconfiguration;
    if slice <= reconfiguration {
        return Err(CircuitError::Time { what: "slice", found: slice, reconfiguration });
    }
    if slice.ps() > Site::LONGEST.ps() / slices {
        return Err(CircuitError::Time { what: "week", found: slice.saturating_mul(slices), reconfiguration });
    }
    Ok(slice)
}

/// Holds in their order; what reaches beyond the week begins it.
fn within(holds: impl Iterator<Item = (Duration, Duration, Vec<u16>)>, week: Duration) -> Vec<Hold> {
    let mut found: Vec<Hold> = Vec::new();
    for (start, length, outputs) in holds {
        let fits = length.min(week.saturating_sub(start));
        let beyond = length.saturating_sub(fits);
        if beyond > Duration::ZERO {
            found.insert(0, Hold { start: Duration::ZERO, length: beyond, outputs: outputs.clone() });
        }
        found.push(Hold { start, length: fits, outputs });
    }
    found
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
