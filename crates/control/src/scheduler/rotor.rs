//! The rotor: RotorNet (Mellette et al. 2017). In slot t every input i is connected to output i + 1 + (t mod (N − 1)).
//!
//! Requests are not looked at; over N − 1 slots each input meets every other output once, and never its own. The turn
//! goes on from frame to frame.

use super::{Requests, Schedule, Scheduler};

/// The scheduler `rotor`.
#[derive(Debug, Default)]
pub struct Rotor {
    turn: usize,
}

impl Scheduler for Rotor {
    fn schedule(&mut self, requests: &Requests, frame: u32) -> Schedule {
        let nodes = requests.nodes();
        let mut schedule = Schedule::empty(nodes, frame);
        let Some(turns) = nodes.checked_sub(1).filter(|turns| *turns > 0) else { return schedule };
        let mut outputs = vec![0; nodes];
        for slot in 0..frame {
            let shift = 1 + self.turn % turns;
            outputs.iter_mut().enumerate().for_each(|(input, output)| *output = ((input + shift) % nodes) as u16);
            schedule.push(slot + 1, &outputs);
            self.turn = (self.turn + 1) % turns;
        }
        schedule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_meets_once_in_n_minus_1_slots_across_frames() {
        let requests = Requests::new(4, vec![0; 16]).unwrap();
        let mut rotor = Rotor::default();
        let (first, second) = (rotor.schedule(&requests, 2).granted(), rotor.schedule(&requests, 1).granted());
        let together: Vec<u32> = first.iter().zip(&second).map(|(a, b)| a + b).collect();
        assert_eq!(together, [0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0]);
    }

    #[test]
    fn a_node_alone_has_nobody_to_meet() {
        let requests = Requests::new(1, vec![3]).unwrap();
        assert_eq!(Rotor::default().schedule(&requests, 5).length(), 0);
    }
}
