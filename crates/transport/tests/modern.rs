//! Window laws of today alone on a bottleneck: the numbers that their sources print.

use crate::harness::path::{Bottleneck, Path};
use crate::harness::{MSS, sender_config};
use transport::cc::prague::Fallback;
use transport::cc::{Arithmetic, registry};
use transport::tcp::{LossRecovery, SenderConfig};
use units::{Duration, Instant};

/// 1000 B in 1 ms, 8 Mb/s; a round trip of 40 ms and the service: 41 segments fill the path.
const SERVICE: Duration = Duration::from_millis(1);
const PATH: Bottleneck =
    Bottleneck { service: SERVICE, rtt: Duration::from_millis(40), buffer: 400, mark_at: usize::MAX };

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds).unwrap()
}

fn flow(algorithm: &str, bottleneck: Bottleneck) -> Path {
    let mut path =
        Path::new(SenderConfig { min_rto: Duration::from_millis(200), ..sender_config(algorithm) }, bottleneck);
    path.write(u64::MAX);
    path
}

#[test]
fn bbr_fills_a_path_and_keeps_its_queue_short() {
    let mut path = flow("bbr", PATH);
    path.run_until(at(2.0));
    assert!(path.utilization_over(Duration::from_secs(7)) > 0.97);
    // The phase of 1.25 leaves a quarter of 41 segments for one of eight round trips, and cwnd is 2 BDP, where a buffer
    // of 400 is.
    assert!(path.mean_queue(at(2.0)) < 12.0, "{}", path.mean_queue(at(2.0)));
    assert_eq!((path.dropped, path.sender.stats().timeouts), (0, 0));
}

#[test]
fn bbrs_rate_goes_up_by_a_quarter_and_down_by_a_quarter_once_in_eight_round_trips() {
    let mut path = flow("bbr", PATH);
    path.run_until(at(8.0));
    // The rate of every segment, in thousandths of the path's: 1.25 for a round trip, 0.75 for one or until the queue
    // is gone, then 1.
    let gaps = path
        .sent
        .windows(2)
        .filter(|pair| pair[0] >= at(3.0))
        .map(|pair| pair[1].saturating_since(pair[0]).as_secs_f64());
    let rates: Vec<f64> = gaps.map(|gap| SERVICE.as_secs_f64() / gap).collect();
    let near =
        |gain: f64| rates.iter().filter(|rate| (**rate / gain - 1.0).abs() < 0.02).count() as f64 / rates.len() as f64;
    // In segments, 1.25 in eight round trips at 1: 15.6 %; of time 1/8.
    assert!((0.10..0.22).contains(&near(1.25)), "{}", near(1.25));
    assert!((0.03..0.14).contains(&near(0.75)), "{}", near(0.75));
    assert!((0.60..0.85).contains(&near(1.0)), "{}", near(1.0));
}

#[test]
fn bbr_probes_the_round_trip_every_ten_seconds_for_200_ms() {
    let mut path = flow("bbr", PATH);
    let mut low = Vec::new();
    for step in 1..2500 {
        path.run_until(at(0.01 * f64::from(step)));
        if path.sender.cwnd() == 4 * u64::from(MSS) {
            low.push(0.01 * f64::from(step));
        }
    }
    // RTprop is of the first round trip or of Drain's end, within the first half second; the next probe comes ten
    // seconds after the last ended.
    let begins: Vec<f64> = low
        .iter()
        .copied()
        .filter(|t| !low.contains(&(t - 0.01)) && !low.iter().any(|u| (t - u - 0.01).abs() < 1e-6))
        .collect();
    assert_eq!(begins.len(), 2, "{begins:?}");
    assert!((10.0..11.0).contains(&begins[0]), "{begins:?}");
    assert!((begins[1] - begins[0] - 10.25).abs() < 0.15, "{begins:?}");
    let length = low.iter().filter(|t| **t < begins[1]).count() as f64 * 0.01;
    // 200 ms, a round trip to go down, and one to end.
    assert!((0.20..0.34).contains(&length), "{length}");
}

#[test]
fn bbr_goes_on_at_its_rate_where_one_segment_in_a_hundred_is_lost() {
    let lossy = |algorithm: &str| {
        let mut path = flow(algorithm, PATH);
        path.loses_one_in = Some(100);
        path.run_until(at(5.0));
        let utilization = path.utilization_over(Duration::from_secs(20));
        (utilization, path.sender.stats().timeouts)
    };
    // Reno's law: √(3/2)/√p = 12 segments in a round trip of 41: 30 %.
    let (sack, bbr) = (lossy("sack"), lossy("bbr"));
    assert!((0.2..0.4).contains(&sack.0), "{sack:?}");
    assert!(bbr.0 > 0.93 && bbr.1 == 0, "{bbr:?}");
}

#[test]
fn bbr_fills_a_path_with_half_of_its_product_as_buffer() {
    // Of cwnd = 2 BDP only Startup makes use: a phase of 1.25 puts ten segments in the queue.
    let mut path = flow("bbr", Bottleneck { buffer: 20, ..PATH });
    path.run_until(at(5.0));
    let utilization = path.utilization_over(Duration::from_secs(4));
    assert!(utilization > 0.95, "{utilization}");
}

#[test]
fn vegas_keeps_between_one_and_three_segments_in_the_queue() {
    let mut path = flow("vegas", PATH);
    path.run_until(at(10.0));
    assert!(path.utilization_over(Duration::from_secs(10)) > 0.99);
    let queue = path.mean_queue(at(10.0));
    // Diff counts the window by RTT, so between alpha and beta segments wait, less the one that is in service.
    assert!((0.5..=3.0).contains(&queue), "{queue}");
    assert_eq!(path.dropped, 0);
}

#[test]
fn dctcps_queue_swings_around_k() {
    // SIGCOMM 2010 eq. (10) for one flow: the window swings by A = ½ √(2 (C RTT + K)) = ½ √(2 · 61) = 5.5 segments,
    // below K + 1.
    let k = 20;
    let mut path = flow("dctcp", Bottleneck { mark_at: k, ..PATH });
    path.run_until(at(20.0));
    assert!(path.utilization_over(Duration::from_secs(20)) > 0.995);
    let queue = path.mean_queue(at(20.0));
    assert!((queue - (k as f64 + 1.0 - 5.5 / 2.0)).abs() < 4.0, "{queue}");
    assert_eq!((path.dropped, path.sender.stats().fast_retransmits), (0, 0));
}

#[test]
fn prague_fills_a_path_that_marks_at_a_short_queue() {
    let mut path = flow("prague", Bottleneck { mark_at: 10, ..PATH });
    path.run_until(at(20.0));
    assert!(path.utilization_over(Duration::from_secs(20)) > 0.98);
    assert!(path.mean_queue(at(20.0)) < 14.0, "{}", path.mean_queue(at(20.0)));
    assert_eq!(path.dropped, 0);
}

/// The least and the greatest window of a Prague flow from 10 to 20 s, in segments.
fn pragues_window(fallback: Fallback, bottleneck: Bottleneck) -> (f64, f64) {
    let mut config = SenderConfig { min_rto: Duration::from_millis(200), ..sender_config("prague") };
    config.laws.prague.fallback = fallback;
    let mut path = Path::new(config, bottleneck);
    path.write(u64::MAX);
    let windows = (1000..2000).map(|step| {
        path.run_until(at(0.01 * f64::from(step)));
        path.sender.cwnd() as f64 / f64::from(MSS)
    });
    windows.fold((f64::MAX, 0.0), |(least, most): (f64, f64), cwnd| (least.min(cwnd), most.max(cwnd)))
}

#[test]
fn prague_gives_way_as_to_a_classic_queue_where_marks_come_with_much_delay_and_it_looks_out_for_that() {
    let slow = Bottleneck { mark_at: 60, ..PATH };
    // A step at 60 segments is 60 ms of queue: lg(60/2)/2 = 2.5 points in a round trip, less lg(v/750 µs)/2 where it
    // hardly varies.
    let (least, most) = pragues_window(Fallback::Delay, slow);
    // alpha is at least 0.625: a mark leaves 0.69 of the window.
    assert!(least / most < 0.75, "{least} of {most}");
    let (least, most) = pragues_window(Fallback::Off, slow);
    assert!(least / most > 0.8, "{least} of {most}");
    // A step at 1 ms of a path with 80 Mb/s and 10 ms: round trips vary by less than 0.75 ms and the score stays at 0.
    // (At 8 Mb/s, where a segment lasts 1 ms, a step at two segments is taken for a classic queue: the rule's authors
    // say so of low rates.)
    let (service, rtt) = (Duration::from_micros(100), Duration::from_millis(10));
    let fast = Bottleneck { service, rtt, mark_at: 10, ..PATH };
    assert_eq!(pragues_window(Fallback::Delay, fast), pragues_window(Fallback::Off, fast));
}

#[test]
fn westwood_plus_gives_way_to_what_the_path_carries() {
    // A buffer of four times the path: half of the flight would leave 1.5 of it in the queue, BWE · RTTmin leaves none.
    let mut path = flow("westwood+", Bottleneck { buffer: 164, ..PATH });
    path.run_until(at(5.0));
    while path.sender.stats().fast_retransmits < 3 {
        let later = path.now + Duration::from_millis(10);
        path.run_until(later);
    }
    let segments = path.sender.ssthresh() as f64 / f64::from(MSS);
    assert!((segments - 41.0).abs() < 5.0, "{segments}");
}

#[test]
fn no_segment_leaves_before_its_time_at_the_law_s_rate() {
    // A paced sender's segments are apart by at least the time that a segment takes at the greatest rate it has had:
    // here the path's times the greatest gain, after Startup.
    for (algorithm, gain) in [("bbr", 1.25), ("bbr3", 1.25)] {
        if !registry().iter().any(|entry| entry.name == algorithm) {
            continue;
        }
        let mut path = flow(algorithm, PATH);
        path.run_until(at(20.0));
        let least =
            path.sent.windows(2).filter(|pair| pair[0] >= at(3.0)).map(|pair| pair[1].saturating_since(pair[0])).min();
        let allowed = SERVICE.as_secs_f64() / gain;
        assert!(least.unwrap().as_secs_f64() > 0.98 * allowed, "{algorithm}: {least:?}, {allowed}");
    }
}

#[test]
fn a_recovery_that_a_law_cannot_run_on_is_refused() {
    let config = SenderConfig { recovery: Some(LossRecovery::NewReno), ..sender_config("bbr") };
    let wrong = config.validate().unwrap_err().to_string();
    assert_eq!(
        wrong,
        "recovery must be sack, rr-tcp, td-fr, rack or linux with bbr: without SACK no rates are measured"
    );
    let config = SenderConfig { ecn: true, ..sender_config("bbr") };
    assert_eq!(
        config.validate().unwrap_err().to_string(),
        "ecn must be false for bbr, bbr3 and swift, which have no answer to marks"
    );
}

#[test]
fn bbr3_fills_a_path_and_keeps_its_queue_short() {
    let mut path = flow("bbr3", PATH);
    path.run_until(at(2.0));
    let utilization = path.utilization_over(Duration::from_secs(7));
    assert!(utilization > 0.95, "{utilization}");
    assert!(path.mean_queue(at(2.0)) < 12.0, "{}", path.mean_queue(at(2.0)));
    assert_eq!((path.dropped, path.sender.stats().timeouts), (0, 0));
}

#[test]
fn bbr3_probes_the_round_trip_every_five_seconds_with_half_of_the_product() {
    let mut path = flow("bbr3", PATH);
    let mut low = Vec::new();
    for step in 200..2500 {
        path.run_until(at(0.01 * f64::from(step)));
        // Half of 41 segments; two of them at least everywhere else.
        if path.sender.cwnd() < 25 * u64::from(MSS) {
            low.push(0.01 * f64::from(step));
        }
    }
    let begins: Vec<f64> = low.iter().copied().filter(|t| !low.iter().any(|u| (t - u - 0.01).abs() < 1e-6)).collect();
    assert!((3..=5).contains(&begins.len()), "{begins:?}");
    for pair in begins.windows(2) {
        // 5 s after the end of the last probe, which takes 200 ms and a round trip or two.
        assert!((5.1..5.5).contains(&(pair[1] - pair[0])), "{begins:?}");
    }
}

#[test]
fn bbr3_keeps_its_losses_low_where_bbr_does_not_give_way() {
    // A buffer of a quarter of the bandwidth-delay product.
    let lost = |algorithm: &str| {
        let mut path = flow(algorithm, Bottleneck { buffer: 10, ..PATH });
        path.run_until(at(5.0));
        let before = (path.dropped, path.sent.len());
        let utilization = path.utilization_over(Duration::from_secs(20));
        (utilization, (path.dropped - before.0) as f64 / (path.sent.len() - before.1) as f64)
    };
    let found = lost("bbr3");
    assert!(found.0 > 0.85 && found.1 < 0.02, "{found:?}");
}

#[test]
fn bbr3_goes_on_where_fewer_than_two_in_a_hundred_are_lost_and_gives_way_where_more_are() {
    let lossy = |share: u64| {
        let mut path = flow("bbr3", PATH);
        path.loses_one_in = Some(share);
        path.run_until(at(5.0));
        path.utilization_over(Duration::from_secs(20))
    };
    // The draft's threshold is 2 % (BBR.LossThresh).
    let (rare, often) = (lossy(200), lossy(20));
    assert!(rare > 0.85 && often < rare, "{rare} {often}");
}

#[test]
fn bbr3_needs_a_recovery_that_tells_each_loss() {
    let config = SenderConfig { recovery: Some(LossRecovery::Sack), ..sender_config("bbr3") };
    let wrong = config.validate().unwrap_err().to_string();
    assert_eq!(wrong, "recovery must be rack or linux with bbr3, which asks for every lost segment");
}

/// Utilization from the fifth second on for 20 s, timeouts in it, and the largest window of all 25 s in products of
/// rate and round trip.
fn lives(mut path: Path) -> (f64, u64, f64) {
    let product = path.bottleneck.rtt.as_secs_f64() / path.bottleneck.service.as_secs_f64();
    let (mut most, mut utilization, mut early) = (0.0f64, 0.0, 0);
    for tenth in 1..=250 {
        let now = path.utilization_over(Duration::from_millis(100));
        match tenth > 50 {
            true => utilization += now / 200.0,
            false => early = path.sender.stats().timeouts,
        }
        most = most.max(path.sender.cwnd() as f64 / f64::from(MSS) / product);
    }
    (utilization, path.sender.stats().timeouts - early, most)
}

/// In the mean 1.25/δ = 2.5 packets wait, and 5 at most: ten packets of buffer lose nothing but what the start does.
/// The window is near the target rate times the round trip.
#[test]
fn copa_goes_on_in_shallow_buffers() {
    for buffer in [10, 20, 50] {
        let (utilization, timeouts, most) =
            lives(flow("copa", Bottleneck { service: Duration::from_micros(600), buffer, ..PATH }));
        assert!(utilization > 0.9 && timeouts == 0 && most < 5.0, "{buffer}: {utilization}, {timeouts}, {most}");
    }
}

/// A flow that keeps most of its window at a loss and repairs it over a round trip or two fills its path: ns-3 has no
/// timeout after the start, and the payload's share.
#[test]
fn laws_with_small_cuts_fill_a_path_without_timeouts() {
    for law in ["scalable", "bic", "veno", "yeah", "htcp", "cubic", "illinois"] {
        for buffer in [40, 100] {
            let (utilization, timeouts, _) = lives(flow(law, Bottleneck { buffer, ..PATH }));
            assert!(utilization > 0.95 && timeouts == 0, "{law}, {buffer}: {utilization}, {timeouts}");
        }
    }
}

/// Kuzmanovic and Knightly: alone, a low-priority flow uses what there is. A sign comes where a few segments more than
/// the 41 of the path are in flight. It leaves half, for three round trips, and then a segment is gained in each of
/// some 20: (3 · 0.5 + 20 · 0.75)/23 = 0.72 of the path, and a few round trips at all of it.
#[test]
fn lp_alone_fills_most_of_its_path_as_its_paper_has_it() {
    let lone = |arithmetic| {
        let mut config = SenderConfig { min_rto: Duration::from_millis(200), ..sender_config("lp") };
        config.laws.lp.arithmetic = arithmetic;
        let mut path = Path::new(config, Bottleneck { buffer: 100, ..PATH });
        path.write(u64::MAX);
        lives(path)
    };
    let paper = lone(Arithmetic::Paper);
    assert!((0.7..0.85).contains(&paper.0) && paper.1 == 0, "{paper:?}");
    // Linux's slow start goes on after each sign, up to the next two: from one segment to more than the path holds.
    let linux = lone(Arithmetic::Linux);
    assert!(linux.0 < 0.5 && linux.1 == 0, "{linux:?}");
}
