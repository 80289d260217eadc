//! The end points of a rule of traffic.

use super::Context;
use crate::language::{At, Fault, PairsSpec, Place, quoted};
use crate::model::{MAX_FLOWS, NodeId, Pairs};
use crate::scenario::spec;
use std::collections::BTreeSet;

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
    let is_apart = context.component[source.index()] != context.component[destination.index()];
    if is_apart || context.network.timed.as_ref().is_some_and(|timed| timed.is_never(source, destination)) {
        return Err(Fault::new(to.1, context.no_way(source, destination)));
    }
    Ok((source, destination))
}

impl Context<'_> {
    pub(super) fn no_way(&self, a: NodeId, b: NodeId) -> String {
        let name = |node: NodeId| quoted(&self.draft.nodes[node.index()].name);
        if self.network.timed.is_some() {
            return format!("{} and {} are never connected, from 0 s to {}", name(a), name(b), self.duration);
        }
        format!("there is no path from {} to {} and back", name(a), name(b))
    }
}
