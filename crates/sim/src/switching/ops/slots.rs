//! The places of a slotted packet switch: dedicated to outputs or shared by all (Hluchyj, Karol, IEEE JSAC 6(9), 1988,
//! §II and §V).
//!
//! What comes in a slot joins the queue of its output, one packet after another, if there is a place; then every queue
//! sends, one packet on each wavelength that serves it, those that have just come included. Which packets need a place
//! is a parameter, because a factor of the loss depends on it: those that are left when the slot has been sent
//! (`slotted-output-queue` of the models), or all (`slotted-shared-buffer`).

use super::plan::Slots;
use crate::engine::link::ring::Ring;

/// The queues of a node.
#[derive(Debug)]
pub struct Places<T> {
    rules: Slots,
    /// Queues of an output; they stand together.
    per_output: usize,
    /// Packets that a queue sends in a slot.
    servers: usize,
    queues: Vec<Ring<T>>,
    /// Packets in all queues.
    packets: usize,
    /// Those of them that no server takes in the next slot.
    waiting: usize,
}

/// The number of queues.
#[derive(Clone, Copy, Debug)]
pub struct Queues {
    /// Outputs.
    pub outputs: usize,
    /// Queues of each.
    pub each: usize,
    /// Packets that each queue sends in a slot.
    pub servers: usize,
}

impl<T: Copy + Default> Places<T> {
    /// Empty queues.
    pub fn new(rules: Slots, queues: Queues) -> Places<T> {
        let Queues { outputs, each: per_output, servers } = queues;
        let queues = (0..outputs * per_output).map(|_| Ring::new()).collect();
        Places { rules, per_output, servers, queues, packets: 0, waiting: 0 }
    }

    /// A packet for a queue: whether there is a place for it.
    pub fn offer(&mut self, queue: usize, packet: T) -> bool {
        let needs_place = self.rules.all_count || self.queues[queue].len() >= self.servers;
        if needs_place && self.taken(queue) >= self.rules.places as usize {
            return false;
        }
        self.packets += 1;
        self.waiting += usize::from(self.queues[queue].len() >= self.servers);
        self.queues[queue].push(packet);
        true
    }

    /// The places taken, of the node or of the queue's output.
    pub fn taken(&self, queue: usize) -> usize {
        if self.rules.shared {
            return if self.rules.all_count { self.packets } else { self.waiting };
        }
        let of_output = queue / self.per_output * self.per_output;
        let together = of_output..of_output + self.per_output;
        let counted = |queue: &Ring<T>| match self.rules.all_count {
            true => queue.len(),
            false => queue.len().saturating_sub(self.servers),
        };
        self.queues[together].iter().map(counted).sum()
    }

    /// The slot is sent: each packet with its queue, and its number among those that the queue sends.
    pub fn send(&mut self, mut each: impl FnMut(usize, usize, T)) {
        for (number, queue) in self.queues.iter_mut().enumerate() {
            for server in 0..self.servers.min(queue.len()) {
                if let Some(packet) = queue.pop() {
                    self.packets -= 1;
                    self.waiting -= usize::from(queue.len() >= self.servers);
                    each(number, server, packet);
                }
            }
        }
    }

    /// Packets in all queues.
    pub fn len(&self) -> usize {
        self.packets
    }

    /// Shows every packet.
    pub fn for_each(&mut self, change: &mut dyn FnMut(&mut T)) {
        self.queues.iter_mut().for_each(|queue| queue.for_each_mut(&mut *change));
    }
}

#[cfg(test)]
mod tests {
    use super::super::arrivals::Arrivals;
    use super::super::plan::Arbitration;
    use super::*;
    use crate::random::{Seed, Stream, bernoulli, uniform_index};
    use analytic::{output_queue, shared_buffer};
    use std::collections::BTreeMap;
    use units::Duration;

    const RUNS: u32 = 20;
    const SLOTS: u32 = 40_000;

    fn rules(places: u32, shared: bool, all_count: bool) -> Slots {
        let arbitration = Arbitration::FirstCome;
        Slots { slot: Duration::from_micros(1), places, shared, all_count, arbitration }
    }

    fn by_lot(rules: Slots) -> Slots {
        Slots { arbitration: Arbitration::Random, ..rules }
    }

    /// The inputs, by number, whose packets are lost in each slot, when each of `ports` has one with probability
    /// `load`. Input 0 comes first, then input 1, and so on.
    fn losses(run: u32, (ports, load): (u64, f64), rules: Slots, mut each_slot: impl FnMut(&[u64])) {
        let seed = Seed { seed: 9, run };
        let mut stream: Stream = seed.stream("slots", "test");
        let mut arrivals = Arrivals::new(seed.stream("slots", "arbitration"));
        let mut places = Places::new(rules, Queues { outputs: ports as usize, each: 1, servers: 1 });
        let mut lost = Vec::new();
        for _ in 0..SLOTS {
            for input in 0..ports {
                if bernoulli(&mut stream, load) {
                    let output = uniform_index(&mut stream, ports) as usize;
                    match rules.arbitration {
                        Arbitration::Random => arrivals.push((input, output)),
                        Arbitration::FirstCome if places.offer(output, ()) => {}
                        Arbitration::FirstCome => lost.push(input),
                    }
                }
            }
            while let Some((input, output)) = arrivals.draw() {
                if !places.offer(output, ()) {
                    lost.push(input);
                }
            }
            places.send(|_, _, ()| {});
            each_slot(&lost);
            lost.clear();
        }
    }

    /// Of all that an input, or all of them, have sent on average.
    fn lost(run: u32, (ports, load): (u64, f64), rules: Slots, input: Option<u64>) -> f64 {
        let mut count = 0;
        losses(run, (ports, load), rules, |lost| {
            count += lost.iter().filter(|one| input.is_none_or(|input| **one == input)).count();
        });
        let inputs = if input.is_some() { 1.0 } else { ports as f64 };
        count as f64 / (inputs * load * f64::from(SLOTS))
    }

    fn assert_lost(traffic: (u64, f64), rules: Slots, expected: f64) {
        assert_lost_of(None, traffic, rules, expected);
    }

    fn assert_lost_of(input: Option<u64>, traffic: (u64, f64), rules: Slots, expected: f64) {
        let shares: Vec<f64> = (0..RUNS).map(|run| lost(run, traffic, rules, input)).collect();
        let n = f64::from(RUNS);
        let mean = shares.iter().sum::<f64>() / n;
        let error = (shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
        assert!((mean - expected).abs() <= 4.0 * error, "{input:?}: {mean} ± {error}, expected {expected}: {rules:?}");
    }

    #[test]
    fn dedicated_places_lose_what_the_chain_of_one_output_says() {
        for (ports, load, places) in [(4, 0.8, 2), (8, 0.9, 4), (2, 1.0, 0)] {
            let inputs = output_queue::Inputs { ports, load, places };
            let expected = output_queue::evaluate(&inputs).unwrap().loss;
            assert_lost((u64::from(ports), load), rules(places, false, false), expected);
        }
    }

    #[test]
    fn shared_places_lose_what_the_chain_of_all_outputs_says() {
        for (ports, load, places) in [(3, 0.9, 5), (4, 0.8, 8), (2, 0.8, 1)] {
            let inputs = shared_buffer::Inputs { ports, load, places };
            let expected = shared_buffer::evaluate(&inputs).unwrap().loss;
            let rules = rules(places, true, true);
            assert_lost((u64::from(ports), load), rules, expected);
            assert_lost((u64::from(ports), load), by_lot(rules), expected);
        }
    }

    /// The loss of shared places of which only packets that are left when the slot has been sent need one: the chain of
    /// the queues' lengths after a slot, iterated to its end. In a slot every input has a packet for output 0, 1, … or
    /// none. Of each input, where input 0 comes first, then input 1, and so on.
    fn exact_losses(ports: usize, load: f64, places: usize) -> Vec<f64> {
        let mut shares: BTreeMap<Vec<usize>, f64> = BTreeMap::from([(vec![0; ports], 1.0)]);
        let mut losses = vec![0.0; ports];
        for _ in 0..400 {
            let mut after: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
            let mut lost = vec![0.0; ports];
            for (queues, share) in &shares {
                for arrivals in 0..(ports + 1).pow(ports as u32) {
                    let (mut queues, mut share, mut code) = (queues.clone(), *share, arrivals);
                    let mut refused = vec![0.0; ports];
                    for of_input in &mut refused {
                        let output = code % (ports + 1);
                        code /= ports + 1;
                        if output == ports {
                            share *= 1.0 - load;
                            continue;
                        }
                        share *= load / ports as f64;
                        let waiting: usize = queues.iter().map(|length| length.saturating_sub(1)).sum();
                        if queues[output] > 0 && waiting >= places {
                            *of_input = 1.0;
                        } else {
                            queues[output] += 1;
                        }
                    }
                    lost.iter_mut().zip(refused).for_each(|(lost, refused)| *lost += share * refused);
                    queues.iter_mut().for_each(|length| *length = length.saturating_sub(1));
                    *after.entry(queues).or_default() += share;
                }
            }
            shares = after;
            losses = lost.into_iter().map(|lost| lost / load).collect();
        }
        losses
    }

    #[test]
    fn shared_places_for_those_that_wait_lose_what_their_chain_says() {
        for (ports, load, places) in [(2, 0.9, 2), (3, 0.9, 3), (3, 0.8, 1)] {
            let expected = exact_losses(ports, load, places).iter().sum::<f64>() / ports as f64;
            let rules = rules(places as u32, true, false);
            assert_lost((ports as u64, load), rules, expected);
            assert_lost((ports as u64, load), by_lot(rules), expected);
        }
    }

    /// The order of arrivals changes whose packets are lost, not how many.
    #[test]
    fn the_last_input_loses_what_its_chain_says_and_by_lot_each_loses_the_mean() {
        for (ports, load, places) in [(2, 0.9, 2), (3, 0.8, 1)] {
            let of_each = exact_losses(ports, load, places);
            let mean = of_each.iter().sum::<f64>() / ports as f64;
            assert!(of_each[ports - 1] > 1.1 * of_each[0], "a test that cannot fail: {of_each:?}");
            let (traffic, rules) = ((ports as u64, load), rules(places as u32, true, false));
            for (input, expected) in (0..).zip(of_each) {
                assert_lost_of(Some(input), traffic, rules, expected);
                assert_lost_of(Some(input), traffic, by_lot(rules), mean);
            }
        }
    }

    /// Of n slots that lose one packet of two inputs, by lot n/2 lose that of input 0: binomial, whatever the queues
    /// are. Four standard deviations are 2 √n.
    #[test]
    fn by_lot_the_only_loss_of_a_slot_is_as_often_that_of_either_input() {
        let excess = |rules| {
            let (mut count, mut of_first) = (0, 0);
            for run in 0..RUNS {
                losses(run, (2, 0.9), rules, |lost| {
                    if let [input] = lost {
                        count += 1;
                        of_first += u32::from(*input == 0);
                    }
                });
            }
            (f64::from(of_first) - f64::from(count) / 2.0) / f64::from(count).sqrt()
        };
        let rules = rules(2, true, false);
        assert!(excess(rules) < -4.0, "{}", excess(rules));
        assert!(excess(by_lot(rules)).abs() <= 2.0, "{}", excess(by_lot(rules)));
    }

    /// Two packets at once for one output, one place: the second may wait, or it must have been the place of the first.
    #[test]
    fn a_factor_depends_on_what_needs_a_place() {
        let accepted = |all_count| {
            let mut places = Places::new(rules(1, false, all_count), Queues { outputs: 1, each: 1, servers: 1 });
            [places.offer(0, ()), places.offer(0, ()), places.offer(0, ())]
        };
        assert_eq!(accepted(false), [true, true, false]);
        assert_eq!(accepted(true), [true, false, false]);
    }

    /// Two wavelengths serve the queue: of four packets two leave, two wait.
    #[test]
    fn a_queue_sends_on_all_its_wavelengths() {
        let mut places = Places::new(rules(2, false, false), Queues { outputs: 1, each: 1, servers: 2 });
        assert_eq!((0..5).map(|number| places.offer(0, number)).collect::<Vec<_>>(), [true, true, true, true, false]);
        let mut sent = Vec::new();
        places.send(|_, server, packet| sent.push((server, packet)));
        assert_eq!((sent, places.len()), (vec![(0, 0), (1, 1)], 2));
    }
}
