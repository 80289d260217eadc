//! When flows start.

use super::pairs::{end_points, pairs};
use super::share::{self, Flows};
use super::{Context, flow_list};
use crate::language::{At, Fault, Size, Time, quoted};
use crate::model::{Arrivals, Incast, Listed, MAX_FLOWS, Pairs, Requests, SimTime};
use crate::scenario::spec::{ArrivalLaw, Traffic};
use crate::work;
use units::{Bytes, Duration};

/// Fixed, Poisson, or a list.
pub(super) fn resolve(
    table: &At<Traffic>,
    name: &str,
    mean_size: Option<f64>,
    context: &mut Context,
) -> Result<Arrivals, Fault> {
    let arrivals = match (&table.list, &table.file) {
        (Some(_), Some(file)) => return Err(file.fault("there is a list already; allowed: list or file")),
        (Some(list), None) => Arrivals::List(of_sizes(flow_list::inline(list, context)?, table)?),
        (None, Some(file)) => Arrivals::List(of_sizes(flow_list::read(file, context)?, table)?),
        (None, None) if table.work.is_some() => work(table, context)?,
        (None, None) => match table.arrivals.0 {
            ArrivalLaw::Poisson => poisson(table, mean_size, context)?,
            ArrivalLaw::Incast => incast(table, mean_size, context)?,
            ArrivalLaw::Fixed => fixed(table, context)?,
        },
    };
    warn(&arrivals, name, context);
    Ok(arrivals)
}

/// The flows of a list that have the sizes asked for.
fn of_sizes(mut list: Vec<Listed>, table: &Traffic) -> Result<Vec<Listed>, Fault> {
    let bytes = |size: &Option<At<Size>>| size.as_ref().map(|size| size.0);
    let (from, below) = (bytes(&table.sizes_from).unwrap_or(Bytes::ZERO), bytes(&table.sizes_below));
    if let Some(at) = table.sizes_below.as_ref().filter(|at| at.0 <= from) {
        return Err(at.fault(format!("found \"{}\"; allowed: more than sizes_from, \"{from}\"", at.0)));
    }
    list.retain(|flow| match flow.size {
        Some(size) => size >= from && below.is_none_or(|below| size < below),
        None => below.is_none(),
    });
    Ok(list)
}

/// Work that depends on work. What says when and what flows send does not go with it.
fn work(table: &At<Traffic>, context: &mut Context) -> Result<Arrivals, Fault> {
    let Some(keys) = &table.work else { return Err(table.fault("the key \"work\" is missing")) };
    let places = [
        table.pairs.as_ref().map(At::place),
        table.from.as_ref().map(At::place),
        table.to.as_ref().map(At::place),
        table.flows.as_ref().map(At::place),
        table.size_law.as_ref().map(At::place),
        table.application.as_ref().map(At::place),
        table.stop.as_ref().map(At::place),
        table.bursts.as_ref().map(At::place),
    ];
    if let Some(place) = places.into_iter().flatten().next() {
        return Err(Fault::new(place, "does not go with work, whose ranks are the nodes of among".to_owned()));
    }
    let nodes = end_points(table.place(), table, context)?;
    let mut read = |file: &At<String>| flow_list::graph(file, context);
    Ok(Arrivals::Work(work::resolve(keys, &nodes, SimTime::ZERO + table.start.0, &mut read)?))
}

fn fixed(table: &At<Traffic>, context: &Context) -> Result<Arrivals, Fault> {
    let pairs = pairs(table, context)?;
    let count = match (table.flows, &pairs) {
        (Some(flows), _) => *flows,
        (None, Pairs::Given(list)) => list.len() as u32,
        (None, Pairs::Permutation(nodes)) => nodes.len() as u32,
        (None, Pairs::UniformRandom(_)) => {
            return Err(table.fault("the key \"flows\" is missing: how many random pairs"));
        }
    };
    Ok(Arrivals::Fixed { pairs, count, start: SimTime::ZERO + table.start.0, spread: table.spread.0 })
}

fn poisson(table: &At<Traffic>, mean_size: Option<f64>, context: &Context) -> Result<Arrivals, Fault> {
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
    let mean_gap = mean_gap(table, Flows { ends: pairs.ends(), at_once: 1, mean_size }, context)?;
    let Some(mean_gap) = mean_gap else {
        let allowed = "mean_gap, flows_per_second, load_share, or count and over";
        return Err(table.fault(format!("the process has no rate; allowed: {allowed}")));
    };
    Ok(Arrivals::Poisson { pairs, mean_gap, start, until: until(table, context)?, at_most: count })
}

/// Requests that many nodes answer at once.
fn incast(table: &At<Traffic>, mean_size: Option<f64>, context: &Context) -> Result<Arrivals, Fault> {
    let to = table.to.as_ref().map(|to| context.draft.require(to, to.place())).transpose()?;
    let among = end_points(table.place(), table, context)?;
    let others = among.iter().filter(|node| Some(**node) != to).count() as u32;
    let most = if to.is_some() { others } else { others - 1 };
    if let Some(to) = table.to.as_ref().filter(|_| most == 0) {
        return Err(to.fault("there is nobody else among the nodes that answer"));
    }
    if let (Some(at), Some(node)) = (&table.to, to)
        && context.component[node.index()] != context.component[among[0].index()]
    {
        return Err(Fault::new(at.place(), context.no_way(among[0], node)));
    }
    let senders = table.senders.map_or(most, At::into_inner);
    if let Some(at) = table.senders.filter(|_| senders > most) {
        return Err(at.fault(format!("found {senders}; allowed: 1 to {most}, the nodes that can answer")));
    }
    let start = SimTime::ZERO + table.start.0;
    let mut incast = Incast {
        to,
        among,
        senders,
        requests: Requests::Every(Duration::MAX),
        start,
        until: until(table, context)?,
        at_most: table.requests.map_or(1, At::into_inner),
        spread: table.spread.0,
    };
    let whole = Arrivals::Incast(incast.clone());
    let gap = mean_gap(table, Flows { ends: whole.ends(), at_once: senders, mean_size }, context)?;
    incast.requests = match (table.every, gap) {
        (Some(every), Some(_)) => {
            return Err(every.fault("requests have a mean gap already; allowed: every, mean_gap or load_share"));
        }
        (Some(every), None) => Requests::Every(every.0),
        (None, Some(gap)) => Requests::Poisson(gap),
        (None, None) => match table.requests.filter(|requests| **requests > 1) {
            Some(requests) => {
                return Err(requests.fault("nothing says when they come; allowed with every, mean_gap or load_share"));
            }
            None => return Ok(Arrivals::Incast(incast)),
        },
    };
    incast.at_most = table.requests.map_or(MAX_FLOWS as u32, At::into_inner);
    Ok(Arrivals::Incast(incast))
}

fn until(table: &At<Traffic>, context: &Context) -> Result<SimTime, Fault> {
    let until = table.until.map_or(SimTime::ZERO + context.duration, |until| SimTime::ZERO + until.0);
    match table.until.filter(|_| until <= SimTime::ZERO + table.start.0) {
        Some(at) => Err(at.fault(format!("found \"{}\"; allowed: a time after the start", at.0))),
        None => Ok(until),
    }
}

/// The mean gap, if anything says one.
fn mean_gap(table: &At<Traffic>, flows: Flows, context: &Context) -> Result<Option<Duration>, Fault> {
    if let Some(share) = table.load_share {
        if table.mean_gap.is_some() || table.flows_per_second.is_some() {
            return Err(share.fault("there is a rate already; allowed: mean_gap, flows_per_second or load_share"));
        }
        return share::mean_gap(share, table, flows, context).map(Some);
    }
    match (&table.mean_gap, &table.flows_per_second) {
        (Some(_), Some(rate)) => Err(rate.fault("there is a mean_gap already; allowed: mean_gap or flows_per_second")),
        (Some(gap), None) => Ok(Some(gap.0)),
        (None, Some(rate)) => {
            let gap = Duration::from_secs_f64(1.0 / **rate).filter(|gap| **rate > 0.0 && *gap > Duration::ZERO);
            gap.map(Some).ok_or_else(|| rate.fault(format!("found {:?}; allowed: a positive number", **rate)))
        }
        (None, None) => Ok(None),
    }
}

/// Flows that cannot start before the run ends.
fn warn(arrivals: &Arrivals, name: &str, context: &mut Context) {
    let end = SimTime::ZERO + context.duration;
    let late = match arrivals {
        Arrivals::Fixed { start, spread, .. } if *start >= end || *start + *spread > end => {
            "some flows start".to_owned()
        }
        Arrivals::Poisson { start, .. } | Arrivals::Incast(Incast { start, .. }) if *start >= end => {
            "all flows start".to_owned()
        }
        Arrivals::List(list) => match list.iter().filter(|flow| flow.start >= end).count() {
            0 => return,
            late => format!("{late} of {} flows start", list.len()),
        },
        _ => return,
    };
    let run = Time(context.duration).0;
    context.warnings.push(format!("traffic {}: {late} after the end of the run, \"{run}\"", quoted(name)));
}
