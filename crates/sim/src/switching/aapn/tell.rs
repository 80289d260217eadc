//! Controllers are told what their queues are granted: XCP-CL, paper 003 §4.2.

use super::SlotsGranted;
use super::plan::{Signal, SlotFrame};
use super::queue::Queue;
use crate::engine::node::node_context::NodeContext;
use crate::random::{Stream, bernoulli};
use std::collections::VecDeque;
use units::Rate;

/// Tells controllers what their queues have.
#[derive(Debug)]
pub struct Teller {
    signal: Signal,
    stream: Stream,
    /// The slots of each queue in the last frames.
    recent: VecDeque<Box<[u32]>>,
    /// What is to be told later: when, and the slots of each queue in the last frames.
    pending: VecDeque<(u64, Box<[u64]>)>,
}

impl Teller {
    /// A teller by the rules of `signal`.
    pub fn new(signal: Signal, stream: Stream) -> Teller {
        Teller { signal, stream, recent: VecDeque::new(), pending: VecDeque::new() }
    }

    pub(super) fn next_timeout(&self) -> u64 {
        self.pending.front().map_or(u64::MAX, |(due, _)| *due)
    }

    /// Hears of a frame that begins now, or, with a lead, of a later one: the slots of each queue in it.
    pub(super) fn hear(&mut self, now: u64, slots: Box<[u32]>) {
        let queues = slots.len();
        if self.recent.len() == self.signal.frames as usize {
            self.recent.pop_front();
        }
        self.recent.push_back(slots);
        let lost = self.signal.loss > 0.0 && bernoulli(&mut self.stream, self.signal.loss);
        if !lost {
            let sum = |place: usize| self.recent.iter().map(|slots| u64::from(slots[place])).sum();
            let due = now.saturating_add(self.signal.age.ps());
            self.pending.push_back((due, (0..queues).map(sum).collect()));
        }
    }

    /// How long before a frame its slots are told, in picoseconds.
    pub(super) fn ahead(&self) -> u64 {
        self.signal.ahead.ps()
    }

    /// Tells the controllers what is due: their queues' slots in the last frames.
    pub(super) fn tell(&mut self, now: u64, frame: SlotFrame, queues: &mut [Queue], context: &mut NodeContext) {
        while self.next_timeout() <= now {
            let told = self.pending.pop_front();
            let slots = told.map_or_else(Box::default, |(_, slots)| slots);
            for (queue, slots) in queues.iter_mut().zip(slots) {
                let rate = self.rate(frame, queue, slots);
                if queue.follows && queue.told != Some(rate) {
                    queue.told = Some(rate);
                    context.port_mut(queue.port).tell_capacity(now, rate);
                }
            }
        }
    }

    /// What a queue is told of this number of slots in the last frames.
    fn rate(&self, frame: SlotFrame, queue: &Queue, slots: u64) -> Rate {
        let Signal { quantum, counts, .. } = self.signal;
        let granted = SlotsGranted { slots, frames: self.recent.len() as u64 };
        let rate = frame.rate(queue.capacity, granted, counts).bps();
        Rate::from_bps(rate - rate.checked_rem(quantum.bps()).unwrap_or(0))
    }
}
