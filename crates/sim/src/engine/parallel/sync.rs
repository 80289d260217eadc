//! Threads that run partitions side by side.
//!
//! Each partition has two clocks: the time up to which it has handled everything, and that up to which it has sent,
//! which may be ahead, because in a window the nodes that send elsewhere come first. A packet that leaves partition A
//! at time t reaches B at t plus the delay of the fibre or later, so B may run up to the least *sent* + delay over the
//! partitions that send to it (conservative synchronisation after Chandy, Misra and Bryant, with the clocks in shared
//! memory instead of null messages). The partition whose clock is least can always go on, so nothing can lock up; and
//! since every partition sees the same packets in the same order however the threads run, so do the results.

use crate::engine::execute::layout::{PartitionLayout, Partitions};
use crate::engine::execute::partition::Partition;
use crate::engine::execute::run::EarlyUpdate;
use crate::engine::node::fabric::{Batch, Fabric};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use units::Duration;

/// Called by every thread before each step, with the number of the partition; for tests that make threads misbehave.
pub type FaultInjection = Arc<dyn Fn(usize) + Send + Sync>;

/// Partitions at work.
pub struct Synchronizer {
    partitions: Vec<SharedPartition>,
    threads: usize,
    /// The time to which all are to come; [`QUIT`] ends the work.
    goal: AtomicU64,
    /// A thread has panicked.
    failed: AtomicBool,
    fault_injection: Option<FaultInjection>,
}

const QUIT: u64 = u64::MAX;

/// How often a partition publishes its clock within its lookahead, if there is enough to do. With one step for all of
/// it, partitions run in lockstep, and each waits at every step for the one that had more to do; so it may be ahead by
/// all but a step. With four the windows of a partition would be half as long and cost more than the waits.
const STEPS: u64 = 2;
/// What is enough to do in a step, in calls of hosts and agents: with less, steps cost more than waiting.
const ENOUGH: u64 = 512;
/// With so many partitions a thread, one that must wait for another has others to run. Then a step is as long as can
/// be, so that what it brought into the cache is used as often as can be.
const BLOCKS: usize = 4;

/// The most effort of one step, so that none takes long however much a fibre's delay allows.
const EFFORT_OF_A_STEP: u64 = 1 << 18;

/// A partition with what others need of it.
struct SharedPartition {
    times: PublishedTimes,
    partition: Mutex<Partition>,
    incoming: Vec<Channel>,
    /// Its channels to other partitions: (partition, channel there).
    outgoing: Vec<(usize, usize)>,
    /// The least of its incoming channels.
    lookahead: AtomicU64,
}

/// What its own thread writes at the end of each step, and others read. Alone in its line of the cache, and in the
/// neighbouring one, which processors fetch with it: a thread that waits reads others' clocks all the time.
#[derive(Default)]
#[repr(align(128))]
struct PublishedTimes {
    clock: AtomicU64,
    /// Everything that it sends to others before this time has been handed over: in the middle of a window it may be
    /// ahead of the clock.
    sent: AtomicU64,
    /// Its effort since the last call of [`Synchronizer::advance`].
    spent: AtomicU64,
    /// How far it goes in one step; half of that is not worth the overhead.
    step: AtomicU64,
}

/// What one partition has sent to another, in cache lines of its own.
#[repr(align(128))]
struct Channel {
    from: usize,
    /// The least delay of the fibres between the two.
    lookahead: AtomicU64,
    batch: Mutex<Batch>,
}

impl Synchronizer {
    /// `partitions` have all reached `now`.
    pub fn new(partitions: Vec<Partition>, layout: &PartitionLayout, threads: usize, now: u64) -> Synchronizer {
        let mut partitions: Vec<SharedPartition> =
            partitions.into_iter().map(|partition| SharedPartition::new(partition, now)).collect();
        let count = partitions.len();
        for from in 0..count {
            let partition = partitions[from].partition.get_mut().unwrap_or_else(PoisonError::into_inner);
            let fabric = &partition.fabric;
            let mut targets: Vec<usize> = fabric.boundaries().iter().map(|cut| cut.to as usize).collect();
            // Work there is told of what is done here.
            if !partition.hosts.work.is_empty() {
                targets.extend((0..count).filter(|to| *to != from));
            }
            for to in targets {
                if !partitions[from].outgoing.iter().any(|(known, _)| *known == to) {
                    let channel = partitions[to].incoming.len();
                    partitions[from].outgoing.push((to, channel));
                    partitions[to].incoming.push(Channel {
                        from,
                        lookahead: AtomicU64::new(0),
                        batch: Mutex::default(),
                    });
                }
            }
        }
        let (goal, failed) = (AtomicU64::new(now), AtomicBool::new(false));
        let workers = Synchronizer { partitions, threads, goal, failed, fault_injection: None };
        workers.pause(layout, |_| ());
        workers
    }

    /// Every thread calls `fault_injection` before each step.
    pub fn with_faults(self, fault_injection: Option<FaultInjection>) -> Synchronizer {
        Synchronizer { fault_injection, ..self }
    }

    /// Brings all partitions to `goal`, or, once they have spent more than `effort`, to about where the first of them
    /// is; `effort` becomes what is left of it. The calling thread does the work of thread 0. Returns the time before
    /// which everything has happened. Some partitions may be ahead of it, as they are while threads work.
    pub fn advance(&self, mut goal: u64, effort: &mut u64) -> u64 {
        self.partitions.iter().for_each(|shared| shared.times.spent.store(0, Ordering::Relaxed));
        self.goal.store(goal, Ordering::Release);
        let mut back_off = BackOff::default();
        while !self.failed.load(Ordering::Relaxed) {
            let worked = self.take_steps(0, goal);
            if self.clocks().all(|clock| clock >= goal) {
                break;
            }
            // Asked after work only: a thread that waits would take the lines of all others.
            if worked && self.spent() >= *effort {
                goal = self.clocks().max().map_or(goal, |first| first.min(goal));
                self.goal.store(goal, Ordering::Release);
            }
            back_off.after(worked);
        }
        *effort = effort.saturating_sub(self.spent());
        self.clocks().min().map_or(goal, |last| last.min(goal))
    }

    fn clocks(&self) -> impl Iterator<Item = u64> + '_ {
        self.partitions.iter().map(SharedPartition::clock)
    }

    /// The effort of all since the last call of [`Synchronizer::advance`].
    fn spent(&self) -> u64 {
        self.partitions.iter().map(|shared| shared.times.spent.load(Ordering::Relaxed)).sum()
    }

    /// Whether a thread has panicked; the work is worthless then.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// What thread `number` does until the work is over.
    pub fn work(&self, number: usize) {
        let _alarm = PanicFlag(self);
        let mut back_off = BackOff::default();
        loop {
            let goal = self.goal.load(Ordering::Acquire);
            if goal == QUIT {
                break;
            }
            back_off.after(self.take_steps(number, goal));
        }
    }

    /// Ends the work of all threads when it goes out of scope.
    pub fn until_dropped(&self) -> impl Drop + '_ {
        QuitOnDrop(self)
    }

    /// Lets `act` see all partitions, which have reached the same time, as one. Nobody works meanwhile.
    pub fn pause<T>(&self, layout: &PartitionLayout, act: impl FnOnce(&mut Partitions) -> T) -> T {
        let mut guards: Vec<MutexGuard<Partition>> = self.partitions.iter().map(SharedPartition::lock).collect();
        self.partitions.iter().zip(&mut guards).for_each(|(shared, partition)| shared.receive_batches(partition));
        let mut parts = Partitions { layout, list: guards.iter_mut().map(|guard| &mut **guard).collect() };
        let result = act(&mut parts);
        self.read_lookaheads(&mut parts);
        result
    }

    /// The partitions, when the work is over.
    pub fn into_partitions(self) -> Vec<Partition> {
        let partitions = self.partitions.into_iter();
        partitions.map(|shared| shared.partition.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// One step of each partition of thread `number`; whether any went on.
    fn take_steps(&self, number: usize, goal: u64) -> bool {
        let mut worked = false;
        for part in (number..self.partitions.len()).step_by(self.threads) {
            if let Some(fault_injection) = &self.fault_injection {
                fault_injection(part);
            }
            worked |= self.take_step(part, goal);
        }
        worked
    }

    fn take_step(&self, part: usize, goal: u64) -> bool {
        let shared = &self.partitions[part];
        let times = &shared.times;
        let reached = times.clock.load(Ordering::Relaxed);
        // First the clocks, then the packets: what was sent before a partition's time is there.
        let (safe, step) = (self.limit(shared).min(goal), times.step.load(Ordering::Relaxed));
        if safe <= reached || (safe < goal && safe - reached < step / 2) {
            return false;
        }
        let (before, limit) = (reached, safe.min(reached.saturating_add(step)));
        let mut partition = shared.lock();
        shared.receive_batches(&mut partition);
        let mut effort = EFFORT_OF_A_STEP;
        let send = |fabric: &mut Fabric, reached: u64| {
            fabric.send_out();
            self.send_batches(shared, fabric);
            times.sent.store(reached, Ordering::Release);
        };
        let early_update = |fabric: &mut Fabric, reached: u64| {
            if reached == limit {
                send(fabric, reached);
            }
        };
        let reached = partition.run(limit, &mut effort, self.early_update(&early_update));
        send(&mut partition.fabric, reached);
        drop(partition);
        let spent = EFFORT_OF_A_STEP - effort;
        times.spent.fetch_add(spent, Ordering::Relaxed);
        times.step.store(self.step(shared, reached - before, spent), Ordering::Relaxed);
        times.clock.store(reached, Ordering::Release);
        true
    }

    /// Who is told in the middle of a step. Where a thread has many partitions nobody waits for one.
    fn early_update<'a>(&self, tell: &'a dyn Fn(&mut Fabric, u64)) -> EarlyUpdate<'a> {
        (!self.are_blocks()).then_some(tell)
    }

    fn are_blocks(&self) -> bool {
        self.partitions.len() >= BLOCKS * self.threads
    }

    /// How far a partition that has spent so much effort in a `span` goes in its next step.
    fn step(&self, shared: &SharedPartition, span: u64, effort: u64) -> u64 {
        let lookahead = shared.lookahead.load(Ordering::Relaxed);
        let enough = span.saturating_mul(ENOUGH) / effort.max(1);
        let steps = if self.are_blocks() { 1 } else { STEPS };
        enough.clamp(lookahead / steps, lookahead).max(1)
    }

    /// The time before which everything that will arrive from elsewhere has been sent.
    fn limit(&self, shared: &SharedPartition) -> u64 {
        let safe = |channel: &Channel| {
            let sent = self.partitions[channel.from].times.sent.load(Ordering::Acquire);
            sent.saturating_add(channel.lookahead.load(Ordering::Relaxed))
        };
        shared.incoming.iter().map(safe).min().unwrap_or(u64::MAX)
    }

    fn send_batches(&self, shared: &SharedPartition, fabric: &mut Fabric) {
        for (to, channel) in &shared.outgoing {
            let newer = &mut fabric.outgoing[*to];
            if !newer.is_empty() {
                let batch = &self.partitions[*to].incoming[*channel].batch;
                batch.lock().unwrap_or_else(PoisonError::into_inner).append(newer);
            }
        }
    }

    /// The least delay between each two partitions, which the scenario may have changed.
    fn read_lookaheads(&self, parts: &mut Partitions) {
        let signal = parts.list.iter().filter_map(|part| part.hosts.work.lookahead()).min();
        let signal = signal.map_or(u64::MAX, Duration::ps);
        let shared = |shared: &SharedPartition| {
            shared.incoming.iter().for_each(|channel| channel.lookahead.store(signal, Ordering::Relaxed))
        };
        self.partitions.iter().for_each(shared);
        let layout = parts.layout;
        for (link, (from, to)) in layout.ports.iter().zip(&layout.fibres).enumerate() {
            if from.part != to.part {
                let delay = parts.port(link as u32).delay();
                let incoming = self.partitions[to.part as usize].incoming.iter();
                incoming.filter(|channel| channel.from == from.part as usize).for_each(|channel| {
                    channel.lookahead.fetch_min(delay, Ordering::Relaxed);
                });
            }
        }
        for shared in &self.partitions {
            let least = shared.incoming.iter().map(|channel| channel.lookahead.load(Ordering::Relaxed)).min();
            shared.lookahead.store(least.unwrap_or(u64::MAX), Ordering::Relaxed);
            shared.times.step.store(self.step(shared, 0, ENOUGH), Ordering::Relaxed);
        }
    }
}

impl SharedPartition {
    fn new(partition: Partition, now: u64) -> SharedPartition {
        let times =
            PublishedTimes { clock: AtomicU64::new(now), sent: AtomicU64::new(now), ..PublishedTimes::default() };
        let partition = Mutex::new(partition);
        SharedPartition { times, partition, incoming: Vec::new(), outgoing: Vec::new(), lookahead: AtomicU64::new(0) }
    }

    fn clock(&self) -> u64 {
        self.times.clock.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Partition> {
        self.partition.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn receive_batches(&self, partition: &mut Partition) {
        for channel in &self.incoming {
            partition.receive(&mut channel.batch.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// How long a thread that has nothing to do keeps the processor.
#[derive(Default)]
struct BackOff {
    idle_rounds: u32,
}

impl BackOff {
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
struct QuitOnDrop<'a>(&'a Synchronizer);

impl Drop for QuitOnDrop<'_> {
    fn drop(&mut self) {
        self.0.goal.store(QUIT, Ordering::Release);
    }
}

/// Tells the others of a panic, so that nobody waits for a clock that stands still.
struct PanicFlag<'a>(&'a Synchronizer);

impl Drop for PanicFlag<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.failed.store(true, Ordering::Relaxed);
        }
    }
}
