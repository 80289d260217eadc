//! Demos that run to their end, and what they say then.

#![allow(dead_code, reason = "every test file uses its own part")]

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

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

/// A demo that runs until it is told to stop.
pub struct Running(Option<Child>);

impl Running {
    pub fn start(options: &[&str]) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_photocol-node"));
        command.args(["demo", "--json", "--port", "0"]).args(options);
        Running(Some(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()))
    }

    /// The same, and the port where it can be asked.
    pub fn start_with_port(options: &[&str]) -> (Running, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_photocol-node"));
        command.args(["demo", "--json", "--port", "0"]).args(options).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let running = Running(Some(child));
        let port = loop {
            let mut line = String::new();
            assert!(said.read_line(&mut line).unwrap() > 0, "the demo has ended");
            if let Some((_, rest)) = line.split_once("127.0.0.1:") {
                break rest.split('/').next().unwrap().to_string();
            }
        };
        // What it says later must go somewhere.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        (running, port)
    }

    /// Waits until something is so, for a minute and a half at most.
    pub fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < Duration::from_secs(90), "not within 90 s: {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends it as Ctrl-C does. Its last reports.
    pub fn end(mut self) -> Vec<Value> {
        let child = self.0.take().unwrap();
        let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(told.success());
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success());
        serde_json::from_slice(&done.stdout).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Its children die with it.
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A folder that goes with the test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("photocol-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// So many bytes that no compression makes shorter.
pub fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

pub fn sha256(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}
