//! What has been done when, as a table with a row for each task, and in some numbers.

use super::running::{Beginning, Running};
use crate::model::{Graph, Section, Task};
use crate::results::{Column, Figure, Table};
use std::sync::Arc;
use units::Instant;

/// The table's name.
pub const NAME: &str = "tasks";

/// Its columns.
pub const COLUMNS: [(&str, &str); 16] = [
    ("run", "the replication"),
    ("traffic", "the traffic whose work it is"),
    ("task", "its number"),
    ("name", "what a file calls it"),
    ("kind", "transfer, receive, compute, wait, or join: what waits for a join waits for all that it waits for"),
    (
        "collective",
        "the collective to which it belongs, by name: that of the traffic, or as a file says; empty of others",
    ),
    ("round", "how often all of it was done before, from 0: the place among `rounds`, or as a file says"),
    ("step", "the step of an algorithm, from 0"),
    ("rank", "the rank that sends, receives or computes"),
    ("to", "the rank to which a transfer goes; else the same"),
    ("bytes", "of a transfer; else 0"),
    ("flow", "the flow that carries a transfer, as in the table of flows; missing of others, and of one to oneself"),
    (
        "after",
        "the task that made it ready, the last for which it waited; if it is not ready, the first for which it waits \
         still; its own number if there is none",
    ),
    ("ready_s", "when all was done that it waits for; missing if that was not before the end of the run, as below"),
    ("start_s", "when its flow was given it, or its rank began to compute"),
    ("end_s", "when it was done: of a transfer with a tag, when a receive took it"),
];

/// Figures of the summary.
pub const FIGURES: [(&str, &str); 4] = [
    ("work_time", "From the start of the work to the end of its last task; missing if not all are done."),
    ("unfinished_tasks", "Tasks that were not done at the end of the run."),
    (
        "work_bound",
        "The time in which the busiest link carries what all transfers send, as routes divide it; missing where links \
         change, agents switch, or too many pairs send.",
    ),
    ("work_slowdown", "`work_time` over `work_bound`."),
];

/// The rows of all work.
pub(super) fn of(all: &[Running], run: u32) -> Table {
    let tasks = || all.iter().flat_map(|one| one.outline.work.graph.tasks());
    let seconds = |at: Instant| if at == Instant::NEVER { f64::NAN } else { at.ps() as f64 / 1e12 };
    let times = |of: fn(&Beginning) -> Instant| {
        Column::F64(all.iter().flat_map(|one| one.beginnings.items()).map(|one| seconds(of(one))).collect())
    };
    let whole = |of: &dyn Fn(&Task) -> u64| Column::U64(tasks().map(of).collect());
    let kinds = ["transfer", "compute", "join", "wait", "receive"];
    let numbers = |one: &Running| 0..one.outline.work.graph.len() as u64;
    let rows = (0..).zip(all).flat_map(|(place, one)| std::iter::repeat_n(place, one.outline.work.graph.len()));
    let columns = [
        whole(&|_| run.into()),
        Column::Names { names: all.iter().map(|one| one.outline.name.clone()).collect(), rows: rows.collect() },
        Column::U64(all.iter().flat_map(numbers).collect()),
        names(all),
        Column::Names { names: kinds.map(str::to_owned).to_vec(), rows: tasks().map(kind).collect() },
        collectives(all),
        Column::U64(all.iter().flat_map(|one| by_task(one).map(|section| section.round.into())).collect()),
        Column::U64(all.iter().flat_map(|one| one.outline.work.graph.steps()).map(|step| u64::from(*step)).collect()),
        whole(&|task| ends(task).0.into()),
        whole(&|task| ends(task).1.into()),
        whole(&|task| if let Task::Transfer { bytes, .. } = task { *bytes } else { 0 }),
        Column::F64(all.iter().flat_map(flows).collect()),
        Column::U64(all.iter().flat_map(Running::after).collect()),
        times(|one| one.ready),
        times(|one| one.start),
        Column::F64(all.iter().flat_map(|one| one.done.items()).map(|end| seconds(*end)).collect()),
    ];
    Table { columns: COLUMNS.iter().map(|(name, _)| *name).zip(columns).collect() }
}

/// What files call the tasks. Of collectives there is one empty name for all.
fn names(all: &[Running]) -> Column {
    let graphs = || all.iter().map(|one| &one.outline.work.graph);
    let has_names = graphs().any(|graph| !graph.is_empty() && !graph.name(0).is_empty());
    if !has_names {
        let rows = graphs().map(|graph| graph.len()).sum();
        return Column::Names { names: vec![String::new()], rows: vec![0; rows] };
    }
    let of_graph = |graph: &Arc<Graph>| (0..graph.len() as u32).map(|task| graph.name(task).to_owned()).collect();
    Column::Text(graphs().flat_map(|graph| -> Vec<String> { of_graph(graph) }).collect())
}

/// The section of each task; the first section begins with the first task.
fn by_task(one: &Running) -> impl Iterator<Item = Section> {
    let graph = &one.outline.work.graph;
    let ends = graph.sections().iter().skip(1).map(|section| section.first).chain([graph.len() as u32]);
    let sections = graph.sections().iter().zip(ends);
    sections.flat_map(|(section, end)| std::iter::repeat_n(*section, (end - section.first) as usize))
}

/// The collective of each task.
fn collectives(all: &[Running]) -> Column {
    let (mut names, mut rows) = (Vec::new(), Vec::new());
    for one in all {
        let first = names.len() as u32;
        let mut own: Vec<(u32, &String)> =
            one.outline.work.graph.collectives().iter().map(|(name, place)| (*place, name)).collect();
        own.sort_unstable();
        names.extend(own.into_iter().map(|(_, name)| name.clone()));
        rows.extend(by_task(one).map(|section| first + section.collective));
    }
    Column::Names { names, rows }
}

/// The flow of each task that has one.
fn flows(one: &Running) -> impl Iterator<Item = f64> {
    let number = |carrier: &Option<u32>| carrier.map_or(f64::NAN, |carrier| one.outline.flows[carrier as usize].into());
    one.outline.work.carriers.of_task.iter().map(number)
}

fn kind(task: &Task) -> u32 {
    match task {
        Task::Transfer { .. } => 0,
        Task::Compute { .. } => 1,
        Task::Join { .. } => 2,
        Task::Wait { .. } => 3,
        Task::Receive { .. } => 4,
    }
}

fn ends(task: &Task) -> (u32, u32) {
    match task {
        Task::Transfer { from, to, .. } => (*from, *to),
        other => (other.rank(), other.rank()),
    }
}

/// Of all work together, which the links could carry in `bound` seconds.
pub(super) fn figures(all: &[Running], bound: Option<f64>) -> Vec<Figure> {
    let start = all.iter().map(|one| one.outline.work.start.ps()).min().unwrap_or(0);
    let ends = all.iter().map(Running::end).collect::<Option<Vec<Instant>>>();
    let end = ends.and_then(|ends| ends.into_iter().max());
    let time = end.map_or(f64::NAN, |end| end.saturating_since(Instant::from_ps(start)).as_secs_f64());
    let unfinished = all.iter().flat_map(|one| one.done.items()).filter(|end| **end == Instant::NEVER).count();
    let bound = bound.unwrap_or(f64::NAN);
    vec![
        Figure { name: FIGURES[0].0, value: time, unit: "s" },
        Figure { name: FIGURES[1].0, value: unfinished as f64, unit: "tasks" },
        Figure { name: FIGURES[2].0, value: bound, unit: "s" },
        Figure { name: FIGURES[3].0, value: time / bound, unit: "1" },
    ]
}
