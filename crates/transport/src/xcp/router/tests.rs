//! Rules of the router, one at a time; `tests/xcp.rs` closes the loop.

use super::*;
use crate::xcp::Interval;
use proptest::prelude::*;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

fn router(bps: u64) -> Router {
    Router::new(RouterConfig::new(Rate::from_bps(bps)), Instant::ZERO)
}

/// A greedy flow's header.
fn flow(rtt_ms: u64, x_ms: u64) -> Header {
    let interval = |ms| Interval::from_duration(Duration::from_millis(ms));
    Header::data(interval(rtt_ms), interval(x_ms), i32::MAX)
}

fn pass(router: &mut Router, size: u32, mut header: Header) -> i32 {
    router.handle_arrival(size, Some(&header), 0);
    router.handle_departure(size, &mut header);
    header.delta_throughput
}

/// Ten packets of 1000 B of a flow of 10 packets per 100 ms, in the first interval of 50 ms.
fn after_ten_packets(bps: u64) -> Router {
    let mut router = router(bps);
    (0..10).for_each(|_| {
        pass(&mut router, 1000, flow(100, 10));
    });
    router.handle_timeout(at(50), 0);
    router
}

fn figures(router: &Router) -> Figures {
    *router.figures().unwrap()
}

#[test]
fn nothing_is_granted_before_the_first_decision() {
    assert_eq!(pass(&mut router(8_000_000), 1000, flow(100, 10)), 0);
}

#[test]
fn spare_capacity_is_shared_by_spacing_and_runs_out() {
    // C = 10^6 B/s, y = 10 kB / 50 ms = 2·10^5 B/s: F = 0.4 · 8·10^5 = 320 000 B/s, h = max(0, 20 000 − F) = 0.
    // ΣX = 0.1 s: a packet with X = 10 ms gets 32 000 B/s, the eleventh nothing.
    let mut router = after_ten_packets(8_000_000);
    let decided = figures(&router);
    assert!((decided.feedback - 320_000.0).abs() < 1e-6 && decided.shuffled == 0.0);
    assert!(decided.mean_rtt.ps().abs_diff(ms(100).ps()) < 4000, "to the header's 3.7 ns");
    let granted: Vec<i32> = (0..11).map(|_| pass(&mut router, 1000, flow(100, 10))).collect();
    assert!(granted[..10].iter().all(|grant| *grant == 32_000), "{granted:?}");
    assert_eq!(granted[10], 0);
}

#[test]
fn flows_of_the_same_rate_get_the_same_share_of_what_is_given() {
    // Twice the RTT and twice the window: the same packet spacing, so the same change per packet and per second.
    let mut router = after_ten_packets(8_000_000);
    assert_eq!(pass(&mut router, 1000, flow(100, 10)), pass(&mut router, 1000, flow(200, 10)));
    // A flow of half the rate sends half the packets and gets twice as much on each.
    let (fast, slow) = (pass(&mut router, 1000, flow(100, 10)), pass(&mut router, 1000, flow(100, 20)));
    assert_eq!(2 * fast, slow);
}

#[test]
fn the_capacity_is_bits_per_second_and_the_rest_bytes() {
    // 2·10^5 B/s on a link of 1.6 Mb/s is full: F = 0, and all that moves is shuffled, h = 0.1 y.
    let decided = figures(&after_ten_packets(1_600_000));
    assert!(decided.feedback.abs() < 1e-6);
    assert!((decided.shuffled - 20_000.0).abs() < 1e-6);
}

#[test]
fn the_absolute_value_is_that_of_a_real_number() {
    // C's abs() of an int would overflow for F = 0.4 · (12.5·10^9 − 2·10^5) B/s …
    let decided = figures(&after_ten_packets(100_000_000_000));
    assert!(decided.feedback > f64::from(i32::MAX) && decided.shuffled == 0.0);
    // … and be 0 for F = 0.4 · (2.75 − 5) = −0.9 B/s, where h = max(0, 0.5 − 0.9) = 0.
    let config = RouterConfig { initial_interval: ms(200), ..RouterConfig::new(Rate::from_bps(22)) };
    let mut router = Router::new(config, Instant::ZERO);
    pass(&mut router, 1, flow(100, 100));
    router.handle_timeout(at(200), 0);
    let decided = figures(&router);
    assert!((decided.feedback + 0.9).abs() < 1e-9 && decided.shuffled == 0.0, "{decided:?}");
}

#[test]
fn the_input_is_every_packet_the_mean_rtt_only_those_that_tell_one() {
    let mut router = router(8_000_000);
    router.handle_arrival(40, Some(&Header::ack(5)), 0);
    router.handle_arrival(500, None, 0);
    pass(&mut router, 1000, flow(0, 0));
    pass(&mut router, 1000, flow(200, 20));
    router.handle_timeout(at(50), 0);
    let decided = figures(&router);
    assert_eq!(decided.input_bytes, 2540);
    assert!(decided.mean_rtt.ps().abs_diff(ms(200).ps()) < 4000);
    assert_eq!(router.violations(), 0);
}

#[test]
fn a_packet_without_an_rtt_gets_nothing() {
    let mut router = after_ten_packets(8_000_000);
    assert_eq!(pass(&mut router, 1000, flow(0, 0)), 0);
    assert_eq!(pass(&mut router, 1000, flow(100, 10)), 32_000, "and takes nothing from the pools");
}

#[test]
fn an_ack_is_left_alone() {
    let mut router = after_ten_packets(8_000_000);
    let mut ack = Header { delta_throughput: 3, ..Header::ack(-7) };
    router.handle_departure(40, &mut ack);
    assert_eq!((ack.delta_throughput, ack.reverse_feedback), (3, -7));
}

#[test]
fn each_flow_counts_once_in_the_mean_rtt() {
    // 100 packets of a flow with X = 1 ms and RTT 100 ms, 10 of one with X = 10 ms and RTT 300 ms: (100 + 300)/2 ms.
    let mut router = router(8_000_000);
    (0..100).for_each(|_| {
        pass(&mut router, 1000, flow(100, 1));
    });
    (0..10).for_each(|_| {
        pass(&mut router, 1000, flow(300, 10));
    });
    router.handle_timeout(at(50), 0);
    assert!(figures(&router).mean_rtt.ps().abs_diff(ms(200).ps()) < ms(1).ps() / 100);
    assert!(router.next_timeout() <= at(250) + ms(1));
}

#[test]
fn an_rtt_above_a_second_counts_as_one() {
    let mut router = router(8_000_000);
    pass(&mut router, 1000, flow(10_000, 1000));
    router.handle_timeout(at(50), 0);
    assert_eq!(figures(&router).mean_rtt, Duration::from_secs(1));
}

#[test]
fn the_persistent_queue_is_the_least_one_not_the_mean_or_the_last() {
    let mut router = router(8_000_000);
    for queue in [9000, 3000, 8000] {
        router.handle_arrival(1000, Some(&flow(100, 10)), queue);
    }
    router.handle_timeout(at(50), 7000);
    // The first interval begins with an empty queue.
    assert_eq!(figures(&router).queue_bytes, 0);
    for queue in [9000, 3000, 8000] {
        router.handle_arrival(1000, Some(&flow(100, 10)), queue);
    }
    // Half of (50 ms − 7000 B / 10^6 B/s), 21.5 ms, after the last one; then half of (100 − 5) ms.
    assert!(router.queue.due > at(71) && router.queue.due < at(72));
    router.handle_timeout(at(72), 5000);
    assert_eq!(router.queue.persistent, 3000);
    assert!(router.queue.due > at(119) && router.queue.due < at(120));
    router.handle_timeout(at(120), 3000);
    router.handle_timeout(at(151), 5000);
    let decided = figures(&router);
    assert_eq!(decided.queue_bytes, 3000);
    // y = 3 kB / 101 ms; F = 0.4 (10^6 − y) − 0.226 · 3000 / 0.1.
    let expected = 0.4 * (1e6 - 3000.0 / 0.101) - 0.226 * 3000.0 / 0.1;
    assert!((decided.feedback - expected).abs() < 1.0, "{decided:?} {expected}");
}

#[test]
fn a_wish_below_the_offer_stands_and_its_shortfall_counts_as_taken() {
    // C = 1.6 Mb/s, F = 0, h = 20 000: pools of 20 000, ξ_p X = 2000, ξ_n size = 2000 for the flow of the mean, so the
    // offer to X = 20 ms is 4000 − 2000. It wants 500: negative = 2000 + 1500, positive = 500 + 3500.
    let mut router = after_ten_packets(1_600_000);
    let wish = Header { delta_throughput: 500, ..flow(100, 20) };
    assert_eq!(pass(&mut router, 1000, wish), 500);
    assert!((router.pools.positive - 16_000.0).abs() < 0.1, "{:?}", router.pools);
    assert!((router.pools.negative - 16_500.0).abs() < 0.1);
}

#[test]
fn in_the_fluid_models_rule_both_shares_are_spent() {
    let config = RouterConfig { unclaimed: Unclaimed::Spent, ..RouterConfig::new(Rate::from_bps(1_600_000)) };
    let mut router = Router::new(config, Instant::ZERO);
    (0..10).for_each(|_| {
        pass(&mut router, 1000, flow(100, 10));
    });
    router.handle_timeout(at(50), 0);
    let wish = Header { delta_throughput: 500, ..flow(100, 20) };
    assert_eq!(pass(&mut router, 1000, wish), 500);
    assert!((router.pools.positive - 16_000.0).abs() < 0.1);
    assert!((router.pools.negative - 18_000.0).abs() < 0.1);
}

#[test]
fn feedback_below_a_byte_per_second_adds_up() {
    // 1000 packets with X = 0.1 ms share F = 0.4 · (C − y) = 300 B/s, 0.3 B/s each; cut to whole bytes they would get
    // none.
    let mut router = router(8 * 20_000_750);
    let header = Header { x: Interval::from_duration(ms(1) / 10), ..flow(100, 1) };
    (0..1000).for_each(|_| {
        pass(&mut router, 1000, header);
    });
    router.handle_timeout(at(50), 0);
    let mut router = Router { pools: Pools { negative: 0.0, ..router.pools }, ..router };
    router.pools.per_byte = 0.0;
    router.pools.positive = 300.0;
    router.pools.per_tick = 0.3 / f64::from(header.x.ticks());
    let granted: i32 = (0..1000).map(|_| pass(&mut router, 1000, header)).sum();
    assert!((299..=301).contains(&granted), "{granted}");
}

#[test]
fn a_new_capacity_counts_from_the_next_decision() {
    let mut router = after_ten_packets(8_000_000);
    router.set_capacity(Rate::from_bps(0));
    assert_eq!(pass(&mut router, 1000, flow(100, 10)), 32_000);
    router.handle_timeout(at(150) + ms(1), 0);
    let decided = figures(&router);
    // y = 1000 B / 101 ms, F = −0.4 y, h = max(0, 0.1 y − 0.4 y) = 0.
    assert!((decided.feedback + 0.4 * 1000.0 / 0.101).abs() < 0.1 && decided.shuffled == 0.0);
    assert!(pass(&mut router, 1000, flow(100, 10)) < 0);
}

#[test]
fn an_idle_interval_changes_nothing() {
    let mut router = router(8_000_000);
    router.handle_timeout(at(50), 0);
    let decided = figures(&router);
    assert_eq!((decided.feedback, decided.shuffled, decided.mean_rtt), (0.0, 0.0, ms(50)));
    assert_eq!(pass(&mut router, 1000, flow(100, 10)), 0);
}

#[test]
fn absurd_headers_are_cut_and_counted() {
    let mut router = after_ten_packets(1_600_000);
    // A spacing above the RTT counts as one packet per RTT.
    let mut greedy = flow(100, 10);
    greedy.x = Interval::from_ticks(u32::MAX);
    let modest = Header { x: greedy.rtt, ..greedy };
    let mut twin = router.clone();
    assert_eq!(pass(&mut router, 1000, greedy), pass(&mut twin, 1000, modest));
    assert_eq!((router.violations(), twin.violations()), (1, 0));
    // No spacing, and a spacing without an RTT.
    pass(&mut router, 1000, Header { x: Interval::ZERO, ..flow(100, 10) });
    assert_eq!(pass(&mut router, 1000, flow(0, 10)), 0);
    assert_eq!(router.violations(), 3);
    // A packet of 1000 B per 100 ms stands for 10 000 B/s; it cannot slow down by more.
    assert_eq!(pass(&mut router, 1000, Header { delta_throughput: i32::MIN, ..flow(100, 10) }), -10_000);
    assert_eq!(router.violations(), 4);
    assert_eq!(pass(&mut router, 1000, Header { delta_throughput: -9_000, ..flow(100, 10) }), -9_000);
    assert_eq!(router.violations(), 4);
}

#[test]
fn a_wish_to_stop_fills_no_pool() {
    // With ns-2's rule 27 the positive share of such a packet is its wish, negative, and the pool grows by 2·10^9.
    let mut router = after_ten_packets(1_600_000);
    let before = router.pools;
    for _ in 0..100 {
        pass(&mut router, 1000, Header { delta_throughput: i32::MIN, ..flow(100, 10) });
        assert!(router.pools.positive <= before.positive && router.pools.negative <= before.negative);
    }
}

#[test]
fn parameters_out_of_range_are_named() {
    let field = |config: RouterConfig| config.validate().unwrap_err().field;
    let good = RouterConfig::new(Rate::from_mbps(45));
    assert_eq!(good.validate(), Ok(()));
    assert_eq!(field(RouterConfig { alpha: f64::NAN, ..good }), "alpha");
    assert_eq!(field(RouterConfig { beta: -0.1, ..good }), "beta");
    assert_eq!(field(RouterConfig { gamma: 1.5, ..good }), "gamma");
    assert_eq!(field(RouterConfig { min_interval: Duration::ZERO, ..good }), "min_interval");
    assert_eq!(field(RouterConfig { max_rtt: Duration::from_ps(1), ..good }), "max_rtt");
}

fn any_header() -> impl Strategy<Value = Header> {
    let word = prop_oneof![Just(0u32), Just(1), Just(u32::MAX), 1u32..1 << 28, any::<u32>()];
    let delta = prop_oneof![Just(i32::MIN), Just(i32::MAX), Just(0), any::<i32>(), -1000i32..1000];
    (word.clone(), word, delta, any::<bool>()).prop_map(|(rtt, x, delta, ack)| {
        let data = Header::data(Interval::from_ticks(rtt), Interval::from_ticks(x), delta);
        if ack { Header { format: Format::Minimal, ..data } } else { data }
    })
}

/// The draft's rules written down once more, with real numbers and nothing else: what is granted to each packet of each
/// interval, in bytes per second.
fn by_the_book(capacity: f64, intervals: &[Vec<(f64, f64, f64, f64)>], length: f64) -> Vec<f64> {
    let (mut pos, mut neg, mut cp, mut cn) = (0.0_f64, 0.0_f64, 0.0, 0.0);
    let mut granted = Vec::new();
    for packets in intervals {
        let (mut bytes, mut sum_x, mut sum_rtt_x) = (0.0, 0.0, 0.0);
        for &(size, rtt, x, wish) in packets {
            (bytes, sum_x, sum_rtt_x) = (bytes + size, sum_x + x, sum_rtt_x + rtt * x);
            let (mut p, mut n) = (pos.min(cp * x), neg.min(cn * size));
            let offer = p - n;
            granted.push(offer.min(wish));
            if wish < offer {
                n = neg.min(n + (offer - wish));
                p = wish + n;
            }
            (pos, neg) = ((pos - p).max(0.0), (neg - n).max(0.0));
        }
        let (input, mean_rtt) = (bytes / length, sum_rtt_x / sum_x);
        assert!(mean_rtt > 0.0);
        let f = 0.4 * (capacity - input);
        let h = (0.1 * input - f.abs()).max(0.0);
        (pos, neg) = (f.max(0.0) + h, (-f).max(0.0) + h);
        (cp, cn) = (pos / sum_x, neg / bytes);
    }
    granted
}

fn sane_packet() -> impl Strategy<Value = (u32, u32, u32, i32)> {
    // Size, X and RTT in ticks, wish: flows of 1 to 100 packets per RTT of 50 to 500 ms. No wish is negative: with one,
    // and the negative pool empty, the book adds to the positive pool and the router does not.
    (100u32..1500, 13_000_000u32..130_000_000, 1u32..100, prop_oneof![2 => Just(i32::MAX), 1 => 0..5000])
        .prop_map(|(size, rtt, window, wish)| (size, rtt / window, rtt, wish))
}

proptest! {
    #[test]
    fn sane_packets_are_granted_what_the_book_says(
        intervals in prop::collection::vec(prop::collection::vec(sane_packet(), 1..30), 2..5),
        kbps in 10u64..100_000,
    ) {
        let fixed = ms(100);
        let rate = Rate::from_bps(1000 * kbps);
        let config = RouterConfig { initial_interval: fixed, min_interval: ms(500), ..RouterConfig::new(rate) };
        let mut router = Router::new(config, Instant::ZERO);
        let (mut now, mut written, mut book) = (Instant::ZERO, Vec::new(), Vec::new());
        for packets in &intervals {
            let mut exact = Vec::new();
            for &(size, x, rtt, wish) in packets {
                let header = Header::data(Interval::from_ticks(rtt), Interval::from_ticks(x), wish);
                let floor = -f64::from(size) / header.rtt.as_secs_f64();
                written.push((pass(&mut router, size, header), floor));
                exact.push((f64::from(size), header.rtt.as_secs_f64(), header.x.as_secs_f64(), f64::from(wish)));
            }
            now = now + fixed;
            // Ended by hand after 100 ms each.
            router.end_interval(now);
            book.push(exact);
        }
        let exact = by_the_book(kbps as f64 * 125.0, &book, 0.1);
        for ((granted, floor), exact) in written.iter().zip(&exact) {
            // Rounding moves at most 1 B/s between packets; below what a packet stands for the router stops.
            prop_assert!((f64::from(*granted) - exact.max(*floor)).abs() <= 1.001, "{granted} for {exact}, floor \
                {floor}");
        }
    }

    #[test]
    fn whatever_arrives_the_pools_only_shrink_and_grants_stay_in_bounds(
        packets in prop::collection::vec((any_header(), 1u32..100_000, any::<u64>(), 0u64..40), 1..200),
        capacity in prop_oneof![Just(0u64), Just(u64::MAX), any::<u64>(), 1u64..1 << 30],
        spent: bool,
    ) {
        let unclaimed = if spent { Unclaimed::Spent } else { Unclaimed::CountsAsNegative };
        let mut router =
            Router::new(RouterConfig { unclaimed, ..RouterConfig::new(Rate::from_bps(capacity)) }, Instant::ZERO);
        let mut now = Instant::ZERO;
        for (header, size, queue, step) in packets {
            now = now + Duration::from_millis(step);
            if router.next_timeout() <= now {
                router.handle_timeout(now, queue);
                prop_assert!(router.next_timeout() > now);
            }
            let pools = router.pools;
            let mut granted = header;
            router.handle_arrival(size, Some(&header), queue);
            router.handle_departure(size, &mut granted);
            prop_assert!(router.pools.positive <= pools.positive && router.pools.negative <= pools.negative);
            prop_assert!(router.pools.positive >= 0.0 && router.pools.negative >= 0.0);
            let expected = Header { delta_throughput: granted.delta_throughput, ..header };
            prop_assert_eq!(granted, expected, "only the wish is written");
            if header.format == Format::Standard && header.rtt > Interval::ZERO {
                let floor = -f64::from(size) / header.rtt.as_secs_f64() - 1.0;
                prop_assert!(f64::from(granted.delta_throughput) >= floor.max(f64::from(i32::MIN)));
                prop_assert!(granted.delta_throughput <= header.delta_throughput.max(floor as i32 + 1));
            }
            if let Some(figures) = router.figures() {
                prop_assert!(figures.feedback.is_finite() && figures.shuffled >= 0.0 && figures.shuffled.is_finite());
            }
        }
    }
}
