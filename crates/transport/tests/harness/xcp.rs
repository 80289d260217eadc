//! Links with XCP routers between senders and receivers: the smallest network in which the loop closes.
//!
//! A path is one access delay to its first link, links without delay in a row, and the rest of the round trip back.
//! ACKs meet no queue.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use transport::cc::xcp::{DuplicateAcks, LossReaction};
use transport::tcp::{AckOut, Actions, Receiver, ReceiverActions, ReceiverConfig, Segment, Sender, SenderConfig};
use transport::xcp::{self, Header, Router, RouterConfig, Unclaimed};
use units::{ByteTime, Duration, Instant, Rate};

/// Congestion header, TCP and IP.
const HEADERS: u32 = 60;

#[derive(Clone)]
pub struct Path {
    pub links: Vec<usize>,
    pub rtt: Duration,
    pub start: Duration,
    pub receiver: ReceiverConfig,
    pub loss: LossReaction,
    pub duplicate_acks: DuplicateAcks,
    pub paced: bool,
}

impl Default for Path {
    fn default() -> Path {
        Path {
            links: Vec::new(),
            rtt: Duration::from_millis(100),
            start: Duration::ZERO,
            receiver: super::receiver_config(),
            loss: LossReaction::Tcp,
            duplicate_acks: DuplicateAcks::Obey,
            paced: false,
        }
    }
}

pub struct Link {
    pub router: Router,
    byte: ByteTime,
    buffer: u64,
    free_at: Instant,
    /// When the transmission of each waiting packet begins, and its size.
    waiting: VecDeque<(Instant, u32)>,
    drops: u64,
}

impl Link {
    /// Both the real and the believed one.
    pub fn set_capacity(&mut self, capacity: Rate) {
        self.byte = ByteTime::at(capacity).unwrap();
        self.router.set_capacity(capacity);
    }

    fn queue(&mut self, now: Instant) -> u64 {
        while self.waiting.front().is_some_and(|(start, _)| *start <= now) {
            self.waiting.pop_front();
        }
        self.waiting.iter().map(|(_, size)| u64::from(*size)).sum()
    }

    /// When the packet has left; `None` if it is dropped.
    fn carry(&mut self, now: Instant, size: u32, header: &mut Header) -> Option<Instant> {
        let queue = self.queue(now);
        self.router.handle_arrival(size, Some(header), queue);
        if self.free_at > now && queue.saturating_add(u64::from(size)) > self.buffer {
            self.drops += 1;
            return None;
        }
        self.router.handle_departure(size, header);
        let start = self.free_at.max(now);
        self.free_at = start + self.byte.of(size);
        self.waiting.push_back((start, size));
        Some(self.free_at)
    }
}

struct Flow {
    path: Path,
    sender: Sender,
    receiver: Receiver,
    feedback: xcp::Receiver,
    started: bool,
}

enum Arrival {
    Segment { flow: usize, hop: usize, segment: Segment, header: Header },
    Ack { flow: usize, ack: AckOut, header: Header },
}

#[derive(Default)]
pub struct Network {
    pub now: Instant,
    pub links: Vec<Link>,
    flows: Vec<Flow>,
    events: BTreeMap<(Instant, u64), Arrival>,
    sequence: u64,
    actions: Actions,
    acks: ReceiverActions,
}

impl Network {
    pub fn link(&mut self, capacity: Rate, buffer: u64) -> usize {
        self.link_with(capacity, buffer, Unclaimed::CountsAsNegative)
    }

    pub fn link_with(&mut self, capacity: Rate, buffer: u64, unclaimed: Unclaimed) -> usize {
        let router = Router::new(RouterConfig { unclaimed, ..RouterConfig::new(capacity) }, self.now);
        let byte = ByteTime::at(capacity).unwrap();
        let (free_at, waiting) = (Instant::ZERO, VecDeque::new());
        self.links.push(Link { router, byte, buffer, free_at, waiting, drops: 0 });
        self.links.len() - 1
    }

    pub fn flow(&mut self, path: Path) {
        let mut config = super::sender_config("xcp");
        config.laws.xcp.loss = path.loss;
        config.laws.xcp.duplicate_acks = path.duplicate_acks;
        config.paced = path.paced;
        config.initial_cwnd = transport::tcp::InitialWindow::Segments(2);
        let sender = Sender::new(Arc::new(SenderConfig { min_rto: Duration::from_millis(200), ..config }));
        let receiver = Receiver::new(Arc::new(path.receiver.clone()));
        self.flows.push(Flow { path, sender, receiver, feedback: xcp::Receiver::default(), started: false });
    }

    pub fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        while let Some(next) = self.next_event().filter(|next| *next <= end) {
            self.now = self.now.max(next);
            self.step();
        }
        self.now = end;
    }

    /// Bytes acknowledged of each flow.
    pub fn acked(&self) -> Vec<u64> {
        self.flows.iter().map(|flow| flow.sender.bytes_acked()).collect()
    }

    /// Runs on and returns what each flow got, in bits per second on the wire.
    pub fn rates_over(&mut self, span: Duration) -> Vec<f64> {
        let before = self.acked();
        self.run_for(span);
        let on_wire = 8.0 * f64::from(super::MSS + HEADERS) / f64::from(super::MSS);
        let rate = |(after, before): (u64, &u64)| (after - before) as f64 * on_wire / span.as_secs_f64();
        self.acked().into_iter().zip(&before).map(rate).collect()
    }

    pub fn total_rate_over(&mut self, span: Duration) -> f64 {
        self.rates_over(span).iter().sum()
    }

    pub fn drops(&self) -> u64 {
        self.links.iter().map(|link| link.drops).sum()
    }

    fn next_event(&self) -> Option<Instant> {
        let arrival = self.events.keys().next().map(|(at, _)| *at);
        let flows = self.flows.iter().flat_map(|flow| match flow.started {
            true => [flow.sender.next_timeout(), flow.receiver.next_timeout()],
            false => [Some(Instant::ZERO + flow.path.start), None],
        });
        let routers = self.links.iter().map(|link| Some(link.router.next_timeout()));
        flows.chain(routers).chain([arrival]).flatten().min()
    }

    fn step(&mut self) {
        if self.events.keys().next().is_some_and(|(at, _)| *at <= self.now) {
            let (_, arrival) = self.events.pop_first().unwrap();
            return self.arrive(arrival);
        }
        for link in &mut self.links {
            let queue = link.queue(self.now);
            link.router.handle_timeout(self.now, queue);
        }
        for flow in 0..self.flows.len() {
            let one = &mut self.flows[flow];
            if !one.started && Instant::ZERO + one.path.start <= self.now {
                one.started = true;
                one.sender.write(self.now, u64::MAX, &mut self.actions);
            } else if one.started {
                one.sender.handle_timeout(self.now, &mut self.actions);
                one.receiver.handle_timeout(self.now, &mut self.acks);
            }
            self.put(flow);
        }
    }

    fn arrive(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Segment { flow, hop, segment, mut header } => {
                let one = &mut self.flows[flow];
                if let Some(link) = one.path.links.get(hop) {
                    let left = self.links[*link].carry(self.now, segment.len + HEADERS, &mut header);
                    if let Some(at) = left {
                        self.schedule(at, Arrival::Segment { flow, hop: hop + 1, segment, header });
                    }
                    return;
                }
                one.feedback.handle_header(&header);
                one.receiver.handle_segment(self.now, segment.seq, segment.len, &mut self.acks);
                self.put(flow);
            }
            Arrival::Ack { flow, ack, header } => {
                let sender = &mut self.flows[flow].sender;
                sender.handle_feedback(ack.ack, header.reverse_feedback);
                sender.handle_ack(self.now, &ack.as_ack(), &mut self.actions);
                self.put(flow);
            }
        }
    }

    /// Segments reach their first link after a quarter of the round trip.
    fn put(&mut self, flow: usize) {
        let one = &mut self.flows[flow];
        let there = one.path.rtt / 4;
        let back = Duration::from_ps(one.path.rtt.ps() - there.ps());
        let header = one.sender.congestion_header().expect("the algorithm is xcp");
        // What travels is what the bytes can hold.
        let header = Header::decode(&header.encode()).unwrap();
        let acks: Vec<_> = self.acks.acks.drain(..).map(|ack| (ack, one.feedback.acknowledge())).collect();
        for segment in std::mem::take(&mut self.actions.segments) {
            self.schedule(self.now + there, Arrival::Segment { flow, hop: 0, segment, header });
        }
        for (ack, header) in acks {
            self.schedule(self.now + back, Arrival::Ack { flow, ack, header });
        }
    }

    fn schedule(&mut self, at: Instant, arrival: Arrival) {
        self.sequence += 1;
        self.events.insert((at, self.sequence), arrival);
    }
}
