//! QUIC as hosts: times by arithmetic from RFC 9002, every window law, flow control, late packets, and what
//! users are told.

use crate::support::{Builder, loaded, numbers, refusal, texts};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::scenario::{Input, load};
use sim::study::World;
use std::path::Path;
use transport::cc;
use transport::quic::Config;

/// One flow over one link of 100 Mb/s, 20 ms and room for all of it. Packets are 1250 B, 100 us each; ACKs take no time
/// worth counting: 1 B.
const ONE: &str = r#"
[run]
duration = "20 s"
[topology]
kind = "custom"
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
from = "a"
to = "b"
capacity = "100 Mbps"
delay = "20 ms"
buffer = "unlimited"
[transport.it]
algorithm = "quic-newreno"
packet_size = "1250 B"
header = "50 B"
ack_size = "1 B"
paced = false
[[traffic]]
transport = "it"
from = "a"
to = "b"
size = "6 kB"
"#;
/// Seconds: a packet on the link, an ACK on it, the fibre.
const PACKET: f64 = 1250.0 * 8.0 / 100e6;
const ACK: f64 = 8.0 / 100e6;
const FIBRE: f64 = 0.02;
const ROUND: f64 = PACKET + ACK + 2.0 * FIBRE;
const MAX_ACK_DELAY: f64 = 0.025;

fn one() -> Builder {
    Builder::of(ONE)
}

fn figure(run: &Results, column: &str) -> f64 {
    numbers(&run.flows, column)[0]
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 2e-6, "{found} s, and not {expected} s");
}

fn dropping(packets: &[u64]) -> String {
    let order = |packet: &u64| format!("[[force]]\nflow = 0\nsegment = {packet}\naction = \"drop\"\n");
    packets.iter().map(order).collect()
}

#[test]
fn an_odd_last_packet_waits_for_its_ack_and_an_even_one_does_not() {
    // RFC 9000 §13.2.2: every second packet is acknowledged at once, a single one after max_ack_delay.
    close(figure(&one().set("traffic.0.size", "\"4.8 kB\"").run(1), "end_s"), 3.0 * PACKET + ROUND);
    let odd = one().run(1);
    close(figure(&odd, "end_s"), 4.0 * PACKET + ROUND + MAX_ACK_DELAY);
    assert_eq!((figure(&odd, "segments_sent"), figure(&odd, "retransmissions")), (5.0, 0.0));
    let at_once = one().set("transport.it.ack_every", "1").run(1);
    close(figure(&at_once, "end_s"), 4.0 * PACKET + ROUND);
}

#[test]
fn without_headers_a_packet_is_payload() {
    // A thousand bytes are one packet, which waits for its ACK.
    let bare = one().set("transport.it.header", "\"0 B\"").set("transport.it.packet_size", "\"1000 B\"");
    let run = bare.set("traffic.0.size", "\"1 kB\"").run(1);
    close(figure(&run, "end_s"), 1000.0 * 8.0 / 100e6 + ACK + 2.0 * FIBRE + MAX_ACK_DELAY);
    assert_eq!(figure(&run, "segments_sent"), 1.0);
}

#[test]
fn a_lost_packet_is_found_by_the_third_behind_it() {
    // Packet 1 of ten is lost at its host. Packet 2 is out of order and acknowledged at once, packets 3 and 4 together
    // (RFC 9000 §13.2): the ACK of packet 4 finds the loss. What is sent again is in order, so that its ACK may wait.
    let run = one().set("traffic.0.size", "\"12 kB\"").add(&dropping(&[1])).run(1);
    let found = 3.0 * PACKET + ROUND;
    close(figure(&run, "end_s"), found + ROUND + MAX_ACK_DELAY);
    let counts = ["segments_sent", "retransmissions", "fast_retransmits", "timeouts"].map(|name| figure(&run, name));
    assert_eq!(counts, [11.0, 1.0, 1.0, 0.0]);
}

#[test]
fn a_lost_tail_is_repaired_by_two_probes_after_a_pto() {
    // All packets leave at once. Of six the last two are lost; the ACKs of the first two pairs are the samples.
    let run = one().set("traffic.0.size", "\"7.2 kB\"").add(&dropping(&[4, 5])).run(1);
    let (first, second) = (PACKET + ROUND, 3.0 * PACKET + ROUND);
    let srtt = 0.875 * first + 0.125 * second;
    let rttvar = 0.75 * (first / 2.0) + 0.25 * (second - first);
    // RFC 9002 §6.2.1. The first probe is behind missing numbers and acknowledged at once, the second is not.
    let pto = srtt + 4.0 * rttvar + MAX_ACK_DELAY;
    close(figure(&run, "end_s"), pto + PACKET + ROUND + MAX_ACK_DELAY);
    // Its ACK shows that packet 5 is lost, whose bytes leave once more: the other probe's ACK still waits.
    assert_eq!([figure(&run, "timeouts"), figure(&run, "retransmissions")], [1.0, 3.0]);
}

#[test]
fn a_peer_that_takes_twenty_packets_bounds_the_rate() {
    // 24 440 B in each round trip; its last packet is filled in part, and a window waits for an ACK of two packets.
    let most = 20.0 * 1222.0 * 8.0 / ROUND;
    for window in ["receive_window", "stream_window"] {
        let key = format!("transport.it.{window}");
        let limited = one().set("traffic.0.size", "\"20 MB\"").set(&key, "\"20 packets\"");
        let goodput = numbers(&limited.clone().run(1).flows, "bytes_arrived")[0] * 8.0 / 20.0;
        assert!(goodput <= most && goodput >= 0.9 * most, "{window}: {goodput} of {most}");
        // A window that doubles as it is used up takes the link.
        let end = figure(&limited.set("transport.it.largest_window", "\"4 MB\"").run(1), "end_s");
        assert!(20e6 * 8.0 / end > 0.8 * 100e6 * 1200.0 / 1250.0, "{window}: {end} s");
    }
}

#[test]
fn a_late_packet_is_taken_for_lost_and_known_to_be_spurious() {
    // Packet 3 of ten comes 5 ms late: behind packet 6, whose ACK takes it for lost.
    let late = "[[force]]\nflow = 0\nsegment = 3\naction = \"delay\"\ndelay = \"5 ms\"\n";
    let run = one().set("traffic.0.size", "\"12 kB\"").add(late).run(1);
    let counts = ["retransmissions", "fast_retransmits", "false_fast_retransmits"].map(|name| figure(&run, name));
    assert_eq!(counts, [1.0, 1.0, 1.0]);
    let patient = one()
        .set("traffic.0.size", "\"12 kB\"")
        .set("transport.it.packet_threshold", "10")
        .set("transport.it.time_threshold", "1.5");
    let counts = ["retransmissions", "fast_retransmits"].map(|name| figure(&patient.clone().add(late).run(1), name));
    assert_eq!(counts, [0.0, 0.0]);
}

/// Ten packets are written at once, and the second is lost at its host.
#[test]
fn a_lost_datagram_is_not_sent_again_and_holds_nothing_back() {
    let media = Builder::of(ONE.replace("size = \"6 kB\"", ""))
        .set("run.duration", "\"0.9 s\"")
        .set("transport.it.frames", "\"datagram\"")
        .set("traffic.0.application", "{ kind = \"paced\", write = \"12 kB\", every = \"1 s\" }");
    let run = media.add(&dropping(&[1])).run(1);
    let names = ["segments_sent", "retransmissions", "bytes_arrived", "bytes_lost", "bytes_dropped"];
    assert_eq!(names.map(|name| figure(&run, name)), [10.0, 0.0, 9.0 * 1200.0, 1200.0, 0.0]);
    assert!(!one().run(1).flows.columns.iter().any(|(name, _)| *name == "bytes_lost"), "of streams all arrives");
}

#[test]
fn nothing_waits_for_datagrams_that_may_be_lost() {
    let datagrams = ONE.replace("[transport.it]\n", "[transport.it]\nframes = \"datagram\"\n");
    let all = "nothing waits until all datagrams have arrived, for some may be lost; allowed: size = \"greedy\", or an \
               application of kind \"paced\" or \"on-off\"";
    assert_eq!(refusal(&datagrams, &[]), format!("test.toml:27:8: traffic.0.size: {all}"));
    let asks = "application = { kind = \"request-response\", response = \"1 kB\", think = { law = \"constant\", mean = \
                \"1 s\" } }";
    let text = datagrams.replace("size = \"6 kB\"", asks);
    assert!(refusal(&text, &[]).contains(all), "{}", refusal(&text, &[]));
    let graph = "among = [\"a\", \"b\"]\nwork = { collective = \"all-reduce\", size = \"1 MB\" }";
    let text = datagrams.replace("from = \"a\"\nto = \"b\"\nsize = \"6 kB\"", graph);
    assert!(
        refusal(&text, &[]).contains("datagrams may be lost; allowed: frames = \"stream\""),
        "{}",
        refusal(&text, &[])
    );
}

/// An application writes 1200 B every millisecond, 9.6 Mb/s, and the link takes 5 Mb/s with headers: 4.8 Mb/s. A bound
/// of what waits at the sender drops the rest there; all that leaves is new.
#[test]
fn datagrams_that_the_window_holds_back_are_dropped_at_the_sender() {
    let media = Builder::of(ONE.replace("size = \"6 kB\"", ""))
        .set("link.0.capacity", "\"5 Mbps\"")
        .set("link.0.buffer", "\"20 packets\"")
        .set("transport.it.frames", "\"datagram\"")
        .set("traffic.0.application", "{ kind = \"paced\", write = \"1200 B\", every = \"1 ms\" }");
    for queue in ["5 packets", "1 packet"] {
        let run = media.clone().set("transport.it.datagram_queue", format!("\"{queue}\"")).run(1);
        let goodput = figure(&run, "bytes_arrived") * 8.0 / 20.0;
        assert!((0.85..=1.0).contains(&(goodput / 4.8e6)), "{queue}: {goodput}");
        assert_eq!(figure(&run, "retransmissions"), 0.0);
        // 20 000 writes, or one more; some packets wait, some are on their way or fly past the window.
        let [sent, dropped, lost] = ["segments_sent", "bytes_dropped", "bytes_lost"].map(|name| figure(&run, name));
        let waiting = 20_000.0 * 1200.0 - sent * 1200.0 - dropped;
        assert!((-1200.0..=6.0 * 1200.0).contains(&waiting), "{queue}: {waiting} B wait");
        let in_flight = sent * 1200.0 - figure(&run, "bytes_arrived") - lost;
        assert!((0.0..=60.0 * 1200.0).contains(&in_flight), "{queue}: {in_flight} B in flight");
        assert!(dropped > 0.4 * 20_000.0 * 1200.0 && lost > 0.0, "{queue}: {dropped} B dropped, {lost} B lost");
    }
}

#[test]
fn what_is_explained_of_windows_is_what_was_said() {
    let limited =
        one().set("transport.it.receive_window", "\"20 packets\"").set("transport.it.max_window", "\"50 kB\"");
    let text = limited.text();
    let source = Input::Text { name: "test.toml", text: &text, folder: Path::new(".") };
    let told = load(source, &[]).unwrap().explain();
    let is_unlimited = |key: &str| told.contains(&format!("\n{key} = \"unlimited\""));
    assert_eq!(["receive_window", "max_window", "stream_window"].map(is_unlimited), [false, false, true], "{told}");
}

/// Three flows over 10 Mb/s with 40 packets of room, marked from 10 packets on.
const SHARED: &str = r#"
[run]
duration = "8 s"
[topology]
kind = "dumbbell"
pairs = 3
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "10 ms"
bottleneck_buffer = "40 packets"
[link_defaults]
queue = { kind = "step", threshold = "10 packets" }
[transport.it]
algorithm = "quic"
[[traffic]]
transport = "it"
flows = 3
"#;

/// Written before the run: no law stops, none loses anywhere else than at the bottleneck, and one that counts marks has
/// packets marked. LP and Swift yield to their own queue.
#[test]
fn every_law_moves_a_window_of_quic() {
    let mut laws = 0;
    for entry in cc::registry().iter().filter(|entry| Config::can_run(entry.choice)) {
        let law = format!("\"{}\"", entry.name);
        let written = if entry.choice.needs_header() { "[link_defaults.xcp]\n" } else { "" };
        let run = Builder::of(SHARED).add(written).set("transport.it.congestion_control", &law).run(1);
        let goodput = numbers(&run.flows, "bytes_arrived").iter().sum::<f64>() * 8.0 / 8.0;
        let least = if ["lp", "swift"].contains(&entry.name) { 0.2 } else { 0.6 };
        assert!(goodput > least * 10e6 && goodput <= 10e6 * 1434.0 / 1500.0, "{} has {goodput}", entry.name);
        let places = texts(&run.drops, "where");
        assert!(places.iter().all(|place| place.starts_with("left->right")), "{}: {places:?}", entry.name);
        let marked = numbers(&run.flows, "marked_segments").iter().sum::<f64>();
        assert_eq!(marked > 0.0, entry.choice.asks().marks.are_counted(), "{}", entry.name);
        laws += 1;
    }
    assert!(laws >= 30, "{laws} laws");
}

/// The probe's tables when nodes move meanwhile, and without.
#[test]
fn recovery_is_told_alike_when_nodes_move() {
    let text = one().set("traffic.0.size", "\"greedy\"").set("run.duration", "\"1 s\"").text();
    let text = format!("{text}[probe]\nrecovery = true\n").replace("\"unlimited\"", "\"20 packets\"");
    let tables = |moves: bool| {
        let scenario = load(Input::Text { name: "test", text: &text, folder: Path::new("") }, &[]).unwrap().scenario;
        let mut world = World::build(&scenario, Seed { seed: 1, run: 0 }, Options::default()).unwrap();
        for (at, parts) in [(100, [0, 1]), (300, [1, 0]), (500, [0, 0])] {
            world.run_until(SimTime::from_ps(at * 1_000_000_000));
            if moves {
                world.migrate(&parts);
            }
        }
        world.run_until(SimTime::NEVER);
        let found = world.finish().unwrap();
        ["recovery_packets", "recovery_metrics"].map(|name| format!("{:?}", found.table(name).unwrap().columns))
    };
    let still = tables(false);
    assert!(still[0].contains("packet_lost") && still == tables(true));
}

#[test]
fn a_key_of_another_host_is_refused_with_its_owner() {
    let told = |key: &str, value: &str| refusal(ONE, &[(&format!("transport.it.{key}"), value)]);
    for (key, value, sentence) in [
        ("sack", "true", "the key \"sack\" is for TCP"),
        ("hpcc_flows", "3", "the key \"hpcc_flows\" is for hpcc;"),
        ("path_marks", "true", "path_marks needs a law that hears news of its path"),
        ("resend_after", "\"1 ms\"", "the key \"resend_after\" is for ndp"),
        ("congestion_control", "\"cubic\"", "the key \"congestion_control\" is for quic;"),
        ("pto_packets", "0", "pto_packets must be 1 or 2"),
        ("max_window", "\"100 B\"", "found less than a packet; allowed: 1222 B or more"),
        ("ack_delay_exponent", "21", "ack_delay_exponent must be from 0 to 20"),
        ("max_ack_delay", "\"16384 ms\"", "max_ack_delay must be below 2^14 ms"),
        ("granularity", "\"0 s\"", "allowed: more than zero"),
    ] {
        let told = told(key, value);
        assert!(told.contains(sentence), "{key}: {told}");
    }
    let any = [("transport.it.algorithm", "\"quic\""), ("transport.it.congestion_control", "\"python\"")];
    assert!(refusal(ONE, &any).contains("found \"python\"; allowed: reno, newreno"));
    let marked = [any[0], ("transport.it.congestion_control", "\"hpcc\""), ("transport.it.ecn", "true")];
    assert!(refusal(ONE, &marked).contains("ecn must be false for a law that the network tells"));
    let dctcp = [("transport.it.algorithm", "\"quic\""), ("transport.it.congestion_control", "\"dctcp\"")];
    let without = [dctcp[0], dctcp[1], ("transport.it.ecn", "false")];
    assert_eq!((refusal(ONE, &dctcp).as_str(), refusal(ONE, &without).contains("ecn must be true")), ("", true));
}

/// As of TCP: marks that no queue makes, and those of circuits are none of queues.
#[test]
fn ecn_that_no_queue_marks_is_told() {
    let told = |more: &str| loaded(&ONE.replace("[transport.it]\n", &format!("[transport.it]\n{more}"))).warnings;
    assert!(told("ecn = true\n")[0].starts_with("no queue marks packets of the transport \"it\""));
    assert_eq!(told(""), Vec::<String>::new());
}
