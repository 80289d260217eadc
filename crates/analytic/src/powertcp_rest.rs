//! The state of rest of PowerTCP: V. Addanki, O. Michel, S. Schmid, NSDI 2022, §3.4 (theorem 1): the power of a full
//! link with the queue q is 1 + q/(b τ), so w = w/power + β rests where all windows are b τ + q, and q = n β with β = b
//! τ/N.

use crate::declare::model;
use crate::told::{capacity, flows, rtt};
use crate::{Error, Kind, Range, Unit};

model! {
    name: PowertcpRest,
    holds: "Greedy flows with one common bottleneck.",
    inputs {
        capacity: f64 = capacity(10e9), "Capacity of the link, b.";
        rtt: f64 = rtt(100e-6), "Round trip of the empty path, τ.";
        flows: f64 = flows(4.0), "Flows through the link, n.";
        expected: f64 = flows(100.0), "Flows that the law expects, N (`powertcp_flows`).";
        gamma: f64 = Kind::Number { unit: Unit::One, default: 0.9, range: Range::closed(0.001, 1.0) },
            "Weight of the new window, γ (`powertcp_gamma`).";
    }
    outputs {
        queue_bytes: f64 ["B"], "Queue, n β.";
        queue_delay_s: f64 ["s"], "Its delay.";
        window_bytes: f64 ["B"], "Window of a flow.";
        power: f64 ["1"], "Normalised power.";
        time_constant_s: f64 ["s"], "In which time a difference shrinks by e, τ/γ (theorem 2).";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    let product = i.capacity / 8.0 * i.rtt;
    let queue_bytes = i.flows * product / i.expected;
    Ok(Outputs {
        queue_bytes,
        queue_delay_s: 8.0 * queue_bytes / i.capacity,
        window_bytes: (product + queue_bytes) / i.flows,
        power: 1.0 + queue_bytes / product,
        time_constant_s: i.rtt / i.gamma,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::told::assert_by_hand;

    /// 125 kB by 20 flows: β = 6250 B; four of them hold 25 kB, 20 µs, and each has 37.5 kB; power 1.2.
    #[test]
    fn by_hand() {
        let found = evaluate(&Inputs { expected: 20.0, ..Inputs::default() }).unwrap();
        let numbers = [
            (found.queue_bytes, 25e3),
            (found.queue_delay_s, 20e-6),
            (found.window_bytes, 37.5e3),
            (found.power, 1.2),
            (found.time_constant_s, 100e-6 / 0.9),
        ];
        assert_by_hand(&numbers);
    }

    #[test]
    fn the_recursion_runs_to_it() {
        let i = Inputs { expected: 20.0, ..Inputs::default() };
        let found = evaluate(&i).unwrap();
        let product = i.capacity / 8.0 * i.rtt;
        let mut windows = [10e3, 20e3, 30e3, 90e3];
        for _ in 0..500 {
            let power = (windows.iter().sum::<f64>() / product).max(1.0);
            windows = windows.map(|w| i.gamma * (w / power + product / i.expected) + (1.0 - i.gamma) * w);
        }
        windows.iter().for_each(|window| assert!((window / found.window_bytes - 1.0).abs() < 1e-9, "{windows:?}"));
    }
}
