//! What an empty path would take, for flows of packets.

use super::End;
use crate::engine::execute::layout::Partitions;
use crate::engine::packet::DELIVER;
use crate::model::{Completion, Link};
use units::PS_PER_SECOND;

/// What an empty path would take, for flows of packets.
pub(super) struct EmptyPaths {
    /// The scenario's link of each of the engine's; none where light is switched otherwise than packet by packet.
    order: Option<Vec<usize>>,
}

impl EmptyPaths {
    /// The paths of a world.
    pub fn new(end: &End) -> EmptyPaths {
        let inverse = || {
            let mut order = vec![0; end.world.link_numbers.len()];
            end.world.link_numbers.iter().enumerate().for_each(|(link, number)| order[*number as usize] = link);
            order
        };
        EmptyPaths { order: end.scenario.switching.is_none().then(inverse) }
    }

    /// Seconds from the start of a flow of so many bytes until it is complete on the path that it has at the end of the
    /// run, with the capacities and delays of its beginning; `None` where that is not known.
    pub fn seconds(&self, end: &End, parts: &Partitions, number: u32, bytes: u64) -> Option<f64> {
        let flow = &end.world.layout.flows[number as usize];
        let kind = &end.scenario.transports[flow.transport.index()].kind;
        let there = self.links(end, parts.sender(number).path)?;
        let back = match end.scenario.run.completion {
            Completion::Delivered => Vec::new(),
            Completion::Acknowledged => self.links(end, parts.receiver(number).path)?,
        };
        let mss = u64::from(kind.payload()?);
        let packets = bytes.div_ceil(mss).max(1);
        let (full, last) = (mss + u64::from(kind.header()), bytes - (packets - 1) * mss + u64::from(kind.header()));
        let ack = u64::from(kind.ack_size());
        let delays: f64 = there.iter().chain(&back).map(|link| link.delay.ps() as f64).sum();
        let returns: f64 = back.iter().map(|link| transmission(link, ack)).sum();
        Some((transfer(&there, full, last, packets) + delays + returns) / PS_PER_SECOND as f64)
    }

    fn links<'e>(&self, end: &'e End, from: u32) -> Option<Vec<&'e Link>> {
        let order = self.order.as_ref()?;
        let path = end.world.layout.paths[from as usize..].iter().take_while(|number| **number != DELIVER);
        path.map(|number| Some(&end.scenario.network.links[*order.get(*number as usize)?])).collect()
    }
}

/// Picoseconds that a link sends a packet of so many bytes.
fn transmission(link: &Link, bytes: u64) -> f64 {
    bytes as f64 * 8.0 * PS_PER_SECOND as f64 / link.capacity.bps() as f64
}

/// Picoseconds in which a row of packets, all of `full` bytes but the `last`, is sent over links that store and
/// forward, without the delays. The last waits behind the others up to some link and is alone from there on; the
/// slowest way through counts.
pub(super) fn transfer(links: &[&Link], full: u64, last: u64, packets: u64) -> f64 {
    let alone: f64 = links.iter().map(|link| transmission(link, last)).sum();
    if packets == 1 {
        return alone;
    }
    let (mut before, mut slowest, mut left, mut worst) = (0.0, 0.0f64, alone, 0.0f64);
    for link in links {
        let one = transmission(link, full);
        before += one;
        slowest = slowest.max(one);
        worst = worst.max(before + (packets - 2) as f64 * slowest + left);
        left -= transmission(link, last);
    }
    worst
}
