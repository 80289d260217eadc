//! Nodes that leave, die or stand still are events of a demo and never its end.

use crate::demo::{count, events, named, reports, run};
use serde_json::Value;

fn joined(options: &str) -> Vec<&str> {
    options.split_whitespace().collect()
}

#[test]
fn a_slave_that_leaves_one_that_dies_and_a_master_that_leaves_are_events() {
    let options = "--loopback --slaves 3 --slot 2ms --seconds 12 --leave 3@4s --kill 2@6s --leave 0@8s+1s";
    // A busy machine may miss a node's light before the node says that it leaves: that is another story, told again.
    let told = |reports: &[Value]| events(reports).iter().any(|event| event.contains("PowerFailure of node 3"));
    let mut runs = (0..3).map(|_| reports(&joined(options)));
    let mut reports = runs.next().unwrap();
    while !told(&reports) {
        reports = runs.next().expect("no run has PowerFailure of node 3");
    }
    let events = events(&reports);
    let happened = |what: &str| assert!(events.iter().any(|event| event.contains(what)), "{what}: {events:#?}");
    happened("demo: 4.");
    happened("node 3 has left; does not start again");
    happened("node 2 was killed (signal: 9 (SIGKILL)); starts again in 1.0 s");
    happened("node 0 has left; starts again in 1.0 s");
    happened("node 0 starts again");
    happened("PowerFailure of node 3");
    happened("MasterShutdown of node 0");
    let demo = named(&reports, "demo").unwrap();
    let counted = ["processes_left", "processes_killed", "processes_failed", "processes_started_again"];
    assert_eq!(counted.map(|name| count(demo, name)), [2, 1, 0, 2]);
    assert!(named(&reports, "node 3").is_none(), "who has left says nothing");
    assert!(named(&reports, "node 0").is_some() && named(&reports, "node 2").is_some());
    let master = &named(&reports, "core").unwrap()["master"];
    assert!(master != "node 0" && master != "none", "{master}: a standby leads");
}

#[test]
fn who_stands_still_goes_on_and_the_demo_ends_in_order_though_another_still_stands() {
    let options = "--loopback --slaves 1 --slot 2ms --seconds 6 --stop core-0@2s+1s --stop 1@5s";
    let reports = reports(&joined(options));
    let events = events(&reports);
    for what in ["core 0 stands still", "core 0 goes on", "node 1 stands still"] {
        assert!(events.iter().any(|event| event.contains(what)), "{what}: {events:#?}");
    }
    assert!(!events.iter().any(|event| event.contains("node 1 goes on")), "{events:#?}");
}

#[test]
fn a_process_that_cannot_start_at_all_still_ends_the_demo() {
    let folder = std::env::temp_dir().join(format!("photocol-departures-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // A capture replaces no link.
    std::os::unix::fs::symlink("/nowhere", folder.join("node-1.pcapng")).unwrap();
    let done = run(&["--loopback", "--slaves", "1", "--seconds", "9", "--capture", folder.to_str().unwrap()]);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(String::from_utf8_lossy(&done.stderr).contains("node-1.toml has ended (exit status: 2)"));
}

#[test]
fn schedules_with_bad_names_or_times_are_refused() {
    let refused = |options: &str| {
        let done = run(&joined(&format!("--loopback --slaves 2 --seconds 5 {options}")));
        assert_eq!(done.status.code(), Some(2), "{options}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let who = refused("--kill 3@1s");
    assert!(who.contains("--kill is '3@1s': there is no such process; allowed: 0 to 2, core-0, fibre"), "{who}");
    assert!(refused("--kill core-1@1s").contains("there is no such process"));
    assert!(refused("--fibre none --stop fibre@1s").contains("allowed: 0 to 2, core-0\n"));
    assert!(refused("--leave 1@6s").contains("--leave is '1@6s': the demo ends after 5 s; allowed: before that"));
    assert!(refused("--stop 1").contains("--stop is '1'; allowed: WHO@WHEN or WHO@WHEN+HOW-LONG"));
    assert!(refused("--stop 1@soon").contains("--stop is '1@soon': 'soon'"));
    assert!(refused("--kill").contains("--kill needs a value"));
}
