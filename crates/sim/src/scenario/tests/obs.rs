//! The exact message about each kind of bad input for optical burst switching.

use super::{load_text, same};

const LINE: &str = r#"[run]
duration = "1 s"
[[node]]
name = "a"
role = "edge"
[[node]]
name = "c"
role = "core"
[[node]]
name = "b"
role = "edge"
[link_defaults]
capacity = "10 Gbps"
delay = "1 ms"
[[link]]
from = "a"
to = "c"
[[link]]
from = "c"
to = "b"
[[traffic]]
transport = "sack"
from = "a"
to = "b"
[switching]
kind = "obs"
wavelengths = 8
"#;

fn message(more: &str) -> String {
    load_text(&format!("{LINE}{more}")).unwrap_err().to_string()
}

fn replaced(part: &str, text: &str) -> String {
    assert!(LINE.contains(part));
    load_text(&LINE.replacen(part, text, 1)).unwrap_err().to_string()
}

#[test]
fn an_offset_covers_the_processing_on_the_path() {
    // Two optical links: the core node works for 1 us on the header, whose 64 B last 51.2 ns on the first.
    assert_eq!(
        message("offset = \"1 us\""),
        "test.toml:28:10: switching.offset: found \"1 us\"; allowed: at least \"1051200 ps\", for 2 optical links from \
         \"a\" to \"b\""
    );
    assert!(load_text(&format!("{LINE}offset = \"1.0512 us\"")).is_ok());
    assert_eq!(
        message("offset = \"5 us\"\nspare_hops = 1"),
        "test.toml:29:14: switching.spare_hops: the key \"spare_hops\" does not go with \"offset\""
    );
}

#[test]
fn a_horizon_holds_the_longest_burst() {
    // 50 kB at 10 Gb/s last 40 us; two lines of 5 us, 1 us of guard time.
    let more = "guard = \"1 us\"\ndelay_lines = 2\ndelay_line = \"5 us\"\nassembly = { length = \"50 kB\" }\n";
    assert_eq!(
        message(&format!("{more}horizon = \"50 us\"")),
        "test.toml:32:11: switching.horizon: found \"50 us\"; allowed: at least \"51 us\", what the longest burst \
            needs behind \
         its offset"
    );
    assert!(load_text(&format!("{LINE}{more}horizon = \"51 us\"")).is_ok());
    assert_eq!(
        message("horizon = \"1 ms\"\nassembly = { timer = \"1 ms\" }"),
        "test.toml:28:11: switching.horizon: assembled bursts can have any length; allowed with assembly.length"
    );
    assert_eq!(
        message("horizon = \"1 ms\"\n[[switching.burst]]\nfrom = \"a\"\nto = \"b\"\nload = 1.0\nmean = \"10 us\"\n"),
        "test.toml:33:8: switching.burst.0.mean: bursts of any length can come; allowed within a horizon: \"fixed\" or \
         \"uniform\""
    );
}

#[test]
fn a_fibre_has_a_wavelength_and_a_burst_holds_a_segment() {
    assert_eq!(
        replaced("wavelengths = 8", "wavelengths = 0"),
        "test.toml:27:15: switching.wavelengths: found 0; allowed: 1 to 4096"
    );
    assert_eq!(
        message("assembly = { length = \"1400 B\" }"),
        "test.toml:28:23: switching.assembly.length: found \"1400 B\"; allowed: \"1500 B\", the largest packet, to \"1 \
            GB\""
    );
    assert_eq!(
        message("assembly = { length = \"9 kB\", minimum = \"10 kB\" }"),
        "test.toml:28:41: switching.assembly.minimum: found \"10 kB\"; allowed: at most the length, \"9 kB\""
    );
}

#[test]
fn names_and_keys_that_do_not_belong_are_told_apart() {
    assert_eq!(
        message("reservation = \"lauc-fv\""),
        "test.toml:28:15: switching.reservation: there is no reservation rule \"lauc-fv\"; did you mean \"lauc-vf\"? \
            allowed: \
         horizon, lauc-vf, min-sv, min-ev, best-fit, first-fit"
    );
    assert_eq!(
        message("conversion = \"limited\""),
        "test.toml:28:14: switching.conversion: the key \"conversion_range\" is missing beside it"
    );
    assert_eq!(
        message("deflections = 2"),
        "test.toml:28:15: switching.deflections: the key \"deflections\" goes with contention = \"deflection\""
    );
    assert_eq!(
        message("[[switching.burst]]\nfrom = \"a\"\nto = \"b\"\nsources = 5\nidle = \"1 ms\"\nmean = \"10 us\""),
        "test.toml:31:11: switching.burst.0.sources: a source that waits for its burst has no idle time; allowed with \
            ingress \
         = \"drop\""
    );
    assert_eq!(
        replaced("to = \"b\"\n[[traffic]]", "to = \"b\"\ncapacity = \"1 Gbps\"\n[[traffic]]"),
        "test.toml:21:12: link.1.capacity: found \"1 Gbps\" for \"c->b\"; allowed: \"10 Gbps\", as on the other \
            optical links: a \
         burst keeps its rate"
    );
    assert_eq!(
        message("[[event]]\nat = \"0.5 s\"\nlink = \"a->c\"\ncapacity = \"1 Gbps\""),
        "test.toml:31:12: event.0.capacity: bursts on \"a->c\" keep their rate, and reservations know its delay; \
            allowed: state"
    );
}

#[test]
fn what_explain_writes_about_bursts_is_the_same_scenario() {
    let more = r#"
        ingress = "drop"
        signalling = "jit"
        conversion = "limited"
        conversion_range = 2
        delay_lines = 3
        delay_line = "2.5 us"
        contention = "segmentation"
        dropped_part = "tail"
        retransmission = { attempts = 2 }
        notification = { threshold = 0.05, when = "drop" }
        assembly = { timer = "0.5 ms", minimum = "2 kB", queues = "flow", acks = "beside" }
        [[switching.burst]]
        pairs = "all"
        load = 0.3
        mean = "10 us"
        law = "pareto"
        shape = 1.8
        [[switching.burst]]
        from = "a"
        to = "b"
        sources = 4
        idle = "1 ms"
        mean = "10 us"
        law = "hyper-exponential"
        extra_offset = "20 us"
        headers_only = true
    "#;
    let loaded = load_text(&format!("{LINE}{more}")).unwrap();
    same(&loaded.scenario, &load_text(&loaded.explain()).unwrap().scenario);
}

#[test]
fn an_egress_node_restores_the_order_of_whole_bursts_on_one_path() {
    assert!(load_text(&format!("{LINE}retransmission = {{ ordering = \"egress\" }}")).is_ok());
    assert_eq!(
        message("retransmission = { ordering = \"egress\" }\ncontention = \"segmentation\""),
        "test.toml:28:31: switching.retransmission.ordering: found \"egress\"; allowed beside contention = \
            \"segmentation\": \
         \"off\""
    );
    assert_eq!(
        message("retransmission = { ordering = \"egress\" }\nbalancing = {}"),
        "test.toml:28:31: switching.retransmission.ordering: found \"egress\"; allowed beside \"balancing\": \"off\""
    );
    assert_eq!(
        message("retransmission = { ordering = \"ingress\" }"),
        "test.toml:28:31: switching.retransmission.ordering: found \"ingress\"; did you mean \"egress\"? allowed: off, \
         egress"
    );
    assert_eq!(
        message("notification = { when = \"late\" }"),
        "test.toml:28:25: switching.notification.when: found \"late\"; allowed: lost, drop"
    );
}

#[test]
fn bursts_are_spread_over_two_paths_that_are_there() {
    assert_eq!(
        message("balancing = {}"),
        "test.toml:28:13: switching.balancing: there is no second path from \"a\" to \"b\""
    );
    assert_eq!(
        message("balancing = { interval = \"0 s\" }"),
        "test.toml:28:26: switching.balancing.interval: found \"0 s\"; allowed: more than zero"
    );
    assert_eq!(
        message("balancing = { policy = \"random\", hysteresis = 0.1 }"),
        "test.toml:28:47: switching.balancing.hysteresis: the key \"hysteresis\" goes with policy = \"adaptive\""
    );
    let named = |primary: &str, alternate: &str| {
        message(&format!("balancing.paths = [{{ primary = {primary}, alternate = {alternate} }}]"))
    };
    assert_eq!(
        named("[\"a\", \"b\"]", "[\"a\", \"c\", \"b\"]"),
        "test.toml:28:32: switching.balancing.paths.0.primary: no optical link leads from \"a\" to \"b\""
    );
    assert_eq!(
        named("[\"a\", \"c\"]", "[\"a\", \"c\", \"b\"]"),
        "test.toml:28:56: switching.balancing.paths.0.alternate: it has other ends than primary; allowed: the same \
            first and \
         last node"
    );
}

#[test]
fn chosen_pairs_are_pairs_of_nodes_with_two_paths_each_once() {
    let triangle = LINE.replacen("[[traffic]]", "[[link]]\nfrom = \"a\"\nto = \"b\"\n[[traffic]]", 1);
    let with = |pairs: &str| load_text(&format!("{triangle}balancing.pairs = {pairs}"));
    let refused = |pairs: &str| with(pairs).unwrap_err().to_string();
    let loaded = with("[[\"a\", \"b\"], [\"b\", \"a\"]]").unwrap();
    same(&loaded.scenario, &load_text(&loaded.explain()).unwrap().scenario);
    assert!(loaded.explain().contains("traffic = \"all\""), "all traffic of a chosen pair is spread");
    assert_eq!(
        refused("[[\"a\", \"x\"]]"),
        "test.toml:31:20: switching.balancing.pairs.0: there is no node \"x\"; did you mean \"a\"? allowed: a, c, b"
    );
    assert_eq!(
        refused("[[\"a\", \"b\"], [\"a\", \"b\"]]"),
        "test.toml:31:32: switching.balancing.pairs.1: the pair from \"a\" to \"b\" is there twice; allowed: each pair \
            once"
    );
    assert_eq!(
        refused("[[\"a\", \"a\"]]"),
        "test.toml:31:20: switching.balancing.pairs.0: found a pair from \"a\" to \"a\"; allowed: two nodes"
    );
    assert_eq!(
        refused("\"random\""),
        "test.toml:31:19: switching.balancing.pairs: found \"random\"; allowed: a list of pairs such as [[\"a\", \
            \"b\"]]"
    );
    // In the line of three nodes there is one way.
    assert_eq!(
        message("balancing.pairs = [[\"a\", \"b\"]]"),
        "test.toml:28:20: switching.balancing.pairs.0: there is no second path from \"a\" to \"b\""
    );
    // Nor does it matter there if no pair is chosen that has traffic.
    assert!(load_text(&format!("{LINE}balancing.pairs = []")).is_ok());
    let paths = "{ primary = [\"a\", \"b\"], alternate = [\"a\", \"c\", \"b\"] }";
    assert_eq!(
        refused(&format!("[[\"b\", \"a\"]]\nbalancing.paths = [{paths}]")),
        "test.toml:32:32: switching.balancing.paths.0.primary: its ends, \"a\" and \"b\", are not in \"pairs\"; \
            allowed: a \
         pair of the list"
    );
}
