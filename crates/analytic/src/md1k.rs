//! Packets of one size at a port with few waiting places: M/D/1/K. Source: Gross and Harris, Fundamentals of Queueing
//! Theory, §5.1.8 (the chain at departures); the distribution at any time from it by the share of time the server is
//! busy.

use crate::chain::one_server;
use crate::declare::model;
use crate::{Error, Kind, Range, Unit};

model! {
    name: Md1k,
    holds: "Poisson arrivals, one size, drop-tail; the waiting places do not count the packet in service.",
    inputs {
        load: f64 = Kind::Number { unit: Unit::Named("erlang"), default: 0.8, range: Range::above(0.0, 20.0) },
            "Offered load: arrivals times transmission time.";
        places: u32 = Kind::Number { unit: Unit::Named("packets"), default: 10.0, range: Range::whole(0.0, 1000.0) },
            "Waiting places, the packet in service not counted.";
    }
    outputs {
        blocking: f64 ["1"], "Probability that a packet is dropped.";
        utilization: f64 ["1"], "Share of time in which the port sends.";
        mean_waiting: f64 ["packets"], "Mean number that wait.";
        mean_wait: f64 ["services"], "Mean wait of an accepted packet, in transmission times.";
    }
}

fn compute(inputs: &Inputs) -> Result<Outputs, Error> {
    let (load, in_system) = (inputs.load, inputs.places as usize + 1);
    let arrivals = poisson(load, in_system + 1);
    // Left behind by departures: 0 … in_system − 1.
    let left = one_server(&arrivals, in_system - 1, false);
    let excess = excess(&arrivals);
    // Lost while one packet is sent: what finds all places taken. A packet that finds nobody is sent at once.
    let lost: f64 = left.iter().enumerate().map(|(n, p)| p * excess[in_system - n.max(1)]).sum();
    // Per departure there is one accepted packet and, at an empty port, a mean gap of 1/load transmissions.
    let cycle = left[0] + load;
    let blocking = lost / (1.0 + lost);
    // All but one of those that are there wait; term by term, so that few that wait keep their digits.
    let waiting: f64 = left.iter().enumerate().skip(1).map(|(n, p)| (n - 1) as f64 * p).sum();
    let mean_waiting = waiting / cycle + blocking * (in_system - 1) as f64;
    let utilization = load / cycle;
    Ok(Outputs { blocking, utilization, mean_waiting, mean_wait: mean_waiting / utilization })
}

/// Probabilities of 0, 1, … arrivals, at least `least` of them and on until the rest is negligible compared with the
/// last.
fn poisson(mean: f64, least: usize) -> Vec<f64> {
    let mut shares = vec![(-mean).exp()];
    while shares.len() <= least || shares[shares.len() - 1] > 1e-18 * shares[least] {
        shares.push(shares[shares.len() - 1] * mean / shares.len() as f64);
    }
    shares
}

/// E[(A − m)⁺] for m = 0, 1, …, of a number A with these probabilities.
fn excess(shares: &[f64]) -> Vec<f64> {
    let (mut tail, mut sum) = (0.0, 0.0);
    let mut excess: Vec<f64> = shares
        .iter()
        .rev()
        .map(|share| {
            let above = sum;
            tail += share;
            sum += tail;
            above
        })
        .collect();
    excess.reverse();
    excess
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn at(load: f64, places: u32) -> Outputs {
        evaluate(&Inputs { load, places }).unwrap()
    }

    #[test]
    fn without_waiting_places_it_is_erlang_b_with_one_server() {
        assert!((at(0.7, 0).blocking - 0.7 / 1.7).abs() < 1e-14);
        assert!(at(0.7, 0).mean_waiting.abs() < 1e-14);
    }

    #[test]
    fn with_many_places_half_as_many_wait_as_in_m_m_1() {
        assert!((at(0.7, 400).mean_waiting - 0.7 * 0.7 / 0.3 / 2.0).abs() < 1e-9);
        assert!((at(0.7, 400).utilization - 0.7).abs() < 1e-12);
    }

    /// Of two packets within a transmission the second waits: at low load ρ²/2 (1 + ρ + …).
    #[test]
    fn at_low_load_few_wait_and_keep_their_digits() {
        for load in [1e-3, 1e-9, 1e-18, 1e-30, 1e-100] {
            let exact = load / (2.0 * (1.0 - load));
            assert!((at(load, 10).mean_wait / exact - 1.0).abs() < 1e-9, "{load}: {}", at(load, 10).mean_wait);
        }
    }

    #[test]
    fn overload_keeps_the_port_busy() {
        let found = at(20.0, 1000);
        assert!((found.utilization - 1.0).abs() < 1e-12 && (found.blocking - 0.95).abs() < 1e-12);
    }

    #[test]
    fn rare_drops_keep_their_digits() {
        // Far in the tail a place more divides the drops by σ, the root of σ = e^{λ(σ − 1)} above 1.
        let sigma = (0..200).fold(10.0f64, |sigma, _| sigma - (sigma.ln() - 0.3 * (sigma - 1.0)) / (1.0 / sigma - 0.3));
        let ratio = at(0.3, 40).blocking / at(0.3, 41).blocking;
        assert!(at(0.3, 41).blocking < 1e-30 && (ratio / sigma - 1.0).abs() < 1e-6, "{ratio} {sigma}");
    }

    /// A million packets by the recursion of the workload: drops within 3 %, waiting within 2 %.
    #[test]
    fn a_simulation_drops_and_waits_as_much() {
        for (load, places) in [(0.9, 3), (1.2, 2)] {
            let (mut random, mut ends) = (Random::new(3), std::collections::VecDeque::<f64>::new());
            let (mut now, mut free, mut drops, mut waited) = (0.0, 0.0f64, 0, 0.0);
            for _ in 0..1_000_000 {
                now += random.exponential(1.0 / load);
                while ends.front().is_some_and(|end| *end <= now) {
                    ends.pop_front();
                }
                if ends.len() > places as usize {
                    drops += 1;
                    continue;
                }
                waited += (free - now).max(0.0);
                free = free.max(now) + 1.0;
                ends.push_back(free);
            }
            let expected = at(load, places);
            assert!((f64::from(drops) / 1e6 / expected.blocking - 1.0).abs() < 0.03);
            assert!((waited / now / expected.mean_waiting - 1.0).abs() < 0.02);
        }
    }
}
