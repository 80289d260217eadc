//! How long the packets of each flow were on their way, how much that varied, and how many were lost, where `[probe]`
//! asks for it: columns of the table of flows, over the whole life of each.

use crate::engine::execute::layout::Partitions;
use crate::engine::observe::flow_delays::FlowDelay;
use crate::results::Column;
use units::PS_PER_SECOND;

/// The columns of the table of flows; NaN of a flow of which nothing arrived.
pub(super) fn columns(parts: &Partitions) -> Vec<(&'static str, Column)> {
    if !parts.asks_for_flow_delays() {
        return Vec::new();
    }
    let flows: Vec<Option<&FlowDelay>> =
        (0..parts.layout.flows.len() as u32).map(|flow| parts.flow_delay(flow)).collect();
    let count = |of: fn(&FlowDelay) -> u64| Column::U64(flows.iter().map(|flow| flow.map_or(0, of)).collect());
    let measure = |of: fn(&FlowDelay) -> f64| Column::F64(flows.iter().map(|flow| flow.map_or(f64::NAN, of)).collect());
    vec![
        ("delays", count(FlowDelay::count)),
        ("delay_mean_s", measure(|flow| seconds(flow.mean()))),
        ("delay_p50_s", measure(|flow| percentile(flow, 0.5))),
        ("delay_p95_s", measure(|flow| percentile(flow, 0.95))),
        ("delay_p99_s", measure(|flow| percentile(flow, 0.99))),
        ("delay_max_s", measure(|flow| seconds(flow.greatest() as f64))),
        ("jitter_mean_s", measure(|flow| seconds(flow.jitter()))),
        ("lost_packets", count(|flow| flow.lost().0)),
        ("loss_ratio", measure(|flow| flow.lost().0 as f64 / flow.lost().1 as f64)),
    ]
}

/// NaN where too few packets arrived for one to lie above it.
fn percentile(flow: &FlowDelay, share: f64) -> f64 {
    let is_told = flow.count() as f64 * (1.0 - share) >= 1.0;
    if is_told { seconds(flow.quantile(share) as f64) } else { f64::NAN }
}

fn seconds(ps: f64) -> f64 {
    ps / PS_PER_SECOND as f64
}
