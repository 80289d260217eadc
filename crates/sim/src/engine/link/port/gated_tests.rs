//! A port behind a gate against one that is computed picosecond by picosecond, and against one without a gate.

use super::*;
use crate::engine::link::gated::Window;
use crate::engine::link::ring::Ring;
use crate::engine::packet::PayloadTable;
use crate::engine::packet::admission::Admission;
use crate::links::AtPort;
use crate::model::{MidPacket, Packing};
use crate::random::Seed;
use proptest::prelude::*;
use units::{Duration, Rate};

/// 1 ms in picoseconds, the delay of the port.
const DELAY: u64 = 1_000_000_000;

/// A byte lasts 8 ps.
fn port(opening: Opening, buffer: Buffer) -> Port {
    let seed = Seed { seed: 1, run: 0 };
    let (stream, fibre) = (seed.stream("port", "queue"), AtPort::default());
    let rule = PortRule::plain(Rate::from_gbps(1000), Duration::from_millis(1), buffer);
    Port::new(PortConfig { rule: PortRule { opening, ..rule }, stream, fibre, law: None, interceptor: None }).unwrap()
}

/// When the last bit of a packet leaves and whether it passes the switch, for those that have their time now.
fn offer(port: &mut Port, now: u64, size: u16) -> (Admission, Vec<(u64, bool)>) {
    let packet = Packet { size, ..Packet::default() };
    let admission = port.enqueue(now, &packet, &mut PayloadTable::default());
    let mut found: Vec<(u64, bool)> = sent(port, admission).into_iter().collect();
    if admission == Admission::Queued {
        found.extend(release(port, now));
    }
    (admission, found)
}

fn release(port: &mut Port, now: u64) -> Vec<(u64, bool)> {
    let mut packet = Packet::default();
    std::iter::from_fn(|| port.release(now, &mut packet).map(|admission| sent(port, admission).unwrap())).collect()
}

fn sent(port: &Port, admission: Admission) -> Option<(u64, bool)> {
    match admission {
        Admission::Scheduled(at) => Some((at - DELAY, true)),
        Admission::Dropped(Cause::GuardViolation) => Some((port.newest().unwrap().1, false)),
        _ => None,
    }
}

/// Windows cycle by cycle: (start of the cycle, its windows). Cycles last 1000 ps.
fn cycles() -> impl Strategy<Value = Vec<(u64, Vec<Window>)>> {
    let slots = prop::collection::vec((any::<bool>(), 0u64..20, prop::bool::weighted(0.8)), 10);
    prop::collection::vec(slots, 1..12).prop_map(|cycles| {
        let slot = |cycle: u64, slot: u64, guard: u64, passes| {
            let start = 1000 * cycle + 100 * slot + guard;
            Window { start, end: 1000 * cycle + 100 * (slot + 1) - guard, passes }
        };
        let windows = |(cycle, slots): (usize, Vec<(bool, u64, bool)>)| {
            let open = slots.into_iter().zip(0..).filter(|((is_open, ..), _)| *is_open);
            let cycle = cycle as u64;
            (1000 * cycle, open.map(|((_, guard, passes), number)| slot(cycle, number, guard, passes)).collect())
        };
        cycles.into_iter().enumerate().map(windows).collect()
    })
}

/// When a packet begins, when it ends and whether it passes, if it gets that far, and how long it is transmitted.
type Course = (Option<u64>, Option<(u64, bool)>, u64);

/// What a gate does, picosecond by picosecond.
fn by_hand(packing: Packing, windows: &[Window], packets: &[(u64, u64)]) -> Vec<Course> {
    let (mut results, mut now) = (Vec::new(), 0);
    for (arrived, work) in packets {
        let (mut left, mut begun, mut passes) = (*work, None, true);
        now = now.max(*arrived);
        for window in windows {
            if packing == Packing::Whole && window.end.saturating_sub(now.max(window.start)) < left {
                continue;
            }
            while left > 0 && now.max(window.start) < window.end {
                now = now.max(window.start);
                begun = begun.or(Some(now));
                passes &= window.passes;
                (now, left) = (now + 1, left - 1);
            }
            if left == 0 {
                break;
            }
        }
        results.push((begun, (left == 0).then_some((now, passes)), work - left));
        if left > 0 {
            // Nobody overtakes.
            results.resize(packets.len(), (None, None, 0));
            break;
        }
    }
    results
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn packets_leave_as_they_would_bit_by_bit(
        cycles in cycles(),
        whole in any::<bool>(),
        holds_all in any::<bool>(),
        arrivals in prop::collection::vec((0u64..400, 1u16..11), 1..60),
    ) {
        let packing = if whole { Packing::Whole } else { Packing::Cut };
        let mut time = 0;
        let packets: Vec<(u64, u16)> = arrivals.iter().map(|(gap, size)| { time += gap; (time, *size) }).collect();
        let end = 1000 * cycles.len() as u64;
        let packets: Vec<(u64, u16)> = packets.into_iter().filter(|(at, _)| *at < end).collect();
        let windows: Vec<Window> = cycles.iter().flat_map(|(_, windows)| windows.clone()).collect();
        let work: Vec<(u64, u64)> = packets.iter().map(|(at, size)| (*at, 8 * u64::from(*size))).collect();
        let expected = by_hand(packing, &windows, &work);

        let mut port = port(Opening::InWindows(packing), Buffer::Unlimited);
        if holds_all {
            port.watch();
        }
        let (mut found, mut coming, mut seen) = (Vec::new(), packets.iter().peekable(), 0);
        for (begins, windows) in &cycles {
            let mut offer_until = |port: &mut Port, limit: u64, found: &mut Vec<(u64, bool)>| {
                while let Some((at, size)) = coming.next_if(|(at, _)| *at < limit).copied() {
                    let (admission, sent) = offer(port, at, size);
                    assert!(admission != Admission::Blocked || sent.is_empty());
                    found.extend(sent);
                    // Totals at any instant, by the packets seen so far.
                    seen += 1;
                    let waits = |course: &&Course| course.0.is_none_or(|begun| begun > at);
                    assert_eq!(port.reading(at).waiting, expected[..seen].iter().filter(waits).count() as u64);
                }
            };
            offer_until(&mut port, *begins, &mut found);
            port.begin_cycle(*begins, windows.len() as u32);
            windows.iter().for_each(|window| port.open_windows(*window));
            found.extend(release(&mut port, *begins));
            offer_until(&mut port, begins + 1000, &mut found);
        }
        let through: Vec<_> = expected.iter().map_while(|course| course.1).collect();
        prop_assert_eq!(&found, &through);
        let reading = port.reading(end);
        prop_assert_eq!(reading.busy, expected.iter().map(|course| course.2).sum::<u64>());
        prop_assert_eq!(reading.carried.packets, found.len() as u64);
        let waited = expected.iter().zip(&packets).map(|(course, (at, _))| course.0.unwrap_or(end) - at);
        prop_assert_eq!(reading.waited, waited.map(u128::from).sum::<u128>());
    }

    /// A window without an end.
    #[test]
    fn a_gate_that_is_always_open_is_none(
        whole in any::<bool>(),
        room in prop_oneof![
            (0u64..5).prop_map(Buffer::Packets),
            (0u64..4000).prop_map(|bytes| Buffer::Bytes(units::Bytes(bytes))),
            Just(Buffer::Unlimited),
        ],
        arrivals in prop::collection::vec((0u64..16_000, 40u16..1500, 0u8..20), 1..120),
    ) {
        let packing = if whole { Packing::Whole } else { Packing::Cut };
        let openings = [Opening::Always, Opening::InWindows(packing)];
        let mut ports = openings.map(|opening| port(opening, room));
        ports[1].begin_cycle(0, 1);
        ports[1].open_windows(Window { start: 0, end: u64::MAX / 2, passes: true });
        let mut now = 0;
        for (gap, size, event) in arrivals {
            now += gap;
            let [one, other] = ports.each_mut().map(|port| (offer(port, now, size), port.reading(now)));
            prop_assert_eq!(one, other, "at {}", now);
            if event == 0 {
                let [one, other] = ports.each_mut().map(|port| port.restart_maximum(now));
                prop_assert_eq!(one, other, "at {}", now);
            }
        }
    }
}

#[test]
fn what_had_no_slot_is_given_back_when_the_link_goes_down() {
    let (mut port, mut in_flight) = (port(Opening::InWindows(Packing::Cut), Buffer::Unlimited), Ring::new());
    port.begin_cycle(0, 1);
    port.open_windows(Window { start: 10, end: 100, passes: true });
    for _ in 0..3 {
        for (end, _) in offer(&mut port, 0, 5).1 {
            in_flight.push(Packet { at: end + DELAY, size: 5, ..Packet::default() });
        }
    }
    // Two of 40 ps each are placed, the third has 10 ps; at 30 ps the first is half gone.
    let lost = port.take_down(30, crate::model::MidPacket::Cut, &mut in_flight);
    assert_eq!((lost.from_fibre.len(), lost.held.len()), (2, 1));
    let reading = port.reading(30);
    assert_eq!((reading.busy, reading.waiting, reading.waited), (20, 0, 10 + 30 + 30));
    assert_eq!((reading.carried.packets, reading.dropped.packets), (0, 3));
    // The rest of the window can be used again.
    port.bring_up();
    assert_eq!(offer(&mut port, 30, 5).1, [(70, true)]);
}

/// The same port as a link with phases: what is not in a window is a pause, and the rest of a packet goes on behind it.
/// It gives what is on the fibre, and how many packets found no room.
fn in_phases(windows: &[Window], packets: &[(u64, u16)], places: u64) -> (Vec<u64>, usize) {
    let seed = Seed { seed: 1, run: 0 };
    let (stream, fibre) = (seed.stream("port", "queue"), AtPort::default());
    let rule = PortRule::plain(Rate::from_gbps(1000), Duration::from_millis(1), Buffer::Packets(places));
    let config = PortConfig { rule: rule.decided_late(), stream, fibre, law: None, interceptor: None };
    let (mut port, mut fibre, mut dropped) = (Port::new(config).unwrap(), Ring::new(), 0);
    let mut send = |port: &mut Port, fibre: &mut Ring<Packet>, now: u64| {
        let mut packet = Packet::default();
        while let Some(admission) = port.release(now, &mut packet) {
            match admission {
                Admission::Scheduled(at) => drop(fibre.push(Packet { at, ..packet })),
                _ => dropped += 1,
            }
        }
    };
    let edges = windows.iter().flat_map(|window| [(window.start, true), (window.end, false)]);
    let mut events: Vec<(u64, u8, u16)> = edges.map(|(at, opens)| (at, u8::from(opens), 0)).collect();
    events.extend(packets.iter().map(|(at, size)| (*at, 2, *size)));
    events.push((0, 0, 0));
    // A window closes and another opens before a packet comes.
    events.sort_by_key(|(at, what, _)| (*at, *what));
    for (now, what, size) in events {
        // A link changes before what happens at the same instant.
        while let Some((_, at)) = port.departure().filter(|(_, at)| *at < now || what == 2 && *at == now) {
            send(&mut port, &mut fibre, at);
        }
        match what {
            2 => {
                let packet = Packet { size, ..Packet::default() };
                port.enqueue(now, &packet, &mut PayloadTable::default());
            }
            opens => {
                let capacity = if opens == 1 { Rate::from_gbps(1000) } else { Rate::from_bps(0) };
                port.change_capacity(now, capacity, MidPacket::Continue, &mut fibre);
            }
        }
        send(&mut port, &mut fibre, now);
    }
    while let Some((_, at)) = port.departure().filter(|(_, at)| *at < crate::engine::packet::NEVER) {
        send(&mut port, &mut fibre, at);
    }
    (fibre.iter().map(|packet| packet.at - DELAY).collect(), dropped)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    /// Windows of a gate that cuts packets are phases of a link: the same packets leave at the same picoseconds, and as
    /// many find no room. Phases have a rate, a delay and a buffer of their own besides.
    #[test]
    fn windows_are_phases(
        cycles in cycles(),
        places in 0u64..6,
        arrivals in prop::collection::vec((0u64..400, 1u16..11), 1..60),
    ) {
        let mut time = 0;
        let packets: Vec<(u64, u16)> = arrivals.iter().map(|(gap, size)| { time += gap; (time, *size) }).collect();
        let end = 1000 * cycles.len() as u64;
        let packets: Vec<(u64, u16)> = packets.into_iter().filter(|(at, _)| *at < end).collect();
        let cycles: Vec<(u64, Vec<Window>)> = cycles.into_iter().map(|(start, windows)| {
            let whole = windows.into_iter().filter(|window| window.start < window.end);
            (start, whole.map(|window| Window { passes: true, ..window }).collect())
        }).collect();
        let windows: Vec<Window> = cycles.iter().flat_map(|(_, windows)| windows.clone()).collect();

        let mut gated = port(Opening::InWindows(Packing::Cut), Buffer::Packets(places));
        let (mut left, mut dropped, mut next) = (Vec::new(), 0, packets.iter().peekable());
        for (start, windows) in &cycles {
            gated.begin_cycle(*start, windows.len() as u32);
            windows.iter().for_each(|window| gated.open_windows(*window));
            left.extend(release(&mut gated, *start));
            while let Some((at, size)) = next.next_if(|(at, _)| *at < start + 1000) {
                let (admission, found) = offer(&mut gated, *at, *size);
                dropped += usize::from(admission == Admission::Dropped(Cause::Congestion));
                left.extend(found);
            }
        }
        let left: Vec<u64> = left.into_iter().map(|(at, _)| at).filter(|at| *at <= end).collect();
        let (mut phased, found_no_room) = in_phases(&windows, &packets, places);
        phased.retain(|at| *at <= end);
        prop_assert_eq!(left, phased);
        prop_assert_eq!(dropped, found_no_room);
    }
}
