//! What a queue that follows its grants can expect of them, from what a scenario sends: the rest that other queues
//! leave, as the model "grant-loop" has it, for any pattern of queues.

use super::super::plan::Aapn;
use crate::model::{Arrivals, Ends, Link, LinkId, Load, NodeId, Routes, Scenario, Sojourn, Traffic, TransportKind};
use control::allowance::{FRAMES, SELDOM, USED};
use control::signalling::Spare;
use std::collections::BTreeMap;

/// Traffics between more pairs than this are not looked at.
const MOST_PAIRS: usize = 1000;
/// Below so much of its share a queue is worth a word.
const WORTH_A_WORD: f64 = 0.9;

/// What a queue sends, in slots of a frame; `None`: as much as it can.
type Use = Option<f64>;

/// A queue is one of those in its row and its column: the queues of an edge node, and those to one, at a core node.
struct Queue {
    row: (NodeId, NodeId),
    column: (NodeId, NodeId),
    sends: Use,
    weight: f64,
}

/// A sentence on the queue that is served worst by this rule, where it is far below its share; `None` too where it
/// cannot be said.
pub fn worst_served(aapn: &Aapn, spare: Spare, scenario: &Scenario) -> Option<String> {
    let queues = queues(aapn, scenario)?;
    let frame = f64::from(aapn.frame.data_slots());
    let fair = shares(&queues, frame, |queue| queue.sends.unwrap_or(frame));
    let beside = |queue: &Queue| queues.values().filter(|one| one.row == queue.row).count() as f64;
    let served = match spare {
        Spare::Idle => return None,
        Spare::Using => shares(&queues, frame, |queue| {
            queue.sends.map_or(frame, |slots| slots + margin(slots, frame, beside(queue)))
        }),
        Spare::Asking => shares(&queues, frame, |_| frame),
        // Every queue of a row and a column takes part; those that are not named here send nothing.
        Spare::All => {
            let others = aapn.edges.len().saturating_sub(1).max(1) as f64;
            queues.keys().map(|id| (*id, frame / others)).collect()
        }
    };
    let greedy = queues.iter().filter(|(_, queue)| queue.sends.is_none()).map(|(id, _)| *id);
    let worst = greedy.min_by(|one, other| (served[one] / fair[one]).total_cmp(&(served[other] / fair[other])))?;
    (served[&worst] < WORTH_A_WORD * fair[&worst]).then(|| {
        let name = crate::language::quoted(&scenario.network.links[worst.index()].name);
        format!(
            "by it {name} has about {:.1} of the {frame} data slots of a frame, \
                where the use of others leaves it {:.1}",
            served[&worst], fair[&worst]
        )
    })
}

/// What is granted beyond its use to one of so many queues of an edge node: see [`control::allowance`].
fn margin(slots: f64, frame: f64, beside: f64) -> f64 {
    (slots / f64::from(USED)).min(1.0 / f64::from(SELDOM)) + frame / (f64::from(FRAMES) * beside)
}

/// The queues in which something is sent.
fn queues(aapn: &Aapn, scenario: &Scenario) -> Option<BTreeMap<LinkId, Queue>> {
    let network = &scenario.network;
    let mut routes = Routes::new(network, &network.open_to_flows());
    let mut queues: BTreeMap<LinkId, Queue> = BTreeMap::new();
    for traffic in &scenario.traffic {
        let Ends::Pairs(pairs) = traffic.arrivals.ends() else { return None };
        if pairs.len() > MOST_PAIRS {
            return None;
        }
        let sent = sent(traffic, pairs.len());
        let (packet, ack) = sizes(&scenario.transports[traffic.transport.index()].kind);
        for (from, to) in pairs {
            let forth = routes.path(from, to)?;
            let back = if ack > 0.0 { routes.path(to, from)? } else { Vec::new() };
            for (path, is_back) in [(forth, false), (back, true)] {
                for id in path.into_iter().filter(|id| network.links[id.index()].via.is_some()) {
                    let link = &network.links[id.index()];
                    let whole = f64::from(aapn.frame.data_slots());
                    let slots = |bps: f64| touched(aapn, link, bps, packet);
                    let uses = match (sent, is_back) {
                        (sent, false) => sent.map(slots),
                        // At most an ACK a packet.
                        (sent, true) => Some(sent.map_or(whole, slots) * ack / packet),
                    };
                    let queue = queues.entry(id).or_insert_with(|| queue(aapn, link));
                    queue.sends = queue.sends.zip(uses).map(|(one, other)| one + other);
                }
            }
        }
    }
    Some(queues)
}

fn queue(aapn: &Aapn, link: &Link) -> Queue {
    let via = link.via.expect("only queues are asked for");
    let place = |node: NodeId| aapn.edges.iter().position(|edge| edge.node == node);
    let weight = match (&aapn.weights, place(link.from), place(link.to)) {
        (Some(weights), Some(from), Some(to)) => f64::from(weights.row(from)[to]).max(1e-3),
        _ => 1.0,
    };
    Queue { row: (via, link.from), column: (via, link.to), sends: Some(0.0), weight }
}

/// Slots of a frame that packets of this many bits at this rate touch, where those of a frame are sent together: a slot
/// is used by what is in it, be it full or not.
fn touched(aapn: &Aapn, link: &Link, bps: f64, packet: f64) -> f64 {
    let slot = link.capacity.bps() as f64 * aapn.frame.payload() as f64 * 1e-12;
    let packets = bps * aapn.frame.length() as f64 * 1e-12 / packet;
    let of = |whole: f64| (whole * packet / slot).ceil();
    let part = packets.fract();
    (1.0 - part) * of(packets.floor()) + part * of(packets.ceil())
}

/// Bits of a packet, and of an ACK.
fn sizes(kind: &TransportKind) -> (f64, f64) {
    let (packet, ack) = match kind {
        TransportKind::Tcp { sender, header, ack_size, .. } => (sender.mss + header, *ack_size),
        TransportKind::Hosted(kind) => {
            let sizes = kind.sizes();
            (sizes.payload + sizes.header, sizes.ack)
        }
    };
    (8.0 * f64::from(packet.max(1)), 8.0 * f64::from(ack))
}

/// The bits a second that each of so many pairs sends in the mean; `None`: as much as it can.
fn sent(traffic: &Traffic, pairs: usize) -> Use {
    let pairs = pairs.max(1) as f64;
    let mean = |law: Sojourn| match law {
        Sojourn::Constant(time) | Sojourn::Exponential(time) => time.as_secs_f64(),
        Sojourn::Uniform { least, most } => (least.as_secs_f64() + most.as_secs_f64()) / 2.0,
        Sojourn::Pareto { mean, .. } => mean.as_secs_f64(),
    };
    let of_one = match traffic.load {
        Load::Constant(rate) | Load::Poisson { rate, .. } => rate.bps() as f64,
        Load::OnOff { rate, on, off } => rate.bps() as f64 * mean(on) / (mean(on) + mean(off)),
        Load::Size(size) => {
            let Arrivals::Poisson { mean_gap, .. } = &traffic.arrivals else { return None };
            return Some(8.0 * size.count() as f64 / mean_gap.as_secs_f64() / pairs);
        }
        Load::Greedy | Load::Writes(_) => return None,
    };
    match &traffic.arrivals {
        Arrivals::Fixed { count, .. } => Some(of_one * f64::from(*count) / pairs),
        _ => Some(of_one),
    }
}

/// Max-min shares of what queues want, by weight: all rise until a row or a column is full, or a wish is met.
fn shares(queues: &BTreeMap<LinkId, Queue>, frame: f64, wants: impl Fn(&Queue) -> f64) -> BTreeMap<LinkId, f64> {
    const LEAST: f64 = 1e-9;
    let mut shares: BTreeMap<LinkId, f64> = queues.keys().map(|id| (*id, 0.0)).collect();
    let mut rising: Vec<LinkId> = queues.keys().copied().collect();
    while !rising.is_empty() {
        // What each line has left, and the weight of those that rise in it.
        let mut lines: BTreeMap<(bool, (NodeId, NodeId)), (f64, f64)> = BTreeMap::new();
        for (id, queue) in queues {
            let weight = if rising.contains(id) { queue.weight } else { 0.0 };
            for line in [(true, queue.row), (false, queue.column)] {
                let (left, weights) = lines.entry(line).or_insert((frame, 0.0));
                (*left, *weights) = (*left - shares[id], *weights + weight);
            }
        }
        let full = lines.values().filter(|(_, weights)| *weights > 0.0).map(|(left, weights)| left / weights);
        let met = rising.iter().map(|id| (wants(&queues[id]) - shares[id]) / queues[id].weight);
        let step = full.chain(met).fold(f64::INFINITY, f64::min).max(0.0);
        for id in &rising {
            *shares.get_mut(id).expect("it is one of them") += step * queues[id].weight;
        }
        let is_full = |line| lines[&line].0 - step * lines[&line].1 < LEAST;
        rising.retain(|id| {
            let queue = &queues[id];
            !is_full((true, queue.row)) && !is_full((false, queue.column)) && shares[id] + LEAST < wants(queue)
        });
    }
    shares
}
