//! A packet-hop allocates nothing: once rings, queues and scoreboards have grown to what a run needs, packets,
//! macroflows and bursts travel in memory that is there. Counted by an allocator, on one thread. What is allocated is a
//! probe of a macroflow and a burst, once each, however many hops they have.

mod support;

use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::study::World;
use support::scenario;

/// What a run did in a second, after its first ones.
#[derive(Debug)]
struct Second {
    allocations: u64,
    packet_hops: u64,
}

impl Second {
    /// The second that begins this many seconds after the start.
    fn after(start_s: u64, text: &str) -> Second {
        let mut world = World::build(&scenario(text), Seed { seed: 1, run: 0 }, Options::default()).unwrap();
        let seconds = |s: u64| SimTime::from_ps(s * 1_000_000_000_000);
        world.run_until(seconds(start_s));
        let before = world.packet_hops();
        let allocated = allocation_counter::measure(|| world.run_until(seconds(start_s + 1)));
        Second { allocations: allocated.count_total, packet_hops: world.packet_hops() - before }
    }
}

#[test]
fn the_counter_counts() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![1u8; 100])));
    assert_eq!((counted.count_total, counted.bytes_total), (1, 100));
}

/// Half a million packet-hops without losses, two million with them (queues of six packets): at most one allocation in
/// 10 000, where something is larger than ever before.
#[test]
fn packets_travel_in_memory_that_is_there() {
    let dumbbell = "[topology]\nkind = \"dumbbell\"\npairs = 10\nbottleneck_capacity = \"1 Gbps\"\n\
                    bottleneck_delay = \"48 ms\"\nbottleneck_buffer = \"8333 packets\"\n";
    let nsfnet = "[topology]\nkind = \"nsfnet-edge\"\nedge_delay = \"0.1 ms\"\n[link_defaults]\n\
                  capacity = \"1 Gbps\"\ncore = { buffer = \"6 packets\" }\nedge = { buffer = \"0.25 s\" }\n";
    for (network, flows) in [(dumbbell, 100), (nsfnet, 400)] {
        for transport in ["reno", "newreno", "sack", "highspeed"] {
            let text = format!(
                "[run]\nduration = \"6 s\"\n{}[transport.{transport}]\nmax_window = \"40 packets\"\nmin_rto = \"0.2 \
                    s\"\n\
                 [[traffic]]\ntransport = \"{transport}\"\npairs = \"random\"\nflows = {flows}\nspread = \"1 s\"\n",
                network
            );
            let found = Second::after(5, &text);
            assert!(found.packet_hops > 100_000, "{transport}: {found:?}");
            assert!(found.allocations * 10_000 < found.packet_hops, "{transport}: {found:?}");
        }
    }
}

/// Edge nodes a and b with this many core nodes between them, 8 ms apart in all.
fn line(cores: u64, rest: &str) -> String {
    let names: Vec<String> = (0..cores + 2).map(|n| if n == 0 { "a".into() } else { format!("n{n}") }).collect();
    let role = |n: u64| if n == 0 || n == cores + 1 { "edge" } else { "core" };
    let node = |(n, name): (u64, &String)| format!("[[node]]\nname = \"{name}\"\nrole = \"{}\"\n", role(n));
    let link = |ends: &[String]| format!("[[link]]\nfrom = \"{}\"\nto = \"{}\"\n", ends[0], ends[1]);
    let nodes: String = (0..).zip(&names).map(node).collect();
    let links: String = names.windows(2).map(link).collect();
    format!(
        "[run]\nduration = \"4 s\"\n{nodes}{links}[link_defaults]\ncapacity = \"1 Gbps\"\ndelay = \"{} us\"\n{}",
        8000 / (cores + 1),
        rest.replace("\"b\"", &format!("\"n{}\"", cores + 1))
    )
}

/// One core node and seven: four times as many links, as many allocations, within 5 %.
fn allocates_once(rest: &str) -> Second {
    let (short, long) = (Second::after(2, &line(1, rest)), Second::after(2, &line(7, rest)));
    assert!(long.packet_hops > 3 * short.packet_hops, "{short:?} {long:?}");
    assert!(long.allocations * 100 <= short.allocations * 105 + 10_000, "{short:?} {long:?}");
    long
}

#[test]
fn a_hop_of_a_macroflows_probe_allocates_nothing() {
    for macroflow in ["same", "separate", "separate-wavelength"] {
        let found = allocates_once(&format!(
            "[link_defaults.edge]\nbuffer = \"0.25 s\"\n[switching]\nkind = \"ops\"\nmacroflow = \"{macroflow}\"\n\
             [transport.reno]\nmax_window = \"20 packets\"\n\
             [[traffic]]\ntransport = \"reno\"\nfrom = \"a\"\nto = \"b\"\nflows = 40\nspread = \"0.1 s\"\n"
        ));
        assert!(found.allocations * 1000 < found.packet_hops, "{macroflow}: {found:?}");
    }
}

/// 25 000 bursts a second: the burst and its header, and room for growth. Assembled ones hold 50 packets: a list of
/// them, of what they carry, and of their flows.
#[test]
fn a_hop_of_a_burst_allocates_nothing() {
    let obs = "[switching]\nkind = \"obs\"\nwavelengths = 8\nassembly = { length = \"50 kB\", timer = \"10 ms\" }\n";
    let bursts = "[[switching.burst]]\nfrom = \"a\"\nto = \"b\"\nload = 1.0\nmean = \"40 us\"\n";
    let alone = allocates_once(&format!("{obs}{bursts}"));
    assert!(alone.allocations < 25_000 * 5 / 2, "{alone:?}");
    let stream = "[transport.cbr]\nalgorithm = \"udp\"\npacket_size = 1000\n\
                  [[traffic]]\ntransport = \"cbr\"\nfrom = \"a\"\nto = \"b\"\nflows = 4\nrate = \"1 Gbps\"\n";
    let assembled = allocates_once(&format!("{obs}{stream}"));
    // 4 Gb/s in bursts of 50 kB: 10 000.
    assert!(assembled.allocations < 10_000 * 20, "{assembled:?}");
}

/// A thousand flows of 69 segments, one after the other. The books of a flow in the midst of them hold up to 64 records
/// of 64 bytes; what is counted here are rings and queues, which all flows share.
#[test]
fn a_flow_that_has_ended_holds_no_records_of_segments() {
    for transport in ["algorithm = \"sack\"", "algorithm = \"sack\"\nrecovery = \"rack\"", "algorithm = \"bbr\""] {
        let text = format!(
            "[run]\nduration = \"60 s\"\n[topology]\nkind = \"dumbbell\"\npairs = 10\nbottleneck_capacity = \"1 \
                Gbps\"\n\
             bottleneck_delay = \"5 ms\"\nbottleneck_buffer = \"20 packets\"\n[transport.tcp]\n{transport}\n\
             [[traffic]]\ntransport = \"tcp\"\npairs = \"random\"\nflows = 1000\nspread = \"50 s\"\nsize = \"100 kB\"\n"
        );
        let mut world = World::build(&scenario(&text), Seed { seed: 1, run: 0 }, Options::default()).unwrap();
        let allocated = allocation_counter::measure(|| world.run_until(SimTime::NEVER));
        let per_flow = allocated.bytes_current / 1000;
        assert!(per_flow < 512, "{transport}: {per_flow} bytes a flow");
    }
}
