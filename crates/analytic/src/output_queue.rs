//! A slotted switch with a queue at each output. Source: M. G. Hluchyj and M. J. Karol, IEEE JSAC 6(9), 1988, output
//! queueing: in each slot each input has a packet with the same probability for a random output; an output sends one
//! packet a slot, one of those that have just arrived included; `places` packets wait.

use crate::chain::one_server;
use crate::declare::model;
use crate::{Error, Kind, Range, Unit};

model! {
    name: OutputQueue,
    holds: "Independent Bernoulli inputs, uniform destinations, packets of one slot.",
    inputs {
        ports: u32 = Kind::Number { unit: Unit::Named("ports"), default: 16.0, range: Range::whole(1.0, 4096.0) },
            "Inputs (and outputs) of the switch.";
        load: f64 = Kind::Number { unit: Unit::One, default: 0.8, range: Range::closed(0.0, 1.0) },
            "Probability that an input has a packet in a slot.";
        places: u32 = Kind::Number { unit: Unit::Named("packets"), default: 10.0, range: Range::whole(0.0, 1000.0) },
            "Packets that can wait at an output.";
    }
    outputs {
        loss: f64 ["1"], "Probability that a packet is lost.";
        throughput: f64 ["1"], "Packets an output sends per slot.";
        mean_waiting: f64 ["packets"], "Mean number that wait at an output after it has sent.";
        mean_wait: f64 ["slots"], "Mean wait of a packet that is not lost; 0 without load.";
    }
}

fn compute(inputs: &Inputs) -> Result<Outputs, Error> {
    let places = inputs.places as usize;
    let arrivals = binomial(inputs.ports, inputs.load / f64::from(inputs.ports));
    if arrivals[0] == 0.0 {
        // One input that always has a packet: sent as it comes.
        return Ok(Outputs { loss: 0.0, throughput: 1.0, mean_waiting: 0.0, mean_wait: 0.0 });
    }
    let waiting = one_server(&arrivals, places, true);
    let lost: f64 = waiting.iter().enumerate().map(|(n, share)| share * overflow(&arrivals, places + 1 - n)).sum();
    let throughput = inputs.load - lost;
    let mean_waiting = waiting.iter().enumerate().map(|(n, share)| n as f64 * share).sum();
    let per_packet = |sum: f64| if inputs.load == 0.0 { 0.0 } else { sum };
    Ok(Outputs {
        loss: per_packet(lost / inputs.load),
        throughput,
        mean_waiting,
        mean_wait: per_packet(mean_waiting / throughput),
    })
}

/// E[(A − room)⁺].
fn overflow(arrivals: &[f64], room: usize) -> f64 {
    arrivals.iter().enumerate().skip(room + 1).map(|(k, share)| (k - room) as f64 * share).sum()
}

/// Probabilities of 0 … n successes, each with probability `p`.
pub(crate) fn binomial(n: u32, p: f64) -> Vec<f64> {
    if p >= 1.0 {
        return (0..=n).map(|k| if k == n { 1.0 } else { 0.0 }).collect();
    }
    let odds = p / (1.0 - p);
    let mut shares = vec![(1.0 - p).powi(n as i32)];
    for k in 0..n {
        shares.push(shares[k as usize] * odds * f64::from(n - k) / f64::from(k + 1));
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn at(ports: u32, load: f64, places: u32) -> Outputs {
        evaluate(&Inputs { ports, load, places }).unwrap()
    }

    #[test]
    fn with_many_places_the_wait_is_hluchyj_and_karols_closed_form() {
        // Of the mean wait: (N − 1)/N · p / (2(1 − p)).
        for (ports, load) in [(2, 0.5), (16, 0.8), (64, 0.6)] {
            let n = f64::from(ports);
            let expected = (n - 1.0) / n * load / (2.0 * (1.0 - load));
            assert!((at(ports, load, 400).mean_wait / expected - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn without_places_all_but_one_of_those_that_meet_are_lost() {
        // 2 × 2 at full load: both for one output with probability 1/2, of two packets one is lost: 1/4.
        assert!((at(2, 1.0, 0).loss - 0.25).abs() < 1e-15);
        assert!((at(2, 1.0, 0).throughput - 0.75).abs() < 1e-15);
    }

    #[test]
    fn edges_give_numbers() {
        assert_eq!((at(8, 0.0, 4).loss, at(8, 0.0, 4).mean_wait), (0.0, 0.0));
        assert_eq!((at(1, 1.0, 0).loss, at(1, 1.0, 0).throughput), (0.0, 1.0));
    }

    /// A million slots of an output of 8 × 8 at 0.9 with 4 places: loss within 3 %.
    #[test]
    fn a_simulation_loses_the_same_share() {
        let (mut random, mut queue, mut lost, mut offered) = (Random::new(5), 0, 0, 0);
        for _ in 0..1_000_000 {
            let arrivals = (0..8).filter(|_| random.uniform() < 0.9 / 8.0).count();
            offered += arrivals;
            queue = (queue + arrivals).saturating_sub(1);
            lost += queue.saturating_sub(4);
            queue = queue.min(4);
        }
        let share = lost as f64 / offered as f64;
        assert!((share / at(8, 0.9, 4).loss - 1.0).abs() < 0.03, "{share}");
    }
}
