//! Pairs of nodes as matchings of ports: no node sends to two, or hears from two, over one switch.

use super::frontier::Pair;
use std::collections::{BTreeMap, BTreeSet};

/// The output of each input of a switch.
pub(super) type Outputs = Vec<Option<u32>>;

/// Whether a switch has a circuit for each of these pairs.
pub(super) fn covers(outputs: &Outputs, pairs: &[Pair]) -> bool {
    pairs.iter().all(|(from, to)| outputs[*from as usize] == Some(*to))
}

/// These circuits, and of the old ones those that they leave alone.
pub(super) fn over(old: &Outputs, pairs: &[Pair]) -> Outputs {
    let taken: BTreeSet<u32> = pairs.iter().map(|(_, to)| *to).collect();
    let mut outputs: Outputs = old.iter().map(|to| to.filter(|to| !taken.contains(to))).collect();
    pairs.iter().for_each(|(from, to)| outputs[*from as usize] = Some(*to));
    outputs
}

/// Of pairs with weights, again and again the heaviest that fits. Equal ones by their distance around all nodes, so
/// that pairs of all with all become matchings without a gap.
pub(super) fn heaviest(weights: &BTreeMap<Pair, f64>, nodes: u32) -> Vec<Pair> {
    let distance = |(from, to): Pair| (to + nodes - from) % nodes;
    let mut sorted: Vec<(Pair, f64)> = weights.iter().map(|(pair, weight)| (*pair, *weight)).collect();
    sorted.sort_by(|(one, heavy), (other, light)| {
        light.total_cmp(heavy).then_with(|| (distance(*one), one.0).cmp(&(distance(*other), other.0)))
    });
    let (mut inputs, mut outputs) = (BTreeSet::new(), BTreeSet::new());
    let fits = |pair: &Pair| {
        let fits = !inputs.contains(&pair.0) && !outputs.contains(&pair.1);
        if fits {
            inputs.insert(pair.0);
            outputs.insert(pair.1);
        }
        fits
    };
    let mut fits = fits;
    sorted.into_iter().map(|(pair, _)| pair).filter(|pair| fits(pair)).collect()
}

/// So many matchings for pairs with so many bytes: each pair's bytes are shared by the circuits that it has.
pub(super) fn shared(bytes: &BTreeMap<Pair, u64>, count: usize, nodes: u32) -> Vec<Vec<Pair>> {
    let mut circuits: BTreeMap<Pair, u32> = BTreeMap::new();
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let weight = |(pair, bytes): (&Pair, &u64)| {
            let has = circuits.get(pair).copied().unwrap_or(0);
            // One that has none comes before all that have one.
            (*pair, if has == 0 { f64::MAX } else { *bytes as f64 / f64::from(has + 1) })
        };
        let matching = heaviest(&bytes.iter().map(weight).collect(), nodes);
        matching.iter().for_each(|pair| *circuits.entry(*pair).or_default() += 1);
        all.push(matching);
    }
    all
}

/// As few matchings as a greedy search finds in which each of these groups of pairs stands; a group that is a matching
/// stands in one of them.
pub(super) fn together<'a>(groups: impl Iterator<Item = &'a [Pair]>, nodes: u32) -> Vec<Vec<Pair>> {
    let mut all: Vec<BTreeSet<Pair>> = Vec::new();
    let mut add = |group: &[Pair]| {
        let joined = |known: &BTreeSet<Pair>| known.iter().chain(group).copied().collect::<BTreeSet<Pair>>();
        match all.iter_mut().find(|known| is_matching(&joined(known))) {
            Some(known) => known.extend(group),
            None => all.push(group.iter().copied().collect()),
        }
    };
    for group in groups {
        let mut left: BTreeMap<Pair, f64> = group.iter().map(|pair| (*pair, 1.0)).collect();
        while !left.is_empty() {
            let part = heaviest(&left, nodes);
            left.retain(|pair, _| !part.contains(pair));
            add(&part);
        }
    }
    all.into_iter().map(|matching| matching.into_iter().collect()).collect()
}

fn is_matching(pairs: &BTreeSet<Pair>) -> bool {
    let ends = |end: fn(&Pair) -> u32| pairs.iter().map(end).collect::<BTreeSet<u32>>().len();
    ends(|pair| pair.0) == pairs.len() && ends(|pair| pair.1) == pairs.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_to_all(nodes: u32) -> Vec<Pair> {
        let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
        pairs.filter(|(from, to)| from != to).collect()
    }

    /// König: the pairs of all with all are N − 1 matchings, and no fewer.
    #[test]
    fn all_with_all_are_as_few_matchings_as_can_be() {
        for nodes in 2..9 {
            let pairs = all_to_all(nodes);
            let found = together([pairs.as_slice()].into_iter(), nodes);
            assert_eq!(found.len(), nodes as usize - 1);
            let mut seen: Vec<Pair> = found.into_iter().flatten().collect();
            seen.sort_unstable();
            assert_eq!(seen, pairs);
        }
    }

    #[test]
    fn groups_that_fit_share_a_matching() {
        let groups: [&[Pair]; 3] = [&[(0, 1)], &[(1, 0), (2, 3)], &[(0, 2)]];
        assert_eq!(together(groups.into_iter(), 4), [vec![(0, 1), (1, 0), (2, 3)], vec![(0, 2)]]);
    }

    #[test]
    fn a_matching_alone_has_every_switch_and_two_share_them() {
        let one = BTreeMap::from([((0, 1), 10), ((1, 0), 10)]);
        assert_eq!(shared(&one, 3, 2), vec![vec![(0, 1), (1, 0)]; 3]);
        let two = BTreeMap::from([((0, 1), 10), ((0, 2), 30)]);
        assert_eq!(shared(&two, 3, 3), [vec![(0, 1)], vec![(0, 2)], vec![(0, 2)]]);
    }

    #[test]
    fn old_circuits_stay_where_nothing_takes_their_ends() {
        let old = vec![Some(1), Some(0), Some(3), None];
        assert_eq!(over(&old, &[(0, 3)]), [Some(3), Some(0), None, None]);
        assert!(covers(&old, &[(0, 1), (2, 3)]) && !covers(&old, &[(3, 2)]));
    }
}
