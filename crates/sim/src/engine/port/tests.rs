use super::*;
use crate::random::Seed;
use units::{Duration, Rate};

fn port(buffer: Buffer) -> Port {
    let seed = Seed { seed: 1, run: 0 };
    let streams = Streams { loss: seed.stream("port", "loss"), queue: seed.stream("port", "queue") };
    let rule = PortRule::plain(Rate::from_gbps(1), Duration::from_millis(1), buffer);
    Port::new(PortConfig { rule, streams, intake: None }).unwrap()
}

const MS: u64 = 1_000_000_000;
const US: u64 = 1_000_000;

#[test]
fn a_port_is_four_cache_lines_of_which_a_packet_that_need_not_wait_touches_two() {
    assert_eq!((size_of::<Port>(), std::mem::offset_of!(Port, buffer)), (256, 128));
}

#[test]
fn a_1500_byte_packet_leaves_after_12_us_and_arrives_a_delay_later() {
    assert_eq!(port(Buffer::Packets(1)).offer(0, 1500), Offer::Carried(12 * US + MS));
}

#[test]
fn one_waiting_place_means_two_in_the_system() {
    let mut port = port(Buffer::Packets(1));
    assert_eq!(port.offer(0, 1500), Offer::Carried(12 * US + MS));
    assert_eq!(port.offer(0, 1500), Offer::Carried(24 * US + MS));
    assert_eq!(port.offer(0, 1500), Offer::Dropped(Cause::Congestion));
    // Exactly when the first has left, its successor is in transmission and the place is free.
    assert_eq!(port.offer(12 * US, 1500), Offer::Carried(36 * US + MS));
    assert_eq!(port.offer(12 * US, 1500), Offer::Dropped(Cause::Congestion));
}

/// Which packets of a burst of 200 a port with one waiting place refuses, counted from 0. They have 1000 B and come back
/// to back from a link of 1 Gb/s.
fn refused_of_a_burst(capacity: Rate) -> Vec<u64> {
    let mut port = port(Buffer::Packets(1));
    port.change_capacity(0, capacity, &mut Ring::new());
    let refused = |number: &u64| port.offer((number + 1) * 8 * US, 1000) == Offer::Dropped(Cause::Congestion);
    (0..200).filter(refused).collect()
}

#[test]
fn at_49_50ths_of_the_rate_the_one_packet_in_fifty_that_is_refused_hangs_on_a_picosecond() {
    // At 980 Mb/s 49 transmissions take as long as 50 arrivals, so packet 50 comes when packet 49 leaves the waiting place.
    // Here 8 163 265 ps are less than 8000 b / 980 Mb/s: the place is free 15 ps before.
    assert_eq!(refused_of_a_burst(Rate::from_mbps(980)), [51, 101, 151]);
    assert_eq!(refused_of_a_burst(Rate::from_bps(980_001_000)), [51, 101, 151]);
    // A millionth slower, it is free 400 ps after. ns-2 has both at 980 Mb/s (bench/ns2/burst.tcl).
    assert_eq!(refused_of_a_burst(Rate::from_bps(979_999_000)), [50, 100, 150]);
}

#[test]
fn a_buffer_in_bytes_counts_what_waits_but_not_what_is_in_transmission() {
    let mut port = port(Buffer::Bytes(units::Bytes(1540)));
    assert_eq!(port.offer(0, 1500), Offer::Carried(12 * US + MS));
    assert_eq!(port.offer(0, 1500), Offer::Carried(24 * US + MS));
    assert!(matches!(port.offer(0, 40), Offer::Carried(_)));
    assert_eq!(port.offer(0, 40), Offer::Dropped(Cause::Congestion));
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
        if let Offer::Carried(at) = port.offer(0, 1500) {
            fibre.push(Packet { at, size: 1500, ..Packet::default() });
        }
    }
}

#[test]
fn a_tenth_of_the_capacity_makes_the_rest_last_ten_times_as_long() {
    let (mut port, mut fibre) = (port(Buffer::Unlimited), Ring::new());
    fill(&mut port, &mut fibre, 3);
    // At 18 us the second packet has 6 us to go, which become 60; the third then lasts 120.
    port.change_capacity(18 * US, Rate::from_mbps(100), &mut fibre);
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
    port.change_delay(12 * US, Duration::from_micros(995), &mut fibre);
    let arrivals: Vec<u64> = fibre.iter().map(|packet| packet.at).collect();
    assert_eq!(arrivals, [1012 * US, 1019 * US, 1031 * US]);
    port.change_delay(24 * US, Duration::from_micros(100), &mut fibre);
    let arrivals: Vec<u64> = fibre.iter().map(|packet| packet.at).collect();
    assert_eq!(arrivals, [1012 * US, 1019 * US, 1019 * US]);
}

#[test]
fn a_cut_takes_back_what_has_not_left() {
    let (mut port, mut fibre) = (port(Buffer::Unlimited), Ring::new());
    fill(&mut port, &mut fibre, 3);
    assert_eq!(port.take_down(18 * US, &mut fibre).from_fibre.len(), 2);
    assert_eq!(fibre.len(), 1);
    assert_eq!(port.offer(20 * US, 1500), Offer::Dropped(Cause::Unreachable));
    let reading = port.reading(20 * US);
    assert_eq!((reading.offered.packets, reading.carried.packets, reading.dropped.packets), (4, 1, 3));
    assert_eq!((reading.busy, reading.waited), (18 * US, u128::from((12 + 18) * US)));
    port.bring_up();
    assert_eq!(port.offer(30 * US, 1500), Offer::Carried(42 * US + MS));
}
