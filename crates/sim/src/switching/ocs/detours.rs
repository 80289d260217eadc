//! Ways over other nodes, by the fewest circuits.

use super::matching::Outputs;
use std::collections::VecDeque;

/// No way.
pub(super) const NONE: u8 = u8::MAX;

/// For each node the port, that is the switch, by which the next circuit on its way to each other one leaves.
pub(super) fn next_ports(switches: &[&Outputs]) -> Vec<Vec<u8>> {
    let nodes = switches[0].len();
    let mut into: Vec<Vec<(usize, u8)>> = vec![Vec::new(); nodes];
    for (port, outputs) in (0..).zip(switches) {
        for (from, to) in outputs.iter().enumerate() {
            if let Some(to) = to {
                into[*to as usize].push((from, port));
            }
        }
    }
    let mut next = vec![vec![NONE; nodes]; nodes];
    (0..nodes).for_each(|to| search(&into, to, &mut next));
    next
}

/// From the last node backwards.
fn search(into: &[Vec<(usize, u8)>], to: usize, next: &mut [Vec<u8>]) {
    let mut open = VecDeque::from([to]);
    while let Some(at) = open.pop_front() {
        for (from, port) in &into[at] {
            let own = &mut next[*from][to];
            if *from != to && *own == NONE {
                *own = *port;
                open.push_back(*from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of five, and one of strides of two: at most two hops, by the shorter way.
    #[test]
    fn ways_are_by_the_fewest_circuits() {
        let ring = |stride: u32| (0..5).map(|from| Some((from + stride) % 5)).collect::<Outputs>();
        let next = next_ports(&[&ring(1), &ring(2)]);
        assert_eq!(next[0], [NONE, 0, 1, 1, 1]);
        let apart = next_ports(&[&vec![Some(1), Some(0), None]]);
        assert_eq!(apart, [[NONE, 0, NONE], [0, NONE, NONE], [NONE; 3]]);
    }
}
