//! One flow over a bottleneck: a rate, a delay, a drop-tail buffer, and a queue that may mark.

use std::collections::BTreeMap;
use std::sync::Arc;
use transport::tcp::{
    AckOut, Actions, EcnNews, Receiver, ReceiverActions, ReceiverConfig, Segment, Sender, SenderConfig,
};
use units::{Duration, Instant};

/// A bottleneck and the path to it and back.
#[derive(Clone, Copy)]
pub struct Bottleneck {
    /// How long it sends a segment.
    pub service: Duration,
    /// The round trip without queue and service.
    pub rtt: Duration,
    /// Segments that may wait, the one in service not counted.
    pub buffer: usize,
    /// Segments that wait from which on others are marked.
    pub mark_at: usize,
}

enum Arrival {
    Segment(Segment, Option<EcnNews>),
    Ack(AckOut),
}

pub struct Path {
    pub now: Instant,
    pub sender: Sender,
    pub receiver: Receiver,
    pub bottleneck: Bottleneck,
    /// Of so many segments that come, one is lost on the way.
    pub loses_one_in: Option<u64>,
    /// Segments dropped.
    pub dropped: u64,
    /// When segments left the sender.
    pub sent: Vec<Instant>,
    /// The queue when segments came to the bottleneck.
    pub waiting: Vec<(Instant, usize)>,
    busy_until: Instant,
    line: BTreeMap<(Instant, u64), Arrival>,
    sequence: u64,
    actions: Actions,
    acks: ReceiverActions,
}

impl Path {
    pub fn new(sender: SenderConfig, bottleneck: Bottleneck) -> Path {
        let receiver = ReceiverConfig { mss: sender.mss, ecn_feedback: sender.feedback(), ..ReceiverConfig::default() };
        Path {
            now: Instant::ZERO,
            sender: Sender::new(Arc::new(sender)),
            receiver: Receiver::new(Arc::new(receiver)),
            bottleneck,
            loses_one_in: None,
            dropped: 0,
            sent: Vec::new(),
            waiting: Vec::new(),
            busy_until: Instant::ZERO,
            line: BTreeMap::new(),
            sequence: 0,
            actions: Actions::default(),
            acks: ReceiverActions::default(),
        }
    }

    pub fn write(&mut self, bytes: u64) {
        self.sender.write(self.now, bytes, &mut self.actions);
        self.put();
    }

    pub fn run_until(&mut self, end: Instant) {
        loop {
            let arrival = self.line.keys().next().map(|(at, _)| *at);
            let timer = [self.sender.next_timeout(), self.receiver.next_timeout()].into_iter().flatten().min();
            let next = arrival.into_iter().chain(timer).min().unwrap_or(Instant::NEVER);
            if next > end {
                break;
            }
            self.now = self.now.max(next);
            if arrival == Some(next) {
                self.arrive();
            } else {
                self.sender.handle_timeout(self.now, &mut self.actions);
                self.receiver.handle_timeout(self.now, &mut self.acks);
            }
            self.put();
        }
        self.now = end;
    }

    /// Bytes delivered in a span of time from now on, over what the bottleneck can send in it.
    pub fn utilization_over(&mut self, span: Duration) -> f64 {
        let before = self.receiver.bytes_received();
        self.run_until(self.now + span);
        let bytes = (self.receiver.bytes_received() - before) as f64;
        let capacity = span.as_secs_f64() / self.bottleneck.service.as_secs_f64() * f64::from(super::MSS);
        bytes / capacity
    }

    /// The mean of what waited from `since` on.
    pub fn mean_queue(&self, since: Instant) -> f64 {
        let seen: Vec<usize> = self.waiting.iter().filter(|(at, _)| *at >= since).map(|(_, count)| *count).collect();
        seen.iter().sum::<usize>() as f64 / seen.len() as f64
    }

    fn arrive(&mut self) {
        match self.line.pop_first().unwrap().1 {
            Arrival::Segment(segment, news) => {
                news.into_iter().for_each(|news| self.receiver.handle_ecn(news, &mut self.acks));
                self.receiver.handle_segment(self.now, segment.seq, segment.len, &mut self.acks);
            }
            Arrival::Ack(ack) => {
                ack.ecn_echo.ace().into_iter().for_each(|ace| self.sender.handle_ace(ace));
                self.sender.handle_ack(self.now, &ack.as_ack(), &mut self.actions);
            }
        }
    }

    fn put(&mut self) {
        for segment in std::mem::take(&mut self.actions.segments) {
            self.sent.push(self.now);
            let said = self.sender.ecn_of(&segment);
            let left = self.busy_until.saturating_since(self.now).ps();
            let waiting = left.div_ceil(self.bottleneck.service.ps()).saturating_sub(1) as usize;
            self.waiting.push((self.now, waiting));
            let is_lost = self.loses_one_in.is_some_and(|share| (self.sent.len() as u64).is_multiple_of(share));
            if waiting >= self.bottleneck.buffer || is_lost {
                self.dropped += 1;
                continue;
            }
            let news = said.filter(|said| said.is_capable()).map(|_| match waiting >= self.bottleneck.mark_at {
                true => EcnNews::CongestionExperienced,
                false => EcnNews::NotMarked,
            });
            self.busy_until = self.busy_until.max(self.now) + self.bottleneck.service;
            let half = Duration::from_ps(self.bottleneck.rtt.ps() / 2);
            self.schedule(self.busy_until + half, Arrival::Segment(segment, news));
        }
        for ack in std::mem::take(&mut self.acks.acks) {
            let half = Duration::from_ps(self.bottleneck.rtt.ps() / 2);
            self.schedule(self.now + half, Arrival::Ack(ack));
        }
    }

    fn schedule(&mut self, at: Instant, arrival: Arrival) {
        self.sequence += 1;
        self.line.insert((at, self.sequence), arrival);
    }
}
