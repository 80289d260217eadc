//! NDP: hosts that pull over queues that trim (Handley et al., SIGCOMM 2017).

use crate::support::{Builder, figure, numbers, scenario, texts, warnings};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::scenario::{Input, load};
use sim::study::World;
use std::path::Path;

/// Ten leaves of eleven hosts at 10 Gb/s, eleven spines; links of 1 µs. Queues of eight packets, and as many bytes for
/// headers.
const LEAVES: &str = r#"
[run]
duration = "100 ms"
[topology]
kind = "leaf-spine"
leaves = 10
spines = 11
hosts = 11
host_capacity = "10 Gbps"
host_delay = "1 us"
delay = "1 us"
routing = "spray"
[link_defaults]
queue = { kind = "ndp" }
buffer = "24 kB"
[link_defaults.host]
queue = { kind = "ndp", data = "1000 packets" }
buffer = "unlimited"
"#;

const INCAST: &str = r#"
[[traffic]]
transport = "ndp"
arrivals = "incast"
to = "h0"
senders = 100
size = "135 kB"
requests = 1
"#;

fn tables(more: &str) -> Builder {
    Builder::of(LEAVES).add(more)
}

fn sum(results: &Results, column: &str) -> f64 {
    numbers(&results.flows, column).iter().sum()
}

/// Written before the run: at most 5 % above all bytes on the wire at the rate of the last link and the empty way
/// there, and no timeout. 135 000 B are 94 packets of 1436 B and a last one of 16 B.
#[test]
fn an_incast_of_100_to_1_takes_at_most_5_percent_more_than_the_ideal_without_timeouts() {
    let found = tables(INCAST).run(1);
    let bytes = 100.0 * (94.0 * 1500.0 + 80.0);
    // Four links there, and one packet on each of them besides the last link's share.
    let ideal = bytes * 8.0 / 10e9 + 4e-6 + 3.0 * 1500.0 * 8.0 / 10e9;
    let took = figure(&found, "mean_request_time");
    assert_eq!((figure(&found, "requests_completed"), sum(&found, "timeouts")), (1.0, 0.0));
    assert!(took >= ideal && took <= 1.05 * ideal, "{took} against {ideal}");
    assert!(sum(&found, "marked_segments") > 0.0, "headers have arrived");
    let causes = texts(&found.drops, "cause");
    assert!(causes.iter().all(|cause| cause == "returned"), "{causes:?}");
}

#[test]
fn memory_for_all_headers_or_fewer_packets_at_first_do_without_returned_headers() {
    for (key, value) in [("link_defaults.buffer", "\"500 kB\""), ("transport.ndp.first_window", "1")] {
        let found = tables(INCAST).add("[transport.ndp]").set(key, value).run(1);
        assert_eq!((texts(&found.drops, "cause").len(), sum(&found, "timeouts")), (0, 0.0), "{key}");
        assert!(figure(&found, "mean_request_time") < 1.05 * 0.01129, "{key}");
    }
}

#[test]
fn without_return_to_the_sender_headers_are_lost_and_timeouts_repair_that() {
    let dropping = tables(INCAST).set("link_defaults.queue.overflow", "\"drop\"").run(1);
    assert!(sum(&dropping, "timeouts") > 0.0 && figure(&dropping, "requests_completed") == 1.0);
}

/// A packet of 1500 B carries 1436 B; in 90 of 100 ms nothing is missing but a window at the start.
#[test]
fn a_single_flow_fills_the_link() {
    let flow = "[[traffic]]\ntransport = \"ndp\"\nfrom = \"h0\"\nto = \"h50\"\n";
    let found = tables(flow).set("run.warm_up", "\"10 ms\"").run(1);
    let goodput = figure(&found, "goodput");
    assert!((goodput / (10e9 * 1436.0 / 1500.0) - 1.0).abs() < 0.001, "{goodput}");
    assert_eq!((sum(&found, "retransmissions"), sum(&found, "timeouts")), (0.0, 0.0));
}

/// Eleven spines: 110 packets of 1436 B go through all of them ten times, and what comes back goes through one of them
/// once more at most. Drawn for each packet, the chance of equal shares is 110! / (10!¹¹ 11¹¹⁰), below 10⁻⁶.
#[test]
fn a_sender_goes_through_all_paths_before_it_takes_one_again() {
    let flow = "[[traffic]]\ntransport = \"ndp\"\nfrom = \"h0\"\nto = \"h50\"\nsize = \"157960 B\"\n";
    let carried = |tables: Builder| {
        let found = tables.run(1);
        let (from, to) = (texts(&found.links, "from"), texts(&found.links, "to"));
        let carried = numbers(&found.links, "carried_units");
        let of = |leaf: &str| -> Vec<f64> {
            let ends = from.iter().zip(&to).zip(&carried);
            ends.filter(|((from, to), _)| *from == leaf && to.starts_with('s')).map(|(_, carried)| *carried).collect()
        };
        (of("l0"), of("l4"))
    };
    let (there, back) = carried(tables(flow));
    assert_eq!(there, [10.0; 11]);
    let least = back.iter().copied().fold(f64::MAX, f64::min);
    assert!(least >= 10.0 && back.iter().all(|carried| *carried <= least + 1.0), "{back:?}");
    let (drawn, _) = carried(tables(flow).add("[transport.ndp]\npath_order = \"random\"\n"));
    assert!(drawn.iter().sum::<f64>() == 110.0 && drawn != there, "{drawn:?}");
}

/// Two flows to one host get half of its link each: PULLs take turns.
#[test]
fn flows_to_one_host_share_its_link_in_equal_parts() {
    let flow = |from: &str, start: &str| {
        format!("[[traffic]]\ntransport = \"ndp\"\nfrom = \"{from}\"\nto = \"h50\"\nstart = \"{start}\"\n")
    };
    let found = tables(&(flow("h0", "0 s") + &flow("h20", "1 ms"))).set("run.warm_up", "\"10 ms\"").run(1);
    let shares = numbers(&found.flows, "bytes_arrived");
    assert!((shares[0] / shares[1] - 99.0 / 97.0).abs() < 0.01, "{shares:?}");
    let all = figure(&found, "goodput");
    assert!((all / (10e9 * 1436.0 / 1500.0) - 1.0).abs() < 0.001, "{all}");
}

#[test]
fn two_threads_give_the_same_bits() {
    let text = tables(INCAST).set("run.duration", "\"20 ms\"").text();
    let fingerprint = |threads: usize, shuffle: Option<u64>| {
        let options = Options { shuffle_ties: shuffle, ..Options::default() };
        let mut world = World::build(&scenario(&text), Seed { seed: 3, run: 0 }, options).unwrap();
        world.use_threads(threads);
        if threads > 1 {
            let nodes = scenario(&text).network.nodes.len() as u32;
            world.run_until(SimTime::from_ps(50_000_000));
            world.migrate(&(0..nodes).map(|node| node % 2).collect::<Vec<_>>());
        }
        world.run_until(SimTime::NEVER);
        let found = world.finish().unwrap();
        (found.fingerprint, found.flows.columns.len(), numbers(&found.flows, "end_s"))
    };
    let (one, two) = (fingerprint(1, None), fingerprint(2, None));
    assert_eq!((one.0, one.1), (two.0, two.1));
    assert!(one.2.iter().zip(&two.2).all(|(one, two)| one == two));
}

#[test]
fn queues_that_do_not_trim_narrow_hosts_and_long_round_trips_are_told() {
    let told = warnings(&tables(INCAST).text());
    assert_eq!(told, Vec::<String>::new());
    let plain = Builder::of(
        "[run]\nduration = \"1 s\"\n[topology]\nkind = \"dumbbell\"\npairs = 4\n\
        bottleneck_capacity = \"1 Gbps\"\nbottleneck_delay = \"1 ms\"\nbottleneck_buffer = \"20 packets\"\n\
        [link_defaults]\nbuffer = \"20 packets\"\n[[traffic]]\ntransport = \"ndp\"\n",
    );
    let told = warnings(&plain.text());
    let has = |words: &str| told.iter().any(|one| one.contains(words));
    assert!(has("the queues of \"left->right\", \"right->r0\", \"right->r1\", … do not trim packets"), "{told:?}");
    assert!(has("the first window of 30 packets finds no room at its own host, at \"l0->left\""), "{told:?}");
    assert!(has("not answered within 1 ms is sent again; give it a longer resend_after"), "{told:?}");
    assert_eq!(told.len(), 3, "{told:?}");
}

fn refused(tables: &str) -> String {
    let text = tables_of(tables);
    let input = Input::Text { name: "test.toml", text: &text, folder: Path::new(".") };
    load(input, &[]).err().unwrap_or_else(|| panic!("accepted: {tables}")).to_string()
}

fn tables_of(more: &str) -> String {
    format!("{LEAVES}{INCAST}{more}")
}

#[test]
fn what_ndp_cannot_be_is_refused_with_the_allowed_range() {
    for (tables, words) in [
        ("[transport.ndp]\nfirst_window = 0\n", "must be from 1 to 65535"),
        ("[transport.ndp]\nresend_after = \"0 s\"\n", "more than zero"),
        ("[transport.ndp]\npaced = true\n", "allowed with algorithm = \"ndp\": packet_size, header, ack_size, mss"),
        ("[transport.sack]\nfirst_window = 3\n", "the key \"first_window\" is for ndp"),
        ("[transport.ndp]\nheader = \"0 B\"\n", "allowed: 1 B to 65534 B"),
        ("[[link]]\nfrom = \"l0\"\nto = \"s0\"\nqueue = { kind = \"ndp\", ratio = 0 }\n", "ratio"),
        (
            "[[link]]\nfrom = \"l0\"\nto = \"s0\"\nqueue = { kind = \"ndp\", data = \"0 packets\" }\n",
            "at least a packet",
        ),
        (
            "[[link]]\nfrom = \"l0\"\nto = \"s0\"\nqueue = { kind = \"ndp\", overflow = \"burn\" }\n",
            "allowed: return, drop",
        ),
    ] {
        let said = refused(tables);
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn what_explain_writes_of_ndp_is_the_same_again() {
    let explain = |text: &str| {
        let input = Input::Text { name: "test.toml", text, folder: Path::new(".") };
        load(input, &[]).unwrap().explain()
    };
    let first = explain(&tables_of("[transport.ndp]\nfirst_window = 12\npacket_size = \"9 kB\"\n"));
    assert!(first.contains("first_window = 12") && first.contains("resend_after"), "{first}");
    assert_eq!(explain(&first), first);
}

/// 15 µs before the end of the first window, a link of the way is broken: what was on it is lost without a word.
#[test]
fn lost_packets_come_again_after_the_timeout() {
    let flow = "[[traffic]]\ntransport = \"ndp\"\nfrom = \"h0\"\nto = \"h1\"\nsize = \"100 kB\"\n\
        [[event]]\nat = \"20 us\"\nlink = \"l0->h1\"\nstate = \"down\"\n\
        [[event]]\nat = \"30 us\"\nlink = \"l0->h1\"\nstate = \"up\"\n";
    let found = tables(flow).run(1);
    assert!(sum(&found, "timeouts") >= 1.0 && sum(&found, "bytes_acked") == 100_000.0);
    assert!((0.001..0.003).contains(&numbers(&found.flows, "end_s")[0]));
}

/// Three packets a flow over two paths of equal cost, whose last links trim all but one packet; one path is 50 µs
/// longer. A header's PULL may take the short path while its NACK takes the long one. NDP, §3.2: each PULL brings a
/// packet, so that every flow ends within some round trips of 0.1 ms. Paths are drawn, since no queue gets all three
/// packets of an end that goes through both.
#[test]
fn a_pull_that_comes_before_its_nack_costs_no_timeout() {
    let mut text = String::from("[run]\nduration = \"800 ms\"\n[topology]\nkind = \"custom\"\nrouting = \"spray\"\n");
    text += "[transport.ndp]\npath_order = \"random\"\n";
    for (name, role) in [("a", "host"), ("b", "host"), ("x", "core"), ("y", "core")] {
        text += &format!("[[node]]\nname = \"{name}\"\nrole = \"{role}\"\n");
    }
    let mut link = |from: &str, to: &str, gbps: u32, delay: &str, queue: &str| {
        text += &format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nduplex = false\ncost = 1\ncapacity = \"{gbps} Gbps\"\n\
             delay = \"{delay}\"\n{queue}\n"
        );
    };
    let trims = "queue = { kind = \"ndp\", data = \"1 packet\" }\nbuffer = \"24 kB\"";
    let host = "queue = { kind = \"ndp\", data = \"1000 packets\" }\nbuffer = \"unlimited\"";
    for (middle, delay) in [("x", "1 us"), ("y", "50 us")] {
        link("a", middle, 10, delay, host);
        link(middle, "b", 1, "1 us", trims);
        link("b", middle, 10, "1 us", host);
        link(middle, "a", 10, delay, trims);
    }
    for flow in 0..40 {
        text += &format!(
            "[[traffic]]\ntransport = \"ndp\"\nfrom = \"a\"\nto = \"b\"\nsize = \"4308 B\"\nflows = 1\n\
             start = \"{} ms\"\n",
            10 * flow
        );
    }
    let found = Builder::of(text).run(1);
    let took = numbers(&found.flows, "end_s").into_iter().zip(numbers(&found.flows, "start_s"));
    let longest = took.map(|(end, start)| end - start).fold(0.0, f64::max);
    assert!(sum(&found, "marked_segments") > 0.0, "headers have arrived");
    assert_eq!((sum(&found, "bytes_acked"), sum(&found, "timeouts")), (40.0 * 4308.0, 0.0));
    assert!(longest < 1e-3, "{longest} s");
}

/// Applications know no kind of host. A response is 69 packets of 1500 B and one of 980 B, 82.8 and 0.784 µs at
/// 10 Gb/s. The last full packet is stored at three switches, 1.2 µs each, the last one follows it without a break, and
/// its ACK takes 4 times 0.051 µs; both have 4 µs of fibres. With 100 µs to think response n is acknowledged at
/// n · 195.39 − 100 µs: 512 in 100 ms.
#[test]
fn responses_over_ndp_take_their_time_on_the_wire_and_a_round_trip() {
    let found = tables(
        "[[traffic]]\ntransport = \"ndp\"\nfrom = \"h0\"\nto = \"h50\"\n\
         application = { kind = \"request-response\", response = \"100 kB\", \
         think = { law = \"constant\", mean = \"100 us\" } }\n",
    )
    .run(1);
    assert_eq!(sum(&found, "bytes_acked"), 512.0 * 100e3);
    assert_eq!((sum(&found, "timeouts"), sum(&found, "marked_segments")), (0.0, 0.0));
}

/// Written before the run: twenty hosts that answer one with 50 kB and hardly think keep its link busy. A response's
/// last packet says that nothing is to be pulled behind it, so that PULLs for nothing cost little: at least 90 % of the
/// link's payload, and no timeout though first windows are trimmed.
#[test]
fn responses_of_many_share_the_link_of_who_asks() {
    let asks = (20..40).map(|host| {
        format!(
            "[[traffic]]\ntransport = \"ndp\"\nfrom = \"h{host}\"\nto = \"h0\"\n\
             application = {{ kind = \"request-response\", response = \"50 kB\", \
             think = {{ law = \"exponential\", mean = \"50 us\" }} }}\n"
        )
    });
    let found = tables(&asks.collect::<String>()).run(1);
    let share = sum(&found, "bytes_acked") * 8.0 / (0.1 * 10e9 * 1436.0 / 1500.0);
    assert!((0.9..=1.0).contains(&share), "{share}");
    assert!(sum(&found, "marked_segments") > 0.0 && sum(&found, "timeouts") == 0.0, "{}", sum(&found, "timeouts"));
}

/// Equal steps and on-times: what is written arrives, in what would be transfers of their own.
#[test]
fn what_is_written_now_and_then_arrives_over_ndp() {
    let flow = "[[traffic]]\ntransport = \"ndp\"\nfrom = \"h0\"\nto = \"h50\"\nstop = \"90 ms\"\napplication = ";
    let paced = format!("{flow}{{ kind = \"paced\", write = \"20 kB\", every = \"1 ms\" }}\n");
    assert_eq!(sum(&tables(&paced).run(1), "bytes_acked"), 90.0 * 20e3);
    // Every 10 µs, before the last has been answered.
    let dense = format!("{flow}{{ kind = \"paced\", write = \"2 kB\", every = \"10 us\" }}\n");
    assert_eq!(sum(&tables(&dense).run(1), "bytes_acked"), 9000.0 * 2e3);
    let times = "{ law = \"constant\", mean = \"1 ms\" }";
    let on_off =
        format!("{flow}{{ kind = \"on-off\", write = \"1 kB\", rate = \"1 Gbps\", on = {times}, off = {times} }}\n");
    let found = tables(&on_off).run(1);
    // 45 on-times of 125 kB, of which the first or the last may be cut.
    let bytes = sum(&found, "bytes_acked");
    assert!((44.0 * 125e3..=45.0 * 125e3).contains(&bytes) && sum(&found, "timeouts") == 0.0, "{bytes}");
}
