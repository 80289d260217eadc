//! The example property of `docs/guide/add-a-link-property.md` at work: a link that duplicates packets.

use super::World;
use crate::language::Input;
use crate::model::{Change, LinkId, Step, Timeline};
use crate::random::Seed;
use crate::results::Results;
use crate::scenario::{Scenario, load};
use options::Value;
use std::path::Path;
use units::Duration;

/// A packet of 1000 B each millisecond for ten seconds; it lasts 10 us.
const LINE: &str = r#"
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "a", to = "b", capacity = "800 Mbps", delay = "5 ms" }]
transport.udp = { algorithm = "udp", packet_size = 1000 }
run = { duration = "10 s" }
traffic = [{ transport = "udp", from = "a", to = "b", rate = "8 Mbps" }]
"#;

/// A user's scenario could not say this: no table has the keys of the example.
fn scenario(text: &str, p: f64) -> Scenario {
    let mut scenario = load(Input::Text { name: "test.toml", text, folder: Path::new("") }, &[]).unwrap().scenario;
    scenario.model.network.links[0].properties.duplicates.duplicates = p;
    scenario
}

fn run(scenario: &Scenario, threads: usize) -> Results {
    let mut world = World::build(scenario, Seed { seed: 1, run: 0 }, Default::default()).unwrap();
    world.use_threads(threads);
    world.run_until(world.end());
    world.finish().unwrap()
}

fn figure(run: &Results, name: &str) -> f64 {
    run.summary.iter().find(|figure| figure.name == name).map(|figure| figure.value).unwrap()
}

/// 10 000 packets, of which a quarter comes twice, within four standard deviations, √(10⁴ · 3/16) = 43; none is lost.
#[test]
fn a_quarter_comes_twice() {
    let run = run(&scenario(LINE, 0.25), 1);
    let carried = figure(&run, "packet_hops");
    assert!((carried - 12_500.0).abs() < 4.0 * 43.0, "{carried}");
    assert_eq!(figure(&run, "dropped_packets"), 0.0);
}

/// From the fifth second on every packet comes twice: 5000 and 2 · 5000.
#[test]
fn it_changes_in_time() {
    let mut scenario = scenario(LINE, 0.0);
    let step = Step { after: Duration::from_secs(5), change: Change::Property("duplicates", Value::Number(1.0)) };
    scenario.model.changes.push(Timeline { link: LinkId(0), steps: [step].into(), period: None });
    let carried = figure(&run(&scenario, 1), "packet_hops");
    assert!((carried - 15_000.0).abs() <= 2.0, "{carried}");
}

/// TCP's segments and ACKs with their options, copies that find no room, and the same on two threads.
#[test]
fn what_packets_carry_is_carried_twice() {
    let text = LINE.replace("delay = \"5 ms\"", "delay = \"5 ms\", buffer = \"5 packets\"");
    let text = text.replace("transport.udp = { algorithm = \"udp\", packet_size = 1000 }\n", "");
    let text = text.replace("transport = \"udp\"", "transport = \"sack\"").replace(", rate = \"8 Mbps\"", "");
    let scenario = scenario(&text, 0.5);
    let [one, two] = [1, 2].map(|threads| run(&scenario, threads));
    assert_eq!((one.fingerprint, &one.summary), (two.fingerprint, &two.summary));
    assert!(figure(&one, "dropped_packets") > 0.0 && figure(&one, "goodput") > 1e6);
}

#[test]
fn no_user_has_its_key() {
    assert!(crate::links::key("duplicates").is_none());
}

/// The guide shows this property as it is.
#[test]
fn the_guide_shows_all_of_it() {
    let guide = include_str!("../../../../docs/guide/add-a-link-property.md");
    let code = include_str!("../links/duplicates.rs");
    assert!(guide.contains(&format!("```rust\n{code}```\n")), "docs/guide/add-a-link-property.md shows another text");
}
