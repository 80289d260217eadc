//! `[switching] balancing`: two paths between each two edge nodes.

use super::Mesh;
use crate::language::keys::Form;
use crate::language::{At, Fault, PairsSpec, quoted};
use crate::model::{Ends, LinkId, Network, NodeId, Routes, Ties, Traffic, disjoint_pair};
use crate::switching::obs::keys::{BalancingRule, BalancingSpec, PathsSpec};
use crate::switching::obs::plan::{Balancing, Obs, Policy, SharedLinks, Spread};
use std::collections::BTreeSet;

type Pairs = BTreeSet<(NodeId, NodeId)>;

impl Mesh<'_> {
    /// How bursts are spread, if they are; `optical` are the links on which they travel.
    pub(super) fn balancing(&self, optical: &[LinkId]) -> Result<Option<Balancing>, Fault> {
        let Some(table) = &self.table.balancing else { return Ok(None) };
        let policy = match table.policy.0 {
            BalancingRule::Adaptive => Policy::Adaptive(table.choice.0),
            BalancingRule::Alternate => Policy::Alternate,
            BalancingRule::Random => Policy::Random,
            BalancingRule::Flowlet => Policy::Flowlet(table.gap.0.ps()),
            BalancingRule::LeastLoaded => Policy::LeastLoaded,
        };
        let paths = table.paths.iter().map(|pair| self.pair_of_paths(pair, optical)).collect::<Result<Vec<_>, _>>()?;
        let pairs = table.pairs.as_ref().map(|pairs| self.chosen_pairs(pairs, &paths, optical)).transpose()?;
        if let Some(pairs) = &pairs {
            self.check_use(&table.paths, &paths, pairs)?;
        }
        Ok(Some(Balancing {
            policy,
            interval: table.interval.0,
            threshold: *table.threshold,
            comparison: table.comparison.0,
            path_load: table.path_load.0,
            counting: table.counting.0,
            unit: table.unit.0,
            shared_links: table.shared_links.0,
            hysteresis: table.hysteresis.map(|margin| *margin),
            choose_after: table.choose_after.map(|after| after.0),
            ordering: table.ordering.0,
            traffic: table.traffic.map_or(if pairs.is_some() { Spread::All } else { Spread::Tcp }, |traffic| traffic.0),
            pairs,
            ties: table.ties.0,
            paths,
        }))
    }

    fn pair_of_paths(&self, table: &At<PathsSpec>, optical: &[LinkId]) -> Result<[Vec<LinkId>; 2], Fault> {
        let [primary, alternate] = [self.path(&table.primary, optical)?, self.path(&table.alternate, optical)?];
        if path_ends(self.network, &primary) != path_ends(self.network, &alternate) {
            return Err(table.alternate.fault("it has other ends than primary; allowed: the same first and last node"));
        }
        Ok([primary, alternate])
    }

    /// The pairs of nodes whose bursts are spread. Each has two paths: those that the scenario names, or some of the
    /// network.
    fn chosen_pairs(
        &self,
        table: &At<PairsSpec>,
        paths: &[[Vec<LinkId>; 2]],
        links: &[LinkId],
    ) -> Result<Pairs, Fault> {
        let PairsSpec::List(list) = &**table else {
            let found = table.form().inline();
            return Err(table.fault(format!("found {found}; allowed: a list of pairs such as [[\"a\", \"b\"]]")));
        };
        let optical = are_optical(links, self.network);
        let mut pairs = Pairs::new();
        for named in list {
            let [from, to] = [self.end(&named.0, named.place())?, self.end(&named.1, named.place())?];
            let names = format!("{} to {}", self.name(from), self.name(to));
            if from == to {
                return Err(named.fault(format!("found a pair from {names}; allowed: two nodes")));
            }
            if !pairs.insert((from, to)) {
                return Err(named.fault(format!("the pair from {names} is there twice; allowed: each pair once")));
            }
            let is_named = paths.iter().any(|[path, _]| path_ends(self.network, path) == (from, to));
            if !is_named && !has_two_paths(self.network, &optical, from, to) {
                return Err(named.fault(format!("there is no second path from {names}")));
            }
        }
        Ok(pairs)
    }

    /// Paths that the scenario names are those of a pair that is spread.
    fn check_use(&self, tables: &[At<PathsSpec>], paths: &[[Vec<LinkId>; 2]], pairs: &Pairs) -> Result<(), Fault> {
        let unused = tables.iter().zip(paths).find(|(_, [path, _])| !pairs.contains(&path_ends(self.network, path)));
        unused.map_or(Ok(()), |(table, [path, _])| {
            let (from, to) = path_ends(self.network, path);
            let (from, to) = (self.name(from), self.name(to));
            Err(table
                .primary
                .fault(format!("its ends, {from} and {to}, are not in \"pairs\"; allowed: a pair of the list")))
        })
    }

    /// The optical links from node to node.
    fn path(&self, names: &At<Vec<At<String>>>, optical: &[LinkId]) -> Result<Vec<LinkId>, Fault> {
        if names.len() < 2 {
            return Err(names.fault("a path has two nodes at least"));
        }
        let nodes: Vec<NodeId> =
            names.iter().map(|name| self.draft.require(name, name.place())).collect::<Result<_, _>>()?;
        if nodes.iter().collect::<BTreeSet<_>>().len() < nodes.len() {
            return Err(names.fault("a node is there twice; allowed: each node once"));
        }
        let link = |ends: &[NodeId]| {
            let is_there = |link: &&LinkId| {
                let link = &self.network.links[link.index()];
                (link.from, link.to) == (ends[0], ends[1])
            };
            optical.iter().find(is_there).copied().ok_or_else(|| {
                names.fault(format!("no optical link leads from {} to {}", self.name(ends[0]), self.name(ends[1])))
            })
        };
        nodes.windows(2).map(link).collect()
    }
}

/// Where the paths of traffic enter and leave the optical network there must be two paths.
pub(super) fn check_pairs(
    at: &At<BalancingSpec>,
    obs: &Obs,
    network: &Network,
    traffic: &[Traffic],
) -> Result<(), Fault> {
    // Pairs that the scenario names have been checked one by one.
    let Some(balancing) = obs.balancing.as_ref().filter(|balancing| balancing.pairs.is_none()) else { return Ok(()) };
    let optical = are_optical(&obs.links, network);
    let open = network.open_to_flows();
    let mut routes = Routes::new(network, &open);
    let mut seen = BTreeSet::new();
    for (source, destination) in traffic.iter().flat_map(ends) {
        for (from, to) in [(source, destination), (destination, source)] {
            let path = routes.path(from, to).unwrap_or_default();
            let of_light: Vec<LinkId> = path.into_iter().filter(|link| optical[link.index()]).collect();
            let (Some(first), Some(last)) = (of_light.first(), of_light.last()) else { continue };
            let (from, to) = (network.links[first.index()].from, network.links[last.index()].to);
            if !seen.insert((from, to)) || balancing.names(network, from, to) {
                continue;
            }
            if !has_two_paths(network, &optical, from, to) {
                let name = |node: NodeId| quoted(&network.nodes[node.index()].name);
                let (from, to) = (name(from), name(to));
                return Err(at.fault(format!("there is no second path from {from} to {to}")));
            }
        }
    }
    Ok(())
}

/// Whether there are two paths, though they may share links.
fn has_two_paths(network: &Network, optical: &[bool], from: NodeId, to: NodeId) -> bool {
    // Which of several pairs it is does not matter here.
    disjoint_pair(network, optical, from, to, Ties::Ids).is_some_and(|pair| !pair.is_single())
}

fn are_optical(links: &[LinkId], network: &Network) -> Vec<bool> {
    let mut optical = vec![false; network.links.len()];
    links.iter().for_each(|link| optical[link.index()] = true);
    optical
}

/// The first and the last node of a path.
fn path_ends(network: &Network, path: &[LinkId]) -> (NodeId, NodeId) {
    (network.links[path[0].index()].from, network.links[path[path.len() - 1].index()].to)
}

/// Of the paths that the scenario names, those that are not disjoint: a sentence each.
pub fn shared_links(balancing: &Balancing, network: &Network) -> Vec<String> {
    let node = |node: NodeId| quoted(&network.nodes[node.index()].name);
    let sentence = |[primary, alternate]: &[Vec<LinkId>; 2]| {
        let shared = primary.iter().filter(|link| alternate.contains(link)).map(|link| &network.links[link.index()]);
        let names: Vec<String> = shared.map(|link| quoted(&link.name)).collect();
        let ends = (&network.links[primary[0].index()], &network.links[primary[primary.len() - 1].index()]);
        let (from, to) = (node(ends.0.from), node(ends.1.to));
        let count = match balancing.shared_links {
            SharedLinks::Ignored => "they count in no path's load",
            SharedLinks::Counted => "they count in the load of both",
        };
        (!names.is_empty()).then(|| format!("the paths from {from} to {to} share {}: {count}", names.join(" and ")))
    };
    balancing.paths.iter().filter_map(sentence).collect()
}

impl Balancing {
    /// Whether the scenario names the paths between these nodes.
    pub fn names(&self, network: &Network, from: NodeId, to: NodeId) -> bool {
        self.named(network, from, to).is_some()
    }

    /// The paths that the scenario names between these nodes.
    pub fn named(&self, network: &Network, from: NodeId, to: NodeId) -> Option<&[Vec<LinkId>; 2]> {
        self.paths.iter().find(|[primary, _]| path_ends(network, primary) == (from, to))
    }
}

/// From where to where a rule's flows can go. Random pairs are too many to be checked: between nodes without a second
/// path their bursts take the only one.
fn ends(traffic: &Traffic) -> Vec<(NodeId, NodeId)> {
    match traffic.arrivals.ends() {
        Ends::Pairs(pairs) => pairs,
        Ends::Among(_) => Vec::new(),
    }
}
