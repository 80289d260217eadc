//! What the tables say of packets adds up, for every kind of switching: what is dropped in the table of drops, at the
//! links and in the summary; what is offered, carried, dropped and held; queues and their buffers. `CASES` and `SEED`
//! in the environment ask for more runs, and for others.

use crate::support::{Dice, figure, numbers, texts};
use sim::SimTime;
use sim::engine::Options;
use sim::model::{Buffer, Change, Network};
use sim::random::Seed;
use sim::results::{Results, Table};
use sim::scenario::{Input, Scenario, load};
use sim::study::World;
use std::collections::BTreeMap;
use std::path::Path;

/// Runs unless `CASES` says otherwise.
const CASES: u64 = 60;

/// A network, and the values that its keys may have instead; `+` adds tables.
struct Base {
    name: &'static str,
    text: &'static str,
    choices: &'static [(&'static str, &'static [&'static str])],
}

const BUFFERS: &[&str] =
    &["\"0 packets\"", "\"2 packets\"", "\"7 packets\"", "\"20 packets\"", "\"9 kB\"", "\"unlimited\""];
const QUEUES: &[&str] = &[
    "{ kind = \"red\" }",
    "{ kind = \"step\" }",
    "{ kind = \"codel\" }",
    "{ kind = \"fq-codel\" }",
    "{ kind = \"pie\" }",
    "{ kind = \"dualpi2\" }",
    "{ kind = \"drr\" }",
    "{ kind = \"priority\" }",
    "{ kind = \"ndp\" }",
    "{ kind = \"abc\" }",
];
const LOSSES: &[&str] = &["0.01", "0.2"];
const LAWS: &[&str] = &["\"sack\"", "\"dctcp\"", "\"xcp\"", "\"ndp\"", "\"hpcc\"", "\"udp\""];

const BASES: &[Base] = &[
    Base {
        name: "packets",
        text: r#"
            run = { duration = "300 ms" }
            topology = { kind = "dumbbell", pairs = 3, bottleneck_capacity = "10 Mbps", bottleneck_delay = "3 ms",
                bottleneck_buffer = "12 packets", access_capacity = "50 Mbps" }
            traffic = [{ transport = "sack", flows = 3 },
                { transport = "udp", from = "l0", to = "r1", rate = "2 Mbps" }]
            link_defaults = {}
        "#,
        choices: &[
            ("topology.bottleneck_buffer", BUFFERS),
            ("link_defaults.buffer", BUFFERS),
            ("link_defaults.queue", QUEUES),
            ("link_defaults.loss", LOSSES),
            ("link_defaults.xcp", &["{}"]),
            ("traffic.0.transport", LAWS),
            ("transport.sack", &["{ limit_output = \"20 kB\" }"]),
            ("traffic.0.size", &["\"40 kB\""]),
            ("traffic.0.spread", &["\"50 ms\""]),
            ("+", CHANGES),
        ],
    },
    Base {
        name: "trimming",
        text: r#"
            run = { duration = "3 ms" }
            topology = { kind = "leaf-spine", leaves = 3, spines = 2, hosts = 3, host_capacity = "10 Gbps",
                routing = "spray" }
            link_defaults = { buffer = "unlimited", queue = { kind = "ndp" } }
            traffic = [{ transport = "ndp", to = "h0", arrivals = "incast", size = "100 kB" }]
        "#,
        choices: &[
            ("link_defaults.buffer", BUFFERS),
            ("link_defaults.queue.overflow", &["\"drop\""]),
            ("link_defaults.queue.trims", &["\"arriving\""]),
            ("link_defaults.queue.data", &["\"2 packets\"", "\"1000 B\"", "\"1000 packets\""]),
            ("link_defaults.loss", LOSSES),
            ("topology.routing", &["\"ecmp\"", "\"flowlet\""]),
            ("traffic.0.transport", LAWS),
        ],
    },
    Base {
        name: "racks",
        text: include_str!("../../../fuzz/seeds/circuits.toml"),
        choices: &[
            ("switching.day_end", &["\"cut\"", "\"cut\"", "\"hold\""]),
            ("switching.lead", &["\"10 us\""]),
            ("switching.in_day", &["\"circuit\""]),
            ("switching.buffer", BUFFERS),
            ("topology.buffer", BUFFERS),
            ("traffic.0.pairs", &["\"random\"", "\"permutation\""]),
            ("traffic.0.transport", LAWS),
            ("link_defaults.loss", LOSSES),
            ("link_defaults.host", &["{ queue = { kind = \"drr\" } }", "{ loss = 0.1 }"]),
        ],
    },
    Base {
        name: "rotor",
        text: include_str!("../../../fuzz/seeds/rotor.toml"),
        choices: &[
            ("switching.queues", &["\"racks\""]),
            ("switching.buffer", BUFFERS),
            ("topology.buffer", BUFFERS),
            ("switching.host_room", &["\"9 kB\""]),
            ("traffic.0.pairs", &["\"random\"", "[[\"t3h1\", \"t3h0\"], [\"t3h1\", \"t2h0\"]]", "\"permutation\""]),
            ("traffic.0.flows", &["12", "30"]),
            ("traffic.0.size", &["\"1 MB\"", "\"2 kB\""]),
            ("traffic.0.transport", LAWS),
            ("link_defaults.host", &["{ queue = { kind = \"drr\" } }"]),
            ("topology.host_capacity", &["\"2 Gbps\""]),
        ],
    },
    Base { name: "ocs", text: include_str!("../../../fuzz/seeds/ocs.toml"), choices: OCS },
    Base { name: "ocs-detours", text: include_str!("../../../fuzz/seeds/ocs-detours.toml"), choices: OCS },
    Base { name: "ocs-demand", text: include_str!("../../../fuzz/seeds/ocs-demand.toml"), choices: OCS },
    Base { name: "detours", text: include_str!("../../../fuzz/seeds/rotor-detours.toml"), choices: ROTOR },
    Base { name: "deflection", text: include_str!("../../../fuzz/seeds/obs-deflection.toml"), choices: LIGHT },
    Base { name: "flowlets", text: include_str!("../../../fuzz/seeds/obs-flowlets.toml"), choices: LIGHT },
    Base { name: "segmentation", text: include_str!("../../../fuzz/seeds/obs-segmentation.toml"), choices: LIGHT },
    Base { name: "two paths", text: include_str!("../../../fuzz/seeds/obs-two-paths.toml"), choices: LIGHT },
    Base { name: "dlcc", text: include_str!("../../../fuzz/seeds/ops-dlcc.toml"), choices: LIGHT },
    Base { name: "lines", text: include_str!("../../../fuzz/seeds/ops-lines.toml"), choices: LIGHT },
    Base { name: "macroflows", text: include_str!("../../../fuzz/seeds/ops-macroflows.toml"), choices: LIGHT },
    Base { name: "ram", text: include_str!("../../../fuzz/seeds/ops-ram.toml"), choices: LIGHT },
    Base { name: "slotted", text: include_str!("../../../fuzz/seeds/ops-slotted.toml"), choices: LIGHT },
    Base { name: "computed", text: include_str!("../../../fuzz/seeds/aapn-computed.toml"), choices: LIGHT },
    Base { name: "plan", text: include_str!("../../../fuzz/seeds/aapn-plan.toml"), choices: LIGHT },
    Base { name: "signalled", text: include_str!("../../../fuzz/seeds/aapn-signalled.toml"), choices: LIGHT },
    Base { name: "wavelengths", text: include_str!("../../../fuzz/seeds/aapn-wavelengths.toml"), choices: LIGHT },
];

const ROTOR: &[(&str, &[&str])] = &[
    ("switching.buffer", BUFFERS),
    ("topology.buffer", BUFFERS),
    ("traffic.0.flows", &["12", "30"]),
    ("traffic.0.size", &["\"1 MB\""]),
    ("traffic.0.transport", LAWS),
    ("link_defaults.loss", LOSSES),
];

const LIGHT: &[(&str, &[&str])] = &[
    ("run.duration", &["\"0.4 s\""]),
    ("link_defaults.loss", LOSSES),
    ("link_defaults.buffer", BUFFERS),
    ("link_defaults.edge", &["{ buffer = \"5 packets\" }"]),
    ("link_defaults.host", &["{ buffer = \"5 packets\" }", "{ queue = { kind = \"drr\" } }"]),
    ("traffic.0.transport", LAWS),
    ("traffic.0.size", &["\"40 kB\""]),
];

const CHANGES: &[&str] = &[
    r#"
    [[link_phases]]
    link = "left-right"
    mid_packet = "cut"
    phases = [{ duration = "7 ms", capacity = "30 Mbps" }, { duration = "5 ms", capacity = "0 bps" }]
    "#,
    r#"
    [[link_phases]]
    link = "left-right"
    mid_packet = "finish"
    phases = [{ duration = "7 ms", delay = "1 ms" }, { duration = "5 ms", state = "down" }]
    "#,
    r#"
    [[link_phases]]
    link = "left->right"
    phases = [{ duration = "7 ms", capacity = "3 Mbps", delay = "9 ms" },
        { duration = "5 ms", buffer = "2 packets", delay = "1 ms" }]
    "#,
    r#"
    [[link]]
    from = "left"
    to = "right"
    jitter = "2 ms"
    jitter_order = "free"
    "#,
    r#"
    [[link]]
    from = "left"
    to = "right"
    jitter = "2 ms"
    [[event]]
    at = "99 ms"
    link = "left-right"
    state = "down"
    "#,
    r#"
    [[event]]
    at = "33 ms"
    link = "left-right"
    state = "down"
    [[event]]
    at = "60 ms"
    link = "left-right"
    state = "up"
    "#,
    r#"
    [[link_trace]]
    link = "left-right"
    format = "delivery"
    file = "../../crates/sim/tests/support/delivery.trace"
    "#,
];

const OCS: &[(&str, &[&str])] = &[
    ("switching.buffer", BUFFERS),
    ("switching.dark", &["\"switch\"", "\"ports\""]),
    ("switching.start", &["\"cold\"", "\"warm\""]),
    ("switching.rest", &["\"wait\"", "\"detour\"", "\"packets\""]),
    ("switching.reconfiguration", &["\"10 ns\"", "\"200 us\""]),
    ("traffic.0.transport", LAWS),
];

/// Keys that are always asked for, besides those that are drawn.
const ALWAYS: &[(&str, &[(&str, &str)])] = &[
    (
        "racks",
        &[("switching.day_end", "\"cut\""), ("topology.circuit_capacity", "\"12 Gbps\""), ("traffic.0.flows", "24")],
    ),
    ("rotor", &[("topology.buffer", "\"7 packets\""), ("traffic.0.pairs", "[[\"t3h1\", \"t3h0\"]]")]),
    ("rotor", &[("topology.buffer", "\"7 packets\""), ("link_defaults.host", "{ queue = { kind = \"drr\" } }")]),
    ("trimming", &[("link_defaults.queue.overflow", "\"drop\""), ("link_defaults.buffer", "\"12 packets\"")]),
    ("deflection", &[("link_defaults.loss", "0.05")]),
    ("segmentation", &[("link_defaults.loss", "0.05")]),
    ("dlcc", &[("link_defaults.edge", "{ buffer = \"5 packets\" }")]),
];

/// A scenario with some of its keys exchanged, and which; nothing if they do not go together.
fn scenario(base: &Base, always: &[(&str, &str)], dice: &mut Dice) -> (Option<Scenario>, Vec<String>) {
    let (mut text, mut keys) = (base.text.to_owned(), keys_of(always));
    // Enough for what goes round.
    if base.text.contains("duration = \"1 s\"") {
        keys.insert(0, ("run.duration".to_owned(), "\"0.2 s\"".to_owned()));
    }
    let drawn = if always.is_empty() { dice.place(4) } else { 0 };
    for _ in 0..drawn {
        let (path, values) = base.choices[dice.place(base.choices.len())];
        let value = values[dice.place(values.len())];
        match path {
            "+" => text = format!("{text}\n{value}"),
            _ => keys.push((path.to_owned(), value.to_owned())),
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let loaded = load(Input::Text { name: "conservation.toml", text: &text, folder: &root }, &keys);
    let said = keys.into_iter().map(|(path, value)| format!("{path} = {value}"));
    (loaded.ok().map(|loaded| loaded.scenario), said.chain([text[base.text.len()..].to_owned()]).collect())
}

fn keys_of(keys: &[(&str, &str)]) -> Vec<(String, String)> {
    keys.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect()
}

/// The base of a case: those with keys that are always asked for, then all in turn.
fn asked_of(case: usize) -> (&'static Base, &'static [(&'static str, &'static str)]) {
    match ALWAYS.get(case) {
        Some((name, keys)) => (BASES.iter().find(|base| base.name == *name).unwrap(), keys),
        None => (&BASES[case % BASES.len()], &[]),
    }
}

fn asked(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn tables_add_up_and_queues_fit_their_buffers() {
    let (mut dice, mut failures, mut ran) = (Dice(asked("SEED", 1)), Vec::new(), 0);
    let cases = asked("CASES", CASES);
    for case in 0..cases {
        let (base, always) = asked_of(case as usize);
        let (Some(scenario), said) = scenario(base, always, &mut dice) else {
            assert!(always.is_empty(), "{} {always:?} is refused", base.name);
            continue;
        };
        let Ok(mut world) = World::build(&scenario, Seed { seed: case, run: 0 }, Options::default()) else { continue };
        world.run_until(SimTime::NEVER);
        let run = world.finish().unwrap();
        ran += 1;
        let wrong = wrong(base.name, &scenario, &run);
        assert!(
            base.name != "racks" || always.is_empty() || texts(&run.drops, "cause").contains(&"guard violation".into())
        );
        failures.extend(wrong.into_iter().map(|what| format!("{} {said:?} seed {case}: {what}", base.name)));
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    // Otherwise little is shown: some keys do not go together.
    assert!(ran * 2 > cases, "{ran} of {cases} ran");
}

/// By which rows of the table of drops belong to which of the table of links.
fn row_of(link: &str, class: &str, with_units: bool) -> (String, String) {
    let class = match class {
        "all" if with_units => "packets in units",
        "control" if with_units => "control",
        "data" | "ack" | "datagram" if with_units => "packets in units",
        "data" | "ack" | "datagram" | "control" | "all" => "all",
        unit => unit,
    };
    (link.to_owned(), class.to_owned())
}

/// Units and bits that were dropped, and those of them that had been transmitted.
type Dropped = [f64; 3];

fn dropped(drops: &Table, is_with_units: impl Fn(&str) -> bool) -> BTreeMap<(String, String), Dropped> {
    let (places, classes, causes) = (texts(drops, "where"), texts(drops, "class"), texts(drops, "cause"));
    let (units, bits) = (numbers(drops, "units"), numbers(drops, "bits"));
    let mut sums: BTreeMap<(String, String), Dropped> = BTreeMap::new();
    for row in 0..places.len() {
        let sum = sums.entry(row_of(&places[row], &classes[row], is_with_units(&places[row]))).or_default();
        let was_sent = causes[row] == "random" || causes[row] == "guard violation";
        let more = [units[row], bits[row], if was_sent { units[row] } else { 0.0 }];
        sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    }
    sums
}

/// What does not add up.
fn wrong(kind: &str, scenario: &Scenario, run: &Results) -> Vec<String> {
    let (links, classes) = (texts(&run.links, "link"), texts(&run.links, "class"));
    let column = |name| numbers(&run.links, name);
    let [offered, carried, lost] = ["offered_units", "carried_units", "dropped_units"].map(column);
    let (lost_bits, most) = (column("dropped_bits"), column("max_queue"));
    let units: Vec<&String> = links
        .iter()
        .zip(&classes)
        .filter(|(_, class)| !["all", "control"].contains(&class.as_str()))
        .map(|(link, _)| link)
        .collect();
    let mut sums = dropped(&run.drops, |link| units.iter().any(|unit| *unit == link));
    let mut wrong = Vec::new();
    for row in 0..links.len() {
        let (link, class) = (&links[row], &classes[row]);
        let has_units = units.contains(&link);
        let class = if class == "control" && !has_units { "all" } else { class.as_str() };
        let of_drops = sums.remove(&(link.clone(), class.to_owned())).unwrap_or_default();
        if [of_drops[0], of_drops[1]] != [lost[row], lost_bits[row]] {
            wrong.push(format!("{link} {class}: {of_drops:?} in drops, {} and {} b here", lost[row], lost_bits[row]));
        }
        // Racks cut a packet before all of it has left.
        let sent = if kind == "racks" { 0.0 } else { of_drops[2] };
        let held = offered[row] - carried[row] - lost[row] + sent;
        if class == "all" && kind != "racks" && !(0.0..=most[row] + 1.0).contains(&held) {
            wrong.push(format!("{link}: {held} held, at most {} waited", most[row]));
        }
        if class == "all"
            && let Some(room) = room(kind, scenario, link)
            && most[row] > room
        {
            wrong.push(format!("{link}: {} waited in a room of {room}", most[row]));
        }
    }
    let nodes: Vec<&str> = scenario.network.nodes.iter().map(|node| node.name.as_str()).collect();
    sums.retain(|(place, class), _| class != "packets in units" && !nodes.contains(&place.as_str()));
    if !sums.is_empty() {
        wrong.push(format!("no link has these drops: {sums:?}"));
    }
    let data: Vec<usize> = (0..links.len()).filter(|row| classes[*row] != "control").collect();
    let total = |of: &[f64]| data.iter().map(|row| of[*row]).sum::<f64>();
    for (name, of) in [("offered_packets", &offered), ("carried_packets", &carried), ("dropped_packets", &lost)] {
        if figure(run, name) != total(of) {
            wrong.push(format!("{name} {} of {}", figure(run, name), total(of)));
        }
    }
    if total(&offered) > 0.0 && figure(run, "drop_rate") != total(&lost) / total(&offered) {
        wrong.push(format!("drop_rate {}", figure(run, "drop_rate")));
    }
    wrong
}

/// Packets for which a link has room at most, where its buffer is one queue's: not where agents have queues by the
/// node that packets go to, or light no memory.
fn room(kind: &str, scenario: &Scenario, name: &str) -> Option<f64> {
    let network: &Network = &scenario.network;
    let (id, link) = network.links.iter().enumerate().find(|(_, link)| link.name == name)?;
    let is_switch = |node: sim::model::NodeId| {
        let name = network.nodes[node.index()].name.as_str();
        name == "packet" || name == "circuit" || name.starts_with('r') && kind != "packets"
    };
    if kind.starts_with("ocs") {
        return None;
    }
    if ["racks", "rotor", "detours"].contains(&kind) && (is_switch(link.from) || is_switch(link.to)) {
        return None;
    }
    let changed = scenario.changes.iter().filter(|timeline| timeline.link.index() == id);
    let changed = changed.flat_map(|timeline| timeline.steps.iter()).filter_map(|step| match step.change {
        Change::Buffer(buffer) => Some(buffer),
        _ => None,
    });
    // The least packet is an ACK of 40 bytes.
    let packets = |buffer: Buffer| match buffer {
        Buffer::Packets(packets) => packets as f64,
        Buffer::Bytes(bytes) => (bytes.count() / 40) as f64,
        Buffer::Unlimited => f64::INFINITY,
    };
    changed.chain([link.buffer]).map(packets).reduce(f64::max)
}
