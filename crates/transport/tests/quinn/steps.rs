//! Our sender takes every step of quinn's: it sends the same packets at the same times, hears the same ACKs, and is
//! asked for its timers. The paths are random; quinn paces.

use super::line::{Line, PACKET, Path, Reading, Step, What};
use super::own::{self, instant};
use super::peers::{Datagram, Law, Quinn};
use super::wire::{self, Frame};
use std::sync::Arc;
use transport::cc::Algorithm;
use transport::quic::{ByHand, Config, GrowthOrder, Sender, Timer, Underuse};
use units::Duration;

const PACKETS: u64 = 300;
const SCHEDULES: u64 = 32;
/// Nanoseconds by which a timer, a smoothed or a least round trip may be apart: quinn rounds down to whole ones, up to
/// 8 of them in smoothed_rtt and up to 16 in four rttvar, and reckons a time threshold with 24 bits.
const APART: u64 = 50;

/// A generator of numbers of its own (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % count
    }
}

/// A path that loses packets singly and in a row, and ACKs, and lets packets come late.
fn path(seed: u64) -> Path {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
    let mut path = Path::new(7_013 + dice.below(40_000), 50 + dice.below(900));
    let (loss, loss_of_acks, late) = (dice.below(30), dice.below(150), dice.below(40));
    for order in 0..2 * PACKETS {
        if dice.below(1000) < loss {
            path.lost.insert(order);
        }
        if dice.below(1000) < loss_of_acks {
            path.lost_acks.insert(order);
        }
        if dice.below(1000) < late {
            path.late.insert(order, dice.below(12_000_000));
        }
        if dice.below(200) == 0 {
            path.lost.extend(order..order + 4 + dice.below(8));
        }
    }
    if has_ecn(seed) {
        path.marked.extend((0..2 * PACKETS).filter(|_| dice.below(60) == 0));
    }
    path
}

/// Every second path knows ECN.
fn has_ecn(seed: u64) -> bool {
    seed.is_multiple_of(2)
}

/// What was seen on the way.
#[derive(Debug, Default)]
struct Seen {
    by_number: u32,
    by_time: u32,
    probes: u32,
    cuts: u32,
    marks: u32,
    persistent: u32,
    skipped: u32,
    spurious: u32,
    /// By how many bytes the windows were apart at most, as far as they are compared, and later.
    apart: u64,
    apart_later: u64,
}

impl Seen {
    fn add(&mut self, other: &Seen) {
        self.by_number += other.by_number;
        self.by_time += other.by_time;
        self.probes += other.probes;
        self.cuts += other.cuts;
        self.marks += other.marks;
        self.persistent += other.persistent;
        self.skipped += other.skipped;
        self.spurious += other.spurious;
        self.apart = self.apart.max(other.apart);
        self.apart_later = self.apart_later.max(other.apart_later);
    }
}

struct Follower {
    sender: Sender,
    law: Law,
    before: Reading,
    /// Whether congestion avoidance has let our window grow, or a mark has cut it.
    is_rough: bool,
    /// Whether HyStart++, which quinn has not, has slowed ours down.
    has_slowed: bool,
    lost: u64,
    /// When a PTO of ours was last due.
    probed_at: u64,
    /// Whether quinn has sent all for the first time: from then on it counts its window as unused.
    is_over: bool,
    seen: Seen,
}

type Outcome = Result<(), String>;

fn check(holds: bool, what: &str) -> Outcome {
    if holds { Ok(()) } else { Err(what.to_string()) }
}

impl Follower {
    fn new(law: Law, config: Config) -> Follower {
        let config = Config { underuse: Underuse::Ignored, pto_packets: 0, ..config };
        let (sender, before, seen) = (Sender::new(Arc::new(config)), Reading::START, Seen::default());
        Follower {
            sender,
            law,
            before,
            is_rough: false,
            has_slowed: false,
            lost: 0,
            probed_at: 0,
            is_over: false,
            seen,
        }
    }

    /// A step of quinn's, which counts from its first data on.
    fn take(&mut self, step: &Step<Datagram>, counts: bool) -> Outcome {
        check(self.is_in_time(step.at) || !counts, "a timer of ours is overdue")?;
        match &step.what {
            What::Sent(datagram) if wire::is_short(&datagram.bytes) => self.send(step.at, datagram, counts)?,
            What::Arrived(datagram) if wire::is_short(&datagram.bytes) => self.hear(step.at, &datagram.bytes)?,
            What::Timeout => self.expire(step.at),
            _ => {}
        }
        if counts { self.compare(step.reading) } else { Ok(()) }
    }

    /// What quinn sent, with a number of its own. Before the data packets have no size, so that they do not let the
    /// window grow: quinn counts its window as unused then.
    fn send(&mut self, at: u64, datagram: &Datagram, counts: bool) -> Outcome {
        let (number, frames) = (wire::number(&datagram.bytes), wire::frames(&datagram.bytes));
        let mut none = Vec::new();
        while self.sender.next_number() < number {
            self.sender.skip(instant(at));
            self.seen.skipped += 1;
        }
        // quinn's probes have a PING, and nothing else of its data has.
        let is_probe = counts && frames.iter().any(|frame| matches!(frame, Frame::Ping));
        check(!is_probe || self.probed_at == at, "a probe when no PTO of ours is due")?;
        let asks = frames.iter().any(|frame| !matches!(frame, Frame::Ack(_)));
        let kind = if asks { ByHand::Eliciting } else { ByHand::Padding };
        self.sender.send_by_hand(instant(at), kind, if counts { datagram.bytes.len() as u32 } else { 0 }, &mut none);
        check(datagram.ecn.is_some() == self.sender.uses_ecn(), "codepoints")
    }

    fn hear(&mut self, at: u64, datagram: &[u8]) -> Outcome {
        for frame in wire::frames(datagram) {
            let Frame::Ack(ack) = frame else { continue };
            let taken = self.sender.handle_ack(instant(at), &ack, &mut Vec::new());
            taken.map_err(|error| error.name().to_string())?;
            let news = self.sender.news();
            self.seen.by_number += news.lost.len() as u32;
            self.seen.spurious += news.spurious.len() as u32;
            self.lost += news.lost.len() as u64;
            self.seen.persistent += u32::from(news.is_persistent);
        }
        Ok(())
    }

    /// A timer of quinn's: ours for losses and probes, if it is due.
    fn expire(&mut self, at: u64) {
        let due = self.sender.loss_detection_timer().filter(|(_, due)| *due <= instant(at) + self.apart());
        let Some((kind, due)) = due else { return };
        self.sender.handle_timeout(due.max(instant(at)), &mut Vec::new());
        let lost = self.sender.news().lost.len() as u32;
        self.lost += u64::from(lost);
        self.seen.by_time += lost;
        if kind == Timer::Pto {
            self.seen.probes += 1;
            self.probed_at = at;
        }
    }

    /// Our timer is not overdue.
    fn is_in_time(&self, at: u64) -> bool {
        self.sender.loss_detection_timer().is_none_or(|(_, due)| due + self.apart() >= instant(at))
    }

    /// By how much a timer may be apart: a PTO doubles that with each expiry.
    fn apart(&self) -> Duration {
        Duration::from_ps((APART * 1000) << self.sender.pto_count())
    }

    /// What is known of the two senders.
    fn compare(&mut self, theirs: Reading) -> Outcome {
        let (ours, before) = (own::reading(&self.sender, self.lost), self.before);
        self.before = theirs;
        let is_marked = self.sender.cuts()[1] > 0;
        self.is_rough |= ours.cwnd > ours.ssthresh || is_marked;
        self.seen.cuts += u32::from(theirs.cwnd < before.cwnd);
        // No loss alone leaves two packets of that much.
        let least = theirs.cwnd == 2 * PACKET && before.cwnd > 4 * PACKET + 1;
        let is_persistent = self.sender.news().is_persistent;
        check(!least || is_persistent, "persistent congestion of quinn's")?;
        check(!is_persistent || theirs.cwnd == 2 * PACKET, "persistent congestion of ours")?;
        check(theirs.lost == ours.lost, "packets found lost")?;
        check(theirs.smoothed.abs_diff(ours.smoothed) <= APART, "smoothed_rtt")?;
        check(theirs.least.abs_diff(ours.least) <= APART, "min_rtt")?;
        if self.is_over {
            return Ok(());
        }
        let apart = theirs.cwnd.abs_diff(ours.cwnd);
        self.has_slowed |= self.sender.law_figures().contains(&("is_conservative", 1.0));
        if matches!(self.law, Law::Cubic(_)) && (self.seen.cuts > 1 || self.has_slowed || is_marked) {
            self.seen.apart_later = self.seen.apart_later.max(apart);
            return Ok(());
        }
        self.seen.apart = self.seen.apart.max(apart);
        let most = if self.is_rough { 2 * PACKET } else { 1 };
        // A loss behind persistent congestion leaves another ssthresh: see differences.rs.
        let is_same = theirs.ssthresh.abs_diff(ours.ssthresh) <= most || self.seen.persistent > 0;
        check(apart <= most && is_same, &format!("windows {theirs:?} {ours:?}"))
    }
}

/// quinn's flow over the path of a seed.
fn record(law: Law, seed: u64) -> Line<Quinn> {
    Line::run(Quinn::new(law, seed).with_ecn(has_ecn(seed)), path(seed), PACKETS * own::PAYLOAD)
}

/// Our sender with these parameters follows it.
fn follow(line: &Line<Quinn>, law: Law, config: Config) -> Result<Seen, String> {
    let begin = line.since()[0].at;
    let last = line.steps.iter().position(is_last).expect("all was sent");
    let has_ecn = line.stack.has_ecn;
    let mut follower = Follower::new(law, Config { ecn: has_ecn, ..config });
    for (place, step) in line.steps.iter().enumerate() {
        follower.is_over = place >= last;
        let taken = follower.take(step, step.at >= begin);
        taken.map_err(|reason| format!("step {place} at {}: {reason}", step.at))?;
    }
    Ok(Seen { marks: follower.sender.cuts()[1] as u32, ..follower.seen })
}

/// Whether it is a packet with the last byte.
fn is_last(step: &Step<Datagram>) -> bool {
    let What::Sent(datagram) = &step.what else { return false };
    let bytes = &datagram.bytes;
    wire::is_short(bytes) && wire::stream(bytes).is_some_and(|bytes| bytes.end == PACKETS * own::PAYLOAD)
}

const LAWS: [(Law, Algorithm); 2] =
    [(Law::NewReno(10 * PACKET), Algorithm::NewReno), (Law::Cubic(10 * PACKET), Algorithm::Cubic)];

#[test]
fn each_step_finds_what_quinn_finds() {
    let mut all = Seen::default();
    for (law, algorithm) in LAWS {
        for seed in 1..=SCHEDULES {
            let seen = follow(&record(law, seed), law, own::config(algorithm));
            all.add(&seen.unwrap_or_else(|reason| panic!("{law:?}, seed {seed}: {reason}")));
        }
    }
    // The schedules have what they are for.
    assert!(all.by_number >= 500 && all.by_time >= 100 && all.cuts >= 200 && all.spurious >= 50, "{all:?}");
    assert!(all.probes >= 20 && all.marks >= 50 && all.persistent >= 2 && all.skipped >= 100, "{all:?}");
    // Where windows are not compared any more, they need not be near.
    assert!(all.apart_later > 2 * PACKET, "{all:?}");
}

/// Each constant changed, and so many of the schedules of a law at least in which that is noticed.
fn changed() -> Vec<(usize, usize, Config)> {
    let base = || own::config(Algorithm::NewReno);
    let mut beta = own::config(Algorithm::Cubic);
    beta.laws.cubic.beta = 0.75;
    vec![
        (0, 24, Config { packet_threshold: 4, ..base() }),
        (0, 16, Config { time_threshold: 1.25, ..base() }),
        (0, 24, Config { loss_reduction_factor: 0.6, ..base() }),
        (0, 24, Config { peer_max_ack_delay: Duration::from_millis(24), ..base() }),
        (0, 24, Config { growth_order: GrowthOrder::AfterLosses, ..base() }),
        (0, 4, Config { granularity: Duration::from_millis(2), ..base() }),
        (0, 2, Config { persistent_congestion_threshold: 30, ..base() }),
        (1, 24, beta),
    ]
}

#[test]
fn other_constants_are_noticed() {
    let record_all = |law| (1..=SCHEDULES).map(|seed| record(law, seed)).collect::<Vec<_>>();
    let lines = LAWS.map(|(law, _)| record_all(law));
    for (place, least, config) in changed() {
        let is_noticed = |line: &&Line<Quinn>| follow(line, LAWS[place].0, config.clone()).is_err();
        let noticed = lines[place].iter().filter(is_noticed).count();
        assert!(noticed >= least, "{noticed} of {least}: {config:?}");
    }
}
