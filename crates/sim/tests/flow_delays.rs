//! One-way delay, jitter and loss of single flows, against arithmetic.

use crate::support::{Builder, MIXED, figure, numbers, scenario};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;

/// 10 Mb/s and 1 ms, then 100 Mb/s and 2 ms. A datagram of 1250 B every 10 ms takes 1 ms and 0.1 ms to send and 3 ms of
/// fibre: 4.1 ms. 200 leave in 2 s, and the last arrives at 1.9941 s.
const LINE: &str = r#"
[run]
duration = "2 s"
[[node]]
name = "a"
[[node]]
name = "x"
[[node]]
name = "b"
[[link]]
from = "a"
to = "x"
capacity = "10 Mbps"
delay = "1 ms"
buffer = "unlimited"
[[link]]
from = "x"
to = "b"
capacity = "100 Mbps"
delay = "2 ms"
buffer = "unlimited"
[transport.udp]
packet_size = 1250
[[traffic]]
transport = "udp"
from = "a"
to = "b"
rate = "1 Mbps"
[probe]
flow_delays = true
"#;

const TIMES: [&str; 6] = ["delay_mean_s", "delay_p50_s", "delay_p95_s", "delay_p99_s", "delay_max_s", "jitter_mean_s"];

/// The columns of the first flow; `delays`, `lost_packets` and `loss_ratio` are looked up by name.
fn times(run: &Results) -> [f64; 6] {
    TIMES.map(|name| numbers(&run.flows, name)[0])
}

fn near(found: f64, value: f64, tolerance: f64) {
    assert!((found - value).abs() <= tolerance * value.abs() + 1e-15, "{found}, not {value}");
}

fn counts(run: &Results) -> [f64; 3] {
    ["delays", "lost_packets", "loss_ratio"].map(|name| numbers(&run.flows, name)[0])
}

#[test]
fn on_an_empty_path_every_delay_is_propagation_and_serialisation() {
    let run = Builder::of(LINE).run(1);
    let found = times(&run);
    found[..5].iter().for_each(|delay| near(*delay, 4.1e-3, 1e-12));
    assert_eq!(found[5], 0.0);
    assert_eq!(counts(&run), [200.0, 0.0, 0.0]);
}

/// One segment of 1500 B at a time: 1.2 ms and 0.12 ms to send, 3 ms of fibre.
#[test]
fn a_segment_of_tcp_that_is_alone_takes_as_long() {
    let tcp = "[transport.one]\nalgorithm = \"reno\"\nmss = 1460\nmax_window = \"1 packets\"\n[[traffic]]\ntransport = \
        \"one\"\nstart = \"0.1 s\"\nfrom = \"a\"\nto = \"b\"\nsize = \"1 MB\"\n";
    let text = LINE.replace("[probe]", &format!("{tcp}[probe]"));
    let run = Builder::of(text).set("traffic.0.stop", "1 ns").set("run.duration", "20 s").run(1);
    let of_tcp = numbers(&run.flows, "delay_p99_s").len() - 1;
    near(numbers(&run.flows, "delay_max_s")[of_tcp], 4.32e-3, 1e-12);
    // Not all are equal, so quantiles are to 0.4 %.
    ["delay_p50_s", "delay_p99_s"].iter().for_each(|name| near(numbers(&run.flows, name)[of_tcp], 4.32e-3, 4e-3));
    // 684 segments of 1460 B and one of 1360.
    assert_eq!(numbers(&run.flows, "delays")[of_tcp], 685.0);
    // The last has 100 B less on the wire: 0.08 and 0.008 ms less to send.
    near(numbers(&run.flows, "jitter_mean_s")[of_tcp], 0.088e-3 / 684.0, 1e-9);
}

/// Packets 0 to 100 leave before 1.005 s, 101 to 199 find 2 ms more of fibre: one difference of 2 ms in 199 pairs.
#[test]
fn a_step_of_the_delay_is_one_difference() {
    let step = "[[event]]\nat = \"1.005 s\"\nlink = \"a->x\"\ndelay = \"3 ms\"\n";
    let run = Builder::of(LINE).add(step).run(1);
    let [mean, p50, p95, _, max, jitter] = times(&run);
    near(mean, (101.0 * 4.1e-3 + 99.0 * 6.1e-3) / 200.0, 1e-12);
    near(max, 6.1e-3, 1e-12);
    near(jitter, 2e-3 / 199.0, 1e-12);
    // Quantiles are to 0.4 %.
    near(p50, 4.1e-3, 4e-3);
    near(p95, 6.1e-3, 4e-3);
}

/// RFC 3550: expected are those up to the last that arrived. The very last of the run is missed by nobody.
#[test]
fn dropped_packets_are_lost_unless_none_comes_behind_them() {
    let force = |segment: u32| format!("[[force]]\nflow = 0\nsegment = {segment}\naction = \"drop\"\n");
    let two = Builder::of(LINE).add(&force(3)).add(&force(7));
    assert_eq!(counts(&two.run(1)), [198.0, 2.0, 2.0 / 200.0]);
    assert_eq!(counts(&two.add(&force(199)).run(1)), [197.0, 2.0, 2.0 / 199.0]);
    // Nothing arrives: nothing is known.
    let none = Builder::of(LINE).set("traffic.0.stop", "5 ms").add(&force(0)).run(1);
    assert_eq!(counts(&none)[..2], [0.0, 0.0]);
    assert!(counts(&none)[2].is_nan() && times(&none).iter().all(|time| time.is_nan()));
}

/// Poisson datagrams of 1000 B over 8 Mb/s and 3 ms, load 0.5: an M/D/1 queue with a mean wait of 0.5 times 1 ms / (2 ·
/// 0.5). 500 000 packets; the waits are correlated over some five, and vary as much as their mean: good to 0.5 %.
#[test]
fn the_mean_delay_of_m_d_1_is_pollaczek_and_khinchins() {
    let queue = Builder::of(LINE.replace("1250", "1000"))
        .set("run.duration", "1000 s")
        .set("link.0.capacity", "8 Mbps")
        .set("link.0.delay", "3 ms")
        .set("link.1.capacity", "8 Tbps")
        .set("link.1.delay", "1 ns")
        .set("traffic.0.load", "poisson")
        .set("traffic.0.rate", "4 Mbps")
        .set("probe.delays", true);
    let run = queue.run(1);
    let [mean, p50, p95, p99, ..] = times(&run);
    near(mean, 3e-3 + 1e-3 + 0.5e-3, 0.005);
    // The histogram of the whole run has three digits, this one two.
    near(p50, figure(&run, "packet_delay_p50"), 5e-3);
    near(p95, figure(&run, "packet_delay_p95"), 5e-3);
    near(p99, figure(&run, "packet_delay_p99"), 5e-3);
}

/// All tables of numbers as bits, since nothing equals NaN.
fn bits(run: &Results, columns: &[&str]) -> Vec<Vec<u64>> {
    columns.iter().map(|name| numbers(&run.flows, name).iter().map(|value| value.to_bits()).collect()).collect()
}

#[test]
fn measuring_changes_no_run_and_threads_change_no_delay() {
    let run = |text: &str, threads| {
        let mut world = World::build(&scenario(text), Seed { seed: 1, run: 0 }, Options::default()).unwrap();
        world.use_threads(threads);
        world.run_until(SimTime::NEVER);
        world.finish().unwrap()
    };
    let asked = format!("{MIXED}flow_delays = true\n");
    let (plain, one, three) = (run(MIXED, 1), run(&asked, 1), run(&asked, 3));
    assert_eq!((plain.fingerprint, plain.events), (one.fingerprint, one.events));
    let is_new = |name: &&str| plain.flows.columns.iter().all(|(has, _)| has != name);
    let more: Vec<&str> = one.flows.columns.iter().map(|(name, _)| *name).filter(is_new).collect();
    let told = ["delays", "lost_packets", "loss_ratio"];
    assert_eq!(more.len(), TIMES.len() + told.len(), "{more:?}");
    let columns = [&TIMES[..], &told].concat();
    assert_eq!(one.fingerprint, three.fingerprint);
    assert_eq!(bits(&one, &columns), bits(&three, &columns));
    assert!(numbers(&one.flows, "lost_packets").iter().sum::<f64>() > 0.0);
}

/// Packets with congestion headers say nothing of when they left.
#[test]
fn xcp_has_no_delays() {
    let text = r#"
[run]
duration = "1 s"
[topology]
kind = "dumbbell"
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "10 ms"
bottleneck_buffer = "100 packets"
[link_defaults]
xcp = {}
[[traffic]]
transport = "xcp"
[probe]
flow_delays = true
"#;
    let run = Builder::of(text).run(1);
    assert!(figure(&run, "goodput") > 0.0);
    assert_eq!(counts(&run)[0], 0.0);
}
