//! The same run on any number of threads, however they are scheduled and wherever the network is cut.

use crate::support::{self, Dice};
use sim::SimTime;
use sim::engine::{Options, Schedule};
use sim::random::Seed;
use sim::results::Results;
use sim::scenario::{Input, Scenario, load};
use sim::study::World;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Ready-made scenarios, with the simulated time that a test spends on each: long enough for drops and time-outs, and
/// short where fibres are, since threads wait for each other once a fibre.
const READY_MADE: [(&str, &str); 33] = [
    ("aapn", "3 s"),
    ("aapn-signalled", "3 s"),
    ("all-reduce", "30 ms"),
    ("capacity-change", "11 s"),
    ("dlcc", "8 s"),
    ("dumbbell", "6 s"),
    ("fat-tree", "0.6 s"),
    ("forced-drops", "3 s"),
    ("grid", "2 s"),
    ("header-flood", "0.6 s"),
    ("incast", "0.8 s"),
    ("load-balanced-bursts", "1.5 s"),
    ("lost-bursts", "4 s"),
    ("low-latency", "3 s"),
    ("low-orbit", "2 s"),
    ("macroflows", "2 s"),
    ("md1", "2.5 s"),
    ("nsfnet-buffers", "2 s"),
    ("obs", "0.6 s"),
    ("ocs", "0.1 s"),
    ("on-off", "5 s"),
    ("opera", "0.06 s"),
    ("parking-lot", "2 s"),
    ("quic", "3 s"),
    ("racks", "0.15 s"),
    ("random-loss", "8 s"),
    ("rotornet", "0.06 s"),
    ("satellites", "17 s"),
    ("slotted-packets", "1 s"),
    ("star", "2 s"),
    ("training", "0.15 s"),
    ("web-search", "0.8 s"),
    ("xcp", "21 s"),
];

/// Work is told of all nodes in the order of time: its network is not cut, and it does not go in rounds.
const WORK: [&str; 3] = ["all-reduce", "ocs", "training"];

/// Those whose networks may be cut.
fn cut() -> impl Iterator<Item = (&'static str, &'static str)> {
    READY_MADE.into_iter().filter(|(name, _)| !WORK.contains(name))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn ready_made(name: &str, duration: &str) -> Scenario {
    let set = [("run.duration", duration), ("run.warm_up", "20 ms")];
    let set = set.map(|(key, value)| (key.to_owned(), format!("\"{value}\"")));
    let file = folder().join(format!("{name}.toml"));
    load(Input::File(&file), &set).unwrap_or_else(|error| panic!("{error}")).scenario
}

fn world(scenario: &Scenario, threads: usize) -> World {
    let mut world = World::build(scenario, Seed { seed: 7, run: 0 }, Options::default()).unwrap();
    world.use_threads(threads);
    world
}

fn finished(mut world: World) -> Results {
    world.run_until(SimTime::NEVER);
    world.finish().unwrap()
}

fn on_threads(scenario: &Scenario, threads: usize) -> Results {
    finished(world(scenario, threads))
}

/// Everything that a run leaves, as text: tables with their floating-point numbers, to the last bit.
fn all_of(run: &Results) -> String {
    format!("{run:?}")
}

/// Brings a world to its end and migrates the nodes at random, to up to `parts` partitions, several times on the way.
fn dealt_at_random(scenario: &Scenario, threads: usize, parts: u64, dice: &mut Dice) -> Results {
    let mut world = world(scenario, threads);
    let nodes = scenario.network.nodes.len();
    for migration in 0..8 {
        let of_node: Vec<u32> = (0..nodes).map(|_| dice.roll(parts) as u32).collect();
        world.migrate(&of_node);
        let end = world.end().ps();
        world.run_until(SimTime::from_ps(end / 8 * migration + dice.roll(end / 8)));
    }
    finished(world)
}

#[test]
fn every_ready_made_scenario_is_covered() {
    let files = std::fs::read_dir(folder()).unwrap().filter_map(|entry| {
        let path = entry.unwrap().path();
        path.is_file().then(|| path.file_stem().unwrap().to_string_lossy().into_owned())
    });
    let mut files: Vec<String> = files.collect();
    files.sort();
    assert_eq!(files, READY_MADE.map(|(name, _)| name));
}

#[test]
fn a_scenario_gives_the_same_on_1_2_3_4_and_8_threads() {
    for (name, duration) in READY_MADE {
        let scenario = ready_made(name, duration);
        let alone = all_of(&on_threads(&scenario, 1));
        for threads in [2, 3, 4, 8] {
            assert!(all_of(&on_threads(&scenario, threads)) == alone, "{name} on {threads} threads");
        }
    }
}

#[test]
fn lots_for_places_are_the_same_on_1_to_8_threads() {
    for name in ["dlcc", "slotted-packets"] {
        let set = [
            ("run.duration", "\"2 s\""),
            ("run.warm_up", "\"0.5 s\""),
            ("switching.slot_buffer.arbitration", "\"random\""),
        ];
        let set = set.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let scenario = load(Input::File(&folder().join(format!("{name}.toml"))), &set).unwrap().scenario;
        let alone = all_of(&on_threads(&scenario, 1));
        for threads in 2..=8 {
            assert!(all_of(&on_threads(&scenario, threads)) == alone, "{name} on {threads} threads");
        }
        let mut dice = Dice(5);
        assert!(all_of(&dealt_at_random(&scenario, 2, 3, &mut dice)) == alone, "{name} migrated");
        assert!(all_of(&on_threads(&ready_made(name, "2 s"), 1)) != alone, "{name} first-come");
    }
}

#[test]
fn where_the_network_is_cut_does_not_matter() {
    let mut dice = Dice(1);
    for (name, duration) in cut() {
        let scenario = ready_made(name, duration);
        let alone = all_of(&on_threads(&scenario, 1));
        for (threads, parts) in [(1, 3), (2, 2), (3, 8)] {
            let migrated = dealt_at_random(&scenario, threads, parts, &mut dice);
            assert!(all_of(&migrated) == alone, "{name} in up to {parts} parts on {threads} threads");
        }
    }
}

/// A world that handles its events in this order.
fn world_on(course: Schedule, scenario: &Scenario, threads: usize) -> World {
    let mut world = world(scenario, threads);
    world.take(course);
    world
}

#[test]
fn a_scenario_gives_the_same_event_after_event_and_node_after_node() {
    for (name, duration) in READY_MADE {
        let scenario = ready_made(name, duration);
        let by_time = all_of(&finished(world_on(Schedule::Global, &scenario, 1)));
        let mut in_rounds = world_on(Schedule::Windowed, &scenario, 1);
        in_rounds.run_until(SimTime::NEVER);
        // What is traced is handled in the order of time.
        let in_order = scenario.trace.is_on() || WORK.contains(&name);
        assert_eq!(in_rounds.rounds() > 0, !in_order, "{name}: {} rounds", in_rounds.rounds());
        assert!(all_of(&finished(in_rounds)) == by_time, "{name} in rounds");
        assert!(all_of(&on_threads(&scenario, 1)) == by_time, "{name} as pays");
    }
}

#[test]
fn rounds_may_be_interrupted_changed_and_dealt_anywhere() {
    let mut dice = Dice(4);
    let mixed = ("mixed", support::scenario(support::MIXED));
    let others = cut().map(|(name, duration)| (name, ready_made(name, duration)));
    for (name, scenario) in others.chain([mixed]) {
        let by_time = all_of(&finished(world_on(Schedule::Global, &scenario, 1)));
        let mut world = world_on(Schedule::Windowed, &scenario, 2);
        let (nodes, end) = (scenario.network.nodes.len(), world.end().ps());
        for step in 0..40 {
            match dice.roll(8) {
                0 => world.take(Schedule::Global),
                1 | 2 => world.migrate(&(0..nodes).map(|_| dice.roll(3) as u32).collect::<Vec<_>>()),
                3 => world.run_on(SimTime::NEVER, dice.roll(3000)),
                _ => world.take(Schedule::Windowed),
            }
            world.run_until(SimTime::from_ps(end / 40 * step + dice.roll(end / 40)));
        }
        assert!(all_of(&finished(world)) == by_time, "{name}");
    }
}

/// Every size of the merge that is compiled by itself, and one above all of them.
#[test]
fn nodes_with_few_and_many_fibres_are_the_same_in_rounds() {
    for leaves in [2, 3, 5, 8, 9, 16, 17, 64, 65, 256, 257, 700] {
        let scenario = support::scenario(&format!(
            "[run]\nduration = \"0.2 s\"\n[topology]\nkind = \"star\"\nleaves = {leaves}\n\
             [link_defaults]\ncapacity = \"100 Mbps\"\ndelay = \"2 ms\"\nbuffer = \"9 packets\"\n\
             [[traffic]]\ntransport = \"sack\"\npairs = \"random\"\nflows = {}\nspread = \"50 ms\"\n",
            3 * leaves
        ));
        let by_time = all_of(&finished(world_on(Schedule::Global, &scenario, 1)));
        let mut in_rounds = world_on(Schedule::Windowed, &scenario, 1);
        in_rounds.run_until(SimTime::NEVER);
        assert!(in_rounds.rounds() > 50, "{leaves} leaves: {} rounds", in_rounds.rounds());
        assert!(all_of(&finished(in_rounds)) == by_time, "{leaves} leaves");
    }
}

/// Neighbours in the list of nodes are a block; there are as many blocks as it takes, also more than threads, or fewer.
#[test]
fn the_size_of_blocks_does_not_matter() {
    for (name, duration) in [("aapn", "1 s"), ("grid", "1 s"), ("macroflows", "1 s"), ("obs", "0.6 s"), ("xcp", "2 s")]
    {
        let scenario = ready_made(name, duration);
        let alone = all_of(&on_threads(&scenario, 1));
        let nodes = scenario.network.nodes.len() as u32;
        for size in [1, 3, 64] {
            for threads in 1..=4 {
                let mut world = world(&scenario, threads);
                world.migrate(&(0..nodes).map(|node| node / size).collect::<Vec<_>>());
                assert!(all_of(&finished(world)) == alone, "{name} in blocks of {size} on {threads} threads");
            }
        }
    }
}

#[test]
fn links_that_change_orders_and_samples_are_the_same_in_parts() {
    let scenario = support::scenario(support::MIXED);
    let alone = all_of(&on_threads(&scenario, 1));
    let mut dice = Dice(2);
    for threads in [1, 2, 4] {
        assert!(all_of(&dealt_at_random(&scenario, threads, 5, &mut dice)) == alone, "on {threads} threads");
    }
}

#[test]
fn shuffled_ties_are_the_same_in_parts() {
    let scenario = support::scenario(support::MIXED);
    let shuffled = |of_node: &[u32]| {
        let options = Options { shuffle_ties: Some(3), ..Options::default() };
        let mut world = World::build(&scenario, Seed { seed: 7, run: 0 }, options).unwrap();
        world.use_threads(2);
        world.migrate(of_node);
        all_of(&finished(world))
    };
    let nodes = scenario.network.nodes.len() as u32;
    assert!(shuffled(&vec![0; nodes as usize]) == shuffled(&(0..nodes).map(|node| node % 3).collect::<Vec<_>>()));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test makes threads late on purpose")]
fn threads_that_are_late_at_random_change_nothing() {
    let calls = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&calls);
    let disturbance: sim::engine::FaultInjection = Arc::new(move |part| {
        let call = counter.fetch_add(1, Ordering::Relaxed);
        let mut dice = Dice(call * 8 + part as u64);
        match dice.roll(64) {
            0 => std::thread::sleep(std::time::Duration::from_micros(dice.roll(300))),
            1..16 => std::thread::yield_now(),
            _ => {}
        }
    });
    let scenario = ready_made("nsfnet-buffers", "2 s");
    let alone = all_of(&on_threads(&scenario, 1));
    for threads in [2, 4, 8] {
        let mut world = world(&scenario, threads);
        world.disturb(Arc::clone(&disturbance));
        world.migrate(&(0..28).map(|node| node % threads as u32).collect::<Vec<_>>());
        assert!(all_of(&finished(world)) == alone, "on {threads} threads");
    }
    assert!(calls.load(Ordering::Relaxed) > 1000, "the threads were disturbed");
}

/// So many hosts that they are fetched early; on the fibre to one of their nodes come packets for hosts of other
/// partitions, too.
#[test]
fn hosts_that_fill_the_caches_are_the_same_where_packets_of_others_pass() {
    let text = r#"
        node = [{ name = "a" }, { name = "b" }, { name = "c" }, { name = "d" }]
        link = [{ from = "a", to = "b" }, { from = "b", to = "c" }, { from = "c", to = "d" }]
        run = { duration = "0.1 s" }
        topology = { kind = "custom" }
        link_defaults = { capacity = "1 Gbps", delay = "2 ms", buffer = "60 packets" }
        traffic = [{ transport = "sack", pairs = "all", flows = 20000, spread = "0.05 s" }]
    "#;
    let scenario = support::scenario(text);
    let alone = all_of(&on_threads(&scenario, 1));
    for of_node in [[1, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]] {
        let mut world = world(&scenario, 2);
        world.migrate(&of_node);
        assert!(all_of(&finished(world)) == alone, "{of_node:?}");
    }
}

/// A link with a queue before it changes while its two ends are apart, and while they come together and part again.
/// What its trace has foreseen is amended wherever it was noted.
#[test]
fn a_link_that_changes_is_the_same_between_two_parts() {
    let text = r#"
        node = [{ name = "a" }, { name = "x", role = "core" }, { name = "y", role = "core" }, { name = "b" }]
        link = [
            { from = "a", to = "x", capacity = "1 Gbps", delay = "1 ms" },
            { from = "x", to = "y", capacity = "20 Mbps", delay = "7 ms", buffer = "40 packets" },
            { from = "y", to = "b", capacity = "1 Gbps", delay = "1 ms" },
        ]
        run = { duration = "4 s" }
        topology = { kind = "custom" }
        transport = { udp = { packet_size = "300 B" } }
        traffic = [
            { transport = "sack", from = "a", to = "b", flows = 6, spread = "0.1 s" },
            { transport = "udp", from = "a", to = "b", flows = 2, load = "constant", rate = "2 Mbps" },
        ]
        event = [
            { at = "1 s", link = "x-y", capacity = "9 Mbps" }, { at = "1.4 s", link = "x-y", capacity = "20 Mbps" },
            { at = "1.7 s", link = "x-y", delay = "3 ms" }, { at = "2 s", link = "x-y", delay = "9 ms" },
            { at = "2.4 s", link = "x-y", state = "down" }, { at = "2.401 s", link = "x-y", state = "up" },
            { at = "2.8 s", link = "x-y", state = "down" }, { at = "2.801 s", link = "x-y", state = "up" },
        ]
        probe = { interval = "1 ms", flows = "all", links = "all" }
        trace = { enabled = true }
    "#;
    let scenario = support::scenario(text);
    let alone = all_of(&on_threads(&scenario, 1));
    for steps in [1, 97] {
        let mut world = world(&scenario, 2);
        for step in 0..steps {
            world.migrate(if step % 3 == 2 { &[0, 0, 0, 0] } else { &[0, 0, 1, 1] });
            world.run_until(SimTime::from_ps(world.end().ps() / steps * (step + 1)));
        }
        assert!(all_of(&finished(world)) == alone, "migrated {steps} times");
    }
}

#[test]
fn shares_are_of_the_present_deal() {
    let scenario = support::scenario(
        r#"
        run = { duration = "0.2 s" }
        topology = { kind = "dumbbell", pairs = 1, bottleneck_capacity = "100 Mbps", bottleneck_delay = "5 ms" }
        traffic = [{ transport = "sack", flows = 4 }]
    "#,
    );
    let mut world = world(&scenario, 1);
    world.run_until(SimTime::NEVER);
    assert_eq!(world.shares(), [world.events()]);
    let nodes = (0..4).map(|node| node % 2).collect::<Vec<u32>>();
    world.migrate(&nodes);
    assert_eq!((world.shares().iter().sum::<u64>(), world.events() > 0), (0, true));
}

/// The work moves from one end of a chain to the other in the second half of the run.
#[test]
fn nodes_are_not_dealt_when_the_run_is_over() {
    let text = r#"
        node = [{ name = "a" }, { name = "b" }, { name = "c" }, { name = "d" }]
        link = [{ from = "a", to = "b" }, { from = "b", to = "c" }, { from = "c", to = "d" }]
        run = { duration = "1 s" }
        topology = { kind = "custom" }
        link_defaults = { capacity = "1 Gbps", delay = "5 ms", buffer = "100 packets" }
        traffic = [
            { transport = "sack", from = "a", to = "b", flows = 10, size = "3 MB" },
            { transport = "sack", from = "b", to = "a", flows = 10, size = "3 MB" },
            { transport = "sack", from = "c", to = "d", flows = 10, start = "0.5 s" },
            { transport = "sack", from = "d", to = "c", flows = 10, start = "0.5 s" },
        ]
    "#;
    let mut world = world(&support::scenario(text), 2);
    world.run_until(SimTime::NEVER);
    assert!(world.shares().len() == 2 && world.shares().iter().sum::<u64>() > 0, "{:?}", world.shares());
}

#[test]
fn a_network_too_short_to_cut_is_run_on_one_thread_and_says_so() {
    let text = r#"
        [run]
        duration = "1 s"
        [topology]
        kind = "dumbbell"
        pairs = 4
        bottleneck_capacity = "100 Mbps"
        bottleneck_delay = "1 us"
        access_delay = "1 us"
        [[traffic]]
        transport = "sack"
        flows = 4
    "#;
    let mut world = world(&support::scenario(text), 4);
    world.run_until(SimTime::NEVER);
    let parallelism = world.parallelism();
    assert_eq!(parallelism.threads, 1);
    assert!(parallelism.reason.unwrap().contains("too short"));
}
