//! Laws that read what ports measure: HPCC and PowerTCP at the rest that their papers compute, in packets.

use crate::support::told::{self, bottleneck};
use crate::support::{figure, numbers, refusal, run, scenario, texts};
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;

/// A law over TCP.
fn dumbbell(law: &str, flows: u32, more: &str) -> String {
    told::dumbbell(&format!("algorithm = \"{law}\"\n{more}"), flows)
}

/// W = W · η/U + W_AI for each of n flows, and U · BDP = n · W: U = η + (1 − η) · n/N.
#[test]
fn hpcc_rests_at_eta_and_what_its_additive_increase_adds() {
    for (flows, expected) in [(1, 100), (4, 8)] {
        let run = run(&dumbbell("hpcc", flows, &format!("hpcc_flows = {expected}")), 1);
        let load = 0.95 + 0.05 * f64::from(flows) / f64::from(expected);
        let found = bottleneck(&run, "utilization");
        assert!((found - load).abs() < 0.01, "{flows} flows of {expected}: {found}, not {load}");
        assert!(bottleneck(&run, "mean_queue") < 1.0, "the queue is empty");
        assert_eq!(bottleneck(&run, "dropped_units"), 0.0);
    }
}

/// A difference between two windows shrinks by η/U, 0.974, in a round trip: here, of 0.5 ms, to a thousandth in 135 ms.
/// Windows are 103 segments, so that a segment more or less is 1 %.
#[test]
fn hpccs_windows_become_equal() {
    let long = dumbbell("hpcc", 4, "hpcc_flows = 8").replace("50 us", "250 us");
    let long = long.replace("\"60 ms\"", "\"240 ms\"") + "[probe]\ninterval = \"1 ms\"\nflows = [0, 1, 2, 3]\n";
    let run = run(&long, 1);
    let windows = ["flow 0", "flow 1", "flow 2", "flow 3"].map(|flow| mean_window(&run, flow, 0.16));
    let mean = windows.iter().sum::<f64>() / 4.0;
    assert!(windows.iter().all(|window| (window / mean - 1.0).abs() < 0.03), "{windows:?}");
}

/// The mean of a flow's samples of cwnd from a time on.
fn mean_window(run: &Results, flow: &str, from: f64) -> f64 {
    let times = numbers(&run.series, "t_s");
    let (entities, quantities) = (texts(&run.series, "entity"), texts(&run.series, "quantity"));
    let is_one = |row: &usize| times[*row] >= from && entities[*row] == flow && quantities[*row] == "cwnd";
    let values = numbers(&run.series, "value");
    let found: Vec<f64> = (0..times.len()).filter(is_one).map(|row| values[row]).collect();
    found.iter().sum::<f64>() / found.len() as f64
}

/// The power is 1 + q/BDP, so w = w/(1 + q/BDP) + β rests where q is β, the bandwidth-delay product by 20 here, 6.5 kB
/// or 4.3 packets: for one flow, and as many times as that for more.
#[test]
fn powertcp_rests_with_its_betas_in_the_queue() {
    for flows in [1, 4] {
        let run = run(&dumbbell("powertcp", flows, "powertcp_flows = 20"), 1);
        assert!(bottleneck(&run, "utilization") > 0.99, "{}", bottleneck(&run, "utilization"));
        let (queue, beta) = (bottleneck(&run, "mean_queue"), 4.3 * f64::from(flows));
        assert!((queue - beta).abs() < 0.25 * beta + 1.0, "{flows} flows: {queue} packets, not {beta}");
        assert_eq!(bottleneck(&run, "dropped_units"), 0.0);
    }
}

/// Without telemetry β is a segment for each flow.
#[test]
fn theta_powertcp_fills_the_link_with_few_packets_in_the_queue() {
    let run = run(&dumbbell("theta-powertcp", 4, ""), 1);
    assert!(bottleneck(&run, "utilization") > 0.98, "{}", bottleneck(&run, "utilization"));
    assert!(bottleneck(&run, "mean_queue") < 12.0, "{}", bottleneck(&run, "mean_queue"));
}

/// 40 B of TCP and IP and HPCC's 42: 1418 B of payload in 1500.
#[test]
fn telemetry_has_its_bytes_on_the_wire() {
    let scenario = scenario(&dumbbell("hpcc", 1, ""));
    let kind = &scenario.transports[0].kind;
    assert_eq!((kind.header(), kind.ack_size(), kind.largest_packet()), (82, 82, 1500));
}

#[test]
fn the_same_on_two_threads_and_over_sprayed_paths() {
    let sprayed = r#"
        [run]
        duration = "3 ms"
        [topology]
        kind = "leaf-spine"
        leaves = 2
        spines = 2
        hosts = 8
        host_capacity = "10 Gbps"
        routing = "spray"
        [transport.told]
        algorithm = "hpcc"
        [[traffic]]
        transport = "told"
        flows = 8
    "#;
    for text in [dumbbell("hpcc", 4, ""), dumbbell("powertcp", 4, ""), sprayed.to_owned()] {
        let scenario = scenario(&text);
        let on = |threads| {
            let mut world = World::build(&scenario, Seed { seed: 3, run: 0 }, Options::default()).unwrap();
            world.use_threads(threads);
            world.run_until(sim::SimTime::NEVER);
            world.finish().unwrap().fingerprint
        };
        assert_eq!(on(1), on(2));
    }
}

#[test]
fn a_way_on_which_no_port_measures_is_refused_with_its_links() {
    let silent =
        dumbbell("hpcc", 1, "").replace("[transport.told]", "[link_defaults]\ntelemetry = false\n[transport.told]");
    let why = refusal(&silent, &[]);
    assert!(why.contains("traffic.0.transport: its law reads what ports measure, and none does on the way"), "{why}");
    assert!(why.contains("\"l0->left\", \"left->right\", \"right->r0\""), "{why}");
    let stamped = refusal(&dumbbell("powertcp", 1, "timestamps = true"), &[]);
    assert!(stamped.contains("timestamps must be off with a law whose packets carry telemetry"), "{stamped}");
}

/// 10 Gb/s become 5 Gb/s. A sender that hears of it from the queue sends 10 Gb/s for a round trip more, and half of
/// that stays: 65 kB, 43 packets. Told a round trip ahead it sends half when it is half. Written before the run: at
/// least 35 packets, and at most 15.
#[test]
fn told_ahead_a_link_that_halves_has_no_queue() {
    for (law, more) in [("powertcp", "powertcp_flows = 20"), ("hpcc", "hpcc_flows = 20")] {
        let with = |ahead: &str| {
            let text = dumbbell(law, 1, &format!("{more}\n{ahead}"));
            let event = "[[event]]\nat = \"40 ms\"\nlink = \"left->right\"\ncapacity = \"5 Gbps\"\n";
            bottleneck(&run(&(text + event), 1), "max_queue")
        };
        let (now, ahead) = (with(""), with("ahead = \"105 us\""));
        assert!(now >= 35.0 && ahead <= 15.0, "{law}: {now} packets, told ahead {ahead}");
    }
}

/// Each millisecond 5 and 10 Gb/s. Who learns of the other half a round trip late leaves 65 kB of the 1.875 MB of a
/// period, 3.5 %. Written before the run: told ahead, at least 2 % more arrive, and the queue is shorter.
#[test]
fn told_ahead_a_link_that_doubles_is_used_at_once() {
    let with = |ahead: &str| {
        let text = dumbbell("powertcp", 1, &format!("powertcp_flows = 20\n{ahead}"));
        let phases = "[[link_phases]]\nlink = \"left->right\"\n\
            phases = [{ duration = \"1 ms\", capacity = \"5 Gbps\" }, { duration = \"1 ms\" }]\n";
        let found = run(&(text + phases), 1);
        (figure(&found, "goodput"), bottleneck(&found, "mean_queue"))
    };
    let (now, ahead) = (with(""), with("ahead = \"105 us\""));
    assert!(ahead.0 > 1.02 * now.0 && ahead.1 < now.1, "{now:?}, told ahead {ahead:?}");
}

/// Ports say one rate for all flows, C/n.
#[test]
fn rcp_rests_at_the_fair_rate_without_a_queue() {
    for flows in [1, 4] {
        let found = run(&dumbbell("rcp", flows, ""), 1);
        let load = bottleneck(&found, "utilization");
        assert!((0.96..=1.0).contains(&load), "{flows} flows: {load}");
        assert!(bottleneck(&found, "mean_queue") < 5.0, "{flows} flows: {}", bottleneck(&found, "mean_queue"));
        let bytes = numbers(&found.flows, "bytes_arrived");
        let mean = bytes.iter().sum::<f64>() / f64::from(flows);
        assert!(bytes.iter().all(|bytes| (bytes / mean - 1.0).abs() < 0.05), "{bytes:?}");
    }
}

/// IWQoS 2005, §3: a sender sends at the rate that it is told, be that whole packets in a round trip or not: 10 Mb/s
/// and 60 ms are 50 packets for 20, 30, 36 or 50 flows. Packets that meet wait for one another: by eq. (2) a mean queue
/// of q leaves β q/(α d) of the link, which is 0.7 % with 0.6 packets and 2.3 % with two.
#[test]
fn rcps_senders_send_a_part_of_a_packet_in_a_round_trip() {
    for flows in [20, 30, 36, 50] {
        let long = dumbbell("rcp", flows, "").replace("10 Gbps", "10 Mbps").replace("40 Gbps", "200 Mbps");
        let long = long.replace("\"50 us\"", "\"29 ms\"").replace("\"1 us\"", "\"200 us\"");
        let long = long.replace("\"60 ms\"", "\"30 s\"").replace("\"30 ms\"", "\"15 s\"");
        let found = run(&long.replace("\"1 ms\"", "\"40 ms\""), 1);
        let (load, queue) = (bottleneck(&found, "utilization"), bottleneck(&found, "mean_queue"));
        assert!(load > 0.975 && queue < 2.5, "{flows} flows: {load}, {queue} packets");
    }
}

/// A window is at most what a host's link sends in a round trip: 8 flows hold 8 products, 96 packets, at most, and with
/// β of a segment their shares are alike.
#[test]
fn theta_powertcps_flows_share_a_link_as_fast_as_their_own() {
    let same = dumbbell("theta-powertcp", 8, "").replace("40 Gbps", "10 Gbps").replace("\"50 us\"", "\"5 us\"");
    let found = run(&(same + "[link_defaults.host]\nbuffer = \"unlimited\"\n"), 1);
    let bytes = numbers(&found.flows, "bytes_arrived");
    let (least, most) = bytes.iter().fold((f64::MAX, 0.0_f64), |(least, most), b| (least.min(*b), most.max(*b)));
    assert!(bottleneck(&found, "max_queue") <= 96.0, "{}", bottleneck(&found, "max_queue"));
    assert!(most / least < 2.0, "{bytes:?}");
    assert_eq!(bottleneck(&found, "dropped_units"), 0.0);
}

/// A packet has room for eight hops. Ten that measure are refused, eight are not.
#[test]
fn a_way_on_which_more_ports_measure_than_a_packet_has_room_for_is_refused() {
    let chain = |law: &str, hops: u32, silent: &str| {
        let mut text = String::from("[run]\nduration = \"1 ms\"\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n");
        for hop in 0..hops {
            text += &format!("[[node]]\nname = \"c{hop}\"\nrole = \"core\"\n");
        }
        for hop in 0..=hops {
            let from = if hop == 0 { "a".to_owned() } else { format!("c{}", hop - 1) };
            let to = if hop == hops { "b".to_owned() } else { format!("c{hop}") };
            let silent = if hop < 3 { silent } else { "" };
            text += &format!(
                "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\ncapacity = \"10 Gbps\"\ndelay = \"5 us\"\n{silent}\n"
            );
        }
        text + &format!("[[traffic]]\ntransport = \"{law}\"\nfrom = \"a\"\nto = \"b\"\n")
    };
    for law in ["hpcc", "powertcp"] {
        let why = refusal(&chain(law, 10, ""), &[]);
        assert!(why.contains("its law reads what ports measure, and 10 do on the way \"a->c0\""), "{why}");
        assert!(why.contains("allowed: 8"), "{why}");
        scenario(&chain(law, 8, ""));
        scenario(&chain(law, 10, "telemetry = false"));
    }
    scenario(&chain("rcp", 10, ""));
}

/// As the others: told a round trip ahead, RCP's ports lower the rate before the link halves.
#[test]
fn told_ahead_rcp_has_less_of_a_queue() {
    let with = |ahead: &str| {
        let text = dumbbell("rcp", 4, ahead);
        let event = "[[event]]\nat = \"40 ms\"\nlink = \"left->right\"\ncapacity = \"5 Gbps\"\n";
        bottleneck(&run(&(text + event), 1), "max_queue")
    };
    let (now, ahead) = (with(""), with("ahead = \"600 us\""));
    assert!(ahead < 0.5 * now, "{now} packets, told ahead {ahead}");
}

#[test]
fn ports_go_by_one_set_of_parameters_of_rcp() {
    let two = dumbbell("rcp", 1, "")
        + "[transport.other]\nalgorithm = \"rcp\"\nrcp_alpha = 0.2\n[[traffic]]\ntransport = \"other\"\n";
    let why = refusal(&two, &[]);
    assert!(why.contains("traffic.1.transport: another traffic has other parameters of rcp"), "{why}");
}

#[test]
fn a_controller_that_is_told_nothing_is_not_told_ahead() {
    let xcp = dumbbell("xcp", 1, "") + "[link_defaults]\nxcp = { follows = false, ahead = \"1 ms\" }\n";
    let why = refusal(&xcp, &[]);
    assert!(why.contains("link_defaults.xcp.ahead: needs follows = true"), "{why}");
}

/// HPCC, §4.1: 2 B, and 8 B a hop. 100 segments of 958 B with 42 B around them meet two ports that measure; each
/// ACK has what their number says.
#[test]
fn a_record_that_grows_has_its_bytes_on_each_link() {
    let sent = |more: &str| {
        let keys = format!("algorithm = \"hpcc\"\nhpcc_flows = 1\npacket_size = 1000\n{more}");
        told::hundredths_on_links(&keys, 95_800)
    };
    assert_eq!(sent("telemetry_size = \"growing\""), [1000.0, 1008.0, 1016.0, 58.0]);
    assert_eq!(sent("telemetry_size = \"growing\"\ntelemetry_echo = \"newest\""), [1000.0, 1008.0, 1016.0, 50.0]);
    // 104 segments of 918 B and one of 328 B, each with 82 B.
    assert_eq!(sent("telemetry_echo = \"maximum\""), [1044.1, 1044.1, 1044.1, 86.1]);
}

/// One hop is the bottleneck, so that it is the maximum whenever a queue is there, and what HPCC goes by.
#[test]
fn hpcc_rests_where_it_did_by_the_maximum_alone_and_with_a_record_that_grows() {
    told::hpcc_rests_by_either_record(|more| dumbbell("hpcc", 4, &format!("hpcc_flows = 8\n{more}")));
}

#[test]
fn records_are_of_laws_that_read_them_and_packets_keep_room_to_grow() {
    let why = |law: &str, more: &str| refusal(&dumbbell(law, 1, more), &[]);
    for law in ["rcp", "cubic", "udp", "ndp", "quic-cubic"] {
        let why = why(law, "telemetry_echo = \"newest\"");
        assert!(why.contains("\"telemetry_echo\" goes with a law that reads telemetry: hpcc, powertcp"), "{why}");
    }
    let why = why("hpcc", "telemetry_size = \"growing\"\npacket_size = 65500");
    assert!(why.contains("packets of 65500 B would grow beyond 65535 B; allowed: 65471 B"), "{why}");
}
