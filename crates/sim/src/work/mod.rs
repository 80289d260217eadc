//! Work that depends on work, as `[[traffic]]` has it: collectives by name, made into graphs of tasks; and a graph
//! under way, which lets flows go when others have arrived.
//!
//! | file or folder | holds |
//! |---|---|
//! | `collectives` | what each rank sends to whom in which step |
//! | `sends` | from sends to a graph |
//! | `graph_file` | a graph from a file |
//! | `outline` | it with what waits for what, and the flows that carry it |
//! | `running` | a graph under way |
//! | `share` | the same in several partitions |
//! | `bound` | how soon links could carry it all |
//! | `table` | what has been done when |

mod bound;
mod collectives;
mod graph_file;
mod outline;
mod running;
mod sends;
mod share;
mod table;

use crate::engine::node::workload::{Notice, Progress, Release, TaskChange, Workload};
use crate::engine::packet::state::Owners;
use crate::language::keys::{When, Within, keys, whole};
use crate::language::{At, Fault, Key, Place, Size, Time, Word, quoted};
use crate::model::{
    Arrivals, Carriers, Connections, Done, Flow, Graph, MOST_RANKS, MOST_TASKS, NodeId, Scenario, SimTime, Task,
    Traffic, Work,
};
use crate::results::{Figure, Table};
use collectives::{Algorithm, Asked, Collective};
use options::{Words, words};
use running::Running;
use sends::{Builder, Order, Sends};
use std::any::Any;
use units::{Duration, Instant};

pub use graph_file::COLUMNS as GRAPH_COLUMNS;
pub use table::{COLUMNS, FIGURES, NAME};

words! {
    /// Which of the nodes are ranks.
    pub enum Placement {
        /// The first ones.
        Block = "block",
        /// As far apart as they go, at equal distances.
        Stripe = "stripe",
    }
}

const NO_FILE: When<Keys> = When::new(|keys| keys.file.is_none(), "does not go with a file, which says all of that");

const HIERARCHICAL: When<Keys> = When::new(
    |keys| keys.algorithm.as_ref().is_some_and(|algorithm| algorithm.0 == Algorithm::Hierarchical),
    "goes with algorithm = \"hierarchical\"",
);

const OF_RINGS: When<Keys> = When::new(
    |keys| keys.algorithm.as_ref().is_none_or(|algorithm| algorithm.0 == Algorithm::Ring),
    "goes with algorithm = \"ring\"",
);

keys! {
    /// Work that depends on work: a collective among ranks, one on each node of `among`, all hosts by default. A
    /// transfer starts when what it waits for is done. Docs: docs/guide/collectives.md.
    pub struct Keys {
        /// What the ranks do together.
        pub collective: Option<At<Word<Collective>>>, when NO_FILE;
        /// A graph of tasks instead: photocol's own CSV, or a file of htsim (.cm) or LogGOPSim (.goal).
        pub file: Option<At<String>>;
        /// How. Default: the first that is named for it in docs/guide/collectives.md.
        pub algorithm: Option<At<Word<Algorithm>>>, when NO_FILE;
        /// The whole buffer of a rank; of an all-gather and a gather the result, of an all-to-all what a rank has for
        /// all together, itself too. A barrier has none.
        pub size: Option<At<Size>>, when NO_FILE;
        /// The number of ranks. Default: as many as there are nodes.
        pub ranks: Option<At<u32>>, in whole(2, MOST_RANKS);
        /// Which nodes they are, if there are more nodes.
        pub placement: Key<Word<Placement>> = Word(Placement::Block);
        /// The rank whose buffer is broadcast, or that gets the result.
        pub root: Key<u32> = 0, when NO_FILE;
        /// Ranks of a group of "hierarchical", in a row: those that share a faster link.
        pub group: Option<At<u32>>, in whole(2, MOST_RANKS), when NO_FILE, when HIERARCHICAL;
        /// Rings of "ring", each with an equal part of the buffer: the first goes to the next rank, the others by the
        /// next strides that are coprime to the number of ranks. Default: 1.
        pub rings: Option<At<u32>>, in whole(1, MOST_RANKS), when NO_FILE, when OF_RINGS;
        /// Into how many pieces each block is cut; each goes its way as soon as it can.
        pub chunks: Key<u32> = 1, in whole(1, 65_536), when NO_FILE;
        /// For what a send waits.
        pub order: Key<Word<Order>> = Word(Order::Data), when NO_FILE;
        /// When a transfer is done, for those that wait for it. Default: "arrived", of a file of htsim "acknowledged".
        pub done: Option<At<Word<Done>>>;
        /// How long it takes until a rank knows what was done at another one, where no packet says it.
        pub signal: Key<Time> = Time(Duration::ZERO);
        /// What carries the transfers of a pair of ranks.
        pub connections: Key<Word<Connections>> = Word(Connections::Kept);
        /// How often all of it is done: a rank begins anew when all that comes to it has come.
        pub rounds: Key<u32> = 1, in Within::new("1 to 1000000", |rounds| (1..=1_000_000).contains(rounds)),
            when NO_FILE;
        /// How long each rank computes before each round.
        pub compute: Option<At<Time>>, when NO_FILE;
    }
}

/// The text of a graph in photocol's own form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphText {
    /// The CSV.
    pub text: String,
    /// When transfers are done, as the file's own simulator has it.
    pub done: Option<Done>,
    /// Whether of tasks that may go at the same instant the last one goes first.
    pub last_first: bool,
}

/// Reads the file of that name.
pub(crate) type Reader<'r> = &'r mut dyn FnMut(&At<String>) -> Result<GraphText, Fault>;

/// The work that the keys describe, among these nodes.
pub(crate) fn resolve(keys: &At<Keys>, nodes: &[NodeId], start: SimTime, read: Reader) -> Result<Work, Fault> {
    let (graph, ranks, done) = match (&keys.file, &keys.collective) {
        (Some(file), _) => of_file(keys, file, nodes, read)?,
        (None, Some(collective)) => of_collective(keys, collective.0, nodes)?,
        (None, None) => return Err(keys.fault("the key \"collective\" (or \"file\") is missing")),
    };
    let chosen = |rank: u32| match keys.placement.0 {
        Placement::Block => nodes[rank as usize],
        Placement::Stripe => nodes[rank as usize * nodes.len() / ranks as usize],
    };
    Ok(Work {
        ranks: (0..ranks).map(chosen).collect(),
        carriers: Carriers::of(&graph, keys.connections.0).into(),
        graph: graph.into(),
        start,
        done: keys.done.as_ref().map_or(done, |done| done.0),
        signal: keys.signal.0,
    })
}

/// So many ranks have a node each.
fn placed(keys: &At<Keys>, ranks: u32, nodes: &[NodeId]) -> Result<u32, Fault> {
    if ranks as usize <= nodes.len() && ranks <= MOST_RANKS {
        return Ok(ranks);
    }
    let most = nodes.len().min(MOST_RANKS as usize);
    let place = keys.ranks.as_ref().map_or(keys.place(), At::place);
    Err(Fault::new(place, format!("there are {ranks} ranks; allowed: 2 to {most}, one a node")))
}

fn of_file(keys: &At<Keys>, file: &At<String>, nodes: &[NodeId], read: Reader) -> Result<(Graph, u32, Done), Fault> {
    let GraphText { text, done, last_first } = read(file)?;
    let (mut graph, named) = graph_file::read(&text).map_err(|wrong| {
        let graph_file::Wrong { line, column, why } = wrong;
        Fault::new(Place::Data { node: file.node(), file: file.to_string(), line, column }, why)
    })?;
    graph.last_first = last_first;
    let ranks = placed(keys, keys.ranks.as_ref().map_or(named.max(2), |ranks| **ranks), nodes)?;
    if named > ranks {
        return Err(file.fault(format!("it names rank {}; there are {ranks} ranks, from 0", named - 1)));
    }
    Ok((graph, ranks, done.unwrap_or(Done::Arrived)))
}

fn of_collective(keys: &At<Keys>, collective: Collective, nodes: &[NodeId]) -> Result<(Graph, u32, Done), Fault> {
    let algorithm = keys.algorithm.as_ref().map_or(collective.algorithms()[0], |algorithm| algorithm.0);
    if let Some(at) = keys.algorithm.as_ref().filter(|_| !collective.algorithms().contains(&algorithm)) {
        let known: Vec<String> = collective.algorithms().iter().map(|one| quoted(one.word())).collect();
        let found = quoted(algorithm.word());
        return Err(at.fault(format!("found {found}; allowed for {}: {}", collective.word(), known.join(", "))));
    }
    let ranks = placed(keys, keys.ranks.as_ref().map_or(nodes.len() as u32, |ranks| **ranks), nodes)?;
    let group = match (&keys.group, algorithm) {
        (Some(group), _) if !ranks.is_multiple_of(**group) => {
            return Err(group.fault(format!("found {}; allowed: what divides the {ranks} ranks", **group)));
        }
        (None, Algorithm::Hierarchical) => {
            return Err(keys.fault("the key \"group\" is missing: how many ranks share a faster link"));
        }
        (group, _) => group.as_ref().map_or(ranks, |group| **group),
    };
    let rings = rings(keys, algorithm, ranks)?;
    let asked = Asked { collective, algorithm, ranks, root: *keys.root, group, rings };
    if asked.root >= ranks {
        return Err(keys.root.fault(format!("found {}; allowed: 0 to {}", asked.root, ranks - 1)));
    }
    if asked.needs_power_of_two() && !ranks.is_power_of_two() {
        let place = keys.algorithm.as_ref().map_or(keys.place(), At::place);
        let word = algorithm.word();
        return Err(Fault::new(place, format!("{word} takes a power of two of ranks, and there are {ranks}")));
    }
    let size = size(keys, collective)?;
    let tasks = sends(asked).saturating_mul(u64::from(*keys.chunks)).saturating_mul(u64::from(*keys.rounds));
    if tasks > MOST_TASKS as u64 {
        return Err(keys.fault(format!("it has {tasks} transfers; allowed: at most {MOST_TASKS}")));
    }
    Ok((graph(keys, asked, size), ranks, Done::Arrived))
}

/// How many rings there are.
fn rings(keys: &At<Keys>, algorithm: Algorithm, ranks: u32) -> Result<u32, Fault> {
    let Some(rings) = &keys.rings else { return Ok(1) };
    let most = Asked::most_rings(ranks);
    if algorithm != Algorithm::Ring {
        return Err(rings.fault("goes with algorithm = \"ring\""));
    }
    if **rings > most {
        let why = format!("found {}; allowed: 1 to {most}, as many as there are strides coprime to {ranks}", **rings);
        return Err(rings.fault(why));
    }
    Ok(**rings)
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
        graph.enter("", round);
        if let Some(time) = &keys.compute {
            after = before_round(&mut graph, &after, asked.ranks, time.0);
        }
        graph.enter(asked.collective.word(), round);
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
        graph.push(Task::Compute { rank, processor: 0, time }, 0, &waits)
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

fn sends(asked: Asked) -> u64 {
    asked.known_sends().unwrap_or_else(|| {
        let mut counting = Counting(0);
        asked.sends(&mut counting);
        counting.0
    })
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
#[derive(Clone, Debug)]
struct AllWork {
    all: Vec<Running>,
    /// Seconds in which the links could carry it, where that is known.
    bound: Option<f64>,
    /// Within what time ranks do not hear of one another but by packets; `None` if they do at once.
    lookahead: Option<Duration>,
}

impl Workload for AllWork {
    fn handle_progress(&mut self, now: Instant, progress: Progress, released: &mut Vec<Release>) -> bool {
        self.all.iter_mut().any(|one| one.handle_progress(now, progress, released))
    }

    fn next_timeout(&self) -> Instant {
        self.all.iter().map(Running::next_timeout).min().unwrap_or(Instant::NEVER)
    }

    fn handle_timeout(&mut self, now: Instant, released: &mut Vec<Release>) {
        self.all.iter_mut().for_each(|one| one.handle_timeout(now, released));
    }

    fn lookahead(&self) -> Option<Duration> {
        self.lookahead
    }

    fn take_notices(&mut self, give: &mut dyn FnMut(u32, Notice)) {
        for (work, one) in (0..).zip(&mut self.all) {
            one.notices.drain(..).for_each(|(part, notice)| give(part, Notice { work, ..notice }));
        }
    }

    fn hear(&mut self, notice: Notice) {
        self.all[notice.work as usize].hear(notice);
    }

    fn copied(&self) -> Box<dyn Workload> {
        Box::new(self.clone())
    }

    fn merged(self: Box<Self>, others: Vec<Box<dyn Workload>>) -> Box<dyn Workload> {
        let own = |other: Box<dyn Workload>| (other as Box<dyn Any>).downcast::<AllWork>().ok();
        let mut parts: Vec<_> = others.into_iter().filter_map(own).map(|other| other.all.into_iter()).collect();
        let whole =
            |one| Running::merged([one].into_iter().chain(parts.iter_mut().filter_map(Iterator::next)).collect());
        Box::new(AllWork { all: self.all.into_iter().map(whole).collect(), ..*self })
    }

    fn split(self: Box<Self>, after: &dyn Owners) -> Vec<Box<dyn Workload>> {
        let AllWork { all, bound, lookahead } = *self;
        let mut all: Vec<_> = all.into_iter().map(|one| one.split(after).into_iter()).collect();
        let part = |_| -> Box<dyn Workload> {
            Box::new(AllWork { all: all.iter_mut().filter_map(Iterator::next).collect(), bound, lookahead })
        };
        (0..after.parts()).map(part).collect()
    }

    fn watch(&mut self) {
        self.all.iter_mut().for_each(|one| one.changes = Some(Vec::new()));
    }

    fn take_changes(&mut self, into: &mut Vec<TaskChange>) {
        for (work, one) in (0..).zip(&mut self.all) {
            let changes = one.changes.iter_mut().flat_map(|changes| changes.drain(..));
            into.extend(changes.map(|(task, is_done)| TaskChange { work, task, is_done }));
        }
    }

    fn tables(&self, run: u32) -> Vec<(&'static str, Table)> {
        vec![(NAME, table::of(&self.all, run))]
    }

    fn figures(&self) -> Vec<Figure> {
        table::figures(&self.all, self.bound)
    }
}

/// The work of all traffic, before it begins; nothing if there is none. Where agents switch, routes do not say how much
/// links will carry.
pub(crate) fn running(scenario: &Scenario, flows: &[Flow], has_agents: bool) -> Option<Box<dyn Workload>> {
    let one = |(number, traffic): (u32, &Traffic)| match &traffic.arrivals {
        Arrivals::Work(work) => Some(Running::new(traffic.name.clone(), work.clone(), number, flows)),
        _ => None,
    };
    let all: Vec<Running> = (0..).zip(&scenario.traffic).filter_map(one).collect();
    if all.is_empty() {
        return None;
    }
    let is_fixed = scenario.changes.is_empty() && scenario.laws.is_empty() && !has_agents;
    let bound = if is_fixed { bound::seconds(&scenario.network, flows, &all) } else { None };
    let lookaheads: Option<Vec<Duration>> = all.iter().map(|one| one.outline.lookahead()).collect();
    Some(Box::new(AllWork { all, bound, lookahead: lookaheads.and_then(|each| each.into_iter().min()) }))
}

#[cfg(test)]
mod tests;
