//! XCP's controllers with feedback in every packet. Source: Katabi, Handley and Rohrs, SIGCOMM 2002, §3.5, eqs.
//! (1)–(10), which the AAPN thesis (paper 003) summarizes in Appendix A, eqs. (A.1), (A.2).

use crate::declare::model;
use crate::xcp::{CAPACITY, FLOWS, Feedback, GAMMA, QUEUE, RATE, alpha, beta};
use crate::{Error, Kind, Range, Unit};

model! {
    name: XcpPacket,
    holds: "Windows in full use, so that a flow sends cwnd per RTT; the control interval is the mean RTT.",
    inputs {
        capacity: f64 = CAPACITY, "Capacity C of the link.";
        input_rate: f64 = RATE, "Traffic y/d that arrived in the last interval.";
        flows: f64 = FLOWS, "Flows N.";
        queue: f64 = QUEUE, "Persistent queue Q.";
        mean_rtt: f64 = Kind::Number { unit: Unit::Seconds, default: 0.1, range: Range::closed(1e-6, 100.0) },
            "Mean round-trip time d, the control interval.";
        rtt: f64 = Kind::Number { unit: Unit::Seconds, default: 0.1, range: Range::closed(1e-6, 100.0) },
            "Round-trip time of the packet's flow.";
        window: f64 = Kind::Number { unit: Unit::Named("packets"), default: 750.0, range: Range::closed(0.01, 1e12) },
            "Window of the packet's flow.";
        packet: f64 = Kind::Number { unit: Unit::Bytes, default: 1500.0, range: Range::closed(1.0, 1e6) },
            "Packet size s.";
        alpha: f64 = alpha(0.4), "α.";
        beta: f64 = beta(0.226), "β.";
        gamma: f64 = GAMMA, "γ.";
    }
    outputs {
        phi_bytes: f64 ["B"], "Aggregate feedback φ = α d S − β Q.";
        shuffle_bytes: f64 ["B"], "Shuffled traffic h.";
        feedback_bytes: f64 ["B"], "Feedback in the packet: the change of the window when its ACK arrives.";
        window_change_packets: f64 ["packets"], "Change of the window in one of the flow's round trips.";
        rate_change_bps: f64 ["bps"], "Change of the flow's rate in one control interval.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    let d = i.mean_rtt;
    let feedback = Feedback::new(i.alpha, i.capacity - i.input_rate, i.beta, 8.0 * i.queue / d, i.gamma, i.input_rate);
    // Rates to bytes of an interval.
    let bytes = |rate: f64| rate * d / 8.0;
    // In d a flow sends d·cwnd/(rtt s) packets, so the sum of rtt s/cwnd over all packets is N d, and that of s is y.
    let xi_positive = bytes(feedback.given()) / (d * i.flows * d);
    let traffic = bytes(i.input_rate);
    let xi_negative = if traffic == 0.0 { 0.0 } else { bytes(feedback.taken()) / (d * traffic) };
    let positive = xi_positive * i.rtt * i.rtt / i.window;
    let negative = xi_negative * i.rtt * i.packet;
    let feedback_bytes = positive - negative;
    let per_rtt = feedback_bytes * i.window;
    Ok(Outputs {
        phi_bytes: bytes(feedback.phi),
        shuffle_bytes: bytes(feedback.shuffle),
        feedback_bytes,
        window_change_packets: per_rtt / i.packet,
        rate_change_bps: 8.0 * per_rtt / i.rtt * (d / i.rtt),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(inputs: &Inputs) -> Outputs {
        evaluate(inputs).unwrap()
    }

    /// Flows of different round trips and windows: what they send in d, packet by packet, receives φ in all, counted as
    /// rates.
    #[test]
    fn the_packets_of_an_interval_share_phi() {
        let flows = [(0.05, 400.0), (0.1, 300.0), (0.2, 900.0), (0.08, 50.0)];
        let input_rate: f64 = flows.iter().map(|(rtt, window)| window * 12_000.0 / rtt).sum();
        for capacity in [1e8, 2.5e8] {
            let base = Inputs { capacity, input_rate, flows: 4.0, mean_rtt: 0.1, ..Inputs::default() };
            let each = flows.map(|(rtt, window)| at(&Inputs { rtt, window, ..base.clone() }));
            let sum: f64 = each.iter().map(|one| one.rate_change_bps).sum();
            let phi = 8.0 * each[0].phi_bytes / 0.1;
            assert!((sum / phi - 1.0).abs() < 1e-9, "{sum} {phi}");
        }
    }

    /// With the same interval a probe's feedback is that of the flow's packets together.
    #[test]
    fn it_changes_the_rate_as_the_macroflow_form_does() {
        for queue in [0.0, 2e5] {
            let packet = Inputs { queue, rtt: 0.03, window: 225.0, ..Inputs::default() };
            let probe = crate::xcp_macroflow::Inputs {
                queue,
                interval: 0.1,
                flow_rate: 9e7,
                alpha: 0.4,
                beta: 0.226,
                ..Default::default()
            };
            let (a, b) = (at(&packet).rate_change_bps, crate::xcp_macroflow::evaluate(&probe).unwrap().feedback_bps);
            assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{a} {b}");
        }
    }
}
