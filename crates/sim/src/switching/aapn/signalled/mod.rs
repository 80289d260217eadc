//! The signalling protocol, simulated (`protocol = "simulated"`): the machines of [`control::signalling`] at edge nodes
//! and core nodes, over fibres of the network. Edge nodes know neither delays nor clocks; they join, measure T_d in
//! every frame, and one of them is master.
//!
//! | file | holds |
//! |---|---|
//! | `check` | what is wrong with `[switching.control]` and `[[switching.fault]]` |
//! | `edge`, `core` | the agents: a machine with its clock and its fibre |
//! | `stars` | several core nodes: queues that change to another one when theirs fails |
//! | `label` | what is read of a slot without its key |
//! | `fibre` | messages on their way: stamps, jitter, losses, cuts |
//! | `figures` | what is counted |
//! | `note`, `expect` | which remedy against starving is on, and what it leaves to whom |
//!
//! A slot of signalling and a message beside the light take a link's time to be sent, but they are stamped by their
//! first bit, as if every one of them had a wavelength of its own: light does not wait for light. The payload of data
//! slots is what waits in the queues.

pub mod check;
mod core;
mod edge;
mod expect;
mod fibre;
mod figures;
mod label;
mod note;
mod stars;

pub use figures::figures;
pub use note::remedies;

use self::core::{Downlink, SignalledCore};
use self::edge::{Parts, SignalledEdge, Uplink};
use self::fibre::{Fibre, Outages};
use self::stars::{Board, Stars};
use super::Beat;
use super::plan::Aapn;
use super::protocol::Signalled;
use super::queue::{Queue, QueueOutput};
use super::tell::Teller;
use crate::engine::node::agent::Agent;
use crate::engine::node::agent_setup::BuildContext;
use crate::model::NodeId;
use control::signalling::NodeConfig;
use control::wire::{self, Key, Stamp};
use std::sync::Arc;
use units::Duration;

/// Nobody outside a simulation is to be kept out.
const KEY: &[u8] = b"the key of every simulated network";

fn key() -> Key {
    Key::new(KEY).expect("it is long enough")
}

/// The agents of a network: edge by edge, and core by core within an edge; then the core nodes.
pub(super) fn agents(aapn: &Aapn, rules: &Signalled, build: &mut BuildContext) -> Vec<(NodeId, Box<dyn Agent>)> {
    let outages = Arc::new(Outages::new(&rules.outages));
    let mut board = Board::new(aapn.cores.len());
    let mut agents: Vec<(NodeId, Box<dyn Agent>)> = Vec::new();
    let cores = aapn.cores.len();
    for number in 0..aapn.uplinks.len() {
        let (edge, core) = (number / cores, number % cores);
        if core == 0 {
            board = Board::new(cores);
        }
        let changes = rules.failover && cores > 1;
        let stars = changes.then(|| Stars::new(Arc::clone(&board), wire::NodeId(edge as u16), core));
        let agent = edge_agent(aapn, rules, number, &outages, stars, build);
        agents.push((aapn.edges[edge].node, Box::new(agent)));
    }
    for core in 0..cores {
        agents.push((aapn.cores[core], Box::new(core_agent(aapn, rules, core, &outages, build))));
    }
    agents
}

fn edge_agent(
    aapn: &Aapn,
    rules: &Signalled,
    number: usize,
    outages: &Arc<Outages>,
    stars: Option<Stars>,
    build: &mut BuildContext,
) -> SignalledEdge {
    let cores = aapn.cores.len();
    let (edge, core) = (number / cores, number % cores);
    let (links, uplink, node) = (&build.network.links, &aapn.uplinks[number], aapn.edges[edge]);
    let (name, delay) = (&links[uplink.request.index()].name, links[uplink.request.index()].delay.ps());
    let stream = |purpose: &str| build.seed.stream(&format!("uplink {name}"), purpose);
    let (signal, jitter, fibre) = (stream("signal"), stream("jitter"), stream("fibre"));
    let network = rules.networks[core].clone();
    let config = NodeConfig {
        node: wire::NodeId(edge as u16),
        key: key(),
        network: (rules.master as usize == edge).then(|| network.clone()),
        algorithm: rules.algorithm,
        stamp: if node.jitter > Duration::ZERO { Stamp::Follows } else { Stamp::Exact },
        filter: rules.filter,
        weights: aapn.weights.clone(),
        sharing: rules.sharing,
    };
    let queue = |(to, id): &(u32, crate::model::LinkId)| {
        let (port, link) = (build.port(node.node, *id), &build.network.links[id.index()]);
        let follows = link.controller.is_some_and(|controller| controller.follows);
        Queue::new(QueueOutput { to: *to, port, capacity: link.capacity, follows }, rules.request)
    };
    let queues = uplink.queues.iter().map(queue).collect();
    let uplink = Uplink {
        way: build.agent_path(node.node, &[uplink.request]),
        core_agent: (aapn.uplinks.len() + core) as u32,
        delay,
        fibre: Fibre::new(rules.fibre, fibre),
    };
    SignalledEdge::new(Parts {
        edge: edge as u32,
        node: node.node,
        config,
        network,
        clock: rules.clocks[edge],
        host: super::edge::Clock { offset: 0, jitter: node.jitter.ps(), stream: jitter },
        uplink,
        queues,
        rule: rules.request,
        scheduling_time: rules.scheduling_time.ps(),
        beat: Beat { frame: aapn.frame, delay, lead: 0 },
        teller: Teller::new(aapn.signal, signal),
        outages: Arc::clone(outages),
        stars,
        core: core as u32,
        transcript: rules.transcript,
    })
}

fn core_agent(
    aapn: &Aapn,
    rules: &Signalled,
    core: usize,
    outages: &Arc<Outages>,
    build: &mut BuildContext,
) -> SignalledCore {
    let uplinks = aapn.uplinks.iter().enumerate().skip(core).step_by(aapn.cores.len());
    let downlinks: Vec<Downlink> = uplinks
        .map(|(number, uplink)| {
            let link = &build.network.links[uplink.grant.index()];
            let stream = build.seed.stream(&format!("downlink {}", link.name), "fibre");
            Downlink {
                delay: link.delay.ps(),
                fibre: Fibre::new(rules.fibre, stream),
                way: build.agent_path(aapn.cores[core], &[uplink.grant]),
                agent: number as u32,
            }
        })
        .collect();
    SignalledCore::new(core::Parts {
        node: aapn.cores[core],
        place: core as u32,
        network: rules.networks[core].clone(),
        key: key(),
        downlinks,
        outages: Arc::clone(outages),
        transcript: rules.transcript,
    })
}
