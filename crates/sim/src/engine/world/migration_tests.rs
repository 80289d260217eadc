//! A running network that is split and merged again is the same to the bit.

use super::{Options, World};
use crate::engine::execute::partition::PartitionParts;
use crate::engine::node::timers::TimingWheel;
use crate::engine::observe::observers::Observers;
use crate::engine::packet::NO_PAYLOAD;
use crate::engine::parallel::migrate::for_each_packet;
use crate::model::SimTime;
use crate::random::Seed;
use crate::scenario::{Input, load};
use crate::study;
use std::path::Path;

/// A scenario, halfway through so much simulated time.
fn halfway(name: &str, duration: &str) -> World {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenarios/{name}.toml"));
    let set = [("run.duration", duration), ("run.warm_up", "0 s")];
    let set = set.map(|(key, value)| (key.to_owned(), format!("\"{value}\"")));
    let scenario = load(Input::File(&file), &set).unwrap_or_else(|error| panic!("{error}")).scenario;
    let world = study::World::build(&scenario, Seed { seed: 3, run: 0 }, Options::default()).unwrap();
    let mut world = world.into_network();
    world.run_until(SimTime::from_ps(world.end().ps() / 2));
    world
}

/// All that a network in one partition has, as text. What packets carry is shown beside them: where it lies is of no
/// account.
fn all_of(mut world: World) -> Vec<String> {
    let PartitionParts { fabric, mut hosts, chains, events } = world.partitions.remove(0).into_parts();
    assert!(world.partitions.is_empty());
    let mut fabric = fabric.displaced();
    let (mut payloads, mut carried) = (std::mem::take(&mut fabric.payloads), Vec::new());
    for_each_packet(&mut fabric, &mut hosts, |packet| {
        if packet.payload != NO_PAYLOAD {
            carried.push(payloads.unload(packet));
            packet.payload = 0;
        }
    });
    let timers = std::mem::replace(&mut hosts.timers, TimingWheel::new(0, 0));
    let mut timers: Vec<String> = timers.into_entries().map(|entry| format!("{entry:?}")).collect();
    timers.sort();
    let observers = fabric.observer.take().and_then(Observers::unboxed);
    let fibres: Vec<Vec<_>> = std::mem::take(&mut fabric.fibres).iter().map(|fibre| fibre.iter().collect()).collect();
    let state = [format!("{fabric:?}"), format!("{fibres:?}"), format!("{carried:?}"), format!("{observers:?}")];
    let hosts = [format!("{hosts:?}"), format!("{timers:?}"), format!("{chains:?}"), format!("{events}")];
    state.into_iter().chain(hosts).collect()
}

/// Losses, time-outs and marks; fates by order; a trace and agents with messages; whole connections; a congestion
/// header.
#[test]
fn a_network_that_is_split_and_merged_is_the_same() {
    let scenarios =
        [("grid", "1 s"), ("forced-drops", "3 s"), ("macroflows", "1 s"), ("web-search", "0.4 s"), ("xcp", "2 s")];
    for (name, duration) in scenarios {
        let (left, mut split) = (halfway(name, duration), halfway(name, duration));
        let nodes = split.layout.of_node.len() as u32;
        for parts in [4, 2, 3, 1] {
            split.migrate(&(0..nodes).map(|node| node * 7 % 11 % parts).collect::<Vec<_>>());
        }
        let (left, split) = (all_of(left), all_of(split));
        for (was, is) in left.iter().zip(&split) {
            let differs = was.bytes().zip(is.bytes()).position(|(a, b)| a != b).unwrap_or(was.len().min(is.len()));
            let part = |text: &str| {
                text.get(differs.saturating_sub(200)..).map(|text| text.chars().take(300).collect::<String>())
            };
            assert!(was == is, "{name}:\n{:?}\n{:?}", part(was), part(is));
        }
    }
}
