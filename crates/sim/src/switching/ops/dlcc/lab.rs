//! For tests: a TCP sender, an edge node's book, a core node that loses segments, and a receiver, with delays between
//! them.

use super::ops_acks::{Book, Forged, Real, Verdict};
use super::rules::AckConfig;
use std::collections::BTreeMap;
use std::sync::Arc;
use transport::tcp::{Ack, Actions, Receiver, ReceiverActions, ReceiverConfig, SackList, Sender, SenderConfig};
use units::Instant;

/// In picoseconds.
pub const MS: u64 = 1_000_000_000;

/// What happens at a time.
#[derive(Clone, Debug)]
enum Event {
    AtEdge(Flying),
    AtCore(Flying),
    AtReceiver(Flying),
    Reported { seq: u64 },
    AckAtEdge(Stamped),
    AckAtSender(Stamped),
    Poll,
}

/// A segment on its way, with the time at which it left.
#[derive(Clone, Copy, Debug)]
struct Flying {
    seq: u64,
    len: u32,
    stamp: u64,
}

/// An ACK with the time that it echoes, if it carries one.
#[derive(Clone, Copy, Debug)]
struct Stamped {
    ack: Forged,
    echo: Option<u64>,
}

/// One-way delays.
#[derive(Clone, Copy, Debug)]
pub struct Delays {
    /// Sender to edge node.
    pub access: u64,
    /// Edge node to core node.
    pub core: u64,
    /// Core node to receiver.
    pub rest: u64,
}

/// A flow and what it meets.
pub struct Lab {
    pub now: u64,
    pub sender: Sender,
    pub receiver: Receiver,
    pub book: Option<Book>,
    pub delays: Delays,
    events: BTreeMap<(u64, u64), Event>,
    counter: u64,
    /// Which segment at the core is lost, by its number there.
    pub loses: Box<dyn FnMut(u64, u64) -> Fate>,
    seen_at_core: u64,
    /// The reports of a loss, each with its delay beyond the way back, by a counter. None: the notification is lost.
    pub reports: Box<dyn FnMut(u64) -> Vec<u64>>,
    /// By how much a segment or an ACK is late after the core, by a counter.
    pub late: Box<dyn FnMut(u64) -> u64>,
    /// Whether an ACK of the receiver passes the edge node, by a counter.
    pub passes_edge: Box<dyn FnMut(u64) -> bool>,
    /// When segments were sent again, and which.
    pub resent: Vec<(u64, u64)>,
    highest: u64,
    /// (time, cwnd) at every change.
    pub windows: Vec<(u64, u64)>,
    /// When artificial ACKs left.
    pub forged: Vec<(u64, Forged)>,
    pub discarded: u64,
    /// The stamps that the edge node and the receiver have seen last; the receiver's by RFC 7323 §4.3.
    newest: Option<u64>,
    recent: Option<u64>,
    stamps: bool,
    /// The receiver's last ACK.
    acked: u64,
    /// A segment leaves the sender at most once in this time.
    pub spacing: u64,
    link_free: u64,
}

/// What the core does with a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Passes,
    Lost,
    /// It is lost, and nobody reports it.
    LostInSilence,
}

impl Lab {
    pub fn new(sender: SenderConfig, receiver: ReceiverConfig, acks: Option<AckConfig>, delays: Delays) -> Lab {
        let stamps = sender.timestamps;
        Lab {
            now: 0,
            sender: Sender::new(Arc::new(sender)),
            receiver: Receiver::new(Arc::new(receiver)),
            book: acks.map(Book::new),
            delays,
            events: BTreeMap::new(),
            counter: 0,
            loses: Box::new(|_, _| Fate::Passes),
            seen_at_core: 0,
            reports: Box::new(|_| vec![0]),
            late: Box::new(|_| 0),
            passes_edge: Box::new(|_| true),
            resent: Vec::new(),
            highest: 0,
            windows: Vec::new(),
            forged: Vec::new(),
            discarded: 0,
            newest: None,
            recent: None,
            stamps,
            acked: 0,
            spacing: MS / 100,
            link_free: 0,
        }
    }

    fn at(&mut self, time: u64, event: Event) {
        self.counter += 1;
        self.events.insert((time, self.counter), event);
    }

    pub fn write(&mut self, bytes: u64) {
        let mut actions = Actions::default();
        self.sender.write(Instant::from_ps(self.now), bytes, &mut actions);
        self.emit(actions);
    }

    fn emit(&mut self, actions: Actions) {
        for segment in actions.segments {
            if segment.seq < self.highest {
                self.resent.push((self.now, segment.seq));
            }
            self.highest = self.highest.max(segment.seq + u64::from(segment.len));
            self.link_free = self.link_free.max(self.now) + self.spacing;
            let flying = Flying { seq: segment.seq, len: segment.len, stamp: self.now };
            self.at(self.link_free + self.delays.access, Event::AtEdge(flying));
        }
        let cwnd = self.sender.cwnd();
        if self.windows.last().is_none_or(|(_, last)| *last != cwnd) {
            self.windows.push((self.now, cwnd));
        }
    }

    /// Runs until a time, or until nothing happens any more.
    pub fn run_until(&mut self, end: u64) {
        loop {
            let event = self.events.first_key_value().map_or(u64::MAX, |((at, _), _)| *at);
            let timer = self.sender.next_timeout().map_or(u64::MAX, Instant::ps).max(self.now);
            let delayed = self.receiver.next_timeout().map_or(u64::MAX, Instant::ps).max(self.now);
            let next = event.min(timer).min(delayed);
            if next > end {
                self.now = end;
                return;
            }
            self.now = next;
            if event == next {
                let (_, event) = self.events.pop_first().expect("it was there");
                self.handle(event);
            } else if delayed == next {
                let mut out = ReceiverActions::default();
                self.receiver.handle_timeout(Instant::from_ps(next), &mut out);
                self.acknowledge(out);
            } else {
                let mut actions = Actions::default();
                self.sender.handle_timeout(Instant::from_ps(next), &mut actions);
                self.emit(actions);
            }
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::AtEdge(flying) => self.reach_edge(flying),
            Event::AtCore(flying) => self.reach_core(flying),
            Event::AtReceiver(flying) => self.reach_receiver(flying),
            Event::Reported { seq } => {
                let mut out = Vec::new();
                if let Some(book) = &mut self.book {
                    book.handle_loss(self.now, seq, &mut out);
                }
                self.forge(out);
            }
            Event::Poll => {
                let mut out = Vec::new();
                if let Some(book) = &mut self.book {
                    book.poll(self.now, &mut out);
                }
                self.forge(out);
            }
            Event::AckAtEdge(stamped) => self.ack_reaches_edge(stamped),
            Event::AckAtSender(stamped) => self.ack_reaches_sender(stamped),
        }
    }

    fn reach_edge(&mut self, flying: Flying) {
        let Flying { seq, len, stamp } = flying;
        self.newest = Some(stamp);
        if let Some(book) = &mut self.book {
            book.handle_data(self.now, seq, seq + u64::from(len));
        }
        self.forge(Vec::new());
        self.at(self.now + self.delays.core, Event::AtCore(flying));
    }

    fn reach_core(&mut self, flying: Flying) {
        let Delays { core, rest, .. } = self.delays;
        let seq = flying.seq;
        let fate = (self.loses)(self.seen_at_core, seq);
        self.seen_at_core += 1;
        if fate == Fate::Lost {
            for delay in (self.reports)(self.counter) {
                self.at(self.now + core + delay, Event::Reported { seq });
            }
        }
        if fate == Fate::Passes {
            let late = (self.late)(self.counter);
            self.at(self.now + rest + late, Event::AtReceiver(flying));
        }
    }

    fn reach_receiver(&mut self, Flying { seq, len, stamp }: Flying) {
        if seq <= self.acked {
            self.recent = Some(stamp);
        }
        let mut out = ReceiverActions::default();
        self.receiver.handle_segment(Instant::from_ps(self.now), seq, len, &mut out);
        self.acknowledge(out);
    }

    fn ack_reaches_edge(&mut self, stamped: Stamped) {
        let ack = stamped.ack;
        let verdict = match &mut self.book {
            Some(book) => {
                let real = Real { ack: ack.ack, sack: ack.sack.as_slice(), window: None, marks: ack.echo };
                book.handle_ack(self.now, &real)
            }
            None => Verdict::Pass,
        };
        self.forge(Vec::new());
        match verdict {
            Verdict::Pass => self.at(self.now + self.delays.access, Event::AckAtSender(stamped)),
            Verdict::Discard => self.discarded += 1,
        }
    }

    fn ack_reaches_sender(&mut self, Stamped { ack: Forged { ack, sack, echo }, echo: stamp }: Stamped) {
        let ack = Ack { ack, window: self.sender.initial_peer_window(), sack: sack.as_slice(), ecn_echo: echo };
        if let Some(stamp) = stamp {
            self.sender.handle_timestamp_echo(&ack, Instant::from_ps(stamp));
        }
        let mut actions = Actions::default();
        self.sender.handle_ack(Instant::from_ps(self.now), &ack, &mut actions);
        self.emit(actions);
    }

    /// Artificial ACKs leave for the sender.
    fn forge(&mut self, out: Vec<Forged>) {
        for ack in out {
            self.forged.push((self.now, ack));
            let echo = self.newest.filter(|_| self.stamps);
            self.at(self.now + self.delays.access, Event::AckAtSender(Stamped { ack, echo }));
        }
        let poll = self.book.as_ref().map_or(u64::MAX, Book::next_timeout);
        if poll != u64::MAX {
            self.at(poll.max(self.now), Event::Poll);
        }
    }

    fn acknowledge(&mut self, out: ReceiverActions) {
        let Delays { access, core, rest } = self.delays;
        for ack in out.acks {
            let late = (self.late)(self.counter);
            self.acked = ack.ack;
            let ack = Forged { ack: ack.ack, sack: ack.sack, echo: ack.ecn_echo.is_ece() };
            let stamped = Stamped { ack, echo: self.recent.filter(|_| self.stamps) };
            match (self.passes_edge)(self.counter) {
                true => self.at(self.now + rest + core + late, Event::AckAtEdge(stamped)),
                false => self.at(self.now + rest + core + access + late, Event::AckAtSender(stamped)),
            }
        }
    }

    /// An ACK from nowhere, at the sender.
    pub fn inject(&mut self, time: u64, ack: u64, blocks: &[(u64, u64)], echo: bool) {
        let mut sack = SackList::EMPTY;
        blocks.iter().for_each(|(start, end)| sack.push(transport::tcp::SackBlock { start: *start, end: *end }));
        let echo_of = self.newest.filter(|_| self.stamps);
        self.at(time, Event::AckAtSender(Stamped { ack: Forged { ack, sack, echo }, echo: echo_of }));
    }
}
