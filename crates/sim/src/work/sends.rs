//! From sends, in steps, to a graph of tasks: which send waits for which is found from the blocks that it carries.

use crate::model::{Graph, Task};
use options::words;
use std::collections::BTreeMap;

words! {
    /// For what a send waits.
    pub enum Order {
        /// For what it carries: all that has come to its rank of these blocks in earlier steps.
        Data = "data",
        /// For all that has come to its rank in the step before, too.
        Steps = "steps",
    }
}

/// A part of the buffer.
pub type Block = u32;

/// What a rank does with a block that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is added to the rank's own.
    Added,
    /// It takes the place of the rank's own.
    Kept,
}

/// Takes the sends of an algorithm: those of a step one after the other, then the next step.
pub trait Sends {
    /// A rank sends blocks, as they are at the beginning of the step, to another one.
    fn send(&mut self, from: u32, to: u32, blocks: &[Block], arrival: Arrival);

    /// The next step begins.
    fn next_step(&mut self);

    /// From now on each step waits for the step before at its rank.
    fn go_in_steps(&mut self) {}
}

/// Lists of more tasks than this are waited for by a task of their own, if several wait for the same.
const MANY: usize = 8;

/// Makes the graph.
pub struct Builder<'a> {
    graph: &'a mut Graph,
    size: &'a dyn Fn(Block) -> u64,
    order: Order,
    step: u32,
    /// Transfers of earlier steps that a block of a rank is made of.
    made_of: BTreeMap<(u32, Block), Vec<u32>>,
    /// Transfers to each rank in the step before.
    before: BTreeMap<u32, Vec<u32>>,
    /// Transfers of this step: to whom, of which blocks.
    under_way: Vec<(u32, u32, Vec<Block>, Arrival)>,
    /// What all wait for that have nothing to wait for.
    after: Vec<u32>,
    /// The last long list of a rank, and the task that waits for it.
    joined: BTreeMap<u32, (Vec<u32>, u32)>,
}

impl<'a> Builder<'a> {
    /// A builder on top of a graph. `size` has the bytes of a block.
    pub fn new(graph: &'a mut Graph, size: &'a dyn Fn(Block) -> u64, order: Order) -> Builder<'a> {
        Builder {
            graph,
            size,
            order,
            step: 0,
            made_of: BTreeMap::new(),
            before: BTreeMap::new(),
            under_way: Vec::new(),
            after: Vec::new(),
            joined: BTreeMap::new(),
        }
    }

    /// What waits for nothing waits for these, by rank.
    pub fn behind(self, after: Vec<u32>) -> Builder<'a> {
        Builder { after, ..self }
    }

    fn waits_for(&mut self, from: u32, blocks: &[Block]) -> Vec<u32> {
        let made_of = blocks.iter().filter_map(|block| self.made_of.get(&(from, *block)));
        let mut all: Vec<u32> = made_of.flatten().copied().collect();
        if self.order == Order::Steps {
            all.extend(self.before.get(&from).into_iter().flatten());
        }
        all.sort_unstable();
        all.dedup();
        if all.is_empty() {
            return self.after.get(from as usize).copied().into_iter().collect();
        }
        if all.len() > MANY {
            return vec![self.join(from, all)];
        }
        all
    }

    fn join(&mut self, rank: u32, all: Vec<u32>) -> u32 {
        if let Some((_, task)) = self.joined.get(&rank).filter(|(known, _)| *known == all) {
            return *task;
        }
        let task = self.graph.push(Task::Join { rank }, self.step, &all);
        self.joined.insert(rank, (all, task));
        task
    }
}

impl Sends for Builder<'_> {
    fn send(&mut self, from: u32, to: u32, blocks: &[Block], arrival: Arrival) {
        let waits = self.waits_for(from, blocks);
        let bytes: u64 = blocks.iter().map(|block| (self.size)(*block)).sum();
        // An empty message says that it is one.
        let task = self.graph.push(Task::Transfer { from, to, bytes: bytes.max(1), tag: None }, self.step, &waits);
        self.under_way.push((task, to, blocks.to_vec(), arrival));
    }

    fn next_step(&mut self) {
        self.step += 1;
        self.before.clear();
        for (task, to, blocks, arrival) in self.under_way.drain(..) {
            self.before.entry(to).or_default().push(task);
            for block in blocks {
                let made_of = self.made_of.entry((to, block)).or_default();
                if arrival == Arrival::Kept {
                    made_of.clear();
                }
                made_of.push(task);
            }
        }
    }

    fn go_in_steps(&mut self) {
        self.order = Order::Steps;
    }
}
