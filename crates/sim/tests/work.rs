//! Work that depends on work: times of collectives on a star against closed forms for whole packets, and what users
//! are told.
//!
//! Each of h equal links in a row, alone: T(B) = S + (h − 1) s + h d, with S the time that all packets of B bytes last
//! on one of them, s that of one packet, d the delay of a link. ACKs of one byte lie between the packets: each packet
//! may wait for one, 0.1 ‰ of its own time.

use crate::support::{Builder, at, figure, numbers, refusal, texts};
use sim::results::Results;

/// Ranks around a hub, links of 100 Mb/s and 1 ms; packets of 1250 B, 100 us, with 1200 B of payload.
const STAR: &str = r#"
[run]
duration = "60 s"
[topology]
kind = "star"
leaves = 8
[link_defaults]
capacity = "100 Mbps"
delay = "1 ms"
buffer = "unlimited"
[transport.it]
algorithm = "quic-newreno"
packet_size = "1250 B"
header = "50 B"
ack_size = "1 B"
paced = false
initial_window = 1000
[[traffic]]
transport = "it"
work = { collective = "all-reduce", algorithm = "ring", size = "96 kB" }
"#;
const PAYLOAD: u64 = 1200;
const PACKET: f64 = 1e-4;
const DELAY: f64 = 1e-3;
const N: u64 = 8;

/// The time that so many bytes last on a link.
fn lasts(bytes: u64) -> f64 {
    bytes.div_ceil(PAYLOAD) as f64 * PACKET
}

/// T on the star.
fn alone(bytes: u64) -> f64 {
    lasts(bytes) + PACKET + 2.0 * DELAY
}

fn star(keys: &str) -> Builder {
    Builder::of(STAR).set("traffic.0.work", keys)
}

fn time(keys: &str) -> f64 {
    figure(&star(keys).run(1), "work_time")
}

fn close(keys: &str, expected: f64) {
    let found = time(keys);
    assert!((found / expected - 1.0).abs() < 1e-3, "{keys}: {found} s, and not {expected} s");
}

#[test]
fn collectives_in_steps_last_as_their_closed_forms_say() {
    const M: u64 = 96_000; // 10 packets a block
    let n = N as f64;
    let of = |collective: &str, algorithm: &str| {
        format!("{{ collective = \"{collective}\", algorithm = \"{algorithm}\", size = \"96 kB\" }}")
    };
    let ring = (n - 1.0) * alone(M / N);
    let halves: f64 = [2, 4, 8].iter().map(|part| alone(M / part)).sum();
    close(&of("all-reduce", "ring"), 2.0 * ring);
    close(&of("reduce-scatter", "ring"), ring);
    close(&of("all-gather", "ring"), ring);
    close(&of("all-reduce", "halving-doubling"), 2.0 * halves);
    close(&of("reduce-scatter", "halving-doubling"), halves);
    close(&of("all-gather", "recursive-doubling"), halves);
    close(&of("all-gather", "bruck"), halves);
    close(&of("all-reduce", "recursive-doubling"), 3.0 * alone(M));
    close(&of("all-to-all", "pairwise"), ring);
    close(&of("all-to-all", "bruck"), 3.0 * alone(M / 2));
    close(&of("broadcast", "tree"), 3.0 * alone(M));
    close(&of("reduce", "tree"), 3.0 * alone(M));
    close(&of("all-reduce", "tree"), 6.0 * alone(M));
}

/// All at once in the order of distances every link is always busy; in the order of numbers rank after rank is.
#[test]
fn an_all_to_all_at_once_is_as_quick_as_its_order_lets_it() {
    let of =
        |algorithm: &str| format!("{{ collective = \"all-to-all\", algorithm = \"{algorithm}\", size = \"960 kB\" }}");
    let part = lasts(960_000 / N);
    let tail = PACKET + 2.0 * DELAY;
    close(&of("direct"), (N - 1) as f64 * part + tail);
    close(&of("direct-same-order"), (2 * N - 3) as f64 * part + tail);
}

/// A rank sends the blocks of all its k rings one after the other, S' each, and gets one of each ring. A step is done
/// when all have gone, or when the first has come back to its turn: the longer of k S' and T' = S' + s + 2 d. The last
/// ring begins k - 1 blocks after the first, and its last block comes alone. Pieces of one ring's blocks do the same.
#[test]
fn rings_with_strides_share_the_links_in_turn() {
    for (size, packets) in [(960_000, 100), (115_200, 12)] {
        for rings in [1u64, 2, 4] {
            let block = size / N / rings;
            let step = (rings as f64 * lasts(block)).max(alone(block));
            let expected = (rings - 1) as f64 * lasts(block) + 13.0 * step + alone(block);
            assert_eq!(size / N / PAYLOAD, packets);
            for key in ["rings", "chunks"] {
                close(&format!("{{ collective = \"all-reduce\", size = \"{size} B\", {key} = {rings} }}"), expected);
            }
        }
    }
}

#[test]
fn a_chain_of_chunks_is_a_pipeline() {
    let keys = "{ collective = \"broadcast\", algorithm = \"chain\", size = \"96 kB\", chunks = 8 }";
    close(keys, 7.0 * alone(12_000) + 7.0 * lasts(12_000));
}

/// A barrier of n ranks takes log2 n messages of a byte in a row, which is a packet of 51 B: 4.08 us.
#[test]
fn a_barrier_takes_a_message_for_each_doubling() {
    let message = 2.0 * (51.0 * 8.0 / 100e6 + DELAY);
    for (ranks, steps) in [(8, 3.0), (5, 3.0), (4, 2.0), (2, 1.0)] {
        let found = time(&format!("{{ collective = \"barrier\", ranks = {ranks} }}"));
        assert!((found / (steps * message) - 1.0).abs() < 1e-3, "{ranks} ranks: {found} s");
    }
}

#[test]
fn ranks_compute_before_each_round() {
    let keys = "{ collective = \"all-reduce\", size = \"96 kB\", rounds = 3, compute = \"20 ms\" }";
    close(keys, 3.0 * (0.02 + 14.0 * alone(12_000)));
    let run = star(keys).run(1);
    let kinds = texts(&run.probes[0].1, "kind");
    assert_eq!(kinds.iter().filter(|kind| *kind == "compute").count(), 3 * 8);
    let (ready, ends) = (numbers(&run.probes[0].1, "ready_s"), numbers(&run.probes[0].1, "end_s"));
    assert!(ready.iter().zip(&ends).zip(&kinds).all(|((ready, end), kind)| match kind.as_str() {
        "compute" => (end - ready - 0.02).abs() < 1e-9,
        "join" => ready == end,
        _ => end - ready >= alone(12_000) - 1e-9,
    }));
}

/// The ACK of a transfer's last packet, which is the second of two, leaves at once and takes two links.
#[test]
fn transfers_may_be_done_when_they_are_acknowledged() {
    let back = 2.0 * (DELAY + 8.0 / 100e6);
    close(
        "{ collective = \"all-gather\", algorithm = \"ring\", size = \"96 kB\", done = \"acknowledged\" }",
        7.0 * (alone(12_000) + back),
    );
}

fn all_done(run: &Results) {
    let tasks = &run.probes[0].1;
    assert!(numbers(tasks, "end_s").iter().all(|end| end.is_finite()));
    assert_eq!(figure(run, "unfinished_tasks"), 0.0);
}

/// Any host carries it, on one connection for a pair or on one for each transfer.
#[test]
fn every_kind_of_host_carries_work() {
    let keys = |connections: &str| {
        format!("{{ collective = \"all-reduce\", size = \"960 kB\", connections = \"{connections}\" }}")
    };
    let bytes = 2 * 7 * 960_000 / 8; // of each rank
    for algorithm in ["sack", "linux-cubic", "dctcp", "quic-cubic", "ndp", "xcp", "hpcc"] {
        for connections in ["kept", "each"] {
            let is_told = ["xcp", "hpcc"].contains(&algorithm);
            if is_told && connections == "kept" {
                continue;
            }
            let text = STAR.split("[transport.it]").next().unwrap().replace("\"unlimited\"", "\"200 packets\"");
            let traffic = format!("[[traffic]]\ntransport = \"{algorithm}\"\nwork = {}\n", keys(connections));
            let text =
                if algorithm == "xcp" { text.replace("[link_defaults]", "[link_defaults]\nxcp = {}") } else { text };
            let run = Builder::of(text + &traffic).run(1);
            all_done(&run);
            let flows = &run.flows;
            let arrived: f64 = numbers(flows, "bytes_arrived").iter().sum();
            assert_eq!(arrived, (8 * bytes) as f64, "{algorithm}, {connections}");
            let pairs = if connections == "kept" { 8 } else { 8 * 14 };
            assert_eq!(numbers(flows, "flow").len(), pairs);
            assert!(figure(&run, "work_time") > 14.0 * alone(120_000) * 0.9, "{algorithm}");
        }
    }
}

#[test]
fn ranks_lie_in_blocks_or_stripes_or_as_they_are_listed() {
    let sources = |builder: Builder| {
        let mut sources = texts(&builder.run(1).flows, "source");
        sources.sort();
        sources.dedup();
        sources.join(" ")
    };
    let keys = |placement: &str| {
        format!("{{ collective = \"all-gather\", size = \"4 kB\", ranks = 4, placement = \"{placement}\" }}")
    };
    assert_eq!(sources(star(&keys("block"))), "n0 n1 n2 n3");
    assert_eq!(sources(star(&keys("stripe"))), "n0 n2 n4 n6");
    let listed = star(&keys("block")).set("traffic.0.among", "[\"n7\", \"n5\", \"n3\", \"n1\"]");
    let run = listed.run(1);
    assert_eq!(at(&run.flows, "source", "n7", "bytes_arrived"), 3000.0);
    assert_eq!(texts(&run.flows, "destination")[0], "n5");
}

/// Step 6 begins at 18.6 ms. By 20 ms all packets of n3 are on the fibre, and those to it leave the hub from 19.7 to
/// 20.7 ms: one transfer of this step is lost, and with each step one rank more waits, 1 + 2 + ... + 8.
#[test]
fn work_that_stands_still_is_counted() {
    let cut = "[[event]]\nat = \"20 ms\"\nlink = \"n3-hub\"\nstate = \"down\"\n";
    let run = star("{ collective = \"all-reduce\", size = \"96 kB\" }").add(cut).set("run.duration", "\"2 s\"").run(1);
    let tasks = &run.probes[0].1;
    let undone = numbers(tasks, "end_s").iter().filter(|end| end.is_nan()).count();
    assert_eq!(undone, 36);
    assert_eq!(figure(&run, "unfinished_tasks"), undone as f64);
    assert!(figure(&run, "work_time").is_nan());
}

/// The links of a rank are cut, or it was never there. Whatever waits does so, over as many others as it takes, for a
/// transfer that was under way, from or to that rank; and what was not ready had not begun.
#[test]
fn whatever_stands_still_waits_for_the_rank_that_is_gone() {
    for (collective, algorithm) in [
        ("all-reduce", "ring"),
        ("all-reduce", "bidirectional-ring"),
        ("all-reduce", "halving-doubling"),
        ("all-reduce", "direct"),
        ("all-reduce", "double-tree"),
        ("all-to-all", "pairwise"),
        ("all-to-all", "bruck"),
        ("broadcast", "chain"),
        ("barrier", "dissemination"),
    ] {
        for (rank, at, more) in [(3, 0, ""), (5, 3, ", chunks = 3"), (0, 4, ", rounds = 2, compute = \"3 ms\"")] {
            let size = if collective == "barrier" { "" } else { ", size = \"960 kB\"" };
            let keys = format!("{{ collective = \"{collective}\", algorithm = \"{algorithm}\"{size}{more} }}");
            let cut = |link: String| format!("[[event]]\nat = \"{at} ms\"\nlink = \"{link}\"\nstate = \"down\"\n");
            let event = cut(format!("n{rank}-hub"));
            let run = star(&keys).add(&event).set("run.duration", "\"1 s\"").run(1);
            let tasks = &run.probes[0].1;
            let [after, from, to, ready, start, end] =
                ["after", "rank", "to", "ready_s", "start_s", "end_s"].map(|column| numbers(tasks, column));
            let undone: Vec<usize> = (0..end.len()).filter(|task| end[*task].is_nan()).collect();
            assert!(
                !undone.is_empty() && figure(&run, "unfinished_tasks") == undone.len() as f64,
                "{keys}: rank {rank}"
            );
            for task in undone {
                let mut root = task;
                while ready[root].is_nan() {
                    assert!(start[root].is_nan() && after[root] < root as f64, "{keys}: task {root}");
                    root = after[root] as usize;
                    assert!(end[root].is_nan(), "{keys}: task {task} waits for {root}, which is done");
                }
                let is_its = [from[root], to[root]].contains(&f64::from(rank));
                assert!(start[root].is_finite() && is_its, "{keys}: rank {rank}: task {task} waits for {root}");
            }
        }
    }
}

#[test]
fn wrong_work_is_refused_with_its_place() {
    for (keys, sentence) in [
        ("{ collective = \"all-reduce\" }", "the key \"size\" is missing"),
        ("{ collective = \"barrier\", size = \"1 kB\" }", "a barrier has no size"),
        ("{ collective = \"all-reduce\", size = \"0 B\" }", "at least 1 B"),
        ("{ collective = \"all-reduce\", size = \"1 kB\", ranks = 9 }", "there are 9 ranks; allowed: 2 to 8"),
        ("{ collective = \"all-reduce\", size = \"1 kB\", ranks = 1 }", "found 1; allowed: 2 to 4096"),
        ("{ collective = \"all-reduce\", size = \"1 kB\", algorithm = \"bruck\" }", "allowed for all-reduce: \"ring\""),
        ("{ collective = \"broadcast\", size = \"1 kB\", root = 8 }", "found 8; allowed: 0 to 7"),
        ("{ collective = \"all-reduce\", size = \"1 kB\", rings = 5 }", "found 5; allowed: 1 to 4"),
        ("{ collective = \"all-to-all\", size = \"1 kB\", rings = 2 }", "goes with algorithm = \"ring\""),
        (
            "{ collective = \"reduce-scatter\", size = \"1 kB\", algorithm = \"halving-doubling\", ranks = 6 }",
            "takes a power of two of ranks, and there are 6",
        ),
        (
            "{ collective = \"all-to-all\", size = \"1 kB\", chunks = 65536, rounds = 1000000 }",
            "allowed: at most 20000000",
        ),
    ] {
        let told = refusal(STAR, &[("traffic.0.work", keys)]);
        assert!(told.contains(sentence), "{keys}: {told}");
    }
    let both = refusal(STAR, &[("traffic.0.flows", "3")]);
    assert!(both.contains("does not go with work"), "{both}");
}

/// A graph in photocol's own form, among three ranks of the star; T as above. Times in milliseconds: start and end of
/// each task by name.
fn timed(rows: &str) -> Vec<(String, f64, f64)> {
    timed_with("0 s", rows)
}

fn timed_with(signal: &str, rows: &str) -> Vec<(String, f64, f64)> {
    let file = std::env::temp_dir().join(format!("photocol-graph-{:?}.csv", std::thread::current().id()));
    std::fs::write(&file, format!("task,kind,rank,peer,bytes,time_s,tag,processor,after,begun,needs\n{rows}")).unwrap();
    let keys = format!("{{ file = {:?}, signal = \"{signal}\" }}", file.to_str().unwrap());
    let run = star(&keys).run(1);
    std::fs::remove_file(file).unwrap();
    let tasks = &run.probes[0].1;
    let times = numbers(tasks, "start_s").into_iter().zip(numbers(tasks, "end_s"));
    texts(tasks, "name").into_iter().zip(times).map(|(name, (start, end))| (name, start * 1e3, end * 1e3)).collect()
}

fn is(times: &[(String, f64, f64)], name: &str, start: f64, end: f64) {
    let (_, found, ended) = times.iter().find(|one| one.0 == name).unwrap();
    let near = |found: f64, wanted: f64| (found - wanted).abs() < 1e-3 || found.is_nan() && wanted.is_nan();
    assert!(near(*found, start) && near(*ended, end), "{name}: {found} to {ended}, and not {start} to {end}");
}

#[test]
fn processors_compute_one_thing_after_the_other_and_waits_all_at_once() {
    let times = timed(
        "a,compute,0,,,0.004,,0,,,\n\
         b,compute,0,,,0.002,,0,,,\n\
         c,compute,0,,,0.003,,1,,,\n\
         d,wait,0,,,0.005,,,,,\n\
         e,wait,0,,,0.001,,,a,,\n\
         f,join,0,,,,,,b c d,,\n",
    );
    is(&times, "a", 0.0, 4.0);
    is(&times, "b", 4.0, 6.0);
    is(&times, "c", 0.0, 3.0);
    is(&times, "d", 0.0, 5.0);
    is(&times, "e", 4.0, 5.0);
    is(&times, "f", 6.0, 6.0);
}

/// Two messages of 10 packets lie on one link: T, and 1 ms more for the second.
#[test]
fn a_receive_takes_the_first_message_that_fits() {
    let times = timed(
        "s1,transfer,0,1,12000,,7,,,,\n\
         s2,transfer,0,1,12000,,8,,,,\n\
         own,transfer,1,1,50,,9,,,,\n\
         late,wait,1,,,0.02,,,,,\n\
         r8,receive,1,0,,,8,,,,\n\
         any,receive,1,,,,,,late,,\n\
         r9,receive,1,1,,,9,,late,,\n",
    );
    let first = alone(12_000) * 1e3;
    is(&times, "r8", 0.0, first + 1.0);
    is(&times, "s2", 0.0, first + 1.0);
    // What nobody had asked for waits; a message to oneself was there before.
    is(&times, "s1", 0.0, f64::NAN);
    is(&times, "any", 20.0, 20.0);
    is(&times, "own", 0.0, 20.0);
    is(&times, "r9", 20.0, f64::NAN);
}

#[test]
fn a_task_may_wait_for_a_beginning_or_for_some_of_many() {
    let times = timed(
        "a,compute,0,,,0.004,,0,,,\n\
         b,compute,0,,,0.002,,0,,,\n\
         with,wait,2,,,0.001,,,,b,\n\
         second,wait,1,,,0.001,,,a b with,,2\n\
         never,wait,1,,,0.001,,,a b,,3\n",
    );
    is(&times, "with", 4.0, 5.0);
    is(&times, "second", 5.0, 6.0);
    is(&times, "never", f64::NAN, f64::NAN);
}

/// UDP at the rate of the links: no ACK lies between, so closed forms hold to the picosecond. Bytes are those on the
/// wire; 11 250 B are nine packets.
#[test]
fn datagrams_at_the_rate_of_the_links_are_exact() {
    let udp = |keys: &str| {
        let text = STAR.split("[transport.it]").next().unwrap();
        let traffic = format!("[[traffic]]\ntransport = \"it\"\nrate = \"100 Mbps\"\nwork = {keys}\n");
        Builder::of(format!("{text}[transport.it]\nalgorithm = \"udp\"\npacket_size = \"1250 B\"\n{traffic}"))
    };
    let exact = |keys: &str, expected: f64| {
        let found = figure(&udp(keys).run(1), "work_time");
        assert!((found - expected).abs() < 1e-12, "{keys}: {found} s, and not {expected} s");
    };
    let lasts = |bytes: f64| bytes * 8.0 / 100e6;
    // A short last packet waits behind a full one.
    let alone = |bytes: f64| lasts(bytes) + PACKET + 2.0 * DELAY;
    for (connections, block) in [("kept", 11_250.0), ("each", 11_250.0), ("kept", 12_000.0)] {
        let of = |collective: &str, algorithm: &str| {
            let size = 8.0 * block;
            format!(
                "{{ collective = \"{collective}\", algorithm = \"{algorithm}\", size = \"{size} B\", \
                 connections = \"{connections}\" }}"
            )
        };
        exact(&of("all-reduce", "ring"), 14.0 * alone(block));
        let halves: f64 = [4.0, 2.0, 1.0].iter().map(|blocks| alone(blocks * block)).sum();
        exact(&of("all-reduce", "halving-doubling"), 2.0 * halves);
        exact(&of("all-to-all", "pairwise"), 7.0 * alone(block));
    }
    let acknowledged = "{ collective = \"all-reduce\", size = \"1 kB\", done = \"acknowledged\" }";
    let told = refusal(&udp("{ collective = \"barrier\" }").text(), &[("traffic.0.work", acknowledged)]);
    assert!(told.contains("nobody acknowledges"), "{told}");
}

/// Two groups of four: three steps of 2 M/8 within, two of M/8 between the groups, three of 2 M/8 within.
#[test]
fn groups_sum_up_within_and_then_among_them() {
    let keys = "{ collective = \"all-reduce\", algorithm = \"hierarchical\", group = 4, size = \"96 kB\" }";
    close(keys, 6.0 * alone(24_000) + 2.0 * alone(12_000));
    let told = |keys: &str| refusal(STAR, &[("traffic.0.work", keys)]);
    let without = "{ collective = \"all-reduce\", algorithm = \"hierarchical\", size = \"96 kB\" }";
    assert!(told(without).contains("the key \"group\" is missing"));
    assert!(told(&keys.replace("group = 4", "group = 3")).contains("found 3; allowed: what divides the 8 ranks"));
    assert!(told(&keys.replace("hierarchical", "ring")).contains("goes with algorithm = \"hierarchical\""));
}

/// What no packet says to another rank comes by a signal of 2 ms: a beginning, an end, and to its sender that a message
/// has arrived.
#[test]
fn a_rank_knows_of_others_after_a_signal() {
    let times = timed_with(
        "2 ms",
        "a,compute,0,,,0.004,,0,,,\n\
         here,wait,0,,,0.001,,,a,,\n\
         there,wait,1,,,0.001,,,a,,\n\
         with,wait,1,,,0.001,,,,a,\n\
         s,transfer,0,1,12000,,,,,,\n\
         got,join,1,,,,,,s,,\n\
         known,join,0,,,,,,s,,\n",
    );
    let arrival = alone(12_000) * 1e3;
    is(&times, "here", 4.0, 5.0);
    is(&times, "there", 6.0, 7.0);
    is(&times, "with", 2.0, 3.0);
    is(&times, "got", arrival, arrival);
    is(&times, "known", arrival + 2.0, arrival + 2.0);
}

/// A ring sends 2·7/8 of 96 kB over each link of its star, 13.44 ms at 100 Mb/s. On two leaves with two spines, links
/// alike, 4 hosts of each leaf send an eighth of their bytes to each host of the other leaf: both links of a leaf to
/// the spines carry 16/8/2 = 1 buffer, each host's link 7/8. A ring crosses there only once each way.
#[test]
fn the_busiest_link_bounds_the_time_of_work() {
    let ring = star("{ collective = \"all-reduce\", algorithm = \"ring\", size = \"96 kB\" }").run(1);
    assert!((figure(&ring, "work_bound") - 0.013_44).abs() < 1e-12);
    assert_eq!(figure(&ring, "work_slowdown"), figure(&ring, "work_time") / figure(&ring, "work_bound"));
    let leaves = "kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 4\nhost_capacity = \"100 Mbps\"\n\
                  capacity = \"100 Mbps\"\nrouting = \"ROUTING\"";
    let on = |routing: &str, collective: &str| {
        let text = STAR.replace("kind = \"star\"\nleaves = 8", &leaves.replace("ROUTING", routing));
        let work = format!("{{ collective = \"{collective}\", size = \"96 kB\" }}");
        figure(&Builder::of(text).set("traffic.0.work", work).run(1), "work_bound")
    };
    for routing in ["ecmp", "spray"] {
        let found = on(routing, "all-to-all");
        assert!((found - 0.007_68).abs() < 1e-12, "{found}");
        assert!((on(routing, "all-reduce") - 0.013_44).abs() < 1e-12);
    }
    // All by one spine.
    assert!((on("first", "all-to-all") - 2.0 * 0.007_68).abs() < 1e-12);
    let changing = star("{ collective = \"all-reduce\", size = \"96 kB\" }")
        .add("[[event]]\nlink = \"hub->n0\"\nat = \"1 s\"\ncapacity = \"1 Mbps\"");
    assert!(figure(&changing.run(1), "work_bound").is_nan());
}
