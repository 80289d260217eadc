//! Laws that the network tells, under QUIC: the rest that their papers compute, as TCP has it, and every law of the
//! registry.

use crate::support::told::{self, bottleneck};
use crate::support::{Builder, loaded, numbers, refusal, run, scenario};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::study::World;
use transport::cc;

/// A law over QUIC.
fn dumbbell(law: &str, flows: u32, more: &str) -> String {
    told::dumbbell(&format!("algorithm = \"quic\"\ncongestion_control = \"{law}\"\n{more}"), flows)
}

/// Written before the run, as for TCP: U = η + (1 − η) · n/N.
#[test]
fn hpcc_rests_at_eta_and_what_its_additive_increase_adds() {
    for (flows, expected) in [(1, 100), (4, 8)] {
        let run = run(&dumbbell("hpcc", flows, &format!("hpcc_flows = {expected}")), 1);
        let load = 0.95 + 0.05 * f64::from(flows) / f64::from(expected);
        let found = bottleneck(&run, "utilization");
        assert!((found - load).abs() < 0.01, "{flows} flows of {expected}: {found}, not {load}");
        assert_eq!(bottleneck(&run, "dropped_units"), 0.0);
    }
}

/// The queue is n times β, the bandwidth-delay product by 20: 6.5 kB, 4.3 packets; within TCP's bounds.
#[test]
fn powertcp_rests_with_its_betas_in_the_queue() {
    for flows in [1, 4] {
        let run = run(&dumbbell("powertcp", flows, "powertcp_flows = 20"), 1);
        let (queue, beta) = (bottleneck(&run, "mean_queue"), 4.3 * f64::from(flows));
        assert!(bottleneck(&run, "utilization") > 0.99, "{}", bottleneck(&run, "utilization"));
        assert!((queue - beta).abs() < 0.25 * beta + 1.0, "{flows} flows: {queue} packets, not {beta}");
    }
}

/// Four flows of RCP and of XCP over 100 Mb/s with 40 ms: both fill the link, lose nothing and share it alike. Written
/// before the run: 95 % of it are used from 4 s on, and each flow has a quarter within 5 %.
#[test]
fn routers_that_grant_rates_share_the_link_alike() {
    for (law, more) in [("rcp", ""), ("xcp", "[link_defaults.xcp]\n")] {
        let text = dumbbell(law, 4, "")
            .replace("\"60 ms\"", "\"8 s\"")
            .replace("\"30 ms\"", "\"4 s\"")
            .replace("10 Gbps", "100 Mbps")
            .replace("50 us", "19 ms");
        let run = run(&(text + more), 1);
        let goodput = numbers(&run.flows, "goodput_bps");
        let mean = goodput.iter().sum::<f64>() / 4.0;
        assert!(bottleneck(&run, "utilization") > 0.95, "{law}: {}", bottleneck(&run, "utilization"));
        assert!(goodput.iter().all(|one| (one / mean - 1.0).abs() < 0.05), "{law}: {goodput:?}");
        assert_eq!(bottleneck(&run, "dropped_units"), 0.0, "{law}");
    }
}

/// What the network writes is as long as with TCP, and no part of a datagram: 20 B of XCP, 42 of HPCC, 16 of RCP.
#[test]
fn what_the_network_writes_takes_its_bytes_on_the_wire() {
    for (law, bytes) in [("cubic", 0), ("xcp", 20), ("hpcc", 42), ("powertcp", 42), ("rcp", 16)] {
        let told = loaded(&dumbbell(law, 1, "")).explain();
        for line in [format!("\nheader = {} ", 66 + bytes), format!("\nack_size = {} ", 66 + bytes)] {
            assert!(told.contains(&line), "{law} has no {line}:\n{told}");
        }
    }
}

/// HPCC, §4.1: 2 B, and 8 B a hop. Of 1000 B 932 are payload, 28 and 38 headers, 2 the record; an ACK of 68 B carries
/// back what two ports have written, or one. With room for five hops 42 B are the record: 104 packets of 892 B and one
/// of 432 B, each with 108 B.
#[test]
fn a_record_that_grows_has_its_bytes_on_each_link() {
    let sent = |more: &str| {
        let law = "algorithm = \"quic\"\ncongestion_control = \"hpcc\"\nhpcc_flows = 1\nack_every = 1";
        told::hundredths_on_links(&format!("{law}\npacket_size = 1000\n{more}"), 93_200)
    };
    let growing = "telemetry_size = \"growing\"\n";
    assert_eq!(sent(growing), [1000.0, 1008.0, 1016.0, 84.0]);
    assert_eq!(sent(&format!("{growing}telemetry_echo = \"newest\"")), [1000.0, 1008.0, 1016.0, 76.0]);
    assert_eq!(sent("telemetry_echo = \"maximum\""), [1045.4, 1045.4, 1045.4, 113.4]);
}

/// The bottleneck is the maximum whenever it has a queue, so that HPCC rests where it did.
#[test]
fn hpcc_rests_where_it_did_by_the_maximum_alone_and_with_a_record_that_grows() {
    told::hpcc_rests_by_either_record(|more| dumbbell("hpcc", 4, &format!("hpcc_flows = 8\n{more}")));
}

#[test]
fn records_are_of_laws_that_read_what_hops_measure_and_packets_keep_room_to_grow() {
    for law in ["rcp", "cubic"] {
        let why = refusal(&dumbbell(law, 1, "telemetry_size = \"growing\""), &[]);
        assert!(
            why.contains("\"telemetry_size\" goes with a law that reads telemetry: hpcc, powertcp"),
            "{law}: {why}"
        );
    }
    let why = refusal(&dumbbell("hpcc", 1, "telemetry_size = \"growing\"\npacket_size = 65500"), &[]);
    assert!(why.contains("packets of 65500 B would grow beyond 65535 B; allowed: 65471 B"), "{why}");
    let growing = dumbbell("hpcc", 1, "telemetry_size = \"growing\"\ntelemetry_echo = \"newest\"");
    let told = loaded(&growing).explain();
    for line in ["header = 68", "telemetry_size = \"growing\"", "telemetry_echo = \"newest\""] {
        assert!(told.contains(&format!("\n{line} ")), "no {line}:\n{told}");
    }
}

/// Records cross to another thread with their packets.
#[test]
fn records_are_the_same_on_two_threads() {
    let growing = "telemetry_size = \"growing\"";
    for (law, keys, more) in
        [("hpcc", "", ""), ("hpcc", growing, ""), ("rcp", "", ""), ("xcp", "", "[link_defaults.xcp]\n")]
    {
        let of = |threads: usize| {
            let text = dumbbell(law, 4, keys) + more;
            let mut world = World::build(&scenario(&text), Seed { seed: 1, run: 0 }, Options::default()).unwrap();
            world.use_threads(threads);
            world.run_until(SimTime::NEVER);
            let found = world.finish().unwrap();
            (found.fingerprint, format!("{:?}", found.flows))
        };
        assert_eq!(of(1), of(2), "{law}");
    }
}

/// A flow of 500 kB over a link of 20 Mb/s with 20 ms.
const SIMPLE: &str = r#"
[run]
duration = "60 s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck_capacity = "20 Mbps"
bottleneck_delay = "10 ms"
bottleneck_buffer = "100 packets"
[transport.it]
algorithm = "quic"
[[traffic]]
transport = "it"
flows = 1
size = "500 kB"
"#;

/// 500 kB take 0.2 s on the link.
#[test]
fn every_law_of_the_registry_finishes_a_flow_or_is_refused_with_a_reason() {
    let mut refused = Vec::new();
    for entry in cc::registry() {
        let law = format!("\"{}\"", entry.name);
        let why = refusal(SIMPLE, &[("transport.it.congestion_control", &law)]);
        if !why.is_empty() {
            assert!(why.contains("allowed: "), "{}: {why}", entry.name);
            refused.push(entry.name);
            continue;
        }
        let mut text = Builder::of(SIMPLE).set("transport.it.congestion_control", &law);
        if entry.choice.needs_header() {
            text = text.add("[link_defaults.xcp]\n");
        }
        let run = text.run(1);
        let [end, arrived] = ["end_s", "bytes_arrived"].map(|column| numbers(&run.flows, column)[0]);
        assert!(end > 0.2 && end < 60.0 && arrived == 500_000.0, "{}: {arrived} B until {end} s", entry.name);
    }
    assert_eq!(refused, ["python"]);
}
