//! Who watches a run: a trace, a capture, probes. And why as few threads work as do.

use crate::engine::execute::layout::PartitionLayout;
use crate::engine::execute::partition::Partition;
use crate::engine::node::fabric::Fabric;
use crate::engine::node::hosts::{Hosts, PathFlags};
use crate::engine::observe::capture::Capture;
use crate::engine::observe::observers::Observers;
use crate::engine::observe::probe::{AnyProbe, ProbeSite};
use crate::engine::observe::trace::{Trace, TraceRules};
use crate::model::{self, Change, Flow, LinkId, Scenario, Selection, SimTime, Timeline};

/// Why one thread does all, if it must.
pub(super) fn needs_one_thread(part: &Partition) -> Option<&'static str> {
    let is_captured = Observers::of(&part.fabric).is_some_and(|all| all.capture.is_some());
    match is_captured {
        true => Some("packets are captured, which one thread does"),
        false => {
            let why = "what work does at one node is known at others at once, which one thread sees to";
            part.hosts.work.lookahead().is_none().then_some(why)
        }
    }
}

/// Why there are so few partitions for so many threads, in words.
pub(super) fn too_few(parts: usize, threads: usize) -> Option<String> {
    (parts < threads).then(|| match parts {
        1 => "the fibres, or the signals of work, are too short for what happens between two of their delays: a cut \
              would cost more than it gains"
            .to_owned(),
        _ => format!("the work lies in places of which only {parts} groups can be made that are worth a thread"),
    })
}

/// What is asked for.
pub(super) struct Watching<'a> {
    pub(super) rules: Option<TraceRules>,
    pub(super) capture: Option<Capture>,
    pub(super) probes: Vec<Box<dyn AnyProbe>>,
    pub(super) ways: Ways<'a>,
    /// Whether flows keep their paths, and these their links.
    pub(super) are_fixed: bool,
}

impl Watching<'_> {
    /// Puts in who watches, before anything happens.
    pub(super) fn put_in(self, fabric: &mut Fabric, hosts: &mut Hosts) {
        let Watching { rules, capture, mut probes, ways, are_fixed } = self;
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
        for probe in &mut probes {
            probe.begin(&mut Site { ways: &ways, hosts, are_fixed });
        }
        Observers { trace, capture, probes }.watch(fabric);
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
        ends: layout.flows.iter().map(|flow| [flow.source.0, flow.destination.0]).collect(),
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

/// What a probe may ask of a world before anything happens.
struct Site<'a> {
    ways: &'a Ways<'a>,
    hosts: &'a mut Hosts,
    are_fixed: bool,
}

impl ProbeSite for Site<'_> {
    fn scenario(&self) -> &Scenario {
        self.ways.scenario
    }

    fn flows(&self) -> &[Flow] {
        self.ways.flows
    }

    fn path(&self, flow: u32) -> Box<dyn Iterator<Item = LinkId> + '_> {
        Box::new(self.ways.links(flow as usize))
    }

    fn has_fixed_paths(&self) -> bool {
        self.are_fixed
    }

    fn header(&self, flow: u32) -> u16 {
        self.hosts.senders[flow].header
    }

    fn stamp_packets(&mut self) {
        for host in self.hosts.senders.items_mut().iter_mut().filter(|host| !host.watch.is_explicit()) {
            host.watch = host.watch.and(PathFlags::STAMPED);
        }
    }

    fn watch_sender(&mut self, flow: u32) {
        let host = &mut self.hosts.senders[flow];
        host.watch = host.watch.and(PathFlags::ACCOUNTED);
    }
}
