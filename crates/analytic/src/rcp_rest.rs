//! The state of rest of RCP: N. Dukkipati et al., IWQoS 2005, eq. (2): R stays where y = C and q = 0, and y = n R. On
//! the way there R grows by 1 + (T/d) α while nothing comes, and with n flows the difference to C/n shrinks by
//! 1 − (T/d) α in an interval.

use crate::declare::model;
use crate::told::{capacity, flows, rtt};
use crate::{Error, Kind, Range, Unit};

model! {
    name: RcpRest,
    holds: "Greedy flows with one common bottleneck.",
    inputs {
        capacity: f64 = capacity(10e9), "Capacity of the link, C.";
        rtt: f64 = rtt(100e-6), "Mean round trip, d.";
        flows: f64 = flows(4.0), "Flows through the link, n.";
        alpha: f64 = Kind::Number { unit: Unit::One, default: 0.4, range: Range::closed(1e-6, 10.0) },
            "Weight of the spare capacity, α (`rcp_alpha`).";
        interval: f64 = rtt(10e-3), "Longest control interval (`rcp_interval`).";
    }
    outputs {
        fair_rate_bps: f64 ["bps"], "Rate that the port offers, C/n.";
        window_bytes: f64 ["B"], "Bytes of a flow on the wire in a round trip.";
        interval_s: f64 ["s"], "Control interval, T.";
        decay: f64 ["1"], "By which factor a small difference to the fair rate shrinks in an interval, 1 − (T/d) α.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    let (fair_rate_bps, interval_s) = (i.capacity / i.flows, i.interval.min(i.rtt));
    Ok(Outputs {
        fair_rate_bps,
        window_bytes: fair_rate_bps / 8.0 * i.rtt,
        interval_s,
        decay: 1.0 - interval_s / i.rtt * i.alpha,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::told::assert_by_hand;

    /// 10 Gb/s by four: 2.5 Gb/s, 31.25 kB in 100 µs; T = 100 µs, and 1 − 0.4.
    #[test]
    fn by_hand() {
        let found = evaluate(&Inputs::default()).unwrap();
        let numbers = [
            (found.fair_rate_bps, 2.5e9),
            (found.window_bytes, 31_250.0),
            (found.interval_s, 100e-6),
            (found.decay, 0.6),
        ];
        assert_by_hand(&numbers);
    }

    /// Eq. (2) from close by, with a link that is not full.
    #[test]
    fn the_recursion_runs_to_it() {
        let i = Inputs::default();
        let found = evaluate(&i).unwrap();
        let mut rate = 0.999 * found.fair_rate_bps;
        for _ in 0..4 {
            let before = found.fair_rate_bps - rate;
            rate *= 1.0 + found.interval_s / i.rtt * i.alpha * (i.capacity - i.flows * rate) / i.capacity;
            let shrinks = (found.fair_rate_bps - rate) / before;
            assert!((shrinks - found.decay).abs() < 1e-3, "{shrinks}");
        }
    }
}
