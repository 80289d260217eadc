//! Work that depends on work, as `[[traffic]]` has it: collectives by name, made into graphs of tasks; and a graph
//! under way, which lets flows go when others have arrived.
//!
//! | file or folder | holds |
//! |---|---|
//! | `collectives` | what each rank sends to whom in which step |
//! | `sends` | from sends to a graph |
//! | `running` | a graph under way |
//! | `table` | what has been done when |

mod collectives;
mod running;
mod sends;
mod table;

use crate::engine::node::workload::{Progress, Release, Workload};
use crate::language::keys::{Within, keys, whole};
use crate::language::{At, Fault, Key, Size, Word, quoted};
use crate::model::{Arrivals, Connections, Done, Flow, Graph, NodeId, SimTime, Task, Traffic, Work};
use crate::results::{Figure, Table};
use collectives::{Algorithm, Asked, Collective};
use options::{Words, words};
use running::Running;
use sends::{Builder, Order, Sends};
use units::{Duration, Instant};

pub use table::{COLUMNS, FIGURES, NAME};

/// The most ranks.
const MOST_RANKS: u32 = 4096;
/// The most tasks of a run.
const MOST_TASKS: u64 = 20_000_000;

words! {
    /// Which of the nodes are ranks.
    pub enum Placement {
        /// The first ones.
        Block = "block",
        /// As far apart as they go, at equal distances.
        Stripe = "stripe",
    }
}

keys! {
    /// Work that depends on work: a collective among ranks, one on each node of `among`, all hosts by default. A
    /// transfer starts when what it waits for is done. Docs: docs/guide/collectives.md.
    pub struct Keys {
        /// What the ranks do together.
        pub collective: At<Word<Collective>>;
        /// How. Default: the first that is named for it in docs/guide/collectives.md.
        pub algorithm: Option<At<Word<Algorithm>>>;
        /// The whole buffer of a rank; of an all-gather and a gather the result, of an all-to-all what a rank has for
        /// all together, itself too. A barrier has none.
        pub size: Option<At<Size>>;
        /// The number of ranks. Default: as many as there are nodes.
        pub ranks: Option<At<u32>>, in whole(2, MOST_RANKS);
        /// Which nodes they are, if there are more nodes.
        pub placement: Key<Word<Placement>> = Word(Placement::Block);
        /// The rank whose buffer is broadcast, or that gets the result.
        pub root: Key<u32> = 0;
        /// Into how many pieces each block is cut; each goes its way as soon as it can.
        pub chunks: Key<u32> = 1, in whole(1, 65_536);
        /// For what a send waits.
        pub order: Key<Word<Order>> = Word(Order::Data);
        /// When a transfer is done, for those that wait for it.
        pub done: Key<Word<Done>> = Word(Done::Arrived);
        /// What carries the transfers of a pair of ranks.
        pub connections: Key<Word<Connections>> = Word(Connections::Kept);
        /// How often all of it is done: a rank begins anew when all that comes to it has come.
        pub rounds: Key<u32> = 1, in Within::new("1 to 1000000", |rounds| (1..=1_000_000).contains(rounds));
        /// How long each rank computes before each round.
        pub compute: Option<At<crate::language::Time>>;
    }
}

/// The work that the keys describe, among these nodes.
pub(crate) fn resolve(keys: &At<Keys>, nodes: &[NodeId], start: SimTime) -> Result<Work, Fault> {
    let collective = keys.collective.0;
    let algorithm = keys.algorithm.as_ref().map_or(collective.algorithms()[0], |algorithm| algorithm.0);
    if let Some(at) = keys.algorithm.as_ref().filter(|_| !collective.algorithms().contains(&algorithm)) {
        let known: Vec<String> = collective.algorithms().iter().map(|one| quoted(one.word())).collect();
        let found = quoted(algorithm.word());
        return Err(at.fault(format!("found {found}; allowed for {}: {}", collective.word(), known.join(", "))));
    }
    let ranks = keys.ranks.as_ref().map_or(nodes.len() as u32, |ranks| **ranks);
    if ranks as usize > nodes.len() || ranks > MOST_RANKS {
        let most = nodes.len().min(MOST_RANKS as usize);
        let place = keys.ranks.as_ref().map_or(keys.place(), At::place);
        return Err(Fault::new(place, format!("there are {ranks} ranks; allowed: 2 to {most}, one a node")));
    }
    let asked = Asked { collective, algorithm, ranks, root: *keys.root };
    if asked.root >= ranks {
        return Err(keys.root.fault(format!("found {}; allowed: 0 to {}", asked.root, ranks - 1)));
    }
    if asked.needs_power_of_two() && !ranks.is_power_of_two() {
        let place = keys.algorithm.as_ref().map_or(keys.place(), At::place);
        let word = algorithm.word();
        return Err(Fault::new(place, format!("{word} takes a power of two of ranks, and there are {ranks}")));
    }
    let size = size(keys, collective)?;
    let mut counting = Counting(0);
    asked.sends(&mut counting);
    let tasks = counting.0.saturating_mul(u64::from(*keys.chunks)).saturating_mul(u64::from(*keys.rounds));
    if tasks > MOST_TASKS {
        return Err(keys.fault(format!("it has {tasks} transfers; allowed: at most {MOST_TASKS}")));
    }
    let graph = graph(keys, asked, size);
    let chosen = |rank: u32| match keys.placement.0 {
        Placement::Block => nodes[rank as usize],
        Placement::Stripe => nodes[rank as usize * nodes.len() / ranks as usize],
    };
    Ok(Work {
        ranks: (0..ranks).map(chosen).collect(),
        graph: graph.into(),
        start,
        connections: keys.connections.0,
        done: keys.done.0,
    })
}

fn size(keys: &At<Keys>, collective: Collective) -> Result<u64, Fault> {
    match (&keys.size, collective) {
        (Some(size), Collective::Barrier) => Err(size.fault("a barrier has no size")),
        (None, Collective::Barrier) => Ok(0),
        (None, _) => Err(keys.fault("the key \"size\" is missing: the buffer of a rank")),
        (Some(size), _) if size.0.count() == 0 => Err(size.fault("found \"0 B\"; allowed: at least 1 B")),
        (Some(size), _) => Ok(size.0.count()),
    }
}

/// All rounds of all chunks.
fn graph(keys: &Keys, asked: Asked, size: u64) -> Graph {
    let mut graph = Graph::default();
    let blocks =
        u64::from(asked.blocks()) / if asked.collective == Collective::AllToAll { asked.ranks.into() } else { 1 };
    let (chunks, rounds) = (u64::from(*keys.chunks), *keys.rounds);
    let mut after = Vec::new();
    for round in 0..rounds {
        if let Some(time) = &keys.compute {
            after = before_round(&mut graph, &after, asked.ranks, time.0);
        }
        let first = graph.len();
        for chunk in 0..chunks {
            // Of an all-to-all, each rank has a buffer of its own.
            let piece = |block: u32| part(part(size, u64::from(block) % blocks, blocks), chunk, chunks);
            let mut builder = Builder::new(&mut graph, &piece, keys.order.0).behind(after.clone());
            asked.sends(&mut builder);
        }
        if round + 1 < rounds {
            after = round_ends(&mut graph, first, &after, asked.ranks);
        }
    }
    graph
}

/// The part of so many bytes that is cut into `parts` as equal as they can be.
fn part(bytes: u64, number: u64, parts: u64) -> u64 {
    bytes / parts + u64::from(number < bytes % parts)
}

/// Each rank computes.
fn before_round(graph: &mut Graph, after: &[u32], ranks: u32, time: Duration) -> Vec<u32> {
    let mut one = |rank: u32| {
        let waits: Vec<u32> = after.get(rank as usize).copied().into_iter().collect();
        graph.push(Task::Compute { rank, time }, 0, &waits)
    };
    (0..ranks).map(&mut one).collect()
}

/// A task for each rank that waits for all that comes to it from `first` on, and for the end of the round before.
fn round_ends(graph: &mut Graph, first: usize, after: &[u32], ranks: u32) -> Vec<u32> {
    let mut waits: Vec<Vec<u32>> =
        (0..ranks).map(|rank| after.get(rank as usize).copied().into_iter().collect()).collect();
    for (number, task) in (0u32..).zip(graph.tasks()).skip(first) {
        if let Task::Transfer { to, .. } = task {
            waits[*to as usize].push(number);
        }
    }
    (0u32..).zip(waits).map(|(rank, waits)| graph.push(Task::Join { rank }, 0, &waits)).collect()
}

/// Counts sends.
struct Counting(u64);

impl Sends for Counting {
    fn send(&mut self, _: u32, _: u32, _: &[u32], _: sends::Arrival) {
        self.0 += 1;
    }

    fn next_step(&mut self) {}
}

/// All work of a run.
#[derive(Debug)]
struct AllWork(Vec<Running>);

impl Workload for AllWork {
    fn handle_progress(&mut self, now: Instant, progress: Progress, released: &mut Vec<Release>) -> bool {
        self.0.iter_mut().any(|one| one.handle_progress(now, progress, released))
    }

    fn next_timeout(&self) -> Instant {
        self.0.iter().map(Running::next_timeout).min().unwrap_or(Instant::NEVER)
    }

    fn handle_timeout(&mut self, now: Instant, released: &mut Vec<Release>) {
        self.0.iter_mut().for_each(|one| one.handle_timeout(now, released));
    }

    fn tables(&self, run: u32) -> Vec<(&'static str, Table)> {
        vec![(NAME, table::of(&self.0, run))]
    }

    fn figures(&self) -> Vec<Figure> {
        table::figures(&self.0)
    }
}

/// The work of all traffic, before it begins; nothing if there is none.
pub(crate) fn running(traffic: &[Traffic], flows: &[Flow]) -> Option<Box<dyn Workload>> {
    let one = |(number, traffic): (u32, &Traffic)| match &traffic.arrivals {
        Arrivals::Work(work) => Some(Running::new(traffic.name.clone(), work.clone(), number, flows)),
        _ => None,
    };
    let all: Vec<Running> = (0..).zip(traffic).filter_map(one).collect();
    (!all.is_empty()).then(|| Box::new(AllWork(all)) as Box<dyn Workload>)
}

#[cfg(test)]
mod tests;
