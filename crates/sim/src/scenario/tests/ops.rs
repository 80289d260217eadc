//! The exact message about each kind of bad input to `[switching]` with `kind = "ops"`.

use super::load_text;
use crate::model::*;
use crate::switching::ops::Ops;

/// Two edge nodes and a core node; `switching` begins in line 14.
fn text(switching: &str) -> String {
    format!(
        r#"[run]
duration = "1 s"
[topology]
kind = "nsfnet-edge"
[link_defaults.core]
buffer = "9 kB"
[transport.reno]
packet_size = 1500
[[traffic]]
transport = "reno"
pairs = [["e0", "e1"]]
[switching]
kind = "ops"
{switching}"#
    )
}

fn message(switching: &str) -> String {
    load_text(&text(switching)).unwrap_err().to_string()
}

#[test]
fn ram_that_holds_no_packet_is_refused() {
    assert_eq!(
        message("ram = \"1 kB\""),
        "test.toml:14:7: switching.ram: found \"1 kB\", less than the largest packet; allowed: at least 1500 B, or \"0 \
            packets\""
    );
}

#[test]
fn a_target_is_above_zero_and_at_most_one() {
    for (found, shown) in [("0.0", "0.0"), ("1.2", "1.2"), ("-0.3", "-0.3"), ("nan", "NaN")] {
        assert_eq!(
            message(&format!("macroflow = \"same\"\ntarget = {found}")),
            format!(
                "test.toml:15:10: switching.target: found {shown}; allowed: a target utilization above 0 and at most 1"
            )
        );
    }
}

#[test]
fn a_period_below_the_round_trip_is_warned_of() {
    let warnings =
        |period: &str| load_text(&text(&format!("macroflow = \"same\"\nperiod = \"{period}\""))).unwrap().warnings;
    assert_eq!(warnings("50 ms"), Vec::<String>::new());
    assert_eq!(
        warnings("40 ms"),
        ["switching.period, \"40 ms\", is shorter than the round trip between \"e0\" and \"e10\", \"45400 us\": \
                macroflows are \
          told twice before they can answer"]
    );
}

#[test]
fn a_macroflow_without_a_way_is_refused() {
    let alone =
        text("macroflow = \"same\"\n[[node]]\nname = \"alone\"\nrole = \"edge\"").replace("\"e1\"", "\"alone\"");
    assert_eq!(
        load_text(&alone).unwrap_err().to_string(),
        "test.toml:11:10: traffic.0.pairs.0: there is no path from \"e0\" to \"alone\" and back"
    );
}

#[test]
fn keys_that_do_not_belong_say_to_what_they_do() {
    let cases = [
        (
            "target = 0.3",
            "14:10: switching.target: the key \"target\" belongs to macroflows; allowed with macroflow = \"same\", \
             \"separate\", \"separate-wavelength\"",
        ),
        (
            "macroflow = \"same\"\ntoken_depth = 100",
            "15:15: switching.token_depth: the key \"token_depth\" belongs to smoothing = \"token-bucket\"",
        ),
        (
            "conversion_range = 2",
            "14:20: switching.conversion_range: the key \"conversion_range\" belongs to conversion = \"limited\"",
        ),
        (
            "slot_buffer = { places = 3 }",
            "14:15: switching.slot_buffer: the key \"slot_buffer\" belongs to slotted switching, with slot_time",
        ),
        (
            "slot_time = \"12 us\"\nram = \"9 kB\"",
            "15:7: switching.ram: the key \"ram\" is for packets that wait in RAM; allowed without slots and delay \
                lines",
        ),
        (
            "slot_time = \"12 us\"\ndelay_lines = { step = \"12 us\", lines = 3 }",
            "15:15: switching.delay_lines: the places of slots are delay lines of whole slots already; allowed: \
                slot_buffer",
        ),
        (
            "macroflow = \"same\"\nconversion = \"full\"",
            "15:14: switching.conversion: a macroflow keeps its wavelength; allowed with macroflow = \"none\"",
        ),
    ];
    for (switching, expected) in cases {
        assert_eq!(message(switching), format!("test.toml:{expected}"));
    }
}

#[test]
fn numbers_out_of_range_say_what_is_allowed() {
    let cases = [
        (
            "slot_time = \"5 us\"",
            "14:13: switching.slot_time: found \"5 us\"; allowed: at least \"12 us\", which 1500 B last on \"0->1\"",
        ),
        (
            "slot_time = \"12 us\"\nslot_buffer = { places = 0, counts = \"all\" }",
            "15:26: switching.slot_buffer.places: found 0, and a packet that is sent needs one; allowed: at least 1",
        ),
        (
            "slot_time = \"12 us\"\nslot_buffer = { arbitration = \"lot\" }",
            "15:31: switching.slot_buffer.arbitration: found \"lot\"; allowed: first-come, random",
        ),
        (
            "macroflow = \"separate-wavelength\"\nwavelengths = 1",
            "15:15: switching.wavelengths: found 1; allowed: at least 2, of which the last is for ACKs alone",
        ),
        ("wavelengths = 0", "14:15: switching.wavelengths: found 0; allowed: 1 to 256"),
        (
            "macroflow = \"same\"\nstart_rate = \"1 kbps\"",
            "15:14: switching.start_rate: found \"1 kbps\"; allowed: from floor_rate, \"100 kbps\", to \"1 Gbps\"",
        ),
        (
            "macroflow = \"same\"\nfloor_rate = \"2 Gbps\"",
            "15:14: switching.floor_rate: found \"2 Gbps\"; allowed: at most a wavelength's capacity, \"1 Gbps\"",
        ),
        ("macroflow = \"same\"\ngamma = 1.5", "15:9: switching.gamma: found 1.5; allowed: 0 to 1"),
        ("macroflow = \"same\"\nedge_beta = -0.1", "15:13: switching.edge_beta: found -0.1; allowed: 0 to 1"),
        ("macroflow = \"same\"\nprobe_memory = 1.0", "15:16: switching.probe_memory: found 1.0; allowed: 0 to below 1"),
        (
            "macroflow = \"same\"\nprobe_tells = \"allowed\"\nprobe_memory = 0.5",
            "16:16: switching.probe_memory: the key \"probe_memory\" belongs to probe_tells = \"sent\"",
        ),
        (
            "macroflow = \"same\"\nprobe_tells = \"allowed\"\nmacroflow_count = \"active\"",
            "16:19: switching.macroflow_count: found \"active\", and probes do not tell what was sent; allowed with \
             probe_tells = \"sent\"",
        ),
    ];
    for (switching, expected) in cases {
        assert_eq!(message(switching), format!("test.toml:{expected}"));
    }
}

/// α, β and γ "for edge routers" (paper 002, §3.1), the same in words at every output, and keys that overrule them.
#[test]
fn gains_are_the_papers_at_edge_routers_unless_another_reading_is_asked_for() {
    let found = |keys: &str| {
        let loaded = load_text(&text(&format!("macroflow = \"same\"\n{keys}"))).unwrap();
        let ops: &Ops = loaded.scenario.plan().expect("packets of light");
        let rules = ops.edge.macroflows().unwrap();
        [rules.gains, rules.edge_gains].map(|gains| (gains.alpha, gains.beta, gains.gamma))
    };
    let (paper, xcp) = ((0.2, 0.056, 0.1), (0.4, 0.226, 0.1));
    assert_eq!(found(""), [xcp, paper]);
    assert_eq!(found("gains = \"edge-routers\""), [xcp, paper]);
    assert_eq!(found("gains = \"everywhere\""), [paper, paper]);
    assert_eq!(found("gains = \"xcp\""), [xcp, xcp]);
    assert_eq!(found("gains = \"core-routers\""), [paper, xcp]);
    assert_eq!(found("alpha = 0.3\nedge_gamma = 0.05"), [(0.3, 0.226, 0.1), (0.2, 0.056, 0.05)]);
}

#[test]
fn a_node_cuts_through_at_one_rate_only() {
    let unequal = "[[link]]\nfrom = \"0\"\nto = \"1\"\ncapacity = \"2 Gbps\"\n";
    assert_eq!(
        load_text(&format!("{}\n{unequal}", text("cut_through = true"))).unwrap_err().to_string(),
        "test.toml:14:15: switching.cut_through: \"0->1\" has 2 Gbps and \"1->2\" has 1 Gbps, and a node cuts through \
            at one \
         rate; allowed: equal capacities, or cut_through = false"
    );
    assert!(load_text(&format!("{}\n{unequal}", text("cut_through = false"))).is_ok());
}

#[test]
fn links_do_not_change_and_a_network_without_core_nodes_is_none() {
    let event = "[[event]]\nat = \"0.5 s\"\nlink = \"0-1\"\nstate = \"down\"\n";
    assert_eq!(
        message(event),
        "test.toml:16:8: event.0.link: links of an optical packet-switched network do not change; allowed with kind = \
            \"packets\""
    );
    let hosts = text("").replace("\"nsfnet-edge\"", "\"custom\"").replace("\"e0\", \"e1\"", "\"a\", \"b\"");
    let link = "[[link]]\nfrom = \"a\"\nto = \"b\"\ncapacity = \"1 Gbps\"\ndelay = \"1 ms\"\n";
    let hosts = format!("{hosts}\n{link}");
    let message = load_text(&hosts).unwrap_err().to_string();
    assert_eq!(
        message,
        "test.toml:12:1: switching: no link joins a core node with a core node or an edge node; allowed: a topology \
            with both"
    );
}

#[test]
fn a_probe_names_wavelengths_and_control_channels() {
    let probe = |links: &str| {
        let switching = "macroflow = \"separate-wavelength\"\nwavelengths = 2\n";
        load_text(&text(&format!("{switching}[probe]\ninterval = \"10 ms\"\nlinks = [{links}]")))
    };
    let loaded = probe("\"0->1 (control)\", \"0->1 (wavelength 1)\", \"0->1\"").unwrap();
    let Selection::Some(chosen) = &loaded.scenario.probe.links else { panic!("links were chosen") };
    let lanes: Vec<Lane> = chosen.iter().map(|link| loaded.scenario.network.links[*link as usize].lane).collect();
    assert_eq!(lanes, [Lane::Wavelength(0), Lane::Wavelength(1), Lane::Control]);
    let message = probe("\"0->1 (wavelength 2)\"").unwrap_err().to_string();
    let start = "test.toml:18:10: probe.links.0: there is no link \"0->1 (wavelength 2)\"";
    assert!(message.starts_with(start), "{message}");
}

/// `[switching.dlcc]` begins in line 16; packets of 1500 B last 12 us.
fn dlcc(keys: &str) -> String {
    message(&format!("slot_time = \"12 us\"\n[switching.dlcc]\n{keys}"))
}

/// Keys of `[switching.dlcc]` that are refused, and what is said.
const REFUSED: [(&str, &str); 13] = [
    ("threshold = 1.2", "16:13: switching.dlcc.threshold: found 1.2; allowed: above 0 and at most 1, the port's rate"),
    ("threshold = 0.0", "16:13: switching.dlcc.threshold: found 0.0; allowed: above 0 and at most 1, the port's rate"),
    ("nu = 1.5", "16:6: switching.dlcc.nu: found 1.5; allowed: from 0 to below 1: eq. (1) would take negative rates"),
    ("tau = \"0 s\"", "16:7: switching.dlcc.tau: found \"0 s\"; allowed: more than zero"),
    (
        "slot_header = 1500",
        "16:15: switching.dlcc.slot_header: a slot of \"12 us\" has 1500 B on \"0->1\", and its header 1500 B; \
            allowed: a \
         shorter header or a longer slot",
    ),
    ("window = \"1 us\"", "16:10: switching.dlcc.window: found \"1 us\"; allowed: at least a slot, \"12 us\""),
    (
        "first_rate = \"2 Gbps\"",
        "16:14: switching.dlcc.first_rate: found \"2 Gbps\"; allowed: at most a wavelength's capacity, \"1 Gbps\"",
    ),
    (
        "smoothing = \"off\"\nnu = 0.5",
        "17:6: switching.dlcc.nu: the key \"nu\" belongs to smoothing = \"tcp\" and \"all\"",
    ),
    (
        "rate_control = false\nfloor = 0.2",
        "17:9: switching.dlcc.floor: the key \"floor\" belongs to rate_control = true",
    ),
    (
        "edges = [\"e1\", \"core\"]",
        "16:16: switching.dlcc.edges.1: found \"core\", which is no edge node; allowed: e0, e1, e2, e3, e4, e5, \
            e6, e7, e8, \
         e9, e10, e11, e12, e13",
    ),
    (
        "nu_rule = \"adaptive\"",
        "16:11: switching.dlcc.nu_rule: found \"adaptive\"; allowed: constant, service, available",
    ),
    ("acks_per = \"burst\"", "16:12: switching.dlcc.acks_per: found \"burst\"; allowed: segment, round-trip"),
    (
        "ops_acks = \"dlcc-sack\"\nacks_per = \"round-trip\"",
        "17:12: switching.dlcc.acks_per: the key \"acks_per\" belongs to ops_acks = \"dlcc-paper\"",
    ),
];

#[test]
fn dual_layer_control_says_what_it_needs_and_what_its_numbers_may_be() {
    for (keys, expected) in REFUSED {
        assert_eq!(dlcc(keys), format!("test.toml:{expected}"));
    }
    assert_eq!(
        message("[switching.dlcc]\nthreshold = 0.9"),
        "test.toml:14:1: switching.dlcc: the key \"dlcc\" belongs to slotted switching, with slot_time"
    );
    assert_eq!(
        message("slot_time = \"12 us\"\nmacroflow = \"same\"\ndlcc = {}"),
        "test.toml:15:13: switching.macroflow: edge nodes have dlcc already; allowed: macroflow = \"none\""
    );
    assert_eq!(
        message("slot_time = \"12 us\"\nwavelengths = 2\ndlcc = {}"),
        "test.toml:16:8: switching.dlcc: edge nodes send in the slots of one wavelength; allowed with wavelengths = 1"
    );
}

#[test]
fn slots_that_packets_do_not_fit_into_are_refused_unless_edge_nodes_cut_them() {
    let reaches = message("slot_time = \"5 us\"\ndlcc = {}");
    assert!(reaches.contains("ends at the edge node"), "what is too long is cut: {reaches}");
    assert_eq!(
        message("slot_time = \"40 ns\"\ndlcc = {}"),
        "test.toml:14:13: switching.slot_time: a packet of 1500 B needs 300 slots of 5 B; allowed: at most 255"
    );
    assert_eq!(
        message("slot_time = \"1 ns\"\ndlcc = {}"),
        "test.toml:14:13: switching.slot_time: a slot of \"1 ns\" has 0 B on \"0->1\", and its header 0 B; allowed: a \
            shorter \
         header or a longer slot"
    );
}

/// A host, two edge nodes around a core node, a host; `[switching.dlcc]` is the last table.
fn beyond_edges(keys: &str) -> String {
    format!(
        r#"
        run = {{ duration = "1 s" }}
        link_defaults = {{ capacity = "1 Gbps", delay = "10 ms" }}
        node = [
            {{ name = "a" }}, {{ name = "b" }}, {{ name = "x", role = "core" }},
            {{ name = "ea", role = "edge" }}, {{ name = "eb", role = "edge" }},
        ]
        link = [
            {{ from = "a", to = "ea" }}, {{ from = "b", to = "eb" }},
            {{ from = "ea", to = "x" }}, {{ from = "eb", to = "x" }},
        ]
        traffic = [{{ transport = "reno", from = "a", to = "b" }}]
        [switching]
        kind = "ops"
        slot_time = "12 us"
        [switching.dlcc]
        {keys}
        "#
    )
}

#[test]
fn a_record_shorter_than_a_round_trip_is_warned_of() {
    let warnings = |keys: &str| load_text(&beyond_edges(keys)).unwrap().warnings;
    assert_eq!(warnings("record = \"80 ms\""), Vec::<String>::new());
    assert_eq!(
        warnings("record = \"10 ms\""),
        ["switching.dlcc.record, \"10 ms\", is shorter than the round trip between \"a\" and \"b\", \"80 ms\": edge \
                nodes \
          forget segments before the receiver can ask for them"]
    );
}

#[test]
fn acks_that_echo_congestion_want_senders_with_ecn() {
    let warnings = |text: &str| load_text(text).unwrap().warnings;
    let echoing = beyond_edges("record = \"80 ms\"\nops_acks = \"dlcc-ece\"");
    assert_eq!(
        warnings(&echoing),
        ["switching.dlcc.ops_acks = \"dlcc-ece\" tells senders by ECN, which the transport \"reno\" has not; give \
                it ecn = true"]
    );
    // No queue marks, and yet the senders' ECN is of use.
    let with_ecn = echoing
        .replace("transport = \"reno\"", "transport = \"marked\"")
        .replace("[switching]", "transport = { marked = { algorithm = \"sack\", ecn = true } }\n[switching]");
    assert_eq!(warnings(&with_ecn), Vec::<String>::new());
}
