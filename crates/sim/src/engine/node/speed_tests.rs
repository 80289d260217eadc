//! What the parts of a packet-hop cost at least on this machine: not tests, but figures for docs/validation/speed.md.
//!
//! `cargo test --release -p photocol-sim --lib speed -- --ignored --nocapture --test-threads 1`
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "these measure the machine")]

use super::tournament_tree::TournamentTree;
use std::hint::black_box;
use std::time::Instant;

/// Numbers that look random and cost next to nothing.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn report(what: &str, operations: u32, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    println!("{what}: {:.1} ns", start.elapsed().as_secs_f64() * 1e9 / f64::from(operations));
}

#[test]
#[ignore = "measures the machine"]
fn the_event_list_replaces_its_earliest_event() {
    const OPERATIONS: u32 = 20_000_000;
    for leaves in [43, 71, 1000, 100_000] {
        let (mut tree, mut state) = (TournamentTree::new(leaves), 1);
        for leaf in 0..leaves as u32 {
            tree.set(leaf, next(&mut state) % 1000);
        }
        report(&format!("replace the earliest of {leaves} events"), OPERATIONS, || {
            for _ in 0..OPERATIONS {
                let (time, leaf) = tree.earliest(0);
                tree.set(leaf, time + 1 + next(&mut state) % 1000);
            }
            black_box(tree.earliest(0));
        });
    }
}

#[test]
#[ignore = "measures the machine"]
fn a_load_waits_for_its_cache() {
    const LOADS: u32 = 20_000_000;
    for kib in [32, 1024, 4096, 32_768, 262_144] {
        // One cycle through all cache lines in an order that no prefetcher guesses (Sattolo's shuffle).
        let lines = kib * 1024 / 64;
        let mut order: Vec<u32> = (0..lines as u32).collect();
        let mut state = 1;
        for i in (1..lines).rev() {
            order.swap(i, (next(&mut state) % i as u64) as usize);
        }
        let mut next_line = vec![[0u32; 16]; lines];
        for i in 0..lines {
            next_line[order[i] as usize][0] = order[(i + 1) % lines];
        }
        let mut line = 0;
        report(&format!("a dependent load in {kib} KiB"), LOADS, || {
            for _ in 0..LOADS {
                line = next_line[line as usize][0];
            }
            black_box(line);
        });
    }
}
