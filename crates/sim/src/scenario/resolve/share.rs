//! `load_share`: the load that flows offer to a link, as a share of its capacity.

use super::Context;
use super::events::named;
use crate::language::{At, Fault};
use crate::model::{Ends, LinkId, Network, NodeId, loads};
use crate::scenario::spec::Traffic;
use units::Duration;

/// Pairs of nodes whose paths are looked at; more than that take seconds.
pub(super) const MOST_PAIRS: u64 = 4_000_000;

/// Flows whose starts are wanted.
pub(super) struct Flows<'a> {
    /// Who starts them.
    pub ends: Ends<'a>,
    /// How many start at once.
    pub at_once: u32,
    /// Their mean size in bytes, if they have one.
    pub mean_size: Option<f64>,
}

/// The mean time between starts (with incast between requests) at which the flows offer the share.
pub(super) fn mean_gap(share: At<f64>, table: &Traffic, flows: Flows, context: &Context) -> Result<Duration, Fault> {
    let Some(mean) = flows.mean_size else {
        return Err(share.fault("the flows have no size, so their load is not known; allowed with size or size_law"));
    };
    if !mean.is_finite() {
        return Err(
            share.fault("the sizes have no mean, so their load is not known; allowed: a shape above 1, or most")
        );
    }
    let at_once = f64::from(flows.at_once);
    let passing = passing(share, flows.ends, context.network)?;
    let link = match &table.load_link {
        Some(name) => one_link(name, &passing, context)?,
        None => most_loaded(&passing, context).ok_or_else(|| share.fault("these flows pass no link"))?,
    };
    let capacity = context.network.links[link].capacity.bps() as f64;
    let seconds = at_once * passing[link] * mean * 8.0 / (*share * capacity);
    let gap = Duration::from_secs_f64(seconds).filter(|gap| *gap > Duration::ZERO);
    gap.ok_or_else(|| share.fault(format!("this is a start in {seconds:e} s; allowed: one in 1 ps to one in 213 days")))
}

fn one_link(name: &At<String>, passing: &[f64], context: &Context) -> Result<usize, Fault> {
    let links = named(name, name.place(), context)?;
    let [LinkId(link)] = links[..] else {
        return Err(name.fault("this is a link in both directions; allowed: one, such as \"a->b\""));
    };
    let link = link as usize;
    if !context.is_of_paths(link) {
        return Err(name.fault("packets take whatever circuits there are; allowed: a link of a host"));
    }
    if passing[link] > 0.0 { Ok(link) } else { Err(name.fault("no flow of this traffic passes this link")) }
}

/// The link of which the flows need most, the first of equals.
fn most_loaded(passing: &[f64], context: &Context) -> Option<usize> {
    let need = |link: usize| passing[link] / context.network.links[link].capacity.bps() as f64;
    let links = (0..passing.len()).filter(|link| context.is_of_paths(*link));
    let best = links.reduce(|best, link| if need(link) > need(best) { link } else { best })?;
    (passing[best] > 0.0).then_some(best)
}

/// The part of the flows that passes each link.
fn passing(share: At<f64>, ends: Ends, network: &Network) -> Result<Vec<f64>, Fault> {
    let too_many =
        |number| share.fault(format!("{number} pairs of nodes are too many to look at; allowed: {MOST_PAIRS}"));
    let mut pairs = listed(ends).map_err(too_many)?;
    if pairs.len() as u64 > MOST_PAIRS {
        return Err(too_many(pairs.len() as u64));
    }
    // Routes are kept by destination.
    pairs.sort_by_key(|(from, to)| (*to, *from));
    let pairs: Vec<_> = pairs.into_iter().map(|(from, to)| (from, to, 1.0)).collect();
    let mut counts = vec![0.0; network.links.len()];
    loads(network, &pairs, |link, part| counts[link.index()] += part);
    Ok(counts.into_iter().map(|count: f64| count / pairs.len().max(1) as f64).collect())
}

/// The pairs one by one, source first, or how many they would be if any two of a set are too many to look at.
pub(super) fn listed(ends: Ends) -> Result<Vec<(NodeId, NodeId)>, u64> {
    let nodes = match ends {
        Ends::Pairs(pairs) => return Ok(pairs),
        Ends::Among(nodes) => nodes,
    };
    let number = (nodes.len() as u64).saturating_mul(nodes.len() as u64);
    if number > MOST_PAIRS {
        return Err(number);
    }
    let others = |to: NodeId| nodes.iter().filter(move |from| **from != to).map(move |from| (*from, to));
    Ok(nodes.iter().flat_map(|to| others(*to)).collect())
}
