//! DLCC with one TCP flow, or with flows that halve together. Source: Lu and Hunter, 2009, §V.D, §V.E, eqs. (2)–(10).

use crate::declare::model;
use crate::dlcc::{ACCESS_SHARE, CAPACITY, CORE_SHARE, PACKET, Path, RTT, UDP_MAX};
use crate::quadrature::GAUSS_24;
use crate::reading::{Reading, Slip};
use crate::{Error, Kind, Range, Unit};

model! {
    name: DlccSynchronized,
    holds: "Long-lived TCP Reno in congestion avoidance, UDP rates independent and uniform on (0, R), windows in \
        random phase, no buffer in the core.",
    inputs {
        rtt: f64 = RTT, "End-to-end round-trip time 2T.";
        udp_max: f64 = UDP_MAX, "Largest share R of the link that UDP takes.";
        flows: f64 = Kind::Number { unit: Unit::Named("flows"), default: 1.0, range: Range::whole(1.0, 1e9) },
            "Synchronized flows N; the consistent equations do not depend on it.";
        capacity: f64 = CAPACITY, "Capacity C of the bottleneck.";
        packet: f64 = PACKET, "Size S + H of an optical packet.";
        core_share: f64 = CORE_SHARE, "T₁/T: edge to congested core switch, as a share of the one-way delay.";
        access_share: f64 = ACCESS_SHARE, "T₀/T: sender to edge, as a share of the one-way delay.";
        reading: Reading = Reading::KIND, "Which form of the equations.";
        window: Slip = Slip::KIND, "The window in eq. (6): from half the peak to the peak, or from zero as printed.";
        many_flows: Slip = Slip::KIND, "The window in eq. (9) for N > 1: W^r, or the peak W^p as printed.";
        counting: Slip = Slip::KIND, "Eqs. (2), (5): the probability of congestion counted once, or twice as printed.";
    }
    outputs {
        loss_per_change_packets: f64 ["packets"], "Mean loss per UDP change without DLCC (the paper's mean of L_i).";
        loss_per_change_dlcc_packets: f64 ["packets"], "The same with DLCC.";
        congestion_probability: f64 ["1"], "Probability that a change of UDP's rate congests the link.";
        loss_per_congestion_packets: f64 ["packets"], "Mean loss given congestion, without DLCC.";
        loss_rate: f64 ["1"], "Eq. (2): lost traffic in a round trip over capacity, mean over changes, without DLCC.";
        loss_rate_dlcc: f64 ["1"], "The same with DLCC.";
        loss_rate_given_congestion: f64 ["1"], "The same given congestion, without DLCC.";
        lost_over_capacity_s: f64 ["s"], "Lost traffic per change divided by capacity and not by time, without DLCC.";
        edge_buffer_one_control_packets: f64 ["packets"], "Extra edge buffer without artificial ACKs.";
        edge_buffer_two_controls_packets: f64 ["packets"], "Extra edge buffer with artificial ACKs.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    let path = Path::new(i.rtt, i.core_share, i.access_share, i.capacity, i.packet)?;
    let left = Left { window: i.window.printed(i.reading), peak: i.flows > 1.0 && i.many_flows.printed(i.reading) };
    let (r, rule) = (i.udp_max, &*GAUSS_24);
    let mean = |f: &dyn Fn(f64) -> f64| rule.integral(0.0, r, f) / r;
    let excess = mean(&|a| left.excess(a, r));
    let congestion_probability = mean(&|a| left.congestion(a, r));
    let loss_rate = match i.counting.printed(i.reading) {
        // (5) as printed is (R + a)/(2R), and L_i has the probability of a′ in it already.
        true => mean(&|a| (r + a) / (2.0 * r) * left.excess(a, r)),
        false => excess,
    };
    let packets = excess * path.packets_per_rtt();
    Ok(Outputs {
        loss_per_change_packets: packets,
        loss_per_change_dlcc_packets: packets * path.core,
        congestion_probability,
        loss_per_congestion_packets: packets / congestion_probability,
        loss_rate,
        loss_rate_dlcc: loss_rate * path.core,
        loss_rate_given_congestion: excess / congestion_probability,
        lost_over_capacity_s: excess * i.rtt,
        edge_buffer_one_control_packets: packets * path.one_control(),
        edge_buffer_two_controls_packets: packets * path.two_controls(),
    })
}

/// What TCP leaves of the link, X, given a.
struct Left {
    /// The window of (6) is uniform from zero to the peak, so X from a to 1; else from half the peak, X from a to (1 +
    /// a)/2.
    window: bool,
    /// The window is the peak (9), so X = a.
    peak: bool,
}

impl Left {
    /// E[(a′ − X)⁺ | a], a′ uniform on (0, R).
    fn excess(&self, a: f64, r: f64) -> f64 {
        let jump = r - a;
        if self.peak { jump * jump / (2.0 * r) } else { self.density(a) * jump.powi(3) / (6.0 * r) }
    }

    /// P(a′ > X | a).
    fn congestion(&self, a: f64, r: f64) -> f64 {
        let jump = r - a;
        if self.peak { jump / r } else { self.density(a) * jump * jump / (2.0 * r) }
    }

    /// Of X where a′ reaches it.
    fn density(&self, a: f64) -> f64 {
        if self.window { 1.0 / (1.0 - a) } else { 2.0 / (1.0 - a) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn at(inputs: &Inputs) -> Outputs {
        evaluate(inputs).unwrap()
    }

    fn with(udp_max: f64, rtt: f64) -> Inputs {
        Inputs { udp_max, rtt, ..Inputs::default() }
    }

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a / b - 1.0).abs() < tolerance, "{a} {b}");
    }

    /// κ/(6R²) ∫ u³/(1 − R + u) du, worked out with its logarithm (errata, "closed forms").
    #[test]
    fn the_mean_over_a_is_the_elementary_integral() {
        for r in [0.1f64, 0.25, 0.4, 0.5] {
            let c = 1.0 - r;
            let cube = r.powi(3) / 3.0 - c * r * r / 2.0 + c * c * r + c.powi(3) * c.ln();
            let square = r * r / 2.0 - c * r - c * c * c.ln();
            let found = at(&with(r, 0.1));
            close(found.loss_rate, 2.0 / (6.0 * r * r) * cube, 1e-9);
            close(found.congestion_probability, 2.0 / (2.0 * r * r) * square, 1e-9);
        }
    }

    /// Round by round: the window climbs from half to peak by a segment a round; UDP changes at a random instant. 400
    /// 000 changes, 2 % (loss) and 1.5 % (probability), some five standard errors.
    #[test]
    fn a_sawtooth_hit_at_random_loses_as_much() {
        for r in [0.1, 0.4] {
            let found = at(&with(r, 0.1));
            let peak_of_whole_link = 62_500.0;
            let (mut random, mut lost, mut congested) = (Random::new(21), 0.0, 0);
            for _ in 0..400_000 {
                let (a, next) = (r * random.uniform(), r * random.uniform());
                let peak = ((1.0 - a) * peak_of_whole_link).round();
                let rounds = (peak - (peak / 2.0).round()).max(1.0) as usize;
                let window = (peak / 2.0).round() + random.below(rounds) as f64;
                let over = next - (1.0 - window / peak_of_whole_link);
                lost += over.max(0.0);
                congested += i32::from(over > 0.0);
            }
            close(lost / 400_000.0, found.loss_rate, 0.02);
            close(f64::from(congested) / 400_000.0, found.congestion_probability, 0.015);
        }
    }

    /// The paper's finite sums over k = 1 … M and the UDP rates, with (6) repaired and literal, M segments of one of N
    /// flows: N synchronized flows equal one big flow up to 1/M.
    #[test]
    fn n_synchronized_flows_equal_one_big_flow() {
        let (r, packets) = (0.3, 62_500.0);
        for (printed, flows) in [(false, 1.0), (false, 100.0), (true, 1.0)] {
            let reading = if printed { Slip::AsPrinted } else { Slip::Corrected };
            let found = at(&Inputs { window: reading, flows, ..with(r, 0.1) }).loss_per_change_packets;
            let cells = 150;
            let rate = |n: usize| r * (n as f64 + 0.5) / f64::from(cells);
            let mut sum = 0.0;
            for a in (0..cells as usize).map(rate) {
                let m = (packets * (1.0 - a) / flows).floor();
                for k in (0..m as usize).step_by((m as usize / 150).max(1)) {
                    let phase = (k as f64 + 0.5) / m;
                    let window = if printed { phase * m } else { m / 2.0 * (1.0 + phase) };
                    let left = 1.0 - flows * window / packets;
                    let excess: f64 = (0..cells as usize).map(rate).map(|next| (next - left).max(0.0)).sum();
                    sum += excess / f64::from(cells * cells) / (m as usize).div_ceil((m as usize / 150).max(1)) as f64;
                }
            }
            close(found, sum * packets, 0.02);
        }
        let (one, many) = (at(&with(r, 0.1)), at(&Inputs { flows: 10_000.0, ..with(r, 0.1) }));
        assert_eq!(one.loss_per_change_packets, many.loss_per_change_packets);
    }

    #[test]
    fn control_divides_the_loss_by_six_and_the_edge_buffer_by_two_and_a_half() {
        for r in [0.1, 0.2, 0.3, 0.4] {
            for rtt in [0.06, 0.56] {
                for reading in [Reading::Corrected, Reading::AsPrinted] {
                    let found = at(&Inputs { reading, ..with(r, rtt) });
                    close(found.loss_per_change_packets / found.loss_per_change_dlcc_packets, 6.0, 1e-12);
                    close(found.loss_rate / found.loss_rate_dlcc, 6.0, 1e-12);
                    let ratio = found.edge_buffer_two_controls_packets / found.edge_buffer_one_control_packets;
                    close(ratio, 0.4, 1e-12);
                }
            }
        }
    }

    /// Errata 0.7: × 2; 0.15: × 20 at R = 0.1, × 4.6 at R = 0.4 (with the window as printed nowhere else); double
    /// counting: × 0.60, with the window × 0.30.
    #[test]
    fn the_slips_change_the_loss_by_the_stated_factors() {
        let base = with(0.3, 0.1);
        let corrected = at(&base);
        let window = at(&Inputs { window: Slip::AsPrinted, ..base.clone() });
        close(corrected.loss_per_change_packets / window.loss_per_change_packets, 2.0, 1e-12);
        for (r, factor) in [(0.1, 20.0), (0.4, 4.6)] {
            let many = Inputs { flows: 100.0, ..with(r, 0.1) };
            let peak = at(&Inputs { many_flows: Slip::AsPrinted, ..many.clone() });
            close(peak.loss_rate, r / 6.0, 1e-12);
            close(peak.loss_rate / at(&many).loss_rate, factor, 0.1);
        }
        let counting = at(&Inputs { counting: Slip::AsPrinted, ..base.clone() });
        close(counting.loss_rate / corrected.loss_rate, 0.6, 0.02);
        let both = at(&Inputs { window: Slip::AsPrinted, counting: Slip::AsPrinted, ..base });
        close(both.loss_rate / corrected.loss_rate, 0.3, 0.02);
    }

    /// Errata 0.24: the loss grows with the round-trip time, the rate of (2) does not.
    #[test]
    fn the_loss_grows_with_the_round_trip_and_the_rate_of_2_is_flat() {
        let (short, long) = (at(&with(0.3, 0.06)), at(&with(0.3, 0.56)));
        close(long.loss_per_change_packets / short.loss_per_change_packets, 0.56 / 0.06, 1e-12);
        assert_eq!(long.loss_rate, short.loss_rate);
    }

    #[test]
    fn a_part_longer_than_the_whole_is_refused() {
        let message = |inputs: Inputs| evaluate(&inputs).unwrap_err().to_string();
        let core = message(Inputs { core_share: 1.2, ..Inputs::default() });
        assert_eq!(core, "core_share = 1.2: must be more than 0 and at most 1");
        let access = message(Inputs { access_share: 0.7, core_share: 0.5, ..Inputs::default() });
        assert_eq!(access, "access_share = 0.7: with core_share = 0.5 the parts of the path exceed the whole");
    }
}
