//! XCP's controllers for macroflows that probe once an interval. Source: Alparslan, Arakawa and Murata (paper 002),
//! §2.1, §2.2.

use crate::declare::model;
use crate::reading::Reading;
use crate::xcp::{CAPACITY, FLOWS, Feedback, GAMMA, INTERVAL, QUEUE, RATE, alpha, beta};
use crate::{Error, Kind, Range, Unit};

model! {
    name: XcpMacroflow,
    holds: "One probe per macroflow and interval; all macroflows controlled by this link for the fixed point.",
    inputs {
        capacity: f64 = CAPACITY, "Capacity C of the wavelength.";
        target: f64 = Kind::Number { unit: Unit::One, default: 1.0, range: Range::above(0.0, 1.0) },
            "Target utilization TU; the controller sees TU · C.";
        input_rate: f64 = RATE, "Traffic u that arrived in the last interval.";
        flow_rate: f64 = Kind::Number { unit: Unit::BitsPerSecond, default: 9e7, range: Range::closed(0.0, 1e15) },
            "Rate u_i of the macroflow.";
        flows: f64 = FLOWS, "Macroflows N on the wavelength.";
        queue: f64 = QUEUE, "Persistent queue Q.";
        interval: f64 = INTERVAL, "Control interval d.";
        alpha: f64 = alpha(0.2), "Share α of the spare bandwidth that is given per interval.";
        beta: f64 = beta(0.056), "Share β of the queue that is drained per interval.";
        gamma: f64 = GAMMA, "Share γ of the traffic that is shuffled.";
        reading: Reading = Reading::KIND, "p_i = (h + max(0, φ))/N, or h + max(0, φ)/N as printed.";
    }
    outputs {
        phi_bps: f64 ["bps"], "Aggregate feedback φ.";
        shuffle_bps: f64 ["bps"], "Shuffled traffic h.";
        positive_bps: f64 ["bps"], "Positive feedback p_i.";
        negative_bps: f64 ["bps"], "Negative feedback n_i.";
        feedback_bps: f64 ["bps"], "p_i − n_i: the change of the macroflow's rate.";
        total_feedback_bps: f64 ["bps"], "The sum over all macroflows; φ if it is right.";
        fixed_point_bps: f64 ["bps"], "Traffic u at which the sum is zero without a queue.";
        fixed_share_bps: f64 ["bps"], "Each macroflow's rate there.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    if i.flow_rate > i.input_rate {
        let why = format!("one macroflow cannot exceed all traffic, input_rate = {}", i.input_rate);
        return Err(Error::Impossible { input: "flow_rate", value: i.flow_rate, why });
    }
    let spare = i.target * i.capacity - i.input_rate;
    let feedback = Feedback::new(i.alpha, spare, i.beta, 8.0 * i.queue / i.interval, i.gamma, i.input_rate);
    let positive = match i.reading {
        Reading::Corrected => feedback.given() / i.flows,
        Reading::AsPrinted => feedback.shuffle + feedback.phi.max(0.0) / i.flows,
    };
    let share = if i.input_rate == 0.0 { 0.0 } else { i.flow_rate / i.input_rate };
    let negative = share * feedback.taken();
    let fixed_point = fixed_point(i)?;
    Ok(Outputs {
        phi_bps: feedback.phi,
        shuffle_bps: feedback.shuffle,
        positive_bps: positive,
        negative_bps: negative,
        feedback_bps: positive - negative,
        total_feedback_bps: i.flows * positive - feedback.taken(),
        fixed_point_bps: fixed_point,
        fixed_share_bps: fixed_point / i.flows,
    })
}

/// As printed the sum is φ + (N − 1) h, zero where the overload's φ outweighs what N flows are given of the one h.
fn fixed_point(i: &Inputs) -> Result<f64, Error> {
    let target = i.target * i.capacity;
    match i.reading {
        Reading::Corrected => Ok(target),
        Reading::AsPrinted => {
            let pull = i.gamma * (i.flows - 1.0) / i.flows;
            if pull >= i.alpha {
                let why = "as printed the traffic has no fixed point: γ(N − 1)/N is not less than α".to_owned();
                return Err(Error::Impossible { input: "gamma", value: i.gamma, why });
            }
            Ok(i.alpha * target / (i.alpha - pull))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(inputs: &Inputs) -> Outputs {
        evaluate(inputs).unwrap()
    }

    /// Errata 2.5: the feedback to all flows adds up to φ, whatever their rates.
    #[test]
    fn the_feedback_to_all_flows_adds_up_to_phi() {
        for (input_rate, queue) in [(9e8, 0.0), (1.2e9, 0.0), (5e8, 3e6), (1e9, 9e3)] {
            let shares = [0.5, 0.3, 0.15, 0.05];
            let each = shares.map(|share| {
                at(&Inputs { input_rate, queue, flows: 4.0, flow_rate: share * input_rate, ..Inputs::default() })
            });
            let sum: f64 = each.iter().map(|one| one.feedback_bps).sum();
            assert!((sum - each[0].phi_bps).abs() < 1e-3 * each[0].phi_bps.abs().max(1.0));
            assert!((each[0].total_feedback_bps - sum).abs() < 1.0);
        }
    }

    /// Interval by interval from unequal rates: the traffic and the shares settle where the model says, in both
    /// readings.
    #[test]
    fn the_controllers_run_to_their_fixed_point() {
        for reading in [Reading::Corrected, Reading::AsPrinted] {
            let base = Inputs { flows: 5.0, target: 0.3, reading, ..Inputs::default() };
            let mut rates = [1e6, 5e6, 2e7, 1e8, 3e8];
            for _ in 0..2000 {
                let input_rate = rates.iter().sum();
                for rate in &mut rates {
                    *rate += at(&Inputs { input_rate, flow_rate: *rate, ..base.clone() }).feedback_bps;
                }
            }
            let expected = at(&base);
            for rate in rates {
                assert!((rate / expected.fixed_share_bps - 1.0).abs() < 1e-6, "{reading:?}: {rates:?}");
            }
        }
    }

    /// Errata 2.3: as printed the traffic of many macroflows settles at α/(α − γ) of the capacity: twice.
    #[test]
    fn as_printed_many_macroflows_overload_the_link_twofold() {
        let inputs = Inputs { flows: 1e6, reading: Reading::AsPrinted, ..Inputs::default() };
        assert!((at(&inputs).fixed_point_bps / 2e9 - 1.0).abs() < 1e-4);
    }
}
