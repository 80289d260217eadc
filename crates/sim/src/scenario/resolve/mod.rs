//! What a user wrote becomes what runs: names turn into ids, defaults are filled in, and everything that types cannot
//! say is checked, each fault at the value it is about.

mod arrivals;
pub(super) mod bare;
mod changes;
mod ecn;
mod equal_paths;
mod events;
mod external;
mod fits;
mod flow_list;
mod hosts;
mod link_defaults;
mod load;
mod memory;
mod network;
mod news;
mod orbits;
mod pairs;
mod phases;
mod properties;
mod queues;
mod round_trips;
mod share;
mod sizes;
mod switching;
mod telemetry;
mod trace_columns;
mod traces;
mod traffic;
mod transport;

use super::spec::{Run, Spec};
use crate::engine::node::machine::ApplicationMaker;
use crate::language::keys::Table;
use crate::language::{Fault, quoted};
use crate::model::{self, LinkId, Network, NodeId, Role, RunSpec, Transport, components};
use crate::scenario::{Files, Laws, Scenario, Switched};
use crate::switching::kind::Checked;
use crate::topology::Draft;
use round_trips::RoundTrips;
use std::sync::Arc;
use units::{Bytes, Duration};

/// What the parts of a scenario need to know of one another.
struct Context<'n> {
    network: &'n Network,
    files: Option<&'n dyn Files>,
    draft: Draft,
    /// Per node: the number of its strongly connected component.
    component: Vec<u32>,
    /// Per link: whether its port has an XCP controller.
    controllers: Vec<bool>,
    duration: Duration,
    /// Whether packets take other links between switches than the paths of flows say.
    own_ways: bool,
    /// What writes into flows, by number.
    applications: Vec<Arc<dyn ApplicationMaker>>,
    warnings: Vec<String>,
}

/// The network with what it switches.
struct NetworkSetup {
    network: Network,
    draft: Draft,
    checked: Checked,
    switching: Option<Switched>,
}

/// What a network is built from.
#[derive(Clone, Copy)]
struct SetupInputs<'m> {
    spec: &'m Spec,
    files: Option<&'m dyn Files>,
    most: switching::Most,
}

impl NetworkSetup {
    /// Without round trips, buffers that are given in bandwidth-delay products have no limit yet.
    fn build(from: SetupInputs, trips: Option<&RoundTrips>) -> Result<NetworkSetup, Fault> {
        let SetupInputs { spec, files, most } = from;
        let sizing = network::Sizing { largest_packet: most.largest_packet, trips };
        let (mut network, mut draft) = network::resolve(spec, files, sizing)?;
        let (checked, switching) = switching::resolve(spec, &mut network, &mut draft, most)?;
        queues::check(&network, &draft, &*checked.plan)?;
        Ok(NetworkSetup { network, draft, checked, switching })
    }
}

impl<'n> Context<'n> {
    fn new(network: &'n Network, mut draft: Draft, from: SetupInputs<'n>) -> Context<'n> {
        let (files, duration) = (from.files, from.most.duration);
        let warnings = std::mem::take(&mut draft.warnings);
        let component = components(network);
        let controllers = network.links.iter().map(|link| link.controller.is_some()).collect();
        let own_ways = from.spec.switching.as_ref().is_some_and(switching::has_own_ways);
        Context {
            network,
            files,
            draft,
            component,
            controllers,
            duration,
            own_ways,
            applications: Vec::new(),
            warnings,
        }
    }
}

impl Context<'_> {
    /// A link's name, quoted.
    fn name(&self, link: LinkId) -> String {
        quoted(&self.draft.links[link.index()].name)
    }

    /// Whether the paths of flows say what passes a link.
    fn is_of_paths(&self, link: usize) -> bool {
        let link = &self.network.links[link];
        let is_host = |node: NodeId| self.network.nodes[node.index()].role == Role::Host;
        !self.own_ways || is_host(link.from) || is_host(link.to)
    }

    fn warn_of_headers_nobody_writes(&mut self, transports: &[Transport]) {
        if let Some(transport) = transports.iter().find(|transport| transport.kind.needs_header())
            && !self.controllers.contains(&true)
        {
            let name = quoted(&transport.name);
            let reason =
                "no port has an XCP controller, so nothing lowers what it asks for and its window grows without bound";
            let help = "give the links xcp = {}";
            self.warnings.push(format!("the transport {name} is told its rate by routers, and {reason}; {help}"));
        }
    }
}

/// A scenario that is ready to run.
pub(super) struct Resolved {
    pub scenario: Scenario,
    /// What is probably not meant.
    pub warnings: Vec<String>,
    /// What the run is sure to hold at once.
    pub memory: Bytes,
}

/// Resolves a whole scenario.
pub(super) fn resolve(spec: &Spec, laws: &Laws, files: Option<&dyn Files>) -> Result<Resolved, Fault> {
    transport::assert_names();
    let run = run(&spec.run)?;
    let transports = transport::resolve(spec, laws)?;
    let largest_packet = transport::largest_packet(&transports).max(external::largest_packet(spec));
    let from = SetupInputs { spec, files, most: switching::Most { largest_packet, duration: run.duration } };
    let mut setup = NetworkSetup::build(from, None)?;
    if let Some(place) = setup.draft.products.take() {
        let mut context = Context::new(&setup.network, setup.draft, from);
        let traffic = traffic::resolve(spec, &transports, &mut context)?;
        let trips = RoundTrips::of(&setup.network, &traffic, &place)?;
        setup = NetworkSetup::build(from, Some(&trips))?;
    }
    let NetworkSetup { network, draft, switching, checked: Checked { plan, later, demands, .. } } = setup;
    let mut context = Context::new(&network, draft, from);
    context.warn_of_headers_nobody_writes(&transports);
    let traffic = traffic::resolve(spec, &transports, &mut context)?;
    let stores = spec.has_equal_paths();
    let rules = telemetry::Rules { tables: &spec.traffic, rules: &traffic, transports: &transports };
    telemetry::check(&context, rules, spec.has_meters())?;
    let is_said = spec.topology.as_ref().and_then(|topology| topology.routing_place()).is_some();
    if !is_said && stores && network.timed.is_none() {
        context.warnings.extend(equal_paths::warning(&context, &traffic));
    }
    context.warnings.extend(hosts::warnings(&context, &transports, &traffic));
    context.warnings.extend(fits::warnings(&context, &transports, &traffic));
    context.warnings.extend(ecn::warnings(&network, &transports, &traffic, plan.echoes()));
    later.map_or(Ok(()), |check| check(&network, &traffic))?;
    let ports = properties::Ports { network: &network, plan: &*plan, largest_packet };
    properties::check_own(spec, ports, &context)?;
    let changes::InTime { changes, laws } = changes::in_time(spec, ports, &mut context)?;
    let known = news::Known { changes: &changes, laws: &laws, plan: &*plan };
    let news = news::resolve(spec, &known, &transports, &mut context)?;
    let forced = events::forced(spec, &traffic)?;
    let probe = events::probe(spec, &network, &context)?;
    let trace = events::trace(spec, &network, &context)?;
    let external = external::resolve(spec, &traffic, &context)?;
    let (warnings, applications) = (context.warnings, context.applications);
    let model =
        model::Scenario { run, network, transports, traffic, changes, laws, news, forced, probe, trace, external };
    let scenario = Scenario { model, plan, applications, probes: spec.probe.asked(), switching };
    let memory = memory::check(spec, &scenario, demands)?;
    Ok(Resolved { scenario, warnings, memory })
}

fn run(run: &Run) -> Result<RunSpec, Fault> {
    run.check()?;
    let (duration, warm_up) = (run.duration.0, run.warm_up.0);
    if warm_up >= duration {
        let message = format!("found \"{warm_up}\"; allowed: less than the duration, \"{duration}\"");
        return Err(run.warm_up.fault(message));
    }
    Ok(RunSpec {
        name: run.name.as_ref().map(|name| name.to_string()).unwrap_or_default(),
        duration,
        warm_up,
        seed: *run.seed,
        runs: *run.runs,
        memory: run.memory.0,
        completion: run.completion.0,
    })
}
