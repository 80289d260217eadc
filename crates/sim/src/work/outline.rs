//! Work as it does not change: its graph, the flows that carry it, who waits for whom.

use crate::model::{Done, Flow, Task, Work};
use std::sync::Arc;

/// The work of a traffic, as it does not change.
#[derive(Debug)]
pub(super) struct Outline {
    pub name: String,
    pub work: Work,
    /// The first flow of a number of flows that are its own, as far as they are in a row, and the place of each.
    places: Vec<u32>,
    first: u32,
    /// The number of the flow of each carrier.
    pub flows: Vec<u32>,
    /// Who waits for each task: where the list of each ends.
    ends: Vec<u32>,
    pub behind: Vec<u32>,
}

/// The place of a flow that is another's.
const OF_OTHERS: u32 = u32::MAX;

impl Outline {
    /// `flows` are all flows of the run, `traffic` is the number of its own.
    pub fn new(name: String, work: Work, traffic: u32, flows: &[Flow]) -> Outline {
        let own = || (0u32..).zip(flows).filter(|(_, flow)| flow.origin.0 == traffic);
        let first = own().map(|(number, _)| number).next().unwrap_or(0);
        let last = own().map(|(number, _)| number).last().unwrap_or(0);
        let mut places = vec![OF_OTHERS; (last - first) as usize + 1];
        let mut numbers = vec![0; work.carriers.list.len()];
        for (number, flow) in own() {
            places[(number - first) as usize] = flow.origin.1;
            numbers[flow.origin.1 as usize] = number;
        }
        let count = work.graph.len();
        let mut ends = vec![0u32; count];
        let waits = |task: usize| work.graph.waits_for(task as u32);
        (0..count).flat_map(waits).for_each(|other| ends[*other as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut behind = vec![0; sum as usize];
        let mut free = ends.clone();
        for task in (0..count).rev() {
            for other in waits(task) {
                free[*other as usize] -= 1;
                behind[free[*other as usize] as usize] = task as u32;
            }
        }
        Outline { name, work, places, first, flows: numbers, ends, behind }
    }

    /// The place of a flow among the carriers, if it is one.
    pub fn carrier(&self, flow: u32) -> Option<u32> {
        let place = flow.checked_sub(self.first).and_then(|place| self.places.get(place as usize));
        place.copied().filter(|place| *place != OF_OTHERS)
    }

    /// A task.
    pub fn task(&self, number: u32) -> Task {
        self.work.graph.tasks()[number as usize]
    }

    /// The rank that knows first that a task is done.
    pub fn rank_of_end(&self, task: u32) -> u32 {
        match self.task(task) {
            Task::Transfer { to, .. } if self.work.done == Done::Arrived => to,
            other => other.rank(),
        }
    }

    /// The places in `behind` of those that wait for a task, in their order.
    pub fn waiting(&self, task: u32) -> impl Iterator<Item = usize> + use<> {
        let start = if task == 0 { 0 } else { self.ends[task as usize - 1] };
        let (end, last_first) = (self.ends[task as usize], self.work.graph.last_first);
        (start..end).map(move |place| if last_first { end - 1 - (place - start) } else { place } as usize)
    }
}

/// The ranks of a partition.
#[derive(Clone, Debug)]
pub(super) struct Share {
    pub part: u32,
    /// The partition of each rank.
    pub of_rank: Arc<[u32]>,
}

impl Share {
    /// The partition of a rank that is in another one.
    pub fn elsewhere(&self, rank: u32) -> Option<u32> {
        Some(self.of_rank[rank as usize]).filter(|part| *part != self.part)
    }
}
