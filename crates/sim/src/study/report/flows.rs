//! What each flow did in its whole life.

use super::empty_paths::EmptyPaths;
use super::{End, ratio, seconds};
use crate::engine::execute::layout::Partitions;
use crate::engine::node::counters::{Counters, Group};
use crate::engine::node::machine::GivenUp;
use crate::engine::observe::accounts::FlowTotals;
use crate::engine::observe::probe::FlowLife;
use crate::engine::packet::NEVER;
use crate::model::{self, Completion, Flow, Load, NodeId};
use crate::results::{Column, Table};
use crate::switching;
use crate::switching::kind::FlowFacts;

/// What each flow did.
pub(super) struct FlowRows {
    pub(super) rows: Vec<FlowRow>,
    names: [Vec<String>; 4],
    /// Whether the traffic has flows of which something may never arrive.
    may_lose: bool,
}

/// What a flow did.
#[derive(Default)]
pub(super) struct FlowRow {
    pub(super) start_s: f64,
    pub(super) end_s: f64,
    /// When its last byte had come, all before it too; NaN before that, and of a flow without a size.
    delivered_s: f64,
    /// When it was complete, by the scenario's choice; NaN if it was not.
    pub(super) complete_s: f64,
    pub(super) totals: FlowTotals,
    /// What never arrives; nothing of a flow of which all does.
    given_up: GivenUp,
    marked: u64,
    mean_rtt_s: f64,
    group: Option<Group>,
    pub(super) finite: bool,
    completed: bool,
    /// Whether it started before the end of the warm-up.
    pub(super) is_early: bool,
    /// Whether it is a flow that is acknowledged, and was there from the end of the warm-up to the end of the run.
    pub(super) ran_all_the_time: bool,
    /// Bytes that it had to send; 0 if that has no end.
    pub(super) size: u64,
    /// Its time over what the empty path would take; NaN where that is not known.
    pub(super) slowdown: f64,
}

impl FlowRow {
    /// What a kind of switching may ask.
    fn facts(&self) -> FlowFacts {
        let FlowRow { totals, mean_rtt_s, group, .. } = *self;
        FlowFacts { segments: totals.sender.segments_sent, mean_rtt_s, lifetime_s: self.end_s - self.start_s, group }
    }

    /// Whether it has a size and is complete.
    pub(super) fn is_complete(&self) -> bool {
        self.complete_s.is_finite()
    }

    /// From its start until it was complete; NaN if it was not.
    pub(super) fn completion_s(&self) -> f64 {
        self.complete_s - self.start_s
    }

    /// What probes are told.
    pub(super) fn life(&self) -> FlowLife {
        FlowLife { start_s: self.start_s, end_s: self.end_s, arrived: self.totals.arrived }
    }
}

impl FlowRows {
    /// The flows of a world at its end.
    pub(super) fn read(end: &End, counters: &Counters, parts: &Partitions) -> FlowRows {
        let node = |id: NodeId| end.scenario.network.nodes[id.index()].name.clone();
        let flows = end.world.layout.flows.iter();
        let empty = EmptyPaths::new(end);
        let rows = (0..end.world.layout.flows.len() as u32).map(|number| {
            let group = counters.groups.get(&number).copied();
            let row = flow_row(end, parts, number);
            let ideal = row.is_complete().then(|| empty.seconds(end, parts, number, row.size)).flatten();
            let slowdown = ideal.map_or(f64::NAN, |ideal| ratio(row.completion_s(), ideal));
            FlowRow { group, slowdown, ..row }
        });
        let model::Scenario { traffic, transports, .. } = &**end.scenario;
        FlowRows {
            rows: rows.collect(),
            // By what may be sent: replications of one scenario have the same columns.
            may_lose: traffic.iter().any(|one| transports[one.transport.index()].kind.loses()),
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
        let FlowRows { rows, names: [source, destination, transport, traffic], may_lose } = self;
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
            ("delivered_s", measure(|row| row.delivered_s)),
            ("completion_s", measure(FlowRow::completion_s)),
            ("size_bytes", measure(|row| if row.finite { row.size as f64 } else { f64::NAN })),
            ("bytes_acked", count(|row| row.totals.acked)),
            ("bytes_arrived", count(|row| row.totals.arrived)),
            ("goodput_bps", measure(|row| ratio(row.totals.arrived as f64 * 8.0, row.end_s - row.start_s))),
            ("segments_sent", count(|row| row.totals.sender.segments_sent)),
            ("retransmissions", count(|row| row.totals.sender.retransmissions)),
            ("fast_retransmits", count(|row| row.totals.sender.fast_retransmits)),
            ("false_fast_retransmits", count(|row| row.totals.sender.false_fast_retransmits)),
            ("timeouts", count(|row| row.totals.sender.timeouts)),
            ("false_timeouts", count(|row| row.totals.sender.false_timeouts)),
            ("ecn_reductions", count(|row| row.totals.sender.ecn_reductions)),
            ("marked_segments", count(|row| row.marked)),
            ("mean_rtt_s", measure(|row| row.mean_rtt_s)),
        ];
        let facts: Vec<FlowFacts> = rows.iter().map(FlowRow::facts).collect();
        columns.extend(switching::flow_columns(&facts));
        if may_lose {
            columns.push(("bytes_dropped", count(|row| row.given_up.dropped)));
            columns.push(("bytes_lost", count(|row| row.given_up.lost)));
        }
        columns.extend(more);
        columns.push(("slowdown", measure(|row| row.slowdown)));
        columns.push(("completed", Column::Bool(rows.iter().map(|row| row.completed).collect())));
        Table { columns }
    }
}

fn flow_row(end: &End, parts: &Partitions, number: u32) -> FlowRow {
    let (flow, host) = (&end.world.layout.flows[number as usize], parts.sender(number));
    let life = parts.lifecycle(number);
    let (start, completed) = (if flow.waits { life.start } else { flow.start.ps() }, life.completed);
    let ended = if completed == NEVER { end_of(flow, end) } else { completed };
    let (totals, is_acked) = (FlowTotals::of(parts, number), host.machine.bytes_acked().is_some());
    let size = if let Load::Size(bytes) = flow.load { Some(bytes.count()) } else { None };
    let receiver = parts.receiver(number);
    let delivered = size.and_then(|size| receiver.delivered(size, completed != NEVER)).unwrap_or(NEVER);
    let complete = match end.scenario.run.completion {
        Completion::Delivered => delivered,
        Completion::Acknowledged => completed,
    };
    let runs_on = start <= end.world.baseline.at.ps() && ended >= end.world.now.ps() && completed == NEVER;
    FlowRow {
        // Of one that work has not let go yet there is none.
        start_s: seconds_if(start),
        end_s: seconds(ended),
        delivered_s: seconds_if(delivered),
        complete_s: seconds_if(complete),
        totals,
        given_up: host.machine.given_up(),
        marked: if is_acked { receiver.sink.marked() } else { 0 },
        mean_rtt_s: ratio(seconds(totals.sender.rtt_sum), totals.sender.rtt_samples as f64),
        group: None,
        finite: size.is_some(),
        completed: completed != NEVER,
        is_early: start < end.world.baseline.at.ps(),
        ran_all_the_time: is_acked && runs_on,
        size: size.unwrap_or(0),
        slowdown: f64::NAN,
    }
}

/// NaN for what has not come.
fn seconds_if(ps: u64) -> f64 {
    if ps == NEVER { f64::NAN } else { seconds(ps) }
}

/// The end of a flow that did not complete.
fn end_of(flow: &Flow, end: &End) -> u64 {
    flow.stop.min(end.world.now).max(flow.start).ps()
}
