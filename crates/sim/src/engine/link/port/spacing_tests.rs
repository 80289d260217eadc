//! What arrives when capacity and delay change while packets are in transmission, against a program that sends byte
//! by byte. Sizes and times are such that all numbers are whole.

use super::*;
use crate::engine::link::ring::Ring;
use crate::engine::packet::admission::Admission;
use crate::engine::packet::{NEVER, PayloadTable};
use crate::links::AtPort;
use crate::model::MidPacket;
use crate::random::Seed;
use proptest::prelude::*;
use units::{Duration, Rate};

/// Bytes last 1, 2, 4 or 8 ns.
const BYTE: u64 = 1000;
/// Of half of it packets come, and of all of it links change: 2048 and 4096 bytes at the highest rate.
const TICK: u64 = 2_048_000;

/// A change: the capacity as a power of two of the byte time, or none; the delay in ticks.
#[derive(Clone, Copy, Debug)]
struct Turn {
    at: u64,
    byte: Option<Option<u32>>,
    delay: Option<u64>,
}

fn turns(may_pause: bool) -> impl Strategy<Value = Vec<Turn>> {
    let byte = prop_oneof![4 => (0u32..4).prop_map(Some), u32::from(may_pause) => Just(None)];
    let turn = (1u64..6, prop::option::of(byte), prop::option::of(1u64..60));
    prop::collection::vec(turn, 0..12).prop_map(|gaps| {
        let mut at = 0;
        let mut turn = |(gap, byte, delay)| {
            at += 2 * gap * TICK;
            Turn { at, byte, delay }
        };
        gaps.into_iter().map(&mut turn).collect()
    })
}

/// Odd ticks, and multiples of 512 bytes.
fn packets() -> impl Strategy<Value = Vec<(u64, u16)>> {
    prop::collection::vec((0u64..8, 1u16..9), 1..20).prop_map(|gaps| {
        let mut tick = 1;
        let mut packet = |(gap, size): (u64, u16)| {
            tick += 2 * gap;
            (tick * TICK, 512 * size)
        };
        gaps.into_iter().map(&mut packet).collect()
    })
}

/// The byte time and the delay between changes.
fn courses(turns: &[Turn]) -> Vec<(u64, Option<u64>, u64)> {
    let mut courses = vec![(0, Some(BYTE), TICK * 20)];
    for turn in turns {
        let (_, byte, delay) = courses[courses.len() - 1];
        let byte = turn.byte.map_or(byte, |power| power.map(|power| BYTE << power));
        courses.push((turn.at, byte, turn.delay.map_or(delay, |ticks| ticks * TICK)));
    }
    // In the end everything leaves.
    let (_, byte, delay) = courses[courses.len() - 1];
    courses.push((10_000 * TICK, byte.or(Some(BYTE)), delay));
    courses
}

/// When each packet has left, how long it was sent, and the delay that holds for it.
fn sent(packets: &[(u64, u16)], courses: &[(u64, Option<u64>, u64)]) -> Vec<(u64, u64, u64)> {
    let (mut free, mut sent) = (0, Vec::new());
    for (came, size) in packets {
        let (mut now, mut left, mut lasts) = (free.max(*came), u64::from(*size), 0);
        while left > 0 {
            let place = courses.partition_point(|(at, ..)| *at <= now);
            let next = courses.get(place).map_or(NEVER, |(at, ..)| *at);
            let Some(byte) = courses[place - 1].1 else {
                now = next;
                continue;
            };
            let bytes = left.min((next - now) / byte);
            (now, left, lasts) = (now + bytes * byte, left - bytes, lasts + bytes * byte);
        }
        let place = courses.partition_point(|(at, ..)| *at < now);
        sent.push((now, lasts, courses[place - 1].2));
        free = now;
    }
    sent
}

/// A port with its fibre.
struct Line {
    port: Port,
    fibre: Ring<Packet>,
    arrived: Vec<u64>,
}

impl Line {
    fn new(is_late: bool) -> Line {
        let seed = Seed { seed: 1, run: 0 };
        let (stream, fibre) = (seed.stream("port", "queue"), AtPort::default());
        let rule = PortRule::plain(Rate::from_gbps(8), Duration::from_ps(TICK * 20), Buffer::Unlimited);
        let rule = if is_late { rule.decided_late() } else { rule };
        let port = Port::new(PortConfig { rule, stream, fibre, law: None, interceptor: None }).unwrap();
        Line { port, fibre: Ring::new(), arrived: Vec::new() }
    }

    fn take(&mut self, admission: Admission) {
        if let Admission::Scheduled(at) = admission {
            self.fibre.push(Packet { at, ..Packet::default() });
        }
    }

    fn release(&mut self, now: u64) {
        let mut packet = Packet::default();
        while let Some(admission) = self.port.release(now, &mut packet) {
            self.take(admission);
        }
    }

    /// Departures before `until`.
    fn serve(&mut self, until: u64) {
        while let Some((_, due)) = self.port.departure().filter(|(_, due)| *due < until) {
            self.release(due);
        }
    }

    fn change(&mut self, (at, byte, delay): (u64, Option<u64>, u64), before: (Option<u64>, u64), is_swapped: bool) {
        let rate = Rate::from_bps(byte.map_or(0, |byte| 8_000_000_000_000 / byte));
        let Line { port, fibre, .. } = self;
        for step in [is_swapped, !is_swapped] {
            match step {
                true if delay != before.1 => {
                    port.change_delay(at, Duration::from_ps(delay), MidPacket::Continue, fibre);
                }
                false if byte != before.0 => port.change_capacity(at, rate, MidPacket::Continue, fibre),
                _ => {}
            }
        }
    }

    /// When packets arrive. What has arrived is off the fibre, if that is asked.
    fn arrivals(mut self, packets: &[(u64, u16)], courses: &[(u64, Option<u64>, u64)], way: Way) -> Vec<u64> {
        let mut turns = courses.windows(2).peekable();
        let mut rest = packets.iter().peekable();
        loop {
            let change = turns.peek().map_or(NEVER, |pair| pair[1].0);
            let packet = rest.peek().map_or(NEVER, |(at, _)| *at);
            let now = change.min(packet);
            self.serve(now);
            while way.takes_arrived && self.fibre.first().is_some_and(|first| first.at <= now) {
                self.arrived.extend(self.fibre.pop().map(|packet| packet.at));
            }
            if now == NEVER {
                break;
            } else if change == now {
                let pair = turns.next().unwrap();
                self.change(pair[1], (pair[0].1, pair[0].2), way.is_swapped);
            } else {
                self.serve(now + 1);
                let size = rest.next().unwrap().1;
                let packet = Packet { size, ..Packet::default() };
                let admission = self.port.enqueue(now, &packet, &mut PayloadTable::default());
                self.take(admission);
                self.release(now);
            }
        }
        self.arrived.into_iter().chain(self.fibre.iter().map(|packet| packet.at)).collect()
    }
}

#[derive(Clone, Copy, Debug)]
struct Way {
    /// The delay changes before the capacity.
    is_swapped: bool,
    takes_arrived: bool,
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// The last bit of a packet arrives the delay after it has left, or as long behind the one before as the packet was
    /// sent, whichever is later: whatever changed while it was sent, and in which order.
    #[test]
    fn packets_arrive_no_closer_than_they_last(
        packets in packets(), (is_late, turns) in any::<bool>().prop_flat_map(|late| (Just(late), turns(late))),
        is_swapped: bool,
    ) {
        let courses = courses(&turns);
        let arrivals = |takes_arrived| {
            Line::new(is_late).arrivals(&packets, &courses, Way { is_swapped, takes_arrived })
        };
        let mut before = 0;
        let sent = sent(&packets, &courses);
        let expected: Vec<u64> = sent.iter().map(|(end, lasts, delay)| {
            before = (before + lasts).max(end + delay);
            before
        }).collect();
        prop_assert_eq!(arrivals(false), expected);
        // A packet that has arrived and is forgotten still has the next one behind it, if that waited for it. Of one
        // that came to an idle transmitter, also at the very instant, the port does not know that (deviations.md).
        let found = arrivals(true);
        prop_assert_eq!(found.len(), packets.len());
        for ((pair, two), (came, _)) in found.windows(2).zip(sent.windows(2)).zip(&packets[1..]) {
            let ((before, ..), (end, lasts, delay)) = (two[0], two[1]);
            let distance = if *came < before && end - lasts == before { lasts } else { 0 };
            prop_assert!(pair[1] >= pair[0] + distance && pair[1] >= end + delay, "{:?} {} {}", pair, end, lasts);
        }
    }
}

/// 1500 bytes of 8 Gb/s arrive after 1.5 us and a delay, or without the transmission where the first bit tells: also
/// where the delay changes while they leave.
#[test]
fn a_first_bit_arrives_a_transmission_before_the_last() {
    let seed = Seed { seed: 1, run: 0 };
    let (stream, fibre) = (seed.stream("port", "queue"), AtPort::default());
    let rule = PortRule::plain(Rate::from_gbps(8), Duration::from_micros(10), Buffer::Unlimited);
    let rule = PortRule { light: Light::FirstBit, ..rule };
    let mut port = Port::new(PortConfig { rule, stream, fibre, law: None, interceptor: None }).unwrap();
    let mut fibre = Ring::new();
    for _ in 0..2 {
        let Admission::Scheduled(at) = port.offer(0, 1500) else { panic!("it has room") };
        fibre.push(Packet { at, size: 1500, ..Packet::default() });
    }
    let at = |fibre: &Ring<Packet>| -> Vec<u64> { fibre.iter().map(|packet| packet.at / 100_000).collect() };
    assert_eq!(at(&fibre), [100, 115]);
    port.change_delay(1_000_000, Duration::from_micros(20), MidPacket::Continue, &mut fibre);
    assert_eq!(at(&fibre), [200, 215]);
    // At 2.5 us the second is half sent; what is told stays told.
    fibre.pop();
    fibre.pop();
    port.change_delay(2_500_000, Duration::from_micros(5), MidPacket::Continue, &mut fibre);
    assert_eq!(port.take_down(2_600_000, MidPacket::Continue, &mut fibre).from_fibre.len(), 0);
    let reading = port.reading(2_600_000);
    assert_eq!((reading.dropped.packets, reading.carried.packets), (0, 2));
}
