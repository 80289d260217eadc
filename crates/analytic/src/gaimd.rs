//! General additive increase, multiplicative decrease. Source: Y. R. Yang and S. S. Lam, "General AIMD congestion
//! control", ICNP 2000: the sending rate with timeouts, and which α is friendly to TCP for a β (the share kept at a
//! loss).

use crate::declare::model;
use crate::tcp_eng::{timeout_alpha, triple_duplicate_alpha};
use crate::{Error, Kind, Range, Unit};

model! {
    name: Gaimd,
    holds: "Correlated losses within a round, no largest window; at (1, ½) it is PFTK's approximate form.",
    inputs {
        loss: f64 = Kind::Number { unit: Unit::One, default: 1e-3, range: Range::open(0.0, 1.0) },
            "Probability p of a loss event per segment.";
        rtt: f64 = Kind::Number { unit: Unit::Seconds, default: 0.1, range: Range::closed(1e-9, 1e4) },
            "Round-trip time.";
        rto: f64 = Kind::Number { unit: Unit::Seconds, default: 0.2, range: Range::closed(1e-9, 1e4) },
            "First retransmission timeout T₀.";
        alpha: f64 = Kind::Number { unit: Unit::Named("segments"), default: 1.0, range: Range::closed(1e-3, 1e3) },
            "Increase α per window of ACKs.";
        beta: f64 = Kind::Number { unit: Unit::One, default: 0.5, range: Range::closed(0.01, 0.999) },
            "Share β of the window kept at a loss.";
        acked: f64 = Kind::Number { unit: Unit::Named("segments"), default: 1.0, range: Range::closed(1.0, 100.0) },
            "Segments b that one ACK acknowledges.";
    }
    outputs {
        rate_segments_per_s: f64 ["segments/s"], "Sending rate.";
        friendly_alpha: f64 ["segments"], "α = 3(1 − β)/(1 + β), by duplicate ACKs alone.";
        friendly_alpha_with_timeouts: f64 ["segments"], "α = 4(1 − β²)/3, calibrated with timeouts.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    Ok(Outputs {
        rate_segments_per_s: rate(i),
        friendly_alpha: triple_duplicate_alpha(i.beta),
        friendly_alpha_with_timeouts: timeout_alpha(i.beta),
    })
}

fn rate(i: &Inputs) -> f64 {
    let (p, b) = (i.loss, i.acked);
    let duplicates = (2.0 * b * (1.0 - i.beta) * p / (i.alpha * (1.0 + i.beta))).sqrt();
    let timeouts = (3.0 * ((1.0 - i.beta * i.beta) * b * p / (2.0 * i.alpha)).sqrt()).min(1.0);
    1.0 / (i.rtt * duplicates + i.rto * timeouts * p * (1.0 + 32.0 * p * p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rounds::Sender;

    #[test]
    fn at_one_and_a_half_it_is_pftk() {
        for loss in [1e-5, 1e-3, 0.1, 0.9] {
            let pftk = crate::pftk::Inputs { loss, form: crate::pftk::Form::Approximate, ..Default::default() };
            let expected = crate::pftk::evaluate(&pftk).unwrap().rate_segments_per_s;
            let inputs = Inputs { loss, rtt: pftk.rtt, rto: pftk.rto, acked: pftk.acked, ..Inputs::default() };
            assert!((evaluate(&inputs).unwrap().rate_segments_per_s / expected - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_paper_s_alpha_for_seven_eighths() {
        let found = evaluate(&Inputs { beta: 0.875, ..Inputs::default() }).unwrap();
        assert!(
            (found.friendly_alpha - 0.2).abs() < 1e-12 && (found.friendly_alpha_with_timeouts - 0.3125).abs() < 1e-12
        );
    }

    /// Losses by duplicate ACKs alone, so p = 1e-4 where timeouts are rare: within 12 % (E[W²] ≠ E[W]² and the
    /// sawtooth's last round are 8 %, timeouts 1 %).
    #[test]
    fn a_simulation_round_by_round_sends_as_much_at_little_loss() {
        for (alpha, beta) in [(1.0, 0.5), (0.2, 0.875), (0.3125, 0.875)] {
            let inputs = Inputs { loss: 1e-4, rtt: 1.0, rto: 1.0, alpha, beta, acked: 1.0 };
            let window_max = f64::INFINITY;
            let sender = Sender { alpha, after_loss: alpha, beta, acked: 1.0, burst: 1.0, loss: 1e-4, window_max };
            let ratio = evaluate(&inputs).unwrap().rate_segments_per_s / sender.segments_per_round(20_000, 5);
            assert!((ratio - 1.0).abs() < 0.12, "{alpha} {beta}: {ratio}");
        }
    }
}
