//! From a scenario and its flows to a world in which nothing has happened.

mod paths;

use super::accounts::Baseline;
use super::agent::{Agent, Orders};
use super::agent_setup::{AgentSetup, BuildContext};
use super::arena::Arena;
use super::capture::{Capture, start};
use super::delays::{Delays, Empty};
use super::fabric::{Fabric, FabricParts, TimerOrder};
use super::features::Streams;
use super::forced::ForcedFates;
use super::hosts::{Configs, Hosts, Lifecycle, PathFlags, ReceivingHost, SendingHost, SendingMachine};
use super::layout::PartitionLayout;
use super::loss_attribution::LossAttribution;
use super::partition::Partition;
use super::port::{Port, PortConfig};
use super::reordering::Reordering;
use super::ring::Ring;
use super::sampler::{Known, Sampler};
use super::timers::TimingWheel;
use super::tournament_tree::NEVER;
use super::trace::{Trace, TraceRules};
use super::windowed::Schedule;
use super::world::{Action, Control, Options, RunError, ThreadPool, World};
use crate::model::{self, Buffer, Change, Flow, LinkId, Load, Network, PortRule, Scenario, Selection, SimTime};
use crate::random::{Seed, Stream, uniform_index};
use paths::{Paths, check_paths, ends, invert, link_order};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use units::{Duration, PS_PER_SECOND};

/// Flows are numbered in 29 bits.
pub const MAX_FLOWS: usize = 1 << 29;

/// Both hosts of a flow and its lifecycle, without what the machines allocate.
pub const BYTES_PER_FLOW: usize = size_of::<SendingHost>() + size_of::<ReceivingHost>() + size_of::<Lifecycle>();

/// What a world is made of.
pub struct Setup<'a> {
    /// Network, transports, events, and what is sampled.
    pub scenario: &'a Scenario,
    /// All flows, in their order.
    pub flows: Vec<Flow>,
    /// The rules of each link's port.
    pub ports: Vec<PortRule>,
    /// Orders for flows that depend on what they send.
    pub orders: BTreeMap<u32, Box<dyn Orders>>,
    /// Of all streams.
    pub seed: Seed,
    /// How it is to be run.
    pub options: Options,
}

/// Builds a world; `equip` makes the agents.
pub fn world(setup: Setup, equip: impl FnOnce(&mut BuildContext) -> AgentSetup) -> Result<World, RunError> {
    let Setup { scenario, flows, ports: rules, orders, seed, options } = setup;
    let network = &scenario.network;
    if flows.len() >= MAX_FLOWS {
        return Err(RunError::TooManyFlows(flows.len()));
    }
    let mut shuffle = options.shuffle_ties.map(|number| seed.stream(&format!("shuffle {number}"), "ties"));
    let order = link_order(network, shuffle.as_mut());
    let link_numbers = invert(&order);
    let mut paths = Paths::new(link_numbers.clone());
    let first = paths.of_flows(network, &flows, &network.open_to_flows());
    check_paths(network, &flows, &first)?;
    let controls = controls(scenario, &flows, &mut paths);

    let (timer_mask, timer_order) = order_of_timers(shuffle.as_mut());
    let laid: Vec<Option<LinkId>> = paths.flat.iter().map(|number| order.get(*number as usize).copied()).collect();
    let agent_setup = equip(&mut BuildContext {
        network,
        flows: &flows,
        transports: &scenario.transports,
        paths: &first,
        laid: &laid,
        seed,
        add: &mut |links| paths.add(Some(links.to_vec())),
    });
    agent_setup.check(network);
    let maker = PortMaker { network, rules: &rules, seed, agent_setup: &agent_setup, changing: &changing(scenario) };
    let mut ports: Vec<Port> = order.iter().map(|id| maker.port(*id)).collect();
    if let Some(bands) = bands(scenario, &flows) {
        ports.iter_mut().for_each(|port| port.set_bands(&bands));
    }
    let AgentSetup { agents, shared, .. } = agent_setup;
    let agents: Vec<(u32, Box<dyn Agent>)> = agents.into_iter().map(|(node, agent)| (node.0, agent)).collect();
    let agent_nodes: Vec<u32> = agents.iter().map(|(node, _)| *node).collect();
    let (flows, nodes): (Arc<[Flow]>, usize) = (flows.into(), network.nodes.len());
    let layout =
        PartitionLayout::whole(ends(network, &order), Arc::clone(&flows), paths.flat.into(), agent_nodes.into(), nodes);
    let mut fabric = fabric(ports, &layout, timer_order);
    let rules = trace_rules(scenario, &layout, &order).filter(|_| !options.without_samples);
    if let Some(rules) = &rules {
        watch(&mut fabric, rules);
    }
    let probe = if options.without_samples { Default::default() } else { scenario.probe.clone() };
    let timers = TimingWheel::new(timer_mask);
    let capture = options.capture.map(|options| start(options, scenario, &flows, &order)).transpose()?;
    fabric.capture = capture.as_ref().and_then(|(_, links)| links.clone());
    fabric.capture.iter().for_each(|at| at.interfaces.keys().for_each(|link| fabric.ports[*link as usize].watch()));
    let capture = capture.map(|(capture, _)| capture);
    let mut hosts = hosts(HostSetup { scenario, flows: &flows, paths: &first, timers, seed, orders, capture });
    rules.iter().for_each(|rules| watch_hosts(&mut hosts, rules));
    let known = if agents.is_empty() && scenario.events.is_empty() { &first[..] } else { &[] };
    measure_arrivals(&mut hosts, &probe, || empty_delays(known, &laid, network));
    let ways = Ways { scenario, laid: &laid, first: &first, flows: &flows };
    account_for_losses(&mut fabric, &mut hosts, &probe, &ways);
    hosts.install(agents);
    let partition = Partition::new(fabric, hosts, layout.site(0), vec![0; nodes], 0);
    let names = network.links.iter().zip(&link_numbers).map(|(link, number)| (*number, link.name.clone()));
    Ok(World {
        end: SimTime::ZERO + scenario.run.duration,
        partitions: vec![partition],
        layout: Arc::new(layout),
        threading: ThreadPool::alone(order.len()),
        schedule: Schedule::Auto,
        sampler: Sampler::new(&probe, Known { flows: flows.len(), links: names.collect(), shared: &shared }),
        baseline: Baseline::zero(network.links.len()),
        link_numbers,
        controls,
        trace: None,
        now: SimTime::ZERO,
    })
}

/// How timers of one instant are ordered, among themselves and among arrivals: as stated, or drawn.
fn order_of_timers(shuffle: Option<&mut Stream>) -> (u32, TimerOrder) {
    let Some(stream) = shuffle else { return (0, TimerOrder::AfterArrivals) };
    let mask = stream.next_u64() as u32;
    let is_before = uniform_index(stream, 2) == 1;
    (mask, if is_before { TimerOrder::BeforeArrivals } else { TimerOrder::AfterArrivals })
}

/// Where flows go at first.
struct Ways<'a> {
    scenario: &'a Scenario,
    /// All paths one after the other; no link ends a path.
    laid: &'a [Option<LinkId>],
    /// Where the path of each flow begins, and its way back.
    first: &'a [(u32, u32)],
    flows: &'a [Flow],
}

impl<'a> Ways<'a> {
    /// The links of a flow's path.
    fn links(&self, flow: usize) -> impl Iterator<Item = LinkId> + use<'a> {
        self.laid[self.first[flow].0 as usize..].iter().map_while(|link| *link)
    }
}

/// The bands of the flows; `None` if all are in the first.
fn bands(scenario: &Scenario, flows: &[Flow]) -> Option<Arc<[u8]>> {
    let has_several = scenario.traffic.iter().any(|traffic| traffic.priority > 0);
    has_several.then(|| flows.iter().map(|flow| scenario.traffic[flow.origin.0 as usize].priority).collect())
}

/// What is traced, if anything is.
fn trace_rules(scenario: &Scenario, layout: &PartitionLayout, order: &[LinkId]) -> Option<TraceRules> {
    let model::Trace { flows, links, hosts, from, until, limit } = &scenario.trace;
    if !scenario.trace.is_on() {
        return None;
    }
    Some(TraceRules {
        links: order.iter().map(|link| links.has(link.0)).collect(),
        flows: (0..layout.flows.len() as u32).map(|flow| flows.has(flow)).collect(),
        sources: layout.flows.iter().map(|flow| flow.source.0).collect(),
        senders: layout.links.iter().map(|link| link.from).collect(),
        all_flows: *flows == Selection::All,
        hosts: *hosts,
        from: from.ps(),
        until: until.ps(),
        limit: *limit as usize,
        settled: settled(scenario).map_or(0, SimTime::ps),
    })
}

/// The last change of a traced link's capacity or delay.
fn settled(scenario: &Scenario) -> Option<SimTime> {
    let is_traced = |link: &LinkId| scenario.trace.links.has(link.0);
    let changes = scenario.events.iter();
    let changes = changes.filter(|event| event.change.moves_departures() && event.links.iter().any(is_traced));
    changes.map(|event| event.at).max()
}

/// The ports of traced links take the way that tells the trace.
fn watch(fabric: &mut Fabric, rules: &TraceRules) {
    fabric.trace = Some(Box::new(Trace::new(rules.clone())));
    fabric.ports.iter_mut().zip(&*rules.links).filter(|(_, traced)| **traced).for_each(|(port, _)| port.watch());
}

fn watch_hosts(hosts: &mut Hosts, rules: &TraceRules) {
    for (host, traced) in hosts.senders.items_mut().iter_mut().zip(&*rules.flows) {
        if rules.hosts && *traced {
            host.watch = host.watch.and(PathFlags::TRACED);
        }
    }
}

/// The whole network as one partition.
fn fabric(ports: Vec<Port>, layout: &PartitionLayout, order: TimerOrder) -> Fabric {
    let mut parts = FabricParts {
        fibres: layout.links.iter().map(|_| Ring::new()).collect(),
        links: (0..ports.len() as u32).collect(),
        ports,
        agents: layout.agents.len() as u32,
        boundaries: Vec::new(),
        paths: Arc::clone(&layout.paths),
    };
    parts.ports.iter_mut().zip(0..).for_each(|(port, link)| port.connect(link));
    Fabric::new(parts, order, 1)
}

/// What ports are made of.
struct PortMaker<'a> {
    network: &'a Network,
    rules: &'a [PortRule],
    seed: Seed,
    agent_setup: &'a AgentSetup,
    /// Links whose capacity or delay changes.
    changing: &'a BTreeSet<LinkId>,
}

impl PortMaker<'_> {
    fn port(&self, id: LinkId) -> Port {
        let stream = |purpose| self.seed.stream(&format!("link {}", self.network.links[id.index()].name), purpose);
        let streams = Streams { loss: stream("loss"), queue: stream("queue") };
        let (rule, interceptor) = (self.rules[id.index()], self.agent_setup.interceptors.get(&id).copied());
        let buffer = if self.agent_setup.unbounded.contains(&id) { Buffer::Unlimited } else { rule.buffer };
        let rule = if self.changing.contains(&id) { rule.decided_late() } else { rule };
        let config = PortConfig { rule: PortRule { buffer, ..rule }, streams, interceptor };
        Port::new(config).expect("a resolved scenario has no link below 8 bit/s")
    }
}

/// Links whose capacity or delay changes during the run.
fn changing(scenario: &Scenario) -> BTreeSet<LinkId> {
    let changes = scenario.events.iter().filter(|event| event.change.moves_departures());
    changes.flat_map(|event| event.links.iter().copied()).collect()
}

/// What will happen from outside, latest first.
fn controls(scenario: &Scenario, flows: &[Flow], paths: &mut Paths) -> Vec<Control> {
    let mut controls = vec![Control { at: SimTime::ZERO + scenario.run.warm_up, action: Action::EndWarmUp }];
    for event in &scenario.events {
        controls.push(Control { at: event.at, action: Action::Change(event.links.clone(), event.change) });
    }
    if let Some(span) = scenario.network.reroute_after {
        controls.extend(reroutes(scenario, flows, paths, span));
    }
    // Stable, so that what happens at one instant keeps this order: end of the warm-up, changes, new paths.
    controls.sort_by_key(|control| (control.at, control.action.rank()));
    controls.reverse();
    controls
}

/// New paths, where links have been down, or up again, for `span`. A link whose state changes back before that has not
/// changed for routing.
fn reroutes(scenario: &Scenario, flows: &[Flow], paths: &mut Paths, span: Duration) -> Vec<Control> {
    let is_up = |change| match change {
        Change::Up => Some(true),
        Change::Down => Some(false),
        Change::Capacity(_) | Change::Told(_) | Change::Delay(_) => None,
    };
    let open = scenario.network.open_to_flows();
    let (mut known, mut controls) = (open.clone(), Vec::new());
    for (number, event) in scenario.events.iter().enumerate() {
        let Some(state) = is_up(event.change) else { continue };
        let at = event.at + span;
        let soon = || scenario.events[number + 1..].iter().take_while(|later| later.at <= at);
        let lasts = |link| !soon().any(|later| is_up(later.change) == Some(!state) && later.links.contains(link));
        let before = known.clone();
        for link in event.links.iter().filter(|link| lasts(link)) {
            known[link.index()] = state && open[link.index()];
        }
        if known != before {
            let found = paths.of_flows(&scenario.network, flows, &known);
            let found = found.iter().enumerate().map(|(flow, (path, back))| (flow as u32, *path, *back)).collect();
            controls.push(Control { at, action: Action::Reroute(found) });
        }
    }
    controls
}

/// What hosts are made of.
struct HostSetup<'a> {
    scenario: &'a Scenario,
    flows: &'a [Flow],
    /// The path and the way back of each flow.
    paths: &'a [(u32, u32)],
    timers: TimingWheel,
    seed: Seed,
    orders: BTreeMap<u32, Box<dyn Orders>>,
    capture: Option<Capture>,
}

fn hosts(setup: HostSetup) -> Hosts {
    let HostSetup { scenario, flows, paths, timers, seed, orders, capture } = setup;
    let configs: Vec<Configs> = scenario.transports.iter().map(Configs::new).collect();
    let mut senders: Vec<SendingHost> = Vec::with_capacity(flows.len());
    let mut receivers = Vec::with_capacity(flows.len());
    for (number, (flow, (path, back))) in flows.iter().zip(paths).enumerate() {
        let configs = &configs[flow.transport.index()];
        let mut machine = configs.sending_machine(flow, || seed.stream(&format!("flow {number}"), "on-off"));
        machine.tcp_mut().into_iter().for_each(|sender| sender.name_flow(number as u64));
        senders.push(sending_host(machine, flow, *path, configs));
        receivers.push(ReceivingHost {
            sink: configs.sink(),
            armed: NEVER,
            path: *back,
            header: configs.header,
            ack_size: configs.ack_size,
        });
    }
    let mut forced = forced_fates(scenario, flows, &configs);
    forced.orders = orders;
    for (flow, host) in senders.iter_mut().enumerate() {
        if forced.concern(flow as u32) {
            host.watch = host.watch.and(PathFlags::FORCED);
        }
        if capture.as_ref().is_some_and(|capture| capture.concerns(flow as u32)) {
            host.watch = host.watch.and(PathFlags::CAPTURED);
        }
    }
    let end = scenario.run.duration.ps();
    let lifecycles = flows.iter().map(|flow| lifecycle(flow, end)).collect();
    let mut hosts = Hosts::new(Arena::all(senders), Arena::all(receivers), Arena::all(lifecycles), timers);
    hosts.arm_starts(flows.len() as u32);
    hosts.forced = forced;
    hosts.capture = capture;
    hosts
}

/// What is measured of packets that arrive; `empty` is what each path would take if its queues were empty, if that is
/// known.
fn measure_arrivals(hosts: &mut Hosts, probe: &model::Probe, empty: impl FnOnce() -> Arc<[Empty]>) {
    if probe.delays {
        hosts.arrivals.delays = Some(Box::new(Delays::new(empty())));
    }
    hosts.arrivals.reordering = probe.reordering.map(|threshold| Box::new(Reordering::new(threshold)));
    if probe.delays || probe.reordering.is_some() {
        stamp_packets(hosts);
    }
}

fn empty_delays(paths: &[(u32, u32)], laid: &[Option<LinkId>], network: &Network) -> Arc<[Empty]> {
    let links = |path: &(u32, u32)| laid[path.0 as usize..].iter().map_while(|link| *link);
    paths.iter().map(|path| Empty::of(links(path), network)).collect()
}

/// Packets say when they leave and as which, but for those that carry a congestion header.
fn stamp_packets(hosts: &mut Hosts) {
    for host in hosts.senders.items_mut().iter_mut().filter(|host| !host.watch.is_explicit()) {
        host.watch = host.watch.and(PathFlags::STAMPED);
    }
}

/// If that is asked for, every flow of TCP that has a path gets an account.
fn account_for_losses(fabric: &mut Fabric, hosts: &mut Hosts, probe: &model::Probe, ways: &Ways) {
    if !probe.lost_throughput {
        return;
    }
    fabric.dropped = Some(Box::default());
    let scenario = ways.scenario;
    for (number, (flow, host)) in ways.flows.iter().zip(hosts.senders.items_mut()).enumerate() {
        let Some(sender) = scenario.transports[flow.transport.index()].kind.sender() else { continue };
        let capacity = ways.links(number).map(|link| scenario.network.links[link.index()].capacity.bps()).min();
        let Some(capacity) = capacity else { continue };
        let payload = f64::from(sender.mss) / f64::from(sender.mss + u32::from(host.header));
        let bytes = capacity as f64 * payload / (8.0 * PS_PER_SECOND as f64);
        hosts.shortfalls.insert(number as u32, Box::new(LossAttribution::new(flow.start.ps(), bytes, sender.mss)));
        host.watch = host.watch.and(PathFlags::ACCOUNTED);
    }
}

fn sending_host(machine: SendingMachine, flow: &Flow, path: u32, configs: &Configs) -> SendingHost {
    let finite = if matches!(flow.load, Load::Size(_)) { PathFlags::FINITE } else { PathFlags::default() };
    let watch = if configs.needs_header() { finite.and(PathFlags::EXPLICIT) } else { finite };
    let watch = if configs.has_ecn() { watch.and(PathFlags::ECN) } else { watch };
    let watch = if configs.has_options() { watch.and(PathFlags::OPTIONS) } else { watch };
    SendingHost { machine, armed: NEVER, path, header: configs.header, watch }
}

fn lifecycle(flow: &Flow, end: u64) -> Lifecycle {
    let stop = if flow.stop.ps() >= end { NEVER } else { flow.stop.ps() };
    let bytes = match flow.load {
        Load::Size(bytes) => bytes.count(),
        _ => u64::MAX,
    };
    Lifecycle { start: flow.start.ps(), stop, bytes, completed: NEVER }
}

fn forced_fates(scenario: &Scenario, flows: &[Flow], configs: &[Configs]) -> ForcedFates {
    let mut fates = ForcedFates::default();
    for order in &scenario.forced {
        if let Some(flow) = flows.get(order.flow as usize) {
            fates.add(order, u64::from(configs[flow.transport.index()].segment_size()));
        }
    }
    fates
}
