//! What waits for whom, and the matrices of a master, under the table and as gauges.

use crate::matrices::{Pair, Plan};
use crate::report::Report;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A matrix of more nodes has no table.
const WIDEST: usize = 16;
/// So many queues stand in a line of the table.
const IN_A_LINE: usize = 8;

/// Gauges in the text form of Prometheus: family and line, with the labels `of`.
pub(super) fn gauges(report: &Report, of: &str) -> Vec<(&'static str, String)> {
    let line =
        |family: &'static str, labels: String, value: u64| (family, format!("{family}{{{of},{labels}}} {value}"));
    let queue = |(to, slots): (&u16, &u64)| line("photocol_queue_slots", format!("to=\"{to}\""), *slots);
    let mut lines: Vec<_> = report.queues.iter().map(queue).collect();
    for Pair { from, to, requested, allocated } in report.plan.iter().flat_map(|plan| &plan.pairs) {
        let labels = format!("from=\"{from}\",to=\"{to}\"");
        lines.push(line("photocol_requested_slots", labels.clone(), u64::from(*requested)));
        lines.push(line("photocol_allocated_slots", labels, u64::from(*allocated)));
    }
    lines
}

/// Under the table: what waits at each node, and the matrices of each master. `name` shows a name.
pub(super) fn text(reports: &[Report], name: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for report in reports.iter().filter(|report| !report.queues.is_empty()) {
        let queues: Vec<String> = report.queues.iter().map(|(to, slots)| format!("{slots} for node {to}")).collect();
        let more = queues.len().saturating_sub(IN_A_LINE);
        let more = if more > 0 { format!(", and {more} more queues") } else { String::new() };
        let shown = queues[..queues.len().min(IN_A_LINE)].join(", ");
        let _ = writeln!(text, "{}: slots that wait: {shown}{more}", name(&report.name));
    }
    for report in reports {
        let Some(plan) = &report.plan else { continue };
        let time = report.errors.get("scheduling_time").copied().unwrap_or_default();
        let _ = writeln!(
            text,
            "{}: plan of frame {}, made in {:.1} µs (half of them), {:.1} (99 %), {:.1} at most of {:.0} allowed",
            name(&report.name),
            plan.frame,
            time.p50,
            time.p99,
            time.max,
            report.level("scheduling_time_allowed_us"),
        );
        text.push_str(&matrix(plan));
    }
    text
}

/// Slots requested and allocated, from rows to columns.
fn matrix(plan: &Plan) -> String {
    let mut nodes: Vec<u16> = plan.pairs.iter().flat_map(|pair| [pair.from, pair.to]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    if nodes.len() > WIDEST {
        return format!("{} pairs have requests or slots: see --json\n", plan.pairs.len() + plan.pairs_not_shown);
    }
    let entries: BTreeMap<_, _> = plan.pairs.iter().map(|pair| ((pair.from, pair.to), pair)).collect();
    let mut text = String::new();
    if !nodes.is_empty() {
        let heads: String = nodes.iter().map(|to| format!(" {to:>9}")).collect();
        let _ = writeln!(text, "{:<22}{heads}", "requested/allocated");
    }
    for from in nodes.iter().filter(|from| plan.pairs.iter().any(|pair| pair.from == **from)) {
        let cell = |to: &u16| match entries.get(&(*from, *to)) {
            Some(pair) => format!(" {:>9}", format!("{}/{}", pair.requested, pair.allocated)),
            None => format!(" {:>9}", "-"),
        };
        let _ = writeln!(text, "  from node {from:<10}{}", nodes.iter().map(cell).collect::<String>());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrices::longest;
    use control::signalling::{Matrices, PairSlots};
    use control::wire::NodeId;

    fn slots(from: u16, to: u16, requested: u32, allocated: u32) -> PairSlots {
        PairSlots { from: NodeId(from), to: NodeId(to), requested, allocated }
    }

    #[test]
    fn of_too_many_pairs_those_with_most_slots_are_shown_and_the_rest_is_counted() {
        let pairs = (0..2000).map(|pair| slots(pair / 50, pair % 50, u32::from(pair), 0)).collect();
        let plan = Plan::of(&Matrices { frame: 7, pairs });
        assert_eq!((plan.pairs.len(), plan.pairs_not_shown), (1024, 976));
        assert!(plan.pairs.iter().all(|pair| pair.requested >= 976));
        let report = Report { plan: Some(plan), ..Report::default() };
        let text = text(std::slice::from_ref(&report), str::to_string);
        assert!(text.ends_with("2000 pairs have requests or slots: see --json\n"), "{text}");
        assert_eq!(serde_json::from_str::<Report>(&serde_json::to_string(&report).unwrap()).unwrap(), report);
        assert_eq!(longest((0..1000).map(|to| (to, u64::from(to))).collect()).first_key_value(), Some((&744, &744)));
    }

    #[test]
    fn matrices_and_queues_stand_under_the_table_and_in_the_metrics() {
        let plan = Plan::of(&Matrices { frame: 12, pairs: vec![slots(1, 2, 3, 2), slots(2, 0, 0, 4)] });
        let report = Report { name: "node 0".into(), plan: Some(plan), queues: [(2, 5)].into(), ..Report::default() };
        let text = text(std::slice::from_ref(&report), str::to_string);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_ascii_whitespace().collect()).collect();
        assert_eq!(lines[0].join(" "), "node 0: slots that wait: 5 for node 2");
        assert_eq!(
            lines[2..],
            [
                vec!["requested/allocated", "0", "1", "2"],
                vec!["from", "node", "1", "-", "-", "3/2"],
                vec!["from", "node", "2", "0/4", "-", "-"],
            ]
        );
        let metrics = crate::forms::prometheus(std::slice::from_ref(&report));
        for line in [
            "photocol_queue_slots{process=\"node 0\",to=\"2\"} 5",
            "photocol_requested_slots{process=\"node 0\",from=\"1\",to=\"2\"} 3",
            "photocol_allocated_slots{process=\"node 0\",from=\"2\",to=\"0\"} 4",
        ] {
            assert_eq!(metrics.lines().filter(|found| *found == line).count(), 1, "{line}\n{metrics}");
        }
        assert_eq!(metrics.matches("# TYPE photocol_requested_slots gauge\n").count(), 1);
    }
}
