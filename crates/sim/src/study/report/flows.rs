//! What each flow did in its whole life.

use super::completions::EmptyPaths;
use super::{End, ratio, seconds};
use crate::engine::accounts::delivered;
use crate::engine::ledger::{Group, Ledger};
use crate::engine::parts::Parts;
use crate::engine::tree::NEVER;
use crate::model::{Flow, Load, NodeId};
use crate::regime::{self, kind::FlowFacts};
use crate::results::{Column, Table};

/// What each flow did.
pub(super) struct FlowRows {
    pub(super) rows: Vec<FlowRow>,
    names: [Vec<String>; 4],
}

/// What a flow did.
#[derive(Default)]
pub(super) struct FlowRow {
    pub(super) start_s: f64,
    pub(super) end_s: f64,
    pub(super) bytes: u64,
    pub(super) segments: u64,
    pub(super) retransmissions: u64,
    pub(super) fast_retransmits: u64,
    pub(super) false_fast_retransmits: u64,
    pub(super) timeouts: u64,
    pub(super) false_timeouts: u64,
    pub(super) ecn_reductions: u64,
    marked: u64,
    mean_rtt_s: f64,
    group: Option<Group>,
    pub(super) finite: bool,
    pub(super) completed: bool,
    /// Whether it started before the end of the warm-up.
    pub(super) is_early: bool,
    /// Whether it is a TCP flow that was there from the end of the warm-up to the end of the run.
    pub(super) ran_all_the_time: bool,
    /// Bytes that it had to send; 0 if that has no end.
    pub(super) size: u64,
    /// Its time over what the empty path would take; NaN where that is not known.
    pub(super) slowdown: f64,
}

impl FlowRow {
    /// What a kind of switching may ask.
    fn facts(&self) -> FlowFacts {
        let FlowRow { segments, mean_rtt_s, group, .. } = *self;
        FlowFacts { segments, mean_rtt_s, lifetime_s: self.end_s - self.start_s, group }
    }
}

impl FlowRows {
    /// The flows of a world at its end.
    pub(super) fn read(end: &End, ledger: &Ledger, parts: &Parts) -> FlowRows {
        let node = |id: NodeId| end.scenario.network.nodes[id.index()].name.clone();
        let flows = end.world.layout.flows.iter();
        let empty = EmptyPaths::new(end);
        let rows = (0..end.world.layout.flows.len() as u32).map(|number| {
            let group = ledger.groups.get(&number).copied();
            let row = flow_row(end, parts, number);
            let ideal = (row.finite && row.completed).then(|| empty.seconds(end, parts, number, row.size)).flatten();
            let slowdown = ideal.map_or(f64::NAN, |ideal| ratio(row.end_s - row.start_s, ideal));
            FlowRow { group, slowdown, ..row }
        });
        FlowRows {
            rows: rows.collect(),
            names: [
                flows.clone().map(|flow| node(flow.source)).collect(),
                flows.clone().map(|flow| node(flow.destination)).collect(),
                flows.clone().map(|flow| end.scenario.transports[flow.transport.index()].name.clone()).collect(),
                flows.map(|flow| end.scenario.traffic[flow.origin.0 as usize].name.clone()).collect(),
            ],
        }
    }

    /// The table of flows, with what is said of them elsewhere.
    pub(super) fn table(self, run: u32, more: Vec<(&'static str, Column)>) -> Table {
        let FlowRows { rows, names: [source, destination, transport, traffic] } = self;
        let count = |of: fn(&FlowRow) -> u64| Column::U64(rows.iter().map(of).collect());
        let measure = |of: fn(&FlowRow) -> f64| Column::F64(rows.iter().map(of).collect());
        let mut columns = vec![
            ("run", Column::U64(vec![u64::from(run); rows.len()])),
            ("flow", Column::U64((0..rows.len() as u64).collect())),
            ("source", Column::Text(source)),
            ("destination", Column::Text(destination)),
            ("transport", Column::Text(transport)),
            ("traffic", Column::Text(traffic)),
            ("start_s", measure(|row| row.start_s)),
            ("end_s", measure(|row| row.end_s)),
            ("bytes_acked", count(|row| row.bytes)),
            ("goodput_bps", measure(|row| ratio(row.bytes as f64 * 8.0, row.end_s - row.start_s))),
            ("segments_sent", count(|row| row.segments)),
            ("retransmissions", count(|row| row.retransmissions)),
            ("fast_retransmits", count(|row| row.fast_retransmits)),
            ("false_fast_retransmits", count(|row| row.false_fast_retransmits)),
            ("timeouts", count(|row| row.timeouts)),
            ("false_timeouts", count(|row| row.false_timeouts)),
            ("ecn_reductions", count(|row| row.ecn_reductions)),
            ("marked_segments", count(|row| row.marked)),
            ("mean_rtt_s", measure(|row| row.mean_rtt_s)),
        ];
        let facts: Vec<FlowFacts> = rows.iter().map(FlowRow::facts).collect();
        columns.extend(regime::flow_columns(&facts));
        columns.extend(more);
        columns.push(("slowdown", measure(|row| row.slowdown)));
        columns.push(("completed", Column::Bool(rows.iter().map(|row| row.completed).collect())));
        Table { columns }
    }
}

fn flow_row(end: &End, parts: &Parts, number: u32) -> FlowRow {
    let (flow, host) = (&end.world.layout.flows[number as usize], parts.sender(number));
    let completed = parts.lifecycle(number).completed;
    let ended = if completed == NEVER { end_of(flow, end) } else { completed };
    let row = FlowRow {
        start_s: flow.start.as_secs_f64(),
        end_s: seconds(ended),
        bytes: delivered(parts, number),
        segments: host.machine.datagrams_sent(),
        mean_rtt_s: f64::NAN,
        finite: matches!(flow.load, Load::Size(_)),
        completed: completed != NEVER,
        is_early: flow.start < end.world.baseline.at,
        ran_all_the_time: flow.start <= end.world.baseline.at && ended >= end.world.now.ps() && completed == NEVER,
        size: if let Load::Size(bytes) = flow.load { bytes.count() } else { 0 },
        slowdown: f64::NAN,
        ..FlowRow::default()
    };
    let Some(sender) = host.machine.tcp() else { return FlowRow { ran_all_the_time: false, ..row } };
    let stats = sender.stats();
    FlowRow {
        segments: stats.segments_sent,
        retransmissions: stats.retransmissions,
        fast_retransmits: stats.fast_retransmits,
        false_fast_retransmits: stats.false_fast_retransmits,
        timeouts: stats.timeouts,
        false_timeouts: stats.false_timeouts,
        ecn_reductions: stats.ecn_reductions,
        marked: parts.receiver(number).sink.marked(),
        mean_rtt_s: ratio(seconds(stats.rtt_sum), stats.rtt_samples as f64),
        ..row
    }
}

/// The end of a flow that did not complete.
fn end_of(flow: &Flow, end: &End) -> u64 {
    flow.stop.min(end.world.now).max(flow.start).ps()
}
