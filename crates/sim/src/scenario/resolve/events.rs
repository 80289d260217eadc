//! `[[force]]`, `[probe]`, `[trace]`, and the links that tables name.

use super::Context;
use crate::language::keys::{Joined as _, Table};
use crate::language::{At, Choice, Fault, Names, Place, choices, quoted};
use crate::model::{Arrivals, Fate, Forced, LinkId, Network, Probe, Selection, Trace, Traffic};
use crate::scenario::spec::{ForceAction, Spec};
use std::collections::BTreeSet;
use units::Duration;

/// The links that a key names, each once.
pub(super) fn links_named(names: &At<Names>, context: &Context) -> Result<Vec<LinkId>, Fault> {
    let (mut links, mut known) = (Vec::new(), BTreeSet::new());
    for (name, place) in names.each() {
        links.extend(named(name, place, context)?.into_iter().filter(|link| known.insert(*link)));
    }
    if links.is_empty() {
        return Err(names.fault("found an empty list; allowed: at least one link"));
    }
    Ok(links)
}

/// The links a user means: `a->b` one direction, `a->b#2` one beside it, `a-b` or `a<->b` all in both directions.
pub(super) fn named(name: &str, place: Place, context: &Context) -> Result<Vec<LinkId>, Fault> {
    let draft = &context.draft;
    let id = |index: &usize| LinkId(*index as u32);
    let both = |a: &str, b: &str| {
        let (a, b) = (draft.find(a.trim())?, draft.find(b.trim())?);
        let links: Vec<LinkId> = draft.between(a, b).iter().chain(draft.between(b, a)).map(id).collect();
        (!links.is_empty()).then_some(links)
    };
    if let Some((a, b)) = name.split_once("<->") {
        if let Some(links) = both(a, b) {
            return Ok(links);
        }
    } else if let Some((a, b)) = name.split_once("->") {
        let (b, number) = match b.rsplit_once('#') {
            Some((before, number)) if draft.find(b.trim()).is_none() => (before, number.trim().parse().unwrap_or(0)),
            _ => (b, 1usize),
        };
        if let (Some(a), Some(b)) = (draft.find(a.trim()), draft.find(b.trim()))
            && let Some(index) = number.checked_sub(1).and_then(|nth| draft.between(a, b).get(nth))
        {
            return Ok(vec![id(index)]);
        }
    } else {
        // Names may have hyphens of their own: the hyphen that counts is one between two linked nodes.
        let splits: Vec<_> = name.match_indices('-').filter_map(|(at, _)| both(&name[..at], &name[at + 1..])).collect();
        match splits.len() {
            1 => return splits.into_iter().next().ok_or_else(|| unreachable_link(name, place, context)),
            0 => {}
            _ => return Err(Fault::new(place, format!("{} can be read in two ways; write \"a<->b\"", quoted(name)))),
        }
    }
    Err(unreachable_link(name, place, context))
}

fn unreachable_link(name: &str, place: Place, context: &Context) -> Fault {
    let names: Vec<&str> = context.draft.links.iter().map(|link| link.name.as_str()).collect();
    let both = "(\"a-b\" means both directions)";
    Fault::new(place, format!("there is no link {}{} {both}", quoted(name), choices(name, &names)))
}

/// The fates of single segments.
pub(super) fn forced(spec: &Spec, traffic: &[Traffic]) -> Result<Vec<Forced>, Fault> {
    let known: Option<u64> = traffic
        .iter()
        .map(|traffic| match &traffic.arrivals {
            Arrivals::Fixed { count, .. } => Some(u64::from(*count)),
            Arrivals::List(list) => Some(list.len() as u64),
            Arrivals::Work(work) => Some(work.carriers.list.len() as u64),
            Arrivals::Poisson { .. } | Arrivals::Incast(_) => None,
        })
        .sum();
    let mut forced = Vec::new();
    for force in &spec.force {
        force.check()?;
        if let Some(flows) = known.filter(|flows| u64::from(*force.flow) >= *flows) {
            return Err(force.flow.fault(format!("found {}; there are {flows} flows, numbered from 0", *force.flow)));
        }
        let fate = match (force.action.0, &force.delay) {
            (ForceAction::Delay, Some(delay)) => Fate::Delay(delay.0),
            (ForceAction::Delay, None) => return Err(force.fault("the key \"delay\" is missing: by how much")),
            (ForceAction::Drop, _) => Fate::Drop,
            (ForceAction::Duplicate, _) => Fate::Duplicate,
        };
        forced.push(Forced { flow: *force.flow, segment: *force.segment, copy: *force.copy, fate });
    }
    Ok(forced)
}

/// `[trace]`.
pub(super) fn trace(spec: &Spec, network: &Network, context: &Context) -> Result<Trace, Fault> {
    let Some(table) = &spec.trace else { return Ok(Trace::default()) };
    table.check()?;
    let until = table.until.as_ref().map_or(context.duration, |until| until.0);
    let warm_up = spec.run.warm_up.0;
    let from = match &table.from {
        Some(from) if from.0 >= until => {
            return Err(from.fault(format!("found \"{}\"; allowed: less than the end, \"{until}\"", from.0)));
        }
        Some(from) => from.0,
        None if warm_up < until => warm_up,
        None => Duration::ZERO,
    };
    if !*table.enabled {
        return Ok(Trace::default());
    }
    let links = table.links.as_deref().map(|links| links_of(links, network, context)).transpose()?;
    Ok(Trace {
        hosts: table.flows.is_some() || links.is_none(),
        flows: table.flows.as_deref().map_or(Selection::All, flows_of),
        links: links.unwrap_or(Selection::All),
        from,
        until,
        limit: *table.limit,
    })
}

fn flows_of(choice: &Choice<u32>) -> Selection {
    match choice {
        Choice::All => Selection::All,
        Choice::Some(flows) => some(flows.iter().map(|flow| **flow).collect()),
    }
}

fn links_of(choice: &Choice<String>, network: &Network, context: &Context) -> Result<Selection, Fault> {
    let Choice::Some(names) = choice else { return Ok(Selection::All) };
    let mut links = Vec::new();
    for name in names {
        // Other wavelengths and control channels have names in the tables only: "a->b (wavelength 1)".
        let listed = network.links.iter().position(|link| link.name == **name);
        match listed.filter(|place| *place >= context.draft.links.len()) {
            Some(place) => links.push(place as u32),
            None => links.extend(named(name, name.place(), context)?.into_iter().map(|link| link.0)),
        }
    }
    Ok(some(links))
}

/// `[probe]`.
pub(super) fn probe(spec: &Spec, network: &Network, context: &Context) -> Result<Probe, Fault> {
    spec.probe.check()?;
    let probe = &spec.probe.sampling;
    let Some(interval) = &probe.interval else { return Ok(Probe::default()) };
    let unsaid = if probe.flows.is_none() && probe.links.is_none() { Selection::All } else { Selection::None };
    let flows = probe.flows.as_deref().map_or_else(|| unsaid.clone(), flows_of);
    let links = probe.links.as_deref().map_or(Ok(unsaid), |links| links_of(links, network, context))?;
    Ok(Probe { interval: Some(interval.0), flows, links })
}

/// In order, each once.
fn some(mut indices: Vec<u32>) -> Selection {
    indices.sort_unstable();
    indices.dedup();
    Selection::Some(indices)
}
