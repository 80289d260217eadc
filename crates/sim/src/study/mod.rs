//! A scenario at work: its flows are drawn, its world is built and run, and tables are made of what is left.
//!
//! | file | holds |
//! |---|---|
//! | `report` | from a world at its end to tables and a summary |
//! | `burst_losses` | bursts lost by order of the scenario |

mod burst_losses;
mod report;

use crate::engine::node::hosts::Working;
use crate::engine::world::build::Setup;
use crate::engine::{CaptureOptions, FaultInjection, Options, Parallelism, Record, RunError, Schedule, world};
use crate::hosts;
use crate::hosts::external::{self, Door, Left};
use crate::model::{Ecn, Flow, LinkId, SimTime};
use crate::random::Seed;
use crate::results::Results;
use crate::scenario::Scenario;
use crate::traffic;
use crate::work;
use std::sync::Arc;

/// A scenario in progress.
pub struct World {
    scenario: Scenario,
    seed: Seed,
    world: world::World,
    door: Option<Arc<Door>>,
    left_out: usize,
}

impl World {
    /// Draws the random parts of `scenario` and sets up the network, with nothing sent yet.
    pub fn build(scenario: &Scenario, seed: Seed, options: Options) -> Result<World, RunError> {
        let scenario = &Scenario { model: external::opened(scenario.model.clone()), ..scenario.clone() };
        let mut flows = traffic::expand(scenario, seed);
        let left_out = external::take_out(scenario, &mut flows);
        let door = external::door(scenario, &flows);
        let orders = burst_losses::orders(scenario, &flows, seed);
        let links = (0..scenario.network.links.len() as u32).map(LinkId);
        let rules = links.map(|link| scenario.plan.port(&scenario.network, link)).collect();
        let causes = scenario.plan.wording().causes;
        let capture = options.capture.map(|capture| CaptureOptions { causes, ..capture });
        let known = scenario.transports.len() - usize::from(door.is_some());
        let hosts = scenario.transports[..known].iter().map(hosts::maker);
        let hosts = hosts.chain(door.as_ref().map(|door| Some(external::maker(door)))).collect();
        let (applications, probes) = (scenario.applications.clone(), scenario.probes.clone());
        let has_agents = scenario.plan.has_agents();
        let work = work::running(scenario, &flows, has_agents);
        let work = Working::new(work, scenario.plan.steward(scenario, &flows));
        let (options, shares_ways) = (Options { capture, ..options }, !has_agents && orders.is_empty());
        let setup =
            Setup { scenario, hosts, applications, flows, rules, orders, work, probes, seed, options, shares_ways };
        let mut world = world::World::new(setup, |build| scenario.plan.install_agents(build))?;
        world.trace_to(|world| {
            report::behind::behind(|| Box::new(report::trace::Table::new(scenario, &world.link_numbers)))
        });
        Ok(World { scenario: scenario.clone(), seed, world, door, left_out })
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

    /// Flows of the scenario that begin or end at a host outside, which are left out.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Hosts outside are there from now on: one thread goes event after event.
    pub fn go_live(&mut self) {
        self.world.go_live();
    }

    /// When something happens next, if no packet enters before.
    pub fn next_event(&mut self) -> SimTime {
        self.world.next_event()
    }

    /// A packet of a host outside enters for another one, places among `external.hosts`, at an instant that is not over
    /// and not before that of the packet before it. Without hosts outside, nothing happens.
    pub fn enter(&mut self, pair: (u16, u16), at: SimTime, bytes: Box<[u8]>, ecn: Ecn) {
        let (Some(door), Some(external)) = (&self.door, &self.scenario.external) else { return };
        let flow = door.enter(external.pair(pair.0, pair.1), at.max(self.world.now()), bytes, ecn);
        self.world.wake(flow);
    }

    /// Packets that have reached hosts outside since the last call.
    pub fn take_left(&mut self, into: &mut Vec<Left>) {
        self.door.iter().for_each(|door| door.take_left(into));
    }

    /// Bytes of packets of hosts outside that are in the network.
    pub fn bytes_inside(&self) -> u64 {
        self.door.as_ref().map_or(0, |door| door.bytes_inside())
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
        let World { scenario, seed, world, .. } = self;
        world.read_so_far(|world, parts| {
            report::run(report::End { scenario, run: seed.run, world, is_over: false }, parts)
        })
    }

    /// The tables of the run up to now, which is normally the end.
    pub fn finish(self) -> Result<Results, RunError> {
        let World { scenario, seed, world, .. } = self;
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
