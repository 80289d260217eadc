//! The exact message about each kind of bad input to `[switching]` with slots.

use super::load_text;
use std::collections::BTreeSet;

/// Two edge nodes around a core node, in a frame of 18 slots. Lines count from 1 at `[run]`.
const STAR: &str = r#"[run]
duration = "1 s"
[topology]
kind = "aapn-star"
edges = 2
capacity = "100 Mbps"
delay = "1 ms"
buffer = "100 packets"
[switching]
kind = "aapn"
slots = 18
slot_time = "200 us"
"#;

/// The message when `text` comes below the star, that is from line 13 on, in `[switching]`.
fn added(text: &str) -> String {
    load_text(&format!("{STAR}{text}")).unwrap_err().to_string()
}

/// The message when `text` replaces `part` of the star.
fn replaced(part: &str, text: &str) -> String {
    assert!(STAR.contains(part));
    load_text(&STAR.replacen(part, text, 1)).unwrap_err().to_string()
}

#[test]
fn the_star_itself_is_right() {
    assert_eq!(load_text(STAR).unwrap().warnings, Vec::<String>::new());
}

#[test]
fn slots_and_frames_are_in_their_ranges() {
    assert_eq!(replaced("slots = 18", "slots = 0"), "test.toml:11:9: switching.slots: found 0; allowed: 1 to 1048576");
    assert_eq!(
        replaced("slots = 18", "slots = -18"),
        "test.toml:11:9: switching.slots: found -18; allowed: a whole number from 0 to 4294967295"
    );
    assert_eq!(
        replaced("edges = 2", "edges = 128").replace("[switching]", ""),
        "test.toml:11:9: switching.slots: 128 signalling slots leave none of 18 for data; allowed: fewer"
    );
    assert_eq!(
        replaced("200 us", "0 us"),
        "test.toml:12:13: switching.slot_time: found \"0 s\"; allowed: more than zero"
    );
    assert_eq!(
        replaced("200 us", "1 ns"),
        "test.toml:12:13: switching.slot_time: with this a frame lasts \"18 ns\"; allowed: \"100 ns\" to \"3600 s\""
    );
    assert_eq!(
        replaced("200 us", "300 s"),
        "test.toml:12:13: switching.slot_time: with this a frame lasts \"5400 s\"; allowed: \"100 ns\" to \"3600 s\""
    );
    assert_eq!(
        added("guard = \"200 us\""),
        "test.toml:13:9: switching.guard: found \"200 us\"; allowed: less than the slot of \"200 us\""
    );
}

#[test]
fn a_frame_is_longer_than_its_signalling() {
    assert_eq!(
        added("signalling_slots = 18"),
        "test.toml:13:20: switching.signalling_slots: 18 signalling slots leave none of 18 for data; allowed: fewer"
    );
    assert_eq!(
        added("signalling_slots = 1"),
        "test.toml:13:20: switching.signalling_slots: found 1; allowed: at least 2, one for the request of each edge \
            node"
    );
    assert_eq!(
        replaced("slots = 18", "slots = 2"),
        "test.toml:11:9: switching.slots: 2 signalling slots leave none of 2 for data; allowed: fewer"
    );
}

/// The message for these allocations, on line 13.
fn allocated(list: &str) -> String {
    added(&format!("allocation = [{list}]"))
}

#[test]
fn allocations_fit_into_a_frame() {
    assert_eq!(
        allocated("{ from = \"e0\", to = \"e1\", slots = 19 }"),
        "test.toml:13:49: switching.allocation.0.slots: with this \"e0\" sends in 19 slots of a frame; allowed: 18, \
            those \
         for data"
    );
    // Of four edge nodes e0 hears 10 slots from e1 and 9 from e2.
    let four = STAR.replacen("edges = 2", "edges = 4", 1);
    let two = "allocation = [{ from = \"e1\", to = \"e0\", slots = 10 }, { from = \"e2\", to = \"e0\", slots = 9 }]";
    assert_eq!(
        load_text(&format!("{four}{two}")).unwrap_err().to_string(),
        "test.toml:13:89: switching.allocation.1.slots: with this \"e0\" receives in 19 slots of a frame; allowed: 18, \
         those for data"
    );
    assert_eq!(
        added("signalling_slots = 6\nallocation = [{ from = \"e0\", to = \"e1\", slots = 13 }]"),
        "test.toml:14:49: switching.allocation.0.slots: with this \"e0\" sends in 13 slots of a frame; allowed: 12, \
            those \
         for data"
    );
    assert_eq!(
        allocated("{ from = \"e0\", to = \"e1\", slots = -1 }"),
        "test.toml:13:49: switching.allocation.0.slots: found -1; allowed: a whole number from 0 to 4294967295"
    );
}

#[test]
fn allocations_come_in_the_order_of_time() {
    let at = |first: &str, second: &str| {
        allocated(&format!(
            "{{ {first}from = \"e0\", to = \"e1\", slots = 5 }}, {{ {second}from = \"e0\", to = \"e1\", slots = 6 }}"
        ))
    };
    assert_eq!(
        at("at = \"400 ms\", ", "at = \"200 ms\", "),
        "test.toml:13:76: switching.allocation.1.at: found \"200 ms\" after \"400 ms\"; allowed: the order of time"
    );
    assert_eq!(
        at("at = \"400 ms\", ", ""),
        "test.toml:13:69: switching.allocation.1: it has no time, \"0 s\", and stands after later ones; allowed: the \
         order of time"
    );
    assert_eq!(
        at("at = \"400 ms\", ", "at = \"400 ms\", "),
        "test.toml:13:69: switching.allocation.1: there is an allocation of this queue at \"400 ms\" already"
    );
}

#[test]
fn allocations_name_queues() {
    assert_eq!(
        allocated("{ from = \"e0\", to = \"e2\", slots = 1 }"),
        "test.toml:13:35: switching.allocation.0.to: there is no node \"e2\"; did you mean \"e0\"? allowed: e0, e1, c0"
    );
    assert_eq!(
        allocated("{ from = \"e0\", to = \"c0\", slots = 1 }"),
        "test.toml:13:35: switching.allocation.0.to: \"c0\" is not an edge node of the slotted network"
    );
    assert_eq!(
        allocated("{ from = \"e0\", to = \"e0\", slots = 1 }"),
        "test.toml:13:35: switching.allocation.0.to: there is no queue between these edge nodes"
    );
    assert_eq!(
        allocated("{ from = \"e0\", to = \"e1\", via = \"e1\", slots = 1 }"),
        "test.toml:13:47: switching.allocation.0.via: \"e1\" is not a core node of the slotted network"
    );
    let two = STAR.replacen("edges = 2", "edges = 2\ncores = 2", 1);
    assert_eq!(
        load_text(&format!("{two}allocation = [{{ from = \"e0\", to = \"e1\", slots = 1 }}]")).unwrap_err().to_string(),
        "test.toml:14:15: switching.allocation.0: the key \"via\" is missing: there is more than one core node"
    );
    assert_eq!(
        allocated("{ from = \"e0\", to = \"e1\" }"),
        "test.toml:13:15: switching.allocation.0: the key \"slots\" is missing"
    );
}

#[test]
fn a_plan_is_fixed_or_computed() {
    let fixed = "allocation = [{ from = \"e0\", to = \"e1\", slots = 1 }]";
    for (key, column) in [
        ("scheduler = \"bvn\"", 13),
        ("request = \"queue\"", 11),
        ("smoothing = 3", 13),
        ("signalling = \"in-band\"", 14),
        ("scheduling_time = \"1 ms\"", 19),
        ("spare_slots = \"all\"", 15),
    ] {
        let name = key.split(' ').next().unwrap();
        assert_eq!(
            added(&format!("{fixed}\n{key}")),
            format!(
                "test.toml:14:{column}: switching.{name}: the key \"{name}\" goes with computed schedules, that is \
                    without \
                 allocation"
            )
        );
    }
    assert_eq!(
        added("smoothing = 3"),
        "test.toml:13:13: switching.smoothing: the key \"smoothing\" goes with request = \"smoothed\" or \"predicted\""
    );
    assert_eq!(
        added("request = \"smoothed\"\nsmoothing = 17"),
        "test.toml:14:13: switching.smoothing: found 17; allowed: 0 to 16"
    );
    assert_eq!(
        added("scheduler = \"bvm\""),
        "test.toml:13:13: switching.scheduler: there is no scheduler \"bvm\"; did you mean \"bvn\"? allowed: bvn, \
            greedy, \
         round-robin, islip, rotor"
    );
    assert_eq!(
        added("scheduling_time = \"2 h\""),
        "test.toml:13:19: switching.scheduling_time: found \"7200 s\"; allowed: at most \"3600 s\""
    );
    assert_eq!(
        added("request = \"last frame\""),
        "test.toml:13:11: switching.request: found \"last frame\"; did you mean \"last-frame\"? allowed: queue, \
            last-frame, \
         smoothed, predicted"
    );
}

#[test]
fn messages_and_packets_fit_into_slots() {
    // A grant for 16 data slots has 20 + 32 B: 416 us at 1 Mb/s.
    assert_eq!(
        replaced("capacity = \"100 Mbps\"", "capacity = \"100 Mbps\"\nsignalling_capacity = \"1 Mbps\""),
        "test.toml:13:13: switching.slot_time: a message of 52 B lasts \"416 us\" on \"e0->c0\"; allowed: at most \
         \"200 us\""
    );
    assert_eq!(
        replaced("slots = 18", "slots = 40000"),
        "test.toml:11:9: switching.slots: a grant for 39998 slots has 80016 B; allowed: at most 65535"
    );
    assert_eq!(
        replaced(
            "200 us\"",
            "100 us\"\npacking = \"whole\"\n[[traffic]]\ntransport = \"reno\"\nfrom = \"e0\"\nto = \"e1\""
        ),
        "test.toml:13:11: switching.packing: a packet of 1500 B lasts \"120 us\" on \"e0->e1\", longer than the data \
            of a \
         slot, \"100 us\"; allowed: packing = \"cut\""
    );
}

#[test]
fn signals_and_clocks_are_possible() {
    assert_eq!(
        added("signal = { loss = 1.5 }"),
        "test.toml:13:19: switching.signal.loss: found 1.5; allowed: a probability from 0 to 1"
    );
    assert_eq!(
        added("signal = { frames = 0 }"),
        "test.toml:13:21: switching.signal.frames: found 0; allowed: 1 to 1048576"
    );
    assert_eq!(
        added("signal = { quantum = \"0 bps\" }"),
        "test.toml:13:22: switching.signal.quantum: found \"0 bps\"; allowed: 8 bps to 1000 Tbps"
    );
    assert_eq!(
        added("signal = { age = \"-1 s\" }"),
        "test.toml:13:18: switching.signal.age: found \"-1 s\": must not be negative; allowed: a time with a unit (ps, \
            ns, \
         us, ms, s, min, h) in quotes, such as \"0.1 ms\""
    );
    assert_eq!(
        added("signal = { ahead = \"1 s\" }"),
        "test.toml:13:20: switching.signal.ahead: goes with a fixed plan: computed schedules are not known before; \
            allowed: \
         allocation"
    );
    assert_eq!(
        added("allocation = []\nsignal = { age = \"1 s\", ahead = \"1 s\" }"),
        "test.toml:14:33: switching.signal.ahead: the signal has an age already; allowed: age or ahead"
    );
    let clock = |keys: &str| added(&format!("[[switching.clock]]\n{keys}"));
    assert_eq!(
        clock("node = \"c0\""),
        "test.toml:14:8: switching.clock.0.node: \"c0\" is not an edge node of the slotted network"
    );
    assert_eq!(
        clock("node = \"e0\"\n[[switching.clock]]\nnode = \"e0\""),
        "test.toml:16:8: switching.clock.1.node: there is a clock of \"e0\" already"
    );
    assert_eq!(
        clock("node = \"e0\"\nlate = \"1 us\"\nearly = \"1 us\""),
        "test.toml:16:9: switching.clock.0.early: the clock is late already; allowed: late or early"
    );
    assert_eq!(
        clock("node = \"e0\"\njitter = \"200 us\""),
        "test.toml:15:10: switching.clock.0.jitter: found \"200 us\"; allowed: less than a slot, \"200 us\""
    );
}

#[test]
fn slots_need_queues_and_queues_need_slots() {
    let dumbbell = super::SMALL.trim_start();
    assert_eq!(
        load_text(&format!("{dumbbell}[switching]\nkind = \"aapn\"\nslots = 18\nslot_time = \"1 ms\"\n"))
            .unwrap_err()
            .to_string(),
        "test.toml:11:1: switching: no link leads through a core node; allowed with topology.kind = \"aapn-star\", or \
         links with \"via\""
    );
    let (network, _) = STAR.split_once("[switching]").unwrap();
    assert_eq!(
        load_text(network).unwrap_err().to_string(),
        "test.toml:3:1: topology: nothing grants its slots; allowed with [switching] kind = \"aapn\""
    );
    assert_eq!(
        load_text(&format!("{network}[switching]\nkind = \"packets\"\n")).unwrap_err().to_string(),
        "test.toml:9:1: switching: the network has links that lead through a core node; allowed: kind = \"aapn\""
    );
    let told = replaced("kind = \"aapn\"", "kind = \"aapm\"");
    let (found, allowed) = told.split_once("? allowed: ").unwrap();
    assert_eq!(found, "test.toml:10:8: switching.kind: found \"aapm\"; did you mean \"aapn\"");
    let names: BTreeSet<&str> = allowed.split(", ").collect();
    let known: BTreeSet<&str> = crate::switching::list().iter().map(|entry| entry.name).collect();
    assert_eq!(names, known);
    assert!(names.is_superset(&BTreeSet::from(["packets", "aapn", "ops", "obs"])), "{allowed}");
}

#[test]
fn the_frames_capacity_and_delay_do_not_change_by_events() {
    assert_eq!(
        added("[[event]]\nat = \"500 ms\"\nlink = \"e0->e1\"\ncapacity = \"50 Mbps\""),
        "test.toml:16:12: event.0.capacity: the frames depend on \"e0->e1\", which keeps its capacity and delay; \
            allowed: \
         another switching.allocation"
    );
    assert_eq!(
        added("[[event]]\nat = \"500 ms\"\nlink = \"e0->c0\"\ndelay = \"5 ms\""),
        "test.toml:16:9: event.0.delay: the frames depend on \"e0->c0\", which keeps its capacity and delay; allowed: \
         another switching.allocation"
    );
    assert_eq!(
        added("[link_defaults.edge]\njitter = \"1 us\""),
        "test.toml:14:10: link_defaults.edge.jitter: the frames depend on \"e0->c0\", which keeps its capacity and \
            delay; allowed: another switching.allocation"
    );
    let pause = "phases = [{ duration = \"1 ms\", capacity = \"0 bps\" }]";
    assert!(
        added(&format!("[[link_phases]]\nlink = \"e0->e1\"\n{pause}"))
            .contains("link_phases.0.phases.0.capacity: the frames depend on \"e0->e1\"")
    );
}

/// Two queues of one's own through a core node; the ways to and from it are on lines 21 and 26.
const OWN: &str = r#"[run]
duration = "1 s"
[link_defaults]
capacity = "100 Mbps"
delay = "1 ms"
buffer = "100 packets"
[[node]]
name = "a"
[[node]]
name = "b"
[[node]]
name = "c"
[switching]
kind = "aapn"
slots = 18
slot_time = "200 us"
[[link]]
from = "a"
to = "b"
via = "c"
[[link]]
from = "a"
to = "c"
[[link]]
from = "b"
to = "c"
"#;

#[test]
fn queues_of_ones_own_lead_through_a_core_node() {
    assert!(load_text(OWN).is_ok());
    let message = |part: &str, text: &str| {
        assert!(OWN.contains(part));
        load_text(&OWN.replacen(part, text, 1)).unwrap_err().to_string()
    };
    assert_eq!(
        message("via = \"c\"", "via = \"d\""),
        "test.toml:20:7: link.0.via: there is no node \"d\"; did you mean \"a\"? allowed: a, b, c"
    );
    assert_eq!(
        message("[[link]]\nfrom = \"b\"\nto = \"c\"\n", ""),
        "test.toml:20:7: link.0.via: the link \"a->b\" needs one from \"c\" to \"b\", for its light and for signalling"
    );
    assert_eq!(
        message("via = \"c\"", "via = \"c\"\ndelay = \"3 ms\""),
        "test.toml:21:9: link.0.delay: found \"3 ms\"; allowed: \"2 ms\", the delay of its way through the core"
    );
    assert_eq!(
        message("via = \"c\"", "via = \"b\""),
        "test.toml:20:7: link.0.via: the link \"a->b\" needs one from \"a\" to \"b\", for its light and for signalling"
    );
    assert_eq!(
        message("via = \"c\"", "via = \"c\"\n[[link]]\nfrom = \"a\"\nto = \"b\"\nvia = \"c\"\nparallel = true"),
        "test.toml:21:1: link.1: there is another queue beside \"a->b#2\" through the same core node"
    );
}

#[test]
fn a_core_node_does_not_end_a_queue() {
    // A second core node "d" for queues from "c", which is the first.
    let text = format!(
        "{OWN}[[node]]\nname = \"d\"\n[[link]]\nfrom = \"a\"\nto = \"d\"\n[[link]]\nfrom = \"c\"\nto = \"d\"\n\
         [[link]]\nfrom = \"a\"\nto = \"c\"\nvia = \"d\"\nparallel = true\n"
    );
    assert_eq!(
        load_text(&text).unwrap_err().to_string(),
        "test.toml:13:1: switching: the node \"c\" is a core node, and an end of a queue through another one"
    );
}

#[test]
fn every_edge_node_hears_every_core_node() {
    // A second core node "d" between "a" and "b", and "e" that meets "d" only.
    let more = ["b", "e"].map(|to| {
        format!(
            "[[link]]\nfrom = \"{to}\"\nto = \"d\"\n[[link]]\nfrom = \"a\"\nto = \"{to}\"\nvia = \"d\"\nparallel = \
                true\n"
        )
    });
    let nodes = "[[node]]\nname = \"d\"\n[[node]]\nname = \"e\"\n[[link]]\nfrom = \"a\"\nto = \"d\"\n";
    assert_eq!(
        load_text(&format!("{OWN}{nodes}{}", more.concat())).unwrap_err().to_string(),
        "test.toml:13:1: switching: there is no link from \"e\" to \"c\" for signalling"
    );
}

#[test]
fn edge_nodes_are_counted() {
    let node = |i: usize| format!("[[node]]\nname = \"e{i}\"\n[[link]]\nfrom = \"e{i}\"\nto = \"c\"\n");
    let queue = |i: usize| format!("[[link]]\nfrom = \"a\"\nto = \"e{i}\"\nvia = \"c\"\n");
    // "a" and "b" are edge nodes already.
    let text: String = (0..4095).map(|i| node(i) + &queue(i)).collect();
    assert_eq!(
        load_text(&format!("{OWN}{text}")).unwrap_err().to_string(),
        "test.toml:13:1: switching: found 4097 edge nodes; allowed: at most 4096"
    );
}

#[test]
fn a_protocol_that_is_simulated_has_its_keys_and_no_other() {
    let simulated = |more: &str| added(&format!("protocol = \"simulated\"\n{more}"));
    assert_eq!(
        simulated(""),
        "test.toml:9:1: switching: the guard time \"0 s\" is not longer than control.switching_time, \"10 us\"; \
            allowed: longer"
    );
    assert_eq!(
        added("floor = 1"),
        "test.toml:13:9: switching.floor: the key \"floor\" goes with protocol = \"simulated\""
    );
    assert_eq!(
        simulated("guard = \"30 us\"\n[[switching.clock]]\nnode = \"e0\"\nlate = \"1 us\""),
        "test.toml:17:8: switching.clock.0.late: edge nodes measure it with protocol = \"simulated\"; allowed: offset, \
            drift_ppm, jitter"
    );
    assert_eq!(
        simulated(
            "guard = \"30 us\"\n[[switching.fault]]\nnode = \"e0\"\nkind = \"cut\"\nat = \"2 s\"\nuntil = \"1 s\""
        ),
        "test.toml:19:9: switching.fault.0.until: found \"1 s\"; allowed: later than \"2 s\""
    );
    let fault = |keys: &str| {
        let found = simulated(&format!("guard = \"30 us\"\n[[switching.fault]]\n{keys}"));
        found.split_once(": ").map(|(_, message)| message.to_string()).unwrap_or_default()
    };
    assert_eq!(
        fault("node = \"c0\"\nkind = \"cut\""),
        "switching.fault.0.kind: a core node can be stopped only; allowed: \"stopped\", or a fault of an edge node"
    );
    assert_eq!(
        fault("node = \"e0\"\nkind = \"stopped\"\nvia = \"c0\""),
        "switching.fault.0.via: goes with cuts of an edge node; allowed: \"cut\", \"cut-up\", \"cut-down\""
    );
    assert_eq!(
        fault("node = \"e0\"\nkind = \"cut\"\nvia = \"e1\""),
        "switching.fault.0.via: \"e1\" is not a core node of the slotted network"
    );
    assert_eq!(
        added("control = { loss = 0.1 }"),
        "test.toml:13:11: switching.control: the key \"control\" goes with protocol = \"simulated\""
    );
    assert_eq!(
        added("[[switching.clock]]\nnode = \"e0\"\noffset = \"1 s\""),
        "test.toml:15:10: switching.clock.0.offset: goes with protocol = \"simulated\"; allowed otherwise: late, \
            early, jitter"
    );
    assert_eq!(
        added("[[switching.fault]]\nnode = \"e0\"\nkind = \"cut\""),
        "test.toml:13:1: switching.fault.0: goes with protocol = \"simulated\""
    );
}

#[test]
fn wavelengths_and_dark_ones_are_checked() {
    let message = |text: &str| {
        let found = added(text);
        found.split_once(": ").map(|(_, message)| message.to_string()).unwrap_or_default()
    };
    assert_eq!(message("wavelengths = 0"), "switching.wavelengths: found 0; allowed: 1 to 1024");
    assert_eq!(
        message("wavelengths = 2\ntransmitters = 3"),
        "switching.transmitters: found 3; allowed: 1 to 2, which is one for each wavelength"
    );
    assert_eq!(
        message("wavelengths = 2\nprotocol = \"simulated\""),
        "switching.wavelengths: the key \"wavelengths\" goes with protocol = \"known\": the messages of the protocol \
            have no wavelengths. Core nodes in one place (topology.cores) are wavelengths that each have a frame and a \
            master of their own"
    );
    assert_eq!(
        message("wavelengths = 2\nallocation = [{ from = \"e0\", to = \"e1\", slots = 37 }]"),
        "switching.allocation.0.slots: with this \"e0\" sends in 37 slots of a frame; allowed: 36, those for data"
    );
    let fault = |keys: &str| message(&format!("wavelengths = 2\n[[switching.fault]]\n{keys}"));
    assert_eq!(
        fault("node = \"c0\"\nkind = \"dark\"\nwavelength = 2"),
        "switching.fault.0.wavelength: there is no wavelength 2; allowed: 0 to 1"
    );
    assert_eq!(
        fault("node = \"c0\"\nkind = \"dark\""),
        "switching.fault.0: the key \"wavelength\" is missing: which one is dark"
    );
    assert_eq!(
        fault("node = \"e0\"\nkind = \"dark\"\nwavelength = 1"),
        "switching.fault.0.node: \"e0\" is not a core node of the slotted network"
    );
    assert_eq!(
        fault("node = \"c0\"\nkind = \"dark\"\nwavelength = 1\nat = \"1 s\"\nuntil = \"1 s\""),
        "switching.fault.0.until: found \"1 s\"; allowed: later than \"1 s\""
    );
    assert_eq!(
        fault("node = \"c0\"\nkind = \"stopped\"\nwavelength = 1"),
        "switching.fault.0: goes with protocol = \"simulated\""
    );
    let fixed = "allocation = [{ from = \"e0\", to = \"e1\", slots = 1 }]\n[[switching.fault]]\nnode = \"c0\"\nkind = \
        \"dark\"\nwavelength = 0\nnotice = \"1 s\"";
    assert_eq!(message(fixed), "switching.fault.0.notice: goes with computed schedules, that is without allocation");
    let simulated = "protocol = \"simulated\"\nguard = \"30 us\"\n[[switching.fault]]\n";
    assert_eq!(
        message(&format!("{simulated}node = \"c0\"\nkind = \"dark\"\nwavelength = 0")),
        "switching.fault.0.kind: goes with protocol = \"known\", which has wavelengths; allowed: \"stopped\", for one \
            of several core nodes in one place"
    );
    assert_eq!(
        message(&format!("{simulated}node = \"e0\"\nkind = \"cut\"\nwavelength = 0")),
        "switching.fault.0.wavelength: goes with kind = \"dark\""
    );
}
