//! A port whose delay is a law of time.

use super::super::ring::Ring;
use super::tests::rule;
use super::*;
use crate::engine::packet::PayloadTable;
use crate::engine::packet::admission::Admission;
use crate::model::{DelayForm, DelayLaw, Knot, MidPacket};
use crate::random::Seed;
use proptest::prelude::*;
use units::Rate;

const US: u64 = 1_000_000;

fn port(law: &DelayLaw, light: Light) -> Port {
    let stream = Seed { seed: 1, run: 0 }.stream("port", "queue");
    let rule = PortRule { delay: law.least(), light, ..rule(Buffer::Unlimited) };
    let law = Some(law.clone());
    Port::new(PortConfig { rule, stream, fibre: AtPort::default(), law, interceptor: None }).unwrap()
}

fn law(knots: &[(u64, u64)], form: DelayForm) -> DelayLaw {
    let knots: Vec<Knot> = knots.iter().map(|(at, delay)| Knot { at: at * US, delay: delay * US }).collect();
    DelayLaw::new(&knots, form, None).unwrap()
}

fn arrival(port: &mut Port, now: u64, size: u16) -> u64 {
    match port.offer(now, size) {
        Admission::Scheduled(at) => at,
        other => panic!("{other:?}"),
    }
}

/// The delay falls by 24 ns in each 12 µs, the time of 1500 B at 1 Gb/s. The distance between their ends becomes
/// 11.976 µs, for as long as the transmitter is busy.
#[test]
fn packets_in_a_row_come_closer_together_where_the_far_end_comes_nearer() {
    let mut port = port(&law(&[(0, 2000), (500_000, 1000)], DelayForm::Linear), Light::None);
    let arrivals: Vec<u64> = (0..1000).map(|_| arrival(&mut port, 0, 1500)).collect();
    assert_eq!(arrivals[0], 12 * US + 2000 * US - 24_000);
    assert!(arrivals.windows(2).all(|pair| pair[1] - pair[0] == 11_976_000));
}

/// A step of 30 µs down at 20 µs: what leaves at 24 and 36 µs would come before what has left at 12 µs, at 112 µs, or
/// with it, and comes with it; what leaves at 48 µs comes 70 µs later.
#[test]
fn nothing_overtakes_where_the_delay_steps_down() {
    let mut port = port(&law(&[(0, 100), (20, 70)], DelayForm::Steps), Light::None);
    let arrivals: Vec<u64> = (0..4).map(|_| arrival(&mut port, 0, 1500) / US).collect();
    assert_eq!(arrivals, [112, 112, 112, 118]);
}

/// First bits keep their order too: a long packet does not tell its first bit before a short one ahead of it.
#[test]
fn first_bits_keep_their_order() {
    let mut port = port(&law(&[(0, 100), (13, 1)], DelayForm::Steps), Light::FirstBit);
    assert_eq!([1500, 40, 1500].map(|size| arrival(&mut port, 0, size)), [100 * US, 112 * US, 112 * US + 320_000]);
}

/// At 18 µs the capacity falls to a tenth: the second packet leaves at 78 µs and the third at 198 µs, at which times
/// the delay is 1078 and 1198 µs.
#[test]
fn a_change_of_capacity_reads_the_law_again() {
    let law = law(&[(0, 1000), (1000, 2000)], DelayForm::Linear);
    let (mut port, mut fibre) = (port(&law, Light::None), Ring::new());
    for _ in 0..3 {
        let at = arrival(&mut port, 0, 1500);
        fibre.push(Packet { at, size: 1500, ..Packet::default() });
    }
    port.change_capacity(18 * US, Rate::from_mbps(100), MidPacket::Continue, &mut fibre);
    let arrivals: Vec<u64> = fibre.iter().map(|packet| packet.at / US).collect();
    assert_eq!(arrivals, [12 + 1012, 78 + 1078, 198 + 1198]);
}

/// The link is there until 30 µs: of packets of 12 µs the third leaves at 36 µs and is lost, having been transmitted.
#[test]
fn a_packet_that_leaves_when_the_link_has_gone_is_lost() {
    let mut port = port(&law(&[(0, 100), (30, 0), (90, 50)], DelayForm::Steps), Light::None);
    let seen = [0; 3].map(|now| port.offer(now, 1500));
    let lost = Admission::Dropped(Cause::OutOfSight);
    assert_eq!(seen, [Admission::Scheduled(112 * US), Admission::Scheduled(124 * US), lost]);
    assert_eq!(port.offer(100 * US, 1500), Admission::Scheduled(162 * US));
    let reading = port.reading(200 * US);
    assert_eq!((reading.carried.packets, reading.dropped.packets, reading.busy), (4, 1, 48 * US));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    /// Arrival = departure + law(departure), to the picosecond, or that of the packet before it if that is later. The
    /// departure is that of a plain queue: the size over the rate behind the later of its coming and the one before.
    #[test]
    fn a_packet_arrives_when_the_law_says(
        steps in prop::collection::vec((1u64..300, 1u64..200), 1..12),
        form in prop_oneof![Just(DelayForm::Steps), Just(DelayForm::Linear)],
        packets in prop::collection::vec((0u64..40_000_000, 40u16..9000), 1..150),
    ) {
        let mut knots = vec![(0, 150)];
        for (gap, delay) in steps {
            knots.push((knots[knots.len() - 1].0 + gap, delay));
        }
        let law = law(&knots, form);
        let (mut port, mut now, mut free, mut before) = (port(&law, Light::None), 0, 0, 0);
        for (gap, size) in packets {
            now += gap;
            free = now.max(free) + u64::from(size) * 8000;
            before = before.max(free + law.at(free, &mut 0).unwrap());
            let Admission::Scheduled(at) = port.enqueue(
                now, &Packet { size, ..Packet::default() }, &mut PayloadTable::default(),
            ) else { return Err(TestCaseError::fail("there is room")) };
            prop_assert_eq!(at, before);
        }
    }
}
