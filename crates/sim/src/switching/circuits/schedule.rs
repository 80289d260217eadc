//! The week that the keys say: matchings in turn, a file, or a schedule for a demand.

use super::Links;
use super::keys::CircuitSwitching;
use super::week::Week;
use crate::language::{At, Fault, Place, Time, choices, quoted, read_text};
use crate::model::{LinkId, Network};
use control::scheduler::circuits::{
    Algorithm, CircuitError, CircuitSchedule, DemandMatrix, Readings, Site, plan, registry,
};
use std::path::Path;
use units::{Duration, Rows, Separator};

/// Of a file.
const MAX_BYTES: u64 = 1 << 28;

/// The week.
pub(super) fn week(keys: &CircuitSwitching, racks: &[Links], network: &Network, at: &At<()>) -> Result<Week, Fault> {
    match (&keys.day, &keys.file, &keys.demand) {
        (Some(day), None, None) => in_turn(day, keys, racks.len() as u32),
        (None, Some(file), None) => of_file(file, racks.len()),
        (None, None, Some(demand)) => by_demand(demand, keys, racks, network),
        (None, None, None) => Err(at.fault("the key \"day\" is missing; allowed: day, file or demand")),
        (_, Some(other), _) | (_, None, Some(other)) => {
            Err(other.fault("the week is said twice; allowed: one of day, file and demand"))
        }
    }
}

/// There are not more matchings than racks.
fn in_turn(day: &At<Time>, keys: &CircuitSwitching, racks: u32) -> Result<Week, Fault> {
    let (night, most) = (keys.night.0, Duration::from_ps(Site::LONGEST.ps() / u64::from(racks)));
    if night + day.0 > most {
        let longest = Site::LONGEST;
        let message = format!("found \"{}\" and a night of \"{night}\"; allowed: at most \"{most}\" together", day.0);
        return Err(day.fault(format!("{message}, so that a week lasts {longest} at most")));
    }
    Ok(Week::new(night.ps(), day.0.ps(), racks, keys.matchings.0))
}

fn of_file(file: &At<String>, racks: usize) -> Result<Week, Fault> {
    let schedule = CircuitSchedule::from_csv(&text(file)?).map_err(|why| placed(file, why))?;
    if schedule.ports() != racks {
        let ports = schedule.ports();
        return Err(file.fault(format!("found a schedule of {ports} ports; allowed: {racks}, one for each rack")));
    }
    match schedule.switches().len() {
        1 => Ok(Week::scheduled(&schedule)),
        found => Err(file.fault(format!("found a schedule of {found} switches; allowed: 1"))),
    }
}

/// By the rule that the keys name.
fn by_demand(file: &At<String>, keys: &CircuitSwitching, racks: &[Links], network: &Network) -> Result<Week, Fault> {
    let demand = demand(file, racks.len())?;
    let Some(week) = &keys.week else {
        return Err(file.fault("the key \"week\" is missing, which goes with demand: how long a week lasts"));
    };
    let capacity = |id: LinkId| network.links[id.index()].capacity;
    let name = &keys.rule;
    let rule = Algorithm::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = registry().iter().map(|entry| entry.name).collect();
        let place = name.place().unwrap_or_else(|| file.place());
        Fault::new(place, format!("there is no rule {}{}", quoted(name), choices(name, &names)))
    })?;
    let site = Site {
        switches: 1,
        capacity: capacity(racks[0].to_circuit),
        packet_capacity: capacity(racks[0].to_packet),
        reconfiguration: keys.night.0,
        week: Some(week.0),
        slice: keys.slice.as_ref().map(|slice| slice.0),
    };
    let schedule = plan(rule, &demand, &site, &Readings::default()).map_err(|why| week.fault(why.to_string()))?;
    Ok(Week::scheduled(&schedule))
}

/// Bytes that each rack has for each other, a line a rack.
fn demand(file: &At<String>, racks: usize) -> Result<DemandMatrix, Fault> {
    let text = text(file)?;
    let mut bytes = Vec::with_capacity(racks * racks);
    let (mut rows, mut fields) = (Rows::new(&text, Separator::CommaOrBlanks), Vec::new());
    while rows.read(&mut fields).map_err(|why| placed_at(file, why.line, why.reason))? {
        let number = fields[0].line;
        let wrong = |found: &str, allowed: &str| placed_at(file, number, format!("found {found}; allowed: {allowed}"));
        let before = bytes.len();
        for cell in fields.iter().map(|field| &*field.text).filter(|cell| !cell.is_empty()) {
            bytes.push(cell.parse::<u64>().map_err(|_| wrong(&quoted(cell), "whole numbers of bytes"))?);
        }
        if bytes.len() - before != racks || bytes.len() > racks * racks {
            let found = format!("line {} of {} numbers", bytes.len().div_ceil(racks), bytes.len() - before);
            return Err(wrong(&found, &format!("{racks} lines of {racks} numbers, those of the racks")));
        }
    }
    DemandMatrix::new(racks, bytes).map_err(|why| file.fault(why.to_string()))
}

fn text(file: &At<String>) -> Result<String, Fault> {
    read_text(Path::new(file.as_str()), MAX_BYTES).map_err(|why| file.fault(format!("found {}: {why}", quoted(file))))
}

/// With the line that is wrong.
fn placed(file: &At<String>, why: CircuitError) -> Fault {
    match why {
        CircuitError::Line { line, reason } => placed_at(file, line as u32, reason),
        other => file.fault(other.to_string()),
    }
}

fn placed_at(file: &At<String>, line: u32, message: String) -> Fault {
    Fault::new(Place::Data { node: file.node(), file: file.to_string(), line, column: 1 }, message)
}
