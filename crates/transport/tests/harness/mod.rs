//! Two endpoints and a delay line: a sender, a receiver, the same delay each way, and scripted losses.
//!
//! Every segment put on the line has a number (the first one sent is 0, retransmissions count on); the script drops by
//! that number. Between events the clock stands still, so a round trip lasts exactly twice the delay.
#![allow(dead_code, reason = "each test uses a part of it")]

pub mod path;
pub mod xcp;

use std::collections::BTreeMap;
use std::sync::Arc;
use transport::tcp::{
    AckOut, Actions, BurstReport, EcnNews, Receiver, ReceiverActions, ReceiverConfig, SackBlock, Segment, Sender,
    SenderConfig,
};
use units::{Duration, Instant};

pub const MSS: u32 = 1000;

#[derive(Clone)]
enum Arrival {
    Segment(Segment, Option<EcnNews>),
    Ack(AckOut),
}

/// The fate of the segment or ACK of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Deliver,
    Drop,
    /// A queue marks it, if it is ECN-capable.
    Mark,
    /// Arrives this much later than the others.
    Delay(Duration),
    /// Arrives, and arrives again this much later.
    Twice(Duration),
}

type SegmentFate = Box<dyn FnMut(u64, &Segment) -> Fate>;

pub struct Line {
    pub now: Instant,
    pub sender: Sender,
    pub receiver: Receiver,
    pub segment_fate: SegmentFate,
    pub ack_fate: Box<dyn FnMut(u64) -> Fate>,
    /// Every segment put on the line, with its time.
    pub sent: Vec<(Instant, Segment)>,
    pub acks: u64,
    delay: Duration,
    on_the_line: BTreeMap<(Instant, u64), Arrival>,
    sequence: u64,
    actions: Actions,
    receiver_actions: ReceiverActions,
}

pub fn sender_config(algorithm: &str) -> SenderConfig {
    SenderConfig {
        algorithm: transport::cc::Algorithm::from_name(algorithm).expect("a registered name"),
        mss: MSS,
        initial_cwnd: transport::tcp::InitialWindow::Segments(10),
        ..SenderConfig::default()
    }
}

pub fn receiver_config() -> ReceiverConfig {
    ReceiverConfig { mss: MSS, ..ReceiverConfig::default() }
}

impl Line {
    /// A line with a round-trip time of 100 ms.
    pub fn new(sender: SenderConfig, receiver: ReceiverConfig) -> Line {
        Line {
            now: Instant::ZERO,
            sender: Sender::new(Arc::new(sender)),
            receiver: Receiver::new(Arc::new(receiver)),
            segment_fate: Box::new(|_, _| Fate::Deliver),
            ack_fate: Box::new(|_| Fate::Deliver),
            sent: Vec::new(),
            acks: 0,
            delay: Duration::from_millis(50),
            on_the_line: BTreeMap::new(),
            sequence: 0,
            actions: Actions::default(),
            receiver_actions: ReceiverActions::default(),
        }
    }

    /// A line that loses the segments of these numbers.
    pub fn losing(sender: SenderConfig, lost: &'static [u64]) -> Line {
        let mut line = Line::new(sender, receiver_config());
        line.segment_fate = Box::new(move |number, _| if lost.contains(&number) { Fate::Drop } else { Fate::Deliver });
        line
    }

    pub fn write(&mut self, segments: u64) {
        self.sender.write(self.now, segments.saturating_mul(u64::from(MSS)), &mut self.actions);
        self.put();
    }

    /// An edge node tells the sender about a burst with the segments `first..end`, by number in the flow.
    pub fn report(&mut self, report: BurstReport, first: u64, end: u64) {
        let block = SackBlock { start: first * u64::from(MSS), end: end * u64::from(MSS) };
        self.sender.handle_burst_report(self.now, report, &[block], &mut self.actions);
        self.put();
    }

    /// When the next event is; `NEVER` when there is none.
    pub fn next_event(&self) -> Instant {
        let arrival = self.on_the_line.keys().next().map(|(at, _)| *at);
        let timers = [self.sender.next_timeout(), self.receiver.next_timeout()];
        timers.into_iter().chain([arrival]).flatten().min().unwrap_or(Instant::NEVER)
    }

    /// Serves the next event; `false` when there is none.
    pub fn step(&mut self) -> bool {
        let arrival = self.on_the_line.keys().next().map(|(at, _)| *at);
        let next = self.next_event();
        if next == Instant::NEVER {
            return false;
        }
        self.now = self.now.max(next);
        if arrival.is_some_and(|at| at <= next) {
            self.arrive();
        } else {
            self.sender.handle_timeout(self.now, &mut self.actions);
            self.receiver.handle_timeout(self.now, &mut self.receiver_actions);
        }
        self.put();
        true
    }

    /// Runs until all is acknowledged and returns whether that happened within `events`.
    pub fn finish(&mut self, events: u64) -> bool {
        (0..events).any(|_| self.sender.is_complete() || !self.step()) && self.sender.is_complete()
    }

    pub fn run_until(&mut self, end: Instant) {
        loop {
            let arrival = self.on_the_line.keys().next().map(|(at, _)| *at);
            let timer = [self.sender.next_timeout(), self.receiver.next_timeout()].into_iter().flatten().min();
            match [arrival, timer].into_iter().flatten().min() {
                Some(next) if next <= end => self.step(),
                _ => break,
            };
        }
        self.now = end;
    }

    /// Lets what is still on the line arrive.
    pub fn drain(&mut self) {
        while !self.on_the_line.is_empty() {
            self.step();
        }
    }

    pub fn retransmitted(&self) -> Vec<u64> {
        let again = self.sent.iter().filter(|(_, segment)| segment.retransmission);
        again.map(|(_, segment)| segment.seq / u64::from(MSS)).collect()
    }

    fn arrive(&mut self) {
        let Some((_, arrival)) = self.on_the_line.pop_first() else { return };
        match arrival {
            Arrival::Segment(segment, ecn) => {
                ecn.into_iter().for_each(|news| self.receiver.handle_ecn(news, &mut self.receiver_actions));
                self.receiver.handle_segment(self.now, segment.seq, segment.len, &mut self.receiver_actions);
            }
            Arrival::Ack(ack) => {
                ack.ecn_echo.ace().into_iter().for_each(|ace| self.sender.handle_ace(ace));
                self.sender.handle_ack(self.now, &ack.as_ack(), &mut self.actions);
            }
        }
    }

    fn put(&mut self) {
        for segment in std::mem::take(&mut self.actions.segments) {
            let fate = (self.segment_fate)(self.sent.len() as u64, &segment);
            self.sent.push((self.now, segment));
            self.put_one(fate, Arrival::Segment(segment, self.ecn(fate, &segment)));
        }
        for ack in std::mem::take(&mut self.receiver_actions.acks) {
            let fate = (self.ack_fate)(self.acks);
            self.acks += 1;
            self.put_one(fate, Arrival::Ack(ack));
        }
    }

    /// The headers of a segment, as the receiver reads them.
    fn ecn(&self, fate: Fate, segment: &Segment) -> Option<EcnNews> {
        let said = self.sender.ecn_of(segment)?;
        match fate {
            Fate::Mark if said.is_capable() => Some(EcnNews::CongestionExperienced),
            _ if said.window_reduced => Some(EcnNews::WindowReduced),
            _ => said.is_capable().then_some(EcnNews::NotMarked),
        }
    }

    fn put_one(&mut self, fate: Fate, arrival: Arrival) {
        let extra = match fate {
            Fate::Drop => return,
            Fate::Deliver | Fate::Mark => Duration::ZERO,
            Fate::Delay(extra) => extra,
            Fate::Twice(later) => {
                self.put_one(Fate::Delay(later), arrival.clone());
                Duration::ZERO
            }
        };
        self.sequence += 1;
        self.on_the_line.insert((self.now + self.delay + extra, self.sequence), arrival);
    }
}
