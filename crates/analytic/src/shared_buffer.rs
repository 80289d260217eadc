//! A slotted switch whose outputs share one memory (a common ring of delay lines, or RAM). The chain is exact: its
//! states are the queues' lengths without regard to order, which symmetric traffic allows. In each slot the inputs'
//! packets enter one after another, each if the memory has room; then every queue sends one. Source: the chain is
//! written here from that description; for traffic and terms Hluchyj and Karol, IEEE JSAC 6(9), 1988, §V (completely
//! shared buffering).

use crate::chain::stationary;
use crate::declare::model;
use crate::{Error, Kind, Range, Unit};
use std::collections::BTreeMap;

/// More states than this take longer than a closed form should.
const MOST_STATES: usize = 700;

model! {
    name: "slotted-shared-buffer",
    summary: "Loss and queues of a small slotted packet switch whose outputs share one memory.",
    source: "Exact chain; traffic as Hluchyj and Karol, IEEE JSAC 6(9), 1988",
    holds: "Independent Bernoulli inputs, uniform destinations, packets of one slot; at most 700 states of the queues.",
    inputs {
        ports: u32 = Kind::Number { unit: Unit::Named("ports"), default: 4.0, range: Range::whole(1.0, 8.0) },
            "Inputs (and outputs) of the switch.";
        load: f64 = Kind::Number { unit: Unit::One, default: 0.8, range: Range::closed(0.0, 1.0) },
            "Probability that an input has a packet in a slot.";
        places: u32 = Kind::Number { unit: Unit::Named("packets"), default: 8.0, range: Range::whole(1.0, 200.0) },
            "Packets in the memory, those that are sent in the slot included.";
    }
    outputs {
        loss: f64 ["1"], "Probability that a packet is lost.";
        throughput: f64 ["1"], "Packets an output sends per slot.";
        mean_waiting: f64 ["packets"], "Mean number that wait in the memory after each output has sent.";
    }
}

/// Lengths of the queues, the longest first.
type Queues = Vec<u8>;
type Shares = BTreeMap<Queues, f64>;

fn compute(inputs: &Inputs) -> Result<Outputs, Error> {
    let states = reachable(inputs)?;
    let place: BTreeMap<&Queues, usize> = states.iter().enumerate().map(|(place, state)| (state, place)).collect();
    let mut steps = vec![vec![0.0; states.len()]; states.len()];
    let mut lost_from = vec![0.0; states.len()];
    for (from, state) in states.iter().enumerate() {
        let (after, lost) = slot(state, inputs);
        lost_from[from] = lost;
        after.iter().for_each(|(to, share)| steps[from][place[to]] += share);
    }
    let shares = if inputs.load == 0.0 { only(&states) } else { stationary(steps) };
    let mean = |of: &dyn Fn(usize) -> f64| shares.iter().enumerate().map(|(n, share)| share * of(n)).sum::<f64>();
    let offered = inputs.load * f64::from(inputs.ports);
    let lost = mean(&|n| lost_from[n]);
    Ok(Outputs {
        loss: if offered == 0.0 { 0.0 } else { lost / offered },
        throughput: (offered - lost) / f64::from(inputs.ports),
        mean_waiting: mean(&|n| states[n].iter().map(|length| f64::from(*length)).sum()),
    })
}

/// Empty for ever.
fn only(states: &[Queues]) -> Vec<f64> {
    states.iter().map(|state| if state.iter().all(|length| *length == 0) { 1.0 } else { 0.0 }).collect()
}

/// The states after a slot that can be, the empty one first.
fn reachable(inputs: &Inputs) -> Result<Vec<Queues>, Error> {
    let mut states = vec![vec![0; inputs.ports as usize]];
    let mut next = 0;
    while next < states.len() {
        let (after, _) = slot(&states[next], inputs);
        next += 1;
        let new = after.into_keys().filter(|state| !states.contains(state)).collect::<Vec<_>>();
        states.extend(new);
        if states.len() > MOST_STATES {
            let why = format!("more than {MOST_STATES} states with {} ports; take fewer of either", inputs.ports);
            return Err(Error::Impossible { input: "places", value: f64::from(inputs.places), why });
        }
    }
    Ok(states)
}

/// The states after a slot that begins with `state`, and the mean number of packets lost in it.
fn slot(state: &Queues, inputs: &Inputs) -> (Shares, f64) {
    let ports = inputs.ports as usize;
    let mut shares = Shares::from([(state.clone(), 1.0)]);
    let mut lost = 0.0;
    for _ in 0..ports {
        let mut after = Shares::new();
        for (queues, share) in shares {
            let full = queues.iter().map(|length| u32::from(*length)).sum::<u32>() >= inputs.places;
            if full {
                lost += share * inputs.load;
                *after.entry(queues).or_default() += share;
                continue;
            }
            for output in 0..ports {
                let mut longer = queues.clone();
                longer[output] += 1;
                longer.sort_unstable_by(|a, b| b.cmp(a));
                *after.entry(longer).or_default() += share * inputs.load / ports as f64;
            }
            *after.entry(queues).or_default() += share * (1.0 - inputs.load);
        }
        shares = after;
    }
    let mut sent = Shares::new();
    for (mut queues, share) in shares {
        queues.iter_mut().for_each(|length| *length = length.saturating_sub(1));
        // A share of nothing does not make a state.
        if share > 0.0 {
            *sent.entry(queues).or_default() += share;
        }
    }
    (sent, lost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn at(ports: u32, load: f64, places: u32) -> Outputs {
        evaluate(&Inputs { ports, load, places }).unwrap()
    }

    #[test]
    fn with_room_enough_each_output_is_a_queue_of_its_own() {
        // N outputs, each (N − 1)/N · p²/(2(1 − p)) waiting (Hluchyj and Karol's mean wait times p).
        let (n, p) = (2.0, 0.5);
        let expected = n * (n - 1.0) / n * p * p / (2.0 * (1.0 - p));
        let found = at(2, p, 30);
        assert!((found.mean_waiting / expected - 1.0).abs() < 1e-6, "{found:?} {expected}");
        assert!(found.loss < 1e-6);
    }

    #[test]
    fn one_port_loses_nothing_and_two_ports_with_one_place_lose_by_hand() {
        assert_eq!(at(1, 0.9, 1).loss, 0.0);
        // Memory of 1: of two packets at once the second is lost: p²/(2p) = p/2.
        assert!((at(2, 0.8, 1).loss - 0.4).abs() < 1e-15);
        assert_eq!(at(3, 0.0, 3).loss, 0.0);
    }

    #[test]
    fn sharing_loses_less_than_dividing_the_same_memory() {
        let divided = crate::output_queue::Inputs { ports: 4, load: 0.8, places: 2 };
        // 4 outputs with 2 waiting places and the one being sent: 12 packets.
        let divided = crate::output_queue::evaluate(&divided).unwrap().loss;
        assert!(at(4, 0.8, 12).loss < divided);
    }

    #[test]
    fn too_many_states_are_refused_with_the_reason() {
        let message = evaluate(&Inputs { ports: 8, load: 0.5, places: 100 }).unwrap_err().to_string();
        assert_eq!(message, "places = 100: more than 700 states with 8 ports; take fewer of either");
    }

    /// A million slots with the queues in their order: loss within 3 %.
    #[test]
    fn a_simulation_loses_the_same_share() {
        let (mut random, mut queues, mut lost, mut offered) = (Random::new(9), [0u32; 3], 0, 0);
        for _ in 0..1_000_000 {
            for _ in 0..3 {
                if random.uniform() < 0.9 {
                    offered += 1;
                    let room = queues.iter().sum::<u32>() < 5;
                    let output = random.below(3);
                    queues[output] += u32::from(room);
                    lost += i32::from(!room);
                }
            }
            queues.iter_mut().for_each(|length| *length = length.saturating_sub(1));
        }
        let share = f64::from(lost) / f64::from(offered);
        assert!((share / at(3, 0.9, 5).loss - 1.0).abs() < 0.03, "{share}");
    }
}
