//! The edge node of an agile all-photonic network, as one core node knows it: once a frame it opens the slots its
//! queues were granted, asks for more, and tells XCP's controllers what their queues have (XCP-CL, paper 003 §4.2).

use super::queue::{Backlog, Queue};
use super::request::Request;
use super::tell::Teller;
use super::wavelengths::{Sum, Wavelengths};
use super::{Beat, Notice, SlotRange};
use crate::engine::link::gated::Window;
use crate::engine::node::agent::Agent;
use crate::engine::node::counters::Counters;
use crate::engine::node::node_context::{AgentPath, ControlPacket, NodeContext};
use crate::engine::packet::Class;
use crate::engine::packet::admission::Cause;
use crate::engine::packet::event::{Event, Spot, What};
use crate::engine::packet::message::Message;
use crate::random::{Stream, uniform_index};
use std::collections::BTreeMap;

/// The agent of an edge node towards a core node.
#[derive(Debug)]
pub struct EdgeAgent {
    beat: Beat,
    clock: Clock,
    queues: Vec<Queue>,
    /// The place of the queue to each edge node, [`NOWHERE`] if there is none.
    places: Box<[usize]>,
    plan: SlotSource,
    teller: Teller,
    wavelengths: Wavelengths,
    /// Slots it was granted on wavelengths that were dark.
    dark: u64,
    next_frame: u64,
}

const NOWHERE: usize = usize::MAX;

/// How far its slots are off, in picoseconds.
#[derive(Debug)]
pub struct Clock {
    /// Always.
    pub offset: i64,
    /// In each slot, up to this much more or less.
    pub jitter: u64,
    /// Where the jitter comes from.
    pub stream: Stream,
}

/// How it comes by its slots.
#[derive(Debug)]
pub enum SlotSource {
    /// As the scenario says, the stages in the order of their frames.
    Fixed(Vec<Stage>),
    /// It asks for them.
    Asked(Asking),
}

/// From a frame on, every frame has these slots.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The first frame.
    pub from: u64,
    /// The slots.
    pub runs: Box<[SlotRange]>,
}

/// What an edge node needs to ask for slots.
#[derive(Debug)]
pub struct Asking {
    /// Its place among the edge nodes.
    pub edge: u32,
    /// What it asks for.
    pub rule: Request,
    /// The path to the core node.
    pub way: AgentPath,
    /// The agent there.
    pub core_agent: u32,
    /// Bytes of a request.
    pub size: u16,
    /// A request leaves this long after the beginning of the frame.
    pub after: u64,
    /// Whether the core node hears of slots that were empty.
    pub tells_unused: bool,
    /// What is asked for in a frame is granted this many frames later.
    pub lag: u64,
    /// The frame of the next request.
    pub next: u64,
    /// What was granted for frames that have not begun.
    pub granted: BTreeMap<u64, Granted>,
}

/// What was granted in a frame.
#[derive(Clone, Debug, Default)]
pub struct Granted {
    runs: Vec<SlotRange>,
    /// The slots of each queue.
    slots: Box<[u32]>,
}

impl Agent for EdgeAgent {
    fn next_timeout(&self) -> u64 {
        let request = match &self.plan {
            SlotSource::Asked(asking) => asking.leaves(&self.beat),
            SlotSource::Fixed(_) => u64::MAX,
        };
        self.beat.begins(self.next_frame).min(request).min(self.teller.next_timeout())
    }

    /// Does what is due: begins a frame, asks, tells, in this order.
    fn handle_timeout(&mut self, now: u64, context: &mut NodeContext) {
        if self.beat.begins(self.next_frame) <= now {
            self.begin_frame(now, context);
        }
        if matches!(&self.plan, SlotSource::Asked(asking) if asking.leaves(&self.beat) <= now) {
            self.ask(now, context);
        }
        self.teller.tell(now, self.beat.frame, &mut self.queues, context);
    }

    fn handle_message(&mut self, _: u64, message: Message, _: &mut NodeContext) {
        if let Some(Notice::Grant { frame, runs }) = message.open() {
            self.handle_grant(frame, runs);
        }
    }

    fn account(&self, counters: &mut Counters) {
        counters.sums.add(Sum::Dark, self.dark.into());
    }
}

impl EdgeAgent {
    /// An agent that waits for its first frame.
    pub(super) fn new(
        beat: Beat,
        clock: Clock,
        queues: Vec<Queue>,
        mut plan: SlotSource,
        teller: Teller,
        wavelengths: Wavelengths,
    ) -> EdgeAgent {
        if let SlotSource::Asked(asking) = &mut plan {
            asking.next = beat.delay.saturating_sub(asking.after).div_ceil(beat.frame.length());
        }
        let next_frame = beat.first();
        let mut places = vec![NOWHERE; queues.iter().map(|queue| queue.to as usize + 1).max().unwrap_or(0)];
        queues.iter().enumerate().for_each(|(place, queue)| places[queue.to as usize] = place);
        let places = places.into();
        EdgeAgent { beat, clock, queues, places, plan, teller, wavelengths, dark: 0, next_frame }
    }

    /// Slots were granted.
    fn handle_grant(&mut self, frame: u64, runs: Vec<SlotRange>) {
        if frame < self.next_frame || matches!(self.plan, SlotSource::Fixed(_)) {
            return;
        }
        let granted = self.granted(runs);
        self.queues.iter_mut().zip(&granted.slots).for_each(|(queue, slots)| queue.grant(frame, *slots));
        if let SlotSource::Asked(asking) = &mut self.plan {
            asking.granted.insert(frame, granted);
        }
    }

    fn granted(&self, runs: Vec<SlotRange>) -> Granted {
        let mut slots = vec![0; self.queues.len()].into_boxed_slice();
        for run in &runs {
            self.place(run.to).into_iter().for_each(|place| slots[place] += run.slots);
        }
        Granted { runs, slots }
    }

    fn begin_frame(&mut self, now: u64, context: &mut NodeContext) {
        let frame = self.next_frame;
        self.next_frame += 1;
        let granted = match &mut self.plan {
            SlotSource::Fixed(stages) => {
                let begun = stages.iter().take_while(|stage| stage.from <= frame).count();
                stages.drain(..begun.saturating_sub(1));
                let stage = stages.first().filter(|_| begun > 0).map(|stage| stage.runs.to_vec());
                stage.map(|runs| self.granted(runs))
            }
            SlotSource::Asked(asking) => asking.granted.remove(&frame),
        };
        // Without a grant, because it got lost, it keeps silent.
        let tells_unused = matches!(&self.plan, SlotSource::Asked(asking) if asking.tells_unused);
        let Granted { runs, slots } = granted.unwrap_or_else(|| self.granted(Vec::new()));
        for (queue, slots) in self.queues.iter_mut().zip(slots) {
            if tells_unused {
                queue.note_unused(context.port(queue.port).busy(now), self.beat.frame.payload());
            }
            let before = std::mem::replace(&mut queue.granted, slots);
            while queue.coming.front().is_some_and(|(due, _)| *due <= frame) {
                queue.coming.pop_front();
            }
            if queue.granted > 0 || before > 0 {
                context.port_mut(queue.port).begin_cycle(now, queue.granted);
            }
        }
        self.open(now, frame, &runs, context);
        for queue in self.queues.iter().filter(|queue| queue.granted > 0) {
            context.release(now, queue.port);
        }
        if self.queues.iter().any(|queue| queue.follows) {
            let slots = self.slots_to_tell(frame);
            self.teller.hear(now, slots);
        }
    }

    /// The slots of each queue in the frame of which controllers hear when `frame` begins.
    fn slots_to_tell(&self, frame: u64) -> Box<[u32]> {
        let lead = self.teller.ahead() / self.beat.frame.length();
        match &self.plan {
            SlotSource::Fixed(stages) if lead > 0 => {
                let stage = stages.iter().take_while(|stage| stage.from <= frame + lead).last();
                let runs = stage.map_or(&[][..], |stage| &stage.runs);
                let of = |to: u32| runs.iter().filter(|run| run.to == to).map(|run| run.slots).sum();
                self.queues.iter().map(|queue| of(queue.to)).collect()
            }
            _ => self.queues.iter().map(|queue| queue.granted).collect(),
        }
    }

    /// Opens the windows of the granted slots.
    fn open(&mut self, now: u64, frame: u64, runs: &[SlotRange], context: &mut NodeContext) {
        let windows = self.beat.windows(frame);
        let in_rows = self.clock.jitter == 0 && self.wavelengths.are_plain() && !context.is_observed();
        // What leaves in a slot is off by the same on all wavelengths.
        let (mut in_time, mut shift) = (u32::MAX, 0);
        for run in runs {
            let Some(port) = self.place(run.to).map(|place| self.queues[place].port) else { continue };
            let slots = run.slot..run.slot + run.slots;
            if in_rows {
                context.port_mut(port).open_windows(windows.of_run(slots, self.clock.offset));
                continue;
            }
            for number in slots {
                let slot = number / self.beat.frame.wavelengths;
                if slot != in_time {
                    (in_time, shift) = (slot, self.clock.shift());
                }
                let mut window = windows.of(number, shift);
                if self.wavelengths.loses(frame, number) {
                    (window.passes, self.dark) = (false, self.dark + 1);
                }
                context.port_mut(port).open_windows(window);
                if context.is_observed() {
                    context.note_unit(context.link(port), granted(now, frame, window), std::iter::empty());
                }
            }
        }
    }

    /// Asks for slots.
    fn ask(&mut self, now: u64, context: &mut NodeContext) {
        let SlotSource::Asked(asking) = &mut self.plan else { return };
        let frame = asking.next;
        asking.next += 1;
        let (rule, due, payload) = (asking.rule, frame + asking.lag, self.beat.frame.payload());
        let edges = self.places.len().max(asking.edge as usize + 1);
        let (mut slots, mut unused) = (vec![0; edges].into_boxed_slice(), vec![0; edges].into_boxed_slice());
        for queue in &mut self.queues {
            unused[queue.to as usize] = queue.unused;
            let port = context.port(queue.port);
            let backlog = Backlog { offered: port.offered_bytes(), held: port.held_bytes() };
            slots[queue.to as usize] = queue.request(rule, due, backlog, payload);
        }
        let message = Message::new(Notice::Request { edge: asking.edge, frame, slots, unused });
        let Asking { core_agent: to, way, size, .. } = *asking;
        context.send(now, ControlPacket { to, way, size, number: frame, message });
    }

    /// The place of the queue to an edge node.
    fn place(&self, to: u32) -> Option<usize> {
        self.places.get(to as usize).copied().filter(|place| *place != NOWHERE)
    }
}

/// A granted slot, for the trace.
fn granted(now: u64, frame: u64, window: Window) -> Event {
    let (wait, lasts) = (window.start.saturating_sub(now), window.end - window.start);
    let cause = (!window.passes).then_some(Cause::GuardViolation);
    Event { unit: frame, wait, lasts, cause, class: Class::Unit, ..Event::new(now, What::Slot, Spot::node(0)) }
}

impl Asking {
    /// When the next request leaves.
    fn leaves(&self, beat: &Beat) -> u64 {
        let begins = self.next.saturating_mul(beat.frame.length()).saturating_add(self.after);
        begins.saturating_sub(beat.delay)
    }
}

impl Clock {
    /// How late the data of the next slot are.
    pub(super) fn shift(&mut self) -> i64 {
        match self.jitter {
            0 => self.offset,
            jitter => self.offset + uniform_index(&mut self.stream, 2 * jitter + 1) as i64 - jitter as i64,
        }
    }
}
