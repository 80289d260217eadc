//! XCP's equilibrium on two links, which is not max-min fair. Source: S. Low, L. Andrew and B. Wydrowski,
//! "Understanding XCP: equilibrium and fairness", INFOCOM 2005: shuffling and spare bandwidth balance below full use,
//! so a link whose other flows are limited elsewhere gives the rest of its flows less than what is left; it is used to
//! at least α/(α + γ).

use crate::declare::model;
use crate::xcp::{GAMMA, alpha};
use crate::{Error, Kind, Range, Unit};

const LINK: Kind = Kind::Number { unit: Unit::BitsPerSecond, default: 1e8, range: Range::closed(1.0, 1e15) };

model! {
    name: XcpTwoLinks,
    holds: "Long flows limited by the second link, that is a share there of at most capacity/(all flows) on the first; \
        no queues.",
    inputs {
        capacity: f64 = LINK, "Capacity of the first link, which local and long flows share.";
        limiting_capacity: f64 =
            Kind::Number { unit: Unit::BitsPerSecond, default: 5e7, range: Range::closed(1.0, 1e15) },
            "Capacity of the second link, which limits the long flows.";
        local_flows: f64 = Kind::Number { unit: Unit::Named("flows"), default: 1.0, range: Range::whole(1.0, 1e9) },
            "Flows on the first link only.";
        long_flows: f64 = Kind::Number { unit: Unit::Named("flows"), default: 20.0, range: Range::whole(1.0, 1e9) },
            "Flows on both links.";
        limiting_flows: f64 = Kind::Number { unit: Unit::Named("flows"), default: 0.0, range: Range::whole(0.0, 1e9) },
            "Flows on the second link only.";
        alpha: f64 = alpha(0.4), "α.";
        gamma: f64 = GAMMA, "γ.";
    }
    outputs {
        local_rate_bps: f64 ["bps"], "Rate of a local flow.";
        long_rate_bps: f64 ["bps"], "Rate of a long flow.";
        local_max_min_bps: f64 ["bps"], "Max-min share of a local flow.";
        local_share_of_max_min: f64 ["1"], "The one over the other.";
        utilization: f64 ["1"], "Utilization of the first link.";
        least_utilization: f64 ["1"], "α/(α + γ), below which no controlling link can be.";
    }
}

fn compute(i: &Inputs) -> Result<Outputs, Error> {
    let long = i.limiting_capacity / (i.long_flows + i.limiting_flows);
    let flows = i.local_flows + i.long_flows;
    if long * flows > i.capacity {
        let why = format!("the long flows' share of it, {long}, exceeds that of the first link; exchange the links");
        return Err(Error::Impossible { input: "limiting_capacity", value: i.limiting_capacity, why });
    }
    // In shares of the first link. Feedback to a local flow of rate x is zero: (h + φ)/N = x h/u with φ = α(1 − u), h =
    // γu − φ. With x = (u − b)/n₁ that is γ(n₁/N) u² = (u − b)((α + γ)u − α); its larger root is the equilibrium.
    let b = i.long_flows * long / i.capacity;
    let (a2, share) = (i.alpha + i.gamma, i.local_flows / flows);
    let (p, q, r) = (a2 - i.gamma * share, i.alpha + b * a2, i.alpha * b);
    let used = (q + (q * q - 4.0 * p * r).max(0.0).sqrt()) / (2.0 * p);
    let local = (used - b) * i.capacity / i.local_flows;
    let max_min = (1.0 - b) * i.capacity / i.local_flows;
    Ok(Outputs {
        local_rate_bps: local,
        long_rate_bps: long,
        local_max_min_bps: max_min,
        local_share_of_max_min: local / max_min,
        utilization: used,
        least_utilization: i.alpha / a2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xcp::Feedback;

    /// Two routers and three kinds of flows, interval by interval, each flow taking the smaller feedback of its links:
    /// within 1e-6 of the closed form after 20 000 intervals.
    #[test]
    fn the_controllers_run_to_it() {
        for (limiting_capacity, long_flows, limiting_flows) in [(5e7, 20.0, 0.0), (8e7, 7.0, 1.0), (1e7, 2.0, 3.0)] {
            let i = Inputs { limiting_capacity, long_flows, limiting_flows, local_flows: 2.0, ..Inputs::default() };
            let (mut local, mut long, mut other) = (1e6, 1e6, 1e6);
            for _ in 0..20_000 {
                let first = 2.0 * local + long_flows * long;
                let second = long_flows * long + limiting_flows * other;
                let one = Feedback::new(0.4, 1e8 - first, 0.226, 0.0, 0.1, first);
                let two = Feedback::new(0.4, limiting_capacity - second, 0.226, 0.0, 0.1, second);
                let from_first = |x: f64| one.given() / (2.0 + long_flows) - x * one.taken() / first;
                let from_second = |x: f64| two.given() / (long_flows + limiting_flows) - x * two.taken() / second;
                let long_change = from_first(long).min(from_second(long));
                local += from_first(local);
                other += from_second(other);
                long += long_change;
            }
            let found = evaluate(&i).unwrap();
            assert!((found.local_rate_bps / local - 1.0).abs() < 1e-6, "{found:?} {local}");
            assert!((found.long_rate_bps / long - 1.0).abs() < 1e-6, "{found:?} {long}");
        }
    }

    #[test]
    fn a_local_flow_can_get_any_small_part_of_its_max_min_share() {
        // Long flows that take just under 80 % of the link and are very many.
        let i = Inputs { limiting_capacity: 7.9e7, long_flows: 1e6, ..Inputs::default() };
        let found = evaluate(&i).unwrap();
        assert!(found.local_share_of_max_min < 0.06 && (found.utilization - 0.8).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn equal_links_are_shared_equally_and_used_fully() {
        let i = Inputs { limiting_capacity: 2e7, long_flows: 1.0, local_flows: 4.0, ..Inputs::default() };
        let found = evaluate(&i).unwrap();
        assert!((found.local_rate_bps / 2e7 - 1.0).abs() < 1e-9 && (found.utilization - 1.0).abs() < 1e-9);
    }

    #[test]
    fn long_flows_that_the_first_link_limits_are_refused() {
        let message = evaluate(&Inputs { limiting_capacity: 1e9, ..Inputs::default() }).unwrap_err().to_string();
        assert!(message.contains("exchange the links"), "{message}");
    }
}
