//! Erlang's loss formula. Source: A. K. Erlang, Post Office Electrical Engineers' Journal 10, 1917; the recursion in
//! Kleinrock, Queueing Systems I, §3.5. In JET with equal offsets, full wavelength conversion and Poisson bursts it is
//! the burst blocking of an output fibre with `servers` wavelengths.

use crate::declare::model;
use crate::{Error, Kind, Range, Unit};

model! {
    name: ErlangB,
    holds: "Poisson arrivals, full wavelength conversion, equal offsets; the lengths' distribution does not matter.",
    inputs {
        load: f64 = Kind::Number { unit: Unit::Named("erlang"), default: 5.0, range: Range::closed(0.0, 1e6) },
            "Offered load: arrivals times mean holding time.";
        servers: u32 = Kind::Number { unit: Unit::Named("servers"), default: 8.0, range: Range::whole(0.0, 1e6) },
            "Wavelengths (or circuits).";
    }
    outputs {
        blocking: f64 ["1"], "Probability that an arrival is refused.";
        carried_load: f64 ["erlang"], "Load that is carried.";
        utilization: f64 ["1"], "Carried load per server; 0 without servers.";
    }
}

fn compute(inputs: &Inputs) -> Result<Outputs, Error> {
    let blocking = erlang_b(inputs.load, inputs.servers);
    let carried_load = inputs.load * (1.0 - blocking);
    let utilization = if inputs.servers == 0 { 0.0 } else { carried_load / f64::from(inputs.servers) };
    Ok(Outputs { blocking, carried_load, utilization })
}

/// The formula, by the recursion B(n) = A B(n−1) / (n + A B(n−1)), all of whose terms are positive.
pub(crate) fn erlang_b(load: f64, servers: u32) -> f64 {
    let mut blocking = 1.0;
    for n in 1..=servers {
        blocking = load * blocking / (f64::from(n) + load * blocking);
        if blocking == 0.0 {
            break;
        }
    }
    blocking
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::stationary;
    use crate::random::Random;

    #[test]
    fn published_values_come_out() {
        // Printed tables of the formula: 10 erlang on 10 servers 0.2146.
        assert!((erlang_b(10.0, 10) - 0.2146).abs() < 5e-5);
        assert!((erlang_b(1.0, 1) - 0.5).abs() < 1e-15);
        assert!((erlang_b(2.0, 2) - 0.4).abs() < 1e-15);
        assert_eq!((erlang_b(0.0, 3), erlang_b(5.0, 0)), (0.0, 1.0));
    }

    #[test]
    fn it_is_the_last_state_of_the_birth_death_chain() {
        for (load, servers) in [(0.3, 4), (6.0, 8), (40.0, 30)] {
            let mut rates = vec![vec![0.0; servers + 1]; servers + 1];
            for n in 0..servers {
                rates[n][n + 1] = load;
                rates[n + 1][n] = (n + 1) as f64;
            }
            let expected = *stationary(rates).last().unwrap();
            assert!((erlang_b(load, servers as u32) / expected - 1.0).abs() < 1e-12);
        }
    }

    /// Fixed lengths instead of exponential ones: 200 000 arrivals, 5 erlang on 6 servers, within 5 % (about 5 standard
    /// errors of a share near 0.19 with correlated blockings).
    #[test]
    fn a_simulation_with_fixed_lengths_blocks_the_same_share() {
        let (mut random, mut ends, mut now, mut blocked) = (Random::new(1), Vec::<f64>::new(), 0.0, 0);
        for _ in 0..200_000 {
            now += random.exponential(0.2);
            ends.retain(|end| *end > now);
            if ends.len() < 6 { ends.push(now + 1.0) } else { blocked += 1 }
        }
        let share = f64::from(blocked) / 200_000.0;
        assert!((share / erlang_b(5.0, 6) - 1.0).abs() < 0.05, "{share}");
    }
}
