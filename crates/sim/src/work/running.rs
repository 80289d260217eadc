//! Work under way: what waits for what, and what has been done when.

use crate::engine::node::workload::{Progress, Release};
use crate::model::{Done, Flow, Task, Work};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use units::{Duration, Instant};

/// When something happened to a task; [`Instant::NEVER`] if it has not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// All that it waits for was done.
    pub ready: Instant,
    /// It was given to its flow, or its rank began to compute.
    pub start: Instant,
    /// It was done.
    pub end: Instant,
}

const NOT_YET: Times = Times { ready: Instant::NEVER, start: Instant::NEVER, end: Instant::NEVER };

/// A task has begun, or was done, at a rank: what others hear of.
#[derive(Clone, Copy, Debug)]
struct News {
    now: Instant,
    rank: u32,
    task: u32,
}

/// A flow that carries transfers.
#[derive(Clone, Debug, Default)]
struct Carrying {
    /// Bytes that it was given.
    given: u64,
    /// Transfers under way, with the place behind the last byte of each.
    under_way: VecDeque<(u64, u32)>,
}

/// A processor.
#[derive(Clone, Debug, Default)]
struct Processor {
    is_busy: bool,
    waiting: VecDeque<u32>,
}

/// The work of a traffic under way.
#[derive(Debug)]
pub(super) struct Running {
    pub name: String,
    pub work: Work,
    /// The first flow of a number of flows that are its own, as far as they are in a row, and the place of each.
    places: Vec<u32>,
    first: u32,
    carrying: Vec<Carrying>,
    /// The number of the flow of each carrier.
    pub flows: Vec<u32>,
    /// How many tasks each waits for still.
    left: Vec<u32>,
    /// Who waits for each task: where the list of each ends.
    ends: Vec<u32>,
    behind: Vec<u32>,
    pub times: Vec<Times>,
    /// Tasks that have become ready or been done (true), if somebody asks for that.
    pub changes: Option<Vec<(u32, bool)>>,
    /// The task by which each became ready; itself if it has not, or by none.
    made_ready: Vec<u32>,
    /// Tasks that wait for another one's beginning, by that.
    begun: BTreeMap<u32, Vec<u32>>,
    /// By rank and number.
    processors: BTreeMap<(u32, u32), Processor>,
    /// When computations and waits end.
    computing: BinaryHeap<Reverse<(Instant, u32)>>,
    /// Tasks that hear by a signal of one for which they wait, the third.
    signals: BinaryHeap<Reverse<(Instant, u32, u32)>>,
    /// Messages of each rank that have come and that no receive has taken, and receives that wait.
    unexpected: Vec<VecDeque<u32>>,
    posted: Vec<VecDeque<u32>>,
    has_begun: bool,
}

/// The place of a flow that is another's.
const OF_OTHERS: u32 = u32::MAX;

impl Running {
    /// Nothing of it has begun. `flows` are all flows of the run, `traffic` is the number of its own.
    pub fn new(name: String, work: Work, traffic: u32, flows: &[Flow]) -> Running {
        let carriers = work.carriers.list.len();
        let own = || (0u32..).zip(flows).filter(|(_, flow)| flow.origin.0 == traffic);
        let first = own().map(|(number, _)| number).next().unwrap_or(0);
        let last = own().map(|(number, _)| number).last().unwrap_or(0);
        let mut places = vec![OF_OTHERS; (last - first) as usize + 1];
        let mut numbers = vec![0; carriers];
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
        let mut left: Vec<u32> = (0..count as u32).map(|task| work.graph.needed(task)).collect();
        let mut begun: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (task, other) in work.graph.begun() {
            left[*task as usize] += 1;
            begun.entry(*other).or_default().push(*task);
        }
        let of_ranks = vec![VecDeque::new(); work.ranks.len()];
        Running {
            name,
            places,
            first,
            carrying: vec![Carrying::default(); carriers],
            flows: numbers,
            left,
            ends,
            behind,
            times: vec![NOT_YET; count],
            changes: None,
            made_ready: (0..count as u32).collect(),
            begun,
            processors: BTreeMap::new(),
            computing: BinaryHeap::new(),
            signals: BinaryHeap::new(),
            unexpected: of_ranks.clone(),
            posted: of_ranks,
            has_begun: false,
            work,
        }
    }

    /// Tasks that have become ready, with those that become so as they are done at once.
    fn start(&mut self, now: Instant, mut ready: VecDeque<u32>, released: &mut Vec<Release>) {
        while let Some(task) = ready.pop_front() {
            self.times[task as usize].ready = now;
            self.note(task, false);
            match self.task(task) {
                Task::Transfer { from, to, .. } if from == to => {
                    self.begin(now, task, &mut ready);
                    self.arrive(now, task, &mut ready);
                }
                Task::Transfer { bytes, .. } => {
                    self.send(task, bytes, released);
                    self.begin(now, task, &mut ready);
                }
                Task::Receive { rank, .. } => {
                    self.begin(now, task, &mut ready);
                    self.receive(now, rank, task, &mut ready);
                }
                Task::Compute { rank, processor, .. } => {
                    self.processors.entry((rank, processor)).or_default().waiting.push_back(task);
                    self.compute(now, (rank, processor), &mut ready);
                }
                Task::Wait { time, .. } => {
                    self.begin(now, task, &mut ready);
                    self.computing.push(Reverse((now + time, task)));
                }
                Task::Join { .. } => {
                    self.begin(now, task, &mut ready);
                    self.finish(now, task, &mut ready);
                }
            }
        }
    }

    fn note(&mut self, task: u32, is_done: bool) {
        if let Some(changes) = &mut self.changes {
            changes.push((task, is_done));
        }
    }

    fn task(&self, number: u32) -> Task {
        self.work.graph.tasks()[number as usize]
    }

    fn send(&mut self, task: u32, bytes: u64, released: &mut Vec<Release>) {
        let Some(carrier) = self.work.carriers.of_task[task as usize] else { return };
        let carrying = &mut self.carrying[carrier as usize];
        carrying.given += bytes;
        carrying.under_way.push_back((carrying.given, task));
        released.push(Release { flow: self.flows[carrier as usize], bytes });
    }

    /// A processor that does nothing begins with what has waited longest.
    fn compute(&mut self, now: Instant, place: (u32, u32), ready: &mut VecDeque<u32>) {
        let processor = self.processors.entry(place).or_default();
        if processor.is_busy {
            return;
        }
        let Some(task) = processor.waiting.pop_front() else { return };
        processor.is_busy = true;
        self.begin(now, task, ready);
        if let Task::Compute { time, .. } = self.task(task) {
            self.computing.push(Reverse((now + time, task)));
        }
    }

    /// All of a message has come: it is done, unless it waits for a receive that fits.
    fn arrive(&mut self, now: Instant, task: u32, ready: &mut VecDeque<u32>) {
        let Task::Transfer { to, tag: Some(_), .. } = self.task(task) else { return self.finish(now, task, ready) };
        let place = self.posted[to as usize].iter().position(|receive| self.fits(task, *receive));
        match place.and_then(|place| self.posted[to as usize].remove(place)) {
            Some(receive) => self.finish_both(now, [task, receive], task, ready),
            None => self.unexpected[to as usize].push_back(task),
        }
    }

    fn receive(&mut self, now: Instant, rank: u32, receive: u32, ready: &mut VecDeque<u32>) {
        let place = self.unexpected[rank as usize].iter().position(|task| self.fits(*task, receive));
        match place.and_then(|place| self.unexpected[rank as usize].remove(place)) {
            Some(task) => self.finish_both(now, [task, receive], receive, ready),
            None => self.posted[rank as usize].push_back(receive),
        }
    }

    fn fits(&self, task: u32, receive: u32) -> bool {
        match (self.task(task), self.task(receive)) {
            (Task::Transfer { from, tag, .. }, Task::Receive { from: asked, tag: asked_tag, .. }) => {
                asked.is_none_or(|asked| asked == from) && (asked_tag.is_none() || asked_tag == tag)
            }
            _ => false,
        }
    }

    /// A message and its receive are done by the later of them.
    fn finish_both(&mut self, now: Instant, both: [u32; 2], later: u32, ready: &mut VecDeque<u32>) {
        both.into_iter().for_each(|task| self.finish_by(now, task, later, ready));
    }

    fn begin(&mut self, now: Instant, task: u32, ready: &mut VecDeque<u32>) {
        self.times[task as usize].start = now;
        let news = News { now, rank: self.task(task).rank(), task };
        for next in self.begun.remove(&task).unwrap_or_default() {
            self.tell(news, next, ready);
        }
    }

    fn finish(&mut self, now: Instant, task: u32, ready: &mut VecDeque<u32>) {
        self.finish_by(now, task, task, ready);
    }

    fn finish_by(&mut self, now: Instant, task: u32, by: u32, ready: &mut VecDeque<u32>) {
        self.times[task as usize].end = now;
        self.note(task, true);
        let rank = match self.task(task) {
            Task::Transfer { to, .. } if self.work.done == Done::Arrived => to,
            other => other.rank(),
        };
        let start = if task == 0 { 0 } else { self.ends[task as usize - 1] };
        let end = self.ends[task as usize];
        for place in start..end {
            let place = if self.work.graph.last_first { end - 1 - (place - start) } else { place };
            self.tell(News { now, rank, task: by }, self.behind[place as usize], ready);
        }
    }

    /// A task hears of something that happened at a rank.
    fn tell(&mut self, news: News, next: u32, ready: &mut VecDeque<u32>) {
        if self.work.signal == Duration::ZERO || self.task(next).rank() == news.rank {
            return self.count(next, news.task, ready);
        }
        self.signals.push(Reverse((news.now + self.work.signal, next, news.task)));
    }

    /// One more of those that a task waits for.
    fn count(&mut self, task: u32, other: u32, ready: &mut VecDeque<u32>) {
        let left = &mut self.left[task as usize];
        if *left > 0 {
            *left -= 1;
            if *left == 0 {
                self.made_ready[task as usize] = other;
                ready.push_back(task);
            }
        }
    }

    /// For each task the one by which it became ready, or the first for which it waits still; itself if there is none.
    pub fn after(&self) -> Vec<u64> {
        let mut not_begun: BTreeMap<u32, u32> = BTreeMap::new();
        let is_awaited = |other: &u32| self.times[*other as usize].start == Instant::NEVER;
        for (task, other) in self.work.graph.begun().iter().filter(|(_, other)| is_awaited(other)) {
            not_begun.entry(*task).or_insert(*other);
        }
        let is_undone = |other: &u32| self.times[*other as usize].end == Instant::NEVER;
        let of = |task: u32| {
            if self.times[task as usize].ready != Instant::NEVER {
                return self.made_ready[task as usize];
            }
            let undone = self.work.graph.waits_for(task).iter().copied().find(is_undone);
            undone.or_else(|| not_begun.get(&task).copied()).unwrap_or(task)
        };
        (0..self.times.len() as u32).map(|task| of(task).into()).collect()
    }

    /// When the last task was done, if all are.
    pub fn end(&self) -> Option<Instant> {
        let end = self.times.iter().map(|times| times.end).max()?;
        (end != Instant::NEVER).then_some(end)
    }

    /// A flow has come further, perhaps one that is not its own: whether something is done by that.
    pub fn handle_progress(&mut self, now: Instant, progress: Progress, released: &mut Vec<Release>) -> bool {
        if progress.has_arrived != (self.work.done == Done::Arrived) {
            return false;
        }
        let place = progress.flow.checked_sub(self.first).and_then(|place| self.places.get(place as usize));
        let Some(carrier) = place.copied().filter(|place| *place != OF_OTHERS) else { return false };
        let (mut ready, mut is_done) = (VecDeque::new(), false);
        while let Some((_, task)) =
            self.carrying[carrier as usize].under_way.front().copied().filter(|(end, _)| *end <= progress.bytes)
        {
            self.carrying[carrier as usize].under_way.pop_front();
            self.arrive(now, task, &mut ready);
            is_done = true;
        }
        self.start(now, ready, released);
        is_done
    }

    /// When it wants to be called.
    pub fn next_timeout(&self) -> Instant {
        match self.has_begun {
            false => Instant::from_ps(self.work.start.ps()),
            true => self.next_signal().into_iter().chain(self.next_end()).min().unwrap_or(Instant::NEVER),
        }
    }

    /// Its deadline has come, perhaps.
    pub fn handle_timeout(&mut self, now: Instant, released: &mut Vec<Release>) {
        let mut ready = VecDeque::new();
        if !self.has_begun && self.next_timeout() <= now {
            self.has_begun = true;
            ready.extend((0..self.left.len() as u32).filter(|task| self.left[*task as usize] == 0));
        }
        while self.next_signal().is_some_and(|at| at <= now)
            && let Some(Reverse((_, task, other))) = self.signals.pop()
        {
            self.count(task, other, &mut ready);
        }
        while self.next_end().is_some_and(|at| at <= now)
            && let Some(Reverse((_, task))) = self.computing.pop()
        {
            self.finish(now, task, &mut ready);
            if let Task::Compute { rank, processor, .. } = self.task(task) {
                self.processors.entry((rank, processor)).or_default().is_busy = false;
                self.compute(now, (rank, processor), &mut ready);
            }
        }
        self.start(now, ready, released);
    }

    /// When the next signal comes.
    fn next_signal(&self) -> Option<Instant> {
        self.signals.peek().map(|Reverse((at, ..))| *at)
    }

    /// When the next computation or wait ends.
    fn next_end(&self) -> Option<Instant> {
        self.computing.peek().map(|Reverse((at, _))| *at)
    }
}
