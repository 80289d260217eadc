//! Hosts at the same two switches share the ways between those: nothing is otherwise than if each pair had its own.

use crate::support::{scenario, texts};
use sim::SimTime;
use sim::engine::Options;
use sim::random::Seed;
use sim::results::Results;
use sim::study::World;

const FAT_TREE: &str = "kind = \"fat-tree\"\nk = 4\ncapacity = \"10 Gbps\"\n";
const LEAVES: &str = "kind = \"leaf-spine\"\nleaves = 3\nspines = 4\nhosts = 3\nhost_capacity = \"10 Gbps\"\n";
/// Two hosts at the same switch have one way, and those of a triangle two, of which one is shorter.
const TWO_LEAVES: &str = "kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 2\nhost_capacity = \"10 Gbps\"\n";

const NDP: &str = "algorithm = \"ndp\"\nfirst_window = 40\n";
const DCTCP: &str = "algorithm = \"dctcp\"\n";
const HPCC: &str = "algorithm = \"hpcc\"\n";

/// Flows between all kinds of pairs, and one more, which alone may lose bursts by order.
fn text(topology: &str, transport: &str, more: &str) -> String {
    let trims = if transport == NDP { "queue = { kind = \"ndp\", data = \"2 packets\" }\n" } else { "" };
    format!(
        "[run]\nduration = \"20 ms\"\n[topology]\n{topology}delay = \"1 us\"\nhost_delay = \"1 us\"\n\
         routing = \"spray\"\n[link_defaults]\nbuffer = \"6 kB\"\n{trims}[transport.sent]\n{transport}\
         [[traffic]]\ntransport = \"sent\"\npairs = \"all\"\nsize = \"200 kB\"\n\
         [[traffic]]\ntransport = \"udp\"\npairs = \"all\"\nrate = \"20 Mbps\"\n\
         {more}[[traffic]]\ntransport = \"sack\"\npairs = [[\"h0\", \"h3\"]]\nsize = \"3 kB\"\n"
    )
}

fn run(text: &str, threads: usize) -> Results {
    let mut world = World::build(&scenario(text), Seed { seed: 5, run: 0 }, Options::default()).unwrap();
    world.use_threads(threads);
    world.run_until(SimTime::NEVER);
    world.finish().unwrap()
}

/// Orders for any flow keep the ways of all pairs apart, since news of a loss travels on whole paths.
#[test]
fn shared_ways_are_those_that_each_pair_had_alone() {
    let fails = "[[event]]\nlink = \"{}\"\nat = \"300 us\"\nstate = \"down\"\n";
    let mut returned = 0;
    for (topology, failing) in [(FAT_TREE, None), (LEAVES, Some("l1->s2")), (TWO_LEAVES, Some("l0<->s1"))] {
        let failing = failing.map(|link| fails.replace("{}", link));
        for transport in [NDP, DCTCP, HPCC] {
            let topology = format!("{topology}{}", failing.as_ref().map_or("", |_| "reroute_after = \"100 us\"\n"));
            let shared = text(&topology, transport, failing.as_deref().unwrap_or_default());
            let alone = shared.clone() + "bursts = { segments = 100, loss = 0 }\n";
            let alone = run(&alone, 1);
            let of =
                |found: &Results| (found.fingerprint, format!("{:?}{:?}{:?}", found.flows, found.links, found.drops));
            for threads in [1, 2, 3] {
                assert!(of(&run(&shared, threads)) == of(&alone), "{topology}{transport}{threads} threads");
            }
            returned += texts(&alone.drops, "cause").iter().filter(|cause| *cause == "returned").count();
        }
    }
    assert!(returned > 10, "headers went back");
}
