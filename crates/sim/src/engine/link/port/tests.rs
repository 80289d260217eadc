use super::*;
use crate::engine::link::ring::Ring;
use crate::engine::packet::PayloadTable;
use crate::engine::packet::admission::Admission;
use crate::links::AtPort;
use crate::model::MidPacket;
use crate::random::Seed;
use proptest::prelude::*;
use units::{Duration, Rate};

/// 1 Gb/s and 1 ms.
pub(in crate::engine) fn rule(buffer: Buffer) -> PortRule {
    PortRule::plain(Rate::from_gbps(1), Duration::from_millis(1), buffer)
}

/// The port of such a link.
pub(in crate::engine) fn port(buffer: Buffer) -> Port {
    let seed = Seed { seed: 1, run: 0 };
    let (stream, fibre) = (seed.stream("port", "queue"), AtPort::default());
    let rule = rule(buffer);
    Port::new(PortConfig { rule, stream, fibre, law: None, interceptor: None }).unwrap()
}

const MS: u64 = 1_000_000_000;
const US: u64 = 1_000_000;
const CONTINUE: MidPacket = MidPacket::Continue;

impl Port {
    /// A plain packet arrives.
    pub(in crate::engine) fn offer(&mut self, now: u64, size: u16) -> Admission {
        self.enqueue(now, &Packet { size, ..Packet::default() }, &mut PayloadTable::default())
    }
}

#[test]
fn a_packet_at_a_plain_port_touches_three_cache_lines() {
    assert_eq!((size_of::<Port>(), std::mem::offset_of!(Port, kind)), (320, 3 * 64));
}

#[test]
fn a_1500_byte_packet_leaves_after_12_us_and_arrives_a_delay_later() {
    assert_eq!(port(Buffer::Packets(1)).offer(0, 1500), Admission::Scheduled(12 * US + MS));
}

#[test]
fn one_waiting_place_means_two_in_the_system() {
    let mut port = port(Buffer::Packets(1));
    assert_eq!(port.offer(0, 1500), Admission::Scheduled(12 * US + MS));
    assert_eq!(port.offer(0, 1500), Admission::Scheduled(24 * US + MS));
    assert_eq!(port.offer(0, 1500), Admission::Dropped(Cause::Congestion));
    // Exactly when the first has left, its successor is in transmission and the place is free.
    assert_eq!(port.offer(12 * US, 1500), Admission::Scheduled(36 * US + MS));
    assert_eq!(port.offer(12 * US, 1500), Admission::Dropped(Cause::Congestion));
}

/// Which packets of a burst of 200 a port with one waiting place refuses, counted from 0. They have 1000 B and come
/// back to back from a link of 1 Gb/s.
fn refused_of_a_burst(capacity: Rate) -> Vec<u64> {
    let mut port = port(Buffer::Packets(1));
    port.change_capacity(0, capacity, CONTINUE, &mut Ring::new());
    let refused = |number: &u64| port.offer((number + 1) * 8 * US, 1000) == Admission::Dropped(Cause::Congestion);
    (0..200).filter(refused).collect()
}

#[test]
fn at_49_50ths_of_the_rate_the_one_packet_in_fifty_that_is_refused_hangs_on_a_picosecond() {
    // At 980 Mb/s 49 transmissions take as long as 50 arrivals, so packet 50 comes when packet 49 leaves the waiting
    // place. Here 8 163 265 ps are less than 8000 b / 980 Mb/s: the place is free 15 ps before.
    assert_eq!(refused_of_a_burst(Rate::from_mbps(980)), [51, 101, 151]);
    assert_eq!(refused_of_a_burst(Rate::from_bps(980_001_000)), [51, 101, 151]);
    // A millionth slower, it is free 400 ps after. ns-2 has both at 980 Mb/s (bench/ns2/burst.tcl).
    assert_eq!(refused_of_a_burst(Rate::from_bps(979_999_000)), [50, 100, 150]);
}

#[test]
fn a_buffer_in_bytes_counts_what_waits_but_not_what_is_in_transmission() {
    let mut port = port(Buffer::Bytes(units::Bytes(1540)));
    assert_eq!(port.offer(0, 1500), Admission::Scheduled(12 * US + MS));
    assert_eq!(port.offer(0, 1500), Admission::Scheduled(24 * US + MS));
    assert!(matches!(port.offer(0, 40), Admission::Scheduled(_)));
    assert_eq!(port.offer(0, 40), Admission::Dropped(Cause::Congestion));
}

#[test]
fn sums_over_time_are_exact_at_any_instant() {
    let mut port = port(Buffer::Unlimited);
    for _ in 0..3 {
        port.offer(0, 1500);
    }
    // At 18 us: one gone, the second half gone, the third has waited 18 of its 24 us and the second its 12.
    let reading = port.reading(18 * US);
    assert_eq!(reading.carried, Count { packets: 1, bytes: 1500 });
    assert_eq!((reading.busy, reading.waited, reading.waiting), (18 * US, u128::from(30 * US), 1));
    assert_eq!(port.restart_maximum(18 * US), 2);
    assert_eq!(port.restart_maximum(18 * US), 1);
}

fn fill(port: &mut Port, fibre: &mut Ring<Packet>, packets: u32) {
    for _ in 0..packets {
        if let Admission::Scheduled(at) = port.offer(0, 1500) {
            fibre.push(Packet { at, size: 1500, ..Packet::default() });
        }
    }
}

#[test]
fn a_tenth_of_the_capacity_makes_the_rest_last_ten_times_as_long() {
    let (mut port, mut fibre) = (port(Buffer::Unlimited), Ring::new());
    fill(&mut port, &mut fibre, 3);
    // At 18 us the second packet has 6 us to go, which become 60; the third then lasts 120.
    port.change_capacity(18 * US, Rate::from_mbps(100), CONTINUE, &mut fibre);
    let arrivals: Vec<u64> = fibre.iter().map(|packet| packet.at - MS).collect();
    assert_eq!(arrivals, [12 * US, 78 * US, 198 * US]);
    let reading = port.reading(198 * US);
    assert_eq!((reading.busy, reading.waited), (198 * US, u128::from((12 + 78) * US)));
    assert_eq!(reading.carried.packets, 3);
}

#[test]
fn a_shorter_delay_holds_for_what_has_not_left_and_nothing_overtakes() {
    let (mut port, mut fibre) = (port(Buffer::Unlimited), Ring::new());
    fill(&mut port, &mut fibre, 3);
    // A packet lasts 12 us, and its last bit arrives at least as long behind the one before.
    port.change_delay(12 * US, Duration::from_micros(995), CONTINUE, &mut fibre);
    let arrivals: Vec<u64> = fibre.iter().map(|packet| packet.at).collect();
    assert_eq!(arrivals, [1012 * US, 1024 * US, 1036 * US]);
    port.change_delay(24 * US, Duration::from_micros(100), CONTINUE, &mut fibre);
    let arrivals: Vec<u64> = fibre.iter().map(|packet| packet.at).collect();
    assert_eq!(arrivals, [1012 * US, 1024 * US, 1036 * US]);
    assert_eq!(port.offer(36 * US, 1500), Admission::Scheduled(1048 * US), "and so do those that come later");
    assert_eq!(port.offer(1000 * US, 1500), Admission::Scheduled(1112 * US), "until the fibre of before is empty");
}

#[test]
fn a_change_of_capacity_squeezes_nothing_either() {
    // The second packet goes on at a tenth of the time: the first bits at 1 Gb/s, 6 us are left of it and become 0.6.
    let (mut port, mut fibre) = (port(Buffer::Unlimited), Ring::new());
    fill(&mut port, &mut fibre, 3);
    port.change_capacity(18 * US, Rate::from_gbps(10), CONTINUE, &mut fibre);
    let arrivals: Vec<u64> = fibre.iter().map(|packet| packet.at - MS).collect();
    assert_eq!(arrivals, [12 * US, 18 * US + 600_000, 19 * US + 800_000]);
}

#[test]
fn a_cut_takes_back_what_has_not_left() {
    let (mut port, mut fibre) = (port(Buffer::Unlimited), Ring::new());
    fill(&mut port, &mut fibre, 3);
    assert_eq!(port.take_down(18 * US, CONTINUE, &mut fibre).from_fibre.len(), 2);
    assert_eq!(fibre.len(), 1);
    assert_eq!(port.offer(20 * US, 1500), Admission::Dropped(Cause::Unreachable));
    let reading = port.reading(20 * US);
    assert_eq!((reading.offered.packets, reading.carried.packets, reading.dropped.packets), (4, 1, 3));
    assert_eq!((reading.busy, reading.waited), (18 * US, u128::from((12 + 18) * US)));
    port.bring_up();
    assert_eq!(port.offer(30 * US, 1500), Admission::Scheduled(42 * US + MS));
}

#[test]
fn what_is_sent_after_a_cut_arrives_behind_what_had_left_before_it() {
    let (mut port, mut fibre) = (port(Buffer::Unlimited), Ring::new());
    fill(&mut port, &mut fibre, 1);
    port.change_delay(12 * US, Duration::from_micros(100), CONTINUE, &mut fibre);
    port.take_down(12 * US, CONTINUE, &mut fibre);
    port.bring_up();
    assert_eq!(port.offer(20 * US, 1500), Admission::Scheduled(24 * US + MS), "12 us behind it");
    assert_eq!(port.offer(950 * US, 1500), Admission::Scheduled(1062 * US));
}

/// A port as one would write it down: what was accepted, each with the times at which its transmission begins and ends.
#[derive(Default)]
struct Plain {
    accepted: Vec<(u64, u64, u64)>,
    waited: u128,
    most: u64,
}

impl Plain {
    /// When the last bit of a packet leaves, if it is accepted.
    fn offer(&mut self, now: u64, size: u64, byte: u64, buffer: Buffer, is_up: bool) -> Option<u64> {
        let busy_until = self.accepted.last().map_or(0, |last| last.1);
        let waiting = || self.accepted.iter().filter(|(start, ..)| *start > now);
        if busy_until > now {
            let full = match buffer {
                Buffer::Packets(places) => waiting().count() as u64 >= places,
                Buffer::Bytes(room) => waiting().map(|(.., size)| size).sum::<u64>() + size > room.count(),
                Buffer::Unlimited => false,
            };
            if full {
                return None;
            }
            self.most = self.most.max(waiting().count() as u64 + 1);
        } else if !is_up {
            return None;
        }
        let start = busy_until.max(now);
        self.waited += u128::from(start - now);
        let end = start + size * byte;
        self.accepted.push((start, end, size));
        Some(end)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// The plain one looks at everything each time.
    #[test]
    fn a_port_does_what_is_written_down(
        // Picoseconds a byte: at 1 Gb/s, and at 400 kb/s, where the time of a packet takes more than 64 bits on its
        // way.
        byte in prop_oneof![Just(8000u64), Just(20_000_000)],
        kind in 0u64..3,
        room in 0u64..5,
        arrivals in prop::collection::vec((0u64..30, 40u16..1500, 0u8..20), 1..120),
    ) {
        let buffer = match kind {
            0 => Buffer::Packets(room),
            1 => Buffer::Bytes(units::Bytes(700 * room)),
            _ => Buffer::Unlimited,
        };
        let (mut port, mut plain, mut now) = (port(buffer), Plain::default(), 0);
        port.change_capacity(0, Rate::from_bps(8_000_000_000_000 / byte), CONTINUE, &mut Ring::new());
        for (gap, size, event) in arrivals {
            now += gap * gap * 5 * byte;
            match event {
                // The link goes down and comes up again when nothing is under way.
                0 if port.busy_until() <= now => { port.take_down(now, CONTINUE, &mut Ring::new()); }
                1 => port.bring_up(),
                2 => {
                    let waiting = plain.accepted.iter().filter(|(start, ..)| *start > now).count() as u64;
                    prop_assert_eq!(port.restart_maximum(now), std::mem::replace(&mut plain.most, waiting));
                }
                _ => {}
            }
            let expected = plain.offer(now, u64::from(size), byte, buffer, port.is_up()).map(|end| end + MS);
            let found = match port.offer(now, size) {
                Admission::Scheduled(at) => Some(at),
                Admission::Dropped(_) => None,
                other => return Err(TestCaseError::fail(format!("{other:?}"))),
            };
            prop_assert_eq!(found, expected, "at {}", now);
        }
        let end = plain.accepted.last().map_or(now, |last| last.1.max(now));
        let reading = port.reading(end);
        prop_assert_eq!(reading.waited, plain.waited);
        prop_assert_eq!(reading.carried.packets, plain.accepted.len() as u64);
        prop_assert_eq!(port.restart_maximum(end), plain.most);
    }
}

#[test]
fn what_agents_keep_fills_a_room_to_its_last_packet_or_byte() {
    let mut port = port(Buffer::Unlimited);
    [1500, 40].into_iter().for_each(|size| port.keep(0, size));
    let is_full = |port: &Port, room| port.is_agent_backlog_full(room, Count::of(100));
    let bytes = |bytes| Buffer::Bytes(units::Bytes(bytes));
    assert_eq!([2, 3].map(|places| is_full(&port, Buffer::Packets(places))), [true, false]);
    assert_eq!([is_full(&port, bytes(1639)), is_full(&port, bytes(1640))], [true, false]);
    assert!(!is_full(&port, Buffer::Unlimited));
    port.take_least_agent_backlog();
    port.let_go(0, 1500);
    port.pass_agent_backlog();
    port.note_mark();
    assert_eq!((port.take_least_agent_backlog(), port.marked(), port.restart_maximum(0)), (40, 1, 2));
}

/// 1500 B at 1 Gb/s last 12 µs: 4 µs before their end 500 B are to come.
#[test]
fn a_plain_port_has_still_to_send_what_is_left_of_its_packets() {
    let mut port = port(Buffer::Unlimited);
    port.offer(0, 1500);
    assert_eq!([8, 12, 13].map(|us| port.take_least_backlog(us * US)), [500, 0, 0]);
}
