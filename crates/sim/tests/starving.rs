//! XCP-CL over the simulated signalling protocol, against the fixed points of the model "grant-loop": the setting of
//! paper 003 (figure 3.8 and chapter 5), ten greedy flows for each of three pairs that share nothing.

use crate::support::{Builder, Dice, figure, numbers, texts};
use analytic::grant_loop::{Inputs, Outputs, evaluate};
use sim::results::Results;

const SCENARIO: &str = r#"
[run]
duration = "60 s"
warm_up = "30 s"
[topology]
kind = "aapn-star"
edges = 6
capacity = "45 Mbps"
delay = "1 ms"
buffer = "100 packets"
[switching]
kind = "aapn"
slots = 18
slot_time = "200 us"
guard = "20 us"
scheduler = "bvn"
protocol = "simulated"
request = "queue"
signal = { frames = 10 }
[link_defaults]
capacity = "45 Mbps"
[link_defaults.edge]
xcp = {}
[transport.xcp]
packet_size = 1000
[[traffic]]
name = "a"
transport = "xcp"
pairs = [["e0","e1"],["e2","e3"],["e4","e5"]]
flows = 30
spread = "1 s"
"#;

/// The payload of a packet of 1000 B: 60 B are headers.
const PAYLOAD: f64 = 0.94;

fn with(keys: &[(&str, &str)]) -> Results {
    keys.iter().fold(Builder::of(SCENARIO), |builder, (key, value)| builder.set(key, value)).run(1)
}

fn model(inputs: Inputs) -> Outputs {
    evaluate(&inputs).unwrap()
}

/// What three pairs of this rate deliver.
fn delivered(rate_bps: f64) -> f64 {
    3.0 * PAYLOAD * rate_bps
}

/// The issue's target: 75 of the 76.1 Mb/s that 81 Mb/s of data slots deliver, with a small queue.
#[test]
fn by_default_the_data_slots_are_used_with_a_small_queue() {
    for seed in 1..=3 {
        let run = Builder::of(SCENARIO).run(seed);
        let goodput = figure(&run, "goodput");
        assert!(goodput >= 75e6 && goodput <= 1.005 * delivered(model(Inputs::default()).asking_rate_bps), "{goodput}");
        assert_eq!(figure(&run, "dropped_packets"), 0.0);
        assert!(figure(&run, "max_queue") < 30.0, "a frame brings 12 packets");
    }
}

/// Over fibres of 30 ms SACK has 5.5 to 11.8 Mb/s by the letter.
#[test]
fn long_fibres_do_not_starve_either() {
    let run = with(&[("topology.delay", "30 ms")]);
    assert!(figure(&run, "goodput") > 70e6, "{}", figure(&run, "goodput"));
    assert_eq!(figure(&run, "dropped_packets"), 0.0);
}

/// By the letter every flow is left with a packet a round trip, in which data and ACKs wait for their grants.
#[test]
fn by_the_letter_a_flow_is_left_with_a_packet_a_round_trip() {
    // Told of each frame: with the mean of ten it takes two minutes.
    let run = with(&[("switching.spare_slots", "idle"), ("switching.signal.frames", "1")]);
    let expected = model(Inputs::default());
    let rtts = numbers(&run.flows, "mean_rtt_s");
    let rtt = rtts.iter().sum::<f64>() / rtts.len() as f64;
    assert!((rtt / expected.literal_rtt_s - 1.0).abs() < 0.07, "{rtt} for {} s", expected.literal_rtt_s);
    let (goodput, smallest) = (figure(&run, "goodput"), delivered(expected.literal_rate_bps));
    assert!((goodput / smallest - 1.0).abs() < 0.1, "{goodput} for {smallest} b/s");
}

#[test]
fn a_floor_and_a_share_of_all_pairs_are_fixed_points() {
    let floor = |slots: f64| model(Inputs { floor: slots, ..Inputs::default() }).floor_rate_bps;
    let idle = ("switching.spare_slots", "idle");
    let cases = [
        (with(&[idle, ("switching.floor", "4")]), floor(4.0)),
        (with(&[idle, ("switching.floor", "6")]), floor(6.0)),
        (with(&[("switching.spare_slots", "all")]), model(Inputs::default()).all_rate_bps),
    ];
    for (run, rate) in cases {
        let goodput = figure(&run, "goodput");
        assert!((goodput / delivered(rate) - 1.0).abs() < 0.07, "{goodput} for {}", delivered(rate));
    }
}

/// Requests of a rate: what arrives in a frame, rounded up to slots, is granted in every frame.
#[test]
fn requests_of_a_rate_do_not_starve_by_themselves() {
    let rate = ("switching.request_means", "rate");
    let run = with(&[("switching.spare_slots", "idle"), ("switching.request", "smoothed"), rate]);
    assert!(figure(&run, "goodput") > 70e6, "{}", figure(&run, "goodput"));
}

/// A probe of twice what the model needs, on top of a mean of what arrives.
#[test]
fn probing_upward_fills_the_slots() {
    let probe = 2.0 * model(Inputs::default()).probe_needed;
    let keys = [("switching.spare_slots", "idle"), ("switching.request", "smoothed")];
    let run = keys.iter().fold(Builder::of(SCENARIO), |builder, (key, value)| builder.set(key, value));
    let run = run.set("switching.probe", format!("{probe:.3}")).run(1);
    assert!(figure(&run, "goodput") > 70e6, "{}", figure(&run, "goodput"));
}

/// What `check` says of a scenario besides its results.
fn notes(text: &str, keys: &[(&str, &str)]) -> String {
    let keys: Vec<_> = keys.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let source = sim::scenario::Input::Text { name: "a", text, folder: std::path::Path::new(".") };
    sim::scenario::load(source, &keys).unwrap().notes().join("\n")
}

#[test]
fn check_says_which_remedy_is_on() {
    assert!(notes(SCENARIO, &[]).contains("kept from starving by spare_slots = \"using\""));
    assert!(notes(SCENARIO, &[("switching.spare_slots", "idle")]).contains("starve"));
    assert_eq!(notes(SCENARIO, &[("link_defaults.edge.xcp.follows", "false")]), "");
}

/// By "asking" one of three queues has a third of 12 slots, and one of two a half, one that carries ACKs among them; of
/// all five queues of a node each has a fifth. The rest of the others' use is by hand: 200 kb/s are 0.06 packets of
/// 1500 bytes a frame, which touch two slots each; an ACK of 60 bytes for each packet of 1000 in 12 slots 0.72.
#[test]
fn check_says_what_a_pattern_costs() {
    let greedy = |pairs: &str| {
        network(6, "XCP-CL", ["12 s", "30 s"]).0 + &format!("[[traffic]]\ntransport = \"xcp\"\npairs = {pairs}\n")
    };
    let asking = [("switching.spare_slots", "asking")];
    let trickles = greedy("[[\"e0\",\"e1\"]]") + TRICKLES;
    let said = "\"e0->e1\" has about 4.0 of the 12 data slots of a frame, where the use of others leaves it 11.8";
    assert!(notes(&trickles, &asking).contains(said), "{}", notes(&trickles, &asking));
    let ring = greedy("[[\"e0\",\"e1\"],[\"e1\",\"e2\"],[\"e2\",\"e0\"]]");
    let said = notes(&ring, &asking);
    assert!(said.contains("has about 6.0 of the 12 data slots") && said.contains("leaves it 11.3"), "{said}");
    assert!(notes(&ring, &[("switching.spare_slots", "all")]).contains("has about 2.4 of"));
    for text in [&trickles, &ring] {
        assert!(!notes(text, &[]).contains("has about"), "{}", notes(text, &[]));
    }
}

/// The model's rest, and "check" beside it, where constant rates of packets that fill a slot each leave it. Of what it
/// is told a greedy queue uses 0.97.
#[test]
fn beside_constant_rates_a_greedy_queue_has_the_models_rest() {
    for (pairs, mbps) in [(1, 12.0), (3, 4.5), (3, 3.0), (4, 2.2), (3, 1.0)] {
        let (text, law) = network(6, "XCP-CL", ["12 s", "30 s"]);
        let mut text = text + "[transport.udp]\npacket_size = 1000\n[[traffic]]\nname = \"g\"\n";
        text += &format!("transport = \"{law}\"\npairs = [[\"e0\",\"e1\"]]\nflows = 10\nspread = \"1 s\"\n");
        for node in 2..2 + pairs {
            text += "[[traffic]]\ntransport = \"udp\"\nfrom = \"e0\"\n";
            text += &format!("to = \"e{node}\"\nrate = \"{mbps} Mbps\"\n");
        }
        let light = mbps * 3600.0 / 8000.0;
        let inputs = Inputs { asking: f64::from(pairs + 1), light, ..Inputs::default() };
        let expected = PAYLOAD * 0.97 * model(inputs).using_rate_bps;
        let found = goodput_of(&Builder::of(text).run(1), "g");
        assert!((found / expected - 1.0).abs() < 0.05, "{pairs} of {mbps} Mb/s: {found} for {expected} b/s");
    }
}

#[test]
fn what_a_remedy_cannot_be_is_refused_with_the_range() {
    let refused = |key: &str, value: &str| {
        let keys = [(format!("switching.{key}"), value.to_owned())];
        let source = sim::scenario::Input::Text { name: "a", text: SCENARIO, folder: std::path::Path::new(".") };
        sim::scenario::load(source, &keys).unwrap_err().to_string()
    };
    for (key, value, allowed) in [
        ("probe", "-0.1", "0 to 10 (times what is asked for)"),
        ("floor", "2000000", "0 to 1048576"),
        ("request_means", "speed", "backlog, rate"),
        ("spare_slots", "some", "all, asking, using, idle"),
        ("idle_timeout", "2 h", "at most"),
    ] {
        let why = refused(key, value);
        assert!(why.contains(allowed), "{key} = {value}: {why}");
    }
    let known = Builder::of(SCENARIO.replace("\"simulated\"", "\"known\"")).set("switching.floor", 2);
    let why = std::panic::catch_unwind(|| known.text()).unwrap_err();
    let why = why.downcast_ref::<String>().unwrap();
    assert!(why.contains("goes with protocol = \"simulated\""), "{why}");
}

/// Who sends to whom over how many nodes, besides what else is in the network.
struct Pattern {
    name: &'static str,
    nodes: usize,
    pairs: Vec<(usize, usize)>,
    /// Tables of a scenario.
    more: &'static str,
    keys: &'static [(&'static str, &'static str)],
}

const TRICKLES: &str = r#"[[traffic]]
name = "t"
transport = "udp"
pairs = [["e0","e2"],["e0","e3"]]
flows = 2
rate = "200 kbps"
"#;
const HALF: &str = r#"[[traffic]]
name = "t"
transport = "udp"
pairs = [["e0","e2"]]
flows = 1
rate = "12 Mbps"
"#;
const FILES: &str = r#"[[traffic]]
name = "t"
transport = "SENDER"
pairs = [["e2","e0"],["e3","e0"],["e4","e0"],["e5","e0"]]
arrivals = "poisson"
mean_gap = "100 ms"
size = "10 kB"
"#;

/// So many different pairs.
fn at_random(nodes: usize, count: usize) -> Vec<(usize, usize)> {
    let mut dice = Dice(nodes as u64);
    let mut pairs = Vec::new();
    while pairs.len() < count {
        let pair = (dice.place(nodes), dice.place(nodes));
        if pair.0 != pair.1 && !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}

fn patterns() -> Vec<Pattern> {
    let all = |nodes: usize| -> Vec<(usize, usize)> {
        (0..nodes).flat_map(|from| (0..nodes).filter(move |to| *to != from).map(move |to| (from, to))).collect()
    };
    let plain = |name, nodes, pairs| Pattern { name, nodes, pairs, more: "", keys: &[] };
    let beside = |name, more| Pattern { more, ..plain(name, 6, vec![(0, 1)]) };
    vec![
        plain("ring", 3, vec![(0, 1), (1, 2), (2, 0)]),
        plain("chain", 6, (0..5).map(|node| (node, node + 1)).collect()),
        plain("both ways", 2, all(2)),
        plain("all to all", 6, all(6)),
        plain("one to all", 6, (1..6).map(|to| (0, to)).collect()),
        beside("trickles", TRICKLES),
        beside("half of a frame", HALF),
        beside("ACKs of short files", FILES),
        Pattern {
            keys: &[("topology.cores", "2"), ("switching.signalling", "out-of-band")],
            ..plain("a ring over two cores", 3, vec![(0, 1), (1, 2), (2, 0)])
        },
        Pattern {
            keys: &[("topology.delay", "30 ms"), ("run.duration", "60 s"), ("run.warm_up", "30 s")],
            ..plain("a long ring", 3, vec![(0, 1), (1, 2), (2, 0)])
        },
        Pattern {
            keys: &[("switching.slots", "21"), ("run.duration", "20 s")],
            ..plain("pairs at random", 9, at_random(9, 10))
        },
        Pattern {
            keys: &[("switching.slots", "28"), ("run.duration", "20 s")],
            ..plain("more of them", 16, at_random(16, 12))
        },
        Pattern {
            keys: &[("switching.slots", "24"), ("topology.cores", "2"), ("run.duration", "20 s")],
            ..plain("a ring of twelve over two cores", 12, (0..12).map(|node| (node, (node + 1) % 12)).collect())
        },
    ]
}

/// The scenario without its traffic for so many nodes and a sender, measured from a time to another; the sender's law.
fn network(nodes: usize, sender: &str, measured: [&str; 2]) -> (String, &'static str) {
    let edge = match sender {
        "XCP-CL" => "[link_defaults.edge]\nxcp = {}\n",
        "XCP" => "[link_defaults.edge]\nxcp = { follows = false }\n",
        _ => "",
    };
    let law = if sender == "SACK" { "sack" } else { "xcp" };
    let (head, _) = SCENARIO.split_once("[link_defaults.edge]").unwrap();
    let mut text = head.replace("edges = 6", &format!("edges = {nodes}"));
    for (key, old, new) in [("duration", "60 s", measured[1]), ("warm_up", "30 s", measured[0])] {
        text = text.replace(&format!("{key} = \"{old}\""), &format!("{key} = \"{new}\""));
    }
    (text + edge + &format!("[transport.{law}]\npacket_size = 1000\n"), law)
}

/// The goodput of the flows of a traffic.
fn goodput_of(run: &Results, traffic: &str) -> f64 {
    let (names, rates) = (texts(&run.flows, "traffic"), numbers(&run.flows, "goodput_bps"));
    names.iter().zip(rates).filter(|(name, _)| *name == traffic).map(|(_, rate)| rate).sum()
}

/// The goodput of each pair of a pattern, in the order of its pairs.
fn goodputs(pattern: &Pattern, sender: &str, protocol: &str) -> Vec<f64> {
    let (text, law) = network(pattern.nodes, sender, ["12 s", "30 s"]);
    let mut text = text.replace("\"simulated\"", &format!("\"{protocol}\""));
    for (from, to) in &pattern.pairs {
        text += &format!("[[traffic]]\nname = \"g{from}{to}\"\ntransport = \"{law}\"\n");
        text += &format!("pairs = [[\"e{from}\",\"e{to}\"]]\nflows = 10\nspread = \"1 s\"\n");
    }
    text += &pattern.more.replace("SENDER", law);
    let run = pattern.keys.iter().fold(Builder::of(text), |builder, (key, value)| builder.set(key, value)).run(1);
    pattern.pairs.iter().map(|(from, to)| goodput_of(&run, &format!("g{from}{to}"))).collect()
}

/// The issue's bounds, whatever the pattern: XCP-CL delivers 0.95 of what original XCP does over the same protocol, and
/// 0.9 of what SACK does.
#[test]
fn whatever_the_pattern_xcp_cl_delivers_what_others_do() {
    for pattern in patterns() {
        let [own, original, sack] = ["XCP-CL", "XCP", "SACK"].map(|sender| goodputs(&pattern, sender, "simulated"));
        let sum = |rates: &[f64]| rates.iter().sum::<f64>();
        let (to_original, to_sack) = (sum(&own) / sum(&original), sum(&own) / sum(&sack));
        assert!(to_original >= 0.95 && to_sack >= 0.9, "{}: {to_original:.3}, {to_sack:.3}", pattern.name);
    }
}

/// Of two greedy queues of one node with weights of 4 and 1, each has 0.95 of that share or more.
#[test]
fn weights_are_kept_by_queues_that_follow_their_slots() {
    let weights = "[[switching.weight]]\nfrom = \"e0\"\nto = \"e1\"\nweight = 4";
    let pattern = Pattern { name: "weights", nodes: 6, pairs: vec![(0, 1), (0, 2)], more: weights, keys: &[] };
    for protocol in ["simulated", "known"] {
        let rates = goodputs(&pattern, "XCP-CL", protocol);
        let whole: f64 = rates.iter().sum();
        let shares = [rates[0] / (0.8 * whole), rates[1] / (0.2 * whole)];
        assert!(shares.iter().all(|share| *share >= 0.95), "{protocol}: {shares:?}");
    }
}

/// The table of docs/guide/aapn.md: goodput in Mb/s of the greedy flows by "asking" and by use, and of original XCP and
/// SACK at their default.
#[test]
fn the_guides_patterns_come_to_its_numbers() {
    let ring = (3, "[[\"e0\",\"e1\"],[\"e1\",\"e2\"],[\"e2\",\"e0\"]]", 30, "");
    let rows = [
        (ring, [47.4, 87.9, 88.1, 89.9]),
        ((6, "[[\"e0\",\"e1\"]]", 10, FILES), [5.4, 24.3, 24.8, 25.4]),
        ((6, "[[\"e0\",\"e1\"]]", 10, TRICKLES), [8.6, 24.4, 24.7, 25.3]),
    ];
    for ((nodes, pairs, flows, more), expected) in rows {
        let goodput = |sender: &str, keys: &[(&str, &str)]| {
            let (text, law) = network(nodes, sender, ["15 s", "40 s"]);
            let flows = format!("transport = \"{law}\"\npairs = {pairs}\nflows = {flows}\nspread = \"1 s\"\n");
            let text = text + &format!("[[traffic]]\nname = \"big\"\n{flows}") + &more.replace("SENDER", law);
            let run = keys.iter().fold(Builder::of(text), |builder, (key, value)| builder.set(key, value)).run(1);
            goodput_of(&run, "big") / 1e6
        };
        let asking = [("switching.spare_slots", "asking")];
        let found = [goodput("XCP-CL", &asking), goodput("XCP-CL", &[]), goodput("XCP", &[]), goodput("SACK", &[])];
        let same = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.1);
        assert!(same, "{found:?}, the guide has {expected:?}");
    }
}
