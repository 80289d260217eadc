//! What a partition's work costs: five costs, and how much state has to be brought into a cache.
//!
//! What the events of a partition touch in a window of time is fetched once; what they touch again in the same window
//! is there. A window that touches more than the cache holds is taken to be as long as the time in which a cacheful is
//! touched (Che, Tung and Wang 2002). So smaller partitions fetch less, as long as each has enough to do in a window.

use crate::engine::link::port::Port;
use crate::engine::link::ring::Ring;
use crate::engine::node::hosts::{ReceivingHost, SendingHost};
use crate::engine::packet::Packet;

// Nanoseconds on one core; only their ratios matter. To measure them on the machine at hand:
// `cargo test --release -p photocol-sim --lib partition_costs -- --ignored --nocapture`
pub const HOP: f64 = 15.0; // a packet arrives at a node and is passed on
pub const HOST: f64 = 30.0; // a packet arrives at a host, whose machine acts
pub const CROSSING: f64 = 8.0; // a packet goes from one partition to another: paid by both
pub const WINDOW: f64 = 1000.0; // a partition looks at the clocks of the others and runs for a window
pub const LINE: f64 = 40.0; // a cache line is fetched that no cache of the core has, what is done meanwhile taken off

/// A flow moves to another partition: the lines of both sides, half as dear as they follow one another.
pub const MOVING: f64 = SIDE * LINE;

// In cache lines.
const CACHE: f64 = lines(512 << 10); // for a partition's state: half of a small second-level cache of today's servers
const LARGE: f64 = lines(16 << 20); // with less state a packet-hop costs twice as much at most: not worth a lookahead
const LINK: f64 = lines(size_of::<Port>() + size_of::<Ring<Packet>>()); // touched by the first packet of a window
const PACKET: f64 = lines(size_of::<Packet>()) + 1.0; // its place on the fibre, and its path
pub const SIDE: f64 = lines(size_of::<SendingHost>() + size_of::<ReceivingHost>()) / 2.0 + 2.0; // of a flow, with heap

const fn lines(bytes: usize) -> f64 {
    bytes as f64 / 64.0
}

/// Whether the state of so many links and flows is so large that fetching it counts.
pub fn is_large(links: usize, flows: usize) -> bool {
    links as f64 * LINK + flows as f64 * 2.0 * SIDE > LARGE
}

/// What a partition does in a stretch of time.
#[derive(Clone, Debug, Default)]
pub struct Load {
    /// The cost without fetching.
    pub work: f64,
    /// How many packets each link has delivered, and whether to a host.
    pub arrivals: Vec<(f64, bool)>,
}

impl Load {
    /// Lines touched in a window that is `share` of the stretch.
    fn lines(&self, share: f64) -> f64 {
        let of_packet = |to_host: bool| PACKET + if to_host { SIDE } else { 0.0 };
        let of_link = |packets: f64, to_host| LINK * packets.min(1.0) + of_packet(to_host) * packets;
        self.arrivals.iter().map(|(packets, to_host)| of_link(packets * share, *to_host)).sum()
    }

    /// The cost of fetching, with windows of `share` of the stretch.
    pub fn fetching(&self, share: f64) -> f64 {
        let share = share.min(1.0);
        let until_full = share * (CACHE / self.lines(share).max(1.0)).min(1.0);
        LINE * self.lines(until_full) / until_full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many links with 2000 packets each.
    fn busy(links: usize) -> Load {
        Load { work: 0.0, arrivals: vec![(2000.0, false); links] }
    }

    #[test]
    fn state_that_does_not_fit_is_fetched_for_every_packet() {
        let cost = busy(100_000).fetching(1.0);
        let lines_of_a_hop = LINK + PACKET;
        let every_time = LINE * 2e8 * lines_of_a_hop;
        assert!((0.9..=1.01).contains(&(cost / every_time)), "{cost} of {every_time}");
    }

    #[test]
    fn in_blocks_a_link_is_fetched_once_a_window() {
        // 500 of the links, and windows in which each has 4 packets: its port is fetched once for them.
        let blocks = 200.0 * busy(500).fetching(0.002);
        let once = LINE * 1e5 * 500.0 * (LINK + 4.0 * PACKET);
        assert!((blocks / once - 1.0).abs() < 0.01, "{blocks} of {once}");
        assert!(blocks < 0.5 * busy(100_000).fetching(1.0));
    }

    #[test]
    fn a_window_with_one_packet_a_link_gains_nothing() {
        let (blocks, whole) = (200.0 * busy(500).fetching(1.0 / 4000.0), busy(100_000).fetching(1.0));
        assert!((0.9..1.01).contains(&(blocks / whole)), "{blocks} of {whole}");
    }

    /// A flow has two sides, sending and receiving, and half a kilobyte each at most.
    #[test]
    fn few_flows_are_small_and_a_million_are_large() {
        assert!(!is_large(1000, 10_000) && is_large(1000, 1_000_000));
        assert!(MOVING < LINE * lines(1024));
    }
}
