//! Work that depends on work: transfers between ranks, and computations, each of which waits for others.

use super::{NodeId, SimTime};
use options::words;
use std::collections::BTreeMap;
use std::sync::Arc;
use units::Duration;

words! {
    /// When a transfer is done, for those that wait for it.
    pub enum Done {
        /// Its last byte has arrived, all before it too.
        Arrived = "arrived",
        /// The sender knows it.
        Acknowledged = "acknowledged",
    }
}

words! {
    /// What carries the transfers of a pair of ranks.
    pub enum Connections {
        /// One connection, which transfers follow one another on.
        Kept = "kept",
        /// A connection for each transfer.
        Each = "each",
    }
}

/// The most ranks.
pub const MOST_RANKS: u32 = 4096;

/// The most tasks of a graph.
pub const MOST_TASKS: usize = 20_000_000;

/// The work of a traffic.
#[derive(Clone, Debug)]
pub struct Work {
    /// Where each rank is.
    pub ranks: Vec<NodeId>,
    /// What is to be done.
    pub graph: Arc<Graph>,
    /// When what waits for nothing starts.
    pub start: SimTime,
    /// What carries transfers.
    pub carriers: Arc<Carriers>,
    /// When they are done.
    pub done: Done,
    /// How long it takes until a rank knows what was done at another one, where no packet says it.
    pub signal: Duration,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// So many bytes, one at least, go from one rank to another.
    Transfer {
        /// Whence.
        from: u32,
        /// Whither.
        to: u32,
        /// Bytes of payload.
        bytes: u64,
        /// Its tag, if it is taken by a receive that fits; else it is done without one.
        tag: Option<u32>,
    },
    /// A rank takes the first message that fits: of those that came before it, else the next.
    Receive {
        /// The rank.
        rank: u32,
        /// From whom; from anybody if that is not said.
        from: Option<u32>,
        /// Its tag; any if that is not said.
        tag: Option<u32>,
    },
    /// A processor of a rank computes for so long, one thing after the other.
    Compute {
        /// The rank.
        rank: u32,
        /// The processor.
        processor: u32,
        /// How long.
        time: Duration,
    },
    /// So much time passes.
    Wait {
        /// The rank.
        rank: u32,
        /// How long.
        time: Duration,
    },
    /// Nothing: what waits for it waits for all that it waits for.
    Join {
        /// The rank.
        rank: u32,
    },
}

impl Task {
    /// Where it is begun.
    pub fn rank(self) -> u32 {
        match self {
            Task::Transfer { from: rank, .. }
            | Task::Receive { rank, .. }
            | Task::Compute { rank, .. }
            | Task::Wait { rank, .. }
            | Task::Join { rank } => rank,
        }
    }
}

/// Tasks in a row that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The first of them.
    pub first: u32,
    /// The place of their collective's name; that is empty for tasks of none.
    pub collective: u32,
    /// How often all of it was done before.
    pub round: u32,
}

/// Tasks, each of which waits for tasks before it in the list: there is no circle.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    tasks: Vec<Task>,
    /// The step of each.
    steps: Vec<u32>,
    /// Where the list of those that it waits for ends in `waits`.
    ends: Vec<u32>,
    waits: Vec<u32>,
    /// Tasks that go when so many of those that they wait for are done.
    needs: BTreeMap<u32, u32>,
    /// Pairs: the second task has begun before the first one goes.
    begun: Vec<(u32, u32)>,
    /// Those that a file gives.
    names: Vec<String>,
    /// Where tasks of another collective or round begin.
    sections: Vec<Section>,
    /// Collectives by name: the place of each.
    collectives: BTreeMap<String, u32>,
    /// Whether of tasks that may go at the same instant the last one goes first.
    pub last_first: bool,
}

impl Graph {
    /// The next task, in a step, waits for these: its number.
    pub fn push(&mut self, task: Task, step: u32, waits_for: &[u32]) -> u32 {
        let number = self.tasks.len() as u32;
        assert!(waits_for.iter().all(|other| *other < number), "a task waits for tasks before it");
        self.tasks.push(task);
        self.steps.push(step);
        self.waits.extend_from_slice(waits_for);
        self.ends.push(self.waits.len() as u32);
        number
    }

    /// A task goes when so many of those that it waits for are done; with more than it waits for, never.
    pub fn need(&mut self, task: u32, count: u32) {
        self.needs.insert(task, count);
    }

    /// How many of those that it waits for must be done before a task goes.
    pub fn needed(&self, task: u32) -> u32 {
        self.needs.get(&task).copied().unwrap_or(self.waits_for(task).len() as u32)
    }

    /// A file calls the newest task so.
    pub fn call(&mut self, task: u32, name: &str) {
        self.names.resize(task as usize, String::new());
        self.names.push(name.to_owned());
    }

    /// What a file calls a task; nothing of others.
    pub fn name(&self, task: u32) -> &str {
        self.names.get(task as usize).map_or("", String::as_str)
    }

    /// The tasks that follow belong to a collective, by name, and to a round. Before that they belong to none.
    pub fn enter(&mut self, collective: &str, round: u32) {
        let next = self.collectives.len() as u32;
        let collective = *self.collectives.entry(collective.to_owned()).or_insert(next);
        let section = Section { first: self.len() as u32, collective, round };
        if self.sections.last().is_none_or(|last| (last.collective, last.round) != (collective, round)) {
            self.sections.push(section);
        }
    }

    /// Which tasks belong together, in their order.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Collectives by name: the place of each.
    pub fn collectives(&self) -> &BTreeMap<String, u32> {
        &self.collectives
    }

    /// A task goes when another one has begun, too.
    pub fn push_begun(&mut self, task: u32, other: u32) {
        self.begun.push((task, other));
    }

    /// Pairs: a task, and one that has begun before it goes.
    pub fn begun(&self) -> &[(u32, u32)] {
        &self.begun
    }

    /// How many tasks there are.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// The tasks by number.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The step of each task.
    pub fn steps(&self) -> &[u32] {
        &self.steps
    }

    /// The tasks that one waits for.
    pub fn waits_for(&self, task: u32) -> &[u32] {
        let start = if task == 0 { 0 } else { self.ends[task as usize - 1] };
        &self.waits[start as usize..self.ends[task as usize] as usize]
    }
}

/// A flow that work needs: its ranks, and its bytes if it carries one transfer.
pub type Carrier = (u32, u32, Option<u64>);

/// All flows that work needs.
#[derive(Clone, Debug)]
pub struct Carriers {
    /// The flows.
    pub list: Vec<Carrier>,
    /// The place in `list` of each task's; `None` of what is no transfer, and of a message to oneself.
    pub of_task: Vec<Option<u32>>,
}

impl Carriers {
    /// Those of a graph.
    pub fn of(graph: &Graph, connections: Connections) -> Carriers {
        let (mut list, mut places) = (Vec::new(), BTreeMap::new());
        let mut add = |carrier| {
            list.push(carrier);
            list.len() as u32 - 1
        };
        let of_task = graph.tasks.iter().map(|task| match (*task, connections) {
            (Task::Transfer { from, to, .. }, _) if from == to => None,
            (Task::Transfer { from, to, bytes, .. }, Connections::Each) => Some(add((from, to, Some(bytes)))),
            (Task::Transfer { from, to, .. }, Connections::Kept) => {
                Some(*places.entry((from, to)).or_insert_with(|| add((from, to, None))))
            }
            _ => None,
        });
        let of_task = of_task.collect();
        Carriers { list, of_task }
    }
}

impl Work {
    /// The node of a rank.
    pub fn node(&self, rank: u32) -> NodeId {
        self.ranks[rank as usize]
    }
}
