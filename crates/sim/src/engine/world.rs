//! A run from its scenario to its tables.
//!
//! The world cuts time at the instants at which something happens from outside (a link changes, routes change, a sample
//! is due, the warm-up ends) and lets its partition run between them. Intervals are half open: what the outside does at an
//! instant comes before the events of that instant.

use super::accounts::{Accounts, Baseline};
use super::build;
use super::capture::Output;
use super::partition::Partition;
use super::sampler::Sampler;
use crate::SimTime;
use crate::ids::LinkId;
use crate::random::Seed;
use crate::results::Run;
use crate::scenario::{Change, Scenario};
use crate::traffic::{self, Flow};
use std::fmt;

/// How a scenario is to be run.
#[derive(Default)]
pub struct Options {
    /// Permute the order of simultaneous events with this number, to see how much that order matters.
    pub shuffle_ties: Option<u64>,
    /// Write packets of some flows to a pcapng file.
    pub capture: Option<CaptureOptions>,
    /// Leave out the samples that `[probe]` asks for.
    pub without_samples: bool,
}

/// Which flows are captured, and where the file goes.
pub struct CaptureOptions {
    /// Flow numbers; all flows if empty.
    pub flows: Vec<u32>,
    /// Receives the file.
    pub output: Output,
}

/// Why a run cannot be made or is not to be trusted.
#[derive(Debug)]
pub enum RunError {
    /// A flow has no path between its ends at the start.
    NoPath {
        /// Sending node.
        source: String,
        /// Receiving node.
        destination: String,
    },
    /// More flows than the engine numbers.
    TooManyFlows(usize),
    /// The capture file could not be written.
    Capture(std::io::Error),
    /// Packets were made or lost by the engine itself: a bug in photocol, and the numbers are worthless.
    NotConserved(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::NoPath { source, destination } => {
                write!(f, "no path from node '{source}' to node '{destination}'")
            }
            RunError::TooManyFlows(flows) => {
                write!(f, "{flows} flows are more than the {} the engine can number", build::MAX_FLOWS)
            }
            RunError::Capture(error) => write!(f, "the capture file could not be written: {error}"),
            RunError::NotConserved(account) => {
                write!(f, "packets are not conserved ({account}); this is a bug in photocol")
            }
        }
    }
}

impl std::error::Error for RunError {}

/// Something that happens from outside.
#[derive(Clone, Debug)]
pub(super) struct Control {
    pub(super) at: SimTime,
    pub(super) action: Action,
}

/// What happens from outside, in the order within an instant.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Statistics begin.
    EndWarmUp,
    /// Links change.
    Change(Vec<LinkId>, Change),
    /// Flows take new paths: (flow, path, way back), as positions in the array of paths.
    Reroute(Vec<(u32, u32, u32)>),
}

impl Action {
    /// The order of actions of one instant.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Action::EndWarmUp => 0,
            Action::Change(..) => 1,
            Action::Reroute(_) => 2,
        }
    }
}

/// A scenario in progress.
pub struct World {
    pub(super) scenario: Scenario,
    pub(super) flows: Vec<Flow>,
    pub(super) partition: Partition,
    /// Partition number of each link.
    pub(super) link_numbers: Vec<u32>,
    /// What will happen, latest first.
    pub(super) controls: Vec<Control>,
    pub(super) sampler: Sampler,
    pub(super) baseline: Baseline,
    pub(super) seed: Seed,
    pub(super) now: SimTime,
}

impl World {
    /// Draws the random parts of `scenario` and sets up the network, with nothing sent yet.
    pub fn build(scenario: &Scenario, seed: Seed, options: Options) -> Result<World, RunError> {
        let flows = traffic::expand(scenario, seed);
        build::world(scenario.clone(), flows, seed, options)
    }

    /// The true time up to which everything has happened.
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// When the run ends.
    pub fn end(&self) -> SimTime {
        SimTime::ZERO + self.scenario.run.duration
    }

    /// Packets sent on links so far.
    pub fn packet_hops(&self) -> u64 {
        self.partition.net.packet_hops
    }

    /// Arrivals, and timers that did something, so far.
    pub fn events(&self) -> u64 {
        self.partition.events
    }

    /// The flows of this run, by number.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// Bytes of memory held by flows: both machines of each, without what they have allocated.
    pub fn bytes_per_flow(&self) -> usize {
        build::BYTES_PER_FLOW
    }

    /// Handles everything before `limit`, or before the end of the run if that is earlier. Where a run is cut does not
    /// change it.
    pub fn run_until(&mut self, limit: SimTime) {
        let limit = limit.min(self.end());
        while self.now < limit {
            let outside = self.next_control().min(limit);
            self.partition.run(outside.ps());
            self.now = outside;
            if outside < limit {
                self.act();
            }
        }
    }

    /// The tables of the run up to now, which is normally the end.
    pub fn finish(mut self) -> Result<Run, RunError> {
        if let Some(capture) = self.partition.hosts.capture.take() {
            capture.finish().map_err(RunError::Capture)?;
        }
        Accounts::check(&self.partition).map_err(RunError::NotConserved)?;
        Ok(super::report::run(self))
    }

    fn next_control(&self) -> SimTime {
        let scheduled = self.controls.last().map_or(SimTime::NEVER, |control| control.at);
        scheduled.min(self.sampler.next())
    }

    /// Does everything that happens from outside now.
    fn act(&mut self) {
        if self.sampler.next() == self.now {
            self.sampler.sample(self.now, &mut self.partition);
        }
        while let Some(control) = self.controls.pop_if(|control| control.at == self.now) {
            match control.action {
                Action::EndWarmUp => self.baseline = Baseline::read(self.now, &mut self.partition),
                Action::Change(links, change) => links.iter().for_each(|link| self.change(*link, change)),
                Action::Reroute(paths) => self.reroute(&paths),
            }
        }
    }

    fn change(&mut self, link: LinkId, change: Change) {
        let (now, number) = (self.now.ps(), self.link_numbers[link.index()]);
        let net = &mut self.partition.net;
        let (port, fibre) = (&mut net.ports[number as usize], &mut net.fibres[number as usize]);
        match change {
            Change::Capacity(capacity) => port.change_capacity(now, capacity, fibre),
            Change::Delay(delay) => port.change_delay(now, delay, fibre),
            Change::Down => net.take_down(now, number),
            Change::Up => port.bring_up(),
        }
        net.rekey(number);
    }

    fn reroute(&mut self, paths: &[(u32, u32, u32)]) {
        let hosts = &mut self.partition.hosts;
        for (flow, path, back) in paths {
            hosts.senders[*flow as usize].path = *path;
            hosts.receivers[*flow as usize].path = *back;
        }
    }
}
