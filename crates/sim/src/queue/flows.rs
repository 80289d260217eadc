//! Which queue a flow's packets wait in, for disciplines with many queues.

use crate::random::{Stream, mix};
use std::collections::{BTreeMap, VecDeque};

/// Queue numbers in the order of their turns.
#[derive(Debug, Default)]
pub struct Ring(VecDeque<usize>);

impl Ring {
    /// The one whose turn it is.
    pub fn first(&self) -> Option<usize> {
        self.0.front().copied()
    }

    /// Takes it out.
    pub fn pop(&mut self) -> Option<usize> {
        self.0.pop_front()
    }

    /// Its turn comes last.
    pub fn push(&mut self, number: usize) {
        self.0.push_back(number);
    }
}

/// Numbers of queues, by flow.
#[derive(Debug)]
pub enum Flows {
    /// By a hash: flows that collide share a queue (RFC 8290 §4.1.1: a hash with a random perturbation).
    Hashed {
        /// How many queues.
        queues: u64,
        /// Makes the hash another one in every run.
        perturbation: u64,
    },
    /// Every flow has its own.
    Own(Own),
}

/// Queues of which each belongs to one flow, until it is given back.
#[derive(Debug, Default)]
pub struct Own {
    known: BTreeMap<u64, usize>,
    /// Given back.
    free: Vec<usize>,
}

impl Own {
    fn number_of(&mut self, flow: u64) -> usize {
        let Own { known, free } = self;
        let made = known.len() + free.len();
        *known.entry(flow).or_insert_with(|| free.pop().unwrap_or(made))
    }
}

impl Flows {
    /// `queues` queues; 0: one for every flow.
    pub fn new(queues: u32, mut stream: Stream) -> Flows {
        match queues {
            0 => Flows::Own(Own::default()),
            _ => Flows::Hashed { queues: queues.into(), perturbation: stream.next_u64() },
        }
    }

    /// The number of a flow's queue.
    pub fn number_of(&mut self, flow: u64) -> usize {
        match self {
            Flows::Hashed { queues, perturbation } => (mix(flow ^ *perturbation) % *queues) as usize,
            Flows::Own(own) => own.number_of(flow),
        }
    }

    /// Nothing of the flow waits any more: if the queue was its own, another flow may have it.
    pub fn give_back(&mut self, flow: u64) {
        if let Flows::Own(own) = self {
            own.free.extend(own.known.remove(&flow));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Seed;

    fn stream(run: u32) -> Stream {
        Seed { seed: 1, run }.stream("link", "queue")
    }

    /// 1024 flows over 1024 queues leave a queue empty with probability (1 − 1/1024)^1024 = 0.3677.
    #[test]
    fn a_hash_spreads_flows_as_chance_would_and_otherwise_in_every_run() {
        let numbers = |run| {
            let mut flows = Flows::new(1024, stream(run));
            (0..1024).map(|flow| flows.number_of(4 * flow)).collect::<Vec<_>>()
        };
        let (one, other) = (numbers(0), numbers(1));
        assert_ne!(one, other);
        let mut used = one.clone();
        used.sort_unstable();
        used.dedup();
        // The number of empty ones has a standard deviation of √(1024·e⁻¹(1 − 2e⁻¹)) ≈ 10; four of them.
        assert!((1024.0 * (1.0 - 0.3677) - used.len() as f64).abs() < 40.0, "{}", used.len());
    }

    #[test]
    fn without_a_hash_every_flow_has_its_own_queue_and_there_are_as_many_as_were_in_use_at_once() {
        let mut flows = Flows::new(0, stream(0));
        assert_eq!([9, 4, 9, 7].map(|flow| flows.number_of(flow)), [0, 1, 0, 2]);
        flows.give_back(4);
        flows.give_back(8);
        assert_eq!([5, 9, 4, 7].map(|flow| flows.number_of(flow)), [1, 0, 3, 2]);
    }
}
