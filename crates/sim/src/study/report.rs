//! From a world at its end to tables and a summary.
//!
//! The figures of the summary and the tables of links and drops cover the time from the end of the warm-up, but for
//! what flows did as a whole (`flows`, `flows_completed`, `mean_completion_time`, `unfinished_flows`) and what the run
//! cost. The table of flows covers the whole life of each flow.

pub(super) mod behind;
mod buildups;
mod completions;
mod empty_paths;
mod fairness;
mod flows;
pub(super) mod trace;

use crate::engine::execute::layout::Partitions;
use crate::engine::execute::partition::packet_hops;
use crate::engine::link::port::Reading;
use crate::engine::node::counters::{Counters, LinkAccount};
use crate::engine::node::hosts::Working;
use crate::engine::observe::accounts::{Baseline, FlowTotals};
use crate::engine::observe::probe::{FlowLife, RunSoFar};
use crate::engine::observe::trace::Merged;
use crate::engine::packet::Class;
use crate::engine::packet::DropPlace;
use crate::engine::packet::admission::Count;
use crate::engine::world::{Hashed, World};
use crate::model::{Lane, Link, LinkId, NodeId, Role};
use crate::results::{Column, Figure, Results, Table};
use crate::scenario::Scenario;
use buildups::Buildups;
use flows::{FlowRow, FlowRows};
use std::collections::BTreeMap;
use units::{Instant, PS_PER_SECOND};

/// A run at its end, or as far as it is.
pub struct End<'s> {
    /// What was run.
    pub scenario: &'s Scenario,
    /// The replication.
    pub run: u32,
    /// What is left.
    pub world: &'s mut World,
    /// Whether it does not go on, so that what is read may be taken out of it.
    pub is_over: bool,
}

/// Reads everything out of it.
pub fn run(end: End, parts: &mut Partitions) -> Results {
    let trace = end.world.trace.take().and_then(Merged::finish);
    let counters = parts.counters();
    let links = LinkRows::read(&end, &counters, parts);
    let flows = FlowRows::read(&end, &counters, parts);
    let lives: Vec<FlowLife> = flows.rows.iter().map(FlowRow::life).collect();
    let causes = end.scenario.plan.wording().causes;
    let probes = parts.report(&RunSoFar { run: end.run, flows: &lives, causes, is_over: end.is_over });
    let events = parts.sum(|part| part.events);
    let packet_hops = packet_hops(parts.list.iter().map(|part| &**part));
    let mut summary = summary(&end, &links, &flows);
    let controls: Vec<u64> = controls(&end, parts);
    if !controls.is_empty() {
        summary.push(Figure { name: "header_violations", value: controls.iter().sum::<u64>() as f64, unit: "1" });
    }
    let marked = parts.sum(|part| part.hosts.marked);
    summary.extend(probes.figures);
    let (now, mut tasks) = (Instant::from_ps(end.world.now.ps()), Vec::new());
    Working::read(parts.list.iter().map(|part| &part.hosts.work), |work| {
        summary.extend(work.figures(now));
        tasks = work.tables(end.run, now);
    });
    if marked > 0 {
        summary.push(Figure { name: "marked_packets", value: marked as f64, unit: "packets" });
    }
    summary.extend(links.buildups.figures());
    let colliding = |hashed: &Hashed| Figure { name: "colliding_flows", value: hashed.colliding as f64, unit: "1" };
    summary.extend(end.world.hashed.as_ref().map(colliding));
    summary.extend(end.scenario.plan.figures(&end.world.baseline.counters.sums, &counters.sums));
    summary.push(Figure { name: "packet_hops", value: packet_hops as f64, unit: "1" });
    summary.push(Figure { name: "events", value: events as f64, unit: "1" });
    let drops = drops(&end, parts);
    let remarks = end.world.host_queues.remark(end.world.now, &end.scenario.network, parts);
    let fingerprint = parts.fingerprint();
    Results {
        flows: flows.table(end.run, probes.columns),
        probes: probes.tables.into_iter().chain(tasks).collect(),
        links: links.table(&end),
        series: if end.is_over { end.world.sampler.take_table(end.run) } else { end.world.sampler.table(end.run) },
        drops,
        trace,
        remarks: remarks.into_iter().collect(),
        summary,
        fingerprint,
        events,
        packet_hops,
    }
}

/// At each port with an XCP controller the packets whose congestion header cannot be.
fn controls(end: &End, parts: &mut Partitions) -> Vec<u64> {
    let now = end.world.now.ps();
    let links = 0..end.world.link_numbers.len() as u32;
    links.filter_map(|link| parts.port_mut(link).control(now).map(|(_, violations)| violations)).collect()
}

fn seconds(ps: u64) -> f64 {
    ps as f64 / PS_PER_SECOND as f64
}

/// `a / b`, NaN if `b` is zero.
fn ratio(a: f64, b: f64) -> f64 {
    if b == 0.0 { f64::NAN } else { a / b }
}

/// What each directed link did since the end of the warm-up, in the order of the scenario.
struct LinkRows {
    /// One each. Where agents share the capacity out it is about what they switch, and the control channel has another
    /// one.
    rows: Vec<LinkRow>,
    control: BTreeMap<LinkId, LinkRow>,
    buildups: Buildups,
    window: u64,
}

struct LinkRow {
    offered: Count,
    carried: Count,
    dropped: Count,
    marked: u64,
    utilization: f64,
    mean_queue: f64,
    max_queue: u64,
}

impl LinkRows {
    fn read(end: &End, counters: &Counters, parts: &mut Partitions) -> LinkRows {
        let now = end.world.now;
        let window = (now.saturating_since(end.world.baseline.at)).ps();
        let Baseline { ports: before, .. } = &end.world.baseline;
        let numbers = end.world.link_numbers.iter();
        let rows = numbers.map(|number| {
            let (after, maximum) = parts.whole_reading(now.ps(), *number);
            link_row(&before[*number as usize], &after, maximum, window)
        });
        let mut rows: Vec<LinkRow> = rows.collect();
        let mut control = BTreeMap::new();
        for (link, after) in &counters.links {
            let before = end.world.baseline.counters.links.get(link).copied().unwrap_or_default();
            let row = shared_row(&before, after, window);
            control.insert(*link, std::mem::replace(&mut rows[link.index()], row));
        }
        LinkRows { rows, control, buildups: Buildups::read(end, counters, window), window }
    }

    fn table(self, end: &End) -> Table {
        let network = &end.scenario.network;
        let unit = end.scenario.plan.wording().unit;
        let class = |link: LinkId| match network.links[link.index()].lane {
            _ if self.control.contains_key(&link) => unit,
            Lane::Control => "control",
            Lane::Wavelength(_) => "all",
        };
        let wavelength = |link: &Link| if let Lane::Wavelength(number) = link.lane { u64::from(number) } else { 0 };
        let links = (0..).map(LinkId).zip(&self.rows).map(|(link, row)| (link, class(link), row));
        let control = self.control.iter().map(|(link, row)| (*link, "control", row));
        let rows: Vec<(LinkId, &str, &LinkRow)> = links.chain(control).collect();
        let name = |of: &dyn Fn(&Link) -> String| {
            Column::Text(rows.iter().map(|(link, ..)| of(&network.links[link.index()])).collect())
        };
        let node = |id: NodeId| network.nodes[id.index()].name.clone();
        let count = |of: fn(&LinkRow) -> u64| Column::U64(rows.iter().map(|(.., row)| of(row)).collect());
        let measure = |of: fn(&LinkRow) -> f64| Column::F64(rows.iter().map(|(.., row)| of(row)).collect());
        let buffers: Vec<Option<LinkId>> =
            rows.iter().map(|(link, class, _)| (*class != "control").then_some(*link)).collect();
        let more = self.buildups.columns(&buffers);
        let mut table = Table {
            columns: vec![
                ("run", Column::U64(vec![u64::from(end.run); rows.len()])),
                ("link", name(&|link| link.name.clone())),
                ("from", name(&|link| node(link.from))),
                ("to", name(&|link| node(link.to))),
                (
                    "wavelength",
                    Column::U64(rows.iter().map(|(link, ..)| wavelength(&network.links[link.index()])).collect()),
                ),
                ("class", Column::Text(rows.iter().map(|(_, class, _)| (*class).to_owned()).collect())),
                ("offered_bits", count(|row| row.offered.bytes * 8)),
                ("carried_bits", count(|row| row.carried.bytes * 8)),
                ("dropped_bits", count(|row| row.dropped.bytes * 8)),
                ("offered_units", count(|row| row.offered.packets)),
                ("carried_units", count(|row| row.carried.packets)),
                ("dropped_units", count(|row| row.dropped.packets)),
                ("marked_units", count(|row| row.marked)),
                ("utilization", measure(|row| row.utilization)),
                ("mean_queue", measure(|row| row.mean_queue)),
                ("max_queue", count(|row| row.max_queue)),
            ],
        };
        let flows = |hashed: &Hashed| rows.iter().map(|(link, ..)| hashed.flows[link.index()]).collect();
        table.columns.extend(end.world.hashed.as_ref().map(|hashed| ("flows", Column::U64(flows(hashed)))));
        table.columns.extend(more);
        table
    }
}

/// What came to a link whose capacity agents share out.
fn shared_row(before: &LinkAccount, after: &LinkAccount, window: u64) -> LinkRow {
    LinkRow {
        offered: after.offered.since(before.offered),
        carried: after.carried.since(before.carried),
        dropped: after.dropped.since(before.dropped),
        marked: 0,
        utilization: ratio((after.busy - before.busy) as f64, window as f64 * f64::from(after.channels)),
        mean_queue: 0.0,
        max_queue: 0,
    }
}

fn link_row(before: &Reading, after: &Reading, max_queue: u64, window: u64) -> LinkRow {
    LinkRow {
        offered: after.offered.since(before.offered),
        carried: after.carried.since(before.carried),
        dropped: after.dropped.since(before.dropped),
        marked: after.marked - before.marked,
        utilization: ratio((after.busy - before.busy) as f64, window as f64),
        mean_queue: ratio((after.waited - before.waited) as f64, window as f64),
        max_queue,
    }
}

fn drops(end: &End, parts: &Partitions) -> Table {
    let scenario = end.scenario;
    let wording = scenario.plan.wording();
    let mut order = vec![0; end.world.link_numbers.len()];
    for (link, number) in end.world.link_numbers.iter().enumerate() {
        order[*number as usize] = link;
    }
    let place = |place: DropPlace, class: Class| match place {
        DropPlace::Link(number) => scenario.network.links[order[number as usize]].name.clone(),
        DropPlace::Host(flow) => {
            let flow = &end.world.layout.flows[flow as usize];
            let node = class.sent_by([flow.source, flow.destination]);
            scenario.network.nodes[node.index()].name.clone()
        }
    };
    let before = |key| end.world.baseline.drops.get(key).copied().unwrap_or_default();
    let rows: Vec<_> = parts
        .drops()
        .iter()
        .map(|(key, count)| (*key, count.since(before(key))))
        .filter(|(_, count)| *count != Count::default())
        .collect();
    Table {
        columns: vec![
            ("run", Column::U64(vec![u64::from(end.run); rows.len()])),
            ("where", Column::Text(rows.iter().map(|((at, class, _), _)| place(*at, *class)).collect())),
            (
                "class",
                Column::Text(rows.iter().map(|((_, class, _), _)| class.name(wording.unit).to_owned()).collect()),
            ),
            (
                "cause",
                Column::Text(rows.iter().map(|((.., cause), _)| cause.name(wording.causes).to_owned()).collect()),
            ),
            ("units", Column::U64(rows.iter().map(|(_, count)| count.packets).collect())),
            ("bits", Column::U64(rows.iter().map(|(_, count)| count.bytes * 8).collect())),
        ],
    }
}

fn summary(end: &End, links: &LinkRows, flows: &FlowRows) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut add = |name, value: f64, unit| {
        if value.is_finite() {
            figures.push(Figure { name, value, unit });
        }
    };
    add("duration", end.world.now.as_secs_f64(), "s");
    add("measured_time", seconds(links.window), "s");
    link_figures(end, links, &mut add);
    flow_figures(end, links.window, flows, &mut add);
    completions::figures(end, flows, &mut add);
    fairness::figure(end, flows, &mut add);
    figures
}

fn link_figures(end: &End, links: &LinkRows, add: &mut impl FnMut(&'static str, f64, &'static str)) {
    let network = &end.scenario.network;
    let role = |id: NodeId| network.nodes[id.index()].role;
    // What carries control only is not what these figures are about.
    let carries_data = |link: &Link| link.lane != Lane::Control;
    let of = |wanted: &dyn Fn(Role, Role) -> bool| -> Vec<&LinkRow> {
        let data = network.links.iter().zip(&links.rows).filter(|(link, _)| carries_data(link));
        let chosen = data.filter(|(link, _)| wanted(role(link.from), role(link.to)));
        chosen.map(|(_, row)| row).collect()
    };
    let all = of(&|_, _| true);
    let core = of(&|from, to| from == Role::Core && to == Role::Core);
    let core_outputs = of(&|from, _| from == Role::Core);
    add("mean_link_utilization", mean_utilization(&all), "1");
    add("max_link_utilization", all.iter().map(|row| row.utilization).fold(f64::NAN, f64::max), "1");
    add("mean_core_utilization", mean_utilization(&core), "1");
    add("mean_core_output_utilization", mean_utilization(&core_outputs), "1");
    add("core_drop_rate", drop_rate(&core_outputs), "1");
    add("drop_rate", drop_rate(&all), "1");
    add("offered_packets", all.iter().map(|row| row.offered.packets as f64).sum(), "1");
    add("carried_packets", all.iter().map(|row| row.carried.packets as f64).sum(), "1");
    add("dropped_packets", all.iter().map(|row| row.dropped.packets as f64).sum(), "1");
    add("max_queue", all.iter().map(|row| row.max_queue as f64).fold(f64::NAN, f64::max), "packets");
}

fn mean_utilization(rows: &[&LinkRow]) -> f64 {
    ratio(rows.iter().map(|row| row.utilization).sum(), rows.len() as f64)
}

fn drop_rate(rows: &[&LinkRow]) -> f64 {
    let sum = |of: fn(&LinkRow) -> u64| rows.iter().map(|row| of(row)).sum::<u64>() as f64;
    ratio(sum(|row| row.dropped.packets), sum(|row| row.offered.packets))
}

fn flow_figures(end: &End, window: u64, flows: &FlowRows, add: &mut impl FnMut(&'static str, f64, &'static str)) {
    let before = &end.world.baseline.flows;
    let since = |of: fn(&FlowTotals) -> u64| {
        let total: u64 = flows.rows.iter().map(|row| of(&row.totals)).sum();
        (total - before.iter().map(of).sum::<u64>()) as f64
    };
    let completed: Vec<&FlowRow> = flows.rows.iter().filter(|row| row.is_complete()).collect();
    let completion: f64 = completed.iter().map(|row| row.completion_s()).sum();
    add("goodput", ratio(since(|totals| totals.arrived) * 8.0, seconds(window)), "bps");
    add("in_order_goodput", ratio(since(|totals| totals.acked) * 8.0, seconds(window)), "bps");
    add("flows", flows.rows.len() as f64, "1");
    add("flows_completed", completed.len() as f64, "1");
    add("mean_completion_time", ratio(completion, completed.len() as f64), "s");
    add("segments_sent", since(|totals| totals.sender.segments_sent), "1");
    add("retransmissions", since(|totals| totals.sender.retransmissions), "1");
    add("fast_retransmits", since(|totals| totals.sender.fast_retransmits), "1");
    add("false_fast_retransmits", since(|totals| totals.sender.false_fast_retransmits), "1");
    add("timeouts", since(|totals| totals.sender.timeouts), "1");
    add("false_timeouts", since(|totals| totals.sender.false_timeouts), "1");
    add("unfinished_flows", flows.rows.iter().filter(|row| row.finite && !row.is_complete()).count() as f64, "1");
}
