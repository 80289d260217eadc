//! Several servers and a common queue of few places: M/M/c/K. Source: Gross and Harris, Fundamentals of Queueing
//! Theory, chapter 2.

use crate::chain::normalized;
use crate::declare::model;
use crate::{Error, Kind, Range, Unit};

model! {
    name: Mmck,
    holds: "Poisson arrivals, exponential service, first in first out.",
    inputs {
        load: f64 = Kind::Number { unit: Unit::Named("erlang"), default: 5.0, range: Range::above(0.0, 1e4) },
            "Offered load: arrivals times mean service time.";
        servers: u32 = Kind::Number { unit: Unit::Named("servers"), default: 8.0, range: Range::whole(1.0, 1e4) },
            "Servers c.";
        places: u32 = Kind::Number { unit: Unit::Named("customers"), default: 4.0, range: Range::whole(0.0, 1e4) },
            "Waiting places; K = c + places.";
    }
    outputs {
        blocking: f64 ["1"], "Probability that an arrival is refused.";
        waits: f64 ["1"], "Probability that an accepted arrival has to wait.";
        mean_waiting: f64 ["customers"], "Mean number that wait.";
        mean_wait: f64 ["services"], "Mean wait of the accepted, in mean service times.";
        utilization: f64 ["1"], "Share of the servers that are busy.";
    }
}

fn compute(inputs: &Inputs) -> Result<Outputs, Error> {
    let (c, k) = (inputs.servers as usize, (inputs.servers + inputs.places) as usize);
    let shares = distribution(inputs.load, c, k);
    let blocking = shares[k];
    let mean_waiting = (c..=k).map(|n| (n - c) as f64 * shares[n]).sum::<f64>();
    let accepted = inputs.load * shares[..k].iter().sum::<f64>();
    Ok(Outputs {
        blocking,
        waits: inputs.load * shares[c..k].iter().sum::<f64>() / accepted,
        mean_waiting,
        mean_wait: mean_waiting / accepted,
        utilization: accepted / c as f64,
    })
}

/// The shares of time with 0 … k in the system.
fn distribution(load: f64, c: usize, k: usize) -> Vec<f64> {
    let mut weights = vec![1.0];
    for n in 1..=k {
        weights.push(weights[n - 1] * load / n.min(c) as f64);
        if weights[n] > 1e250 {
            weights.iter_mut().for_each(|weight| *weight *= 1e-250);
        }
    }
    normalized(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::stationary;
    use crate::erlang_b::erlang_b;

    fn at(load: f64, servers: u32, places: u32) -> Outputs {
        evaluate(&Inputs { load, servers, places }).unwrap()
    }

    #[test]
    fn without_waiting_places_it_is_erlang_b() {
        for (load, servers) in [(0.5, 1), (10.0, 10), (900.0, 1000)] {
            assert!((at(load, servers, 0).blocking / erlang_b(load, servers) - 1.0).abs() < 1e-10);
        }
    }

    #[test]
    fn with_one_server_and_many_places_it_is_m_m_1() {
        let found = at(0.7, 1, 500);
        assert!((found.mean_waiting - 0.49 / 0.3).abs() < 1e-9 && (found.waits - 0.7).abs() < 1e-12);
    }

    #[test]
    fn it_is_the_chain_solved_by_elimination() {
        let (load, c, k) = (3.7, 3, 9);
        let mut rates = vec![vec![0.0; k + 1]; k + 1];
        for n in 0..k {
            rates[n][n + 1] = load;
            rates[n + 1][n] = (n + 1).min(c) as f64;
        }
        for (a, b) in stationary(rates).iter().zip(distribution(load, c, k)) {
            assert!((a / b - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn heavy_overload_is_not_lost_in_rounding() {
        let found = at(1e4, 10, 10_000);
        assert!((found.blocking - 0.999).abs() < 1e-12 && (found.utilization - 1.0).abs() < 1e-9);
    }
}
