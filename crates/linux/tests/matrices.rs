//! What a running master shows: queues, requests, allocations, and how long its plans take.

use crate::demo::{Folder, Running, named, noise};
use serde_json::Value;
use std::process::Command;

fn status(port: &str) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_photocol-node"));
    let done = command.args(["status", "--json", "--port", port]).output().unwrap();
    serde_json::from_slice(&done.stdout).unwrap_or_default()
}

/// Whether a file from node 1 to node 2 is seen under way: in the queue of node 1, and in the plan of the master.
fn is_seen(reports: &[Value]) -> bool {
    let (Some(master), Some(sender)) = (named(reports, "node 0"), named(reports, "node 1")) else { return false };
    let pairs = master["plan"]["pairs"].as_array().cloned().unwrap_or_default();
    let asked = |pair: &Value| (pair["from"].as_u64(), pair["to"].as_u64()) == (Some(1), Some(2));
    let slots = |pair: &Value, name: &str| pair[name].as_u64().unwrap_or(0) > 0;
    pairs.iter().any(|pair| asked(pair) && slots(pair, "requested"))
        && pairs.iter().any(|pair| asked(pair) && slots(pair, "allocated"))
        && sender["queues"]["2"].as_u64().unwrap_or(0) > 0
}

#[test]
fn a_running_master_shows_requests_allocations_and_the_time_of_its_plans() {
    let folder = Folder::new("matrices");
    let thing = folder.0.join("thing.bin");
    std::fs::write(&thing, noise(8_000_000)).unwrap();
    let (file, inbox) = (format!("1:2:{}", thing.to_str().unwrap()), folder.0.join("in"));
    let (inbox, slaves) = (inbox.to_str().unwrap(), ["--slaves", "2", "--slot", "2ms"]);
    let options = [&["--loopback", "--file", &file, "--receive", inbox], &slaves[..]].concat();
    let (running, port) = Running::start_with_port(&options);
    running.until("the file in a queue and in the plan", || is_seen(&status(&port)));
    let reports = running.end();
    let time = &named(&reports, "node 0").unwrap()["errors"]["scheduling_time"];
    let (count, most) = (time["count"].as_u64().unwrap(), time["max"].as_f64().unwrap());
    println!("{count} plans: {} µs (half of them), {} (99 %), {most} at most", time["p50"], time["p99"]);
    // The median has three digits.
    assert!(count > 10 && most * 1.001 >= time["p50"].as_f64().unwrap() && most > 0.0, "{time}");
    assert!(named(&reports, "node 1").unwrap()["errors"]["scheduling_time"].is_null(), "a slave plans nothing");
}
