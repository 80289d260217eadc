//! Hosts' own links: how flows of one host share the link by which they leave.

use crate::support::{at, numbers, run, scenario};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;

/// Hosts of one leaf at 1 Gb/s: 1500 B last 12 µs, and there is 1 µs from host to leaf and from leaf to host. A flow
/// may send a thousand segments of 1460 B at once.
fn leaf(queue: &str, traffic: &str) -> String {
    format!(
        "[run]\nduration = \"100 ms\"\n[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 1\nhosts = 5\n\
         host_capacity = \"1 Gbps\"\n[link_defaults]\nbuffer = \"unlimited\"\n{queue}\n\
         [transport.sack]\ninitial_window = 1000\n{traffic}"
    )
}

const BY_FLOW: &str = "[link_defaults.host]\nqueue = { kind = \"drr\" }";
const FIFO: &str = "[link_defaults.host]\nqueue = { kind = \"drop-tail\" }";

/// A flow of so many full segments from h0.
fn flow(to: &str, segments: u64, start: &str) -> String {
    let size = 1460 * segments;
    format!(
        "[[traffic]]\ntransport = \"sack\"\nfrom = \"h0\"\nto = \"{to}\"\nsize = \"{size} B\"\nstart = \"{start}\"\n"
    )
}

/// When the last byte of each flow came, in nanoseconds.
fn delivered(results: &Results) -> Vec<u64> {
    numbers(&results.flows, "delivered_s").iter().map(|seconds| (seconds * 1e9).round() as u64).collect()
}

/// When a packet is at its host that is the `place`-th to leave h0 after 0, all of 1500 B: it is sent twice.
fn arrives(place: u64) -> u64 {
    12_000 * (place + 1) + 2_000
}

/// The first packet finds the link free. Then the first flow has n − 1 and the others n each, and all take turns: its
/// last is behind n − 2 whole rounds, those of the others follow each other.
#[test]
fn flows_of_a_host_share_its_link_packet_by_packet() {
    for (flows, each) in [(2, 100), (3, 100), (4, 7)] {
        let traffic: String = (1..=flows).map(|number| flow(&format!("h{number}"), each, "0 s")).collect();
        let found = delivered(&run(&leaf(BY_FLOW, &traffic), 1));
        let first = 1 + flows * (each - 2) + 1;
        let others = (1..flows).map(|number| 1 + flows * (each - 1) + number);
        let expected: Vec<u64> = [first].into_iter().chain(others).map(arrives).collect();
        assert_eq!(found, expected, "{flows} flows of {each} packets");
        let in_order: Vec<u64> = (1..=flows).map(|number| arrives(number * each)).collect();
        assert_eq!(delivered(&run(&leaf(FIFO, &traffic), 1)), in_order);
    }
}

/// A short flow of k packets begins in the middle of the eleventh packet of a long one whose window is W packets. By
/// flow, its packets are the 12th, the 14th, …; first in, first out, they are behind the whole window.
#[test]
fn a_short_flow_waits_for_a_packet_before_each_of_its_own_and_in_a_fifo_for_the_whole_window() {
    for (window, short) in [(1000, 10), (100, 1), (200, 40)] {
        let traffic = flow("h1", window, "0 s") + &flow("h2", short, "126 us");
        assert_eq!(delivered(&run(&leaf(BY_FLOW, &traffic), 1))[1], arrives(11 + 2 * short - 1));
        assert_eq!(delivered(&run(&leaf(FIFO, &traffic), 1))[1], arrives(window + short));
    }
}

/// Datagrams of 900 and of 300 Mb/s ask for 1.2 of a link of 1 Gb/s: by flow the smaller has all that it asks for,
/// whatever its packets are; first in, first out, each has five sixths.
#[test]
fn who_asks_for_less_than_a_share_has_all_of_it() {
    let source = |to: &str, size: u32, rate: u32| {
        format!(
            "[transport.{to}]\nalgorithm = \"udp\"\npacket_size = \"{size} B\"\n[[traffic]]\ntransport = \"{to}\"\n\
             from = \"h0\"\nto = \"{to}\"\nload = \"constant\"\nrate = \"{rate} Mbps\"\n"
        )
    };
    for (one, other) in [(1500, 300), (300, 1500)] {
        let traffic = source("h1", one, 900) + &source("h2", other, 300);
        let rates = |queue| numbers(&run(&leaf(queue, &traffic), 1).flows, "goodput_bps");
        for (queue, expected) in [(BY_FLOW, [700e6, 300e6]), (FIFO, [750e6, 250e6])] {
            let found = rates(queue);
            let near = found.iter().zip(expected).all(|(rate, of)| (rate / of - 1.0).abs() < 0.01);
            assert!(near, "{queue}: {found:?}");
        }
    }
}

/// Small queues of Linux: a bound of ten segments.
const BOUND: &str = "limit_output = \"14600 B\"\n";

/// One more than the bound waits, as the kernel looks before it sends. So a short flow of k packets, eleven at most,
/// that begins in the middle of the eleventh packet is behind that and eleven others, even first in, first out.
#[test]
fn a_bound_of_a_flow_s_own_queue_lets_others_in_and_costs_it_nothing() {
    for short in [1, 5, 11] {
        let traffic = |bound: &str| bound.to_owned() + &flow("h1", 1000, "0 s") + &flow("h2", short, "126 us");
        let found = run(&leaf(FIFO, &traffic(BOUND)), 1);
        assert_eq!(delivered(&found), [arrives(1000 + short), arrives(22 + short)], "{short} packets");
        let most = |results: &Results| at(&results.links, "link", "h0->l0", "max_queue");
        assert_eq!(most(&found), (11 + short) as f64);
        assert_eq!(most(&run(&leaf(FIFO, &traffic("")), 1)), 999.max(989 + short) as f64);
    }
}

/// In turn with a bound as without: flows that share a link send as soon as the transmitter is free.
#[test]
fn by_flow_the_bound_changes_no_departure() {
    let traffic = flow("h1", 300, "0 s") + &flow("h2", 200, "0 s") + &flow("h3", 40, "777 us");
    let bounded = run(&leaf(BY_FLOW, &(BOUND.to_owned() + &traffic)), 1);
    assert_eq!(delivered(&bounded), delivered(&run(&leaf(BY_FLOW, &traffic), 1)));
    assert!(at(&bounded.links, "link", "h0->l0", "max_queue") <= 33.0);
}

/// Both kinds of hosts, with losses in the network.
#[test]
fn hosts_give_the_same_on_1_2_and_5_threads() {
    for queue in [BY_FLOW, FIFO] {
        let core = "[link_defaults.core]\nbuffer = \"20 packets\"\n";
        let traffic = "[transport.kernel]\nalgorithm = \"linux-cubic\"\nlimit_output = \"60 kB\"\n\
                       [[traffic]]\ntransport = \"kernel\"\npairs = \"random\"\nflows = 20\nspread = \"20 ms\"\n\
                       [[traffic]]\ntransport = \"sack\"\npairs = \"random\"\nflows = 20\nsize = \"100 kB\"\n\
                       spread = \"50 ms\"\n";
        let scenario = scenario(&leaf(&format!("{queue}\n{core}"), traffic));
        let on = |threads| {
            let mut world = World::build(&scenario, Seed { seed: 1, run: 0 }, Options::default()).unwrap();
            world.use_threads(threads);
            world.run_until(SimTime::NEVER);
            let Results { fingerprint, flows, links, .. } = world.finish().unwrap();
            format!("{fingerprint} {flows:?} {links:?}")
        };
        let alone = on(1);
        [2, 5].into_iter().for_each(|threads| assert!(on(threads) == alone, "{queue} on {threads} threads"));
    }
}

/// Two sources of 600 Mb/s each send a packet of 1500 B every 20 µs into a link that sends one in 12 µs. By t µs on
/// average t/10 + 1 have come and t/12 + 1/2 have left, so that t/60 + 1/2 wait: 1583.8 in the last tenth of 100 ms. A
/// remark says so where they wait for each other, first in, first out, and nowhere else.
#[test]
fn a_remark_says_where_flows_wait_for_each_other_at_their_own_host() {
    let source = |from: &str, to: &str, rate: u32| {
        format!(
            "[[traffic]]\ntransport = \"udp\"\nfrom = \"{from}\"\nto = \"{to}\"\nload = \"constant\"\n\
             rate = \"{rate} Mbps\"\n"
        )
    };
    let udp = "[transport.udp]\npacket_size = \"1500 B\"\n";
    let remarks = |queue: &str, traffic: String| run(&leaf(queue, &(udp.to_owned() + &traffic)), 1).remarks;
    let two = || source("h0", "h1", 600) + &source("h0", "h2", 600);
    let [said] = &remarks(FIFO, two())[..] else { panic!("one remark") };
    assert!(said.contains("1584 packets waited at h0->l0, a host's own link, and at most 0 at any other"), "{said}");
    for (queue, traffic) in [
        // In turn.
        (BY_FLOW, two()),
        // One flow waits for itself.
        (FIFO, source("h0", "h1", 1200)),
        // Below the capacity of the link.
        (FIFO, source("h0", "h1", 400) + &source("h0", "h2", 400)),
        // More waits in the network: three hosts send 1.2 Gb/s to a fourth, each by two flows.
        (FIFO, [0, 1, 2].map(|from| source(&format!("h{from}"), "h3", 200).repeat(2)).concat()),
    ] {
        assert_eq!(remarks(queue, traffic.clone()), Vec::<String>::new(), "{queue}: {traffic}");
    }
}

/// A link that goes down elsewhere leaves the bound as it is, and a host whose own link does so has none.
#[test]
fn a_failure_elsewhere_leaves_small_queues_alone() {
    let traffic = BOUND.to_owned() + &flow("h1", 1000, "0 s");
    let most = |link: &str| {
        let event = format!("[[event]]\nat = \"90 ms\"\nlink = \"{link}\"\nstate = \"down\"\n");
        at(&run(&leaf(FIFO, &(traffic.clone() + &event)), 1).links, "link", "h0->l0", "max_queue")
    };
    assert_eq!([most("h3-l0"), most("l1-s0")], [11.0, 11.0]);
    assert_eq!(most("h0-l0"), 999.0);
}

/// Two hosts on one link: it is the bottleneck that was drawn, and nothing is said of it.
#[test]
fn a_link_between_two_hosts_is_no_host_s_own_queue() {
    let text = "[run]\nduration = \"10 s\"\n[[link]]\nfrom = \"a\"\nto = \"b\"\ncapacity = \"10 Mbps\"\n\
                delay = \"1 ms\"\nbuffer = \"50 packets\"\n[[traffic]]\ntransport = \"sack\"\nfrom = \"a\"\n\
                to = \"b\"\nflows = 2\n";
    assert_eq!(run(text, 1).remarks, Vec::<String>::new());
}
