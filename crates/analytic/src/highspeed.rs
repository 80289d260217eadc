//! The response function of HighSpeed TCP. Source: RFC 3649 §5 (the function between two points on a log-log line),
//! Appendix B (the table of a(w), b(w)).

use crate::declare::{choice, model};
use crate::{Error, Kind, Range, Unit};

choice! {
    /// The loss that belongs to a window in a(w).
    Line {
        Rounded = "rounded", "p(w) = 0.078/w^1.2, by which the RFC's table is computed.";
        Exact = "exact", "The line through the two points itself.";
    }
}

model! {
    name: Highspeed,
    holds: "Steady state, no timeouts; at windows up to low_window it is standard TCP.",
    inputs {
        loss: f64 = Kind::Number { unit: Unit::One, default: 1e-5, range: Range::open(0.0, 1.0) },
            "Loss rate p.";
        rtt: f64 = Kind::Number { unit: Unit::Seconds, default: 0.1, range: Range::closed(1e-9, 1e4) },
            "Round-trip time.";
        low_window: f64 = Kind::Number { unit: Unit::Named("segments"), default: 38.0, range: Range::closed(2.0, 1e6) },
            "Low_Window.";
        low_loss: f64 = Kind::Number { unit: Unit::One, default: 1e-3, range: Range::open(0.0, 0.5) },
            "Low_P.";
        high_window: f64 =
            Kind::Number { unit: Unit::Named("segments"), default: 83000.0, range: Range::closed(2.0, 1e9) },
            "High_Window.";
        high_loss: f64 = Kind::Number { unit: Unit::One, default: 1e-7, range: Range::open(0.0, 0.5) },
            "High_P.";
        high_decrease: f64 = Kind::Number { unit: Unit::One, default: 0.1, range: Range::closed(0.01, 0.5) },
            "Decrease b at High_Window.";
        line: Line = Line::KIND, "The loss that belongs to a window in a(w).";
    }
    outputs {
        window: f64 ["segments"], "Mean window.";
        rate_segments_per_s: f64 ["segments/s"], "Window per round-trip time.";
        increase: f64 ["segments"], "a(w): segments added per round at that window.";
        decrease: f64 ["1"], "b(w): share of the window taken at a loss.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    if i.high_window <= i.low_window {
        let why = format!("must be more than low_window, {}", i.low_window);
        return Err(Error::Impossible { input: "high_window", value: i.high_window, why });
    }
    if i.high_loss >= i.low_loss {
        let why = format!("must be less than low_loss, {}", i.low_loss);
        return Err(Error::Impossible { input: "high_loss", value: i.high_loss, why });
    }
    let window = window(i);
    let (increase, decrease) = step(i, window);
    Ok(Outputs { window, rate_segments_per_s: window / i.rtt, increase, decrease })
}

/// §5: w = (p/Low_P)^S Low_Window, S the slope of the line; above Low_P standard TCP's 1.2/√p, which meets it there (§5
/// rounds Low_P and Low_Window so that they lie on it).
fn window(i: &Inputs) -> f64 {
    if i.loss >= i.low_loss {
        return (1.2 / i.loss.sqrt()).min(i.low_window);
    }
    let slope = (i.high_window / i.low_window).ln() / (i.high_loss / i.low_loss).ln();
    (i.loss / i.low_loss).powf(slope) * i.low_window
}

/// a(w) and b(w) of §5.
fn step(i: &Inputs, window: f64) -> (f64, f64) {
    if window <= i.low_window {
        return (1.0, 0.5);
    }
    let share = (window / i.low_window).ln() / (i.high_window / i.low_window).ln();
    let decrease = ((i.high_decrease - 0.5) * share + 0.5).clamp(1e-3, 0.5);
    let loss = match i.line {
        Line::Rounded => 0.078 / window.powf(1.2),
        Line::Exact => i.low_loss * ((i.high_loss / i.low_loss).ln() * share).exp(),
    };
    (window * window * loss * 2.0 * decrease / (2.0 - decrease), decrease)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(loss: f64) -> Outputs {
        evaluate(&Inputs { loss, ..Inputs::default() }).unwrap()
    }

    /// RFC 3649 §5, table 3 of the response function: p and w.
    #[test]
    fn the_rfcs_table_of_the_response_function() {
        for (loss, window) in [(1e-3, 38.0), (1e-4, 263.0), (1e-5, 1795.0), (1e-6, 12279.0), (1e-7, 83981.0)] {
            // The RFC computes w = 0.12/p^0.835; the exact line gives 83000 at 1e-7.
            let ratio = at(loss).window / window;
            assert!((ratio - 1.0).abs() < 0.02, "p = {loss}: {}", at(loss).window);
        }
    }

    /// RFC 3649 Appendix B: w, a(w), b(w).
    #[test]
    fn the_rfcs_table_of_increase_and_decrease() {
        let inputs = Inputs::default();
        for (window, increase, decrease) in
            [(118.0, 2.0, 0.44), (221.0, 3.0, 0.41), (1058.0, 8.0, 0.33), (84035.0, 71.0, 0.10)]
        {
            let (a, b) = step(&inputs, window);
            assert!((a / increase - 1.0).abs() < 0.01 && (b - decrease).abs() < 0.006, "{window}: {a} {b}");
        }
    }

    /// The window simulated loss by loss with a(w), b(w): mean within 10 % (deterministic losses every 1/p segments, as
    /// the RFC's derivation has them).
    #[test]
    fn a_sawtooth_with_those_steps_has_that_mean_window() {
        for loss in [1e-4, 1e-5, 1e-6] {
            let inputs = Inputs { loss, line: Line::Exact, ..Inputs::default() };
            let (mut window, mut sent, mut all, mut rounds, mut losses) = (at(loss).window, 0.0, 0.0, 0.0, 0);
            while losses < 400 {
                sent += window;
                all += window;
                rounds += 1.0;
                if sent >= 1.0 / loss {
                    sent -= 1.0 / loss;
                    losses += 1;
                    window *= 1.0 - step(&inputs, window).1;
                } else {
                    window += step(&inputs, window).0;
                }
            }
            let ratio = all / rounds / evaluate(&inputs).unwrap().window;
            assert!((ratio - 1.0).abs() < 0.1, "p = {loss}: {ratio}");
        }
    }

    #[test]
    fn the_two_points_must_lie_on_a_falling_line() {
        let message = evaluate(&Inputs { high_window: 10.0, ..Inputs::default() }).unwrap_err().to_string();
        assert_eq!(message, "high_window = 10: must be more than low_window, 38");
    }
}
