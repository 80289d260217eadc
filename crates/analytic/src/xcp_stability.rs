//! When XCP's efficiency controller is stable. Source: Katabi, Handley and Rohrs, SIGCOMM 2002, §4: open loop
//! (α s/d + β/d²)/s² · e^(−ds); stable for every capacity and delay if α < π/(4√2) and β = α²√2.

use crate::declare::model;
use crate::xcp::{alpha, beta};
use crate::{Error, Kind, Range, Unit};
use std::f64::consts::{FRAC_PI_4, SQRT_2};

model! {
    name: XcpStability,
    holds: "One bottleneck, equal round-trip times, fluid traffic, the control interval equal to the round-trip time.",
    inputs {
        alpha: f64 = alpha(0.4), "α.";
        beta: f64 = beta(0.226), "β.";
        delay: f64 = Kind::Number { unit: Unit::Seconds, default: 0.1, range: Range::closed(1e-6, 100.0) },
            "Round-trip time d.";
    }
    outputs {
        stable: f64 ["1"], "1 if the loop is stable, else 0.";
        phase_margin: f64 ["rad"], "Phase margin; negative if unstable.";
        crossover: f64 ["rad/s"], "Frequency at which the loop's gain is one.";
        alpha_bound: f64 ["1"], "π/(4√2), the bound on α with the matching β.";
        matching_beta: f64 ["1"], "α²√2.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    // |α j x + β| = x² with x = ω d.
    let squared = i.alpha * i.alpha;
    let x = ((squared + (squared * squared + 4.0 * i.beta * i.beta).sqrt()) / 2.0).sqrt();
    let phase_margin = (i.alpha * x).atan2(i.beta) - x;
    Ok(Outputs {
        stable: f64::from(u8::from(phase_margin > 0.0)),
        phase_margin,
        crossover: x / i.delay,
        alpha_bound: FRAC_PI_4 / SQRT_2,
        matching_beta: squared * SQRT_2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_the_matching_beta_the_margin_is_a_quarter_turn_less_root_two_alpha() {
        for alpha in [0.1, 0.4, 0.6] {
            let found = evaluate(&Inputs { alpha, beta: alpha * alpha * SQRT_2, delay: 0.1 }).unwrap();
            assert!((found.phase_margin - (FRAC_PI_4 - SQRT_2 * alpha)).abs() < 1e-12);
        }
    }

    /// The delayed loop integrated: y′(t) = −(α/d)(y − C)(t − d) − (β/d²) q(t − d), q′ = y − C, both unbounded as in
    /// the linear analysis. The swing shrinks where the model says stable and grows where it does not.
    #[test]
    fn the_delayed_loop_shrinks_or_grows_as_it_says() {
        for (alpha, beta) in [(0.4, 0.226), (0.5, 0.5 * 0.5 * SQRT_2), (0.6, 0.36 * SQRT_2), (0.2, 0.9), (0.2, 0.056)] {
            let (steps, mut y, mut q) = (2000, vec![1.0], vec![0.0]);
            let h = 1.0 / f64::from(steps);
            for n in 0..(60 * steps as usize) {
                let (before, queue) = n.checked_sub(steps as usize).map_or((0.0, 0.0), |m| (y[m], q[m]));
                y.push(y[n] - h * (alpha * before + beta * queue));
                q.push(q[n] + h * y[n]);
            }
            let swing = |part: &[f64]| part.iter().fold(0.0f64, |most, value| most.max(value.abs()));
            let (early, late) = (swing(&y[20 * steps as usize..30 * steps as usize]), swing(&y[50 * steps as usize..]));
            let found = evaluate(&Inputs { alpha, beta, delay: 1.0 }).unwrap();
            assert_eq!(late < early, found.stable == 1.0, "α = {alpha}, β = {beta}: {early} {late} {found:?}");
        }
    }
}
