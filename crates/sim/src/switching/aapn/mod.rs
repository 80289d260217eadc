//! An agile all-photonic network (paper 003, chapters 2 and 3): edge nodes around a core node that switches light slot
//! by slot and keeps nothing.
//!
//! # Time
//!
//! Frame f begins at the core node at f·T_f, and slot s of it s·T_s later. An edge node at distance d begins frame f so
//! much earlier that its light arrives in time. The data of a slot last T_s − g and begin g/2 after the slot, so the
//! switch has the guard time g between two slots, and an edge node whose clock is off may be late or early by g/2: the
//! data of a slot that is off by more meet the switch while it turns, and are lost.
//!
//! # Who knows what
//!
//! With a fixed plan everybody knows the schedule. Otherwise an edge node asks once a frame; the request for frame f is
//! at the core node at its beginning (out of band) or in its signalling slot (in band). The core node then schedules,
//! and its grants travel back. They hold for the first frame that no edge node has begun when its grant arrives; that
//! is always the same number of frames later, because delays are constant.
//!
//! So it is with `protocol = "known"`: edge nodes know their delays and one another, and messages do not suffer from
//! bad clocks. With `protocol = "simulated"` the signalling protocol finds all that out ([`signalled`]).

mod beat;
mod check;
mod core;
mod edge;
mod keys;
pub mod plan;
mod queue;
mod shares;
mod signalled;
mod tell;
pub mod wavelengths;

pub(super) use check::check;
pub use keys::AapnSwitching as Keys;
pub use plan::Aapn;

use self::core::{CoreNode, Downlink, Rules};
use self::plan::{Channel, Computed, SlotFrame, Uplink};
use super::kind::{self, Kind};
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::{AgentSetup, BuildContext};
use crate::engine::node::counters::KeyedSums;
use crate::model::{LinkId, Network, NodeId, Opening, PortRule};
use crate::results::Figure;
use beat::Beat;
use control::scheduler::{Algorithm, FrameScheduler, IDLE, Requests, Schedule};
use control::signalling::SlotPart;
use edge::{Asking, Clock, EdgeAgent, Plan, Stage};
use queue::{Queue, QueueOutput};
use std::collections::BTreeMap;
use tell::Teller;
use units::{ByteTime, Duration, Rate};
use wavelengths::{Sum, Wavelengths};

/// Bytes of a message besides its entries: the control field of paper 003 (§2.4.3).
const MESSAGE_HEADER: u64 = 20;
/// Bytes of an entry: a number of slots, or the destination of a slot.
const ENTRY: u64 = 2;

pub(super) const KIND: Kind = Kind { leads: true, ..Kind::new() };

impl kind::Plan for Aapn {
    fn port(&self, network: &Network, id: LinkId) -> PortRule {
        let link = &network.links[id.index()];
        let opening = if link.via.is_some() { Opening::InWindows(self.packing) } else { Opening::Always };
        PortRule { opening, ..PortRule::of(link) }
    }

    fn install_agents(&self, build: &mut BuildContext) -> AgentSetup {
        let agents = match &self.plan {
            plan::Plan::Signalled(rules) => signalled::agents(self, rules, build),
            _ => agents(self, build),
        };
        AgentSetup { agents, ..AgentSetup::default() }
    }

    fn figures(&self, before: &KeyedSums, after: &KeyedSums) -> Vec<Figure> {
        match &self.plan {
            plan::Plan::Signalled(_) => signalled::figures(before, after),
            // Nothing to tell where none is ever dark.
            _ if self.dark.is_empty() => Vec::new(),
            _ => {
                let value = (after.of(Sum::Dark) - before.of(Sum::Dark)) as f64;
                vec![Figure { name: "slots_dark", value, unit: "slots" }]
            }
        }
    }

    fn notes(&self, network: &Network) -> Vec<String> {
        let follows = |link: &crate::model::Link| link.controller.is_some_and(|controller| controller.follows);
        match &self.plan {
            plan::Plan::Signalled(rules) if network.links.iter().any(|link| link.via.is_some() && follows(link)) => {
                vec![signalled::remedies(&rules.sharing)]
            }
            _ => Vec::new(),
        }
    }

    fn keeps(&self, network: &Network, id: LinkId, name: &str) -> Option<String> {
        let link = &network.links[id.index()];
        let signals = [link.from, link.to].iter().any(|node| self.cores.binary_search(node).is_ok());
        let what = format!("the frames depend on {name}, which keeps its capacity and delay");
        (link.via.is_some() || signals).then(|| format!("{what}; allowed: another switching.allocation"))
    }
}

/// What edge nodes and core nodes tell one another.
#[derive(Clone, Debug)]
pub enum Notice {
    /// An edge node wants slots.
    Request {
        /// Its place among the edge nodes.
        edge: u32,
        /// The frame at whose beginning the core node wants to know.
        frame: u64,
        /// Slots wanted to each edge node.
        slots: Box<[u32]>,
    },
    /// A core node grants slots to an edge node.
    Grant {
        /// The frame in which they are.
        frame: u64,
        /// In the order of time.
        runs: Vec<SlotRange>,
    },
}

/// Slots in a row, granted to one queue; with several wavelengths by their numbers ([`wavelengths`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotRange {
    /// The first slot of the frame.
    pub slot: u32,
    /// How many.
    pub slots: u32,
    /// The place of the destination among the edge nodes.
    pub to: u32,
}

/// Slots granted in several frames.
#[derive(Clone, Copy, Debug)]
pub struct SlotsGranted {
    /// In all of them together.
    pub slots: u64,
    /// How many frames.
    pub frames: u64,
}

impl SlotFrame {
    /// How long it lasts, in picoseconds.
    pub fn length(&self) -> u64 {
        self.slot.ps().saturating_mul(u64::from(self.slots))
    }

    /// The slots that carry data, on each wavelength.
    pub fn data_slots(&self) -> u32 {
        self.slots - self.signalling_slots
    }

    /// How long the data of a slot on a wavelength last at the rate of all wavelengths, in picoseconds.
    pub fn payload(&self) -> u64 {
        self.datagram() * u64::from(self.datagrams)
    }

    /// How long the data of one of its datagrams last, in picoseconds.
    pub fn datagram(&self) -> u64 {
        let light = Duration::from_ps((self.slot.ps() - self.guard.ps()) / u64::from(self.wavelengths));
        let lasts = SlotPart::new(0, self.datagrams).unwrap_or(SlotPart::WHOLE).lasts(light);
        lasts.saturating_sub(self.header).ps()
    }

    /// What granted slots carry of the capacity of all wavelengths: (4.1).
    pub fn rate(&self, capacity: Rate, granted: SlotsGranted, counts: plan::Counts) -> Rate {
        // Of the rate of all wavelengths a slot of one has its part of the time.
        let (slot, parts) = match counts {
            plan::Counts::Payload => (self.payload(), 1),
            plan::Counts::Slot => (self.slot.ps(), u128::from(self.wavelengths)),
        };
        let frames = u128::from(granted.frames.max(1));
        let most = frames * u128::from(self.slots) * u128::from(self.wavelengths);
        let share = u128::from(slot) * u128::from(granted.slots).min(most);
        // At most the capacity, which has 64 bits.
        let whole = frames * u128::from(self.length()) * parts;
        Rate::from_bps((u128::from(capacity.bps()).saturating_mul(share) / whole) as u64)
    }

    /// Bytes of a request.
    pub fn request_size(edges: usize) -> u64 {
        MESSAGE_HEADER + ENTRY * edges as u64
    }

    /// Bytes of a grant.
    pub fn grant_size(&self) -> u64 {
        MESSAGE_HEADER + ENTRY * u64::from(self.slots_of_a_node(self.wavelengths))
    }
}

/// The agents of a network, each with its node: for every edge node one towards each core node, then the core nodes.
fn agents(aapn: &Aapn, build: &mut BuildContext) -> Vec<(NodeId, Box<dyn Agent>)> {
    let network = build.network;
    let mut agents: Vec<(NodeId, Box<dyn Agent>)> = Vec::new();
    let timing = match &aapn.plan {
        plan::Plan::Computed(computed) => {
            (0..aapn.cores.len()).map(|core| Some(Timing::new(aapn, computed, network, core))).collect()
        }
        plan::Plan::Fixed(_) | plan::Plan::Signalled(_) => vec![None; aapn.cores.len()],
    };
    for (number, uplink) in aapn.uplinks.iter().enumerate() {
        let (edge, core) = (number / aapn.cores.len(), number % aapn.cores.len());
        let plan = match (&aapn.plan, &timing[core]) {
            (plan::Plan::Computed(computed), Some(timing)) => Plan::Asked(Asking {
                edge: edge as u32,
                rule: computed.request,
                way: build.agent_path(aapn.edges[edge].node, &[uplink.request]),
                core_agent: (aapn.uplinks.len() + core) as u32,
                size: SlotFrame::request_size(aapn.edges.len()) as u16,
                after: timing.requests_after[edge],
                lag: timing.lag,
                next: 0,
                granted: BTreeMap::new(),
            }),
            (plan::Plan::Fixed(allocations), _) => Plan::Fixed(stages(aapn, allocations, number)),
            (plan::Plan::Computed(_), None) | (plan::Plan::Signalled(_), _) => Plan::Fixed(Vec::new()),
        };
        agents.push((aapn.edges[edge].node, Box::new(edge_agent(aapn, number, plan, build))));
    }
    for (core, timing) in timing.into_iter().enumerate() {
        if let (plan::Plan::Computed(computed), Some(timing)) = (&aapn.plan, timing) {
            let node = core_node(aapn, computed, core, timing, build);
            agents.push((aapn.cores[core], Box::new(node)));
        }
    }
    agents
}

fn edge_agent(aapn: &Aapn, number: usize, plan: Plan, build: &mut BuildContext) -> EdgeAgent {
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
    EdgeAgent::new(beat, clock, queues, plan, (teller, wavelengths))
}

fn rule(plan: &Plan) -> plan::Request {
    match plan {
        Plan::Asked(asking) => asking.rule,
        Plan::Fixed(_) => plan::Request::Queue,
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
fn stages(aapn: &Aapn, allocations: &[plan::Allocation], uplink: usize) -> Vec<Stage> {
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
    std::mem::take(&mut wavelengths::granted(&schedule, frame, &all)[edge]).into()
}

/// What each input may send in a frame whose schedule begins with slot `first`. Block after block: most connections
/// hold on.
pub(super) fn runs(schedule: &Schedule, first: u32) -> Vec<Vec<SlotRange>> {
    let nodes = schedule.nodes();
    let mut runs: Vec<Vec<SlotRange>> = (0..nodes).map(|_| Vec::with_capacity(2 * nodes)).collect();
    let idle = vec![IDLE; nodes];
    let (mut before, mut now) = (&idle[..], first);
    let mut change = |before: &[u16], after: &[u16], now: u32| {
        for (input, (before, after)) in
            before.iter().zip(after).enumerate().filter(|(_, (before, after))| before != after)
        {
            if *before != IDLE
                && let Some(run) = runs[input].last_mut()
            {
                run.slots = now - run.slot;
            }
            if *after != IDLE {
                runs[input].push(SlotRange { slot: now, slots: 0, to: (*after).into() });
            }
        }
    };
    for block in schedule.blocks() {
        change(before, block.outputs, now);
        (before, now) = (block.outputs, now + block.slots);
    }
    change(before, &idle, now);
    runs
}
