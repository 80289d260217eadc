//! The response function of CUBIC. Source: RFC 9438 §5.1 (the average window with a loss every 1/p segments, tables 1
//! and 2), §5.2 (table 3), §4.3 (the Reno-friendly region).

use crate::declare::{choice, model};
use crate::{Error, Kind, Range, Unit};

choice! {
    /// The average window of Reno, which the Reno-friendly region has.
    Reno {
        Rounded = "rounded", "1.2/√p of RFC 3649, by which the RFC's tables are computed.";
        Exact = "exact", "√(3/(2p)): AVG_AIMD of §4.3, whatever β_cubic.";
    }
}

model! {
    name: CubicResponse,
    holds: "A loss every 1/p segments: the window grows to W_max between two; no timeouts, no fast convergence.",
    inputs {
        loss: f64 = Kind::Number { unit: Unit::One, default: 1e-5, range: Range::open(0.0, 1.0) },
            "Loss rate p.";
        rtt: f64 = Kind::Number { unit: Unit::Seconds, default: 0.1, range: Range::closed(1e-9, 1e4) },
            "Round-trip time.";
        scale: f64 = Kind::Number { unit: Unit::Named("segments/s³"), default: 0.4, range: Range::closed(1e-6, 1e6) },
            "C.";
        beta: f64 = Kind::Number { unit: Unit::One, default: 0.7, range: Range::closed(0.01, 0.99) },
            "β_cubic: what a loss leaves of the window.";
        segment_size: f64 = Kind::Number { unit: Unit::Bytes, default: 1460.0, range: Range::closed(1.0, 1e6) },
            "Segment size.";
        reno: Reno = Reno::KIND, "The average window of Reno.";
    }
    outputs {
        window: f64 ["segments"], "Average window: the greater of the next two.";
        cubic_window: f64 ["segments"], "Average window of the cubic function, AVG_W_cubic.";
        reno_window: f64 ["segments"], "Average window of Reno, which is the least.";
        crossover_loss: f64 ["1"], "Loss rate above which the region is Reno-friendly; it may exceed 1.";
        rate_segments_per_s: f64 ["segments/s"], "Window per round-trip time.";
        rate_bps: f64 ["bps"], "The same in bits of segments.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    // AVG_W_cubic = (C (3 + β) / (4 (1 − β)))^(1/4) (RTT/p)^(3/4).
    let share = i.scale * (3.0 + i.beta) / (4.0 * (1.0 - i.beta));
    let cubic_window = share.powf(0.25) * (i.rtt / i.loss).powf(0.75);
    let reno = match i.reno {
        Reno::Rounded => 1.2,
        Reno::Exact => 1.5_f64.sqrt(),
    };
    let reno_window = reno / i.loss.sqrt();
    let window = cubic_window.max(reno_window);
    let rate_segments_per_s = window / i.rtt;
    Ok(Outputs {
        window,
        cubic_window,
        reno_window,
        crossover_loss: share * i.rtt.powi(3) / reno.powi(4),
        rate_segments_per_s,
        rate_bps: 8.0 * i.segment_size * rate_segments_per_s,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(loss: f64, rtt: f64, scale: f64) -> Outputs {
        evaluate(&Inputs { loss, rtt, scale, ..Inputs::default() }).unwrap()
    }

    /// RFC 9438, tables 1 and 2: p, and the windows at C = 0.04, 0.4 and 4, in whole segments.
    #[test]
    fn the_rfcs_tables_of_the_average_window() {
        let first = [
            (1e-2, [12.0, 12.0, 12.0]),
            (1e-3, [38.0, 38.0, 59.0]),
            (1e-4, [120.0, 187.0, 333.0]),
            (1e-5, [593.0, 1054.0, 1874.0]),
            (1e-6, [3332.0, 5926.0, 10538.0]),
            (1e-7, [18740.0, 33325.0, 59261.0]),
            (1e-8, [105_383.0, 187_400.0, 333_250.0]),
        ];
        let second = [
            (1e-2, [12.0, 12.0, 12.0]),
            (1e-3, [38.0, 38.0, 38.0]),
            (1e-4, [120.0, 120.0, 120.0]),
            (1e-5, [379.0, 379.0, 379.0]),
            (1e-6, [1200.0, 1200.0, 1874.0]),
            (1e-7, [3795.0, 5926.0, 10538.0]),
            (1e-8, [18740.0, 33325.0, 59261.0]),
        ];
        for (rtt, table) in [(0.1, first), (0.01, second)] {
            for (loss, windows) in table {
                let found = [0.04, 0.4, 4.0].map(|scale| at(loss, rtt, scale).window.round());
                assert_eq!(found, windows, "p = {loss}, {rtt} s");
            }
        }
    }

    /// RFC 9438, table 3: Mb/s in packets of 1500 B at 0.1 s, and CUBIC's p. Two digits of p, some cut instead of
    /// rounded, are up to 2.5 % of the window: 1 Mb/s are 8.33 packets, for which (1.2/8.33)² = 0.0207 stands as
    /// 2.0e-2.
    #[test]
    fn the_rfcs_table_of_the_loss_for_a_throughput() {
        for (mbps, loss) in [(1.0, 2.0e-2), (10.0, 2.9e-4), (100.0, 1.4e-5), (1e3, 6.3e-7), (1e4, 2.9e-8)] {
            let found = evaluate(&Inputs { loss, segment_size: 1500.0, ..Inputs::default() }).unwrap();
            let ratio = found.rate_bps / (1e6 * mbps);
            assert!((ratio - 1.0).abs() < 0.025, "{mbps} Mb/s: {ratio}");
        }
    }

    /// 0.4 · 3.7/1.2 · 0.1³/1.2⁴ = 5.948e-4: there both are 1.2/√p = 49.2 segments.
    #[test]
    fn the_regions_meet_at_the_crossover() {
        let crossover = at(1e-5, 0.1, 0.4).crossover_loss;
        assert!((crossover - 5.948e-4).abs() < 5e-8, "{crossover}");
        let there = at(crossover, 0.1, 0.4);
        assert!((there.cubic_window / there.reno_window - 1.0).abs() < 1e-12 && (there.window - 49.2).abs() < 0.05);
        let (below, above) = (at(0.99 * crossover, 0.1, 0.4), at(1.01 * crossover, 0.1, 0.4));
        assert_eq!((below.window, above.window), (below.cubic_window, above.reno_window));
    }

    /// W(t) = C (t − K)³ + W_max from β W_max to W_max, summed up by midpoints: W_max is sought so that 1/p segments
    /// leave between two losses; the average is 1/p over the K/RTT rounds. Down to p = 1e-12.
    #[test]
    fn a_sawtooth_of_the_cubic_function_has_that_average_window() {
        let (rtt, steps) = (0.1, 20_000);
        for (scale, beta) in [(0.4, 0.7), (4.0, 0.5)] {
            for loss in [1e-5, 1e-8, 1e-12] {
                let sent = |peak: f64| {
                    let k = (peak * (1.0 - beta) / scale).cbrt();
                    let window =
                        |step: i32| scale * ((f64::from(step) + 0.5) * k / f64::from(steps) - k).powi(3) + peak;
                    ((0..steps).map(window).sum::<f64>() / f64::from(steps) * k / rtt, k)
                };
                let (mut low, mut high): (f64, f64) = (1.0, 1e12);
                for _ in 0..60 {
                    let middle = (low * high).sqrt();
                    if sent(middle).0 < 1.0 / loss { low = middle } else { high = middle }
                }
                let average = 1.0 / loss / (sent(low).1 / rtt);
                let found = evaluate(&Inputs { loss, rtt, scale, beta, ..Inputs::default() }).unwrap().cubic_window;
                assert!((average / found - 1.0).abs() < 1e-6, "C = {scale}, p = {loss}: {average} {found}");
            }
        }
    }

    /// A line from β W to W by α = 3 (1 − β)/(1 + β) a round: N = (1 − β) W/α rounds of (1 + β) W/2 segments are 1/p.
    /// Whatever β, W² = 2α/((1 − β²) p), and the average (1 + β) W/2 = √(1.5/p).
    #[test]
    fn renos_window_is_that_of_its_line() {
        for (beta, loss) in [(0.7_f64, 1e-2), (0.5, 1e-4)] {
            let alpha = 3.0 * (1.0 - beta) / (1.0 + beta);
            let peak = (2.0 * alpha / ((1.0 - beta * beta) * loss)).sqrt();
            let found = evaluate(&Inputs { beta, loss, reno: Reno::Exact, ..Inputs::default() }).unwrap().reno_window;
            assert!((found / ((1.0 + beta) * peak / 2.0) - 1.0).abs() < 1e-12, "{beta}: {found}");
        }
    }
}
