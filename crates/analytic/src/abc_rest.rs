//! The state of rest of ABC: P. Goyal et al., NSDI 2020, §3.1.2 and appendix A, with the round trip that the queue
//! makes longer. A full link takes what comes where η − (x − d_t)⁺/δ + N a/(μ (τ + x)) = 1, for N flows that add a
//! segments in a round trip τ + x. Three cases: without a queue the link is not full; the queue is shorter than d_t; or
//! longer.

use crate::declare::model;
use crate::told::{capacity, flows, packet, rtt};
use crate::{Error, Kind, Range, Unit};

const TIME: Range = Range::closed(0.0, 1e3);

model! {
    name: AbcRest,
    holds: "Greedy flows of one round trip over one queue of ABC, with δ above two thirds of the round trip.",
    inputs {
        capacity: f64 = capacity(24e6), "Capacity of the link, μ.";
        packet: f64 = packet(), "Packet size.";
        rtt: f64 = rtt(0.1), "Round trip of the empty path, τ.";
        flows: f64 = flows(4.0), "Flows through the link, N.";
        eta: f64 = Kind::Number { unit: Unit::One, default: 0.98, range: Range::closed(0.01, 1.0) },
            "Utilisation that is aimed at, η.";
        delta: f64 = rtt(0.133), "Time in which a queue is to go, δ.";
        target: f64 = Kind::Number { unit: Unit::Seconds, default: 0.02, range: TIME },
            "Delay from which on a queue counts, d_t.";
        increase: f64 = Kind::Number { unit: Unit::Named("packets"), default: 1.0, range: Range::closed(0.0, 1000.0) },
            "Growth of a window in a round trip, a (`abc_increase`).";
    }
    outputs {
        queue_delay_s: f64 ["s"], "Queueing delay, x.";
        utilization: f64 ["1"], "Utilisation of the link.";
        accelerated: f64 ["1"], "Share of packets that accelerate, f.";
        paper_delay_s: f64 ["s"], "The same delay by the paper's fluid model, in which a round trip stays τ.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    // Of the capacity, in a second of round trip.
    let (added, spared) = (i.flows * i.increase * 8.0 * i.packet / i.capacity, 1.0 - i.eta);
    let share = |rtt: f64| added / rtt - spared;
    let x = if share(i.rtt) <= 0.0 {
        0.0
    } else if share(i.rtt + i.target) <= 0.0 {
        added / spared - i.rtt
    } else {
        // y = x − d_t: y/δ = a/(τ + d_t + y) − (1 − η).
        let base = i.rtt + i.target;
        let (half, rest) = ((base + i.delta * spared) / 2.0, i.delta * (added - spared * base));
        i.target + rest / (half + (half * half + rest).sqrt())
    };
    let utilization = (i.eta + added / (i.rtt + x)).min(1.0);
    let aim = i.eta - (x - i.target).max(0.0) / i.delta;
    let paper = share(i.rtt);
    Ok(Outputs {
        queue_delay_s: x,
        utilization,
        accelerated: (aim / (2.0 * utilization)).clamp(0.0, 1.0),
        paper_delay_s: if paper > 0.0 { i.target + i.delta * paper } else { 0.0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2000 packets a second. One flow adds 0.5 ms, 0.005 of a round trip of 0.1 s: 0.985 used and no queue. Five: 2.5
    /// ms, which is 0.02 at 125 ms, beyond 120; four: 2 ms, 0.02 at 100 ms, just no queue; 4.4 do not exist, but 2.2 ms
    /// with packets of 1650 B rest at 10 ms. Twenty: 10 ms; y² + (0.12 + 0.00266) y = 0.133 (0.01 − 0.0024), y = 7.75
    /// ms.
    #[test]
    fn by_hand() {
        let with = |flows, packet| evaluate(&Inputs { flows, packet, ..Inputs::default() }).unwrap();
        let one = with(1.0, 1500.0);
        assert!(one.queue_delay_s == 0.0 && (one.utilization - 0.985).abs() < 1e-12, "{}", one.utilization);
        assert!((with(4.0, 1650.0).queue_delay_s - 0.01).abs() < 1e-12);
        let twenty = with(20.0, 1500.0);
        let y = twenty.queue_delay_s - 0.02;
        assert!((y - 0.00775).abs() < 1e-5, "{y}");
        assert!((y / 0.133 - 0.01 / (0.12 + y) + 0.02).abs() < 1e-12 && twenty.utilization == 1.0);
        assert!((twenty.paper_delay_s - (0.02 + 0.133 * 0.08)).abs() < 1e-12);
    }
}
