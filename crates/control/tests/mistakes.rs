//! The verifier finds every planted mistake, and nothing in the same run without one.

use crate::star::sabotage::Mistake;
use crate::star::{Clock, MS, Star, US, Weather, figure_3_8, verifier};

/// What is found in a run with this mistake: of the things that must never be, and of those that a calm network keeps
/// besides. One in fifty slots is lost behind the switch.
fn found(mistake: Option<Mistake>) -> Vec<String> {
    let parts: Vec<_> = (0..7u64)
        .map(|node| (Clock { offset: node * 1000 * MS, ppb: 9_000 * node as i64 }, node * 130 * US, node * 130 * US))
        .collect();
    let mut star = Star::new(figure_3_8().checked().unwrap(), &parts, 4);
    star.weather = Weather { loss: 20, ..Weather::default() };
    star.mistake = mistake;
    star.several = true;
    star.start_all();
    star.run_frames(100);
    for _ in 0..150 {
        for from in 0..7 {
            let to = star.random.below(7) as usize;
            if to != from {
                star.enqueue(from, to);
            }
        }
        star.run_frames(1);
    }
    let ports = star.network.members.iter().map(|member| (member.node.0, member.port)).collect();
    let settled = star.now - 40 * star.network.frame().ps();
    let mut found = verifier::violations(&star.log, &ports, settled);
    let meant = |frame, slot| star.network.arrival(frame, slot).ps();
    found.extend(verifier::calm_violations(&star.log, &ports, meant, star.network.tolerance().ps()));
    found
}

#[test]
fn without_a_mistake_nothing_is_found() {
    assert_eq!(found(None), Vec::<String>::new());
}

#[test]
fn every_planted_mistake_is_found() {
    let mut missed = Vec::new();
    for &mistake in Mistake::ALL {
        match found(Some(mistake)) {
            found if found.is_empty() => missed.push(mistake),
            found => println!("{mistake:?}: {} findings, the first: {}", found.len(), found[0]),
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}
