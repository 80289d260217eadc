//! Reports as a table, as JSON, and in the text form of Prometheus.

mod matrices;

use crate::report::{AGE, DEMO, Report};
use std::collections::BTreeMap;
use std::fmt::Write;

/// All of them in the text form of Prometheus.
pub(crate) fn prometheus(reports: &[Report]) -> String {
    let mut families: BTreeMap<String, (&str, Vec<String>)> = BTreeMap::new();
    let mut add = |family: String, kind: &'static str, line: String| {
        families.entry(family).or_insert((kind, Vec::new())).1.push(line);
    };
    for report in reports {
        let of = format!("process=\"{}\"", plain(&report.name).replace('\\', "\\\\").replace('"', "\\\""));
        for (name, value) in &report.counts {
            let family = format!("photocol_{name}_total");
            add(family.clone(), "counter", format!("{family}{{{of}}} {value}"));
        }
        for (name, value) in &report.levels {
            let family = format!("photocol_{name}");
            add(family.clone(), "gauge", format!("{family}{{{of}}} {value}"));
        }
        add("photocol_term".into(), "gauge", format!("photocol_term{{{of}}} {}", report.term));
        for (family, line) in matrices::gauges(report, &of) {
            add(family.into(), "gauge", line);
        }
        for (name, found) in &report.errors {
            let family = format!("photocol_{name}_microseconds");
            for (quantile, value) in [("0.5", found.p50), ("0.99", found.p99), ("0.999", found.p999), ("1", found.max)]
            {
                add(family.clone(), "summary", format!("{family}{{{of},quantile=\"{quantile}\"}} {value}"));
            }
            add(family.clone(), "summary", format!("{family}_count{{{of}}} {}", found.count));
        }
    }
    let mut text = String::new();
    for (family, (kind, lines)) in families {
        let _ = writeln!(text, "# TYPE {family} {kind}\n{}", lines.join("\n"));
    }
    text
}

/// The live table.
pub(crate) fn table(reports: &[Report]) -> String {
    let mut text = format!(
        "{:<10} {:<10} {:<8} {:>6} {:>6} {:>7} {:>9} {:>8} {:>8} {:>8} {:>9} {:>8} {:>6}\n",
        "process",
        "part",
        "master",
        "wait",
        "sent",
        "skipped",
        "delivered",
        "missing",
        "err p50",
        "err p99",
        "err p99.9",
        "guard",
        "age"
    );
    for report in reports.iter().filter(|report| report.part != DEMO) {
        let error = report.errors.get("slot_arrival").or_else(|| report.errors.get("slot_start"));
        let error = error.copied().unwrap_or_default();
        let guard = report.levels.get("guard_needed_us").map_or("-".to_string(), |guard| format!("{guard:.1}"));
        let age = report.levels.get(AGE).map_or("-".to_string(), |age| format!("{age:.1}"));
        let _ = writeln!(
            text,
            "{:<10} {:<10} {:<8} {:>6} {:>6} {:>7} {:>9} {:>8} {:>8.1} {:>8.1} {:>9.1} {:>8} {:>6}",
            plain(&report.name),
            plain(&report.part),
            plain(&report.master),
            report.level("waiting_slots"),
            report.count("light_sent").max(report.count("light_passed")),
            report.count("light_skipped").max(report.count("light_lost")),
            report.count("payloads_delivered"),
            report.count("payloads_missing"),
            error.p50,
            error.p99,
            error.p999,
            guard,
            age,
        );
    }
    text.push_str(
        "errors and guard time in µs: of a node when its slots left, of a core when they arrived; \
         a core's sent and skipped are passed and lost;\n\
         age: seconds since the process has said so; one that is stopped says nothing new\n",
    );
    text.push_str(&matrices::text(reports, plain));
    text.push_str(&lost_packets(reports));
    text.push_str(&happened(reports));
    text
}

/// Packets of IP that went nowhere, of each process that has any.
fn lost_packets(reports: &[Report]) -> String {
    let line = |report: &Report| {
        let [without, too_big] = ["packets_without_route", "packets_too_big"].map(|name| report.count(name));
        let name = plain(&report.name);
        (without + too_big > 0).then(|| format!("{name}: {without} packets without a route, {too_big} too big\n"))
    };
    reports.iter().filter_map(line).collect()
}

/// What happened last, each text once, with who says so.
fn happened(reports: &[Report]) -> String {
    let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
    for report in reports {
        for event in &report.events {
            match told.iter_mut().find(|(text, _)| text == event) {
                Some((_, by)) => by.push(&report.name),
                None => told.push((event, vec![&report.name])),
            }
        }
    }
    let line = |(text, by): &(&str, Vec<&str>)| {
        let others = if by.len() > 1 { format!(" and {} more", by.len() - 1) } else { String::new() };
        format!("{}{others}: {}\n", plain(by[0]), legible(text, LONGEST_EVENT))
    };
    told.iter().rev().take(EVENTS).rev().map(line).collect()
}

/// So many events stand under the table.
const EVENTS: usize = 24;
/// So many characters of a word of the table, and of an event, are shown.
const LONGEST: usize = 40;
const LONGEST_EVENT: usize = 200;

/// A word that a terminal shows as it is: whoever said it, its control characters are escaped.
fn plain(word: &str) -> String {
    legible(word, LONGEST)
}

fn legible(text: &str, most: usize) -> String {
    let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().take(most).map(escaped).collect()
}

/// Reports as JSON without control characters, which some terminals obey: inside a string of JSON each has an escape,
/// and outside there is none.
pub(crate) fn json(reports: &[Report]) -> String {
    let text = serde_json::to_string(reports).unwrap_or_default();
    let escaped = |c: char| if c.is_control() { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    text.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice::from_ref;

    fn of(name: &str) -> Report {
        let levels = [("guard_us".to_string(), 1.0)].into();
        Report { name: name.into(), made: 1_000_000_000, levels, ..Report::default() }
    }

    #[test]
    fn a_report_says_how_old_it_is_in_every_form() {
        let report = of("node 3").aged(4_500_000_000);
        assert_eq!(report.level(AGE), 3.5);
        assert!(prometheus(from_ref(&report)).contains("photocol_report_age_seconds{process=\"node 3\"} 3.5\n"));
        let row = table(from_ref(&report)).lines().nth(1).unwrap().to_string();
        assert_eq!(row.split_ascii_whitespace().last(), Some("3.5"), "{row}");
    }

    #[test]
    fn what_several_say_happened_stands_once_under_the_table() {
        let says = |name: &str, events: &[&str]| {
            let events = events.iter().map(|event| event.to_string()).collect();
            Report { name: name.into(), events, ..Report::default() }
        };
        let reports = [says("node 1", &["PowerFailure", "Silent"]), says("node 2", &["PowerFailure"])];
        let demo = Report { part: DEMO.into(), ..says("demo", &["node 3 has left"]) };
        let text = table(&[&reports[..], &[demo]].concat());
        assert!(text.ends_with("\nnode 1 and 1 more: PowerFailure\nnode 1: Silent\ndemo: node 3 has left\n"), "{text}");
        assert!(!text.contains("\ndemo  "), "it has no row: {text}");
    }

    /// ESC ] 0 ; title BEL sets a terminal's title, and so does U+009D for ESC ].
    #[test]
    fn no_control_character_of_a_report_reaches_a_terminal() {
        let report = Report { events: vec!["\u{1b}]0;y\u{7}".into()], ..of("\u{1b}]0;x\u{7}\u{9d}\u{7f}\n") };
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let plain = |text: &str| lines(text).iter().all(|line| !line.chars().any(char::is_control));
        assert!(plain(&table(from_ref(&report))) && table(from_ref(&report)).contains("\\u{1b}]0;x"));
        assert!(table(from_ref(&report)).ends_with("\\u{1b}]0;x\\u{7}\\u{9d}\\u{7f}\\n: \\u{1b}]0;y\\u{7}\n"));
        let json = json(from_ref(&report));
        assert!(plain(&json) && lines(&json).len() == 1);
        assert_eq!(serde_json::from_str::<Vec<Report>>(&json).unwrap(), [report], "the same, read back");
    }
}
