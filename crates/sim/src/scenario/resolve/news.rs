//! `[[news]]`.

use super::{Context, events};
use crate::language::keys::Table;
use crate::language::{At, Fault, Place, quoted};
use crate::model::{Light, LinkId, LinkNews, Opening, SimTime, Telling, Timeline, Transport, path_changes};
use crate::queue;
use crate::scenario::spec::{self, Spec};
use crate::switching::kind::Plan;
use std::collections::BTreeMap;
use transport::cc::NewsWay;
use transport::tcp::SenderConfig;
use units::Duration;

/// What is told of links.
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
        let links = events::links_named(&table.link, context)?;
        for link in &links {
            if let Some(first) = said.insert(*link, table.link.place()) {
                let name = context.name(*link);
                return Err(Fault::twice(table.link.place(), first, format!("{name} has news already")));
            }
        }
        let told = telling(table, context.duration)?;
        if told == Telling::Mark {
            links.iter().try_for_each(|link| check_port(table, *link, plan, context))?;
        }
        warn_of_silence(&links, told.way(), changes, context);
        all.push(LinkNews { links, told });
    }
    let listens = |transport: &Transport| transport.kind.sender().is_some_and(SenderConfig::hears_news);
    if !all.is_empty() && !transports.iter().any(listens) {
        let which = "\"retcp\", \"tdtcp\", and laws in Python that have on_news";
        context.warnings.push(format!("there is [[news]], and no transport's law listens; those that do: {which}"));
    }
    Ok(all)
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

/// Marks are made as packets leave, by a port that does not mark them for another reason.
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

fn warn_of_silence(links: &[LinkId], way: NewsWay, changes: &[Timeline], context: &mut Context) {
    let end = SimTime::ZERO + context.duration;
    let is_silent = |link: &&LinkId| path_changes(context.network, changes, **link, way, end).is_empty();
    if let Some(link) = links.iter().find(is_silent) {
        let name = context.name(*link);
        context.warnings.push(format!("there is no news of {name}: nothing changes its capacity or state"));
    }
}
