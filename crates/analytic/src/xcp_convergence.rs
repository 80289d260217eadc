//! How long XCP takes to fill a link and to share it equally. Source: the controllers of Katabi, Handley and Rohrs,
//! SIGCOMM 2002, §3.5, interval by interval: the spare bandwidth shrinks by 1 − α, differences between flows by 1 − h/u
//! (1 − γ on a full link).

use crate::declare::model;
use crate::xcp::{Feedback, GAMMA, INTERVAL, alpha};
use crate::{Error, Kind, Range, Unit};

model! {
    name: XcpConvergence,
    holds: "Round-trip times equal to the control interval, no queue, all flows limited here.",
    inputs {
        alpha: f64 = alpha(0.4), "α.";
        gamma: f64 = GAMMA, "γ.";
        interval: f64 = INTERVAL, "Control interval d.";
        utilization: f64 = Kind::Number { unit: Unit::One, default: 0.1, range: Range::closed(1e-6, 0.999) },
            "Utilization at the start.";
        tolerance: f64 = Kind::Number { unit: Unit::One, default: 0.05, range: Range::closed(1e-9, 0.5) },
            "What may be left of the spare bandwidth (in shares of the capacity), and of the differences between \
                flows.";
    }
    outputs {
        efficiency_intervals: f64 ["intervals"], "Intervals until the link is full to the tolerance.";
        efficiency_s: f64 ["s"], "The same in seconds.";
        fairness_intervals: f64 ["intervals"], "Intervals until differences between flows have shrunk to the \
            tolerance.";
        fairness_s: f64 ["s"], "The same in seconds.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    let efficiency = ((i.tolerance / (1.0 - i.utilization)).ln() / (1.0 - i.alpha).ln()).ceil().max(0.0);
    let (mut used, mut differences, mut fairness) = (i.utilization, 1.0, 0.0);
    while differences > i.tolerance {
        let feedback = Feedback::new(i.alpha, 1.0 - used, 0.0, 0.0, i.gamma, used);
        differences *= 1.0 - feedback.taken() / used;
        used += feedback.phi;
        fairness += 1.0;
    }
    Ok(Outputs {
        efficiency_intervals: efficiency,
        efficiency_s: efficiency * i.interval,
        fairness_intervals: fairness,
        fairness_s: fairness * i.interval,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five flows under the macroflow model's feedback: the interval in which each mark is passed is the one foretold.
    #[test]
    fn flows_under_the_controllers_pass_the_marks_when_it_says() {
        for (alpha, gamma, start) in [(0.4, 0.1, 0.1), (0.2, 0.1, 0.02), (0.4, 0.3, 0.9)] {
            let shares = [0.6, 0.2, 0.1, 0.06, 0.04];
            let mut rates = shares.map(|share| share * start * 1e9);
            let (mut efficiency, mut fairness) = (None, None);
            for interval in 1..500 {
                let input_rate: f64 = rates.iter().sum();
                for rate in &mut rates {
                    let probe = crate::xcp_macroflow::Inputs {
                        input_rate,
                        flow_rate: *rate,
                        flows: 5.0,
                        alpha,
                        gamma,
                        ..Default::default()
                    };
                    *rate += crate::xcp_macroflow::evaluate(&probe).unwrap().feedback_bps;
                }
                let total: f64 = rates.iter().sum();
                if total >= 0.95e9 {
                    efficiency.get_or_insert(interval);
                }
                // The largest flow was 0.4 · start above the mean.
                if rates[0] - total / 5.0 <= 0.05 * 0.4 * start * 1e9 {
                    fairness.get_or_insert(interval);
                }
            }
            let i = Inputs { alpha, gamma, utilization: start, tolerance: 0.05, interval: 0.05 };
            let found = evaluate(&i).unwrap();
            assert_eq!(Some(found.efficiency_intervals as i32), efficiency);
            assert_eq!(Some(found.fairness_intervals as i32), fairness);
        }
    }

    /// On a full link differences shrink by 1 − γ: ln 0.05/ln 0.9 = 28.4.
    #[test]
    fn on_a_full_link_differences_shrink_by_gamma() {
        let found = evaluate(&Inputs { utilization: 0.999, ..Inputs::default() }).unwrap();
        assert_eq!((found.efficiency_intervals, found.fairness_intervals), (0.0, 29.0));
    }
}
