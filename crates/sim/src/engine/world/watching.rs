//! What is asked for of a run: a trace, delays, the order of packets, accounts of lost throughput.

use crate::engine::execute::layout::PartitionLayout;
use crate::engine::node::fabric::Fabric;
use crate::engine::node::hosts::{Hosts, PathFlags};
use crate::engine::observe::capture::Capture;
use crate::engine::observe::delays::{Delays, Empty};
use crate::engine::observe::flow_delays::FlowDelays;
use crate::engine::observe::loss_attribution::LossAttribution;
use crate::engine::observe::observers::Observers;
use crate::engine::observe::reordering::Reordering;
use crate::engine::observe::trace::{Trace, TraceRules};
use crate::model::{self, Change, Flow, LinkId, Network, Scenario, Selection, SimTime, Timeline};
use std::sync::Arc;
use units::PS_PER_SECOND;

/// What is asked for.
pub(super) struct Watching<'a> {
    pub(super) rules: Option<TraceRules>,
    pub(super) capture: Option<Capture>,
    pub(super) probe: &'a model::Probe,
    pub(super) ways: Ways<'a>,
    /// Whether flows keep their paths, and these their links.
    pub(super) are_fixed: bool,
}

impl Watching<'_> {
    /// Puts in who watches, before anything happens.
    pub(super) fn put_in(self, fabric: &mut Fabric, hosts: &mut Hosts) {
        let Watching { rules, capture, probe, ways, are_fixed } = self;
        let is_traced = |link| rules.as_ref().is_some_and(|rules| rules.links[link as usize]);
        let is_captured = |link| capture.iter().flat_map(Capture::links).any(|one| one == link);
        let ports = fabric.ports.iter_mut().zip(0..);
        ports.filter(|(_, link)| is_traced(*link) || is_captured(*link)).for_each(|(port, _)| port.watch());
        let is_traced = |flow| rules.as_ref().is_some_and(|rules| rules.hosts && rules.flows[flow as usize]);
        let is_captured = |flow| capture.as_ref().is_some_and(|capture| capture.interface_of(flow).is_some());
        let senders = hosts.senders.items_mut().iter_mut().zip(0..);
        for (host, _) in senders.filter(|(_, flow)| is_traced(*flow) || is_captured(*flow)) {
            host.watch = host.watch.and(PathFlags::WATCHED);
        }
        let trace = rules.map(|rules| Box::new(Trace::new(rules)));
        let mut observers = Observers { trace, capture, ..Observers::default() };
        let known = if are_fixed { ways.first } else { &[] };
        measure_arrivals(&mut observers, hosts, probe, || empty_delays(known, ways.laid, &ways.scenario.network));
        account_for_losses(&mut observers, hosts, probe, &ways);
        observers.watch(fabric);
    }
}

/// Where flows go at first.
pub(super) struct Ways<'a> {
    pub(super) scenario: &'a Scenario,
    /// All paths one after the other; no link ends a path.
    pub(super) laid: &'a [Option<LinkId>],
    /// Where the path of each flow begins, and its way back.
    pub(super) first: &'a [(u32, u32)],
    pub(super) flows: &'a [Flow],
}

impl<'a> Ways<'a> {
    /// The links of a flow's path.
    pub(super) fn links(&self, flow: usize) -> impl Iterator<Item = LinkId> + use<'a> {
        self.links_of(self.first[flow].0)
    }

    /// The links of the path that begins there.
    pub(super) fn links_of(&self, path: u32) -> impl Iterator<Item = LinkId> + use<'a> {
        self.laid[path as usize..].iter().map_while(|link| *link)
    }
}

/// What is traced, if anything is.
pub(super) fn trace_rules(scenario: &Scenario, layout: &PartitionLayout, order: &[LinkId]) -> Option<TraceRules> {
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
    let timelines = scenario.changes.iter().filter(|timeline| is_traced(&timeline.link));
    timelines.filter(|timeline| timeline.has(Change::moves_departures)).filter_map(Timeline::last).max()
}

/// What is measured of packets that arrive; `empty` is what each path would take if its queues were empty, if that is
/// known.
fn measure_arrivals(
    observers: &mut Observers,
    hosts: &mut Hosts,
    probe: &model::Probe,
    empty: impl FnOnce() -> Arc<[Empty]>,
) {
    if probe.delays || probe.flow_delays {
        let empty = empty();
        observers.delays = probe.delays.then(|| Box::new(Delays::new(Arc::clone(&empty))));
        observers.flow_delays = probe.flow_delays.then(|| Box::new(FlowDelays::new(empty)));
    }
    observers.reordering = probe.reordering.map(|threshold| Box::new(Reordering::new(threshold)));
    if probe.delays || probe.flow_delays || probe.reordering.is_some() {
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
fn account_for_losses(observers: &mut Observers, hosts: &mut Hosts, probe: &model::Probe, ways: &Ways) {
    if !probe.lost_throughput {
        return;
    }
    observers.drops = Some(Box::default());
    let scenario = ways.scenario;
    for (number, (flow, host)) in ways.flows.iter().zip(hosts.senders.items_mut()).enumerate() {
        let Some(sender) = scenario.transports[flow.transport.index()].kind.sender() else { continue };
        let capacity = ways.links(number).map(|link| scenario.network.links[link.index()].capacity.bps()).min();
        let Some(capacity) = capacity else { continue };
        let payload = f64::from(sender.mss) / f64::from(sender.mss + u32::from(host.header));
        let bytes = capacity as f64 * payload / (8.0 * PS_PER_SECOND as f64);
        observers.accounts.insert(number as u32, Box::new(LossAttribution::new(flow.start.ps(), bytes, sender.mss)));
        host.watch = host.watch.and(PathFlags::ACCOUNTED);
    }
}
