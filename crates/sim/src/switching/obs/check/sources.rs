//! `[[switching.burst]]`: sources of bursts besides the flows.

use super::Mesh;
use crate::language::keys::Form;
use crate::language::{At, Fault, PairsSpec, Place, quoted};
use crate::model::{NodeId, Role, components};
use crate::switching::obs::keys::{BlockedRule, BurstSpec, IngressSpec, LengthRule};
use crate::switching::obs::plan::{BurstArrivals, BurstSource, LengthLaw};
use std::collections::BTreeSet;
use units::Duration;

impl BurstSource {
    /// The longest burst it can have; `None` where there is no bound.
    pub(super) fn longest(&self) -> Option<Duration> {
        match self.length {
            LengthLaw::Fixed => Some(self.mean),
            LengthLaw::Uniform => Some(self.mean.saturating_mul(2)),
            _ => None,
        }
    }
}

impl Mesh<'_> {
    /// The sources, in their order.
    pub(super) fn sources(&self) -> Result<Vec<BurstSource>, Fault> {
        let mut names = BTreeSet::new();
        let source = |(index, table): (usize, &At<BurstSpec>)| {
            let source = self.source(index, table)?;
            if !names.insert(source.name.clone()) {
                let place = table.name.as_ref().map_or(table.place(), At::place);
                let message = format!("there is a source of bursts {} already", quoted(&source.name));
                return Err(Fault::new(place, message));
            }
            Ok(source)
        };
        self.table.burst.iter().enumerate().map(source).collect()
    }

    fn source(&self, index: usize, table: &At<BurstSpec>) -> Result<BurstSource, Fault> {
        let mean = table.mean.0;
        if mean > Duration::from_secs(1) {
            return Err(table.mean.fault(format!("found \"{mean}\"; allowed: at most \"1 s\"")));
        }
        Ok(BurstSource {
            name: table.name.as_ref().map_or_else(|| format!("bursts-{index}"), |name| name.to_string()),
            pairs: self.pairs(table)?,
            arrivals: self.arrivals(table, mean)?,
            length: length(table),
            mean,
            extra_offset: table.extra_offset.0,
            headers_only: *table.headers_only,
        })
    }

    fn arrivals(&self, table: &At<BurstSpec>, mean: Duration) -> Result<BurstArrivals, Fault> {
        if let Some(sources) = table.sources {
            let Some(idle) = table.idle else { return Err(sources.fault("the key \"idle\" is missing beside it")) };
            if self.table.ingress.0 != IngressSpec::Drop {
                return Err(sources
                    .fault("a source that waits for its burst has no idle time; allowed with ingress = \"drop\""));
            }
            let silent = table.blocked.0 == BlockedRule::Silent;
            return Ok(BurstArrivals::Finite { sources: *sources, idle: idle.0, silent });
        }
        let mean_gap = match (table.load, table.mean_gap) {
            (Some(_), Some(gap)) => return Err(gap.fault("there is a load already; allowed: load or mean_gap")),
            (None, Some(gap)) => gap.0,
            (Some(load), None) => {
                let gap = Duration::from_secs_f64(mean.as_secs_f64() / *load).filter(|gap| *gap > Duration::ZERO);
                gap.filter(|_| *load > 0.0 && *load <= 1e6).ok_or_else(|| {
                    load.fault(format!("found {:?}; allowed: more than 0 and at most 1000000 erlang", *load))
                })?
            }
            (None, None) => {
                return Err(table.fault("the key \"load\" is missing; allowed: load, mean_gap, or sources and idle"));
            }
        };
        Ok(BurstArrivals::Poisson { mean_gap })
    }

    fn pairs(&self, table: &At<BurstSpec>) -> Result<Vec<(NodeId, NodeId)>, Fault> {
        let pairs = match (&table.pairs, &table.from, &table.to) {
            (None, Some(from), Some(to)) => vec![(self.end(from, from.place())?, self.end(to, to.place())?)],
            (Some(pairs), None, None) => match &**pairs {
                PairsSpec::List(list) => {
                    let pair =
                        |at: &At<(String, String)>| Ok((self.end(&at.0, at.place())?, self.end(&at.1, at.place())?));
                    list.iter().map(pair).collect::<Result<_, _>>()?
                }
                PairsSpec::All => self.all_pairs(),
                PairsSpec::Random | PairsSpec::Permutation => {
                    let found = pairs.form().inline();
                    return Err(pairs.fault(format!("found {found}; allowed: \"all\" or a list of pairs")));
                }
            },
            _ => return Err(table.fault("the ends are missing; allowed: pairs, or from and to")),
        };
        let component = components(self.network);
        let apart = |(from, to): &&(NodeId, NodeId)| from == to || component[from.index()] != component[to.index()];
        if let Some((from, to)) = pairs.iter().find(apart) {
            let (from, to) = (self.name(*from), self.name(*to));
            return Err(table.fault(format!("there is no path from {from} to {to} and back")));
        }
        Ok(pairs)
    }

    /// A node at which bursts can begin and end.
    pub(super) fn end(&self, name: &str, place: Place) -> Result<NodeId, Fault> {
        let node = self.draft.require(name, place.clone())?;
        match self.network.nodes[node.index()].role {
            Role::Host => Err(Fault::new(
                place,
                format!("{} is a host; bursts begin and end at core and edge nodes", quoted(name)),
            )),
            Role::Core | Role::Edge => Ok(node),
        }
    }

    /// All ordered pairs of distinct edge nodes, or of core nodes if there are no two edge nodes.
    fn all_pairs(&self) -> Vec<(NodeId, NodeId)> {
        let of = |role: Role| -> Vec<NodeId> {
            let nodes = (0..).map(NodeId).zip(&self.network.nodes);
            nodes.filter(|(_, node)| node.role == role).map(|(id, _)| id).collect()
        };
        let edges = of(Role::Edge);
        let nodes = if edges.len() >= 2 { edges } else { of(Role::Core) };
        let others = |from: NodeId| nodes.iter().filter(move |to| **to != from).map(move |to| (from, *to));
        nodes.iter().flat_map(|from| others(*from)).collect()
    }
}

fn length(table: &BurstSpec) -> LengthLaw {
    match table.law.0 {
        LengthRule::Fixed => LengthLaw::Fixed,
        LengthRule::Exponential => LengthLaw::Exponential,
        LengthRule::Uniform => LengthLaw::Uniform,
        LengthRule::HyperExponential => LengthLaw::HyperExponential { variation: *table.variation },
        LengthRule::Pareto => LengthLaw::Pareto { shape: *table.shape },
    }
}
