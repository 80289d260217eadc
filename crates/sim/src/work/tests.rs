//! Collectives by symbolic execution: after each one every rank has what it is to have, each contribution once; and a
//! send waits for all that it carries. Counts of bytes are those of the literature.

use super::collectives::{Algorithm, Asked, Collective};
use super::sends::{Arrival, Block, Builder, Order, Sends};
use crate::model::{Graph, Task};
use options::Words;
use std::collections::{BTreeMap, BTreeSet};

/// The contributions that a block of a rank is made of, as often as each is there.
type Content = BTreeMap<u32, u32>;

/// A send, and its step.
#[derive(Clone)]
struct Sent {
    step: u32,
    from: u32,
    to: u32,
    blocks: Vec<Block>,
    arrival: Arrival,
}

/// Lists sends.
#[derive(Default)]
struct List {
    step: u32,
    sent: Vec<Sent>,
}

impl Sends for List {
    fn send(&mut self, from: u32, to: u32, blocks: &[Block], arrival: Arrival) {
        self.sent.push(Sent { step: self.step, from, to, blocks: blocks.to_vec(), arrival });
    }

    fn next_step(&mut self) {
        self.step += 1;
    }
}

fn sends(asked: Asked) -> Vec<Sent> {
    let mut list = List::default();
    asked.sends(&mut list);
    list.sent
}

/// Every rank has a contribution of its own to each block that it begins with.
fn begins_with(asked: Asked, rank: u32) -> Vec<Block> {
    let n = asked.ranks;
    let both = asked.algorithm == Algorithm::BidirectionalRing;
    match (asked.collective, asked.algorithm) {
        (Collective::AllReduce | Collective::ReduceScatter | Collective::Reduce, _) => (0..asked.blocks()).collect(),
        (Collective::AllGather, _) if both => vec![rank, n + rank],
        (Collective::AllGather, Algorithm::Ring) => (0..asked.rings).map(|ring| ring * n + rank).collect(),
        (Collective::AllGather | Collective::Gather | Collective::Barrier, _) => vec![rank],
        (Collective::AllToAll, _) => (rank * n..(rank + 1) * n).collect(),
        (Collective::Broadcast, _) if rank == asked.root => (0..asked.blocks()).collect(),
        (Collective::Broadcast, _) => Vec::new(),
    }
}

/// All steps, each on what there was at its beginning.
fn executed(asked: Asked) -> Vec<BTreeMap<Block, Content>> {
    let begins = |rank| begins_with(asked, rank).into_iter().map(|block| (block, Content::from([(rank, 1)]))).collect();
    let mut ranks: Vec<BTreeMap<Block, Content>> = (0..asked.ranks).map(begins).collect();
    let all = sends(asked);
    let mut place = 0;
    while place < all.len() {
        let step = all[place].step;
        let before = ranks.clone();
        while let Some(sent) = all.get(place).filter(|sent| sent.step == step) {
            assert_ne!(sent.from, sent.to, "{asked:?}");
            for block in &sent.blocks {
                let content = before[sent.from as usize].get(block).unwrap_or_else(|| panic!("{asked:?}: has nothing"));
                let here = ranks[sent.to as usize].entry(*block).or_default();
                match sent.arrival {
                    Arrival::Kept => *here = content.clone(),
                    Arrival::Added => content.iter().for_each(|(one, times)| *here.entry(*one).or_default() += times),
                }
            }
            place += 1;
        }
    }
    ranks
}

fn each_once(n: u32) -> Content {
    (0..n).map(|rank| (rank, 1)).collect()
}

/// Numbers below n that share no divisor with it.
fn coprime(n: u32) -> Vec<u32> {
    let divides_both = |one: u32, factor: u32| one.is_multiple_of(factor) && n.is_multiple_of(factor);
    (1..n).filter(|one| !(2..=n).any(|factor| divides_both(*one, factor))).collect()
}

/// The blocks of the result that a rank is to have, with what each is made of.
fn wanted(asked: Asked, rank: u32) -> Vec<(Block, Content)> {
    let n = asked.ranks;
    let of = |owner: u32| Content::from([(owner, 1)]);
    let both = asked.algorithm == Algorithm::BidirectionalRing;
    let sum = |blocks: Vec<Block>| blocks.into_iter().map(|block| (block, each_once(n))).collect();
    match (asked.collective, asked.algorithm) {
        (Collective::AllReduce, _) => sum((0..asked.blocks()).collect()),
        (Collective::ReduceScatter, Algorithm::Ring) => {
            let next = |(ring, stride)| ring * n + (rank + stride) % n;
            sum((0..asked.rings).zip(coprime(n)).map(next).collect())
        }
        (Collective::ReduceScatter, Algorithm::BidirectionalRing) => {
            // Of the mirrored ring, counted from the other end.
            sum(vec![(rank + 1) % n, n + (rank + n - 1) % n])
        }
        (Collective::ReduceScatter, _) => sum(vec![rank]),
        (Collective::AllGather, _) => (0..asked.blocks()).map(|block| (block, of(block % n))).collect(),
        (Collective::AllToAll, _) => (0..n).map(|from| (from * n + rank, of(from))).collect(),
        (Collective::Broadcast, _) => (0..asked.blocks()).map(|block| (block, of(asked.root))).collect(),
        (Collective::Reduce, _) if rank == asked.root => sum(vec![0]),
        (Collective::Gather, _) if rank == asked.root => (0..n).map(|block| (block, of(block))).collect(),
        (Collective::Barrier, _) => (0..n).map(|block| (block, of(block))).collect(),
        (Collective::Reduce | Collective::Gather, _) => Vec::new(),
    }
    .into_iter()
    .filter(|_| !both || n > 0)
    .collect()
}

/// Whether so many ranks may do it: of those without a root, once.
fn is_asked(asked: Asked) -> bool {
    let has_root = matches!(asked.collective, Collective::Broadcast | Collective::Reduce | Collective::Gather);
    (asked.root == 0 || has_root) && (!asked.needs_power_of_two() || asked.ranks.is_power_of_two())
}

fn all_asked(most: u32) -> Vec<Asked> {
    let mut all = Vec::new();
    let algorithms = |collective: &Collective| collective.algorithms().iter().map(|one| (*collective, *one)).collect();
    for (collective, algorithm) in Collective::ALL.iter().flat_map::<Vec<_>, _>(algorithms) {
        for ranks in 2..=most {
            let one = Asked { collective, algorithm, ranks, root: 0, group: ranks, rings: 1 };
            let roots = [0, 1, ranks - 1].map(|root| Asked { root, ..one }).into_iter().filter(|one| is_asked(*one));
            match algorithm {
                Algorithm::Hierarchical => {
                    let groups = (2..=ranks).filter(|group| ranks.is_multiple_of(*group));
                    all.extend(groups.map(|group| Asked { group, ..one }));
                }
                Algorithm::Ring => all.extend((1..=Asked::most_rings(ranks)).map(|rings| Asked { rings, ..one })),
                _ => all.extend(roots),
            }
        }
    }
    all
}

#[test]
fn every_rank_has_every_contribution_once() {
    let all = all_asked(17);
    assert!(all.len() > 300);
    for asked in all {
        let ranks = executed(asked);
        for rank in 0..asked.ranks {
            for (block, content) in wanted(asked, rank) {
                assert_eq!(ranks[rank as usize].get(&block), Some(&content), "{asked:?}: rank {rank}, block {block}");
            }
        }
    }
}

/// The tasks that each task waits for, those that they wait for, and so on.
fn ancestors(graph: &Graph) -> Vec<BTreeSet<u32>> {
    let mut all: Vec<BTreeSet<u32>> = Vec::new();
    for task in 0..graph.len() as u32 {
        let waits = graph.waits_for(task);
        let further = waits.iter().flat_map(|other| all[*other as usize].iter().copied());
        all.push(further.chain(waits.iter().copied()).collect());
    }
    all
}

fn built(asked: Asked, order: Order, size: &dyn Fn(Block) -> u64) -> Graph {
    let mut graph = Graph::default();
    asked.sends(&mut Builder::new(&mut graph, size, order));
    graph
}

/// Transfers are in the order of the sends.
#[test]
fn a_send_waits_for_all_that_it_carries() {
    for asked in all_asked(9) {
        for order in Order::ALL {
            let graph = built(asked, *order, &|_| 1);
            let transfers: Vec<u32> = (0..graph.len() as u32)
                .filter(|task| matches!(graph.tasks()[*task as usize], Task::Transfer { .. }))
                .collect();
            let (all, ancestors) = (sends(asked), ancestors(&graph));
            assert_eq!(transfers.len(), all.len());
            for (place, sent) in all.iter().enumerate() {
                let knows = &ancestors[transfers[place] as usize];
                for (earlier, other) in all[..place].iter().enumerate().filter(|(_, other)| other.step < sent.step) {
                    let carries = other.to == sent.from && other.blocks.iter().any(|one| sent.blocks.contains(one));
                    let before = other.to == sent.from && other.step + 1 == sent.step && *order == Order::Steps;
                    // What was replaced since does not count.
                    let is_replaced = all[earlier + 1..place]
                        .iter()
                        .any(|later| later.to == other.to && later.arrival == Arrival::Kept && later.step < sent.step);
                    if before || carries && !is_replaced {
                        assert!(knows.contains(&transfers[earlier]), "{asked:?} {order:?}: {place} and {earlier}");
                    }
                }
            }
        }
    }
}

/// Bytes that each rank sends: Thakur et al., tables; Rabenseifner's bound 2 M (n - 1) / n.
#[test]
fn ranks_send_as_many_bytes_as_the_literature_says() {
    const M: u64 = 48_000;
    let sent = |collective, algorithm, ranks: u32| {
        let asked = Asked { collective, algorithm, ranks, root: 0, group: ranks, rings: 1 };
        let blocks = u64::from(asked.blocks()) / if collective == Collective::AllToAll { ranks.into() } else { 1 };
        let graph = built(asked, Order::Data, &|_| M / blocks);
        let mut of_rank = vec![0u64; ranks as usize];
        for task in graph.tasks() {
            if let Task::Transfer { from, bytes, .. } = task {
                of_rank[*from as usize] += bytes;
            }
        }
        of_rank
    };
    let all = |ranks: u32, bytes: u64| vec![bytes; ranks as usize];
    for ranks in [2u32, 4, 8, 16] {
        let n = u64::from(ranks);
        let most = M * (n - 1) / n;
        for algorithm in [Algorithm::Ring, Algorithm::BidirectionalRing, Algorithm::HalvingDoubling, Algorithm::Direct]
        {
            assert_eq!(sent(Collective::AllReduce, algorithm, ranks), all(ranks, 2 * most), "{algorithm:?}");
            assert_eq!(sent(Collective::ReduceScatter, algorithm, ranks), all(ranks, most), "{algorithm:?}");
        }
        for algorithm in [Algorithm::Ring, Algorithm::RecursiveDoubling, Algorithm::Bruck, Algorithm::Direct] {
            assert_eq!(sent(Collective::AllGather, algorithm, ranks), all(ranks, most), "{algorithm:?}");
        }
        let levels = u64::from(ranks.ilog2());
        assert_eq!(sent(Collective::AllReduce, Algorithm::RecursiveDoubling, ranks), all(ranks, M * levels));
        assert_eq!(sent(Collective::AllToAll, Algorithm::Pairwise, ranks), all(ranks, most));
        assert_eq!(sent(Collective::AllToAll, Algorithm::Bruck, ranks), all(ranks, levels * M / 2));
        assert_eq!(sent(Collective::Broadcast, Algorithm::Tree, ranks)[0], levels * M);
        // On average: Sanders, Speck and Träff.
        let double: u64 = sent(Collective::AllReduce, Algorithm::DoubleTree, ranks).iter().sum();
        assert_eq!(double, n * 2 * most);
    }
}

/// Of two trees of Sanders, Speck and Träff, each rank sends down in one at most.
#[test]
fn a_rank_is_inside_of_one_tree_at_most() {
    for ranks in 2..=65 {
        let all = sends(Asked {
            collective: Collective::AllReduce,
            algorithm: Algorithm::DoubleTree,
            ranks,
            root: 0,
            group: ranks,
            rings: 1,
        });
        let down = all.iter().filter(|sent| sent.arrival == Arrival::Kept).map(|sent| (sent.from, sent.blocks[0]));
        let mut trees: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (rank, tree) in down {
            trees.entry(rank).or_default().insert(tree);
        }
        let twice: Vec<&u32> = trees.iter().filter(|(_, of)| of.len() > 1).map(|(rank, _)| rank).collect();
        assert!(twice.is_empty(), "{ranks} ranks: {twice:?}");
    }
}

/// Euler's totient: of 2, 3, ... ranks so many rings; none of their links is that of another ring.
#[test]
fn rings_take_strides_that_are_coprime_to_the_number_of_ranks() {
    let totient = [1, 2, 2, 4, 2, 6, 4, 6, 4, 10, 4];
    for (ranks, rings) in (2..).zip(totient) {
        assert_eq!(Asked::most_rings(ranks), rings, "{ranks} ranks");
        let (collective, algorithm) = (Collective::AllGather, Algorithm::Ring);
        let asked = Asked { collective, algorithm, ranks, root: 0, group: ranks, rings };
        let all = sends(asked);
        let pairs: BTreeSet<(u32, u32)> = all.iter().map(|sent| (sent.from, sent.to)).collect();
        assert_eq!(pairs.len() as u32, ranks * rings, "{ranks} ranks");
        assert_eq!(asked.known_sends(), Some(all.len() as u64));
    }
}
