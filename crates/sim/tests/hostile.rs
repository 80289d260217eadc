//! What a scenario says at the edge of what is allowed is refused, or it runs: values are exchanged in the ready-made
//! scenarios and in the seeds for fuzzing, and what still loads is built and run for some thousand events. `CASES` and
//! `SEED` in the environment ask for more of them, and for others.

use crate::support::Dice;
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::scenario::{Input, load};
use sim::study::World;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Values at the edge of something, as TOML. Those with a unit fit only where that is meant.
const EDGES: &[&str] = &[
    "0",
    "1",
    "2",
    "7",
    "65535",
    "65536",
    "4294967295",
    "9223372036854775807",
    "0.0",
    "1e-300",
    "1e-9",
    "0.5",
    "1.0",
    "1e9",
    "1e308",
    "true",
    "false",
    "[]",
    "{}",
    "\"1 ps\"",
    "\"3 ns\"",
    "\"1 s\"",
    "\"1 h\"",
    "\"5000 h\"",
    "\"213 h\"",
    "\"8 bps\"",
    "\"1 Mbps\"",
    "\"17 Tbps\"",
    "\"1000 Tbps\"",
    "\"0 B\"",
    "\"1 B\"",
    "\"65535 B\"",
    "\"1 GB\"",
    "\"18446744073709551615 B\"",
    "\"0 packets\"",
    "\"1 packets\"",
    "\"4294967295 packets\"",
    "\"unlimited\"",
    "\"all\"",
    "\"random\"",
    "\"udp\"",
    "\"xcp\"",
    "\"sack\"",
    "\"reno\"",
    "\"poisson\"",
    "\"on-off\"",
];

/// Turns of hosts and agents in each run.
const EFFORT: u64 = 3000;

/// Cases unless `CASES` says otherwise.
const CASES: u64 = 1500;

/// A text without layers of its own folder, and the places of its values.
struct Base {
    path: PathBuf,
    text: String,
    values: Vec<(usize, usize)>,
}

fn bases() -> Vec<Base> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["scenarios", "scenarios/layers", "fuzz/seeds"].map(|folder| root.join(folder));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    files.sort();
    let base = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let values = values(&text);
        Base { path, text, values }
    };
    files.into_iter().map(base).collect()
}

/// Where values stand: (begin, end).
fn values(text: &str) -> Vec<(usize, usize)> {
    let starts = text.match_indices(" = ").map(|(at, _)| at + 3);
    starts.map(|start| (start, start + text[start..].find(['\n', '#', ',', '}']).unwrap_or(0))).collect()
}

impl Base {
    /// The text with one to three values exchanged, and what they are.
    fn mutated(&self, dice: &mut Dice) -> (String, Vec<String>) {
        let mut places: Vec<usize> = (0..=dice.place(3)).map(|_| dice.place(self.values.len())).collect();
        places.sort_unstable();
        places.dedup();
        let (mut text, mut changes, mut free) = (self.text.clone(), Vec::new(), self.text.len());
        for place in places.into_iter().rev() {
            let ((start, end), edge) = (self.values[place], EDGES[dice.place(EDGES.len())]);
            // The value of a table in braces holds others.
            if end > free {
                continue;
            }
            free = start;
            let line = self.text[..start].lines().last().unwrap_or_default();
            changes.push(format!("{line}{edge}"));
            text.replace_range(start..end, edge);
        }
        (text, changes)
    }
}

/// Loads, builds and runs; what went wrong inside. Whether it ran.
fn fate(path: &Path, text: &str) -> Result<bool, String> {
    let folder = path.parent().unwrap();
    let attempt = || {
        let Ok(loaded) = load(Input::Text { name: "hostile.toml", text, folder }, &[]) else { return false };
        let Ok(mut world) = World::build(&loaded.scenario, Seed { seed: 1, run: 0 }, Options::default()) else {
            return false;
        };
        world.run_on(SimTime::NEVER, EFFORT);
        world.finish().unwrap();
        true
    };
    catch_unwind(AssertUnwindSafe(attempt)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
    })
}

fn asked(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn values_at_the_edge_are_refused_or_run() {
    let (bases, mut dice) = (bases(), Dice(asked("SEED", 1)));
    let (mut failures, mut ran, cases) = (Vec::new(), 0, asked("CASES", CASES));
    for _ in 0..cases {
        let base = &bases[dice.place(bases.len())];
        let (text, changes) = base.mutated(&mut dice);
        match fate(&base.path, &text) {
            Ok(run) => ran += u64::from(run),
            Err(why) => failures.push(format!("{}: {changes:?}: {why}", base.path.display())),
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    // Otherwise nothing is shown: most edges are refused where they stand.
    assert!(ran * 50 > cases, "{ran} of {cases} ran");
}

#[test]
fn the_fastest_packets_that_are_allowed_run() {
    // 1 B at 16 Tb/s: half a picosecond, rounded up to one.
    let text = r#"
run.duration = "1 us"
topology = { kind = "dumbbell", pairs = 1, bottleneck_capacity = "1000 Tbps", bottleneck_delay = "1 us",
    access_capacity = "1000 Tbps" }
transport.u = { algorithm = "udp", packet_size = "1 B" }
traffic = [{ transport = "u", pairs = [["l0", "r0"]], flows = 1, rate = "16 Tbps" }]
"#;
    assert_eq!(fate(Path::new("scenarios/x.toml"), text), Ok(true));
    assert_eq!(fate(Path::new("scenarios/x.toml"), &text.replace("16 Tbps", "17 Tbps")), Ok(false));
}
