//! The edge node of an agile all-photonic network, as one core node knows it: once a frame it opens the slots its queues were
//! granted, asks for more, and tells XCP's controllers what their queues have (XCP-CL, paper 003 §4.2).

use super::plan::{Request, Signal};
use super::{Beat, Notice, SlotRange, SlotsGranted};
use crate::engine::agent::{Agent, Message};
use crate::engine::bench::{Bench, ControlPacket, OwnPort, Way};
use crate::random::{Stream, bernoulli, uniform_index};
use control::demand::{Demand, Forecast};
use std::collections::{BTreeMap, VecDeque};
use units::{ByteTime, Rate};

/// The agent of an edge node towards a core node.
#[derive(Debug)]
pub struct EdgeAgent {
    beat: Beat,
    clock: Clock,
    queues: Vec<Queue>,
    plan: Plan,
    teller: Teller,
    next_frame: u64,
}

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
pub enum Plan {
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
    pub way: Way,
    /// The agent there.
    pub core_agent: u32,
    /// Bytes of a request.
    pub size: u16,
    /// A request leaves this long after the beginning of the frame.
    pub after: u64,
    /// What is asked for in a frame is granted this many frames later.
    pub lag: u64,
    /// The frame of the next request.
    pub next: u64,
    /// What was granted for frames that have not begun.
    pub granted: BTreeMap<u64, Box<[SlotRange]>>,
}

/// What the agent knows of a queue.
#[derive(Debug)]
pub struct Queue {
    /// The place of the destination among the edge nodes.
    to: u32,
    port: OwnPort,
    capacity: Rate,
    /// Whether it has a controller that is to be told.
    follows: bool,
    told: Option<Rate>,
    granted: u32,
    demand: Demand,
    /// Bytes offered up to the last request.
    offered: u64,
    /// Slots asked for, or granted where that is known, by the frame in which they are.
    coming: VecDeque<(u64, u32)>,
}

/// Where the packets of a queue go.
#[derive(Debug)]
pub struct QueueOutput {
    /// The place of the destination among the edge nodes.
    pub to: u32,
    /// The port.
    pub port: OwnPort,
    /// Its capacity.
    pub capacity: Rate,
    /// Whether it has a controller that is to be told.
    pub follows: bool,
}

/// What has come to a queue.
#[derive(Clone, Copy, Debug)]
struct Backlog {
    /// Bytes since the start.
    offered: u64,
    /// Bytes that wait.
    held: u64,
}

impl Queue {
    /// A queue of which nothing is known yet.
    pub fn new(output: QueueOutput, rule: Request) -> Queue {
        let QueueOutput { to, port, capacity, follows } = output;
        let forecast = match rule {
            Request::Queue => Forecast::LastFrame,
            Request::Forecast(forecast) => forecast,
        };
        let demand = Demand::new(forecast);
        Queue { to, port, capacity, follows, told: None, granted: 0, demand, offered: 0, coming: VecDeque::new() }
    }

    /// What to ask for in a request that is granted in frame `due`.
    fn request(&mut self, rule: Request, due: u64, backlog: Backlog, payload: u64) -> u32 {
        let Backlog { offered, held } = backlog;
        let Some(byte) = ByteTime::at(self.capacity) else { return 0 };
        let slots = |bytes: u64| {
            let time = (u128::from(byte.fixed_point()) * u128::from(bytes)) >> 24;
            u32::try_from(time.div_ceil(u128::from(payload.max(1)))).unwrap_or(u32::MAX)
        };
        self.demand.observe(slots(offered - self.offered));
        self.offered = offered;
        let coming: u64 = self.coming.iter().map(|(_, slots)| u64::from(*slots)).sum();
        let missing = u64::from(slots(held)).saturating_sub(coming) as u32;
        let asked = match rule {
            Request::Queue => missing,
            Request::Forecast(_) => missing.max(self.demand.request()),
        };
        self.coming.push_back((due, asked));
        asked
    }
}

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

    fn next_timeout(&self) -> u64 {
        self.pending.front().map_or(u64::MAX, |(due, _)| *due)
    }

    /// Hears of a frame that begins now, or, with a lead, of a later one: the slots of each queue in it.
    fn hear(&mut self, now: u64, slots: Box<[u32]>) {
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
}

impl Agent for EdgeAgent {
    fn next_timeout(&self) -> u64 {
        let request = match &self.plan {
            Plan::Asked(asking) => asking.leaves(&self.beat),
            Plan::Fixed(_) => u64::MAX,
        };
        self.beat.begins(self.next_frame).min(request).min(self.teller.next_timeout())
    }

    /// Does what is due: begins a frame, asks, tells, in this order.
    fn handle_timeout(&mut self, now: u64, bench: &mut Bench) {
        if self.beat.begins(self.next_frame) <= now {
            self.begin_frame(now, bench);
        }
        if matches!(&self.plan, Plan::Asked(asking) if asking.leaves(&self.beat) <= now) {
            self.ask(now, bench);
        }
        while self.teller.next_timeout() <= now {
            let told = self.teller.pending.pop_front();
            self.tell(now, &told.map_or_else(Box::default, |(_, slots)| slots), bench);
        }
    }

    fn handle_message(&mut self, _: u64, message: Message, _: &mut Bench) {
        if let Some(Notice::Grant { frame, runs }) = message.read() {
            self.handle_grant(*frame, runs);
        }
    }
}

impl EdgeAgent {
    /// An agent that waits for its first frame.
    pub fn new(beat: Beat, clock: Clock, queues: Vec<Queue>, mut plan: Plan, teller: Teller) -> EdgeAgent {
        if let Plan::Asked(asking) = &mut plan {
            asking.next = beat.delay.saturating_sub(asking.after).div_ceil(beat.frame.length());
        }
        let next_frame = beat.first();
        EdgeAgent { beat, clock, queues, plan, teller, next_frame }
    }

    /// Slots were granted.
    fn handle_grant(&mut self, frame: u64, runs: &[SlotRange]) {
        let Plan::Asked(asking) = &mut self.plan else { return };
        if frame < self.next_frame {
            return;
        }
        for queue in &mut self.queues {
            let slots = runs.iter().filter(|run| run.to == queue.to).map(|run| run.slots).sum();
            queue.coming.iter_mut().filter(|(due, _)| *due == frame).for_each(|(_, coming)| *coming = slots);
        }
        asking.granted.insert(frame, runs.into());
    }

    fn begin_frame(&mut self, now: u64, bench: &mut Bench) {
        let frame = self.next_frame;
        self.next_frame += 1;
        let runs = match &mut self.plan {
            Plan::Fixed(stages) => {
                let begun = stages.iter().take_while(|stage| stage.from <= frame).count();
                stages.drain(..begun.saturating_sub(1));
                stages.first().filter(|_| begun > 0).map(|stage| stage.runs.clone())
            }
            // Without a grant, because it got lost, it keeps silent.
            Plan::Asked(asking) => asking.granted.remove(&frame),
        };
        let runs = runs.unwrap_or_default();
        let before: Vec<u32> = self.queues.iter_mut().map(|queue| std::mem::take(&mut queue.granted)).collect();
        for run in &runs {
            if let Some(place) = self.place(run.to) {
                self.queues[place].granted += run.slots;
            }
        }
        for (queue, before) in self.queues.iter_mut().zip(before) {
            while queue.coming.front().is_some_and(|(due, _)| *due <= frame) {
                queue.coming.pop_front();
            }
            if queue.granted > 0 || before > 0 {
                bench.port_mut(queue.port).begin_frame(now, queue.granted);
            }
        }
        self.open(frame, &runs, bench);
        for queue in self.queues.iter().filter(|queue| queue.granted > 0) {
            bench.release(now, queue.port);
        }
        if self.queues.iter().any(|queue| queue.follows) {
            let slots = self.slots_to_tell(frame);
            self.teller.hear(now, slots);
        }
    }

    /// The slots of each queue in the frame of which controllers hear when `frame` begins.
    fn slots_to_tell(&self, frame: u64) -> Box<[u32]> {
        let lead = self.teller.signal.ahead.ps() / self.beat.frame.length();
        match &self.plan {
            Plan::Fixed(stages) if lead > 0 => {
                let stage = stages.iter().take_while(|stage| stage.from <= frame + lead).last();
                let runs = stage.map_or(&[][..], |stage| &stage.runs);
                let of = |to: u32| runs.iter().filter(|run| run.to == to).map(|run| run.slots).sum();
                self.queues.iter().map(|queue| of(queue.to)).collect()
            }
            _ => self.queues.iter().map(|queue| queue.granted).collect(),
        }
    }

    /// Opens the windows of the granted slots.
    fn open(&mut self, frame: u64, runs: &[SlotRange], bench: &mut Bench) {
        for run in runs {
            let Some(port) = self.place(run.to).map(|place| self.queues[place].port) else { continue };
            for slot in run.slot..run.slot + run.slots {
                let window = self.beat.window(frame, slot, self.clock.shift());
                bench.port_mut(port).open_window(window);
            }
        }
    }

    /// Asks for slots.
    fn ask(&mut self, now: u64, bench: &mut Bench) {
        let Plan::Asked(asking) = &mut self.plan else { return };
        let frame = asking.next;
        asking.next += 1;
        let (rule, due, payload) = (asking.rule, frame + asking.lag, self.beat.frame.payload());
        let most = self.queues.iter().map(|queue| queue.to).max().unwrap_or(0).max(asking.edge);
        let mut slots = vec![0; most as usize + 1].into_boxed_slice();
        for queue in &mut self.queues {
            let port = bench.port(queue.port);
            let backlog = Backlog { offered: port.offered_bytes(), held: port.held_bytes() };
            slots[queue.to as usize] = queue.request(rule, due, backlog, payload);
        }
        let message = Message::new(Notice::Request { edge: asking.edge, frame, slots });
        let Asking { core_agent: to, way, size, .. } = *asking;
        bench.send(now, ControlPacket { to, way, size, number: frame, message });
    }

    /// Tells the controllers of their queues' slots in the last frames.
    fn tell(&mut self, now: u64, slots: &[u64], bench: &mut Bench) {
        let Signal { quantum, counts, .. } = self.teller.signal;
        let frames = self.teller.recent.len() as u64;
        for (place, slots) in slots.iter().enumerate() {
            let queue = &mut self.queues[place];
            let rate = self.beat.frame.rate(queue.capacity, SlotsGranted { slots: *slots, frames }, counts).bps();
            let rate = Rate::from_bps(rate - rate.checked_rem(quantum.bps()).unwrap_or(0));
            if queue.follows && queue.told != Some(rate) {
                queue.told = Some(rate);
                bench.port_mut(queue.port).tell_capacity(now, rate);
            }
        }
    }

    /// The place of the queue to an edge node.
    fn place(&self, to: u32) -> Option<usize> {
        self.queues.binary_search_by_key(&to, |queue| queue.to).ok()
    }
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
    fn shift(&mut self) -> i64 {
        match self.jitter {
            0 => self.offset,
            jitter => self.offset + uniform_index(&mut self.stream, 2 * jitter + 1) as i64 - jitter as i64,
        }
    }
}
