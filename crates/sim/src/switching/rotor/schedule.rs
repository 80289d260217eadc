//! The schedule that the keys say: matchings in turn, or a file.

use super::keys::RotorSwitching;
use super::slices::{Slices, goes_on};
use crate::language::{At, Fault, Place, choices, quoted, read_text};
use crate::model::Link;
use control::scheduler::circuits::{
    Algorithm, CircuitError, CircuitSchedule, DemandMatrix, Hold, Readings, Rule, Site, plan, registry,
};
use std::path::Path;
use units::{ByteTime, Duration};

/// Of a file.
const MAX_BYTES: u64 = 1 << 28;

/// What the network says.
#[derive(Clone, Copy)]
pub(super) struct RackNetwork<'a> {
    pub racks: usize,
    pub switches: usize,
    /// One of those with rotor switches.
    pub link: &'a Link,
    pub largest_packet: u32,
}

/// The cycle.
pub(super) fn slices(keys: &RotorSwitching, rack_network: &RackNetwork, at: &At<()>) -> Result<Slices, Fault> {
    let schedule = match (&keys.file, &keys.slice, &keys.cycle) {
        (Some(file), ..) => of_file(file, rack_network)?,
        (None, None, None) => return Err(at.fault("the key \"slice\" is missing; allowed: slice, cycle or file")),
        _ => in_turn(keys, rack_network, at)?,
    };
    let lasts =
        ByteTime::at(rack_network.link.capacity).map_or(Duration::MAX, |byte| byte.of(rack_network.largest_packet));
    let shortest = schedule.switches().iter().filter_map(|own| shortest(own, schedule.week())).min();
    let shortest = shortest.unwrap_or(Duration::ZERO);
    if keys.guard.0 + lasts > shortest {
        let places = [keys.guard.place(), keys.slice.as_ref().map(At::place), keys.file.as_ref().map(At::place)];
        let place = places.into_iter().flatten().next().unwrap_or_else(|| at.place());
        let (guard, size, capacity) = (keys.guard.0, rack_network.largest_packet, rack_network.link.capacity);
        let allowed = match shortest.saturating_sub(lasts) {
            Duration::ZERO => "longer matchings".to_owned(),
            most => format!("at most \"{most}\""),
        };
        let message =
            format!("found a guard of \"{guard}\" for matchings that last \"{shortest}\"; allowed: {allowed}");
        return Err(Fault::new(place, format!("{message}, so that {size} B have left at {capacity}, in \"{lasts}\"")));
    }
    Ok(Slices::new(schedule, keys.guard.0.ps()))
}

/// How long the shortest matching of a switch lasts.
fn shortest(own: &[Hold], week: Duration) -> Option<Duration> {
    match own {
        [first, middle @ .., last] if goes_on(own, week) => {
            middle.iter().map(|hold| hold.length).chain([first.length + last.length]).min()
        }
        _ => own.iter().map(|hold| hold.length).min(),
    }
}

/// Matchings that follow one another, whatever is wanted.
fn in_turn(keys: &RotorSwitching, rack_network: &RackNetwork, at: &At<()>) -> Result<CircuitSchedule, Fault> {
    let name = &keys.matchings;
    let place = |place: Option<Place>| place.unwrap_or_else(|| at.place());
    let rules = registry().iter().filter(|entry| matches!(entry.item, Rule::Turns(_)));
    let names: Vec<&str> = rules.map(|entry| entry.name).collect();
    let rule = Algorithm::from_name(name).filter(|_| names.contains(&name.as_str())).ok_or_else(|| {
        let message = format!("there are no matchings {}{}", quoted(name), choices(name, &names));
        Fault::new(place(name.place()), message)
    })?;
    let (slice, week) = (keys.slice.as_ref().map(|slice| slice.0), keys.cycle.as_ref().map(|cycle| cycle.0));
    let capacity = rack_network.link.capacity;
    let (switches, reconfiguration) = (rack_network.switches, keys.reconfiguration.0);
    let site = Site { switches, capacity, packet_capacity: capacity, reconfiguration, week, slice };
    let readings = Readings { order: keys.order.0, seed: (*keys.seed).into(), ..Readings::default() };
    let racks = rack_network.racks;
    let none = DemandMatrix::new(racks, vec![0; racks * racks]).map_err(|why| at.fault(why.to_string()))?;
    plan(rule, &none, &site, &readings).map_err(|why| {
        let slice = || keys.slice.as_ref().map(At::place);
        let cycle = || keys.cycle.as_ref().map(At::place);
        let found = match &why {
            CircuitError::Odd { .. } => name.place(),
            CircuitError::FewSlices { .. } => cycle(),
            CircuitError::Time { .. } => slice().or_else(cycle).or_else(|| keys.reconfiguration.place()),
            _ => None,
        };
        Fault::new(place(found), why.to_string())
    })
}

fn of_file(file: &At<String>, rack_network: &RackNetwork) -> Result<CircuitSchedule, Fault> {
    let text = read_text(Path::new(file.as_str()), MAX_BYTES);
    let text = text.map_err(|why| file.fault(format!("found {}: {why}", quoted(file))))?;
    let schedule = CircuitSchedule::from_csv(&text).map_err(|why| match why {
        CircuitError::Line { line, reason } => {
            let place = Place::Data { node: file.node(), file: file.to_string(), line: line as u32, column: 1 };
            Fault::new(place, reason)
        }
        other => file.fault(other.to_string()),
    })?;
    let (ports, switches) = (schedule.ports(), schedule.switches().len());
    if (ports, switches) == (rack_network.racks, rack_network.switches) {
        return Ok(schedule);
    }
    let message = format!("found a schedule of {ports} ports and {switches} switches; allowed: {}", rack_network.racks);
    Err(file.fault(format!("{message} ports, one for each rack, and {}", rack_network.switches)))
}

#[cfg(test)]
mod tests {
    use super::*;
    /// 0 to 20 and 80 to 100 with the same outputs are one matching of 40, between them is one of 30; else 20 is least.
    #[test]
    fn the_shortest_matching_may_go_on_beyond_a_week() {
        let shortest_of = |last: &str| {
            let head = "week_ps,reconfiguration_ps,switch,start_ps,length_ps,outputs\n100,0,0,0,20,1 0 2\n";
            let text = format!("{head}100,0,0,30,30,2 1 0\n100,0,0,80,20,{last}\n");
            let schedule = CircuitSchedule::from_csv(&text).unwrap();
            shortest(&schedule.switches()[0], schedule.week())
        };
        assert_eq!(shortest_of("1 0 2"), Some(Duration::from_ps(30)));
        assert_eq!(shortest_of("0 2 1"), Some(Duration::from_ps(20)));
        assert_eq!(shortest(&[], Duration::from_ps(100)), None);
    }
}
