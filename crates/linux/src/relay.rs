//! Passing on in two steps: what passes a switch or a fibre goes at once, and by how much it was late follows when the
//! kernel has told when it left.
//!
//! The kernel stamps a departure as it hands the datagram over, so the stamp is there when the call returns, and the
//! correction follows within some microseconds. Who hears such a datagram keeps it until the correction is there.
//! Without stamps, or if the correction is lost, the estimate that came with the datagram stands.

use crate::latency::Latency;
use crate::line::{Line, Step};
use crate::sys::datagram::{Datagrams, Departure};
use crate::sys::time::{self, Monotonic, Nanos};
use std::collections::VecDeque;
use std::io;

/// Datagrams that wait for their corrections.
const MOST: usize = 64;
/// A correction that has not come by then is lost.
const PATIENCE: Nanos = 500_000;
/// Tags of departures that are corrected here: those below are slots' numbers.
const TAG: u64 = 1 << 63;

/// What sends at a socket and says afterwards how late it was.
#[derive(Debug, Default)]
pub(crate) struct Relay {
    number: u8,
    latency: Latency,
}

impl Relay {
    /// Sends what should have left at `at`, and says afterwards how late it was. Departures of others, of which the
    /// kernel tells meanwhile, go to `other`. By how much it was late.
    pub(crate) fn send(
        &mut self,
        at: Nanos,
        line: Line,
        slot: &[u8],
        way: (&Datagrams, &Monotonic),
        other: impl FnMut(Departure),
    ) -> io::Result<Nanos> {
        self.number = self.number.wrapping_add(1);
        let (number, estimate) = (self.number, self.estimate(at));
        let head = Line { step: Step::Follows(number), late: estimate * 1000, ..line };
        way.0.send_stamped(&head.bytes(), slot, TAG | u64::from(number))?;
        let late = self.learn(way, other)?.filter(|(tag, _)| *tag == TAG | u64::from(number));
        let late = late.map_or(estimate, |(_, left)| left - at);
        let correction = Line { step: Step::Correction(number), late: late * 1000, ..line };
        way.0.send(&correction.bytes(), &[])?;
        Ok(late)
    }

    /// Sends what should have left at `at` with an estimate of how late it is as the last word.
    pub(crate) fn send_once(&mut self, at: Nanos, line: Line, slot: &[u8], wire: &Datagrams) -> io::Result<Nanos> {
        let late = self.estimate(at);
        wire.send(&Line { step: Step::Final, late: late * 1000, ..line }.bytes(), slot)?;
        Ok(late)
    }

    /// Clock filters expect that delays only add: what the kernel takes beyond its shortest is not said.
    fn estimate(&self, at: Nanos) -> Nanos {
        time::now() + self.latency.least() - at
    }

    /// Hears what the kernel tells of departures: the last one of those sent here, by its tag, and when it left.
    pub(crate) fn learn(
        &mut self,
        way: (&Datagrams, &Monotonic),
        mut other: impl FnMut(Departure),
    ) -> io::Result<Option<(u64, Nanos)>> {
        let (wire, monotonic) = way;
        let mut last = None;
        while let Some(departure) = wire.departure()? {
            if departure.tag & TAG == 0 {
                other(departure);
                continue;
            }
            let left = monotonic.of(departure.stamp);
            self.latency.observe(left - departure.called);
            last = Some((departure.tag, left));
        }
        Ok(last)
    }
}

/// A slot that was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    /// With the last word about its lateness.
    pub(crate) line: Line,
    pub(crate) slot: Vec<u8>,
    /// When it arrived, by the monotonic clock.
    pub(crate) stamp: Nanos,
}

/// Receives from a socket, and holds a slot until the correction of its stamp has come.
#[derive(Debug)]
pub(crate) struct Receiver {
    buffer: Vec<u8>,
    /// Slots without their correction, by its number.
    held: VecDeque<(u8, Received)>,
    /// Slots to be handed on.
    ready: VecDeque<Received>,
    /// Datagrams that are none of ours.
    pub(crate) unreadable: u64,
}

impl Default for Receiver {
    fn default() -> Receiver {
        Receiver { buffer: vec![0; 1 << 16], held: VecDeque::new(), ready: VecDeque::new(), unreadable: 0 }
    }
}

impl Receiver {
    /// The next slot that needs no correction any more.
    pub(crate) fn receive(&mut self, wire: &Datagrams, monotonic: &Monotonic) -> io::Result<Option<Received>> {
        while self.ready.is_empty() {
            let Some(arrival) = wire.receive(&mut self.buffer)? else {
                self.give_up();
                break;
            };
            let stamp = arrival.stamp.map_or_else(time::now, |stamp| monotonic.of(stamp));
            match Line::of(&self.buffer[..arrival.length]) {
                None => self.unreadable += 1,
                Some((line, slot)) => {
                    let heard = Received { line, slot: slot.to_vec(), stamp };
                    self.take(heard);
                }
            }
        }
        Ok(self.ready.pop_front())
    }

    fn take(&mut self, heard: Received) {
        match heard.line.step {
            Step::Final => self.ready.push_back(heard),
            Step::Follows(number) => {
                if self.held.len() == MOST {
                    self.release();
                }
                self.held.push_back((number, heard));
            }
            Step::Correction(number) => {
                let Some(place) = self.held.iter().position(|(held, _)| *held == number) else { return };
                // Corrections follow in order: of those before it they were lost.
                (0..place).for_each(|_| self.release());
                if let Some((_, held)) = self.held.front_mut() {
                    held.line.late = heard.line.late;
                }
                self.release();
            }
        }
    }

    /// The oldest waits no more.
    fn release(&mut self) {
        if let Some((_, heard)) = self.held.pop_front() {
            self.ready.push_back(Received { line: Line { step: Step::Final, ..heard.line }, ..heard });
        }
    }

    fn give_up(&mut self) {
        while self.next_timeout() <= time::now() {
            self.release();
        }
    }

    /// When a correction is given up.
    pub(crate) fn next_timeout(&self) -> Nanos {
        self.held.front().map_or(Nanos::MAX, |(_, heard)| heard.stamp + PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{SocketAddr, UdpSocket};

    fn heard(step: Step, late: i64) -> Received {
        Received { line: Line { step, late, ..Line::light(1) }, slot: vec![late as u8], stamp: time::now() }
    }

    fn lateness(receiver: &mut Receiver) -> Vec<(u8, i64)> {
        std::iter::from_fn(|| receiver.ready.pop_front()).map(|heard| (heard.slot[0], heard.line.late)).collect()
    }

    #[test]
    fn what_is_heard_waits_for_its_correction_and_nothing_else_does() {
        let mut receiver = Receiver::default();
        receiver.take(heard(Step::Follows(7), 1));
        receiver.take(heard(Step::Final, 2));
        assert_eq!(lateness(&mut receiver), [(2, 2)]);
        receiver.take(heard(Step::Follows(8), 3));
        receiver.take(heard(Step::Correction(9), 99));
        assert_eq!(lateness(&mut receiver), [], "a correction of nothing");
        receiver.take(heard(Step::Correction(8), 44));
        assert_eq!(lateness(&mut receiver), [(1, 1), (3, 44)], "the first one's was lost");
        assert_eq!(receiver.next_timeout(), Nanos::MAX);
    }

    #[test]
    fn who_promises_corrections_and_sends_none_takes_no_more_than_so_much_memory() {
        let mut receiver = Receiver::default();
        (0..1000).for_each(|number| receiver.take(heard(Step::Follows(number as u8), number)));
        assert_eq!((receiver.held.len(), receiver.ready.len()), (MOST, 1000 - MOST));
    }

    /// Over the loopback interface: sent 3 ms after it should have been, and heard as that late, whatever the kernel
    /// took.
    #[test]
    fn a_relay_says_how_late_it_was() {
        let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let (a, b) = (UdpSocket::bind(any).unwrap(), UdpSocket::bind(any).unwrap());
        let (at, other) = (a.local_addr().unwrap(), b.local_addr().unwrap());
        drop((a, b));
        let (a, b) = (Datagrams::between(at, other).unwrap(), Datagrams::between(other, at).unwrap());
        let (monotonic, mut relay, mut receiver) = (Monotonic::new(), Relay::default(), Receiver::default());
        for number in 0..20 {
            let meant = time::now() - 3_000_000;
            relay.send(meant, Line::beside(), &[number], (&a, &monotonic), |_| panic!("nobody else sends")).unwrap();
            let heard = receiver.receive(&b, &monotonic).unwrap().unwrap();
            assert_eq!((heard.slot, heard.line.step), (vec![number], Step::Final));
            let off = heard.stamp - heard.line.late / 1000 - meant;
            assert!((0..1_000_000).contains(&off), "{off} ns between departure and arrival");
        }
        assert_eq!(receiver.receive(&b, &monotonic).unwrap(), None);
    }
}
