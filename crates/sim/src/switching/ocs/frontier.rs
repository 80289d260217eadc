//! How far the work has come: the step that is under way, and what is ready.
//!
//! The transfers of a work are put into waves, one after the other: a wave is a step of a round. A step belongs to the
//! next round if it waits for a step with its own number or a later one.

use crate::model::{Arrivals, Graph, NodeId, Task, Traffic};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A pair of nodes: whence and whither.
pub(super) type Pair = (u32, u32);

/// Not among waves.
const NO_WAVE: u32 = u32::MAX;

/// Transfers between two nodes that are not done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Left {
    /// How many.
    pub transfers: u32,
    /// How many of them are ready.
    pub ready: u32,
    /// Their bytes, in full.
    pub bytes: u64,
}

/// A step of a round.
#[derive(Clone, Debug)]
struct Wave {
    /// Its place among the phases of its work.
    phase: u32,
    /// Transfers that are not done.
    left: u32,
    /// Where the list of its transfers ends.
    end: u32,
}

/// The work of a traffic.
#[derive(Clone, Debug)]
struct Course {
    graph: Arc<Graph>,
    /// By rank.
    nodes: Vec<u32>,
    /// By task.
    of_task: Vec<u32>,
    waves: Vec<Wave>,
    /// Waves with the same pairs in a row are a phase: the pairs of each, by their number.
    phases: Vec<u32>,
    /// The transfers of each wave, one wave after the other.
    transfers: Vec<u32>,
    /// By task: 1 if it is ready, 2 if it is done.
    states: Vec<u8>,
    /// The first wave that is not done.
    current: usize,
}

/// All work, and how far it has come.
#[derive(Clone, Debug)]
pub(super) struct Frontier {
    courses: Vec<Course>,
    /// The pairs of each number.
    settings: Vec<Vec<Pair>>,
    /// What is left of the waves that are under way.
    live: BTreeMap<Pair, Left>,
    /// What is ready and not done, whatever its wave.
    ready: BTreeMap<Pair, Left>,
    /// How often another wave has begun.
    begun: u64,
}

impl Frontier {
    /// All work of this traffic before it begins; `node` has the number of a node with ports.
    pub fn new(traffic: &[Traffic], node: &dyn Fn(NodeId) -> Option<u32>) -> Frontier {
        let mut numbers = BTreeMap::new();
        let mut courses = Vec::new();
        for one in traffic {
            let Arrivals::Work(work) = &one.arrivals else { continue };
            let nodes = work.ranks.iter().map(|rank| node(*rank).unwrap_or(u32::MAX)).collect();
            courses.push(Course::new(Arc::clone(&work.graph), nodes, &mut numbers));
        }
        let mut settings: Vec<_> =
            numbers.into_iter().map(|(pairs, number): (Vec<Pair>, u32)| (number, pairs)).collect();
        settings.sort_unstable();
        let settings = settings.into_iter().map(|(_, pairs)| pairs).collect();
        let mut all = Frontier { courses, settings, live: BTreeMap::new(), ready: BTreeMap::new(), begun: 0 };
        all.enter();
        all
    }

    /// How many works there are.
    pub fn works(&self) -> usize {
        self.courses.len()
    }

    /// The first work that is not done.
    pub fn work(&self) -> Option<usize> {
        self.courses.iter().position(|course| course.current < course.waves.len())
    }

    /// The phases of a work, in which its pairs stay the same: the number of the pairs of each.
    pub fn phases(&self, work: usize) -> &[u32] {
        &self.courses[work].phases
    }

    /// Which of them is under way in the first work that is not done.
    pub fn phase(&self) -> Option<(usize, &[u32])> {
        let course = &self.courses[self.work()?];
        Some((course.waves[course.current].phase as usize, &course.phases))
    }

    /// The pairs of a number.
    pub fn pairs(&self, setting: u32) -> &[Pair] {
        &self.settings[setting as usize]
    }

    /// What is left of the waves that are under way.
    pub fn live(&self) -> &BTreeMap<Pair, Left> {
        &self.live
    }

    /// What is ready and not done.
    pub fn ready(&self) -> &BTreeMap<Pair, Left> {
        &self.ready
    }

    /// How often another wave has begun.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// A task is ready, or done. Returns whether it is a transfer between nodes.
    pub fn change(&mut self, work: u32, task: u32, is_done: bool) -> bool {
        let course = &mut self.courses[work as usize];
        let wave = course.of_task[task as usize];
        let Some((pair, bytes)) = course.ends(task).filter(|_| wave != NO_WAVE) else { return false };
        course.states[task as usize] = 1 + u8::from(is_done);
        let is_live = wave as usize == course.current;
        if is_done {
            remove(&mut self.ready, pair, bytes);
            course.waves[wave as usize].left -= 1;
            if is_live {
                remove(&mut self.live, pair, bytes);
                if course.waves[wave as usize].left == 0 {
                    self.enter();
                }
            }
        } else {
            let ready = self.ready.entry(pair).or_default();
            *ready = Left { transfers: ready.transfers + 1, ready: ready.ready + 1, bytes: ready.bytes + bytes };
            if let Some(left) = self.live.get_mut(&pair).filter(|_| is_live) {
                left.ready += 1;
            }
        }
        true
    }

    /// Each work goes to its first wave that is not done.
    fn enter(&mut self) {
        self.begun += 1;
        self.live.clear();
        for course in &mut self.courses {
            while course.waves.get(course.current).is_some_and(|wave| wave.left == 0) {
                course.current += 1;
            }
            let Some(wave) = course.waves.get(course.current) else { continue };
            let start = if course.current == 0 { 0 } else { course.waves[course.current - 1].end };
            for task in &course.transfers[start as usize..wave.end as usize] {
                let Some((pair, bytes)) = course.ends(*task) else { continue };
                let state = course.states[*task as usize];
                if state < 2 {
                    let left = self.live.entry(pair).or_default();
                    left.transfers += 1;
                    left.ready += u32::from(state);
                    left.bytes += bytes;
                }
            }
        }
    }
}

fn remove(from: &mut BTreeMap<Pair, Left>, pair: Pair, bytes: u64) {
    let Some(left) = from.get_mut(&pair) else { return };
    left.transfers -= 1;
    left.ready -= 1;
    left.bytes -= bytes;
    if left.transfers == 0 {
        from.remove(&pair);
    }
}

impl Course {
    fn new(graph: Arc<Graph>, nodes: Vec<u32>, numbers: &mut BTreeMap<Vec<Pair>, u32>) -> Course {
        let states = vec![0; graph.len()];
        let (of_task, waves, phases, transfers) = Default::default();
        let mut course = Course { graph, nodes, of_task, waves, phases, transfers, states, current: 0 };
        let places = course.places();
        let mut by_place: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for (task, place) in (0..).zip(&places) {
            if let Some(place) = place.filter(|_| course.ends(task).is_some()) {
                by_place.entry(place).or_default().push(task);
            }
        }
        course.of_task = vec![NO_WAVE; places.len()];
        for tasks in by_place.into_values() {
            let mut pairs: Vec<Pair> =
                tasks.iter().filter_map(|task| course.ends(*task)).map(|(pair, _)| pair).collect();
            pairs.sort_unstable();
            pairs.dedup();
            let new = numbers.len() as u32;
            let setting = *numbers.entry(pairs).or_insert(new);
            tasks.iter().for_each(|task| course.of_task[*task as usize] = course.waves.len() as u32);
            if course.phases.last() != Some(&setting) {
                course.phases.push(setting);
            }
            let (phase, left) = (course.phases.len() as u32 - 1, tasks.len() as u32);
            course.transfers.extend(tasks);
            course.waves.push(Wave { phase, left, end: course.transfers.len() as u32 });
        }
        course
    }

    /// The round and the step of the last transfer of those that lead to each task, itself included.
    fn places(&self) -> Vec<Option<(u32, u32)>> {
        let mut places: Vec<Option<(u32, u32)>> = Vec::with_capacity(self.graph.len());
        for ((task, step), what) in (0u32..).zip(self.graph.steps()).zip(self.graph.tasks()) {
            let before = self.graph.waits_for(task).iter().filter_map(|other| places[*other as usize]).max();
            places.push(match (what, before) {
                (Task::Transfer { .. }, None) => Some((0, *step)),
                (Task::Transfer { .. }, Some((round, last))) => Some((round + u32::from(last >= *step), *step)),
                _ => before,
            });
        }
        places
    }

    /// Between which nodes a transfer goes, and its bytes; `None` of what stays at a node.
    fn ends(&self, task: u32) -> Option<(Pair, u64)> {
        let Task::Transfer { from, to, bytes, .. } = self.graph.tasks()[task as usize] else { return None };
        let [from, to] = [from, to].map(|rank| self.nodes[rank as usize]);
        (from != to).then_some(((from, to), bytes))
    }
}
