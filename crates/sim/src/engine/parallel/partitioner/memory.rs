//! What it costs to bring state into a core's cache, for networks whose state is larger than one.
//!
//! A partition is run for a window of time before the next one is. What its events touch in a window is fetched once;
//! what they touch again in the same window is there. A partition whose window touches more than the cache holds
//! behaves as if its window were only as long as the time in which it touches a cacheful (the characteristic time of
//! Che, Tung and Wang 2002). So smaller partitions fetch less, as long as each has enough to do in a window.

use crate::engine::link::port::Port;
use crate::engine::link::ring::Ring;
use crate::engine::node::hosts::{ReceivingHost, SendingHost};
use crate::engine::packet::Packet;

/// Bytes of a core's second-level cache that a partition's state may fill: half of the smallest of today's servers.
const CACHE: f64 = 512.0 * 1024.0;
const LINE: f64 = 64.0;
/// Nanoseconds until a line that is in no cache of the core is there, with what the core does meanwhile taken off.
const FETCH: f64 = 40.0;
/// With less state than this, several times a core's cache, a packet-hop costs at most twice as much as with none. To
/// give up the longest fibres as lookahead for it is not worthwhile.
const LARGE: usize = 16 << 20;

/// Bytes of a link that a packet touches, whatever it is: the port before it and its fibre.
const LINK: f64 = (size_of::<Port>() + size_of::<Ring<Packet>>()) as f64;
/// Bytes of one packet: its place on the fibre, and the line of its path.
const PACKET: f64 = size_of::<Packet>() as f64 + LINE;
/// Bytes of what a side of a flow keeps on the heap and touches when a packet arrives.
const HEAP: f64 = 2.0 * LINE;
/// Bytes of one side of a flow, whichever it is.
const SIDE: f64 = (size_of::<SendingHost>() + size_of::<ReceivingHost>()) as f64 / 2.0 + HEAP;

/// Whether the state of so many links and flows is worth the thought.
pub fn is_large(links: usize, flows: usize) -> bool {
    links as f64 * LINK + flows as f64 * 2.0 * SIDE > LARGE as f64
}

/// The cache lines that an arrival touches at a sending and at a receiving host.
pub fn side_lines() -> (f64, f64) {
    let lines = |side: usize| (side as f64 + HEAP) / LINE;
    (lines(size_of::<SendingHost>()), lines(size_of::<ReceivingHost>()))
}

/// The part of arrivals whose flow a core does not find in its own cache, if `threads` cores share so many flows.
pub fn part_not_near(flows: usize, threads: usize) -> f64 {
    let bytes = flows as f64 * 2.0 * SIDE / threads as f64;
    (1.0 - CACHE / bytes).max(0.0)
}

/// What a partition, or a node, touches.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// For each link that ends there, and for all of its sides of flows: how many packets arrive in the whole stretch.
    links: Vec<f64>,
    /// Packets for hosts.
    delivered: f64,
}

impl Touched {
    /// A link that ends there has delivered `packets`, to a host or not.
    pub fn add(&mut self, packets: f64, to_host: bool) {
        self.links.push(packets);
        self.delivered += if to_host { packets } else { 0.0 };
    }

    /// Bytes touched in a window that is `share` of the stretch.
    fn bytes(&self, share: f64) -> f64 {
        let link = |packets: &f64| LINK * (packets * share).min(1.0) + PACKET * packets * share;
        self.links.iter().map(link).sum::<f64>() + SIDE * self.delivered * share
    }

    /// Nanoseconds of fetching in the whole stretch with windows of `share` of it.
    pub fn cost(&self, share: f64) -> f64 {
        let (share, bytes) = self.until_full(share.min(1.0));
        FETCH * bytes / LINE / share
    }

    /// The share of the stretch, at most `most`, in which a cacheful is touched, and the bytes touched in it.
    fn until_full(&self, most: f64) -> (f64, f64) {
        let bytes = self.bytes(most);
        if bytes <= CACHE {
            return (most, bytes);
        }
        let (mut low, mut high) = (0.0, most);
        for _ in 0..12 {
            let middle = (low + high) / 2.0;
            *(if self.bytes(middle) > CACHE { &mut high } else { &mut low }) = middle;
        }
        (high, self.bytes(high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 000 links with 2000 packets each.
    fn busy(links: usize) -> Touched {
        let mut touched = Touched::default();
        (0..links).for_each(|_| touched.add(2000.0, false));
        touched
    }

    #[test]
    fn state_that_does_not_fit_is_fetched_for_every_packet() {
        let cost = busy(100_000).cost(1.0);
        let lines_of_a_hop = (LINK + PACKET) / LINE;
        let every_time = FETCH * 2e8 * lines_of_a_hop;
        assert!((0.9..=1.01).contains(&(cost / every_time)), "{cost} of {every_time}");
    }

    #[test]
    fn few_flows_are_near_and_of_many_flows_most_are_not() {
        assert_eq!(part_not_near(100, 1), 0.0);
        // 7.7 MB, half of it each: one eighth fits.
        assert!((0.8..0.9).contains(&part_not_near(10_000, 2)), "{}", part_not_near(10_000, 2));
        assert!(side_lines().0 > side_lines().1);
    }

    #[test]
    fn in_blocks_a_link_is_fetched_once_a_window() {
        // 500 of the links, and windows in which each has 4 packets: its port is fetched once for them.
        let blocks = 200.0 * busy(500).cost(0.002);
        let once = FETCH * 1e5 * 500.0 * (LINK + 4.0 * PACKET) / LINE;
        assert!((blocks / once - 1.0).abs() < 0.01, "{blocks} of {once}");
        assert!(blocks < 0.5 * busy(100_000).cost(1.0));
    }

    #[test]
    fn a_window_with_one_packet_a_link_gains_nothing() {
        let (blocks, whole) = (200.0 * busy(500).cost(1.0 / 4000.0), busy(100_000).cost(1.0));
        assert!((0.9..1.01).contains(&(blocks / whole)), "{blocks} of {whole}");
    }
}
