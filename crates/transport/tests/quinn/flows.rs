//! Whole flows: the same bytes over the same link, once with quinn and once with ours.

use super::line::{Line, MS, PACKET, Path, Reading, Stack, What};
use super::own::{self, Own, PAYLOAD};
use super::peers::{Law, Quinn};
use std::collections::BTreeMap;
use transport::cc::Algorithm;
use transport::quic::Config;
use units::Duration;

/// A flow as its packets tell it. Times are nanoseconds since its bytes were written.
#[derive(Debug, Default)]
pub struct Flow {
    /// When each packet left.
    pub sent: Vec<u64>,
    /// Packets whose bytes had left before, each with the one that had them first.
    pub again: Vec<(u64, u64)>,
    /// Packets without data.
    pub empty: Vec<u64>,
    /// When each ACK left.
    pub acks: Vec<u64>,
    /// When packets were found lost, and how many.
    pub lost: Vec<(u64, u64)>,
    /// When the window became smaller, and how large it was then.
    pub cuts: Vec<(u64, u64)>,
    /// When the last ACK came.
    pub end: u64,
    pub last: Reading,
    /// Packets before which a number was left out.
    pub gaps: Vec<u64>,
    /// When the window changed, and how large it was then.
    pub windows: Vec<(u64, u64)>,
}

/// A packet that begins less than so many bytes from the beginning of an earlier one has its bytes again. quinn's
/// packets hold a few bytes more or less than each other, so that those of lost packets in a row are not cut up as
/// before.
const SHIFT: u64 = 64;

impl Flow {
    pub fn of<S: Stack>(line: &Line<S>) -> Flow {
        let steps = line.since();
        let (begin, mut before) = (steps[0].at, steps[0].reading);
        let mut flow = Flow::default();
        let (mut firsts, mut last) = (BTreeMap::new(), None);
        for step in steps {
            let (at, now) = (step.at - begin, step.reading);
            match &step.what {
                What::Sent(datagram) => {
                    let (number, start) = line.stack.content(datagram);
                    if last.is_some_and(|last| number > last + 1) {
                        flow.gaps.push(flow.sent.len() as u64);
                    }
                    last = Some(number);
                    flow.note_packet(&mut firsts, start);
                    flow.sent.push(at);
                }
                What::Arrived(_) => flow.end = at,
                What::Acked => flow.acks.push(at),
                What::Timeout | What::Wrote => {}
            }
            if now.lost > before.lost {
                flow.lost.push((at, now.lost - before.lost));
            }
            if now.cwnd != before.cwnd {
                flow.windows.push((at, now.cwnd));
            }
            if now.cwnd < before.cwnd {
                flow.cuts.push((at, now.cwnd));
            }
            before = now;
        }
        flow.last = before;
        flow
    }

    /// A packet whose bytes begin here, if it has any; `firsts` knows where those of new ones began.
    fn note_packet(&mut self, firsts: &mut BTreeMap<u64, u64>, start: Option<u64>) {
        let order = self.sent.len() as u64;
        let Some(start) = start else { return self.empty.push(order) };
        if firsts.keys().next_back().is_none_or(|last| start > *last) {
            firsts.insert(start, order);
        } else if let Some((_, first)) = firsts.range(start.saturating_sub(SHIFT)..start + SHIFT).next() {
            self.again.push((order, *first));
        }
    }
}

/// quinn's flow of so many of our packets. quinn leaves out a packet number now and then, by lot: the first seed counts
/// with which numbers are left out as asked for.
pub fn quinns_with(law: Law, path: &Path, packets: u64, is_asked_for: fn(&Flow) -> bool) -> Flow {
    let flows = (1..5000).map(|seed| Flow::of(&Line::run(Quinn::new(law, seed), path.clone(), packets * PAYLOAD)));
    flows.into_iter().find(is_asked_for).expect("a seed that leaves out numbers so")
}

/// The same with no number left out.
pub fn quinns(law: Law, path: &Path, packets: u64) -> Flow {
    quinns_with(law, path, packets, |flow| flow.gaps.is_empty())
}

pub fn ours(config: Config, path: &Path, packets: u64) -> Flow {
    Flow::of(&Line::run(Own::new(config), path.clone(), packets * PAYLOAD))
}

/// A window of 10 packets. quinn leaves the last byte of a window unused, and 64 bytes are 1 after six cuts.
pub const WINDOW: u64 = 10 * PACKET + 64;
pub const LAWS: [(Law, Algorithm); 2] =
    [(Law::NewReno(WINDOW), Algorithm::NewReno), (Law::Cubic(WINDOW), Algorithm::Cubic)];

/// Expected before the first run: as many packets, the same losses, cuts that leave the same window but for two
/// packets, and times less than 1 ms apart. Packets, probes too, and ACKs leave at the same time until the last lost
/// bytes have left again: from then on the two laws let the window grow in steps of their own.
pub fn compare(theirs: &Flow, ours: &Flow) -> Result<(), String> {
    let near = |one: u64, other: u64| one.abs_diff(other) <= MS;
    let check = |what: &str, holds: bool| if holds { Ok(()) } else { Err(format!("{what}:\n{theirs:?}\n{ours:?}")) };
    check("packets", theirs.sent.len() == ours.sent.len())?;
    check("bytes that left again", theirs.again == ours.again)?;
    check("losses", theirs.lost.len() == ours.lost.len())?;
    let mut losses = theirs.lost.iter().zip(&ours.lost);
    check("losses", losses.all(|(theirs, ours)| theirs.1 == ours.1 && near(theirs.0, ours.0)))?;
    check("cuts", theirs.cuts.len() == ours.cuts.len())?;
    let mut cuts = theirs.cuts.iter().zip(&ours.cuts);
    check("cuts", cuts.all(|(theirs, ours)| theirs.1.abs_diff(ours.1) <= 2 * PACKET && near(theirs.0, ours.0)))?;
    let until = ours.again.last().map_or(ours.sent.len(), |(order, _)| *order as usize + 1);
    let mut sent = theirs.sent.iter().zip(&ours.sent).take(until);
    check("times of packets", sent.all(|(theirs, ours)| near(*theirs, *ours)))?;
    let last = ours.sent[until - 1];
    let mut acks = theirs.acks.iter().zip(&ours.acks).take_while(|(_, ours)| **ours <= last);
    check("times of ACKs", acks.all(|(theirs, ours)| near(*theirs, *ours)))
}

impl Flow {
    /// Packets that left as the bytes were written.
    pub fn at_once(&self) -> usize {
        self.sent.iter().take_while(|at| **at == 0).count()
    }

    /// By how much the window grew, each time since it was last cut.
    pub fn growths(&self) -> Vec<u64> {
        let pairs = self.windows.windows(2).rev();
        pairs.map_while(|pair| pair[1].1.checked_sub(pair[0].1)).collect()
    }
}

/// A round trip of 50 ms, in which windows stay below those that quinn would pace.
pub fn wide() -> Path {
    Path::new(25_000, 200)
}

/// A round trip of 1 ms, for which quinn's bucket holds two windows.
fn near() -> Path {
    Path::new(500, 10)
}

/// Paths, and packets of data.
fn cases() -> Vec<(&'static str, Path, u64)> {
    vec![
        ("nothing is lost", wide(), 26),
        ("nothing is lost, near", near(), 80),
        ("one packet", wide().losing([3]), 80),
        ("the first packet", wide().losing([0]), 40),
        ("three of a flight", wide().losing([3, 5, 8]), 60),
        ("one with two behind it: by time", wide().losing([7]), 10),
        ("a packet and its bytes again", wide().losing([3, 18]), 60),
        ("thirteen of a flight, near", near().losing(30..43), 80),
        ("one overtaken by two", wide().late(3, 500), 26),
        ("one overtaken by many, near", near().late(20, 30), 80),
        ("ACKs", wide().losing_acks([0, 1, 2]), 26),
        ("ACKs and packets", wide().losing([3, 12]).losing_acks([2, 6]), 60),
        ("a flight: one PTO", wide().losing(0..10), 60),
        ("a flight and its probes: two PTOs", wide().losing(0..12), 60),
        ("a flight and its probes: three PTOs", wide().losing(0..14), 60),
        ("all ACKs of a flight", wide().losing_acks(0..5), 26),
    ]
}

fn pairs() -> impl Iterator<Item = (String, Path, u64, Law, Algorithm)> {
    cases().into_iter().flat_map(|(name, path, packets)| {
        LAWS.map(|(law, algorithm)| (format!("{name}, {law:?}"), path.clone(), packets, law, algorithm))
    })
}

#[test]
fn packets_losses_cuts_and_probes_are_those_of_quinn() {
    for (name, path, packets, law, algorithm) in pairs() {
        let (theirs, ours) = (quinns(law, &path, packets), ours(own::config(algorithm), &path, packets));
        compare(&theirs, &ours).unwrap_or_else(|reason| panic!("{name}: {reason}"));
    }
}

/// Each constant changed is noticed in one of the cases at least.
#[test]
fn other_constants_are_noticed() {
    let base = || own::config(Algorithm::NewReno);
    let changed = [
        Config { packet_threshold: 4, ..base() },
        Config { time_threshold: 1.3, ..base() },
        Config { loss_reduction_factor: 0.8, ..base() },
        Config { peer_max_ack_delay: Duration::from_millis(23), ..base() },
        Config { granularity: Duration::from_millis(3), ..base() },
        Config { pto_packets: 1, ..base() },
        Config { recovery_packet: true, ..base() },
    ];
    let theirs: Vec<(Flow, Path, u64)> =
        cases().into_iter().map(|(_, path, packets)| (quinns(LAWS[0].0, &path, packets), path, packets)).collect();
    for config in changed {
        let differs = |(theirs, path, packets): &(Flow, Path, u64)| {
            compare(theirs, &ours(config.clone(), path, *packets)).is_err()
        };
        assert!(theirs.iter().any(differs), "{config:?}");
    }
}
