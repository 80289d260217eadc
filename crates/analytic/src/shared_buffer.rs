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
    name: SharedBuffer,
    holds: "Independent Bernoulli inputs, uniform destinations, packets of one slot; at most 700 states of the queues: \
        2 ports with 52 places, 4 with 23, 8 with 20 (more at full load).",
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
    let states = recurrent(inputs)?;
    let place: BTreeMap<&Queues, usize> = states.iter().enumerate().map(|(place, state)| (state, place)).collect();
    let mut steps = vec![vec![0.0; states.len()]; states.len()];
    let mut refused_from = vec![0.0; states.len()];
    for (from, state) in states.iter().enumerate() {
        let (after, refused) = slot(state, inputs);
        refused_from[from] = refused;
        after.iter().for_each(|(to, share)| steps[from][place[to]] += share);
    }
    let shares = stationary(steps);
    let mean = |of: &dyn Fn(usize) -> f64| shares.iter().enumerate().map(|(n, share)| share * of(n)).sum::<f64>();
    let loss = mean(&|n| refused_from[n]);
    Ok(Outputs {
        loss,
        throughput: inputs.load * (1.0 - loss),
        mean_waiting: mean(&|n| states[n].iter().map(|length| f64::from(*length)).sum()),
    })
}

/// The states after a slot to which the switch comes back for ever: those that can follow `home`.
fn recurrent(inputs: &Inputs) -> Result<Vec<Queues>, Error> {
    let mut states = vec![home(inputs)];
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

/// A state that the switch reaches from every other in a few likely slots. No share is then many times that of `home`,
/// and the elimination, which ends with it, divides by nothing small. Up to half load that is the empty switch: slots
/// without packets. Above, and at full load, where the empty switch need not come back at all, it is the memory full of
/// packets for one output: slots in which all go there.
fn home(inputs: &Inputs) -> Queues {
    let mut queues = vec![0; inputs.ports as usize];
    if inputs.load > 0.5 && inputs.ports > 1 {
        // One has been sent.
        queues[0] = (inputs.places - 1) as u8;
    }
    queues
}

/// The states after a slot that begins with `state`, and the probability that a packet of it would be refused, mean
/// over the inputs: whether an input has one does not depend on what it finds.
fn slot(state: &Queues, inputs: &Inputs) -> (Shares, f64) {
    let ports = inputs.ports as usize;
    let mut shares = Shares::from([(state.clone(), 1.0)]);
    let mut refused = 0.0;
    for _ in 0..ports {
        let mut after = Shares::new();
        for (queues, share) in shares {
            let full = queues.iter().map(|length| u32::from(*length)).sum::<u32>() >= inputs.places;
            if full {
                refused += share / ports as f64;
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
    (sent, refused)
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

    /// 3 ports, 6 places, load 1: solved in rational numbers, 0.164713976405835…
    #[test]
    fn at_full_load_the_empty_switch_does_not_come_back_and_the_rest_has_an_answer() {
        let found = at(3, 1.0, 6);
        assert!((found.loss - 0.16471397640583582).abs() < 1e-14, "{found:?}");
        assert!((found.throughput - 0.8352860235941642).abs() < 1e-14, "{found:?}");
        assert!((found.mean_waiting - 3.4941419292175073).abs() < 1e-13, "{found:?}");
    }

    /// What does not know that queues are alike, nor which states come back: (N + 1)^N outcomes of a slot, each queue
    /// in its own place, slot after slot from the empty switch until nothing changes by 1e-14.
    fn slot_by_slot(ports: u32, load: f64, places: u32) -> (f64, f64) {
        let outcomes: Vec<(Vec<u32>, f64)> = (0..(ports + 1).pow(ports))
            .map(|outcome| (0..ports).map(|input| outcome / (ports + 1).pow(input) % (ports + 1)).collect())
            .map(|tos: Vec<u32>| {
                let chance = |to: &u32| if *to == ports { 1.0 - load } else { load / f64::from(ports) };
                let all = tos.iter().map(chance).product();
                (tos, all)
            })
            .collect();
        let mut shares = BTreeMap::from([(vec![0u32; ports as usize], 1.0f64)]);
        loop {
            let (mut after, mut lost) = (BTreeMap::new(), 0.0);
            for (state, share) in &shares {
                for (tos, chance) in &outcomes {
                    let mut queues = state.clone();
                    for to in tos.iter().filter(|to| **to < ports) {
                        let room = queues.iter().sum::<u32>() < places;
                        queues[*to as usize] += u32::from(room);
                        lost += if room { 0.0 } else { share * chance };
                    }
                    queues.iter_mut().for_each(|length| *length = length.saturating_sub(1));
                    *after.entry(queues).or_insert(0.0) += share * chance;
                }
            }
            let change = |state: &Vec<u32>| (after[state] - shares.get(state).unwrap_or(&0.0)).abs();
            if after.keys().map(change).fold(0.0, f64::max) < 1e-14 {
                let waiting = after.iter().map(|(state, share)| share * f64::from(state.iter().sum::<u32>())).sum();
                return (lost / (load * f64::from(ports)), waiting);
            }
            shares = after;
        }
    }

    #[test]
    fn small_switches_are_the_chain_taken_slot_by_slot() {
        for (ports, places) in [(1, 3), (2, 1), (2, 5), (3, 1), (3, 4)] {
            for load in [0.5, 0.51, 1.0 - 1e-12, 1.0] {
                let (found, (loss, waiting)) = (at(ports, load, places), slot_by_slot(ports, load, places));
                let close = |a: f64, b: f64| (a - b).abs() < 1e-11;
                assert!(
                    close(found.loss, loss) && close(found.mean_waiting, waiting),
                    "{ports} ports, {places} places, load {load}: {found:?}, {loss} {waiting}"
                );
            }
        }
    }

    /// Over the whole range of loads. With more load more is lost, at full load no less than just below it.
    #[test]
    fn every_load_has_an_answer_that_grows_to_that_of_full_load() {
        for (ports, places) in [(1, 200), (2, 40), (4, 10), (8, 7)] {
            let loads = [0.0, 1e-300, 0.5, 0.7, 1.0 - f64::EPSILON / 2.0, 1.0];
            let losses = loads.map(|load| at(ports, load, places).loss);
            assert!(losses.iter().all(|loss| (0.0..1.0).contains(loss)), "{ports} ports: {losses:?}");
            assert!(losses.is_sorted(), "{ports} ports: {losses:?}");
        }
    }

    /// Of a memory of 1 the second of two packets is lost: p/2, and so still where p² is no number.
    #[test]
    fn rare_losses_keep_their_digits() {
        assert!((at(2, 1e-200, 1).loss / 0.5e-200 - 1.0).abs() < 1e-14);
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
