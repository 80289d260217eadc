//! Threads that run partitions side by side.
//!
//! Each partition has two clocks: the time up to which it has handled everything, and that up to which it has posted what it sends,
//! which may be ahead, because in a round the nodes that send elsewhere come first. A packet that
//! leaves partition A at time t reaches B at t plus the delay of the fibre or later, so B may run up to the least
//! *posted* + delay over the partitions that send to it (conservative synchronisation after Chandy, Misra and Bryant, with
//! the clocks in shared memory instead of null messages). The partition whose clock is least can always go on, so
//! nothing can lock up; and since every partition sees the same packets in the same order however the threads run, so do
//! the results.

use super::net::{Mail, Net};
use super::partition::{Herald, Partition};
use super::parts::{Layout, Parts};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Called by every thread before each turn, with the number of the partition; for tests that make threads misbehave.
pub type Disturbance = Arc<dyn Fn(usize) + Send + Sync>;

/// Partitions at work.
pub struct Workers {
    cells: Vec<Cell>,
    threads: usize,
    /// The time to which all are to come; [`QUIT`] ends the work.
    goal: AtomicU64,
    /// A thread has panicked.
    failed: AtomicBool,
    disturbance: Option<Disturbance>,
}

const QUIT: u64 = u64::MAX;

/// How often a partition publishes its clock within its lookahead, if there is enough to do. With one turn for all of it, partitions
/// run in step, and each waits at every step for the one that had more to do; so it may be ahead by all but a turn. With four
/// the rounds of a partition would be half as long and cost more than the waits.
const TURNS: u64 = 2;
/// What is enough to do in a turn, in calls of hosts and agents: with less, turns cost more than waiting.
const ENOUGH: u64 = 512;
/// With so many partitions a thread, one that must wait for another has others to run. Then a turn is as long as can be, so that
/// what it brought into the cache is used as often as can be.
const BLOCKS: usize = 4;

/// The most effort of one turn, so that none takes long however much a fibre's delay allows.
const EFFORT_OF_A_TURN: u64 = 1 << 18;

/// A partition with what others need of it.
struct Cell {
    progress: Progress,
    partition: Mutex<Partition>,
    inboxes: Vec<Inbox>,
    /// Where its own mail goes: (partition, inbox there).
    outgoing: Vec<(usize, usize)>,
    /// The least of its inboxes.
    lookahead: AtomicU64,
}

/// What its own thread writes at the end of each turn, and others read. Alone in its line of the cache, and in the neighbouring one,
/// which processors fetch with it: a thread that waits reads others' clocks all the time.
#[derive(Default)]
#[repr(align(128))]
struct Progress {
    clock: AtomicU64,
    /// Everything that it sends to others before this time has been posted: in the middle of a round it may be ahead of the clock.
    posted: AtomicU64,
    /// Its effort since the last call of [`Workers::advance`].
    spent: AtomicU64,
    /// How far it goes in one turn; half of that is not worth the overhead.
    turn: AtomicU64,
}

/// What one partition has sent to another, apart from other inboxes in the cache.
#[repr(align(128))]
struct Inbox {
    from: usize,
    /// The least delay of the fibres between the two.
    lookahead: AtomicU64,
    mail: Mutex<Mail>,
}

impl Workers {
    /// `partitions` have all reached `now`.
    pub fn new(partitions: Vec<Partition>, layout: &Layout, threads: usize, now: u64) -> Workers {
        let mut cells: Vec<Cell> = partitions.into_iter().map(|partition| Cell::new(partition, now)).collect();
        for from in 0..cells.len() {
            let net = &cells[from].partition.get_mut().unwrap_or_else(PoisonError::into_inner).net;
            let targets: Vec<usize> = net.cuts().iter().map(|cut| cut.to as usize).collect();
            for to in targets {
                if !cells[from].outgoing.iter().any(|(known, _)| *known == to) {
                    let inbox = cells[to].inboxes.len();
                    cells[from].outgoing.push((to, inbox));
                    cells[to].inboxes.push(Inbox { from, lookahead: AtomicU64::new(0), mail: Mutex::default() });
                }
            }
        }
        let (goal, failed) = (AtomicU64::new(now), AtomicBool::new(false));
        let workers = Workers { cells, threads, goal, failed, disturbance: None };
        workers.pause(layout, |_| ());
        workers
    }

    /// Every thread calls `disturbance` before each turn.
    pub fn disturbed_by(self, disturbance: Option<Disturbance>) -> Workers {
        Workers { disturbance, ..self }
    }

    /// Brings all partitions to `goal`, or, once they have spent more than `effort`, to about where the first of them
    /// is; `effort` becomes what is left of it. The calling thread does the work of thread 0. Returns the time before which
    /// everything has happened. Some partitions may be ahead of it, as they are while the workers works.
    pub fn advance(&self, mut goal: u64, effort: &mut u64) -> u64 {
        self.cells.iter().for_each(|cell| cell.progress.spent.store(0, Ordering::Relaxed));
        self.goal.store(goal, Ordering::Release);
        let mut patience = Patience::default();
        while !self.failed.load(Ordering::Relaxed) {
            let worked = self.take_turns(0, goal);
            if self.clocks().all(|clock| clock >= goal) {
                break;
            }
            // Asked after work only: a thread that waits would take the lines of all others.
            if worked && self.spent() >= *effort {
                goal = self.clocks().max().map_or(goal, |first| first.min(goal));
                self.goal.store(goal, Ordering::Release);
            }
            patience.after(worked);
        }
        *effort = effort.saturating_sub(self.spent());
        self.clocks().min().map_or(goal, |last| last.min(goal))
    }

    fn clocks(&self) -> impl Iterator<Item = u64> + '_ {
        self.cells.iter().map(Cell::clock)
    }

    /// The effort of all since the last call of [`Workers::advance`].
    fn spent(&self) -> u64 {
        self.cells.iter().map(|cell| cell.progress.spent.load(Ordering::Relaxed)).sum()
    }

    /// Whether a thread has panicked; the work is worthless then.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// What thread `number` does until the workers is released.
    pub fn work(&self, number: usize) {
        let _alarm = Alarm(self);
        let mut patience = Patience::default();
        loop {
            let goal = self.goal.load(Ordering::Acquire);
            if goal == QUIT {
                break;
            }
            patience.after(self.take_turns(number, goal));
        }
    }

    /// Ends the work of all threads when it goes out of scope.
    pub fn until_dropped(&self) -> impl Drop + '_ {
        Release(self)
    }

    /// Lets `act` see all partitions, which have reached the same time, as one. Nobody works meanwhile.
    pub fn pause<T>(&self, layout: &Layout, act: impl FnOnce(&mut Parts) -> T) -> T {
        let mut guards: Vec<MutexGuard<Partition>> = self.cells.iter().map(Cell::lock).collect();
        self.cells.iter().zip(&mut guards).for_each(|(cell, partition)| cell.collect_mail(partition));
        let mut parts = Parts { layout, list: guards.iter_mut().map(|guard| &mut **guard).collect() };
        let result = act(&mut parts);
        self.read_lookaheads(&mut parts);
        result
    }

    /// The partitions, when the work is over.
    pub fn into_partitions(self) -> Vec<Partition> {
        let cells = self.cells.into_iter();
        cells.map(|cell| cell.partition.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// One turn of each partition of thread `number`; whether any went on.
    fn take_turns(&self, number: usize, goal: u64) -> bool {
        let mut worked = false;
        for part in (number..self.cells.len()).step_by(self.threads) {
            if let Some(disturbance) = &self.disturbance {
                disturbance(part);
            }
            worked |= self.take_turn(part, goal);
        }
        worked
    }

    fn take_turn(&self, part: usize, goal: u64) -> bool {
        let cell = &self.cells[part];
        let progress = &cell.progress;
        let reached = progress.clock.load(Ordering::Relaxed);
        // First the clocks, then the mail: what was sent before a partition's time is there.
        let (safe, turn) = (self.limit(cell).min(goal), progress.turn.load(Ordering::Relaxed));
        if safe <= reached || (safe < goal && safe - reached < turn / 2) {
            return false;
        }
        let (before, limit) = (reached, safe.min(reached.saturating_add(turn)));
        let mut partition = cell.lock();
        cell.collect_mail(&mut partition);
        let mut effort = EFFORT_OF_A_TURN;
        let post = |net: &mut Net, reached: u64| {
            net.post(reached);
            self.send_mail(cell, net);
            progress.posted.store(reached, Ordering::Release);
        };
        let herald = |net: &mut Net, reached: u64| {
            if reached == limit {
                post(net, reached);
            }
        };
        let reached = partition.run(limit, &mut effort, self.herald(&herald));
        post(&mut partition.net, reached);
        drop(partition);
        let spent = EFFORT_OF_A_TURN - effort;
        progress.spent.fetch_add(spent, Ordering::Relaxed);
        progress.turn.store(self.turn(cell, reached - before, spent), Ordering::Relaxed);
        progress.clock.store(reached, Ordering::Release);
        true
    }

    /// Who is told in the middle of a turn. Where a thread has many partitions nobody waits for one.
    fn herald<'a>(&self, tell: &'a dyn Fn(&mut Net, u64)) -> Herald<'a> {
        (!self.are_blocks()).then_some(tell)
    }

    fn are_blocks(&self) -> bool {
        self.cells.len() >= BLOCKS * self.threads
    }

    /// How far a partition that has spent so much effort in a `span` goes in its next turn.
    fn turn(&self, cell: &Cell, span: u64, effort: u64) -> u64 {
        let lookahead = cell.lookahead.load(Ordering::Relaxed);
        let enough = span.saturating_mul(ENOUGH) / effort.max(1);
        let turns = if self.are_blocks() { 1 } else { TURNS };
        enough.clamp(lookahead / turns, lookahead).max(1)
    }

    /// The time before which everything that will arrive from elsewhere has been posted.
    fn limit(&self, cell: &Cell) -> u64 {
        let safe = |inbox: &Inbox| {
            let posted = self.cells[inbox.from].progress.posted.load(Ordering::Acquire);
            posted.saturating_add(inbox.lookahead.load(Ordering::Relaxed))
        };
        cell.inboxes.iter().map(safe).min().unwrap_or(u64::MAX)
    }

    fn send_mail(&self, cell: &Cell, net: &mut Net) {
        for (to, inbox) in &cell.outgoing {
            let newer = &mut net.outbox[*to];
            if !newer.is_empty() {
                let mail = &self.cells[*to].inboxes[*inbox].mail;
                mail.lock().unwrap_or_else(PoisonError::into_inner).append(newer);
            }
        }
    }

    /// The least delay between each two partitions, which the scenario may have changed.
    fn read_lookaheads(&self, parts: &mut Parts) {
        let cell =
            |cell: &Cell| cell.inboxes.iter().for_each(|inbox| inbox.lookahead.store(u64::MAX, Ordering::Relaxed));
        self.cells.iter().for_each(cell);
        let layout = parts.layout;
        for (link, (from, to)) in layout.ports.iter().zip(&layout.fibres).enumerate() {
            if from.part != to.part {
                let delay = parts.port(link as u32).delay();
                let inboxes = self.cells[to.part as usize].inboxes.iter();
                inboxes.filter(|inbox| inbox.from == from.part as usize).for_each(|inbox| {
                    inbox.lookahead.fetch_min(delay, Ordering::Relaxed);
                });
            }
        }
        for cell in &self.cells {
            let least = cell.inboxes.iter().map(|inbox| inbox.lookahead.load(Ordering::Relaxed)).min();
            cell.lookahead.store(least.unwrap_or(u64::MAX), Ordering::Relaxed);
            cell.progress.turn.store(self.turn(cell, 0, ENOUGH), Ordering::Relaxed);
        }
    }
}

impl Cell {
    fn new(partition: Partition, now: u64) -> Cell {
        let progress = Progress { clock: AtomicU64::new(now), posted: AtomicU64::new(now), ..Progress::default() };
        let partition = Mutex::new(partition);
        Cell { progress, partition, inboxes: Vec::new(), outgoing: Vec::new(), lookahead: AtomicU64::new(0) }
    }

    fn clock(&self) -> u64 {
        self.progress.clock.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Partition> {
        self.partition.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn collect_mail(&self, partition: &mut Partition) {
        for inbox in &self.inboxes {
            partition.receive(&mut inbox.mail.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// How long a thread that has nothing to do keeps the processor.
#[derive(Default)]
struct Patience {
    idle_rounds: u32,
}

impl Patience {
    const SPINS: u32 = 200;

    fn after(&mut self, worked: bool) {
        self.idle_rounds = if worked { 0 } else { self.idle_rounds + 1 };
        match self.idle_rounds {
            0 => {}
            1..Self::SPINS => std::hint::spin_loop(),
            _ => std::thread::yield_now(),
        }
    }
}

/// Ends the work.
struct Release<'a>(&'a Workers);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.goal.store(QUIT, Ordering::Release);
    }
}

/// Tells the others of a panic, so that nobody waits for a clock that stands still.
struct Alarm<'a>(&'a Workers);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.failed.store(true, Ordering::Relaxed);
        }
    }
}
