//! Links whose delay is a law of time.

use crate::support::{at, refusal, scenario};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;
use std::path::PathBuf;

/// A file with these lines.
fn file(name: &str, lines: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("photocol-law-{}-{name}", std::process::id()));
    std::fs::write(&file, lines).unwrap();
    file
}

/// A delay in microseconds at each of these milliseconds.
fn knots(delay_us: impl Fn(u64) -> u64) -> String {
    let rows = (0..=20).map(|step| format!("{},{}\n", 100 * step, delay_us(step)));
    format!("time_ms,delay_us\n{}", rows.collect::<String>())
}

/// Five hops, two of which have laws; flows both ways, whose queues fill, and a source of datagrams.
fn chain(law: &str, more: &str) -> String {
    let there = file(&format!("{law}-there"), &knots(|step| 9000 - 310 * step));
    let back = file(&format!("{law}-back"), &knots(|step| 2000 + 170 * (step * 7 % 10)));
    format!(
        r#"
        run = {{ duration = "2 s" }}
        node = [
            {{ name = "a" }}, {{ name = "u" }}, {{ name = "v" }}, {{ name = "w" }}, {{ name = "x" }}, {{ name = "b" }},
        ]
        link = [
            {{ from = "a", to = "u", capacity = "100 Mbps", delay = "1 ms", buffer = "20 packets" }},
            {{ from = "u", to = "v", capacity = "20 Mbps", delay = "5 ms", buffer = "20 packets" }},
            {{ from = "v", to = "w", capacity = "100 Mbps", delay = "2 ms", buffer = "20 packets" }},
            {{ from = "w", to = "x", capacity = "20 Mbps", delay = "3 ms", buffer = "20 packets" }},
            {{ from = "x", to = "b", capacity = "100 Mbps", delay = "1 ms", buffer = "20 packets" }},
        ]
        link_trace = [
            {{ link = "u->v", file = "{}", delay_law = "{law}" }},
            {{ link = ["v->u", "w-x"], file = "{}", delay_law = "{law}", period = "2.05 s" }},
        ]
        transport = {{ udp = {{ packet_size = "300 B" }} }}
        traffic = [
            {{ transport = "sack", from = "a", to = "b", flows = 3, spread = "0.1 s" }},
            {{ transport = "cubic", from = "b", to = "a", flows = 2 }},
            {{ transport = "udp", from = "a", to = "b", load = "constant", rate = "2 Mbps" }},
        ]
        {more}
        "#,
        there.display(),
        back.display(),
    )
}

fn on_threads(text: &str, threads: usize) -> Results {
    let mut world = World::build(&scenario(text), Seed { seed: 3, run: 0 }, Options::default()).unwrap();
    world.use_threads(threads);
    if threads > 1 {
        let of_node: Vec<u32> = (0..6).map(|node| node % threads.min(6) as u32).collect();
        world.migrate(&of_node);
    }
    world.run_until(SimTime::NEVER);
    world.finish().unwrap()
}

#[test]
fn a_law_is_the_same_bits_on_any_number_of_threads() {
    for law in ["steps", "linear"] {
        let more = r#"event = [{ at = "0.7 s", link = "u->v", capacity = "9 Mbps" }]
            trace = { enabled = true }
            probe = { interval = "10 ms", flows = "all", links = "all" }"#;
        let text = chain(law, more);
        let alone = on_threads(&text, 1);
        assert!(at(&alone.links, "link", "u->v", "carried_units") > 1000.0);
        for threads in [2, 5] {
            assert!(format!("{:?}", on_threads(&text, threads)) == format!("{alone:?}"), "{law}, {threads} threads");
        }
    }
}

/// A law is no change: two hundred knots are no more turns of the engine than one, with the delay that stays.
#[test]
fn a_law_lists_nothing() {
    let rows: String = (0..200).map(|step| format!("{},5000\n", 10 * step)).collect();
    let [one, many] = [("one", "0,5000\n"), ("many", &rows)].map(|(name, rows)| {
        let file = file(name, &format!("time_ms,delay_us\n{rows}"));
        let text = format!(
            r#"
            run = {{ duration = "2 s" }}
            link = [{{ from = "a", to = "b", capacity = "10 Mbps", delay = "5 ms", buffer = "20 packets" }}]
            link_trace = [{{ link = "a-b", file = "{}", delay_law = "linear" }}]
            traffic = [{{ transport = "cubic", from = "a", to = "b" }}]
            "#,
            file.display()
        );
        let mut world = World::build(&scenario(&text), Seed { seed: 3, run: 0 }, Options::default()).unwrap();
        let mut turns = 0;
        while world.now() < world.end() {
            world.run_on(SimTime::NEVER, 1);
            turns += 1;
        }
        (turns, world.events())
    });
    assert_eq!(one, many);
}

#[test]
fn a_wrong_law_is_refused_where_it_stands() {
    let text = |file: &PathBuf, more: &str| {
        format!(
            r#"
            run = {{ duration = "2 s" }}
            link = [{{ from = "a", to = "b", capacity = "10 Mbps", delay = "5 ms" }}]
            link_trace = [{{ link = "a-b", file = "{}", {more} }}]
            traffic = [{{ transport = "cubic", from = "a", to = "b" }}]
            "#,
            file.display()
        )
    };
    let said = |lines: &str, more: &str| {
        let file = file("wrong", lines);
        let said = refusal(&text(&file, more), &[]);
        said.replace(&file.display().to_string(), "FILE")
    };
    let late = said("time_ms,delay_ms\n5,1\n", r#"delay_law = "steps""#);
    assert!(
        late.contains("link_trace.0.file: the first delay is that of \"5 ms\"; allowed: one at 0, where"),
        "{late}"
    );
    let none = said("time_ms,loss\n0,0.1\n", r#"delay_law = "steps""#);
    assert!(none.contains("delay_law: \"FILE\" has no delays; allowed: a column delay_ms"), "{none}");
    let other = said("1\n2\n", r#"delay_law = "steps", format = "delivery""#);
    assert!(other.contains("goes with format = \"csv\" and \"delay\""), "{other}");
    let file = file("twice", "time_ms,delay_ms\n0,1\n");
    let event = format!(
        "{}\nevent = [{{ at = \"1 s\", link = \"a->b\", delay = \"1 ms\" }}]",
        text(&file, "delay_law = \"steps\"")
    );
    assert!(
        refusal(&event, &[]).contains("the delay of \"a->b\" has phases or a trace already"),
        "{}",
        refusal(&event, &[])
    );
}
