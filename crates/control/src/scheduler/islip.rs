//! iSLIP (McKeown 1999): slot by slot, outputs offer themselves to inputs, inputs accept, until nothing more can be
//! matched.
//!
//! Every output offers itself to the next input, from its pointer on, that has a request left for it; every input
//! accepts the next output, from its pointer on. Both pointers move one beyond the match, and only for matches of the
//! first iteration: so under a full load the pointers part and everyone has its turn. The source iterates about log₂ N
//! times; here until a slot's matching is maximal.

use super::support::{Columns, Support, with_words};
use super::{IDLE, Requests, Schedule, Scheduler};

/// The scheduler `islip`, which can also be driven an iteration at a time. Its pointers stay from slot to slot and
/// frame to frame.
#[derive(Clone, Debug, Default)]
pub struct Islip {
    /// The input that each output prefers.
    offer: Vec<usize>,
    /// The output that each input prefers.
    accept: Vec<usize>,
}

/// A slot that is being matched.
struct Slot<const W: usize> {
    /// Inputs and outputs without a partner.
    inputs: Columns<W>,
    outputs: Columns<W>,
    /// The output of each input.
    matched: Vec<u16>,
    /// Iterations that have ended.
    iterations: u32,
}

/// What is left of a frame's requests: how many slots, and which inputs want each output.
struct Left<const W: usize> {
    nodes: usize,
    slots: Vec<u32>,
    by_output: Support<W>,
}

impl Scheduler for Islip {
    fn schedule(&mut self, requests: &Requests, frame: u32) -> Schedule {
        let nodes = self.fitted(requests);
        with_words!(nodes, W => self.serve(Left::<W>::of(requests), frame))
    }
}

impl Islip {
    fn serve<const W: usize>(&mut self, mut left: Left<W>, frame: u32) -> Schedule {
        let mut schedule = Schedule::empty(left.nodes, frame);
        for slot in 0..frame {
            let outputs = self.matched(&left);
            if outputs.iter().all(|output| *output == IDLE) {
                break;
            }
            left.serve(&outputs);
            schedule.push(slot + 1, &outputs);
        }
        schedule
    }

    /// The matching of one slot after each iteration, up to `most` of them or until nothing more can be matched: the
    /// output of each input, or [`IDLE`].
    pub fn iterations(&mut self, requests: &Requests, most: u32) -> Vec<Vec<u16>> {
        let nodes = self.fitted(requests);
        with_words!(nodes, W => {
            let (left, mut slot) = (Left::<W>::of(requests), Slot::<W>::new(nodes));
            let mut after = Vec::new();
            while slot.iterations < most && self.iterate(&left, &mut slot) {
                after.push(slot.matched.clone());
            }
            after
        })
    }

    /// The input that each output prefers in the next slot: the grant pointers of the source.
    pub fn grant_pointers(&self) -> &[usize] {
        &self.offer
    }

    /// The output that each input prefers in the next slot: the accept pointers of the source.
    pub fn accept_pointers(&self) -> &[usize] {
        &self.accept
    }

    /// How many nodes there are; with another number than before, pointers begin at 0.
    fn fitted(&mut self, requests: &Requests) -> usize {
        let nodes = requests.nodes();
        if self.offer.len() != nodes {
            *self = Islip { offer: vec![0; nodes], accept: vec![0; nodes] };
        }
        nodes
    }

    /// A maximal matching: the output of each input.
    fn matched<const W: usize>(&mut self, left: &Left<W>) -> Vec<u16> {
        let mut slot = Slot::new(left.nodes);
        while self.iterate(left, &mut slot) {}
        slot.matched
    }

    /// One iteration: whether it matched anybody.
    fn iterate<const W: usize>(&mut self, left: &Left<W>, slot: &mut Slot<W>) -> bool {
        let offered = self.offers(left, &slot.inputs, &slot.outputs);
        let mut found = false;
        for (input, matched) in slot.matched.iter_mut().enumerate() {
            let Some(output) = slot.outputs.next_in(offered.row(input), self.accept[input]) else { continue };
            found = true;
            *matched = output as u16;
            slot.inputs.remove(input);
            slot.outputs.remove(output);
            if slot.iterations == 0 {
                self.accept[input] = (output + 1) % left.nodes;
                self.offer[output] = (input + 1) % left.nodes;
            }
        }
        slot.iterations += u32::from(found);
        found
    }

    /// The outputs that offer themselves to each input. None to an input that has no request for it: rows and columns
    /// agree.
    fn offers<const W: usize>(&self, left: &Left<W>, inputs: &Columns<W>, outputs: &Columns<W>) -> Support<W> {
        let mut offered = Support::empty(left.nodes);
        for output in 0..left.nodes {
            if !outputs.contains(output) {
                continue;
            }
            if let Some(input) = inputs.next_in(left.by_output.row(output), self.offer[output]) {
                debug_assert!(left.slots[input * left.nodes + output] > 0, "an offer answers a request");
                offered.insert(input, output);
            }
        }
        offered
    }
}

impl<const W: usize> Slot<W> {
    fn new(nodes: usize) -> Slot<W> {
        let (inputs, outputs) = (Columns::all(nodes), Columns::all(nodes));
        Slot { inputs, outputs, matched: vec![IDLE; nodes], iterations: 0 }
    }
}

impl<const W: usize> Left<W> {
    fn of(requests: &Requests) -> Left<W> {
        let nodes = requests.nodes();
        let by_input = Support::<W>::of(requests);
        let mut by_output = Support::empty(nodes);
        for input in 0..nodes {
            by_input.row(input).iter().for_each(|output| by_output.insert(output, input));
        }
        Left { nodes, slots: requests.slots().to_vec(), by_output }
    }

    fn serve(&mut self, outputs: &[u16]) {
        for (input, output) in outputs.iter().enumerate().filter(|(_, output)| **output != IDLE) {
            let output = usize::from(*output);
            let slots = &mut self.slots[input * self.nodes + output];
            *slots -= 1;
            if *slots == 0 {
                self.by_output.remove(output, input);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(requests: &[u32], nodes: usize, frame: u32) -> Vec<Vec<u16>> {
        let requests = Requests::new(nodes, requests.to_vec()).unwrap();
        let schedule = Islip::default().schedule(&requests, frame);
        schedule.blocks().flat_map(|block| vec![block.outputs.to_vec(); block.slots as usize]).collect()
    }

    /// By hand. Slot 0: both outputs offer to input 0, which takes 0; then output 1 offers to input 1. Pointers of
    /// input 0 and output 0 are at 1. Slot 1: output 0 prefers input 1, output 1 still input 0: all are matched at
    /// once. From then on the pointers are apart.
    #[test]
    fn two_by_two_by_hand() {
        assert_eq!(outputs(&[2, 2, 2, 2], 2, 4), [[0, 1], [1, 0], [0, 1], [1, 0]]);
    }

    /// McKeown 1999, the requests of its first figure, from 1: 1 to 1 and 2, 3 to 2 and 4, 4 to 4; pointers at 1.
    /// Outputs 1 and 2 grant input 1, output 4 grants input 3. Input 1 accepts output 1, input 3 output 4: the pointers
    /// of these move one beyond, that of output 2 does not.
    #[test]
    fn the_pointer_of_an_output_that_was_not_accepted_stays() {
        let requests = Requests::new(4, vec![1, 4, 0, 0, 0, 0, 0, 0, 0, 2, 0, 4, 0, 0, 0, 5]).unwrap();
        let mut islip = Islip::default();
        assert_eq!(islip.iterations(&requests, 1), [[0, IDLE, 3, IDLE]]);
        assert_eq!((islip.grant_pointers(), islip.accept_pointers()), (&[1, 0, 0, 3][..], &[1, 0, 0, 0][..]));
        // In the next slot input 1 prefers output 2, whose pointer is still at input 1; output 4 prefers input 4.
        assert_eq!(islip.iterations(&requests, 9), [[1, IDLE, IDLE, 3]]);
    }

    /// Everything asks for everything. In the first slot all outputs grant input 1, and an iteration matches one pair;
    /// pointers move in the first only.
    #[test]
    fn a_slot_is_matched_iteration_by_iteration() {
        let (requests, mut islip) = (Requests::new(3, vec![9; 9]).unwrap(), Islip::default());
        assert_eq!(islip.iterations(&requests, 9), [[0, IDLE, IDLE], [0, 1, IDLE], [0, 1, 2]]);
        assert_eq!((islip.grant_pointers(), islip.accept_pointers()), (&[1, 0, 0][..], &[1, 0, 0][..]));
        assert_eq!(islip.iterations(&requests, 0), Vec::<Vec<u16>>::new());
    }

    /// McKeown 1999 §II: everything asks for everything. The pointers part in the first slots; then every pair has
    /// every third slot.
    #[test]
    fn under_full_load_every_slot_is_full_and_everyone_has_its_turn() {
        let slots = outputs(&[u32::MAX; 9], 3, 60);
        assert!(slots.iter().all(|outputs| !outputs.contains(&IDLE)));
        let granted = |input: usize, output: u16| slots.iter().filter(|outputs| outputs[input] == output).count();
        assert!((0..3).all(|input| (0..3).all(|output| (19..=21).contains(&granted(input, output)))));
    }
}
