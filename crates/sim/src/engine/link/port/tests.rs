use super::*;
use crate::engine::packet::PayloadTable;
use crate::engine::packet::admission::Admission;
use crate::model::MidPacket;
use crate::random::Seed;
use proptest::prelude::*;
use units::{Duration, Rate};

/// 1 Gb/s and 1 ms.
pub(in crate::engine) fn port(buffer: Buffer) -> Port {
    let seed = Seed { seed: 1, run: 0 };
    let streams = Streams { loss: seed.stream("port", "loss"), queue: seed.stream("port", "queue") };
    let rule = PortRule::plain(Rate::from_gbps(1), Duration::from_millis(1), buffer);
    Port::new(PortConfig { rule, streams, interceptor: None }).unwrap()
}

const MS: u64 = 1_000_000_000;
const US: u64 = 1_000_000;
const CONTINUE: MidPacket = MidPacket::Continue;

#[test]
fn a_port_is_four_cache_lines_of_which_a_packet_that_need_not_wait_touches_two() {
    assert_eq!((size_of::<Port>(), std::mem::offset_of!(Port, buffer)), (256, 96));
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
    let reading = port.reading(18 * US, &Ring::new());
    assert_eq!(reading.carried, Count { packets: 1, bytes: 1500 });
    assert_eq!((reading.busy, reading.waited, reading.waiting), (18 * US, u128::from(30 * US), 1));
    assert_eq!(port.restart_maximum(18 * US, &Ring::new()), 2);
    assert_eq!(port.restart_maximum(18 * US, &Ring::new()), 1);
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
    let reading = port.reading(198 * US, &Ring::new());
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
    let reading = port.reading(20 * US, &Ring::new());
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

    /// The port asks without branches and sweeps when it must; the plain one looks at everything each time.
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
                    prop_assert_eq!(port.restart_maximum(now, &Ring::new()), std::mem::replace(&mut plain.most, waiting));
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
        let reading = port.reading(end, &Ring::new());
        prop_assert_eq!(reading.waited, plain.waited);
        prop_assert_eq!(reading.carried.packets, plain.accepted.len() as u64);
        prop_assert_eq!(port.restart_maximum(end, &Ring::new()), plain.most);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// At rates at which half a picosecond of rounding is much of a byte, and while what is inside came at another
    /// rate.
    #[test]
    fn a_port_that_always_looks_does_the_same(
        room in prop_oneof![0u64..400, 0u64..4000],
        // Packets of two bytes last 1 ps instead of 1.14 at 14 Tb/s, which is stretched where the rate falls.
        arrivals in prop::collection::vec(
            (prop_oneof![3 => 0u64..3, 1 => 0u64..2000], prop_oneof![4 => Just(2u16), 1 => 1u16..1500], 0usize..40),
            1..300,
        ),
    ) {
        const RATES: [u64; 5] = [14_000_000_000_000, 7_000_000_000_000, 999_999_937_000, 400_000_000_000, 3_000_000_000_001];
        let buffer = Buffer::Bytes(units::Bytes(room));
        let (mut quick, mut careful, mut now) = (port(buffer), port(buffer), 0);
        let mut fibres = [Ring::new(), Ring::new()];
        for (gap, size, event) in arrivals {
            now += gap;
            for (port, fibre) in [&mut quick, &mut careful].into_iter().zip(&mut fibres) {
                if let Some(rate) = RATES.get(event) {
                    port.change_capacity(now, Rate::from_bps(*rate), CONTINUE, fibre);
                }
            }
            (careful.count_bound, careful.time_bound) = (0, 0);
            let (one, other) = (quick.offer(now, size), careful.offer(now, size));
            prop_assert_eq!(one, other, "at {}", now);
            if let Admission::Scheduled(at) = one {
                fibres.iter_mut().for_each(|fibre| { fibre.push(Packet { at, size, ..Packet::default() }); });
            }
            prop_assert_eq!(quick.reading(now, &Ring::new()), careful.reading(now, &Ring::new()));
        }
    }
}

#[test]
fn waiting_time_of_any_length_is_a_sum() {
    let mut port = port(Buffer::Unlimited);
    port.set_waited(u128::from(u64::MAX) - 5 * u128::from(US));
    port.offer(0, 1500);
    port.offer(0, 1500);
    assert_eq!(port.waited(), u128::from(u64::MAX) + 7 * u128::from(US));
}

/// Whom a port asks what is inside, where it may.
#[derive(Clone, Copy, PartialEq)]
enum Asks {
    /// Its own list.
    Backlog,
    /// Its fibre.
    Fibre,
    /// What it has put on its fibre, which ends in another partition:
    /// [`Fabric::send_out`](crate::engine::node::fabric::Fabric::send_out).
    NearEnd,
}

/// A port and its fibre.
struct DisciplinedQueue {
    port: Port,
    fibre: Ring<Packet>,
    near: Ring<Packet>,
    asks: Asks,
}

impl DisciplinedQueue {
    fn new(buffer: Buffer, asks: Asks) -> DisciplinedQueue {
        DisciplinedQueue { port: port(buffer), fibre: Ring::new(), near: Ring::new(), asks }
    }

    /// One of each kind.
    fn of_each_kind(buffer: Buffer) -> [DisciplinedQueue; 3] {
        [Asks::Backlog, Asks::Fibre, Asks::NearEnd].map(|asks| DisciplinedQueue::new(buffer, asks))
    }

    fn offer(&mut self, now: u64, size: u16) -> Result<u64, Cause> {
        let DisciplinedQueue { port, fibre, near, asks } = self;
        let seen = if *asks == Asks::NearEnd { &*near } else { &*fibre };
        let admission = match asks {
            Asks::Backlog => port.offer(now, size),
            Asks::Fibre | Asks::NearEnd => {
                let packet = Packet { size, ..Packet::default() };
                port.enqueue(now, &packet, &mut PayloadTable::default(), seen)
            }
        };
        let offer = match admission {
            Admission::Scheduled(at) => Ok(at),
            Admission::Dropped(cause) => Err(cause),
            other => panic!("{other:?}"),
        };
        if let Ok(at) = offer {
            [fibre, near].into_iter().for_each(|ring| {
                ring.push(Packet { at, size, ..Packet::default() });
            });
        }
        offer
    }

    /// The scenario does something to the port and its fibre.
    fn change(&mut self, change: impl FnOnce(&mut Port, &mut Ring<Packet>)) {
        change(&mut self.port, &mut self.fibre);
        self.near = self.port.near_end(&self.fibre);
    }

    /// What has left by `now` is forgotten at the near end.
    fn post(&mut self, now: u64) {
        let left = now + self.port.delay();
        self.near.take_out_until(self.near.first_where(self.near.taken_out(), |packet| packet.at > left));
    }
}

fn are_equal<T: PartialEq>(all: &[T; 3]) -> bool {
    all[0] == all[1] && all[0] == all[2]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// A port of which its fibre says what is inside, or what it knows of a fibre that ends elsewhere, does as one that
    /// has a list, whatever happens to it on the way, and although the node at the far end may be ahead by the least
    /// delay.
    #[test]
    fn a_port_whose_fibre_says_what_is_inside_does_as_one_with_a_list(
        kind in 0u64..3,
        room in 0u64..5,
        // Packets of which all, or all but a few, have one size, and of any size.
        others in prop_oneof![Just(0u16), Just(70), Just(1500)],
        steps in prop::collection::vec((0u64..30, 40u16..1500, 0u64..40, 0u64..100), 1..150),
    ) {
        let buffer = match kind {
            0 => Buffer::Packets(room),
            1 => Buffer::Bytes(units::Bytes(700 * room)),
            _ => Buffer::Unlimited,
        };
        let mut lines = DisciplinedQueue::of_each_kind(buffer);
        let mut now = 0;
        for (gap, size, event, ahead) in steps {
            let size = if size < others { size } else { 700 };
            now += gap * gap * 50_000;
            for line in &mut lines {
                while line.fibre.first().is_some_and(|packet| packet.at < now + ahead * US) {
                    line.fibre.pop();
                }
                match event {
                    0 => line.change(|port, fibre| {
                        port.change_capacity(now, Rate::from_mbps(500 + 10 * room), CONTINUE, fibre);
                    }),
                    1 => line.change(|port, fibre| port.change_capacity(now, Rate::from_gbps(2), CONTINUE, fibre)),
                    2 => line.change(|port, fibre| {
                        port.change_delay(now, Duration::from_micros(100 + 50 * room), CONTINUE, fibre);
                    }),
                    3 => line.change(|port, fibre| port.change_delay(now, Duration::from_millis(1), CONTINUE, fibre)),
                    4 => line.change(|port, fibre| drop(port.take_down(now, CONTINUE, fibre))),
                    5..7 => line.port.bring_up(),
                    7 if line.asks == Asks::Fibre => line.port.use_own_list(&line.fibre),
                    8..12 => line.post(now),
                    // The nodes are assigned anew.
                    12 => line.near = line.port.near_end(&line.fibre),
                    _ => {}
                }
            }
            let offers = lines.each_mut().map(|line| line.offer(now, size));
            prop_assert!(are_equal(&offers), "at {}: {:?}", now, offers);
            let fibres = lines.each_ref().map(|line| line.fibre.iter().map(|packet| packet.at).collect::<Vec<_>>());
            prop_assert!(are_equal(&fibres), "at {}: {:?}", now, fibres);
            let said = lines.each_mut().map(|line| {
                let reading = (event > 20).then(|| line.port.reading(now, &line.fibre));
                let most = (event > 35).then(|| line.port.restart_maximum(now, &line.fibre));
                (reading, most, line.port.busy_until())
            });
            prop_assert!(are_equal(&said), "at {}: {:?}", now, said);
        }
    }

    /// To the picosecond: packets of one size come when one has just left, leaves now, or is about to.
    #[test]
    fn how_long_a_packet_waits_says_how_many_are_inside(
        kind in 0u64..3,
        room in 0u64..6,
        steps in prop::collection::vec((prop_oneof![4 => Just(0u64), 3 => 1u64..4], 0u64..3, 0u64..40), 1..100),
    ) {
        const LASTS: u64 = 5_600_000;
        let buffer = match kind {
            0 => Buffer::Packets(room),
            1 => Buffer::Bytes(units::Bytes(350 * room)),
            _ => Buffer::Unlimited,
        };
        let mut lines = DisciplinedQueue::of_each_kind(buffer);
        let (mut left, mut now) = (10, 0);
        for (packets, off, restart) in steps {
            left += packets * LASTS;
            now = now.max(left - 1 + off);
            let offers = lines.each_mut().map(|line| line.offer(now, 700));
            prop_assert!(are_equal(&offers), "at {}: {:?}", now, offers);
            if restart == 0 {
                let most = lines.each_mut().map(|line| line.port.restart_maximum(now, &line.fibre));
                prop_assert!(are_equal(&most), "at {}: {:?}", now, most);
            }
        }
        let said = lines.each_mut().map(|line| {
            (line.port.reading(now, &line.fibre), line.port.restart_maximum(now, &line.fibre))
        });
        prop_assert!(are_equal(&said), "{:?}", said);
    }
}
