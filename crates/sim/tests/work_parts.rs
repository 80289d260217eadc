//! Work in several partitions: the same to the last bit as in one, for graphs at random and for collectives.

use crate::support::{Builder, Dice, figure, numbers, scenario};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;

const STAR: &str = r#"
[run]
duration = "3 s"
[topology]
kind = "star"
leaves = 8
[link_defaults]
capacity = "100 Mbps"
delay = "1 ms"
buffer = "200 packets"
"#;

/// How a run is cut.
#[derive(Clone, Copy, Debug)]
struct Cut {
    threads: usize,
    parts: u64,
    /// Nodes are assigned anew after each such stretch of it, at the first three of its instants.
    stretch: SimTime,
}

/// Runs it: nodes go to partitions by the dice.
fn run(text: &str, cut: Cut, seed: u64) -> Results {
    let (scenario, mut dice) = (scenario(text), Dice(seed));
    let mut world = World::build(&scenario, Seed { seed, run: 0 }, Options::default()).unwrap();
    world.use_threads(cut.threads);
    for migration in 0..3 {
        world.run_until(SimTime::from_ps(migration * cut.stretch.ps()));
        let part = |_| dice.roll(cut.parts) as u32;
        world.migrate(&(0..scenario.network.nodes.len()).map(part).collect::<Vec<_>>());
    }
    world.run_until(SimTime::NEVER);
    world.finish().unwrap()
}

const WHOLE: Cut = Cut { threads: 1, parts: 1, stretch: SimTime::from_ps(5_000_000_000) };

/// It is the same in parts, and goes on to its end.
fn is_same_in_parts(text: &str, seed: u64) -> Results {
    let whole = run(text, WHOLE, seed);
    let expected = format!("{whole:?}");
    for (threads, parts) in [(1, 3), (2, 2), (5, 7)] {
        let cut = Cut { threads, parts, ..WHOLE };
        assert!(format!("{:?}", run(text, cut, seed)) == expected, "seed {seed}, {cut:?}: {text}");
    }
    whole
}

/// Tasks at random: each waits for some before it, wherever they are. Some messages have tags, and a receive each that
/// takes it.
fn graph(dice: &mut Dice) -> String {
    let mut rows = "task,kind,rank,peer,bytes,time_s,tag,after,begun,needs\n".to_owned();
    for task in 0..60 {
        let (rank, peer, bytes) = (dice.roll(8), dice.roll(8), 1 + dice.roll(40_000));
        let kind = ["transfer", "transfer", "transfer", "compute", "wait", "join"][dice.roll(6) as usize];
        let mut some =
            |count: u64| -> Vec<String> { (0..count.min(task)).map(|_| format!("t{}", dice.roll(task))).collect() };
        let (after, begun) = (some(2), if task % 7 == 0 { some(1) } else { Vec::new() });
        let needs = if task % 5 == 0 && after.len() == 2 { "1" } else { "" };
        let (after, begun) = (after.join(" "), begun.join(" "));
        let tag = if kind == "transfer" && task % 3 == 0 { task.to_string() } else { String::new() };
        rows += &format!("t{task},{kind},{rank},{peer},{bytes},0.00{},{tag},{after},{begun},{needs}\n", task % 9);
        if !tag.is_empty() {
            rows += &format!("r{task},receive,{peer},{rank},,,{tag},{after},,\n");
        }
    }
    rows
}

fn undone(run: &Results) -> f64 {
    figure(run, "unfinished_tasks")
}

/// With a signal that takes time work goes in parts; with one that takes none, the run says why one thread works.
#[test]
fn graphs_are_the_same_in_parts_if_a_signal_takes_time() {
    let file = std::env::temp_dir().join(format!("photocol-parts-{}.csv", std::process::id()));
    let mut all_done = 0;
    for seed in 1..=12 {
        let mut dice = Dice(seed);
        std::fs::write(&file, graph(&mut dice)).unwrap();
        let signal = ["2 ms", "300 us", "80 us", "0 s"][seed as usize % 4];
        let algorithm = ["sack", "quic-cubic", "ndp", "linux-cubic", "dctcp"][seed as usize % 5];
        let connections = ["kept", "each"][seed as usize % 2];
        let one = |done: &str| {
            format!(
                "[[traffic]]\ntransport = \"{algorithm}\"\nwork = {{ file = {:?}, signal = \"{signal}\", \
                 connections = \"{connections}\", done = \"{done}\" }}\n",
                file.to_str().unwrap()
            )
        };
        let text = format!("{STAR}{}{}", one("arrived"), one("arrived"));
        all_done += u32::from(undone(&is_same_in_parts(&text, seed)) == 0.0);
        is_same_in_parts(&format!("{STAR}{}", one("acknowledged")), seed);

        let mut world = World::build(&scenario(&text), Seed { seed, run: 0 }, Options::default()).unwrap();
        world.use_threads(2);
        let reason = world.parallelism().reason;
        assert_eq!(reason.is_some_and(|why| why.contains("one thread")), signal == "0 s");
    }
    std::fs::remove_file(file).unwrap();
    assert!(all_done >= 10, "most of them are to have an end: {all_done}");
}

/// What a rank of these waits for are packets that come to it, and what it does itself: no signal is needed.
#[test]
fn collectives_go_in_parts_without_a_signal() {
    let tree = "[run]\nduration = \"1 s\"\n[topology]\nkind = \"fat-tree\"\nk = 4\ncapacity = \"1 Gbps\"\n\
                delay = \"10 us\"\nhost_delay = \"5 us\"\n[link_defaults]\nbuffer = \"100 packets\"\n";
    let cases = [
        ("all-reduce", "ring", "rings = 2, chunks = 3"),
        ("all-reduce", "halving-doubling", "rounds = 3, compute = \"1 ms\""),
        ("all-to-all", "direct", ""),
        ("all-to-all", "pairwise", "order = \"steps\""),
        ("broadcast", "tree", "chunks = 4"),
        ("barrier", "dissemination", "rounds = 5"),
    ];
    for (algorithm, (seed, (collective, way, keys))) in
        ["ndp", "sack", "quic-newreno", "hpcc", "linux-cubic", "swift"].into_iter().zip((1..).zip(cases))
    {
        let size = if collective == "barrier" { "" } else { "size = \"400 kB\", " };
        let (connections, routing) =
            if algorithm == "ndp" { ("kept", "routing = \"spray\"\n") } else { ("each", "routing = \"ecmp\"\n") };
        let text = tree.replace("host_delay", &format!("{routing}host_delay"));
        let comma = if keys.is_empty() { "" } else { ", " };
        let traffic = format!(
            "[[traffic]]\ntransport = \"{algorithm}\"\nwork = {{ collective = \"{collective}\", \
             algorithm = \"{way}\", {size}connections = \"{connections}\"{comma}{keys} }}\n"
        );
        let stretch = SimTime::from_ps(300_000_000);
        let text = Builder::of(text + &traffic).text();
        let whole = run(&text, Cut { stretch, ..WHOLE }, seed);
        assert_eq!(undone(&whole), 0.0, "{algorithm}");
        assert!(numbers(&whole.flows, "flow").len() > 15);
        for (threads, parts) in [(1, 4), (2, 2), (5, 9)] {
            let cut = Cut { threads, parts, stretch };
            assert!(format!("{:?}", run(&text, cut, seed)) == format!("{whole:?}"), "{cut:?}: {text}");
        }
        let mut world = World::build(&scenario(&text), Seed { seed, run: 0 }, Options::default()).unwrap();
        world.use_threads(2);
        assert_eq!(world.parallelism().reason, None, "{collective}");
    }
}
