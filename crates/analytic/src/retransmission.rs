//! Bursts that are sent again a limited number of times over one link without buffers. Source: Q. Zhang, V. Vokkarane,
//! Y. Wang and J. Jue, "Analysis of TCP over OBS networks with burst retransmission", IEEE GLOBECOM 2005: each try is
//! offered with the blocking of the total, A = A₀(1 + B + … + Bⁿ), B = E(A, k), and is lost after the last try.

use crate::declare::model;
use crate::erlang_b::erlang_b;
use crate::{Error, Kind, Range, Unit};

model! {
    name: Retransmission,
    holds: "Tries far enough apart to be independent (delays longer than bursts); Poisson new bursts.",
    inputs {
        load: f64 = Kind::Number { unit: Unit::Named("erlang"), default: 4.0, range: Range::closed(0.0, 1e4) },
            "Offered load of new bursts A₀.";
        servers: u32 = Kind::Number { unit: Unit::Named("servers"), default: 8.0, range: Range::whole(1.0, 1e4) },
            "Wavelengths k.";
        retries: u32 = Kind::Number { unit: Unit::Named("tries"), default: 3.0, range: Range::whole(0.0, 1000.0) },
            "Further tries n after the first.";
    }
    outputs {
        total_load: f64 ["erlang"], "Offered load with all tries.";
        blocking: f64 ["1"], "Probability that one try is refused.";
        loss: f64 ["1"], "Probability that a burst is refused at every try.";
        mean_tries: f64 ["tries"], "Tries per burst.";
    }
}

fn compute(inputs: &Inputs) -> Result<Outputs, Error> {
    let tries = inputs.retries as i32 + 1;
    // A (1 − B(A)) grows with A, what is carried of A₀ falls with B: one solution, below A₀ tries.
    let (mut low, mut high) = (inputs.load, inputs.load * f64::from(tries));
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        let blocking = erlang_b(middle, inputs.servers);
        let enough = middle * (1.0 - blocking) >= inputs.load * (1.0 - blocking.powi(tries));
        if enough {
            high = middle
        } else {
            low = middle
        }
        if high - low <= f64::EPSILON * high {
            break;
        }
    }
    let total_load = 0.5 * (low + high);
    let blocking = erlang_b(total_load, inputs.servers);
    let mean_tries = (0..tries).map(|k| blocking.powi(k)).sum();
    Ok(Outputs { total_load, blocking, loss: blocking.powi(tries), mean_tries })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::BTreeMap;

    #[test]
    fn without_retries_it_is_erlang_b() {
        let found = evaluate(&Inputs { load: 5.0, servers: 8, retries: 0 }).unwrap();
        assert!((found.blocking - erlang_b(5.0, 8)).abs() < 1e-14 && found.mean_tries == 1.0);
    }

    #[test]
    fn the_total_load_is_the_sum_over_the_tries() {
        for (load, retries) in [(4.0, 3), (9.0, 20), (50.0, 2)] {
            let found = evaluate(&Inputs { load, servers: 8, retries }).unwrap();
            assert!((found.total_load / (load * found.mean_tries) - 1.0).abs() < 1e-10);
        }
    }

    /// 300 000 new bursts, each retry after a random delay 50 times the burst: tries and loss within 3 and 6 %.
    #[test]
    fn a_simulation_with_late_retries_agrees() {
        let inputs = Inputs { load: 6.0, servers: 6, retries: 2 };
        let (mut random, mut ends, mut next) = (Random::new(4), Vec::<f64>::new(), 0.0);
        // Waiting tries by time (its bits order positive numbers), with the tries already made.
        let mut later = BTreeMap::<u64, u32>::new();
        let (mut new, mut tries, mut lost) = (0, 0, 0);
        while new < 300_000 {
            let retry =
                later.first_key_value().filter(|(time, _)| f64::from_bits(**time) < next).map(|(t, m)| (*t, *m));
            let (now, made) = match retry {
                Some((time, made)) => {
                    later.remove(&time);
                    (f64::from_bits(time), made)
                }
                None => {
                    let now = next;
                    next += random.exponential(1.0 / 6.0);
                    new += 1;
                    (now, 0)
                }
            };
            tries += 1;
            ends.retain(|end| *end > now);
            if ends.len() < 6 {
                ends.push(now + random.exponential(1.0));
            } else if made < 2 {
                later.insert((now + random.exponential(50.0)).to_bits(), made + 1);
            } else {
                lost += 1;
            }
        }
        let expected = evaluate(&inputs).unwrap();
        assert!((f64::from(tries) / f64::from(new) / expected.mean_tries - 1.0).abs() < 0.03);
        assert!((f64::from(lost) / f64::from(new) / expected.loss - 1.0).abs() < 0.06);
    }
}
