//! The state of rest of Swift: G. Kumar et al., SIGCOMM 2020, §3.2–3.3: each flow holds its delay at its target, which
//! is longer for small windows, and n windows fill the link for just that long.

use crate::declare::model;
use crate::told::{capacity, flows, packet};
use crate::{Error, Kind, Range, Unit};

const TIME: Range = Range::closed(0.0, 1e3);
const SEGMENTS: Unit = Unit::Named("packets");
const WINDOW: Range = Range::closed(0.001, 1e6);

model! {
    name: SwiftRest,
    holds: "Greedy flows with one common bottleneck and an empty path that is shorter than the target.",
    inputs {
        capacity: f64 = capacity(1e9), "Capacity of the link.";
        packet: f64 = packet(), "Packet size.";
        flows: f64 = flows(4.0), "Flows through the link, n.";
        base: f64 = Kind::Number { unit: Unit::Seconds, default: 25e-6, range: Range::closed(1e-9, 1e3) },
            "Target without hops for a large window (`base_target`).";
        hops: f64 = Kind::Number { unit: Unit::Named("hops"), default: 3.0, range: Range::whole(0.0, 255.0) },
            "Hops (`swift_hops`).";
        hop: f64 = Kind::Number { unit: Unit::Seconds, default: 1e-6, range: TIME }, "Part of a hop (`hop_delay`).";
        range: f64 = Kind::Number { unit: Unit::Seconds, default: 100e-6, range: TIME },
            "Part of the smallest window (`fs_range`).";
        least: f64 = Kind::Number { unit: SEGMENTS, default: 0.1, range: WINDOW }, "Smallest window (`fs_min_cwnd`).";
        most: f64 = Kind::Number { unit: SEGMENTS, default: 100.0, range: WINDOW }, "Largest (`fs_max_cwnd`).";
    }
    outputs {
        delay_s: f64 ["s"], "Round trip, which is the target.";
        window_packets: f64 ["packets"], "Window of a flow.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    if i.least >= i.most {
        let why = format!("the largest window is {}", i.most);
        return Err(Error::Impossible { input: "least", value: i.least, why });
    }
    let root = |window: f64| 1.0 / window.sqrt();
    let own = |window: f64| i.range * ((root(window) - root(i.most)) / (root(i.least) - root(i.most))).clamp(0.0, 1.0);
    let target = |window: f64| i.base + i.hops * i.hop + own(window);
    // The target falls with the window, the time that all windows last rises.
    let per_window = i.flows * 8.0 * i.packet / i.capacity;
    let (mut low, mut high) = (0.0, target(i.least) / per_window);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle > 0.0 && middle * per_window < target(middle) { low = middle } else { high = middle }
    }
    Ok(Outputs { delay_s: target(high), window_packets: high })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 12 µs a packet. The target is 28 µs and 100 µs · (1/√w − 0.1)/(√10 − 0.1). 107 flows of 0.1 packets would last
    /// 128.4 µs: there the target is the longest. With one flow and no part for small windows w = 28/12.
    #[test]
    fn by_hand() {
        let with = |flows, range| evaluate(&Inputs { flows, range, ..Inputs::default() }).unwrap();
        let one = with(1.0, 0.0);
        assert!((one.delay_s - 28e-6).abs() < 1e-15 && (one.window_packets - 28.0 / 12.0).abs() < 1e-9);
        let many = with(107.0, 100e-6);
        assert!((many.delay_s - 128e-6).abs() < 1e-12, "{}", many.delay_s);
        let four = with(4.0, 100e-6);
        let w = four.window_packets;
        let target = 28e-6 + 100e-6 * (1.0 / w.sqrt() - 0.1) / (10f64.sqrt() - 0.1);
        assert!((four.delay_s - target).abs() < 1e-12 && (4.0 * w * 12e-6 - target).abs() < 1e-12, "{w}");
    }

    #[test]
    fn windows_in_the_wrong_order_are_refused() {
        let wrong = evaluate(&Inputs { least: 200.0, ..Inputs::default() }).unwrap_err().to_string();
        assert!(wrong.contains("the largest window is 100"), "{wrong}");
    }
}
