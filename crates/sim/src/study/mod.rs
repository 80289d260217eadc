//! A scenario at work: its flows are drawn, its world is built and run, and tables are made of what is left.
//!
//! | file | holds |
//! |---|---|
//! | `report` | from a world at its end to tables and a summary |
//! | `burst_losses` | bursts lost by order of the scenario |

mod burst_losses;
mod report;

use crate::engine::world::build::Setup;
use crate::engine::{CaptureOptions, FaultInjection, Options, Parallelism, Record, RunError, Schedule, world};
use crate::hosts;
use crate::model::{Flow, LinkId, SimTime};
use crate::random::Seed;
use crate::results::Results;
use crate::scenario::Scenario;
use crate::traffic;
use crate::work;

/// A scenario in progress.
pub struct World {
    scenario: Scenario,
    seed: Seed,
    world: world::World,
}

impl World {
    /// Draws the random parts of `scenario` and sets up the network, with nothing sent yet.
    pub fn build(scenario: &Scenario, seed: Seed, options: Options) -> Result<World, RunError> {
        let flows = traffic::expand(scenario, seed);
        let orders = burst_losses::orders(scenario, &flows, seed);
        let links = (0..scenario.network.links.len() as u32).map(LinkId);
        let ports = links.map(|link| scenario.plan.port(&scenario.network, link)).collect();
        let causes = scenario.plan.wording().causes;
        let capture = options.capture.map(|capture| CaptureOptions { causes, ..capture });
        let hosts = scenario.transports.iter().map(hosts::maker).collect();
        let (applications, probes) = (scenario.applications.clone(), scenario.probes.clone());
        let work = work::running(&scenario.traffic, &flows);
        let options = Options { capture, ..options };
        let setup = Setup { scenario, hosts, applications, flows, ports, orders, work, probes, seed, options };
        let mut world = world::World::new(setup, |build| scenario.plan.install_agents(build))?;
        world.trace_to(|world| {
            report::behind::behind(|| Box::new(report::trace::Table::new(scenario, &world.link_numbers)))
        });
        Ok(World { scenario: scenario.clone(), seed, world })
    }

    /// The network alone.
    #[cfg(test)]
    pub(crate) fn into_network(self) -> world::World {
        self.world
    }

    /// The true time up to which everything has happened.
    pub fn now(&self) -> SimTime {
        self.world.now()
    }

    /// When the run ends.
    pub fn end(&self) -> SimTime {
        self.world.end()
    }

    /// Packets sent on links so far.
    pub fn packet_hops(&self) -> u64 {
        self.world.packet_hops()
    }

    /// Arrivals, and timers that did something, so far.
    pub fn events(&self) -> u64 {
        self.world.events()
    }

    /// The messages that agents have kept so far, in the order of time, then of nodes: signalling, with
    /// `switching.control.transcript`.
    pub fn records(&self) -> Vec<Record> {
        self.world.records()
    }

    /// The flows of this run, by number.
    pub fn flows(&self) -> &[Flow] {
        self.world.flows()
    }

    /// Lets up to `threads` threads work. It does not change the results. With a capture, one works: the file is
    /// written in the order of time.
    pub fn use_threads(&mut self, threads: usize) {
        self.world.use_threads(threads);
    }

    /// Rounds, node after node, that the present partitions have made.
    pub fn rounds(&self) -> u64 {
        self.world.rounds()
    }

    /// Handles events in this order from now on. It does not change the results.
    pub fn take(&mut self, course: Schedule) {
        self.world.take(course);
    }

    /// Every thread calls `disturbance` before each turn, with the number of its partition: for tests that make threads
    /// misbehave.
    pub fn disturb(&mut self, disturbance: FaultInjection) {
        self.world.disturb(disturbance);
    }

    /// How many threads work, and why not as many as were allowed.
    pub fn parallelism(&self) -> Parallelism {
        self.world.parallelism()
    }

    /// The events that each thread has handled since the nodes were assigned last.
    pub fn shares(&self) -> Vec<u64> {
        self.world.shares()
    }

    /// Bytes of memory held by flows: both machines of each, without what they have allocated.
    pub fn bytes_per_flow(&self) -> usize {
        self.world.bytes_per_flow()
    }

    /// Handles everything before `limit`, or before the end of the run if that is earlier. Where a run is cut does not
    /// change it.
    pub fn run_until(&mut self, limit: SimTime) {
        self.world.run_until(limit);
    }

    /// The same, but comes back when hosts, agents and samples have had about `effort` turns, at least one;
    /// [`World::now`] says how far it came.
    pub fn run_on(&mut self, limit: SimTime, effort: u64) {
        self.world.run_on(limit, effort);
    }

    /// Deals the nodes to partitions, `of_node` giving the partition of each node. It does not change the results.
    pub fn migrate(&mut self, of_node: &[u32]) {
        self.world.migrate(of_node);
    }

    /// The tables of the run up to now, which goes on unchanged; without the trace and without what was lost, which
    /// are known at the end only.
    pub fn so_far(&mut self) -> Results {
        let World { scenario, seed, world } = self;
        world.read_so_far(|world, parts| {
            report::run(report::End { scenario, run: seed.run, world, is_over: false }, parts)
        })
    }

    /// The tables of the run up to now, which is normally the end.
    pub fn finish(self) -> Result<Results, RunError> {
        let World { scenario, seed, world } = self;
        world.finish(|world, parts| {
            report::run(report::End { scenario: &scenario, run: seed.run, world, is_over: true }, parts)
        })
    }
}

#[cfg(test)]
mod edge_control_tests;
#[cfg(test)]
mod host_tests;
#[cfg(test)]
mod link_property_tests;
#[cfg(test)]
mod probe_tests;
#[cfg(test)]
mod tests;
