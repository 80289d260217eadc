//! Artificial ACKs (DLCC, Lu and Hunter 2009, §III.C and §IV): what an ingress edge remembers of a TCP flow, what it
//! tells the source of a lost segment, and which ACKs of the receiver it then discards.
//!
//! As printed, four ACKs name the first byte of the lost segment, so they acknowledge everything before it. If
//! something before it was lost too, nobody will repair that: the source has forgotten it. A *guarded* book lets no
//! artificial ACK pass a byte that was reported lost and not seen again, that it never saw, or whose slot may still be
//! reported; the ACK waits. What is lost beyond the core is reported by nobody, so the guard cannot know of it.

pub use super::acks::{Forged, Real};
use super::acks::{Held, blocks, reports_a_repetition};
use super::by_seq::BySeq;
use super::last_named::LastNamed;
use super::rules::{AckConfig, Discard, Form, Named};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use transport::tcp::{SackBlock, SackList};

/// The most segments that a guarded book holds; it forgets the oldest.
const MOST_SEGMENTS: usize = 1 << 16;
/// A block of this number of segments shows a loss (RFC 6675, DupThresh).
const ENOUGH: u64 = 3;

/// What a notification was worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It is the first of this transmission.
    New,
    /// The segment is not in the book: too late, or its flow is over.
    Unknown,
    /// This transmission was reported before.
    Repeated,
}

/// What happens to an ACK of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on to the source.
    Pass,
    /// The source has had it.
    Discard,
}

/// What an edge node knows of a TCP flow whose data enter the core there.
#[derive(Clone, Debug)]
pub struct Book {
    config: AckConfig,
    segments: BySeq<Sent>,
    /// When which segment left, for forgetting it.
    order: VecDeque<(u64, u64)>,
    /// Guarded: every byte below was seen and has arrived, or the receiver has acknowledged it.
    clear: u64,
    /// The highest ACK of the receiver that came by.
    real: Option<u64>,
    /// Artificial ACKs by their number.
    given: BTreeMap<u64, Given>,
    /// None of them is older than this.
    given_since: u64,
    /// The highest of all that were ever given.
    highest: u64,
    /// What the receiver has said it holds.
    held: Held,
    /// The last lost segment that the source was told of.
    last_named: LastNamed,
    /// Segments that were lost, that the source was told to forget, and that have not been seen again.
    orphans: BTreeSet<u64>,
    /// Since when the receiver has asked for something that the source was told to forget, and when it last did.
    asks: Option<(u64, u64)>,
    echoed: Option<u64>,
    /// The window that the last ACK of the receiver offered.
    window: Option<u64>,
    /// A loss was reported before any ACK of the receiver came by: the first one is the number of an echo.
    owes_echo: bool,
    /// A reported loss waits until the source can be told: whatever enters or is acknowledged may be what it waits for.
    waits: bool,
    poll_at: u64,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    end: u64,
    at: u64,
    report: Report,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Report {
    None,
    Lost,
    /// And the source has been told.
    Told,
}

#[derive(Clone, Copy, Debug)]
struct Given {
    at: u64,
    seen_again: bool,
}

impl Book {
    /// An empty one.
    pub fn new(config: AckConfig) -> Book {
        Book {
            config,
            segments: BySeq::default(),
            order: VecDeque::new(),
            clear: 0,
            real: None,
            given: BTreeMap::new(),
            given_since: u64::MAX,
            highest: 0,
            held: Held::default(),
            last_named: LastNamed::default(),
            orphans: BTreeSet::new(),
            asks: None,
            echoed: None,
            window: None,
            owes_echo: false,
            waits: false,
            poll_at: u64::MAX,
        }
    }

    /// A segment enters the core.
    pub fn handle_data(&mut self, now: u64, seq: u64, end: u64) {
        self.orphans.remove(&seq);
        self.last_named.handle_data(now, seq);
        if let Some(given) = self.given.get_mut(&seq) {
            given.seen_again = true;
        }
        if self.config.guarded {
            // What comes again hides nothing that has arrived.
            self.advance(now);
            if end <= self.clear {
                return;
            }
        }
        self.segments.insert(seq, Sent { end, at: now, report: Report::None });
        if !self.config.guarded {
            self.order.push_back((now, seq));
            return self.forget(now);
        }
        if self.segments.len() > MOST_SEGMENTS {
            self.segments.pop_first();
        }
        if self.waits {
            // Its arrival may be what a report waits for.
            self.poll_at = self.poll_at.min(now.saturating_add(self.config.report_time));
        }
    }

    /// The slot of a segment is reported lost. What the source is told now is put in `out`.
    pub fn handle_loss(&mut self, now: u64, seq: u64, out: &mut Vec<Forged>) -> Heard {
        self.forget(now);
        match self.segments.get_mut(seq) {
            None => return Heard::Unknown,
            Some(sent) if sent.report != Report::None => return Heard::Repeated,
            // It is about an earlier transmission.
            Some(sent) if now < sent.at.saturating_add(self.config.soonest_report) => return Heard::Repeated,
            Some(sent)
                if self.config.named == Named::RoundTrip
                    && self.last_named.covers(now, sent.at, self.config.memory) =>
            {
                sent.report = Report::Told;
                return Heard::New;
            }
            Some(sent) => sent.report = Report::Lost,
        }
        if seq < self.highest {
            self.orphans.insert(seq);
        }
        match (self.config.form, self.config.guarded) {
            (Form::Ece, _) => self.echo(now, out),
            (_, true) => self.poll(now, out),
            (_, false) => {
                out.extend((0..self.config.copies).map(|_| Forged::plain(seq)));
                self.give(now, seq);
            }
        }
        Heard::New
    }

    /// When it may have something to tell.
    pub fn next_timeout(&self) -> u64 {
        self.poll_at
    }

    /// What the source can be told by now.
    pub fn poll(&mut self, now: u64, out: &mut Vec<Forged>) {
        self.poll_at = u64::MAX;
        if self.config.form == Form::Ece && self.owes_echo {
            return self.echo(now, out);
        }
        if !self.config.guarded || self.config.form == Form::Ece {
            return;
        }
        self.advance(now);
        let untold = self.segments.iter().find(|(_, sent)| sent.report == Report::Lost);
        self.waits = untold.is_some();
        let Some((seq, sent)) = untold.map(|(seq, sent)| (*seq, *sent)) else { return };
        match self.config.form {
            Form::Sack => self.poll_with_blocks(now, seq, sent.end - seq, out),
            _ if self.clear == seq => {
                out.extend((0..self.config.copies).map(|_| Forged::plain(seq)));
                self.give(now, seq);
                // Reports that wait are of segments that left before the answer.
                self.tell_up_to(if self.config.named == Named::RoundTrip { u64::MAX } else { sent.end });
                self.poll_at = now;
            }
            _ => self.poll_at = self.blocker_arrival(),
        }
    }

    /// ACKs whose number is the lowest hole, with blocks for what has arrived above the hole of which the source has
    /// not heard.
    fn poll_with_blocks(&mut self, now: u64, hole: u64, mss: u64, out: &mut Vec<Forged>) {
        let base = self.segments.from(self.clear).next().copied();
        let at_hole = base.is_some_and(|(seq, sent)| seq == self.clear && sent.report != Report::None);
        let ranges = self.arrived_above(now, hole, ENOUGH * mss);
        let enough = ranges.iter().map(|range| range.len()).sum::<u64>() >= ENOUGH * mss;
        if !at_hole || !enough {
            self.poll_at = if at_hole { self.next_arrival(now, hole) } else { self.blocker_arrival() };
            return;
        }
        let ack = self.clear;
        if !self.given.contains_key(&ack) {
            out.push(Forged::plain(ack));
        }
        let with_blocks = self.config.copies.max(2) - 1;
        out.extend((1..=with_blocks).map(|number| {
            // The block grows from ACK to ACK, so that each of them brings news; the last one is enough.
            let segments =
                if number == with_blocks { ENOUGH.max(u64::from(number) + 1) } else { u64::from(number) + 1 };
            Forged { sack: blocks(&ranges, segments * mss), ..Forged::plain(ack) }
        }));
        self.give(now, ack);
        self.tell_up_to(ranges[0].start);
        self.poll_at = now;
    }

    /// Ranges above a hole that have arrived, from the lowest on until they hold `enough` bytes, at most as many as
    /// fit.
    fn arrived_above(&self, now: u64, hole: u64, enough: u64) -> Vec<SackBlock> {
        let mut ranges: Vec<SackBlock> = Vec::new();
        let mut bytes = 0;
        for (seq, sent) in self.segments.from(hole) {
            if !self.has_arrived(now, sent) {
                continue;
            }
            bytes += sent.end - seq;
            let count = ranges.len();
            match ranges.last_mut() {
                Some(last) if last.end == *seq => last.end = sent.end,
                _ if count == SackList::CAPACITY => break,
                _ => ranges.push(SackBlock { start: *seq, end: sent.end }),
            }
            if bytes > enough {
                break;
            }
        }
        ranges
    }

    fn has_arrived(&self, now: u64, sent: &Sent) -> bool {
        sent.report == Report::None && sent.at.saturating_add(self.config.report_time) <= now
    }

    /// When the lowest segment is known to have arrived. A hole, or a segment that was never seen, is filled by what
    /// comes.
    fn blocker_arrival(&self) -> u64 {
        let lowest = self.segments.first().filter(|(seq, sent)| *seq == self.clear && sent.report == Report::None);
        lowest.map_or(u64::MAX, |(_, sent)| sent.at.saturating_add(self.config.report_time))
    }

    /// When the next segment above a place is known to have arrived.
    fn next_arrival(&self, now: u64, above: u64) -> u64 {
        let open = self.segments.from(above).filter(|(_, sent)| sent.report == Report::None);
        let times = open.map(|(_, sent)| sent.at.saturating_add(self.config.report_time));
        times.filter(|time| *time > now).min().unwrap_or(u64::MAX)
    }

    /// What has arrived behind what is clear is clear too.
    fn advance(&mut self, now: u64) {
        while let Some((seq, sent)) = self.segments.first() {
            if sent.end > self.clear && (seq > self.clear || !self.has_arrived(now, sent)) {
                break;
            }
            self.clear = self.clear.max(sent.end);
            self.segments.pop_first();
        }
    }

    /// The source has been told of all holes below a place.
    fn tell_up_to(&mut self, end: u64) {
        for sent in self.segments.below_mut(end) {
            if sent.report == Report::Lost {
                sent.report = Report::Told;
            }
        }
    }

    /// An artificial ACK of this number is given. What was lost below it will not be sent again, unless it is on its
    /// way.
    fn give(&mut self, now: u64, ack: u64) {
        let below = self.segments.below(ack).filter(|(_, sent)| sent.report != Report::None);
        self.orphans.extend(below.map(|(seq, _)| *seq));
        self.last_named.name(now, ack);
        self.given.insert(ack, Given { at: now, seen_again: false });
        self.given_since = self.given_since.min(now);
        self.highest = self.highest.max(ack);
    }

    /// One ACK that acknowledges nothing new, once in a round trip.
    fn echo(&mut self, now: u64, out: &mut Vec<Forged>) {
        let soon = self.echoed.is_some_and(|at| now - at < self.config.memory);
        self.owes_echo = self.real.is_none();
        let Some(real) = self.real.filter(|_| !soon) else { return };
        self.echoed = Some(now);
        out.push(Forged { echo: true, ..Forged::plain(real) });
    }

    /// An ACK of the receiver comes by.
    pub fn handle_ack(&mut self, now: u64, real: &Real) -> Verdict {
        let Real { ack, sack, window, marks } = *real;
        self.forget(now);
        self.real = Some(self.real.map_or(ack, |real| real.max(ack)));
        self.asks = match self.asks {
            _ if ack >= self.highest => None,
            None => Some((now, now)),
            Some((since, _)) => Some((since, now)),
        };
        if ack > self.clear {
            self.clear = ack;
            self.segments.remove_below(ack);
            while self.orphans.first().is_some_and(|first| *first < ack) {
                self.orphans.pop_first();
            }
        }
        if self.waits || self.owes_echo {
            self.poll_at = now;
        }
        let opens = std::mem::replace(&mut self.window, window) != window;
        let news = self.held.handle_ack(ack, sack) || reports_a_repetition(ack, sack) || opens || marks;
        let Some(given) = self.given.get(&ack) else { return Verdict::Pass };
        match self.config.discard {
            Discard::All => Verdict::Discard,
            Discard::Safe if given.seen_again && !news => Verdict::Discard,
            Discard::Safe | Discard::None => Verdict::Pass,
        }
    }

    /// Forgets what is older than the memory.
    fn forget(&mut self, now: u64) {
        let memory = self.config.memory;
        let old = |at: u64| at.saturating_add(memory) <= now;
        while let Some((at, seq)) = self.order.front().copied().filter(|(at, _)| old(*at)) {
            self.order.pop_front();
            if self.segments.get(seq).is_some_and(|sent| sent.at == at) {
                self.segments.remove(seq);
            }
        }
        if old(self.given_since) {
            let guarded = self.config.guarded;
            let clear = self.clear;
            self.given.retain(|ack, given| !old(given.at) || (guarded && *ack >= clear));
            self.given_since = self.given.values().map(|given| given.at).min().unwrap_or(u64::MAX);
        }
    }

    /// Lost segments that the source was told to forget, and that have not been seen again: as far as this edge knows,
    /// holes that nobody can repair.
    pub fn orphans(&self) -> usize {
        self.orphans.len()
    }

    /// Whether the receiver has asked for more than a memory for something that the source was told to forget.
    pub fn is_stuck(&self) -> bool {
        self.asks.is_some_and(|(since, last)| last - since > self.config.memory)
    }
}

#[cfg(test)]
#[path = "ops_acks_tests.rs"]
mod tests;
