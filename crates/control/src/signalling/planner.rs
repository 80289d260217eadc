//! Requests into a plan: connections of the switch for one frame, and the grants of every node.
//!
//! The schedulers know ports. Behind a combiner several nodes share one, so a connection of two ports is handed on,
//! slot by slot, to the pair of nodes behind them that has most left to send.

use super::network::Network;
use super::sharing::{Demands, Pair};
use crate::scheduler::{FrameScheduler, IDLE, Requests};
use crate::wire::{Connection, Grant, NodeId};
use std::collections::BTreeMap;

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

impl Planned {
    /// What each pair has.
    pub(super) fn slots(&self) -> BTreeMap<Pair, u32> {
        let mut slots = BTreeMap::new();
        for (from, grants) in &self.grants {
            for grant in grants {
                *slots.entry(Pair { from: *from, to: grant.destination }).or_insert(0) += grant.slots;
            }
        }
        slots
    }
}

/// Plans a frame.
pub(super) fn plan(
    network: &Network,
    scheduler: &mut FrameScheduler,
    mut demands: Demands,
    window: Option<Window>,
) -> Planned {
    let mut planned = Planned::default();
    let demands = &mut demands;
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
    let (mut matrix, mut takes) = (vec![0u32; size * size], vec![false; size * size]);
    let entry = |pair: &Pair| {
        let (input, output) = ports(network, *pair).filter(|(input, output)| free(*input, *output))?;
        Some(usize::from(input) * size + usize::from(output))
    };
    for (pair, wanted) in &demands.wanted {
        let Some(place) = entry(pair) else { continue };
        matrix[place] = matrix[place].saturating_add(*wanted);
    }
    demands.takers.iter().filter_map(entry).for_each(|place| takes[place] = true);
    let Ok(requests) = Requests::new(size, matrix) else { return };
    let length = slots.end - slots.start;
    let schedule = match demands.takers.is_empty() {
        true => scheduler.schedule(&requests, length),
        false => scheduler.schedule_all(&requests, length, |input, output| takes[input * size + output]),
    };
    // A part of a frame without slots has no schedule.
    let Ok(schedule) = schedule else { return };
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

/// The slots of a connection to the nodes behind it: to those that want them, then in turn to those that share what is
/// left. A slot for nobody is not connected.
fn hand_out(network: &Network, demands: &mut Demands, held: Connection, planned: &mut Planned) {
    for slot in held.slot..held.slot + held.slots {
        let behind = |pair: &Pair| ports(network, *pair) == Some((held.input, held.output));
        let most = demands.wanted.iter_mut().filter(|(pair, wanted)| **wanted > 0 && behind(pair));
        // Of equals the first.
        let wants = most.rev().max_by_key(|(_, wanted)| **wanted).map(|(pair, wanted)| {
            *wanted -= 1;
            *pair
        });
        let takers = || demands.takers.iter().filter(|pair| behind(pair));
        let turn = |count: usize| takers().nth((slot as usize).checked_rem(count)?).copied();
        let Some(pair) = wants.or_else(|| turn(takers().count())) else { return };
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
