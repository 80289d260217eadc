//! The example kind of switching of `docs/guide/add-a-switching.md` at work.

use super::World;
use crate::language::keys::Explained;
use crate::language::{At, Input, Text, from_tree, read};
use crate::model::{LinkId, Network, NodeId};
use crate::random::Seed;
use crate::results::Results;
use crate::scenario::{Scenario, load};
use crate::switching::example::Switching;
use crate::switching::kind::{Checked, Site};
use crate::topology::Draft;
use serde::Deserialize;
use std::path::Path;
use units::Duration;

/// A core node with two outputs; 1500 B last 12 us.
const CROSS: &str = r#"
node = [{ name = "a" }, { name = "x", role = "core" }, { name = "b" }]
link = [{ from = "a", to = "x" }, { from = "x", to = "b" }]
link_defaults = { capacity = "1 Gbps", delay = "1 ms", buffer = "unlimited" }
transport.udp = { algorithm = "udp", packet_size = 1500 }
run = { duration = "120 ms" }
traffic = [{ transport = "udp", from = "a", to = "b", rate = "1 Gbps" }]
"#;
const TURNS: &str = "[switching]\nkind = \"turns\"\nslot = \"12 us\"\n";

fn source(text: &str) -> Input<'_> {
    Input::Text { name: "test.toml", text, folder: Path::new("") }
}

/// A user's scenario could not say this: the example is in no list.
#[derive(Deserialize)]
struct Table {
    switching: At<Switching>,
}

/// The plan of a text with `[switching]`, as the scenario's own reader makes it.
fn checked(text: &str, network: &mut Network) -> Result<(Checked, Explained), String> {
    let tree = read(source(text), &[]).map_err(|error| error.to_string())?;
    let table: Table = from_tree(&tree).map_err(|fault| tree.error(fault).to_string())?;
    assert_eq!(Switching::name(&table.switching).name(), "turns");
    let at = table.switching.mark();
    let (draft, duration) = (&mut Draft::default(), Duration::from_millis(120));
    let site = Site { at, network, draft, largest_packet: 1500, duration, first_event: None };
    table.switching.check(site).map_err(|fault| tree.error(fault).to_string())
}

fn scenario() -> Scenario {
    let mut scenario = load(source(CROSS), &[]).unwrap().scenario;
    scenario.plan = checked(TURNS, &mut scenario.model.network).unwrap().0.plan;
    scenario
}

fn run() -> Results {
    let mut world = World::build(&scenario(), Seed { seed: 1, run: 0 }, Default::default()).unwrap();
    world.run_until(world.end());
    world.finish().unwrap()
}

/// A packet lasts a slot, and every second slot is for the output to b: half of what a sends arrives.
#[test]
fn an_output_has_every_second_slot() {
    let figure = |name: &str| run().summary.iter().find(|figure| figure.name == name).map(|figure| figure.value);
    assert_eq!(figure("turns"), Some(10_000.0));
    let goodput = figure("goodput").unwrap();
    assert!((goodput / 0.5e9 - 1.0).abs() < 0.03, "{goodput}: 2 of 120 ms are on the way");
}

#[test]
fn its_explanation_means_the_same_and_bad_keys_are_told() {
    let mut scenario = scenario();
    let mut text = Text::new(&scenario.network);
    checked(TURNS, &mut scenario.model.network.clone()).unwrap().1.write("switching", &mut text);
    let explained = format!("[switching]\nkind = \"turns\"\n{}", text.finish());
    let again = checked(&explained, &mut scenario.model.network).unwrap().0.plan;
    assert_eq!(format!("{again:?}"), format!("{:?}", scenario.plan));
    let told = checked(&TURNS.replace("12 us", "0 s"), &mut scenario.model.network).err();
    assert_eq!(told.as_deref(), Some("test.toml:3:8: switching.slot: found \"0 s\"; allowed: more than zero"));
}

/// The guide shows this kind of switching as it is.
#[test]
fn the_guide_shows_all_of_it() {
    let guide = include_str!("../../../../docs/guide/add-a-switching.md");
    let code = include_str!("../switching/turns/mod.rs");
    assert!(code.lines().count() <= 200);
    assert!(guide.contains(&format!("```rust\n{code}```\n")), "docs/guide/add-a-switching.md shows another text");
}

/// A kind of switching that asks for the port of another node is told whose it is.
#[test]
#[should_panic(expected = "an agent of node \"a\" asks for the port of \"x->b\", which node \"x\" owns")]
fn a_port_of_another_node_is_refused() {
    use crate::engine::node::agent_setup::BuildContext;
    let scenario = scenario();
    let port = scenario.network.links.iter().position(|link| link.name == "x->b").unwrap() as u32;
    let mut build = BuildContext {
        network: &scenario.network,
        flows: &[],
        transports: &[],
        news: &[],
        paths: &[],
        laid: &[],
        seed: Seed { seed: 1, run: 0 },
        add: &mut |_| 0,
    };
    build.port(NodeId(0), LinkId(port));
}
