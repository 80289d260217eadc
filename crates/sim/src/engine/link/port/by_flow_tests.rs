//! A port that serves flows by turns, against a second program of some lines.

use super::*;
use crate::engine::packet::admission::{Admission, Count};
use crate::engine::packet::{NEVER, Packet, PayloadTable};
use crate::links::AtPort;
use crate::model::{Buffer, PortRule};
use crate::random::Seed;
use proptest::prelude::*;
use std::collections::VecDeque;
use units::{Duration, Rate};

/// 1 Gb/s: a byte lasts 8 ns.
pub(super) const BYTE_PS: u64 = 8000;
/// 1 ms.
const DELAY: u64 = 1_000_000_000;

/// A packet of a flow that comes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coming {
    pub(super) at: u64,
    pub(super) flow: u32,
    pub(super) size: u16,
}

/// When the last bit of each packet leaves.
type Ends = Vec<u64>;

/// A port with deficit round robin, and when packets have left it. With `passes_on` a packet that finds it empty is not
/// put into the queue.
fn ends_at_port(quantum: u32, coming: &[Coming], passes_on: bool) -> Ends {
    let queue = queue::Config::Drr(queue::drr::Config { quantum, ..Default::default() });
    let rule = PortRule { queue, ..PortRule::plain(Rate::from_gbps(1), Duration::from_ps(DELAY), Buffer::Unlimited) };
    let stream = Seed { seed: 1, run: 0 }.stream("port", "queue");
    let mut port =
        Port::new(PortConfig { rule, stream, fibre: AtPort::default(), law: None, interceptor: None }).unwrap();
    if passes_on {
        port.pass_on();
        assert!(port.passes_on);
    }
    let mut ends = vec![0; coming.len()];
    let mut note = |packet: &Packet, at: u64| ends[packet.seq as usize] = at - DELAY;
    for (seq, Coming { at, flow, size }) in (0..).zip(coming.iter().copied()) {
        release_before(&mut port, at + 1, &mut note);
        let packet = Packet { seq, flow, size, ..Packet::default() };
        if let Admission::Scheduled(end) = port.enqueue(at, &packet, &mut PayloadTable::default()) {
            note(&packet, end);
        }
        release(&mut port, at, &mut note);
    }
    release_before(&mut port, NEVER, &mut note);
    let carried = port.reading(u64::MAX / 2).carried;
    let bytes: u64 = coming.iter().map(|one| u64::from(one.size)).sum();
    assert_eq!((carried, port.held()), (Count { packets: coming.len() as u64, bytes }, 0));
    ends
}

/// All departures before a time.
fn release_before(port: &mut Port, limit: u64, note: &mut impl FnMut(&Packet, u64)) {
    while let Some((_, at)) = port.departure().filter(|(_, at)| *at < limit) {
        release(port, at, note);
    }
}

fn release(port: &mut Port, now: u64, note: &mut impl FnMut(&Packet, u64)) {
    let mut packet = Packet::default();
    while let Some(admission) = port.release(now, &mut packet) {
        let Admission::Scheduled(at) = admission else { panic!("{admission:?}") };
        note(&packet, at);
    }
}

/// The same by a program that knows times of packets only. Whoever comes as a transmission ends comes too late for the
/// next one, unless nobody waits.
fn ends_by_turns(quantum: u64, coming: &[Coming]) -> Ends {
    let mut ends = vec![0; coming.len()];
    let mut queues: Vec<VecDeque<usize>> = vec![VecDeque::new(); 16];
    let (mut turns, mut deficits, mut has_quantum) = (VecDeque::<usize>::new(), [0; 16], false);
    let (mut next, mut now) = (0, 0);
    loop {
        let waits = |turns: &VecDeque<usize>| !turns.is_empty();
        while next < coming.len() && (coming[next].at < now || !waits(&turns)) {
            let flow = coming[next].flow as usize;
            if queues[flow].is_empty() {
                turns.push_back(flow);
            }
            queues[flow].push_back(next);
            now = now.max(coming[next].at);
            next += 1;
        }
        let Some(flow) = turns.front().copied() else { return ends };
        if !has_quantum {
            deficits[flow] += quantum;
            has_quantum = true;
        }
        let size = u64::from(coming[queues[flow][0]].size);
        if size <= deficits[flow] {
            deficits[flow] -= size;
            now += size * BYTE_PS;
            ends[queues[flow].pop_front().unwrap()] = now;
            if !queues[flow].is_empty() {
                continue;
            }
            deficits[flow] = 0;
        } else {
            turns.push_back(flow);
        }
        turns.pop_front();
        has_quantum = false;
    }
}

/// Times on a grid of a hundred bytes, so that arrivals and departures meet.
pub(super) fn arrivals() -> impl Strategy<Value = Vec<Coming>> {
    let one = (0u64..40, 0u32..5, prop::sample::select(vec![40u16, 100, 500, 1000, 1500]));
    prop::collection::vec(one, 1..120).prop_map(|all| {
        let mut at = 0;
        all.into_iter()
            .map(|(gap, flow, size)| {
                at += if gap < 10 { 0 } else { gap * 100 * BYTE_PS };
                Coming { at, flow, size }
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// A flow of packets of 100 B, or of more than it may send in a turn, beside others, in random order.
    #[test]
    fn packets_leave_when_a_second_program_says(
        quantum in prop::sample::select(vec![100u32, 1000, 1500, 9000]), coming in arrivals(),
    ) {
        let expected = ends_by_turns(u64::from(quantum), &coming);
        prop_assert_eq!(&ends_at_port(quantum, &coming, true), &expected);
        prop_assert_eq!(&ends_at_port(quantum, &coming, false), &expected);
    }

    /// The last bit of all leaves when it does first in, first out: nobody idles while something waits.
    #[test]
    fn the_order_costs_no_time(coming in arrivals()) {
        let ends = ends_at_port(1500, &coming, true);
        let fifo = coming.iter().fold(0, |free: u64, one| free.max(one.at) + u64::from(one.size) * BYTE_PS);
        prop_assert_eq!(ends.iter().max(), Some(&fifo));
    }
}
