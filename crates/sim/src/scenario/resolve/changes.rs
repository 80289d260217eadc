//! How links change, whatever table says it: `[[event]]`, `[[link_phases]]`, `[[link_trace]]`. All of them become
//! timelines.

use super::Context;
use super::events::links_named;
use super::phases::Period;
use super::properties::{Ports, Properties, Rest, Said, Shape, changing_keys, named};
use super::traces::{self, Changes};
use crate::language::keys::Table;
use crate::language::{At, Fault, Names, Place};
use crate::model::{Change, LawfulLink, LinkId, Step, Timeline};
use crate::scenario::spec::{Event, LinkPhases, LinkTrace, Spec};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use units::Duration;

/// The properties of links that phases or traces say, and where.
type Taken = BTreeMap<(LinkId, &'static str), Place>;

/// Links in time, in their order.
pub(super) struct InTime {
    /// How they change.
    pub changes: Vec<Timeline>,
    /// Delays that are laws.
    pub laws: Vec<LawfulLink>,
}

/// How links change, and which delays are laws.
pub(super) fn in_time(spec: &Spec, ports: Ports, context: &mut Context) -> Result<InTime, Fault> {
    let (mut all, mut laws) = (Vec::new(), context.draft.laws.clone());
    let place = spec.topology.as_ref().map_or(Place::Unknown, At::place);
    let mut taken: Taken = laws.iter().map(|lawful| ((lawful.link, "delay"), place.clone())).collect();
    for table in &spec.link_phases {
        table.check()?;
        all.extend(of_phases(table, ports, &mut taken, context)?);
    }
    for table in &spec.link_trace {
        table.check()?;
        let of_table = of_trace(table, ports, &mut taken, context)?;
        all.extend(of_table.changes);
        laws.extend(of_table.laws);
    }
    all.extend(of_events(spec, ports, &taken, context)?);
    all.retain(|timeline| !timeline.steps.is_empty());
    all.sort_by_key(|timeline| timeline.link);
    laws.sort_by_key(|lawful| lawful.link);
    Ok(InTime { changes: all, laws })
}

fn of_phases(
    table: &At<LinkPhases>,
    ports: Ports,
    taken: &mut Taken,
    context: &Context,
) -> Result<Vec<Timeline>, Fault> {
    let period = Period::new(table)?;
    let mut timelines = Vec::new();
    for link in links_named(&table.link, context)? {
        let mut keys: BTreeMap<&'static str, Place> = BTreeMap::new();
        for said in period.said() {
            said.check(period.rest(), link, ports, context)?;
            for (key, place) in said.keys() {
                keys.entry(key).or_insert(place);
            }
        }
        check_routes(keys.get("state"), ports)?;
        for (key, place) in keys {
            take(taken, link, key, place, context)?;
        }
        let own = Properties::of(&ports.network.links[link.index()]);
        timelines.extend(period.timelines(link, &own, ports)?);
    }
    Ok(timelines)
}

fn of_trace(table: &At<LinkTrace>, ports: Ports, taken: &mut Taken, context: &Context) -> Result<InTime, Fault> {
    let links = links_named(&table.link, context)?;
    let Changes { steps, law, period, said } = traces::read(table, ports)?;
    for link in &links {
        said.check(Rest::new(table.mid_packet), *link, ports, context)?;
        for (key, place) in said.keys() {
            take(taken, *link, key, place, context)?;
        }
    }
    check_routes(said.state.map(|at| at.place()).as_ref().filter(|_| period.is_some()), ports)?;
    let timeline = |link: &LinkId| Timeline { link: *link, steps: Arc::clone(&steps), period };
    let lawful = |link: &LinkId| Some(LawfulLink { link: *link, law: law.clone()? });
    Ok(InTime { changes: links.iter().map(timeline).collect(), laws: links.iter().filter_map(lawful).collect() })
}

/// Why links whose state changes again and again, said there, cannot be in this network.
fn check_routes(state: Option<&Place>, ports: Ports) -> Result<(), Fault> {
    match (state, ports.network.reroute_after) {
        (Some(place), Some(_)) => {
            let message = "routes do not follow phases; allowed: no reroute_after, or [[event]] instead";
            Err(Fault::new(place.clone(), message))
        }
        _ => Ok(()),
    }
}

/// Nothing else says this property of this link.
fn take(taken: &mut Taken, link: LinkId, key: &'static str, place: Place, context: &Context) -> Result<(), Fault> {
    match taken.insert((link, key), place.clone()) {
        Some(first) => Err(Fault::twice(place, first, has_phases(link, key, context))),
        None => Ok(()),
    }
}

fn has_phases(link: LinkId, key: &str, context: &Context) -> String {
    format!("the {key} of {} has phases or a trace already", context.name(link))
}

fn of_events(spec: &Spec, ports: Ports, taken: &Taken, context: &mut Context) -> Result<Vec<Timeline>, Fault> {
    let mut steps: BTreeMap<LinkId, Vec<Step>> = BTreeMap::new();
    let mut said: BTreeMap<(Duration, LinkId, &str), Place> = BTreeMap::new();
    // There may be many thousands of events, and they are about a few links.
    let (mut passed, mut known) = (BTreeSet::new(), BTreeMap::new());
    for event in &spec.event {
        event.check()?;
        let after = event.at.0;
        for &link in links_of(event, &mut known, context)? {
            for (key, place, change) in changes(event, link, ports, &mut passed, context)? {
                let first = said.insert((after, link, key), place.clone());
                if let Some(first) = first {
                    let message = format!("the {key} of {} changes at \"{after}\" already", context.name(link));
                    return Err(Fault::twice(place, first, message));
                }
                if let Some(first) = taken.get(&(link, key)) {
                    return Err(Fault::twice(place, first.clone(), has_phases(link, key, context)));
                }
                steps.entry(link).or_default().push(Step { after, change });
            }
        }
        if after >= context.duration {
            let end = context.duration;
            context.warnings.push(format!("an event at \"{after}\" never happens: the run ends at \"{end}\""));
        }
    }
    Ok(steps.into_iter().map(|(link, steps)| once(link, steps)).collect())
}

/// Changes of a link that happen once. Those of one instant keep the order of the file.
fn once(link: LinkId, mut steps: Vec<Step>) -> Timeline {
    steps.sort_by_key(|step| step.after);
    Timeline { link, steps: steps.into(), period: None }
}

/// The links of an event that changes something. Those of names that were `known` before are not looked up again.
fn links_of<'k, 's>(
    event: &'s At<Event>,
    known: &'k mut BTreeMap<&'s Names, Vec<LinkId>>,
    context: &Context,
) -> Result<&'k [LinkId], Fault> {
    if event.told_capacity.is_none() && Said::from(&**event).is_empty() {
        let keys = format!("capacity, told_capacity, delay, buffer, {}, state", named(changing_keys()));
        return Err(event.fault(format!("the event changes nothing; allowed: {keys}")));
    }
    match known.entry(&event.link) {
        Entry::Occupied(links) => Ok(links.into_mut()),
        Entry::Vacant(place) => Ok(place.insert(links_named(&event.link, context)?)),
    }
}

/// What an event changes of a link: each with its key and where that stands. What has `passed` a check is not asked
/// again.
fn changes(
    event: &Event,
    link: LinkId,
    ports: Ports,
    passed: &mut BTreeSet<(LinkId, Shape)>,
    context: &Context,
) -> Result<Vec<(&'static str, Place, Change)>, Fault> {
    let (said, rest) = (Said::from(event), Rest::new(event.mid_packet));
    if let Some(told) = &event.told_capacity
        && context.controllers.get(link.index()) == Some(&false)
    {
        let name = context.name(link);
        return Err(told.fault(format!("the port of {name} has no XCP controller; allowed with xcp = {{}} there")));
    }
    if passed.insert((link, said.shape(rest))) {
        said.check(rest, link, ports, context)?;
    }
    let now = said.over(&Properties::of(&ports.network.links[link.index()]), ports)?;
    let change = |(key, place): (&'static str, Place)| (key, place, now.change(key, rest));
    let mut changes: Vec<_> = said.keys().map(change).collect();
    if let Some(told) = event.told_capacity {
        // Behind the capacity, which a controller may follow.
        let behind = usize::from(said.capacity.is_some());
        changes.insert(behind, ("told_capacity", told.place(), Change::Told(told.0)));
    }
    Ok(changes)
}
