//! `[[traffic]]`: between whom, with which transport; when is in `arrivals`, what in `load`.

use super::{Context, arrivals, load, sizes};
use crate::language::keys::Table;
use crate::language::{At, Fault, PairsSpec, Place, quoted};
use crate::model::{
    Arrivals, BurstLosses, BurstRule, Load, MAX_FLOWS, NodeId, Pairs, Requests, SimTime, Traffic, Transport,
    TransportId,
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
        && kind.payload().is_none()
        && list.iter().any(|flow| flow.size.is_some())
    {
        return Err(table.fault("the list gives sizes, which are for TCP; UDP flows last until \"stop\""));
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

/// `pairs`, or `from` and `to`, or what the topology offers.
pub(super) fn pairs(table: &At<spec::Traffic>, context: &Context) -> Result<Pairs, Fault> {
    if let Some(at) = table.among.as_ref()
        && !matches!(table.pairs.as_deref(), Some(PairsSpec::Random | PairsSpec::All | PairsSpec::Permutation))
    {
        return Err(at.fault("this key goes with pairs = \"random\", \"all\" or \"permutation\""));
    }
    match (&table.pairs, &table.from, &table.to) {
        (Some(pairs), None, None) => listed_or_ruled(pairs, table, context),
        (None, Some(from), Some(to)) => {
            let place = |at: &At<String>| at.place();
            Ok(Pairs::Given(vec![pair((from, place(from)), (to, place(to)), context)?]))
        }
        (Some(_), Some(end), _) | (Some(_), None, Some(end)) => Err(end.fault("this key does not go with \"pairs\"")),
        (None, Some(end), None) => Err(end.fault("the key \"to\" is missing beside it")),
        (None, None, Some(end)) => Err(end.fault("the key \"from\" is missing beside it")),
        (None, None, None) if !context.draft.pairs.is_empty() => Ok(Pairs::Given(context.draft.pairs.clone())),
        (None, None, None) => Err(table.fault(
            "the ends are missing; allowed: pairs = \"random\", pairs = \"all\", pairs = [[\"a\", \"b\"]], from and \
             to, list, or file",
        )),
    }
}

fn listed_or_ruled(pairs: &At<PairsSpec>, table: &At<spec::Traffic>, context: &Context) -> Result<Pairs, Fault> {
    match &**pairs {
        PairsSpec::List(list) if list.is_empty() => Err(pairs.fault("found an empty list; allowed: at least one pair")),
        PairsSpec::List(list) => {
            let pair = |at: &At<(String, String)>| pair((&at.0, at.place()), (&at.1, at.place()), context);
            list.iter().map(pair).collect::<Result<_, _>>().map(Pairs::Given)
        }
        PairsSpec::Random => Ok(Pairs::UniformRandom(end_points(pairs.place(), table, context)?)),
        PairsSpec::Permutation => Ok(Pairs::Permutation(end_points(pairs.place(), table, context)?)),
        PairsSpec::All => {
            let nodes = end_points(pairs.place(), table, context)?;
            if (nodes.len() as u64).saturating_mul(nodes.len() as u64) > MAX_FLOWS {
                return Err(
                    pairs.fault(format!("{} nodes make too many pairs; allowed: at most {MAX_FLOWS}", nodes.len()))
                );
            }
            let others = |a: NodeId| nodes.iter().filter(move |b| **b != a).map(move |b| (a, *b));
            Ok(Pairs::Given(nodes.iter().flat_map(|a| others(*a)).collect()))
        }
    }
}

/// The nodes of "random" and "all": at least two, each reachable from each.
pub(super) fn end_points(place: Place, table: &At<spec::Traffic>, context: &Context) -> Result<Vec<NodeId>, Fault> {
    let nodes = match &table.among {
        None => context.end_points(),
        Some(among) => {
            let mut nodes = Vec::new();
            let mut seen = BTreeSet::new();
            for name in among.iter() {
                let node = context.draft.require(name, name.place())?;
                if !seen.insert(node) {
                    return Err(name.fault(format!("found {} a second time", quoted(name))));
                }
                nodes.push(node);
            }
            nodes
        }
    };
    if nodes.len() < 2 {
        return Err(Fault::new(place, format!("found {} node to draw from; allowed: at least two", nodes.len())));
    }
    let apart = nodes.iter().find(|node| context.component[node.index()] != context.component[nodes[0].index()]);
    match apart {
        Some(node) => Err(Fault::new(place, context.no_way(nodes[0], *node))),
        None => Ok(nodes),
    }
}

/// Source and destination, which differ and can reach one another.
pub(super) fn pair(from: (&str, Place), to: (&str, Place), context: &Context) -> Result<(NodeId, NodeId), Fault> {
    let source = context.draft.require(from.0, from.1)?;
    let destination = context.draft.require(to.0, to.1.clone())?;
    if source == destination {
        return Err(Fault::new(to.1, format!("found {} as source and destination; allowed: two nodes", quoted(to.0))));
    }
    if context.component[source.index()] != context.component[destination.index()] {
        return Err(Fault::new(to.1, context.no_way(source, destination)));
    }
    Ok((source, destination))
}

impl Context<'_> {
    pub(super) fn no_way(&self, a: NodeId, b: NodeId) -> String {
        let name = |node: NodeId| quoted(&self.draft.nodes[node.index()].name);
        format!("there is no path from {} to {} and back", name(a), name(b))
    }
}
