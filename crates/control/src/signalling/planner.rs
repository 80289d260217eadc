//! Requests into a plan: connections of the switch for one frame, and the grants of every node.
//!
//! The schedulers know ports. Behind a combiner several nodes share one, so a connection of two ports is handed on, slot by slot, to the pair
//! of nodes behind them that has most left to send.

use super::network::Network;
use crate::scheduler::{FrameScheduler, IDLE, Requests};
use crate::wire::{Connection, Grant, NodeId};
use std::collections::BTreeMap;

/// What nodes want, less what they were granted.
pub(super) type Demands = BTreeMap<Pair, u32>;

/// Who sends to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
}

/// The plan of a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Planned {
    pub(super) connections: Vec<Connection>,
    pub(super) grants: BTreeMap<NodeId, Vec<Grant>>,
}

/// A port whose light to the master's port is kept free, for an answer, in the last slots of the frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) first: u32,
    pub(super) joiner: u16,
    pub(super) master: u16,
}

/// Plans a frame and takes what is granted from `demands`.
pub(super) fn plan(
    network: &Network,
    scheduler: &mut FrameScheduler,
    demands: &mut Demands,
    window: Option<Window>,
) -> Planned {
    let mut planned = Planned::default();
    let first = network.signalling_slots;
    let split = window.map_or(network.frame_slots, |window| window.first);
    fill(network, scheduler, demands, first..split, &mut planned, |_, _| true);
    if let Some(Window { first, joiner, master }) = window {
        let slots = network.frame_slots - first;
        planned.connections.push(Connection { slot: first, slots, input: joiner, output: master });
        let free = |input: u16, output: u16| input != joiner && output != master;
        fill(network, scheduler, demands, first..network.frame_slots, &mut planned, free);
    }
    planned.connections.sort_by_key(|held| (held.slot, held.input));
    planned
}

fn fill(
    network: &Network,
    scheduler: &mut FrameScheduler,
    demands: &mut Demands,
    slots: std::ops::Range<u32>,
    planned: &mut Planned,
    free: impl Fn(u16, u16) -> bool,
) {
    let size = usize::from(network.switch_size);
    let mut matrix = vec![0u32; size * size];
    for (pair, wanted) in demands.iter() {
        let Some((input, output)) = ports(network, *pair) else { continue };
        if free(input, output) {
            let entry = &mut matrix[usize::from(input) * size + usize::from(output)];
            *entry = entry.saturating_add(*wanted);
        }
    }
    let Ok(requests) = Requests::new(size, matrix) else { return };
    // A part of a frame without slots has no schedule.
    let Ok(schedule) = scheduler.schedule(&requests, slots.end - slots.start) else { return };
    for block in schedule.blocks() {
        let first = slots.start + block.start;
        for (input, output) in block.outputs.iter().enumerate().filter(|(_, output)| **output != IDLE) {
            let held = Connection { slot: first, slots: block.slots, input: input as u16, output: *output };
            hand_out(network, demands, held, planned);
        }
    }
}

fn ports(network: &Network, pair: Pair) -> Option<(u16, u16)> {
    Some((network.member(pair.from)?.port, network.member(pair.to)?.port)).filter(|_| pair.from != pair.to)
}

/// The slots of a connection to the nodes behind it. A slot that nobody wants is not connected.
fn hand_out(network: &Network, demands: &mut Demands, held: Connection, planned: &mut Planned) {
    for slot in held.slot..held.slot + held.slots {
        let behind = |pair: &Pair| ports(network, *pair) == Some((held.input, held.output));
        let most = demands.iter_mut().filter(|(pair, wanted)| **wanted > 0 && behind(pair));
        // Of equals the first.
        let Some((pair, wanted)) = most.rev().max_by_key(|(_, wanted)| **wanted) else { return };
        *wanted -= 1;
        extend_grants(planned.grants.entry(pair.from).or_default(), slot, pair.to);
        extend_connections(&mut planned.connections, slot, &held);
    }
}

fn extend_grants(grants: &mut Vec<Grant>, slot: u32, destination: NodeId) {
    match grants.last_mut() {
        Some(last) if last.destination == destination && last.slot + last.slots == slot => last.slots += 1,
        _ => grants.push(Grant { slot, slots: 1, destination }),
    }
}

fn extend_connections(connections: &mut Vec<Connection>, slot: u32, held: &Connection) {
    let Connection { input, output, .. } = *held;
    match connections.last_mut() {
        Some(last) if (last.input, last.output) == (input, output) && last.slot + last.slots == slot => last.slots += 1,
        _ => connections.push(Connection { slot, slots: 1, input, output }),
    }
}
