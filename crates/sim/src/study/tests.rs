//! The example regime of `docs/guide/add-a-regime.md` at work.

use super::World;
use crate::random::Seed;
use crate::results::Run;
use crate::scenario::{Loaded, Source, load};
use std::path::Path;

/// A core node with two outputs; a megabit lasts 1 ms.
const CROSS: &str = r#"
node = [{ name = "a" }, { name = "x", role = "core" }, { name = "b" }]
link = [{ from = "a", to = "x" }, { from = "x", to = "b" }]
link_defaults = { capacity = "1 Gbps", delay = "1 ms", buffer = "unlimited" }
switching = { kind = "turns", slot = "12 us" }
transport.udp = { algorithm = "udp", packet_size = 1500 }
run = { duration = "120 ms" }
traffic = [{ transport = "udp", from = "a", to = "b", rate = "1 Gbps" }]
"#;

fn loaded(text: &str) -> Result<Loaded, String> {
    load(Source::Text { name: "test.toml", text, folder: Path::new("") }, &[]).map_err(|error| error.to_string())
}

fn run(text: &str) -> Run {
    let scenario = loaded(text).unwrap().scenario;
    let mut world = World::build(&scenario, Seed { seed: 1, run: 0 }, Default::default()).unwrap();
    world.run_until(world.end());
    world.finish().unwrap()
}

/// A packet of 1500 B lasts a slot, and every second slot is for the output to b: half of what a sends arrives.
#[test]
fn an_output_has_every_second_slot() {
    let figure = |name: &str| run(CROSS).summary.iter().find(|figure| figure.name == name).map(|figure| figure.value);
    assert_eq!(figure("turns"), Some(10_000.0));
    let goodput = figure("goodput").unwrap();
    assert!((goodput / 0.5e9 - 1.0).abs() < 0.03, "{goodput}: 2 of 120 ms are on the way");
}

#[test]
fn its_explanation_means_the_same_and_bad_keys_are_told() {
    let explained = loaded(CROSS).unwrap().explain();
    let again = loaded(&explained).unwrap();
    assert_eq!(format!("{:?}", again.scenario), format!("{:?}", loaded(CROSS).unwrap().scenario));
    let told = loaded(&CROSS.replace("12 us", "0 s")).unwrap_err();
    assert_eq!(told, "test.toml:5:37: switching.slot: found \"0 s\"; allowed: more than zero");
}

/// The guide shows this regime as it is.
#[test]
fn the_guide_shows_all_of_it() {
    let guide = include_str!("../../../../docs/guide/add-a-regime.md");
    let code = include_str!("../regime/turns/mod.rs");
    assert!(code.lines().count() <= 200);
    assert!(guide.contains(&format!("```rust\n{code}```\n")), "docs/guide/add-a-regime.md shows another text");
}

/// A regime that asks for the port of another node is told whose it is.
#[test]
#[should_panic(expected = "an agent of node \"a\" asks for the port of \"x->b\", which node \"x\" owns")]
fn a_port_of_another_node_is_refused() {
    use crate::engine::equipment::Ground;
    use crate::model::{LinkId, NodeId};
    let scenario = loaded(CROSS).unwrap().scenario;
    let port = scenario.network.links.iter().position(|link| link.name == "x->b").unwrap() as u32;
    let mut ground = Ground {
        network: &scenario.network,
        flows: &[],
        transports: &[],
        paths: &[],
        laid: &[],
        seed: Seed { seed: 1, run: 0 },
        add: &mut |_| 0,
    };
    ground.port(NodeId(0), LinkId(port));
}
