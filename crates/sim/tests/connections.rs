//! Whole connections in runs: timestamps, handshakes, windows that grow, and what they cost.

use crate::support::{Builder, numbers, refusal, scenario};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;

/// One flow of 400 kB over 10 Mb/s with 12 ms each way, by a transport of its own.
const ONE: &str = r#"
[run]
duration = "10 s"

[topology]
kind = "dumbbell"
pairs = 1
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "10 ms"
bottleneck_buffer = "500 kB"
access_capacity = "100 Mbps"
access_delay = "1 ms"

[[traffic]]
transport = "it"
size = "400 kB"
"#;

fn one(transport: &str) -> Results {
    Builder::of(ONE).add(&format!("[transport.it]\nalgorithm = \"sack\"\n{transport}\n")).run(1)
}

fn end(run: &Results) -> f64 {
    numbers(&run.flows, "end_s")[0]
}

#[test]
fn what_is_off_changes_nothing() {
    let bare = one("");
    let off = "timestamps = false\nhandshake = false\nteardown = false\nnagle = false\nwindow_scaling = true";
    assert_eq!(bare.fingerprint, one(off).fingerprint);
}

#[test]
fn timestamps_take_twelve_bytes_of_each_packet() {
    // RFC 7323: 1500 B packets carry 1448 B instead of 1460 B.
    let segments = |transport| numbers(&one(transport).flows, "segments_sent")[0];
    assert_eq!(segments(""), (400_000f64 / 1460.0).ceil());
    assert_eq!(segments("timestamps = true"), (400_000f64 / 1448.0).ceil());
    // With mss given the packets grow.
    assert_eq!(segments("timestamps = true\nmss = 1460"), (400_000f64 / 1460.0).ceil());
}

#[test]
fn a_handshake_takes_one_round_trip_and_two_packets() {
    // 24 ms, and 40 B each way: 32 us on the bottleneck, 3.2 us on each access link.
    let (bare, opened) = (one(""), one("handshake = true"));
    let later = end(&opened) - end(&bare);
    assert!((later - 0.024_076_8).abs() < 1e-9, "{later} s");
    assert_eq!(opened.packet_hops - bare.packet_hops, 6, "three links each way");
    // A FIN and its answer after the last ACK: the data are there no later.
    let closed = one("teardown = true");
    assert_eq!((end(&closed), closed.packet_hops - bare.packet_hops), (end(&bare), 6));
}

#[test]
fn a_window_without_scaling_bounds_the_rate() {
    // 65 535 B in a round trip of 24 ms and more is at most 21.8 Mb/s; over 100 Mb/s that is what a flow gets.
    let goodput = |transport| {
        let fast = Builder::of(ONE)
            .set("topology.bottleneck_capacity", "100 Mbps")
            .set("topology.access_capacity", "1 Gbps")
            .set("traffic.0.size", "20 MB");
        let run = fast.add(&format!("[transport.it]\nalgorithm = \"sack\"\n{transport}\n")).run(1);
        20e6 * 8.0 / end(&run)
    };
    let unscaled = goodput("window_scaling = false");
    assert!((20e6..21.8e6).contains(&unscaled), "{unscaled}");
    assert!(goodput("") > 80e6);
    // Tuned from the same window it follows what arrives.
    let tuned = goodput("autotune_from = \"65535 B\"\nreceiver_window = \"6 MB\"");
    assert!(tuned > 70e6, "{tuned}");
}

#[test]
fn eifel_in_a_run_spares_the_go_back() {
    // Nothing gets through for two seconds: the first round is late, and so is the copy that the timer sends after one
    // second.
    let late = |segment, copy, ms| {
        format!("[[force]]\nflow = 0\nsegment = {segment}\ncopy = {copy}\naction = \"delay\"\ndelay = \"{ms} ms\"\n")
    };
    let late: String = (0..10).map(|segment| late(segment, 1, 2000)).chain([late(0, 2, 1050)]).collect();
    let run = |undo: &str| {
        let transport = format!("[transport.it]\nalgorithm = \"sack\"\ntimestamps = true\nundo = \"{undo}\"\n");
        Builder::of(ONE).add(&transport).add(&late).run(1)
    };
    let retransmissions = |undo| numbers(&run(undo).flows, "retransmissions")[0];
    // The copy itself, and no more.
    assert_eq!(retransmissions("eifel"), 1.0);
    assert!(retransmissions("never") >= 4.0);
}

#[test]
fn threads_do_not_change_a_connection() {
    let transport = "[transport.it]\nalgorithm = \"cubic\"\nrecovery = \"linux\"\ntimestamps = true\nhandshake = \
        true\nteardown = true\nautotune_from = \"64 kB\"\n";
    let text = Builder::of(ONE).add(transport).text();
    let on = |threads| {
        let mut world = World::build(&scenario(&text), Seed { seed: 1, run: 0 }, Options::default()).unwrap();
        world.use_threads(threads);
        world.run_until(SimTime::NEVER);
        world.finish().unwrap()
    };
    let (one, two) = (on(1), on(2));
    assert_eq!((one.fingerprint, one.packet_hops), (two.fingerprint, two.packet_hops));
}

/// The same with an application in place of a size.
fn application(keys: &str) -> Results {
    let text = ONE.replace("size = \"400 kB\"", &format!("application = {keys}"));
    Builder::of(text).set("traffic.0.transport", "sack").run(1)
}

#[test]
fn a_film_of_25_frames_a_second_is_delivered_at_its_own_rate() {
    // 5000 B every 40 ms are 1 Mb/s: 250 frames in 10 s, of which the last has no time to be acknowledged in full.
    let run = application("{ kind = \"paced\", write = \"5000 B\", every = \"40 ms\" }");
    assert_eq!(numbers(&run.flows, "bytes_acked")[0], 250.0 * 5000.0);
    assert_eq!(numbers(&run.flows, "retransmissions")[0], 0.0);
}

#[test]
fn on_off_writers_write_in_on_times_only() {
    // 8 Mb/s for 1 s in 4 s, over 10 Mb/s: 2 Mb/s in the mean, ± one cycle of on-time in 10 s.
    let constant = |s| format!("{{ law = \"constant\", mean = \"{s} s\" }}");
    let keys = format!(
        "{{ kind = \"on-off\", write = \"1 kB\", rate = \"8 Mbps\", on = {}, off = {} }}",
        constant(1),
        constant(3)
    );
    let bytes = numbers(&application(&keys).flows, "bytes_acked")[0];
    assert!((1e6..=3e6 + 1e3).contains(&bytes), "{bytes}");
}

#[test]
fn a_request_follows_the_end_of_the_response_before() {
    // 14 600 B are the initial window: a response takes a round trip of 24 ms and what 10 segments need on the wires,
    // 12.8 ms. With 63 ms to think there are ten a second.
    let keys =
        "{ kind = \"request-response\", response = \"14600 B\", think = { law = \"constant\", mean = \"63 ms\" } }";
    let responses = numbers(&application(keys).flows, "bytes_acked")[0] / 14_600.0;
    assert!((98.0..=101.0).contains(&responses), "{responses}");
}

#[test]
fn an_application_does_not_go_with_a_size() {
    let text =
        ONE.replace("size = ", "application = { kind = \"paced\", write = \"1 kB\", every = \"1 ms\" }\nsize = ");
    let message = refusal(&text.replace("\"it\"", "\"sack\""), &[]);
    assert!(message.contains("traffic.0.size: there is an application; allowed: size or application"), "{message}");
}

#[test]
fn eifel_without_timestamps_is_refused_where_it_stands() {
    let text = format!("{ONE}\n[transport.it]\nalgorithm = \"sack\"\nundo = \"eifel\"\n");
    let message = refusal(&text, &[]);
    assert!(message.contains("transport.it.undo: ") && message.contains("needs timestamps = true"), "{message}");
}

#[test]
fn a_slow_reader_sets_the_pace_and_nothing_is_lost() {
    // 10 kB every 100 ms are 100 kB/s; 400 kB less the 60 kB that stay in the buffer at the end take 3.4 s, of whole
    // reads.
    let keys = "receiver_window = \"60 kB\"\nread = \"10 kB\"\nread_every = \"100 ms\"";
    let run = one(keys);
    assert!((3.2..3.8).contains(&end(&run)), "{} s", end(&run));
    let counts = ["retransmissions", "timeouts", "bytes_acked"].map(|name| numbers(&run.flows, name)[0]);
    assert_eq!(counts, [0.0, 0.0, 400_000.0]);
    // A reader faster than the line leaves no trace in the times.
    let fast = "receiver_window = \"60 kB\"\nread = \"1 MB\"\nread_every = \"1 ms\"";
    assert!((end(&one(fast)) / end(&one("receiver_window = \"60 kB\"")) - 1.0).abs() < 0.05);
}

#[test]
fn ecn_is_agreed_on_in_the_handshake() {
    let run = |keys: &str| {
        let transport = format!("[transport.it]\nalgorithm = \"sack\"\necn = true\nhandshake = true\n{keys}\n");
        let marking = "{ kind = \"step\", threshold = \"5 packets\" }";
        let text = format!("{ONE}\n[[link]]\nfrom = \"left\"\nto = \"right\"\nqueue = {marking}\n{transport}");
        Builder::of(&text).run(1)
    };
    let reductions = |keys| numbers(&run(keys).flows, "ecn_reductions")[0];
    assert!(reductions("") > 0.0);
    assert_eq!(reductions("accept_ecn = false"), 0.0);
}

#[test]
fn a_receiver_that_nothing_asks_cannot_refuse_ecn() {
    let text = format!("{ONE}\n[transport.it]\nalgorithm = \"sack\"\naccept_ecn = false\n");
    let message = refusal(&text, &[]);
    assert!(message.contains("transport.it.accept_ecn: ") && message.contains("needs handshake = true"), "{message}");
}
