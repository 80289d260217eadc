//! The example kind of host of `docs/guide/add-a-host.md` at work.

use super::World;
use crate::language::Input;
use crate::random::Seed;
use crate::results::{Column, Results};
use crate::scenario::load;
use std::path::Path;

/// An echo of 1000 B lasts 8 us on each of two links of 1 ms: a round trip is 4.032 ms.
const LINE: &str = r#"
node = [{ name = "a" }, { name = "x" }, { name = "b" }]
link = [{ from = "a", to = "x" }, { from = "x", to = "b" }]
link_defaults = { capacity = "1 Gbps", delay = "1 ms" }
transport.ping = { packet_size = 1000 }
run = { duration = "10 s" }
"#;

fn text(more: &str) -> String {
    format!("{LINE}\n[[traffic]]\ntransport = \"ping\"\nfrom = \"a\"\nto = \"b\"\n{more}")
}

fn source(text: &str) -> Input<'_> {
    Input::Text { name: "test.toml", text, folder: Path::new("") }
}

fn run(more: &str) -> Results {
    let loaded = load(source(&text(more)), &[]).unwrap();
    assert_eq!(load(source(&loaded.explain()), &[]).unwrap().explain(), loaded.explain(), "it means the same");
    let mut world = World::build(&loaded.scenario, Seed { seed: 1, run: 0 }, Default::default()).unwrap();
    world.run_until(world.end());
    world.finish().unwrap()
}

/// The first flow's value.
fn first(results: &Results, name: &str) -> f64 {
    match &results.flows.columns.iter().find(|(column, _)| *column == name).unwrap().1 {
        Column::U64(values) => values[0] as f64,
        Column::F64(values) => values[0],
        _ => panic!("{name} is no number"),
    }
}

/// 9 full echoes of 972 B of payload and one of 52 B, which lasts 0.64 us a link.
#[test]
fn echoes_follow_one_another_and_a_lost_one_is_sent_again_after_a_second() {
    let found = run("size = \"8800 B\"\n");
    let took = 9.0 * 4.032e-3 + 4e-3 + 4.0 * 0.64e-6;
    // The last answer is as long as a full echo.
    let longer = took + 2.0 * (8e-6 - 0.64e-6);
    assert_eq!((first(&found, "bytes_acked"), first(&found, "segments_sent")), (8800.0, 10.0));
    assert!((first(&found, "end_s") - longer).abs() < 1e-9, "{} {longer}", first(&found, "end_s"));
    let lost = run("size = \"8800 B\"\n[[force]]\nflow = 0\nsegment = 3\naction = \"drop\"\n");
    assert_eq!((first(&lost, "bytes_acked"), first(&lost, "timeouts")), (8800.0, 1.0));
    assert!((first(&lost, "end_s") - longer - 1.0).abs() < 1e-9);
}

/// Applications stand above any kind of host: two echoes a response, and a millisecond between responses.
#[test]
fn an_application_writes_to_hosts_that_it_does_not_know() {
    let think = "think = { law = \"constant\", mean = \"1 ms\" }";
    let found = run(&format!("application = {{ kind = \"request-response\", response = \"1944 B\", {think} }}\n"));
    let responses: f64 = 10.0 / (2.0 * 4.032e-3 + 1e-3);
    assert!((first(&found, "bytes_acked") / 1944.0 - responses).abs() <= 1.0, "{}", first(&found, "bytes_acked"));
}

#[test]
fn bad_keys_are_told_with_what_is_allowed() {
    for (key, told) in [
        ("ack_size = \"40 B\"", "an echo is as long as what it answers; allowed: 1500 B"),
        (
            "min_rto = \"1 s\"",
            "the key \"min_rto\" is for TCP; allowed with algorithm = \"ping\": packet_size, header, ack_size",
        ),
    ] {
        let text = text("").replace("packet_size = 1000", key);
        assert!(load(source(&text), &[]).unwrap_err().to_string().contains(told), "{key}");
    }
}

/// The guide shows this kind of host as it is.
#[test]
fn the_guide_shows_all_of_it() {
    let guide = include_str!("../../../../docs/guide/add-a-host.md");
    let code = include_str!("../hosts/ping/mod.rs");
    assert!(code.lines().count() <= 200);
    assert!(guide.contains(&format!("```rust\n{code}```\n")), "docs/guide/add-a-host.md shows another text");
}
