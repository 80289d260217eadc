//! `[[news]]`.

use super::{Context, events};
use crate::language::keys::Table;
use crate::language::{At, Fault, Names, Place, quoted};
use crate::model::{
    Light, LinkId, LinkNews, NodeId, Opening, PathPart, SimTime, Telling, Timeline, Transport, path_changes,
};
use crate::queue;
use crate::scenario::spec::{self, Begins, Spec};
use crate::switching::kind::Plan;
use std::collections::BTreeMap;
use transport::cc::NewsWay;
use transport::tcp::SenderConfig;
use units::Duration;

/// What is told of links and circuits.
pub(super) fn resolve(
    spec: &Spec,
    changes: &[Timeline],
    transports: &[Transport],
    plan: &dyn Plan,
    context: &mut Context,
) -> Result<Vec<LinkNews>, Fault> {
    let (mut all, mut said) = (Vec::new(), BTreeMap::new());
    for table in &spec.news {
        table.check()?;
        let (parts, place) = parts(table, changes, plan, context)?;
        for part in &parts {
            if let Some(first) = said.insert(part.links.clone(), place.clone()) {
                return Err(Fault::twice(place.clone(), first, format!("{} has news already", name(part, context))));
            }
        }
        let told = telling(table, context.duration)?;
        if told == Telling::Mark {
            parts.iter().try_for_each(|part| check_marks(table, part, plan, context))?;
        }
        warn_of_silence(&parts, told.way(), context);
        all.push(LinkNews { parts, told, ahead: ahead(table, plan)? });
    }
    let listens = |transport: &Transport| transport.kind.sender().is_some_and(SenderConfig::hears_news);
    if !all.is_empty() && !transports.iter().any(listens) {
        let which = "\"retcp\", \"tdtcp\", and laws in Python that have on_news";
        context.warnings.push(format!("there is [[news]], and no transport's law listens; those that do: {which}"));
    }
    Ok(all)
}

/// What a table is about, and where it says so.
fn parts(
    table: &At<spec::LinkNews>,
    changes: &[Timeline],
    plan: &dyn Plan,
    context: &Context,
) -> Result<(Vec<PathPart>, Place), Fault> {
    match (&table.link, &table.circuit) {
        (Some(names), None) => {
            let links = events::links_named(names, context)?.into_iter();
            Ok((links.map(|link| PathPart::of_link(context.network, changes, link)).collect(), names.place()))
        }
        (None, Some(names)) => {
            let pairs = pairs(names, plan, context)?.into_iter();
            Ok((pairs.filter_map(|ends| plan.circuit(context.network, ends)).collect(), names.place()))
        }
        (Some(_), Some(circuit)) => Err(circuit.fault("there is a link already; allowed: link or circuit")),
        (None, None) => Err(table.fault("the key \"link\" is missing; allowed: link or circuit")),
    }
}

/// The pairs of racks that a key names.
fn pairs(names: &At<Names>, plan: &dyn Plan, context: &Context) -> Result<Vec<[NodeId; 2]>, Fault> {
    let racks = plan.racks();
    if racks.is_empty() {
        let allowed = "allowed with kind = \"circuits\" or \"rotor\"";
        return Err(names.fault(format!("the switching has no circuits between racks; {allowed}")));
    }
    let mut pairs = Vec::new();
    for (name, place) in names.each() {
        let rack = |name: &str| context.draft.find(name.trim()).filter(|node| racks.contains(node));
        let both = |(a, b): (&str, &str)| Some([rack(a)?, rack(b)?]);
        let found = match (name, name.split_once("<->"), name.split_once("->")) {
            ("all", ..) => Some(racks.iter().flat_map(|a| racks.iter().map(|b| [*a, *b])).collect()),
            (_, Some(ends), _) => both(ends).map(|[a, b]| vec![[a, b], [b, a]]),
            (_, None, Some(ends)) => both(ends).map(|ends| vec![ends]),
            (_, None, None) => {
                let split = |(at, _): (usize, &str)| both((&name[..at], &name[at + 1..]));
                name.match_indices('-').find_map(split).map(|[a, b]| vec![[a, b], [b, a]])
            }
        };
        let found: Vec<[NodeId; 2]> = found.unwrap_or_default();
        if !found.iter().any(|[a, b]| a != b) {
            let [first, second] = [0, 1].map(|rack| &context.network.nodes[racks[rack].index()].name);
            let allowed = format!("two racks, as \"{first}->{second}\", or \"all\"");
            return Err(Fault::new(place, format!("found {}; allowed: {allowed}", quoted(name))));
        }
        pairs.extend(found.into_iter().filter(|[a, b]| a != b));
    }
    if pairs.is_empty() { Err(names.fault("found an empty list; allowed: at least one circuit")) } else { Ok(pairs) }
}

/// How long before it is there more capacity counts as there.
fn ahead(table: &At<spec::LinkNews>, plan: &dyn Plan) -> Result<Duration, Fault> {
    match (&table.begins, plan.resizes_ahead()) {
        (Some(begins), None) if begins.0 == Begins::Resize => {
            Err(begins.fault("\"resize\" goes with switching.resized_buffer"))
        }
        (Some(begins), Some(lead)) if begins.0 == Begins::Resize => Ok(lead),
        _ => Ok(Duration::ZERO),
    }
}

/// What a part is called.
fn name(part: &PathPart, context: &Context) -> String {
    let ends = [part.links.first(), part.links.last()].map(|link| link.map(|id| &context.network.links[id.index()]));
    match (part.links.as_slice(), ends) {
        ([_, _, ..], [Some(first), Some(last)]) => {
            let [from, to] = [first.from, last.to].map(|node| &context.network.nodes[node.index()].name);
            quoted(&format!("{from}->{to}"))
        }
        _ => context.name(part.links[0]),
    }
}

fn telling(table: &At<spec::LinkNews>, duration: Duration) -> Result<Telling, Fault> {
    if let Some(lead) = table.lead.as_ref().filter(|lead| lead.0 > duration) {
        return Err(lead.fault(format!("found \"{}\"; allowed: at most the duration, \"{duration}\"", lead.0)));
    }
    let span = |given: &Option<At<_>>| given.as_ref().map_or(Duration::ZERO, |time: &At<crate::language::Time>| time.0);
    Ok(match table.way.0 {
        NewsWay::Mark => Telling::Mark,
        NewsWay::Message => Telling::Message(span(&table.delay)),
        NewsWay::Schedule => Telling::Schedule(span(&table.lead)),
    })
}

/// Marks are made as packets leave, by a port or a rack that does not mark them for another reason.
fn check_marks(table: &At<spec::LinkNews>, part: &PathPart, plan: &dyn Plan, context: &Context) -> Result<(), Fault> {
    match part.links.as_slice() {
        [link] => check_port(table, *link, plan, context),
        _ if !plan.marks_circuits() => {
            let message = "nothing marks what leaves by these circuits; allowed: \"message\", \"schedule\"";
            Err(Fault::new(table.way.place(), message.to_owned()))
        }
        _ => plan.echoes().map_or(Ok(()), |key| {
            Err(Fault::new(table.way.place(), format!("{key} marks packets too; allowed with way = \"mark\": none")))
        }),
    }
}

fn check_port(table: &At<spec::LinkNews>, link: LinkId, plan: &dyn Plan, context: &Context) -> Result<(), Fault> {
    let (rule, queue) = (plan.port(context.network, link), context.network.links[link.index()].queue);
    let place = || -> Place { table.way.place() };
    if rule.light != Light::None || rule.opening != Opening::Always {
        let message =
            format!("the port of {} is an optical one; allowed with way = \"mark\": others", context.name(link));
        return Err(Fault::new(place(), message));
    }
    if queue.marks() || !(queue == queue::Config::DropTail || queue.is_scheduler()) {
        let allowed = "\"drop-tail\", \"priority\", \"drr\"";
        let (name, kind) = (context.name(link), quoted(queue.name()));
        let message = format!("{name} has the queue discipline {kind}; allowed with way = \"mark\": {allowed}");
        return Err(Fault::new(place(), message));
    }
    Ok(())
}

fn warn_of_silence(parts: &[PathPart], way: NewsWay, context: &mut Context) {
    let end = SimTime::ZERO + context.duration;
    if let Some(part) = parts.iter().find(|part| path_changes(part, way, end).is_empty()) {
        let name = name(part, context);
        context.warnings.push(format!("there is no news of {name}: nothing changes its capacity or state"));
    }
}
