//! The agents of a network that follows a fixed plan or computes schedules, and when its messages travel.

use super::core::{CoreNode, Downlink, Rules};
use super::edge::{Asking, Clock, EdgeAgent, SlotSource, Stage};
use super::plan::{Aapn, Allocation, Channel, Computed, Plan, SlotFrame, Spare, Uplink};
use super::queue::{Queue, QueueOutput};
use super::request::Request;
use super::tell::Teller;
use super::wavelengths::{Wavelengths, granted};
use super::{Beat, SlotRange};
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::BuildContext;
use crate::model::{LinkId, Network, NodeId};
use control::scheduler::{Algorithm, FrameScheduler, Requests};
use std::collections::BTreeMap;
use units::ByteTime;

/// The agents of a network, each with its node: for every edge node one towards each core node, then the core nodes.
pub(super) fn agents(aapn: &Aapn, build: &mut BuildContext) -> Vec<(NodeId, Box<dyn Agent>)> {
    let network = build.network;
    let mut agents: Vec<(NodeId, Box<dyn Agent>)> = Vec::new();
    let timing = match &aapn.plan {
        Plan::Computed(computed) => {
            (0..aapn.cores.len()).map(|core| Some(Timing::new(aapn, computed, network, core))).collect()
        }
        Plan::Fixed(_) | Plan::Signalled(_) => vec![None; aapn.cores.len()],
    };
    for (number, uplink) in aapn.uplinks.iter().enumerate() {
        let (edge, core) = (number / aapn.cores.len(), number % aapn.cores.len());
        let plan = match (&aapn.plan, &timing[core]) {
            (Plan::Computed(computed), Some(timing)) => SlotSource::Asked(Asking {
                edge: edge as u32,
                rule: computed.request,
                way: build.agent_path(aapn.edges[edge].node, &[uplink.request]),
                core_agent: (aapn.uplinks.len() + core) as u32,
                size: SlotFrame::request_size(aapn.edges.len()) as u16,
                after: timing.requests_after[edge],
                tells_unused: computed.spare == Spare::Using,
                lag: timing.lag,
                next: 0,
                granted: BTreeMap::new(),
            }),
            (Plan::Fixed(allocations), _) => SlotSource::Fixed(stages(aapn, allocations, number)),
            (Plan::Computed(_), None) | (Plan::Signalled(_), _) => SlotSource::Fixed(Vec::new()),
        };
        agents.push((aapn.edges[edge].node, Box::new(edge_agent(aapn, number, plan, build))));
    }
    for (core, timing) in timing.into_iter().enumerate() {
        if let (Plan::Computed(computed), Some(timing)) = (&aapn.plan, timing) {
            let node = core_node(aapn, computed, core, timing, build);
            agents.push((aapn.cores[core], Box::new(node)));
        }
    }
    agents
}

fn edge_agent(aapn: &Aapn, number: usize, plan: SlotSource, build: &mut BuildContext) -> EdgeAgent {
    let (network, seed) = (build.network, build.seed);
    let (uplink, edge) = (&aapn.uplinks[number], aapn.edges[number / aapn.cores.len()]);
    let stream = |purpose: &str| {
        let link = &network.links[uplink.request.index()].name;
        seed.stream(&format!("uplink {link}"), purpose)
    };
    let lead = edge.offset.saturating_sub_unsigned(edge.jitter.ps()).min(0).unsigned_abs();
    let beat = Beat { frame: aapn.frame, delay: network.links[uplink.request.index()].delay.ps(), lead };
    let queue = |(to, id): &(u32, LinkId)| {
        let (port, link) = (build.port(edge.node, *id), &network.links[id.index()]);
        let follows = link.controller.is_some_and(|controller| controller.follows);
        Queue::new(QueueOutput { to: *to, port, capacity: link.capacity, follows }, rule(&plan))
    };
    let queues = uplink.queues.iter().map(queue).collect();
    let teller = Teller::new(aapn.signal, stream("signal"));
    let clock = Clock { offset: edge.offset, jitter: edge.jitter.ps(), stream: stream("jitter") };
    let wavelengths = Wavelengths::of(aapn, number % aapn.cores.len());
    EdgeAgent::new(beat, clock, queues, plan, teller, wavelengths)
}

fn rule(plan: &SlotSource) -> Request {
    match plan {
        SlotSource::Asked(asking) => asking.rule,
        SlotSource::Fixed(_) => Request::Queue,
    }
}

/// When messages travel between a core node and its edge nodes. Times count from the beginning of a frame at the core
/// node.
#[derive(Clone, Debug)]
struct Timing {
    /// When each edge node's request leaves, its delay later.
    requests_after: Vec<u64>,
    /// When the core node schedules.
    schedules_after: u64,
    /// When the grant for each edge node leaves.
    grants_after: Vec<u64>,
    /// Grants hold this many frames after the one in which they were asked for.
    lag: u64,
}

impl Timing {
    fn new(aapn: &Aapn, computed: &Computed, network: &Network, core: usize) -> Timing {
        let frame = aapn.frame;
        let uplinks: Vec<&Uplink> = aapn.uplinks.iter().skip(core).step_by(aapn.cores.len()).collect();
        let link = |id: LinkId| &network.links[id.index()];
        let lasts = |id: LinkId, size: u64| ByteTime::at(link(id).capacity).map_or(0, |byte| byte.of(size as u32).ps());
        let in_slot = |edge: u64| frame.slot.ps() * edge + frame.guard.ps() / 2;
        let turn = |edge: u64| if computed.channel == Channel::InBand { in_slot(edge) } else { 0 };
        let requests_after: Vec<u64> = (0..uplinks.len() as u64).map(turn).collect();
        let size = SlotFrame::request_size(aapn.edges.len());
        let last_request =
            uplinks.iter().zip(&requests_after).map(|(uplink, after)| after + lasts(uplink.request, size));
        let schedules_after = match computed.channel {
            Channel::InBand => frame.slot.ps() * u64::from(frame.signalling_slots),
            Channel::OutOfBand => last_request.max().unwrap_or(0),
        };
        let ready = schedules_after + computed.scheduling_time.ps();
        // In band, grants leave in the signalling slots of the first frame that begins when the schedule is ready.
        let leave = |edge: u64| match computed.channel {
            Channel::InBand => ready.div_ceil(frame.length()) * frame.length() + in_slot(edge),
            Channel::OutOfBand => ready,
        };
        let grants_after: Vec<u64> = (0..uplinks.len() as u64).map(leave).collect();
        let arrive = uplinks.iter().zip(&grants_after).zip(&aapn.edges).map(|((uplink, leaves), edge)| {
            let there = link(uplink.grant).delay.ps() + lasts(uplink.grant, frame.grant_size());
            let lead = edge.offset.saturating_sub_unsigned(edge.jitter.ps()).min(0).unsigned_abs();
            leaves + there + link(uplink.request).delay.ps() + lead
        });
        let lag = arrive.max().unwrap_or(0).div_ceil(frame.length());
        Timing { requests_after, schedules_after, grants_after, lag }
    }
}

fn core_node(aapn: &Aapn, computed: &Computed, core: usize, timing: Timing, build: &mut BuildContext) -> CoreNode {
    let uplinks = aapn.uplinks.iter().enumerate().skip(core).step_by(aapn.cores.len());
    let downlinks = uplinks.zip(timing.grants_after).map(|((number, uplink), after)| Downlink {
        way: build.agent_path(aapn.cores[core], &[uplink.grant]),
        agent: number as u32,
        after,
    });
    let scheduler = FrameScheduler::new(computed.algorithm);
    let (after, lag) = (timing.schedules_after, timing.lag);
    let weights = aapn.weights.clone();
    let wavelengths = Wavelengths::of(aapn, core);
    let rules = Rules { frame: aapn.frame, wavelengths, scheduler, weights, spare: computed.spare, after, lag };
    CoreNode::new(rules, downlinks.collect())
}

/// What a fixed plan grants to the queues of an uplink, frame after frame.
fn stages(aapn: &Aapn, allocations: &[Allocation], uplink: usize) -> Vec<Stage> {
    let (edge, core) = (uplink / aapn.cores.len(), uplink % aapn.cores.len());
    let nodes = aapn.edges.len();
    let place = |link: LinkId| {
        let at = |edge: usize| aapn.uplinks[edge * aapn.cores.len() + core].queues.iter().find(|queue| queue.1 == link);
        (0..nodes).find_map(|edge| at(edge).map(|(to, _)| edge * nodes + *to as usize))
    };
    let mut slots = vec![0; nodes * nodes];
    let mut stages: Vec<Stage> = Vec::new();
    for (number, allocation) in allocations.iter().enumerate() {
        if let Some(place) = place(allocation.link) {
            slots[place] = allocation.slots;
        }
        if allocations.get(number + 1).is_some_and(|next| next.at == allocation.at) {
            continue;
        }
        let runs = arranged(aapn.frame, nodes, &slots, edge);
        let from = allocation.at.ps().div_ceil(aapn.frame.length());
        // Of two stages that begin with the same frame the later one counts.
        stages.retain(|stage| stage.from < from);
        stages.push(Stage { from, runs });
    }
    stages
}

/// The slots of an edge node; `slots` has those of every pair of nodes.
fn arranged(frame: SlotFrame, nodes: usize, slots: &[u32], edge: usize) -> Box<[SlotRange]> {
    let requests = Requests::new(nodes, slots.to_vec()).expect("a resolved network has edge nodes, and not too many");
    let all: Vec<u32> = (0..frame.wavelengths).collect();
    let schedule = FrameScheduler::new(Algorithm::Bvn).schedule(&requests, frame.slots_of_a_node(frame.wavelengths));
    let schedule = schedule.expect("a resolved frame is neither empty nor too long");
    std::mem::take(&mut granted(&schedule, frame, &all)[edge]).into()
}
