//! The schedule of a frame: connections, each set of them held for some slots.

use super::Requests;

/// In place of an output: the input sends nothing.
pub const IDLE: u16 = u16::MAX;

/// Connections that hold for several slots in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// The first slot.
    pub start: u32,
    /// How many slots.
    pub slots: u32,
    /// The output of each input, or [`IDLE`].
    pub outputs: &'a [u16],
}

/// Which input sends to which output in every slot of a frame. Slots after the last block are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    nodes: usize,
    frame: u32,
    /// The slot after each block.
    ends: Vec<u32>,
    outputs: Vec<u16>,
}

impl Schedule {
    /// Of a frame in which nobody sends, with room for the blocks of most schedules.
    pub(super) fn empty(nodes: usize, frame: u32) -> Schedule {
        let blocks = (frame as usize).min(8 * nodes);
        Schedule { nodes, frame, ends: Vec::with_capacity(blocks), outputs: Vec::with_capacity(blocks * nodes) }
    }

    /// `outputs` hold from the end of the last block up to slot `end`.
    pub(super) fn push(&mut self, end: u32, outputs: &[u16]) {
        debug_assert!(end > self.length() && end <= self.frame && outputs.len() == self.nodes);
        self.ends.push(end);
        self.outputs.extend_from_slice(outputs);
    }

    /// Inputs, which are as many as outputs.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Slots of the frame.
    pub fn frame(&self) -> u32 {
        self.frame
    }

    /// Slots until the last one in which somebody may send.
    pub fn length(&self) -> u32 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The blocks in order; they leave no slot out.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = Block<'_>> {
        self.ends.iter().enumerate().map(|(at, end)| {
            let start = if at == 0 { 0 } else { self.ends[at - 1] };
            Block { start, slots: end - start, outputs: &self.outputs[at * self.nodes..][..self.nodes] }
        })
    }

    /// The slots in which each input is connected to each output, row after row.
    pub fn granted(&self) -> Vec<u32> {
        let mut granted = vec![0; self.nodes * self.nodes];
        for block in self.blocks() {
            for (input, output) in block.outputs.iter().enumerate().filter(|(_, output)| **output != IDLE) {
                granted[input * self.nodes + usize::from(*output)] += block.slots;
            }
        }
        granted
    }

    /// The requests that are served: what is granted and was asked for.
    pub fn served(&self, requests: &Requests) -> u64 {
        let granted = self.granted();
        granted.iter().zip(requests.slots()).map(|(granted, asked)| u64::from(*granted.min(asked))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_tile_the_frame_and_grants_add_up() {
        let mut schedule = Schedule::empty(2, 10);
        schedule.push(3, &[1, 0]);
        schedule.push(4, &[IDLE, 1]);
        let blocks: Vec<_> = schedule.blocks().map(|block| (block.start, block.slots)).collect();
        assert_eq!(blocks, [(0, 3), (3, 1)]);
        assert_eq!(schedule.granted(), [0, 3, 3, 1]);
        assert_eq!(schedule.length(), 4);
        // Of 5, 2, 1 and 1 asked for: 0, 2, 1 and 1.
        assert_eq!(schedule.served(&Requests::new(2, vec![5, 2, 1, 1]).unwrap()), 4);
    }
}
