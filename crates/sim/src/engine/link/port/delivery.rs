//! A port whose packets leave at given instants, in full: mahimahi's link (Netravali et al., USENIX ATC 2015; its
//! `link_queue.cc`). At an instant so many bytes may leave. What a packet lacks then it gets at the next one, and what
//! is left of an instant that finds nothing more is lost. A packet that comes at the instant itself has missed it.

use super::pause::HALTED;
use super::{Port, PortKind};
use crate::engine::link::backlog::Transmission;
use crate::engine::link::disciplined_queue::Turn;
use crate::engine::link::ring::Ring;
use crate::engine::packet::Packet;

impl Port {
    /// Packets leave at instants from now on. Only of a port that decides each departure late.
    pub fn deliver_at_instants(&mut self) {
        self.line_mut().into_iter().for_each(|line| line.turn = Some(Turn::default()));
    }

    /// Whether they do.
    #[inline]
    pub(super) fn delivers(&self) -> bool {
        matches!(&self.kind, PortKind::Disciplined(line) if line.turn.is_some())
    }

    /// An instant at which so many bytes may leave: first the rest of a packet; [`Port::departure`] is due for others.
    pub fn deliver(&mut self, now: u64, bytes: u64, in_flight: &mut Ring<Packet>) {
        self.sweep(now);
        let before = self.arrival_before(in_flight);
        let Some(line) = self.line_mut() else { return };
        let (waits, Some(turn)) = (line.held().packets > 0, &mut line.turn) else { return };
        let lacked = turn.rest > 0;
        turn.bytes = bytes;
        let (served, is_over) = (turn.serve(), turn.rest == 0);
        if !waits {
            turn.bytes = 0;
        }
        line.resume(now);
        if lacked {
            self.count_part(if is_over { now } else { HALTED }, served);
        }
        if lacked && is_over {
            self.backlog.complete(now);
            self.retime(before, in_flight);
        }
    }

    /// A packet of this size begins to leave: when its last bit has left, as far as that is known.
    pub(super) fn deliver_first(&mut self, now: u64, size: u16) -> u64 {
        let Some(turn) = self.line_mut().and_then(|line| line.turn.as_mut()) else { return now };
        turn.rest = size.into();
        let part = turn.serve();
        let end = if turn.rest == 0 { now } else { HALTED };
        self.count_part(end, part);
        self.backlog.push(Transmission { start: now, end, size, is_lost: false, follows: false });
        end
    }

    /// Utilization is a share of what may leave in the millisecond that ends, whose rate is the port's.
    fn count_part(&mut self, end: u64, bytes: u32) {
        self.backlog.occupy(end, self.byte_time.of(bytes).ps());
    }
}

#[cfg(test)]
mod tests {
    use super::super::PortConfig;
    use super::*;
    use crate::engine::packet::PayloadTable;
    use crate::engine::packet::admission::Admission;
    use crate::links::AtPort;
    use crate::model::{Buffer, PortRule};
    use crate::random::Seed;
    use proptest::prelude::*;
    use std::collections::VecDeque;
    use units::{Duration, Rate};

    const DELAY: u64 = 7_000_000;
    const MS: u64 = 1_000_000_000;

    fn port(places: u64) -> Port {
        let seed = Seed { seed: 1, run: 0 };
        let (stream, fibre) = (seed.stream("port", "queue"), AtPort::default());
        let delay = Duration::from_ps(DELAY);
        let rule = PortRule::plain(Rate::from_mbps(12), delay, Buffer::Packets(places)).decided_late();
        let mut port = Port::new(PortConfig { rule, stream, fibre, law: None, interceptor: None }).unwrap();
        port.deliver_at_instants();
        port
    }

    /// What comes, and the instants; times in half milliseconds.
    #[derive(Clone, Copy, Debug)]
    enum Input {
        Packet(u16),
        Instant(u64),
    }

    /// Sends what may leave now; whether the packet that came is in.
    fn release(port: &mut Port, now: u64, fibre: &mut Ring<Packet>) -> bool {
        let (mut packet, mut is_in) = (Packet::default(), true);
        while let Some(admission) = port.release(now, &mut packet) {
            match admission {
                Admission::Scheduled(at) => drop(fibre.push(Packet { at, ..packet })),
                Admission::Dropped(_) => is_in = false,
                other => panic!("{other:?}"),
            }
        }
        is_in
    }

    /// When the packets that get in have left the port, as far as they have.
    fn left(inputs: &[(u64, Input)], places: u64) -> Vec<u64> {
        let (mut port, mut fibre, mut inside) = (port(places), Ring::new(), 0);
        for (at, input) in inputs {
            let now = at * MS / 2;
            match input {
                Input::Packet(size) => {
                    let packet = Packet { size: *size, ..Packet::default() };
                    assert_eq!(port.enqueue(now, &packet, &mut PayloadTable::default()), Admission::Queued);
                    inside += u64::from(release(&mut port, now, &mut fibre));
                }
                Input::Instant(bytes) => {
                    port.deliver(now, *bytes, &mut fibre);
                    while port.departure().is_some_and(|(_, due)| due <= now) {
                        release(&mut port, now, &mut fibre);
                    }
                }
            }
        }
        let end = inputs.last().map_or(0, |(at, _)| at * MS / 2);
        let reading = port.reading(end);
        assert_eq!(reading.offered.packets - reading.dropped.packets, inside);
        let left: Vec<u64> = fibre.iter().map(|packet| packet.at - DELAY).filter(|at| *at <= end).collect();
        assert_eq!(reading.carried.packets, left.len() as u64);
        left
    }

    /// mahimahi's `LinkQueue::rationalize` in its own words: an instant burns its bytes on the packet in transit, then
    /// on those that wait. Packets that come then come behind it.
    fn mahimahi(inputs: &[(u64, Input)], places: u64) -> Vec<u64> {
        let (mut queue, mut in_transit, mut left) = (VecDeque::new(), 0, Vec::new());
        for (at, input) in inputs {
            match input {
                Input::Packet(size) if (queue.len() as u64) < places => queue.push_back(u64::from(*size)),
                Input::Packet(_) => {}
                Input::Instant(bytes) => {
                    let mut bytes = *bytes;
                    while bytes > 0 {
                        if in_transit == 0 {
                            let Some(next) = queue.pop_front() else { break };
                            in_transit = next;
                        }
                        let sent = bytes.min(in_transit);
                        (bytes, in_transit) = (bytes - sent, in_transit - sent);
                        if in_transit == 0 {
                            left.push(at * MS / 2);
                        }
                    }
                }
            }
        }
        left
    }

    fn inputs() -> impl Strategy<Value = Vec<(u64, Input)>> {
        let input = prop_oneof![
            3 => (40u16..4000).prop_map(Input::Packet),
            2 => prop_oneof![Just(1500u64), Just(3000), 1u64..2000].prop_map(Input::Instant),
        ];
        prop::collection::vec((0u64..3, input), 1..80).prop_map(|steps| {
            let mut now = 0;
            let mut inputs: Vec<_> = steps
                .into_iter()
                .map(|(gap, input)| {
                    now += gap;
                    (now, input)
                })
                .collect();
            inputs.sort_by_key(|(at, input)| (*at, matches!(input, Input::Packet(_))));
            inputs
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

        #[test]
        fn packets_leave_as_those_of_mahimahi(inputs in inputs(), places in 0u64..8) {
            prop_assert_eq!(left(&inputs, places), mahimahi(&inputs, places));
        }
    }
}
