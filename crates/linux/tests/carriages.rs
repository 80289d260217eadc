//! Every way in which signalling travels, and every rule of requests, in a demo: a file arrives whole.

use crate::demo::{Folder, Running, count, named, noise, run, sha256};

/// A file from node 1 to node 2 with these options.
fn arrives(name: &str, options: &[&str]) {
    let folder = Folder::new(name);
    let (thing, inbox) = (folder.0.join("thing.bin"), folder.0.join("in"));
    let content = noise(1_000_000);
    std::fs::write(&thing, &content).unwrap();
    let file = format!("1:2:{}", thing.to_str().unwrap());
    let basis = ["--loopback", "--slaves", "2", "--slot", "2ms", "--file", &file];
    let receive = ["--receive", inbox.to_str().unwrap()];
    let running = Running::start(&[&basis[..], &receive, options].concat());
    let arrived = inbox.join("2").join("thing.bin");
    running.until("the file has arrived", || arrived.exists());
    let reports = running.end();
    assert_eq!(sha256(&std::fs::read(arrived).unwrap()), sha256(&content), "{options:?}");
    let collided = named(&reports, "core").map(|core| count(core, "light_collided"));
    assert_eq!(collided, Some(0), "{options:?}");
}

#[test]
fn a_file_arrives_whichever_way_signalling_travels() {
    for carriage in ["slots", "out-of-band", "every-slot"] {
        arrives(carriage, &["--carriage", carriage]);
    }
}

#[test]
fn a_file_arrives_by_requests_that_predict() {
    for rule in ["last-frame", "smoothed", "predicted"] {
        arrives(rule, &["--request", rule]);
    }
}

#[test]
fn what_is_no_carriage_and_no_rule_is_refused() {
    for (option, word, said) in [
        ("--carriage", "pigeon", "--carriage is 'pigeon'; allowed: slots, out-of-band, every-slot"),
        ("--request", "more", "--request: request is 'more'; allowed: 'queue', 'last-frame', 'smoothed', 'predicted'"),
    ] {
        let done = run(&[option, word, "--seconds", "1"]);
        let text = String::from_utf8_lossy(&done.stderr).to_string();
        assert!(done.status.code() == Some(2) && text.contains(said), "{text}");
    }
}
