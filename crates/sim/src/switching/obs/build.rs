//! What the agents are made of, node by node: sections of paths, pairs of paths, sources, ways back and detours.

use super::balance::{Member, PathSet};
use super::load::LoadMeter;
use super::meter::Meter;
use super::node::{Asking, BurstNode, NodeParts, OutputFibre, Receiver, Route, Rules};
use super::plan::{Balancing, Contention, Obs, SharedLinks};
use super::route_index::RouteIndex;
use super::source::Generator;
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::LinkAccount;
use crate::engine::node::node_context::AgentPath;
use crate::engine::packet::admission::Interceptor;
use crate::links::loss;
use crate::model::{LinkId, Network, NodeId, PathPair, Routes, Transport, delay, disjoint_pair};
use control::reservation::{Fibre, Signalling};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use transport::tcp::{BurstReport, Sender, SenderConfig};
use units::{ByteTime, Duration};

/// What the agents are made of, by node.
pub(super) struct Builder<'a> {
    network: &'a Network,
    rules: Arc<Rules>,
    /// Per link of the network: whether it is optical.
    optical: Vec<bool>,
    /// The nodes with an optical link: the agents, in their order.
    nodes: Vec<NodeId>,
    drafts: Vec<Draft>,
}

#[derive(Default)]
struct Draft {
    /// By the links of the route.
    routes: BTreeMap<Vec<LinkId>, u32>,
    sections: Vec<(u32, u32)>,
    sources: Vec<Generator>,
    /// By route of a section: the two routes over which its bursts are spread.
    pairs: BTreeMap<u32, [Vec<LinkId>; 2]>,
}

impl Draft {
    fn route(&mut self, links: &[LinkId]) -> u32 {
        let next = self.routes.len() as u32;
        *self.routes.entry(links.to_vec()).or_insert(next)
    }
}

impl<'a> Builder<'a> {
    pub(super) fn new(obs: &Obs, network: &'a Network) -> Builder<'a> {
        let links = &network.links;
        let mut optical = vec![false; links.len()];
        obs.links.iter().for_each(|link| optical[link.index()] = true);
        let ends = obs.links.iter().flat_map(|link| [links[link.index()].from, links[link.index()].to]);
        let nodes: Vec<NodeId> = ends.collect::<BTreeSet<_>>().into_iter().collect();
        let drafts = nodes.iter().map(|_| Draft::default()).collect();
        let byte = ByteTime::at(obs.rate).expect("a resolved link is not slower than 8 bit/s");
        let rules = Rules { obs: obs.clone(), byte, processing: obs.control.processing.ps() };
        Builder { network, rules: Arc::new(rules), optical, nodes, drafts }
    }

    fn agent(&self, node: NodeId) -> u32 {
        self.nodes.binary_search(&node).map_or(u32::MAX, |place| place as u32)
    }

    fn draft(&mut self, node: NodeId) -> &mut Draft {
        let place = self.agent(node) as usize;
        &mut self.drafts[place]
    }

    /// Where the paths of flows enter the optical network, and how they go on in it.
    pub(super) fn find_sections(&mut self, build: &BuildContext) {
        let laid = build.laid;
        let is_optical = |step: &Option<LinkId>| step.is_some_and(|link| self.optical[link.index()]);
        let mut found = Vec::new();
        let mut at = 0;
        while at < laid.len() {
            let links: Vec<LinkId> =
                laid[at..].iter().take_while(|step| is_optical(step)).filter_map(|step| *step).collect();
            let next = at + links.len().max(1);
            if !links.is_empty() {
                found.push((at as u32, links));
            }
            at = next;
        }
        for (hop, links) in found {
            let node = self.network.links[links[0].index()].from;
            let draft = self.draft(node);
            let route = draft.route(&links);
            draft.sections.push((hop, route));
        }
    }

    /// Where sections have two paths.
    pub(super) fn find_pairs(&mut self) {
        let rules = Arc::clone(&self.rules);
        let Some(balancing) = &rules.obs.balancing else { return };
        let (network, optical) = (self.network, &self.optical);
        let mut known: BTreeMap<(NodeId, NodeId), Option<[Vec<LinkId>; 2]>> = BTreeMap::new();
        for draft in &mut self.drafts {
            let sections: Vec<(Vec<LinkId>, u32)> =
                draft.routes.iter().map(|(links, number)| (links.clone(), *number)).collect();
            for (links, number) in sections {
                let end = links[links.len() - 1];
                let ends = (network.links[links[0].index()].from, network.links[end.index()].to);
                let pair = known.entry(ends).or_insert_with(|| two_paths(balancing, network, optical, ends.0, ends.1));
                if let Some(pair) = pair.clone() {
                    for path in &pair {
                        draft.route(path);
                    }
                    draft.pairs.insert(number, pair);
                }
            }
        }
    }

    /// Who is told of which loads, and how far the news has to go.
    fn find_subscribers(&self, parts: &mut [NodeParts], build: &mut BuildContext) {
        let Some(balancing) = self.rules.obs.balancing.as_ref().filter(|balancing| balancing.needs_loads()) else {
            return;
        };
        let network = self.network;
        let mut routes = Routes::new(network, &self.optical);
        let mut wanted: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for part in parts.iter() {
            let links = part.sets.iter().flat_map(|set| set.members()).flat_map(|member| &member.links);
            for link in links {
                wanted.entry(*link).or_default().insert(part.agent);
            }
        }
        let processing = self.rules.processing;
        let mut latest = vec![0; parts.len()];
        for part in parts.iter_mut() {
            let mut told = BTreeSet::new();
            for output in &mut part.outputs {
                if let Some(agents) = wanted.get(&output.link.0) {
                    output.load = Some(LoadMeter::new(balancing.interval.ps()));
                    told.extend(agents.iter().copied().filter(|agent| *agent != part.agent));
                }
            }
            for agent in told {
                let Some(links) = routes.path(NodeId(part.node), self.nodes[agent as usize]) else { continue };
                // Twice the time that an idle control channel needs.
                let hops = links.len() as u64;
                let way = delay(network, &links) + 2 * hops * (processing + self.lasts_header());
                latest[agent as usize] = way.max(latest[agent as usize]);
                part.subscribers.push(Receiver { agent, way: build.agent_path(NodeId(part.node), &links) });
            }
        }
        for (part, latest) in parts.iter_mut().zip(latest) {
            part.choose_after = balancing.choose_after.map_or(latest, Duration::ps);
        }
    }

    /// How long a message is on a control channel, in picoseconds.
    fn lasts_header(&self) -> u64 {
        let control = &self.rules.obs.control;
        ByteTime::at(control.rate).map_or(0, |byte| byte.of(control.header_size.into()).ps())
    }

    /// The path sets of a node, and by route which takes its place.
    fn path_sets(&self, node: NodeId, draft: &Draft, build: &BuildContext) -> (Vec<PathSet>, BTreeMap<u32, u32>) {
        let Some(balancing) = &self.rules.obs.balancing else { return Default::default() };
        let (mut sets, mut places) = (Vec::new(), BTreeMap::new());
        let mut known: BTreeMap<&[Vec<LinkId>; 2], u32> = BTreeMap::new();
        for (route, pair) in &draft.pairs {
            let place = *known.entry(pair).or_insert_with(|| {
                let counts = |path: usize, link: &&LinkId| {
                    balancing.shared_links == SharedLinks::Counted || !pair[1 - path].contains(link)
                };
                let member = |path: usize| {
                    let links = pair[path].iter().filter(|link| counts(path, link)).map(|link| link.0).collect();
                    let offset = self.rules.obs.offset(pair[path].len() as u32).ps();
                    Member::new(draft.routes[&pair[path]], delay(self.network, &pair[path]), offset, links)
                };
                let name = |node: NodeId| &self.network.nodes[node.index()].name;
                let end = self.network.links[pair[0][pair[0].len() - 1].index()].to;
                let stream = build.seed.stream(&format!("paths {}->{}", name(node), name(end)), "path");
                let members = vec![member(0), member(1)];
                let turn = self.turn(&members);
                sets.push(PathSet::new(members, turn, stream));
                sets.len() as u32 - 1
            });
            places.insert(*route, place);
        }
        (sets, places)
    }

    /// What a wavelength needs between two bursts, in picoseconds. With JIT it is booked when the header has been
    /// processed, at most the offset before the burst.
    fn turn(&self, members: &[Member]) -> u64 {
        let fibre = &self.rules.obs.fibre;
        let before = match fibre.signalling {
            Signalling::Jet => fibre.switching.ps(),
            Signalling::Jit => members.iter().map(|member| member.offset).max().unwrap_or(0),
        };
        fibre.guard.ps() + before
    }

    /// The sources of bursts, each pair of nodes for itself.
    pub(super) fn find_sources(&mut self, build: &BuildContext) {
        let mut routes = Routes::new(self.network, &self.optical);
        for source in &self.rules.clone().obs.sources {
            for (number, (from, to)) in source.pairs.iter().enumerate() {
                let Some(links) = routes.path(*from, *to).filter(|links| !links.is_empty()) else { continue };
                let stream = build.seed.stream(&format!("bursts {} {number}", source.name), "arrivals");
                let draft = self.draft(*from);
                let route = draft.route(&links);
                draft.sources.push(Generator {
                    route,
                    arrivals: source.arrivals,
                    length: source.length,
                    mean: source.mean,
                    extra_offset: source.extra_offset.ps(),
                    headers_only: source.headers_only,
                    stream,
                });
            }
        }
    }

    pub(super) fn install_agents(mut self, build: &mut BuildContext) -> AgentSetup {
        let mut interceptors = BTreeMap::new();
        let drafts = std::mem::take(&mut self.drafts);
        let mut parts: Vec<NodeParts> =
            (0..).zip(drafts).map(|(agent, draft)| self.parts(agent, draft, build)).collect();
        for part in &parts {
            for (place, output) in (0..).zip(&part.outputs) {
                interceptors.insert(output.link, Interceptor { agent: part.agent, place });
            }
        }
        self.find_who_asks(&mut parts, build);
        self.find_subscribers(&mut parts, build);
        self.lay_returns(&mut parts, build);
        self.lay_detours(&mut parts, build);
        let agent =
            |part: NodeParts| -> (NodeId, Box<dyn Agent>) { (NodeId(part.node), Box::new(BurstNode::new(part))) };
        let shared = self.rules.obs.links.clone();
        AgentSetup { agents: parts.into_iter().map(agent).collect(), interceptors, shared, ..AgentSetup::default() }
    }

    fn parts(&self, agent: u32, draft: Draft, build: &mut BuildContext) -> NodeParts {
        let node = self.nodes[agent as usize];
        let outputs = self.outputs(node, build);
        let (sets, set_of) = self.path_sets(node, &draft, build);
        let mut routes: Vec<(u32, Route)> = Vec::new();
        for (links, number) in draft.routes {
            let place = outputs.iter().position(|output| output.link == links[0]).unwrap_or(0) as u32;
            let last = links[links.len() - 1];
            let window = self.rules.obs.notification.window;
            routes.push((
                number,
                Route {
                    way: build.agent_path(node, &links),
                    hops: links.len() as u32,
                    place,
                    egress: self.agent(self.network.links[last.index()].to),
                    offset: self.rules.obs.offset(links.len() as u32).ps(),
                    meter: Meter::new(window.ps()),
                    set: set_of.get(&number).copied(),
                    numbered: 0,
                },
            ));
        }
        routes.sort_by_key(|(number, _)| *number);
        NodeParts {
            agent,
            node: node.0,
            rules: Arc::clone(&self.rules),
            outputs,
            routes: routes.into_iter().map(|(_, route)| route).collect(),
            sections: RouteIndex::new(draft.sections),
            asking: BTreeMap::new(),
            sources: draft.sources,
            returns: BTreeMap::new(),
            detours: BTreeMap::new(),
            sets,
            subscribers: Vec::new(),
            choose_after: 0,
        }
    }

    fn outputs(&self, node: NodeId, build: &mut BuildContext) -> Vec<OutputFibre> {
        let links = &self.network.links;
        let own = self.rules.obs.links.iter().filter(|link| links[link.index()].from == node);
        let seed = build.seed;
        let stream = |link: &LinkId| seed.stream(&format!("link {}", links[link.index()].name), "loss");
        let output = |link: &LinkId| OutputFibre {
            link: *link,
            loss: loss::Process::new(&links[link.index()].properties.loss, stream(link)),
            port: build.port(node, *link),
            delay: links[link.index()].delay.ps(),
            fibre: Fibre::new(self.rules.obs.fibre),
            waiting: Default::default(),
            account: LinkAccount { channels: self.rules.obs.fibre.channels.into(), ..LinkAccount::default() },
            load: None,
        };
        own.map(output).collect()
    }

    /// The flows whose senders ask for reports about their bursts, each at the node where its data enter the optical
    /// network.
    fn find_who_asks(&self, parts: &mut [NodeParts], build: &mut BuildContext) {
        let BuildContext { flows, paths, laid, .. } = *build;
        let network = self.network;
        let asked: Vec<(BurstReport, u16)> = build.transports.iter().map(asked_by).collect();
        let mut routes = Routes::new(network, &network.open_to_flows());
        let mut known: BTreeMap<(NodeId, NodeId), AgentPath> = BTreeMap::new();
        for ((number, flow), (path, _)) in (0..).zip(flows).zip(paths) {
            let (report, header) = asked[flow.transport.index()];
            let steps = laid[*path as usize..].iter().map_while(|step| *step);
            let entry =
                steps.map(|link| (link, &network.links[link.index()])).find(|(link, _)| self.optical[link.index()]);
            let Some((_, entry)) = entry.filter(|_| report != BurstReport::Nothing) else { continue };
            let (node, sender) = (entry.from, flow.source);
            let Some(links) = routes.path(node, sender) else { continue };
            let way = *known.entry((node, sender)).or_insert_with(|| build.agent_path(node, &links));
            parts[self.agent(node) as usize].asking.insert(number, Asking { report, way, header });
        }
    }

    /// Ways on which ingress nodes hear of losses, if they ask.
    fn lay_returns(&self, parts: &mut [NodeParts], build: &mut BuildContext) {
        let listens = |part: &NodeParts| part.asking.values().any(|asking| asking.report != BurstReport::Assembled);
        if self.rules.obs.retransmission.is_none() && !parts.iter().any(listens) {
            return;
        }
        let mut routes = Routes::new(self.network, &self.optical);
        let makes_bursts: Vec<bool> = parts.iter().map(|part| !part.routes.is_empty()).collect();
        for ingress in (0..parts.len()).filter(|agent| makes_bursts[*agent]) {
            for part in parts.iter_mut().filter(|part| part.agent != ingress as u32) {
                let way = routes.path(NodeId(part.node), self.nodes[ingress]);
                if let Some(links) = way {
                    part.returns.insert(ingress as u32, build.agent_path(NodeId(part.node), &links));
                }
            }
        }
    }

    /// Other ways to the egress nodes, if bursts are deflected: over each output, the cheapest way that does not come
    /// back.
    fn lay_detours(&self, parts: &mut [NodeParts], build: &mut BuildContext) {
        if !matches!(self.rules.obs.contention, Contention::Deflection { .. }) {
            return;
        }
        let network = self.network;
        let mut routes = Routes::new(network, &self.optical);
        let egresses: BTreeSet<u32> =
            parts.iter().flat_map(|part| part.routes.iter().map(|route| route.egress)).collect();
        for egress in egresses {
            let to = self.nodes[egress as usize];
            for part in parts.iter_mut().filter(|part| part.agent != egress) {
                let node = NodeId(part.node);
                let mut ways: Vec<(u64, u32, Vec<LinkId>)> = Vec::new();
                for (place, output) in (0..).zip(&part.outputs) {
                    let Some(rest) = routes.path(network.links[output.link.index()].to, to) else { continue };
                    let links: Vec<LinkId> = [output.link].into_iter().chain(rest).collect();
                    let comes_back = links.iter().any(|link| network.links[link.index()].to.0 == part.node);
                    if !comes_back {
                        let cost = links.iter().map(|link| network.links[link.index()].cost).sum();
                        ways.push((cost, place, links));
                    }
                }
                ways.sort();
                let laid = ways.into_iter().map(|(_, place, links)| (place, build.agent_path(node, &links)));
                part.detours.insert(egress, laid.collect());
            }
        }
    }
}

/// The paths that the scenario names, or the pair that is found; `None` where there is one way, or one is to be used.
fn two_paths(
    balancing: &Balancing,
    network: &Network,
    optical: &[bool],
    from: NodeId,
    to: NodeId,
) -> Option<[Vec<LinkId>; 2]> {
    if !balancing.is_for(from, to) {
        return None;
    }
    if let Some(named) = balancing.named(network, from, to) {
        return Some(named.clone());
    }
    let found = disjoint_pair(network, optical, from, to, balancing.ties).filter(|pair| !pair.is_single());
    found.map(|PathPair { primary, alternate }| [primary, alternate])
}

/// What the senders of a transport ask for, and the bytes of their packets that are not payload.
fn asked_by(transport: &Transport) -> (BurstReport, u16) {
    let wanted = |sender: &SenderConfig| Sender::new(Arc::new(sender.clone())).wanted_burst_report();
    (transport.kind.sender().map_or(BurstReport::Nothing, wanted), transport.kind.header() as u16)
}
