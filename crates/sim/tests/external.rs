//! Hosts outside: times of packets by arithmetic, bytes and marks, memory, and a recording that is run again.

use crate::support::{Builder, MIXED, figure, loaded, numbers, refusal, scenario, texts};
use sim::SimTime;
use sim::engine::Options;
use sim::hosts::external::Left;
use sim::model::Ecn;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;
use std::fmt::Write;

/// Two hosts at a link of 10 Mb/s and 5 ms, which is joined at 100 Mb/s and 1 ms.
const PATH: &str = r#"
[run]
duration = "1 s"
[topology]
kind = "dumbbell"
pairs = 2
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "5 ms"
bottleneck_buffer = "10 packets"
access_capacity = "100 Mbps"
access_delay = "1 ms"
[external]
hosts = ["l0", "r0"]
"#;

const MS: u64 = 1_000_000_000;

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn live(text: &str, seed: u64) -> World {
    let mut world = World::build(&scenario(text), Seed { seed, run: 0 }, Options::default()).unwrap();
    world.go_live();
    world
}

fn left(world: &mut World) -> Vec<Left> {
    let mut left = Vec::new();
    world.take_left(&mut left);
    left
}

fn packet(bytes: usize, seed: u64) -> Box<[u8]> {
    (0..bytes).map(|place| (place as u64 + seed) as u8).collect()
}

#[test]
fn a_packet_lasts_on_each_link_as_long_as_it_is_and_leaves_as_it_came() {
    for bytes in [1, 64, 1000, 1500] {
        let mut world = live(PATH, 1);
        let at = 3 * MS + 7;
        world.enter((0, 1), SimTime::from_ps(at), packet(bytes, 5), Ecn::Ect0);
        assert_eq!(world.next_event().ps(), 0, "flows begin at the start");
        world.run_until(SimTime::from_ps(3 * MS));
        assert_eq!(world.next_event().ps(), at);
        world.run_until(SimTime::from_ps(100 * MS));
        let left = left(&mut world);
        // A bit lasts 10 ns twice and 100 ns once; 7 ms of light.
        let expected = at + 8 * bytes as u64 * (10_000 + 100_000 + 10_000) + 7 * MS;
        assert_eq!(left.iter().map(|left| (left.at.ps(), left.to)).collect::<Vec<_>>(), [(expected, 1)]);
        assert_eq!((&left[0].bytes, left[0].is_marked), (&packet(bytes, 5), false));
        assert_eq!(world.bytes_inside(), 0);
    }
}

#[test]
fn bytes_of_packets_are_kept_until_they_leave_or_are_lost() {
    let mut world = live(PATH, 1);
    for number in 0..100 {
        world.enter((0, 1), SimTime::from_ps(MS), packet(1000, number), Ecn::NotEct);
    }
    assert_eq!(world.bytes_inside(), 100_000);
    // The bottleneck sends one and keeps ten. By 20 ms half of them have left.
    world.run_until(SimTime::from_ps(500 * MS));
    assert_eq!(world.bytes_inside(), 0);
    let left = left(&mut world);
    assert!((11..=20).contains(&left.len()), "{}", left.len());
    let lost = figure(&world.finish().unwrap(), "dropped_packets");
    assert_eq!(lost, 100.0 - left.len() as f64);
}

#[test]
fn a_queue_marks_what_may_be_marked_and_drops_the_rest() {
    let queue = "queue = { kind = \"step\", threshold = \"2 packets\" }";
    let marking = format!("{PATH}\n[[link]]\nfrom = \"left\"\nto = \"right\"\n{queue}\n");
    for (ecn, is_marked) in [(Ecn::Ect0, true), (Ecn::Ect1, true), (Ecn::NotEct, false), (Ecn::Ce, true)] {
        let mut world = live(&marking, 1);
        for number in 0..8 {
            world.enter((0, 1), SimTime::from_ps(MS), packet(1500, number), ecn);
        }
        world.run_until(SimTime::from_ps(500 * MS));
        let left = left(&mut world);
        assert_eq!(left.iter().any(|left| left.is_marked), is_marked, "{ecn:?}");
        assert_eq!(left.iter().all(|left| left.is_marked), ecn == Ecn::Ce, "{ecn:?}");
    }
}

/// A live run in which packets of random sizes enter at random, and what it has recorded.
fn recorded(text: &str, seed: u64, hosts: &[&str]) -> (Results, String, u64) {
    let mut world = live(text, seed);
    let (mut state, mut recording) = (seed, "time_ps,from,to,bytes,ecn\n".to_owned());
    let (mut now, mut left, words) = (0, Vec::new(), ["not-ect", "ect1", "ect0", "ce"]);
    while now < world.end().ps() {
        // A group of packets, at one instant or one after the other, then the run goes on, sometimes to no purpose.
        for _ in 0..next(&mut state) % 20 {
            now += next(&mut state) % 3 * (next(&mut state) % MS);
            let from = next(&mut state) as usize % hosts.len();
            let to = (from + 1 + next(&mut state) as usize % (hosts.len() - 1)) % hosts.len();
            let (bytes, ecn) = (1 + next(&mut state) as usize % 1500, next(&mut state) as u8 % 4);
            if now < world.end().ps() {
                let packet = packet(bytes, seed);
                world.enter((from as u16, to as u16), SimTime::from_ps(now), packet, Ecn::of_bits(ecn));
                writeln!(recording, "{now},{},{},{bytes},{}", hosts[from], hosts[to], words[usize::from(ecn)]).unwrap();
            }
        }
        now = match next(&mut state) % 3 {
            0 => now.max(world.next_event().ps()),
            1 => now + next(&mut state) % (4 * MS),
            _ => now,
        };
        world.run_until(SimTime::from_ps(now));
        world.take_left(&mut left);
    }
    world.run_until(SimTime::NEVER);
    world.take_left(&mut left);
    assert!(left.is_sorted_by_key(|left| left.at));
    assert!(left.iter().all(|left| left.bytes[..] == packet(left.bytes.len(), seed)[..]));
    (world.finish().unwrap(), recording, left.len() as u64)
}

#[test]
fn what_was_recorded_is_run_again_to_the_last_bit_on_any_number_of_threads() {
    let hosts = ["0", "7", "12"];
    let mixed = Builder::of(MIXED).set("external.hosts", r#"["0", "7", "12"]"#);
    for seed in 1..=4 {
        let (first, recording, left) = recorded(&mixed.text(), seed, &hosts);
        assert!(left > 1000, "{left}");
        let file = std::env::temp_dir().join(format!("recording-{}-{seed}.csv", std::process::id()));
        std::fs::write(&file, recording).unwrap();
        let again = mixed.clone().set("external.recording", format!("{file:?}")).text();
        for threads in [1, 3] {
            let mut world = World::build(&scenario(&again), Seed { seed, run: 0 }, Options::default()).unwrap();
            world.use_threads(threads);
            world.run_until(SimTime::NEVER);
            let second = world.finish().unwrap();
            assert_eq!(second.fingerprint, first.fingerprint);
            assert_eq!(second.table("drops").unwrap().columns, first.table("drops").unwrap().columns);
            assert_eq!(figure(&second, "dropped_packets"), figure(&first, "dropped_packets"));
        }
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn flows_of_hosts_outside_are_left_out_and_those_of_others_are_as_they_were() {
    let traffic = r#"
[[traffic]]
transport = "sack"
flows = 6
[[traffic]]
name = "beside"
transport = "sack"
from = "l1"
to = "r1"
size = "100 kB"
"#;
    let world = live(&Builder::of(PATH).add(traffic).text(), 1);
    // Flows go from each l to its r by turns: three of six are of l0.
    assert_eq!(world.left_out(), 3);
    let results = world.finish().unwrap();
    let flows = results.table("flows").unwrap();
    let of = |name: &str| texts(flows, "traffic").iter().filter(|traffic| *traffic == name).count();
    assert_eq!((of("traffic-0"), of("beside"), of("external")), (3, 1, 2));
    assert_eq!(numbers(flows, "size_bytes").iter().filter(|size| **size == 1e5).count(), 1);
}

#[test]
fn what_explain_writes_has_the_same_hosts_outside() {
    let text = Builder::of(PATH).set("external.mtu", "\"9 kB\"").text();
    let explained = loaded(&text).explain();
    let explained_again = scenario(&explained);
    let external = explained_again.external.as_ref().unwrap();
    assert_eq!((external.hosts.len(), external.mtu), (2, 9000));
    assert_eq!(loaded(&explained).explain(), explained);
}

#[test]
fn what_is_wrong_with_hosts_outside_is_said_where_it_stands() {
    let file = std::env::temp_dir().join(format!("wrong-{}.csv", std::process::id()));
    let of = |text: &str| {
        std::fs::write(&file, text).unwrap();
        refusal(PATH, &[("external.recording", &format!("{file:?}"))])
    };
    let head = "time_ps,from,to,bytes,ecn\n";
    let wrong = [
        ("", "allowed: time_ps,from,to,bytes,ecn"),
        ("time,from\n", "allowed: time_ps,from,to,bytes,ecn"),
        ("5,l0,r0,1500\n", "found 4 fields"),
        ("5,l0,r0,1501,ce\n", "found \"1501\"; allowed: a whole number from 1 to 1500"),
        ("-5,l0,r0,1500,ce\n", "found \"-5\""),
        ("5,l0,l0,1500,ce\n", "another host"),
        ("5,l1,r0,1500,ce\n", "found \"l1\"; allowed: l0, r0"),
        ("5,l0,r0,1500,ect\n", "found \"ect\"; allowed: not-ect, ect0, ect1, ce"),
        ("5,l0,r0,0,ce\n", "found \"0\""),
        ("5,l0,r0,9,ce\n4,r0,l0,9,ce\n", "found 4; allowed: from 5 on"),
    ];
    for (text, expected) in wrong {
        let said =
            of(&if text.starts_with("time") || text.is_empty() { text.to_owned() } else { head.to_owned() + text });
        assert!(said.contains(expected) && said.contains(".csv"), "{text}: {said}");
    }
    assert_eq!(of(head), "");
    std::fs::remove_file(&file).unwrap();
    let keys = [
        (r#"["l0"]"#, "found 1 hosts; allowed: 2 to 64"),
        (r#"["l0", "l0"]"#, "found \"l0\" a second time"),
        (r#"["l0", "nobody"]"#, "nobody"),
    ];
    for (hosts, expected) in keys {
        let said = refusal(PATH, &[("external.hosts", hosts)]);
        assert!(said.contains(expected), "{said}");
    }
    let said = refusal(PATH, &[("external.mtu", "\"67 B\"")]);
    assert!(said.contains("68 B to 65535 B"), "{said}");
    let work = r#"[{ transport = "quic-newreno", work = { collective = "all-reduce", size = "1 MB" } }]"#;
    let said = refusal(PATH, &[("traffic", work)]);
    assert!(said.contains("has a rank at one of these"), "{said}");
}
