//! Round robin, slot by slot: iSLIP (McKeown 1999) with one iteration in which inputs choose one after the other.
//!
//! In every slot the inputs take their turns, starting one further than in the slot before; each takes the next free
//! output with a request left after the one it last had. Turns go on from frame to frame.

use super::support::{Columns, Support, with_words};
use super::{IDLE, Requests, Schedule, Scheduler};

/// The scheduler `round-robin`.
#[derive(Debug, Default)]
pub struct RoundRobin {
    /// The input whose turn is first.
    first: usize,
    /// The output after the last one of each input.
    next: Vec<usize>,
}

impl Scheduler for RoundRobin {
    fn schedule(&mut self, requests: &Requests, frame: u32) -> Schedule {
        let nodes = requests.nodes();
        if self.next.len() != nodes {
            *self = RoundRobin { first: 0, next: vec![0; nodes] };
        }
        with_words!(nodes, W => self.serve::<W>(requests, frame))
    }
}

impl RoundRobin {
    fn serve<const W: usize>(&mut self, requests: &Requests, frame: u32) -> Schedule {
        let nodes = requests.nodes();
        let mut schedule = Schedule::empty(nodes, frame);
        let (mut left, mut support) = (requests.slots().to_vec(), Support::<W>::of(requests));
        let mut outputs = vec![IDLE; nodes];
        for slot in 0..frame {
            let mut free = Columns::all(nodes);
            outputs.fill(IDLE);
            for turn in 0..nodes {
                let input = (self.first + turn) % nodes;
                let Some(output) = free.next_in(support.row(input), self.next[input]) else { continue };
                free.remove(output);
                outputs[input] = output as u16;
                self.next[input] = (output + 1) % nodes;
                let entry = &mut left[input * nodes + output];
                *entry -= 1;
                if *entry == 0 {
                    support.remove(input, output);
                }
            }
            if outputs.iter().all(|output| *output == IDLE) {
                break;
            }
            self.first = (self.first + 1) % nodes;
            schedule.push(slot + 1, &outputs);
        }
        schedule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_taken_in_turn() {
        let requests = Requests::new(3, vec![2, 2, 2, 0, 0, 0, 0, 0, 0]).unwrap();
        let schedule = RoundRobin::default().schedule(&requests, 6);
        let outputs: Vec<u16> = schedule.blocks().map(|block| block.outputs[0]).collect();
        assert_eq!(outputs, [0, 1, 2, 0, 1, 2]);
    }

    #[test]
    fn the_first_turn_goes_round() {
        // Both want output 0 in every slot; they get it in turn.
        let requests = Requests::new(2, vec![2, 0, 2, 0]).unwrap();
        let schedule = RoundRobin::default().schedule(&requests, 4);
        let first: Vec<bool> = schedule.blocks().map(|block| block.outputs[0] == 0).collect();
        assert_eq!(first, [true, false, true, false]);
    }
}
