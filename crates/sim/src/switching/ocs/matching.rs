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

/// As few matchings as there can be in which each of these pairs stands once: as many as a node has pairs at most
/// (König 1916, by alternating paths).
pub(super) fn coloured(pairs: &BTreeSet<Pair>, nodes: u32) -> Vec<Vec<Pair>> {
    let most = |end: fn(&Pair) -> u32| {
        let mut counts = vec![0usize; nodes as usize];
        pairs.iter().for_each(|pair| counts[end(pair) as usize] += 1);
        counts.into_iter().max().unwrap_or(0)
    };
    let mut colours = Colours::new(nodes, most(|pair| pair.0).max(most(|pair| pair.1)));
    let mut sorted: Vec<Pair> = pairs.iter().copied().collect();
    // By distance, so that rings around all nodes are matchings.
    sorted.sort_by_key(|(from, to)| ((to + nodes - from) % nodes, *from));
    sorted.into_iter().for_each(|pair| colours.add(pair));
    colours.matchings()
}

/// Pairs under way to their matchings: whose number is a colour.
struct Colours {
    /// By node and colour: to whom it sends.
    sends: Vec<Vec<Option<u32>>>,
    /// The same: from whom it hears.
    hears: Vec<Vec<Option<u32>>>,
}

impl Colours {
    fn new(nodes: u32, colours: usize) -> Colours {
        let none = vec![vec![None; colours]; nodes as usize];
        Colours { sends: none.clone(), hears: none }
    }

    /// One more pair: in a colour that is free at its sender, which is made free at its receiver.
    fn add(&mut self, pair: Pair) {
        let (from, to) = pair;
        let free = |used: &[Option<u32>]| used.iter().position(Option::is_none).expect("a node has a colour left");
        let (colour, other) = (free(&self.sends[from as usize]), free(&self.hears[to as usize]));
        if self.hears[to as usize][colour].is_some() {
            self.exchange(to, [colour, other]);
        }
        self.set(pair, colour, true);
    }

    /// Along the path of two colours from a receiver on, which does not lead to the new pair's sender.
    fn exchange(&mut self, to: u32, colours: [usize; 2]) {
        let (mut path, mut at) = (Vec::new(), to);
        for step in 0.. {
            let colour = colours[step % 2];
            let (ends, is_receiver) = (if step % 2 == 0 { &self.hears } else { &self.sends }, step % 2 == 0);
            let Some(next) = ends[at as usize][colour] else { break };
            path.push((if is_receiver { (next, at) } else { (at, next) }, step % 2));
            at = next;
        }
        path.iter().for_each(|(pair, colour)| self.set(*pair, colours[*colour], false));
        path.iter().for_each(|(pair, colour)| self.set(*pair, colours[1 - colour], true));
    }

    fn set(&mut self, pair: Pair, colour: usize, is_there: bool) {
        let (from, to) = pair;
        self.sends[from as usize][colour] = is_there.then_some(to);
        self.hears[to as usize][colour] = is_there.then_some(from);
    }

    fn matchings(&self) -> Vec<Vec<Pair>> {
        let colours = self.sends.first().map_or(0, Vec::len);
        let of = |colour: usize| (0..).zip(&self.sends).filter_map(move |(from, to)| Some((from, to[colour]?)));
        (0..colours).map(|colour| of(colour).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_to_all(nodes: u32) -> Vec<Pair> {
        let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
        pairs.filter(|(from, to)| from != to).collect()
    }

    /// Each pair once, each matching one, and as many as the busiest node has pairs: all with all, and pairs drawn.
    #[test]
    fn pairs_are_as_few_matchings_as_can_be() {
        let mut drawn: u64 = 1;
        for nodes in 2..24u32 {
            let all: BTreeSet<Pair> = all_to_all(nodes).into_iter().collect();
            let some = all.iter().copied().filter(|_| {
                drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                drawn >> 62 == 0
            });
            let some: BTreeSet<Pair> = some.collect();
            for pairs in [all.clone(), some] {
                let found = coloured(&pairs, nodes);
                let count = |node: u32, end: fn(&Pair) -> u32| pairs.iter().filter(|pair| end(pair) == node).count();
                let busiest = (0..nodes).map(|node| count(node, |pair| pair.0).max(count(node, |pair| pair.1))).max();
                assert_eq!(Some(found.len()), busiest);
                for matching in &found {
                    let ends = |end: fn(&Pair) -> u32| matching.iter().map(end).collect::<BTreeSet<u32>>().len();
                    assert_eq!([ends(|pair| pair.0), ends(|pair| pair.1)], [matching.len(); 2]);
                }
                let seen: Vec<Pair> = found.into_iter().flatten().collect();
                assert_eq!((seen.len(), seen.into_iter().collect::<BTreeSet<Pair>>()), (pairs.len(), pairs.clone()));
            }
        }
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
