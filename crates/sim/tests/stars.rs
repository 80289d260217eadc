//! The log of the simulated signalling under faults, read by the checker that reads the log of processes
//! (`crates/linux/tests/stars.rs`): no light meets other light, files arrive, and pairs have light again in time.
//! `PHOTOCOL_SEEDS=200` runs that number.

use crate::support::{numbers, texts};
use control::log::{Entry, What, violations};
use control::wire::NodeId;
use sim::SimTime;
use sim::engine::{Direction, Options};
use sim::random::Seed;
use sim::results::Results;
use sim::scenario::{Input, load};
use sim::study::World;
use std::path::Path;

const EDGES: u16 = 4;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % most
    }
}

/// Four edge nodes around two core nodes; every node floods the one before it, and sends a file to the next one.
fn stars(faults: &str, loss: f64) -> String {
    let flood = |from: u16| {
        let to = (from + EDGES - 1) % EDGES;
        format!("[[traffic]]\ntransport = \"udp\"\nfrom = \"e{from}\"\nto = \"e{to}\"\nrate = \"30 Mbps\"\n")
    };
    let file = |from: u16| {
        let to = (from + 1) % EDGES;
        format!(
            "[[traffic]]\ntransport = \"sack\"\nfrom = \"e{from}\"\nto = \"e{to}\"\nsize = \"300 kB\"\n\
             start = \"0.6 s\"\n"
        )
    };
    let traffic: String = (0..EDGES).map(file).chain((0..EDGES).map(flood)).collect();
    format!(
        r#"
        [run]
        duration = "9 s"
        [topology]
        kind = "aapn-star"
        edges = {EDGES}
        cores = 2
        capacity = "100 Mbps"
        delay = "1 ms"
        buffer = "100 packets"
        [switching]
        kind = "aapn"
        slots = 18
        slot_time = "200 us"
        guard = "30 us"
        protocol = "simulated"
        control = {{ transcript = true, loss = {loss:?} }}
        {faults}
        {traffic}
        "#
    )
}

/// The log of a run, with what the tables say of its floods and files.
fn log_of(text: &str, seed: u64) -> Vec<Entry> {
    let loaded = load(Input::Text { name: "stars", text, folder: Path::new(".") }, &[]).unwrap();
    let mut world = World::build(&loaded.scenario, Seed { seed, run: 0 }, Options::default()).unwrap();
    world.run_until(SimTime::from_ps(9_000_000_000_000));
    let noted = world.records().into_iter().filter(|record| record.direction == Direction::Noted);
    let line = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().parse::<Entry>().unwrap();
    let mut log: Vec<Entry> = noted.map(|record| line(&record.bytes)).collect();
    log.extend(of_tables(&world.finish().unwrap()));
    log
}

fn of_tables(results: &Results) -> Vec<Entry> {
    let flows = &results.flows;
    let node = |name: &String| NodeId(name.trim_start_matches('e').parse().unwrap());
    let ends = texts(flows, "source").into_iter().zip(texts(flows, "destination"));
    let times = numbers(flows, "start_s").into_iter().zip(numbers(flows, "end_s"));
    let fates = texts(flows, "transport").into_iter().zip(numbers(flows, "completed"));
    let mut entries = Vec::new();
    for (((source, destination), (start, end)), (transport, completed)) in ends.zip(times).zip(fates) {
        let (from, to) = (node(&source), node(&destination));
        let entry = |at: f64, who, what| Entry { at: (at * 1e12) as u64, star: 0, who, what };
        if transport == "udp" {
            entries.push(entry(start, from, What::Wants { to }));
            continue;
        }
        let file = format!("file-{source}");
        entries.push(entry(start, from, What::Offered { to, file: file.clone() }));
        if completed > 0.0 {
            entries.push(entry(end, to, What::Arrived { from, file }));
        }
    }
    entries
}

fn seeds(default: u64) -> u64 {
    std::env::var("PHOTOCOL_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(default)
}

/// Up to four faults from 1 to 2 s: cores and nodes that stop, fibres that are cut, to one core or to both.
fn faults(random: &mut Random) -> String {
    let fault = |random: &mut Random| {
        let (from, lasts) = (1000 + random.below(700), 50 + random.below(500));
        let (edge, core) = (random.below(EDGES.into()), random.below(2));
        let (who, kind) = match random.below(8) {
            0..=2 => (format!("c{core}"), "stopped"),
            3 | 4 => (format!("e{edge}"), "stopped"),
            5 => (format!("e{edge}"), "cut"),
            6 => (format!("e{edge}"), "cut-up"),
            _ => (format!("e{edge}"), "cut-down"),
        };
        let via = if kind.starts_with("cut") && random.below(2) == 0 {
            format!("via = \"c{core}\"\n")
        } else {
            String::new()
        };
        format!(
            "[[switching.fault]]\nnode = \"{who}\"\nkind = \"{kind}\"\n{via}at = \"{from} ms\"\nuntil = \"{} ms\"\n",
            from + lasts
        )
    };
    (0..1 + random.below(4)).map(|_| fault(random)).collect()
}

#[test]
fn under_any_faults_no_light_meets_files_arrive_and_pairs_have_light_in_time() {
    let mut wrong = Vec::new();
    for seed in 0..seeds(12) {
        let mut random = Random(seed);
        let faults = faults(&mut random);
        let loss = if random.below(2) == 0 { 0.0 } else { 0.01 };
        let found = violations(&log_of(&stars(&faults, loss), seed));
        if !found.is_empty() {
            let some = found[..found.len().min(3)].join("; ");
            wrong.push(format!("seed {seed}: {} violations: {some}\n{faults}", found.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A core dies at any instant of a frame, and nothing else happens. The same log is refused once the light of the other
/// star is taken out of it for a time-out, so the check has pairs to look at.
#[test]
fn every_pair_of_a_core_that_dies_has_light_again_in_a_time_out_and_three_frames() {
    for seed in 0..seeds(6) {
        let at = 1000 + Random(seed).below(36);
        let fault =
            |core: u64| format!("[[switching.fault]]\nnode = \"c{core}\"\nkind = \"stopped\"\nat = \"{at} ms\"\n");
        let logs = [0, 1].map(|core| log_of(&stars(&fault(core), 0.0), seed));
        let moved = logs.iter().flatten().filter(|entry| matches!(entry.what, What::Moved { .. })).count();
        assert!(moved > 0, "seed {seed}: pairs change their star");
        let mut refused = 0;
        for log in &logs {
            assert_eq!(violations(log), [""; 0], "seed {seed}");
            let is_light = |entry: &Entry| matches!(entry.what, What::Light(_));
            let late =
                |entry: &&Entry| !is_light(entry) || !(at * 1_000_000_000..5_000_000_000_000).contains(&entry.at);
            refused += violations(&log.iter().filter(late).cloned().collect::<Vec<_>>()).len();
        }
        assert!(refused > 0, "seed {seed}: light that comes too late is noticed");
    }
}
