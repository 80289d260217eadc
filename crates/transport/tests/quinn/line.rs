//! A link with a sender and a receiver at its ends, which are quinn's or ours.
//!
//! Datagrams to the receiver take the link one after the other, and then the delay; ACKs take the delay only. Losses
//! and lateness are by order: the first packet that leaves after the handshake is 0, and so is the first ACK. The clock
//! is in whole nanoseconds, as quinn's is, and stands still between events. What arrives comes before a timer of the
//! same time.

use std::collections::{BTreeMap, BTreeSet};

/// Bytes of every packet of data.
pub const PACKET: u64 = 1200;
pub const MS: u64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    Sender,
    Receiver,
}

/// What is known of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub cwnd: u64,
    pub ssthresh: u64,
    /// Packets that it has found lost.
    pub lost: u64,
    /// smoothed_rtt and min_rtt in nanoseconds.
    pub smoothed: u64,
    pub least: u64,
}

impl Reading {
    /// Before anything was sent.
    pub const START: Reading = Reading { cwnd: 0, ssthresh: u64::MAX, lost: 0, smoothed: 0, least: 0 };
}

/// A sender and its receiver. Times are nanoseconds since the start.
pub trait Stack {
    type Datagram: Clone;
    /// Starts the handshake, if it has one.
    fn connect(&mut self, now: u64);
    /// The sender has so many bytes more in its stream.
    fn write(&mut self, now: u64, bytes: u64);
    /// The sender sends a packet without data that asks for an ACK.
    fn ping(&mut self, now: u64);
    fn arrive(&mut self, now: u64, end: End, datagram: Self::Datagram);
    fn timeout(&mut self, now: u64, end: End);
    fn next_timeout(&mut self, end: End) -> Option<u64>;
    /// What leaves an end now.
    fn leave(&mut self, now: u64, end: End) -> Vec<Self::Datagram>;
    /// The datagram with CE, if it is capable of ECN.
    fn mark(&self, datagram: Self::Datagram) -> Self::Datagram;
    /// The number of a datagram of the sender, and the place in the stream where its bytes begin, if it has any.
    fn content(&self, datagram: &Self::Datagram) -> (u64, Option<u64>);
    fn reading(&self) -> Reading;
}

/// What a link does, from the first packet after the handshake on.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Nanoseconds each way.
    pub delay: u64,
    /// Nanoseconds that the link takes for a packet of data.
    pub serialization: u64,
    pub lost: BTreeSet<u64>,
    pub lost_acks: BTreeSet<u64>,
    /// Packets that get CE.
    pub marked: BTreeSet<u64>,
    /// Packets that arrive so many nanoseconds late.
    pub late: BTreeMap<u64, u64>,
}

impl Path {
    /// So many microseconds each way, and for a packet on the link.
    pub fn new(delay: u64, serialization: u64) -> Path {
        Path { delay: delay * 1000, serialization: serialization * 1000, ..Path::default() }
    }

    pub fn losing(self, lost: impl IntoIterator<Item = u64>) -> Path {
        Path { lost: lost.into_iter().collect(), ..self }
    }

    pub fn losing_acks(self, lost: impl IntoIterator<Item = u64>) -> Path {
        Path { lost_acks: lost.into_iter().collect(), ..self }
    }

    pub fn marking(self, marked: impl IntoIterator<Item = u64>) -> Path {
        Path { marked: marked.into_iter().collect(), ..self }
    }

    /// A packet comes so many microseconds late.
    pub fn late(mut self, order: u64, by: u64) -> Path {
        self.late.insert(order, by * 1000);
        self
    }
}

/// What happened.
#[derive(Clone, Debug)]
pub enum What<D> {
    /// An ACK arrived at the sender.
    Arrived(D),
    /// A timer of the sender.
    Timeout,
    /// The sender sent a packet.
    Sent(D),
    /// The receiver sent an ACK.
    Acked,
    /// Bytes were written, after the handshake.
    Wrote,
}

/// An event, and the sender after it and before anything left.
#[derive(Clone, Debug)]
pub struct Step<D> {
    pub at: u64,
    pub what: What<D>,
    pub reading: Reading,
}

pub struct Line<S: Stack> {
    pub stack: S,
    pub now: u64,
    pub steps: Vec<Step<S::Datagram>>,
    path: Path,
    /// Packets and ACKs since the handshake; before it nothing is lost or late.
    orders: Option<(u64, u64)>,
    on_the_way: BTreeMap<(u64, u64), (End, S::Datagram)>,
    sequence: u64,
    free_at: u64,
}

/// Pairs of pings before the data, so that the variation of the round trip is forgotten: 0.75^60 of 25 ms are 1 ns. The
/// second of a pair is acknowledged at once.
const PAIRS: u32 = 60;
const MOST_EVENTS: u32 = 20_000;

impl<S: Stack> Line<S> {
    /// The handshake, pings one by one, and then a stream of so many bytes until nothing is to come.
    pub fn run(stack: S, path: Path, bytes: u64) -> Line<S> {
        let (on_the_way, steps) = (BTreeMap::new(), Vec::new());
        let mut line = Line { stack, now: 0, steps, path, orders: None, on_the_way, sequence: 0, free_at: 0 };
        line.stack.connect(line.now);
        line.rest();
        for _ in 0..PAIRS {
            line.now += MS;
            line.stack.ping(line.now);
            line.put(End::Sender);
            line.stack.ping(line.now);
            line.rest();
        }
        line.now += MS;
        line.orders = Some((0, 0));
        line.stack.write(line.now, bytes);
        line.note(What::Wrote);
        line.rest();
        line
    }

    /// Until nothing is to come.
    fn rest(&mut self) {
        self.put(End::Sender);
        for _ in 0..MOST_EVENTS {
            if !self.step() {
                return;
            }
        }
        panic!("still busy after {MOST_EVENTS} events");
    }

    fn step(&mut self) -> bool {
        let arrival = self.on_the_way.keys().next().map(|(at, _)| *at);
        let mut timer = |end| self.stack.next_timeout(end).map(|at| (at, end));
        let timer = [timer(End::Sender), timer(End::Receiver)].into_iter().flatten().min();
        let due = timer.map_or(u64::MAX, |(at, _)| at);
        let end = match (arrival, timer) {
            (Some(at), _) if at <= due => {
                self.now = at;
                let Some((_, (end, datagram))) = self.on_the_way.pop_first() else { return false };
                self.stack.arrive(at, end, datagram.clone());
                if end == End::Sender {
                    self.note(What::Arrived(datagram));
                }
                end
            }
            (_, Some((at, end))) => {
                self.now = self.now.max(at);
                self.stack.timeout(self.now, end);
                if end == End::Sender {
                    self.note(What::Timeout);
                }
                end
            }
            _ => return false,
        };
        self.put(end);
        true
    }

    fn note(&mut self, what: What<S::Datagram>) {
        self.steps.push(Step { at: self.now, what, reading: self.stack.reading() });
    }

    /// Puts on the link what leaves an end.
    fn put(&mut self, end: End) {
        for datagram in self.stack.leave(self.now, end) {
            let order = self.orders.as_mut().map(|(packets, acks)| {
                let count = if end == End::Sender { packets } else { acks };
                *count += 1;
                *count - 1
            });
            self.note(if end == End::Sender { What::Sent(datagram.clone()) } else { What::Acked });
            self.carry(end, order, datagram);
        }
    }

    fn carry(&mut self, from: End, order: Option<u64>, mut datagram: S::Datagram) {
        let (mut leaves, mut late) = (self.now, 0);
        if let (End::Sender, Some(order)) = (from, order) {
            self.free_at = self.free_at.max(self.now) + self.path.serialization;
            leaves = self.free_at;
            late = self.path.late.get(&order).copied().unwrap_or(0);
            if self.path.marked.contains(&order) {
                datagram = self.stack.mark(datagram);
            }
        }
        let (to, lost) = match from {
            End::Sender => (End::Receiver, &self.path.lost),
            End::Receiver => (End::Sender, &self.path.lost_acks),
        };
        if order.is_some_and(|order| lost.contains(&order)) {
            return;
        }
        self.sequence += 1;
        self.on_the_way.insert((leaves + self.path.delay + late, self.sequence), (to, datagram));
    }

    /// The steps since the handshake.
    pub fn since(&self) -> &[Step<S::Datagram>] {
        let first = self.steps.iter().position(|step| matches!(step.what, What::Wrote));
        &self.steps[first.expect("bytes were written")..]
    }
}
