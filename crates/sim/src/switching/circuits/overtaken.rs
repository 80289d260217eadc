//! Packets of a pair that arrive behind one that left its queue after them: at the end of a day those on the circuit,
//! if the packet switch is nearer; as a day begins those that are on their way to the packet switch, if the circuit is.
//!
//! Each way keeps its own order. A rack knows the arrival of a packet by circuit as it leaves, and that of one by the
//! packet switch from its credit, which comes before.

use super::latency::Way;
use std::collections::VecDeque;

/// When a packet left, and when its last bit is at the other rack; picoseconds.
#[derive(Clone, Copy, Debug)]
struct Trip {
    left: u64,
    arrives: u64,
}

/// The packets of a queue that are on their way, as far as others may yet overtake them.
#[derive(Debug, Default)]
pub(super) struct Overtaken {
    /// By circuit, in their order.
    circuit: VecDeque<Trip>,
    /// When the newest left that has arrived by circuit.
    arrived: u64,
    /// When those arrive that the packet switch has, and that no circuit has overtaken.
    switch: VecDeque<u64>,
    /// By way.
    count: [u64; 2],
}

impl Overtaken {
    /// A packet leaves by circuit.
    pub fn leaves_by_circuit(&mut self, left: u64, arrives: u64) {
        while let Some(first) = take_if(&mut self.circuit, |first| first.arrives <= left) {
            self.arrived = first.left;
        }
        self.count[Way::Packet as usize] += self.switch.iter().filter(|other| **other > arrives).count() as u64;
        self.switch.clear();
        self.circuit.push_back(Trip { left, arrives });
    }

    /// At a time the arrival is known of a packet that left for the packet switch.
    pub fn leaves_packet_switch(&mut self, now: u64, left: u64, arrives: u64) {
        while let Some(before) = take_if(&mut self.circuit, |first| first.left <= left) {
            self.count[Way::Circuit as usize] += u64::from(before.arrives > arrives);
        }
        while take_if(&mut self.switch, |first| *first <= now).is_some() {}
        if self.arrived > left || self.circuit.front().is_some_and(|first| first.arrives < arrives) {
            self.count[Way::Packet as usize] += 1;
        } else {
            self.switch.push_back(arrives);
        }
    }

    /// How many that took a way have been overtaken.
    pub fn count(&self, way: Way) -> u64 {
        self.count[way as usize]
    }
}

/// The first of a queue if it is so.
fn take_if<T>(queue: &mut VecDeque<T>, is: impl Fn(&T) -> bool) -> Option<T> {
    if queue.front().is_some_and(is) { queue.pop_front() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One that left before and arrives after another has been overtaken (RFC 4737 §3.3, by the order of leaving).
    fn by_hand(trips: &[(Way, Trip)]) -> [u64; 2] {
        let mut count = [0; 2];
        for (way, trip) in trips {
            let is_overtaken = trips.iter().any(|(_, other)| other.left > trip.left && other.arrives < trip.arrives);
            count[*way as usize] += u64::from(is_overtaken);
        }
        count
    }

    proptest! {
        /// Packets that leave at different times, by two ways of any delays; the packet switch has a queue, and credits
        /// come at any time before the arrival.
        #[test]
        fn those_are_counted_that_another_has_overtaken(
            packets in prop::collection::vec((any::<bool>(), 1u64..40, 0u64..30), 1..60),
            circuit in 1u64..60, switch in 1u64..60, ahead in 0u64..60,
        ) {
            let (mut now, mut free) = (0, 0);
            let mut trips = Vec::new();
            for (by_circuit, gap, waits) in packets {
                now += gap;
                if by_circuit {
                    trips.push((Way::Circuit, Trip { left: now, arrives: now + circuit }));
                } else {
                    free = free.max(now + waits) + 7;
                    trips.push((Way::Packet, Trip { left: now, arrives: free + switch }));
                }
            }
            // What happens, in the order of time: a circuit's packet leaves, or a credit comes.
            let known = |(way, trip): &(Way, Trip)| match way {
                Way::Circuit => trip.left,
                Way::Packet => (trip.arrives.saturating_sub(ahead)).max(trip.left + 1),
            };
            let mut events: Vec<_> = trips.iter().map(|trip| (known(trip), *trip)).collect();
            events.sort_by_key(|(time, (_, trip))| (*time, trip.left));
            let mut overtaken = Overtaken::default();
            for (time, (way, trip)) in events {
                match way {
                    Way::Circuit => overtaken.leaves_by_circuit(trip.left, trip.arrives),
                    Way::Packet => overtaken.leaves_packet_switch(time, trip.left, trip.arrives),
                }
            }
            prop_assert_eq!([overtaken.count(Way::Circuit), overtaken.count(Way::Packet)], by_hand(&trips));
        }
    }
}
