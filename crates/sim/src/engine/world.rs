//! A run, from a network at rest to its end.
//!
//! The world cuts time at the instants at which something happens from outside (a link changes, routes change, a sample
//! is due, the warm-up ends) and lets its partitions run between them. What the outside does at an instant comes before
//! its events. It begins with one partition. If it may use more threads, or if its state is much larger than a cache,
//! it looks at the work of every node after 1/256 of the run and at each doubling, and repartitions if that pays.

pub(crate) mod build;
mod changes;
mod controls;
mod hashing;
mod host_links;
mod live;
#[cfg(test)]
mod migration_tests;
mod news;
mod options;
mod paths;
mod sharing;
mod small_queues;
mod so_far;
mod sprayed;
mod timed;
mod watching;

pub use hashing::Hashed;
pub use options::{Options, RunError};

use crate::engine::execute::layout::{PartitionLayout, Partitions};
use crate::engine::execute::partition::{Partition, packet_hops};
use crate::engine::execute::windowed::Schedule;
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::{Counters, Record};
use crate::engine::observe::accounts::{Accounts, Baseline};
use crate::engine::observe::host_queues::HostQueues;
use crate::engine::observe::observers::Observers;
use crate::engine::observe::sampler::Sampler;
use crate::engine::observe::trace::{Merged, Sink, merged};
use crate::engine::parallel::migrate::migrate;
use crate::engine::parallel::partitioner::{Work, is_large};
use crate::engine::parallel::sync::{FaultInjection, Synchronizer};
use crate::model::{Change, Flow, LinkId, MidPacket, SimTime};
use build::Setup;
use changes::Changes;
use controls::{Action, Control, add_sample, reroute};
use std::sync::Arc;
use watching::{needs_one_thread, too_few};

/// How a run used threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parallelism {
    /// Threads at work.
    pub threads: usize,
    /// Why there are fewer than were allowed.
    pub reason: Option<String>,
}

/// The work of the nodes is looked at first after this part of the run.
const FIRST_LOOK: u64 = 256;

/// Who does the work.
struct ThreadPool {
    /// The most threads to use.
    threads: usize,
    /// When the work of the nodes was looked at last.
    last_look: SimTime,
    /// When it is looked at next.
    next_look: SimTime,
    /// Packets that every link had delivered at the last look.
    delivered: Vec<u64>,
    /// Why fewer threads work than may, in words.
    reason: Option<String>,
    /// Events before the nodes were assigned last.
    events_before: u64,
    fault_injection: Option<FaultInjection>,
}

impl ThreadPool {
    /// One thread, for a network of `links` links.
    fn alone(links: usize) -> ThreadPool {
        ThreadPool {
            threads: 1,
            last_look: SimTime::ZERO,
            next_look: SimTime::NEVER,
            delivered: vec![0; links],
            reason: None,
            events_before: 0,
            fault_injection: None,
        }
    }
}

/// A run in progress.
pub struct World {
    /// When it ends.
    end: SimTime,
    partitions: Vec<Partition>,
    /// Where everything is.
    pub(crate) layout: Arc<PartitionLayout>,
    threading: ThreadPool,
    /// In which order partitions handle their events.
    schedule: Schedule,
    /// The engine's number of each link.
    pub(crate) link_numbers: Vec<u32>,
    /// What will happen besides changes of links, latest first.
    controls: Vec<Control>,
    /// How links will change.
    changes: Changes,
    pub(crate) sampler: Sampler,
    pub(crate) baseline: Baseline,
    pub(crate) host_queues: HostQueues,
    /// What happened, if anybody asked; made at the end.
    pub(crate) trace: Option<Merged>,
    pub(crate) now: SimTime,
    /// Flows on their links, where nodes hash them.
    pub(crate) hashed: Option<Hashed>,
}

impl World {
    /// Sets up a network with nothing sent yet; `equip` makes its agents.
    pub fn new(setup: Setup, equip: impl FnOnce(&mut BuildContext) -> AgentSetup) -> Result<World, RunError> {
        options::check_number(setup.flows.len())?;
        let scenario = setup.scenario;
        let mut world = build::world(setup, equip)?;
        world.add_watches(scenario);
        world.use_threads(1);
        Ok(world)
    }

    /// The true time up to which everything has happened.
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// When the run ends.
    pub fn end(&self) -> SimTime {
        self.end
    }

    /// Packets sent on links so far.
    pub fn packet_hops(&self) -> u64 {
        packet_hops(self.partitions.iter())
    }

    /// Arrivals, and timers that did something, so far.
    pub fn events(&self) -> u64 {
        self.partitions.iter().map(|part| part.events).sum()
    }

    /// The messages that agents have kept so far, in the order of time, then of nodes.
    pub fn records(&self) -> Vec<Record> {
        let mut counters = Counters::default();
        self.partitions.iter().for_each(|part| part.hosts.account(&mut counters));
        counters.records.sort_by_key(|record| (record.at, record.node));
        counters.records
    }

    /// The flows of this run, by number.
    pub fn flows(&self) -> &[Flow] {
        &self.layout.flows
    }

    /// Lets up to `threads` threads work. It does not change the results. With a capture, one works: the file is
    /// written in the order of time.
    pub fn use_threads(&mut self, threads: usize) {
        let reason = self.partitions.iter().find_map(|part| needs_one_thread(part));
        let alone = reason.is_some();
        self.threading.threads = if alone { 1 } else { threads.max(1) };
        self.threading.reason = reason.filter(|_| threads > 1).map(str::to_owned);
        let first_look = SimTime::from_ps((self.end.ps() / FIRST_LOOK).max(self.now.ps() + 1));
        let may_block = is_large(self.layout.links.len(), self.layout.flows.len());
        let may_cut = self.threading.threads > 1 || may_block && self.partitions[0].hosts.work.is_empty();
        self.threading.next_look = if may_cut && !alone { first_look } else { SimTime::NEVER };
    }

    /// Windows, node after node, that the present partitions have made.
    pub fn rounds(&self) -> u64 {
        self.partitions.iter().map(|part| part.windowed.made()).sum()
    }

    /// Handles events in this order from now on. It does not change the results.
    pub fn take(&mut self, schedule: Schedule) {
        self.schedule = schedule;
        self.partitions.iter_mut().for_each(|part| part.take(schedule));
    }

    /// Every thread calls `fault_injection` before each turn, with the number of its partition: for tests that make
    /// threads misbehave.
    pub fn disturb(&mut self, fault_injection: FaultInjection) {
        self.threading.fault_injection = Some(fault_injection);
    }

    /// How many threads work, and why not as many as were allowed.
    pub fn parallelism(&self) -> Parallelism {
        let threads = self.partitions.len().min(self.threading.threads);
        Parallelism { threads, reason: self.threading.reason.clone() }
    }

    /// The events that each thread has handled since the nodes were assigned last: how evenly the work lies.
    pub fn shares(&self) -> Vec<u64> {
        let mut shares = vec![0; self.parallelism().threads];
        let threads = shares.len();
        for (part, partition) in self.partitions.iter().enumerate() {
            // What was counted before the last migration went to the first.
            let before = if part == 0 { self.threading.events_before } else { 0 };
            shares[part % threads] += partition.events - before;
        }
        shares
    }

    /// Bytes of memory held by flows: both machines of each, without what they have allocated.
    pub fn bytes_per_flow(&self) -> usize {
        build::BYTES_PER_FLOW
    }

    /// Events of the trace go there, if anything is traced. For a new world, which is one partition.
    pub fn trace_to(&mut self, sink: impl FnOnce(&World) -> Box<dyn Sink>) {
        let is_traced = Observers::of(&self.partitions[0].fabric).is_some_and(|observers| observers.trace.is_some());
        let sink = is_traced.then(|| sink(self));
        let observers = Observers::of_mut(&mut self.partitions[0].fabric);
        if let (Some(sink), Some(trace)) = (sink, observers.and_then(|observers| observers.trace.as_mut())) {
            trace.go_to(sink);
            trace.go_alone();
        }
    }

    /// Handles everything before `limit`, or before the end of the run if that is earlier. Where a run is cut does not
    /// change it.
    pub fn run_until(&mut self, limit: SimTime) {
        self.run_on(limit, u64::MAX);
    }

    /// The same, but comes back when hosts, agents and samples have had about `effort` turns, at least one;
    /// [`World::now`] says how far it came.
    pub fn run_on(&mut self, limit: SimTime, effort: u64) {
        let (limit, mut effort) = (limit.min(self.end()), effort.max(1));
        while self.now < limit && effort > 0 {
            let stretch = limit.min(self.threading.next_look);
            if self.partitions.len() == 1 {
                self.run_alone(stretch, &mut effort)
            } else {
                self.run_together(stretch, &mut effort)
            }
            if self.now == self.threading.next_look && self.now < self.end() {
                self.look();
            }
        }
    }

    /// Closes captures, checks that no packet was made or lost by the engine itself, and lets `read` see the world at
    /// its end.
    pub fn finish<T>(mut self, read: impl FnOnce(&mut World, &mut Partitions) -> T) -> Result<T, RunError> {
        let observers = self.partitions.iter_mut().filter_map(|part| Observers::of_mut(&mut part.fabric));
        let mut captures = observers.filter_map(|observers| observers.capture.take());
        captures.try_for_each(|mut capture| capture.finish().map_err(RunError::Capture))?;
        let layout = Arc::clone(&self.layout);
        let mut partitions = std::mem::take(&mut self.partitions);
        self.trace = whole_trace(&mut partitions);
        let mut parts = Partitions::new(&layout, &mut partitions);
        Accounts::check(&parts).map_err(RunError::NotConserved)?;
        Ok(read(&mut self, &mut parts))
    }

    /// Assigns the nodes to partitions, `of_node` giving the partition of each node. It does not change the results.
    /// Where work needs all nodes in one, they stay there.
    pub fn migrate(&mut self, of_node: &[u32]) {
        if self.partitions.iter().any(|part| part.hosts.work.lookahead().is_none()) {
            return;
        }
        let new = self.layout.assigned(of_node.to_vec());
        let partitions = std::mem::take(&mut self.partitions);
        self.partitions = migrate(self.now.ps(), partitions, &self.layout, &new);
        self.layout = Arc::new(new);
        if self.schedule != Schedule::Auto {
            self.take(self.schedule);
        }
        self.threading.events_before = self.events();
    }

    fn run_alone(&mut self, limit: SimTime, effort: &mut u64) {
        let (layout, mut partitions) = (Arc::clone(&self.layout), std::mem::take(&mut self.partitions));
        while self.now < limit && *effort > 0 {
            let outside = self.next_control().min(limit);
            let reached = partitions.iter_mut().map(|partition| partition.run(outside.ps(), effort, None)).min();
            self.now = reached.map_or(outside, SimTime::from_ps);
            if self.now == outside && outside < limit {
                self.do_what_is_due(&mut Partitions::new(&layout, &mut partitions), effort);
            }
        }
        self.partitions = partitions;
    }

    fn run_together(&mut self, limit: SimTime, effort: &mut u64) {
        let (layout, partitions) = (Arc::clone(&self.layout), std::mem::take(&mut self.partitions));
        let threads = self.threading.threads.clamp(1, partitions.len());
        let workers = Synchronizer::new(partitions, &layout, threads, self.now.ps());
        let workers = workers.with_faults(self.threading.fault_injection.clone());
        std::thread::scope(|scope| {
            let workers = &workers;
            (1..threads).for_each(|number| drop(scope.spawn(move || workers.work(number))));
            let _release = workers.until_dropped();
            while self.now < limit && *effort > 0 && !workers.has_failed() {
                let outside = self.next_control().min(limit);
                self.now = SimTime::from_ps(workers.advance(outside.ps(), effort));
                if self.now == outside && outside < limit {
                    workers.pause(&layout, |parts| self.do_what_is_due(parts, effort));
                }
            }
        });
        // A thread that still had an earlier goal in hand may have gone past the last one. Only now has everyone
        // stopped, and what they sent is taken in.
        workers.pause(&layout, |_| ());
        self.partitions = workers.into_partitions();
    }

    /// Looks at the work of every node since the last look, and repartitions if that is worth it.
    fn look(&mut self) {
        let layout = Arc::clone(&self.layout);
        let parts = Partitions::new(&layout, &mut self.partitions);
        let delivered: Vec<u64> = (0..layout.links.len() as u32).map(|link| parts.fibre(link).taken_out()).collect();
        let since: Vec<u64> = delivered.iter().zip(&self.threading.delivered).map(|(now, then)| now - then).collect();
        let span = self.now.ps() - self.threading.last_look.ps();
        let work = Work::measured(&parts, &since, span, self.threading.threads);
        let plan = work.plan();
        if work.is_worth_moving(&layout.of_node, &plan) {
            self.migrate(&plan);
        }
        self.threading.reason = too_few(self.partitions.len(), self.threading.threads);
        self.threading.delivered = delivered;
        self.threading.last_look = self.now;
        self.threading.next_look = SimTime::from_ps(self.now.ps().saturating_mul(2));
    }

    fn next_control(&self) -> SimTime {
        self.controls.last().map_or(SimTime::NEVER, |control| control.at).min(self.changes.next())
    }

    /// Does everything that happens from outside now; each sampled flow and link, and each change, takes of the effort
    /// what an event does.
    fn do_what_is_due(&mut self, parts: &mut Partitions, effort: &mut u64) {
        self.control(Action::precedes_changes, parts, effort);
        while let Some((link, change)) = self.changes.pop(self.now) {
            self.change(link, change, parts);
            *effort = effort.saturating_sub(1);
        }
        self.control(|_| true, parts, effort);
    }

    /// Does such of it as is no change of a link.
    fn control(&mut self, is_such: impl Fn(&Action) -> bool, parts: &mut Partitions, effort: &mut u64) {
        let now = self.now;
        while let Some(control) = self.controls.pop_if(|control| control.at == now && is_such(&control.action)) {
            match control.action {
                Action::Sample => {
                    self.sampler.sample(self.now, parts);
                    *effort = effort.saturating_sub(self.sampler.entities() as u64 + 1);
                    add_sample(&mut self.controls, &self.sampler);
                }
                Action::LastTenth => self.host_queues.begin(self.now, parts),
                Action::EndWarmUp => self.baseline = Baseline::read(self.now, parts),
                Action::Mark(link, is_on) => parts.port_mut(self.link_numbers[link.index()]).mark_all(is_on),
                Action::Reroute(paths) => reroute(&paths, parts),
            }
        }
    }

    fn change(&self, link: LinkId, change: Change, parts: &mut Partitions) {
        let (now, link) = (self.now.ps(), self.link_numbers[link.index()]);
        if let Change::Capacity(_, MidPacket::Cut) | Change::Delay(_, MidPacket::Cut) = change {
            parts.cut(now, link);
        }
        match change {
            Change::Capacity(capacity, rest) => {
                parts.retime_link(now, link, |port, fibre| port.change_capacity(now, capacity, rest, fibre));
            }
            Change::Delay(delay, rest) => {
                parts.retime_link(now, link, |port, fibre| port.change_delay(now, delay, rest, fibre));
            }
            Change::Deliver(bytes) => {
                parts.retime_link(now, link, |port, fibre| port.deliver(now, bytes, fibre));
            }
            Change::Told(capacity) => parts.port_mut(link).tell_capacity(now, capacity),
            Change::Buffer(buffer) => parts.port_mut(link).change_buffer(buffer),
            Change::Property(key, value) => parts.port_mut(link).change_property(key, value),
            Change::Down(rest) => parts.take_down(now, link, rest),
            Change::Up => parts.port_mut(link).bring_up(),
        }
    }
}

/// The traces of all partitions as one.
fn whole_trace(partitions: &mut [Partition]) -> Option<Merged> {
    let traces = partitions.iter_mut().filter_map(|part| Observers::of_mut(&mut part.fabric)?.trace.take());
    merged(traces.map(|trace| *trace)).map(|(_, whole)| whole)
}
