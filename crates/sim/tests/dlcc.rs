//! Dual-layer congestion control (paper 000) in the simulator: slots, smoothing, detection, notification, reaction.

use crate::support::{at, figure, numbers, run, texts};
use sim::results::Results;

const SLOT_US: f64 = 83.79;

/// The network of figure 1 with a round trip of 60 ms: 10 ms to the edge nodes, 5 ms from them to the core.
fn network(dlcc: &str, more: &str) -> String {
    format!(
        r#"
        node = [
            {{ name = "a" }}, {{ name = "u" }}, {{ name = "c" }}, {{ name = "x", role = "core" }},
            {{ name = "ea", role = "edge" }}, {{ name = "eb", role = "edge" }}, {{ name = "ec", role = "edge" }},
        ]
        link = [
            {{ from = "a", to = "ea", capacity = "1 Gbps", delay = "10 ms" }},
            {{ from = "u", to = "eb", capacity = "1 Gbps", delay = "10 ms" }},
            {{ from = "c", to = "ec", capacity = "1 Gbps", delay = "10 ms" }},
            {{ from = "ea", to = "x" }}, {{ from = "eb", to = "x" }}, {{ from = "ec", to = "x" }},
        ]
        [link_defaults]
        capacity = "55 Mbps"
        delay = "5 ms"
        edge = {{ buffer = "0.5 s" }}
        [switching]
        kind = "ops"
        slot_time = "{SLOT_US} us"
        slot_buffer = {{ places = 20, shared = true }}
        [switching.dlcc]
        {dlcc}
        {more}
        "#
    )
}

const RUN: &str = "[run]\nduration = \"15 s\"\nwarm_up = \"1 s\"\n";
/// One Reno flow that fills the link, and a burst of UDP from 10 s on.
const ONE: &str = r#"
    [transport.reno]
    packet_size = 576
    [transport.udp]
    packet_size = 576
    [[traffic]]
    transport = "reno"
    from = "a"
    to = "c"
    [[traffic]]
    transport = "udp"
    from = "u"
    to = "c"
    start = "10 s"
    stop = "10.2 s"
    rate = "16.5 Mbps"
"#;

fn one(dlcc: &str) -> Results {
    run(&format!("{}{RUN}", network(dlcc, ONE)), 1)
}

fn dropped(run: &Results, cause: &str, class: &str) -> f64 {
    let rows = texts(&run.drops, "cause").into_iter().zip(texts(&run.drops, "class")).zip(numbers(&run.drops, "units"));
    rows.filter(|((name, of), _)| name == cause && of == class).map(|(_, units)| units).sum()
}

/// Figure 1: the core loses a slot at t0; the edge node hears of it at t0 + T1 (and 40 B at 100 Mb/s, 3.2 us); the
/// receiver's duplicate is discarded T2 + T3 + T3 + T2 + T1 later, T2 and T3 there and back, and within the few slots
/// of the queues.
#[test]
fn the_events_of_one_loss_have_the_times_of_figure_1() {
    let run = one("");
    let time = |name: &str| 1000.0 * figure(&run, &format!("dlcc_first_{name}"));
    let lost = time("loss");
    let (cut, forged, discard) = (time("rate_cut") - lost, time("artificial_ack") - lost, time("discard") - lost);
    assert!((cut - 5.0032).abs() < 0.001, "the rate is cut {cut} ms after the loss");
    assert_eq!(cut, forged, "both at once");
    // 5 + 10 to the receiver, 10 + 5 + 5 back; a transmission on each of the fibres, and waiting in slots.
    assert!((35.0..38.0).contains(&discard), "a duplicate is discarded {discard} ms after the loss");
    assert!(lost > 10_020.0 && lost < 10_200.0, "the burst begins at 10 s and is 20 ms away");
}

/// Slots are lost for 200 ms and the 20 ms over which rates are measured. A round trip is 60 ms or more, so that there
/// are at most four of them: 16 artificial ACKs, and no hole. Per segment there are four for each segment that was
/// lost, and more.
#[test]
fn once_per_round_trip_a_burst_is_answered_by_a_few_acks() {
    let [each, once] = ["segment", "round-trip"].map(|named| one(&format!("acks_per = \"{named}\"")));
    let acks = |run: &Results| figure(run, "dlcc_artificial_acks");
    assert!((4.0..=16.0).contains(&acks(&once)), "{}", acks(&once));
    assert_eq!(acks(&once) % 4.0, 0.0);
    assert!(acks(&each) > 100.0, "{}", acks(&each));
    assert_eq!(figure(&once, "dlcc_holes"), 0.0);
}

/// 30 % more than leaves comes for 200 ms: r · C · 200 ms = 716 slots without control (less the 20 places). With it
/// edge nodes are told what is still lost; if m of an excess o is taken off, o − m is notified, and the mean tends to m
/// = o/2: half is lost. The largest notified rate is all of the excess: lost is what comes in 2·T1 and in the 20 ms
/// over which rates are measured, of these on average half: 0.3 · 11 935 · (10 + 10 to 20) ms = 72 to 107.
#[test]
fn the_papers_mean_takes_off_half_of_the_excess_and_the_largest_rate_all_of_it() {
    let without = one("rate_control = false\nops_acks = \"off\"");
    let with = one("ops_acks = \"off\"");
    let lost = |run: &Results| at(&run.links, "link", "x->ec", "dropped_units");
    let (without, with) = (lost(&without), lost(&with));
    assert!((500.0..=716.0).contains(&without), "{without}");
    assert!((0.45..0.6).contains(&(with / without)), "{with} of {without}");
    let largest = lost(&one("ops_acks = \"off\"\nloss_mean = \"largest\""));
    assert!((60.0..150.0).contains(&largest), "{largest}");
}

/// Datagrams of 1500 B take three slots of 576 B; nothing is lost, and everything comes out whole.
#[test]
fn long_packets_travel_in_several_slots() {
    let traffic = r#"
        [transport.udp]
        packet_size = 1500
        [[traffic]]
        transport = "udp"
        from = "a"
        to = "c"
        rate = "20 Mbps"
    "#;
    let run = run(&format!("{}{RUN}", network("", traffic)), 1);
    let (into, out) =
        (at(&run.links, "link", "ea->x", "carried_units"), at(&run.links, "link", "ec->c", "carried_units"));
    assert!((into / out - 3.0).abs() < 0.01, "{into} slots, {out} datagrams");
    assert_eq!(at(&run.links, "link", "ec->c", "carried_bits"), out * 12_000.0);
    assert_eq!(figure(&run, "dlcc_incomplete_datagrams"), 0.0);
}

/// Two datagram sources with 0.7 of the link each: with slots lost, the rest of their datagrams is of no use, and is
/// counted.
#[test]
fn a_datagram_that_lost_a_slot_is_dropped_whole() {
    let traffic = r#"
        [transport.udp]
        packet_size = 1500
        [[traffic]]
        transport = "udp"
        from = "a"
        to = "c"
        load = "poisson"
        rate = "38 Mbps"
        [[traffic]]
        transport = "udp"
        from = "u"
        to = "c"
        load = "poisson"
        rate = "38 Mbps"
    "#;
    let run = run(&format!("{}{RUN}", network("", traffic)), 1);
    assert!(figure(&run, "dlcc_incomplete_datagrams") > 100.0);
    assert!(dropped(&run, "incomplete datagram", "datagram") > 100.0);
    assert!(at(&run.links, "link", "x->ec", "dropped_units") > 1000.0);
}

/// The same with several slots for each segment of TCP, artificial ACKs and piggybacked notifications.
#[test]
fn controls_work_with_several_slots_and_on_the_back_of_packets() {
    let traffic = ONE.replace("packet_size = 576", "packet_size = 1500");
    let run = run(&format!("{}{RUN}", network("notification = \"piggyback\"\nguard = true", &traffic)), 1);
    assert!(figure(&run, "dlcc_artificial_acks") > 0.0);
    assert!(figure(&run, "dlcc_repeated_notifications") >= 0.0);
    let later = 1000.0 * (figure(&run, "dlcc_first_rate_cut") - figure(&run, "dlcc_first_loss"));
    // ACKs come every other slot or so; a notification waits for one of them, at most 1 ms.
    assert!((5.0..6.1).contains(&later), "{later}");
}

/// The paper's words: a mean over 2T with T from 0.4 to 1 s, above its threshold for more than two round trips. Where
/// TCP fills half of the link, a burst of 70 % for 200 ms raises that mean to 0.5 + 0.7/4 at most. Where TCP has filled
/// the link for long, the descriptor is at its threshold before the burst.
#[test]
fn the_literal_rule_of_detection_fires_only_where_tcp_has_filled_the_link() {
    let half = ONE.replacen("packet_size = 576", "packet_size = 576\nmax_window = \"358 packets\"", 1);
    let half = half.replace("16.5 Mbps", "38.5 Mbps");
    let literal = "window = \"800 ms\"\nhold = \"120 ms\"\nthreshold = 0.95";
    let losses = |dlcc: &str, traffic: &str| {
        let run = run(&format!("{}{RUN}", network(dlcc, traffic)), 1);
        ["dlcc_congestion_losses", "dlcc_contention_losses"].map(|name| figure(&run, name))
    };
    let [congestion, contention] = losses(literal, &half);
    assert_eq!(congestion, 0.0);
    assert!(contention > 100.0, "{contention}");
    assert!(losses("", &half)[0] > 50.0);
    assert!(losses(literal, ONE)[0] > 50.0, "the link was full for seconds");
    assert!(losses("descriptor = \"input\"", ONE)[0] > 0.0, "the input is full");
}

#[test]
fn ack_pacing_spaces_acks_and_ecn_marks_packets() {
    let off = "rate_control = false\nops_acks = \"off\"\n";
    assert!(figure(&one(&format!("{off}ack_pacing = true")), "dlcc_paced_acks") > 0.0);
    let ecn = ONE.replacen("packet_size = 576", "packet_size = 576\necn = true", 1);
    let step = "[link_defaults.core.queue]\nkind = \"step\"\nthreshold = \"5 packets\"\nothers = \"accept\"\n";
    let run = run(&format!("{}{RUN}{step}", network(off, &ecn)), 1);
    assert!(figure(&run, "marked_packets") > 0.0);
}

/// Datagrams that are smoothed, without reactions to losses.
const SMOOTHED: &str = "smoothing = \"all\"\nrate_control = false\nops_acks = \"off\"\n";

/// What enters the core from `a` and from `u`, in Mb/s, from 10 s to 20 s, with these sources of (node, start, stop,
/// Mb/s).
fn entering(keys: &str, sources: &[(&str, u32, u32, u32)]) -> [f64; 2] {
    let one = |(from, start, stop, rate): &(&str, u32, u32, u32)| {
        format!(
            "[[traffic]]\ntransport = \"udp\"\nfrom = \"{from}\"\nto = \"c\"\nstart = \"{start} s\"\nstop = \"{stop} \
                s\"\n\
             rate = \"{rate} Mbps\"\n"
        )
    };
    let traffic: String = sources.iter().map(one).collect();
    let udp = "[transport.udp]\npacket_size = 576\n";
    let span = "[run]\nduration = \"20 s\"\nwarm_up = \"10 s\"\n";
    let run = run(&format!("{}{span}", network(&format!("{SMOOTHED}{keys}"), &format!("{udp}{traffic}"))), 1);
    ["ea->x", "eb->x"].map(|link| at(&run.links, "link", link, "carried_bits") / 10e6)
}

/// A source of 8 of 55 Mb/s pauses from 2 s to 6 s, and the other edge node is silent. Eq. (1) halves a silent node's
/// rate every 50 ms: at 7 s, when the source's edge node asks, nothing is promised to the other one. If that one keeps
/// the promise of its first rate, 55 Mb/s, nothing is left.
#[test]
fn a_silent_edge_node_leaves_the_line_to_the_others() {
    let sources = [("a", 0, 2, 8), ("a", 6, 20, 8), ("u", 19, 20, 8)];
    for beyond in ["lowered", "refused"] {
        let [keeps, asks] = ["keeps", "asks"]
            .map(|silent| entering(&format!("silent = \"{silent}\"\nbeyond = \"{beyond}\""), &sources)[0]);
        assert!(keeps < 0.01, "{beyond}: {keeps} Mb/s");
        assert!((asks - 8.0).abs() < 0.08, "{beyond}: {asks} Mb/s");
    }
    let default = entering("", &sources)[0];
    assert!((default - 8.0).abs() < 0.08, "{default} Mb/s");
}

/// One edge node is promised the 8 Mb/s that come to it. To the other one come 80 Mb/s from 5 s on, so it asks for all
/// of the line, 55 Mb/s: 47 are left.
#[test]
fn a_backlog_next_to_a_promise_gets_what_is_left() {
    let sources = [("a", 5, 20, 80), ("u", 0, 20, 8)];
    let [backlog, promised] = entering("", &sources);
    assert!((backlog - 47.0).abs() < 0.47, "{backlog} Mb/s");
    assert!((promised - 8.0).abs() < 0.08, "{promised} Mb/s");
    for rule in ["service", "available"] {
        let [backlog, promised] = entering(&format!("nu_rule = \"{rule}\""), &sources);
        assert!((backlog - 47.0).abs() < 0.47, "{rule}: {backlog} Mb/s");
        assert!((promised - 8.0).abs() < 0.08, "{rule}: {promised} Mb/s");
    }
    let [refused, _] = entering("beyond = \"refused\"", &sources);
    assert!(refused < 0.01, "{refused} Mb/s");
}

/// 80 Mb/s come to "ea" and 8 to "eb". Where only "eb" supports DLCC, nothing holds the 80 back but the line of 55
/// Mb/s, and "eb" is promised its 8. Where only "ea" does, nobody else has a promise, so it is granted the line.
#[test]
fn an_edge_node_without_dlcc_neither_smooths_nor_negotiates() {
    let sources = [("a", 5, 20, 80), ("u", 0, 20, 8)];
    let [free, promised] = entering("edges = [\"eb\"]", &sources);
    assert!((free - 55.0).abs() < 0.55, "{free} Mb/s");
    assert!((promised - 8.0).abs() < 0.08, "{promised} Mb/s");
    let [alone, _] = entering("edges = [\"ea\"]", &sources);
    assert!((alone - 55.0).abs() < 0.55, "{alone} Mb/s");
}

/// TCP enters at "ea", UDP at "eb". A core node tells "ea" of the lost slots of TCP only, and measures the slots of
/// both: at the same instant it sees the first loss due to congestion.
#[test]
fn core_nodes_measure_the_slots_of_edge_nodes_without_dlcc_and_tell_them_nothing() {
    let [all, tcp, udp] =
        ["[\"ea\", \"eb\", \"ec\"]", "[\"ea\"]", "[\"eb\"]"].map(|edges| one(&format!("edges = {edges}")));
    let default = one("");
    assert_eq!((all.fingerprint, &all.summary), (default.fingerprint, &default.summary));
    assert_eq!(figure(&tcp, "dlcc_contention_losses"), 0.0);
    let places =
        texts(&tcp.drops, "where").into_iter().zip(texts(&tcp.drops, "class")).zip(numbers(&tcp.drops, "units"));
    let at_output = places.filter(|((place, class), _)| place == "x->ec" && class == "datagram");
    let datagrams: f64 = at_output.map(|(_, units)| units).sum();
    assert!(datagrams > 10.0, "{datagrams}");
    assert_eq!(figure(&tcp, "dlcc_notifications"), figure(&tcp, "dlcc_congestion_losses") - datagrams);
    assert_eq!(figure(&tcp, "dlcc_first_loss"), figure(&all, "dlcc_first_loss"));
    assert!(figure(&tcp, "dlcc_artificial_acks") > 0.0);
    // "ea" without DLCC: its source hears nothing but the receiver.
    assert_eq!(figure(&udp, "dlcc_artificial_acks"), 0.0);
    assert_eq!(figure(&udp, "dlcc_discarded_acks"), 0.0);
    assert!(udp.summary.iter().all(|figure| figure.name != "dlcc_first_rate_cut"));
    assert!(figure(&udp, "dlcc_congestion_losses") > figure(&tcp, "dlcc_congestion_losses"));
}

/// 30 Mb/s come to "ea" until 10.5 s, which asks for so much, and 55 of "eb", without DLCC, from 10 s to 10.2 s. The
/// burst is at the core 15 ms later, its excess of 30 Mb/s fills 20 places in 3 ms, and "ea" hears of it 5 ms after
/// that, at 10.023 s. Within some 10 ms the notified rate is half of what is scheduled, the floor. What comes beyond 15
/// Mb/s then waits, until the last packet comes at 10.51 s: 15 Mb/s · (0.477 to 0.487 s) = 7.15 to 7.3 Mbit. It leaves
/// at 15 Mb/s in as long, before 11 s, when the rate is decided: a triangle, of 7.2 · 0.97/2 = 3.5 Mbit·s in the 14 s
/// that are measured.
#[test]
fn the_extra_edge_buffer_is_what_builds_up_from_the_first_notification_to_the_next_decision() {
    let traffic = r#"
        [transport.udp]
        packet_size = 576
        [[traffic]]
        transport = "udp"
        from = "a"
        to = "c"
        stop = "10.5 s"
        rate = "30 Mbps"
        [[traffic]]
        transport = "udp"
        from = "u"
        to = "c"
        start = "10 s"
        stop = "10.2 s"
        rate = "55 Mbps"
    "#;
    let keys = "smoothing = \"all\"\nedges = [\"ea\"]\nfloor = 0.5\n";
    let of = |keys: &str| run(&format!("{}{RUN}", network(keys, traffic)), 1);
    let cut = of(keys);
    let link = |name: &str, value: &str| at(&cut.links, "link", name, value);
    assert_eq!(["ea->x", "eb->x"].map(|name| link(name, "extra_buffer_episodes")), [1.0, 0.0]);
    assert_eq!(["ea->x", "eb->x", "x->ec"].map(|name| link(name, "max_extra_buffer_bits") > 0.0), [true, false, false]);
    let most = link("ea->x", "max_extra_buffer_bits");
    assert!((7.05e6..7.4e6).contains(&most), "{most} bits");
    assert_eq!(link("ea->x", "mean_extra_buffer_bits"), most);
    let mean = link("ea->x", "extra_buffer_bits");
    assert!((mean * 14.0 - most * 0.97 / 2.0).abs() < 0.03 * most, "{mean} bits over the run");
    assert_eq!([figure(&cut, "max_extra_buffer"), figure(&cut, "extra_buffer")], [most, mean]);
    let deaf = of(&format!("{keys}rate_control = false\n").replace("floor = 0.5\n", ""));
    assert_eq!([figure(&deaf, "extra_buffer_episodes"), figure(&deaf, "max_extra_buffer")], [0.0, 0.0]);
    assert!(deaf.summary.iter().all(|figure| figure.name != "mean_extra_buffer"), "a mean of nothing");
}

/// rwnd < cwnd (§V.B): windows of 32 and 64 packets leave at 32/RTT and 64/RTT. A round trip is 60 ms, and a
/// transmission and at most a slot's wait at each of the four nodes that send light: up to 61 ms. Nothing is smoothed,
/// for which packets would wait, and the windows, trains of 3 and 5 ms, begin half a round trip apart, so that they do
/// not meet. Most of the line stays free.
#[test]
fn a_window_of_the_receiver_sets_the_pace_of_each_traffic() {
    let entry = |name: &str, from: &str, packets: u32, start: &str| {
        format!(
            "[transport.{name}]\nalgorithm = \"reno\"\npacket_size = 576\nmax_window = \"{packets} \
                packets\"\n[[traffic]]\n\
             transport = \"{name}\"\nfrom = \"{from}\"\nto = \"c\"\nstart = \"{start}\"\n"
        )
    };
    let traffic = format!("{}{}", entry("narrow", "a", 32, "0 s"), entry("wide", "u", 64, "30 ms"));
    let run = run(&format!("{}{RUN}", network("smoothing = \"off\"", &traffic)), 1);
    for (link, window) in [("ea->x", 32.0), ("eb->x", 64.0)] {
        let rate = at(&run.links, "link", link, "carried_units") / 14.0;
        assert!((window / 0.061..window / 0.060).contains(&rate), "{rate} packets/s by {link}");
    }
    assert_eq!(figure(&run, "dropped_packets"), 0.0);
    assert!(at(&run.links, "link", "x->ec", "utilization") < 0.14);
}

/// Two flows, at an edge node each, in slow start at once: in the first second edge nodes drop thousands of segments at
/// their full buffers (nobody reports these), and the core loses some. The printed form's ACKs name the core's, and so
/// acknowledge what edge nodes have dropped before: the receivers ask for it for ever, and nothing is acknowledged from
/// 10 s on. Guarded ACKs wait for it: nobody is stuck, and two flows fill more than half of the line.
#[test]
fn two_flows_in_slow_start_stand_still_in_the_printed_form_and_not_behind_the_guard() {
    let flow = |from: &str| format!("[[traffic]]\ntransport = \"reno\"\nfrom = \"{from}\"\nto = \"c\"\n");
    let transport = "[transport.reno]\npacket_size = 576\nmin_rto = \"1 s\"\n";
    let traffic = format!("{transport}{}{}[run]\nduration = \"20 s\"\nwarm_up = \"10 s\"\n", flow("a"), flow("u"));
    let of = |dlcc: &str| {
        let run = run(&network(dlcc, &traffic), 1);
        ["dlcc_stuck_flows", "in_order_goodput"].map(|name| figure(&run, name))
    };
    assert_eq!(of(""), [2.0, 0.0]);
    let [stuck, goodput] = of("guard = true");
    assert!(stuck == 0.0 && goodput > 27.5e6, "{stuck}, {goodput} b/s");
    // One name in a round trip passes fewer holes, and some.
    assert_eq!(of("acks_per = \"round-trip\"")[0], 1.0);
    assert_eq!(of("acks_per = \"round-trip\"\nguard = true")[0], 0.0);
}

#[test]
fn refusals_with_a_short_tau_are_warned_of() {
    let warned = |keys: &str| {
        let text = format!("{}{RUN}", network(keys, ONE));
        let source = sim::scenario::Input::Text { name: "test.toml", text: &text, folder: std::path::Path::new(".") };
        let loaded = sim::scenario::load(source, &[]).unwrap();
        loaded.warnings.iter().any(|warning| warning.contains("beyond = \"refused\""))
    };
    assert!(warned("beyond = \"refused\""), "50 ms, and decisions every second");
    assert!(!warned(""));
    assert!(!warned("beyond = \"refused\"\ntau = \"1 s\""));
}
