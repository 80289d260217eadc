//! The state of rest of HPCC: Y. Li et al., SIGCOMM 2019, §3.2: each window is W = W η/U + W_AI, with W_AI = (1 − η) ·
//! B · T/N. All windows together are U · B · T, so U = η + (1 − η) n/N for n flows; above one the rest stands in the
//! queue.

use crate::declare::model;
use crate::told::{capacity, flows, rtt};
use crate::{Error, Kind, Range, Unit};

model! {
    name: HpccRest,
    holds: "Greedy flows with one common bottleneck, whose windows have become equal.",
    inputs {
        capacity: f64 = capacity(10e9), "Capacity of the link, B.";
        rtt: f64 = rtt(100e-6), "Round trip of the empty path, T.";
        flows: f64 = flows(4.0), "Flows through the link, n.";
        expected: f64 = flows(100.0), "Flows that the law expects, N (`hpcc_flows`).";
        eta: f64 = Kind::Number { unit: Unit::One, default: 0.95, range: Range::closed(0.1, 1.0) },
            "Load that is aimed at, η (`hpcc_eta`).";
    }
    outputs {
        load: f64 ["1"], "Load of the hop, U.";
        utilization: f64 ["1"], "Utilisation of the link.";
        queue_bytes: f64 ["B"], "Queue.";
        window_bytes: f64 ["B"], "Window of a flow.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    let product = i.capacity / 8.0 * i.rtt;
    let load = i.eta + (1.0 - i.eta) * i.flows / i.expected;
    Ok(Outputs {
        load,
        utilization: load.min(1.0),
        queue_bytes: (load - 1.0).max(0.0) * product,
        window_bytes: load * product / i.flows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 Gb/s for 100 µs are 125 kB; 0.95 + 0.05 · 4/8 = 0.975, and with 16 of 8 flows 1.05.
    #[test]
    fn by_hand() {
        let with = |flows| evaluate(&Inputs { flows, expected: 8.0, ..Inputs::default() }).unwrap();
        let (few, many) = (with(4.0), with(16.0));
        assert!((few.load - 0.975).abs() < 1e-12 && few.queue_bytes == 0.0);
        assert!((few.window_bytes - 30_468.75).abs() < 1e-6, "{}", few.window_bytes);
        assert!((many.load - 1.05).abs() < 1e-12 && many.utilization == 1.0);
        assert!((many.queue_bytes - 6250.0).abs() < 1e-6);
    }

    /// The recursion from other windows ends there.
    #[test]
    fn the_recursion_runs_to_it() {
        let i = Inputs { flows: 4.0, expected: 8.0, ..Inputs::default() };
        let found = evaluate(&i).unwrap();
        let product = i.capacity / 8.0 * i.rtt;
        let mut windows = [10e3, 20e3, 30e3, 90e3];
        for _ in 0..2000 {
            let load = windows.iter().sum::<f64>() / product;
            windows = windows.map(|window| window * i.eta / load + (1.0 - i.eta) * product / i.expected);
        }
        windows.iter().for_each(|window| assert!((window / found.window_bytes - 1.0).abs() < 1e-9, "{windows:?}"));
    }
}
