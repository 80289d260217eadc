//! How far packets arrived out of order, where `[probe]` asks for it: per flow, as densities, and over all flows.

use crate::engine::execute::layout::Partitions;
use crate::engine::observe::reordering::FlowReordering;
use crate::results::{Column, Figure, Table};
use std::collections::BTreeMap;
use units::PS_PER_SECOND;

/// Duplicate ACKs that a sender without RR-TCP or RACK takes for a loss.
const USUAL_THRESHOLD: u64 = 3;

/// What has been seen of each flow, nothing of one of which nothing arrived; `None` if nobody asks.
fn all<'p>(parts: &'p Partitions<'_>) -> Option<Vec<Option<&'p FlowReordering>>> {
    let flows = 0..parts.layout.flows.len() as u32;
    parts.asks_for_reordering().then(|| flows.map(|flow| parts.reordering(flow)).collect())
}

/// The columns of the table of flows.
pub(super) fn columns(parts: &Partitions) -> Vec<(&'static str, Column)> {
    let Some(flows) = all(parts) else { return Vec::new() };
    let count = |of: fn(&FlowReordering) -> u64| Column::U64(flows.iter().map(|flow| flow.map_or(0, of)).collect());
    let measure =
        |of: fn(&FlowReordering) -> f64| Column::F64(flows.iter().map(|flow| flow.map_or(f64::NAN, of)).collect());
    vec![
        ("packets_received", count(|flow| flow.extents.arrived())),
        ("reordered_packets", count(|flow| flow.extents.reordered())),
        ("reordered_ratio", measure(|flow| ratio(flow.extents.reordered(), flow.extents.arrived()))),
        ("three_reordered_packets", count(|flow| flow.extents.passed_by_at_least(USUAL_THRESHOLD))),
        ("mean_extent", measure(|flow| ratio(flow.extents.sum(), flow.extents.reordered()))),
        ("max_extent", count(|flow| flow.extents.extents().keys().next_back().copied().unwrap_or(0))),
        ("mean_late_s", measure(|flow| seconds(flow.extents.late().0) / flow.extents.reordered() as f64)),
        ("max_late_s", measure(|flow| seconds(flow.extents.late().1.into()))),
        ("mean_displacement", measure(mean_displacement)),
        ("mean_reorder_buffer", measure(mean_occupancy)),
        ("max_reorder_buffer", count(|flow| flow.densities.counted().1.keys().next_back().copied().unwrap_or(0))),
    ]
}

fn seconds(ps: u128) -> f64 {
    ps as f64 / PS_PER_SECOND as f64
}

/// The mean size of displacements, early or late.
fn mean_displacement(flow: &FlowReordering) -> f64 {
    let (displacements, _) = flow.densities.counted();
    let sum = displacements.iter().map(|(displacement, count)| displacement.unsigned_abs() * count).sum();
    ratio(sum, displacements.values().sum())
}

/// The mean number of packets that a receiver holds which puts them in order.
fn mean_occupancy(flow: &FlowReordering) -> f64 {
    let (_, occupancies) = flow.densities.counted();
    let sum = occupancies.iter().map(|(held, count)| held * count).sum();
    ratio(sum, occupancies.values().sum())
}

/// The frequencies: one row a (flow, metric, value).
pub(super) fn table(parts: &Partitions, run: u32) -> Option<Table> {
    let flows = all(parts)?;
    let (mut number, mut metric, mut value, mut packets, mut share) = (vec![], vec![], vec![], vec![], vec![]);
    for (flow, seen) in (0..).zip(&flows).filter_map(|(flow, seen)| Some((flow, (*seen)?))) {
        for (name, frequencies) in frequencies(seen) {
            for (at, count) in frequencies {
                number.push(flow);
                metric.push(name.to_owned());
                value.push(at);
                packets.push(count);
                share.push(ratio(count, seen.extents.arrived()));
            }
        }
    }
    Some(Table {
        columns: vec![
            ("run", Column::U64(vec![u64::from(run); number.len()])),
            ("flow", Column::U64(number)),
            ("metric", Column::Text(metric)),
            ("value", Column::F64(value)),
            ("packets", Column::U64(packets)),
            ("share", Column::F64(share)),
        ],
    })
}

/// The four kinds, each with its values and their packets.
fn frequencies(seen: &FlowReordering) -> [(&'static str, Vec<(f64, u64)>); 4] {
    let (displacements, occupancies) = seen.densities.counted();
    let counts = |map: &BTreeMap<u64, u64>| map.iter().map(|(at, count)| (*at as f64, *count)).collect();
    [
        ("extent", counts(seen.extents.extents())),
        ("n-reordering", counts(seen.extents.degrees())),
        ("displacement", displacements.iter().map(|(at, count)| (*at as f64, *count)).collect()),
        ("reorder buffer", counts(&occupancies)),
    ]
}

/// Over all flows.
pub(super) fn figures(parts: &Partitions) -> Vec<Figure> {
    let Some(flows) = all(parts) else { return Vec::new() };
    let flows: Vec<&FlowReordering> = flows.into_iter().flatten().collect();
    let sum = |of: fn(&FlowReordering) -> u64| flows.iter().map(|flow| of(flow)).sum::<u64>();
    let reordered = sum(|flow| flow.extents.reordered());
    let greatest = flows.iter().filter_map(|flow| flow.extents.extents().keys().next_back()).max();
    let figures = [
        ("reordered_packets", reordered as f64, "packets"),
        ("reordered_ratio", ratio(reordered, sum(|flow| flow.extents.arrived())), "1"),
        ("mean_extent", ratio(sum(|flow| flow.extents.sum()), reordered), "packets"),
        ("max_extent", greatest.map_or(0.0, |extent| *extent as f64), "packets"),
    ];
    let known = figures.into_iter().filter(|(_, value, _)| value.is_finite());
    known.map(|(name, value, unit)| Figure { name, value, unit }).collect()
}

/// `a / b`, NaN if `b` is zero.
fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 { f64::NAN } else { a as f64 / b as f64 }
}
