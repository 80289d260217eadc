//! A second program for bursts that are sent again: no network, no headers, no time in picoseconds, and its own random
//! numbers.
//!
//! One link with several wavelengths. New bursts come from nodes at different distances, each a Poisson process; their
//! lengths are exponential with mean 1. A burst that finds no wavelength comes back one round trip of its node later,
//! as long as it was, some times at most. It says by how much the clumps in which bursts come back raise the loss above
//! that of independent tries.

use std::collections::VecDeque;

/// The link and its nodes.
pub struct Returning {
    /// Wavelengths.
    pub servers: usize,
    /// Load of the new bursts of each node.
    pub load: f64,
    /// Each node's round trip, in mean lengths.
    pub round_trips: Vec<f64>,
    /// Further tries after the first.
    pub retries: u32,
}

struct Try {
    at: f64,
    length: f64,
    made: u32,
}

impl Returning {
    /// The part of the bursts that is refused at every try, among those whose fate is known between two times.
    pub fn loss(&self, seed: u64, (from, until): (f64, f64)) -> f64 {
        let mut random = Random(seed);
        let mut back: Vec<VecDeque<Try>> = self.round_trips.iter().map(|_| VecDeque::new()).collect();
        let mut free_from = vec![0.0; self.servers];
        let (mut carried, mut lost) = (0u32, 0u32);
        let gap = 1.0 / (self.load * back.len() as f64);
        let mut new = random.exponential(gap);
        loop {
            let first = |queue: &VecDeque<Try>| queue.front().map_or(f64::INFINITY, |burst| burst.at);
            let returns = (0..back.len()).min_by(|a, b| first(&back[*a]).total_cmp(&first(&back[*b]))).unwrap();
            let (node, burst) = if first(&back[returns]) < new {
                (returns, back[returns].pop_front().unwrap())
            } else {
                let burst = Try { at: new, length: random.exponential(1.0), made: 0 };
                new += random.exponential(gap);
                ((random.uniform() * back.len() as f64) as usize, burst)
            };
            if burst.at >= until {
                return f64::from(lost) / f64::from(lost + carried);
            }
            let counts = u32::from(burst.at >= from);
            if let Some(server) = free_from.iter_mut().find(|free| **free <= burst.at) {
                *server = burst.at + burst.length;
                carried += counts;
            } else if burst.made < self.retries {
                let at = burst.at + self.round_trips[node];
                back[node].push_back(Try { at, made: burst.made + 1, ..burst });
            } else {
                lost += counts;
            }
        }
    }

    /// Mean and standard deviation of [`Returning::loss`] over runs of one length.
    pub fn losses(&self, runs: u64, window: (f64, f64)) -> (f64, f64) {
        let losses: Vec<f64> = (1..=runs).map(|seed| self.loss(seed, window)).collect();
        let mean = losses.iter().sum::<f64>() / runs as f64;
        let square = losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>();
        (mean, (square / (runs - 1) as f64).sqrt())
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    /// In [0, 1).
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.uniform()).ln()
    }
}
