//! A packet that finds a port empty need not be put into its queue: nothing else is different.

use super::by_flow_tests::{Coming, arrivals};
use super::*;
use crate::engine::link::meter::Asked;
use crate::engine::packet::admission::Admission;
use crate::engine::packet::{Flags, NEVER, Packet, PayloadTable};
use crate::links::AtPort;
use crate::model::{Buffer, PortRule};
use crate::queue::{drr, ndp, priority};
use crate::random::Seed;
use proptest::prelude::*;
use std::sync::Arc;
use transport::tcp::SackList;
use transport::telemetry::{Hop, Telemetry};
use units::{Bytes, Duration, Rate};

/// Flows 0 to 4 are in these bands.
const BANDS: [u8; 5] = [2, 0, 1, 0, 2];

/// What becomes of a packet: when it is at the far end, with what the port has told it, or when it is dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    Unknown,
    Arrives(u64, Vec<Hop>),
    Dropped(u64),
}

/// A port, what its packets carry, and what becomes of them.
struct Run {
    port: Port,
    payloads: PayloadTable,
    fates: Vec<Fate>,
}

impl Run {
    fn new(queue: queue::Config, buffer: Buffer, passes_on: bool) -> Run {
        let plain = PortRule::plain(Rate::from_gbps(1), Duration::from_micros(1), buffer);
        let rule = PortRule { queue, ..plain }.decided_late();
        let stream = Seed { seed: 1, run: 0 }.stream("port", "queue");
        let config = PortConfig { rule, stream, fibre: AtPort::default(), law: None, interceptor: None };
        let mut port = Port::new(config).unwrap();
        port.set_bands(&Arc::from(BANDS));
        port.measure(Asked::default().meter(7, Rate::from_gbps(1), None));
        if passes_on {
            port.pass_on();
            assert!(port.passes_on);
        }
        Run { port, payloads: PayloadTable::default(), fates: Vec::new() }
    }

    fn come(&mut self, Coming { at, flow, size }: Coming) {
        self.depart_before(at + 1);
        let (seq, flags) = (self.fates.len() as u64, Flags::EXPLICIT.with(Flags::TRIMMABLE));
        let payload = self.payloads.put_telemetry(Telemetry::default(), &SackList::default());
        let packet = Packet { seq, flow, size, flags, payload, ..Packet::default() };
        self.fates.push(Fate::Unknown);
        match self.port.enqueue(at, &packet, &mut self.payloads) {
            Admission::Queued => self.release(at),
            other => self.note(at, other, &packet),
        }
    }

    /// All departures before a time.
    fn depart_before(&mut self, limit: u64) {
        while let Some((_, at)) = self.port.departure().filter(|(_, at)| *at < limit) {
            self.release(at);
        }
    }

    /// As the fabric does it.
    fn release(&mut self, now: u64) {
        let mut packet = Packet::default();
        while let Some(admission) = self.port.release(now, &mut packet) {
            if matches!(admission, Admission::Scheduled(_) | Admission::Marked(_)) {
                self.port.tell_packet(now, &packet, &mut self.payloads);
            }
            self.note(now, admission, &packet);
            if matches!(admission, Admission::Scheduled(_) | Admission::Marked(_)) && self.port.has_released(now) {
                break;
            }
        }
    }

    fn note(&mut self, now: u64, admission: Admission, packet: &Packet) {
        let told =
            |payloads: &mut PayloadTable| payloads.telemetry_mut(packet).map_or(Vec::new(), |t| t.hops().to_vec());
        let fate = match admission {
            Admission::Scheduled(at) | Admission::Marked(at) => Fate::Arrives(at, told(&mut self.payloads)),
            Admission::Dropped(_) | Admission::Returned(_) => Fate::Dropped(now),
            Admission::Queued | Admission::Doubled | Admission::Blocked => return,
        };
        let known = std::mem::replace(&mut self.fates[packet.seq as usize], fate);
        assert_eq!(known, Fate::Unknown, "a packet has one fate");
    }
}

fn disciplines() -> impl Strategy<Value = queue::Config> {
    let drr = |quantum, flows, steal| queue::Config::Drr(drr::Config { quantum, flows, steal });
    prop_oneof![
        (prop::sample::select(vec![100u32, 1500]), 0u32..4, any::<bool>()).prop_map(move |(q, f, s)| drr(q, f, s)),
        (1u32..4, any::<bool>())
            .prop_map(|(bands, push_out)| queue::Config::Priority(priority::Config { bands, push_out })),
        Just(queue::Config::Ndp(ndp::Config::default())),
        Just(queue::Config::DropTail),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1024) })]

    #[test]
    fn what_passes_an_empty_port_is_sent_dropped_counted_and_measured_as_what_waits_there(
        queue in disciplines(), coming in arrivals(),
        buffer in prop_oneof![
            (0u64..5).prop_map(Buffer::Packets), (0u64..4000).prop_map(|bytes| Buffer::Bytes(Bytes(bytes))),
            Just(Buffer::Unlimited)
        ],
    ) {
        let [mut waits, mut passes] = [false, true].map(|passes_on| Run::new(queue, buffer, passes_on));
        for one in coming {
            [&mut waits, &mut passes].into_iter().for_each(|run| run.come(one));
            prop_assert_eq!(&waits.fates, &passes.fates);
            prop_assert_eq!(waits.port.held(), passes.port.held());
            prop_assert_eq!(format!("{:?}", waits.port.reading(one.at)), format!("{:?}", passes.port.reading(one.at)));
        }
        [&mut waits, &mut passes].into_iter().for_each(|run| run.depart_before(NEVER));
        prop_assert!(!waits.fates.contains(&Fate::Unknown));
        prop_assert_eq!(&waits.fates, &passes.fates);
        let end = u64::MAX / 2;
        prop_assert_eq!(format!("{:?}", waits.port.reading(end)), format!("{:?}", passes.port.reading(end)));
    }
}
