//! What integration tests share: a run from a scenario text, and reading its tables.
#![allow(dead_code, missing_docs, reason = "each test file uses its part")]

pub mod returning;
pub mod sources;
pub mod told;

use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::{Column, Results, Table};
use sim::scenario::{Input, Loaded, Scenario, load};
use sim::study::World;
use std::path::Path;

/// A small generator of its own, so that tests share no stream with the engine.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// The place of one of so many.
    pub fn place(&mut self, count: usize) -> usize {
        self.roll(count as u64) as usize
    }
}

/// A mesh with loss, tiny buffers, every kind of transport and source, and links that change.
pub const MIXED: &str = r#"
[run]
duration = "3 s"
warm_up = "1 s"
[topology]
kind = "nsfnet-edge"
reroute_after = "50 ms"
[link_defaults]
capacity = "100 Mbps"
[link_defaults.core]
buffer = "5 packets"
[link_defaults.edge]
buffer = "0.1 s"
[transport.paced]
algorithm = "reno"
paced = true
[transport.delayed]
algorithm = "highspeed"
delayed_ack = "200 ms"
[[traffic]]
name = "a"
transport = "sack"
flows = 60
pairs = "random"
spread = "1 s"
[[traffic]]
name = "b"
transport = "paced"
arrivals = "poisson"
count = 40
over = "2 s"
pairs = "random"
[[traffic]]
name = "c"
transport = "delayed"
flows = 20
pairs = "random"
size = "300 kB"
[[traffic]]
name = "d"
transport = "newreno"
flows = 20
pairs = "random"
[[traffic]]
name = "e"
transport = "udp"
flows = 10
pairs = "random"
load = "on-off"
rate = "5 Mbps"
on = { law = "pareto", mean = "20 ms", shape = 1.5 }
off = { law = "exponential", mean = "20 ms" }
[[event]]
at = "1.5 s"
link = "5-9"
state = "down"
[[event]]
at = "1.2 s"
link = "0-1"
capacity = "30 Mbps"
[[event]]
at = "2 s"
link = "2->5"
delay = "3 ms"
[[event]]
at = "2.2 s"
link = "5-9"
state = "up"
[probe]
interval = "100 ms"
flows = "all"
links = "all"
"#;

/// A scenario in the making: tables in TOML, and keys above them by their paths, as `--set` takes them. A path or a
/// value that the language does not know is its error, not a text that was not found.
#[derive(Clone)]
pub struct Builder {
    tables: String,
    keys: Vec<(String, String)>,
}

impl Builder {
    pub fn of(tables: impl Into<String>) -> Builder {
        Builder { tables: tables.into(), keys: Vec::new() }
    }

    /// More tables behind those that are there.
    pub fn add(mut self, tables: &str) -> Builder {
        self.tables = format!("{}\n{tables}", self.tables);
        self
    }

    /// A key, such as `"traffic.0.rate"`.
    pub fn set(mut self, path: &str, value: impl ToString) -> Builder {
        self.keys.push((path.to_owned(), value.to_string()));
        self
    }

    /// All of it as one text.
    pub fn text(&self) -> String {
        let source = Input::Text { name: "test.toml", text: &self.tables, folder: Path::new(".") };
        load(source, &self.keys).unwrap_or_else(|error| panic!("{error}")).text
    }

    pub fn run(&self, seed: u64) -> Results {
        run(&self.text(), seed)
    }
}

pub fn scenario(text: &str) -> Scenario {
    loaded(text).scenario
}

pub fn warnings(text: &str) -> Vec<String> {
    loaded(text).warnings
}

/// What is said of a scenario with these keys; nothing if it is right.
pub fn refusal(text: &str, keys: &[(&str, &str)]) -> String {
    let source = Input::Text { name: "test.toml", text, folder: Path::new(".") };
    let keys: Vec<_> = keys.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    load(source, &keys).err().map_or_else(String::new, |error| error.to_string())
}

pub fn loaded(text: &str) -> Loaded {
    let source = Input::Text { name: "test.toml", text, folder: Path::new(".") };
    load(source, &[]).unwrap_or_else(|error| panic!("{error}"))
}

pub fn run(text: &str, seed: u64) -> Results {
    run_with(text, seed, Options::default())
}

pub fn run_with(text: &str, seed: u64, options: Options) -> Results {
    let mut world = World::build(&scenario(text), Seed { seed, run: 0 }, options).unwrap();
    world.run_until(SimTime::NEVER);
    world.finish().unwrap()
}

pub fn figure(run: &Results, name: &str) -> f64 {
    run.summary.iter().find(|figure| figure.name == name).unwrap_or_else(|| panic!("no figure {name}")).value
}

fn column<'a>(table: &'a Table, name: &str) -> &'a Column {
    &table.columns.iter().find(|column| column.0 == name).unwrap_or_else(|| panic!("no column {name}")).1
}

pub fn numbers(table: &Table, name: &str) -> Vec<f64> {
    match column(table, name) {
        Column::U64(values) => values.iter().map(|value| *value as f64).collect(),
        Column::F64(values) => values.clone(),
        Column::Bool(values) => values.iter().map(|value| f64::from(u8::from(*value))).collect(),
        Column::Text(_) | Column::Names { .. } => panic!("{name} is text"),
    }
}

pub fn texts(table: &Table, name: &str) -> Vec<String> {
    match column(table, name) {
        Column::Text(values) => values.clone(),
        Column::Names { names, rows } => rows.iter().map(|row| names[*row as usize].clone()).collect(),
        _ => panic!("{name} is not text"),
    }
}

/// The value of `value` in the row whose `key` is `wanted`.
pub fn at(table: &Table, key: &str, wanted: &str, value: &str) -> f64 {
    let row = texts(table, key).iter().position(|found| found == wanted).unwrap_or_else(|| panic!("no {key} {wanted}"));
    numbers(table, value)[row]
}
