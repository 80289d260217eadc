//! The state of rest of Copa: V. Arun, H. Balakrishnan, NSDI 2018, §2.3 and figure 1. The queue of n flows rises and
//! falls by n/δ packets in a round trip. A flow turns where the queue that it sees crosses n/δ. It sees it a round trip
//! later, and, since RTTstanding is a minimum over half of one, a rising queue another half later: the queue goes from
//! nothing to 2.5 n/δ and back, in five round trips.

use crate::declare::model;
use crate::told::{capacity, flows, packet, rtt};
use crate::{Error, Kind, Range, Unit};

model! {
    name: CopaRest,
    holds: "Greedy flows of one round trip that turn together, and a queue that is short beside the path.",
    inputs {
        capacity: f64 = capacity(100e6), "Capacity of the link.";
        packet: f64 = packet(), "Packet size.";
        rtt: f64 = rtt(0.02), "Round trip of the empty path.";
        flows: f64 = flows(1.0), "Flows through the link, n.";
        delta: f64 = Kind::Number { unit: Unit::One, default: 0.5, range: Range::closed(0.001, 10.0) },
            "Weight of delay, δ (`copa_delta`).";
    }
    outputs {
        threshold_packets: f64 ["packets"], "Queue at which flows turn, n/δ.";
        mean_queue_packets: f64 ["packets"], "Mean queue, 1.25 n/δ.";
        max_queue_packets: f64 ["packets"], "Longest queue, 2.5 n/δ.";
        mean_queue_delay_s: f64 ["s"], "Mean queueing delay.";
        period_s: f64 ["s"], "Period, five round trips.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    let threshold_packets = i.flows / i.delta;
    let mean_queue_delay_s = 1.25 * threshold_packets * 8.0 * i.packet / i.capacity;
    Ok(Outputs {
        threshold_packets,
        mean_queue_packets: 1.25 * threshold_packets,
        max_queue_packets: 2.5 * threshold_packets,
        mean_queue_delay_s,
        period_s: 5.0 * (i.rtt + mean_queue_delay_s),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::told::assert_by_hand;

    /// δ = 0.5: two packets, mean 2.5 of 0.12 ms, five at most; 5 · 20.3 ms.
    #[test]
    fn by_hand() {
        let found = evaluate(&Inputs::default()).unwrap();
        let numbers = [
            (found.threshold_packets, 2.0),
            (found.mean_queue_packets, 2.5),
            (found.max_queue_packets, 5.0),
            (found.mean_queue_delay_s, 0.3e-3),
            (found.period_s, 101.5e-3),
        ];
        assert_by_hand(&numbers);
    }

    /// The queue in steps of a hundredth of a round trip: it moves by 1/δ in a round trip, and turns by the least that
    /// it was from one and a half to one round trip ago.
    #[test]
    fn a_queue_that_is_seen_late_runs_to_it() {
        let found = evaluate(&Inputs::default()).unwrap();
        let (mut queue, mut before) = (0.0_f64, std::collections::VecDeque::from(vec![0.0; 151]));
        let (mut sum, mut most, mut turns, mut rises) = (0.0, 0.0_f64, 0, true);
        for step in 0..100_000 {
            let seen = before.iter().take(51).copied().fold(f64::INFINITY, f64::min);
            let is_below = seen < found.threshold_packets;
            queue = (queue + if is_below { 0.02 } else { -0.02 }).max(0.0);
            before.pop_front();
            before.push_back(queue);
            if step >= 50_000 {
                (sum, most) = (sum + queue, most.max(queue));
                turns += u32::from(is_below != rises);
            }
            rises = is_below;
        }
        assert!((sum / 50_000.0 / found.mean_queue_packets - 1.0).abs() < 0.03, "{}", sum / 50_000.0);
        assert!((most / found.max_queue_packets - 1.0).abs() < 0.03, "{most}");
        assert!((f64::from(turns) / 200.0 - 1.0).abs() < 0.03, "two turns in each of 100 periods: {turns}");
    }
}
