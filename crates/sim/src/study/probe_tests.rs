//! The example probe of `docs/guide/add-a-probe.md` at work.

use super::World;
use crate::language::keys::Joined as _;
use crate::language::{At, Input, Text, from_tree, read};
use crate::probes::example::{Keys, Name};
use crate::random::Seed;
use crate::results::{Column, Results};
use crate::scenario::{Scenario, load};
use serde::Deserialize;
use std::path::Path;

/// Two flows, each a datagram of 1500 B every 20 minutes, from the start on; a packet is under way for a second.
const SLOW: &str = r#"
node = [{ name = "a" }, { name = "b" }, { name = "c" }, { name = "d" }]
link = [{ from = "a", to = "b" }, { from = "c", to = "d" }]
link_defaults = { capacity = "1 Gbps", delay = "1 s" }
transport.udp = { algorithm = "udp", packet_size = 1500 }
run = { duration = "3 h" }
[[traffic]]
transport = "udp"
from = "a"
to = "b"
rate = "10 bps"
[[traffic]]
transport = "udp"
from = "c"
to = "d"
rate = "10 bps"
"#;
const HOURS: &str = "[probe]\nhours = true\n";

fn source(text: &str) -> Input<'_> {
    Input::Text { name: "test.toml", text, folder: Path::new("") }
}

/// A user's scenario could not say this: the example is in no list.
#[derive(Deserialize)]
struct Table {
    probe: At<Keys>,
}

/// `[probe]` as the scenario's own reader reads it.
fn keys(text: &str) -> Result<Keys, String> {
    let tree = read(source(text), &[]).map_err(|error| error.to_string())?;
    let table: Table = from_tree(&tree).map_err(|fault| tree.error(fault).to_string())?;
    table.probe.check().map_err(|fault| tree.error(fault).to_string())?;
    Ok(table.probe.into_inner())
}

fn scenario(probe: &str) -> Scenario {
    let mut scenario = load(source(SLOW), &[]).unwrap().scenario;
    scenario.probes = keys(probe).unwrap().asked();
    scenario
}

/// The nodes are dealt to two partitions after an hour and a half, and to one after two.
fn run(scenario: &Scenario) -> Results {
    let mut world = World::build(scenario, Seed { seed: 1, run: 0 }, Default::default()).unwrap();
    let end = world.end();
    for (halves, parts) in [(3, [0, 0, 1, 1]), (4, [0, 0, 0, 0])] {
        world.run_until(crate::SimTime::from_ps(end.ps() / 6 * halves));
        world.migrate(&parts);
    }
    world.run_until(end);
    world.finish().unwrap()
}

/// 1500 B at 10 bit/s are a datagram every 1200 s: three an hour and flow, the first two hours from 0, 1200, 2400 s on.
#[test]
fn packets_are_counted_by_hour() {
    let results = run(&scenario(HOURS));
    let counts = |name: &str| {
        let columns = &results.table("hours").unwrap().columns;
        columns.iter().find(|(column, _)| *column == name).map(|(_, column)| column.clone())
    };
    assert_eq!(counts("hour"), Some(Column::U64(vec![0, 1, 2])));
    assert_eq!(counts("packets"), Some(Column::U64(vec![6, 6, 6])));
    let figure = results.summary.iter().find(|figure| figure.name == "busiest_hour").unwrap();
    assert_eq!((figure.value, figure.unit), (6.0, "packets"));
}

#[test]
fn the_probe_does_not_change_the_run() {
    assert_eq!(run(&scenario(HOURS)).fingerprint, run(&scenario("[probe]\n")).fingerprint);
}

#[test]
fn all_that_it_adds_has_a_sentence() {
    let results = run(&scenario(HOURS));
    let about = Name::Hours.entry().item;
    let named: Vec<&str> = about.tables[0].1.iter().map(|(name, _)| *name).collect();
    let columns: Vec<&str> = results.table("hours").unwrap().columns.iter().map(|(name, _)| *name).collect();
    assert_eq!(named, columns);
    assert!((about.figures)().iter().all(|(name, _)| results.summary.iter().any(|figure| figure.name == *name)));
}

#[test]
fn its_explanation_means_the_same() {
    let scenario = scenario(HOURS);
    let mut text = Text::new(&scenario.network);
    keys(HOURS).unwrap().explained().write("probe", &mut text);
    let explained = format!("[probe]\n{}", text.finish());
    assert!(explained.contains("hours = true "), "{explained}");
    assert_eq!(format!("{:?}", keys(&explained).unwrap()), format!("{:?}", keys(HOURS).unwrap()));
}

#[test]
fn bad_keys_are_told() {
    let told = |text: &str| keys(text).err().unwrap();
    assert_eq!(told("[probe]\nhours = 3\n"), "test.toml:2:9: probe.hours: found 3; allowed: true or false");
    let unknown = told("[probe]\nhour = true\n");
    assert!(unknown.contains("hour") && unknown.contains("interval, flows, links, hours"), "{unknown}");
}

/// The guide shows this probe as it is.
#[test]
fn the_guide_shows_all_of_it() {
    let guide = include_str!("../../../../docs/guide/add-a-probe.md");
    let code = include_str!("../probes/hours.rs");
    assert!(guide.contains(&format!("```rust\n{code}```\n")), "docs/guide/add-a-probe.md shows another text");
}
