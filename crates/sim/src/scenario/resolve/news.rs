//! `[[news]]`.

use super::{Context, events};
use crate::language::keys::Table;
use crate::language::{At, Fault, Names, Place, quoted};
use crate::model::{
    Hears, LawfulLink, Light, LinkId, LinkNews, NewsErrors, NodeId, NodePair, Opening, PathPart, RoundTripSizes,
    RouteNews, SimTime, Telling, Timeline, Transport, TransportKind, path_changes,
};
use crate::queue;
use crate::scenario::spec::{self, Begins, Spec};
use crate::switching::kind::Plan;
use std::collections::BTreeMap;
use transport::cc::{self, NewsWay};
use units::Duration;

/// What is told of links, circuits and routes. `routes` knows those that change in time.
pub(super) fn resolve(
    spec: &Spec,
    known: &Known,
    transports: &[Transport],
    context: &mut Context,
) -> Result<Vec<LinkNews>, Fault> {
    let (mut all, mut said) = (Vec::new(), BTreeMap::new());
    for table in &spec.news {
        table.check()?;
        let (subjects, place) = subjects(table, known, context)?;
        for subject in &subjects {
            if let Some(first) = said.insert(subject.key(), place.clone()) {
                return Err(Fault::twice(place.clone(), first, format!("{} has news already", name(subject, context))));
            }
        }
        let told = telling(table, context.duration)?;
        if told == Telling::Mark {
            subjects.iter().try_for_each(|subject| check_marks(table, subject, known.plan, context))?;
        }
        let names = table.link.as_ref().or(table.circuit.as_ref()).or(table.pair.as_ref());
        let are_all = names.is_some_and(|names| names.each().iter().any(|(name, _)| *name == "all"));
        warn_of_silence(&subjects, are_all, told.way(), known, context);
        let (mut parts, mut pairs) = (Vec::new(), Vec::new());
        for subject in subjects {
            match subject {
                Subject::Part(part) => parts.push(part),
                Subject::Pair(pair) => pairs.push(pair),
            }
        }
        let time = table.time_error.as_ref().map_or(Duration::ZERO, |error| error.0);
        let errors = NewsErrors { time, capacity: *table.capacity_error };
        all.push(LinkNews { parts, pairs, told, ahead: ahead(table, known.plan)?, errors });
    }
    warn_of_deafness(&all, transports, known.plan, context);
    if all.is_empty() {
        warn_of_none(transports, context);
    }
    Ok(all)
}

/// What is known of a scenario beforehand.
pub(super) struct Known<'a> {
    pub changes: &'a [Timeline],
    pub laws: &'a [LawfulLink],
    pub plan: &'a dyn Plan,
}

/// What news may be about.
enum Subject {
    Part(PathPart),
    Pair(NodePair),
}

impl Subject {
    /// What no two tables may have.
    fn key(&self) -> (Vec<LinkId>, Option<NodePair>) {
        match self {
            Subject::Part(part) => (part.links.clone(), None),
            Subject::Pair(pair) => (Vec::new(), Some(*pair)),
        }
    }
}

/// What a table is about, and where it says so.
fn subjects(table: &At<spec::LinkNews>, known: &Known, context: &Context) -> Result<(Vec<Subject>, Place), Fault> {
    match (&table.link, &table.circuit, &table.pair) {
        (Some(names), None, None) => {
            if context.network.timed.is_some() {
                return Err(names.fault("routes change in time here, so news is of pairs; allowed: pair"));
            }
            let links = events::links_named(names, context)?.into_iter();
            let part = |link| Subject::Part(PathPart::of_link(context.network, known.changes, link));
            Ok((links.map(part).collect(), names.place()))
        }
        (None, Some(names), None) if !known.plan.told_nodes().is_empty() => {
            let nodes = known.plan.told_nodes();
            refuse_schedules(table)?;
            let ends = Ends { what: "nodes with ports", all: all_pairs(&nodes) };
            let pairs = pairs(names, ends, context)?.into_iter();
            Ok((pairs.map(|[from, to]| Subject::Pair((from, to))).collect(), names.place()))
        }
        (None, Some(names), None) => {
            let pairs = circuits(names, known.plan, context)?.into_iter();
            let circuit = |ends| known.plan.circuit(context.network, ends).map(Subject::Part);
            Ok((pairs.filter_map(circuit).collect(), names.place()))
        }
        (None, None, Some(names)) => {
            let pairs = routed_pairs(names, context)?.into_iter();
            Ok((pairs.map(|[from, to]| Subject::Pair((from, to))).collect(), names.place()))
        }
        (None, None, None) => Err(table.fault("the key \"link\" is missing; allowed: link, circuit or pair")),
        (_, circuit, pair) => {
            let one = pair.as_ref().or(circuit.as_ref()).map_or(table.place(), At::place);
            Err(Fault::new(one, "there is another subject already; allowed: link, circuit or pair".to_owned()))
        }
    }
}

/// The pairs of racks that a key names.
fn circuits(names: &At<Names>, plan: &dyn Plan, context: &Context) -> Result<Vec<[NodeId; 2]>, Fault> {
    let racks = plan.racks();
    if racks.is_empty() {
        let allowed = "allowed with kind = \"circuits\" or \"rotor\"";
        return Err(names.fault(format!("the switching has no circuits between racks; {allowed}")));
    }
    pairs(names, Ends { what: "racks", all: all_pairs(&racks) }, context)
}

fn all_pairs(nodes: &[NodeId]) -> Vec<[NodeId; 2]> {
    nodes.iter().flat_map(|a| nodes.iter().map(|b| [*a, *b])).filter(|[a, b]| a != b).collect()
}

/// A policy decides as the work goes on: there is no schedule that could be wrong, and no queue that is resized.
fn refuse_schedules(table: &At<spec::LinkNews>) -> Result<(), Fault> {
    let places =
        [table.begins.as_ref().map(At::place), table.time_error.as_ref().map(At::place), table.capacity_error.place()];
    let why = "a policy sets these circuits as the work goes on; allowed: no such key";
    places.into_iter().flatten().next().map_or(Ok(()), |place| Err(Fault::new(place, why.to_owned())))
}

/// The pairs of hosts that a key names, whose routes are known in time.
fn routed_pairs(names: &At<Names>, context: &Context) -> Result<Vec<[NodeId; 2]>, Fault> {
    let Some(timed) = &context.network.timed else {
        let allowed = "allowed with kind = \"contacts\" or \"constellation\" of [topology]";
        return Err(names.fault(format!("no routes change in time here; {allowed}")));
    };
    pairs(names, Ends { what: "hosts with a route", all: timed.pairs.keys().map(|(a, b)| [*a, *b]).collect() }, context)
}

/// Pairs that may be named.
struct Ends {
    what: &'static str,
    all: Vec<[NodeId; 2]>,
}

/// The pairs that a key names, of those that there are.
fn pairs(names: &At<Names>, ends: Ends, context: &Context) -> Result<Vec<[NodeId; 2]>, Fault> {
    let mut pairs = Vec::new();
    for (name, place) in names.each() {
        let both = |(a, b): (&str, &str)| {
            let pair = [context.draft.find(a.trim())?, context.draft.find(b.trim())?];
            ends.all.contains(&pair).then_some(pair)
        };
        let found = match (name, name.split_once("<->"), name.split_once("->")) {
            ("all", ..) => Some(ends.all.clone()),
            (_, Some(ends), _) => both(ends).map(|[a, b]| vec![[a, b], [b, a]]),
            (_, None, Some(ends)) => both(ends).map(|ends| vec![ends]),
            (_, None, None) => {
                let split = |(at, _): (usize, &str)| both((&name[..at], &name[at + 1..]));
                name.match_indices('-').find_map(split).map(|[a, b]| vec![[a, b], [b, a]])
            }
        };
        let Some(found) = found.filter(|found| !found.is_empty()) else {
            let named = |pair: &[NodeId; 2]| pair.map(|node| context.network.nodes[node.index()].name.as_str());
            let [first, second] = ends.all.first().map_or(["a", "b"], named);
            let allowed = format!("two {}, as \"{first}->{second}\", or \"all\"", ends.what);
            return Err(Fault::new(place, format!("found {}; allowed: {allowed}", quoted(name))));
        };
        pairs.extend(found);
    }
    if pairs.is_empty() { Err(names.fault("found an empty list; allowed: at least one pair")) } else { Ok(pairs) }
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

/// What a subject is called.
fn name(subject: &Subject, context: &Context) -> String {
    let quoted_pair = |ends: [NodeId; 2]| {
        let [from, to] = ends.map(|node| &context.network.nodes[node.index()].name);
        quoted(&format!("{from}->{to}"))
    };
    let part = match subject {
        Subject::Pair(pair) => return quoted_pair([pair.0, pair.1]),
        Subject::Part(part) => part,
    };
    let ends = [part.links.first(), part.links.last()].map(|link| link.map(|id| &context.network.links[id.index()]));
    match (part.links.as_slice(), ends) {
        ([_, _, ..], [Some(first), Some(last)]) => quoted_pair([first.from, last.to]),
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
fn check_marks(table: &At<spec::LinkNews>, subject: &Subject, plan: &dyn Plan, context: &Context) -> Result<(), Fault> {
    let Subject::Part(part) = subject else {
        let message = "nothing marks what leaves by these ways; allowed: \"message\", \"schedule\"";
        return Err(Fault::new(table.way.place(), message.to_owned()));
    };
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

/// One of those that are named has no news; of all that there are, none has.
fn warn_of_silence(subjects: &[Subject], are_all: bool, way: NewsWay, known: &Known, context: &mut Context) {
    let end = SimTime::ZERO + context.duration;
    let routes = RouteNews::new(context.network, known.laws, known.changes, end);
    let is_silent = |subject: &&Subject| match subject {
        Subject::Part(part) => path_changes(part, way, end).is_empty(),
        // A run that ends before the first change is no mistake.
        Subject::Pair(pair) => {
            let timed = context.network.timed.as_ref();
            timed.is_some_and(|timed| timed.pairs.get(pair).is_some_and(|routes| routes.len() <= 1))
                && routes.of_pair(*pair, way, RoundTripSizes::default()).is_empty()
        }
    };
    let are_heard = are_all && !subjects.iter().all(|subject| is_silent(&subject));
    if let Some(subject) = subjects.iter().find(is_silent).filter(|_| !are_heard) {
        let what = if matches!(subject, Subject::Pair(_)) { "route" } else { "capacity or state" };
        let name = name(subject, context);
        context.warnings.push(format!("there is no news of {name}: nothing changes its {what}"));
    }
}

/// Nobody listens.
fn warn_of_deafness(all: &[LinkNews], transports: &[Transport], plan: &dyn Plan, context: &mut Context) {
    let is_of_pairs = context.network.timed.is_some() || !plan.told_nodes().is_empty();
    let are_marks = all.iter().all(|news| news.told.way() == NewsWay::Mark);
    let listens = |kind: &TransportKind| {
        let Hears { news, base_rtts, marks, .. } = kind.hears();
        (news || is_of_pairs && base_rtts) && (!are_marks || marks)
    };
    if all.is_empty() || transports.iter().any(|transport| listens(&transport.kind)) {
        return;
    }
    if are_marks && transports.iter().any(|transport| transport.kind.hears().news) {
        let why = "there is [[news]] by marks alone, and no transport sees marks: path_marks = true lets it, and \
                   way = \"message\" needs none";
        context.warnings.push(why.to_owned());
        return;
    }
    let config = cc::Config::default();
    let wants = |entry: &&cc::Entry| {
        let wants = entry.choice.wants(&config);
        wants.news || is_of_pairs && wants.base_rtts
    };
    let names: Vec<String> = cc::registry().iter().filter(wants).map(|entry| quoted(entry.name)).collect();
    let which = format!("{}, and laws in Python that have on_news", names.join(", "));
    context.warnings.push(format!("there is [[news]], and no transport's law listens; those that do: {which}"));
}

/// A law that goes by news has none.
fn warn_of_none(transports: &[Transport], context: &mut Context) {
    let waits = |transport: &&Transport| transport.kind.hears().news;
    let names: Vec<String> = transports.iter().filter(waits).map(|transport| quoted(&transport.name)).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        context
            .warnings
            .push(format!("no [[news]] reaches the transport {names}: its law hears of no change of its path"));
    }
}
