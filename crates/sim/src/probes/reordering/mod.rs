//! How far packets arrive out of order, RFC 4737 and RFC 5236: columns of the table of flows, a table of frequencies,
//! figures over all flows, and samples of flows.
//!
//! A host numbers what it sends, so that a segment that is sent again is another packet: what is counted is what the
//! network does, not what the transport repairs. The number travels with the packet, as the time does that delays need.
//! Packets with congestion headers have none.

mod density;
mod extent;

use super::ProbeKeys;
use super::about::{self, About, FlowColumn, Named, count, measure};
use crate::engine::observe::probe::{AnyProbe, Probe, ProbeSite, Report, RunSoFar};
use crate::engine::packet::observer::Observer;
use crate::engine::packet::state::{BySink, Same, state};
use crate::engine::packet::{Packet, Stamp};
use crate::language::keys::{Form, When, Within, Written, keys};
use crate::language::{At, Key};
use crate::results::{Column, Figure, Table};
use density::Densities;
use extent::Extents;
use std::collections::BTreeMap;
use transport::tcp::SenderStats;
use units::PS_PER_SECOND;

pub(super) const ABOUT: About = About {
    columns: || about::named(&COLUMNS),
    figures: || FIGURES.to_vec(),
    tables: &[("reordering", &FREQUENCIES)],
    ..About::NOTHING
};

keys! {
    /// Order of packets.
    pub struct Keys {
        /// Whether it is measured how far packets arrive out of order (docs/guide/reordering.md): columns of the table
        /// of flows, a table `reordering`, figures of the summary, and with `interval` samples of flows. None for xcp.
        /// A run takes longer with it, and does not change.
        pub reordering: Key<bool> = false;
        /// A packet that comes after so many others that left after it counts as lost, not as reordered (RFC 5236: DT
        /// and BT). Default 10000.
        pub displacement_threshold: Option<At<u32>>,
            in Within::new("from 1 to 1000000", |places| (1..=1_000_000).contains(places)), when ORDERED;
    }
}

const ORDERED: When<Keys> = When::new(|probe| *probe.reordering, "goes with reordering = true");

/// Longer than a window of most flows, so that what is late is seldom taken for lost.
const DISPLACEMENT_THRESHOLD: u32 = 10_000;

impl ProbeKeys for Keys {
    fn asked(&self) -> Option<Box<dyn AnyProbe>> {
        let threshold = self.displacement_threshold.as_ref().map_or(DISPLACEMENT_THRESHOLD, |places| **places);
        self.reordering.then(|| Box::new(Reordering::new(threshold)) as Box<dyn AnyProbe>)
    }

    fn derived(&self) -> Vec<(&'static str, Written)> {
        let is_usual = *self.reordering && self.displacement_threshold.is_none();
        is_usual.then(|| ("displacement_threshold", DISPLACEMENT_THRESHOLD.form())).into_iter().collect()
    }
}

/// Duplicate ACKs that a sender without RR-TCP or RACK takes for a loss.
const USUAL_THRESHOLD: u64 = 3;

/// Its columns of the table of flows.
const COLUMNS: [FlowColumn<FlowReordering>; 11] = [
    count("packets_received", "packets that arrived, without second copies", |flow| flow.extents.arrived()),
    count("reordered_packets", "those that left before one that had arrived (RFC 4737, §3.3)", |flow| {
        flow.extents.reordered()
    }),
    measure("reordered_ratio", "reordered over received packets (§4.1)", |flow| {
        ratio(flow.extents.reordered(), flow.extents.arrived())
    }),
    count("three_reordered_packets", THREE_REORDERED, |flow| flow.extents.passed_by_at_least(USUAL_THRESHOLD)),
    measure(
        "mean_extent",
        "how many packets earlier the first one arrived that had overtaken it, the mean (§4.2)",
        |flow| ratio(flow.extents.sum(), flow.extents.reordered()),
    ),
    count("max_extent", "the most of these", |flow| flow.extents.extents().keys().next_back().copied().unwrap_or(0)),
    measure("mean_late_s", "how long before that one arrived, the mean (§4.3)", |flow| {
        seconds(flow.extents.late().0) / flow.extents.reordered() as f64
    }),
    measure("max_late_s", "the longest of these times", |flow| seconds(flow.extents.late().1.into())),
    measure("mean_displacement", "RFC 5236: the mean distance from its place, early or late", mean_displacement),
    measure("mean_reorder_buffer", HELD, mean_occupancy),
    count("max_reorder_buffer", "the most of these", |flow| {
        flow.densities.counted().1.keys().next_back().copied().unwrap_or(0)
    }),
];

const THREE_REORDERED: &str = "those that the three packets before them had overtaken (§5.3, n = 3): TCP with a \
    threshold of three duplicate ACKs takes them for lost";
const HELD: &str = "RFC 5236: packets that a receiver holds to put them in order, the mean; behind a lost packet too, \
    until it holds more than `displacement_threshold`";

/// Its figures of the summary.
const FIGURES: [Named; 4] = [
    ("reordered_packets", "Packets that arrived behind one that was sent later (RFC 4737)."),
    ("reordered_ratio", "Reordered over arrived packets (RFC 4737)."),
    ("mean_extent", "The mean number of packets that a reordered packet arrived behind its place (RFC 4737)."),
    ("max_extent", "The greatest number of packets that a reordered packet arrived behind its place (RFC 4737)."),
];

/// The columns of its table.
const FREQUENCIES: [Named; 6] = [
    ("run", "the replication"),
    ("flow", "the flow's number"),
    ("metric", "`extent`, `n-reordering`, `displacement` or `reorder buffer`"),
    ("value", "a value of that"),
    ("packets", "packets that have it"),
    ("share", "their share of the flow's packets"),
];

state! {
    /// What the receiving ends of a partition have seen.
    #[derive(Clone, Debug)]
    pub struct Reordering {
        /// A packet that comes later than so many others that left after it counts as lost.
        threshold: u32, Same;
        flows: BTreeMap<u32, FlowReordering>, BySink;
    }
}

/// What the receiving end of a flow has seen.
#[derive(Clone, Debug)]
pub struct FlowReordering {
    /// RFC 4737.
    extents: Extents,
    /// RFC 5236.
    densities: Densities,
    /// The sum of all extents of reordered packets up to the last sample, and their number.
    sampled: (u64, u64),
}

impl FlowReordering {
    fn new(threshold: u32) -> FlowReordering {
        FlowReordering { extents: Extents::new(threshold), densities: Densities::new(threshold), sampled: (0, 0) }
    }

    /// A packet arrives. What has arrived before, or counts as lost, is left out.
    fn record(&mut self, now: u64, number: u64) {
        if self.extents.record(now, number) {
            self.densities.record(number);
        }
    }

    /// How many packets were reordered, and the mean extent of those since the last call; NaN if there was none.
    fn sample(&mut self) -> (u64, f64) {
        let (sum, reordered) = (self.extents.sum(), self.extents.reordered());
        let (sum_before, before) = std::mem::replace(&mut self.sampled, (sum, reordered));
        (reordered, (sum - sum_before) as f64 / (reordered - before) as f64)
    }
}

impl Reordering {
    /// Nothing has arrived.
    fn new(threshold: u32) -> Reordering {
        Reordering { threshold, flows: BTreeMap::new() }
    }
}

impl Observer for Reordering {
    fn delivered(&mut self, now: u64, packet: &Packet, stamp: Stamp) {
        let threshold = self.threshold;
        let seen = self.flows.entry(packet.flow).or_insert_with(|| FlowReordering::new(threshold));
        seen.record(now, stamp.number);
    }
}

impl Probe for Reordering {
    fn begin(&mut self, site: &mut dyn ProbeSite) {
        site.stamp_packets();
    }

    /// What reordering there was, and what the sender took for losses by mistake; all but the mean extent since the
    /// start.
    fn sample(&mut self, flow: u32, sender: SenderStats) -> Vec<(&'static str, f64)> {
        let (reordered, mean_extent) = self.flows.get_mut(&flow).map_or((0, f64::NAN), FlowReordering::sample);
        vec![
            ("fast_retransmits", sender.fast_retransmits as f64),
            ("false_fast_retransmits", sender.false_fast_retransmits as f64),
            ("timeouts", sender.timeouts as f64),
            ("false_timeouts", sender.false_timeouts as f64),
            ("reordered_packets", reordered as f64),
            ("mean_extent", mean_extent),
        ]
    }

    fn report(seen: Vec<&mut Reordering>, run: &RunSoFar) -> Report {
        let flows = about::by_flow(run.flows.len(), seen.iter().map(|part| &part.flows));
        Report {
            columns: about::read(&COLUMNS, &flows),
            figures: figures(&flows),
            tables: vec![("reordering", table(&flows, run.run))],
        }
    }

    fn samples_per_flow(&self) -> u64 {
        6
    }
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
fn table(flows: &[Option<&FlowReordering>], run: u32) -> Table {
    let (mut number, mut metric, mut value, mut packets, mut share) = (vec![], vec![], vec![], vec![], vec![]);
    for (flow, seen) in (0..).zip(flows).filter_map(|(flow, seen)| Some((flow, (*seen)?))) {
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
    let columns = [
        Column::U64(vec![u64::from(run); number.len()]),
        Column::U64(number),
        Column::Text(metric),
        Column::F64(value),
        Column::U64(packets),
        Column::F64(share),
    ];
    Table { columns: FREQUENCIES.iter().map(|(name, _)| *name).zip(columns).collect() }
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
fn figures(flows: &[Option<&FlowReordering>]) -> Vec<Figure> {
    let flows: Vec<&FlowReordering> = flows.iter().copied().flatten().collect();
    let sum = |of: fn(&FlowReordering) -> u64| flows.iter().map(|flow| of(flow)).sum::<u64>();
    let reordered = sum(|flow| flow.extents.reordered());
    let greatest = flows.iter().filter_map(|flow| flow.extents.extents().keys().next_back()).max();
    let figures = [
        (reordered as f64, "packets"),
        (ratio(reordered, sum(|flow| flow.extents.arrived())), "1"),
        (ratio(sum(|flow| flow.extents.sum()), reordered), "packets"),
        (greatest.map_or(0.0, |extent| *extent as f64), "packets"),
    ];
    let named = FIGURES.iter().zip(figures).filter(|(_, (value, _))| value.is_finite());
    named.map(|((name, _), (value, unit))| Figure { name, value, unit }).collect()
}

/// `a / b`, NaN if `b` is zero.
fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 { f64::NAN } else { a as f64 / b as f64 }
}
