//! A port whose link has no capacity for a while: its queue stays, fills and goes on. Only a port that decides each
//! departure late pauses.

use super::Port;
use super::changes::stretch;
use crate::engine::link::disciplined_queue::Pause;
use crate::engine::link::ring::Ring;
use crate::engine::packet::{NEVER, Packet};
use crate::model::MidPacket;
use units::ByteTime;

/// When the packet in transmission ends while it stands still: later than any run, and a delay before [`NEVER`].
pub(super) const HALTED: u64 = NEVER - (1 << 56);

impl Port {
    /// The transmitter stands still, at once or when the packet in transmission is over.
    pub(super) fn pause(&mut self, now: u64, rest: MidPacket, before: u64, in_flight: &mut Ring<Packet>) {
        if self.line().is_none_or(|line| line.pause.is_some() || line.turn.is_some()) {
            return;
        }
        let is_halted = !self.backlog.is_empty() && rest != MidPacket::Finish;
        let left = is_halted.then(|| self.backlog.halt(now, HALTED));
        if is_halted {
            self.retime(before, in_flight);
        }
        self.line_mut().into_iter().for_each(|line| line.pause = Some(Pause { since: now, left }));
    }

    /// The transmitter goes on at another rate, or the same.
    pub(super) fn resume(
        &mut self,
        now: u64,
        pause: Pause,
        [old, new]: [ByteTime; 2],
        before: u64,
        in_flight: &mut Ring<Packet>,
    ) {
        if let Some(left) = pause.left {
            let left = stretch(left, old, new);
            self.backlog.go_on(now - pause.since, left, now + left);
            self.retime(before, in_flight);
        }
        self.line_mut().into_iter().for_each(|line| line.resume(now));
    }

    /// Whether a packet in transmission stands still.
    pub(super) fn is_halted(&self) -> bool {
        self.halted().is_some()
    }

    /// How long the packet that stands still would yet last.
    pub(super) fn halted(&self) -> Option<u64> {
        let line = self.line()?;
        let rest = line.turn.filter(|turn| turn.rest > 0).map(|turn| self.byte_time.of(turn.rest).ps());
        line.pause.and_then(|pause| pause.left).or(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::link::port::PortConfig;
    use crate::engine::packet::PayloadTable;
    use crate::engine::packet::admission::{Admission, Cause};
    use crate::links::AtPort;
    use crate::model::{Buffer, PortRule};
    use crate::random::Seed;
    use units::{Duration, Rate};

    const MS: u64 = 1_000_000_000;
    const US: u64 = 1_000_000;
    const NONE: Rate = Rate::from_bps(0);

    /// A port of 1 Gb/s and 1 ms that decides departures late, and its fibre. A packet lasts 12 us.
    struct Late {
        port: Port,
        fibre: Ring<Packet>,
    }

    impl Late {
        fn new(buffer: Buffer) -> Late {
            let seed = Seed { seed: 1, run: 0 };
            let (stream, fibre) = (seed.stream("port", "queue"), AtPort::default());
            let rule = PortRule::plain(Rate::from_gbps(1), Duration::from_millis(1), buffer).decided_late();
            Late {
                port: Port::new(PortConfig { rule, stream, fibre, law: None, interceptor: None }).unwrap(),
                fibre: Ring::new(),
            }
        }

        /// A packet comes; why it is dropped if it is.
        fn offer(&mut self, now: u64) -> Option<Cause> {
            let packet = Packet { size: 1500, ..Packet::default() };
            match self.port.enqueue(now, &packet, &mut PayloadTable::default()) {
                Admission::Dropped(cause) => Some(cause),
                _ => self.release(now),
            }
        }

        /// What is sent or dropped now.
        fn release(&mut self, now: u64) -> Option<Cause> {
            let (mut packet, mut cause) = (Packet::default(), None);
            while let Some(admission) = self.port.release(now, &mut packet) {
                match admission {
                    Admission::Scheduled(at) => drop(self.fibre.push(Packet { at, ..packet })),
                    Admission::Dropped(why) => cause = Some(why),
                    other => panic!("{other:?}"),
                }
            }
            cause
        }

        fn pause(&mut self, now: u64, rest: MidPacket) {
            self.port.change_capacity(now, NONE, rest, &mut self.fibre);
        }

        fn resume(&mut self, now: u64, rest: MidPacket) {
            self.port.change_capacity(now, Rate::from_gbps(1), rest, &mut self.fibre);
        }

        /// Sends until nothing is left, and gives when packets arrive.
        fn drained(&mut self) -> Vec<u64> {
            while let Some((_, at)) = self.port.departure().filter(|(_, at)| *at < NEVER) {
                self.release(at);
            }
            self.fibre.iter().map(|packet| packet.at).collect()
        }
    }

    #[test]
    fn the_rest_of_a_packet_goes_on_behind_a_pause() {
        let mut late = Late::new(Buffer::Unlimited);
        (0..3).for_each(|_| assert_eq!(late.offer(0), None));
        late.pause(6 * US, MidPacket::Continue);
        assert_eq!(late.port.departure().unwrap().1, NEVER);
        let reading = late.port.reading(50 * US);
        assert_eq!((reading.busy, reading.waiting, reading.carried.packets), (6 * US, 2, 0));
        late.resume(100 * US, MidPacket::Continue);
        assert_eq!(late.drained(), [106, 118, 130].map(|us| us * US + MS));
        // It sent for three packets' time, and two packets waited from 0 until 106 and 118 us.
        let reading = late.port.reading(130 * US);
        assert_eq!((reading.busy, reading.waited), (36 * US, u128::from(224 * US)));
    }

    #[test]
    fn a_packet_may_finish_behind_the_end() {
        let mut late = Late::new(Buffer::Unlimited);
        (0..2).for_each(|_| assert_eq!(late.offer(0), None));
        late.pause(6 * US, MidPacket::Finish);
        assert_eq!(late.fibre.first().unwrap().at, 12 * US + MS);
        assert_eq!(late.port.reading(8 * US).busy, 8 * US);
        assert_eq!(late.port.reading(50 * US).busy, 12 * US);
        late.resume(100 * US, MidPacket::Finish);
        assert_eq!(late.drained(), [12, 112].map(|us| us * US + MS));
    }

    #[test]
    fn a_packet_may_be_cut_at_the_end() {
        let mut late = Late::new(Buffer::Unlimited);
        (0..2).for_each(|_| assert_eq!(late.offer(0), None));
        assert_eq!(late.port.cut(6 * US, &mut late.fibre).from_fibre.len(), 1);
        late.pause(6 * US, MidPacket::Cut);
        late.resume(100 * US, MidPacket::Cut);
        assert_eq!(late.drained(), [112 * US + MS]);
        let reading = late.port.reading(112 * US);
        assert_eq!((reading.busy, reading.dropped.packets, reading.carried.packets), (18 * US, 1, 1));
    }

    #[test]
    fn a_new_rate_may_leave_the_packet_in_transmission_alone() {
        let ends = |rest: MidPacket| {
            let mut late = Late::new(Buffer::Unlimited);
            (0..2).for_each(|_| assert_eq!(late.offer(0), None));
            late.port.change_capacity(6 * US, Rate::from_mbps(100), rest, &mut late.fibre);
            late.drained().into_iter().map(|at| (at - MS) / US).collect::<Vec<_>>()
        };
        assert_eq!(ends(MidPacket::Continue), [66, 186], "6 us become 60");
        assert_eq!(ends(MidPacket::Finish), [12, 132]);
    }

    /// In a pause nothing is in transmission, so a place to wait is one packet, and the next is dropped.
    #[test]
    fn in_a_pause_the_waiting_room_is_all_there_is() {
        let mut late = Late::new(Buffer::Packets(1));
        late.pause(0, MidPacket::Continue);
        assert_eq!([late.offer(US), late.offer(2 * US)], [None, Some(Cause::Congestion)]);
        late.resume(10 * US, MidPacket::Continue);
        assert_eq!(late.drained(), [22 * US + MS]);
    }

    #[test]
    fn a_link_that_goes_down_in_a_pause_drops_the_packet_that_stood_still() {
        for rest in [MidPacket::Cut, MidPacket::Finish] {
            let mut late = Late::new(Buffer::Unlimited);
            (0..2).for_each(|_| assert_eq!(late.offer(0), None));
            late.pause(6 * US, MidPacket::Continue);
            let lost = late.port.take_down(8 * US, rest, &mut late.fibre);
            assert_eq!((lost.from_fibre.len(), lost.held.len()), (1, 1));
            late.port.bring_up();
            late.resume(20 * US, MidPacket::Continue);
            assert_eq!(late.offer(30 * US), None);
            assert_eq!(late.drained(), [42 * US + MS]);
            assert_eq!(late.port.reading(42 * US).busy, 18 * US);
        }
    }

    /// The link comes up while the old packet still leaves: what comes then waits for it.
    #[test]
    fn a_packet_finishes_though_its_link_goes_down_and_up() {
        let mut late = Late::new(Buffer::Unlimited);
        assert_eq!(late.offer(0), None);
        assert!(late.port.take_down(4 * US, MidPacket::Finish, &mut late.fibre).from_fibre.is_empty());
        assert_eq!(late.offer(5 * US), Some(Cause::Unreachable));
        late.port.bring_up();
        assert_eq!(late.offer(6 * US), None);
        assert_eq!(late.drained(), [12, 24].map(|us| us * US + MS));
    }

    /// More packets wait than there is room for from now on: they stay, and none comes in before they are fewer.
    #[test]
    fn a_smaller_buffer_keeps_what_waits() {
        let mut late = Late::new(Buffer::Packets(3));
        (0..4).for_each(|_| assert_eq!(late.offer(0), None));
        late.port.change_buffer(Buffer::Packets(1));
        assert_eq!(late.offer(US), Some(Cause::Congestion));
        assert_eq!(late.drained().len(), 4);
        assert_eq!(
            [late.offer(60 * US), late.offer(60 * US), late.offer(60 * US)],
            [None, None, Some(Cause::Congestion)]
        );
    }
}
