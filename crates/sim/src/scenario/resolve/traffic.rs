//! `[[traffic]]`: with which transport; between whom is in `pairs`, when in `arrivals`, what in `load`.

use super::{Context, arrivals, load, sizes};
use crate::language::keys::Table;
use crate::language::{At, Fault, quoted};
use crate::model::{
    Arrivals, BurstLosses, BurstRule, Done, Load, MAX_FLOWS, Requests, SimTime, Traffic, Transport, TransportId,
};
use crate::scenario::spec::{self, Spec};
use std::collections::BTreeSet;

/// Every traffic of the scenario.
pub(super) fn resolve(spec: &Spec, transports: &[Transport], context: &mut Context) -> Result<Vec<Traffic>, Fault> {
    let mut names = BTreeSet::new();
    let mut flows = 0u64;
    let mut resolved = Vec::new();
    for (index, table) in spec.traffic.iter().enumerate() {
        let traffic = one(index, table, transports, context)?;
        if !names.insert(traffic.name.clone()) {
            let place = table.name.as_ref().map_or(table.place(), At::place);
            return Err(Fault::new(place, format!("there is a traffic {} already", quoted(&traffic.name))));
        }
        flows += count(&traffic.arrivals);
        if flows > MAX_FLOWS {
            return Err(table.fault(format!("with this there are {flows} flows; allowed: at most {MAX_FLOWS}")));
        }
        resolved.push(traffic);
    }
    Ok(resolved)
}

/// The number of flows, or the mean of it.
pub(super) fn count(arrivals: &Arrivals) -> u64 {
    match arrivals {
        Arrivals::Fixed { count, .. } => u64::from(*count),
        Arrivals::Poisson { mean_gap, start, until, at_most, .. } => {
            let mean = until.saturating_since(*start).ps() / mean_gap.ps().max(1);
            at_most.map_or(mean, |most| mean.min(u64::from(most)))
        }
        Arrivals::Incast(incast) => {
            let gap = match incast.requests {
                Requests::Every(gap) | Requests::Poisson(gap) => gap.ps().max(1),
            };
            // With equal steps the first is at the start.
            let requests = (incast.until.saturating_since(incast.start).ps() / gap).saturating_add(1);
            requests.min(incast.at_most.into()).saturating_mul(incast.senders.into())
        }
        Arrivals::List(list) => list.len() as u64,
        Arrivals::Work(work) => work.carriers.list.len() as u64,
    }
}

fn one(
    index: usize,
    table: &At<spec::Traffic>,
    transports: &[Transport],
    context: &mut Context,
) -> Result<Traffic, Fault> {
    let name = table.name.as_ref().map_or_else(|| format!("traffic-{index}"), |name| name.to_string());
    let transport = transports.iter().position(|transport| transport.name == *table.transport);
    let transport = transport.expect("transports that traffic names are resolved before");
    let kind = &transports[transport].kind;
    load::refuse_of_others(table, kind.protocol())?;
    table.check()?;
    let sizes = table.size_law.as_ref().map(|law| sizes::resolve(law, context)).transpose()?;
    let load = load::resolve(table, kind, sizes.as_ref(), context)?;
    let mean_size = match (&sizes, load) {
        (Some(law), _) => Some(law.mean()),
        (None, Load::Size(bytes)) => Some(bytes.count() as f64),
        (None, _) => None,
    };
    let arrivals = arrivals::resolve(table, &name, mean_size, context)?;
    if let Arrivals::List(list) = &arrivals
        && (kind.payload().is_none() || kind.loses())
        && list.iter().any(|flow| flow.size.is_some())
    {
        return Err(table.fault("the list gives sizes, which are for TCP; datagrams last until \"stop\""));
    }
    if matches!(arrivals, Arrivals::Work(_)) && kind.loses() {
        return Err(
            table.fault("work goes on when all has arrived, and datagrams may be lost; allowed: frames = \"stream\"")
        );
    }
    if let Arrivals::Work(work) = &arrivals
        && kind.payload().is_none()
        && (work.done == Done::Acknowledged || !matches!(load, Load::Constant(_)))
    {
        return Err(table.fault("work by UDP takes load = \"constant\" and done = \"arrived\": nobody acknowledges"));
    }
    let stop = table.stop.map(|stop| SimTime::ZERO + stop.0);
    if let Some(at) = table.stop.filter(|stop| stop.0 <= table.start.0) {
        return Err(at.fault(format!("found \"{}\"; allowed: a time after the start", at.0)));
    }
    let bursts = table.bursts.as_ref().map(rule).transpose()?;
    Ok(Traffic {
        name,
        transport: TransportId(transport as u32),
        arrivals,
        load,
        sizes,
        stop,
        priority: *table.priority as u8,
        bursts,
    })
}

/// `bursts`.
fn rule(table: &At<spec::Bursts>) -> Result<BurstRule, Fault> {
    let losses = match (&table.loss, &table.lose) {
        (Some(_), Some(lose)) => return Err(lose.fault("there is a loss already; allowed: loss or lose")),
        (Some(loss), None) => BurstLosses::Random(**loss),
        (None, Some(lose)) => {
            let mut numbers: Vec<u64> = lose.iter().map(|number| **number).collect();
            numbers.sort_unstable();
            BurstLosses::These(numbers)
        }
        (None, None) => return Err(table.fault("the key \"loss\" (or \"lose\") is missing")),
    };
    Ok(BurstRule { segments: *table.segments, losses, notify: *table.notify })
}
