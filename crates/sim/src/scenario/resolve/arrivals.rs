//! When flows start.

use super::traffic::pairs;
use super::{Context, flow_list};
use crate::language::{At, Fault, Time, given, moment, positive, quoted, refuse};
use crate::model::{Arrivals, MAX_FLOWS, Pairs, SimTime};
use crate::scenario::spec::{ArrivalLaw, Traffic};
use units::Duration;

/// Fixed, Poisson, or a list.
pub(super) fn resolve(table: &At<Traffic>, name: &str, context: &mut Context) -> Result<Arrivals, Fault> {
    let when = given!(table; arrivals, flows, start, spread);
    let poisson_keys = given!(table; mean_gap, flows_per_second, until, count, over, conditioned);
    let arrivals = match (&table.list, &table.file) {
        (Some(_), Some(file)) => return Err(file.fault("there is a list already; allowed: list or file")),
        (None, None) => match table.arrivals.as_deref() {
            Some(ArrivalLaw::Poisson) => {
                refuse(&given!(table; flows, spread), "goes with arrivals = \"fixed\"; for \"poisson\": count, over")?;
                poisson(table, context)?
            }
            Some(ArrivalLaw::Fixed) | None => {
                refuse(&poisson_keys, "goes with arrivals = \"poisson\"; for \"fixed\": flows, start, spread")?;
                fixed(table, context)?
            }
        },
        (list, file) => {
            let because = "does not go with a list of flows, which says all of that";
            refuse(&when, because)?;
            refuse(&poisson_keys, because)?;
            refuse(&given!(table; pairs, from, to, among), because)?;
            match (list, file) {
                (Some(list), _) => Arrivals::List(flow_list::inline(list, context)?),
                (_, Some(file)) => Arrivals::List(flow_list::read(file, context)?),
                (None, None) => Arrivals::List(Vec::new()),
            }
        }
    };
    warn(&arrivals, name, context);
    Ok(arrivals)
}

fn fixed(table: &At<Traffic>, context: &Context) -> Result<Arrivals, Fault> {
    let pairs = pairs(table, context)?;
    let count = match (table.flows, &pairs) {
        (Some(flows), _) => number(flows)?,
        (None, Pairs::Given(list)) => list.len() as u32,
        (None, Pairs::UniformRandom(_)) => {
            return Err(table.fault("the key \"flows\" is missing: how many random pairs"));
        }
    };
    let spread = table.spread.map_or(Duration::ZERO, |spread| spread.0);
    Ok(Arrivals::Fixed { pairs, count, start: moment(table.start), spread })
}

fn poisson(table: &At<Traffic>, context: &Context) -> Result<Arrivals, Fault> {
    let pairs = pairs(table, context)?;
    let start = moment(table.start);
    let count = table.count.map(number).transpose()?;
    if let Some(over) = &table.over {
        let Some(count) = count else { return Err(over.fault("the key \"count\" is missing beside it")) };
        refuse(&given!(table; mean_gap, flows_per_second, until), "does not go with count and over")?;
        let over = positive(over)?;
        // Given its number of starts, a Poisson process is that many independent uniform draws.
        return Ok(if table.conditioned.is_none_or(|conditioned| *conditioned) {
            Arrivals::Fixed { pairs, count, start, spread: over }
        } else {
            let mean_gap = (over / u64::from(count)).max(Duration::from_ps(1));
            Arrivals::Poisson { pairs, mean_gap, start, until: start + over, at_most: None }
        });
    }
    refuse(&given!(table; conditioned), "goes with count and over")?;
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
        (Some(gap), None) => positive(gap),
        (None, Some(rate)) => {
            let gap = Duration::from_secs_f64(1.0 / **rate).filter(|gap| **rate > 0.0 && *gap > Duration::ZERO);
            gap.ok_or_else(|| rate.fault(format!("found {:?}; allowed: a positive number", **rate)))
        }
        (None, None) => {
            Err(table.fault("the process has no rate; allowed: mean_gap, flows_per_second, or count and over"))
        }
    }
}

fn number(count: At<u32>) -> Result<u32, Fault> {
    if (1..=MAX_FLOWS).contains(&u64::from(*count)) {
        return Ok(*count);
    }
    Err(count.fault(format!("found {}; allowed: 1 to {MAX_FLOWS}", *count)))
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
