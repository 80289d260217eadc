//! From a scenario and its flows to a world in which nothing has happened.

use super::changes::Changes;
use super::controls::{changing, changing_properties, controls, has_marks};
use super::host_links;
use super::news;
use super::options::{Options, RunError};
use super::paths::{Paths, check_paths, ends, invert, link_order};
use super::sharing::{self, Arriving};
use super::small_queues;
use super::watching::{Watching, Ways, trace_rules};
use super::{ThreadPool, World};
use crate::engine::execute::layout::PartitionLayout;
use crate::engine::execute::partition::{Partition, PartitionParts};
use crate::engine::execute::windowed::Schedule;
use crate::engine::link::meter::Asked;
use crate::engine::link::port::{Port, PortConfig};
use crate::engine::link::ring::Ring;
use crate::engine::node::agent::Orders;
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::fabric::{Fabric, FabricPlace, TimerOrder};
use crate::engine::node::forced::ForcedFates;
use crate::engine::node::hosts::{Configs, Hosts, Lifecycle, PathFlags, ReceivingHost, SendingHost};
use crate::engine::node::hosts::{SendingMachine, Working};
use crate::engine::node::machine::{ApplicationMaker, HostMaker};
use crate::engine::node::timers::TimingWheel;
use crate::engine::observe::accounts::Baseline;
use crate::engine::observe::capture::{self, start};
use crate::engine::observe::host_queues::HostQueues;
use crate::engine::observe::probe::AnyProbe;
use crate::engine::observe::sampler::{Known, Sampler};
use crate::engine::packet::NEVER;
use crate::engine::packet::containers::PerFlow;
use crate::model::{
    Buffer, Change, DelayLaw, Flow, Forecast, LinkId, Load, Network, PortRule, Probe, Scenario, SimTime, Timeline,
};
use crate::random::{Seed, Stream, uniform_index};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use units::Duration;

/// Both hosts of a flow and its lifecycle, without what the machines allocate.
pub const BYTES_PER_FLOW: usize = size_of::<SendingHost>() + size_of::<ReceivingHost>() + size_of::<Lifecycle>();

/// What a world is made of.
pub struct Setup<'a> {
    /// Network, transports, events, and what is sampled.
    pub scenario: &'a Scenario,
    /// What makes the hosts of each transport, where they are not TCP's or UDP's.
    pub hosts: Vec<Option<Arc<dyn HostMaker>>>,
    /// What writes into flows whose load says so, by number.
    pub applications: Vec<Arc<dyn ApplicationMaker>>,
    /// All flows, in their order.
    pub flows: Vec<Flow>,
    /// The rules of each link's port.
    pub rules: Vec<PortRule>,
    /// Orders for flows that depend on what they send.
    pub orders: BTreeMap<u32, Box<dyn Orders>>,
    /// What lets flows go, and who hears of it and tells agents.
    pub work: Working,
    /// What is measured besides.
    pub probes: Vec<Box<dyn AnyProbe>>,
    /// Of all streams.
    pub seed: Seed,
    /// How it is to be run.
    pub options: Options,
    /// Whether hosts at the same two switches share the ways between those: agents and orders know paths by position.
    pub shares_ways: bool,
}

/// Builds a world; `equip` makes the agents.
pub fn world(setup: Setup, equip: impl FnOnce(&mut BuildContext) -> AgentSetup) -> Result<World, RunError> {
    let Setup { scenario, hosts: by, applications, flows, rules, orders, work, probes, seed, options, .. } = setup;
    let network = &scenario.network;
    let (configs, applications) = (&configs(scenario, &by), &applications);
    let mut shuffle = options.shuffle_ties.map(|number| seed.stream(&format!("shuffle {number}"), "ties"));
    let (order, link_numbers) = numbers(network, shuffle.as_mut());
    let mut paths = Paths::new(link_numbers.clone(), seed, setup.shares_ways);
    let first = paths.of_flows(network, &flows, &network.open_to_flows());
    check_paths(network, &flows, &first)?;
    let controls = controls(scenario, &flows, &mut paths);
    let (mask, timer_order) = order_of_timers(shuffle.as_mut());
    let laid: Vec<_> = paths.flat.iter().map(|number| order.get(*number as usize).copied()).collect();
    let agent_setup = equip(&mut BuildContext {
        network,
        flows: &flows,
        transports: &scenario.transports,
        news: &scenario.news,
        paths: &first,
        laid: &laid,
        seed,
        add: &mut |links| paths.add(Some(links.to_vec())),
    });
    let telling = small_queues::telling(scenario, configs, &flows, &rules, &agent_setup);
    let ports = PortMaker::new(scenario, &rules, seed, &agent_setup, &telling).ports(&order, bands(scenario, &flows));
    let agents: Vec<_> = agent_setup.agents.into_iter().map(|(node, agent)| (node.0, agent)).collect();
    let (flows, nodes): (Arc<[Flow]>, usize) = (flows.into(), network.nodes.len());
    lead_back(&mut paths, configs, network, &first);
    let at = agents.iter().map(|(node, _)| *node).collect();
    let layout = paths.layout(ends(network, &order), Arc::clone(&flows), at, nodes);
    let mut fabric = fabric(ports, &layout, timer_order);
    let (probe, probes) = if options.without_samples { Default::default() } else { (scenario.probe.clone(), probes) };
    let run = capture::Run { scenario, configs, flows: &flows, order: &order };
    let capture = options.capture.map(|capture| start(capture, run)).transpose()?;
    let setup = HostSetup { scenario, configs, applications, flows: &flows, paths: &first, mask, seed, orders };
    let mut hosts = hosts(setup);
    let rules = trace_rules(scenario, &layout, &order).filter(|_| !options.without_samples);
    let ways = Ways { scenario, laid: &laid, first: &first, flows: &flows };
    tell_hosts(&ways, seed, Arriving::of(configs, &layout, &agent_setup.arrivals), &telling, &mut hosts);
    let are_fixed = are_fixed(scenario, &layout);
    Watching { rules, capture, probes, ways, are_fixed }.put_in(&mut fabric, &mut hosts);
    hosts.install(agents, work);
    let parts = PartitionParts { fabric, hosts, chains: vec![0; nodes], events: 0 };
    let sampler = sampler(&probe, network, &link_numbers, &flows, &agent_setup.shared);
    Ok(World {
        end: SimTime::ZERO + scenario.run.duration,
        partitions: vec![Partition::new(parts, layout.site(0), 0)],
        layout: Arc::new(layout),
        threading: ThreadPool::alone(order.len()),
        schedule: Schedule::Auto,
        sampler,
        baseline: Baseline::zero(network.links.len()),
        host_queues: HostQueues::default(),
        link_numbers,
        controls,
        changes: Changes::new(&scenario.changes),
        trace: None,
        now: SimTime::ZERO,
        hashed: paths.hashed,
    })
}

/// Whether links and paths stay what they are.
fn are_fixed(scenario: &Scenario, layout: &PartitionLayout) -> bool {
    let is_timeless = layout.agents.is_empty() && scenario.changes.is_empty() && scenario.laws.is_empty();
    is_timeless && layout.spray.is_none() && layout.timetable.is_none()
}

/// The link of each of the engine's numbers, and the number of each link.
fn numbers(network: &Network, shuffle: Option<&mut Stream>) -> (Vec<LinkId>, Vec<u32>) {
    let order = link_order(network, shuffle);
    let numbers = invert(&order);
    (order, numbers)
}

/// What is sampled, which knows links by their names.
fn sampler(probe: &Probe, network: &Network, numbers: &[u32], flows: &[Flow], shared: &[LinkId]) -> Sampler {
    let names = network.links.iter().zip(numbers).map(|(link, number)| (*number, link.name.clone()));
    Sampler::new(probe, Known { flows: flows.len(), links: names.collect(), shared })
}

/// Where packets may turn round, they need ways back.
fn lead_back(paths: &mut Paths, configs: &[Configs], network: &Network, first: &[(u32, u32)]) {
    if configs.iter().any(|one| one.maker().is_some_and(|maker| maker.returns())) {
        paths.lead_back(network, first);
    }
}

/// What makes the machines of each transport.
fn configs(scenario: &Scenario, makers: &[Option<Arc<dyn HostMaker>>]) -> Vec<Configs> {
    let made = scenario.transports.iter().zip(makers);
    made.map(|(transport, maker)| Configs::new(transport, maker.as_ref())).collect()
}

/// How timers of one instant are ordered, among themselves and among arrivals: as stated, or drawn.
fn order_of_timers(shuffle: Option<&mut Stream>) -> (u32, TimerOrder) {
    let Some(stream) = shuffle else { return (0, TimerOrder::AfterArrivals) };
    let mask = stream.next_u64() as u32;
    let is_before = uniform_index(stream, 2) == 1;
    (mask, if is_before { TimerOrder::BeforeArrivals } else { TimerOrder::AfterArrivals })
}

/// The bands of the flows; `None` if all are in the first.
fn bands(scenario: &Scenario, flows: &[Flow]) -> Option<Arc<[u8]>> {
    let has_several = scenario.traffic.iter().any(|traffic| traffic.priority > 0);
    has_several.then(|| flows.iter().map(|flow| scenario.traffic[flow.origin.0 as usize].priority).collect())
}

/// The whole network as one partition.
fn fabric(ports: Vec<Port>, layout: &PartitionLayout, order: TimerOrder) -> Fabric {
    let mut fabric = Fabric::default();
    fabric.fibres = layout.links.iter().map(|_| Ring::new()).collect();
    fabric.links = (0..ports.len() as u32).collect();
    fabric.ports = ports;
    (fabric.paths, fabric.returns) = (Arc::clone(&layout.paths), Arc::clone(&layout.returns));
    fabric.last_links = Arc::clone(&layout.last_links);
    if layout.timetable.is_some() {
        (fabric.paths, fabric.timed) = layout.paths_of_ports();
    }
    fabric.spray = layout.spray.clone();
    fabric.ports.iter_mut().zip(0..).for_each(|(port, link)| port.connect(link));
    let agents = layout.agents.len() as u32;
    fabric.placed(FabricPlace { order, agents, boundaries: Vec::new(), partitions: 1 })
}

/// What ports are made of.
struct PortMaker<'a> {
    network: &'a Network,
    rules: &'a [PortRule],
    seed: Seed,
    agent_setup: &'a AgentSetup,
    /// Links whose capacity, delay or buffer changes.
    moved: BTreeSet<LinkId>,
    /// Links whose ports tell the host behind them when packets leave.
    telling: &'a BTreeSet<LinkId>,
    /// Links that deliver at instants.
    delivering: BTreeSet<LinkId>,
    /// The keys of properties that change, by link.
    properties: BTreeMap<LinkId, Vec<&'static str>>,
    /// What laws ask of ports that measure.
    asked: Asked<'a>,
    changes: &'a [Timeline],
    /// Whether nothing changes ports, neither agents nor the clock.
    is_still: bool,
    /// Delays that are laws of time.
    laws: BTreeMap<LinkId, &'a DelayLaw>,
}

impl<'a> PortMaker<'a> {
    fn new(
        scenario: &'a Scenario,
        rules: &'a [PortRule],
        seed: Seed,
        agent_setup: &'a AgentSetup,
        telling: &'a BTreeSet<LinkId>,
    ) -> PortMaker<'a> {
        agent_setup.check(&scenario.network);
        let moved = changing(scenario, |change| change.moves_departures() || matches!(change, Change::Buffer(_)));
        let delivering = changing(scenario, Change::delivers);
        let properties = changing_properties(scenario);
        let kinds = scenario.traffic.iter().map(|traffic| &scenario.transports[traffic.transport.index()].kind);
        let asked = Asked::by(kinds);
        let (network, changes) = (&scenario.network, &scenario.changes);
        let is_fixed = changes.is_empty() && scenario.laws.is_empty();
        let is_still = is_fixed && agent_setup.agents.is_empty() && !has_marks(scenario);
        let laws = scenario.laws.iter().map(|lawful| (lawful.link, &lawful.law)).collect();
        PortMaker {
            network,
            rules,
            seed,
            agent_setup,
            moved,
            telling,
            delivering,
            properties,
            asked,
            changes,
            is_still,
            laws,
        }
    }

    /// All ports, and the band of each flow at those that have several.
    fn ports(&self, order: &[LinkId], bands: Option<Arc<[u8]>>) -> Vec<Port> {
        let mut ports: Vec<Port> = order.iter().map(|id| self.port(*id)).collect();
        if let Some(bands) = bands {
            ports.iter_mut().for_each(|port| port.set_bands(&bands));
        }
        ports
    }

    fn port(&self, id: LinkId) -> Port {
        let stream = |purpose| self.seed.stream(&format!("link {}", self.network.links[id.index()].name), purpose);
        let (rule, interceptor) = (self.rules[id.index()], self.agent_setup.interceptors.get(&id).copied());
        let changing = self.properties.get(&id).map_or(&[][..], Vec::as_slice);
        let fibre = rule.properties.at_port(changing, stream);
        let buffer = if self.agent_setup.unbounded.contains(&id) { Buffer::Unlimited } else { rule.buffer };
        let measures = self.asked.measures() && self.network.links[id.index()].telemetry && interceptor.is_none();
        let tells = self.telling.contains(&id);
        let is_late = measures || tells || fibre.is_decided_late || self.moved.contains(&id);
        let rule = if is_late { rule.decided_late() } else { rule };
        let law = self.laws.get(&id).copied();
        // A port may add to the delay of its link.
        let own = rule.delay.saturating_sub(self.network.links[id.index()].delay);
        let delay = law.map_or(rule.delay, |law| law.least() + own);
        let rule = PortRule { buffer, delay, ..rule };
        let config = PortConfig { rule, stream: stream("queue"), fibre, law: law.cloned(), interceptor };
        let mut port = Port::new(config).expect("a resolved scenario has no link below 8 bit/s");
        let forecast = || Forecast::of(id, self.changes);
        if measures {
            port.measure(self.asked.meter(id.0, rule.capacity, forecast()));
        }
        if self.delivering.contains(&id) {
            port.deliver_at_instants();
        }
        if rule.controller.is_some_and(|controller| controller.follows && controller.ahead > Duration::ZERO) {
            port.take_forecast(forecast());
        }
        if tells {
            port.tell_departures();
        }
        if self.is_still {
            port.pass_on();
        }
        port
    }
}

/// What hosts are made of.
struct HostSetup<'a> {
    scenario: &'a Scenario,
    /// By transport.
    configs: &'a [Configs],
    applications: &'a [Arc<dyn ApplicationMaker>],
    flows: &'a [Flow],
    /// The path and the way back of each flow.
    paths: &'a [(u32, u32)],
    mask: u32,
    seed: Seed,
    orders: BTreeMap<u32, Box<dyn Orders>>,
}

fn hosts(setup: HostSetup) -> Hosts {
    let HostSetup { scenario, configs, applications, flows, paths, mask, seed, orders } = setup;
    let mut senders: Vec<SendingHost> = Vec::with_capacity(flows.len());
    let mut receivers = Vec::with_capacity(flows.len());
    for (number, (flow, (path, back))) in flows.iter().zip(paths).enumerate() {
        let configs = &configs[flow.transport.index()];
        let mut machine =
            configs.sending_machine(flow, applications, || seed.stream(&format!("flow {number}"), "on-off"));
        machine.tcp_mut().into_iter().for_each(|sender| sender.name_flow(number as u64));
        senders.push(sending_host(machine, flow, *path, configs));
        receivers.push(ReceivingHost {
            delivered_at: NEVER,
            sink: configs.sink(flow.waits),
            armed: NEVER,
            path: *back,
            header: configs.header,
            ack_size: configs.ack_size,
        });
    }
    let mut forced = forced_fates(scenario, flows, configs);
    forced.orders = orders;
    for (flow, host) in senders.iter_mut().enumerate() {
        if forced.concern(flow as u32) {
            host.watch = host.watch.and(PathFlags::FORCED);
        }
    }
    let end = scenario.run.duration.ps();
    let lifecycles = flows.iter().map(|flow| lifecycle(flow, end)).collect();
    let mut hosts = Hosts {
        senders: PerFlow::all(senders),
        receivers: PerFlow::all(receivers),
        lifecycles: PerFlow::all(lifecycles),
        timers: TimingWheel::new(0, mask),
        ..Hosts::default()
    };
    hosts.arm_starts(flows.len() as u32);
    hosts.forced = forced;
    hosts
}

/// What hosts know of their paths.
fn tell_hosts(ways: &Ways, seed: Seed, arriving: Arriving, telling: &BTreeSet<LinkId>, hosts: &mut Hosts) {
    small_queues::tell(ways, telling, hosts);
    news::feed(ways, seed, hosts);
    sharing::tell_receivers(ways, &arriving, hosts);
    host_links::tell(ways, arriving.layout, hosts);
}

fn sending_host(machine: SendingMachine, flow: &Flow, path: u32, configs: &Configs) -> SendingHost {
    let finite = if matches!(flow.load, Load::Size(_)) { PathFlags::FINITE } else { PathFlags::default() };
    let watch = if configs.is_told() { finite.and(PathFlags::EXPLICIT) } else { finite };
    let watch = if configs.has_ecn() { watch.and(PathFlags::ECN) } else { watch };
    let watch = if configs.has_options() { watch.and(PathFlags::OPTIONS) } else { watch };
    let watch = if configs.record.grows() { watch.and(PathFlags::GROWING) } else { watch };
    SendingHost { machine, armed: NEVER, path, header: configs.header, watch }
}

fn lifecycle(flow: &Flow, end: u64) -> Lifecycle {
    let stop = if flow.stop.ps() >= end { NEVER } else { flow.stop.ps() };
    let bytes = match flow.load {
        Load::Size(bytes) => bytes.count(),
        _ => u64::MAX,
    };
    let start = if flow.waits { NEVER } else { flow.start.ps() };
    Lifecycle { start, stop, bytes, completed: NEVER }
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
