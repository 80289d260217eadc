//! How long schedules take: `cargo run --release -p photocol-control --example scheduler_times [REPEATS]`.
//!
//! The demand is F random permutations added up, which fills every row and column to F exactly (`full`), or 16 of them
//! of F/16 slots each (`skew`: few heavy pairs), or 2F of them, twice what fits (`over`). Milliseconds: the median, and
//! the greatest of the repeats; then the blocks, and the share served.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "measuring needs a clock")]

use control::scheduler::{Algorithm, FrameScheduler, Requests};
use std::time::Instant;

const SIZES: [(usize, u32); 11] = [
    (16, 32),
    (16, 64),
    (16, 128),
    (32, 64),
    (32, 128),
    (32, 256),
    (64, 128),
    (64, 256),
    (64, 512),
    (256, 2048),
    (1024, 8192),
];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * bound as u128) >> 64) as usize
    }
}

/// `count` random permutations of `step` slots each.
fn permutations(nodes: usize, count: u32, step: u32, random: &mut Random) -> Requests {
    let mut slots = vec![0; nodes * nodes];
    let mut permutation: Vec<usize> = (0..nodes).collect();
    for _ in 0..count {
        for at in (1..nodes).rev() {
            permutation.swap(at, random.below(at + 1));
        }
        permutation.iter().enumerate().for_each(|(row, column)| slots[row * nodes + column] += step);
    }
    Requests::new(nodes, slots).expect("a square matrix")
}

fn measure(algorithm: Algorithm, requests: &[Requests], frame: u32) -> String {
    let mut scheduler = FrameScheduler::new(algorithm);
    let (mut times, mut blocks, mut served, mut asked) = (Vec::new(), 0, 0, 0);
    for one in requests {
        let start = Instant::now();
        let schedule = scheduler.schedule(one, frame).expect("a size within bounds");
        times.push(start.elapsed().as_secs_f64() * 1e3);
        blocks += schedule.blocks().len();
        served += schedule.served(one);
        asked += one.total();
    }
    times.sort_by(f64::total_cmp);
    let (median, most) = (times[times.len() / 2], times[times.len() - 1]);
    let share = 100.0 * served as f64 / asked as f64;
    format!("{median:>10.3} {most:>10.3} {:>8} {share:>7.1} %", blocks / requests.len())
}

fn main() {
    let repeats: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(21);
    println!("nodes frame demand algorithm     median ms     max ms   blocks  served");
    let mut random = Random(1);
    for (nodes, frame) in SIZES {
        let repeats = if nodes > 64 { repeats.min(5) } else { repeats.max(1) };
        for (demand, count, step) in [("full", frame, 1), ("skew", 16, frame / 16), ("over", 2 * frame, 1)] {
            let requests: Vec<_> = (0..repeats).map(|_| permutations(nodes, count, step, &mut random)).collect();
            for (name, algorithm) in
                [("bvn", Algorithm::Bvn), ("greedy", Algorithm::Greedy), ("round-robin", Algorithm::RoundRobin)]
            {
                println!("{nodes:>5} {frame:>5} {demand:<6} {name:<12} {}", measure(algorithm, &requests, frame));
            }
        }
    }
}
