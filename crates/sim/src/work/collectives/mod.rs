//! Collectives by name: what each rank sends to whom in which step. Sources: Thakur, Rabenseifner and Gropp, IJHPCA 19
//! (2005); Bruck et al., IEEE TPDS 8 (1997); Sanders, Speck and Träff, Parallel Computing 35 (2009).
//!
//! | file | holds |
//! |---|---|
//! | `rings` | neighbours only |
//! | `halving` | partners at distances of powers of two |
//! | `trees` | from one to all and back |
//! | `exchanges` | all to all |

mod exchanges;
mod halving;
mod rings;
mod trees;

use super::sends::{Block, Sends};
use options::words;

words! {
    /// What ranks do together.
    pub enum Collective {
        /// Each has the sum of all buffers in the end.
        AllReduce = "all-reduce",
        /// Each has a part of the sum.
        ReduceScatter = "reduce-scatter",
        /// Each has the parts of all.
        AllGather = "all-gather",
        /// Each has a part of its own for each other one.
        AllToAll = "all-to-all",
        /// All have the buffer of the root.
        Broadcast = "broadcast",
        /// The root has the sum of all buffers.
        Reduce = "reduce",
        /// The root has the parts of all.
        Gather = "gather",
        /// Each knows that all have come so far.
        Barrier = "barrier",
    }
}

words! {
    /// How they do it.
    pub enum Algorithm {
        /// To the next neighbour, round and round.
        Ring = "ring",
        /// Rings within groups, then among the ranks at one place of all groups, then within groups again.
        Hierarchical = "hierarchical",
        /// The same, one half of the buffer each way.
        BidirectionalRing = "bidirectional-ring",
        /// Halves, quarters and so on are exchanged, then back: Rabenseifner's. Beyond a power of two the first ranks
        /// fold.
        HalvingDoubling = "halving-doubling",
        /// Whole buffers are exchanged at doubling distances.
        RecursiveDoubling = "recursive-doubling",
        /// All at once, each rank beginning with its next neighbour.
        Direct = "direct",
        /// All at once, each rank beginning with rank 0.
        DirectSameOrder = "direct-same-order",
        /// One partner a step, each step after the one before.
        Pairwise = "pairwise",
        /// Blocks travel by powers of two.
        Bruck = "bruck",
        /// A binomial tree; of an all-reduce, to its root and back.
        Tree = "tree",
        /// Two binary trees, each with half of the buffer; a rank is inside of one of them at most.
        DoubleTree = "double-tree",
        /// From each rank to the next.
        Chain = "chain",
        /// The root's buffer is scattered by a binomial tree and gathered by a ring.
        ScatterGather = "scatter-gather",
        /// At doubling distances, each knows of twice as many.
        Dissemination = "dissemination",
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The collective.
    pub collective: Collective,
    /// Its algorithm.
    pub algorithm: Algorithm,
    /// How many ranks there are, two at least.
    pub ranks: u32,
    /// The rank whose buffer is broadcast, or that has the result.
    pub root: u32,
    /// Ranks of a group, of which there are a whole number.
    pub group: u32,
    /// Rings of "ring", at most as many as there are strides.
    pub rings: u32,
}

impl Collective {
    /// Its algorithms, the usual one first.
    pub fn algorithms(self) -> &'static [Algorithm] {
        use Algorithm as A;
        match self {
            Collective::AllReduce => &[
                A::Ring,
                A::BidirectionalRing,
                A::Hierarchical,
                A::HalvingDoubling,
                A::RecursiveDoubling,
                A::Direct,
                A::Tree,
                A::DoubleTree,
            ],
            Collective::ReduceScatter => &[A::Ring, A::BidirectionalRing, A::HalvingDoubling, A::Direct],
            Collective::AllGather => &[A::Ring, A::BidirectionalRing, A::RecursiveDoubling, A::Bruck, A::Direct],
            Collective::AllToAll => &[A::Pairwise, A::Direct, A::DirectSameOrder, A::Bruck],
            Collective::Broadcast => &[A::Tree, A::Chain, A::ScatterGather],
            Collective::Reduce => &[A::Tree],
            Collective::Gather => &[A::Tree, A::Direct],
            Collective::Barrier => &[A::Dissemination],
        }
    }
}

impl Asked {
    /// The most rings that so many ranks may have.
    pub fn most_rings(ranks: u32) -> u32 {
        rings::strides(ranks).count() as u32
    }

    /// Whether the algorithm needs a power of two.
    pub fn needs_power_of_two(self) -> bool {
        let (halving, doubling) = (Algorithm::HalvingDoubling, Algorithm::RecursiveDoubling);
        matches!(
            (self.collective, self.algorithm),
            (Collective::ReduceScatter, algorithm) if algorithm == halving
        ) || matches!((self.collective, self.algorithm), (Collective::AllGather, algorithm) if algorithm == doubling)
    }

    /// Into how many blocks the buffer of a rank, or of an all-to-all those of all ranks, is cut.
    pub fn blocks(self) -> u32 {
        let n = self.ranks;
        match (self.collective, self.algorithm) {
            (Collective::AllToAll, _) => n * n,
            (_, Algorithm::Ring) => self.rings * n,
            (_, Algorithm::BidirectionalRing) => 2 * n,
            (Collective::AllReduce, Algorithm::HalvingDoubling | Algorithm::RecursiveDoubling) => power_below(n),
            (Collective::AllReduce, Algorithm::DoubleTree) => 2,
            (Collective::AllReduce, Algorithm::Tree) => 1,
            (Collective::Broadcast, Algorithm::Tree | Algorithm::Chain) | (Collective::Reduce, _) => 1,
            _ => n,
        }
    }

    /// How many sends there are, if that is said without listing them.
    pub fn known_sends(self) -> Option<u64> {
        let rounds = if self.collective == Collective::AllReduce { 2 } else { 1 };
        let [n, rings] = [self.ranks, self.rings].map(u64::from);
        (self.algorithm == Algorithm::Ring).then_some(rounds * rings * n * (n - 1))
    }

    /// All sends.
    pub fn sends(self, to: &mut dyn Sends) {
        let Asked { collective, algorithm, ranks: n, root, group, rings } = self;
        match (collective, algorithm) {
            (_, Algorithm::Ring) => rings::strided(collective, n, rings, to),
            (_, Algorithm::BidirectionalRing) => rings::both_ways(collective, n, to),
            (Collective::AllReduce, Algorithm::Hierarchical) => rings::hierarchical(n, group, to),
            (Collective::AllReduce, Algorithm::HalvingDoubling) => halving::all_reduce(n, true, to),
            (Collective::AllReduce, Algorithm::RecursiveDoubling) => halving::all_reduce(n, false, to),
            (Collective::AllReduce, Algorithm::Tree) => {
                trees::reduce(n, 0, to);
                trees::broadcast(n, 0, &[0], to);
            }
            (Collective::AllReduce, Algorithm::DoubleTree) => trees::double(n, to),
            (Collective::AllReduce, _) => {
                exchanges::reduce_scatter(n, to);
                exchanges::all_gather(n, to);
            }
            (Collective::ReduceScatter, Algorithm::HalvingDoubling) => halving::reduce_scatter(&all(n), to),
            (Collective::ReduceScatter, _) => exchanges::reduce_scatter(n, to),
            (Collective::AllGather, Algorithm::RecursiveDoubling) => halving::all_gather(&all(n), to),
            (Collective::AllGather, Algorithm::Bruck) => halving::bruck_gather(n, to),
            (Collective::AllGather, _) => exchanges::all_gather(n, to),
            (Collective::AllToAll, Algorithm::Direct) => exchanges::at_once(n, false, to),
            (Collective::AllToAll, Algorithm::DirectSameOrder) => exchanges::at_once(n, true, to),
            (Collective::AllToAll, Algorithm::Bruck) => exchanges::bruck(n, to),
            (Collective::AllToAll, _) => exchanges::pairwise(n, to),
            (Collective::Broadcast, Algorithm::Chain) => rings::chain(n, root, to),
            (Collective::Broadcast, Algorithm::ScatterGather) => {
                trees::scatter(n, root, to);
                rings::all_gather_from(n, root, to);
            }
            (Collective::Broadcast, _) => trees::broadcast(n, root, &[0], to),
            (Collective::Reduce, _) => trees::reduce(n, root, to),
            (Collective::Gather, Algorithm::Direct) => exchanges::gather(n, root, to),
            (Collective::Gather, _) => trees::gather(n, root, to),
            (Collective::Barrier, _) => halving::barrier(n, to),
        }
    }
}

/// All ranks.
fn all(n: u32) -> Vec<u32> {
    (0..n).collect()
}

/// The greatest power of two that is not above.
fn power_below(n: u32) -> u32 {
    1 << n.ilog2()
}

/// Blocks in a row, round and round.
fn around(first: u32, count: u32, n: u32) -> Vec<Block> {
    (first..first + count).map(|block| block % n).collect()
}
