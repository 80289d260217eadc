//! Rate of TCP Reno under loss. Source: J. Padhye, V. Firoiu, D. Towsley and J. Kurose, "Modeling TCP Reno performance:
//! a simple model and its empirical validation", IEEE/ACM ToN 8(2), 2000: the full model and its closed
//! approximation.

use crate::declare::{choice, model};
use crate::{Error, Kind, Range, Unit};

choice! {
    /// Which of the paper's two forms.
    Form {
        Full = "full", "With the window and the probability of a timeout worked out: the full model.";
        Approximate = "approximate", "The closed approximation.";
    }
}

model! {
    name: Pftk,
    holds: "Losses correlated within a round and independent between rounds; RTT independent of the window.",
    inputs {
        loss: f64 = Kind::Number { unit: Unit::One, default: 1e-2, range: Range::open(0.0, 1.0) },
            "Probability p of a loss event per segment.";
        rtt: f64 = Kind::Number { unit: Unit::Seconds, default: 0.1, range: Range::closed(1e-9, 1e4) },
            "Round-trip time.";
        rto: f64 = Kind::Number { unit: Unit::Seconds, default: 0.2, range: Range::closed(1e-9, 1e4) },
            "First retransmission timeout T₀.";
        acked: f64 = Kind::Number { unit: Unit::Named("segments"), default: 1.0, range: Range::closed(1.0, 100.0) },
            "Segments b that one ACK acknowledges.";
        window_max: f64 =
            Kind::Number { unit: Unit::Named("segments"), default: 1e9, range: Range::closed(1.0, 1e12) },
            "Largest window.";
        form: Form = Form::KIND, "Which of the two forms.";
    }
    outputs {
        rate_segments_per_s: f64 ["segments/s"], "Sending rate.";
        window: f64 ["segments"], "Mean window at a loss, at most the largest.";
        timeout_share: f64 ["1"], "Probability that a loss is found by a timeout.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    let unbounded = mean_window(i.loss, i.acked);
    let window = unbounded.min(i.window_max);
    let timeout_share = timeout_share(i.loss, window);
    let rate_segments_per_s = match i.form {
        Form::Full => full(i, unbounded, timeout_share),
        Form::Approximate => approximate(i),
    };
    Ok(Outputs { rate_segments_per_s, window, timeout_share })
}

/// E[W].
fn mean_window(p: f64, b: f64) -> f64 {
    let first = (2.0 + b) / (3.0 * b);
    first + (8.0 * (1.0 - p) / (3.0 * b * p) + first * first).sqrt()
}

/// Q(w): the probability that fewer than three ACKs come back.
fn timeout_share(p: f64, window: f64) -> f64 {
    // 1 − (1 − p)^n without cancellation.
    let lost = |n: f64| -f64::exp_m1(n * f64::ln_1p(-p));
    let all = lost(window);
    if window <= 3.0 || all <= 0.0 {
        return 1.0;
    }
    (lost(3.0) * (1.0 + (1.0 - p).powi(3) * lost(window - 3.0)) / all).min(1.0)
}

/// The full model.
fn full(i: &Inputs, unbounded: f64, q: f64) -> f64 {
    let (p, b) = (i.loss, i.acked);
    let f = 1.0 + p * (1.0 + p * (2.0 + p * (4.0 + p * (8.0 + p * (16.0 + p * 32.0)))));
    let window = unbounded.min(i.window_max);
    let rounds = if unbounded < i.window_max {
        b / 2.0 * window + 1.0
    } else {
        b / 8.0 * window + (1.0 - p) / (p * window) + 2.0
    };
    let segments = (1.0 - p) / p + window + q / (1.0 - p);
    segments / (i.rtt * rounds + q * i.rto * f / (1.0 - p))
}

/// The closed approximation.
fn approximate(i: &Inputs) -> f64 {
    let (p, b) = (i.loss, i.acked);
    let timeouts = (3.0 * (3.0 * b * p / 8.0).sqrt()).min(1.0) * p * (1.0 + 32.0 * p * p);
    (i.window_max / i.rtt).min(1.0 / (i.rtt * (2.0 * b * p / 3.0).sqrt() + i.rto * timeouts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn at(loss: f64, form: Form, window_max: f64) -> f64 {
        let inputs = Inputs { loss, form, window_max, acked: 2.0, rto: 1.0, ..Inputs::default() };
        evaluate(&inputs).unwrap().rate_segments_per_s
    }

    #[test]
    fn at_little_loss_it_is_the_square_root_law() {
        let expected = (3.0 / (2.0 * 2.0 * 1e-8f64)).sqrt() / 0.1;
        for form in [Form::Full, Form::Approximate] {
            assert!((at(1e-8, form, 1e12) / expected - 1.0).abs() < 2e-3);
        }
        assert!((at(1e-9, Form::Full, 10.0) / 100.0 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn the_two_forms_are_close_up_to_a_tenth() {
        for loss in [1e-4, 1e-3, 1e-2, 0.1] {
            let ratio = at(loss, Form::Approximate, 1e12) / at(loss, Form::Full, 1e12);
            assert!((0.7..1.4).contains(&ratio), "p = {loss}: {ratio}");
        }
    }

    /// The model's process by simulation: rounds with losses to the end of the round, timeouts with back-off to 64 T₀,
    /// no slow start, as in the source. 15 % for p ≤ 0.01. At p = 0.05 the formula lies 16 % above it (found, not
    /// foreseen): it takes Q(E[W]), which is less than E[Q(W)]; with the share of timeouts that is counted it is within
    /// 10 %.
    #[test]
    fn a_simulation_of_its_rounds_agrees() {
        for loss in [1e-3, 1e-2, 0.05] {
            let (rate, timeouts) = simulated(loss);
            let ratio = at(loss, Form::Full, 1e12) / rate;
            assert!(loss > 0.02 || (ratio - 1.0).abs() < 0.15, "p = {loss}: {ratio}");
            let inputs = Inputs { loss, acked: 2.0, rto: 1.0, window_max: 1e12, ..Inputs::default() };
            let counted = full(&inputs, mean_window(loss, 2.0), timeouts) / rate;
            assert!((counted - 1.0).abs() < 0.1, "p = {loss}: {counted} with {timeouts} timeouts a loss");
        }
    }

    /// Segments per second and timeouts per loss event with RTT 0.1 s, T₀ = 1 s, b = 2.
    fn simulated(loss: f64) -> (f64, f64) {
        const EVENTS: u32 = 50_000;
        let (mut random, mut window, mut sent, mut time) = (Random::new(6), 10.0f64, 0.0, 0.0);
        let (mut events, mut timeouts) = (0, 0);
        while events < EVENTS {
            let size = window.max(1.0).round();
            let good = (random.uniform().ln() / (1.0 - loss).ln()).floor();
            sent += size;
            time += 0.1;
            if good >= size {
                window += 0.5;
                continue;
            }
            events += 1;
            // The next round sends one segment for each that got through; its first loss ends it.
            let second = (random.uniform().ln() / (1.0 - loss).ln()).floor().min(good);
            sent += good;
            time += 0.1;
            window = (window / 2.0).max(1.0);
            if second >= 3.0 {
                continue;
            }
            timeouts += 1;
            let mut wait = 1.0f64;
            loop {
                time += wait;
                sent += 1.0;
                if random.uniform() >= loss {
                    break;
                }
                wait = (2.0 * wait).min(64.0);
            }
        }
        (sent / time, f64::from(timeouts) / f64::from(EVENTS))
    }
}
