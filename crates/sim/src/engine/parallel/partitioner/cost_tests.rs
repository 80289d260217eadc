//! The costs of [`super::cost`] on this machine: not tests, but figures to compare with its table.
//!
//! `cargo test --release -p photocol-sim --lib partition_costs -- --ignored --nocapture`
//!
//! What counts is the thread's time on a processor, as Linux tells it, so that other programs disturb little. They
//! share caches, though. Two of the figures are lower bounds. WINDOW is measured on one thread, where no clock travels
//! from core to core and nobody waits. LINE is measured with four packets of a flow in a row, and only the first of
//! them fetches the flow's lines.

use super::cost;
use crate::engine::Options;
use crate::model::SimTime;
use crate::random::Seed;
use crate::scenario::{Input, load};
use crate::study::World;
use std::fmt::Write;
use std::path::Path;

/// A chain of routers with a host at each end; every fibre is 1 ms long but the one in the middle.
#[derive(Clone, Copy)]
struct Chain {
    routers: usize,
    flows: u32,
    middle: &'static str,
    /// The partition of one of so many nodes.
    cut: fn(usize, usize) -> u32,
}

impl Chain {
    fn text(self) -> String {
        let Chain { routers, flows, middle, .. } = self;
        let (mut nodes, mut links) = (String::new(), String::new());
        for node in 0..routers + 2 {
            write!(nodes, "{{ name = \"n{node}\" }},").unwrap();
            if node > 0 {
                let delay = if node == routers / 2 + 1 { middle } else { "1 ms" };
                write!(links, "{{ from = \"n{}\", to = \"n{node}\", delay = \"{delay}\" }},", node - 1).unwrap();
            }
        }
        format!(
            "run = {{ duration = \"1 s\" }}\n\
             topology = {{ kind = \"custom\" }}\n\
             node = [{nodes}]\n\
             link = [{links}]\n\
             link_defaults = {{ capacity = \"100 Gbps\", buffer = \"100000 packets\" }}\n\
             transport.sack = {{ max_window = \"4 packets\" }}\n\
             [[traffic]]\n\
             transport = \"sack\"\n\
             from = \"n0\"\n\
             to = \"n{}\"\n\
             flows = {flows}\n\
             spread = \"0.2 s\"\n",
            routers + 1
        )
    }

    /// Nanoseconds, and packets that have arrived at a host, of the fastest of three runs from 0.6 s on: no plan is
    /// made between half of a run and its end.
    fn measured(self) -> (f64, f64) {
        let text = self.text();
        let source = Input::Text { name: "chain.toml", text: &text, folder: Path::new(".") };
        let (scenario, nodes) = (load(source, &[]).unwrap().scenario, self.routers + 2);
        let runs = (0..3).map(|_| {
            let mut world = World::build(&scenario, Seed { seed: 1, run: 0 }, Options::default()).unwrap();
            world.run_until(SimTime::from_ps(600_000_000_000));
            world.migrate(&(0..nodes).map(|node| (self.cut)(node, nodes)).collect::<Vec<_>>());
            let (started, hops) = (processor_time(), world.packet_hops());
            world.run_until(SimTime::from_ps(999_000_000_000));
            let arrived = (world.packet_hops() - hops) as f64 / (self.routers + 1) as f64;
            (processor_time() - started, arrived)
        });
        runs.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
    }

    /// The same for each packet.
    fn of_packet(self) -> f64 {
        let (ns, packets) = self.measured();
        ns / packets
    }
}

/// Nanoseconds that this thread has been on a processor.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells a thread's time");
    text.split(' ').next().and_then(|ns| ns.parse().ok()).expect("its first number is the time on a processor")
}

fn report(what: &str, found: f64, table: f64) {
    println!("{what}: {found:.0} ns, {table:.0} in the table");
}

#[test]
#[ignore = "measures the machine"]
fn partition_costs() {
    let short = Chain { routers: 2, flows: 1000, middle: "1 ms", cut: |_, _| 0 };
    let long = Chain { routers: 32, ..short };
    let (of_short, of_long) = (short.of_packet(), long.of_packet());
    let hop = (of_long - of_short) / 30.0;
    report("HOP", hop, cost::HOP);
    report("HOST", of_short - 2.0 * hop, cost::HOST);

    let halves = Chain { cut: |node, nodes| u32::from(2 * node >= nodes), ..long };
    let comb = Chain { cut: |node, _| node as u32 % 2, ..long };
    // All 33 fibres are cut instead of one, and both partitions pay.
    report("CROSSING", (comb.of_packet() - halves.of_packet()) / 64.0, cost::CROSSING);

    let few = Chain { flows: 100, ..halves };
    let (ns, packets) = few.measured();
    let (ns_short, packets_short) = Chain { middle: "10 us", ..few }.measured();
    // 0.399 s are 399 windows of a millisecond, or 39 900 of ten microseconds, of both partitions.
    report("WINDOW", (ns_short - ns * packets_short / packets) / (2.0 * (39_900.0 - 399.0)), cost::WINDOW);

    let many = Chain { flows: 100_000, middle: "100 ms", ..short };
    report("LINE", (many.of_packet() - of_short) / cost::SIDE, cost::LINE);
}
