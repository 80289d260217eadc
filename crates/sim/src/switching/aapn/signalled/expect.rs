//! What a queue that follows its grants can expect of them, from what a scenario sends: the rest that other queues
//! leave, as the model "grant-loop" has it, for any pattern of queues.

use super::super::plan::Aapn;
use crate::model::{Arrivals, Ends, Link, LinkId, Load, NodeId, Routes, Scenario, Traffic};
use control::allowance::margin;
use control::signalling::Spare;
use std::collections::{BTreeMap, BTreeSet};

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
        let kind = &scenario.transports[traffic.transport.index()].kind;
        let [packet, ack] = [kind.largest_packet().max(1), kind.ack_size()].map(|bytes| 8.0 * f64::from(bytes));
        let forth = |link: &Link| sent.map(|bps| touched(aapn, link, bps, packet));
        // At most an ACK a packet.
        let back = |link: &Link| Some(forth(link).unwrap_or(f64::from(aapn.frame.data_slots())) * ack / packet);
        let mut add = |path: Vec<LinkId>, uses: &dyn Fn(&Link) -> Use| {
            for id in path {
                let link = &network.links[id.index()];
                let Some(via) = link.via else { continue };
                let queue = queues.entry(id).or_insert_with(|| queue(aapn, link, via));
                queue.sends = queue.sends.zip(uses(link)).map(|(one, other)| one + other);
            }
        };
        for (from, to) in pairs {
            add(routes.path(from, to)?, &forth);
            if ack > 0.0 {
                add(routes.path(to, from)?, &back);
            }
        }
    }
    Some(queues)
}

fn queue(aapn: &Aapn, link: &Link, via: NodeId) -> Queue {
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

/// The bits a second that each of so many pairs sends in the mean; `None`: as much as it can.
fn sent(traffic: &Traffic, pairs: usize) -> Use {
    let pairs = pairs.max(1) as f64;
    let of_one = match traffic.load {
        Load::Constant(rate) | Load::Poisson { rate, .. } => rate.bps() as f64,
        Load::OnOff { rate, on, off } => {
            let [on, off] = [on, off].map(|law| law.mean().as_secs_f64());
            rate.bps() as f64 * on / (on + off)
        }
        Load::Size(size) => {
            let Arrivals::Poisson { mean_gap, .. } = &traffic.arrivals else { return None };
            return Some(8.0 * size.count() as f64 / mean_gap.as_secs_f64() / pairs);
        }
        Load::Greedy | Load::Writes(_) | Load::Released | Load::ReleasedAt(_) => return None,
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
    let mut rising: BTreeSet<LinkId> = queues.keys().copied().collect();
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
