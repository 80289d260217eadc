//! The log of processes under faults, read by the checker that reads the simulator's (`crates/sim/tests/stars.rs`): no
//! light meets other light, files arrive, and pairs have light again in a time-out and three frames.

use crate::demo::{Folder, Running, noise};
use control::log::{Entry, What, violations};
use std::path::Path;

/// On a machine that is busy with other work slots and looks are late; so many runs may be.
const RUNS: u32 = 3;

/// All logs of a folder.
fn log_of(folder: &Path) -> Vec<Entry> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let logs = files.filter(|path| path.extension().is_some_and(|extension| extension == "log"));
    let texts: Vec<String> = logs.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    // What is killed may leave half a line.
    let lines = texts.iter().flat_map(|text| text.split_inclusive('\n')).filter(|line| line.ends_with('\n'));
    lines.map(|line| line.trim_end().parse().unwrap()).collect()
}

/// Two files cross two stars of three nodes, and what `faults` say happens. The log, when both have arrived.
fn run(name: &str, faults: &[&str]) -> Vec<Entry> {
    let folder = Folder::new(&format!("stars-{name}"));
    let (thing, inbox, logs) = (folder.0.join("thing.bin"), folder.0.join("in"), folder.0.join("logs"));
    std::fs::write(&thing, noise(6_000_000)).unwrap();
    let (crosses, stays) = (format!("0:2:{}", thing.display()), format!("2:1:{}", thing.display()));
    let (inbox_word, logs_word) = (inbox.display().to_string(), logs.display().to_string());
    let options = ["--loopback", "--cores", "2", "--slaves", "2", "--slot", "2ms", "--receive", &inbox_word];
    let options = [&options[..], &["--capture", &logs_word, "--file", &crosses, "--file", &stays], faults].concat();
    let running = Running::start(&options);
    let arrived = |node: u16| inbox.join(node.to_string()).join("thing.bin");
    running.until("both files have arrived", || arrived(2).exists() && arrived(1).exists());
    running.end();
    log_of(&logs)
}

/// What the log must have for the check to have something to look at.
fn has_all(log: &[Entry]) -> bool {
    let has = |is: fn(&What) -> bool| log.iter().any(|entry| is(&entry.what));
    has(|what| matches!(what, What::Announced { .. }))
        && has(|what| matches!(what, What::Led { .. }))
        && has(|what| matches!(what, What::Light(light) if light.passed))
        && has(|what| matches!(what, What::Arrived { .. }))
}

#[test]
fn under_faults_no_light_meets_files_arrive_and_pairs_have_light_in_time() {
    for (name, faults) in [
        ("calm", &[][..]),
        ("core-killed", &["--kill", "core-0@2s+4s"][..]),
        ("core-still", &["--stop", "core-0@2s+2s"]),
        ("nodes", &["--kill", "0@2s+1s", "--leave", "1@4s+1s"]),
    ] {
        let mut tried = Vec::new();
        let right = (0..RUNS).any(|_| {
            let log = run(name, faults);
            assert!(has_all(&log), "{name}: {} entries", log.len());
            let found = violations(&log);
            let met = found.iter().find(|text| text.contains("met") || text.contains("used with"));
            assert_eq!(met, None, "{name}: no machine is too busy for that");
            println!("{name}: {} entries, {found:?}", log.len());
            tried.push(found);
            tried.last().is_some_and(Vec::is_empty)
        });
        assert!(right, "{name}: {tried:?}");
    }
}

/// The core of star 0 dies while both files are under way, so pairs move, and the log says so.
#[test]
fn the_log_tells_of_a_core_that_dies_and_of_the_pairs_that_move() {
    let log = run("told", &["--kill", "core-0@2s+600s"]);
    let died = log
        .iter()
        .find(|entry| entry.star == 0 && entry.who == control::wire::NodeId::CORE && entry.what == What::Down);
    let died = died.expect("the demo says when").at;
    let after = |what: fn(&What) -> bool| log.iter().any(|entry| entry.at > died && what(&entry.what));
    assert!(after(|what| matches!(what, What::Moved { into: 1, .. })));
    assert!(
        !log.iter()
            .any(|entry| entry.at > died + 100_000_000_000 && entry.star == 0 && matches!(entry.what, What::Light(_)))
    );
}
