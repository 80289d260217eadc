//! Demos that run to their end, and what they say then.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// The demo with these options, on a port that the kernel chooses.
pub fn run(options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_photocol-node"));
    command.args(["demo", "--json", "--port", "0"]).args(options).output().unwrap()
}

/// The last reports of a demo that ended as it should. No process of it is left.
pub fn reports(options: &[&str]) -> Vec<Value> {
    let done = run(options);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{options:?}: {said}");
    let reports: Vec<Value> = serde_json::from_slice(&done.stdout).unwrap();
    for report in &reports {
        let process = report["process"].as_u64().unwrap();
        assert!(!Path::new(&format!("/proc/{process}")).exists(), "{} is left", report["name"]);
    }
    reports
}

pub fn named<'a>(reports: &'a [Value], name: &str) -> Option<&'a Value> {
    reports.iter().find(|report| report["name"] == name)
}

pub fn count(report: &Value, name: &str) -> u64 {
    report["counts"][name].as_u64().unwrap_or(0)
}

/// All events of all processes, each with its process.
pub fn events(reports: &[Value]) -> Vec<String> {
    let of = |report: &Value| {
        let name = report["name"].as_str().unwrap().to_string();
        let events = report["events"].as_array().unwrap().clone();
        events.into_iter().map(move |event| format!("{name}: {}", event.as_str().unwrap()))
    };
    reports.iter().flat_map(of).collect()
}
