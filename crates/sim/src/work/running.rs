//! Work under way: what waits for what, and what has been done when.

use super::outline::{Outline, Share};
use crate::engine::node::workload::{Heard, Notice, Progress, Release};
use crate::engine::packet::containers::PerFlow;
use crate::model::{Done, Flow, Task, Work};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::Arc;
use units::{Duration, Instant};

/// Items by task, by flow of the work, or by rank: those that are in the partition.
pub(super) type PerNumber<T> = PerFlow<T>;

/// How a task came to its beginning, as its rank knows; times are [`Instant::NEVER`] if that has not happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beginning {
    /// All that it waits for was done.
    pub ready: Instant,
    /// It was given to its flow, or its rank began to compute.
    pub start: Instant,
    /// How many it waits for still.
    pub left: u32,
    /// The task by which it became ready; itself if it has not, or by none.
    pub by: u32,
}

/// A task has begun, or was done, at a rank: what others hear of.
#[derive(Clone, Copy, Debug)]
struct News {
    now: Instant,
    rank: u32,
    task: u32,
}

/// Transfers that a flow carries, with the place behind the last byte of each.
pub(super) type UnderWay = VecDeque<(u64, u32)>;

/// A processor.
#[derive(Clone, Debug, Default)]
pub(super) struct Processor {
    is_busy: bool,
    waiting: VecDeque<u32>,
}

/// What lies at a rank.
#[derive(Clone, Debug, Default)]
pub(super) struct Desk {
    /// Its processors by number.
    processors: BTreeMap<u32, Processor>,
    /// Messages that have come and that no receive has taken.
    unexpected: VecDeque<u32>,
    /// Receives that wait.
    posted: VecDeque<u32>,
}

/// Work under way: of all ranks, or of those of a partition. How each field is handed out, `share` says.
#[derive(Clone, Debug)]
pub(super) struct Running {
    pub outline: Arc<Outline>,
    /// Which ranks are here; `None` if all are.
    pub share: Option<Share>,
    /// Bytes that each carrier was given.
    pub given: PerNumber<u64>,
    /// What each carries, where it is known when that is done.
    pub under_way: PerNumber<UnderWay>,
    pub beginnings: PerNumber<Beginning>,
    /// When each task was done.
    pub done: PerNumber<Instant>,
    pub desks: PerNumber<Desk>,
    /// Tasks that have become ready or been done (true), if somebody asks for that.
    pub changes: Option<Vec<(u32, bool)>>,
    /// Tasks that wait for another one's beginning, by that.
    pub begun: BTreeMap<u32, Vec<u32>>,
    /// When computations and waits end.
    pub computing: BinaryHeap<Reverse<(Instant, u32)>>,
    /// Tasks that hear by a signal of one for which they wait, the third.
    pub signals: BinaryHeap<Reverse<(Instant, u32, u32)>>,
    pub has_begun: bool,
    /// For other partitions; empty between calls.
    pub notices: Vec<(u32, Notice)>,
}

impl Running {
    /// Nothing of it has begun. `flows` are all flows of the run, `traffic` is the number of its own.
    pub fn new(name: String, work: Work, traffic: u32, flows: &[Flow]) -> Running {
        let not_yet = |task: u32| {
            let (ready, start, left) = (Instant::NEVER, Instant::NEVER, work.graph.needed(task));
            Beginning { ready, start, left, by: task }
        };
        let (count, carriers, ranks) = (work.graph.len(), work.carriers.list.len(), work.ranks.len());
        let mut beginnings: Vec<Beginning> = (0..count as u32).map(not_yet).collect();
        let mut begun: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (task, other) in work.graph.begun() {
            beginnings[*task as usize].left += 1;
            begun.entry(*other).or_default().push(*task);
        }
        Running {
            outline: Arc::new(Outline::new(name, work, traffic, flows)),
            share: None,
            given: PerNumber::all(vec![0; carriers]),
            under_way: PerNumber::all(vec![UnderWay::new(); carriers]),
            beginnings: PerNumber::all(beginnings),
            done: PerNumber::all(vec![Instant::NEVER; count]),
            desks: PerNumber::all(vec![Desk::default(); ranks]),
            changes: None,
            begun,
            computing: BinaryHeap::new(),
            signals: BinaryHeap::new(),
            has_begun: false,
            notices: Vec::new(),
        }
    }

    /// Tasks that have become ready, with those that become so as they are done at once.
    fn start(&mut self, now: Instant, mut ready: VecDeque<u32>, released: &mut Vec<Release>) {
        while let Some(task) = ready.pop_front() {
            self.beginnings[task].ready = now;
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
                    self.processor(rank, processor).waiting.push_back(task);
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
        self.outline.task(number)
    }

    fn send(&mut self, task: u32, bytes: u64, released: &mut Vec<Release>) {
        let Some(carrier) = self.outline.work.carriers.of_task[task as usize] else { return };
        self.given[carrier] += bytes;
        self.tell_rank(self.outline.rank_of_end(task), Notice::new(task, Heard::Given(self.given[carrier])));
        released.push(Release { flow: self.outline.flows[carrier as usize], bytes });
    }

    /// A rank hears of something, which may be in another partition.
    fn tell_rank(&mut self, rank: u32, notice: Notice) {
        match self.share.as_ref().and_then(|share| share.elsewhere(rank)) {
            Some(part) => self.notices.push((part, notice)),
            None => self.hear(notice),
        }
    }

    /// A rank that is here hears of something.
    pub fn hear(&mut self, Notice { task, heard, .. }: Notice) {
        match heard {
            Heard::Given(end) => {
                let carrier = self.outline.work.carriers.of_task[task as usize];
                carrier.into_iter().for_each(|carrier| self.under_way[carrier].push_back((end, task)));
            }
            Heard::Signal { at, by } => self.signals.push(Reverse((at, task, by))),
        }
    }

    /// A processor by its rank and number.
    fn processor(&mut self, rank: u32, number: u32) -> &mut Processor {
        self.desks[rank].processors.entry(number).or_default()
    }

    /// A processor that does nothing begins with what has waited longest.
    fn compute(&mut self, now: Instant, place: (u32, u32), ready: &mut VecDeque<u32>) {
        let processor = self.processor(place.0, place.1);
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
        let place = self.desks[to].posted.iter().position(|receive| self.fits(task, *receive));
        match place.and_then(|place| self.desks[to].posted.remove(place)) {
            Some(receive) => self.finish_both(now, [task, receive], task, ready),
            None => self.desks[to].unexpected.push_back(task),
        }
    }

    fn receive(&mut self, now: Instant, rank: u32, receive: u32, ready: &mut VecDeque<u32>) {
        let place = self.desks[rank].unexpected.iter().position(|task| self.fits(*task, receive));
        match place.and_then(|place| self.desks[rank].unexpected.remove(place)) {
            Some(task) => self.finish_both(now, [task, receive], receive, ready),
            None => self.desks[rank].posted.push_back(receive),
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
        self.beginnings[task].start = now;
        let news = News { now, rank: self.task(task).rank(), task };
        for next in self.begun.remove(&task).unwrap_or_default() {
            self.tell(news, next, ready);
        }
    }

    fn finish(&mut self, now: Instant, task: u32, ready: &mut VecDeque<u32>) {
        self.finish_by(now, task, task, ready);
    }

    fn finish_by(&mut self, now: Instant, task: u32, by: u32, ready: &mut VecDeque<u32>) {
        self.done[task] = now;
        self.note(task, true);
        let rank = self.outline.rank_of_end(task);
        for place in self.outline.waiting(task) {
            self.tell(News { now, rank, task: by }, self.outline.behind[place], ready);
        }
    }

    /// A task hears of something that happened at a rank.
    fn tell(&mut self, news: News, next: u32, ready: &mut VecDeque<u32>) {
        let rank = self.task(next).rank();
        if self.outline.work.signal == Duration::ZERO || rank == news.rank {
            return self.count(next, news.task, ready);
        }
        let heard = Heard::Signal { at: news.now + self.outline.work.signal, by: news.task };
        self.tell_rank(rank, Notice::new(next, heard));
    }

    /// One more of those that a task waits for.
    fn count(&mut self, task: u32, other: u32, ready: &mut VecDeque<u32>) {
        let beginning = &mut self.beginnings[task];
        if beginning.left > 0 {
            beginning.left -= 1;
            if beginning.left == 0 {
                beginning.by = other;
                ready.push_back(task);
            }
        }
    }

    /// For each task the one by which it became ready, or the first for which it waits still; itself if there is none.
    pub fn after(&self) -> Vec<u64> {
        let mut not_begun: BTreeMap<u32, u32> = BTreeMap::new();
        let is_awaited = |other: &u32| self.beginnings[*other].start == Instant::NEVER;
        for (task, other) in self.outline.work.graph.begun().iter().filter(|(_, other)| is_awaited(other)) {
            not_begun.entry(*task).or_insert(*other);
        }
        let is_undone = |other: &u32| self.done[*other] == Instant::NEVER;
        let of = |task: u32| {
            if self.beginnings[task].ready != Instant::NEVER {
                return self.beginnings[task].by;
            }
            let undone = self.outline.work.graph.waits_for(task).iter().copied().find(is_undone);
            undone.or_else(|| not_begun.get(&task).copied()).unwrap_or(task)
        };
        (0..self.done.len() as u32).map(|task| of(task).into()).collect()
    }

    /// When the last task was done, if all are.
    pub fn end(&self) -> Option<Instant> {
        let end = self.done.items().iter().copied().max()?;
        (end != Instant::NEVER).then_some(end)
    }

    /// A flow has come further, perhaps one that is not its own: whether something is done by that.
    pub fn handle_progress(&mut self, now: Instant, progress: Progress, released: &mut Vec<Release>) -> bool {
        if progress.has_arrived != (self.outline.work.done == Done::Arrived) {
            return false;
        }
        let Some(carrier) = self.outline.carrier(progress.flow) else { return false };
        let (mut ready, mut is_done) = (VecDeque::new(), false);
        while let Some((_, task)) = self.under_way[carrier].front().copied().filter(|(end, _)| *end <= progress.bytes) {
            self.under_way[carrier].pop_front();
            self.arrive(now, task, &mut ready);
            is_done = true;
        }
        self.start(now, ready, released);
        is_done
    }

    fn is_here(&self, rank: u32) -> bool {
        self.share.as_ref().is_none_or(|share| share.elsewhere(rank).is_none())
    }

    /// When it wants to be called.
    pub fn next_timeout(&self) -> Instant {
        match self.has_begun {
            false => Instant::from_ps(self.outline.work.start.ps()),
            true => self.next_signal().into_iter().chain(self.next_end()).min().unwrap_or(Instant::NEVER),
        }
    }

    /// Its deadline has come, perhaps.
    pub fn handle_timeout(&mut self, now: Instant, released: &mut Vec<Release>) {
        let mut ready = VecDeque::new();
        if !self.has_begun && self.next_timeout() <= now {
            self.has_begun = true;
            let tasks = 0..self.outline.work.graph.len() as u32;
            ready
                .extend(tasks.filter(|task| self.is_here(self.task(*task).rank()) && self.beginnings[*task].left == 0));
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
                self.processor(rank, processor).is_busy = false;
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
