//! When flows start.

use super::traffic::pairs;
use super::{Context, flow_list};
use crate::language::{At, Fault, Time, quoted};
use crate::model::{Arrivals, Pairs, SimTime};
use crate::scenario::spec::{ArrivalLaw, Traffic};
use units::Duration;

/// Fixed, Poisson, or a list.
pub(super) fn resolve(table: &At<Traffic>, name: &str, context: &mut Context) -> Result<Arrivals, Fault> {
    let arrivals = match (&table.list, &table.file) {
        (Some(_), Some(file)) => return Err(file.fault("there is a list already; allowed: list or file")),
        (Some(list), None) => Arrivals::List(flow_list::inline(list, context)?),
        (None, Some(file)) => Arrivals::List(flow_list::read(file, context)?),
        (None, None) => match table.arrivals.0 {
            ArrivalLaw::Poisson => poisson(table, context)?,
            ArrivalLaw::Fixed => fixed(table, context)?,
        },
    };
    warn(&arrivals, name, context);
    Ok(arrivals)
}

fn fixed(table: &At<Traffic>, context: &Context) -> Result<Arrivals, Fault> {
    let pairs = pairs(table, context)?;
    let count = match (table.flows, &pairs) {
        (Some(flows), _) => *flows,
        (None, Pairs::Given(list)) => list.len() as u32,
        (None, Pairs::UniformRandom(_)) => {
            return Err(table.fault("the key \"flows\" is missing: how many random pairs"));
        }
    };
    Ok(Arrivals::Fixed { pairs, count, start: SimTime::ZERO + table.start.0, spread: table.spread.0 })
}

fn poisson(table: &At<Traffic>, context: &Context) -> Result<Arrivals, Fault> {
    let pairs = pairs(table, context)?;
    let start = SimTime::ZERO + table.start.0;
    let count = table.count.map(At::into_inner);
    if let Some(over) = &table.over {
        let Some(count) = count else { return Err(over.fault("the key \"count\" is missing beside it")) };
        let over = over.0;
        // Given its number of starts, a Poisson process is that many independent uniform draws.
        return Ok(if *table.conditioned {
            Arrivals::Fixed { pairs, count, start, spread: over }
        } else {
            let mean_gap = (over / u64::from(count)).max(Duration::from_ps(1));
            Arrivals::Poisson { pairs, mean_gap, start, until: start + over, at_most: None }
        });
    }
    let mean_gap = mean_gap(table)?;
    let until = table.until.map_or(SimTime::ZERO + context.duration, |until| SimTime::ZERO + until.0);
    if let Some(at) = table.until.filter(|_| until <= start) {
        return Err(at.fault(format!("found \"{}\"; allowed: a time after the start", at.0)));
    }
    Ok(Arrivals::Poisson { pairs, mean_gap, start, until, at_most: count })
}

fn mean_gap(table: &At<Traffic>) -> Result<Duration, Fault> {
    match (&table.mean_gap, &table.flows_per_second) {
        (Some(_), Some(rate)) => Err(rate.fault("there is a mean_gap already; allowed: mean_gap or flows_per_second")),
        (Some(gap), None) => Ok(gap.0),
        (None, Some(rate)) => {
            let gap = Duration::from_secs_f64(1.0 / **rate).filter(|gap| **rate > 0.0 && *gap > Duration::ZERO);
            gap.ok_or_else(|| rate.fault(format!("found {:?}; allowed: a positive number", **rate)))
        }
        (None, None) => {
            Err(table.fault("the process has no rate; allowed: mean_gap, flows_per_second, or count and over"))
        }
    }
}

/// Flows that cannot start before the run ends.
fn warn(arrivals: &Arrivals, name: &str, context: &mut Context) {
    let end = SimTime::ZERO + context.duration;
    let late = match arrivals {
        Arrivals::Fixed { start, spread, .. } if *start >= end || *start + *spread > end => {
            "some flows start".to_owned()
        }
        Arrivals::Poisson { start, .. } if *start >= end => "all flows start".to_owned(),
        Arrivals::List(list) => match list.iter().filter(|flow| flow.start >= end).count() {
            0 => return,
            late => format!("{late} of {} flows start", list.len()),
        },
        _ => return,
    };
    let run = Time(context.duration).0;
    context.warnings.push(format!("traffic {}: {late} after the end of the run, \"{run}\"", quoted(name)));
}
