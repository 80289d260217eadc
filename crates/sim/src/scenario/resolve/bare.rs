//! Window laws without what hosts have besides, on paths that hold so much that it decides the result.

use super::ecn::pairs;
use crate::language::quoted;
use crate::model::{LinkId, Network, Routes, Scenario, TransportKind};
use transport::cc::Marks;
use transport::tcp::SenderConfig;

/// From so many segments in a round trip on the end of slow start and the repair of its losses rule short runs.
const LARGE: u64 = 1000;

/// A sentence for each transport that is a bare law on a large bandwidth-delay product.
pub(in crate::scenario) fn notes(scenario: &Scenario) -> Vec<String> {
    let network = &scenario.network;
    let mut routes = Routes::new(network, &network.open_to_flows());
    let mut notes: Vec<String> = Vec::new();
    for traffic in &scenario.traffic {
        let transport = &scenario.transports[traffic.transport.index()];
        let TransportKind::Tcp { sender, .. } = &transport.kind else { continue };
        let Some(lacks) = lacks(sender) else { continue };
        let paths = pairs(traffic).into_iter().filter_map(|(from, to)| routes.path(from, to));
        let segments = paths.map(|path| round_trip_bytes(network, &path) / u64::from(sender.mss)).max().unwrap_or(0);
        if segments.min(sender.max_cwnd / u64::from(sender.mss)) < LARGE {
            continue;
        }
        let note = format!(
            "the transport {} is a bare law on a path that holds {segments} segments: it lacks {lacks}; \
                \"linux-cubic\" has both",
            quoted(&transport.name)
        );
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// What a law that answers losses lacks; `None` for one that has something of it, or goes by something else.
fn lacks(sender: &SenderConfig) -> Option<&'static str> {
    let asks = sender.algorithm.asks();
    let goes_by_losses = asks.marks == Marks::AsLosses && !asks.congestion_header;
    let is_bare = !sender.is_rack() && !sender.algorithm.wants(&sender.laws).every_rtt;
    (goes_by_losses && is_bare)
        .then_some("HyStart, which ends slow start before it overshoots, and RACK-TLP, which repairs lost copies")
}

/// What the slowest link carries in twice the delay of the path.
fn round_trip_bytes(network: &Network, path: &[LinkId]) -> u64 {
    let links = || path.iter().map(|link| &network.links[link.index()]);
    let slowest = links().map(|link| link.capacity.bps()).min().unwrap_or(0);
    let delay: f64 = links().map(|link| link.delay.as_secs_f64()).sum();
    // `as` saturates.
    (slowest as f64 / 8.0 * 2.0 * delay) as u64
}
