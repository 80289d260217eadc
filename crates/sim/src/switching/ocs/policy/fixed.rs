//! Matchings that stay: for all the work, or for one collective after another.

use super::{Order, Policy, View};
use crate::switching::ocs::frontier::{Frontier, Pair};
use crate::switching::ocs::matching::coloured;
use std::collections::BTreeSet;

/// The matchings of some works, for so many switches; how many they are, if there are more.
pub(in crate::switching::ocs) fn of_works(
    frontier: &Frontier,
    works: impl Iterator<Item = usize>,
    switches: usize,
    nodes: u32,
) -> Result<Vec<Vec<Pair>>, usize> {
    let phases: BTreeSet<u32> = works.flat_map(|work| frontier.phases(work).iter().copied()).collect();
    let pairs: BTreeSet<Pair> = phases.iter().flat_map(|phase| frontier.pairs(*phase).iter().copied()).collect();
    let found = coloured(&pairs, nodes);
    match found.len() {
        0 => Ok(Vec::new()),
        many if many > switches => Err(many),
        few => Ok((0..switches).map(|switch| found[switch % few].clone()).collect()),
    }
}

/// A matching for each switch, once.
#[derive(Debug)]
pub(in crate::switching::ocs) struct Static {
    /// Until they are set.
    pub matchings: Option<Vec<Vec<Pair>>>,
}

impl Policy for Static {
    fn decide(&mut self, _: &View) -> Vec<Order> {
        let matchings = self.matchings.take().unwrap_or_default();
        (0..).zip(matchings).map(|(switch, pairs)| Order { switch, pairs }).collect()
    }
}

/// All matchings of a work, then those of the next.
#[derive(Debug)]
pub(in crate::switching::ocs) struct PerCollective {
    /// Whether a work's matchings are set before it begins, as soon as the work before is done.
    pub is_ahead: bool,
    /// The work that has its matchings.
    pub of: Option<usize>,
}

impl Policy for PerCollective {
    fn decide(&mut self, view: &View) -> Vec<Order> {
        let work = view.frontier.work().filter(|work| self.of != Some(*work));
        let Some(work) = work.filter(|_| self.is_ahead || !view.frontier.ready().is_empty()) else { return Vec::new() };
        let switches: Vec<usize> = (0..view.outputs.len()).collect();
        // A check has seen that they are not too many.
        let matchings = of_works(view.frontier, [work].into_iter(), switches.len(), view.nodes).unwrap_or_default();
        self.of = Some(work);
        view.laid_on(&switches, matchings)
    }
}
